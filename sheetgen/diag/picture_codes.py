"""Codes of findings about authors' pictures, SG9xx."""

from __future__ import annotations

from typing import Final

from sheetgen.diag.code import Code

NO_PICTURE = Code(
    "SG901",
    "a picture that cannot be found",
    "The name of a picture is relative to the folder of the file that names it. The print goes on "
    "with an empty cell.",
)
OUTSIDE = Code(
    "SG902",
    "a picture outside the folder of its file",
    "A file may only name pictures beside it or in folders below it, and no link may lead out of "
    "there, so that a file of a stranger cannot print what is private. Copy the picture beside the "
    "file.",
)
NOT_A_PICTURE = Code(
    "SG903",
    "a file that is not a picture that can be printed",
    "JPEG, PNG and SVG are read. The content counts, not the ending of the name. Open the picture "
    "in any program that edits pictures, and export it as JPEG or PNG.",
)
LARGE_PICTURE = Code(
    "SG904",
    "a picture that is too large",
    "Pictures have at most 50 MB and 30,000 pixels on a side; a PNG or a progressive JPEG has at "
    "most 100 million pixels, so that a small file cannot fill the memory. A cell of 30 × 34 mm "
    "needs 354 × 402 pixels at 300 dpi.",
)
DAMAGED_PICTURE = Code(
    "SG905",
    "a picture that is damaged",
    "The file breaks off or cannot be decoded, perhaps because a copy or a download was "
    "interrupted. Copy it once more, or export it again.",
)
MOVING_PICTURE = Code(
    "SG906",
    "an animated picture",
    "Paper shows one picture. Export the frame that you want as JPEG or PNG.",
)
UNSAFE_DRAWING = Code(
    "SG907",
    "an SVG drawing with parts that are not printed",
    "A drawing may come from a stranger. Scripts, event handlers, links to other files, entities "
    "and very deep nesting are never followed: the drawing is printed without them, or not at all.",
)
NO_ALT = Code(
    "SG908",
    "a picture without a description",
    "Readers who cannot see a picture hear its description. Write one sentence about what the "
    "picture shows: `portrait: {file: face.jpg, alt: …}`. Without it they hear only a name.",
)
BAD_PICTURE_KEYS = Code(
    "SG909",
    "a picture with a value that does not fit",
    "`fit` is `crop` or `whole`; `focus` is two numbers from 0 to 1, from the left and the top.",
)
NO_CELL = Code(
    "SG910",
    "a picture that this print has no cell for",
    "The design of this print has no place for a picture with this key. Other prints of the same "
    "file may have one.",
)
DRAWN_TEXT = Code(
    "SG911",
    "an SVG drawing with text",
    "Text in a drawing names a font that another machine may not have, so the same drawing would "
    "be printed in different letters. Drawings are printed without their text. Programs that draw "
    "can turn text into paths, which look the same everywhere.",
)
FEW_PIXELS = Code(
    "SG912",
    "a picture of very few pixels",
    "A picture of one or two pixels shows nothing: it is a placeholder, or a download that went "
    "wrong. It is printed all the same.",
)

PICTURE_CODES: Final[tuple[Code, ...]] = tuple(v for v in globals().values() if isinstance(v, Code))
