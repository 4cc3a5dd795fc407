"""Pieces for the table as PDF: tokens, standees, tents and badges, drawn with ReportLab."""
