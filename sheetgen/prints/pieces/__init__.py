"""Pieces for the table: tokens, standees, tents and badges."""
