"""Parse, edit and write YAML, with positions, and explain syntax errors."""
