"""Following a page's content, operator by operator, as a viewer does; nothing is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partialmethod
from math import hypot
from time import process_time
from typing import Any, Final, TypeAlias

from sheetgen.finish.inspect.geometry import (
    IDENTITY,
    bounding_box,
    expand_box,
    intersect_boxes,
    multiply,
    scale_of,
    transform_point,
    transformed_box,
)
from sheetgen.finish.inspect.glyph_boxes import EmbeddedFont
from sheetgen.finish.inspect.operators import ACTS, INLINE
from sheetgen.finish.inspect.painting import (
    Colour,
    GraphicsState,
    PaintObserver,
    TooMuch,
    family_of,
    is_number,
    matrix_of,
    rect_of,
    unpacked,
)
from sheetgen.load.bounds import SECONDS, begin_next_page

PART: Final = 0.75
"""Of the processor time that a file, or a page, may take: what is left reports the rest."""

DEEPEST: Final = 12
"""Forms within forms."""

_LOOK: Final = 256
"""Operators between two looks at the clock."""

_UNSEEN: Final = (3, 7)
"""Modes in which text is not painted."""

Operands: TypeAlias = Sequence[Any]


@dataclass
class ContentReader:
    """Reads contents of one file; faces of fonts are kept."""

    pdf: Any
    watcher: PaintObserver
    faces: dict[Any, EmbeddedFont] = field(default_factory=dict)
    seconds: float = PART * SECONDS
    operators: int = 0
    start: float = field(default_factory=process_time)
    page_start: float = field(default_factory=process_time)

    def read(self, content: Any, resources: Any, state: GraphicsState, depth: int = 0) -> None:
        """Follow `content`, a stream or an array of them.

        Raises:
            TooMuch: It holds more, or forms are nested deeper, than anybody needs.
        """
        import pikepdf

        if depth > DEEPEST:
            raise TooMuch(f"forms nested more than {DEEPEST} deep")
        stream = pikepdf.Stream(self.pdf, unpacked(content))
        followed = _Content(self, resources, state, depth)
        for operands, operator in pikepdf.parse_content_stream(stream):
            self.operators += 1
            if self.operators % _LOOK == 0:
                self.in_time()
            name = str(operator)
            act = ACTS.get(name) or ("picture" if name == INLINE else "")
            if act:
                getattr(followed, act)(list(operands))

    def begin_page(self) -> None:
        """Let a page take its own time; raise `TooMuch` if those before took too long."""
        self.in_time()
        self.page_start = process_time()
        begin_next_page()

    def in_time(self) -> None:
        """Check the time that is left.

        Raises:
            TooMuch: There is none.
        """
        for since, most in ((self.start, self.seconds), (self.page_start, PART * SECONDS)):
            if process_time() > since + most:
                raise TooMuch(f"more than {most:g} s of processor time")

    def face(self, font: Any) -> EmbeddedFont:
        """Return what is known of `font`."""
        key = font.objgen if font.is_indirect else id(font)
        if key not in self.faces:
            self.faces[key] = EmbeddedFont(font)
        return self.faces[key]


class _Content:
    """One content that is being followed."""

    def __init__(
        self, reader: ContentReader, resources: Any, state: GraphicsState, depth: int
    ) -> None:
        self.reader, self.resources, self.depth = reader, resources, depth
        self.watcher = reader.watcher
        self.state = state
        self.kept: list[GraphicsState] = []
        self.path: list[tuple[float, float]] = []
        self.clipping = False
        self.text_matrix = self.line_matrix = IDENTITY

    def resource(self, kind: str, name: Any) -> Any:
        found = self.resources.get(kind) if self.resources is not None else None
        return found.get(str(name)) if found is not None else None

    def change(self, **parts: Any) -> None:
        self.state = replace(self.state, **parts)

    def store(self, _: Operands) -> None:
        self.kept.append(self.state)

    def pop(self, _: Operands) -> None:
        if self.kept:
            self.state = self.kept.pop()

    def transform(self, said: Operands) -> None:
        self.change(matrix=multiply(matrix_of(said), self.state.matrix))

    def settings(self, said: Operands) -> None:
        found = self.resource("/ExtGState", said[0])
        if found is None:
            return
        self.watcher.setting(found)
        if "/LW" in found:
            self.change(width=float(found.LW))
        if "/Font" in found:
            self.set_font(found.Font[0], float(found.Font[1]))

    def colour(self, said: Operands, part: str, family: str) -> None:
        self.change(**{part: Colour(family, tuple(map(float, said)))})

    def space(self, said: Operands, part: str = "fill") -> None:
        family = family_of(self.resource("/ColorSpace", said[0]) or said[0])
        first = {"gray": (0.0,), "rgb": (0.0,) * 3, "cmyk": (0.0, 0.0, 0.0, 1.0)}
        self.change(**{part: Colour(family, first.get(family, (1.0,)))})

    def tint(self, said: Operands, part: str = "fill") -> None:
        numbers = tuple(float(one) for one in said if is_number(one))
        self.change(**{part: Colour(getattr(self.state, part).family, numbers)})

    def keep(self, said: Operands, part: str, of: float = 1.0) -> None:
        self.change(**{part: float(said[0]) / of})

    gray = partialmethod(colour, part="fill", family="gray")
    gray_lines = partialmethod(colour, part="stroke", family="gray")
    rgb = partialmethod(colour, part="fill", family="rgb")
    rgb_lines = partialmethod(colour, part="stroke", family="rgb")
    cmyk = partialmethod(colour, part="fill", family="cmyk")
    cmyk_lines = partialmethod(colour, part="stroke", family="cmyk")
    space_lines = partialmethod(space, part="stroke")
    tint_lines = partialmethod(tint, part="stroke")
    width, rise = partialmethod(keep, part="width"), partialmethod(keep, part="rise")
    apart, blank = partialmethod(keep, part="apart"), partialmethod(keep, part="blank")
    leading, mode = partialmethod(keep, part="leading"), partialmethod(keep, part="mode")
    stretch = partialmethod(keep, part="stretch", of=100)

    def points(self, said: Operands) -> None:
        numbers = list(map(float, said))
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        self.path += [transform_point(self.state.matrix, x, y) for x, y in pairs]

    def box(self, said: Operands) -> None:
        x, y, width, height = map(float, said)
        for corner in ((x, y), (x + width, y), (x, y + height), (x + width, y + height)):
            self.path.append(transform_point(self.state.matrix, *corner))

    def clip(self, _: Operands) -> None:
        self.clipping = True

    def paint(self, _: Operands, fills: bool = False, strokes: bool = False) -> None:
        state = self.state
        if self.path:
            box = bounding_box(self.path)
            if fills and (inside := intersect_boxes(box, state.clip)):
                self.watcher.filled(inside, state.fill)
            wide = state.width * scale_of(state.matrix)
            if strokes and (inside := intersect_boxes(expand_box(box, wide / 2), state.clip)):
                self.watcher.line(inside, state.stroke, wide)
            if self.clipping:
                self.change(clip=intersect_boxes(box, state.clip) or (0.0, 0.0, 0.0, 0.0))
        self.path, self.clipping = [], False

    forget, fill = partialmethod(paint), partialmethod(paint, fills=True)
    stroke, both = (
        partialmethod(paint, strokes=True),
        partialmethod(paint, fills=True, strokes=True),
    )

    def shade(self, said: Operands) -> None:
        found = self.resource("/Shading", said[0])
        if found is not None:
            self.watcher.filled(self.state.clip, Colour(family_of(found.ColorSpace), ()))

    def thing(self, said: Operands) -> None:
        found = self.resource("/XObject", said[0])
        if found is None:
            return
        if str(found.get("/Subtype")) == "/Image":
            self.picture([found])
            return
        self.watcher.group(found)
        matrix = multiply(matrix_of(found.get("/Matrix", IDENTITY)), self.state.matrix)
        clip = intersect_boxes(transformed_box(matrix, rect_of(found.BBox)), self.state.clip)
        if clip is not None:
            state = replace(self.state, matrix=matrix, clip=clip)
            below = found.get("/Resources", self.resources)
            self.reader.read(found, below, state, self.depth + 1)

    def picture(self, said: Operands) -> None:
        image, matrix = said[0], self.state.matrix
        image = getattr(image, "obj", image)  # inline ones come in a wrapper
        box = intersect_boxes(transformed_box(matrix, (0, 0, 1, 1)), self.state.clip)
        if box is not None:
            size = hypot(matrix[0], matrix[1]), hypot(matrix[2], matrix[3])
            self.watcher.picture(box, image, size, self.state.fill)

    def begin(self, _: Operands) -> None:
        self.text_matrix = self.line_matrix = IDENTITY

    def font(self, said: Operands) -> None:
        found = self.resource("/Font", said[0])
        if found is not None:
            self.set_font(found, float(said[1]))

    def set_font(self, font: Any, size: float) -> None:
        face = self.reader.face(font)
        self.watcher.font(font, face)
        self.change(face=face, size=size)

    def line_down(self, said: Operands) -> None:
        self.line_matrix = multiply((1, 0, 0, 1, float(said[0]), float(said[1])), self.line_matrix)
        self.text_matrix = self.line_matrix

    def line_and_leading(self, said: Operands) -> None:
        self.change(leading=-float(said[1]))
        self.line_down(said)

    def next_line(self, _: Operands) -> None:
        self.line_down((0, -self.state.leading))

    def place(self, said: Operands) -> None:
        self.text_matrix = self.line_matrix = matrix_of(said)

    def show_next(self, said: Operands) -> None:
        self.next_line(())
        self.show(said[-1:])

    def show_apart(self, said: Operands) -> None:
        self.change(blank=float(said[0]), apart=float(said[1]))
        self.show_next(said)

    def show_all(self, said: Operands) -> None:
        self.show(list(said[0]))

    def show(self, said: Operands) -> None:
        state, face = self.state, self.state.face
        if face is None:
            return
        corners: list[tuple[float, float]] = []
        letters, x, unit = "", 0.0, state.size / 1000
        for part in said:
            if is_number(part):
                x -= float(part) * unit * state.stretch
                continue
            for code, blank in face.codes(bytes(part)):
                if (box := face.box(code)) is not None:
                    left, foot, right, top = (side * unit for side in box)
                    corners.append((x + left * state.stretch, foot + state.rise))
                    corners.append((x + right * state.stretch, top + state.rise))
                letters += face.letter(code)
                more = state.apart + (state.blank if blank else 0)
                x += (face.width(code) * unit + more) * state.stretch
        if corners and state.mode not in _UNSEEN:
            box = transformed_box(multiply(self.text_matrix, state.matrix), bounding_box(corners))
            if (inside := intersect_boxes(box, state.clip)) is not None:
                outlined = state.mode in (1, 5)
                self.watcher.text(inside, letters, state.stroke if outlined else state.fill)
        self.text_matrix = multiply((1, 0, 0, 1, x, 0), self.text_matrix)
