"""Collect what a print shop checks on a page while its content is interpreted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from sheetgen.finish.inspect.geometry import bounding_box, distances, intersect_boxes
from sheetgen.finish.inspect.glyph_boxes import EmbeddedFont
from sheetgen.finish.inspect.painting import PROCESS, Colour, PaintObserver, Space, is_number
from sheetgen.model.inspected import LOST, MAY_BE_LOST, SIDES, Drawn, Font, InspectedPicture, Rect
from sheetgen.plugins.prepress.heaviest import NotMeasured, heaviest_colour, heaviest_of_gradient

TOUCH: Final = 0.85
"""Points (0.3 mm): colour that ends so close to the trim is meant to reach it."""

FULL: Final = 0.1
"""Points of tolerance at the edge of the bleed."""


class PageObserver(PaintObserver):
    """A `PaintObserver` of one page at a time; fonts and pictures are those of all pages."""

    def __init__(self) -> None:
        self.tick: Callable[[], None] = lambda: None
        """Is called now and then; it may raise to end the inspection."""
        self._heaviest: dict[Any, Colour | str] = {}
        self._gradients: dict[Any, Colour] = {}
        self._parts = Counter[tuple[int, int]]()
        self.fonts: dict[Any, Font] = {}
        self.pictures: list[InspectedPicture] = []
        self.begin_page(0, (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))

    def begin_page(self, number: int, trim: Rect, bleed: Rect, media: Rect) -> None:
        """Begin another page."""
        self._page, self._trim = number, trim
        self._bleed = intersect_boxes(bleed, media) or media
        self._text: dict[str, float] = {}
        self._words: dict[str, str] = {}
        self._art: dict[str, float] = {}
        self._touched: set[str] = set()
        self._full: set[str] = set()
        self._colours: set[str] = set()
        self._clear: set[str] = set()
        self._spots: set[str] = set()
        self._unmeasured: set[str] = set()
        self._lost: set[str] = set()
        self._ink = 0.0
        self._below: dict[tuple[tuple[str, float], ...], list[Rect]] = {}
        self._line: float | None = None

    def drawn(self) -> Drawn:
        """Return what was collected on the page."""
        return Drawn(
            text=dict(self._text),
            words=dict(self._words),
            art=dict(self._art),
            touched=frozenset(self._touched),
            short=frozenset(self._touched - self._full),
            colours=frozenset(self._colours),
            ink=round(self._ink, 1),
            line=self._line,
            clear=frozenset(self._clear),
            spots=frozenset(self._spots),
            lost=frozenset(self._lost),
            unmeasured=frozenset(self._unmeasured),
        )

    # -- called by the content reader --------------------------------------------------------------

    def text(self, box: Rect, text: str, colour: Colour) -> None:
        """Record the distance of text from the trim; what is outside it is for the printer."""
        self._inks(box, colour)
        if intersect_boxes(box, self._trim) is None:
            return
        for side, away in zip(SIDES, distances(box, self._trim), strict=True):
            if away < self._text.get(side, 1e9):
                self._text[side], self._words[side] = away, text.strip()[:40]

    def filled(self, box: Rect, colour: Colour) -> None:
        """Record a colour, and where it touches the trim."""
        self._inks(box, colour)
        if not colour.is_paper:
            self._edges(box)

    def line(self, box: Rect, colour: Colour, width: float) -> None:
        """Record a line: its colour, its width, and where it touches the trim."""
        self.filled(box, colour)
        if not colour.is_paper:
            self._line = width if self._line is None else min(width, self._line)

    def picture(
        self, box: Rect, image: Any, size: tuple[float, float], colour: Colour, part: Rect
    ) -> None:
        """Record a picture: its resolution, its colour space and its ink."""
        self._edges(box)
        pixels = int(image.get("/Width", 0)), int(image.get("/Height", 0))
        mask = image.get("/ImageMask") is True
        if not mask:
            found = self._measure(image, colour.space, part)
            colour = replace(colour, numbers=found.numbers, space=found.space)
        self._inks(box, colour)
        if "/SMask" in image:
            self._clear.add("a picture with soft edges")
        inches = [max(length, 1e-3) / 72 for length in size]
        ppi = round(min(count / length for count, length in zip(pixels, inches, strict=True)), 1)
        space = "mask" if mask else colour.space.family
        self.pictures.append(InspectedPicture(self._page, pixels, ppi, space))

    def _measure(self, image: Any, space: Space, part: Rect) -> Colour:
        """Return the colour of the pixel with the most ink."""
        key = (image.objgen, part) if image.is_indirect else None
        if key is not None and key not in self._heaviest:
            self._parts[image.objgen] += 1
            if self._parts[image.objgen] > _PARTS:
                key = (image.objgen, part := (0, 0, 1, 1))
        found = self._heaviest.get(key)
        if found is None:
            try:
                found = heaviest_colour(image, space, part, self.tick)
            except NotMeasured as error:
                found = str(error)
            if key is not None:
                self._heaviest[key] = found
        if isinstance(found, Colour):
            return found
        if found:
            self._unmeasured.add(f"the ink of a picture: {found}")
        return Colour(Space(space.family, 0), ())

    def gradient(self, shading: Any, space: Space, background: bool) -> Colour:
        """Return the heaviest colour of a gradient, which is computed once."""
        key = (shading.objgen, background)
        if not shading.is_indirect:
            return heaviest_of_gradient(shading, space, background)
        if key not in self._gradients:
            self._gradients[key] = heaviest_of_gradient(shading, space, background)
        return self._gradients[key]

    def setting(self, settings: Any) -> None:
        """Record transparency in a graphics state."""
        if any(is_number(settings.get(key)) and settings[key] < 1 for key in ("/ca", "/CA")):
            self._clear.add("colours that let through")
        if str(settings.get("/SMask", "/None")) != "/None":
            self._clear.add("soft masks")
        if str(settings.get("/BM", "/Normal")) not in ("/Normal", "/Compatible"):
            self._clear.add("colours that blend")
        for key in ("/TR", "/TR2"):
            if str(settings.get(key, "/Identity")) not in ("/Identity", "/Default"):
                self._unmeasured.add("the ink under a transfer function")

    def group(self, form: Any) -> None:
        """Record a transparency group."""
        if str(form.get("/Group", {}).get("/S", "")) == "/Transparency":
            self._clear.add("transparency groups")

    def font(self, face: EmbeddedFont) -> None:
        """Record a font."""
        self.fonts[id(face)] = face.font

    def _inks(self, box: Rect, colour: Colour) -> None:
        """Record a colour: its family, and the ink of it and of what is below."""
        space, inks = colour.space, colour.inks
        if colour.overprint is not None and colour.is_paper:
            if space.named or (colour.overprint == 1 and space.plates == PROCESS):
                self._lost.add(LOST)
            elif space.light:  # it replaces what is below, but not once it is converted to black
                self._lost.add(MAY_BE_LOST)
        if colour.is_paper:
            return
        self._colours.add(space.family)
        self._spots.update(name for name in inks if name in space.spots)
        if space.plates and not colour.numbers and colour.alpha:
            self._unmeasured.add("the ink of a gradient")
        if not inks or not colour.alpha:
            return
        plain = colour.overprint is None and colour.alpha >= 1 and colour.blend == "Normal"
        if not plain:
            below = [
                dict(key)
                for key, boxes in self._below.items()
                if any(_overlap(box, one) for one in boxes)
            ]
            mixed = (mix_inks(colour, inks, under) for under in [{}, *below])
            inks = max(mixed, key=lambda one: sum(one.values()))
        self._ink = max(self._ink, 100 * sum(inks.values()))
        key = tuple(sorted((name, round(amount, 3)) for name, amount in inks.items()))
        boxes = self._below.setdefault(key, [])
        boxes.append(box)
        if len(boxes) > _BOXES:
            self._below[key] = [bounding_box([(x, y) for b in boxes for x, y in (b[:2], b[2:])])]
        if len(self._below) > _COLOURS:
            del self._below[min(self._below, key=lambda one: sum(ink for _, ink in one))]

    def _edges(self, box: Rect) -> None:
        if intersect_boxes(box, self._trim) is None:  # a printer's mark, outside the trim
            return
        inside, beyond = distances(box, self._trim), distances(box, self._bleed)
        for side, away, left in zip(SIDES, inside, beyond, strict=True):
            if away <= TOUCH:
                self._touched.add(side)
                if left <= FULL:
                    self._full.add(side)
            else:
                self._art[side] = min(away, self._art.get(side, 1e9))


def _overlap(one: Rect, other: Rect) -> bool:
    found = intersect_boxes(one, other)
    return found is not None and found[2] - found[0] > FULL and found[3] - found[1] > FULL


def mix_inks(
    colour: Colour, inks: Mapping[str, float], below: Mapping[str, float]
) -> dict[str, float]:
    """Return the inks of a colour that is painted over others: blended, opaque or overprinted."""
    space = colour.space
    own = space.plates if space.named else PROCESS
    found = dict(below)
    for plate in {*inks, *below}:
        top, under = inks.get(plate, 0.0), below.get(plate, 0.0)
        if colour.overprint is not None:
            kept = colour.overprint == 1 and space.plates == PROCESS and not top
            if kept or plate not in own:
                continue
        blend = _BLENDS.get(colour.blend)
        mixed = top if blend is None else 1 - blend(1 - under, 1 - top)
        found[plate] = mixed * colour.alpha + under * (1 - colour.alpha)
    return found


def _hard_light(under: float, top: float) -> float:
    return 2 * under * top if top <= 0.5 else 1 - 2 * (1 - under) * (1 - top)


_BLENDS: Final[dict[str, Callable[[float, float], float]]] = {
    "Multiply": lambda under, top: under * top,
    "Screen": lambda under, top: under + top - under * top,
    "Overlay": lambda under, top: _hard_light(top, under),
    "HardLight": _hard_light,
    "Darken": min,
    "Lighten": max,
    "ColorDodge": lambda under, top: min(1.0, under / (1 - top)) if top < 1 else 1.0,
    "ColorBurn": lambda under, top: 1 - min(1.0, (1 - under) / top) if top else 0.0,
    "Difference": lambda under, top: abs(under - top),
    "Exclusion": lambda under, top: under + top - 2 * under * top,
}
"""Blend modes of two amounts of light (11.3.5); others are taken for the normal one."""

_PARTS: Final = 4
"""Different parts of one picture that are measured; for further ones, the whole of it is."""

_BOXES: Final = 24
"""Places of one colour that are kept; more are taken together."""

_COLOURS: Final = 64
"""Colours that are kept for what is painted over them."""
