"""A view and a plate to a filled sheet; what finds no room goes to a continuation page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.model.prints import FaceMetrics, Filling, Leaf, Place, Plate, Role, Setting
from sheetgen.plan.fit import fit, missing, paragraphs, rows_in
from sheetgen.plan.view import Shown, View, family


@dataclass(frozen=True, slots=True)
class Moved:
    """A text that is printed on a continuation page."""

    label: str
    text: str


@dataclass
class Filled:
    """A filled plate, and what it could not hold."""

    filling: Filling
    moved: list[Moved] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def fill(view: View, plate: Plate, span: Span) -> Filled:
    """Return `plate` filled from `view`.

    A text that is too long for its place is cut there and moved whole; rows beyond those
    that are drawn, and texts of the author's for which there is no place, are moved too.

    Args:
        span: What findings point at: the character's file.
    """
    places = {place.name: place for place in plate.places}
    filled = Filled(Filling())
    texts: dict[str, Setting] = {}
    for name, shown in view.texts.items():
        place = places.get(name)
        if place is None:
            continue
        role_name = _role(place, shown, plate)
        role = plate.tokens.roles[role_name]
        setting, whole = fit(shown.text, place, role, plate.metrics[role.face])
        swapped = role_name if role_name != place.role else ""
        texts[name] = Setting(setting.value, setting.lines, setting.size, swapped)
        if not whole:
            filled.moved.append(Moved(shown.label, shown.text))
            filled.findings.append(_too_long(shown, span))
    _rows_moved(view, places, filled, span)
    _no_glyphs(view, plate, filled, span)
    filled.filling = Filling(texts, *_marks(view, places, plate))
    return filled


def _role(place: Place, shown: Shown, plate: Plate) -> str:
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
    frames = {name: shape for name, shape in view.frames.items() if name in places}
    return ticks, frames, marks


def _rows_moved(view: View, places: Mapping[str, Place], filled: Filled, span: Span) -> None:
    """Move what the author wrote and no place shows; rows are put together again."""
    drawn = {family(name) for name in places}
    rows: dict[tuple[str, str], list[str]] = {}
    for name, shown in view.texts.items():
        if name in places or not shown.written:
            continue
        number = next((i for i, p in enumerate(name.split(".")) if p.isdigit()), None)
        row = name if number is None else ".".join(name.split(".")[: number + 1])
        if number is not None and _has_row(places, row) and family(name) not in drawn:
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
    return "1 line stands" if len(lines) == 1 else f"{len(lines)} lines stand"


def _has_row(places: Mapping[str, Place], row: str) -> bool:
    return any(name.startswith(f"{row}.") for name in places)


def _too_long(shown: Shown, span: Span) -> Finding:
    start = shown.text[:40] + ("…" if len(shown.text) > 40 else "")
    message = f"{shown.label}: `{start}` does not fit; all of it stands on a continuation page"
    return Finding(codes.OVERFLOW, span, message, severity=Severity.WARNING)


def _no_glyphs(view: View, plate: Plate, filled: Filled, span: Span) -> None:
    texts = "".join(shown.text for shown in view.texts.values())
    lacking = missing(texts, plate.metrics)
    if lacking:
        message = f"the fonts of this sheet have no `{lacking[:12]}`"
        hint = "the values are kept in the form's fields"
        filled.findings.append(Finding(codes.NO_GLYPH, span, message, hint, Severity.WARNING))


def continuation(moved: Iterable[Moved], plate: Plate, head: str, title: str) -> tuple[Leaf, ...]:
    """Return as many continuation pages as `moved` needs, or none."""
    columns = [p for p in plate.places if p.name.startswith("continuation.")]
    lines = _lines(moved, plate, columns[0])
    leaves: list[Leaf] = []
    while lines:
        texts = _heads(plate, head, title)
        for place in columns:
            role = plate.tokens.roles[place.role]
            count = rows_in(place.box.height, role, role.size)
            taken, lines = lines[:count], lines[count:]
            while lines and taken and taken[-1] == "":
                taken = taken[:-1]
            if taken:
                texts[place.name] = Setting("\n".join(taken), tuple(taken), role.size)
        leaves.append(Leaf(plate, Filling(texts)))
    return tuple(leaves)


def _lines(moved: Iterable[Moved], plate: Plate, place: Place) -> list[str]:
    role, metrics = _typography(plate, place)
    lines: list[str] = []
    for entry in moved:
        if lines:
            lines.append("")
        lines.append(entry.label.upper())
        lines += paragraphs(entry.text, place.box.width - 1, metrics, role.size)
    return lines


def _typography(plate: Plate, place: Place) -> tuple[Role, FaceMetrics]:
    role = plate.tokens.roles[place.role]
    return role, plate.metrics[role.face]


def _heads(plate: Plate, head: str, title: str) -> dict[str, Setting]:
    texts = {}
    for name, text in (("header.text", head), ("header.title", title)):
        place = next((p for p in plate.places if p.name == name), None)
        if place is not None:
            role, metrics = _typography(plate, place)
            texts[name] = fit(text, place, role, metrics)[0]
    return texts
