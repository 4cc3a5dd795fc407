"""Plates: compile a blank once, store it, find it again."""
