"""Builds characters in a browser: a form that follows from the ruleset alone."""
