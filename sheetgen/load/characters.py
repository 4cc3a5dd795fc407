"""A character's file with its ruleset: both read, both with findings."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.near import suggestion
from sheetgen.load.content import ruleset_ids
from sheetgen.load.rulesets import find_ruleset, load_ruleset
from sheetgen.load.sources import read_source
from sheetgen.model.ruleset import Ruleset
from sheetgen.model.source import Leaf, Pairs, Source


@dataclass
class Shelf:
    """Rulesets that were loaded in this run, each once."""

    loaded: dict[Path, Checked[Ruleset]] = field(default_factory=dict)

    def take(self, folder: Path) -> Checked[Ruleset]:
        """Return the ruleset in `folder`."""
        if folder not in self.loaded:
            self.loaded[folder] = load_ruleset(folder)
        return self.loaded[folder]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A character's file as read; None for what could not be."""

    path: Path
    source: Source | None
    rules: Ruleset | None
    findings: tuple[Finding, ...] = ()


def load_character(path: Path, shelf: Shelf) -> Loaded:
    """Return the file at `path` and the ruleset that it names."""
    read = read_source(path)
    source = read.value
    if source is None or not isinstance(source.root, Pairs):
        return Loaded(path, source, None, read.findings)
    found = _ruleset_folder(source, source.root, path)
    if found.value is None:
        return Loaded(path, source, None, (*read.findings, *found.findings))
    rules = shelf.take(found.value)
    return Loaded(path, source, rules.value, (*read.findings, *rules.findings))


def _ruleset_folder(source: Source, root: Pairs, path: Path) -> Checked[Path]:
    node = root.get("ruleset")
    if node is None:
        message = "this file does not say its ruleset"
        hint = suggestion("", ruleset_ids(), "write `ruleset: …`; rulesets")
        finding = Finding(codes.MISSING_KEY, source.start, message, hint)
        return Checked(None, (finding,))
    if not isinstance(node, Leaf) or not node.raw:
        message = "`ruleset` has to be the name of a ruleset"
        return Checked(None, (Finding(codes.WRONG_TYPE, node.span, message),))
    return find_ruleset(node.raw, node.span, path.parent)
