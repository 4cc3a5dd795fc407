"""Codes of findings about filled sheets, and files of other programs, read back: SG8xx."""

from __future__ import annotations

from typing import Final

from sheetgen.diag.code import Code

NOT_OURS = Code(
    "SG801",
    "a file that is not a filled sheet from sheetgen",
    "A sheet stores which ruleset it was printed from. Programs that print to a new file, or strip "
    "metadata, lose this. Save the form instead of printing it, or name the character's file with "
    "`--into`.",
)
NO_FORM = Code(
    "SG802",
    "a sheet without form fields",
    "The sheet was printed with `--flatten`, or flattened by the program that saved it. The typed "
    "text has become part of the drawing and cannot be read back. Save the sheet as a form, or "
    "save the page as HTML.",
)
DAMAGED = Code(
    "SG803",
    "a damaged filled sheet",
    "The file is incomplete, or is not what its file extension says. What is left may be an older "
    "version, so nothing is read from it. Save it again.",
)
NEEDS_PASSWORD = Code(
    "SG804",
    "a filled sheet with a password",
    "Save the sheet without a password.",
)
TOO_LARGE = Code(
    "SG805",
    "more than a filled sheet may hold",
    "Files may come from strangers, so sheetgen limits what it reads: 128 MB of file; 20,000 "
    "fields in a sheet, 40 levels of names, 100,000 characters in one field, 30 million in all; "
    "768 MB of memory (384 MB for an HTML page); and 8 s of processor time plus 2 s for each "
    "megabyte of a PDF, 60 s at most. A sheet has fewer than 1,000 fields, and a PDF of 300 joined "
    "sheets can be read. If you join more, save them in several files.",
)
CONFLICT = Code(
    "SG806",
    "a value that changed in both places",
    "Since the sheet was printed, both the character's file and the sheet have a new value. "
    "sheetgen does not guess which one is right: the file keeps its own. Edit the file by hand, or "
    "print the sheet again and fill that in.",
)
PRINTED_UNKNOWN = Code(
    "SG807",
    "a difference whose cause is unknown",
    "The sheet does not store what was printed, and the character's file has changed since. The "
    "difference may come from the player's typing or from that change. Compare the two values by "
    "hand.",
)
TO_NOTES = Code(
    "SG808",
    "text without a place in the character's file",
    "Text typed into a computed field, or under a name that the rules do not have, is added to the "
    "notes with the name of its field, so that nothing gets lost. Move it to where it belongs, or "
    "delete it.",
)
NOT_READ = Code(
    "SG809",
    "a typed value that cannot be read",
    "The field takes a number, a dice code or a single mark. The character's file keeps its value, "
    "and the typed text is added to the notes.",
)
COMPUTED = Code(
    "SG810",
    "a typed figure that the rules compute differently",
    "Totals and derived values follow from other values and are never read back. If your figure is "
    "right, the file lacks a value that it follows from, or your table plays with another option.",
)
NOT_UNDONE = Code(
    "SG811",
    "an advance that cannot be undone",
    "The rating was lowered on the sheet, but no advance in the file raised it: a choice granted "
    "it, or it was set at creation. Change it by hand.",
)
OTHER_RULES = Code(
    "SG812",
    "a sheet of another ruleset or another character",
    "The sheet was printed from another ruleset than the file names, or for another character. "
    "Name the right file with `--into`.",
)
NOT_EDITED = Code(
    "SG813",
    "a place in the file that cannot be edited automatically",
    "Aliases, comments inside the text to replace, or an unusual YAML form prevent a safe edit. "
    "This place is left as it is. Make the change by hand.",
)
NOWHERE = Code(
    "SG814",
    "a sheet without a matching file",
    "In a folder, sheetgen finds a sheet's character by the file name that the sheet stores, or by "
    "the character's name and ruleset. Name the file with `--into`.",
)
CUT_SHORT = Code(
    "SG815",
    "a text that was cut off",
    "The text was longer than its field, and only its beginning came back. The file keeps the "
    "whole text.",
)
NO_PLACE = Code(
    "SG816",
    "a mark that the file does not record",
    "The rules do not store this box in the character's file. It counts for one session only.",
)
DROPPED = Code(
    "SG817",
    "typed characters that cannot be stored",
    "Control characters, single surrogates and byte order marks cannot be stored in a text file "
    "and are dropped. Unusual line breaks (U+0085, U+2028, U+2029) become plain ones. All other "
    "characters stay as they are. Some PDF viewers, such as Chrome's, store only 16 bits of a "
    "character, so that an emoji such as U+1F409 comes back as the private character U+F409. The "
    "finding names it.",
)
NO_CODE = Code(
    "SG818",
    "a picture without a QR code of a sheet",
    "A sheet that was printed with `--qr` ends with its character's file as a QR code. The photo "
    "has to show the whole code with the white around it, and each of its squares should be three "
    "pixels wide or more.",
)
BAD_CODE = Code(
    "SG819",
    "a QR code that does not hold a whole file",
    "The code was changed or cut off, parts of it are on other codes that the photo does not show, "
    "or a newer version of sheetgen printed it. The digest in the code proves that nothing is "
    "missing; without it nothing is written.",
)
NO_DECODER = Code(
    "SG820",
    "a picture that needs a decoder for QR codes",
    "The decoder zxing-cpp is an optional part of sheetgen. Install it: `pip install zxing-cpp`.",
)
DIFFERS = Code(
    "SG821",
    "a file that differs from the printed one",
    "The character's file has changed since the sheet was printed. A photo never changes a file "
    "that exists; the lines that differ are shown. Write the printed file beside it with `--into` "
    "and a new name.",
)
MIXED = Code(
    "SG822",
    "sheets that another program mixed up",
    "Programs that join or copy PDFs rename fields, or make one field of two with the same name. "
    "Sheets that sheetgen printed are told apart by what each field says of itself. If a field "
    "has two values, or it is unknown which sheet it is of, nothing is read from the file. Read "
    "the sheets as they were before they were joined, or print them in one file "
    "with `joined: true` in a book.",
)
NO_PLACE_IN_FORMAT = Code(
    "SG831",
    "something that a format of `export` has no place for",
    "Other programs have fewer fields than a build. What has none is exported as text where the "
    "format has room for that; the finding says where. It is reported once for each kind of thing.",
)
NO_IMPORTER = Code(
    "SG832",
    "a file that `import` cannot read",
    "`sheetgen import` recognizes a file by its extension, and a folder by the files in it. It "
    "reads the formats that `sheetgen export` writes and that are marked so in the guide.",
)
NOT_IMPORTED = Code(
    "SG833",
    "a damaged file, or one of another format",
    "The content is not what the file's extension says, or has another shape than the format. "
    "Nothing is imported from it.",
)
UNKNOWN_COLUMN = Code(
    "SG834",
    "a column that the rules have no key for",
    "The first row of a roster names keys of a character's file, as in YAML; heads in brackets are "
    "computed values and are not imported. Cells of other columns are not imported either.",
)
BAD_CELL = Code(
    "SG835",
    "a cell that cannot be read",
    "A list is written as `one; two`, a mapping as `one: 1; two: 2`, anything else as YAML in "
    "brackets, such as `[{Mara: a friend}]`.",
)
COMPUTED_CELL = Code(
    "SG836",
    "a computed cell that differs from the rules",
    "Columns in brackets follow from the others and are never imported. If a figure was typed "
    "there, change the column that it follows from.",
)
NO_WORKBOOKS = Code(
    "SG837",
    "a workbook without the library for it",
    "openpyxl, which reads and writes XLSX, is an optional part of sheetgen. Install it: "
    "`pip install openpyxl`.",
)
CHANGED_ELSEWHERE = Code(
    "SG850",
    "a value that changed in another program",
    "A file that sheetgen exported contains what it was exported from. Values that differ from "
    "that now are written into the imported file, and each is reported. Look through them. What "
    "the file cannot hold, because the rules compute it otherwise, is a warning: edit it by hand.",
)
NO_NAME_FOR = Code(
    "SG851",
    "an imported value that the ruleset has no name for",
    "A skill, an item or another value of the imported file is not in the ruleset. It is added to "
    "the notes, or to the text of the item, with its name. Move it to where it belongs, or give "
    "the ruleset an alias for it.",
)

READ_CODES: Final[tuple[Code, ...]] = tuple(v for v in globals().values() if isinstance(v, Code))
"""All codes of this module."""
