"""Tokens, and standees to fold: figures on a map."""

from __future__ import annotations

from sheetgen.plan.pieces.shapes import circle, line, polygon, rectangle
from sheetgen.plan.pieces.style import PieceStyle, SetText, fit_text
from sheetgen.plan.pieces.subjects import PieceSubject
from sheetgen.render.pieces.parts import (
    BLEED,
    draw_field,
    draw_initials,
    draw_lines,
    draw_number,
    fit_words,
    tone_of,
    write_name,
)
from sheetgen.render.pieces.pen import Pen
from sheetgen.units import MM, Box


def token_field(size: float) -> tuple[float, float]:
    """Return the width and height of the picture of a token."""
    return size + 2 * BLEED, size + 2 * BLEED


def draw_token(pen: Pen, subject: PieceSubject, size: float) -> bool:
    """Draw a round token: the field up to the bleed, a ring, a band with the name.

    Below a picture, the band is lower and reaches to the ring, to leave room for a face.
    """
    style, middle = pen.style, size / 2
    box = Box(-BLEED, -BLEED, *token_field(size))
    draw_field(pen, subject, box, circle(middle, middle, middle + BLEED))
    # The band ends inside the ring, where a circle of this radius is as wide as the names.
    inset = max(1.1 * MM, size * 0.045)
    ring = middle - inset
    pictured = subject.picture is not None
    foot = size * (0.85 if pictured else 0.815)
    head = foot - max(size * 0.215, 1.84 * style.least + 1.6)
    text = _fit_chord(subject.name, size, ring, (head, foot), style)
    inner = min(size * 0.2, (head - inset) / 2 - 0.7 * MM)
    draw_initials(pen, subject, middle, (inset + head) / 2, inner)
    end = size if pictured else foot
    tone = style.colour(tone_of(subject))
    with pen.group(clip=circle(middle, middle, ring)):
        pen.draw_path(rectangle(Box(0, head, size, end - head)), style.colour("paper"))
        for y in (head, end):
            pen.draw_path(line(0, y, size, y), stroke=tone, width=0.7)
    pen.draw_path(circle(middle, middle, ring), stroke=tone, width=max(1.2, size * 0.02))
    write_name(pen, subject, text, middle, (head + foot) / 2)
    radius = max(2.6 * MM, size * 0.11)
    away = (ring - radius * 0.35) * 0.7071
    draw_number(pen, subject, middle + away, middle - away, radius)
    draw_lines(pen, circle(middle, middle, middle))
    return text.complete


def _fit_chord(
    name: str, size: float, ring: float, band: tuple[float, float], style: PieceStyle
) -> SetText:
    """Return a name that fits a band of a token; one line has more room than the band's foot."""
    head, foot = band
    most, high = max(size * 0.13, style.least), foot - head - 1.6

    def room(y: float) -> tuple[float, float]:
        return float(2 * (ring**2 - (y - size / 2) ** 2) ** 0.5 - 1.2 * MM), high

    face = style.find_face(name)
    line = fit_text(name, style, room((head + foot + most) / 2), most, 1, (face,))
    if line.complete and line.size >= most * 0.66:
        return line
    return fit_text(name, style, room(foot), most)


def _tab(width: float) -> float:
    return max(8 * MM, width * 0.25)


def standee_height(width: float) -> float:
    """Return the height of a standee of a width: two panels and two tabs."""
    return 4 * width + 2 * _tab(width)


def draw_standee(pen: Pen, subject: PieceSubject, width: float) -> bool:
    """Draw a standee: tab, back upside down, fold, front, tab.

    The picture of the back is the mirror image of the front about the fold, so that both sides
    have one outline. Words are turned, so that they can be read.
    """
    tab = _tab(width)
    fold, foot = tab + 2 * width, standee_height(width)
    box = Box(-BLEED, 0, *standee_field(width))
    with pen.group((1, 0, 0, 1, 0, fold)):
        draw_field(pen, subject, box, rectangle(box))
    with pen.silently(), pen.group((1, 0, 0, -1, 0, fold)):
        draw_field(pen, subject, box, rectangle(box))
    with pen.group((1, 0, 0, 1, 0, fold)):
        complete = _draw_panel(pen, subject, width, back=False)
    with pen.silently(), pen.group((-1, 0, 0, -1, width, fold)):
        _draw_panel(pen, subject, width, back=True)
    slope = min(2.5 * MM, tab / 3)
    cut = polygon(
        (slope, 0), (width - slope, 0), (width, tab), (width, foot - tab),
        (width - slope, foot), (slope, foot), (0, foot - tab), (0, tab),
    )  # fmt: skip
    draw_lines(pen, cut, *(line(0, y, width, y) for y in (tab, fold, foot - tab)))
    return complete


def _band(width: float) -> float:
    """Return where the band with the name begins on a panel."""
    return 2 * width - max(0.42 * width, 10 * MM)


def standee_field(width: float) -> tuple[float, float]:
    """Return the width and height of the picture on each side of a standee."""
    return width + 2 * BLEED, _band(width)


def _draw_panel(pen: Pen, subject: PieceSubject, width: float, *, back: bool) -> bool:
    """Draw what is over the ground of one side; return whether the name is complete."""
    style, high, head = pen.style, 2 * width, _band(width)
    draw_initials(pen, subject, width / 2, head / 2, width * 0.36)
    tone = style.colour(tone_of(subject))
    pen.draw_path(line(-BLEED, head, width + BLEED, head), stroke=tone, width=1.1)
    room, rest = width - 3 * MM, high - head
    name = fit_text(subject.name, style, (room, rest * 0.55), max(width * 0.15, style.least))
    about = fit_words(subject.about, style, (room, rest * 0.2), style.least)
    has_about = bool(subject.about) and about.complete
    write_name(pen, subject, name, width / 2, head + rest * (0.4 if has_about else 0.5))
    if has_about:
        pen.write(about, width / 2, high - 1.3 * MM, "label", 0.5)
    radius = max(3 * MM, width * 0.13)
    # Turned about the fold, the number of the back is behind that of the front.
    x = radius + 1.2 * MM if back else width - radius - 1.2 * MM
    draw_number(pen, subject, x, radius + 1.2 * MM, radius)
    return name.complete
