"""Designs of sheets and of printed pages, and the cache keys of their plates."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sheetgen import __version__
from sheetgen.diag.findings import Checked, DesignError
from sheetgen.load.cache import code_stamp
from sheetgen.load.designs.checks import check_sheet_file
from sheetgen.load.designs.faults import check_option, raise_findings
from sheetgen.load.designs.fonts import font_bytes, font_digest
from sheetgen.load.designs.game_faces import Face, ruleset_face
from sheetgen.load.designs.own_themes import Theme, find_theme
from sheetgen.load.designs.templates import (
    STANDARD,
    load_design_file,
    load_template_texts,
    sheet_ids,
)
from sheetgen.load.designs.tokens import missing_fonts
from sheetgen.model.designs.sheet_files import SheetFile
from sheetgen.model.prints import Narrow, Tokens
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.records import frozen
from sheetgen.units import PAPERS


@frozen
class Design:
    """One sheet in one theme on one paper, as texts and tokens.

    Attributes:
        facts: The values of its `sheet.yaml`.
        theme: The id of the theme of ours that this one is, or changes.
        kind: The arrangement that the theme uses: `standard`, or the theme's own.
        narrow: What narrow screens use where the theme's own arrangement does not fit; None
            for a theme without an arrangement of its own.
    """

    sheet: str
    paper: str
    theme: str
    kind: str
    facts: Mapping[str, Any]
    texts: Mapping[str, str]
    tokens: Tokens
    narrow: Narrow | None = None

    @property
    def template(self) -> str:
        """The name of its template."""
        return str(self.facts["templates"][self.kind])

    def tighter(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield steps by which the sheet gets room: what moves, and the values of `sheet.yaml`."""
        yield "", dict(self.facts)
        for step in self.facts["tighter"].get(self.kind, ()):
            fewer = step["rows"]
            rows = {name: {**counts, **fewer} for name, counts in self.facts["rows"].items()}
            changed = {"tight": step["tight"], "spill": step["spill"], "rows": rows}
            yield str(step["moves"]), {**self.facts, **changed}

    @property
    def styles(self) -> tuple[str, ...]:
        """The names of its style sheets for paper."""
        return tuple(self.facts["css"][self.kind])

    @property
    def screen(self) -> tuple[str, ...]:
        """The names of its style sheets for screens, those for paper first."""
        return (*self.styles, *self.facts["screen"])

    def keys(self, template: str, rules: str, context: Mapping[str, Any]) -> tuple[str, str]:
        """Return two hashes of everything that a plate of this design is made from.

        The first covers our own code and files, the second also the layout engine and the
        installed fonts. A plate shipped in the wheel is used with any engine; a plate that is
        compiled here is used with the same engine only.

        Args:
            template: The name of the template.
            rules: The digest of the ruleset.
            context: The template's context. The digest covers its `rules`.
        """
        digest = hashlib.sha256()
        values = {name: value for name, value in context.items() if name != "rules"}
        parts = [
            *(__version__, code_stamp(), template, rules, repr(values)),
            *(repr(self.styles), repr(self.tokens)),
            *(text for item in sorted(self.texts.items()) for text in item),
        ]
        for part in parts:
            digest.update(part.encode() + b"\0")
        ours = digest.hexdigest()[:32]
        fonts = [font_digest(name) for name in self.tokens.faces.values()]
        for part in (engine_version(), *fonts):
            digest.update(part.encode() + b"\0")
        return ours, digest.hexdigest()[:32]

    def markup_key(self, html: str) -> str:
        """Return the hash of a plate's markup and of its tokens.

        Rulesets whose blank sheets are equal share a plate.
        """
        digest = hashlib.sha256()
        for part in (__version__, code_stamp(), repr(self.tokens), html):
            digest.update(part.encode() + b"\0")
        return digest.hexdigest()[:32]


def load_design(
    sheet: str, theme: str, paper: str, rules: Ruleset | None = None
) -> Checked[Design]:
    """Return the design, with the face of `rules`, or findings for an unknown name."""
    findings = [
        *check_option("sheet", sheet, sheet_ids()),
        *check_option("paper", paper, PAPERS),
    ]
    if findings:
        return Checked(None, tuple(findings))
    texts = load_template_texts(sheet)
    try:
        found = find_theme(theme)
        file = load_design_file(f"{sheet}/sheet.yaml", SheetFile)
        raise_findings(check_sheet_file(file, texts, PAPERS))
        face = ruleset_face(rules)
        tokens = found.tokens(*file.tokens, sheet, face=face)
        narrow = _narrow(file, sheet, found, face)
        raise_findings(missing_fonts(tokens))
    except DesignError as error:
        return Checked(None, error.findings)
    base = found.base
    kind = base if base in file.templates else STANDARD
    return Checked(Design(sheet, paper, base, kind, sheet_facts(file), texts, tokens, narrow))


def _narrow(file: SheetFile, sheet: str, theme: Theme, face: Face) -> Narrow | None:
    """Return the standard arrangement for narrow screens, if `theme` has its own for paper."""
    if theme.base == STANDARD or theme.base not in file.templates:
        return None
    own = frozenset(file.css[theme.base]).difference(file.css[STANDARD])
    return Narrow(theme.tokens(*file.tokens, sheet, face=face, base=STANDARD), own)


def sheet_facts(file: SheetFile) -> dict[str, Any]:
    """Return the values of a `sheet.yaml` as plain data for templates."""
    facts = {**set_values(file), "tight": False, "spill": False}
    if file.flow is not None:
        facts["flow"] = {name: set_values(measures) for name, measures in file.flow.items()}
    # Keys of the cache are made of what facts show, and a record shows its place in memory.
    facts["tighter"] = {name: tuple(map(set_values, steps)) for name, steps in file.tighter.items()}
    return facts


def set_values(model: Any) -> dict[str, Any]:
    """Return the fields of a model that have a value, by name."""
    pairs = ((field.name, getattr(model, field.name)) for field in fields(model))
    return {name: value for name, value in pairs if value is not None}


TABLES = "_tables"
"""The folder of templates and style sheets of printed tables."""

PageDesign = tuple[Mapping[str, str], Tokens, Mapping[str, str]]
"""Templates and style sheets, tokens, and the names of the font files by face."""


def load_page_design(
    theme: str, paper: str, *more: str, rules: Ruleset | None = None, face: Face = ()
) -> Checked[PageDesign]:
    """Return the design of pages of tables, or findings for an unknown theme or paper.

    Args:
        rules: The ruleset whose face the pages have.
        face: Another face.
        more: Folders of templates besides those of tables, such as `_encounters`.
    """
    if findings := tuple(check_option("paper", paper, PAPERS)):
        return Checked(None, findings)
    try:
        tokens = find_theme(theme).tokens(TABLES, *more, face=face or ruleset_face(rules))
        raise_findings(missing_fonts(tokens))
    except DesignError as error:
        return Checked(None, error.findings)
    return Checked((load_template_texts(TABLES, *more), tokens, tokens.faces))


def engine_version() -> str:
    """Return the installed version of the layout engine without importing it.

    The version is read from the name of the package's folder, since `importlib.metadata`
    takes ten times as long.
    """
    spec = find_spec("weasyprint")
    if spec is None or spec.origin is None:
        return "none"
    found = Path(spec.origin).parent.parent.glob("weasyprint-*.dist-info")
    return next((path.name for path in found), "unknown")


def load_fonts(design: Design) -> dict[str, bytes]:
    """Return the font files of the design, by face."""
    return {face: font_bytes(name) for face, name in design.tokens.faces.items()}
