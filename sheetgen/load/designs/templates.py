"""Designs as texts and bytes: templates, style sheets, tokens, what a sheet says, fonts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final, TypeVar

from sheetgen.diag.findings import DesignError
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.load.designs.tokens import merge_tokens
from sheetgen.load.rulesets.content import data_folder
from sheetgen.load.shapes import Shaper
from sheetgen.load.sources import read_source
from sheetgen.model.designs.token_files import TokensFile
from sheetgen.model.prints import Tokens
from sheetgen.model.source import Node, Pairs

M = TypeVar("M")

SHARED: Final = "_shared"
"""The folder of what all designs have in common."""

CARDS: Final = "_cards"
"""The folder of what all cards have in common."""

ENCOUNTERS: Final = "_encounters"
DICE: Final = "_dice"
"""The folder of the pages of fights."""

SCREENS: Final = "_screens"
"""The folder of screens that stand on the table."""

STANDARD: Final = "standard"
"""The theme that says nothing of its own."""

_TEXTS: Final = (".j2", ".css")


def templates_folder() -> Path:
    """Return the folder of the designs that come with us."""
    return data_folder() / "templates"


def sheet_ids() -> tuple[str, ...]:
    """Return the ids of the sheets that come with us, sorted."""
    return tuple(sorted(path.parent.name for path in templates_folder().glob("*/sheet.yaml")))


def theme_ids() -> tuple[str, ...]:
    """Return the ids of the themes that come with us, sorted."""
    themes = templates_folder() / SHARED / "themes"
    return tuple(sorted(path.stem for path in themes.glob("*.yaml")))


def card_ids() -> tuple[str, ...]:
    """Return the ids of the cards that come with us, sorted."""
    return tuple(sorted(path.parent.name for path in templates_folder().glob("*/card.yaml")))


def load_template_texts(design: str, *more: str) -> dict[str, str]:
    """Return the texts that design `design` may use, by the name used in `include`.

    Names are `_shared/places.html.j2`, `<design>/sheet.html.j2` and so on; the texts of
    other designs are not among them.
    """
    top = templates_folder()
    return {
        path.relative_to(top).as_posix(): path.read_text(encoding="utf-8")
        for folder in (SHARED, *more, design)
        for path in sorted((top / folder).rglob("*"))
        if path.name.endswith(_TEXTS) and path.is_file()
    }


def load_design_file(name: str, model: type[M]) -> M:
    """Return the YAML file `name` of the designs, such as `plain/sheet.yaml`, as a `model`.

    Raises:
        DesignError: It cannot be read, or a key or value in it is wrong.
    """
    return parse_model(load_design_source(name), model, name)


def load_design_source(name: str) -> Pairs:
    """Return what stands in the YAML file `name` of the designs.

    Raises:
        DesignError: It cannot be read, or holds no keys.
    """
    read = read_source(templates_folder() / name)
    if read.findings or read.value is None or not isinstance(read.value.root, Pairs):
        raise DesignError(read.findings)
    return read.value.root


def parse_model(node: Node, model: type[M], what: str) -> M:
    """Return `node` as a `model`.

    Raises:
        DesignError: A key or value in it is wrong.
    """
    shaper = Shaper()
    made = shaper.read(node, model, what)
    if made is None or shaper.findings:
        raise DesignError(tuple(shaper.findings))
    return made


def load_theme_tokens(theme: str, *designs: str) -> Tokens:
    """Return the tokens of `theme`: the shared ones, what designs add, what it changes.

    A design may have a `tokens.yaml` and a `themes/<theme>.yaml` of its own.

    Raises:
        DesignError: Something in these files is wrong.
    """
    top = templates_folder()
    folders = (SHARED, *designs)
    names = [f"{folder}/tokens.yaml" for folder in folders]
    themes = [f"{folder}/themes/{theme}.yaml" for folder in folders]
    found = [load_design_file(name, TokensFile) for name in names if (top / name).is_file()]
    changes = [load_design_file(name, TokensFile) for name in themes if (top / name).is_file()]
    return merge_tokens(found, changes)


def load_face_files(faces: Iterable[str], tokens: Tokens) -> dict[str, bytes]:
    """Return the font file of each of `faces`, whole."""
    return {face: font_bytes(tokens.faces[face]) for face in faces}
