"""What several kinds of pieces have: grounds, initials, names, numbers, frames."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sheetgen.plan.pieces.marks import (
    GroupMark,
    Mark,
    PathMark,
    PictureMark,
    PieceStyle,
    SetText,
    WordsMark,
    fit_text,
)
from sheetgen.plan.pieces.shapes import BARS, PATTERNS, circle, pattern, plate, stretch
from sheetgen.plan.pieces.subjects import PieceSubject
from sheetgen.units import MM, Box

BLEED: Final = 1.5 * MM
"""How far areas extend beyond the cut."""

HAIR: Final = 0.3
"""The weight of lines to cut and to fold along."""

DASHES: Final = (2.4, 1.8)

FIGURES: Final = "figure-700"


@dataclass(frozen=True, slots=True)
class Piece:
    """A drawn piece; its upper left corner is the origin.

    Attributes:
        cut: Paths to cut along.
        folds: Paths to fold along.
        shortened: Whether a part of the name was left out.
    """

    marks: tuple[Mark, ...]
    cut: str
    folds: tuple[str, ...] = ()
    shortened: bool = False


def tone_of(subject: PieceSubject) -> str:
    """Return the colour of a subject: players have the ink, all others the accent."""
    return "ink" if subject.person else "accent"


def draw_field(subject: PieceSubject, box: Box, clip: str, style: PieceStyle) -> GroupMark:
    """Return the ground of a piece: its picture, or the pattern of its group."""
    tone, unit = tone_of(subject), max(1.1 * MM, min(box.width, box.height) / 20)
    ground = PathMark(clip, fill=style.colour(tone, 0.11) if style.fills else style.colour("paper"))
    if (picture := subject.picture) is not None:
        shown = PictureMark(picture, box, picture.alt or subject.name)
        return GroupMark((ground, shown), clip=clip)
    path = pattern(subject.group, box, unit)
    if style.fills:
        drawn = PathMark(path, fill=style.colour(tone, 0.3))
    else:
        drawn = PathMark(path, stroke=style.colour("line", 0.8), width=0.35)
    place = " ".join(f"{side:.2f}" for side in (box.x, box.y, box.width, box.height))
    key = f"field {subject.group % len(PATTERNS)} {tone} {place}"
    return GroupMark((ground, drawn), clip=clip, key=key)


def draw_initials(subject: PieceSubject, box: Box, style: PieceStyle) -> Iterator[Mark]:
    """Yield the initials in a box, on a disc that keeps the pattern away from them."""
    if subject.picture is not None or not style.drawable(subject.initials):
        return
    x, y = box.x + box.width / 2, box.y + box.height / 2
    radius = min(box.width, box.height) / 2
    yield PathMark(circle(x, y, radius), style.colour("paper"), style.colour(tone_of(subject)), 0.7)
    text = fit_text(subject.initials, style, (radius * 1.35, radius * 1.1), radius * 1.25, 1)
    y += style.cap(text.face, text.size) / 2
    yield place_lines(text, x, y, tone_of(subject), style, "center")


def place_lines(
    text: SetText,
    x: float,
    y: float,
    colour: str,
    style: PieceStyle,
    align: str = "left",
    *,
    tag: str = "",
    full: str = "",
) -> WordsMark:
    """Return lines of text that begin on the baseline `y`."""
    shown = style.colour(colour)
    return WordsMark(text.lines, x, y, text.face, text.size, shown, align, text.leading, tag, full)


def centre_lines(
    text: SetText, x: float, middle: float, style: PieceStyle, align: str = "center", **more: str
) -> WordsMark:
    """Return lines of text whose capitals are centred about the height `middle`."""
    high = style.cap(text.face, text.size) + text.leading * (len(text.lines) - 1)
    first = middle - high / 2 + style.cap(text.face, text.size)
    return place_lines(text, x, first, "ink", style, align, **more)


def name_tags(subject: PieceSubject, text: SetText, *, tag: str = "P") -> dict[str, str]:
    """Return the tag of a name, and the text that replaces what is set of it."""
    return {"tag": tag, "full": text.replacement(subject.name)}


def draw_number(
    subject: PieceSubject, x: float, y: float, radius: float, style: PieceStyle, *, tag: str = "P"
) -> Iterator[Mark]:
    """Yield the number of a copy in a disc, with a line of paper around it."""
    if not subject.number:
        return
    yield PathMark(circle(x, y, radius + 0.5), fill=style.colour("paper"))
    yield PathMark(circle(x, y, radius), fill=style.colour("ink"))
    size = radius * (1.3 if len(subject.number) < 2 else 1.05)
    text = SetText((subject.number,), FIGURES, size, complete=True)
    y += style.cap(FIGURES, size) / 2
    yield place_lines(text, x, y, "paper", style, "center", tag=tag)


def accent_bar(x: float, y: float, width: float, height: float, style: PieceStyle) -> PathMark:
    """Return the bar of the accent that a game's pages have below a title."""
    path = stretch(BARS[style.tokens.css["rule"]], Box(x, y, width, height))
    return PathMark(path, fill=style.colour("accent"))


def draw_disc(
    subject: PieceSubject, x: float, y: float, radius: float, style: PieceStyle
) -> Iterator[Mark]:
    """Yield a token's face: a picture, or a pattern with initials, in a ring."""
    box = Box(x - radius, y - radius, 2 * radius, 2 * radius)
    yield draw_field(subject, box, circle(x, y, radius), style)
    inner = radius * 0.56
    yield from draw_initials(subject, Box(x - inner, y - inner, 2 * inner, 2 * inner), style)
    yield PathMark(circle(x, y, radius), stroke=style.colour(tone_of(subject)), width=1.1)


def draw_frame(width: float, high: float, style: PieceStyle) -> Iterator[Mark]:
    """Yield the plate of a game as a frame."""
    corner, weight = style.tokens.css["corner"], style.points("w-stat")
    size = float(style.tokens.css["cut-block"].split("pt")[0])
    box = Box(2.5 * MM, 2.5 * MM, width - 5 * MM, high - 5 * MM)
    yield PathMark(plate(box, corner, size), stroke=style.colour("ink"), width=weight)
