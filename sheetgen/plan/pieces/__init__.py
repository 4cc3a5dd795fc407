"""Pieces for the table: tokens, standees, tents and badges as marks at exact places."""
