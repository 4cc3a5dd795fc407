"""The strips of a card's entries, from the cache of its kind: cards of a deck repeat most values.

What an entry reads of a subject is recorded while its strips are made. For another subject with
the same values there, the strips are the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, TypeAlias, cast

from sheetgen.model.designs.card_files import CardEntry
from sheetgen.plan.cards.kinds import CardKind, StripDraft, Subject
from sheetgen.plan.cards.named_texts import CardContext
from sheetgen.plan.cards.parts import entry_strips

Reads: TypeAlias = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""Names of texts, of lists, of numbers and of other fields of a subject."""

_MOST_READS: Final = 8
"""Sets of names that an entry may read, by what it finds; an entry with more is not cached."""


def cached_strips(entry: CardEntry, subject: Subject, kind: CardKind) -> Sequence[StripDraft]:
    """Return the strips of an entry, see `entry_strips`."""
    place = id(entry), kind.step, kind.pictured
    known: list[Reads] = kind.cached(("reads", place), list)
    for number, reads in enumerate(known):
        if (found := kind.cache.get((place, number, _values(subject, reads)))) is not None:
            return cast("Sequence[StripDraft]", found)
    recorder = _Recorder(subject)
    strips = tuple(entry_strips(entry, cast("Subject", recorder), kind))
    if (reads := recorder.reads()) not in known:
        if len(known) == _MOST_READS:
            return strips
        known.append(reads)
    return kind.cached((place, known.index(reads), _values(subject, reads)), lambda: strips)


def _values(subject: Subject, reads: Reads) -> tuple[Hashable, ...]:
    """Return the values of a subject under the names that an entry reads."""
    names, lists, numbers, fields = reads
    values: list[Any] = [*map(subject.texts.get, names)]
    if lists:
        values += map(cast("CardContext", subject.texts).list_texts, lists)
    values += map(subject.numbers.get, numbers)
    for name in fields:
        value = getattr(subject, name)
        values.append(tuple(value.items()) if isinstance(value, Mapping) else value)
    return tuple(values)


class _Recorder:
    """A subject that records what is read of it; a list or a field counts as a whole."""

    def __init__(self, subject: Subject) -> None:
        self.texts = _RecordedTexts(subject.texts)
        self.numbers = _RecordedTexts(subject.numbers)
        self._subject, self._fields = subject, dict[str, None]()

    def __getattr__(self, name: str) -> Any:
        self._fields[name] = None
        return getattr(self._subject, name)

    def reads(self) -> Reads:
        texts = self.texts
        return (
            tuple(texts.names),
            tuple(texts.lists),
            tuple(self.numbers.names),
            tuple(self._fields),
        )


class _RecordedTexts(CardContext):
    """Values by name that record which names and lists are read."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.names: dict[str, None] = {}
        self.lists: dict[str, None] = {}

    def get(self, name: str, default: Any = None) -> Any:
        self.names[name] = None
        return super().get(name, default)

    def __getitem__(self, name: str) -> Any:
        self.names[name] = None
        return super().__getitem__(name)

    def rows(self, stem: str) -> list[dict[str, str]]:
        self.lists[stem] = None
        return super().rows(stem)
