"""Fonts: subsets, widths, and their PDF objects."""
