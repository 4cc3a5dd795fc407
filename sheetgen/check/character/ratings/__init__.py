"""Ratings: what the author states, limits, steps, lost steps."""
