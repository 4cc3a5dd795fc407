"""A build to cards: strips, rows, sections."""
