"""Rows that fill templates, read one by one: of CSV and Parquet files and of databases."""
