"""PDF syntax: objects, files, metadata, names of form fields."""
