"""Editors, and a preview in the browser."""
