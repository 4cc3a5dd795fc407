"""Process finished PDFs, ours or untrusted: merge, impose, convert colours, archive, preflight."""
