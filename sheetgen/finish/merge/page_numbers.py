"""Numbers at the foot of finished pages, where nothing else stands."""

from __future__ import annotations

import io
from typing import Any, Final

from sheetgen.finish.merge.free_places import find_free_box
from sheetgen.finish.merge.object_copier import ObjectCopier
from sheetgen.finish.pdf_numbers import precise_numbers
from sheetgen.units import MM

_DIGITS: Final = "0123456789"
_SIZE: Final = 7.5
"""Points."""

_AWAY: Final = ((8 * MM, 8 * MM), (8 * MM, 5 * MM), (5 * MM, 8 * MM), (5 * MM, 5 * MM))
"""From the edges to the right and below: outside of the margins of all our designs, and where
printers print. The later ones are for sheets of cards and screens, on which more comes near
to the edge; the last one is taken in any case."""

_CLEAR: Final = 1.5
"""Points between a number and what is painted beside it."""

_DRAWN: Final = (
    b"Q/Artifact<</Type/Pagination/Subtype/Footer>>BDC BT 0 g %s %s Tf %s Td(%s)Tj ET EMC"
)
"""The page's own content stands between a `q` and this."""

_NARROWEST: Final = 140 * MM
"""Pages that are narrower are cards, which show what is theirs and nothing else."""


class PageNumbers:
    """Page numbers of one file."""

    def __init__(self, whole: ObjectCopier, face: bytes, safe: float = 0.0) -> None:
        """Make a font of digits.

        Args:
            face: A TrueType font.
            safe: Points from the edges within which nothing may stand.
        """
        self.away = [(max(right, safe), max(below, safe)) for right, below in _AWAY]
        font, self.advances = _font(whole.pdf, face)
        self.font = whole.shared(font)

    def put(self, part: ObjectCopier, page: Any, number: int, *, crowded: bool = False) -> None:
        """Set a number on a page of a part, if there is room.

        Args:
            crowded: Whether the page may be printed up to its edges, as sheets of cards are;
                landscape pages, such as screens, may be in any case.
        """
        import pikepdf

        if not _has_room(page):
            return
        obj, said = page.obj, str(number)
        resources = pikepdf.Dictionary(obj.get("/Resources", {}))
        fonts = pikepdf.Dictionary(resources.get("/Font", {}))
        name = next(name for n in range(99) if (name := f"/Folio{n or ''}") not in fonts)
        fonts[name] = part.proxy(self.font)
        resources.Font = fonts
        obj.Resources = resources
        wide = sum(self.advances[digit] for digit in said) * _SIZE / 1000
        _, foot, right, _ = (float(side) for side in page.trimbox)
        places = [(right - away - wide, foot + below) for away, below in self.away]
        boxes = [(x, y, x + wide, y + _SIZE) for x, y in places]
        crowded = crowded or _is_landscape(page)
        chosen = find_free_box(part.pdf, page, boxes, _CLEAR) if crowded else 0
        at = precise_numbers(*(round(side, 2) for side in places[chosen]))
        drawn = _DRAWN % (name.encode(), precise_numbers(_SIZE), at, said.encode())
        before = obj.get("/Contents", pikepdf.Array())
        streams = list(before) if isinstance(before, pikepdf.Array) else [before]
        made = (part.pdf.make_stream(content) for content in (b"q", drawn))
        obj.Contents = pikepdf.Array([next(made), *streams, next(made)])


def _is_landscape(page: Any) -> bool:
    left, foot, right, top = (float(side) for side in page.trimbox)
    return right - left > top - foot


def _has_room(page: Any) -> bool:
    left, foot, right, top = (float(side) for side in page.trimbox)
    upright = int(page.obj.get("/Rotate", 0)) % 360 == 0
    return upright and min(right - left, top - foot) >= _NARROWEST


def _font(pdf: Any, data: bytes) -> tuple[Any, dict[str, int]]:
    """Return a font of digits, and how wide each is, per 1000 em."""
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
    name = pikepdf.Name(f"/FOLIOS+{family}")
    described = pikepdf.Dictionary(
        Type=pikepdf.Name.FontDescriptor,
        FontName=name,
        Flags=32,
        FontBBox=[round(v * scale) for v in (head.xMin, head.yMin, head.xMax, head.yMax)],
        ItalicAngle=0,
        Ascent=round(hhea.ascent * scale),
        Descent=round(hhea.descent * scale),
        CapHeight=round(font["OS/2"].sCapHeight * scale),
        StemV=80,
        FontFile2=content,
    )
    made = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.TrueType,
        BaseFont=name,
        Encoding=pikepdf.Name.WinAnsiEncoding,
        FirstChar=48,
        LastChar=57,
        Widths=[advances[digit] for digit in _DIGITS],
        FontDescriptor=pdf.make_indirect(described),
    )
    return pdf.make_indirect(made), advances
