"""Modules of the virtual table Foundry, written and read."""
