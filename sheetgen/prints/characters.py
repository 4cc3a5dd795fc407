"""Characters and other files of authors, loaded and checked: the first steps of every print."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from sheetgen.check.character.builds import (
    check_character,
    complete_source,
    excuse_stock,
    find_named_traits,
    find_shared_names,
)
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, errors, in_order
from sheetgen.load import characters
from sheetgen.load.cache import code_stamp, read_cache, store_in_cache
from sheetgen.load.files import record_reads, yaml_files
from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.load.rulesets.rulesets import load_complete
from sheetgen.model.build import Build
from sheetgen.model.rulesets.ruleset import Kind, Ruleset
from sheetgen.model.source import Source
from sheetgen.records import frozen
from sheetgen.rules.index import folded
from sheetgen.rules.tables.compute import PARTY


@frozen
class Character:
    """A checked entry of a file: a character or another kind; None for what cannot be read."""

    path: Path
    source: Source | None
    rules: Ruleset | None
    build: Build | None
    findings: tuple[Finding, ...]  # All of them, those of its ruleset included, in order.
    kind: Kind | None = None  # The kind of the entry; None for a character.
    several: bool = False  # Whether its file holds others, too.
    entry: Source | None = None  # As written; `source` has what it takes over, too.
    called: str = ""  # The stem of its files, where another entry of the run has the usual one.

    @property
    def stem(self) -> str:
        """The stem of its prints: its file's, with its name if the file holds several."""
        if self.called:
            return self.called
        name = self.build.name if self.build is not None else ""
        return f"{self.path.stem}-{name}" if self.several and name else self.path.stem

    @property
    def ok(self) -> bool:
        """Whether it may be printed."""
        return self.build is not None and not errors(self.findings)


def load_complete_rules(one: Character) -> Ruleset | None:
    """Return the rules of an entry, or of its kind, with the files that only some prints need."""
    rules = load_complete(one.rules) if one.rules is not None else None
    if rules is None or one.kind is None:
        return rules
    return kind_rules(rules, find_kind_id(one.kind, rules))


def find_kind_id(kind: Kind, rules: Ruleset) -> str:
    """Return the id of a kind of entries."""
    return next(str(id_) for id_, known in rules.kinds.items() if known.one == kind.one)


def load_characters(
    paths: Iterable[Path],
    chosen: Mapping[str, str] | None = None,
    rulesets: characters.RulesetCache | None = None,
) -> Iterator[Character]:
    """Yield the characters in `paths` (files, or folders of them), each checked.

    One bad file never keeps the others from being read. Traits that authors named are
    compared with those of the characters before.
    """
    rulesets = rulesets or characters.RulesetCache()
    before: list[tuple[Build, Ruleset]] = []
    for one in _each(paths, chosen or {}, rulesets):
        if one.build is None or one.rules is None or not find_named_traits(one.build, one.rules):
            yield one
            continue
        before.append((one.build, one.rules))
        shared = [f for f in find_shared_names(before) if f.span.file == one.build.file]
        yield replace(one, findings=in_order((*one.findings, *shared)))


def _each(
    paths: Iterable[Path], chosen: Mapping[str, str], rulesets: characters.RulesetCache
) -> Iterator[Character]:
    seen: set[str] = set()
    for root in paths:
        empty, parts = True, 0
        for path in yaml_files(root):
            empty = False
            real = os.path.realpath(path)  # `Path.resolve` fails on links that go round
            sort = characters.CHARACTER if path == root else characters.find_file_type(path, True)
            if real not in seen and sort == characters.CHARACTER:
                yield from load_character_file(path, rulesets, chosen)
            elif real not in seen and sort == characters.PART:
                parts += 1
            elif real not in seen:
                yield Character(path, None, None, None, (characters.skipped_file_note(path, sort),))
            seen.add(real)
        if parts:
            yield Character(root, None, None, None, (characters.skipped_parts_note(root, parts),))
        if empty:
            yield Character(root, None, None, None, (characters.empty_folder_finding(root),))


def load_stock(
    rules: Ruleset,
    kinds: Iterable[str],
    chosen: Mapping[str, str] | None = None,
    findings: list[Finding] | None = None,
) -> dict[str, tuple[Build, ...]]:
    """Return the stock of `rules` without errors by kind; `findings` receives the rest."""
    found = {}
    for kind in dict.fromkeys(kinds):
        if kind == PARTY:
            continue
        stock = [*load_stock_characters(rules, kind, chosen or {})]
        found[kind] = tuple(one.build for one in stock if one.build is not None and one.ok)
        if findings is not None:
            every = (finding for one in stock for finding in one.findings)
            findings += (f for f in every if f.severity is not Severity.NOTE)
    return found


def load_stock_characters(
    rules: Ruleset, kind: str, chosen: Mapping[str, str], named: Container[str] | None = None
) -> Iterator[Character]:
    """Yield the checked stock of a kind by `rules`: all, or those with `named` folded names."""
    rulesets = characters.RulesetCache()
    stock, own = rulesets.entries(rules, kind), rulesets.kind(rules, kind)
    for source in stock:
        if named is not None and folded(source.base) not in named:
            continue
        path = Path(source.file)
        loaded = characters.LoadedEntry(path, source, own, (), rules.kinds[kind], stock, rules)
        yield check_loaded(loaded, chosen, rulesets)


def find_companions(one: Character) -> Iterator[Character]:
    """Yield those whom a text names, by name or by the path of a YAML file, checked."""
    rules, build = one.rules, one.build
    if rules is None or build is None:
        return
    texts = [*build.texts.values(), *(line for lines in build.lists.values() for line in lines)]
    texts += [item.name for item in build.items if not item.item]
    names = {folded(re.split(r"[:,;(]", text, maxsplit=1)[0].strip()) for text in texts}
    options = {name: str(value) for name, value in build.options.items()}
    for kind in rules.kinds:
        yield from load_stock_characters(rules, str(kind), options, names)
    for text in (text for text in texts if text.lower().endswith((".yaml", ".yml"))):
        yield from load_character_file(one.path.parent / text, characters.RulesetCache(), {})


def load_character(
    path: Path, rulesets: characters.RulesetCache, chosen: Mapping[str, str]
) -> Character:
    """Return the character in the file at `path`, checked; the first, if there are many."""
    return load_character_file(path, rulesets, chosen)[0]


def load_character_file(
    path: Path, rulesets: characters.RulesetCache, chosen: Mapping[str, str]
) -> tuple[Character, ...]:
    """Return the checked entries of the file at `path`: one character, or several."""
    found = tuple(
        check_loaded(one, chosen, rulesets) for one in characters.load_file(path, rulesets, chosen)
    )
    return found if len(found) < 2 else tuple(replace(one, several=True) for one in found)


def clean_key(rules: Ruleset) -> str:
    """Return the key of the cache entry, without content, that a ruleset has no findings."""
    return f"{rules.digest}-{code_stamp()}.clean"


def check_loaded(
    loaded: characters.LoadedEntry, chosen: Mapping[str, str], rulesets: characters.RulesetCache
) -> Character:
    """Return a loaded entry, checked by its ruleset; the ruleset is checked, too."""
    source, rules, kind = loaded.source, loaded.rules, loaded.kind
    if source is None or rules is None:
        return Character(loaded.path, source, rules, None, loaded.findings)
    key = clean_key(rules)
    if rules.digest not in rulesets.findings and read_cache(key) is not None:
        rulesets.findings[rules.digest] = ()
    elif rules.digest not in rulesets.findings:
        from sheetgen.check.ruleset.rulesets import check_ruleset  # Most runs need none of it.

        with record_reads():  # not recorded: only the first print in a process would have them
            rulesets.findings[rules.digest] = check_ruleset(rules)
        if not rulesets.findings[rules.digest]:
            store_in_cache(key, b"")
    wrong = rulesets.findings[rules.digest]
    findings = [*loaded.findings, *wrong]
    if errors(wrong):  # references to nothing: the character cannot be checked by it
        return Character(loaded.path, source, rules, None, in_order(findings), kind)
    more: tuple[Finding, ...] = ()
    if kind is not None:
        source, more = complete_source(loaded, chosen, rulesets)
    checked = check_character(source, rules, chosen)
    about = excuse_stock(checked.findings, source, rules, loaded.stock)
    # A base that cannot be read explains the keys that are missing.
    found = [f for f in about if not (more and f.code is codes.MISSING_KEY)]
    findings = [*findings, *more, *found]
    every = in_order(findings)
    return Character(loaded.path, source, rules, checked.value, every, kind, entry=loaded.source)
