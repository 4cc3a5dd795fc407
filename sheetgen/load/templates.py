"""Designs as texts and bytes: templates, style sheets, tokens, what a sheet says, fonts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from sheetgen.load.content import data_folder
from sheetgen.load.sources import read_source
from sheetgen.load.tokens import read_tokens
from sheetgen.model.prints import Tokens
from sheetgen.model.source import Leaf, Many, Node, Pairs

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

_FONT_PACKAGES: Final = ("font_source_sans_pro", "font_manrope")
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


def card_facts(design: str) -> Mapping[str, Any]:
    """Return what `card.yaml` of `design` says: sizes, strips, their order."""
    return _mapping(templates_folder() / design / "card.yaml")


def template_texts(design: str, *more: str) -> dict[str, str]:
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


def sheet_facts(design: str) -> Mapping[str, Any]:
    """Return what `sheet.yaml` of `design` says: pages, papers, templates, places."""
    return _mapping(templates_folder() / design / "sheet.yaml")


def file_facts(name: str) -> Mapping[str, Any]:
    """Return what the YAML file `name` of the designs says, such as `_shared/presets.yaml`.

    Raises:
        ValueError: It cannot be read, or holds no keys.
    """
    return _mapping(templates_folder() / name)


def theme_tokens(theme: str, *designs: str) -> Tokens:
    """Return the tokens of `theme`: the shared ones, what designs add, what it changes.

    A design may have a `tokens.yaml` and a `themes/<theme>.yaml` of its own.
    """
    top = templates_folder()
    folders = [top / SHARED, *(top / design for design in designs)]
    files = [folder / "tokens.yaml" for folder in folders]
    files += [folder / "themes" / f"{theme}.yaml" for folder in folders]
    return read_tokens(*(_mapping(path) for path in files if path.is_file()))


def face_files(faces: Iterable[str], tokens: Tokens) -> dict[str, bytes]:
    """Return the font file of each of `faces`, whole."""
    return {face: font_bytes(tokens.faces[face]) for face in faces}


@cache
def font_path(name: str) -> Path:
    """Return where the font file `name` of the font packages lies.

    Raises:
        FileNotFoundError: None of the packages that we depend on holds it.
    """
    for package in _FONT_PACKAGES:
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            path = Path(spec.origin).parent / "files" / name
            if path.is_file():
                return path
    raise FileNotFoundError(f"no font package holds `{name}`")


def font_bytes(name: str) -> bytes:
    """Return the font file `name`, whole."""
    return font_path(name).read_bytes()


def font_size(name: str) -> int:
    """Return how many bytes the font file `name` has; enough to know it from others."""
    return font_path(name).stat().st_size


def _mapping(path: Path) -> dict[str, Any]:
    read = read_source(path)
    if read.findings or read.value is None or not isinstance(read.value.root, Pairs):
        said = "; ".join(finding.message for finding in read.findings)
        raise ValueError(f"{path.name}: {said or 'it must hold keys'}")
    return {key.raw: _plain(node) for key, node in read.value.root.entries}


def _plain(node: Node) -> Any:
    """Return the values of `node`, which of our own files need no places."""
    match node:
        case Leaf():
            return node.value
        case Many():
            return [_plain(item) for item in node.items]
        case Pairs():
            return {key.raw: _plain(below) for key, below in node.entries}
