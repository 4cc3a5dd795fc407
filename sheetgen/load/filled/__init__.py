"""Filled sheets that come back: PDF, HTML, JSON."""
