"""A language server: what editors show about authors' files while these are written."""
