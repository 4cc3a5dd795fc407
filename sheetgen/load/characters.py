"""An author's file with its ruleset: both read, both with findings."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.near import suggestion
from sheetgen.load.content import ruleset_ids
from sheetgen.load.kinds import entries_of, kind_of, rules_of, split
from sheetgen.load.rulesets import find_ruleset, load_ruleset
from sheetgen.load.sources import read_source
from sheetgen.model.ruleset import Kind, Ruleset
from sheetgen.model.source import Leaf, Pairs, Source


@dataclass
class Shelf:
    """Rulesets that were loaded in this run, each once."""

    loaded: dict[Path, Checked[Ruleset]] = field(default_factory=dict)
    kinds: dict[tuple[Path, str], Ruleset] = field(default_factory=dict)
    stock: dict[tuple[Path, str], tuple[Source, ...]] = field(default_factory=dict)

    def take(self, folder: Path) -> Checked[Ruleset]:
        """Return the ruleset in `folder`."""
        if folder not in self.loaded:
            self.loaded[folder] = load_ruleset(folder)
        return self.loaded[folder]

    def kind(self, folder: Path, rules: Ruleset, name: str) -> Ruleset:
        """Return the rules for files of the kind `name`; see `kinds.rules_of`."""
        if (folder, name) not in self.kinds:
            self.kinds[folder, name] = rules_of(rules, name)
        return self.kinds[folder, name]

    def entries(self, folder: Path, rules: Ruleset, name: str) -> tuple[Source, ...]:
        """Return all of a kind that come with the ruleset in `folder`."""
        if (folder, name) not in self.stock:
            self.stock[folder, name] = entries_of(folder, rules.kinds[name])
        return self.stock[folder, name]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What stands in an author's file as read; None for what could not be.

    Attributes:
        kind: Of the file, and how its ruleset describes that; None for a character.
        stock: Those of its kind that come with the ruleset.
    """

    path: Path
    source: Source | None
    rules: Ruleset | None
    findings: tuple[Finding, ...] = ()
    kind: Kind | None = None
    stock: tuple[Source, ...] = ()


def load_file(path: Path, shelf: Shelf) -> tuple[Loaded, ...]:
    """Return what stands in the file at `path`: one character or so, or several.

    Findings about the file as a whole come with the first.
    """
    read = read_source(path)
    source = read.value
    if source is None or not isinstance(source.root, Pairs):
        return (Loaded(path, source, None, read.findings),)
    found = _ruleset_folder(source, source.root, path)
    if found.value is None:
        return (Loaded(path, source, None, (*read.findings, *found.findings)),)
    taken = shelf.take(found.value)
    findings = [*read.findings, *taken.findings]
    if taken.value is None:
        return (Loaded(path, source, None, tuple(findings)),)
    return _loaded(path, source, taken.value, found.value, shelf, findings)


def _loaded(
    path: Path,
    source: Source,
    rules: Ruleset,
    folder: Path,
    shelf: Shelf,
    findings: list[Finding],
) -> tuple[Loaded, ...]:
    name = kind_of(source, rules, findings)
    if name is None:
        return (Loaded(path, source, None, tuple(findings)),)
    sources = split(source, findings)
    kind = rules.kinds.get(name)
    stock: tuple[Source, ...] = ()
    if kind is not None:
        stock = shelf.entries(folder, rules, name)
        rules = shelf.kind(folder, rules, name)
    said = (tuple(findings), *(() for _ in sources[1:]))
    whole = zip(sources or (None,), said, strict=True)
    return tuple(Loaded(path, one, rules, more, kind, stock) for one, more in whole)


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
