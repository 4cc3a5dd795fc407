"""Stat blocks as people write them: text without markup, and what it says."""
