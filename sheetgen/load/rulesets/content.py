"""The files that come with sheetgen: in the installed package, or else in the checkout."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Final

from sheetgen.diag.findings import DesignError
from sheetgen.load.files import read_text

STARTER: Final = "starters/character.yaml"
"""The file in a ruleset's folder that new characters are copied from."""


@cache
def data_folder() -> Path:
    """Return the folder of `content/` and `templates/`.

    A wheel has them inside the package; a checkout has them at its top.
    """
    package = Path(__file__).resolve().parents[2]
    installed = package / "_data"
    return installed if installed.is_dir() else package.parent


def templates_folder() -> Path:
    """Return the folder of the designs that come with sheetgen."""
    return data_folder() / "templates"


def find_design_folder(path: Path) -> str:
    """Return the folder under templates/ that a YAML file is in; "" for any other file."""
    top, real = os.path.realpath(templates_folder()), os.path.realpath(path)
    if path.suffix != ".yaml" or not real.startswith(f"{top}{os.sep}"):
        return ""
    folder, _, rest = real[len(top) + 1 :].partition(os.sep)
    return folder if rest else ""


def rulesets_folder() -> Path:
    """Return the folder of the rulesets that come with sheetgen."""
    return data_folder() / "content" / "rulesets"


def ruleset_ids() -> tuple[str, ...]:
    """Return the ids of the rulesets that come with sheetgen, sorted."""
    found = rulesets_folder().glob("*/ruleset.yaml")
    return tuple(sorted(path.parent.name for path in found))


def starter_text(ruleset: str | Path) -> str:
    """Return the text of a new character's file, with `{name}` for the name.

    It is empty where the ruleset has no such file.

    Args:
        ruleset: The id of a ruleset that comes with sheetgen, or a folder.

    Raises:
        DesignError: The file cannot be read.
    """
    path = rulesets_folder() / ruleset / STARTER
    if not path.is_file():
        return ""
    read = read_text(path)
    if read.value is None:
        raise DesignError(read.findings)
    return read.value[0]


def own_folders() -> tuple[Path, ...]:
    """Return the folders of skeletons and of plain dice, which are no author's files."""
    return data_folder() / "content" / "skeletons", data_folder() / "content" / "odds"


def skeleton_texts(name: str) -> tuple[tuple[str, str], ...]:
    """Return path and text of each file of a skeleton of a ruleset, sorted by path."""
    top = data_folder() / "content" / "skeletons" / name
    paths = sorted(path for path in top.rglob("*") if path.is_file())
    return tuple((p.relative_to(top).as_posix(), p.read_text(encoding="utf-8")) for p in paths)
