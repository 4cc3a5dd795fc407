"""Changes on a sheet as `sheetgen read` reports them: before, after, and what became of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sheetgen.model.filled import ON
from sheetgen.readback.topics import Texts, Topic, named_rows


@dataclass(frozen=True, slots=True)
class Change:
    """A change on a sheet.

    Attributes:
        state: `merged`, `conflict`, `unknown` (what was printed is not known), `noted` (in the
            notes), `kept` (the file stays as it is; a finding says why), or `seen` (there is no
            file to merge it into).
    """

    label: str
    fields: tuple[str, ...]
    printed: str | None
    filled: str
    current: str
    state: str


def change_of(topic: Topic, state: str) -> Change:
    """Return a topic as a change."""
    before = topic.printed if topic.printed is not None else topic.current
    return Change(
        topic.label,
        tuple(n for n in topic.names if topic.filled[n] != before[n]),
        topic_text(topic, topic.printed) if topic.printed is not None else None,
        topic_text(topic, topic.filled),
        topic_text(topic, topic.current),
        state,
    )


_BESIDE: Final = 15
"""Letters shown before and after the difference between two long texts."""

_SHORT: Final = 58
"""Letters of a text that is shown in full."""


def shorten_pair(one: str, other: str) -> tuple[str, str]:
    """Return two texts without the long beginning and end that they have in common."""
    if max(len(one), len(other)) <= _SHORT:
        return one, other
    begins = _alike(one, other)
    ends = _alike(one[begins:][::-1], other[begins:][::-1])
    first, last = max(0, begins - _BESIDE), max(0, ends - _BESIDE)
    return _cut(one, first, last), _cut(other, first, last)


def _alike(one: str, other: str) -> int:
    """Return how many letters two texts have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


def _cut(text: str, first: int, last: int) -> str:
    before = "…" if first else ""
    return f"{before}{text[first : len(text) - last]}{'…' if last else ''}"


def topic_text(topic: Topic, texts: Texts) -> str:
    """Return the text of a topic's fields as reports show it."""
    kind = topic.place.kind
    if kind in ("boxes", "track"):
        return str(topic.value(texts))
    if kind == "states":
        names = [n for n in topic.names if texts[n] == ON]
        return ", ".join(n.rpartition(".")[2].replace("_", " ") for n in names)
    if kind == "named":
        rows = ((name, count) for _, name, count in named_rows(topic, texts))
        return "; ".join(f"{name} {count}" for name, count in rows)
    words = (texts[n].strip() for n in topic.names)
    return ("; " if kind != "dice" else " ").join(word for word in words if word)
