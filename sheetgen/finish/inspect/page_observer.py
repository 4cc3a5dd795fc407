"""Collect what a print shop checks on a page while its content is interpreted."""

from __future__ import annotations

from typing import Any, Final

from sheetgen.finish.inspect.geometry import distances, intersect_boxes
from sheetgen.finish.inspect.glyph_boxes import EmbeddedFont
from sheetgen.finish.inspect.painting import Colour, family_of, is_number
from sheetgen.model.inspected import SIDES, Drawn, Font, InspectedPicture, Rect

TOUCH: Final = 0.85
"""Points (0.3 mm): colour that ends so close to the trim is meant to reach it."""

FULL: Final = 0.1
"""Points of tolerance at the edge of the bleed."""


class PageObserver:
    """A `PaintObserver` of one page at a time; fonts and pictures are those of all pages."""

    def __init__(self) -> None:
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
        self._ink = 0.0
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
        )

    # -- called by the content reader --------------------------------------------------------------

    def text(self, box: Rect, text: str, colour: Colour) -> None:
        """Record the distance of text from the trim."""
        self._inks(colour)
        if (
            intersect_boxes(box, self._trim) is None
        ):  # outside the trim: a line of text for the printer
            return
        for side, away in zip(SIDES, distances(box, self._trim), strict=True):
            if away < self._text.get(side, 1e9):
                self._text[side], self._words[side] = away, text.strip()[:40]

    def filled(self, box: Rect, colour: Colour) -> None:
        """Record a colour, and where it touches the trim."""
        if colour.is_paper:
            return
        self._inks(colour)
        self._edges(box)

    def line(self, box: Rect, colour: Colour, width: float) -> None:
        """Record a line: its colour, its width, and where it touches the trim."""
        if colour.is_paper:
            return
        self._inks(colour)
        self._line = width if self._line is None else min(width, self._line)
        self._edges(box)

    def picture(self, box: Rect, image: Any, size: tuple[float, float], colour: Colour) -> None:
        """Record a picture: its resolution and its colour space."""
        self._edges(box)
        pixels = tuple(int(image.get(long, image.get(short, 0))) for long, short in _PIXELS)
        if image.get("/ImageMask", image.get("/IM", False)) is True:
            self._inks(colour)
            space = "mask"
        else:
            space = family_of(image.get("/ColorSpace", image.get("/CS", "/?")))
            self._colours.add(space)
        if "/SMask" in image:
            self._clear.add("a picture with soft edges")
        inches = [max(length, 1e-3) / 72 for length in size]
        ppi = min(count / length for count, length in zip(pixels, inches, strict=True))
        self.pictures.append(
            InspectedPicture(self._page, (pixels[0], pixels[1]), round(ppi, 1), space)
        )

    def setting(self, settings: Any) -> None:
        """Record transparency in a graphics state."""
        if any(is_number(settings.get(key)) and settings[key] < 1 for key in ("/ca", "/CA")):
            self._clear.add("colours that let through")
        if str(settings.get("/SMask", "/None")) != "/None":
            self._clear.add("soft masks")
        if str(settings.get("/BM", "/Normal")) not in ("/Normal", "/Compatible"):
            self._clear.add("colours that blend")

    def group(self, form: Any) -> None:
        """Record a transparency group."""
        if str(form.get("/Group", {}).get("/S", "")) == "/Transparency":
            self._clear.add("transparency groups")

    def font(self, font: Any, face: EmbeddedFont) -> None:
        """Record a font."""
        self.fonts[font.objgen if font.is_indirect else id(font)] = face.font

    # -- helpers ----------------------------------------------------------------------------

    def _inks(self, colour: Colour) -> None:
        self._colours.add(colour.family)
        self._ink = max(self._ink, colour.ink)

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


_PIXELS: Final = (("/Width", "/W"), ("/Height", "/H"))
