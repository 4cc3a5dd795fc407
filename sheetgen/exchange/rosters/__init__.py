"""Rosters: a row for each character, as CSV or as a workbook.

The columns without brackets are the keys of the author's file, and are imported. Those in
brackets are computed. `cells.py` writes a YAML value into a cell and reads it again.
"""
