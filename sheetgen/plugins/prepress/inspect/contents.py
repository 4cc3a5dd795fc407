"""Interpret page content, operator by operator, as a viewer does, without drawing it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partialmethod
from math import hypot
from time import process_time
from typing import Any, Final, TypeAlias

from sheetgen.bounds import SECONDS, begin_next_page
from sheetgen.plugins.prepress.inspect.geometry import (
    IDENTITY,
    Matrix,
    bounding_box,
    expand_box,
    intersect_boxes,
    multiply,
    part_of_unit,
    scale_of,
    transform_point,
    transformed_box,
)
from sheetgen.plugins.prepress.inspect.glyph_boxes import EmbeddedFont
from sheetgen.plugins.prepress.inspect.painting import (
    ACTS,
    CMYK,
    GRAY,
    RGB,
    Colour,
    GraphicsState,
    PaintObserver,
    Space,
    TooMuch,
    is_number,
    matrix_of,
    rect_of,
    space_of,
    unpacked,
)
from sheetgen.plugins.prepress.inspected import Rect

PART: Final = 0.75
"""Share of the processor time of a file or page; what remains is for the report."""

DEEPEST: Final = 12
"""Nesting of form XObjects."""

_INTERVAL: Final = 256
"""Operators between two checks of the time."""

NOWHERE: Final[Rect] = (-2e9, -2e9, -1e9, -1e9)
"""The box of what has no place of its own."""

_INVISIBLE: Final = 3
_PARTS: Final = {
    **dict.fromkeys((0, 4), ("fill",)),
    **dict.fromkeys((1, 5), ("stroke",)),
    **dict.fromkeys((2, 6), ("fill", "stroke")),
    **dict.fromkeys((_INVISIBLE, 7), ()),
}
"""What is painted of text, by its rendering mode."""

Operands: TypeAlias = Sequence[Any]


def unmeasured_gradient(shading: Any, space: Space, background: bool) -> Colour:
    """Return the colour of a shading without components: for observers that measure no ink.

    Args:
        background: Whether what is beyond the gradient is filled too, as in patterns.
    """
    return Colour(space, (), shading)


@dataclass
class ContentReader:
    """Interprets the contents of one file, and keeps its fonts.

    Attributes:
        gradient: Returns the heaviest colour of a shading.
        hides: Whether content that belongs to a layer is not printed.
    """

    pdf: Any
    observer: PaintObserver
    faces: dict[Any, EmbeddedFont] = field(default_factory=dict)
    seconds: float = PART * SECONDS
    gradient: Callable[[Any, Space, bool], Colour] = unmeasured_gradient
    hides: Callable[[Any], bool] = lambda _: False
    operators: int = 0
    cells: dict[Any, Colour | None] = field(default_factory=dict)
    start: float = field(default_factory=process_time)
    page_start: float = field(default_factory=process_time)

    def read(
        self,
        content: Any,
        resources: Any,
        state: GraphicsState,
        depth: int = 0,
        observer: PaintObserver | None = None,
    ) -> None:
        """Interpret `content`, a stream or an array of streams.

        Args:
            observer: Who is told of it instead of the reader's observer.

        Raises:
            TooMuch: It exceeds the limits of size, time or nesting.
        """
        import pikepdf

        if depth > DEEPEST:
            raise TooMuch(f"forms nested more than {DEEPEST} deep")
        stream = pikepdf.Stream(self.pdf, unpacked(content))
        interpreter = _Content(self, resources, state, depth, observer or self.observer)
        for operands, operator in pikepdf.parse_content_stream(stream):
            self.operators += 1
            if self.operators % _INTERVAL == 0:
                self.check_time()
            if act := ACTS.get(str(operator)):
                getattr(interpreter, act)(list(operands))

    def begin_page(self) -> None:
        """Begin the time of a page; raise `TooMuch` if the pages before it took too long."""
        self.check_time()
        self.page_start = process_time()
        self.cells.clear()
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
        self,
        reader: ContentReader,
        resources: Any,
        state: GraphicsState,
        depth: int,
        observer: PaintObserver,
    ) -> None:
        self.reader, self.resources, self.depth = reader, resources, depth
        self.observer = observer
        self.state = self.outer = state
        self.marks: list[bool] = []  # whether each open marked content is a hidden layer
        self.saved: list[GraphicsState] = []
        self.path: list[tuple[float, float]] = []
        self.clipping = False
        self.text_matrix = self.line_matrix = IDENTITY

    def resource(self, kind: str, name: Any) -> Any:
        found = self.resources.get(kind) if self.resources is not None else None
        return found.get(str(name)) if found is not None else None

    def change(self, **parts: Any) -> None:
        self.state = replace(self.state, **parts)

    # -- graphics state and marked content ---------------------------------------------------------

    def store(self, _: Operands) -> None:
        self.saved.append(self.state)

    def pop(self, _: Operands) -> None:
        if self.saved:
            self.state = self.saved.pop()

    def transform(self, operands: Operands) -> None:
        self.change(matrix=multiply(matrix_of(operands), self.state.matrix))

    def settings(self, operands: Operands) -> None:
        import pikepdf

        found = self.resource("/ExtGState", operands[0])
        if found is None:
            return
        if not self.is_hidden:
            self.observer.setting(found)
        if "/Font" in found:
            self.change(face=self.reader.face(found.Font[0]), size=float(found.Font[1]))
        for key, part in (("/LW", "width"), ("/ca", "fill_alpha"), ("/CA", "stroke_alpha")):
            if is_number(found.get(key)):
                self.change(**{part: float(found[key])})
        if "/BM" in found:
            names = found.BM if isinstance(found.BM, pikepdf.Array) else [found.BM]
            self.change(blend=str(names[0])[1:].replace("Compatible", "Normal"))
        if "/OP" in found:
            over = found.OP is True
            self.change(stroke_overprint=over, fill_overprint=over)
        if "/op" in found:
            self.change(fill_overprint=found.get("/op") is True)
        if "/OPM" in found:
            self.change(overprint_mode=int(found.OPM))
        mask = found.get("/SMask")
        if isinstance(mask, pikepdf.Dictionary) and "/G" in mask and not self.is_hidden:
            resources = mask.G.get("/Resources")
            self.within(mask.G, resources, self.state.matrix, Colour(), prints=False)

    def keep(self, operands: Operands, part: str, of: float = 1.0) -> None:
        self.change(**{part: float(operands[0]) / of})

    width, rise = partialmethod(keep, part="width"), partialmethod(keep, part="rise")
    apart = partialmethod(keep, part="char_spacing")
    blank = partialmethod(keep, part="word_spacing")
    leading, mode = partialmethod(keep, part="leading"), partialmethod(keep, part="mode")
    stretch = partialmethod(keep, part="scaling", of=100)

    @property
    def is_hidden(self) -> bool:
        return any(self.marks)

    def mark(self, operands: Operands) -> None:
        layer = len(operands) > 1 and str(operands[0]) == "/OC"
        self.marks.append(layer and self.reader.hides(self.resource("/Properties", operands[1])))

    def unmark(self, _: Operands) -> None:
        if self.marks:
            self.marks.pop()

    # -- colours, patterns and gradients -----------------------------------------------------------

    def fix(self, _: Operands) -> None:
        """Keep the colours of outside, as in a glyph that is only a shape."""
        self.change(fixed=True, fill=self.outer.fill, stroke=self.outer.stroke)

    def set_colour(self, part: str, colour: Colour) -> None:
        if not self.state.fixed:
            self.change(**{part: colour})

    def colour(self, operands: Operands, part: str, space: Space) -> None:
        self.set_colour(part, Colour(space, tuple(map(float, operands))))

    gray = partialmethod(colour, part="fill", space=GRAY)
    gray_lines = partialmethod(colour, part="stroke", space=GRAY)
    rgb = partialmethod(colour, part="fill", space=RGB)
    rgb_lines = partialmethod(colour, part="stroke", space=RGB)
    cmyk = partialmethod(colour, part="fill", space=CMYK)
    cmyk_lines = partialmethod(colour, part="stroke", space=CMYK)

    def space(self, operands: Operands, part: str = "fill") -> None:
        space = space_of(operands[0], self.resources)
        self.set_colour(part, Colour(space, space.first))

    def tint(self, operands: Operands, part: str = "fill") -> None:
        numbers = tuple(float(one) for one in operands if is_number(one))
        named = operands and not is_number(operands[-1])
        pattern = self.resource("/Pattern", operands[-1]) if named else None
        self.set_colour(part, Colour(getattr(self.state, part).space, numbers, pattern))

    space_lines = partialmethod(space, part="stroke")
    tint_lines = partialmethod(tint, part="stroke")

    def painted(self, part: str, box: Rect) -> Colour | None:
        """Return the colour that a fill or a stroke paints in a box.

        A pattern's is the heaviest in it; what its cell paints is reported. None if nothing is
        painted.
        """
        state = self.state
        colour: Colour | None = getattr(state, part)
        if self.is_hidden:
            return None
        if colour is not None and colour.pattern is not None:
            colour = self.pattern(colour, box)
        if colour is None:
            return None
        over = state.fill_overprint if part == "fill" else state.stroke_overprint
        alpha = state.fill_alpha if part == "fill" else state.stroke_alpha
        return self.mixed(colour, alpha, state.overprint_mode if over else None)

    def mixed(self, colour: Colour, alpha: float, overprint: int | None) -> Colour:
        """Return a colour as it is mixed with what is below."""
        alpha *= self.state.group_alpha * colour.alpha
        return replace(colour, alpha=alpha, blend=self.state.blend, overprint=overprint)

    def pattern(self, colour: Colour, box: Rect) -> Colour | None:
        pattern, base = colour.pattern, colour.space.base
        if "/Shading" in pattern:
            return self.gradient(pattern.Shading, background=True)
        own = Colour(base, colour.numbers) if base is not None else Colour()
        fixed = int(pattern.get("/PaintType", 1)) == 2
        matrix = multiply(matrix_of(pattern.get("/Matrix", IDENTITY)), self.outer.matrix)
        return self.within(pattern, pattern.get("/Resources"), matrix, own, box, fixed=fixed)

    def gradient(self, shading: Any, *, background: bool = False) -> Colour:
        space = space_of(shading.get("/ColorSpace", "/?"), self.resources)
        return self.reader.gradient(shading, space, background)

    def within(
        self,
        content: Any,
        resources: Any,
        matrix: Matrix,
        colour: Colour,
        box: Rect = NOWHERE,
        *,
        fixed: bool = False,
        prints: bool = True,
    ) -> Colour | None:
        """Interpret the cell of a pattern, a glyph or the group of a mask, each once a page.

        Args:
            box: Where it is painted.
            prints: Whether the colours are printed; those of a mask are not.

        Returns:
            The heaviest colour; None if nothing is painted.
        """
        top = self.observer is self.reader.observer
        key = (content.objgen, colour.space.family, colour.numbers, top)
        if key not in self.reader.cells:
            self.reader.cells[key] = None  # one within itself ends
            cell = _Cell(self.observer, box, prints)
            state = GraphicsState(matrix, fill=colour, stroke=colour, fixed=fixed)
            if "/BBox" in content:
                state = replace(state, clip=transformed_box(matrix, rect_of(content.BBox)))
            below = resources if resources is not None else self.resources
            self.reader.read(content, below, state, self.depth + 1, cell)
            self.reader.cells[key] = cell.heaviest
        return self.reader.cells[key]

    # -- paths -------------------------------------------------------------------------------------

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
            inside = intersect_boxes(box, state.clip)
            if fills and inside and (colour := self.painted("fill", inside)):
                self.observer.filled(inside, colour)
            wide = state.width * scale_of(state.matrix)
            inside = intersect_boxes(expand_box(box, wide / 2), state.clip)
            if strokes and inside and (colour := self.painted("stroke", inside)):
                self.observer.line(inside, colour, wide)
            if self.clipping:
                self.change(clip=intersect_boxes(box, state.clip) or (0.0, 0.0, 0.0, 0.0))
        self.path, self.clipping = [], False

    forget, fill = partialmethod(paint), partialmethod(paint, fills=True)
    stroke = partialmethod(paint, strokes=True)
    both = partialmethod(paint, fills=True, strokes=True)

    # -- shadings, forms and pictures --------------------------------------------------------------

    def shade(self, operands: Operands) -> None:
        found = self.resource("/Shading", operands[0])
        if found is None or self.is_hidden:
            return
        colour, matrix, box = self.gradient(found), self.state.matrix, self.state.clip
        if "/BBox" in found:
            inside = intersect_boxes(transformed_box(matrix, rect_of(found.BBox)), box)
            if inside is None:
                return
            box = inside
        over = 0 if self.state.fill_overprint else None  # its mode is about flat colours alone
        self.observer.filled(box, self.mixed(colour, self.state.fill_alpha, over))

    def thing(self, operands: Operands) -> None:
        found = self.resource("/XObject", operands[0])
        if found is None or self.is_hidden or self.reader.hides(found.get("/OC")):
            return
        if str(found.get("/Subtype")) == "/Image":
            self.picture([found])
            return
        self.observer.group(found)
        matrix = multiply(matrix_of(found.get("/Matrix", IDENTITY)), self.state.matrix)
        clip = intersect_boxes(transformed_box(matrix, rect_of(found.BBox)), self.state.clip)
        if clip is not None:
            state = replace(self.state, matrix=matrix, clip=clip)
            if "/Group" in found:  # it is mixed with what is below as a whole
                alpha = state.group_alpha * state.fill_alpha
                state = replace(state, group_alpha=alpha, fill_alpha=1.0, stroke_alpha=1.0)
            below = found.get("/Resources", self.resources)
            self.reader.read(found, below, state, self.depth + 1, self.observer)

    def picture(self, operands: Operands) -> None:
        import pikepdf

        image, matrix = operands[0], self.state.matrix
        if hasattr(image, "obj"):  # inline ones come in a wrapper
            wrapped, image = image, pikepdf.Stream(self.reader.pdf, image.read_raw_bytes())
            for key, value in wrapped.obj.items():
                image[key] = value
        box = intersect_boxes(transformed_box(matrix, (0, 0, 1, 1)), self.state.clip)
        if box is None or self.is_hidden:
            return
        if image.get("/ImageMask") is True:
            colour = self.painted("fill", box)
            if colour is None:
                return
        else:
            space = space_of(image.get("/ColorSpace", "/?"), self.resources)
            state = self.state
            over = 0 if state.fill_overprint else None
            colour = self.mixed(Colour(space, ()), state.fill_alpha, over)
        size = hypot(matrix[0], matrix[1]), hypot(matrix[2], matrix[3])
        self.observer.picture(box, image, size, colour, part_of_unit(matrix, box))

    # -- text --------------------------------------------------------------------------------------

    def begin(self, _: Operands) -> None:
        self.text_matrix = self.line_matrix = IDENTITY

    def font(self, operands: Operands) -> None:
        found = self.resource("/Font", operands[0])
        if found is not None:
            self.change(face=self.reader.face(found), size=float(operands[1]))

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
        if letters and state.mode != _INVISIBLE and not self.is_hidden:
            self.observer.font(face)
        parts = _PARTS.get(int(state.mode), ("fill",))
        if corners and parts:
            box = transformed_box(multiply(self.text_matrix, state.matrix), bounding_box(corners))
            if (inside := intersect_boxes(box, state.clip)) is not None:
                for part in parts:
                    colour = self.painted(part, inside)
                    if colour is not None and face.glyphs:
                        colour = self.draw_glyphs(face, operands, colour)
                    if colour is not None:
                        self.observer.text(inside, letters, colour)
        self.text_matrix = multiply((1, 0, 0, 1, x, 0), self.text_matrix)

    def draw_glyphs(self, face: EmbeddedFont, operands: Operands, colour: Colour) -> Colour | None:
        """Interpret glyphs of a Type 3 font; return their heaviest colour."""
        shown = {code for part in operands if not is_number(part) for code in bytes(part)}
        unit = self.state.size
        matrix = multiply((unit, 0, 0, unit, 0, 0), multiply(self.text_matrix, self.state.matrix))
        matrix = multiply(matrix_of(face.matrix), matrix)
        glyphs = (face.glyphs[code] for code in sorted(shown & face.glyphs.keys()))
        drawn = [self.within(glyph, face.resources, matrix, colour) for glyph in glyphs]
        return max(
            (one for one in drawn if one is not None),
            key=lambda one: sum(one.inks.values()),
            default=None,
        )


class _Cell(PaintObserver):
    """Passes on what is painted in a pattern, a glyph or the group of a mask."""

    def __init__(self, observer: PaintObserver, box: Rect, prints: bool) -> None:
        self.observer, self.box, self.prints = observer, box, prints
        self.heaviest: Colour | None = None
        self.setting, self.group = observer.setting, observer.group  # type: ignore[method-assign]

    def filled(self, _: Rect, colour: Colour) -> None:
        if not colour.is_paper:
            colour = replace(colour, pattern=self, alpha=colour.alpha if self.prints else 0.0)
        most = sum(self.heaviest.inks.values()) if self.heaviest is not None else -1.0
        if sum(colour.inks.values()) > most:
            self.heaviest = colour
        self.observer.filled(self.box, colour)

    def line(self, _: Rect, colour: Colour, width: float) -> None:
        self.filled(self.box, colour)
        if self.prints:
            self.observer.line(self.box, colour, width)

    def picture(
        self, _: Rect, image: Any, size: tuple[float, float], colour: Colour, part: Rect
    ) -> None:
        if self.prints:
            self.observer.picture(self.box, image, size, colour, part)
        else:
            self.filled(self.box, colour)

    def font(self, face: EmbeddedFont) -> None:
        if self.prints:
            self.observer.font(face)
