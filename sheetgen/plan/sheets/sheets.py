"""Filled sheets: a view on a plate, and continuation pages for what does not fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, errors
from sheetgen.diag.spans import Span
from sheetgen.model.live import Live
from sheetgen.model.prints import FilledPage, Filling, Place, Plan, Plate, Setting
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.fit import paragraphs, rows_in
from sheetgen.plan.sheets.places import PlatePlaces, plate_places, typography
from sheetgen.plan.sheets.view import ShownText, View, numbered_family


@dataclass(frozen=True, slots=True)
class Moved:
    """A text that is moved to a continuation page."""

    label: str
    text: str


@dataclass
class FilledPlate:
    """A filled plate, the texts that do not fit it, and findings."""

    filling: Filling
    moved: list[Moved] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def fill_plate(view: View, plate: Plate, span: Span) -> FilledPlate:
    """Return `plate` filled from `view`.

    A text that is too long for its place is cut there, and moved in full. Rows beyond those
    on the sheet, and texts of the author without a place, are moved too.

    Args:
        span: The place that findings point at: the character's file.
    """
    known = plate_places(plate)
    places = known.by_name
    filled = FilledPlate(Filling())
    texts: dict[str, Setting] = {}
    for name, shown in view.texts.items():
        place = places.get(name)
        if place is None:
            continue
        setting, complete = known.fitted(shown.text, place, _role(place, shown, plate))
        texts[name] = setting
        if not complete:
            filled.moved.append(Moved(shown.label, shown.text))
            filled.findings.append(_overflow(shown, span))
    _move_rows(view, known, filled, span)
    _report_glyphs(view, known, filled, span)
    filled.filling = Filling(texts, *_marks(view, places, plate))
    return filled


_OUTLINE: Final = "die-outline"
"""The shape of a die that a player shades on a blank sheet."""

_DIE: Final = re.compile(r".+\.roll\.\d+")
"""The name of the place of one die of a pool."""


def _role(place: Place, shown: ShownText, plate: Plate) -> str:
    swapped = f"{place.role}-{shown.state}" if shown.state else place.role
    return swapped if swapped in plate.tokens.roles else place.role


def _marks(
    view: View, places: Mapping[str, Place], plate: Plate
) -> tuple[Mapping[str, str], Mapping[str, str], Mapping[str, str]]:
    """Return the ticks, frames and shape marks of the plate's places."""
    ticks: dict[str, str] = {}
    marks: dict[str, str] = {}
    if view.blank and _OUTLINE in plate.tokens.shapes:
        marks = {name: _OUTLINE for name in places if _DIE.fullmatch(name)}
    for name, shape in view.ticks.items():
        place = places.get(name)
        if place is not None and place.kind == "tick":
            ticks[name] = shape or plate.tokens.ticks[place.role].on
        elif place is not None:
            marks[name] = shape
    frames: dict[str, str] = {}
    for name, shape in view.frames.items():
        place = places.get(name)
        if place is not None and place.kind == "tick":
            frames[name] = shape
        elif place is not None and shape:
            marks[name] = shape  # a frame without a tick
    return ticks, frames, marks


def _move_rows(view: View, known: PlatePlaces, filled: FilledPlate, span: Span) -> None:
    """Move the author's texts that have no place; the columns of a row are joined."""
    places, drawn = known.by_name, known.families
    marked = {name.rpartition(".")[0] for name in view.ticks if name in places}  # shown by a box
    rows: dict[tuple[str, str], list[str]] = {}
    for name, shown in view.texts.items():
        if name in places or not shown.written or name in marked:
            continue
        number = next((i for i, p in enumerate(name.split(".")) if p.isdigit()), None)
        row = name if number is None else ".".join(name.split(".")[: number + 1])
        if number is not None and _has_row(places, row) and numbered_family(name) not in drawn:
            continue  # this sheet shows the row without this column
        rows.setdefault((shown.label, row), []).append(shown.text)
    labels: dict[str, list[str]] = {}
    for (label, _), parts in rows.items():
        labels.setdefault(label, []).append(" · ".join(parts))
    for label, lines in labels.items():
        filled.moved.append(Moved(label, "\n".join(lines)))
        message = f"{label}: {_count(lines)} on a continuation page"
        filled.findings.append(Finding(codes.MORE_ROWS, span, message, severity=Severity.WARNING))


def _count(lines: Sequence[str]) -> str:
    return "1 line is" if len(lines) == 1 else f"{len(lines)} lines are"


def _has_row(places: Mapping[str, Place], row: str) -> bool:
    return any(name.startswith(f"{row}.") for name in places)


def _overflow(shown: ShownText, span: Span) -> Finding:
    start = shown.text[:40] + ("…" if len(shown.text) > 40 else "")
    message = f"{shown.label}: `{start}` does not fit; all of it is on a continuation page"
    return Finding(codes.OVERFLOW, span, message, severity=Severity.WARNING)


def _report_glyphs(view: View, known: PlatePlaces, filled: FilledPlate, span: Span) -> None:
    lacking = known.missing("".join([shown.text for shown in view.texts.values()]))
    if lacking:
        message = f"the fonts of this sheet have no `{lacking[:12]}`"
        hint = "the values are kept in the form's fields"
        filled.findings.append(Finding(codes.NO_GLYPH, span, message, hint, Severity.WARNING))


@dataclass(frozen=True, slots=True)
class SheetRequest:
    """A request for the plan of a sheet: its view, and the document's own data.

    Attributes:
        title: The character's name; empty for a blank sheet.
        identity: The name and class or the like, for the heads of later pages.
        digest: Of the source file.
        findings: Findings about the build; errors make the print a draft.
        live: Returns what the sheet computes by itself, for a plate.
    """

    title: str
    identity: str
    digest: str
    view: View
    findings: tuple[Finding, ...] = ()
    live: Callable[[Plate], Live | None] | None = None


@dataclass(frozen=True, slots=True)
class PlannedSheet:
    """A plan, the texts that it moved to continuation pages, and findings."""

    plan: Plan
    moved: tuple[Moved, ...]
    findings: tuple[Finding, ...]


def plan_sheet(
    request: SheetRequest, sheet: Plate, more: Callable[[], Plate], rules: Ruleset, span: Span
) -> PlannedSheet:
    """Return the plan of a sheet with as many continuation pages as it needs.

    Args:
        sheet: Its plate.
        more: Returns the plate of its continuation page, if one is needed.
        span: The place that findings point at: the character's file.
    """
    wrong = errors(request.findings)
    filled = fill_plate(_add_heads(request, sheet, "", bool(wrong)), sheet, span)
    moved = [*filled.moved, *_list_errors(wrong)]
    onward: tuple[FilledPage, ...] = ()
    if moved:
        foot = f"continues on page {len(sheet.sizes) + 1}"
        filled = fill_plate(_add_heads(request, sheet, foot, bool(wrong)), sheet, span)
        onward = continuation(moved, more(), request)
    live = request.live(sheet) if request.live is not None else None
    plan = Plan(
        title=f"{request.title} · {rules.title}" if request.title else rules.title,
        lang=rules.lang,
        subject=rules.credit.short,
        leaves=_number_pages((FilledPage(sheet, filled.filling, live=live), *onward)),
        meta={
            "ruleset": str(rules.id),
            "version": str(rules.version),
            "character": request.title,
            "source": request.digest,
        },
    )
    return PlannedSheet(plan, tuple(moved), tuple(filled.findings))


def _add_heads(request: SheetRequest, plate: Plate, foot: str, draft: bool) -> View:
    view = replace(request.view, texts=dict(request.view.texts))
    stamp = "DRAFT" if draft else ""
    for name, kind in plate_places(plate).heads:
        text = {"text": request.identity, "stamp": stamp}.get(kind, foot)
        view.put(name, text, written=False)
    return view


def _list_errors(wrong: Iterable[Finding]) -> list[Moved]:
    lines = [f"line {f.span.line}: {f.message}" + (f" ({f.hint})" if f.hint else "") for f in wrong]
    return [Moved("What is wrong with this build", "\n".join(lines))] if lines else []


def _number_pages(leaves: tuple[FilledPage, ...]) -> tuple[FilledPage, ...]:
    """Return `leaves` with page numbers in the feet that have a place for them."""
    count = sum(len(page.plate.sizes) for page in leaves)
    before, numbered = 0, []
    for page in leaves:
        texts = dict(page.filling.texts)
        known = plate_places(page.plate)
        for place in known.numbers:
            text = f"{before + place.page + 1} / {count}"
            texts[place.name], _ = known.fitted(text, place, place.role)
        before += len(page.plate.sizes)
        numbered.append(replace(page, filling=replace(page.filling, texts=texts)))
    return tuple(numbered)


def continuation(
    moved: Iterable[Moved], plate: Plate, request: SheetRequest
) -> tuple[FilledPage, ...]:
    """Return the continuation pages of `moved`, without page numbers."""
    columns = [p for p in plate.places if p.name.startswith("continuation.")]
    lines, heads = _wrap_moved(moved, plate, columns[0])
    start = 0
    leaves: list[FilledPage] = []
    while start < len(lines):
        bare = SheetRequest(request.title, request.identity, "", View())
        head = _add_heads(bare, plate, "", bool(errors(request.findings)))
        texts = dict(fill_plate(head, plate, Span("")).filling.texts)
        for place in columns:
            role, _ = typography(plate, place)
            count = rows_in(place.box.height, role, role.size)
            while start < len(lines) and not lines[start]:
                start += 1
            end = min(start + count, len(lines))
            while end < len(lines) and end > start + 1 and (end - 1 in heads or not lines[end - 1]):
                end -= 1
            if shown := tuple(lines[start:end]):
                marked = frozenset(head - start for head in heads if start <= head < end)
                texts[place.name] = Setting("\n".join(shown), shown, role.size, "", marked)
            start = end
        leaves.append(FilledPage(plate, Filling(texts)))
    return tuple(leaves)


def _wrap_moved(moved: Iterable[Moved], plate: Plate, place: Place) -> tuple[list[str], set[int]]:
    """Return `moved` in lines, and the numbers of the lines that are headings."""
    role, metrics = typography(plate, place)
    lines: list[str] = []
    heads: set[int] = set()
    for entry in moved:
        if lines:
            lines.append("")
        heads.add(len(lines))
        lines.append(entry.label)
        lines += paragraphs(entry.text, place.box.width - 1, metrics, role.size)
    return lines, heads
