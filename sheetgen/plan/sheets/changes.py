"""What one thing in a file adds to the figures of its print, found by leaving it out."""

from __future__ import annotations

import re
from typing import Final

from sheetgen.plan.sheets.view import View

CHANGE: Final = "change"
"""After the name of a text and a dot: by how much it is more than it would be."""

_NUMBER: Final = re.compile(r"\d+")


def find_raised_values(view: View, without: View) -> dict[str, str]:
    """Return `NAME.change` to `+1` for each text of `view` with one number that is higher.

    Args:
        view: Of a build.
        without: Of the same build, less what is asked about. Rows are found by what they
            are called, since they may stand in another order.
    """
    rows = {_called(name, without): name for name in without.texts}
    found = {}
    for name, shown in view.texts.items():
        other = without.texts.get(rows.get(_called(name, view), ""))
        if other is None:
            continue
        here, there = _NUMBER.findall(shown.text), _NUMBER.findall(other.text)
        if len(here) == len(there) == 1 and int(here[0]) > int(there[0]):
            found[f"{name}.{CHANGE}"] = f"+{int(here[0]) - int(there[0])}"
    return found


def _called(name: str, view: View) -> tuple[str, str]:
    """Return what tells a text from others: of a row, the row's own name instead of a number."""
    stem, _, column = name.rpartition(".")
    head, _, number = stem.rpartition(".")
    row = view.texts.get(f"{stem}.name")
    if not number.isdigit() or row is None:
        return name, ""
    return f"{head}.{column}", row.text
