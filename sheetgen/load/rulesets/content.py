"""Where our own data lies: beside the package when installed, else in the checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from sheetgen.diag.findings import DesignError
from sheetgen.load.files import read_text

STARTER: Final = "starters/character.yaml"
"""What new characters of a ruleset are copied from, in its folder."""


@cache
def data_folder() -> Path:
    """Return the folder that holds `content/` and `templates/`.

    The wheel carries them inside the package; in a checkout they stand at the top.
    """
    package = Path(__file__).resolve().parents[2]
    installed = package / "_data"
    return installed if installed.is_dir() else package.parent


def rulesets_folder() -> Path:
    """Return the folder whose folders are the rulesets that come with us."""
    return data_folder() / "content" / "rulesets"


def ruleset_ids() -> tuple[str, ...]:
    """Return the ids of the rulesets that come with us, sorted."""
    found = rulesets_folder().glob("*/ruleset.yaml")
    return tuple(sorted(path.parent.name for path in found))


def starter_text(ruleset: str | Path) -> str:
    """Return the character file to start from; `{name}` stands where the name goes.

    It is empty where the ruleset (one that comes with us, or a folder) has none.

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
    """Return the folders of our files that no author writes: skeletons, and dice of no game."""
    return data_folder() / "content" / "skeletons", data_folder() / "content" / "odds"


def skeleton_texts(name: str) -> tuple[tuple[str, str], ...]:
    """Return the files of a skeleton to write a ruleset from, by their paths in it, sorted."""
    top = data_folder() / "content" / "skeletons" / name
    paths = sorted(path for path in top.rglob("*") if path.is_file())
    return tuple((p.relative_to(top).as_posix(), p.read_text(encoding="utf-8")) for p in paths)
