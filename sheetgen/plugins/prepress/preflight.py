"""Preflight: what a print shop would refuse in a finished file; one function per finding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.codes import Code
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.model.designs.presets import Preset
from sheetgen.plugins.prepress.inspect.geometry import distances
from sheetgen.plugins.prepress.inspected import MAY_BE_LOST, SIDES, Inspected, InspectedPage
from sheetgen.records import frozen
from sheetgen.units import MM

CLAIMS: Final = {"x-1a": "PDF/X-1a:2003", "x-3": "PDF/X-3:2003", "a-2": "PDF/A-2"}
"""The claim of a file of each variant."""

NEAR: Final = 0.005 * MM
"""Boxes and distances are right to a hundredth of a millimetre."""

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
    """Return the preflight findings for a file.

    Args:
        preset: The printer; None for what most printers have in common.
    """
    job = PreflightJob(inspected, Span(file), preset or _USUAL, preset is not None)
    return tuple(finding for check in CHECKS for finding in check(job))


def _locked(job: PreflightJob) -> Iterator[Finding]:
    if job.inspected.encrypted:
        yield Finding(codes.LOCKED, job.span, "the file is encrypted", "save it without encryption")


_FONTS: Final = 12
"""Most fonts that are listed one by one."""


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


def _unsafe(job: PreflightJob) -> Iterator[Finding]:
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

    hint = "print it with --for, or take a larger margin"
    yield from job.of_pages(codes.UNSAFE, check_text, hint)
    yield from job.of_pages(codes.UNSAFE, check_art, wrong=False)


def _boxes(job: PreflightJob) -> Iterator[Finding]:
    def check_unit(page: InspectedPage) -> Iterator[str]:
        if page.unit != 1:
            yield (
                f"its unit is {page.unit:g} points (UserUnit): programs that do not know this"
                f" print it at {100 / page.unit:.3g} % of its size"
            )

    yield from job.of_pages(codes.NO_BLEED, check_unit, "export it with a unit of 1 point")
    if job.printer.bleed:
        hint = f"print it with --for {job.printer.name}"
        yield from job.of_pages(codes.NO_BLEED, lambda one: _wrong_boxes(one, job.printer), hint)


def _wrong_boxes(page: InspectedPage, printer: Preset) -> Iterator[str]:
    missing = [box for box in ("TrimBox", "BleedBox") if box not in page.own_boxes]
    if missing:
        yield f"no {' and no '.join(missing)}"
        return
    if any(abs(side - printer.bleed) > NEAR for side in distances(page.trim, page.bleed)):
        sides = ", ".join(format_mm(side) for side in distances(page.trim, page.bleed))
        yield f"the bleed is {sides} mm (left, foot, right, top), not {format_mm(printer.bleed)}"
    if min(distances(page.bleed, page.media)) < -NEAR:
        yield "the bleed is larger than the page"
    sizes = list(printer.cards.values())
    trim = page.trim[2] - page.trim[0], page.trim[3] - page.trim[1]
    nearest = (max(abs(a - b) for a, b in zip(trim, size, strict=True)) for size in sizes)
    if sizes and min(nearest) > NEAR:
        wanted = " or ".join(f"{format_mm(size[0])} × {format_mm(size[1])}" for size in sizes)
        yield f"the trim is {format_mm(trim[0])} × {format_mm(trim[1])} mm, not {wanted}"


def _short(job: PreflightJob) -> Iterator[Finding]:
    def check(page: InspectedPage) -> Iterator[str]:
        bleeds = min(distances(page.trim, page.bleed)) > NEAR
        if page.drawn.short and (job.printer.bleed or bleeds):
            sides = ", ".join(side for side in SIDES if side in page.drawn.short)
            yield f"colour touches the trim ({sides}) and does not fill the bleed"

    yield from job.of_pages(codes.STOPS_SHORT, check, "extend it to the edge of the bleed")


def _colours(job: PreflightJob) -> Iterator[Finding]:
    def check(page: InspectedPage) -> Iterator[str]:
        wrong = sorted(page.drawn.colours.intersection(_NO_SCREEN))
        if wrong and job.printer.colour == "cmyk":
            yield f"colours that are not CMYK: {format_list(wrong)}"

    hint = f"print it with --for {job.printer.name}"
    yield from job.of_pages(codes.WRONG_COLOURS, check, hint)


def _spots(job: PreflightJob) -> Iterator[Finding]:
    def check(page: InspectedPage) -> Iterator[str]:
        if page.drawn.spots:
            yield f"spot colours: {format_list(sorted(page.drawn.spots))}"

    cmyk = job.printer.colour == "cmyk"
    hint = "convert them to CMYK" if cmyk else "ask the printer: each needs an ink of its own"
    for found in job.of_pages(codes.WRONG_COLOURS, check, hint):
        yield found if cmyk else replace(found, severity=Severity.NOTE)


def _overprint(job: PreflightJob) -> Iterator[Finding]:
    hint = "turn overprint off for what is white"
    for found in job.of_pages(codes.WHITE_OVERPRINT, lambda page: sorted(page.drawn.lost), hint):
        severity = Severity.WARNING if MAY_BE_LOST in found.message else Severity.ERROR
        yield replace(found, severity=severity)


def _inks(job: PreflightJob) -> Iterator[Finding]:
    most = max((page.drawn.ink for page in job.inspected.pages), default=0.0)
    if job.printer.ink and most > job.printer.ink + 0.05:
        message = f"{most:g} % of ink in one place; the printer accepts {job.printer.ink:g} %"
        yield job.finding(codes.MUCH_INK, message)


def _clear(job: PreflightJob) -> Iterator[Finding]:
    claimed = any(claim.startswith(("PDF/X-1", "PDF/X-3")) for claim in job.inspected.claims)
    if claimed or job.printer.variant in ("x-1a", "x-3"):
        yield from job.of_pages(codes.TRANSPARENT, lambda page: sorted(page.drawn.clear))


def _live(job: PreflightJob) -> Iterator[Finding]:
    live = [f"{job.inspected.fields} fields"] if job.inspected.fields else []
    live += job.inspected.live
    kinds = {kind for page in job.inspected.pages for kind in page.annotations}
    strict = job.printer.variant.startswith("x-")  # PDF/X-1a and X-3 forbid links, too
    silent = {"Widget"} if strict else {"Widget", "Link", "Popup"}
    live += [f"annotations ({kind})" for kind in sorted(kinds - silent)]
    if live and (job.printer.flatten or not job.named):
        hint = "print it with --flatten" if job.inspected.fields else ""
        yield job.finding(codes.LIVE, format_list(live), hint)


def _lines(job: PreflightJob) -> Iterator[Finding]:
    def check(page: InspectedPage) -> Iterator[str]:
        if page.drawn.line is not None and page.drawn.line < job.printer.line - 0.005:
            yield f"a line of {page.drawn.line:.2g} pt; the minimum is {job.printer.line:g} pt"

    yield from job.of_pages(codes.HAIRLINE, check, wrong=False)


def _pictures(job: PreflightJob) -> Iterator[Finding]:
    messages = (
        f"page {picture.page}: a picture of {picture.pixels[0]} × {picture.pixels[1]} pixels has"
        f" {picture.ppi:g} per inch; the minimum is {job.printer.ppi:g}"
        for picture in job.inspected.pictures
        if picture.ppi < job.printer.ppi
    )
    for message in group_alike(messages):
        yield job.finding(codes.COARSE, message, wrong=False)


def _claims(job: PreflightJob) -> Iterator[Finding]:
    for fault in group_alike(job.inspected.faults):
        yield Finding(codes.FALSE_CLAIM, job.span, fault)
    wanted = CLAIMS.get(job.printer.variant, "")
    if wanted and not any(claim.startswith(wanted) for claim in job.inspected.claims):
        message = f"the printer needs {wanted}; the file does not claim it"
        yield job.finding(codes.FALSE_CLAIM, message, f"print it with --for {job.printer.name}")


def _count(job: PreflightJob) -> Iterator[Finding]:
    count = len(job.inspected.pages)
    if count % job.printer.pages:
        message = f"{count} pages; the printer needs a multiple of {job.printer.pages}"
        yield job.finding(codes.PAGE_COUNT, message)


def _unread(job: PreflightJob) -> Iterator[Finding]:
    counts = bool(job.printer.ink)
    unread = (one for one in job.inspected.unread if counts or ": the ink of " not in one)
    for part in group_alike(unread):
        yield job.finding(codes.UNREAD, f"not inspected: {part}")


def _mixed(job: PreflightJob) -> Iterator[Finding]:
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


CHECKS: Final[tuple[Callable[[PreflightJob], Iterator[Finding]], ...]] = (
    *(_locked, _unread, _mixed, _fonts, _boxes, _unsafe, _short),
    *(_colours, _spots, _inks, _overprint, _clear, _live, _lines, _pictures, _claims, _count),
)


ALIKE: Final = 3
"""Most findings that differ only in figures and are listed one by one."""

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
