"""Authors' files: characters, encounters, books, rows of CSV."""
