"""The codes of findings about finished files: what a print shop would refuse, SG6xx."""

from __future__ import annotations

from typing import Final

from sheetgen.diag.code import Code

NOT_A_PDF = Code(
    "SG601",
    "a file that is no PDF, or a damaged one",
    "It does not begin as a PDF does, was cut off on its way, or its pages cannot be found. Print "
    "it again, or ask for it again.",
)
LOCKED = Code(
    "SG602",
    "a file that is encrypted",
    "A print shop cannot change boxes or colours of a file that it may not open or edit, and "
    "refuses it. Save it without a password and without restrictions.",
)
FONT_MISSING = Code(
    "SG603",
    "a font that the file does not carry",
    "Another machine sets another font in its place: letters move, and some are lost. Embed "
    "every font, also those of fields.",
)
CID_FONT = Code(
    "SG604",
    "a font whose letters go by number",
    "Such fonts (CID, Type 0) are as good as others, and needed for many alphabets, yet some "
    "printers on demand say that they take none. Ask, or send pages as pictures.",
)
UNSAFE = Code(
    "SG605",
    "text that is too near to where it is cut",
    "Paper moves as it is cut. What has to be read keeps away from the cut by the printer's "
    "safe zone; what is drawn does so too, or runs out over the cut to the end of the bleed.",
)
NO_BLEED = Code(
    "SG606",
    "boxes that are not those that the printer wants",
    "TrimBox says where a page is cut, BleedBox how far its colour goes beyond, MediaBox how large "
    "the file's page is. A printer on demand cuts by them, or by the size of the page alone.",
)
STOPS_SHORT = Code(
    "SG607",
    "colour that ends where it is cut",
    "If the cut is off by a hair, a bare line is left at the edge. Colour that touches the trim "
    "has to fill the bleed behind it, to its end.",
)
WRONG_COLOURS = Code(
    "SG608",
    "colours of another kind than the printer wants",
    "A press prints in four inks (CMYK). Colours of screens (RGB) are turned by "
    "the printer in a way that nobody saw before, or refused. `--for` turns ours.",
)
MUCH_INK = Code(
    "SG609",
    "more ink in one place than paper takes",
    "All inks together stay below a limit, mostly 240 per cent, or sheets stick together and "
    "smear.",
)
TRANSPARENT = Code(
    "SG610",
    "transparency",
    "Older ways to the plate know none, and PDF/X-1a and X-3 forbid it. Flatten it.",
)
LIVE = Code(
    "SG611",
    "things in a file that do something",
    "Fields, links, scripts, layers and files within are of no use on paper, and a printer "
    "cannot tell what they will show. `--flatten` draws the fields.",
)
HAIRLINE = Code(
    "SG612",
    "a line so thin that it may be lost",
    "Under a quarter of a point a line is there on one press and gone on the next.",
)
COARSE = Code(
    "SG613",
    "a picture with too few pixels",
    "At the size at which it is placed it has fewer pixels an inch than the printer asks for.",
)
FALSE_CLAIM = Code(
    "SG614",
    "a file that is not what it says, or does not say what it has to",
    "It claims to be PDF/X or PDF/A and breaks a rule of it, or the printer wants one and the file "
    "claims none. Only what can be seen here is said; a file without a finding may still fail.",
)
PAGE_COUNT = Code(
    "SG615",
    "a number of pages that cannot be bound",
    "A leaf has two pages, and a folded sheet four. Add empty ones.",
)
UNREAD = Code(
    "SG616",
    "part of a file that could not be looked at",
    "It is damaged there, or holds more than anybody prints. What is said of the file does not "
    "count for that part.",
)
NOT_TURNED = Code(
    "SG617",
    "something that cannot be made ready for the printer",
    "The file holds what has no plain way into the wanted colours, version or archive. Nothing was "
    "written, since half of it would be wrong.",
)
MIXED = Code(
    "SG618",
    "pages of different sizes, or turned differently",
    "A print shop cuts and binds all pages of a file alike. Pages of another size or direction "
    "are scaled, turned or refused. Print each kind to a file of its own, or ask first.",
)

PRINT_CODES: Final = tuple(value for value in list(globals().values()) if isinstance(value, Code))
"""All of them, for `codes.CODES`."""
