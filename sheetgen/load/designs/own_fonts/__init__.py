"""Fonts of authors, prepared for prints."""
