"""Commands for players: check, print and change characters."""
