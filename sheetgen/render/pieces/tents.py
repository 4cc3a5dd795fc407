"""Tents to fold and name badges: the name large, and what is looked up on the back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sheetgen.model.prints import Shape
from sheetgen.plan.pages.encounter_views import Run
from sheetgen.plan.pieces.shapes import line, rectangle
from sheetgen.plan.pieces.style import FIGURE_FACES, LABEL_FACES, fit_text
from sheetgen.plan.pieces.subjects import FactRow, PieceSubject
from sheetgen.render.pieces.parts import (
    draw_accent,
    draw_disc,
    draw_frame,
    draw_lines,
    draw_number,
    fit_words,
)
from sheetgen.render.pieces.pen import Pen
from sheetgen.units import MM, Box
from sheetgen.units.paths import stretch

_MARGIN: Final = 5.5 * MM

_DISC: Final = 0.25
"""The radius of the disc beside a name, in heights of its side."""

_COLUMNS: Final = 5
"""The most figures in a row; more take another row."""


def tent_side(width: float) -> float:
    """Return the height of one side of a tent of a width."""
    return min(0.62 * width, 62 * MM)


def disc_field(side: float) -> tuple[float, float]:
    """Return the width and height of the picture on a side of a height."""
    return 2 * _DISC * side, 2 * _DISC * side


def draw_tent(pen: Pen, subject: PieceSubject, width: float) -> bool:
    """Draw a tent: the back upside down, the fold, the front. Both have the name."""
    high = tent_side(width)
    with pen.group((1, 0, 0, 1, 0, high)):
        complete = _draw_front(pen, subject, width, high)
    with pen.group((-1, 0, 0, -1, width, high)):
        _draw_back(pen, subject, width, high)
    draw_lines(pen, rectangle(Box(0, 0, width, 2 * high)), line(0, high, width, high))
    return complete


def badge_height(width: float) -> float:
    """Return the height of a badge of a width."""
    return 0.6 * width


def draw_badge(pen: Pen, subject: PieceSubject, width: float) -> bool:
    """Draw a name badge, for a holder or with a pin."""
    high = badge_height(width)
    complete = _draw_front(pen, subject, width, high)
    draw_lines(pen, rectangle(Box(0, 0, width, high)))
    return complete


def _draw_front(pen: Pen, subject: PieceSubject, width: float, high: float) -> bool:
    draw_frame(pen, width, high)
    radius = high * _DISC
    draw_disc(pen, subject, _MARGIN + radius, high / 2, radius)
    left = _MARGIN + 2 * radius + 4 * MM
    return _draw_title(pen, subject, left, width - _MARGIN - left, high)


def _draw_title(
    pen: Pen, subject: PieceSubject, left: float, room: float, high: float, share: float = 0.24
) -> bool:
    """Draw the name with its bar, and the words about it, centred in a height.

    Args:
        share: The largest size of the name, in heights.

    Returns:
        Whether the name is complete.
    """
    style, radius, most, bar = pen.style, 3 * MM, high * share, 2.6
    inner = room - (2 * radius + 2 * MM if subject.number else 0)
    name = fit_text(subject.name, style, (inner, high * 0.48), most, 3)
    size = max(style.least, high * 0.077)
    about = fit_words(subject.about, style, (room, high * 0.2), size, 2)
    cap = style.cap(name.face, name.size)
    below = 1.2 * MM + 0.28 * name.size  # clear of descenders
    block = cap + name.leading * (len(name.lines) - 1) + below + bar
    block += (2.4 * MM + about.leading * len(about.lines)) if subject.about else 0
    first = (high - block) / 2 + cap
    pen.write(name, left, first, full=subject.name)
    wide = max((style.width(one, name.face, name.size) for one in name.lines), default=0.0)
    draw_number(pen, subject, left + wide + radius + 2 * MM, first - cap / 2, radius)
    y = first + name.leading * (len(name.lines) - 1) + below
    draw_accent(pen, Box(left, y, min(18 * MM, room), bar))
    if subject.about:
        y += bar + 2.4 * MM + style.cap(about.face, about.size)
        pen.write(about, left, y, full=subject.about)
    return name.complete


def _draw_back(pen: Pen, subject: PieceSubject, width: float, high: float) -> None:
    """Draw the side that the owner sees: the name, and what is looked up."""
    style, room = pen.style, width - 2 * _MARGIN
    draw_frame(pen, width, high)
    if not subject.facts:
        with pen.silently():
            _draw_title(pen, subject, _MARGIN, room, high, 0.34)
        return
    name = fit_text(subject.name, style, (room - 10 * MM, high * 0.2), high * 0.17, 1)
    cap = style.cap(name.face, name.size)
    y = _MARGIN + cap + 0.6 * MM
    wide = style.width("".join(name.lines), name.face, name.size)
    radius = 2.8 * MM
    with pen.silently():
        pen.write(name, _MARGIN, y)
        draw_number(pen, subject, _MARGIN + wide + radius + 1.4 * MM, y - cap / 2, radius)
    y += 1.2 * MM + 0.16 * name.size
    rule, weight = line(_MARGIN, y, width - _MARGIN, y), style.tokens.length("w-section")
    pen.draw_path(rule, stroke=style.colour("ink"), width=weight)
    draw_accent(pen, Box(_MARGIN, y, 12 * MM, 2.2))
    _draw_facts(pen, subject.facts, Box(_MARGIN, y + 1 * MM, room, high - y - 1 * MM - 4 * MM))


def _draw_facts(pen: Pen, facts: tuple[FactRow, ...], box: Box) -> None:
    """Draw rows of labelled figures that fill a box."""
    rows: list[list[tuple[str, Run]]] = []
    for fact in facts:
        cells = [(fact.about if n == 0 else "", run) for n, run in enumerate(fact.runs)]
        joins = rows and len(rows[-1]) + len(cells) <= _COLUMNS and len(rows[-1]) == 1
        if joins:
            rows[-1] += cells
            continue
        count = -(-len(cells) // -(-len(cells) // _COLUMNS))
        rows += [cells[at : at + count] for at in range(0, len(cells), count)]
    columns = max(4, *map(len, rows)) if rows else 4
    for n, row in enumerate(rows):
        for column, (about, run) in enumerate(row):
            wide, step = box.width / columns, box.height / len(rows)
            cell = Box(box.x + column * wide, box.y + n * step, wide, step)
            _draw_fact(pen, about, run, cell, box.x + box.width - cell.x)


def _draw_fact(pen: Pen, about: str, run: Run, cell: Box, room: float) -> None:
    """Draw a figure: the heading of its row, its label, and the figure below them."""
    style, least = pen.style, pen.style.least
    y = cell.y + least * 0.95
    if about:
        pen.write(fit_words(about, style, (room, least), least), cell.x, y, "label")
    y += least * 1.25
    label = fit_text(run.label, style, (cell.width - 3, least), least, 1, LABEL_FACES)
    shapes = [style.tokens.shapes.get(die.replace("_", "-")) for die in run.dice]
    drawn = bool(shapes) and None not in shapes
    pen.write(label, cell.x, y, full=f"{run.label}: {run.text}" if drawn else run.label)
    left = cell.y + cell.height - y
    if drawn:
        box = Box(cell.x, y + 2, cell.width - 8, max(1.0, left - 4))
        _draw_dice(pen, [one for one in shapes if one is not None], box)
        return
    size = max(least, min(left * 0.8, cell.height * 0.42, 24))
    text = f"{run.text}{run.small}"
    figure = fit_text(text, style, (cell.width - 11, left - 4), size, 2, FIGURE_FACES)
    pen.write(figure, cell.x, y + 4 + style.cap(figure.face, figure.size), full=text)


def _draw_dice(pen: Pen, shapes: Sequence[Shape], box: Box) -> None:
    """Draw dice in rows, as large as the box lets them be."""
    # Three dice fit in a row; a little less, since the quotient may be rounded up.
    side, colour = min(14.0, box.width / 3) - 0.01, pen.style.colour
    while -(-len(shapes) // int(box.width // side)) * side > box.height and side > 1:
        side *= 0.95
    across = int(box.width // side)
    for n, shape in enumerate(shapes):
        place = Box(box.x + n % across * side, box.y + n // across * side, side - 1, side - 1)
        fill, stroke = (colour(one) if one else "" for one in (shape.fill, shape.stroke))
        pen.draw_path(stretch(shape.path, place), fill, stroke, shape.width)
