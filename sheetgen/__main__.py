"""`python -m sheetgen` is the command `sheetgen`."""

from sheetgen.cli.console import run

run()
