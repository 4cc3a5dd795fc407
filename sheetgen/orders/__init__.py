"""What can be ordered: from names and paths to finished files, one order at a time."""
