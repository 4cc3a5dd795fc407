"""What several kinds of pieces have: grounds, initials, names, numbers, frames."""

from __future__ import annotations

from typing import Final

from sheetgen.plan.pieces.shapes import PATTERNS, circle, pattern, polygon
from sheetgen.plan.pieces.style import PieceStyle, SetText, fit_text
from sheetgen.plan.pieces.subjects import PieceSubject
from sheetgen.render.html.face_styles import BARS, CORNERS
from sheetgen.render.pieces.pen import Pen
from sheetgen.units import MM, Box
from sheetgen.units.paths import stretch, transform

BLEED: Final = 1.5 * MM
"""How far areas extend beyond the cut."""

HAIR: Final = 0.3
"""The weight of lines to cut and to fold along."""

DASHES: Final = (2.4, 1.8)
"""Of lines to fold along."""

_FIGURES: Final = "figure-700"


def tone_of(subject: PieceSubject) -> str:
    """Return the colour of a subject: players have the ink, all others the accent."""
    return "ink" if subject.person else "accent"


def draw_field(pen: Pen, subject: PieceSubject, box: Box, clip: str) -> None:
    """Draw the ground of a piece: its picture, or the pattern of its group."""
    tone, unit, style = tone_of(subject), max(1.1 * MM, min(box.width, box.height) / 20), pen.style
    ground = style.colour(tone, 0.11) if style.tokens.fills else style.colour("paper")
    if (picture := subject.picture) is not None:
        with pen.group(clip=clip):
            pen.draw_path(clip, ground)
            pen.draw_picture(picture, box, picture.alt or subject.name)
        return
    colours = (style.colour(tone, 0.3), "", 0.0)
    if not style.tokens.fills:
        colours = ("", style.colour("line", 0.8), 0.35)
    place = " ".join(f"{side:.2f}" for side in (box.x, box.y, box.width, box.height))
    key = f"field {subject.group % len(PATTERNS)} {tone} {place}"
    path = pattern(subject.group, box, unit)
    pen.draw_once(key, clip, (clip, ground, "", 0.0), (path, *colours))


def draw_initials(pen: Pen, subject: PieceSubject, x: float, y: float, radius: float) -> None:
    """Draw the initials, on a disc that keeps the pattern away from them."""
    style = pen.style
    if subject.picture is not None or not style.drawable(subject.initials):
        return
    colour = style.colour(tone_of(subject))
    pen.draw_path(circle(x, y, radius), style.colour("paper"), colour, 0.7)
    text = fit_text(subject.initials, style, (radius * 1.35, radius * 1.1), radius * 1.25, 1)
    y += style.cap(text.face, text.size) / 2
    pen.write(text, x, y, tone_of(subject), 0.5, tag="")


def write_name(pen: Pen, subject: PieceSubject, text: SetText, x: float, middle: float) -> None:
    """Write a name whose capitals are centred about the height `middle`."""
    cap = pen.style.cap(text.face, text.size)
    first = middle - (cap + text.leading * (len(text.lines) - 1)) / 2 + cap
    pen.write(text, x, first, align=0.5, full=subject.name)


def draw_number(pen: Pen, subject: PieceSubject, x: float, y: float, radius: float) -> None:
    """Draw the number of a copy in a disc, with a line of paper around it."""
    if not subject.number:
        return
    style = pen.style
    pen.draw_path(circle(x, y, radius + 0.5), style.colour("paper"))
    pen.draw_path(circle(x, y, radius), style.colour("ink"))
    size = radius * (1.3 if len(subject.number) < 2 else 1.05)
    text = SetText((subject.number,), _FIGURES, size, complete=True)
    pen.write(text, x, y + style.cap(_FIGURES, size) / 2, "paper", 0.5)


def draw_lines(pen: Pen, cut: str, *folds: str) -> None:
    """Draw the lines to fold and to cut a piece along."""
    colour = pen.style.colour("line")
    for fold in folds:
        pen.draw_path(fold, stroke=colour, width=HAIR, dash=DASHES)
    pen.draw_path(cut, stroke=colour, width=HAIR)


def draw_accent(pen: Pen, box: Box) -> None:
    """Draw the bar of the accent that a game's pages have below a title."""
    path = stretch(BARS[pen.style.tokens.css["rule"]], box)
    pen.draw_path(path, pen.style.colour("accent"))


def draw_disc(pen: Pen, subject: PieceSubject, x: float, y: float, radius: float) -> None:
    """Draw a token's face: a picture, or a pattern with initials, in a ring."""
    box = Box(x - radius, y - radius, 2 * radius, 2 * radius)
    draw_field(pen, subject, box, circle(x, y, radius))
    draw_initials(pen, subject, x, y, radius * 0.56)
    pen.draw_path(circle(x, y, radius), stroke=pen.style.colour(tone_of(subject)), width=1.1)


def draw_frame(pen: Pen, width: float, high: float) -> None:
    """Draw a frame whose upper right corner has the form of a game's plates."""
    css, gap = pen.style.tokens.css, 2.5 * MM
    across, down, _, path = CORNERS[css["corner"]]
    size = float(css["cut-block"].split("pt")[0])
    wide, right, foot = across * size, width - gap, high - gap
    corner = transform(path, lambda x, y: (right - wide + x * wide, gap + y * down * size))
    edges = (gap, gap), (right - wide, gap), (right, foot), (gap, foot)
    start, end = polygon(*edges[:2]).removesuffix(" Z"), polygon(*edges[2:])
    frame = f"{start} {corner} L{end.removeprefix('M')}"
    weight = pen.style.tokens.length("w-stat")
    pen.draw_path(frame, stroke=pen.style.colour("ink"), width=weight)


def fit_words(
    text: str, style: PieceStyle, room: tuple[float, float], size: float, lines: int = 1
) -> SetText:
    """Return a text that is no name, set in the face of texts."""
    return fit_text(text, style, room, size, lines, ("text-400",))
