"""An author's file with its ruleset: both read, both with findings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sheetgen.diag.findings import Checked, Finding, errors
from sheetgen.load.rulesets.kinds import entries_of, kind_of, kind_rules, split_entries
from sheetgen.load.rulesets.modules import switches_of
from sheetgen.load.rulesets.rulesets import Folders, load_ruleset, rulesets_of
from sheetgen.load.sources import read_source
from sheetgen.model.rulesets.kinds import Kind
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Pairs, ScalarNode, Source

Switches = Mapping[str, bool]


@dataclass
class RulesetCache:
    """Rulesets that were loaded in this run, each once.

    Attributes:
        judged: Findings about a ruleset as a whole, by its digest.
    """

    loaded: dict[tuple[Folders, frozenset[tuple[str, bool]]], Checked[Ruleset]] = field(
        default_factory=dict
    )
    kinds: dict[tuple[str, str], Ruleset] = field(default_factory=dict)
    stock: dict[tuple[str, str], tuple[Source, ...]] = field(default_factory=dict)
    findings: dict[str, tuple[Finding, ...]] = field(default_factory=dict)

    def load(self, folders: Path | Folders, switches: Switches | None = None) -> Checked[Ruleset]:
        """Return the ruleset in a folder, or that of several; `switches` are of its modules."""
        key = _key(folders, switches)
        if key not in self.loaded:
            self.loaded[key] = load_ruleset(folders, switches=switches)
        return self.loaded[key]

    def put(self, folders: Folders, switches: Switches, loaded: Checked[Ruleset]) -> None:
        """Keep a ruleset that was loaded elsewhere."""
        self.loaded[_key(folders, switches)] = loaded

    def kind(self, rules: Ruleset, name: str) -> Ruleset:
        """Return the rules for files of the kind `name`; see `kinds.rules_of`."""
        key = rules.digest, name
        if key not in self.kinds:
            self.kinds[key] = kind_rules(rules, name)
        return self.kinds[key]

    def entries(self, rules: Ruleset, name: str) -> tuple[Source, ...]:
        """Return all of a kind that come with the ruleset, the base's first.

        Each is its own base: what the source prints of it is a footnote of its own.
        """
        key = rules.digest, name
        if key not in self.stock:
            kind = rules.kinds[name]
            folders = (Path(origin.folder) for origin in rules.composition.origins)
            found = (source for folder in folders for source in entries_of(folder, kind))
            self.stock[key] = tuple(replace(source, base=source_name(source)) for source in found)
        return self.stock[key]


def _key(
    folders: Path | Folders, switches: Switches | None
) -> tuple[Folders, frozenset[tuple[str, bool]]]:
    whole = (folders,) if isinstance(folders, Path) else folders
    return whole, frozenset((switches or {}).items())


@dataclass(frozen=True, slots=True)
class LoadedEntry:
    """What stands in an author's file as read; None for what could not be.

    Attributes:
        kind: Of the file, and how its ruleset describes that; None for a character.
        stock: Those of its kind that come with the ruleset.
        whole: The ruleset itself, where `rules` are those of a kind.
    """

    path: Path
    source: Source | None
    rules: Ruleset | None
    findings: tuple[Finding, ...] = ()
    kind: Kind | None = None
    stock: tuple[Source, ...] = ()
    ruleset: Ruleset | None = None


def load_file(
    path: Path, cache: RulesetCache, chosen: Mapping[str, str] | None = None
) -> tuple[LoadedEntry, ...]:
    """Return what stands in the file at `path`: one character or so, or several.

    Findings about the file as a whole come with the first.

    Args:
        chosen: Options from outside; those of modules decide what the ruleset holds.
    """
    read = read_source(path)
    if read.value is None:
        return (LoadedEntry(path, None, None, read.findings),)
    return load_from_source(path, read.value, read.findings, cache, chosen)


def load_from_source(
    path: Path,
    source: Source,
    said: tuple[Finding, ...],
    shelf: RulesetCache,
    chosen: Mapping[str, str] | None = None,
) -> tuple[LoadedEntry, ...]:
    """Return what stands in a file that was read; see `load_file`.

    Args:
        said: Of reading it.
    """
    if not isinstance(source.root, Pairs):
        return (LoadedEntry(path, source, None, said),)
    found = rulesets_of(source, source.root, path)
    if found.value is None:
        return (LoadedEntry(path, source, None, (*said, *found.findings)),)
    taken = shelf.load(found.value, switches_of(source.root, chosen or {}))
    findings = [*said, *taken.findings]
    if taken.value is None:
        return (LoadedEntry(path, source, None, tuple(findings)),)
    if errors(taken.findings):  # a part of the rules is missing: its names would all be errors
        return (LoadedEntry(path, source, None, tuple(findings)),)
    return _loaded(path, source, taken.value, shelf, findings)


def _loaded(
    path: Path,
    source: Source,
    rules: Ruleset,
    shelf: RulesetCache,
    findings: list[Finding],
) -> tuple[LoadedEntry, ...]:
    name = kind_of(source, rules, findings)
    if name is None:
        return (LoadedEntry(path, source, None, tuple(findings)),)
    sources = split_entries(source, findings)
    kind, own = rules.kinds.get(name), rules
    stock: tuple[Source, ...] = ()
    if kind is not None:
        stock = shelf.entries(rules, name)
        if _is_stock(path, kind, rules):
            sources = tuple(replace(one, base=source_name(one)) for one in sources)
        own = shelf.kind(rules, name)
    said = (tuple(findings), *(() for _ in sources[1:]))
    whole = zip(sources or (None,), said, strict=True)
    return tuple(LoadedEntry(path, one, own, more, kind, stock, rules) for one, more in whole)


def source_name(source: Source) -> str:
    """Return the name in an author's file; empty if it has none."""
    name = source.root.get("name") if isinstance(source.root, Pairs) else None
    return name.raw if isinstance(name, ScalarNode) else ""


def _is_stock(path: Path, kind: Kind, rules: Ruleset) -> bool:
    """Whether a file comes with the ruleset."""
    folders = (Path(origin.folder) / kind.folder for origin in rules.composition.origins)
    at = Path(os.path.realpath(path))
    return bool(kind.folder) and any(at.is_relative_to(folder.resolve()) for folder in folders)
