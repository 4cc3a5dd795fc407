"""Findings about an author's file: their codes, places, hints and text."""
