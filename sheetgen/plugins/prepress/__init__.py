"""What a print shop needs."""
