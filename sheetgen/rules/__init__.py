"""The rule language: formulas, odds, tables, and the names of a ruleset."""
