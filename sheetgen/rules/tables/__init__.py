"""Printed tables, computed from a ruleset's formulas."""
