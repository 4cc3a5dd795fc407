"""Loading of authors' files together with their rulesets."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sheetgen.diag.findings import Checked, Finding, errors
from sheetgen.load.rulesets.kinds import (
    correct_own_keys,
    entries_of,
    kind_of,
    kind_rules,
    split_entries,
    write_own_keys_small,
)
from sheetgen.load.rulesets.modules import switches_of
from sheetgen.load.rulesets.rulesets import Folders, load_ruleset, rulesets_of
from sheetgen.load.sources import read_source
from sheetgen.model.rulesets.kinds import Kind
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Pairs, Source, raw_text
from sheetgen.records import frozen

Switches = Mapping[str, bool]


@dataclass
class RulesetCache:
    """The rulesets loaded in this run.

    Attributes:
        loaded: Rulesets by their folders and switched modules.
        kinds: Rules for files of a kind, by the ruleset's digest and the kind.
        stock: Shipped entries of a kind, by the same.
        findings: Findings about a ruleset, by its digest.
    """

    loaded: dict[tuple[Folders, frozenset[tuple[str, bool]]], Checked[Ruleset]] = field(
        default_factory=dict
    )
    kinds: dict[tuple[str, str], Ruleset] = field(default_factory=dict)
    stock: dict[tuple[str, str], tuple[Source, ...]] = field(default_factory=dict)
    findings: dict[str, tuple[Finding, ...]] = field(default_factory=dict)

    def load(self, folders: Path | Folders, switches: Switches | None = None) -> Checked[Ruleset]:
        """Return the ruleset of one folder or several; `switches` are those of its modules."""
        key = _key(folders, switches)
        if key not in self.loaded:
            self.loaded[key] = load_ruleset(folders, switches=switches)
        return self.loaded[key]

    def put(self, folders: Folders, switches: Switches, loaded: Checked[Ruleset]) -> None:
        """Add a ruleset that was loaded elsewhere."""
        self.loaded[_key(folders, switches)] = loaded

    def kind(self, rules: Ruleset, name: str) -> Ruleset:
        """Return the rules for files of the kind `name`; see `kinds.kind_rules`."""
        key = rules.digest, name
        if key not in self.kinds:
            self.kinds[key] = kind_rules(rules, name)
        return self.kinds[key]

    def entries(self, rules: Ruleset, name: str) -> tuple[Source, ...]:
        """Return the shipped entries of a kind, those of the base ruleset first.

        Each is its own `base`, so that its differences from the source are footnoted.
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
    paths = (folders,) if isinstance(folders, Path) else folders
    return paths, frozenset((switches or {}).items())


@frozen
class LoadedEntry:
    """One character or other entry of an author's file; None for what could not be read.

    Attributes:
        rules: The ruleset, or its rules for the file's kind.
        kind: The kind of the file in its ruleset; None for a character.
        stock: The shipped entries of that kind.
        ruleset: The complete ruleset, if `rules` are those of a kind.
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
    """Return the characters or other entries of the file at `path`.

    Findings about the whole file are those of the first entry.

    Args:
        chosen: Options from outside the file; those of modules select parts of the ruleset.
    """
    read = read_source(path)
    if read.value is None:
        return (LoadedEntry(path, None, None, read.findings),)
    return load_from_source(path, read.value, read.findings, cache, chosen)


def load_from_source(
    path: Path,
    source: Source,
    findings: tuple[Finding, ...],
    cache: RulesetCache,
    chosen: Mapping[str, str] | None = None,
) -> tuple[LoadedEntry, ...]:
    """Return the entries of a file that was read, with the `findings` about it; see `load_file`."""
    found = list(findings)
    source = write_own_keys_small(source)
    rules = _load_rules(path, source, found, cache, chosen or {})
    if rules is not None:
        source = correct_own_keys(source, rules, found)
    name = kind_of(source, rules, found) if rules is not None else None
    if rules is None or name is None:
        return (LoadedEntry(path, source, None, tuple(found)),)
    sources = split_entries(source, found)
    kind, own = rules.kinds.get(name), rules
    stock: tuple[Source, ...] = ()
    if kind is not None:
        stock = cache.entries(rules, name)
        if _is_stock(path, kind, rules):
            sources = tuple(replace(one, base=source_name(one)) for one in sources)
        own = cache.kind(rules, name)
    return tuple(
        LoadedEntry(path, one, own, () if number else tuple(found), kind, stock, rules)
        for number, one in enumerate(sources or (None,))
    )


def _load_rules(
    path: Path,
    source: Source,
    findings: list[Finding],
    cache: RulesetCache,
    chosen: Mapping[str, str],
) -> Ruleset | None:
    """Return the ruleset of a file; None if it is unknown or has errors."""
    if not isinstance(source.root, Pairs):
        return None
    folders = rulesets_of(source, source.root, path)
    if folders.value is None:
        findings += folders.findings
        return None
    loaded = cache.load(folders.value, switches_of(source.root, chosen))
    findings += loaded.findings
    # With a part of the rules missing, all names from that part would be errors.
    return None if errors(loaded.findings) else loaded.value


def source_name(source: Source) -> str:
    """Return the name in an author's file, or ""."""
    return raw_text(source.get("name"))


def _is_stock(path: Path, kind: Kind, rules: Ruleset) -> bool:
    folders = (Path(origin.folder) / kind.folder for origin in rules.composition.origins)
    at = Path(os.path.realpath(path))
    return bool(kind.folder) and any(at.is_relative_to(os.path.realpath(one)) for one in folders)
