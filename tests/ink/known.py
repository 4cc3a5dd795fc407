"""Collisions that are known and not mended yet: `known.yaml`, a list that must only shrink."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from tests.ink.collisions import Collision

LIST = Path(__file__).with_name("known.yaml")


@dataclass(frozen=True)
class Known:
    """An entry: the start of the names of prints, a kind of collision, and what is to be done."""

    print: str
    kind: str
    reason: str

    def matches(self, name: str, found: Collision) -> bool:
        return name.startswith(self.print) and found.kind.startswith(self.kind)


@cache
def known() -> tuple[Known, ...]:
    """Return the entries of the list."""
    entries = yaml.safe_load(LIST.read_text(encoding="utf-8")) or []
    return tuple(Known(**entry) for entry in entries)


def unknown(name: str, found: list[Collision]) -> tuple[list[Collision], set[Known]]:
    """Return what the list does not name, and the entries that the rest matches."""
    new: list[Collision] = []
    seen: set[Known] = set()
    for one in found:
        matching = {entry for entry in known() if entry.matches(name, one)}
        seen |= matching
        if not matching:
            new.append(one)
    return new, seen
