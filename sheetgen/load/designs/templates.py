"""Files of designs under templates/: templates, style sheets, YAML, tokens, font files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, Final, TypeVar

from sheetgen.diag.findings import DesignError
from sheetgen.load.designs.faults import raise_findings
from sheetgen.load.designs.tokens import merge_tokens
from sheetgen.load.files import record_reads
from sheetgen.load.rulesets.content import templates_folder
from sheetgen.load.shapes import Shaper
from sheetgen.load.sources import read_source
from sheetgen.model.designs.token_files import TokensFile
from sheetgen.model.prints import Tokens
from sheetgen.model.source import Node, Pairs

M = TypeVar("M")

KIND_CARD: Final = "kind-card"
"""The card of kinds that name none."""

SHARED: Final = "_shared"
"""The folder of files that all designs share."""

CARDS: Final = "_cards"
"""The folder of files that all cards share."""

ENCOUNTERS: Final = "_encounters"
DICE: Final = "_dice"
SCREENS: Final = "_screens"
"""Folders of encounter pages, of drawn dice, and of screens."""

STANDARD: Final = "standard"
"""The theme without changes."""

_TEXTS: Final = (".j2", ".css")


def sheet_ids() -> tuple[str, ...]:
    """Return the ids of the shipped sheets, sorted."""
    return tuple(sorted(path.parent.name for path in templates_folder().glob("*/sheet.yaml")))


def theme_ids() -> tuple[str, ...]:
    """Return the ids of the shipped themes, sorted."""
    themes = templates_folder() / SHARED / "themes"
    return tuple(sorted(path.stem for path in themes.glob("*.yaml")))


def card_ids() -> tuple[str, ...]:
    """Return the ids of the shipped cards, sorted."""
    return tuple(sorted(path.parent.name for path in templates_folder().glob("*/card.yaml")))


def load_template_texts(design: str, *more: str) -> dict[str, str]:
    """Return the templates and style sheets that `design` may use, by name.

    Names are those of `include`: `_shared/places.html.j2`, `<design>/sheet.html.j2`. Files
    of other designs are left out.
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
        DesignError: The file cannot be read, or a key or value in it is wrong.
    """
    return parse_model(load_design_source(name), model, name)


def load_design_source(name: str) -> Pairs:
    """Return the mapping in the YAML file `name` of the designs.

    Raises:
        DesignError: The file cannot be read, or is not a mapping.
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
    value = shaper.read(node, model, what)
    raise_findings(shaper.findings)
    assert value is not None
    return value


def load_theme_tokens(
    theme: str, *designs: str, face: Sequence[TokensFile] = (), own: Sequence[TokensFile] = ()
) -> Tokens:
    """Return the tokens of `theme`: the shared ones, those of `designs`, the theme's changes.

    A design may have a `tokens.yaml` and a `themes/<theme>.yaml` of its own.

    Args:
        theme: An id of a shipped one.
        face: What the face of a game changes in the tokens of designs; themes change more.
        own: What an author's theme changes last.

    Raises:
        DesignError: A key or value in these files is wrong.
    """
    folders = (SHARED, *designs)
    names = [f"{folder}/tokens.yaml" for folder in folders]
    themes = [f"{folder}/themes/{theme}.yaml" for folder in folders]
    return merge_tokens([*_load_token_files(names), *face], _load_token_files(themes), own)


@cache
def load_all_tokens() -> TokensFile:
    """Return the colours, fonts, roles, shapes, ticks and css of all designs, the shared first.

    The files are not among the reads of a print: they would be those of the first one in a process
    only, and what it takes from them is in the folder of its own design, or shared.
    """
    top = templates_folder()
    names = sorted(path.relative_to(top).as_posix() for path in top.glob("*/tokens.yaml"))
    with record_reads():
        files = _load_token_files(sorted(names, key=lambda name: not name.startswith(f"{SHARED}/")))
    merged: dict[str, Any] = {field.name: {} for field in fields(TokensFile)}
    for file in reversed(files):
        for part, entries in merged.items():
            entries |= getattr(file, part)
    return TokensFile(**merged)


def _load_token_files(names: Iterable[str]) -> list[TokensFile]:
    top = templates_folder()
    return [load_design_file(name, TokensFile) for name in names if (top / name).is_file()]
