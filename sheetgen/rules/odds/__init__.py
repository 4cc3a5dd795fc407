"""Exact odds of dice, and the language of questions about them."""
