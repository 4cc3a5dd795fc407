"""`sheetgen preflight`: what a finished PDF contains, and what a print shop would refuse."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from sheetgen.cli import console
from sheetgen.cli.console import write_lines
from sheetgen.cli.parameters import AnyFor, File, Format, Strict, preset_of
from sheetgen.plugins.prepress.finishing import inspect_file
from sheetgen.plugins.prepress.inspect.geometry import distances
from sheetgen.plugins.prepress.inspected import Inspected, InspectedPage
from sheetgen.plugins.prepress.preflight import (
    format_list,
    format_mm,
    format_pages,
    format_ranges,
    group_alike,
)
from sheetgen.units import MM


def command(
    file: File, preset_name: AnyFor = "", form: Format = "text", strict: Strict = False
) -> None:
    """Check a PDF as a print shop does, and list what it would refuse.

    Example: sheetgen preflight output/book.pdf --for pod-book

    Guide: docs/guides/print-shop.md
    """
    preset = preset_of(preset_name)
    reporter = console.Reporter(strict, results=True)
    inspected = inspect_file(file, preset)
    if form == "json":
        shown = reporter.apply_strict(inspected.findings)
        data = _data(inspected.value) if inspected.value is not None else {}
        console.write_json({**data, "findings": console.findings_data(shown)})
        reporter.reported = dict.fromkeys(shown)
        reporter.exit()
        return
    if inspected.value is not None:
        write_lines(*_lines(file, inspected.value))
    reporter.report(inspected.findings)
    if inspected.value is not None:
        purpose = f" for {preset.label}" if preset is not None else ""
        write_lines(f"{file}: {console.counts(reporter.reported)}{purpose}")
    reporter.exit()


def _lines(file: Path, found: Inspected) -> Iterator[str]:
    """Yield the report, a line each."""
    claims = ", ".join(found.claims) or "no claim to PDF/X or PDF/A"
    yield f"{file}: PDF {found.version}, {claims}"
    if found.conditions:
        yield f"  output intent  {format_list(found.conditions, 4)}"
    for box, sizes in _sizes(found):
        yield f"  {box:<14} {sizes}"
    yield f"  bleed          {_bleed(found)}"
    yield f"  text           {_nearest(found)}"
    for font in found.fonts[:_MOST_FONTS]:
        embedded = "embedded" if font.embedded else "NOT embedded"
        part = ", a part of it" if font.subset else ""
        yield f"  font           {font.name}, {font.kind}, {embedded}{part}"
    if found.fonts[_MOST_FONTS:]:
        yield f"  font           {len(found.fonts) - _MOST_FONTS:,} more"
    yield f"  colours        {format_list(sorted(_all(found, 'colours'))) or 'none'}"
    if spots := sorted(_all(found, "spots")):
        yield f"  spot colours   {format_list(spots)}"
    ink = max((page.drawn.ink for page in found.pages), default=0)
    unknown = sorted(_all(found, "colours") & {"rgb", "lab"})
    unknown += ["gradients"] if "the ink of a gradient" in _all(found, "unmeasured") else []
    more = f"; {format_list(unknown)} not measured" if unknown else ""
    yield f"  most ink       {ink:g} %{more}"
    thin = [page.drawn.line for page in found.pages if page.drawn.line is not None]
    yield f"  thinnest line  {f'{min(thin):.2f} pt' if thin else 'no lines'}"
    coarse = [picture.ppi for picture in found.pictures]
    few = f"{len(coarse)}, {min(coarse):g} pixels an inch or more" if coarse else "none"
    yield f"  pictures       {few}"
    yield f"  transparent    {', '.join(sorted(_all(found, 'clear'))) or 'nothing'}"
    yield f"  fields         {found.fields or 'none'}"
    kinds = sorted({kind for page in found.pages for kind in page.annotations})
    yield f"  annotations    {format_list(kinds) or 'none'}"
    yield f"  acts           {', '.join(found.live) or 'nothing'}"
    yield f"  encrypted      {'yes' if found.encrypted else 'no'}"


_MOST_FONTS: Final = 40
"""Fonts that are listed."""


def _all(found: Inspected, what: str) -> set[str]:
    return {one for page in found.pages for one in getattr(page.drawn, what)}


def _sizes(found: Inspected) -> Iterator[tuple[str, str]]:
    """Yield each box with its sizes in millimetres, and which pages have them."""
    for name, key in (("MediaBox", "media"), ("TrimBox", "trim"), ("BleedBox", "bleed")):
        sizes: dict[str, list[int]] = {}
        for number, page in enumerate(found.pages, 1):
            left, foot, right, top = getattr(page, key)
            shown = f"{(right - left) / MM:.2f} × {(top - foot) / MM:.2f} mm"
            missing = key != "media" and name not in page.own_boxes
            sizes.setdefault(f"{shown}, not stated" if missing else shown, []).append(number)
        count = len(found.pages)
        listed = [f"{shown} ({format_pages(ns, count)})" for shown, ns in sizes.items()]
        more = f"; {len(listed) - 6:,} more sizes" if listed[6:] else ""
        yield name, "; ".join(listed[:6]) + more


def _bleed(found: Inspected) -> str:
    """Return how wide the bleed is, and whether anything runs into it."""
    least = min((side for one in found.pages for side in distances(one.trim, one.bleed)), default=0)
    if least <= 0:
        return "none"
    touched = [n for n, page in enumerate(found.pages, 1) if page.drawn.touched]
    if not touched:
        return f"{format_mm(least)} mm, bare paper: nothing on any page touches the trim"
    return f"{format_mm(least)} mm; colour runs out on {format_pages(touched, len(found.pages))}"


def _nearest(found: Inspected) -> str:
    """Return how near to the trim text comes on each side."""
    nearest: dict[str, float] = {}
    for page in found.pages:
        for side, away in page.drawn.text.items():
            nearest[side] = min(away, nearest.get(side, away))
    if not nearest:
        return "none"
    shown = ", ".join(f"{side} {away / MM:.2f}" for side, away in nearest.items())
    return f"nearest to the trim, in mm: {shown}"


def _data(found: Inspected) -> dict[str, Any]:
    """Return what was found for JSON; lengths of pages in millimetres.

    Pages that are alike are listed once, with their numbers; so are pictures, the coarsest first.
    """
    data = asdict(replace(found, pages=(), pictures=(), unread=()))
    data["count"] = len(found.pages)
    data["pages"] = _merged((_page(page), number) for number, page in enumerate(found.pages, 1))
    coarsest = sorted(found.pictures, key=lambda picture: (picture.ppi, picture.page))
    rows = [
        ({key: value for key, value in asdict(picture).items() if key != "page"}, picture.page)
        for picture in coarsest
    ]
    pictures = _merged(rows, counted=True)
    data["pictures"] = pictures[:_MOST_PICTURES]
    data["more_pictures"] = len(pictures[_MOST_PICTURES:])
    data["unread"] = list(group_alike(found.unread))
    return data


_MOST_PICTURES: Final = 200
"""Kinds of pictures that are listed in JSON."""


def _merged(
    rows: Iterable[tuple[dict[str, Any], int]], *, counted: bool = False
) -> list[dict[str, Any]]:
    """Return equal rows once, with their page numbers, and with how many there are."""
    groups: dict[str, tuple[dict[str, Any], list[int]]] = {}
    for row, number in rows:
        groups.setdefault(json.dumps(row, sort_keys=True), (row, []))[1].append(number)
    return [
        {"pages": format_ranges(numbers), **({"count": len(numbers)} if counted else {}), **row}
        for row, numbers in groups.values()
    ]


def _page(page: InspectedPage) -> dict[str, Any]:
    drawn = page.drawn
    return {
        **{
            box: [round(side / MM, 3) for side in getattr(page, box)]
            for box in ("media", "crop", "bleed", "trim")
        },
        "boxes": sorted(page.own_boxes),
        "turned": page.rotation,
        "unit": page.unit,
        "text": {side: round(away / MM, 3) for side, away in drawn.text.items()},
        "art": {side: round(away / MM, 3) for side, away in drawn.art.items()},
        "touched": sorted(drawn.touched),
        "short": sorted(drawn.short),
        "colours": sorted(drawn.colours),
        "spots": sorted(drawn.spots),
        "ink": drawn.ink,
        "line": None if drawn.line is None else round(drawn.line, 3),
        "transparent": sorted(drawn.clear),
        "annotations": dict(page.annotations),
    }
