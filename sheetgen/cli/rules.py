"""`sheetgen rules`: the rules that characters use."""

from __future__ import annotations

from typing import Final

from sheetgen.cli.outputs import pages_command
from sheetgen.prints.rules import RULES_KIND

command: Final = pages_command(
    RULES_KIND,
    """Print the rules that characters use, with their own figures.

    Choices, powers, gear, conditions, traits and values that a character has, each with its text
    from the ruleset. `sheetgen sheet --rules` prints them behind the sheet.

    Example: sheetgen rules hero.yaml

    Guide: docs/guides/sheets.md
    """,
)
