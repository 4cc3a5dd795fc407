"""What edits of YAML share: lines, edges of values, and the proof that an edit did its work."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sheetgen.load.yaml.spots import CannotEdit, Data, Path, Spot, parse_spots


def root_of(text: str) -> Spot:
    """Return the mapping that a file begins with.

    Raises:
        CannotEdit: It begins with something else.
    """
    root = parse_spots(text)
    if root is None or root.kind != "map":
        raise CannotEdit("the file does not begin with keys")
    return root


def data_at(data: Data, path: Path) -> Data:
    """Return what stands at `path` in plain data."""
    for step in path:
        data = data[step]
    return data


def holder_of(data: Data, path: Path) -> Data:
    """Return the list or mapping that holds what is at `path`."""
    return data_at(data, path[:-1])


def insert(data: dict[str, Data], number: int, key: str, value: Data) -> None:
    """Put an entry into a mapping, at a place in its order."""
    items = list(data.items())
    items.insert(number, (key, value))
    data.clear()
    data.update(items)


def edge_of(spot: Spot, number: int = 0, end: bool = False) -> int:
    """Return where a value begins at the earliest: behind its key."""
    if not spot.keys:
        return spot.items[number].end if end and spot.items else spot.start
    return max(spot.items[number].end, spot.keys[number].end) if end else spot.keys[number].end


def has_comment(text: str, spots: Iterable[Spot], start: int, end: int) -> bool:
    """Whether a comment stands between two places; a `#` inside `spots` is none."""
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
    """Return the quote of all keys of a mapping, as in JSON."""
    return '"' if spot.keys and all(key.style == '"' for key in spot.keys) else ""


def line_sign(text: str) -> str:
    """Return what ends the lines of a file."""
    found = re.search("\r\n|\n|\r", text)
    return found[0] if found else "\n"


def line_end(text: str, start: int) -> int:
    """Return where the line of `start` ends."""
    found = re.compile("\r\n|\n|\r").search(text, start)
    return found.start() if found else len(text)


def ending(text: str, at: int) -> str:
    """Return the sign that ends a line at `at`."""
    return text[at : at + 2] if text[at : at + 2] == "\r\n" else text[at : at + 1]


def with_line(text: str, at: int, line: str, nl: str) -> str:
    """Return `text` with `line` behind the one that ends at `at`."""
    return text[:at] + nl + line + text[at:]


def first_valid(options: Iterable[str], wanted: Data) -> str:
    """Return the first of `options` that holds what is wanted.

    Raises:
        CannotEdit: None does.
    """
    for option in options:
        try:
            root = parse_spots(option)
        except CannotEdit:
            continue
        found = root.data() if root is not None else {}
        if is_same_data(found, wanted):
            return option
    raise CannotEdit("the value has a form that sheetgen does not edit")


def is_same_data(found: Data, wanted: Data) -> bool:
    """Whether two values are equal, `1`, `1.0` and `true` told apart, and keys in one order."""
    if isinstance(found, str) or isinstance(wanted, str):
        return isinstance(found, str) and bool(found == wanted)
    if type(found) is not type(wanted):
        return False
    if isinstance(found, dict):
        return list(found) == list(wanted) and all(is_same_data(found[k], wanted[k]) for k in found)
    if isinstance(found, list):
        return len(found) == len(wanted) and all(map(is_same_data, found, wanted))
    return bool(found == wanted)
