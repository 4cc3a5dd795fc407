"""Sheets that are laid out from a ruleset alone, without a template of their own."""
