"""Helpers of YAML edits: lines, ends of values, and the check of an edited text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sheetgen.load.yaml.spots import CannotEdit, Data, Path, Spot, parse_spots


def root_of(text: str) -> Spot:
    """Return the mapping at the root of a file.

    Raises:
        CannotEdit: The root is no mapping.
    """
    root = parse_spots(text)
    if root is None or root.kind != "map":
        raise CannotEdit("the file does not begin with keys")
    return root


def data_at(data: Data, path: Path) -> Data:
    """Return the value at `path` in plain data."""
    for step in path:
        data = data[step]
    return data


def holder_of(data: Data, path: Path) -> Data:
    """Return the list or mapping that contains the value at `path`."""
    return data_at(data, path[:-1])


def insert(data: dict[str, Data], number: int, key: str, value: Data) -> None:
    """Insert an entry into a mapping at an index."""
    items = list(data.items())
    items.insert(number, (key, value))
    data.clear()
    data.update(items)


def edge_of(spot: Spot, number: int = 0, end: bool = False) -> int:
    """Return the end of the key of a value, or with `end` the end of the value."""
    if not spot.keys:
        return spot.items[number].end if end and spot.items else spot.start
    return max(spot.items[number].end, spot.keys[number].end) if end else spot.keys[number].end


def has_comment(text: str, spots: Iterable[Spot], start: int, end: int) -> bool:
    """Whether there is a comment between two offsets; a `#` inside `spots` is none."""
    at = start
    for first, last in sorted(leaf for spot in spots for leaf in _leaves(spot)):
        if first >= start and "#" in text[at : min(first, end)]:
            return True
        at = max(at, last)
    return "#" in text[at:end]


def _leaves(spot: Spot) -> Iterable[tuple[int, int]]:
    if spot.kind in ("leaf", "alias"):
        yield spot.start, spot.end
        return
    for below in (*spot.keys, *spot.items):
        yield from _leaves(below)


def quote_of(spot: Spot) -> str:
    """Return `"` if all keys of a mapping have this quote, as in JSON."""
    return '"' if spot.keys and all(key.style == '"' for key in spot.keys) else ""


def line_break(text: str) -> str:
    """Return the line end of a file."""
    found = re.search("\r\n|\n|\r", text)
    return found[0] if found else "\n"


def line_end(text: str, start: int) -> int:
    """Return the offset of the end of the line at `start`."""
    found = re.compile("\r\n|\n|\r").search(text, start)
    return found.start() if found else len(text)


def ending(text: str, at: int) -> str:
    """Return the line break at offset `at`; empty if there is none."""
    return text[at : at + 2] if text[at : at + 2] == "\r\n" else text[at : at + 1]


def with_line(text: str, at: int, line: str, nl: str) -> str:
    """Return `text` with `line` inserted after the line that ends at `at`."""
    return text[:at] + nl + line + text[at:]


def first_valid(options: Iterable[str], expected: Data) -> str:
    """Return the first of `options` that parses to `expected`.

    Raises:
        CannotEdit: None does.
    """
    for option in options:
        try:
            root = parse_spots(option)
        except CannotEdit:
            continue
        found = root.data() if root is not None else {}
        if is_same_data(found, expected):
            return option
    raise CannotEdit("sheetgen cannot edit a value of this form")


def is_same_data(found: Data, expected: Data) -> bool:
    """Whether two values are equal, also in type and in the order of keys."""
    if isinstance(found, str) or isinstance(expected, str):
        return isinstance(found, str) and bool(found == expected)
    if type(found) is not type(expected):
        return False
    if isinstance(found, dict):
        return list(found) == list(expected) and all(
            is_same_data(found[k], expected[k]) for k in found
        )
    if isinstance(found, list):
        return len(found) == len(expected) and all(map(is_same_data, found, expected))
    return bool(found == expected)
