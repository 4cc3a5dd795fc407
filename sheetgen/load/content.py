"""Where our own data lies: beside the package when installed, else in the checkout."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def data_folder() -> Path:
    """Return the folder that holds `content/` and `templates/`.

    The wheel carries them inside the package; in a checkout they stand at the top.
    """
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data"
    return installed if installed.is_dir() else package.parent


def rulesets_folder() -> Path:
    """Return the folder whose folders are the rulesets that come with us."""
    return data_folder() / "content" / "rulesets"


def ruleset_ids() -> tuple[str, ...]:
    """Return the ids of the rulesets that come with us, sorted."""
    found = rulesets_folder().glob("*/ruleset.yaml")
    return tuple(sorted(path.parent.name for path in found))


def credits() -> tuple[str, ...]:
    """Return the long credit of every ruleset that comes with us."""
    from sheetgen.load.rulesets import load_ruleset

    loaded = (load_ruleset(rulesets_folder() / id_).value for id_ in ruleset_ids())
    return tuple(f"{rules.title}. {rules.credit.long}" for rules in loaded if rules)


def starter_text(ruleset: str) -> str:
    """Return the character file to start from; `{name}` stands where the name goes."""
    path = rulesets_folder() / ruleset / "starters" / "character.yaml"
    return path.read_text(encoding="utf-8")
