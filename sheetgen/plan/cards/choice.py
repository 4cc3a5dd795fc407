"""Which of several strips of a card has room for what stands in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from sheetgen.model.prints import Place
from sheetgen.plan.cards.kinds import CardKind, StripDraft
from sheetgen.plan.cards.runs import figure_runs, tails_of, wide
from sheetgen.plan.fit import PADDING, fit

ENOUGH: Final = 0.65
"""Of its full size a text has to keep, or another strip is taken."""


def scale(part: StripDraft, kind: CardKind) -> float:
    """Return how far the text of a strip that shrinks most has to; 0 if it is cut even so."""
    least = 1.0
    for name, place in kind.places[part.name].items():
        if place.role and (text := part.texts.get(name)):
            tails = tails_of(name, part.texts)
            key = "scale", place.name, text, tuple(tails.values())
            shrunk = kind.cached(key, lambda t=text, p=place, f=tails: _shrunk(t, p, f, kind))  # type: ignore[misc]
            least = min(least, shrunk)
    return least


def _shrunk(text: str, place: Place, tails: Mapping[str, str], kind: CardKind) -> float:
    role = kind.tokens.roles[place.role]
    if runs := figure_runs(text, tails, place.role, kind.tokens):
        assert kind.plate is not None
        return (place.box.width - 2 * PADDING) / wide(runs, kind.plate)
    setting, whole = fit(text, place, role, kind.metrics[role.face])
    return setting.size / role.size if whole else 0.0


def roomy(names: Sequence[str], parts: Sequence[StripDraft], kind: CardKind, enough: float) -> str:
    """Return the first of some strips that has room for all of `parts`.

    It has a place for each text that any of them has one for, and no text shrinks further
    than to `enough` of its size. If there is none, it is the one where they shrink least; if
    none has all the places, the last.

    Args:
        names: Of strips, in the step that is tried.
        parts: Whatever strips they name.
        enough: From 0 to 1.
    """
    if len(names) == 1:
        return names[0]
    every = set().union(*(kind.places[name] for name in names))
    shown = {text for part in parts for text in part.texts} & every
    best, most = names[-1], -1.0
    for name in (name for name in names if shown <= set(kind.places[name])):
        kept = min((scale(replace(part, name=name), kind) for part in parts), default=1.0)
        if kept >= enough:
            return name
        best, most = (name, kept) if kept > most else (best, most)
    return best
