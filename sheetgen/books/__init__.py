"""Build books: plan the jobs, run them on all cores, and only where something changed."""
