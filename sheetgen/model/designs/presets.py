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
    """An entry of presets.yaml: what one printer needs.

    Attributes:
        label: What the preset is for.
        takes: What it prints: `cards`, `pages`, or `all`.
        paper: The paper of pages, and of sheets with several cards.
        theme: The theme.
        bleed: The bleed, with a unit: `3 mm`.
        safe: The margin inside the cut that text keeps out of, with a unit.
        single: Whether each card has a page of its own.
        marks: Whether there are crop marks.
        colour: The colour space: `rgb` or `cmyk`.
        variant: The standard that the file keeps: `none`, `x-1a`, `x-3` or `a-2`.
        condition: The registered printing condition of the colours.
        flatten: Whether form fields are drawn flat.
        pages: The number that the count of pages is a multiple of.
        ink: The most ink in one place, in per cent; 0 for no limit.
        line: The thinnest line, in points.
        ppi: The least resolution of pictures, in pixels an inch.
        cards: Width and height of cards after cutting, by name of size; a printer that cuts
            cards takes no other sizes.
    """

    label: Text
    takes: Text | None = None
    paper: Text | None = None
    theme: Text | None = None
    bleed: Text | None = None
    safe: Text | None = None
    single: bool | None = None
    marks: bool | None = None
    colour: Text | None = None
    variant: Text | None = None
    condition: Text | None = None
    flatten: bool | None = None
    pages: Count | None = None
    ink: Length | None = None
    line: Length | None = None
    ppi: Length | None = None
    cards: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)


@frozen
class Preset:
    """What one printer needs; see `PresetEntry`. Lengths are points.

    Attributes:
        sets: The keys that its entry has; the other values are those of every preset.
    """

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
    sets: frozenset[str] = frozenset()

    @property
    def scripts(self) -> bool:
        """Whether its files may have scripts: those for an archive or a press have none."""
        return self.colour == "rgb" and self.variant == "none"
