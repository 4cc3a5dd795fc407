"""Read filled sheets back into the author's files (start with `merging.py`).

Fields become topics (what the player may change, each as printed, filled in, and in the file);
changed topics become edits of the file; typed text without a place goes to the notes.
"""
