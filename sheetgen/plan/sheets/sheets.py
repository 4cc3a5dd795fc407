"""Filled sheets: a view on a plate, and continuation pages for what does not fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, errors
from sheetgen.model.filled import Backup
from sheetgen.model.pictures import PreparedPicture, credit_pictures
from sheetgen.model.prints import FilledPage, Filling, Live, Place, Plan, Plate, Setting
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.sheets.continued import (
    TO_DRAW,
    Moved,
    continue_sections,
    leave_free_row,
    list_mending,
    list_moved_rows,
    moved_text,
    plate_places,
)
from sheetgen.plan.sheets.view import ShownText, View
from sheetgen.records import frozen


@dataclass
class FilledPlate:
    """A filled plate, the texts that do not fit it, findings, and letters that no font has."""

    filling: Filling
    moved: list[Moved] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    missing: str = ""


def fill_plate(
    view: View, plate: Plate, span: Span, pictures: Mapping[str, PreparedPicture] | None = None
) -> FilledPlate:
    """Return `plate` filled from `view`.

    A text that is too long for its place is cut there, and moved in full. Rows beyond those
    on the sheet, and texts of the author without a place, are moved too.

    Args:
        span: The place that findings point at: the character's file.
        pictures: Pictures by place.
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
            filled.moved.append(moved_text(shown, place))
            start = shown.text[:40] + ("…" if len(shown.text) > 40 else "")
            message = f"{shown.label}: `{start}` does not fit; all of it is on a continuation page"
            found = Finding(codes.OVERFLOW, span, message, severity=Severity.WARNING)
            filled.findings.append(found)
    for moved in list_moved_rows(view, known):
        filled.moved.append(moved)
        count = "1 line is" if len(moved.rows) == 1 else f"{len(moved.rows)} lines are"
        message = f"{moved.label}: {count} on a continuation page"
        filled.findings.append(Finding(codes.MORE_ROWS, span, message, severity=Severity.WARNING))
    filled.missing = known.missing("".join([shown.text for shown in view.texts.values()]))
    filled.filling = Filling(texts, *_marks(view, places, plate), pictures or {})
    return filled


def _role(place: Place, shown: ShownText, plate: Plate) -> str:
    swapped = f"{place.role}-{shown.state}" if shown.state else place.role
    return swapped if swapped in plate.tokens.roles else place.role


def _marks(
    view: View, places: Mapping[str, Place], plate: Plate
) -> tuple[Mapping[str, str], Mapping[str, str], Mapping[str, str]]:
    """Return the ticks, frames and shape marks of the plate's places."""
    ticks: dict[str, str] = {}
    marks: dict[str, str] = {}
    if view.blank and "die-outline" in plate.tokens.shapes:  # a player shades it
        marks = {name: "die-outline" for name in places if re.fullmatch(r".+\.roll\.\d+", name)}
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


@frozen
class SheetContents:
    """A request for the plan of a sheet: its view, and the document's own data.

    Attributes:
        title: The character's name; empty for a blank sheet.
        identity: The name and class or the like, for the heads of later pages.
        digest: Of the source file.
        findings: Findings about the build; errors make the print a draft.
        live: Returns what the sheet computes by itself, for a plate.
        pictures: Pictures by place, ready to be printed.
        backup: The source file as QR codes, which end the sheet.
    """

    title: str
    identity: str
    digest: str
    view: View
    findings: tuple[Finding, ...] = ()
    live: Callable[[Plate], Live | None] | None = None
    pictures: Mapping[str, PreparedPicture] = field(default_factory=dict)
    backup: Backup | None = None


@frozen
class PlannedSheet:
    """A plan, the texts on continuation pages, findings, and letters that no font has."""

    plan: Plan
    moved: tuple[Moved, ...]
    findings: tuple[Finding, ...]
    missing: str = ""


def plan_sheet(
    request: SheetContents, sheet: Plate, more: Callable[[], Plate], rules: Ruleset, span: Span
) -> PlannedSheet:
    """Return the plan of a sheet with as many continuation pages as it needs.

    Args:
        sheet: Its plate.
        more: Returns the plate of its continuation page, if one is needed.
        span: The place that findings point at: the character's file.
    """
    wrong = errors(request.findings)
    draft = bool(wrong)
    for pool in rules.pools:
        leave_free_row(request.view, f"{pool}.ledger", plate_places(sheet))
    filled = fill_plate(_add_heads(request, sheet, (), draft), sheet, span, request.pictures)
    others = [one for one in request.findings if one not in wrong]
    distinct: dict[tuple[str, str], Moved] = {}
    for one in filled.moved:  # a name that fits no page's head goes on once
        distinct.setdefault((one.label, one.text), one)
    moved = [*distinct.values(), *(list_mending(wrong, others) if draft else ())]
    if credit := credit_pictures(request.pictures.values()):
        shown = ShownText(credit, state="credit", written=False)  # as light as the print's own
        foot = _find_foot(shown, sheet, moved)
        if foot:
            request.view.texts[foot] = shown
            heads = _add_heads(request, sheet, (), draft)
            filled = fill_plate(heads, sheet, span, request.pictures)
        else:
            moved.append(Moved("Pictures", credit, stem="pictures"))
    onward: tuple[FilledPage, ...] = ()
    if moved or request.backup is not None:
        plate, bare = more(), SheetContents(request.title, request.identity, "", View())
        head = fill_plate(_add_heads(bare, plate, (), draft), plate, Span("")).filling
        onward, starts = continue_sections(moved, plate, request.backup, head.texts)
        first = len(sheet.sizes) + 1
        on = [(one, first + start) for one, start in zip(moved, starts, strict=True)]
        filled = fill_plate(_add_heads(request, sheet, on, draft), sheet, span, request.pictures)
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
    return PlannedSheet(plan, tuple(moved), tuple(filled.findings), filled.missing)


def _find_foot(shown: ShownText, plate: Plate, moved: Iterable[Moved]) -> str:
    """Return the first foot of a page that has room for `shown`; empty if there is none.

    Args:
        moved: What goes on elsewhere; where no head says so, the foot does.
    """
    known = plate_places(plate)
    taken = {one.page for one in moved if known.mark_beside(one.stem, one.page) is None}
    feet = (known.by_name[name] for name, kind in known.heads if kind not in ("text", "stamp"))
    free = (place for place in feet if place.page not in taken)
    return next(
        (p.name for p in free if known.fitted(shown.text, p, _role(p, shown, plate))[1]), ""
    )


def _add_heads(
    request: SheetContents, plate: Plate, onward: Sequence[tuple[Moved, int]], draft: bool
) -> View:
    """Return the view with what pages repeat, and where each section continues.

    Args:
        onward: What is moved, and the page where it begins there.
    """
    view = replace(request.view, texts=dict(request.view.texts))
    known = plate_places(plate)
    for name in known.drawable:
        if name not in request.pictures:
            view.put(f"{TO_DRAW}{name}", known.by_name[name].label, written=False)
    stamp = "DRAFT" if draft else ""
    left: dict[int, list[tuple[Moved, int]]] = {}
    for one, page in onward:
        place = known.mark_beside(one.stem, one.page)
        if place is not None and place.name not in view.texts:
            words = f"continued on page {page}", f"on page {page}", f"p. {page}"
            where = known.first_that_fits(words, place)
            view.put(place.name, where, written=False)
        elif place is None:
            left.setdefault(one.page, []).append((one, page))
    for name, kind in known.heads:
        place = known.by_name[name]
        foot, on = "", left.get(place.page, ())
        if on:
            where = f"More on page {min(page for _, page in on)}"
            labels = ", ".join(dict.fromkeys(one.label for one, _ in on))
            foot = known.first_that_fits((f"{where}: {labels}", where), place)
        text = {"text": request.identity, "stamp": stamp}.get(kind, foot)
        view.put(name, text, written=False)
    return view


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
