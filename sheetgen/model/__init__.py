"""Frozen data that flows between the floors, and the models of YAML files; no input or output."""
