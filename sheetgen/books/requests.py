"""How the things of an entry are printed: as it says, as its printer wants, as its book says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.designs.designs import PAPERS
from sheetgen.load.designs.presets import load_presets
from sheetgen.load.designs.templates import theme_ids
from sheetgen.model.books import BookEntry, PrintOptions
from sheetgen.model.designs.presets import Preset
from sheetgen.model.requests import PrintRequest
from sheetgen.model.source import Text
from sheetgen.plan.imposition.imposition import CARDS, Misfit
from sheetgen.plan.imposition.measures import (
    MOST_BLEED,
    MOST_GUTTER,
    parse_bounded_length,
    parse_grid,
)

KINDS: Final = ("pdf", "html")


def build_entry_request(
    sort: str, entry: BookEntry, look: PrintOptions, place: Span, beside: str, *, strict: bool
) -> tuple[PrintRequest, list[Finding]]:
    """Return the print request of an entry, without its files, and what is wrong with it.

    Args:
        look: Of its book.
        beside: The folder that names of rulesets count from.
    """
    said: list[Finding] = []
    preset = _one_of(entry.for_ or look.for_, load_presets(), "preset", said)
    printer = load_presets().get(preset) if preset else None
    usual = _usual(printer)

    def chosen(name: str, known: Any = None) -> Any:
        value = getattr(entry, name)
        if value is None and printer is None:
            value = getattr(look, name)
        if value is None:
            return usual.get(name, getattr(_USUAL, name, None))
        return _one_of(value, known, name, said) if known is not None else value

    kinds = tuple(dict.fromkeys(entry.to or look.to or (Text("pdf", place),)))
    for kind in kinds:
        _one_of(kind, KINDS, "kind of file", said)
    said += _misfits(entry) + ([] if printer else _misfits(look))
    options = {**look.options, **entry.options}
    request = PrintRequest(
        kind=sort,
        of=(),
        place=place,
        beside=beside,
        formats=tuple(map(str, kinds)) if not entry.joined else ("pdf",),
        paper=str(chosen("paper", (*PAPERS, "a5"))),
        theme=str(chosen("theme", theme_ids())),
        preset=preset,
        flatten=bool(chosen("flatten")),
        calc=bool(chosen("calc")),
        archive=bool(chosen("archive")),
        draft=bool(chosen("draft")),
        strict=strict,
        of_kind=str(entry.kind or ""),
        groups=tuple(map(str, entry.group)),
        only=tuple(map(str, entry.only)),
        size=str(chosen("size", CARDS)),
        grid=str(chosen("grid")),
        gutter=str(chosen("gutter")),
        bleed=str(chosen("bleed")),
        backs=str(chosen("backs", ("long-edge", "short-edge", "fold"))),
        single=bool(chosen("single")),
        marks=bool(chosen("marks")),
        copies=entry.copies,
        joined=entry.joined,
        options=tuple(sorted((str(key), value) for key, value in options.items())),
    )
    return request, said


_USUAL: Final = PrintRequest("")


def _usual(printer: Preset | None) -> dict[str, Any]:
    """Return what a printer wants of all that an entry does not say."""
    if printer is None:
        return {}
    return {
        "paper": printer.paper,
        "theme": printer.theme,
        "flatten": printer.flatten,
        "bleed": f"{printer.bleed:g}pt",
        "single": printer.single,
        "marks": printer.marks,
    }


def _misfits(look: PrintOptions) -> list[Finding]:
    """Return what is wrong with the grid and the lengths of cards, each at its own place."""
    readers: tuple[tuple[Text | None, Callable[[str], object]], ...] = (
        (look.grid, parse_grid),
        (look.gutter, lambda text: parse_bounded_length(text, "the gutter", MOST_GUTTER)),
        (look.bleed, lambda text: parse_bounded_length(text, "the bleed", MOST_BLEED)),
    )
    found = []
    for text, read in readers:
        if text is None:
            continue
        try:
            read(text)
        except Misfit as error:
            found.append(Finding(codes.UNKNOWN_DESIGN, text.span, str(error)))
    return found


def _one_of(value: Text | None, known: Iterable[str], what: str, findings: list[Finding]) -> str:
    """Return `value` as a word; one that is not known is noted."""
    if value is None:
        return ""
    names = list(known)
    if str(value) not in names:
        hint = suggestion(str(value), names, f"{what}s")
        message = f"there is no {what} `{value}`"
        findings.append(Finding(codes.UNKNOWN_DESIGN, value.span, message, hint))
    return str(value)
