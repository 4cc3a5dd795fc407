"""Plates: sheets and cards, laid out once, with places where values go; compiled and cached."""
