"""Choices, and what they grant."""
