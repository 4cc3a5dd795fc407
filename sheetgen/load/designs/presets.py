"""Presets of printers and print shops, from `templates/_shared/presets.yaml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.near import suggestion
from sheetgen.load.designs.designs import set_values
from sheetgen.load.designs.faults import bad_design, raise_findings
from sheetgen.load.designs.templates import SHARED, load_design_source, parse_model, theme_ids
from sheetgen.model.designs.presets import VARIANTS, Preset, PresetEntry
from sheetgen.model.source import Text
from sheetgen.units import MM, PAPERS, parse_length

_MOST: Final = 25 * MM
"""The largest bleed or safe zone."""

_WORDS: Final = {
    "takes": ("cards", "pages", "all"),
    "paper": PAPERS,
    "colour": ("rgb", "cmyk"),
    "variant": VARIANTS,
}
"""The values that a key can have."""


@cache
def load_presets() -> Mapping[str, Preset]:
    """Return all presets by name, in the order of the file.

    Raises:
        DesignError: Something in the file is wrong.
    """
    findings: list[Finding] = []
    presets: dict[str, Preset] = {}
    for key, node in load_design_source(f"{SHARED}/presets.yaml").entries:
        try:
            entry = parse_model(node, PresetEntry, key.raw)
        except DesignError as error:
            findings += error.findings
            continue
        wrong = list(_check_entry(entry))
        findings += wrong
        if not wrong:
            values = _convert_values(entry)
            presets[key.raw] = Preset(key.raw, sets=frozenset(values), **values)
    raise_findings(findings)
    return presets


def _check_entry(entry: PresetEntry) -> Iterator[Finding]:
    for key, known in (*_WORDS.items(), ("theme", theme_ids())):
        value = getattr(entry, key)
        if value is not None and value not in known:
            yield bad_design(value, f"`{key}` cannot be `{value}`", suggestion(value, known))
    for size, sides in entry.cards.items():
        if len(sides) != 2:
            message = f"the size `{size}` has to be a width and a height"
            yield bad_design(size, message, "write `[2.5in, 3.5in]`")
    for text in (entry.bleed, entry.safe, *(s for sides in entry.cards.values() for s in sides)):
        if text is not None and _parse_points(text) is None:
            hint = "write it with a unit: `3mm`, `0.125in`, `9pt`"
            yield bad_design(text, f"`{text}` is not a length", hint)
    for text in (entry.bleed, entry.safe):
        if text is not None and (_parse_points(text) or 0) > _MOST:
            message = f"`{text}` is too much: a bleed or a safe zone has 25 mm at most"
            yield bad_design(text, message)


def _parse_points(text: str) -> float | None:
    try:
        length = float(parse_length(str(text)))
    except ValueError:
        return None
    return length if 0 <= length < 10_000 else None


def _convert_values(entry: PresetEntry) -> dict[str, Any]:
    values = {k: str(v) if isinstance(v, Text) else v for k, v in set_values(entry).items()}
    for key in ("bleed", "safe"):
        if key in values:
            values[key] = _parse_points(values[key])
    values["cards"] = {
        str(size): tuple(_parse_points(side) for side in sides)
        for size, sides in entry.cards.items()
    }
    return values
