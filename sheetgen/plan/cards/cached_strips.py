"""The strips of an entry, from a cache: cards of a deck repeat most values.

What an entry reads of a subject is recorded while its strips are made. For another subject with
the same values there, the strips are the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeAlias

from sheetgen.model.designs.card_files import CardEntry
from sheetgen.plan.cards.kinds import CardContext, CardKind, StripDraft, Subject
from sheetgen.plan.cards.parts import entry_strips

_Strips: TypeAlias = tuple[StripDraft, ...]
_Reads: TypeAlias = tuple[tuple[str, ...], ...]
"""Names of texts, names of numbers, and lists that an entry reads."""

_MOST_READS: Final = 8
"""Sets of names that an entry may read, by what it finds; an entry with more is not cached."""

_MOST_STRIPS: Final = 1000


def cached_strips(entry: CardEntry, subject: Subject, kind: CardKind) -> _Strips:
    """Return the strips of an entry, see `entry_strips`."""
    tracks = subject.tracks.items() if entry.track or entry.grid else ()
    dice = subject.dice.items() if entry.dice else ()
    key = "strips", id(entry), kind.step, kind.pictured, *tracks, *dice
    known: dict[_Reads, dict[Any, _Strips]] | None = kind.cache.get(key)
    if known is None:
        known = kind.cached(key, dict)
    for reads, made in known.items():
        if (found := made.get(_values(subject, reads))) is not None:
            return found
    texts: Any = _Recorder(subject.texts)
    numbers: Any = _Recorder(subject.numbers)
    strips = (*entry_strips(entry, replace(subject, texts=texts, numbers=numbers), kind),)
    reads = tuple(texts.names), tuple(numbers.names), tuple(texts.stems)
    if reads in known or len(known) < _MOST_READS:
        made = known.setdefault(reads, {})
        if len(made) == _MOST_STRIPS:
            made.clear()
        made[_values(subject, reads)] = strips
    return strips


def _values(subject: Subject, reads: _Reads) -> tuple[Hashable, ...]:
    names, numbers, stems = reads
    texts = subject.texts
    values: tuple[Hashable, ...] = (*map(texts.get, names),)
    if numbers:
        values += (*map(subject.numbers.get, numbers),)
    if stems:
        values += (*map(texts.list_texts, stems),)
    return values


class _Recorder(CardContext):
    """Texts or numbers by name, which records the names and the lists that are read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.names: dict[str, None] = {}
        self.stems: dict[str, None] = {}

    def get(self, name: str, default: Any = None) -> Any:
        self.names[name] = None
        return super().get(name, default)

    def __getitem__(self, name: str) -> Any:
        self.names[name] = None
        return super().__getitem__(name)

    def rows(self, stem: str) -> list[dict[str, str]]:
        self.stems[stem] = None
        return CardContext(self).rows(stem)
