"""The four kinds of pieces: their sizes, and what is drawn on each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from sheetgen.plan.pages.encounter_views import Run
from sheetgen.plan.pieces.marks import (
    FIGURE_FACES,
    LABEL_FACES,
    WORD_FACES,
    GroupMark,
    Mark,
    PathMark,
    PictureMark,
    PieceStyle,
    SetText,
    WordsMark,
    fit_text,
)
from sheetgen.plan.pieces.shapes import (
    BARS,
    circle,
    line,
    pattern,
    plate,
    polygon,
    rectangle,
    stretch,
)
from sheetgen.plan.pieces.subjects import FactRow, PieceSubject
from sheetgen.units import MM, Box

BLEED: Final = 1.5 * MM
"""How far areas go on beyond the cut."""

HAIR: Final = 0.3
"""The weight of lines to cut and to fold along."""

DASHES: Final = (2.4, 1.8)

_FIGURES: Final = "figure-700"


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


@dataclass(frozen=True, slots=True)
class PieceKind:
    """A kind of pieces.

    Attributes:
        label: In the title of a page.
        usual: The width in millimetres, if nobody sets another.
        least, most: The bounds of the width.
        height: Returns the height of a piece of a width, in points.
        bleed: The bleed around each piece.
        folded: Whether there are lines to fold along.
        draw: Returns the piece of a width.
    """

    label: str
    usual: float
    least: float
    most: float
    height: Callable[[float], float]
    bleed: float
    folded: bool
    draw: Callable[[PieceSubject, float, PieceStyle], Piece]


# -- what several kinds draw ----------------------------------------------------------------------


def _tone(subject: PieceSubject) -> str:
    """Return the colour of a subject: players have the ink, all others the accent."""
    return "ink" if subject.person else "accent"


def _field(subject: PieceSubject, box: Box, clip: str, style: PieceStyle) -> GroupMark:
    """Return the ground of a piece: its picture, or the pattern of its group."""
    if subject.picture is not None:
        picture = PictureMark(subject.picture, box, subject.picture.alt or subject.name)
        return GroupMark((picture,), clip=clip)
    tone, unit = _tone(subject), max(1.1 * MM, min(box.width, box.height) / 20)
    path = pattern(subject.group, box, unit)
    if style.fills:
        ground = PathMark(clip, fill=style.colour(tone, 0.11))
        drawn = PathMark(path, fill=style.colour(tone, 0.3))
    else:
        ground = PathMark(clip, fill=style.colour("paper"))
        drawn = PathMark(path, stroke=style.colour("line", 0.8), width=0.35)
    size = f"{box.width:.2f} {box.height:.2f} {box.x:.2f} {box.y:.2f}"
    return GroupMark((ground, drawn), clip=clip, key=f"field {subject.group % 6} {tone} {size}")


def _monogram(subject: PieceSubject, box: Box, style: PieceStyle) -> Iterator[Mark]:
    """Yield the initials in a box, on a disc that keeps the pattern away from them."""
    if subject.picture is not None or not subject.initials:
        return
    x, y = box.x + box.width / 2, box.y + box.height / 2
    radius = min(box.width, box.height) / 2
    yield PathMark(circle(x, y, radius), style.colour("paper"), style.colour(_tone(subject)), 0.7)
    text = fit_text(subject.initials, style, (radius * 1.35, radius * 1.1), radius * 1.25, 1)
    yield _line(text, x, y + style.cap(text.face, text.size) / 2, _tone(subject), style, "center")


def _line(
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
    shown = style.colour(colour)
    return WordsMark(text.lines, x, y, text.face, text.size, shown, align, text.leading, tag, full)


def _block(
    text: SetText, x: float, middle: float, style: PieceStyle, align: str = "center", **more: str
) -> WordsMark:
    """Return lines of text whose capitals are centred about the height `middle`."""
    high = style.cap(text.face, text.size) + text.leading * (len(text.lines) - 1)
    first = middle - high / 2 + style.cap(text.face, text.size)
    return _line(text, x, first, "ink", style, align, **more)


def _name(subject: PieceSubject, text: SetText, *, tag: str = "P") -> dict[str, str]:
    """Return the tag of a name, and the complete text where a name is cut or set on lines."""
    return {"tag": tag, "full": subject.name if len(text.lines) > 1 or not text.complete else ""}


def _number(
    subject: PieceSubject, x: float, y: float, radius: float, style: PieceStyle, *, tag: str = "P"
) -> Iterator[Mark]:
    """Yield the number of a copy in a disc, with a line of paper around it."""
    if not subject.number:
        return
    yield PathMark(circle(x, y, radius + 0.5), fill=style.colour("paper"))
    yield PathMark(circle(x, y, radius), fill=style.colour("ink"))
    size = radius * (1.3 if len(subject.number) < 2 else 1.05)
    text = SetText((subject.number,), _FIGURES, size, complete=True)
    y += style.cap(_FIGURES, size) / 2
    yield _line(text, x, y, "paper", style, "center", tag=tag)


def _bar(x: float, y: float, width: float, height: float, style: PieceStyle) -> PathMark:
    """Return the bar of the accent that a game's pages have below a title."""
    path = stretch(BARS[style.tokens.css["rule"]], Box(x, y, width, height))
    return PathMark(path, fill=style.colour("accent"))


def _disc(
    subject: PieceSubject, x: float, y: float, radius: float, style: PieceStyle
) -> Iterator[Mark]:
    """Yield a token's face: a picture, or a pattern with initials, in a ring."""
    box = Box(x - radius, y - radius, 2 * radius, 2 * radius)
    yield _field(subject, box, circle(x, y, radius), style)
    inner = radius * 0.56
    yield from _monogram(subject, Box(x - inner, y - inner, 2 * inner, 2 * inner), style)
    yield PathMark(circle(x, y, radius), stroke=style.colour(_tone(subject)), width=1.1)


# -- tokens ---------------------------------------------------------------------------------------


def _draw_token(subject: PieceSubject, size: float, style: PieceStyle) -> Piece:
    """Return a round token: the field up to the bleed, a ring, a band with the name."""
    middle, outer = size / 2, size / 2 + BLEED
    box = Box(-BLEED, -BLEED, 2 * outer, 2 * outer)
    disc = circle(middle, middle, outer)
    marks: list[Mark] = [_field(subject, box, disc, style)]
    # The band ends inside the ring, where a circle of this radius is as wide as the names.
    inset = max(1.1 * MM, size * 0.045)
    ring = middle - inset
    head, foot = size * 0.6, size * 0.815
    half = (ring**2 - (foot - middle) ** 2) ** 0.5
    text = fit_text(
        subject.name, style, (2 * half - 1.2 * MM, foot - head - 1.6), max(size * 0.13, style.least)
    )
    inner = size * 0.2
    monogram = Box(middle - inner, size * 0.37 - inner, 2 * inner, 2 * inner)
    marks += _monogram(subject, monogram, style)
    band = PathMark(rectangle(Box(0, head, size, foot - head)), fill=style.colour("paper"))
    rules = (line(0, y, size, y) for y in (head, foot))
    tone = style.colour(_tone(subject))
    marks += [
        GroupMark(
            (band, *(PathMark(rule, stroke=tone, width=0.7) for rule in rules)),
            clip=circle(middle, middle, ring),
        ),
        PathMark(circle(middle, middle, ring), stroke=tone, width=max(1.2, size * 0.02)),
        _block(text, middle, (head + foot) / 2, style, **_name(subject, text)),
    ]
    radius = max(2.6 * MM, size * 0.11)
    away = (ring - radius * 0.35) * 0.7071
    marks += _number(subject, middle + away, middle - away, radius, style)
    return Piece(tuple(marks), circle(middle, middle, middle), (), not text.complete)


# -- standees -------------------------------------------------------------------------------------


def _tab(width: float) -> float:
    return max(8 * MM, width * 0.25)


def _standee_height(width: float) -> float:
    return 4 * width + 2 * _tab(width)


def _draw_standee(subject: PieceSubject, width: float, style: PieceStyle) -> Piece:
    """Return a standee: tab, back upside down, fold, front, tab.

    The picture of the back is the mirror image of the front about the fold, so that both sides
    have one outline. Words are turned, so that they can be read.
    """
    tab, high = _tab(width), 2 * width
    fold, foot = tab + high, _standee_height(width)
    front, complete = _panel(subject, width, high, style, back=False)
    back, _ = _panel(subject, width, high, style, back=True)
    ground = _panel_ground(subject, width, high, style)
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
    marks = tuple(
        PictureMark(one.picture, one.box) if isinstance(one, PictureMark) else one
        for one in group.marks
    )
    return GroupMark(marks, group.matrix, group.clip, group.key)


def _band(width: float, high: float) -> float:
    """Return where the band with the name begins on a panel."""
    return high - max(0.42 * width, 10 * MM)


def _panel_ground(subject: PieceSubject, width: float, high: float, style: PieceStyle) -> GroupMark:
    box = Box(-BLEED, 0, width + 2 * BLEED, _band(width, high))
    return _field(subject, box, rectangle(box), style)


def _panel(
    subject: PieceSubject, width: float, high: float, style: PieceStyle, *, back: bool
) -> tuple[tuple[Mark, ...], bool]:
    """Return what is drawn over the ground of one side, and whether the name is complete."""
    head, tag = _band(width, high), "" if back else "P"
    tone = style.colour(_tone(subject))
    marks: list[Mark] = []
    inner = width * 0.36
    monogram = Box(width / 2 - inner, head / 2 - inner, 2 * inner, 2 * inner)
    marks += _monogram(subject, monogram, style)
    marks.append(PathMark(line(-BLEED, head, width + BLEED, head), stroke=tone, width=1.1))
    room = width - 3 * MM
    rest = high - head
    name = fit_text(subject.name, style, (room, rest * 0.55), max(width * 0.15, style.least))
    about = fit_text(subject.about, style, (room, rest * 0.2), style.least, 1, WORD_FACES)
    has_about = bool(subject.about) and about.complete
    middle = head + rest * (0.4 if has_about else 0.5)
    marks.append(_block(name, width / 2, middle, style, **_name(subject, name, tag=tag)))
    if has_about:
        marks.append(_line(about, width / 2, high - 1.3 * MM, "label", style, "center", tag=tag))
    radius = max(3 * MM, width * 0.13)
    # Turned about the fold, the number of the back is behind that of the front.
    x = radius + 1.2 * MM if back else width - radius - 1.2 * MM
    marks += _number(subject, x, radius + 1.2 * MM, radius, style, tag=tag)
    return tuple(marks), name.complete


# -- tents ----------------------------------------------------------------------------------------


def _tent_side(width: float) -> float:
    return min(0.62 * width, 62 * MM)


def _draw_tent(subject: PieceSubject, width: float, style: PieceStyle) -> Piece:
    """Return a tent: the back upside down, the fold, the front. Both have the name."""
    high = _tent_side(width)
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
    marks: list[Mark] = list(_frame(width, high, style))
    margin, radius = 5.5 * MM, high * 0.25
    marks += _disc(subject, margin + radius, high / 2, radius, style)
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
    name = fit_text(subject.name, style, (inner, high * 0.48), most)
    about = fit_text(
        subject.about, style, (room, high * 0.2), max(style.least, most * 0.32), 2, WORD_FACES
    )
    cap, bar = style.cap(name.face, name.size), 2.6
    block = cap + name.leading * (len(name.lines) - 1) + 3.2 * MM + bar
    block += (2.4 * MM + about.leading * len(about.lines)) if subject.about else 0
    first = (high - block) / 2 + cap
    marks: list[Mark] = [_line(name, left, first, "ink", style, **_name(subject, name))]
    wide = max(style.width(text, name.face, name.size) for text in name.lines)
    marks += _number(subject, left + wide + radius + 2 * MM, first - cap / 2, radius, style)
    y = first + name.leading * (len(name.lines) - 1) + 3.2 * MM
    marks.append(_bar(left, y, min(18 * MM, room), bar, style))
    if subject.about:
        y += bar + 2.4 * MM + style.cap(about.face, about.size)
        marks.append(
            _line(
                about,
                left,
                y,
                "ink",
                style,
                tag="P",
                full=subject.about if len(about.lines) > 1 else "",
            )
        )
    return marks, name.complete


def _frame(width: float, high: float, style: PieceStyle) -> Iterator[Mark]:
    """Yield the plate of a game as a frame."""
    corner, weight = style.tokens.css["corner"], style.points("w-stat")
    size = float(style.tokens.css["cut-block"].split("pt")[0])
    box = Box(2.5 * MM, 2.5 * MM, width - 5 * MM, high - 5 * MM)
    yield PathMark(plate(box, corner, size), stroke=style.colour("ink"), width=weight)


def _tent_back(
    subject: PieceSubject, width: float, high: float, style: PieceStyle
) -> tuple[Mark, ...]:
    """Return the side that the owner sees: the name, and what is looked up."""
    margin = 5.5 * MM
    marks: list[Mark] = list(_frame(width, high, style))
    if not subject.facts:
        more, _ = _title(subject, margin, width - 2 * margin, high, style, high * 0.24)
        return (*marks, *(_without_tag(one) for one in more))
    room = width - 2 * margin
    name = fit_text(subject.name, style, (room - 10 * MM, high * 0.2), high * 0.17, 1)
    y = margin + style.cap(name.face, name.size) + 0.6 * MM
    marks.append(_line(name, margin, y, "ink", style))
    wide = style.width(name.lines[0], name.face, name.size)
    radius = 2.8 * MM
    marks += _number(
        subject,
        margin + wide + radius + 1.4 * MM,
        y - style.cap(name.face, name.size) / 2,
        radius,
        style,
        tag="",
    )
    y += 1.2 * MM + 0.16 * name.size
    marks.append(
        PathMark(
            line(margin, y, width - margin, y),
            stroke=style.colour("ink"),
            width=style.points("w-section"),
        )
    )
    marks.append(_bar(margin, y, 12 * MM, 2.2, style))
    return (
        *marks,
        *_facts(subject.facts, Box(margin, y + 1 * MM, room, high - y - 1 * MM - 4 * MM), style),
    )


def _without_tag(mark: Mark) -> Mark:
    if not isinstance(mark, WordsMark):
        return mark
    return WordsMark(
        mark.lines, mark.x, mark.y, mark.face, mark.size, mark.colour, mark.align, mark.leading
    )


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
        yield _line(heading, cell.x, y, "label", style, tag="P")
    y += least * 1.25
    label = fit_text(run.label, style, (cell.width - 3, least), least, 1, LABEL_FACES)
    yield _line(
        label, cell.x, y, "ink", style, tag="P", full=run.label if not label.complete else ""
    )
    left = cell.y + cell.height - y
    if run.dice:
        yield from _dice(run, Box(cell.x, y + 2, cell.width - 3, max(0.0, left - 4)), style)
        return
    size = max(least, min(left * 0.8, cell.height * 0.42, 19))
    text = f"{run.text}{run.small}"
    figure = fit_text(text, style, (cell.width - 3, left - 4), size, 2, FIGURE_FACES)
    y += 4 + style.cap(figure.face, figure.size)
    full = "" if figure.complete else text
    yield _line(figure, cell.x, y, "ink", style, tag="P", full=full)


def _dice(run: Run, box: Box, style: PieceStyle) -> Iterator[Mark]:
    """Yield dice in a row, or in rows where there are many; words for screen readers."""
    side = min(12.0, box.height, box.width / min(len(run.dice), 4))
    across = max(1, int(box.width // side))
    for n, die in enumerate(run.dice):
        shape = style.tokens.shapes.get(die.replace("_", "-"))
        if shape is None:
            continue
        place = Box(box.x + n % across * side, box.y + n // across * side, side - 1, side - 1)
        fill = style.colour(shape.fill) if shape.fill else ""
        stroke = style.colour(shape.stroke) if shape.stroke else ""
        yield PathMark(stretch(shape.path, place), fill, stroke, shape.width)


# -- badges ---------------------------------------------------------------------------------------


def _badge_height(width: float) -> float:
    return 0.6 * width


def _draw_badge(subject: PieceSubject, width: float, style: PieceStyle) -> Piece:
    """Return a name badge, for a holder or with a pin."""
    high = _badge_height(width)
    marks, complete = _tent_front(subject, width, high, style)
    return Piece(marks, rectangle(Box(0, 0, width, high)), (), not complete)


KINDS: Final[Mapping[str, PieceKind]] = {
    "token": PieceKind("Tokens", 25, 20, 100, lambda width: width, BLEED, False, _draw_token),
    "standee": PieceKind("Standees", 25, 20, 50, _standee_height, BLEED, True, _draw_standee),
    "tent": PieceKind("Tents", 90, 60, 190, lambda w: 2 * _tent_side(w), 0, True, _draw_tent),
    "badge": PieceKind("Badges", 90, 60, 130, _badge_height, 0, False, _draw_badge),
}
"""Kinds of pieces by the name that commands and books use."""
