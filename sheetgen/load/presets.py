"""What printers want, from `templates/_shared/presets.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, Final

from sheetgen.load.templates import SHARED, file_facts
from sheetgen.model.presets import VARIANTS, Preset
from sheetgen.units import MM, parse_length

_LENGTHS: Final = ("bleed", "safe")
_MOST: Final = 25 * MM


@cache
def presets() -> Mapping[str, Preset]:
    """Return all presets by name, in the order of the file.

    Raises:
        ValueError: The file does not say what a preset can; the message names the place.
    """
    facts = file_facts(f"{SHARED}/presets.yaml")
    return {name: _preset(name, said) for name, said in facts.items()}


def _preset(name: str, said: Any) -> Preset:
    known = {field.name for field in fields(Preset)} - {"name"}
    if not isinstance(said, Mapping) or "label" not in said:
        raise ValueError(f"presets.yaml: `{name}` must have keys, a `label` among them")
    for key in said:
        if key not in known:
            raise ValueError(f"presets.yaml: `{name}` has no key `{key}`")
    parts = dict(said)
    for key in _LENGTHS:
        if key in parts:
            parts[key] = _length(name, key, str(parts[key]))
    cards = {size: _size(sides) for size, sides in parts.pop("cards", {}).items()}
    preset = Preset(name, **parts, cards=cards)
    if preset.variant not in VARIANTS or preset.colour not in ("rgb", "cmyk"):
        raise ValueError(f"presets.yaml: the variant or the colour of `{name}` is unknown")
    return preset


def _length(name: str, key: str, text: str) -> float:
    length = float(parse_length(text))
    if not 0 <= length <= _MOST:
        raise ValueError(f"presets.yaml: `{key}` of `{name}` cannot be `{text}`")
    return length


def _size(sides: Any) -> tuple[float, float]:
    width, height = (float(parse_length(str(side))) for side in sides)
    return width, height
