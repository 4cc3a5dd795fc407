"""Edit an author's YAML in place: everything else in the file stays the same, byte for byte.

Each edit is parsed again and used only if the file then has the expected data. A round-trip
library would reformat the whole file.

All functions raise `CannotEdit` if an edit is not possible.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import yaml

from sheetgen.load.yaml.format import (
    LOADER,
    SurrogatePairs,
    format_block,
    format_flow,
    format_scalars,
)
from sheetgen.load.yaml.tree import scalar


def put_value(text: str, path: KeyPath, value: Data) -> str:
    """Return `text` with the existing value at `path` replaced by `value`."""
    root = root_of(text)
    spot = root.at(path)
    if is_same_data(spot.data(), value):
        return text
    if spot.named:
        raise CannotEdit("the value has an anchor or a tag")
    parent = root.at(path[:-1])
    if isinstance(value, str) and spot.style in ("|", ">") and "\n" in value.rstrip("\n"):
        # A block that ends with a line break keeps it.
        value = value.rstrip("\n") + ("\n" if spot.raw.endswith("\n") else "")
    expected = root.data()
    data_at(expected, path[:-1])[path[-1]] = value
    start = spot.start  # or behind its colon or dash
    if parent.kind == "map" and ((spot.kind != "leaf" and not spot.flow) or spot.start == spot.end):
        start = text.index(":", parent.keys[parent.items.index(spot)].end) + 1
    if spot.kind != "leaf" and has_comment(text, [spot], start, spot.end):
        raise CannotEdit("it would replace comments")
    before = text[:start] + (" " if text[start - 1 : start] == ":" else "")
    style = spot.style if spot.style in ("'", '"') else quote_of(parent)
    indent = ""  # of a block: that of the present one, or two more than its parent
    if spot.style in ("|", ">"):
        lines = text[spot.start : spot.end].splitlines()[1:]
        first = next((line for line in lines if line.strip()), "")
        indent = first[: len(first) - len(first.lstrip(" "))]
    indent = indent or " " * (parent.column + 2)
    options = _forms(value, style, indent, line_break(text), flow=parent.flow)
    texts = ((before if new else text[:start]) + new + text[spot.end :] for new in options)
    return first_valid(texts, expected)


def add_entry(text: str, path: KeyPath, key: str, value: Data, after: str | None = None) -> str:
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
    expected = root.data()
    number = spot.place(after) if after is not None else None
    number = len(spot.keys) - 1 if number is None else number
    there = data_at(expected, path)
    entries = [*there.items()]
    there.clear()
    there.update([*entries[: number + 1], (key, value), *entries[number + 1 :]])
    return first_valid(_with_entry(text, spot, number, key, value), expected)


def append_items(text: str, path: KeyPath, values: Iterable[Data]) -> str:
    """Return `text` with items appended to the list at `path`; a scalar becomes a list."""
    for value in values:
        root = root_of(text)
        spot = root.at(path)
        expected = root.data()
        holder = data_at(expected, path[:-1])
        if spot.kind == "leaf" and not spot.style and spot.raw == "":
            text = put_value(text, path, [value])
        elif spot.kind == "leaf":
            holder[path[-1]] = [spot.data(), value]
            old = text[spot.start : spot.end]
            if spot.style in ("|", ">") or "\n" in old or spot.named:
                raise CannotEdit("the value is a text of several lines")
            if not spot.style and re.search(r"[,\[\]{}]", old):
                old = format_flow(spot.data())
            new = f"[{old}, {format_flow(value, spot.style)}]"
            text = first_valid([text[: spot.start] + new + text[spot.end :]], expected)
        elif spot.kind in ("map", "alias"):
            own = spot.kind == "map" and isinstance(value, dict)
            raise CannotEdit("the list has a mapping" if own else "the value is not a list")
        else:
            holder[path[-1]].append(value)
            text = first_valid(_with_item(text, spot, value), expected)
    return text


def rename_key(text: str, path: KeyPath, name: str) -> str:
    """Return `text` with another key for the entry at `path`."""
    root = root_of(text)
    parent = root.at(path[:-1])
    number = parent.place(str(path[-1]))
    if number is None or parent.kind != "map" or parent.place(name) is not None:
        raise CannotEdit("the entry cannot be called so")
    key = parent.keys[number]
    expected = root.data()
    old = data_at(expected, path[:-1])
    renamed = {name if k == path[-1] else k: v for k, v in old.items()}
    old.clear()
    old.update(renamed)
    options = format_scalars(name, flow=parent.flow, style=key.style)
    return first_valid((text[: key.start] + new + text[key.end :] for new in options), expected)


def _forms(value: Data, style: str, indent: str, nl: str, *, flow: bool) -> Iterator[str]:
    """Yield ways to write a value; `indent` is that of the lines of a block."""
    if isinstance(value, (dict, list)):
        yield format_flow(value, style if style == '"' else "")
        return
    if isinstance(value, str) and not flow:
        block = format_block(value, indent, nl)
        yield from (block,) if block is not None else ()
    yield from format_scalars(value, flow=flow, style=style)


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
    before = f"{text[:at]}{nl}{indent}{name}:"
    blocks = any(item.kind == "map" and not item.flow for item in spot.items)
    if isinstance(value, dict) and value and blocks:
        rows = (f"{nl}{indent}  {format_flow(k)}: {format_flow(v)}" for k, v in value.items())
        yield before + "".join(rows) + text[at:]
    for form in _forms(value, style, indent + "  ", nl, flow=False):
        yield f"{before} {form}{text[at:]}"


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
    before = f"{text[:at]}{line_break(text)}{lead}-{gap or ' '}"
    blocks = [item for item in spot.items if item.kind == "map" and not item.flow]
    if isinstance(value, dict) and value and blocks:
        inside = f"{line_break(text)}{lead} {' ' * len(gap or ' ')}"
        rows = inside.join(f"{format_flow(k)}: {format_flow(v)}" for k, v in value.items())
        yield before + rows + text[at:]
    if isinstance(value, (dict, list)):
        yield before + format_flow(value) + text[at:]
        return
    for leaf in format_scalars(value, flow=False, style=style):
        yield before + leaf + text[at:]


_COMMENT: Final = re.compile(r"[ \t]*#")


def drop_entry(text: str, path: KeyPath) -> str:
    """Return `text` without an entry or item, and what becomes empty by it; comments stay."""
    root = root_of(text)
    parent, spot = root.at(path[:-1]), root.at(path)
    alone = len(parent.items) == 1 and len(path) > 1 and not parent.named
    if alone and not has_comment(text, [parent], edge_of(parent), parent.end):
        return drop_entry(text, path[:-1])
    expected = root.data()
    del data_at(expected, path[:-1])[path[-1]]
    step = path[-1]
    number = parent.place(step) if isinstance(step, str) else step
    assert number is not None
    start = parent.keys[number].start if parent.keys else spot.start
    if parent.kind == "alias":
        raise CannotEdit("the value is an alias")
    options = _drop_in_flow if parent.flow else _drop_in_block
    end = max(spot.end, edge_of(parent, number))
    return first_valid(options(text, parent, number, start, end), expected)


def _drop_in_flow(text: str, parent: Spot, number: int, start: int, end: int) -> Iterator[str]:
    follows = re.compile(r"\s*,[ \t]*").match(text, end)
    before = re.compile(r",\s*$").search(text[:start])
    if before and not (follows and number + 1 < len(parent.items)):
        yield text[: before.start()] + text[end:]
    else:
        yield text[:start] + text[follows.end() if follows else end :]


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


def root_of(text: str) -> Spot:
    """Return the mapping at the root of a file."""
    root = parse_spots(text)
    if root is None or root.kind != "map":
        raise CannotEdit("the file does not begin with keys")
    return root


def data_at(data: Data, path: KeyPath) -> Data:
    """Return the value at `path` in plain data."""
    for step in path:
        data = data[step]
    return data


def edge_of(spot: Spot, number: int = 0, *, end: bool = False) -> int:
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


def first_valid(options: Iterable[str], expected: Data) -> str:
    """Return the first of `options` that parses to `expected`."""
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


Step: TypeAlias = str | int
# Keys as written, and indices in lists.
KeyPath: TypeAlias = tuple[Step, ...]
Data: TypeAlias = Any  # Strings, numbers, booleans, None; lists and dicts of them


class CannotEdit(Exception):
    """An edit is not possible; the message says why."""


@dataclass
class Spot:
    """A node of a file."""

    kind: Literal["leaf", "list", "map", "alias"]  # `leaf`, `list`, `map`, or `alias`.
    # start, end: Its offsets, without trailing blanks and line breaks.
    start: int
    end: int
    column: int
    flow: bool = False  # Whether it is in brackets or, for a leaf, in quotes.
    style: str = ""  # The quote or block indicator of a leaf: empty, `'`, `"`, `|` or `>`.
    raw: str = ""
    named: bool = False  # Whether it has an anchor or a tag.
    keys: list[Spot] = field(default_factory=list)  # The keys of a mapping; `items` are its values.
    items: list[Spot] = field(default_factory=list)
    target: Spot | None = None  # The node of an alias.

    def data(self) -> Data:
        """Return the value."""
        if self.target is not None:
            return self.target.data()
        if self.kind == "map":
            return {k.raw: v.data() for k, v in zip(self.keys, self.items, strict=True)}
        if self.kind == "list":
            return [item.data() for item in self.items]
        return self.raw if self.style else scalar(self.raw)

    def place(self, key: str) -> int | None:
        """Return the index of the entry `key` of a mapping."""
        return next((n for n, k in enumerate(self.keys) if k.raw == key), None)

    def at(self, path: KeyPath) -> Spot:
        """Return the node at `path` below this one."""
        node = self
        for step in path:
            number = node.place(step) if isinstance(step, str) else step
            if number is None or not 0 <= number < len(node.items):
                raise CannotEdit("the place is not there any more")
            node = node.items[number]
        return node


def parse_spots(text: str) -> Spot | None:
    """Return the root of `text`; None if it is empty."""
    try:
        pairs = SurrogatePairs(text)
        reader = _Reader(text, iter(yaml.parse(pairs.text, Loader=LOADER)), pairs)
        roots = [reader.node(e) for e in reader.events if isinstance(e, yaml.NodeEvent)]
    except (yaml.YAMLError, RecursionError) as error:
        raise CannotEdit("it would not be YAML any more") from error
    return roots[-1] if roots else None


class _Reader:
    """Builds spots from parser events."""

    def __init__(self, text: str, events: Any, pairs: SurrogatePairs) -> None:
        self.text, self.events, self.pairs = text, events, pairs
        self.anchors: dict[str, Spot] = {}

    def node(self, event: Any) -> Spot:
        start, end = event.start_mark.index, event.end_mark.index
        column = event.start_mark.column
        if isinstance(event, yaml.AliasEvent):
            if (known := self.anchors.get(event.anchor or "")) is None:
                raise CannotEdit("there is an alias without its anchor")
            spot = Spot("alias", start, end, column, flow=True, style="*")
            spot.raw, spot.keys, spot.items = known.raw, known.keys, known.items
            spot.target = known
            return spot
        if isinstance(event, yaml.ScalarEvent):
            style = event.style or ""
            words = len(self.text[start:end].rstrip())
            raw = self.pairs.restored(event.value, style, start, end)
            spot = Spot("leaf", start, start + words, column, bool(style), style, raw)
        else:
            flow = self.text[end - 1 : end] in ("[", "{") if end > start else False
            is_list = isinstance(event, yaml.SequenceStartEvent)
            spot = Spot("list" if is_list else "map", start, end, column, flow)
            for below in self.events:
                if isinstance(below, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
                    if flow:
                        spot.end = below.end_mark.index if below.end_mark else spot.end
                    break
                inner = self.node(below)
                if not is_list:
                    spot.keys.append(inner)
                    inner = self.node(next(self.events))
                spot.items.append(inner)
                spot.end = max(spot.end, inner.end, spot.keys[-1].end if spot.keys else 0)
            if not flow and spot.keys:
                spot.column = spot.keys[0].column
        spot.named = bool(event.anchor or event.tag)
        if event.anchor:
            self.anchors[event.anchor] = spot
        return spot
