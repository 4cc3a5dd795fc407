"""`sheetgen show`: a build with everything that follows from it, and its ledgers."""

from __future__ import annotations

from typing import Any

from sheetgen.cli import console
from sheetgen.cli.console import set_options
from sheetgen.cli.parameters import NONE, File, Format, Settings, Strict
from sheetgen.cli.play.build_text import build_data, build_text
from sheetgen.cli.terminal import write_lines
from sheetgen.prints.characters import load_characters


def command(
    file: File,
    strict: Strict = False,
    settings: Settings = NONE,
    form: Format = "text",
) -> None:
    """Show a build: ratings and where they come from, derived values, ledgers."""
    options = set_options(settings)
    reporter = console.Reporter(strict)
    results = []
    for character in load_characters([file], options):
        reporter.remember(character.source)
        reporter.report(character.findings)
        build, rules = character.build, character.rules
        data: dict[str, Any] = {"file": str(character.path)}
        if build is not None and rules is not None:
            data = build_data(build, rules)
            if form == "text":
                write_lines(*build_text(build, rules))
        data["findings"] = console.findings_data(reporter.apply_strict(character.findings))
        results.append(data)
    if form == "json":
        console.write_json(results[0] if len(results) == 1 else results)
    reporter.exit()
