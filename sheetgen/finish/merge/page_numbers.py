"""Number finished pages at the foot, where nothing else is painted."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import product
from typing import Any, Final

from sheetgen.finish.inspect.contents import ContentReader
from sheetgen.finish.inspect.geometry import expand_box, intersect_boxes
from sheetgen.finish.inspect.painting import Colour, GraphicsState, PaintObserver, TooMuch, rect_of
from sheetgen.finish.merge.object_copier import ObjectCopier
from sheetgen.finish.saving import precise_numbers
from sheetgen.model.inspected import Rect
from sheetgen.units import MM

_DIGITS: Final = "0123456789"
_SIZE: Final = 7.5
"""Points."""

_DISTANCES: Final = (8 * MM, 5 * MM)
"""Distances from the edges: outside the margins of all our designs, and where printers print.
The second one is for sheets of cards and screens, which are printed closer to the edge."""

_CLEAR: Final = 2 * MM
"""Points between a number and what is painted next to it."""

_DRAWN: Final = (
    b"Q/Artifact<</Type/Pagination/Subtype/Footer>>BDC BT 0 g %s %s Tf %s Td(%s)Tj ET EMC"
)
"""Follows the page's own content, which begins with a `q`."""

_NARROWEST: Final = 140 * MM
"""Narrower pages are cards, which get no number."""


class PageNumbers:
    """Page numbers of one file."""

    def __init__(self, target: ObjectCopier, face: bytes, safe: float = 0.0) -> None:
        """Embed the digits of a font.

        Args:
            safe: Points from the edges that stay empty.
        """
        self.distances = [max(away, safe) for away in _DISTANCES]
        font, self.advances = _font(target.pdf, face)
        self.font = target.shared(font)

    def put(self, part: ObjectCopier, page: Any, number: int, *, crowded: bool = False) -> None:
        """Print a number on a page of a part, if the page is wide enough.

        It is in the middle, since sheets have their own page numbers at the right.

        Args:
            crowded: Whether to look for an empty place, as on sheets of cards, which are printed
                up to the edge; on landscape pages, such as screens, one is always looked for.
        """
        import pikepdf

        left, foot, right, top = rect_of(page.trimbox)
        turned = int(page.obj.get("/Rotate", 0)) % 360
        if turned or min(right - left, top - foot) < _NARROWEST:
            return
        obj, digits = page.obj, str(number)
        resources = pikepdf.Dictionary(obj.get("/Resources", {}))
        fonts = pikepdf.Dictionary(resources.get("/Font", {}))
        name = next(name for n in range(99) if (name := f"/Folio{n or ''}") not in fonts)
        fonts[name] = part.proxy(self.font)
        resources.Font = fonts
        obj.Resources = resources
        wide = sum(self.advances[digit] for digit in digits) * _SIZE / 1000
        middle = (left + right - wide) / 2
        places = [(middle, foot + below) for below in self.distances]
        corner = product(self.distances, repeat=2)
        places += [(right - away - wide, foot + below) for away, below in corner]
        boxes = [(x, y, x + wide, y + _SIZE) for x, y in places]
        crowded = crowded or right - left > top - foot
        chosen = _find_free_box(part.pdf, page, boxes) if crowded else 0
        at = precise_numbers(*(round(side, 2) for side in places[chosen]))
        drawn = _DRAWN % (name.encode(), precise_numbers(_SIZE), at, digits.encode())
        before = obj.get("/Contents", pikepdf.Array())
        streams = list(before) if isinstance(before, pikepdf.Array) else [before]
        first, last = part.pdf.make_stream(b"q"), part.pdf.make_stream(drawn)
        obj.Contents = pikepdf.Array([first, *streams, last])


def _font(pdf: Any, data: bytes) -> tuple[Any, dict[str, int]]:
    """Return a font of the digits, and the advance width of each in 1/1000 em."""
    import pikepdf
    from fontTools import subset
    from fontTools.ttLib import TTFont

    options = subset.Options()
    options.hinting, options.notdef_outline, options.glyph_names = False, True, False
    options.layout_features = []
    font = TTFont(io.BytesIO(data), recalcTimestamp=False)
    family = "".join(c for c in font["name"].getDebugName(6) or "Text" if c.isalnum() or c == "-")
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=_DIGITS)
    subsetter.subset(font)
    scale = 1000 / font["head"].unitsPerEm
    names, widths = font.getBestCmap(), font["hmtx"].metrics
    advances = {digit: round(widths[names[ord(digit)]][0] * scale) for digit in _DIGITS}
    head, hhea = font["head"], font["hhea"]
    file = io.BytesIO()
    font.save(file)
    content = pdf.make_stream(file.getvalue())
    content.Length1 = len(file.getvalue())
    name = f"/FOLIOS+{family}"
    box = " ".join(str(round(v * scale)) for v in (head.xMin, head.yMin, head.xMax, head.yMax))
    lines = (hhea.ascent, hhea.descent, font["OS/2"].sCapHeight)
    ascent, descent, cap_height = (round(line * scale) for line in lines)
    described = pikepdf.Object.parse(
        f"<</Type/FontDescriptor/FontName{name}/Flags 32/FontBBox[{box}]/ItalicAngle 0/StemV 80"
        f"/Ascent {ascent}/Descent {descent}/CapHeight {cap_height}>>".encode()
    )
    described.FontFile2 = content
    widths = " ".join(str(advances[digit]) for digit in _DIGITS)
    embedded = pikepdf.Object.parse(
        f"<</Type/Font/Subtype/TrueType/BaseFont{name}/Encoding/WinAnsiEncoding/FirstChar 48"
        f"/LastChar 57/Widths[{widths}]>>".encode()
    )
    embedded.FontDescriptor = pdf.make_indirect(described)
    return pdf.make_indirect(embedded), advances


class _Boxes(PaintObserver):
    """Collects the boxes of all that is painted."""

    def __init__(self) -> None:
        self.found: list[Rect] = []

    def filled(self, box: Rect, colour: Colour) -> None:
        if not colour.is_paper:
            self.found.append(box)

    def picture(self, box: Rect, *_: Any) -> None:
        self.found.append(box)


def _find_free_box(pdf: Any, page: Any, boxes: Sequence[Rect]) -> int:
    """Return the index of the first empty one of `boxes`; the last index if none is empty."""
    painted = _Boxes()
    try:
        state = GraphicsState((1, 0, 0, 1, 0, 0), clip=rect_of(page.mediabox))
        ContentReader(pdf, painted).read(page.obj.get("/Contents"), page.resources, state)
    except TooMuch:
        return len(boxes) - 1
    for number, box in enumerate(boxes):
        if not any(intersect_boxes(expand_box(box, _CLEAR), one) for one in painted.found):
            return number
    return len(boxes) - 1
