"""Pages of tables, screens, encounters and odds: what is where, engine-free."""
