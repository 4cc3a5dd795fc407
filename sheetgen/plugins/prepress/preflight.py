"""`sheetgen preflight`: what a PDF contains, and what a print shop would refuse in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from sheetgen.cli import console
from sheetgen.cli.parameters import AnyFor, File, Format, Strict, preset_of
from sheetgen.diag import codes
from sheetgen.diag.codes import Code
from sheetgen.diag.findings import Checked, Finding, Severity, Span
from sheetgen.model.designs import Preset
from sheetgen.plugins.prepress.contents import distances
from sheetgen.plugins.prepress.inspection import Inspected, InspectedPage, inspect_pdf, run_on_file
from sheetgen.plugins.prepress.page_observer import MAY_BE_LOST, SIDES
from sheetgen.records import frozen
from sheetgen.units import MM

_MOST_FONTS: Final = 40  # Fonts that are listed
_MOST_PICTURES: Final = 200  # Kinds of pictures that are listed in JSON
_FONTS: Final = 12  # Most fonts that are listed one by one


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
        console.write_lines(*_report_lines(file, inspected.value))
    reporter.report(inspected.findings)
    if inspected.value is not None:
        purpose = f" for {preset.label}" if preset is not None else ""
        console.write_lines(f"{file}: {console.counts(reporter.reported)}{purpose}")
    reporter.exit()


def inspect_file(path: Path, preset: Preset | None) -> Checked[Inspected]:
    """Return the contents of the PDF at `path`, and preflight findings."""
    found = run_on_file(path, inspect_pdf)
    if found.value is None:
        return found
    return Checked(found.value, preflight(found.value, str(path), preset))


def _report_lines(file: Path, found: Inspected) -> Iterator[str]:
    """Yield the report, a line each."""
    claims = ", ".join(found.claims) or "no claim to PDF/X or PDF/A"
    yield f"{file}: PDF {found.version}, {claims}"
    if found.conditions:
        yield f"  output intent  {format_list(found.conditions, 4)}"
    for box, sizes in _sizes(found):
        yield f"  {box:<14} {sizes}"
    count = len(found.pages)
    least = min((side for one in found.pages for side in distances(one.trim, one.bleed)), default=0)
    touched = [n for n, page in enumerate(found.pages, 1) if page.drawn.touched]
    runs = f"; colour runs out on {format_pages(touched, count)}"
    if not touched:
        runs = ", bare paper: nothing on any page touches the trim"
    yield f"  bleed          {f'{format_mm(least)} mm{runs}' if least > 0 else 'none'}"
    nearest: dict[str, float] = {}
    for side, away in (pair for page in found.pages for pair in page.drawn.text.items()):
        nearest[side] = min(away, nearest.get(side, away))
    aways = ", ".join(f"{side} {away / MM:.2f}" for side, away in nearest.items())
    yield f"  text           {f'nearest to the trim, in mm: {aways}' if aways else 'none'}"
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


def _data(found: Inspected) -> dict[str, Any]:
    """Return what was found for JSON; lengths of pages in millimetres.

    Pages that are alike are listed once, with their numbers; so are pictures, the coarsest first.
    """
    data = asdict(replace(found, pages=(), pictures=(), unread=()))
    data["count"] = len(found.pages)
    data["pages"] = _merged((_page_data(page), at) for at, page in enumerate(found.pages, 1))
    rows = [asdict(one) for one in sorted(found.pictures, key=lambda one: (one.ppi, one.page))]
    pictures = _merged(((row, row.pop("page")) for row in rows), counted=True)
    data["pictures"] = pictures[:_MOST_PICTURES]
    data["more_pictures"] = len(pictures[_MOST_PICTURES:])
    data["unread"] = list(group_alike(found.unread))
    return data


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


def _page_data(page: InspectedPage) -> dict[str, Any]:
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
        "short": sorted(drawn.touched - drawn.full),
        "colours": sorted(drawn.colours),
        "spots": sorted(drawn.spots),
        "ink": drawn.ink,
        "line": None if drawn.line is None else round(drawn.line, 3),
        "transparent": sorted(drawn.clear),
        "annotations": page.annotations,
    }


CLAIMS: Final = {"x-1a": "PDF/X-1a:2003", "x-3": "PDF/X-3:2003", "a-2": "PDF/A-2"}
"""The claim of a file of each variant."""

NEAR: Final = 0.005 * MM  # Boxes and distances are right to a hundredth of a millimetre
_USUAL: Final = Preset("", "any print shop", ink=300, ppi=150)
"""Requirements where no printer is named; then findings are only warnings."""

_NO_SCREEN: Final = ("rgb", "lab", "icc", "calgray")


@frozen
class PreflightJob:
    """A file, and the requirements of its printer; `named` is whether one was named."""

    inspected: Inspected
    span: Span
    printer: Preset
    named: bool

    def finding(self, code: Code, message: str, hint: str = "", wrong: bool = True) -> Finding:
        """Return a finding: an error if the printer that was named would refuse the file."""
        severity = Severity.ERROR if wrong and self.named else Severity.WARNING
        return Finding(code, self.span, message, hint, severity)

    def of_pages(
        self,
        code: Code,
        check: Callable[[InspectedPage], Iterable[str]],
        hint: str = "",
        wrong: bool = True,
    ) -> Iterator[Finding]:
        """Yield findings about pages, each with its pages.

        Of many messages that differ only in figures and quoted words, the first is a finding,
        with the numbers of the other pages.
        """
        count = len(self.inspected.pages)
        groups: dict[str, dict[str, list[int]]] = {}
        for number, page in enumerate(self.inspected.pages, 1):
            for message in check(page):
                alike = groups.setdefault(VARIES.sub("", message), {})
                alike.setdefault(message, []).append(number)
        for alike in groups.values():
            more = ""
            if len(alike) > ALIKE:
                message, first = next(iter(alike.items()))
                others = {number for on in alike.values() for number in on}.difference(first)
                more = f"; alike on {len(others):,} more ({format_pages(others, count)})"
                alike = {message: first}
            for message, on in alike.items():
                yield self.finding(code, f"{format_pages(on, count)}: {message}{more}", hint, wrong)


def preflight(inspected: Inspected, file: str, preset: Preset | None) -> tuple[Finding, ...]:
    """Return the findings for a file; without a printer, of what most have in common."""
    job = PreflightJob(inspected, Span(file), preset or _USUAL, preset is not None)
    return tuple(finding for check in CHECKS for finding in check(job))


def _whole(job: PreflightJob) -> Iterator[Finding]:
    """What cannot be read, and whether the pages go together."""
    if job.inspected.encrypted:
        yield Finding(codes.LOCKED, job.span, "the file is encrypted", "save it without encryption")
    counts = bool(job.printer.ink)
    unread = (one for one in job.inspected.unread if counts or ": the ink of " not in one)
    for part in group_alike(unread):
        yield job.finding(codes.UNREAD, f"not inspected: {part}")
    sizes: dict[str, list[int]] = {}
    turns: dict[str, list[int]] = {}
    cut = not job.named or job.printer.bleed > 0  # a printer at home turns pages by itself
    for number, page in enumerate(job.inspected.pages, 1):
        wide, high = page.trim[2] - page.trim[0], page.trim[3] - page.trim[1]
        if not cut:
            wide, high = sorted((wide, high))
        sizes.setdefault(f"{wide / MM:.1f} × {high / MM:.1f} mm", []).append(number)
        turns.setdefault(f"{page.rotation}°" if cut else "", []).append(number)
    count = len(job.inspected.pages)
    for what, groups in (("differ in size", sizes), ("are turned differently", turns)):
        if len(groups) > 1:
            where = (f"{name} ({format_pages(on, count)})" for name, on in groups.items())
            message = f"the pages {what}: {format_list(where, 4)}"
            hint = "print pages of one kind to a file of their own, or ask the print shop"
            yield job.finding(codes.MIXED, message, hint, wrong=False)


def _fonts(job: PreflightJob) -> Iterator[Finding]:
    missing = [f"{font.name} ({font.kind})" for font in job.inspected.fonts if not font.embedded]
    messages = [f"{name} is not embedded" for name in missing[:_FONTS]]
    if missing[_FONTS:]:
        messages.append(f"{len(missing) - _FONTS:,} more fonts are not embedded")
    hint = "embed the font and export the PDF again"
    yield from (Finding(codes.FONT_MISSING, job.span, message, hint) for message in messages)
    names = [font.name for font in job.inspected.fonts if font.kind == "Type0"]
    if names and job.printer.variant.startswith("x-"):
        message = f"CID fonts: {format_list(dict.fromkeys(names))}"
        hint = "ask the printer: some print-on-demand services accept none"
        yield Finding(codes.CID_FONT, job.span, message, hint, Severity.NOTE)


def _boxes(job: PreflightJob) -> Iterator[Finding]:
    """Units, and boxes that are missing or of another size than the printer wants."""
    printer = job.printer

    def check_unit(page: InspectedPage) -> Iterator[str]:
        if page.unit != 1:
            yield (
                f"its unit is {page.unit:g} points (UserUnit): programs that do not know this"
                f" print it at {100 / page.unit:.3g} % of its size"
            )

    def check_boxes(page: InspectedPage) -> Iterator[str]:
        missing = [box for box in ("TrimBox", "BleedBox") if box not in page.own_boxes]
        if missing:
            yield f"no {' and no '.join(missing)}"
            return
        bleeds = distances(page.trim, page.bleed)
        if any(abs(side - printer.bleed) > NEAR for side in bleeds):
            sides = ", ".join(map(format_mm, bleeds))
            wanted = format_mm(printer.bleed)
            yield f"the bleed is {sides} mm (left, foot, right, top), not {wanted}"
        if min(distances(page.bleed, page.media)) < -NEAR:
            yield "the bleed is larger than the page"
        sizes = list(printer.cards.values())
        trim = page.trim[2] - page.trim[0], page.trim[3] - page.trim[1]
        nearest = (max(abs(a - b) for a, b in zip(trim, size, strict=True)) for size in sizes)
        if sizes and min(nearest) > NEAR:
            wanted = " or ".join(f"{format_mm(size[0])} × {format_mm(size[1])}" for size in sizes)
            yield f"the trim is {format_mm(trim[0])} × {format_mm(trim[1])} mm, not {wanted}"

    yield from job.of_pages(codes.NO_BLEED, check_unit, "export it with a unit of 1 point")
    if printer.bleed:
        yield from job.of_pages(codes.NO_BLEED, check_boxes, f"print it with --for {printer.name}")


def _edges(job: PreflightJob) -> Iterator[Finding]:
    """What is too near to the trim, or ends at it."""
    safe = job.printer.safe

    def check_text(page: InspectedPage) -> Iterator[str]:
        side = min(page.drawn.text, key=lambda side: page.drawn.text[side], default="")
        if side and page.drawn.text[side] < safe - NEAR:
            yield (
                f"`{page.drawn.words[side]}` is {format_mm(page.drawn.text[side])} mm from the"
                f" {side} of the trim; {format_mm(safe)} mm are safe"
            )

    def check_art(page: InspectedPage) -> Iterator[str]:
        away = min(page.drawn.art.values(), default=safe)
        if away < safe - NEAR:
            message = f"something drawn is {format_mm(away)} mm from the trim"
            yield f"{message}, and does not extend over it"

    def check_bleed(page: InspectedPage) -> Iterator[str]:
        sides = ", ".join(s for s in SIDES if s in page.drawn.touched - page.drawn.full)
        if sides and (job.printer.bleed or min(distances(page.trim, page.bleed)) > NEAR):
            yield f"colour touches the trim ({sides}) and does not fill the bleed"

    hint = "print it with --for, or take a larger margin"
    yield from job.of_pages(codes.UNSAFE, check_text, hint)
    yield from job.of_pages(codes.UNSAFE, check_art, wrong=False)
    hint = "extend it to the edge of the bleed"
    yield from job.of_pages(codes.STOPS_SHORT, check_bleed, hint)


def _colours(job: PreflightJob) -> Iterator[Finding]:
    """Colours of screens, inks of their own, too much ink, and white that disappears."""
    cmyk = job.printer.colour == "cmyk"

    def check_colours(page: InspectedPage) -> Iterator[str]:
        wrong = sorted(page.drawn.colours.intersection(_NO_SCREEN))
        if wrong and cmyk:
            yield f"colours that are not CMYK: {format_list(wrong)}"

    def check_spots(page: InspectedPage) -> Iterator[str]:
        if page.drawn.spots:
            yield f"spot colours: {format_list(sorted(page.drawn.spots))}"

    hint = f"print it with --for {job.printer.name}"
    yield from job.of_pages(codes.WRONG_COLOURS, check_colours, hint)
    hint = "convert them to CMYK" if cmyk else "ask the printer: each needs an ink of its own"
    for found in job.of_pages(codes.WRONG_COLOURS, check_spots, hint):
        yield found if cmyk else replace(found, severity=Severity.NOTE)
    most = max((page.drawn.ink for page in job.inspected.pages), default=0.0)
    if job.printer.ink and most > job.printer.ink + 0.05:
        message = f"{most:g} % of ink in one place; the printer accepts {job.printer.ink:g} %"
        yield job.finding(codes.MUCH_INK, message)
    hint = "turn overprint off for what is white"
    for found in job.of_pages(codes.WHITE_OVERPRINT, lambda page: sorted(page.drawn.lost), hint):
        severity = Severity.WARNING if MAY_BE_LOST in found.message else Severity.ERROR
        yield replace(found, severity=severity)


def _live(job: PreflightJob) -> Iterator[Finding]:
    """What is transparent, and what acts."""
    claimed = any(claim.startswith(("PDF/X-1", "PDF/X-3")) for claim in job.inspected.claims)
    if claimed or job.printer.variant in ("x-1a", "x-3"):
        yield from job.of_pages(codes.TRANSPARENT, lambda page: sorted(page.drawn.clear))
    live = [f"{job.inspected.fields} fields"] if job.inspected.fields else []
    live += job.inspected.live
    kinds = {kind for page in job.inspected.pages for kind in page.annotations}
    strict = job.printer.variant.startswith("x-")  # PDF/X-1a and X-3 forbid links, too
    silent = {"Widget"} if strict else {"Widget", "Link", "Popup"}
    live += [f"annotations ({kind})" for kind in sorted(kinds - silent)]
    if live and (job.printer.flatten or not job.named):
        hint = "print it with --flatten" if job.inspected.fields else ""
        yield job.finding(codes.LIVE, format_list(live), hint)


def _fine(job: PreflightJob) -> Iterator[Finding]:
    """Lines that are too thin, and pictures that are too coarse."""

    def check_line(page: InspectedPage) -> Iterator[str]:
        if page.drawn.line is not None and page.drawn.line < job.printer.line - 0.005:
            yield f"a line of {page.drawn.line:.2g} pt; the minimum is {job.printer.line:g} pt"

    yield from job.of_pages(codes.HAIRLINE, check_line, wrong=False)
    messages = (
        f"page {picture.page}: a picture of {picture.pixels[0]} × {picture.pixels[1]} pixels has"
        f" {picture.ppi:g} per inch; the minimum is {job.printer.ppi:g}"
        for picture in job.inspected.pictures
        if picture.ppi < job.printer.ppi
    )
    for message in group_alike(messages):
        yield job.finding(codes.COARSE, message, wrong=False)


def _claims(job: PreflightJob) -> Iterator[Finding]:
    """Claims that do not hold or are missing, and the number of pages."""
    for fault in group_alike(job.inspected.faults):
        yield Finding(codes.FALSE_CLAIM, job.span, fault)
    wanted = CLAIMS.get(job.printer.variant, "")
    if wanted and not any(claim.startswith(wanted) for claim in job.inspected.claims):
        message = f"the printer needs {wanted}; the file does not claim it"
        yield job.finding(codes.FALSE_CLAIM, message, f"print it with --for {job.printer.name}")
    count = len(job.inspected.pages)
    if count % job.printer.pages:
        message = f"{count} pages; the printer needs a multiple of {job.printer.pages}"
        yield job.finding(codes.PAGE_COUNT, message)


CHECKS: Final = (_whole, _fonts, _boxes, _edges, _colours, _live, _fine, _claims)


ALIKE: Final = 3  # Most findings that differ only in figures and are listed one by one
VARIES: Final = re.compile(r"`[^`]*`|[\d.,]+")


def group_alike(messages: Iterable[str]) -> Iterator[str]:
    """Yield messages; of many that differ only in figures, the first, and how many more."""
    groups: dict[str, list[str]] = {}
    for message in messages:
        groups.setdefault(VARIES.sub("", message), []).append(message)
    for alike in groups.values():
        if len(alike) <= ALIKE:
            yield from alike
        else:
            yield f"{alike[0]}; {len(alike) - 1:,} more times alike"


def format_mm(points: float) -> str:
    """Return a length in millimetres, to a thousandth."""
    return f"{points / MM:.3f}".rstrip("0").removesuffix(".")


def format_pages(numbers: Iterable[int], of: int) -> str:
    """Return page numbers in words: `page 3`, `pages 1–4, 7`, `all 18 pages`."""
    listed = sorted(set(numbers))
    if len(listed) == of and of > 1:
        return f"all {of} pages"
    ranges = format_ranges(listed)
    more = " and others" if len(ranges) > 12 else ""
    return f"page{'s' if len(listed) > 1 else ''} {', '.join(ranges[:12])}{more}"


def format_ranges(numbers: Iterable[int]) -> list[str]:
    """Return numbers as ranges: `1–4`, `7`."""
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(sorted(set(numbers))), lambda pair: pair[1] - pair[0])
    ]
    return [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]


def format_list(names: Iterable[str], most: int = 12) -> str:
    """Return names separated by commas; beyond `most`, how many more there are."""
    every = list(names)
    more = f" and {len(every) - most:,} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more
