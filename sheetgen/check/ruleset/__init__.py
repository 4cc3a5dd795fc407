"""Checks of rulesets."""
