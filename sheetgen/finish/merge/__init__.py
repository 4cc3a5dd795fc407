"""Several finished PDFs as one: objects, forms, tags, bookmarks, page numbers."""
