"""Authors' pictures: find the file, inspect it, decode it within limits, drop its metadata."""
