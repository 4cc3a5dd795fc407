"""The kinds of pieces and their sizes, how each is drawn, and pages of them."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from sheetgen.load.designs.templates import EMBLEM
from sheetgen.plan.imposition import MARGIN, CardGrid, Misfit
from sheetgen.plan.pages.encounters import Run
from sheetgen.plugins.tabletop import pen as pens
from sheetgen.records import frozen
from sheetgen.render.html.styles import BARS, CORNERS
from sheetgen.render.press.page_objects import DocumentInfo
from sheetgen.units import MM, Box, paper_points, stretch, transform

# What several kinds of pieces have: grounds, initials, names, numbers, frames.


BLEED: Final = 1.5 * MM  # How far areas extend beyond the cut
HAIR: Final = 0.3  # The weight of lines to cut and to fold along
DASHES: Final = (2.4, 1.8)  # Of lines to fold along
_FIGURES: Final = "figure-700"


def tone_of(subject: pens.PieceSubject) -> str:
    """Return the colour of a subject: players have the ink, all others the accent."""
    return "ink" if subject.person else "accent"


def draw_field(pen: pens.Pen, subject: pens.PieceSubject, box: Box, clip: str) -> None:
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
    key = f"field {subject.group % len(pens.PATTERNS)} {tone} {place}"
    path = pens.pattern(subject.group, box, unit)
    pen.draw_once(key, clip, (clip, ground, "", 0.0), (path, *colours))


def draw_emblem(pen: pens.Pen, one: pens.PieceSubject, x: float, y: float, radius: float) -> None:
    """Draw the silhouette, or the initials, on a disc that keeps the pattern away from them."""
    style, initials = pen.style, one.initials
    silhouette = style.tokens.shapes.get(f"{EMBLEM}{one.emblem}")
    missing = not initials or style.find_missing(initials)
    if one.picture is not None or (silhouette is None and missing):
        return
    colour, paper = style.colour(tone_of(one)), style.colour("paper")
    radius *= 1 if silhouette is None else 1.12
    pen.draw_path(pens.circle(x, y, radius), paper, colour, 0.7)
    if silhouette is not None:
        side = 1.4 * radius
        path = stretch(silhouette.path, Box(x - side / 2, y - side / 2, side, side))
        pen.draw_path(path, style.colour("ink"), paper, silhouette.weight * side, solid=True)
        return
    text = pens.fit_text(initials, style, (radius * 1.35, radius * 1.1), radius * 1.25, 1)
    y += style.cap(text.face, text.size) / 2
    pen.write(text, x, y, tone_of(one), 0.5, tag="")


def write_name(
    pen: pens.Pen, subject: pens.PieceSubject, text: pens.SetText, x: float, middle: float
) -> None:
    """Write a name whose capitals are centred about the height `middle`."""
    cap = pen.style.cap(text.face, text.size)
    first = middle - (cap + text.leading * (len(text.lines) - 1)) / 2 + cap
    pen.write(text, x, first, align=0.5, full=subject.name)


def draw_number(pen: pens.Pen, one: pens.PieceSubject, x: float, y: float, radius: float) -> None:
    """Draw the number of a copy in a disc, with a line of paper around it."""
    if not one.number:
        return
    style = pen.style
    pen.draw_path(pens.circle(x, y, radius + 0.5), style.colour("paper"))
    pen.draw_path(pens.circle(x, y, radius), style.colour("ink"))
    size = radius * (1.3 if len(one.number) < 2 else 1.05)
    text = pens.SetText((one.number,), _FIGURES, size, complete=True)
    pen.write(text, x, y + style.cap(_FIGURES, size) / 2, "paper", 0.5)


def draw_lines(pen: pens.Pen, cut: str, *folds: str) -> None:
    """Draw the lines to fold and to cut a piece along."""
    colour = pen.style.colour("line")
    for fold in folds:
        pen.draw_path(fold, stroke=colour, width=HAIR, dash=DASHES)
    pen.draw_path(cut, stroke=colour, width=HAIR)


def draw_accent(pen: pens.Pen, box: Box) -> None:
    """Draw the bar of the accent that a game's pages have below a title."""
    pen.draw_path(stretch(BARS[pen.style.tokens.css["rule"]], box), pen.style.colour("accent"))


def draw_frame(pen: pens.Pen, width: float, high: float) -> None:
    """Draw a frame whose upper right corner has the form of a game's plates."""
    css, gap = pen.style.tokens.css, 2.5 * MM
    across, down, _, path = CORNERS[css["corner"]]
    size = float(css["cut-block"].split("pt")[0])
    wide, right, foot = across * size, width - gap, high - gap
    corner = transform(path, lambda x, y: (right - wide + x * wide, gap + y * down * size))
    edges = (gap, gap), (right - wide, gap), (right, foot), (gap, foot)
    start, end = pens.polygon(*edges[:2]).removesuffix(" Z"), pens.polygon(*edges[2:])
    frame = f"{start} {corner} L{end.removeprefix('M')}"
    pen.draw_path(frame, stroke=pen.style.colour("ink"), width=pen.style.tokens.length("w-stat"))


def fit_words(
    text: str, style: pens.PieceStyle, room: tuple[float, float], size: float, lines: int = 1
) -> pens.SetText:
    """Return a text that is no name, set in the face of texts."""
    return pens.fit_text(text, style, room, size, lines, ("text-400",))


# Tokens, and standees to fold: figures on a map.


def draw_token(pen: pens.Pen, subject: pens.PieceSubject, size: float) -> bool:
    """Draw a round token: field, ring, and a band with the name, lower below a picture's face."""
    style, middle = pen.style, size / 2
    box = Box(-BLEED, -BLEED, size + 2 * BLEED, size + 2 * BLEED)
    draw_field(pen, subject, box, pens.circle(middle, middle, middle + BLEED))
    # The band ends inside the ring, where a circle of this radius is as wide as the names.
    inset = max(1.1 * MM, size * 0.045)
    ring = middle - inset
    pictured = subject.picture is not None
    foot = size * (0.85 if pictured else 0.815)
    tall = max(size * 0.215 - 1.6, 1.84 * style.least)  # of two lines, with air above and below
    head = foot - tall - 2.9
    # One line has more room than the band's foot.
    most = max(size * 0.13, style.least)

    def room(y: float) -> tuple[float, float]:
        return float(2 * (ring**2 - (y - middle) ** 2) ** 0.5 - 1.2 * MM), tall

    face = style.find_face(subject.name)
    text = pens.fit_text(subject.name, style, room((head + foot + most) / 2), most, 1, (face,))
    if not (text.complete and text.size >= most * 0.66):
        # A long word stays whole in a narrower face.
        whole = pens.fit_text(subject.name, style, room((head + foot + most) / 2), most, 1)
        text = pens.fit_text(subject.name, style, room(foot), most)
        text = whole if whole.complete and " " not in subject.name else text
    inner = min(size * 0.2, (head - inset) / 2 - 0.7 * MM)
    draw_emblem(pen, subject, middle, (inset + head) / 2, inner)
    end = size if pictured else foot
    tone = style.colour(tone_of(subject))
    with pen.group(clip=pens.circle(middle, middle, ring)):
        pen.draw_path(pens.rectangle(Box(0, head, size, end - head)), style.colour("paper"))
        for y in (head, end):
            pen.draw_path(pens.line(0, y, size, y), stroke=tone, width=0.7)
    pen.draw_path(pens.circle(middle, middle, ring), stroke=tone, width=max(1.2, size * 0.02))
    write_name(pen, subject, text, middle, (head + foot) / 2)
    radius = max(2.6 * MM, size * 0.11)
    away = (ring - radius * 0.35) * 0.7071
    draw_number(pen, subject, middle + away, middle - away, radius)
    draw_lines(pen, pens.circle(middle, middle, middle))
    return text.complete


def _tab(width: float) -> float:
    return max(8 * MM, width * 0.25)


def standee_height(width: float) -> float:
    """Return the height of a standee of a width: two panels and two tabs."""
    return 4 * width + 2 * _tab(width)


def draw_standee(pen: pens.Pen, subject: pens.PieceSubject, width: float) -> bool:
    """Draw a standee: tab, back upside down, fold, front, tab.

    The picture of the back is the mirror image of the front about the fold, so that both sides
    have one outline. Words are turned, so that they can be read.
    """
    tab = _tab(width)
    fold, foot = tab + 2 * width, standee_height(width)
    box = Box(-BLEED, 0, width + 2 * BLEED, _band(width))
    with pen.group((1, 0, 0, 1, 0, fold)):
        draw_field(pen, subject, box, pens.rectangle(box))
    with pen.silently(), pen.group((1, 0, 0, -1, 0, fold)):
        draw_field(pen, subject, box, pens.rectangle(box))
    with pen.group((1, 0, 0, 1, 0, fold)):
        complete = _draw_panel(pen, subject, width, back=False)
    with pen.silently(), pen.group((-1, 0, 0, -1, width, fold)):
        _draw_panel(pen, subject, width, back=True)
    slope = min(2.5 * MM, tab / 3)
    cut = pens.polygon(
        (slope, 0), (width - slope, 0), (width, tab), (width, foot - tab),
        (width - slope, foot), (slope, foot), (0, foot - tab), (0, tab),
    )  # fmt: skip
    draw_lines(pen, cut, *(pens.line(0, y, width, y) for y in (tab, fold, foot - tab)))
    return complete


def _band(width: float) -> float:
    return 2 * width - max(0.42 * width, 10 * MM)


def _draw_panel(pen: pens.Pen, subject: pens.PieceSubject, width: float, *, back: bool) -> bool:
    """Draw what is over the ground of one side; return whether the name is complete."""
    style, high, head = pen.style, 2 * width, _band(width)
    draw_emblem(pen, subject, width / 2, head / 2, width * 0.36)
    tone = style.colour(tone_of(subject))
    pen.draw_path(pens.line(-BLEED, head, width + BLEED, head), stroke=tone, width=1.1)
    room, rest = width - 3 * MM, high - head
    name = pens.fit_text(subject.name, style, (room, rest * 0.55), max(width * 0.15, style.least))
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


# Tents to fold and name badges: the name large, and what is looked up on the back.


_MARGIN: Final = 5.5 * MM

_DISC: Final = 0.25  # The radius of the disc beside a name, in heights of its side
_COLUMNS: Final = 5  # The most figures in a row; more take another row
_BADGE: Final = 0.6  # The height of a badge, in widths


def tent_side(width: float) -> float:
    """Return the height of one side of a tent of a width."""
    return min(0.62 * width, 62 * MM)


def draw_tent(pen: pens.Pen, subject: pens.PieceSubject, width: float) -> bool:
    """Draw a tent: the back upside down, the fold, the front. Both have the name."""
    high = tent_side(width)
    with pen.group((1, 0, 0, 1, 0, high)):
        complete = _draw_front(pen, subject, width, high)
    with pen.group((-1, 0, 0, -1, width, high)):
        _draw_back(pen, subject, width, high)
    draw_lines(pen, pens.rectangle(Box(0, 0, width, 2 * high)), pens.line(0, high, width, high))
    return complete


def draw_badge(pen: pens.Pen, subject: pens.PieceSubject, width: float) -> bool:
    """Draw a name badge, for a holder or with a pin."""
    high = _BADGE * width
    complete = _draw_front(pen, subject, width, high)
    draw_lines(pen, pens.rectangle(Box(0, 0, width, high)))
    return complete


def _draw_front(pen: pens.Pen, subject: pens.PieceSubject, width: float, high: float) -> bool:
    """Draw the frame, a disc with a picture or initials in a ring, and the name beside it."""
    draw_frame(pen, width, high)
    radius, y = high * _DISC, high / 2
    x = _MARGIN + radius
    box = Box(x - radius, y - radius, 2 * radius, 2 * radius)
    draw_field(pen, subject, box, pens.circle(x, y, radius))
    draw_emblem(pen, subject, x, y, radius * 0.56)
    pen.draw_path(pens.circle(x, y, radius), stroke=pen.style.colour(tone_of(subject)), width=1.1)
    left = _MARGIN + 2 * radius + 4 * MM
    return _draw_title(pen, subject, left, width - _MARGIN - left, high)


def _draw_title(
    pen: pens.Pen,
    subject: pens.PieceSubject,
    left: float,
    room: float,
    high: float,
    share: float = 0.24,
) -> bool:
    """Draw the name, at most `share` of the height, its bar and words; return if it is complete."""
    style, radius, most, bar = pen.style, 3 * MM, high * share, 2.6
    inner = room - (2 * radius + 2 * MM if subject.number else 0)
    name = pens.fit_text(subject.name, style, (inner, high * 0.48), most, 3)
    about = fit_words(subject.about, style, (room, high * 0.2), max(style.least, high * 0.077), 2)
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


def _draw_back(pen: pens.Pen, subject: pens.PieceSubject, width: float, high: float) -> None:
    """Draw the side that the owner sees: the name, and what is looked up."""
    style, room = pen.style, width - 2 * _MARGIN
    draw_frame(pen, width, high)
    if not subject.facts:
        with pen.silently():
            _draw_title(pen, subject, _MARGIN, room, high, 0.34)
        return
    name = pens.fit_text(subject.name, style, (room - 10 * MM, high * 0.2), high * 0.17, 1)
    cap = style.cap(name.face, name.size)
    y = _MARGIN + cap + 0.6 * MM
    wide = style.width("".join(name.lines), name.face, name.size)
    radius = 2.8 * MM
    with pen.silently():
        pen.write(name, _MARGIN, y)
        draw_number(pen, subject, _MARGIN + wide + radius + 1.4 * MM, y - cap / 2, radius)
    y += 1.2 * MM + 0.16 * name.size
    rule, weight = pens.line(_MARGIN, y, width - _MARGIN, y), style.tokens.length("w-section")
    pen.draw_path(rule, stroke=style.colour("ink"), width=weight)
    draw_accent(pen, Box(_MARGIN, y, 12 * MM, 2.2))
    rows: list[list[tuple[str, Run]]] = []
    for fact in subject.facts:
        cells = [(fact.about if n == 0 else "", run) for n, run in enumerate(fact.runs)]
        if rows and len(rows[-1]) == 1 and len(cells) < _COLUMNS:
            rows[-1] += cells
            continue
        count = -(-len(cells) // -(-len(cells) // _COLUMNS))
        rows += [cells[at : at + count] for at in range(0, len(cells), count)]
    box = Box(_MARGIN, y + 1 * MM, room, high - y - 1 * MM - 4 * MM)
    wide, step = box.width / max([4, *map(len, rows)]), box.height / len(rows)
    for n, row in enumerate(rows):
        for column, (about, run) in enumerate(row):
            cell = Box(box.x + column * wide, box.y + n * step, wide, step)
            _draw_fact(pen, about, run, cell, box.x + box.width - cell.x)


def _draw_fact(pen: pens.Pen, about: str, run: Run, cell: Box, room: float) -> None:
    """Draw a figure: the heading of its row, its label, and the figure below them."""
    style, least = pen.style, pen.style.least
    y = cell.y + least * 0.95
    if about:
        pen.write(fit_words(about, style, (room, least), least), cell.x, y, "label")
    y += least * 1.25
    label = pens.fit_text(run.label, style, (cell.width - 3, least), least, 1, pens.LABEL_FACES)
    shapes = [style.tokens.shapes.get(die.replace("_", "-")) for die in run.dice]
    drawn = bool(shapes) and None not in shapes
    pen.write(label, cell.x, y, full=f"{run.label}: {run.text}" if drawn else run.label)
    left = cell.y + cell.height - y
    if drawn:
        # Dice in rows, as large as the room lets them be. Three fit in a row; a little less, since
        # the quotient may be rounded up.
        wide, high = cell.width - 8, max(1.0, left - 4)
        side = min(14.0, wide / 3) - 0.01
        while -(-len(shapes) // int(wide // side)) * side > high and side > 1:
            side *= 0.95
        across = int(wide // side)
        for n, shape in enumerate(one for one in shapes if one is not None):
            x, top = cell.x + n % across * side, y + 2 + n // across * side
            fill, stroke = (style.colour(one) if one else "" for one in (shape.fill, shape.stroke))
            path = stretch(shape.path, Box(x, top, side - 1, side - 1))
            pen.draw_path(path, fill, stroke, shape.width)
        return
    size = max(least, min(left * 0.8, cell.height * 0.42, 24))
    text = f"{run.text}{run.small}"
    figure = pens.fit_text(text, style, (cell.width - 11, left - 4), size, 2, pens.FIGURE_FACES)
    pen.write(figure, cell.x, y + 4 + style.cap(figure.face, figure.size), full=text)


@frozen
class PieceKind:
    """A kind of pieces."""

    label: str  # In the title of a page
    usual: float  # The width in millimetres, if nobody sets another
    least: float  # This and `most` are the bounds of the width
    most: float
    height: Callable[[float], float]  # Returns the height of a piece of a width, in points
    field: Callable[[float], tuple[float, float]]  # Returns the width and height of its picture
    bleed: float  # The bleed around each piece
    folded: bool  # Whether there are lines to fold along
    # Draws the piece of a width; returns whether all of its name is there
    draw: Callable[[pens.Pen, pens.PieceSubject, float], bool]


KINDS: Final[Mapping[str, PieceKind]] = {
    "token": PieceKind(
        *("Tokens", 25, 20, 100, float),
        *(lambda size: (size + 2 * BLEED, size + 2 * BLEED), BLEED, False, draw_token),
    ),
    "standee": PieceKind(
        *("Standees", 25, 20, 52, standee_height),
        *(lambda width: (width + 2 * BLEED, _band(width)), BLEED, True, draw_standee),
    ),
    "tent": PieceKind(
        *("Tents", 90, 60, 190, lambda width: 2 * tent_side(width)),
        *(lambda width: (2 * _DISC * tent_side(width),) * 2, 0, True, draw_tent),
    ),
    "badge": PieceKind(
        *("Badges", 90, 60, 130, lambda width: _BADGE * width),
        *(lambda width: (2 * _DISC * _BADGE * width,) * 2, 0, False, draw_badge),
    ),
}
"""Kinds of pieces by the name that commands and books use."""


GAP: Final = 3 * MM  # The least distance of two pieces
_TOP: Final = 21 * MM  # Where pieces begin, below the title of a page
_SIDE: Final = 10 * MM  # The distance of titles and credits from the sides of the paper
_FOOT: Final = 7 * MM  # The distance of the last line of the credit from the foot of the paper
_LEADING: Final = 1.35  # Of the credit, in sizes of its type
_SMALL: Final = "size-credit"
_NEAR: Final = 1e-6


@dataclass(frozen=True)
class PieceSheet:
    """Pieces of one kind and one ruleset."""

    kind: PieceKind
    width: float  # Of a piece, in points
    paper: str
    title: str  # Of the pages
    credit: str  # The short credit of the ruleset
    subjects: Sequence[pens.PieceSubject]
    style: pens.PieceStyle

    @cached_property
    def words(self) -> pens.SetText:
        """The credit, on lines."""
        room = paper_points(self.paper)[0] - 2 * _SIDE - 20 * MM
        size = self.style.tokens.length(_SMALL)
        lines = fit_words(self.credit, self.style, (room, 60), size, 4).lines
        return pens.SetText(lines, "text-400", size, True, _LEADING)

    def _height(self, paper: float) -> float:
        return paper - _TOP - _FOOT - self.words.leading * len(self.words.lines) - self.kind.bleed

    @cached_property
    def grid(self) -> CardGrid:
        """The grid that takes fewest pages, upright or across; `Misfit` if not one piece fits."""
        piece, bleed = (self.width, self.kind.height(self.width)), self.kind.bleed
        short, long = paper_points(self.paper)
        grids = []
        for wide, high in ((short, long), (long, short)):
            room = wide - 2 * (MARGIN + bleed), self._height(high) - 2 * bleed
            across, down = (
                int((length + GAP + _NEAR) // (size + GAP))
                for length, size in zip(room, piece, strict=True)
            )
            if across and down:
                grids.append(CardGrid((wide, high), piece, across, down, GAP))
        if not grids:
            size = " × ".join(f"{length / MM:.0f}" for length in piece)
            raise Misfit(f"pieces of {size} mm do not fit on {self.paper}")
        return min(grids, key=lambda grid: -(-len(self.subjects) // grid.count))

    def place(self, index: int) -> tuple[float, float]:
        """Return the upper left corner of a piece on its page."""
        box, block = self.grid.slot(index).box, self.grid.block
        space = (self._height(self.grid.paper[1]) - block.height) / 2
        return box.x, _TOP + self.kind.bleed + min(6 * MM, space) + box.y - block.y

    @property
    def pages(self) -> Sequence[Sequence[pens.PieceSubject]]:
        """What is on each page."""
        starts = range(0, len(self.subjects), self.grid.count)
        return [self.subjects[start : start + self.grid.count] for start in starts]


def render_pieces(
    sheets: Sequence[PieceSheet], about: DocumentInfo, fonts: Mapping[str, bytes]
) -> tuple[bytes, list[tuple[pens.PieceSubject, str]]]:
    """Return a tagged PDF, and whose names were shortened on which kind; `fonts` are TrueType."""
    from reportlab.pdfgen.canvas import Canvas

    names = pens.register_fonts(fonts)
    first = next(iter(names.values()))
    target, elements, shortened = io.BytesIO(), list[list[pens.Element]](), []
    canvas = Canvas(
        target, bottomup=0, pageCompression=0, invariant=1, initialFontName=first, lang=about.lang
    )
    pen = pens.Pen(canvas, names, sheets[0].style)
    count = sum(len(sheet.pages) for sheet in sheets)
    for sheet in sheets:
        pen.style = sheet.style
        for number, subjects in enumerate(sheet.pages):
            canvas.setPageSize(sheet.grid.paper)
            canvas._make_preamble()  # It flips the page, whose height it has to know.
            pen.elements = []
            elements.append(pen.elements)
            _draw_head(pen, sheet, first=number == 0)
            for index, subject in enumerate(subjects):
                with pen.group((1, 0, 0, 1, *sheet.place(index))):
                    complete = sheet.kind.draw(pen, subject, sheet.width)
                shortened += [] if complete else [(subject, sheet.kind.label)]
            words, (width, height) = sheet.words, sheet.grid.paper
            y = height - _FOOT - words.size * _LEADING * (len(words.lines) - 1)
            pen.write(words, _SIDE, y, tag="")
            shown = pens.SetText((f"{len(elements)} / {count}",), words.face, words.size, True)
            pen.write(shown, width - _SIDE, height - _FOOT, align=1, tag="")
            canvas.showPage()
    canvas.save()
    data = pens.finish_document(target.getvalue(), about, elements, [*pen.pictures.values()])
    return data, shortened


def _draw_head(pen: pens.Pen, sheet: PieceSheet, *, first: bool) -> None:
    style, y, right = pen.style, 13 * MM, sheet.grid.paper[0] - _SIDE
    small, ink, tag = style.tokens.length(_SMALL), style.colour("ink"), "P" if first else ""
    x, labels, dashes = right, list[tuple[str, float]](), list[tuple[float, tuple[float, ...]]]()
    for label, dash in (("fold", DASHES), ("cut", ()), ("Print at 100 per cent", None)):
        if label != "fold" or sheet.kind.folded:
            x -= style.width(label, "text-400", small)
            labels.insert(0, (label, x))
            if dash is not None:
                x -= 10 * MM
                dashes.append((x, dash))
            x -= 4 * MM
    text = pens.fit_text(sheet.title, style, (x - _SIDE - 4 * MM, 14), max(13.0, small + 2), 1)
    pen.write(text, _SIDE, y, tag="H1" if first else "", full=sheet.title)
    for label, x in labels:
        pen.write(pens.SetText((label,), "text-400", small, True), x, y, tag=tag)
    for start, dashed in dashes:
        path = pens.line(start, y - small * 0.25, start + 9 * MM, y - small * 0.25)
        pen.draw_path(path, stroke=ink, width=0.6, dash=dashed)
    below = y + 2.2 * MM
    weight = style.tokens.length("w-section")
    pen.draw_path(pens.line(_SIDE, below, right, below), stroke=ink, width=weight)
    draw_accent(pen, Box(_SIDE, below, 18 * MM, 2.4))
