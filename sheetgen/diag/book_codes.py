"""Codes of findings about books and their builds, SG7xx."""

from __future__ import annotations

from typing import Final

from sheetgen.diag.code import Code

NOTHING_FOUND = Code(
    "SG701",
    "a pattern that matches no file",
    "Paths in a book are relative to the book's folder. `*` matches any part of a name, `**` any "
    "folders in between, and a folder means all character files in it.",
)
EDITED = Code(
    "SG702",
    "an output that was changed after it was written",
    "Every output holds a digest of its content. If the digest does not match, somebody may have "
    "typed into the file; if there is none, sheetgen did not write it. Either way the file is left "
    "alone. Move it away, write to another folder with `--out`, or overwrite it with `--force`.",
)
BAD_ROW = Code(
    "SG703",
    "a row that makes no character",
    "The first row of a CSV file names its columns. In the template, `$column` is replaced by the "
    "row's cell in that column, and every `$column` has to name a column. A book names a database; "
    "its address is in a variable of the environment.",
)
PART_MISSING = Code(
    "SG704",
    "a combined file that lacks a part",
    "A combined file is written only when all its parts are. Correct the findings about its parts "
    "first.",
)
BAD_PATTERN = Code(
    "SG705",
    "an output name that cannot be used",
    "An output name may contain {stem}, {name}, {ruleset}, {kind}, {entry} and {n}, the columns of "
    "a CSV file, and slashes for folders. It has to stay inside the output folder.",
)
BROKEN_OFF = Code(
    "SG706",
    "a print that failed unexpectedly",
    "This is a bug in sheetgen. The other prints are not affected. Please report it, together with "
    "the file.",
)
BAD_RECORD = Code(
    "SG707",
    "a build record that cannot be trusted",
    "The folder `.sheetgen` in the output folder records what was built. A record that cannot be "
    "read, or whose paths lead out of the output folder, is not used: its outputs are built again, "
    "and no file that it names is removed. Delete the record.",
)
NO_CLUSTER = Code(
    "SG708",
    "a cluster that cannot be used",
    "`build --cluster` needs the package `distributed`, a dask scheduler with workers, the "
    "same sheetgen on all of them, and an output folder that all of them see under the same path. "
    "If the cluster is lost during a build, what was written stays, and the next run goes on.",
)

BOOK_CODES: Final[tuple[Code, ...]] = tuple(v for v in globals().values() if isinstance(v, Code))
"""All codes of this module."""
