"""Reading: the only package that opens files for input."""
