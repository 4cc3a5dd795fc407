"""Codes of findings about finished PDFs, what a print shop would refuse, SG6xx."""

from __future__ import annotations

from typing import Final

from sheetgen.diag.code import Code

NOT_A_PDF = Code(
    "SG601",
    "a file that is not a PDF, or is damaged",
    "The file does not begin like a PDF, is incomplete, or its pages cannot be found. Print it "
    "again, or get it again from where it came.",
)
LOCKED = Code(
    "SG602",
    "an encrypted file",
    "A print shop cannot change the boxes or colours of an encrypted file, and refuses it. Save it "
    "without a password and without restrictions.",
)
FONT_MISSING = Code(
    "SG603",
    "a font that is not embedded",
    "Another system replaces the font: letters move, and some get lost. Embed every font, "
    "including those of form fields.",
)
CID_FONT = Code(
    "SG604",
    "a font with numbered glyphs",
    "Such fonts (CID, Type 0) are as good as others, and many alphabets need them, but some "
    "print-on-demand services say that they refuse them. Ask the printer, or send the pages as "
    "images.",
)
UNSAFE = Code(
    "SG605",
    "text too close to the trim edge",
    "Paper shifts when it is cut. Keep text out of the printer's safe zone. Keep drawings out of "
    "it too, or extend them over the edge to the end of the bleed.",
)
NO_BLEED = Code(
    "SG606",
    "page boxes other than the printer expects",
    "TrimBox is where the page is cut, BleedBox how far colour extends beyond it, and MediaBox the "
    "size of the page in the file. Print-on-demand services cut by these boxes, or by the page "
    "size alone. Print again with the printer's preset.",
)
STOPS_SHORT = Code(
    "SG607",
    "colour that ends at the trim edge",
    "If the cut is off by a fraction of a millimetre, a bare line shows at the edge. Extend "
    "colour that touches the trim edge to the end of the bleed.",
)
WRONG_COLOURS = Code(
    "SG608",
    "colours in another colour space than the printer expects",
    "A press prints with four inks (CMYK). The printer converts screen colours (RGB) and spot "
    "colours without a proof, or refuses them. Each spot colour needs a plate and an ink of its "
    "own, which print on demand does not have. Use `--for` to convert our own prints.",
)
MUCH_INK = Code(
    "SG609",
    "too much ink in one place",
    "The sum of all inks has to stay below a limit, mostly 240 per cent. Above it, sheets stick "
    "together and smear. Use lighter colours. Pictures and gradients count like flat colours. "
    "Screen colours are not measured: their inks depend on how they are converted.",
)
TRANSPARENT = Code(
    "SG610",
    "transparency",
    "Older prepress systems do not support it, and PDF/X-1a and PDF/X-3 forbid it. Flatten it.",
)
LIVE = Code(
    "SG611",
    "interactive content",
    "Form fields, links, scripts, layers and attached files have no use on paper, and a printer "
    "cannot tell what they will show. Use `--flatten` to draw the fields.",
)
HAIRLINE = Code(
    "SG612",
    "a line that may be too thin to print",
    "A line thinner than a quarter of a point prints on one press and disappears on the next. Draw "
    "it thicker.",
)
COARSE = Code(
    "SG613",
    "an image with too low a resolution",
    "At its printed size the image has fewer pixels per inch than the printer requires. Replace it "
    "with a larger image, or print it smaller.",
)
FALSE_CLAIM = Code(
    "SG614",
    "a file that breaks the standard that it claims, or lacks a claim",
    "The file claims to be PDF/X or PDF/A and breaks one of its rules, or the printer requires "
    "such a standard and the file claims none. sheetgen checks only some of the rules: a file "
    "without a finding may still fail elsewhere.",
)
PAGE_COUNT = Code(
    "SG615",
    "a number of pages that cannot be bound",
    "A leaf has two pages, and a folded sheet four. Add empty pages.",
)
UNREAD = Code(
    "SG616",
    "a part of a file that could not be checked",
    "This part is damaged, or holds more than sheetgen examines. The other findings do not cover "
    "it.",
)
NOT_TURNED = Code(
    "SG617",
    "content that cannot be prepared for the printer",
    "The file has content that cannot be converted to the required colours, PDF version or archive "
    "format. Nothing was written, because half of it would be wrong.",
)
MIXED = Code(
    "SG618",
    "pages of different sizes or orientations",
    "A print shop cuts and binds all pages of a file alike. Pages of another size or orientation "
    "are scaled, rotated or refused. Print each size to a file of its own, or ask the printer "
    "first.",
)
NOT_FOR_PICTURES = Code(
    "SG619",
    "options that do not go together in pictures and decks",
    "Inks, PDF/X and PDF/A are about a PDF, transparency is about PNG and WebP, and a "
    "picture of each card is about cards. Leave the option out, or ask for the format that it is "
    "about too: with `pdf` among the formats, the PDF is prepared for its printer, and pictures "
    "show the pages before that.",
)
TOO_MANY_PIXELS = Code(
    "SG620",
    "a picture with too many pixels",
    "A picture has at most 72 million pixels, which is A3 at 600 dpi, and at most 16,383 on a "
    "side, which is the limit of WebP. Print it with a lower resolution.",
)
NOT_HOSTED = Code(
    "SG621",
    "a deck whose pictures have no address",
    "Tabletop Simulator loads the pictures of a saved object from addresses. Without `--base-url`, "
    "the saved object names the files beside it. Upload them with the game's Cloud Manager and "
    "write the addresses that it gives in place of the names, or put them on a server and print "
    "again with `--base-url`. An address such as file:///C:/decks works for nobody else.",
)
NO_BACKUP = Code(
    "SG622",
    "a sheet without its QR code",
    "A sheet carries its character's file in at most four QR codes of 137 modules a side, so that "
    "a photo of the page can be read. They hold 5,428 bytes of compressed text, which is about "
    "14,000 letters. A sheet that is printed from a row of a CSV file has no file of its own.",
)
BACKUP_PAGE = Code(
    "SG623",
    "a QR code on a page of its own",
    "The modules of a code in the corner of a sheet are at least 0.42 mm wide, so that a photo of "
    "the page can be read. The corner of most sheets holds 800 bytes or more, which is a file of "
    "about 1,400 letters; comments count. The code of a larger file is printed on a further page.",
)
PRINT_STOPPED = Code(
    "SG624",
    "a print that a preview stopped",
    "A preview ends a print that takes longer than two minutes, or that runs while its files have "
    "changed again, and it starts the next one in a new process. Print the file with its command "
    "to see how long it takes.",
)
PORT_TAKEN = Code(
    "SG625",
    "a port that a preview cannot use",
    "Another program uses the port of `--port`, or the system does not allow its use. Without "
    "`--port` a free one is found.",
)

SPLIT_TABLE = Code(
    "SG626",
    "a table with more columns than the paper has room for",
    "Words are hyphenated and the type becomes smaller first. If the columns still have no room on "
    "landscape paper, a PDF has the table in several parts one below the other, and each repeats "
    "the labels of the rows. HTML, CSV and other text files have it whole.",
)
WHITE_OVERPRINT = Code(
    "SG627",
    "white that disappears in print",
    "Overprint adds an object's inks to those below it. White has no ink, so an object in white "
    "that overprints is seen on the screen and is missing in print. Turn overprint off for it.",
)

PRINT_CODES: Final[tuple[Code, ...]] = tuple(v for v in globals().values() if isinstance(v, Code))
"""All codes of this module."""
