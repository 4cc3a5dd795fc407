"""Tokens, and standees to fold: figures on a map."""

from __future__ import annotations

from dataclasses import replace

from sheetgen.plan.pieces.marks import (
    WORD_FACES,
    GroupMark,
    Mark,
    PathMark,
    PictureMark,
    PieceStyle,
    SetText,
    fit_text,
)
from sheetgen.plan.pieces.parts import (
    BLEED,
    Piece,
    centre_lines,
    draw_field,
    draw_initials,
    draw_number,
    name_tags,
    place_lines,
    tone_of,
)
from sheetgen.plan.pieces.shapes import circle, line, polygon, rectangle
from sheetgen.plan.pieces.subjects import PieceSubject
from sheetgen.units import MM, Box


def token_field(size: float) -> tuple[float, float]:
    """Return the width and height of the picture of a token."""
    return size + 2 * BLEED, size + 2 * BLEED


def draw_token(subject: PieceSubject, size: float, style: PieceStyle) -> Piece:
    """Return a round token: the field up to the bleed, a ring, a band with the name.

    Below a picture, the band is lower and reaches to the ring, to leave room for a face.
    """
    middle, outer = size / 2, size / 2 + BLEED
    box = Box(-BLEED, -BLEED, *token_field(size))
    disc = circle(middle, middle, outer)
    marks: list[Mark] = [draw_field(subject, box, disc, style)]
    # The band ends inside the ring, where a circle of this radius is as wide as the names.
    inset = max(1.1 * MM, size * 0.045)
    ring = middle - inset
    pictured = subject.picture is not None
    foot = size * (0.85 if pictured else 0.815)
    head = foot - max(size * 0.215, 1.84 * style.least + 1.6)
    text = _fit_chord(subject.name, size, ring, (head, foot), style)
    inner = min(size * 0.2, (head - inset) / 2 - 0.7 * MM)
    monogram = Box(middle - inner, (inset + head) / 2 - inner, 2 * inner, 2 * inner)
    marks += draw_initials(subject, monogram, style)
    end = size if pictured else foot
    band = PathMark(rectangle(Box(0, head, size, end - head)), fill=style.colour("paper"))
    rules = (line(0, y, size, y) for y in (head, end))
    tone = style.colour(tone_of(subject))
    marks += [
        GroupMark(
            (band, *(PathMark(rule, stroke=tone, width=0.7) for rule in rules)),
            clip=circle(middle, middle, ring),
        ),
        PathMark(circle(middle, middle, ring), stroke=tone, width=max(1.2, size * 0.02)),
        centre_lines(text, middle, (head + foot) / 2, style, **name_tags(subject, text)),
    ]
    radius = max(2.6 * MM, size * 0.11)
    away = (ring - radius * 0.35) * 0.7071
    marks += draw_number(subject, middle + away, middle - away, radius, style)
    return Piece(tuple(marks), circle(middle, middle, middle), (), not text.complete)


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


def draw_standee(subject: PieceSubject, width: float, style: PieceStyle) -> Piece:
    """Return a standee: tab, back upside down, fold, front, tab.

    The picture of the back is the mirror image of the front about the fold, so that both sides
    have one outline. Words are turned, so that they can be read.
    """
    tab, high = _tab(width), 2 * width
    fold, foot = tab + high, standee_height(width)
    front, complete = _panel(subject, width, high, style, back=False)
    back, _ = _panel(subject, width, high, style, back=True)
    box = Box(-BLEED, 0, *standee_field(width))
    ground = draw_field(subject, box, rectangle(box), style)
    slope = min(2.5 * MM, tab / 3)
    cut = polygon(
        (slope, 0), (width - slope, 0), (width, tab), (width, foot - tab),
        (width - slope, foot), (slope, foot), (0, foot - tab), (0, tab),
    )  # fmt: skip
    marks = (
        GroupMark((ground,), (1, 0, 0, 1, 0, fold)),
        GroupMark((_silent(ground),), (1, 0, 0, -1, 0, fold)),
        GroupMark(front, (1, 0, 0, 1, 0, fold)),
        GroupMark(back, (-1, 0, 0, -1, width, fold)),
    )
    folds = tuple(line(0, y, width, y) for y in (tab, fold, foot - tab))
    return Piece(marks, cut, folds, not complete)


def _silent(group: GroupMark) -> GroupMark:
    """Return a group whose picture was shown before."""
    marks = (replace(one, alt="") if isinstance(one, PictureMark) else one for one in group.marks)
    return replace(group, marks=tuple(marks))


def _band(width: float, high: float) -> float:
    """Return where the band with the name begins on a panel."""
    return high - max(0.42 * width, 10 * MM)


def standee_field(width: float) -> tuple[float, float]:
    """Return the width and height of the picture on each side of a standee."""
    return width + 2 * BLEED, _band(width, 2 * width)


def _panel(
    subject: PieceSubject, width: float, high: float, style: PieceStyle, *, back: bool
) -> tuple[tuple[Mark, ...], bool]:
    """Return what is drawn over the ground of one side, and whether the name is complete."""
    head, tag = _band(width, high), "" if back else "P"
    tone = style.colour(tone_of(subject))
    marks: list[Mark] = []
    inner = width * 0.36
    monogram = Box(width / 2 - inner, head / 2 - inner, 2 * inner, 2 * inner)
    marks += draw_initials(subject, monogram, style)
    marks.append(PathMark(line(-BLEED, head, width + BLEED, head), stroke=tone, width=1.1))
    room = width - 3 * MM
    rest = high - head
    name = fit_text(subject.name, style, (room, rest * 0.55), max(width * 0.15, style.least))
    about = fit_text(subject.about, style, (room, rest * 0.2), style.least, 1, WORD_FACES)
    has_about = bool(subject.about) and about.complete
    middle = head + rest * (0.4 if has_about else 0.5)
    marks.append(centre_lines(name, width / 2, middle, style, **name_tags(subject, name, tag=tag)))
    if has_about:
        marks.append(
            place_lines(about, width / 2, high - 1.3 * MM, "label", style, "center", tag=tag)
        )
    radius = max(3 * MM, width * 0.13)
    # Turned about the fold, the number of the back is behind that of the front.
    x = radius + 1.2 * MM if back else width - radius - 1.2 * MM
    marks += draw_number(subject, x, radius + 1.2 * MM, radius, style, tag=tag)
    return tuple(marks), name.complete
