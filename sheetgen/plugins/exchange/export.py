"""`sheetgen export`: builds and rulesets as files of other programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from sheetgen import write as disk
from sheetgen.check.character.options import resolve_options
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.cli import console, parameters
from sheetgen.cli.outputs import OutputFiles
from sheetgen.cli.parameters import argument, option, rulesets
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span, apply_strict, errors
from sheetgen.diag.visible import visible_json
from sheetgen.load.characters import ENCOUNTER, RulesetCache, find_file_type
from sheetgen.load.files import record_reads, yaml_files
from sheetgen.load.rulesets.rulesets import load_complete
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PLACEHOLDER, PrintIdentity
from sheetgen.model.source import EMPTY_SOURCE, Source
from sheetgen.plugin import resolve
from sheetgen.plugins.exchange import formats
from sheetgen.plugins.exchange.formats import FORMATS, ExportRequest, ExportResult
from sheetgen.prints.build_data import BUILD_VERSION, build_data, build_schema
from sheetgen.prints.cards import load_named_ruleset
from sheetgen.prints.characters import Character, load_characters, load_stock_characters
from sheetgen.prints.encounter import CheckedEncounter, check_encounter
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import file_stem


def command(
    names: Annotated[
        list[str],
        argument("Your files or folders, or a ruleset.", "PATH…|RULESET", complete=rulesets),
    ],
    to: Annotated[
        str,
        option(
            "--to",
            "The format: " + "; ".join(f"{k}: {v.summary}" for k, v in FORMATS.items()) + ".",
            choices=FORMATS,
        ),
    ],
    out: parameters.Out = parameters.OUTPUT,
    force: parameters.Force = False,
    strict: parameters.Strict = False,
    settings: parameters.Settings = parameters.NONE,
) -> None:
    """Export characters, NPCs, encounters or a ruleset to the files of another program.

    A ruleset is exported with all that comes with it; formats that have a place for them also
    get its tables and cards. What a format has no place for is a finding.

    Example: sheetgen export hero.yaml --to obsidian

    Guide: docs/guides/exchange.md
    """
    options = console.set_options(settings)
    reporter = console.Reporter(strict)
    with record_reads() as reads:
        selection = select_exports(names, options, strict=strict)
        for source in selection.sources:
            reporter.remember(source)
        reporter.report(selection.findings)
        sources = [Path(source.file) for source in selection.sources]
        with OutputFiles(out, reporter, sources, reads, force=force) as files:
            exporter: formats.Exporter = resolve(FORMATS[to].exporter)
            written: dict[str, bytes] = {}
            for request in selection.requests:
                if request.encounters and not FORMATS[to].encounters:
                    reporter.report([formats.no_place_note(to, "encounters", "they are left out")])
                    if not request.characters and not request.stock:
                        continue
                try:
                    result = exporter(request)
                except FormulaError as error:
                    message = f"a formula of the ruleset cannot be computed: {error}"
                    reporter.report([Finding(codes.UNANSWERED, Span(names[0]), message)])
                    continue
                reporter.report(result.findings)
                for name, content in result.files.items():
                    if written.get(name) != content:  # some files are the same for all rulesets
                        of = result.subjects.get(name)
                        identity = PrintIdentity(str(request.rules.id), to, "", of) if of else None
                        make = partial(bytes, content)
                        files.write_named(disk.portable_name(name), make, "", identity)
                    written[name] = content
    reporter.exit()


Entry = TypeVar("Entry", Character, CheckedEncounter)


@dataclass(slots=True)
class ExportSelection:
    """Requests, one for each ruleset, all findings, and the files that were read."""

    strict: bool = False
    requests: list[ExportRequest] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)

    def takes(self, one: Character) -> bool:
        """Note the findings about an entry; return whether it can be exported."""
        self.findings += one.findings
        self.sources += [one.source] if one.source is not None else []
        return one.build is not None and not errors(apply_strict(one.findings, self.strict))

    def add(self, request: ExportRequest) -> None:
        """Add a request, to the one for the same ruleset if there is one."""
        for at, one in enumerate(self.requests):
            if one.rules.composition.origins == request.rules.composition.origins:
                played = (*one.characters, *request.characters)
                fought = (*one.encounters, *request.encounters)
                self.requests[at] = replace(one, characters=played, encounters=fought)
                return
        self.requests.append(request)


def select_exports(
    names: Iterable[str], options: Mapping[str, str], *, strict: bool = False
) -> ExportSelection:
    """Return what is to be exported: of each ruleset named, and of the author's files.

    Entries with errors are left out.
    """
    selection = ExportSelection(strict)
    named: list[Path] = []
    for name in names:
        rules = load_named_ruleset(name, options, selection.findings)
        if rules is not None:
            values, wrong = resolve_options(EMPTY_SOURCE, rules, options)
            selection.findings += [*check_ruleset(rules), *wrong]
            if not errors(selection.findings):
                stock = [o for k in rules.kinds for o in load_stock_characters(rules, k, options)]
                kept = tuple(replace(one, several=True) for one in stock if selection.takes(one))
                selection.requests.append(ExportRequest(rules, values, kept, stock=True))
        elif not errors(selection.findings):
            named.append(Path(name))
    fights = [p for path in named for p in yaml_files(path) if find_file_type(p) == ENCOUNTER]
    paths = [path for path in named if path not in fights]
    read_apart = {*map(str, fights)}
    complete: dict[str, Ruleset | None] = {}
    for one in load_characters(paths, options, RulesetCache()):
        if any(finding.span.file in read_apart for finding in one.findings):
            continue  # the finding that an encounter is no character
        if selection.takes(one) and one.rules is not None and one.build is not None:
            if one.rules.digest not in complete:
                complete[one.rules.digest] = load_complete(one.rules)
            if (rules := complete[one.rules.digest]) is not None:
                selection.add(ExportRequest(rules, one.build.options, (one,)))
    for path in fights:
        fight = check_encounter(path, options)
        selection.findings += fight.findings
        failed = errors(apply_strict(fight.findings, selection.strict))
        if fight.encounter is not None and not failed:
            selection.sources.append(fight.encounter.source)
            rules = fight.encounter.rules
            values, _ = resolve_options(fight.encounter.source, rules, options)
            selection.add(ExportRequest(rules, values, (), encounters=(fight,)))
    taken: dict[str, str] = {}

    def name_apart(one: Entry) -> Entry:
        # Each entry has a stem that no other has, so that each has its own file.
        stem, path = file_stem(one.stem) or "unnamed", str(one.path)
        name = disk.free_name(stem, taken)
        if first := taken.get(disk.name_key(disk.portable_name(stem))):
            selection.findings.append(disk.taken_finding(Span(path), stem, first, name))
        taken[disk.name_key(disk.portable_name(name))] = path
        return one if name == file_stem(one.stem) else replace(one, called=name)

    for at, request in enumerate(selection.requests):
        fought = tuple(map(name_apart, request.encounters))
        played = tuple(map(name_apart, request.characters))
        selection.requests[at] = replace(request, encounters=fought, characters=played)
    return selection


SCHEMA_FILE: Final = f"build-{BUILD_VERSION}.schema.json"


def export_json(request: ExportRequest) -> ExportResult:
    """Return a JSON file for each build, and the schema of all of them."""
    rules = request.rules
    files = {SCHEMA_FILE: _encoded({"$comment": PLACEHOLDER, **build_schema()})}
    subjects = {}
    for build, one in request.builds:
        data = {
            "$schema": SCHEMA_FILE,
            "format": BUILD_VERSION,
            "kind": request.kind_of(one),
            "licence": rules.credit.licence,
            **build_data(build, one.rules or rules),
            "_seal": PLACEHOLDER,
        }
        name = f"{file_stem(one.stem)}.json"
        files[name], subjects[name] = _encoded(data), (build.name,)
    return ExportResult(files, subjects=subjects)


def _encoded(data: dict[str, Any]) -> bytes:
    return (visible_json(json.dumps(data, ensure_ascii=False, indent=2)) + "\n").encode()
