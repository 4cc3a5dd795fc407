"""Codes of what is wrong with a publisher's book, or with building it."""

from __future__ import annotations

from typing import Final

from sheetgen.diag.code import Code

NOTHING_FOUND = Code(
    "SG701",
    "a pattern that no file answers to",
    "Paths of a book count from its own folder. `*` stands for any part of a name, `**` for any "
    "folders between; a folder means all character files in it.",
)
EDITED = Code(
    "SG702",
    "an output that was changed since it was written",
    "Every output holds a digest of itself. If it does not agree, somebody may have typed into the "
    "file; if there is none, sheetgen did not write it. Either way it is left alone: move it away, "
    "write to another folder with `--out`, or overwrite it with `--force`.",
)
BAD_ROW = Code(
    "SG703",
    "a row of a table that makes no character",
    "The first row of a CSV file names its columns. `$column` in the template stands for the "
    "row's cell under it, and every `$column` has to be one of them.",
)
PART_MISSING = Code(
    "SG704",
    "a combined file of which a part is missing",
    "It is written only when all its parts are; mend these first.",
)
BAD_PATTERN = Code(
    "SG705",
    "a name of an output that cannot be one",
    "A name may have the words {stem}, {name}, {ruleset}, {kind}, {entry} and {n} in it, of a CSV "
    "file its columns too, and slashes for folders. It stays inside the folder of the outputs.",
)
BROKEN_OFF = Code(
    "SG706",
    "a print that broke off",
    "Something that should not happen did. The other prints are not touched by it; please report "
    "it with the file.",
)
BAD_RECORD = Code(
    "SG707",
    "a record of a build that cannot be trusted",
    "The folder `.sheetgen` beside the outputs remembers what was built. A record whose paths lead "
    "out of the output folder, or that cannot be read, is not used: what it stands for is built "
    "again, and nothing that it names is removed. Delete the record.",
)

BOOK_CODES: Final[tuple[Code, ...]] = tuple(v for v in globals().values() if isinstance(v, Code))
"""All of these."""
