"""Edits of an author's file, one file a topic."""
