"""Turn an entry of a book into a print request: options of the entry, its printer, its book."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.designs.own_themes import is_own_theme
from sheetgen.load.designs.presets import load_presets
from sheetgen.load.designs.templates import theme_ids
from sheetgen.model.books import BookEntry, PrintOptions
from sheetgen.model.designs.presets import Preset
from sheetgen.model.requests import BACKS, DECKS, PICTURES, PIECE_PAPERS, PrintRequest
from sheetgen.model.source import Text
from sheetgen.plan.imposition.imposition import CARDS, Misfit
from sheetgen.plan.imposition.measures import (
    MOST_BLEED,
    MOST_GUTTER,
    parse_bounded_length,
    parse_grid,
)
from sheetgen.prints.pictures.options import find_option_conflicts
from sheetgen.rules.names import closest_names
from sheetgen.units import PAPERS

FORMATS: Final = ("pdf", "html", *PICTURES, *DECKS)

_DEFAULTS: Final = PrintRequest("")

_OPTIONS: Final = (
    *("paper", "theme", "flatten", "calc", "archive", "draft", "size", "grid", "gutter", "bleed"),
    *("backs", "single", "marks", "qr"),
)
"""Options that an entry takes from its printer or its book if it does not set them."""

_PICTURE_OPTIONS: Final = ("dpi", "transparent", "each", "base_url")
"""Options that an entry takes from its book if it does not set them."""


def build_entry_request(
    kind: str, entry: BookEntry, defaults: PrintOptions, place: Span, beside: str, *, strict: bool
) -> tuple[PrintRequest, list[Finding]]:
    """Return the print request of an entry, without its files, and findings about its options.

    Args:
        kind: The key of the entry that names what is printed.
        defaults: Options of the book. A preset that the entry names takes precedence over them,
            one that the book names does not.
        beside: Names of rulesets are relative to this folder.
    """
    findings: list[Finding] = []
    preset = _known(entry.for_ or defaults.for_, load_presets(), "preset", findings)
    printer = load_presets().get(preset) if preset else None
    usual = _printer_options(printer) if printer is not None else {}
    known = {
        "paper": (*PAPERS, "a5"),
        "size": CARDS,
        "backs": BACKS,
    }
    if kind == "pieces":
        known = {"paper": PIECE_PAPERS}
    formats = tuple(dict.fromkeys(entry.to or defaults.to or (Text("pdf", place),)))
    formats = tuple(
        Text(_known(one, FORMATS, "file format", findings), one.span) for one in formats
    )
    findings += _misfits(entry) + _misfits(defaults)
    if entry.joined and kind != "sheets":
        message = f"`joined` has no effect on {kind}: only sheets are joined"
        hint = "name the entry under `combined` to get one PDF"
        findings.append(Finding(codes.UNKNOWN_KEY, place, message, hint))
    values: dict[str, Any] = {}
    for name in _OPTIONS:
        value = getattr(entry, name)
        if value is None and not (entry.for_ and name in usual):
            value = getattr(defaults, name)
        if value is None:
            value = usual.get(name, getattr(_DEFAULTS, name))
        elif name == "theme":
            value = _theme(value, beside, findings)
        elif name in known:
            value = _known(value, known[name], name, findings)
        values[name] = type(getattr(_DEFAULTS, name))(value)
    if kind == "pieces":
        values["size"] = str(entry.size or "")
    options = {**defaults.options, **entry.options}
    request = PrintRequest(
        kind=kind,
        of=(),
        place=place,
        beside=beside,
        formats=_formats(entry, kind, formats),
        preset=preset,
        strict=strict,
        of_kind=str(entry.kind or ""),
        groups=tuple(map(str, entry.group)),
        only=tuple(map(str, entry.only)),
        copies=entry.copies,
        joined=entry.joined and kind == "sheets",
        options=tuple(sorted((str(key), value) for key, value in options.items())),
        **values,
    )
    request = _with_picture_options(request, entry, defaults)
    findings += find_option_conflicts(request)
    return request, findings


def _theme(value: Text, beside: str, findings: list[Finding]) -> str:
    """Return a theme of ours, or the path of the book's own."""
    if not is_own_theme(value):
        return _known(value, theme_ids(), "theme", findings)
    path = Path(beside) / value
    if not os.path.isfile(path):
        message = f"there is no theme `{value}` beside the book"
        hint = "name one of `sheetgen list themes`, or a theme's YAML file"
        findings.append(Finding(codes.UNKNOWN_DESIGN, value.span, message, hint))
    return str(path)


def _formats(entry: BookEntry, kind: str, formats: Iterable[Text]) -> tuple[str, ...]:
    """Return the formats of an entry; sheets that are joined are a PDF, never a page of HTML."""
    names = tuple(map(str, formats))
    if entry.joined and kind == "sheets":
        return tuple(dict.fromkeys(("pdf", *(name for name in names if name in PICTURES))))
    return names


def _with_picture_options(
    request: PrintRequest, entry: BookEntry, defaults: PrintOptions
) -> PrintRequest:
    """Return a request with the options of pictures; what a book sets for others is left out."""
    values: dict[str, Any] = {}
    for name in _PICTURE_OPTIONS:
        value = getattr(entry, name)
        if value is None:
            value = getattr(defaults, name)
            if value is None or find_option_conflicts(replace(request, **{name: value})):
                continue
        values[name] = type(getattr(_DEFAULTS, name))(value)
    return replace(request, **values)


def _printer_options(printer: Preset) -> dict[str, Any]:
    """Return the options that a preset sets."""
    names = printer.sets & {"paper", "theme", "flatten", "single", "marks", "bleed"}
    values = {name: getattr(printer, name) for name in names}
    return values | {"bleed": f"{printer.bleed:g}pt"} if "bleed" in names else values


def _misfits(options: PrintOptions) -> list[Finding]:
    """Return findings about the grid and the lengths of cards."""
    readers: tuple[tuple[Text | None, Callable[[str], object]], ...] = (
        (options.grid, parse_grid),
        (options.gutter, lambda text: parse_bounded_length(text, "the gutter", MOST_GUTTER)),
        (options.bleed, lambda text: parse_bounded_length(text, "the bleed", MOST_BLEED)),
    )
    findings = []
    for text, read in readers:
        if text is None:
            continue
        try:
            read(text)
        except Misfit as error:
            findings.append(Finding(codes.UNKNOWN_DESIGN, text.span, str(error)))
    return findings


def _known(value: Text | None, known: Iterable[str], what: str, findings: list[Finding]) -> str:
    """Return `value` as a string; report an unknown one."""
    if value is None:
        return ""
    names = list(known)
    for name in closest_names(value, names):
        return name
    hint = suggestion(str(value), names, f"{what}s")
    message = f"there is no {what} `{value}`"
    findings.append(Finding(codes.UNKNOWN_DESIGN, value.span, message, hint))
    return str(value)
