"""Codes of what is wrong with a filled sheet, or with reading it back, SG8xx."""

from __future__ import annotations

from typing import Final

from sheetgen.diag.code import Code

NOT_OURS = Code(
    "SG801",
    "a file that is no filled sheet of ours",
    "A sheet says in itself which ruleset it was printed from. A program that prints to a new "
    "file, or strips what a file says of itself, loses that; save the form instead of printing "
    "it, or name the character's file with `--into`.",
)
NO_FORM = Code(
    "SG802",
    "a sheet without fields",
    "It was printed with `--flatten`, or flattened by the program that saved it: what was typed "
    "has become drawing, and cannot be read back. Save it as a form, or as the page's own file.",
)
DAMAGED = Code(
    "SG803",
    "a filled sheet that is damaged",
    "It was cut off on its way or is not what its ending says. What is left might be an older "
    "state of it, so nothing of it is read. Save it again.",
)
NEEDS_PASSWORD = Code(
    "SG804",
    "a filled sheet that is locked",
    "It asks for a password. Save it without one.",
)
TOO_LARGE = Code(
    "SG805",
    "more than a filled sheet may hold",
    "Files come from strangers too, so what they may take is bounded: 128 MB, 20,000 fields in a "
    "sheet, 40 levels of names, 100,000 letters in one field, 30 million in all, 768 MB of memory "
    "(a page: 384 MB), and 8 s of processor time, 2 s more for each megabyte of a PDF, 60 s at "
    "most. A sheet of ours has fewer than 1,000 fields, and a PDF of 300 joined sheets is read. "
    "Where more are joined, print them, or save them, in several files.",
)
CONFLICT = Code(
    "SG806",
    "a value that changed in both places",
    "Since the sheet was printed, the character's file has got another value, and so has the "
    "sheet. Which one counts is not guessed: the file keeps its own. Mend the file by hand, or "
    "print the sheet again and fill that in.",
)
PRINTED_UNKNOWN = Code(
    "SG807",
    "a difference that nobody can explain",
    "The file does not say what was printed, and the character's file is not the one that it was "
    "printed from. So a difference may be what the player typed, or what has changed since.",
)
TO_NOTES = Code(
    "SG808",
    "words that the character has no place for",
    "What is typed where the rules compute or know no such name is kept under the notes, once, "
    "with the name of its field, so that nothing is lost. Move it where it belongs, or delete it.",
)
NOT_READ = Code(
    "SG809",
    "a typed value that cannot be read",
    "A number, a code of dice or one mark was wanted there. The value stays as it was in the "
    "character's file; what was typed is kept under the notes.",
)
COMPUTED = Code(
    "SG810",
    "a typed figure that the rules compute otherwise",
    "Totals and derived values follow from the rest and are never read back. If yours is right, "
    "something that it follows from is missing in the file, or the table plays another option.",
)
NOT_UNDONE = Code(
    "SG811",
    "a step that cannot be taken back",
    "The rating was lowered on the sheet, but no advance in the file raised it: it came with a "
    "choice or was set at creation. Change that by hand.",
)
OTHER_RULES = Code(
    "SG812",
    "a sheet of another game or another character",
    "The sheet was printed from other rules than the file names, or for somebody else. Name the "
    "right file with `--into`.",
)
NOT_EDITED = Code(
    "SG813",
    "a place in the file that is not edited by itself",
    "Aliases, comments inside what would be replaced, or a form that is not known are in the way. "
    "The file is left as it is in this place; make the change by hand.",
)
NOWHERE = Code(
    "SG814",
    "a sheet that finds no file to go to",
    "In a folder, a sheet finds its character by the file that it was printed from, or else by "
    "name and ruleset. Name the file itself with `--into`.",
)
CUT_SHORT = Code(
    "SG815",
    "a text that was cut off at its place",
    "The text was longer than its place, and what came back is only its beginning. The whole text "
    "is kept as it was.",
)
NO_PLACE = Code(
    "SG816",
    "a mark that the character has no place for",
    "The rules keep no record of this box; it counts for the evening only.",
)
DROPPED = Code(
    "SG817",
    "characters of a typed text that cannot be kept",
    "Control characters, halves of surrogate pairs and byte order marks have no place in a text "
    "file and are dropped. Unusual line ends (U+0085, U+2028, U+2029) become plain ones. All other "
    "characters are kept as they came. Some PDF viewers, Chrome's among them, store only 16 bits "
    "of a character: of a picture such as U+1F409 the private U+F409 is left, which is named.",
)

READ_CODES: Final[tuple[Code, ...]] = tuple(v for v in globals().values() if isinstance(v, Code))
"""All of these."""
