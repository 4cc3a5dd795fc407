"""Check the file that new characters of a ruleset are copied from."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from sheetgen.check.character.builds import check_character
from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.load.rulesets.content import STARTER, starter_text
from sheetgen.load.yaml.format import quote_line
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Pairs

FIRST: Final = "Ada Quill"
"""The character that a starter is checked with."""


def check_starter(rules: Ruleset) -> tuple[Finding, ...]:
    """Return the errors and warnings that new characters of `rules` would begin with."""
    folders = [Path(origin.folder) for origin in reversed(rules.composition.origins)]
    folder = next((f for f in folders if (f / STARTER).is_file()), None)
    if folder is None:
        return ()
    path = folder / STARTER
    try:
        text = starter_text(folder.absolute())
    except DesignError as error:
        return error.findings
    parsed = parse_yaml(text.replace("{name}", quote_line(FIRST)), str(path))
    root = parsed.value.root if parsed.value is not None else None
    if parsed.value is None or not isinstance(root, Pairs):
        return parsed.findings or (_lacks(path, "keys", "name: {name}"),)
    found = [*parsed.findings, *check_character(parsed.value, rules).findings]
    if root.get("ruleset") is None:
        found.append(_lacks(path, "ruleset", f"ruleset: {rules.id}"))
    if "{name}" not in text:
        found.append(_lacks(path, "{name}", "name: {name}"))
    return tuple(f for f in found if f.severity is not Severity.NOTE)


def _lacks(path: Path, what: str, line: str) -> Finding:
    message = f"the starter of new characters has no `{what}`"
    return Finding(codes.MISSING_KEY, Span(str(path), 1, 1), message, f"write `{line}`")
