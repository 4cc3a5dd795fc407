"""Build and sheet to a plan: what stands in each place, measured before it is set."""
