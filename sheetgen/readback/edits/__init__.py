"""Edits of an author's file, by kind of topic."""
