"""Books: many orders, planned, carried out on all cores, and only where something changed."""
