"""Pieces for the table: whom they show, their design, and their shapes; no layout engine."""
