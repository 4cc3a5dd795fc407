"""A build while it is being checked, and the names that its formulas see."""
