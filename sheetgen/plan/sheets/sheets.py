"""A view and a plate to a filled sheet; what finds no room goes to a continuation page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

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
    """A text that is printed on a continuation page."""

    label: str
    text: str


@dataclass
class FilledPlate:
    """A filled plate, and what it could not hold."""

    filling: Filling
    moved: list[Moved] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def fill_plate(view: View, plate: Plate, span: Span) -> FilledPlate:
    """Return `plate` filled from `view`.

    A text that is too long for its place is cut there and moved whole; rows beyond those
    that are drawn, and texts of the author's for which there is no place, are moved too.

    Args:
        span: What findings point at: the character's file.
    """
    known = plate_places(plate)
    places = known.by_name
    filled = FilledPlate(Filling())
    texts: dict[str, Setting] = {}
    for name, shown in view.texts.items():
        place = places.get(name)
        if place is None:
            continue
        setting, whole = known.fitted(shown.text, place, _role(place, shown, plate))
        texts[name] = setting
        if not whole:
            filled.moved.append(Moved(shown.label, shown.text))
            filled.findings.append(_too_long(shown, span))
    _rows_moved(view, known, filled, span)
    _no_glyphs(view, known, filled, span)
    filled.filling = Filling(texts, *_marks(view, places, plate))
    return filled


def _role(place: Place, shown: ShownText, plate: Plate) -> str:
    """Return the role of a place, or the one that the state of its text asks for."""
    swapped = f"{place.role}-{shown.state}" if shown.state else place.role
    return swapped if swapped in plate.tokens.roles else place.role


def _marks(
    view: View, places: Mapping[str, Place], plate: Plate
) -> tuple[Mapping[str, str], Mapping[str, str], Mapping[str, str]]:
    """Return the ticks, frames and shape marks of the places that are there."""
    ticks: dict[str, str] = {}
    marks: dict[str, str] = {}
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
            marks[name] = shape  # there is nothing to mark in it: a frame alone
    return ticks, frames, marks


def _rows_moved(view: View, known: PlatePlaces, filled: FilledPlate, span: Span) -> None:
    """Move what the author wrote and no place shows; rows are put together again."""
    places, drawn = known.by_name, known.families
    marked = {name.rpartition(".")[0] for name in view.ticks if name in places}  # said by a box
    rows: dict[tuple[str, str], list[str]] = {}
    for name, shown in view.texts.items():
        if name in places or not shown.written or name in marked:
            continue
        number = next((i for i, p in enumerate(name.split(".")) if p.isdigit()), None)
        row = name if number is None else ".".join(name.split(".")[: number + 1])
        if number is not None and _has_row(places, row) and numbered_family(name) not in drawn:
            continue  # a column that this sheet does not show, of a row that it does
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


def _too_long(shown: ShownText, span: Span) -> Finding:
    start = shown.text[:40] + ("…" if len(shown.text) > 40 else "")
    message = f"{shown.label}: `{start}` does not fit; all of it is on a continuation page"
    return Finding(codes.OVERFLOW, span, message, severity=Severity.WARNING)


def _no_glyphs(view: View, known: PlatePlaces, filled: FilledPlate, span: Span) -> None:
    lacking = known.missing("".join([shown.text for shown in view.texts.values()]))
    if lacking:
        message = f"the fonts of this sheet have no `{lacking[:12]}`"
        hint = "the values are kept in the form's fields"
        filled.findings.append(Finding(codes.NO_GLYPH, span, message, hint, Severity.WARNING))


@dataclass(frozen=True, slots=True)
class SheetRequest:
    """What is to be planned: a view, and what the document says of itself.

    Attributes:
        title: The character's name; empty for an empty sheet.
        who: The name and what the character is, for the heads of later pages.
        said: Findings about the build; its errors make the print a draft.
        live: Gives what the sheet computes by itself, once its plate is known.
    """

    title: str
    identity: str
    digest: str
    view: View
    findings: tuple[Finding, ...] = ()
    live: Callable[[Plate], Live | None] | None = None


@dataclass(frozen=True, slots=True)
class PlannedSheet:
    """A plan, what it moved to continuation pages, and what is to be said of it."""

    plan: Plan
    moved: tuple[Moved, ...]
    findings: tuple[Finding, ...]


def plan_sheet(
    request: SheetRequest, sheet: Plate, more: Callable[[], Plate], rules: Ruleset, span: Span
) -> PlannedSheet:
    """Return the plan of a sheet with as many continuation pages as it needs.

    Args:
        sheet: Its plate.
        more: Gives the plate of its continuation page, if one is needed.
        span: What findings point at: the character's file.
    """
    wrong = errors(request.findings)
    filled = fill_plate(_headed(request, sheet, "", bool(wrong)), sheet, span)
    moved = [*filled.moved, *_said(wrong)]
    onward: tuple[FilledPage, ...] = ()
    if moved:
        foot = f"continues on page {len(sheet.sizes) + 1}"
        filled = fill_plate(_headed(request, sheet, foot, bool(wrong)), sheet, span)
        onward = continuation(moved, more(), request)
    live = request.live(sheet) if request.live is not None else None
    plan = Plan(
        title=f"{request.title} · {rules.title}" if request.title else rules.title,
        lang=rules.lang,
        subject=rules.credit.short,
        leaves=_numbered((FilledPage(sheet, filled.filling, live=live), *onward)),
        meta={
            "ruleset": str(rules.id),
            "version": str(rules.version),
            "character": request.title,
            "source": request.digest,
        },
    )
    return PlannedSheet(plan, tuple(moved), tuple(filled.findings))


def _headed(wanted: SheetRequest, plate: Plate, foot: str, draft: bool) -> View:
    """Return the view with the heads and feet of `plate` in it."""
    view = View(dict(wanted.view.texts), wanted.view.ticks, wanted.view.frames)
    stamp = "DRAFT" if draft else ""
    for name, kind in plate_places(plate).heads:
        said = {"text": wanted.identity, "stamp": stamp}.get(kind, foot)
        view.put(name, said, written=False)
    return view


def _said(wrong: Iterable[Finding]) -> list[Moved]:
    """Return the errors of a draft, to be printed with it."""
    lines = [f"line {f.span.line}: {f.message}" + (f" ({f.hint})" if f.hint else "") for f in wrong]
    return [Moved("What is wrong with this build", "\n".join(lines))] if lines else []


def _numbered(leaves: tuple[FilledPage, ...]) -> tuple[FilledPage, ...]:
    """Return `leaves` with the number of each page in its foot, where one stands there."""
    count = sum(len(leaf.plate.sizes) for leaf in leaves)
    before, numbered = 0, []
    for leaf in leaves:
        texts = dict(leaf.filling.texts)
        known = plate_places(leaf.plate)
        for place in known.numbers:
            text = f"{before + place.page + 1} / {count}"
            texts[place.name], _ = known.fitted(text, place, place.role)
        before += len(leaf.plate.sizes)
        numbered.append(replace(leaf, filling=replace(leaf.filling, texts=texts)))
    return tuple(numbered)


def continuation(
    moved: Iterable[Moved], plate: Plate, wanted: SheetRequest
) -> tuple[FilledPage, ...]:
    """Return as many continuation pages as `moved` needs, without their numbers."""
    columns = [p for p in plate.places if p.name.startswith("continuation.")]
    lines, heads = _lines(moved, plate, columns[0])
    done = 0
    leaves: list[FilledPage] = []
    while done < len(lines):
        bare = SheetRequest(wanted.title, wanted.identity, "", View())
        head = _headed(bare, plate, "", bool(errors(wanted.findings)))
        texts = dict(fill_plate(head, plate, Span("")).filling.texts)
        for place in columns:
            role, _ = typography(plate, place)
            count = rows_in(place.box.height, role, role.size)
            while done < len(lines) and not lines[done]:
                done += 1
            end = min(done + count, len(lines))
            while end < len(lines) and end > done + 1 and (end - 1 in heads or not lines[end - 1]):
                end -= 1
            if taken := tuple(lines[done:end]):
                marked = frozenset(head - done for head in heads if done <= head < end)
                texts[place.name] = Setting("\n".join(taken), taken, role.size, "", marked)
            done = end
        leaves.append(FilledPage(plate, Filling(texts)))
    return tuple(leaves)


def _lines(moved: Iterable[Moved], plate: Plate, place: Place) -> tuple[list[str], set[int]]:
    """Return all of `moved` in lines, and which of them are headings."""
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
