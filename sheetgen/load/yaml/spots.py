"""YAML to nodes that know where each begins and ends, for edits that leave the rest alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import yaml

from sheetgen.load.yaml.surrogates import SurrogatePairs
from sheetgen.load.yaml.tree import scalar

Step: TypeAlias = str | int
Path: TypeAlias = tuple[Step, ...]
"""Keys as they are written, and numbers in lists."""

Data: TypeAlias = Any
"""Texts, numbers, true and false, None; lists and dicts of them."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class CannotEdit(Exception):
    """A place that is not edited by itself, and why."""


@dataclass
class Spot:
    """A node of a file.

    Attributes:
        kind: `leaf`, `list`, `map`, or `alias`.
        start, end: Its letters; the end is behind its last one that is no blank or line end.
        flow: Whether it stands in brackets, or a quote does the same for a leaf.
        style: Of a leaf: empty, `'`, `"`, `|` or `>`.
        named: Whether an anchor or a tag stands before it.
        target: What an alias stands for.
        keys: Of a mapping; `items` are its values then.
    """

    kind: str
    start: int
    end: int
    column: int
    flow: bool = False
    style: str = ""
    raw: str = ""
    named: bool = False
    keys: list[Spot] = field(default_factory=list)
    items: list[Spot] = field(default_factory=list)
    target: Spot | None = None

    def data(self) -> Data:
        """Return what it means."""
        if self.target is not None:
            return self.target.data()
        if self.kind == "map":
            return {k.raw: v.data() for k, v in zip(self.keys, self.items, strict=True)}
        if self.kind == "list":
            return [item.data() for item in self.items]
        return self.raw if self.style else scalar(self.raw)

    def place(self, key: str) -> int | None:
        """Return the number of the entry `key` of a mapping."""
        return next((n for n, k in enumerate(self.keys) if k.raw == key), None)

    def at(self, path: Path) -> Spot:
        """Return the node at `path` below this one.

        Raises:
            CannotEdit: There is none.
        """
        node = self
        for step in path:
            number = node.place(step) if isinstance(step, str) else step
            if number is None or not 0 <= number < len(node.items):
                raise CannotEdit("the place is not there any more")
            node = node.items[number]
        return node


def parse_spots(text: str) -> Spot | None:
    """Return the root of `text`; None if nothing stands in it.

    Raises:
        CannotEdit: It is not YAML.
    """
    try:
        pairs = SurrogatePairs(text)
        events = iter(yaml.parse(pairs.text, Loader=_LOADER))
        return _Reader(text, events, pairs).root()
    except (yaml.YAMLError, RecursionError) as error:
        raise CannotEdit("it would not be YAML any more") from error


class _Reader:
    """Builds spots from events."""

    def __init__(self, text: str, events: Any, pairs: SurrogatePairs) -> None:
        self.text, self.events, self.pairs = text, events, pairs
        self.anchors: dict[str, Spot] = {}

    def root(self) -> Spot | None:
        found = None
        for event in self.events:
            if isinstance(event, yaml.NodeEvent):
                found = self.node(event)
        return found

    def node(self, event: Any) -> Spot:
        start, end = event.start_mark.index, event.end_mark.index
        column = event.start_mark.column
        if isinstance(event, yaml.AliasEvent):
            known = self.anchors.get(event.anchor or "")
            if known is None:
                raise CannotEdit("an alias stands there whose anchor does not")
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
            kind = "list" if isinstance(event, yaml.SequenceStartEvent) else "map"
            spot = Spot(kind, start, end, column, flow)
            self.fill(spot)
        spot.named = bool(event.anchor or event.tag)
        if event.anchor:
            self.anchors[event.anchor] = spot
        return spot

    def fill(self, spot: Spot) -> None:
        """Read what stands in a list or a mapping."""
        event: Any
        for event in self.events:
            if isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
                if spot.flow:
                    spot.end = event.end_mark.index if event.end_mark else spot.end
                break
            inner = self.node(event)
            if spot.kind == "map":
                spot.keys.append(inner)
                inner = self.node(next(self.events))
            spot.items.append(inner)
            spot.end = max(spot.end, inner.end, spot.keys[-1].end if spot.keys else 0)
        if not spot.flow and spot.keys:
            spot.column = spot.keys[0].column
