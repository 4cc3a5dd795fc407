"""Edit an author's YAML in place: everything else in the file stays the same, byte for byte.

Each edit is parsed again and used only if the file then has the expected data. A round-trip
library would reformat the whole file.

All functions raise `CannotEdit` if an edit is not possible.
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
    line_break,
    line_end,
    quote_of,
    root_of,
    with_line,
)
from sheetgen.load.yaml.spots import CannotEdit, Data, Path, Spot


def put_value(text: str, path: Path, value: Data) -> str:
    """Return `text` with the existing value at `path` replaced by `value`."""
    root = root_of(text)
    spot = root.at(path)
    if is_same_data(spot.data(), value):
        return text
    if spot.named:
        raise CannotEdit("the value has an anchor or a tag")
    parent = root.at(path[:-1])
    value = _keep_last_break(spot, value)
    expected = copy.deepcopy(root.data())
    holder = holder_of(expected, path)
    holder[path[-1]] = value
    start = _value_start(text, spot, parent)
    if spot.kind != "leaf" and has_comment(text, [spot], start, spot.end):
        raise CannotEdit("it would replace comments")
    options = _replacements(text, value, spot, parent)
    return first_valid(
        (text[:start] + _gap(text, start, new) + new + text[spot.end :] for new in options),
        expected,
    )


def add_entry(text: str, path: Path, key: str, value: Data, after: str | None = None) -> str:
    """Return `text` with a new entry in the mapping at `path`, after the key `after` or last."""
    root = root_of(text) if text.strip() else None
    if root is None:
        return first_valid([f"{text}{key}: {format_flow(value)}{line_break(text)}"], {key: value})
    spot = root.at(path)
    if spot.kind == "leaf" and path and spot.raw == "" and not spot.style:
        return put_value(text, path, {key: value})
    if spot.kind != "map":
        raise CannotEdit("the value is not a mapping")
    if spot.place(key) is not None:
        return put_value(text, (*path, key), value)
    expected = copy.deepcopy(root.data())
    number = spot.place(after) if after is not None else None
    number = len(spot.keys) - 1 if number is None else number
    insert(data_at(expected, path), number + 1, key, value)
    return first_valid(_with_entry(text, spot, number, key, value), expected)


def append_items(text: str, path: Path, values: Iterable[Data]) -> str:
    """Return `text` with items appended to the list at `path`; a scalar becomes a list."""
    for value in values:
        text = _append(text, path, value)
    return text


def _append(text: str, path: Path, value: Data) -> str:
    root = root_of(text)
    spot = root.at(path)
    expected = copy.deepcopy(root.data())
    holder = holder_of(expected, path)
    if spot.kind == "leaf" and not spot.style and spot.raw == "":
        return put_value(text, path, [value])
    if spot.kind == "leaf":
        holder[path[-1]] = [spot.data(), value]
        if spot.style in ("|", ">") or "\n" in text[spot.start : spot.end] or spot.named:
            raise CannotEdit("the value is a text of several lines")
        old = text[spot.start : spot.end]
        old = old if spot.style or not re.search(r"[,\[\]{}]", old) else format_flow(spot.data())
        new = f"[{old}, {format_flow(value, spot.style)}]"
        return first_valid([text[: spot.start] + new + text[spot.end :]], expected)
    if (spot.kind == "map" and not isinstance(value, dict)) or spot.kind == "alias":
        raise CannotEdit("the value is not a list")
    if spot.kind == "map":
        raise CannotEdit("the list has a mapping")
    holder[path[-1]].append(value)
    return first_valid(_with_item(text, spot, value), expected)


def rename_key(text: str, path: Path, name: str) -> str:
    """Return `text` with another key for the entry at `path`."""
    root = root_of(text)
    parent = root.at(path[:-1])
    number = parent.place(str(path[-1]))
    if number is None or parent.kind != "map" or parent.place(name) is not None:
        raise CannotEdit("the entry cannot be called so")
    key = parent.keys[number]
    expected = copy.deepcopy(root.data())
    old = data_at(expected, path[:-1])
    renamed = {name if k == path[-1] else k: v for k, v in old.items()}
    old.clear()
    old.update(renamed)
    options = format_scalars(name, flow=parent.flow, style=key.style)
    return first_valid((text[: key.start] + new + text[key.end :] for new in options), expected)


# -- formatting -------------------------------------------------------------------


def _keep_last_break(spot: Spot, value: Data) -> Data:
    """Return a text that ends with a line break if the present block does."""
    if isinstance(value, str) and spot.style in ("|", ">") and "\n" in value.rstrip("\n"):
        return value.rstrip("\n") + ("\n" if spot.raw.endswith("\n") else "")
    return value


def _replacements(text: str, value: Data, spot: Spot, parent: Spot) -> Iterator[str]:
    style = spot.style if spot.style in ("'", '"') else quote_of(parent)
    if isinstance(value, (dict, list)):
        yield format_flow(value, style if style == '"' else "")
        return
    if isinstance(value, str) and "\n" in value and not parent.flow:
        block = format_block(value, _indent(text, spot, parent), line_break(text))
        if block is not None:
            yield block
    yield from format_scalars(value, flow=parent.flow, style=style)


def _indent(text: str, spot: Spot, parent: Spot) -> str:
    """Return the indentation of a block: that of the present one, or two more than its parent."""
    if spot.style in ("|", ">"):
        lines = text[spot.start : spot.end].splitlines()[1:]
        first = next((line for line in lines if line.strip()), "")
        if found := first[: len(first) - len(first.lstrip(" "))]:
            return found
    return " " * (parent.column + 2)


def _with_entry(text: str, spot: Spot, number: int, key: str, value: Data) -> Iterator[str]:
    """Yield `text` with a new entry after the entry `number` of a mapping."""
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
    indent, nl = " " * spot.column, line_break(text)
    at = line_end(text, edge_of(spot, number, end=True))
    for lines in _entry_values(value, spot, indent, nl, style):
        yield with_line(text, at, f"{indent}{name}:{lines}", nl)


def _entry_values(value: Data, spot: Spot, indent: str, nl: str, style: str) -> Iterator[str]:
    """Yield ways to write the value of a new entry after its colon."""
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


def _with_item(text: str, spot: Spot, value: Data) -> Iterator[str]:
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
        inside = f"{line_break(text)}{lead} {' ' * len(gap or ' ')}"
        rows = inside.join(f"{format_flow(k)}: {format_flow(v)}" for k, v in value.items())
        yield with_line(text, at, f"{lead}-{gap or ' '}{rows}", line_break(text))
    if isinstance(value, (dict, list)):
        yield with_line(text, at, f"{lead}-{gap or ' '}{format_flow(value)}", line_break(text))
        return
    for leaf in format_scalars(value, flow=False, style=style):
        yield with_line(text, at, f"{lead}-{gap or ' '}{leaf}", line_break(text))


def _value_start(text: str, spot: Spot, parent: Spot) -> int:
    """Return the offset where the replacement of `spot` begins: after its colon or dash."""
    block = spot.kind != "leaf" and not spot.flow
    if parent.kind == "map" and (block or spot.start == spot.end):
        number = parent.items.index(spot)
        return text.index(":", parent.keys[number].end) + 1
    return spot.start


def _gap(text: str, start: int, new: str) -> str:
    return " " if text[start - 1 : start] == ":" and new else ""
