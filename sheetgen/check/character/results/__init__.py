"""Results of a check: derived values, texts and rows of lists, figures for live sheets."""
