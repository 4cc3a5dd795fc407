"""Frozen models of what flows from step to step; no input, no output."""
