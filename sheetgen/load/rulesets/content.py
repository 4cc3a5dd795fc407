"""The files that come with sheetgen: in the installed package, or else in the checkout."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

from sheetgen.data import data_folder, templates_folder
from sheetgen.diag import codes
from sheetgen.diag.codes import Code
from sheetgen.diag.findings import Checked, DesignError, Finding, Span
from sheetgen.load.files import read_text
from sheetgen.records import frozen

# The file in a ruleset's folder that new characters are copied from.
STARTER: Final = "starters/character.yaml"
OWN: Final = "./"  # begins the name of a design that is in the ruleset's folder
# The files that make a folder the design of a sheet, or of a card.
SHEET_FILE: Final = "sheet.yaml"
CARD_FILE: Final = "card.yaml"
_DEEPEST: Final = 2  # folders between a ruleset's and a file of its design
_OWN_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

LINE = "line"  # the column with the line of the source
FOLDERS = ("printed", "seeds")  # folders of printed figures, beside the ruleset's files


def find_design_folder(path: Path) -> str:
    """Return the design that a YAML file is a part of: a name, or a path in a ruleset's folder."""
    if path.suffix != ".yaml":
        return ""
    top, real = os.path.realpath(templates_folder()), os.path.realpath(path)
    if real.startswith(f"{top}{os.sep}"):
        design, _, rest = real[len(top) + 1 :].partition(os.sep)
        return design if rest else ""
    for folder in islice(Path(os.path.abspath(path)).parents, 2):  # beside it, or above `themes`
        if any(os.path.isfile(folder / file) for file in (SHEET_FILE, CARD_FILE)):
            return str(folder) if find_owner(folder) is not None else ""
    return ""


def find_owner(design: Path) -> Path | None:
    """Return the folder of the ruleset that a design is in; None for a design elsewhere."""
    above = islice(design.parents, _DEEPEST)
    return next((folder for folder in above if os.path.isfile(folder / "ruleset.yaml")), None)


def find_own_design(name: str, folder: Path, file: str) -> str | None:
    """Return the path of the design `./name`, made by `file`, in a ruleset's folder; or None."""
    parts = name.removeprefix(OWN).split("/")
    if len(parts) > _DEEPEST or not all(map(_OWN_NAME.fullmatch, parts)):
        return None
    top = os.path.realpath(folder)
    # A link may lead to files that are none of the ruleset's.
    if os.path.realpath(folder.joinpath(*parts, file)) != os.path.join(top, *parts, file):
        return None
    found = folder.joinpath(*parts).absolute()
    return str(found) if os.path.isfile(found / file) else None


def list_own_designs(folders: Iterable[Path], file: str) -> list[str]:
    """Return the names (`./sheet`) of designs that are directly in rulesets' folders, for hints."""
    paths = ((folder, path) for folder in folders for path in sorted(folder.glob(f"*/{file}")))
    named = ((folder, OWN + path.parent.name) for folder, path in paths)
    found = (name for folder, name in named if find_own_design(name, folder, file))
    return list(dict.fromkeys(found))


def design_label(design: str) -> str:
    """Return a design's name for messages and prints, which name no folder above the ruleset's."""
    owner = find_owner(Path(design)) if os.path.isabs(design) else None
    return OWN + Path(design).relative_to(owner).as_posix() if owner is not None else design


def rulesets_folder() -> Path:
    """Return the folder of the rulesets that come with sheetgen."""
    return data_folder() / "content" / "rulesets"


def ruleset_ids() -> tuple[str, ...]:
    """Return the ids of the rulesets that come with sheetgen, sorted."""
    found = rulesets_folder().glob("*/ruleset.yaml")
    return tuple(sorted(path.parent.name for path in found))


def starter_text(ruleset: str | Path, kind: str = "character") -> str:
    """Return the text of a new file, with `{name}` for the name; empty where the ruleset has none.

    The ruleset is an id of ours, or a folder. Raises DesignError: the file cannot be read.
    """
    path = (rulesets_folder() / ruleset / STARTER).with_name(f"{kind}.yaml")
    if not os.path.isfile(path):
        return ""
    read = read_text(path)
    if read.value is None:
        raise DesignError(read.findings)
    return read.value[0]


def own_folders() -> tuple[Path, ...]:
    """Return the folders of skeletons and of plain dice, which are no author's files."""
    return data_folder() / "content" / "skeletons", data_folder() / "content" / "odds"


SHAPES: Final = ("d20", "percentile", "pool", "steps", "bands", "codes")
"""Skeletons of small games, each of a shape that many games have."""


def skeleton_texts(name: str) -> tuple[tuple[str, str], ...]:
    """Return path and text of each file of a skeleton of a ruleset, sorted by path."""
    top = data_folder() / "content" / "skeletons" / name
    paths = sorted(path for path in top.rglob("*") if os.path.isfile(path))
    return tuple((p.relative_to(top).as_posix(), p.read_text(encoding="utf-8")) for p in paths)


@frozen
class SeedRow:
    """A row, with its line in the source and its place in the CSV file."""

    line: int
    cells: Mapping[str, str]
    span: Span


@frozen
class Seeds:
    """All printed figures of one source, by file."""

    folder: Path
    files: Mapping[str, tuple[SeedRow, ...]]

    def columns(self, file: str) -> tuple[str, ...]:
        """Return the columns of `file` besides the line."""
        return tuple(rows[0].cells) if (rows := self.files.get(file)) else ()


def seeds_folder(ruleset: Path) -> Path | None:
    """Return the folder of the printed figures of a ruleset, or None."""
    own = [ruleset / name for name in FOLDERS]
    if ruleset.parent == rulesets_folder():
        own.append(data_folder() / "seeds" / ruleset.name)
    return next((folder for folder in own if os.path.isdir(folder)), None)


def load_seeds(folder: Path, *others: Path) -> Checked[Seeds]:
    """Return the CSV files in some folders, with findings about what cannot be read."""
    findings: list[Finding] = []
    files = {}
    for path in (p for one in (folder, *others) for p in sorted(one.glob("*.csv"))):
        read = read_text(path)
        findings += read.findings
        if read.value is not None:
            files[path.name] = tuple(_rows(path, read.value[0], findings))
    return Checked(Seeds(folder, files), tuple(findings))


def _rows(path: Path, text: str, findings: list[Finding]) -> Iterator[SeedRow]:
    def report(code: Code, message: str, hint: str = "") -> None:
        findings.append(Finding(code, Span(str(path), max(1, reader.line_num)), message, hint))

    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    head: list[str] = []
    try:
        for cells in reader:
            if not head:
                head = cells
                if LINE not in head or len(set(head)) != len(head):
                    message = f"the first row names the columns, each once, one of them `{LINE}`"
                    return report(codes.MISSING_KEY, message)
            elif len(cells) != len(head):
                message = f"this row has {len(cells)} cells, the first has {len(head)}"
                hint = "put a text with a comma in it in double quotes"
                report(codes.WRONG_TYPE, message, hint)
            else:
                row = dict(zip(head, cells, strict=True))
                line = row.pop(LINE)
                if line.isascii() and line.isdigit() and len(line) < 9:
                    yield SeedRow(int(line), row, Span(str(path), reader.line_num))
                else:
                    message = f"`{LINE}` has to be the number of a line, not `{line}`"
                    report(codes.WRONG_TYPE, message)
    except csv.Error as error:
        report(codes.WRONG_TYPE, f"this is not CSV: {error}")
