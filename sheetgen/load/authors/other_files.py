"""A file that a command cannot use because it is for another command: one finding says which."""

from __future__ import annotations

from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.words import a
from sheetgen.model.source import Pairs, ScalarNode, Source

_ENCOUNTER: Final = {"encounter", "combatants", "players", "tables"}
_BOOK: Final = {"entries", "combined", "defaults", "out"}
_HINTS: Final = {
    "character": "print it with `sheetgen sheet`",
    "encounter": "print it with `sheetgen encounter`",
    "book": "build it with `sheetgen build`",
}


def report_other_file(source: Source, expected: str) -> Finding | None:
    """Return a finding if the keys of `source` are those of a file for another command.

    Args:
        expected: The sort of file that the command prints: `encounter` or `book`.
    """
    root = source.root
    if not isinstance(root, Pairs):
        return None
    keys = {key.raw.casefold(): node for key, node in root.entries}
    kind = keys.get("kind")
    of_kind = kind.raw if isinstance(kind, ScalarNode) and kind.raw != "character" else ""
    if not of_kind and keys.keys() & (_ENCOUNTER if expected == "encounter" else _BOOK):
        return None
    if keys.keys() & _ENCOUNTER:
        sort = "encounter"
    elif of_kind or ("ruleset" in keys and "name" in keys):
        sort = "character"
    elif keys.keys() & _BOOK:
        sort = "book"
    else:
        return None
    message = f"this is {f'a file of kind `{of_kind}`' if of_kind else a(sort)}, not {a(expected)}"
    hint = "print it with `sheetgen cards`" if of_kind else _HINTS[sort]
    return Finding(codes.WRONG_TYPE, root.entries[0][0].span, message, hint)
