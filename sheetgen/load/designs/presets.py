"""What printers want, from `templates/_shared/presets.yaml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.near import suggestion
from sheetgen.load.designs.designs import said_by
from sheetgen.load.designs.templates import SHARED, design_source, in_shape, theme_ids
from sheetgen.model.designs.preset_files import PresetEntry
from sheetgen.model.designs.presets import VARIANTS, Preset
from sheetgen.model.source import Text
from sheetgen.units import MM, PAPERS, parse_length

_MOST: Final = 25 * MM
"""Of a bleed and of a safe zone."""

_WORDS: Final = {
    "takes": ("cards", "pages", "all"),
    "paper": PAPERS,
    "colour": ("rgb", "cmyk"),
    "variant": VARIANTS,
}
"""What a key may be."""


@cache
def presets() -> Mapping[str, Preset]:
    """Return all presets by name, in the order of the file.

    Raises:
        DesignError: Something in the file is wrong.
    """
    wrong: list[Finding] = []
    made: dict[str, Preset] = {}
    for key, node in design_source(f"{SHARED}/presets.yaml").entries:
        try:
            entry = in_shape(node, PresetEntry, key.raw)
        except DesignError as error:
            wrong += error.findings
            continue
        found = list(_wrong(entry))
        wrong += found
        if not found:
            made[key.raw] = Preset(key.raw, **_values(entry))
    if wrong:
        raise DesignError(tuple(wrong))
    return made


def _wrong(entry: PresetEntry) -> Iterator[Finding]:
    for key, known in (*_WORDS.items(), ("theme", theme_ids())):
        said = getattr(entry, key)
        if said is not None and said not in known:
            hint = suggestion(said, known)
            yield Finding(codes.BAD_DESIGN, said.span, f"`{key}` cannot be `{said}`", hint)
    for size, sides in entry.cards.items():
        if len(sides) != 2:
            message = f"the size `{size}` has to be a width and a height"
            span = size.span if isinstance(size, Text) else entry.label.span
            yield Finding(codes.BAD_DESIGN, span, message, "write `[2.5in, 3.5in]`")
    for said in (entry.bleed, entry.safe, *(s for sides in entry.cards.values() for s in sides)):
        if said is not None and _length(said) is None:
            hint = "write it with a unit: `3mm`, `0.125in`, `9pt`"
            message = f"`{said}` is no length"
            yield Finding(codes.BAD_DESIGN, said.span, message, hint)
    for said in (entry.bleed, entry.safe):
        if said is not None and (_length(said) or 0) > _MOST:
            message = f"`{said}` is too much: a bleed or a safe zone has 25 mm at most"
            yield Finding(codes.BAD_DESIGN, said.span, message)


def _length(said: str) -> float | None:
    try:
        length = float(parse_length(str(said)))
    except ValueError:
        return None
    return length if 0 <= length < 10_000 else None


def _values(entry: PresetEntry) -> dict[str, Any]:
    values = {k: str(v) if isinstance(v, Text) else v for k, v in said_by(entry).items()}
    for key in ("bleed", "safe"):
        if key in values:
            values[key] = _length(values[key])
    values["cards"] = {
        str(size): tuple(_length(side) for side in sides) for size, sides in entry.cards.items()
    }
    return values
