"""Pieces for the table as PDF, drawn with ReportLab."""
