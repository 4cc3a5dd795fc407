"""Select what a command exports: the files of an author, or all entries of a ruleset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from sheetgen.check.character.options import resolve_options
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag.findings import Finding, Span, apply_strict, errors
from sheetgen.load.characters import ENCOUNTER, RulesetCache, find_file_type
from sheetgen.load.files import yaml_files
from sheetgen.load.rulesets.rulesets import load_complete
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import EMPTY_SOURCE, Source
from sheetgen.plugins.exchange.formats import ExportRequest
from sheetgen.prints.cards import load_named_ruleset
from sheetgen.prints.characters import Character, load_characters, load_stock_characters
from sheetgen.prints.context import file_stem
from sheetgen.prints.encounter import CheckedEncounter, check_encounter
from sheetgen.write.files import free_name, name_key, portable_name, taken_finding

Entry = TypeVar("Entry", Character, CheckedEncounter)


@dataclass(slots=True)
class ExportSelection:
    """Requests, one for each ruleset, all findings, and the files that were read."""

    requests: list[ExportRequest] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)


def select_exports(
    names: Iterable[str], options: Mapping[str, str], *, strict: bool = False
) -> ExportSelection:
    """Return what is to be exported: of each ruleset named, and of the author's files.

    Entries with errors are left out.
    """
    selection = ExportSelection()
    named: list[Path] = []
    for name in names:
        rules = load_named_ruleset(name, options, selection.findings)
        if rules is not None:
            _select_stock(rules, options, selection, strict)
        elif not errors(selection.findings):
            named.append(Path(name))
    groups: dict[str, list[Character]] = {}
    fights = [p for path in named for p in yaml_files(path) if find_file_type(p) == ENCOUNTER]
    paths = [path for path in named if path not in fights]
    read_apart = {*map(str, fights)}
    for one in load_characters(paths, options, RulesetCache()):
        if any(finding.span.file in read_apart for finding in one.findings):
            continue  # the finding that an encounter is no character
        if _take(one, selection, strict) and one.rules is not None:
            groups.setdefault(_origins(one.rules), []).append(one)
    for origins, found in groups.items():
        _add_files(origins, tuple(found), selection)
    for path in fights:
        _add_encounter(check_encounter(path, options), options, selection, strict)
    taken: dict[str, str] = {}
    for at, request in enumerate(selection.requests):
        fought = tuple(_named_apart(one, taken, selection) for one in request.encounters)
        played = tuple(_named_apart(one, taken, selection) for one in request.characters)
        selection.requests[at] = replace(request, encounters=fought, characters=played)
    return selection


def _named_apart(one: Entry, taken: dict[str, str], selection: ExportSelection) -> Entry:
    """Return an entry with a stem that no other has, so that each has its own file."""
    stem, path = file_stem(one.stem) or "unnamed", str(one.path)
    name = free_name(stem, taken)
    if first := taken.get(name_key(portable_name(stem))):
        selection.findings.append(taken_finding(Span(path), stem, first, name))
    taken[name_key(portable_name(name))] = path
    return one if name == file_stem(one.stem) else replace(one, called=name)


def _origins(rules: Ruleset) -> str:
    return "\n".join(origin.folder for origin in rules.composition.origins)


def _add_files(origins: str, characters: tuple[Character, ...], selection: ExportSelection) -> None:
    """Add an author's entries of one ruleset, to the request for that ruleset if there is one."""
    for at, request in enumerate(selection.requests):
        if _origins(request.rules) == origins:
            every = (*request.characters, *characters)
            selection.requests[at] = replace(request, characters=every)
            return
    rules, build = characters[0].rules, characters[0].build
    complete = load_complete(rules) if rules is not None else None
    if complete is not None and build is not None:
        selection.requests.append(ExportRequest(complete, build.options, characters))


def _add_encounter(
    one: CheckedEncounter, options: Mapping[str, str], selection: ExportSelection, strict: bool
) -> None:
    """Add an encounter to the request for its ruleset."""
    selection.findings += one.findings
    if one.encounter is None or errors(apply_strict(one.findings, strict)):
        return
    source, rules = one.encounter.source, one.encounter.rules
    selection.sources.append(source)
    for at, request in enumerate(selection.requests):
        if _origins(request.rules) == _origins(rules):
            every = (*request.encounters, one)
            selection.requests[at] = replace(request, encounters=every)
            return
    values, _ = resolve_options(source, rules, options)
    selection.requests.append(ExportRequest(rules, values, (), encounters=(one,)))


def _select_stock(
    rules: Ruleset, options: Mapping[str, str], selection: ExportSelection, strict: bool
) -> None:
    values, wrong = resolve_options(EMPTY_SOURCE, rules, options)
    selection.findings += [*check_ruleset(rules), *wrong]
    if errors(selection.findings):
        return
    stock = [one for kind in rules.kinds for one in load_stock_characters(rules, kind, options)]
    kept = tuple(replace(o, several=True) for o in stock if _take(o, selection, strict))
    selection.requests.append(ExportRequest(rules, values, kept, stock=True))


def _take(one: Character, selection: ExportSelection, strict: bool) -> bool:
    """Note the findings about an entry; return whether it can be exported."""
    selection.findings += one.findings
    selection.sources += [one.source] if one.source is not None else []
    return one.build is not None and not errors(apply_strict(one.findings, strict))
