"""Advance widths and bounding boxes of the glyphs of embedded fonts."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from sheetgen.bounds import pass_memory_error
from sheetgen.plugins.prepress.inspected import Font, Rect


class EmbeddedFont:
    """A font of a PDF: widths and boxes of its codes, in 1/1000 em.

    If the outlines of a damaged font cannot be read, boxes come from its font descriptor: they
    may be too large, never too small.
    """

    def __init__(self, font: Any) -> None:
        kind = str(font.get("/Subtype", ""))[1:]
        self.wide = kind == "Type0"
        below = font.get("/DescendantFonts", [font])[0] if self.wide else font
        descriptor = below.get("/FontDescriptor", {})
        embedded = kind == "Type3" or any(f"/FontFile{n}" in descriptor for n in ("", "2", "3"))
        name = str(font.get("/BaseFont", font.get("/Name", "/?")))[1:]
        start, plus, rest = name.partition("+")
        subset = bool(plus) and len(start) == 6 and start.isupper()
        self.font = Font((rest if subset else name)[:80], kind[:40], embedded, subset)
        listed = enumerate(font.get("/Widths", []), int(font.get("/FirstChar", 0)))
        simple = ((code, float(width)) for code, width in listed)
        self._widths = dict(_cid_widths(below) if self.wide else simple)
        usual = below.get("/DW", 1000) if self.wide else descriptor.get("/MissingWidth", 500)
        self._usual = float(usual)
        ascent, descent = descriptor.get("/Ascent", 1000), descriptor.get("/Descent", -250)
        self._line = float(descent), float(ascent)
        direct = str(below.get("/CIDToGIDMap", "/Identity")) == "/Identity"
        self._outlines = _outlines(descriptor, self.wide and direct)
        self.resources = font.get("/Resources")
        self.glyphs = dict(_glyphs(font))
        self.matrix = font.get("/FontMatrix", (0.001, 0, 0, 0.001, 0, 0))
        self._scale = abs(float(self.matrix[0])) * 1000 if kind == "Type3" else 1.0
        self._letters = _letters(font)

    def codes(self, raw: bytes) -> Iterator[tuple[int, bool]]:
        """Yield the codes of a text, and whether word spacing applies to each."""
        if not self.wide:
            yield from ((code, code == 32) for code in raw)
            return
        for at in range(0, len(raw) - 1, 2):
            yield raw[at] << 8 | raw[at + 1], False

    def letter(self, code: int) -> str:
        """Return the character of `code`; a dot if the font does not tell."""
        if self._letters:
            return self._letters.get(code, "·")
        return chr(code) if not self.wide and 32 <= code < 127 else "·"

    def width(self, code: int) -> float:
        """Return the advance width of `code`."""
        return self._widths.get(code, self._usual) * self._scale

    def box(self, code: int) -> Rect | None:
        """Return the bounding box of `code`; None for a blank."""
        if self._outlines is not None:
            found: Rect | tuple[()] | None = self._outlines(code)
            if found is None or len(found) == 4:
                return found
        if not self.wide and code == 32:
            return None
        return 0.0, self._line[0], max(self.width(code), 0.0), self._line[1]


def _glyphs(font: Any) -> Iterator[tuple[int, Any]]:
    """Yield codes and glyphs of a Type 3 font, whose glyphs are content streams."""
    import pikepdf

    procedures, encoding = font.get("/CharProcs"), font.get("/Encoding", {})
    if procedures is None or not isinstance(encoding, pikepdf.Dictionary):
        return
    code = 0
    for one in encoding.get("/Differences", []):
        if isinstance(one, pikepdf.Name):
            if str(one) in procedures:
                yield code, procedures[str(one)]
            code += 1
        else:
            code = int(one)


def _cid_widths(font: Any) -> Iterator[tuple[int, float]]:
    import pikepdf

    rows = list(font.get("/W", []))
    at = 0
    while at + 1 < len(rows):
        first, next_ = int(rows[at]), rows[at + 1]
        if isinstance(next_, pikepdf.Array):
            yield from ((code, float(width)) for code, width in enumerate(next_, first))
            at += 2
        else:
            last = min(int(next_), first + 0xFFFF)
            yield from ((code, float(rows[at + 2])) for code in range(first, last + 1))
            at += 3


_HEX: Final = rb"<([0-9A-Fa-f]+)>\s*"
_CHARS: Final = re.compile(_HEX * 2)
_RANGES: Final = re.compile(_HEX * 3)
_BLOCK: Final = re.compile(rb"begin(bfchar|bfrange)(.*?)endbf", re.DOTALL)


def _letters(font: Any) -> dict[int, str]:
    """Return the characters of codes from `ToUnicode`; ranges with an array are left out."""
    import pikepdf

    found: dict[int, str] = {}
    if not isinstance(font.get("/ToUnicode"), pikepdf.Stream):
        return found
    for kind, block in _BLOCK.findall(font.ToUnicode.read_bytes()[:500_000]):
        if kind == b"bfchar":
            for code, text in _CHARS.findall(block):
                found[int(code, 16)] = _decode_hex(text)
            continue
        for first, last, text in _RANGES.findall(block):
            start, begin = int(first, 16), _decode_hex(text)
            for code in range(start, min(int(last, 16), start + 0xFF) + 1):
                found[code] = begin[:-1] + chr(min(ord(begin[-1:] or " ") + code - start, 0xFFFF))
    return found


def _decode_hex(digits: bytes) -> str:
    even = digits.decode() + "0" * (-len(digits) % 4)
    return bytes.fromhex(even).decode("utf-16-be", "replace")


def _outlines(descriptor: Any, by_glyph: bool) -> Any:
    """Return a function from a code to its box: None for a blank, () if it is not known."""
    if "/FontFile2" not in descriptor:
        return None
    from fontTools.ttLib import TTFont

    try:
        font = TTFont(io.BytesIO(descriptor.FontFile2.read_bytes()), lazy=True)
        glyphs, scale = font["glyf"], 1000 / font["head"].unitsPerEm
        names = font.getGlyphOrder()
        mapping = {} if by_glyph else (font.getBestCmap() or {})
    except Exception as error:  # noqa: BLE001 - libraries raise anything
        pass_memory_error(error)
        return None

    def box(code: int) -> Rect | tuple[()] | None:
        try:
            if by_glyph:
                name = names[code] if code < len(names) else None
            else:
                letter = bytes([code]).decode("cp1252", "replace")
                name = mapping.get(ord(letter)) or mapping.get(0xF000 + code)
            if name is None:
                return ()
            glyph = glyphs[name]
            if not glyph.numberOfContours:
                return None
            sides = (glyph.xMin, glyph.yMin, glyph.xMax, glyph.yMax)
        except Exception as error:  # noqa: BLE001 - libraries raise anything
            pass_memory_error(error)
            return ()
        left, foot, right, top = (side * scale for side in sides)
        return left, foot, right, top

    return cache(box)
