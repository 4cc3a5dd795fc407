"""An entry of `presets.yaml`; see `presets.Preset`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.shape import Count, Length, rule_model
from sheetgen.model.source import Text


@rule_model
class PresetEntry:
    """What one printer wants, with lengths as texts that have a unit."""

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
