"""PDF syntax (ISO 32000): objects, files, metadata, the tree of form fields."""
