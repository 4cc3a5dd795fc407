"""`sheetgen check`: findings about characters, rulesets, books and encounters."""

from __future__ import annotations

from typing import Any

from sheetgen.books.checking import check_paths
from sheetgen.cli import console
from sheetgen.cli.parameters import NONE, Format, Paths, Settings, Strict
from sheetgen.diag.findings import errors


def command(
    paths: Paths, strict: Strict = False, settings: Settings = NONE, form: Format = "text"
) -> None:
    """Check characters against their rules and list all findings with their places.

    The folder of a ruleset (with a ruleset.yaml) is checked as a ruleset, its screens, tables
    and proofs included. Encounters, books, themes and designs are checked as such.

    Example: sheetgen check hero.yaml

    Guide: docs/guides/characters.md
    """
    reporter = console.Reporter(strict, results=True)
    results: list[dict[str, Any]] = []
    for one in check_paths(paths, console.set_options(settings), strict=strict):
        reporter.remember(one.source)
        findings = reporter.apply_strict(one.findings)
        if form == "text":
            reporter.report(findings)
            label = f"{one.path} ({one.name})" if one.name else str(one.path)
            console.write_lines(f"{label}: {console.counts(findings)}")
        else:
            reporter.reported |= dict.fromkeys(findings)
            results.append(
                {
                    "file": str(one.path),
                    **({"name": one.name} if one.name else {}),
                    "ok": not errors(findings),
                    "findings": console.findings_data(findings),
                }
            )
    if form == "json":
        console.write_json(results)
    reporter.exit()
