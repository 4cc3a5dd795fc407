"""Interpret page content, operator by operator, as a viewer does, without drawing it."""

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
from sheetgen.finish.inspect.painting import (
    ACTS,
    INLINE,
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
"""Share of the processor time of a file or page; what remains is for the report."""

DEEPEST: Final = 12
"""Nesting of form XObjects."""

_INTERVAL: Final = 256
"""Operators between two checks of the time."""

_UNSEEN: Final = (3, 7)
"""Text rendering modes without paint."""

Operands: TypeAlias = Sequence[Any]


@dataclass
class ContentReader:
    """Interprets the contents of one file, and keeps its fonts."""

    pdf: Any
    observer: PaintObserver
    faces: dict[Any, EmbeddedFont] = field(default_factory=dict)
    seconds: float = PART * SECONDS
    operators: int = 0
    start: float = field(default_factory=process_time)
    page_start: float = field(default_factory=process_time)

    def read(self, content: Any, resources: Any, state: GraphicsState, depth: int = 0) -> None:
        """Interpret `content`, a stream or an array of streams.

        Raises:
            TooMuch: It exceeds the limits of size, time or nesting.
        """
        import pikepdf

        if depth > DEEPEST:
            raise TooMuch(f"forms nested more than {DEEPEST} deep")
        stream = pikepdf.Stream(self.pdf, unpacked(content))
        interpreter = _Content(self, resources, state, depth)
        for operands, operator in pikepdf.parse_content_stream(stream):
            self.operators += 1
            if self.operators % _INTERVAL == 0:
                self.check_time()
            name = str(operator)
            act = ACTS.get(name) or ("picture" if name == INLINE else "")
            if act:
                getattr(interpreter, act)(list(operands))

    def begin_page(self) -> None:
        """Begin the time of a page; raise `TooMuch` if the pages before it took too long."""
        self.check_time()
        self.page_start = process_time()
        begin_next_page()

    def check_time(self) -> None:
        """Check the processor time.

        Raises:
            TooMuch: None is left.
        """
        for since, most in ((self.start, self.seconds), (self.page_start, PART * SECONDS)):
            if process_time() > since + most:
                raise TooMuch(f"more than {most:g} s of processor time")

    def face(self, font: Any) -> EmbeddedFont:
        """Return the metrics of `font`."""
        key = font.objgen if font.is_indirect else id(font)
        if key not in self.faces:
            self.faces[key] = EmbeddedFont(font)
        return self.faces[key]


class _Content:
    """Interprets one content stream."""

    def __init__(
        self, reader: ContentReader, resources: Any, state: GraphicsState, depth: int
    ) -> None:
        self.reader, self.resources, self.depth = reader, resources, depth
        self.observer = reader.observer
        self.state = state
        self.saved: list[GraphicsState] = []
        self.path: list[tuple[float, float]] = []
        self.clipping = False
        self.text_matrix = self.line_matrix = IDENTITY

    def resource(self, kind: str, name: Any) -> Any:
        found = self.resources.get(kind) if self.resources is not None else None
        return found.get(str(name)) if found is not None else None

    def change(self, **parts: Any) -> None:
        self.state = replace(self.state, **parts)

    def store(self, _: Operands) -> None:
        self.saved.append(self.state)

    def pop(self, _: Operands) -> None:
        if self.saved:
            self.state = self.saved.pop()

    def transform(self, operands: Operands) -> None:
        self.change(matrix=multiply(matrix_of(operands), self.state.matrix))

    def settings(self, operands: Operands) -> None:
        found = self.resource("/ExtGState", operands[0])
        if found is None:
            return
        self.observer.setting(found)
        if "/LW" in found:
            self.change(width=float(found.LW))
        if "/Font" in found:
            self.set_font(found.Font[0], float(found.Font[1]))

    def colour(self, operands: Operands, part: str, family: str) -> None:
        self.change(**{part: Colour(family, tuple(map(float, operands)))})

    def space(self, operands: Operands, part: str = "fill") -> None:
        family = family_of(self.resource("/ColorSpace", operands[0]) or operands[0])
        first = {"gray": (0.0,), "rgb": (0.0,) * 3, "cmyk": (0.0, 0.0, 0.0, 1.0)}
        self.change(**{part: Colour(family, first.get(family, (1.0,)))})

    def tint(self, operands: Operands, part: str = "fill") -> None:
        numbers = tuple(float(one) for one in operands if is_number(one))
        self.change(**{part: Colour(getattr(self.state, part).family, numbers)})

    def keep(self, operands: Operands, part: str, of: float = 1.0) -> None:
        self.change(**{part: float(operands[0]) / of})

    gray = partialmethod(colour, part="fill", family="gray")
    gray_lines = partialmethod(colour, part="stroke", family="gray")
    rgb = partialmethod(colour, part="fill", family="rgb")
    rgb_lines = partialmethod(colour, part="stroke", family="rgb")
    cmyk = partialmethod(colour, part="fill", family="cmyk")
    cmyk_lines = partialmethod(colour, part="stroke", family="cmyk")
    space_lines = partialmethod(space, part="stroke")
    tint_lines = partialmethod(tint, part="stroke")
    width, rise = partialmethod(keep, part="width"), partialmethod(keep, part="rise")
    apart = partialmethod(keep, part="char_spacing")
    blank = partialmethod(keep, part="word_spacing")
    leading, mode = partialmethod(keep, part="leading"), partialmethod(keep, part="mode")
    stretch = partialmethod(keep, part="scaling", of=100)

    def points(self, operands: Operands) -> None:
        numbers = list(map(float, operands))
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        self.path += [transform_point(self.state.matrix, x, y) for x, y in pairs]

    def box(self, operands: Operands) -> None:
        x, y, width, height = map(float, operands)
        for corner in ((x, y), (x + width, y), (x, y + height), (x + width, y + height)):
            self.path.append(transform_point(self.state.matrix, *corner))

    def clip(self, _: Operands) -> None:
        self.clipping = True

    def paint(self, _: Operands, fills: bool = False, strokes: bool = False) -> None:
        state = self.state
        if self.path:
            box = bounding_box(self.path)
            if fills and (inside := intersect_boxes(box, state.clip)):
                self.observer.filled(inside, state.fill)
            wide = state.width * scale_of(state.matrix)
            if strokes and (inside := intersect_boxes(expand_box(box, wide / 2), state.clip)):
                self.observer.line(inside, state.stroke, wide)
            if self.clipping:
                self.change(clip=intersect_boxes(box, state.clip) or (0.0, 0.0, 0.0, 0.0))
        self.path, self.clipping = [], False

    forget, fill = partialmethod(paint), partialmethod(paint, fills=True)
    stroke = partialmethod(paint, strokes=True)
    both = partialmethod(paint, fills=True, strokes=True)

    def shade(self, operands: Operands) -> None:
        found = self.resource("/Shading", operands[0])
        if found is not None:
            family = family_of(found.get("/ColorSpace", "/?"))
            self.observer.filled(self.state.clip, Colour(family, ()))

    def thing(self, operands: Operands) -> None:
        found = self.resource("/XObject", operands[0])
        if found is None:
            return
        if str(found.get("/Subtype")) == "/Image":
            self.picture([found])
            return
        self.observer.group(found)
        matrix = multiply(matrix_of(found.get("/Matrix", IDENTITY)), self.state.matrix)
        clip = intersect_boxes(transformed_box(matrix, rect_of(found.BBox)), self.state.clip)
        if clip is not None:
            state = replace(self.state, matrix=matrix, clip=clip)
            below = found.get("/Resources", self.resources)
            self.reader.read(found, below, state, self.depth + 1)

    def picture(self, operands: Operands) -> None:
        image, matrix = operands[0], self.state.matrix
        image = getattr(image, "obj", image)  # inline ones come in a wrapper
        box = intersect_boxes(transformed_box(matrix, (0, 0, 1, 1)), self.state.clip)
        if box is not None:
            size = hypot(matrix[0], matrix[1]), hypot(matrix[2], matrix[3])
            self.observer.picture(box, image, size, self.state.fill)

    def begin(self, _: Operands) -> None:
        self.text_matrix = self.line_matrix = IDENTITY

    def font(self, operands: Operands) -> None:
        found = self.resource("/Font", operands[0])
        if found is not None:
            self.set_font(found, float(operands[1]))

    def set_font(self, font: Any, size: float) -> None:
        face = self.reader.face(font)
        self.observer.font(font, face)
        self.change(face=face, size=size)

    def line_down(self, operands: Operands) -> None:
        x, y = float(operands[0]), float(operands[1])
        self.text_matrix = self.line_matrix = multiply((1, 0, 0, 1, x, y), self.line_matrix)

    def line_and_leading(self, operands: Operands) -> None:
        self.change(leading=-float(operands[1]))
        self.line_down(operands)

    def next_line(self, _: Operands) -> None:
        self.line_down((0, -self.state.leading))

    def place(self, operands: Operands) -> None:
        self.text_matrix = self.line_matrix = matrix_of(operands)

    def show_next(self, operands: Operands) -> None:
        self.next_line(())
        self.show(operands[-1:])

    def show_apart(self, operands: Operands) -> None:
        self.change(word_spacing=float(operands[0]), char_spacing=float(operands[1]))
        self.show_next(operands)

    def show_all(self, operands: Operands) -> None:
        self.show(list(operands[0]))

    def show(self, operands: Operands) -> None:
        state, face = self.state, self.state.face
        if face is None:
            return
        corners: list[tuple[float, float]] = []
        letters, x, unit = "", 0.0, state.size / 1000
        for part in operands:
            if is_number(part):
                x -= float(part) * unit * state.scaling
                continue
            for code, blank in face.codes(bytes(part)):
                if (box := face.box(code)) is not None:
                    left, foot, right, top = (side * unit for side in box)
                    corners.append((x + left * state.scaling, foot + state.rise))
                    corners.append((x + right * state.scaling, top + state.rise))
                letters += face.letter(code)
                more = state.char_spacing + (state.word_spacing if blank else 0)
                x += (face.width(code) * unit + more) * state.scaling
        if corners and state.mode not in _UNSEEN:
            box = transformed_box(multiply(self.text_matrix, state.matrix), bounding_box(corners))
            if (inside := intersect_boxes(box, state.clip)) is not None:
                outlined = state.mode in (1, 5)
                self.observer.text(inside, letters, state.stroke if outlined else state.fill)
        self.text_matrix = multiply((1, 0, 0, 1, x, 0), self.text_matrix)
