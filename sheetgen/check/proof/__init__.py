"""A source's printed figures against what the rules compute."""
