"""Commands that exchange files with other programs."""
