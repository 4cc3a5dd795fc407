"""What a live sheet computes: its formulas, inputs and outputs."""
