"""An index of the places of a plate, built once for all sheets that share the plate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import lru_cache
from typing import Final

from sheetgen.model.prints import FaceMetrics, Place, Plate, Role, Setting
from sheetgen.plan.fit import fit, width
from sheetgen.plan.letters import find_missing_letters
from sheetgen.plan.sheets.view import numbered_family
from sheetgen.records import frozen

_HEAD: Final = re.compile(r"header\d*\.(text|stamp)|continued\d*|stamp")
"""Places that a sheet repeats on its pages: the identity, the stamp of a draft, the foot."""

_NUMBER: Final = "page."
"""The start of the names of places for page numbers."""

_ONWARD: Final = "onward."
"""The start of the names of places beside heads; `_and_` joins the lists of one section."""

TO_DRAW: Final = "to_draw."
"""The start of the names of places for the label of a picture, which is printed without one."""

_MOST: Final = 2000
"""The most settings in the cache; a few hundred are common to most sheets of a plate."""


@frozen
class PlatePlaces:
    """The places of a plate.

    Attributes:
        by_name: All places by name.
        families: Names of places, without the numbers of rows.
        above: What names of places begin with, up to each dot: `xp.ledger.3` of
            `xp.ledger.3.cost`.
        heads: Names of the places repeated on each page, and what each repeats.
        numbers: Places for page numbers.
        marks: Places beside heads for the page that continues a section, by list or text and page.
        drawable: Names of the pictures whose place has a label.
        letters: Letters that a face of the plate has a glyph for.
    """

    plate: Plate
    by_name: Mapping[str, Place]
    families: frozenset[str]
    above: frozenset[str]
    heads: tuple[tuple[str, str], ...]
    numbers: tuple[Place, ...]
    marks: Mapping[tuple[str, int], Place]
    drawable: tuple[str, ...]
    letters: frozenset[str]
    _set: dict[tuple[str, str, str], tuple[Setting, bool]] = field(default_factory=dict)
    _same: dict[Setting, Setting] = field(default_factory=dict)

    def fitted(self, text: str, place: Place, role_name: str) -> tuple[Setting, bool]:
        """Return the setting of `text` in `place`, in a role, and whether it is complete."""
        key = place.name, role_name, text
        cached = self._set.get(key)
        if cached is None:
            role = self.plate.tokens.roles[role_name]
            setting, complete = fit(text, place, role, self.plate.metrics[role.face])
            if role_name != place.role:
                setting = Setting(setting.value, setting.lines, setting.size, role_name)
            if len(self._set) >= _MOST:
                self._set.clear()
                self._same.clear()
            cached = self._set[key] = self._same.setdefault(setting, setting), complete
        return cached

    def first_that_fits(self, texts: Iterable[str], place: Place) -> str:
        """Return the first of `texts` that fits `place` on one line, or the last."""
        role, metrics = typography(self.plate, place)
        text = ""
        for text in texts:
            if width(text, metrics, role.size) <= place.box.width - 1:
                break
        return text

    def mark_beside(self, stem: str, page: int) -> Place | None:
        """Return the place on `page` for the page that continues a list or a text."""
        while stem:
            place = self.marks.get((stem, page))
            if place is not None:
                return place
            stem = stem.rpartition(".")[0]
        return None

    def missing(self, text: str) -> str:
        """Return the letters of `text` without a glyph, each once, in order."""
        if self.letters.issuperset(text):
            return ""
        return find_missing_letters(text, frozenset(map(ord, self.letters)))


def _names_above(name: str) -> Iterator[str]:
    while name := name.rpartition(".")[0]:
        yield name


@lru_cache(maxsize=16)
def plate_places(plate: Plate) -> PlatePlaces:
    """Return the index of the places of `plate`; those of the last plates are cached."""
    points = {point for metrics in plate.metrics.values() for point in metrics.advances}
    return PlatePlaces(
        plate,
        {place.name: place for place in plate.places},
        frozenset(numbered_family(place.name) for place in plate.places),
        frozenset(above for place in plate.places for above in _names_above(place.name)),
        tuple(
            (place.name, place.name.rpartition(".")[2])
            for place in plate.places
            if _HEAD.fullmatch(place.name)
        ),
        tuple(place for place in plate.places if place.name.startswith(_NUMBER)),
        {
            (stem, place.page): place
            for place in plate.places
            if place.name.startswith(_ONWARD)
            for stem in place.name.removeprefix(_ONWARD).split("_and_")
        },
        tuple(p.name.removeprefix(TO_DRAW) for p in plate.places if p.name.startswith(TO_DRAW)),
        frozenset(map(chr, points)) | {"\n", "\t"},
    )


def typography(plate: Plate, place: Place) -> tuple[Role, FaceMetrics]:
    """Return the role of a place, and the metrics of its face."""
    role = plate.tokens.roles[place.role]
    return role, plate.metrics[role.face]
