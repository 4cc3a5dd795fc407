"""Taking entries and items out of an author's YAML; comments beside them stay."""

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
    line_end,
    line_sign,
    root_of,
)
from sheetgen.load.yaml.spots import CannotEdit, Path, Spot

_COMMENT: Final = re.compile(r"[ \t]*#")


def drop_entry(text: str, path: Path) -> str:
    """Return `text` without the entry or item at `path`; comments beside it stay.

    A list or mapping that is empty then goes too, unless comments stand in it.
    """
    root = root_of(text)
    parent, spot = root.at(path[:-1]), root.at(path)
    alone = len(parent.items) == 1 and len(path) > 1 and not parent.named
    if alone and not has_comment(text, [parent], edge_of(parent), parent.end):
        return drop_entry(text, path[:-1])
    wanted = copy.deepcopy(root.data())
    del data_at(wanted, path[:-1])[path[-1]]
    step = path[-1]
    number = parent.place(step) if isinstance(step, str) else step
    assert number is not None
    start = parent.keys[number].start if parent.keys else spot.start
    options = _flow_dropped if parent.flow else _block_dropped
    if parent.kind == "alias":
        raise CannotEdit("the value is an alias")
    return first_valid(
        options(text, parent, number, start, max(spot.end, edge_of(parent, number))), wanted
    )


def _flow_dropped(text: str, parent: Spot, number: int, start: int, end: int) -> Iterator[str]:
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


def _block_dropped(text: str, parent: Spot, number: int, start: int, end: int) -> Iterator[str]:
    if parent.kind == "list":
        start = text.rindex("-", 0, start)
    line = text.rfind("\n", 0, start) + 1
    stop = line_end(text, end)
    lead = text[line:start]
    if lead.strip():  # it stands behind the dash of an item
        if parent.keys and number + 1 < len(parent.items):
            yield text[:start] + text[parent.keys[number + 1].start :]
        return
    inside = [parent.items[number], *parent.keys[number : number + 1]]
    if has_comment(text, inside, start, end):
        raise CannotEdit("it would remove comments")
    rest = text[end:stop]
    tail = f"{lead}{rest.strip()}{line_sign(text)}" if _COMMENT.match(rest) else ""
    behind = stop + len(ending(text, stop))
    left = text[:line] + tail + text[behind:]
    if not text[behind:] and not ending(text, stop) and not tail:
        left = left.rstrip("\r\n")  # the file had no line end at its end before
    yield left
    if number == 0 and len(parent.items) == 1:
        raise CannotEdit("nothing would be left there")
