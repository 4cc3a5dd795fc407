"""Ledgers, advances, and what can be bought."""
