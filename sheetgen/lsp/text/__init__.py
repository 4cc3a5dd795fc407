"""Texts that are being typed: positions, places by indentation, outlines."""
