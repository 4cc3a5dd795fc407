"""Texts of a card by name, and an index of the lists among them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sheetgen.plan.cards.runs import CHANGE
from sheetgen.records import frozen


class CardContext(dict[str, str]):
    """Texts by name, with an index of the rows of lists."""

    __slots__ = ("_index",)
    _index: NameIndex

    @property
    def index(self) -> NameIndex:
        """Which of the names are in lists, and which say that a value was raised."""
        try:
            return self._index
        except AttributeError:
            self._index = _index_names(tuple(self))
            return self._index

    def rows(self, stem: str) -> list[dict[str, str]]:
        """Return the rows of a list in order: their texts by column."""
        rows: dict[int, dict[str, str]] = {}
        for name, number, column in self.index.lists.get(stem, ()):
            rows.setdefault(number, {})[column] = super().__getitem__(name)
        return [rows[n] for n in sorted(rows)]

    def list_texts(self, stem: str) -> tuple[object, ...]:
        """Return names and texts of a list; equal ones are equal rows."""
        names = self.index.lists.get(stem, ())
        return names, *[self[name] for name, _, _ in names]


@frozen
class NameIndex:
    """Names of texts: those in lists, with row and column, by list; and whether one was raised."""

    lists: Mapping[str, tuple[tuple[str, int, str], ...]]
    changed: bool


@lru_cache(maxsize=256)
def _index_names(names: tuple[str, ...]) -> NameIndex:
    """Return the index of the names of a subject's texts: many cards of a deck have the same."""
    lists: dict[str, tuple[tuple[str, int, str], ...]] = {}
    for name in names:
        if (place := _in_list(name)) is not None:
            list_, number, column = place
            lists[list_] = (*lists.get(list_, ()), (name, number, column))
    return NameIndex(lists, any(name.endswith(f".{CHANGE}") for name in names))


@lru_cache(maxsize=8192)
def _in_list(name: str) -> tuple[str, int, str] | None:
    """Return list, row and column of a name such as `weapons.2.name`; None for other names."""
    list_, _, rest = name.partition(".")
    number, _, column = rest.partition(".")
    return (list_, int(number), column) if number.isdigit() else None
