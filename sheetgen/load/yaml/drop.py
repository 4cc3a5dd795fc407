"""Remove entries and items from an author's YAML; comments beside them stay."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Final

from sheetgen.load.yaml.lines import (
    data_at,
    edge_of,
    ending,
    first_valid,
    has_comment,
    line_break,
    line_end,
    root_of,
)
from sheetgen.load.yaml.spots import CannotEdit, Path, Spot

_COMMENT: Final = re.compile(r"[ \t]*#")


def drop_entry(text: str, path: Path) -> str:
    """Return `text` without the entry or item at `path`; comments beside it stay.

    A list or mapping that becomes empty is removed too, unless it contains comments.

    Raises:
        CannotEdit: It cannot be removed without other changes.
    """
    root = root_of(text)
    parent, spot = root.at(path[:-1]), root.at(path)
    alone = len(parent.items) == 1 and len(path) > 1 and not parent.named
    if alone and not has_comment(text, [parent], edge_of(parent), parent.end):
        return drop_entry(text, path[:-1])
    expected = copy.deepcopy(root.data())
    del data_at(expected, path[:-1])[path[-1]]
    step = path[-1]
    number = parent.place(step) if isinstance(step, str) else step
    assert number is not None
    start = parent.keys[number].start if parent.keys else spot.start
    options = _drop_in_flow if parent.flow else _drop_in_block
    if parent.kind == "alias":
        raise CannotEdit("the value is an alias")
    return first_valid(
        options(text, parent, number, start, max(spot.end, edge_of(parent, number))), expected
    )


def _drop_in_flow(text: str, parent: Spot, number: int, start: int, end: int) -> Iterator[str]:
    follows = re.compile(r"\s*,[ \t]*").match(text, end)
    before = re.compile(r",\s*$").search(text[:start])
    if number + 1 < len(parent.items) and follows:
        yield text[:start] + text[follows.end() :]
    elif before:
        yield text[: before.start()] + text[end:]
    elif follows:
        yield text[:start] + text[follows.end() :]
    else:
        yield text[:start] + text[end:]


def _drop_in_block(text: str, parent: Spot, number: int, start: int, end: int) -> Iterator[str]:
    if parent.kind == "list":
        start = text.rindex("-", 0, start)
    line = text.rfind("\n", 0, start) + 1
    stop = line_end(text, end)
    lead = text[line:start]
    if lead.strip():  # it follows the dash of an item
        if parent.keys and number + 1 < len(parent.items):
            if "#" in text[end : parent.keys[number + 1].start]:  # a comment beside it stays
                yield text[:start] + text[end:].lstrip(" \t")
            yield text[:start] + text[parent.keys[number + 1].start :]
        return
    inside = [parent.items[number], *parent.keys[number : number + 1]]
    if has_comment(text, inside, start, end):
        raise CannotEdit("it would remove comments")
    rest = text[end:stop]
    tail = f"{lead}{rest.strip()}{line_break(text)}" if _COMMENT.match(rest) else ""
    behind = stop + len(ending(text, stop))
    left = text[:line] + tail + text[behind:]
    if not text[behind:] and not ending(text, stop) and not tail:
        left = left.rstrip("\r\n")  # the file had no line end at its end before
    yield left
    if number == 0 and len(parent.items) == 1:
        raise CannotEdit("nothing would be left there")
