"""Finished PDFs, ours or a stranger's: merge, booklet, inks, archive, preflight."""
