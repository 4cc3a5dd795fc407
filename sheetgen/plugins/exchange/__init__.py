"""Files of other programs, out and in."""
