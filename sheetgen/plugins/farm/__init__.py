"""Books by the thousand: clusters, object stores, and rows of databases and Parquet files."""
