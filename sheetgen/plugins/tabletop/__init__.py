"""Tokens, tents and decks for the table."""
