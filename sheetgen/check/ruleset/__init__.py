"""A ruleset's own mistakes."""
