"""What prints are drawn with: plates, fonts and pictures, from the cache or made now."""
