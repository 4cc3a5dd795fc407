"""Authors' pictures, ready for the press, for HTML, and for pages that WeasyPrint lays out."""
