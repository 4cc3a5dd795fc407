"""The fields of a live sheet that have actions, and the controls that its plate does not have."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from sheetgen.model.live import Live
from sheetgen.model.prints import Place
from sheetgen.records import frozen
from sheetgen.render.pdf.syntax import ink
from sheetgen.render.press.appearances import Style
from sheetgen.units import Box

SAYS: Final = "sheetgen-says"
RESET: Final = "sheetgen-reset"
HINT: Final = "sheetgen-hint-"
"""Fields besides those of the plate, whose names have no hyphens."""

_READ_ONLY: Final = 1
_LINES: Final = 1 << 12
_PUSHED: Final = 1 << 16

_WRONG: Final = "Wrong here; the top line says why"
_TYPED: Final = "text", "lines", "tick"
_ROLES: Final = "live-says", "live-reset"
_HIGH, _WIDE, _LINES_HIGH, _LABEL = 2.1, 7.0, 2.7, 1.7
_GAP, _LABEL_MOST, _EDGE, _LEAST = 10.0, 14.2, 14.2, 0.9
_BAR, _BESIDE = 2.0, 1.0
"""Measures of the controls, which are in the margin above the places of the first page.

First line, in text sizes: height and width of the button, height of the line of findings and of
the labels of places. Second line: points between the controls, the most that a label takes, the
distance of the button from the paper's edge (5 mm), and the least height of the button, in text
sizes. Third line, in points: width of a hint, and its distance from the fields."""


@frozen
class FieldRules:
    """What the fields of a design do, for all characters; see `Live`.

    Attributes:
        key: Hash of the program.
    """

    program: str
    outputs: tuple[str, ...]
    cells: frozenset[str]
    inputs: frozenset[str]
    hints: tuple[str, ...]
    key: str

    def __hash__(self) -> int:
        return hash(self.key)

    def of(self, name: str) -> tuple[bytes, int, str]:
        """Return the type of a field, its flags, and the key of its action."""
        if name == RESET:
            return b"/Btn", _PUSHED, "reset"
        if name == SAYS:
            return b"/Tx", _READ_ONLY, "calculated"
        if name.startswith(HINT):
            return b"/Tx", _READ_ONLY, ""
        if name in self.outputs:
            flags = 0 if name in self.cells else _READ_ONLY
            return b"/Tx", flags, "first" if name == self.outputs[0] else "calculated"
        return b"/Tx", 0, "typed" if name in self.inputs else ""


def build_field_rules(live: Live) -> FieldRules:
    """Return what the fields of `live` do; one object for equal designs."""
    return _rules(live.program, live.outputs, live.cells, live.inputs, live.hints)


@lru_cache(maxsize=16)
def _rules(
    program: str,
    outputs: tuple[str, ...],
    cells: frozenset[str],
    inputs: frozenset[str],
    hints: tuple[str, ...],
) -> FieldRules:
    key = hashlib.sha256(program.encode()).hexdigest()[:12]
    return FieldRules(program, outputs, cells, inputs, hints, key)


def controls(
    places: Sequence[Place], size: tuple[float, float], styles: Mapping[str, Style]
) -> tuple[Place, ...]:
    """Return the places of the controls of a live sheet, above all places of its first page.

    Args:
        size: Of that page.
        styles: By role; if the usual roles are missing, the first one is used.
    """
    boxes = [place.box for place in places if place.page == 0 and place.kind in _TYPED]
    left = min(box.x for box in boxes)
    right = min(max(box.x + box.width for box in boxes), size[0])
    says, reset = (role if role in styles else next(iter(styles)) for role in _ROLES)
    point = styles[reset].role.size
    free = max(min(b.y for b in boxes) - min(point * _LABEL, _LABEL_MOST), _EDGE + point * _LEAST)
    wide, high = point * _WIDE, min(point * _HIGH, free - _EDGE)
    tall = min(styles[says].role.size * _LINES_HIGH, free)
    button = Box(right - wide, free - high, wide, high)
    line = Box(left, (free - tall) / 2, right - wide - _GAP - left, tall)
    labels = "What the rules say of what stands here", "Put everything back as it was printed"
    return (
        Place(SAYS, "lines", says, labels[0], 0, line),
        Place(RESET, "text", reset, labels[1], 0, button),
    )


def hints(
    places: Sequence[Place], rules: FieldRules, styles: Mapping[str, Style]
) -> Iterator[Place]:
    """Yield a bar to the left of each place that findings may be about; viewer.js shows it then.

    A bar overlaps no field, because viewers differ in which of two widgets gets a click.
    """
    typed = rules.inputs.union(rules.outputs)
    role = _ROLES[0] if _ROLES[0] in styles else next(iter(styles))
    for at, stem in enumerate(rules.hints):
        fields = [p for p in places if f"{p.name}.".startswith(f"{stem}.") and p.name in typed]
        fields = [p for p in fields if p.page == fields[0].page]
        if fields:
            left, top = min(p.box.x for p in fields), min(p.box.y for p in fields)
            foot = max(p.box.y + p.box.height for p in fields)
            box = Box(left - _BESIDE - _BAR, top, _BAR, foot - top)
            yield Place(f"{HINT}{at}", "text", role, _WRONG, fields[0].page, box)


def hint_entries(colours: Mapping[str, str]) -> bytes:
    """Return the entries of a hint's widget: hidden, and its background colour."""
    return b"/F 2/MK<</BG[%s]>>" % hint_colour(colours).rpartition(b" ")[0]


def hint_colour(colours: Mapping[str, str]) -> bytes:
    """Return the operator that sets the colour of hints."""
    return ink(colours.get("accent", "#000000"))


def several(lines: bool) -> int:
    """Return the flag for several lines, or 0."""
    return _LINES if lines else 0


def flagged(flags: int) -> bytes:
    """Return the entry for a field's flags."""
    return b"/Ff %d" % flags if flags else b""
