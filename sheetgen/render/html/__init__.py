"""HTML sheets and what makes them live; the scripts are in `scripts/`."""
