"""A sheet's design: all that goes into its plate, and the key under which that is kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sheetgen import __version__
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, DesignError, Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.cache import code_stamp
from sheetgen.load.designs.checks import sheet_findings
from sheetgen.load.designs.fonts import font_bytes, font_digest
from sheetgen.load.designs.templates import (
    STANDARD,
    design_file,
    sheet_ids,
    template_texts,
    theme_ids,
    theme_tokens,
)
from sheetgen.load.designs.tokens import missing_fonts
from sheetgen.model.designs.sheet_files import SheetFile
from sheetgen.model.prints import Narrow, Tokens
from sheetgen.units import PAPERS


@dataclass(frozen=True, slots=True)
class Design:
    """One sheet in one theme on one paper, as texts and tokens.

    Attributes:
        facts: What its `sheet.yaml` says.
        kind: Which of the design's arrangements the theme uses: `standard` or its own.
        narrow: What narrow screens use instead, where the theme's own arrangement does not fit;
            None for a theme without such an arrangement.
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

    @property
    def styles(self) -> tuple[str, ...]:
        """The names of its style sheets for paper."""
        return tuple(self.facts["css"][self.kind])

    @property
    def screen(self) -> tuple[str, ...]:
        """The names of its style sheets for screens, those for paper first."""
        return (*self.styles, *self.facts["screen"])

    def keys(self, template: str, rules: str, context: Mapping[str, Any]) -> tuple[str, str]:
        """Return two hashes of all that goes into a plate of this design.

        The first covers our own part alone, the second also the layout engine and the fonts
        that are installed. A shipped plate is used beside any engine; a plate that is made
        here is kept for the engine that made it.

        Args:
            template: The name of the template.
            rules: The digest of the ruleset.
            context: What the template is told. Its `rules` are covered by their digest.
        """
        digest = hashlib.sha256()
        told = {name: value for name, value in context.items() if name != "rules"}
        parts = [
            *(__version__, code_stamp("render", "model"), template, rules, repr(told)),
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
        """Return the hash of a plate's markup, which tells all that is on it, and of its look.

        Rules that differ in what no blank shows have one such plate between them.
        """
        digest = hashlib.sha256()
        for part in (__version__, code_stamp("render", "model"), repr(self.tokens), html):
            digest.update(part.encode() + b"\0")
        return digest.hexdigest()[:32]


def load_design(sheet: str, theme: str, paper: str) -> Checked[Design]:
    """Return the design, or findings for a sheet, theme or paper that is not there."""
    findings = [
        *_known("sheet", sheet, sheet_ids()),
        *_known("theme", theme, theme_ids()),
        *_known("paper", paper, PAPERS),
    ]
    if findings:
        return Checked(None, tuple(findings))
    texts = template_texts(sheet)
    try:
        file = design_file(f"{sheet}/sheet.yaml", SheetFile)
        refused(sheet_findings(file, texts, PAPERS))
        tokens = theme_tokens(theme, *file.tokens, sheet)
        narrow = _narrow(file, sheet, theme)
        refused(missing_fonts(tokens))
    except DesignError as error:
        return Checked(None, error.findings)
    kind = theme if theme in file.templates else STANDARD
    return Checked(Design(sheet, paper, theme, kind, sheet_facts(file), texts, tokens, narrow))


def _narrow(file: SheetFile, sheet: str, theme: str) -> Narrow | None:
    """Return the standard arrangement for narrow screens, if `theme` has another of its own."""
    if theme == STANDARD or theme not in file.templates:
        return None
    own = frozenset(file.css[theme]).difference(file.css[STANDARD])
    return Narrow(theme_tokens(STANDARD, *file.tokens, sheet), own)


def sheet_facts(file: SheetFile) -> dict[str, Any]:
    """Return what a `sheet.yaml` says, as plain data for templates."""
    facts = said_by(file)
    if file.flow is not None:
        facts["flow"] = {name: said_by(measures) for name, measures in file.flow.items()}
    return facts


def said_by(model: Any) -> dict[str, Any]:
    """Return the fields of a model that have a value, by name."""
    pairs = ((field.name, getattr(model, field.name)) for field in fields(model))
    return {name: value for name, value in pairs if value is not None}


def refused(findings: Iterable[Finding]) -> None:
    """Raise a DesignError if there are any findings."""
    if every := tuple(findings):
        raise DesignError(every)


TABLES = "_tables"
"""The folder of what printed tables look like."""

Look = tuple[Mapping[str, str], Tokens, Mapping[str, str]]
"""Templates and style sheets, tokens, and the files of faces."""


def load_look(theme: str, paper: str, *more: str) -> Checked[Look]:
    """Return how tables look, or findings for a theme or paper that is not there.

    Args:
        theme: Of all prints.
        paper: Of all prints.
        more: Folders of templates besides those of tables, such as `_encounters`.
    """
    findings = [*_known("theme", theme, theme_ids()), *_known("paper", paper, PAPERS)]
    if findings:
        return Checked(None, tuple(findings))
    try:
        tokens = theme_tokens(theme, TABLES, *more)
        refused(missing_fonts(tokens))
    except DesignError as error:
        return Checked(None, error.findings)
    return Checked((template_texts(TABLES, *more), tokens, tokens.faces))


def engine_version() -> str:
    """Return the installed version of the layout engine, without importing it.

    Its folder's name says it; to ask the package's metadata takes ten times as long.
    """
    spec = find_spec("weasyprint")
    if spec is None or spec.origin is None:
        return "none"
    found = Path(spec.origin).parent.parent.glob("weasyprint-*.dist-info")
    return next((path.name for path in found), "unknown")


def _known(what: str, name: str, known: tuple[str, ...]) -> list[Finding]:
    if name in known:
        return []
    message = f"there is no {what} `{name}`"
    hint = suggestion(name, known, f"{what}s")
    return [Finding(codes.NO_SUCH_LOOK, Span(f"--{what}"), message, hint)]


def fonts_of(design: Design) -> dict[str, bytes]:
    """Return the font files of the design, by face."""
    return {face: font_bytes(name) for face, name in design.tokens.faces.items()}
