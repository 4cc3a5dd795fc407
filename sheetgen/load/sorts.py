"""Which sort of file an author's YAML is, told by its keys and by the folder that it is in."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.load.books import TABLE as CSV
from sheetgen.load.design_files import design_of
from sheetgen.load.files import read_text
from sheetgen.load.rulesets import is_ruleset
from sheetgen.load.seeds import FOLDERS as FIGURE_FOLDERS

CHARACTER: Final = "character"
ENCOUNTER: Final = "encounter"
BOOK: Final = "book"
PART: Final = "part of a ruleset"
TEMPLATE: Final = "template of rows"
TABLE: Final = "table of rows"
FIGURES: Final = "table of a source's printed figures"
DESIGN: Final = "part of a design"
MANUAL: Final = "manual"

_HINTS: Final = {
    TEMPLATE: "check the book that has it under `template`",
    TABLE: "check the book that has it under `sheets`",
    FIGURES: "`sheetgen proof RULESET` compares it with the rules",
    MANUAL: "name YAML files, or a folder of them",
}
_MANUALS: Final = (".md", ".markdown", ".rst")
_SIGNS: Final = {
    ENCOUNTER: re.compile(r"^[\"']?(encounter|combatants)[\"']?\s*:", re.MULTILINE | re.IGNORECASE),
    BOOK: re.compile(r"^[\"']?(entries|combined)[\"']?\s*:", re.MULTILINE),
}
_ROW: Final = re.compile(r"^[\"']?name[\"']?\s*:\s*[\"']?\$", re.MULTILINE)
_RULESET: Final = re.compile(r"^[\"']?(ruleset|kind)[\"']?\s*:", re.MULTILINE)


def sort_of(path: Path) -> str:
    """Return the sort of the file at `path`; a character where nothing says otherwise."""
    if any(part in FIGURE_FOLDERS for part in Path(os.path.abspath(path)).parent.parts):
        return FIGURES
    if design_of(path):
        return DESIGN
    if path.suffix.lower() in _MANUALS:
        return MANUAL
    if path.suffix.lower() == CSV:
        return TABLE
    read = read_text(path)
    if read.value is None:
        return CHARACTER
    text = read.value[0]
    names_rules = _RULESET.search(text) is not None
    if _SIGNS[ENCOUNTER].search(text):
        return ENCOUNTER
    if _ROW.search(text):
        return TEMPLATE
    if names_rules:  # NPCs of one file have `entries`, too
        return CHARACTER
    if ruleset_above(path) is not None:
        return PART
    return BOOK if _SIGNS[BOOK].search(text) else CHARACTER


def other_sort(path: Path, sort: str) -> Finding:
    """Return the note that a file in a folder is passed over."""
    article = "an" if sort[0] in "aeiou" else "a"
    message = f"this is {article} {sort}, and is passed over"
    hint = _HINTS.get(sort, "")
    return Finding(codes.OTHER_SORT, Span(str(path)), message, hint, Severity.NOTE)


def no_files(folder: Path) -> Finding:
    """Return what is said of a folder that has no file for us."""
    message = "no .yaml file stands in this folder"
    return Finding(codes.UNREADABLE, Span(str(folder)), message, "check the path")


def ruleset_above(path: Path) -> Path | None:
    """Return the folder of the ruleset that a file is in, if it is in one."""
    folder = Path(os.path.abspath(path)).parent
    found = next((above for above in (folder, *folder.parents) if is_ruleset(above)), None)
    return Path(os.path.relpath(found)) if found is not None and not path.is_absolute() else found
