"""A filled sheet back into its author's file (read `merging.py` first).

fields -> topics (what the player may change, each with printed, filled, current) -> edits of
the file; what has no place goes to its notes.
"""
