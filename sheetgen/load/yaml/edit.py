"""Edits of an author's YAML by its places: what is not touched stays as it is, byte for byte.

Each edit is read back: it counts only if the file then holds what was wanted, and all
else as before. A round-trip library would set the whole file anew.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator

from sheetgen.load.yaml.format import format_block, format_flow, format_scalars
from sheetgen.load.yaml.lines import (
    data_at,
    edge_of,
    first_valid,
    has_comment,
    holder_of,
    insert,
    is_same_data,
    line_end,
    line_sign,
    quote_of,
    root_of,
    with_line,
)
from sheetgen.load.yaml.spots import CannotEdit, Data, Path, Spot


def put_value(text: str, path: Path, value: Data) -> str:
    """Return `text` with `value` at `path`, where something stands now."""
    root = root_of(text)
    spot = root.at(path)
    if is_same_data(spot.data(), value):
        return text
    if spot.named:
        raise CannotEdit("the value has an anchor or a tag")
    parent = root.at(path[:-1])
    value = _as_before(spot, value)
    wanted = copy.deepcopy(root.data())
    holder = holder_of(wanted, path)
    holder[path[-1]] = value
    start = _value_start(text, spot, parent)
    if spot.kind != "leaf" and has_comment(text, [spot], start, spot.end):
        raise CannotEdit("it would replace comments")
    options = _written(text, value, spot, parent)
    return first_valid(
        (text[:start] + _gap(text, start, new) + new + text[spot.end :] for new in options), wanted
    )


def add_entry(text: str, path: Path, key: str, value: Data, after: str | None = None) -> str:
    """Return `text` with a new entry in the mapping at `path`, behind `after` or all others."""
    root = root_of(text) if text.strip() else None
    if root is None:
        return first_valid([f"{text}{key}: {format_flow(value)}{line_sign(text)}"], {key: value})
    spot = root.at(path)
    if spot.kind == "leaf" and path and spot.raw == "" and not spot.style:
        return put_value(text, path, {key: value})
    if spot.kind != "map":
        raise CannotEdit("the value is not a mapping")
    if spot.place(key) is not None:
        return put_value(text, (*path, key), value)
    wanted = copy.deepcopy(root.data())
    number = spot.place(after) if after is not None else None
    number = len(spot.keys) - 1 if number is None else number
    insert(data_at(wanted, path), number + 1, key, value)
    return first_valid(_entries(text, spot, number, key, value), wanted)


def append_items(text: str, path: Path, values: Iterable[Data]) -> str:
    """Return `text` with more items in the list at `path`; a single value becomes a list."""
    for value in values:
        text = _appended(text, path, value)
    return text


def _appended(text: str, path: Path, value: Data) -> str:
    root = root_of(text)
    spot = root.at(path)
    wanted = copy.deepcopy(root.data())
    holder = holder_of(wanted, path)
    if spot.kind == "leaf" and not spot.style and spot.raw == "":
        return put_value(text, path, [value])
    if spot.kind == "leaf":
        holder[path[-1]] = [spot.data(), value]
        if spot.style in ("|", ">") or "\n" in text[spot.start : spot.end] or spot.named:
            raise CannotEdit("the value is a text of several lines")
        old = text[spot.start : spot.end]
        old = old if spot.style or not re.search(r"[,\[\]{}]", old) else format_flow(spot.data())
        new = f"[{old}, {format_flow(value, spot.style)}]"
        return first_valid([text[: spot.start] + new + text[spot.end :]], wanted)
    if (spot.kind == "map" and not isinstance(value, dict)) or spot.kind == "alias":
        raise CannotEdit("the value is not a list")
    if spot.kind == "map":
        raise CannotEdit("the list has a mapping")
    holder[path[-1]].append(value)
    return first_valid(_items(text, spot, value), wanted)


def rename_key(text: str, path: Path, name: str) -> str:
    """Return `text` with another key for the entry at `path`."""
    root = root_of(text)
    parent = root.at(path[:-1])
    number = parent.place(str(path[-1]))
    if number is None or parent.kind != "map" or parent.place(name) is not None:
        raise CannotEdit("the entry cannot be called so")
    key = parent.keys[number]
    wanted = copy.deepcopy(root.data())
    old = data_at(wanted, path[:-1])
    renamed = {name if k == path[-1] else k: v for k, v in old.items()}
    old.clear()
    old.update(renamed)
    options = format_scalars(name, flow=parent.flow, style=key.style)
    return first_valid((text[: key.start] + new + text[key.end :] for new in options), wanted)


# -- how things are written -------------------------------------------------------------------


def _as_before(spot: Spot, value: Data) -> Data:
    """Return a text with the line end behind it that the one before had."""
    if isinstance(value, str) and spot.style in ("|", ">") and "\n" in value.rstrip("\n"):
        return value.rstrip("\n") + ("\n" if spot.raw.endswith("\n") else "")
    return value


def _written(text: str, value: Data, spot: Spot, parent: Spot) -> Iterator[str]:
    """Yield ways to write `value` in the place of `spot`."""
    style = spot.style if spot.style in ("'", '"') else quote_of(parent)
    if isinstance(value, (dict, list)):
        yield format_flow(value, style if style == '"' else "")
        return
    if isinstance(value, str) and "\n" in value and not parent.flow:
        block = format_block(value, _indent(text, spot, parent), line_sign(text))
        if block is not None:
            yield block
    yield from format_scalars(value, flow=parent.flow, style=style)


def _indent(text: str, spot: Spot, parent: Spot) -> str:
    """Return the blanks before the lines of a block: those of the one before, or two more."""
    if spot.style in ("|", ">"):
        lines = text[spot.start : spot.end].splitlines()[1:]
        first = next((line for line in lines if line.strip()), "")
        if found := first[: len(first) - len(first.lstrip(" "))]:
            return found
    return " " * (parent.column + 2)


def _entries(text: str, spot: Spot, number: int, key: str, value: Data) -> Iterator[str]:
    """Yield ways to write a new entry behind the entry `number` of a mapping."""
    style = quote_of(spot)
    bare = key.isdecimal() and style != '"'
    name = key if bare else next(format_scalars(key, flow=spot.flow, style=style))
    if spot.flow:
        entry = f"{name}: {format_flow(value, style)}"
        if not spot.keys:
            at = text.rindex("{", 0, spot.end) + 1
            yield text[:at] + entry + text[at:]
            return
        at = max(spot.items[number].end, spot.keys[number].end)
        yield text[:at] + f", {entry}" + text[at:]
        return
    indent, nl = " " * spot.column, line_sign(text)
    at = line_end(text, edge_of(spot, number, end=True))
    for lines in _lines(value, spot, indent, nl, style):
        yield with_line(text, at, f"{indent}{name}:{lines}", nl)


def _lines(value: Data, spot: Spot, indent: str, nl: str, style: str) -> Iterator[str]:
    """Yield ways to write the value of a new entry of a block, behind its colon."""
    blocks = any(item.kind == "map" and not item.flow for item in spot.items)
    if isinstance(value, dict) and value and blocks:
        rows = (f"{indent}  {format_flow(k)}: {format_flow(v)}" for k, v in value.items())
        yield nl + nl.join(rows)
    if isinstance(value, (dict, list)):
        yield " " + format_flow(value, style)
        return
    if isinstance(value, str) and "\n" in value:
        block = format_block(value, indent + "  ", nl)
        if block is not None:
            yield f" {block}"
    yield from (f" {leaf}" for leaf in format_scalars(value, flow=False, style=style))


def _items(text: str, spot: Spot, value: Data) -> Iterator[str]:
    """Yield ways to write a new item behind those of a list."""
    style = '"' if spot.items and all(i.style == '"' for i in spot.items) else ""
    if spot.flow:
        if not spot.items:
            at = text.rindex("[", 0, spot.end) + 1
            yield text[:at] + format_flow(value, style) + text[at:]
            return
        at = spot.items[-1].end
        yield text[:at] + f", {format_flow(value, style)}" + text[at:]
        return
    start = spot.items[-1].start
    dash = text.rindex("-", 0, start)
    lead = text[text.rindex("\n", 0, dash) + 1 if "\n" in text[:dash] else 0 : dash]
    lead = lead if not lead.strip() else " " * spot.column
    gap = text[dash + 1 : start] if not text[dash + 1 : start].strip("- \t") else " "
    at = line_end(text, spot.end)
    blocks = [item for item in spot.items if item.kind == "map" and not item.flow]
    if isinstance(value, dict) and value and blocks:
        inside = f"{line_sign(text)}{lead} {' ' * len(gap or ' ')}"
        rows = inside.join(f"{format_flow(k)}: {format_flow(v)}" for k, v in value.items())
        yield with_line(text, at, f"{lead}-{gap or ' '}{rows}", line_sign(text))
    if isinstance(value, (dict, list)):
        yield with_line(text, at, f"{lead}-{gap or ' '}{format_flow(value)}", line_sign(text))
        return
    for leaf in format_scalars(value, flow=False, style=style):
        yield with_line(text, at, f"{lead}-{gap or ' '}{leaf}", line_sign(text))


def _value_start(text: str, spot: Spot, parent: Spot) -> int:
    """Return where what is written for `spot` may begin: behind its colon or its dash."""
    block = spot.kind != "leaf" and not spot.flow
    if parent.kind == "map" and (block or spot.start == spot.end):
        number = parent.items.index(spot)
        return text.index(":", parent.keys[number].end) + 1
    return spot.start


def _gap(text: str, start: int, new: str) -> str:
    return " " if text[start - 1 : start] == ":" and new else ""
