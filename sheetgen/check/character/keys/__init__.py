"""The keys and values of a character file."""
