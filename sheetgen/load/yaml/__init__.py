"""YAML with places: read, edit, write, and explain mistakes."""
