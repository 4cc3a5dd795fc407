"""Tents to fold and name badges: the name large, and what is looked up on the back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from sheetgen.model.prints import Shape
from sheetgen.plan.pages.encounter_views import Run
from sheetgen.plan.pieces.marks import (
    FIGURE_FACES,
    LABEL_FACES,
    WORD_FACES,
    GroupMark,
    Mark,
    PathMark,
    PieceStyle,
    WordsMark,
    fit_text,
)
from sheetgen.plan.pieces.parts import (
    Piece,
    accent_bar,
    draw_disc,
    draw_frame,
    draw_number,
    name_tags,
    place_lines,
)
from sheetgen.plan.pieces.shapes import line, rectangle, stretch
from sheetgen.plan.pieces.subjects import FactRow, PieceSubject
from sheetgen.units import MM, Box


def tent_side(width: float) -> float:
    """Return the height of one side of a tent of a width."""
    return min(0.62 * width, 62 * MM)


_DISC: Final = 0.25
"""The radius of the disc beside a name, in heights of its side."""


def disc_field(side: float) -> tuple[float, float]:
    """Return the width and height of the picture on a side of a height."""
    return 2 * _DISC * side, 2 * _DISC * side


def draw_tent(subject: PieceSubject, width: float, style: PieceStyle) -> Piece:
    """Return a tent: the back upside down, the fold, the front. Both have the name."""
    high = tent_side(width)
    front, complete = _tent_front(subject, width, high, style)
    back = _tent_back(subject, width, high, style)
    marks = (
        GroupMark(front, (1, 0, 0, 1, 0, high)),
        GroupMark(back, (-1, 0, 0, -1, width, high)),
    )
    cut = rectangle(Box(0, 0, width, 2 * high))
    return Piece(marks, cut, (line(0, high, width, high),), not complete)


def _tent_front(
    subject: PieceSubject, width: float, high: float, style: PieceStyle
) -> tuple[tuple[Mark, ...], bool]:
    marks: list[Mark] = list(draw_frame(width, high, style))
    margin, radius = 5.5 * MM, high * _DISC
    marks += draw_disc(subject, margin + radius, high / 2, radius, style)
    left = margin + 2 * radius + 4 * MM
    room = width - margin - left
    more, complete = _title(subject, left, room, high, style, high * 0.24)
    return (*marks, *more), complete


def _title(
    subject: PieceSubject, left: float, room: float, high: float, style: PieceStyle, most: float
) -> tuple[list[Mark], bool]:
    """Return the name with its bar, and the words about it, centred in a height."""
    radius = 3 * MM
    inner = room - (2 * radius + 2 * MM if subject.number else 0)
    name = fit_text(subject.name, style, (inner, high * 0.48), most, 3)
    about = fit_text(
        subject.about, style, (room, high * 0.2), max(style.least, most * 0.32), 2, WORD_FACES
    )
    cap, bar = style.cap(name.face, name.size), 2.6
    below = 1.2 * MM + 0.28 * name.size  # clear of descenders
    block = cap + name.leading * (len(name.lines) - 1) + below + bar
    block += (2.4 * MM + about.leading * len(about.lines)) if subject.about else 0
    first = (high - block) / 2 + cap
    marks: list[Mark] = [place_lines(name, left, first, "ink", style, **name_tags(subject, name))]
    wide = max((style.width(one, name.face, name.size) for one in name.lines), default=0.0)
    marks += draw_number(subject, left + wide + radius + 2 * MM, first - cap / 2, radius, style)
    y = first + name.leading * (len(name.lines) - 1) + below
    marks.append(accent_bar(left, y, min(18 * MM, room), bar, style))
    if subject.about:
        y += bar + 2.4 * MM + style.cap(about.face, about.size)
        full = about.replacement(subject.about)
        marks.append(place_lines(about, left, y, "ink", style, tag="P", full=full))
    return marks, name.complete


def _tent_back(
    subject: PieceSubject, width: float, high: float, style: PieceStyle
) -> tuple[Mark, ...]:
    """Return the side that the owner sees: the name, and what is looked up."""
    margin = 5.5 * MM
    marks: list[Mark] = list(draw_frame(width, high, style))
    if not subject.facts:
        more, _ = _title(subject, margin, width - 2 * margin, high, style, high * 0.24)
        words = (
            replace(one, tag="", full="") if isinstance(one, WordsMark) else one for one in more
        )
        return (*marks, *words)
    room = width - 2 * margin
    name = fit_text(subject.name, style, (room - 10 * MM, high * 0.2), high * 0.17, 1)
    y = margin + style.cap(name.face, name.size) + 0.6 * MM
    marks.append(place_lines(name, margin, y, "ink", style))
    wide = style.width("".join(name.lines), name.face, name.size)
    radius = 2.8 * MM
    x, middle = margin + wide + radius + 1.4 * MM, y - style.cap(name.face, name.size) / 2
    marks += draw_number(subject, x, middle, radius, style, tag="")
    y += 1.2 * MM + 0.16 * name.size
    rule, weight = line(margin, y, width - margin, y), style.points("w-section")
    marks.append(PathMark(rule, stroke=style.colour("ink"), width=weight))
    marks.append(accent_bar(margin, y, 12 * MM, 2.2, style))
    box = Box(margin, y + 1 * MM, room, high - y - 1 * MM - 4 * MM)
    return (*marks, *_facts(subject.facts, box, style))


_COLUMNS: Final = 5
"""The most figures in a row; more take another row."""


def _facts(facts: tuple[FactRow, ...], box: Box, style: PieceStyle) -> Iterator[Mark]:
    """Yield rows of labelled figures that fill a box."""
    rows: list[list[tuple[str, Run]]] = []
    for fact in facts:
        cells = [(fact.about if n == 0 else "", run) for n, run in enumerate(fact.runs)]
        joins = rows and len(rows[-1]) + len(cells) <= _COLUMNS and len(rows[-1]) == 1
        if joins:
            rows[-1] += cells
            continue
        count = -(-len(cells) // -(-len(cells) // _COLUMNS))
        rows += [cells[at : at + count] for at in range(0, len(cells), count)]
    if not rows:
        return
    columns = max(4, *(len(row) for row in rows))
    wide, step = box.width / columns, box.height / len(rows)
    for n, row in enumerate(rows):
        for column, (about, run) in enumerate(row):
            cell = Box(box.x + column * wide, box.y + n * step, wide, step)
            yield from _fact(about, run, cell, box.x + box.width - cell.x, style)


def _fact(about: str, run: Run, cell: Box, room: float, style: PieceStyle) -> Iterator[Mark]:
    """Yield a figure: the heading of its row, its label, and the figure below them."""
    least = style.least
    y = cell.y + least * 0.95
    if about:
        heading = fit_text(about, style, (room, least), least, 1, WORD_FACES)
        yield place_lines(heading, cell.x, y, "label", style, tag="P")
    y += least * 1.25
    label = fit_text(run.label, style, (cell.width - 3, least), least, 1, LABEL_FACES)
    shapes = [style.tokens.shapes.get(die.replace("_", "-")) for die in run.dice]
    drawn = bool(shapes) and None not in shapes
    full = f"{run.label}: {run.text}" if drawn else label.replacement(run.label)
    yield place_lines(label, cell.x, y, "ink", style, tag="P", full=full)
    left = cell.y + cell.height - y
    if drawn:
        box = Box(cell.x, y + 2, cell.width - 8, max(1.0, left - 4))
        yield from _draw_dice([one for one in shapes if one is not None], box, style)
        return
    size = max(least, min(left * 0.8, cell.height * 0.42, 24))
    text = f"{run.text}{run.small}"
    figure = fit_text(text, style, (cell.width - 7, left - 4), size, 2, FIGURE_FACES)
    y += 4 + style.cap(figure.face, figure.size)
    full = figure.replacement(text)
    yield place_lines(figure, cell.x, y, "ink", style, tag="P", full=full)


def _draw_dice(shapes: Sequence[Shape], box: Box, style: PieceStyle) -> Iterator[Mark]:
    """Yield dice in rows, as large as the box lets them be."""
    side = min(14.0, box.width / 3)
    while -(-len(shapes) // int(box.width // side)) * side > box.height and side > 1:
        side *= 0.95
    across = int(box.width // side)
    for n, shape in enumerate(shapes):
        place = Box(box.x + n % across * side, box.y + n // across * side, side - 1, side - 1)
        fill = style.colour(shape.fill) if shape.fill else ""
        stroke = style.colour(shape.stroke) if shape.stroke else ""
        yield PathMark(stretch(shape.path, place), fill, stroke, shape.width)


def badge_height(width: float) -> float:
    """Return the height of a badge of a width."""
    return 0.6 * width


def draw_badge(subject: PieceSubject, width: float, style: PieceStyle) -> Piece:
    """Return a name badge, for a holder or with a pin."""
    high = badge_height(width)
    marks, complete = _tent_front(subject, width, high, style)
    return Piece(marks, rectangle(Box(0, 0, width, high)), (), not complete)
