"""Presets: what a print shop, or a printer at home, needs; the fields of `PresetEntry` are keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final, Literal

from sheetgen.model.source import Count, Length, Text, rule_model
from sheetgen.records import frozen
from sheetgen.units import PaperName

VARIANTS: Final = ("none", "x-1a", "x-3", "a-2")
"""What a file may be finished as: as it is, PDF/X-1a:2003, PDF/X-3:2003, PDF/A-2."""


@rule_model
class PresetEntry:
    """An entry of presets.yaml: what one printer needs."""

    label: Text  # What the preset is for.
    takes: Text | None = None  # What it prints: `cards`, `pages`, or `all`.
    paper: Text | None = None  # The paper of pages, and of sheets with several cards.
    theme: Text | None = None  # The theme.
    bleed: Text | None = None  # The bleed, with a unit: `3 mm`.
    safe: Text | None = None  # The margin inside the cut that text keeps out of, with a unit.
    single: bool | None = None  # Whether each card has a page of its own.
    marks: bool | None = None  # Whether there are crop marks.
    colour: Text | None = None  # The colour space: `rgb` or `cmyk`.
    variant: Text | None = None  # The standard that the file keeps: `none`, `x-1a`, `x-3` or `a-2`.
    condition: Text | None = None  # The registered printing condition of the colours.
    flatten: bool | None = None  # Whether form fields are drawn flat.
    pages: Count | None = None  # The number that the count of pages is a multiple of.
    ink: Length | None = None  # The most ink in one place, in per cent; 0 for no limit.
    line: Length | None = None  # The thinnest line, in points.
    ppi: Length | None = None  # The least resolution of pictures, in pixels an inch.
    # Width and height of cards after cutting, by name of size; a printer that cuts cards takes no
    # other sizes.
    cards: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)


@frozen
class Preset:
    """What one printer needs; see `PresetEntry`. Lengths are points."""

    name: str
    label: str
    takes: Literal["cards", "pages", "all"] = "all"
    paper: PaperName = "a4"
    theme: str = "standard"
    bleed: float = 0.0
    safe: float = 0.0
    single: bool = False
    marks: bool = True
    colour: Literal["rgb", "cmyk"] = "rgb"
    variant: str = "none"
    condition: str = ""
    flatten: bool = False
    pages: int = 1
    ink: float = 0.0
    line: float = 0.25
    ppi: float = 0.0
    cards: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    # The keys that its entry has; the other values are those of every preset.
    sets: frozenset[str] = frozenset()

    @property
    def scripts(self) -> bool:
        """Whether its files may have scripts: those for an archive or a press have none."""
        return self.colour == "rgb" and self.variant == "none"
