"""Bytes to files: whole or not at all, and never over a source. The only place that writes."""
