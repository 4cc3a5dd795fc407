"""Packs: rulesets, characters and pictures in one file that others add to their projects."""
