"""What a piece shows, how its texts fit, and a pen that draws on ReportLab's canvas and tags it.

All lengths are points. x counts from the left and y from the top, as a page is read.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import cos, pi, sin
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sheetgen.diag.findings import Span
from sheetgen.finish.saving import open_pdf, remove_keys, save_pdf
from sheetgen.model.pictures import Picture, PreparedPicture
from sheetgen.model.prints import FaceMetrics, Tokens
from sheetgen.model.rulesets.prints import StripRules
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.tokens import mix_with_paper
from sheetgen.plan.build_parts import find_emblem
from sheetgen.plan.fit import ELLIPSIS, width, wrap
from sheetgen.plan.pages.encounters import Fighter, Run, plan_strip
from sheetgen.records import frozen
from sheetgen.render.pdf.pdf_file import PRODUCER, PdfWriter, format_information, format_xmp
from sheetgen.render.press.page_objects import DocumentInfo, SharedObjects
from sheetgen.units import Box, num, segments

if TYPE_CHECKING:
    from reportlab.pdfgen.canvas import Canvas

NAME_FACES: Final = ("display-700", "text-700", "text-600", "text-400")
"""Faces of names: the first one that has all letters of a name is used."""

LABEL_FACES: Final = ("text-600",)
FIGURE_FACES: Final = ("figure-700", "text-700", "text-400")
_UNBROKEN: Final = re.compile("[\u2e80-\uffff]|[^\\s\u2e80-\uffff]+")
_KAPPA: Final = 0.5522847498  # From an end of a quarter of a circle to its control point, in radii
_VERBS: Final = {"M": "moveTo", "L": "lineTo", "C": "curveTo", "Z": "close"}  # Of ReportLab's paths

Matrix: TypeAlias = tuple[float, float, float, float, float, float]  # a to f as in PDF, of x and y


@frozen
class FactRow:
    """Figures with labels, under a heading."""

    about: str
    runs: tuple[Run, ...]


@frozen
class PieceSubject:
    """What a piece shows."""

    name: str
    number: str = ""  # The number of a copy; empty for a single one
    about: str = ""  # Words below the name
    facts: tuple[FactRow, ...] = ()  # What is looked up, for the back of a tent
    group: int = 0  # The number of its group; pieces of one group have the same pattern
    person: bool = False  # Whether a player plays it
    emblem: str = ""  # The name of its silhouette; empty for none
    art: Picture | None = None  # The picture of its file
    picture: PreparedPicture | None = None  # That picture, ready for the box of its piece
    span: Span = field(default_factory=lambda: Span(""))  # Where findings about it point

    @property
    def initials(self) -> str:
        """The first letters of the first and of the last word; two letters of a single word."""
        words = [word for word in self.name.split() if word[0].isalnum()]
        if len(words) == 1:
            return words[0][:1].upper() + words[0][1:2]
        return "".join(word[0] for word in dict.fromkeys((*words[:1], *words[-1:]))).upper()


def describe_fighter(
    fighter: Fighter, rules: Ruleset, group: int, span: Span
) -> Iterator[PieceSubject]:
    """Yield the subject of each copy of a checked build."""
    page, own, person = rules.encounter, rules.pieces, not fighter.kind
    words = page.strips.get(fighter.kind) if page is not None else None
    if person and own is not None:
        words = StripRules(label="", figures=own.tent, steps=())
    facts: tuple[FactRow, ...] = ()
    about = ""
    if words is not None:
        strip = plan_strip(fighter, words)
        about, first = strip.about, strip.corner
        rows = [(words.figures_about, strip.figures), (words.steps_about, strip.steps)]
        if words.corner and page is not None and first is not None:
            rows.insert(0, ("", (Run(first.text, first.small, label=page.init, dice=first.dice),)))
        shown = ((head, [run for run in runs if run.text or run.dice]) for head, runs in rows)
        facts = tuple(FactRow(head, tuple(runs)) for head, runs in shown if runs)
        if person and own is not None:
            texts = (fighter.view.texts.get(part.of) for part in own.about)
            about = " · ".join(one.text for one in texts if one is not None)
    emblem = find_emblem(fighter.build, rules, rules.kinds.get(fighter.kind))
    name, art = fighter.build.name or "?", next(iter(fighter.build.pictures.values()), None)
    for copy in fighter.copies:
        shared = name, copy, about
        if copy and not copy.isdigit():  # it has a name of its own
            shared = copy, "", " · ".join(filter(None, (name, about)))
        yield PieceSubject(*shared, facts, group, person, emblem, art=art, span=span)


@frozen
class PieceStyle:
    """The design of pieces: the tokens of a theme and of a game."""

    tokens: Tokens
    # Metrics of the faces that pieces are set in
    metrics: Mapping[str, FaceMetrics] = field(repr=False)
    faces: Mapping[str, str]  # The names of their font files

    def colour(self, name: str, share: float = 1.0) -> str:
        """Return a colour, mixed with that of the paper."""
        return mix_with_paper(self.tokens.colours, name, share)

    @property
    def least(self) -> float:
        """The smallest size of text."""
        return self.tokens.length("size-hint")

    def find_face(self, text: str, faces: Sequence[str] = NAME_FACES) -> str:
        """Return the first face that has all letters of a text, or else most of them."""
        known = [face for face in faces if face in self.metrics]
        return min(known, key=lambda face: sum(1 for _ in self._missing(text, face)))

    def find_missing(self, text: str, faces: Sequence[str] = NAME_FACES) -> str:
        """Return the letters of a text that the best of some faces does not have."""
        return "".join(dict.fromkeys(self._missing(text, self.find_face(text, faces))))

    def _missing(self, text: str, face: str) -> Iterator[str]:
        advances = self.metrics[face].advances
        return (c for c in text if not c.isspace() and ord(c) not in advances)

    def width(self, text: str, face: str, size: float) -> float:
        """Return the width of a text in points."""
        return width(text, self.metrics[face], size)

    def cap(self, face: str, size: float) -> float:
        """Return the height of capitals in points."""
        return self.metrics[face].cap_height * size / 1000


@frozen
class SetText:
    """A text that was fitted into a box."""

    lines: tuple[str, ...]
    face: str
    size: float
    complete: bool  # Whether no letter was left out
    spacing: float = 1.12  # The distance of two baselines, in sizes

    @property
    def leading(self) -> float:
        """The distance of two baselines."""
        return self.size * self.spacing


def fit_text(
    text: str,
    style: PieceStyle,
    room: tuple[float, float],
    most: float,
    lines: int = 2,
    faces: Sequence[str] = NAME_FACES,
) -> SetText:
    """Return `text` at the largest size that fits the width and height of `room`.

    One line is tried first, down to two thirds of the size; then several, down to the smallest
    size that can be read; then the next face, which may be narrower; then the text is cut.
    """
    words, least = " ".join(text.split()), min(style.least, most)
    known = [face for face in faces if not style.find_missing(words, (face,))]
    if not known:  # a box in place of a letter would help nobody
        known = [style.find_face(words, faces)]
        unknown = style.find_missing(words, known)
        words = " ".join("".join(c for c in words if c not in unknown).split())
    for face in known:
        for count in range(1, lines + 1):
            low = max(least, most * 0.66) if count < lines else least
            for size in _sizes(most, low):
                # Lines are centred by their capitals, so the last one needs no room below.
                high = size * (0.72 + 1.12 * (count - 1))
                broken = _balance(words, room[0], style, face, size)
                if len(broken) <= count and (high <= room[1] + 0.01 or count == 1):
                    return SetText(broken, face, size, True)
    count = max(1, min(lines, int(1 + (room[1] - least * 0.72) / (1.12 * least))))
    broken = wrap(words, room[0], style.metrics[face], least)
    kept = list(broken[:count])
    while len(broken) > count and style.width(kept[-1] + ELLIPSIS, face, least) > room[0]:
        kept[-1] = kept[-1][:-1].rstrip()
    kept[-1] += ELLIPSIS if len(broken) > count else ""
    return SetText(tuple(kept), face, least, len(broken) <= count)


def _sizes(most: float, least: float) -> Iterator[float]:
    size = most
    while size > least * 1.01:
        yield round(size, 2)
        size *= 0.95
    yield least


def _balance(text: str, room: float, style: PieceStyle, face: str, size: float) -> tuple[str, ...]:
    """Return few lines of equal length; CJK may break between letters, other words may not."""
    metrics = style.metrics[face]
    longest = max((width(part, metrics, size) for part in _UNBROKEN.findall(text)), default=0.0)
    if longest > room:
        return ("",) * 99
    lines = wrap(text, room, metrics, size)
    for share in (0.55, 0.65, 0.75, 0.85):
        even = wrap(text, max(longest, room * share) + 0.01, metrics, size)
        if len(even) == len(lines):
            return even
    return lines


def polygon(*points: tuple[float, float]) -> str:
    """Return a closed path through points."""
    return "M" + " L".join(f"{num(x)} {num(y)}" for x, y in points) + " Z"


def line(x0: float, y0: float, x1: float, y1: float) -> str:
    """Return a straight path."""
    return f"M{num(x0)} {num(y0)} L{num(x1)} {num(y1)}"


def rectangle(box: Box) -> str:
    """Return the path of a box."""
    right, foot = box.x + box.width, box.y + box.height
    return polygon((box.x, box.y), (right, box.y), (right, foot), (box.x, foot))


def circle(x: float, y: float, radius: float) -> str:
    """Return the path of a circle about x, y."""
    k, r = radius * _KAPPA, radius
    upper = (r, k, k, r, 0, r), (-k, r, -r, k, -r, 0)
    lower = (-r, -k, -k, -r, 0, -r), (k, -r, r, -k, r, 0)
    path = f"M{num(x + r)} {num(y)}"
    for curve in (*upper, *lower):
        path += " C" + " ".join(num((x, y)[at % 2] + n) for at, n in enumerate(curve))
    return f"{path} Z"


def _rays(box: Box, unit: float) -> Iterator[str]:
    x, y = box.x + box.width / 2, box.y + box.height / 2
    far, count = box.width + box.height, 18
    for n in range(count):
        start, end = (2 * pi * (n + share) / count for share in (0.0, 0.5))
        ends = ((x + far * cos(angle), y + far * sin(angle)) for angle in (start, end))
        yield polygon((x, y), *ends)


def _steps(start: float, end: float, step: float) -> Iterator[float]:
    while start < end:
        yield start
        start += step


def _stripes(box: Box, unit: float) -> Iterator[str]:
    y, foot, high = box.y, box.y + box.height, box.height
    for at in _steps(box.x - high, box.x + box.width, 2 * unit):
        yield polygon((at, foot), (at + high, y), (at + high + unit, y), (at + unit, foot))


def _lozenges(box: Box, unit: float) -> Iterator[str]:
    step, half = unit * 1.9, unit * 0.62
    for row, y in enumerate(_steps(box.y, box.y + box.height + half, step / 2)):
        start = box.x + (step / 2 if row % 2 else 0)
        for x in _steps(start, box.x + box.width + half, step):
            yield polygon((x - half, y), (x, y - half), (x + half, y), (x, y + half))


def _chevrons(box: Box, unit: float) -> Iterator[str]:
    drop, right = box.width / 2, box.x + box.width
    for y in _steps(box.y - drop, box.y + box.height, 2 * unit):
        upper = (box.x, y), (box.x + drop, y + drop), (right, y)
        lower = ((x, height + unit) for x, height in reversed(upper))
        yield polygon(*upper, *lower)


def _rings(box: Box, unit: float) -> Iterator[str]:
    x, y = box.x + box.width / 2, box.y + box.height / 2
    for radius in _steps(unit, (box.width + box.height) / 2, 2.2 * unit):
        yield f"{circle(x, y, radius + unit)} {circle(x, y, radius)}"


def _checks(box: Box, unit: float) -> Iterator[str]:
    side = 1.35 * unit
    for row in range(int(box.height / side) + 1):
        for column in range(row % 2, int(box.width / side) + 1, 2):
            yield rectangle(Box(box.x + column * side, box.y + row * side, side, side))


PATTERNS: Final = (_rays, _stripes, _lozenges, _chevrons, _rings, _checks)  # differ in grey, too


def pattern(number: int, box: Box, unit: float) -> str:
    """Return the path of a pattern that covers a box; it reaches over its edges."""
    return " ".join(PATTERNS[number % len(PATTERNS)](box, unit))


def register_fonts(fonts: Mapping[str, bytes]) -> dict[str, str]:
    """Register TrueType fonts with ReportLab, each once in a process; return their names there."""
    import hashlib

    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    names = {}
    for file, data in fonts.items():
        name = names[file] = f"sheetgen-{hashlib.sha256(data).hexdigest()[:16]}"
        if name not in pdfmetrics.getRegisteredFontNames():
            font = TTFont(name, io.BytesIO(data), asciiReadable=False)
            # ReportLab embeds one font for each name, and weights of a publisher's font share it.
            font.face.name += f"-{name[-6:]}".encode()
            pdfmetrics.registerFont(font)
    return names


@dataclass
class Pen:
    """Draws on the current page, in the design of its pieces."""

    canvas: Canvas
    fonts: Mapping[str, str]  # ReportLab's names of fonts, by their files
    style: PieceStyle
    # Of the structure tree, of the current page
    elements: list[Element] = field(default_factory=list)
    # All pictures, by their keys
    pictures: dict[str, PreparedPicture] = field(default_factory=dict)
    _silent: bool = False
    _forms: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def silently(self) -> Iterator[None]:
        """Draw artifacts only: what repeats what was tagged before."""
        before, self._silent = self._silent, True
        yield
        self._silent = before

    @contextmanager
    def group(self, matrix: Matrix | None = None, clip: str = "") -> Iterator[None]:
        """Draw in coordinates of their own, clipped to a path."""
        self.canvas.saveState()
        if clip:
            self.canvas.clipPath(self._path_of(clip), stroke=0, fill=0)
        if matrix:
            self.canvas.transform(*matrix)
        yield
        self.canvas.restoreState()

    def draw_path(
        self,
        path: str,  # SVG path data: M, L, C and Z, absolute
        fill: str = "",  # A colour such as `#1A1A1A`; empty for none
        stroke: str = "",
        width: float = 0.0,
        dash: tuple[float, ...] = (),  # Lengths of dashes and gaps
        *,
        solid: bool = False,  # Whether inner paths are filled, too
    ) -> None:
        """Draw a path."""
        with self._marked():
            self._stroke(path, fill, stroke, width, dash, solid=solid)

    def write(
        self,
        text: SetText,
        x: float,
        y: float,  # The first baseline
        colour: str = "ink",
        align: float = 0,  # 0 if x is the left end of the lines, 0.5 the middle, 1 the right end
        *,
        tag: str = "P",  # The structure element; empty for an artifact
        full: str = "",  # The complete text, if the lines may not be all of it
    ) -> None:
        """Write lines of text."""
        canvas = self.canvas
        more = "" if " ".join(text.lines) == " ".join(full.split()) else full
        with self._marked(tag, {"ActualText": more} if more else {}):
            canvas.setFillColor(self.style.colour(colour))
            font = self.fonts[self.style.faces[text.face]]
            canvas.setFont(font, text.size)
            for number, line in enumerate(text.lines):
                at = x - align * canvas.stringWidth(line, font, text.size)
                # A space keeps the words of two lines apart where the text is read or searched.
                more = " " if number + 1 < len(text.lines) else ""
                canvas.drawString(at, y + number * text.leading, line + more)

    def draw_picture(self, picture: PreparedPicture, box: Box, alt: str) -> None:
        """Refer to a picture, an XObject of a unit square that the page gets later."""
        from pikepdf import Array, Dictionary, Name

        canvas = self.canvas
        corners = (box.x, box.y), (box.x + box.width, box.y + box.height)
        xs, ys = zip(*(canvas.absolutePosition(*one) for one in corners), strict=True)
        high = canvas._pagesize[1]
        edges = min(xs), high - max(ys), max(xs), high - min(ys)
        bounds = Array([round(number, 2) for number in edges])
        layout = Dictionary(O=Name.Layout, BBox=bounds, Placement=Name.Block)
        with self._marked("Figure", {"Alt": alt, "A": layout}):
            self.pictures[picture.key] = picture
            left, foot, wide, high = picture.at
            place = (
                *(box.width * wide, 0, 0, -box.height * high),
                *(box.x + box.width * left, box.y + box.height * (1 - foot)),
            )
            with self.group(place, rectangle(box)):
                canvas._code.append(f"/picture{[*self.pictures].index(picture.key)} Do")

    def draw_once(self, key: str, clip: str, *paths: tuple[str, str, str, float]) -> None:
        """Draw paths (each with fill, stroke, width) as a form that groups with one key share."""
        canvas = self.canvas
        with self._marked():
            if key not in self._forms:
                self._forms[key] = f"field{len(self._forms)}"
                numbers = [number for _, listed in segments(clip) for number in listed]
                xs, ys = numbers[::2], numbers[1::2]
                canvas.beginForm(self._forms[key], min(xs), min(ys), max(xs), max(ys))
                canvas.clipPath(self._path_of(clip), stroke=0, fill=0)
                for path in paths:
                    self._stroke(*path, ())
                flip, canvas._preamble = canvas._preamble, ""  # The page is flipped already.
                canvas.endForm()
                canvas._preamble = flip
            with self.group((1, 0, 0, 1, 0, 0)):
                canvas.doForm(self._forms[key])

    @contextmanager
    def _marked(self, tag: str = "", entries: Mapping[str, Any] | None = None) -> Iterator[None]:
        begin = "/Artifact BMC"
        if tag and not self._silent:
            begin = f"/{tag} <</MCID {len(self.elements)}>> BDC"
            self.elements.append(Element(tag, entries or {}))
        self.canvas._code.append(begin)
        yield
        self.canvas._code.append("EMC")

    def _stroke(
        self,
        path: str,
        fill: str,
        stroke: str,
        width: float,
        dash: tuple[float, ...],
        *,
        solid: bool = False,
    ) -> None:
        canvas = self.canvas
        if fill:
            canvas.setFillColor(fill)
        if stroke:
            canvas.setStrokeColor(stroke)
            canvas.setLineWidth(width)
            canvas.setDash(list(dash))
        drawn = self._path_of(path)
        canvas.drawPath(drawn, stroke=bool(stroke), fill=bool(fill), fillMode=int(solid))

    def _path_of(self, path: str) -> Any:
        result = self.canvas.beginPath()
        for letter, numbers in segments(path):
            getattr(result, _VERBS[letter])(*numbers)
        return result


@frozen
class Element:
    """An element of the structure tree, with one piece of content; `entries` are further ones."""

    tag: str
    entries: Mapping[str, Any]


def finish_document(
    data: bytes,
    about: DocumentInfo,
    elements: Sequence[Sequence[Element]],  # Of each page, in the order of their content
    pictures: Sequence[PreparedPicture],  # Pages refer to them as `picture0` and so on
) -> bytes:
    """Return ReportLab's file with tags, metadata and pictures; equal input gives equal bytes."""
    import pikepdf

    with open_pdf(data) as pdf:
        name, parents = pikepdf.Name, pikepdf.Array()
        tree = pdf.make_indirect(pikepdf.Dictionary(Type=name.StructTreeRoot))
        document = pdf.make_indirect(
            pikepdf.Dictionary(Type=name.StructElem, S=name.Document, P=tree, K=pikepdf.Array())
        )
        for number, (page, of_page) in enumerate(zip(pdf.pages, elements, strict=True)):
            page.obj.StructParents, page.obj.Tabs = number, name.S
            row = pikepdf.Array()
            for mcid, element in enumerate(of_page):
                tag = name(f"/{element.tag}")
                made = pikepdf.Dictionary(
                    Type=name.StructElem, S=tag, P=document, Pg=page.obj, K=mcid, **element.entries
                )
                row.append(pdf.make_indirect(made))
                document.K.append(row[-1])
            parents.extend([number, pdf.make_indirect(row)])
        tree.K = document
        tree.ParentTree = pdf.make_indirect(pikepdf.Dictionary(Nums=parents))
        tree.ParentTreeNextKey = len(elements)
        pdf.Root.StructTreeRoot = tree
        if pictures:
            file = PdfWriter()
            top = file.take(2)
            shared = SharedObjects(file)
            numbers = [shared.picture(one) for one in pictures]
            file.add(top, b"<</Type/Catalog/Pages %d 0 R>>" % (top + 1))
            file.add(top + 1, b"<</Type/Pages/Kids[]/Count 0>>")
            with open_pdf(file.finish(top, top)) as other:
                found = [pdf.copy_foreign(other.get_object(number, 0)) for number in numbers]
            for page in pdf.pages:
                named = page.Resources.get("/XObject", pikepdf.Dictionary())
                for number, one in enumerate(found):
                    named[f"/picture{number}"] = one
                page.Resources.XObject = named
        root = pdf.Root
        root.Lang = about.lang
        root.MarkInfo = pikepdf.Dictionary(Marked=True)
        root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
        packet = format_xmp(about.title, about.subject, about.lang, PRODUCER)
        kind = {"/Type": pikepdf.Name.Metadata, "/Subtype": pikepdf.Name.XML}
        root.Metadata = pdf.make_indirect(pikepdf.Stream(pdf, packet, kind))
        remove_keys(root, "/Outlines", "/PageMode")
        info = pikepdf.Object.parse(format_information(about.title, about.subject, about.meta))
        texts = pikepdf.Dictionary({key: str(value) for key, value in info.items()})
        pdf.trailer.Info = pdf.make_indirect(texts)
        return save_pdf(pdf)
