"""Proofs of rulesets against their sources."""
