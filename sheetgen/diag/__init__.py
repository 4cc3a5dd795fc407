"""Findings: what we have to say about an author's file, and where."""
