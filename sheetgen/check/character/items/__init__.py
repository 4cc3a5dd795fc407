"""Items: owned, worn and held."""
