"""Write files: completely or not at all, and never over a source. Only this package writes."""
