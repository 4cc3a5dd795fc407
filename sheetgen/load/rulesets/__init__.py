"""Rulesets: their folders, overlays, modules, kinds."""
