"""Commands for publishers: books, booklets, checks of finished PDFs."""
