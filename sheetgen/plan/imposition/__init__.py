"""Imposition: cards and pages on sheets of paper."""
