"""`sheetgen check`: what is wrong with characters, and where."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from sheetgen.cli import console
from sheetgen.cli.console import set_options
from sheetgen.cli.parameters import NONE, Format, Paths, Settings, Strict
from sheetgen.cli.play.check_inputs import sort_files
from sheetgen.cli.terminal import write_lines
from sheetgen.diag.findings import Finding, errors
from sheetgen.load.authors.sorts import skipped_file_note
from sheetgen.load.designs.files import check_design
from sheetgen.prints.characters import Character, load_characters


def command(
    paths: Paths,
    strict: Strict = False,
    settings: Settings = NONE,
    form: Format = "text",
) -> None:
    """Check characters against their rules; all findings at once, each with its place.

    The folder of a ruleset (one with a ruleset.yaml) is checked as such, its screens, tables and
    proofs included; fights and books are checked as what they are.
    """
    options = set_options(settings)
    reporter = console.Reporter(strict)
    results: list[dict[str, Any]] = []

    def tell(path: Path, said: Iterable[Finding], name: str = "") -> None:
        findings = reporter.apply_strict(said)
        if form == "text":
            reporter.report(findings)
            write_lines(f"{path}{name and f' ({name})'}: {console.counts(findings)}")
        else:
            reporter.reported |= dict.fromkeys(findings)
            results.append(_result(path, findings, name))

    sorted_ = sort_files(paths)
    for folder in sorted_.rulesets:
        tell(folder, _of_ruleset(folder, options))
    for book in sorted_.books:
        tell(book, _of_book(book, strict))
    for design in sorted_.designs:
        tell(design, check_design(design))
    for other, sort in sorted_.others:
        tell(other, [skipped_file_note(other, sort)])
    for fight in sorted_.encounters:
        tell(fight, _of_encounter(fight, options))
    for path, found in groupby(
        load_characters(sorted_.characters, options), key=lambda one: one.path
    ):
        together = list(found)
        for character in together:
            reporter.remember(character.source)
            tell(path, character.findings, _name(character) if len(together) > 1 else "")
    if form == "json":
        console.write_json(results)
    reporter.exit()


def _of_book(path: Path, strict: bool) -> tuple[Finding, ...]:
    from sheetgen.books.planning import plan_book  # Characters need none of it.
    from sheetgen.prints.context import PrintContext
    from sheetgen.prints.sheet import load_row

    plan = plan_book(path, strict=strict)
    context = PrintContext()
    rows = (job.full_request for job in plan.jobs if job.row is not None)
    of_rows = [f for row in rows for one in load_row(row, context) for f in one.findings]
    return tuple(dict.fromkeys((*plan.findings, *of_rows)))


def _of_encounter(path: Path, options: Mapping[str, str]) -> tuple[Finding, ...]:
    from sheetgen.prints.encounter import check_encounter  # Characters need none of it.

    return check_encounter(path, options).findings


def _of_ruleset(folder: Path, options: Mapping[str, str]) -> tuple[Finding, ...]:
    """Return all findings about a ruleset, its proof, starter and undefined words included."""
    from sheetgen.check.ruleset.rulesets import check_undefined_words  # Characters need none of it.
    from sheetgen.cli.rules.ruleset_scaffold import starter_findings
    from sheetgen.prints.rulesets import load_checked_ruleset

    read = load_checked_ruleset(os.path.join(os.curdir, folder), options, proof=True)
    if read.rules is None:
        return read.findings
    return (*read.findings, *check_undefined_words(read.rules), *starter_findings(read.rules))


def _result(path: Path, findings: Sequence[Finding], name: str = "") -> dict[str, Any]:
    return {
        "file": str(path),
        **({"name": name} if name else {}),
        "ok": not errors(findings),
        "findings": console.findings_data(findings),
    }


def _name(one: Character) -> str:
    """Return what one of a file's entries is called in messages."""
    name = one.build.name if one.build else ""
    return name or "no name"
