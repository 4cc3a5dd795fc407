"""The places of a plate as planning looks them up: prepared once, since many sheets share it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from sheetgen.model.prints import FaceMetrics, Place, Plate, Role, Setting
from sheetgen.plan.fit import fit
from sheetgen.plan.sheets.view import numbered_family

_HEAD: Final = re.compile(r"header\d*\.(text|stamp)|continued\d*|stamp")
"""Places that a sheet repeats on its pages: who it is, a draft's stamp, what follows."""

_NUMBER: Final = "page."
"""Begins the name of the place for the number of a page."""

_MOST: Final = 2000
"""Settings that are kept; what most sheets of a plate print alike is a few hundred."""


@dataclass(frozen=True, slots=True)
class PlatePlaces:
    """The places of a plate.

    Attributes:
        by_name: All of them.
        families: Their names, without the numbers of rows.
        heads: Those that a sheet repeats on its pages, and what each repeats.
        numbers: Those for the number of a page.
        letters: All that some face of the plate has a glyph for.
    """

    plate: Plate
    by_name: Mapping[str, Place]
    families: frozenset[str]
    heads: tuple[tuple[str, str], ...]
    numbers: tuple[Place, ...]
    letters: frozenset[str]
    _set: dict[tuple[str, str, str], tuple[Setting, bool]] = field(default_factory=dict)
    _same: dict[Setting, Setting] = field(default_factory=dict)

    def fitted(self, text: str, place: Place, role_name: str) -> tuple[Setting, bool]:
        """Return how `text` is set in `place`, in a role, and whether all of it could be."""
        key = place.name, role_name, text
        found = self._set.get(key)
        if found is None:
            role = self.plate.tokens.roles[role_name]
            setting, whole = fit(text, place, role, self.plate.metrics[role.face])
            if role_name != place.role:
                setting = Setting(setting.value, setting.lines, setting.size, role_name)
            if len(self._set) >= _MOST:
                self._set.clear()
                self._same.clear()
            found = self._set[key] = self._same.setdefault(setting, setting), whole
        return found

    def missing(self, text: str) -> str:
        """Return the letters of `text` that no face has, each once, in order."""
        lacking = set(text) - self.letters
        return "".join(dict.fromkeys(c for c in text if c in lacking)) if lacking else ""


@lru_cache(maxsize=16)
def plate_places(plate: Plate) -> PlatePlaces:
    """Return the places of `plate`; those of the last few plates are kept."""
    points = {point for metrics in plate.metrics.values() for point in metrics.advances}
    return PlatePlaces(
        plate,
        {place.name: place for place in plate.places},
        frozenset(numbered_family(place.name) for place in plate.places),
        tuple(
            (place.name, place.name.rpartition(".")[2])
            for place in plate.places
            if _HEAD.fullmatch(place.name)
        ),
        tuple(place for place in plate.places if place.name.startswith(_NUMBER)),
        frozenset(map(chr, points)) | {"\n", "\t"},
    )


def typography(plate: Plate, place: Place) -> tuple[Role, FaceMetrics]:
    """Return the role of a place, and the metrics of its face."""
    role = plate.tokens.roles[place.role]
    return role, plate.metrics[role.face]
