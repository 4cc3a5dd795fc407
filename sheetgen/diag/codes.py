"""The catalogue of findings: the title of each code, and the text of `sheetgen explain`.

SG0xx are about reading files, SG1xx rulesets, SG2xx characters, SG3xx layout, SG4xx engines and
outputs, SG5xx odds, SG6xx finished PDFs, SG7xx books, SG8xx filled sheets, SG9xx pictures. A code
that left the catalogue, such as SG306, is never used again.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from sheetgen.records import frozen


@frozen
class Code:
    """A kind of finding, as `sheetgen explain` describes it."""

    id: str
    title: str  # What is wrong, as a noun phrase.
    text: str = ""  # What `about` returns, for a code of another module.

    @property
    def about(self) -> str:
        """Why it matters, and what to do: the text below its assignment in this module."""
        return self.text or _find_texts().get(self.id, "")


@cache
def _find_texts() -> dict[str, str]:
    texts: dict[str, str] = {}
    for code, text in pairwise(ast.parse(inspect.getsource(sys.modules[__name__])).body):
        if isinstance(code, ast.Assign) and isinstance(text, ast.Expr):
            name = ast.unparse(code.targets[0])
            texts[globals()[name].id] = " ".join(ast.literal_eval(text.value).split())
    return texts


def codes_of(names: Mapping[str, object]) -> tuple[Code, ...]:
    """Return the codes among the names of a module."""
    return tuple(value for value in names.values() if isinstance(value, Code))


NOTHING_FOUND = Code("SG701", "a pattern that matches no file")
"""Paths in a book are relative to the book's folder. `*` matches any part of a name, `**` any
folders in between, and a folder means all character files in it."""

EDITED = Code("SG702", "an output that was changed after it was written")
"""Every output holds a digest of its content. If the digest does not match, somebody may have typed
into the file; if there is none, sheetgen did not write it. Either way the file is left alone. Move
it away, write to another folder with `--out`, or overwrite it with `--force`."""

BAD_ROW = Code("SG703", "a row that makes no character")
"""The first row of a CSV file names its columns. In the template, `$column` is replaced by the
row's cell in that column, and every `$column` has to name a column. A book names a database; its
address is in a variable of the environment."""

PART_MISSING = Code("SG704", "a combined file that lacks a part")
"""A combined file is written only when all its parts are. Correct the findings about its parts
first."""

BAD_PATTERN = Code("SG705", "an output name that cannot be used")
"""An output name may contain {stem}, {name}, {ruleset}, {kind}, {entry} and {n}, the columns of a
CSV file, and slashes for folders. It has to stay inside the output folder."""

BROKEN_OFF = Code("SG706", "a print that failed unexpectedly")
"""The other prints are not affected. If the message says that memory is short, give the program
more. Otherwise this is a bug in sheetgen: please report it, together with the file."""

BAD_RECORD = Code("SG707", "a build record that cannot be trusted")
"""The folder `.sheetgen` in the output folder records what was built. A record that cannot be read,
or whose paths lead out of the output folder, is not used: its outputs are built again, and no file
that it names is removed. Delete the record."""

NO_CLUSTER = Code("SG708", "a cluster that cannot be used")
"""`build --cluster` needs the package `distributed`, a dask scheduler with workers, the same
sheetgen on all of them, and an output folder that all of them see under the same path. If the
cluster is lost during a build, what was written stays, and the next run goes on."""

NO_PICTURE = Code("SG901", "a picture that cannot be found")
"""The name of a picture is relative to the folder of the file that names it. The print goes on with
an empty cell."""

OUTSIDE = Code("SG902", "a picture outside the folder of its file")
"""A file may only name pictures beside it or in folders below it, and no link may lead out of
there, so that a file of a stranger cannot print what is private. Copy the picture beside the
file."""

NOT_A_PICTURE = Code("SG903", "a file that is not a picture that can be printed")
"""JPEG, PNG and SVG are read. The content counts, not the ending of the name. Open the picture in
any program that edits pictures, and export it as JPEG or PNG."""

LARGE_PICTURE = Code("SG904", "a picture that is too large")
"""Pictures have at most 50 MB and 30,000 pixels on a side; a PNG or a progressive JPEG has at most
100 million pixels, so that a small file cannot fill the memory. A cell of 30 × 34 mm needs 354 ×
402 pixels at 300 dpi."""

DAMAGED_PICTURE = Code("SG905", "a picture that is damaged")
"""The file breaks off or cannot be decoded, perhaps because a copy or a download was interrupted.
Copy it once more, or export it again."""

MOVING_PICTURE = Code("SG906", "an animated picture")
"""Paper shows one picture. Export the frame that you want as JPEG or PNG."""

UNSAFE_DRAWING = Code("SG907", "an SVG drawing with parts that are not printed")
"""A drawing may come from a stranger. Scripts, event handlers, links to other files, entities and
very deep nesting are never followed: the drawing is printed without them, or not at all."""

NO_ALT = Code("SG908", "a picture without a description")
"""Readers who cannot see a picture hear its description. Write one sentence about what the picture
shows: `portrait: {file: face.jpg, alt: …}`. Without it they hear only a name."""

BAD_PICTURE_KEYS = Code("SG909", "a picture with a value that does not fit")
"""`fit` is `crop` or `whole`; `focus` is two numbers from 0 to 1, from the left and the top."""

NO_CELL = Code("SG910", "a picture that this print has no cell for")
"""The design of this print has no place for a picture with this key. Other prints of the same file
may have one."""

DRAWN_TEXT = Code("SG911", "an SVG drawing with text")
"""Text in a drawing names a font that another machine may not have, so the same drawing would be
printed in different letters. Drawings are printed without their text. Programs that draw can turn
text into paths, which look the same everywhere."""

FEW_PIXELS = Code("SG912", "a picture of very few pixels")
"""A picture of one or two pixels shows nothing: it is a placeholder, or a download that went wrong.
It is printed all the same."""

NOT_A_PDF = Code("SG601", "a file that is not a PDF, or is damaged")
"""The file does not begin like a PDF, is incomplete, or its pages cannot be found. Print it again,
or get it again from where it came."""

LOCKED = Code("SG602", "an encrypted file")
"""A print shop cannot change the boxes or colours of an encrypted file, and refuses it. Save it
without a password and without restrictions."""

FONT_MISSING = Code("SG603", "a font that is not embedded")
"""Another system replaces the font: letters move, and some get lost. Embed every font, including
those of form fields."""

CID_FONT = Code("SG604", "a font with numbered glyphs")
"""Such fonts (CID, Type 0) are as good as others, and many alphabets need them, but some
print-on-demand services say that they refuse them. Ask the printer, or send the pages as images."""

UNSAFE = Code("SG605", "text too close to the trim edge")
"""Paper shifts when it is cut. Keep text out of the printer's safe zone. Keep drawings out of it
too, or extend them over the edge to the end of the bleed."""

NO_BLEED = Code("SG606", "page boxes other than the printer expects")
"""TrimBox is where the page is cut, BleedBox how far colour extends beyond it, and MediaBox the
size of the page in the file. Print-on-demand services cut by these boxes, or by the page size
alone. Print again with the printer's preset."""

STOPS_SHORT = Code("SG607", "colour that ends at the trim edge")
"""If the cut is off by a fraction of a millimetre, a bare line shows at the edge. Extend colour
that touches the trim edge to the end of the bleed."""

WRONG_COLOURS = Code("SG608", "colours in another colour space than the printer expects")
"""A press prints with four inks (CMYK). The printer converts screen colours (RGB) and spot colours
without a proof, or refuses them. Each spot colour needs a plate and an ink of its own, which print
on demand does not have. Use `--for` to convert our own prints."""

MUCH_INK = Code("SG609", "too much ink in one place")
"""The sum of all inks has to stay below a limit, mostly 240 per cent. Above it, sheets stick
together and smear. Use lighter colours. Pictures and gradients count like flat colours. Screen
colours are not measured: their inks depend on how they are converted."""

TRANSPARENT = Code("SG610", "transparency")
"""Older prepress systems do not support it, and PDF/X-1a and PDF/X-3 forbid it. Flatten it."""

LIVE = Code("SG611", "interactive content")
"""Form fields, links, scripts, layers and attached files have no use on paper, and a printer cannot
tell what they will show. Use `--flatten` to draw the fields."""

HAIRLINE = Code("SG612", "a line that may be too thin to print")
"""A line thinner than a quarter of a point prints on one press and disappears on the next. Draw it
thicker."""

COARSE = Code("SG613", "an image with too low a resolution")
"""At its printed size the image has fewer pixels per inch than the printer requires. Replace it
with a larger image, or print it smaller."""

FALSE_CLAIM = Code("SG614", "a file that breaks the standard that it claims, or lacks a claim")
"""The file claims to be PDF/X or PDF/A and breaks one of its rules, or the printer requires such a
standard and the file claims none. sheetgen checks only some of the rules: a file without a finding
may still fail elsewhere."""

PAGE_COUNT = Code("SG615", "a number of pages that cannot be bound")
"""A leaf has two pages, and a folded sheet four. Add empty pages."""

UNREAD = Code("SG616", "a part of a file that could not be checked")
"""This part is damaged, or holds more than sheetgen examines. The other findings do not cover
it."""

NOT_TURNED = Code("SG617", "content that cannot be prepared for the printer")
"""The file has content that cannot be converted to the required colours, PDF version or archive
format. Nothing was written, because half of it would be wrong."""

MIXED = Code("SG618", "pages of different sizes or orientations")
"""A print shop cuts and binds all pages of a file alike. Pages of another size or orientation are
scaled, rotated or refused. Print each size to a file of its own, or ask the printer first."""

NOT_FOR_PICTURES = Code("SG619", "options that do not go together in pictures and decks")
"""Inks, PDF/X and PDF/A are about a PDF, transparency is about PNG and WebP, and a picture of each
card is about cards. Leave the option out, or ask for the format that it is about too: with `pdf`
among the formats, the PDF is prepared for its printer, and pictures show the pages before that."""

TOO_MANY_PIXELS = Code("SG620", "a picture with too many pixels")
"""A picture has at most 72 million pixels, which is A3 at 600 dpi, and at most 16,383 on a side,
which is the limit of WebP. Print it with a lower resolution."""

NOT_HOSTED = Code("SG621", "a deck whose pictures have no address")
"""Tabletop Simulator loads the pictures of a saved object from addresses. Without `--base-url`, the
saved object names the files beside it. Upload them with the game's Cloud Manager and write the
addresses that it gives in place of the names, or put them on a server and print again with
`--base-url`. An address such as file:///C:/decks works for nobody else."""

NO_BACKUP = Code("SG622", "a sheet without its QR code")
"""A sheet carries its character's file in at most four QR codes of 137 modules a side, so that a
photo of the page can be read. They hold 5,428 bytes of compressed text, which is about 14,000
letters. A sheet that is printed from a row of a CSV file has no file of its own."""

BACKUP_PAGE = Code("SG623", "a QR code on a page of its own")
"""The modules of a code in the corner of a sheet are at least 0.42 mm wide, so that a photo of the
page can be read. The corner of most sheets holds 800 bytes or more, which is a file of about 1,400
letters; comments count. The code of a larger file is printed on a further page."""

PRINT_STOPPED = Code("SG624", "a print that a preview stopped")
"""A preview ends a print that takes longer than two minutes, or that runs while its files have
changed again, and it starts the next one in a new process. Print the file with its command to see
how long it takes."""

PORT_TAKEN = Code("SG625", "a port that a preview cannot use")
"""Another program uses the port of `--port`, or the system does not allow its use. Without `--port`
a free one is found."""

SPLIT_TABLE = Code("SG626", "a table with more columns than the paper has room for")
"""Words are hyphenated and the type becomes smaller first. If the columns still have no room on
landscape paper, a PDF has the table in several parts one below the other, and each repeats the
labels of the rows. HTML, CSV and other text files have it whole."""

WHITE_OVERPRINT = Code("SG627", "white that disappears in print")
"""Overprint adds an object's inks to those below it. White has no ink, so an object in white that
overprints is seen on the screen and is missing in print. Turn overprint off for it."""

NOT_OURS = Code("SG801", "a file that is not a filled sheet from sheetgen")
"""A sheet stores which ruleset it was printed from. Programs that print to a new file, or strip
metadata, lose this. Save the form instead of printing it, or name the character's file with
`--into`."""

NO_FORM = Code("SG802", "a sheet without form fields")
"""The sheet was printed with `--flatten`, or flattened by the program that saved it. The typed text
has become part of the drawing and cannot be read back. Save the sheet as a form, or save the page
as HTML."""

DAMAGED = Code("SG803", "a damaged filled sheet")
"""The file is incomplete, or is not what its file extension says. What is left may be an older
version, so nothing is read from it. Save it again."""

NEEDS_PASSWORD = Code("SG804", "a filled sheet with a password")
"""Save the sheet without a password."""

TOO_LARGE = Code("SG805", "more than a filled sheet may hold")
"""Files may come from strangers, so sheetgen limits what it reads: 128 MB of file; 20,000 fields in
a sheet, 40 levels of names, 100,000 characters in one field, 30 million in all; 768 MB of memory
(384 MB for an HTML page); and 8 s of processor time plus 2 s for each megabyte of a PDF, 60 s at
most. A sheet has fewer than 1,000 fields, and a PDF of 300 joined sheets can be read. If you join
more, save them in several files."""

CONFLICT = Code("SG806", "a value that changed in both places")
"""Since the sheet was printed, both the character's file and the sheet have a new value. sheetgen
does not guess which one is right: the file keeps its own. Edit the file by hand, or print the sheet
again and fill that in."""

PRINTED_UNKNOWN = Code("SG807", "a difference whose cause is unknown")
"""The sheet does not store what was printed, and the character's file has changed since. The
difference may come from the player's typing or from that change. Compare the two values by hand."""

TO_NOTES = Code("SG808", "text without a place in the character's file")
"""Text typed into a computed field, or under a name that the rules do not have, is added to the
notes with the name of its field, so that nothing gets lost. Move it to where it belongs, or delete
it."""

NOT_READ = Code("SG809", "a typed value that cannot be read")
"""The field takes a number, a dice code or a single mark. The character's file keeps its value, and
the typed text is added to the notes."""

COMPUTED = Code("SG810", "a typed figure that the rules compute differently")
"""Totals and derived values follow from other values and are never read back. If your figure is
right, the file lacks a value that it follows from, or your table plays with another option."""

NOT_UNDONE = Code("SG811", "an advance that cannot be undone")
"""The rating was lowered on the sheet, but no advance in the file raised it: a choice granted it,
or it was set at creation. Change it by hand."""

OTHER_RULES = Code("SG812", "a sheet of another ruleset or another character")
"""The sheet was printed from another ruleset than the file names, or for another character. Name
the right file with `--into`."""

NOT_EDITED = Code("SG813", "a place in the file that cannot be edited automatically")
"""Aliases, comments inside the text to replace, or an unusual YAML form prevent a safe edit. This
place is left as it is. Make the change by hand."""

NOWHERE = Code("SG814", "a sheet without a matching file")
"""In a folder, sheetgen finds a sheet's character by the file name that the sheet stores, or by the
character's name and ruleset. Name the file with `--into`."""

CUT_SHORT = Code("SG815", "a text that was cut off")
"""The text was longer than its field, and only its beginning came back. The file keeps the whole
text."""

NOT_RECORDED = Code("SG816", "a mark that the file does not record")
"""The rules do not store this box in the character's file. It counts for one session only."""

DROPPED = Code("SG817", "typed characters that cannot be stored")
"""Control characters, single surrogates and byte order marks cannot be stored in a text file and
are dropped. Unusual line breaks (U+0085, U+2028, U+2029) become plain ones. All other characters
stay as they are. Some PDF viewers, such as Chrome's, store only 16 bits of a character, so that an
emoji such as U+1F409 comes back as the private character U+F409. The finding names it."""

NO_CODE = Code("SG818", "a picture without a QR code of a sheet")
"""A sheet that was printed with `--qr` ends with its character's file as a QR code. The photo has
to show the whole code with the white around it, and each of its squares should be three pixels wide
or more."""

BAD_CODE = Code("SG819", "a QR code that does not hold a whole file")
"""The code was changed or cut off, parts of it are on other codes that the photo does not show, or
a newer version of sheetgen printed it. The digest in the code proves that nothing is missing;
without it nothing is written."""

NO_DECODER = Code("SG820", "a picture that needs a decoder for QR codes")
"""The decoder zxing-cpp is an optional part of sheetgen. Install it: `pip install zxing-cpp`."""

DIFFERS = Code("SG821", "a file that differs from the printed one")
"""The character's file has changed since the sheet was printed. A photo never changes a file that
exists; the lines that differ are shown. Write the printed file beside it with `--into` and a new
name."""

MIXED_SHEETS = Code("SG822", "sheets that another program mixed up")
"""Programs that join or copy PDFs rename fields, or make one field of two with the same name.
Sheets that sheetgen printed are told apart by what each field says of itself. If a field has two
values, or it is unknown which sheet it is of, nothing is read from the file. Read the sheets as
they were before they were joined, or print them in one file with `joined: true` in a book."""

NO_PLACE_IN_FORMAT = Code("SG831", "something that a format of `export` has no place for")
"""Other programs have fewer fields than a build. What has none is exported as text where the format
has room for that; the finding says where. It is reported once for each kind of thing."""

NO_IMPORTER = Code("SG832", "a file that `import` cannot read")
"""`sheetgen import` recognizes a file by its extension, and a folder by the files in it. It reads
the formats that `sheetgen export` writes and that are marked so in the guide."""

NOT_IMPORTED = Code("SG833", "a damaged file, or one of another format")
"""The content is not what the file's extension says, or has another shape than the format. Nothing
is imported from it."""

UNKNOWN_COLUMN = Code("SG834", "a column that the rules have no key for")
"""The first row of a roster names keys of a character's file, as in YAML; heads in brackets are
computed values and are not imported. Cells of other columns are not imported either."""

BAD_CELL = Code("SG835", "a cell that cannot be read")
"""A list is written as `one; two`, a mapping as `one: 1; two: 2`, anything else as YAML in
brackets, such as `[{Mara: a friend}]`."""

COMPUTED_CELL = Code("SG836", "a computed cell that differs from the rules")
"""Columns in brackets follow from the others and are never imported. If a figure was typed there,
change the column that it follows from."""

NO_WORKBOOKS = Code("SG837", "a workbook without the library for it")
"""openpyxl, which reads and writes XLSX, is an optional part of sheetgen. Install it: `pip install
openpyxl`."""

NOT_PLACED = Code("SG838", "words of a stat block that were not understood")
"""`sheetgen import` reads stat blocks by the names of the ruleset, and those in its file
`exports/text.yaml`. What has no place there, or more than one, stays word for word in the notes of
the new file."""

CHANGED_ELSEWHERE = Code("SG850", "a value that changed in another program")
"""A file that sheetgen exported contains what it was exported from. Values that differ from that
now are written into the imported file, and each is reported. Look through them. What the file
cannot hold, because the rules compute it otherwise, is a warning: edit it by hand."""

NO_NAME_FOR = Code("SG851", "an imported value that the ruleset has no name for")
"""A skill, an item or another value of the imported file is not in the ruleset. It is added to the
notes, or to the text of the item, with its name. Move it to where it belongs, or give the ruleset
an alias for it."""

UNREADABLE = Code("SG001", "a file that cannot be read")
"""The file does not exist, is a folder, or its permissions forbid reading it. Check the path and
the permissions. Where a command takes PATH…, a folder is fine: the command reads every .yaml and
.yml file in it."""

NOT_UTF8 = Code("SG002", "bytes that are not UTF-8")
"""Author files are text in UTF-8. Save the file as UTF-8 in your editor. The finding shows the
first byte that is not UTF-8."""

NOT_YAML = Code("SG003", "a mistake in the YAML")
"""The YAML parser cannot read the file beyond this place. The usual causes are a tab used for
indentation, a missing space after a colon, a quote or bracket that is never closed, and a text with
`: ` or ` #` in it that needs quotes."""

TOO_MUCH = Code("SG004", "more than a file may hold")
"""Files may come from strangers, so sheetgen limits what it reads: 4 MB, 40 levels of nesting and
200,000 values (each copy made by an `*alias` counts). For a PDF the limits are 300 MB of file, 768
MB of memory, and 8 s of processor time plus 10 s for each megabyte after the first. Split the
file."""

REPEATED_KEY = Code("SG005", "a key that is written twice")
"""YAML would keep only one of the two values and drop the other silently. Put both values under one
key, or remove one."""

NOT_OUR_YAML = Code("SG006", "a YAML feature that is not supported")
"""sheetgen does not read tags (`!!name`), merges (`<<`), several documents in one file, or keys
that are lists or mappings. Write the values out."""

EMPTY = Code("SG007", "an empty file")
"""The file has no content, or only comments. Run `sheetgen new character RULESET NAME` to write a
character to start from."""

WRONG_TYPE = Code("SG010", "a value of the wrong type")
"""This key takes a number, a text, a list or a mapping, and the file has something else. Write a
number of dice as `3` or `3D`, any other number without the D, and yes or no as `true` or
`false`."""

UNKNOWN_KEY = Code("SG011", "an unknown key")
"""sheetgen ignores nothing silently. An unknown key is an error, because it is most often a
misspelling. Correct its spelling, or remove it."""

MISSING_KEY = Code("SG012", "a missing key")
"""The rules need this value and cannot guess it. Add the key."""

CONTROLS = Code("SG013", "control characters in a text")
"""Terminals and browsers obey control characters instead of showing them: escape sequences, the
bell, marks that change the writing direction. Prints leave them out. Remove them from the file."""

CUT_TEXT = Code("SG014", "a text that ends before a `#`")
"""In YAML, a blank and `#` begin a comment: `name: Guard #1` is read as `Guard`. Put such a text in
quotes. For a comment, write a blank after `#`."""

UNKNOWN_RULESET = Code("SG101", "an unknown ruleset")
"""`ruleset:` takes the name of a shipped ruleset (run `sheetgen list rulesets`) or the path of a
ruleset's folder."""

BAD_FORMULA = Code("SG102", "a formula that cannot be read")
"""A formula may hold whole numbers, + - * / // %, comparisons, and, or, not, `a if test else b`,
and a fixed list of functions. Nothing else is allowed, so that a stranger's ruleset can only do
arithmetic."""

UNKNOWN_IN_FORMULA = Code("SG103", "an unknown name in a formula")
"""A formula may name the traits, derived values, options, pools and named formulas of its own
ruleset. Correct the name, or define it."""

CYCLE = Code("SG104", "values that depend on each other")
"""Each of these values is computed from the next, and the last from the first, or what a choice
grants depends on the grant itself. Change one of them so that it does not depend on the others."""

DANGLING = Code("SG105", "a reference to something that does not exist")
"""The ruleset names a trait, choice, item, catalogue, group, pool or option that it does not
define. Correct the name, or define it."""

TWO_OWNERS = Code("SG106", "one id for two things")
"""Traits, derived values, options and pools share one set of ids, because formulas use them all.
Keys, tracks, lists and groups share names of fields on generated sheets. Rename one of the two."""

BAD_OPTION = Code("SG107", "an unknown option, or an unknown value of one")
"""Run `sheetgen list RULESET options` to see the options of a ruleset, their values, and the
rulings that their defaults follow."""

UNANSWERED = Code("SG108", "a rule that cannot be evaluated")
"""A formula divides by zero, exceeds the limits of numbers, or needs a value that does not exist. A
rule that cannot be evaluated counts as broken, so that it never allows what the rules may forbid.
Correct the formula."""

NO_PLACE = Code("SG109", "a module that does not fit its ruleset")
"""A module needs, changes, removes or replaces something that the ruleset below it does not have.
The module names places as keys joined by dots, such as `groups.skills.traits.NAME`. Correct the
place, or switch the module off."""

TWO_MODULES = Code("SG110", "two modules that conflict")
"""Both modules replace the same part or write to the same place, and neither takes precedence.
Switch one of them off, with `options: {modules.NAME: no}` in the file or `--set
modules.NAME=no`."""

UNDEFINED = Code("SG111", "a term that the rules use but do not define")
"""The source of these rules leaves the term open, and prints mark it. Define it in your own
ruleset, or agree on it at your table."""

BAD_ROLLS = Code("SG112", "a random table that cannot be rolled on")
"""A table with `dice` has exactly one row for each result of the dice, and its cells name only
random tables that do not lead back to it. Write ranges such as `11-16`, or weights."""

UNKNOWN_NAME = Code("SG201", "a name that the ruleset does not have")
"""Case, blanks, hyphens, apostrophes and accents do not matter. Run `sheetgen list RULESET` to see
all names."""

AMBIGUOUS = Code("SG202", "an ambiguous name")
"""Two things have this name. Write the name of the one that you mean exactly, or its longer
name."""

OVERSPENT = Code("SG203", "more points spent than available")
"""Run `sheetgen show FILE` to see the ledger, which lists each expense. Remove an expense, or
record the points that the character has gained."""

ABOVE_LIMIT = Code("SG204", "a rating above its limit")
"""The character's class or another choice sets this limit. The sheet prints the boxes above it in
grey. Lower the rating."""

REQUIREMENT = Code("SG205", "a choice whose requirement is not met")
"""The choice requires something that this character does not have. The finding names it: add it, or
remove the choice."""

TOO_OFTEN = Code("SG206", "a choice taken too often")
"""The choice can be taken only once. One that a class grants counts as taken. Remove the
repetition."""

BROKEN_RULE = Code("SG207", "a broken rule of the ruleset")
"""The line `rule:` names the rule, and the ruling that it follows. The ruleset's YAML has it under
`rules`."""

WRONG_COUNT = Code("SG208", "too many or too few picks")
"""The rules set how many things to pick, and how many one hand can hold. A number with a name
counts: `Name x2` and `{Name: 2}` are two picks. The number is 1 or more."""

REPEATED = Code("SG209", "the same pick twice")
"""These picks have to differ from each other. Replace one of them."""

ASKS = Code("SG210", "a choice that lacks its detail, or has one that it does not take")
"""Some choices take a detail: write `{Choice: detail}`. All others are a name alone."""

CONTRADICTION = Code("SG211", "two picks that exclude each other")
"""One choice grants something other than what the file names. Change one of the two."""

BAD_SPREAD = Code("SG212", "points that are not distributed as the rule demands")
"""The rule sets how many points there are, what they may raise, and the minimum and maximum for
each. Correct the figures."""

STARS = Code("SG213", "stars that nothing grants")
"""A star marks one step of a rating, and each needs one pick of the choice that grants stars. Add
the choice, or remove the star."""

NOT_FOR_SALE = Code("SG214", "an item that cannot be bought")
"""The item has no price. If the game master gave it to the character, write `{Name: granted}`."""

BAD_DICE = Code("SG215", "dice that cannot be bought")
"""Each die must be one of the ruleset's ladder, and a history of purchases must end with the dice
that the file names."""

BELOW_GRANT = Code("SG216", "a rating below what is granted")
"""A choice grants more than the file states. Write the full rating, or leave the trait out: what a
choice grants need not be repeated."""

REFUND = Code("SG217", "steps that cannot be sold or lost")
"""A character needs the right ability to sell steps. Steps are sold and lost from the top of the
rating down. The rating states what is left, so no more steps can be sold or lost than there
were."""

TWO_STARTS = Code("SG218", "two choices that set the same starting value")
"""Both choices set the value that the pool starts with, and the two values differ. Remove one of
the choices."""

OPEN_NAME = Code("SG219", "a name that the ruleset does not list")
"""The rules leave this list open, so the name is kept. sheetgen knows no limits for it."""

NO_ADVANCE = Code("SG220", "a step that cannot be bought")
"""Run `sheetgen advance FILE` to see what the character can buy now, and the prices."""

SWITCHED_OFF = Code("SG221", "an optional rule that is switched off")
"""Your table does not use this rule. Switch on the option that the finding names, or remove what
needs it."""

CAVEAT = Code("SG222", "a reminder about a choice")
"""The text of the choice has a condition that sheetgen cannot check. This is never an error."""

DISAGREE = Code("SG223", "two figures that should be equal")
"""The file states the same thing twice, with different figures. Correct one of them, or leave the
total out."""

NO_SESSION = Code("SG224", "a session that is not listed")
"""If a file lists its sessions with the points gained in each, every purchase names one of them.
Otherwise nobody could tell whether there were enough points at that time. List the session, even if
nothing was gained in it."""

OVERFLOW = Code("SG301", "text that does not fit its field")
"""The text does not fit even at the smallest legible size. The field holds all of it, and a
continuation page prints the whole text."""

MORE_ROWS = Code("SG302", "more rows than the sheet has")
"""A continuation page prints the remaining rows, in the same order."""

NO_GLYPH = Code("SG303", "characters that the sheet's fonts do not have")
"""The page shows `?` instead; the fields of a form, and the text that programs read, still have the
characters. Our own fonts have the Latin, Greek and Cyrillic letters of Europe. A font for Chinese,
Japanese or Korean can be named under `fonts` of a theme. Letters that have to be joined, as in
Arabic, are printed in no font. HTML files show all letters in the fonts of the reader's machine."""

UNKNOWN_DESIGN = Code("SG304", "an unknown sheet, theme or paper size")
"""Run `sheetgen list themes` to see what is available."""

BAD_TEMPLATE = Code("SG305", "a template that cannot be rendered")
"""The template has a syntax error, or names a value or macro that does not exist. The finding shows
the line."""

PANEL_FULL = Code("SG307", "a panel with more content than its page holds")
"""Players read a panel from across the table, so its rows are never smaller than 13 points and its
notes never smaller than 11. Move a block to another panel, or leave out rows."""

NO_ROOM = Code("SG311", "rules that need more room than their sheet has")
"""A design is drawn for the rules that it comes with. An overlay may add more skills or longer
names than its pages have room for. Then rows stand closer together, or parts get a page of their
own; the note says which. If that is not enough, the generated sheet is printed, which makes room
for everything. `tighter` in the design's `sheet.yaml` says what gives way."""

BAD_DESIGN = Code("SG310", "a design, theme or preset that cannot be used")
"""A file under templates/ (`sheet.yaml`, `card.yaml`, `tokens.yaml`, a theme or `presets.yaml`) or
a face or theme of your own names something that does not exist, or has a value that cannot be
printed. docs/reference/templates.md describes each key, docs/guides/brand.md your own themes. A
font has to be a TrueType or OpenType font with the letters from A to Z whose licence lets documents
embed it."""

CANNOT_WRITE = Code("SG401", "a file that cannot be written")
"""The folder does not exist, the disk is full, or the permissions forbid writing. No incomplete
file is left behind. Choose another folder with `--out`."""

WOULD_OVERWRITE = Code("SG402", "an output that would replace an input or another print")
"""sheetgen never overwrites a file that it has read in the same run, nor a print of other
characters or cards, of another ruleset or on other paper. Choose another folder with `--out`;
`--force` replaces another print."""

SAME_OUTPUT = Code("SG403", "two inputs with the same output name")
"""Both would be written to the same file, so the second gets a number. Rename one of the inputs, or
give the entries of a book a `name` of their own."""

NO_ENGINE = Code("SG404", "a layout engine that cannot be loaded")
"""Sheets and cards of the shipped rulesets are laid out in advance: in a clone in the standard
theme, in a release in all themes. WeasyPrint lays out everything else: tables, screens, encounters,
odds, and sheets and cards of other rulesets or other options. It needs the system library Pango:
install `libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0` on Debian, or run `brew install
pango` on a Mac. Run `sheetgen doctor` to see what is installed."""

OTHER_KIND = Code("SG405", "a file of another kind")
"""A folder may hold characters, encounters, books and rulesets side by side. Each command prints
the files of its own kind and skips the rest. Run `sheetgen check` to check all of them."""

BROKEN_PLUGIN = Code("SG406", "a plug-in that is missing or cannot be loaded")
"""A plug-in adds commands, kinds of print, formats, or ways to store and build books. Everything
else works without it. Install one that is missing; update or uninstall one that fails. `sheetgen
doctor` lists plug-ins."""

BAD_PACK = Code("SG407", "a pack that is refused")
"""A pack is one file with rulesets, characters, texts, pictures and fonts, made by `sheetgen pack`.
It is refused as a whole if a path in it leads elsewhere, if two names are equal on some system, if
it holds other files, or if its files are not those that were packed. Nothing of it is written
then."""

PACK_NEEDS = Code("SG408", "a pack that does not fit what is here")
"""A pack names the rulesets and packs that it needs, with versions. One of them is missing or of
another version, packs need each other in a circle, or two packs have a ruleset of the same id. Add
what is missing, or remove one of the two."""

BAD_ODDS = Code("SG501", "a question about odds that cannot be read")
"""Write dice, then `vs`, then a target number or other dice, such as `5D vs 14 cover 5`."""

WRONG_LICENCE = Code("SG709", "a licence that does not fit a book")
"""The book says `sold: true`, or under which `licence` it is published, and prints rules or a pack
whose licence does not allow that: NC forbids selling, SA asks for the same licence. Leave them out,
or ask their authors."""


CODES: dict[str, Code] = {
    code.id: code for code in sorted(codes_of(globals()), key=lambda code: code.id)
}
"""All codes of the core by id; plug-ins may have more."""
