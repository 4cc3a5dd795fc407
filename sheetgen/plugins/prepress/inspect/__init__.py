"""Inspect a finished PDF, operator by operator, as a print shop does."""
