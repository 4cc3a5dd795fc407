"""Fonts made while a document is pressed: small, whole, and read by a font library."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from fontTools.pens.boundsPen import BoundsPen
from fontTools.ttLib import TTFont
from hypothesis import given
from hypothesis import strategies as st

from sheetgen.render.fonts.fonts import (
    SubsetFont,
    build_truetype,
    dump_outlines,
    parse_outlines,
)
from sheetgen.render.pdf.pdf_file import PdfWriter
from tests.render.blank import FILES, faces


def _rare(face: str) -> list[str]:
    one = faces()[face]
    return [chr(p) for p, glyph in one.metrics.glyphs.items() if glyph >= one.count]


def _drawn(font: TTFont, glyph: str) -> tuple[float, ...] | None:
    glyphs = font.getGlyphSet()
    pen = BoundsPen(glyphs)
    glyphs[glyph].draw(pen)
    return pen.bounds


@pytest.mark.parametrize("face", sorted(FILES))
def test_each_rare_letter_is_drawn_as_the_face_draws_it(face: str) -> None:
    one = faces()[face]
    letters = _rare(face)
    assert len(letters) > 300
    tables, outlines = parse_outlines(one.spare)
    chosen = [b"", *(outlines[one.metrics.glyphs[ord(c)]] for c in letters)]
    widths = [0, *(one.metrics.advances[ord(c)] for c in letters)]
    data = build_truetype(tables, chosen, widths)
    # A font library complains of wrong sums and of offsets that lead outside.
    made, whole = TTFont(io.BytesIO(data), checkChecksums=2), TTFont(io.BytesIO(one.layout))
    order, names = made.getGlyphOrder(), whole.getBestCmap()
    assert made["maxp"].numGlyphs == len(letters) + 1
    for number, letter in enumerate(letters, 1):
        assert _drawn(made, order[number]) == pytest.approx(
            _drawn(whole, names[ord(letter)]) or None
        )
        assert made["hmtx"][order[number]][0] == widths[number]
    assert sum(struct.unpack(f">{len(data) // 4}I", data)) & 0xFFFFFFFF == 0xB1B0AFBA


@given(st.dictionaries(st.integers(0, 0xFFFF), st.binary(max_size=40), max_size=20))
def test_outlines_come_back(outlines: dict[int, bytes]) -> None:
    tables = {"head": b"h" * 54, "hhea": b"e" * 36, "maxp": b"m" * 32, "post": b"p" * 32}
    assert parse_outlines(dump_outlines(tables, outlines)) == (tables, outlines)


def test_letters_are_numbered_as_they_come_and_nothing_is_written_unused() -> None:
    one = faces()["text-400"]
    file = PdfWriter()
    spare = SubsetFont(b"/BAAAAA+X", zlib.compress(one.spare), one.metrics, file)
    spare.write()
    assert file.take() == 1
    assert spare.encode("ŻŁŻ") == b"\0\1\0\2\0\1"
    assert spare.encode("Ω") == b"\0\3"
    assert spare.number == 2
