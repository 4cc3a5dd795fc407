"""`sheetgen import`: a file of another program as YAML files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from sheetgen import write as disk
from sheetgen.cli import console
from sheetgen.cli.parameters import NONE, File, Ruleset, Settings, Strict, option
from sheetgen.cli.read import format_change
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span, errors, split_lines
from sheetgen.plugins.exchange.formats import FORMATS, ImportRequest, find_importer
from sheetgen.prints.rulesets import load_checked_ruleset


def command(
    file: File,
    ruleset: Ruleset,
    into: Annotated[
        Path | None,
        option("--into FOLDER", "The folder of your YAML files; without it nothing is written."),
    ] = None,
    what: Annotated[
        str,
        option(
            "--as WHAT",
            "What it holds: a kind of file, or a part of the ruleset such as `gear`.",
        ),
    ] = "",
    strict: Strict = False,
    settings: Settings = NONE,
) -> None:
    """Import a file of another program as YAML files, and check them.

    FILE is a text with stat blocks (`-` reads it from standard input), a spreadsheet of rosters or
    of a part of the ruleset, a note of a vault, or a file or folder of another format that can be
    imported. Names and values that the ruleset does not have are findings. A file that exists is
    never overwritten: only a note or a spreadsheet changes the file that it was exported from.

    Example: sheetgen import party.xlsx --ruleset RULESET

    Guide: docs/guides/exchange.md
    """
    options = console.set_options(settings)
    reporter = console.Reporter(strict)
    checked = load_checked_ruleset(ruleset, options)
    reporter.report(checked.findings)
    importer = find_importer(file)
    if importer is None:
        suffixes = sorted({suffix for one in FORMATS.values() for suffix in one.suffixes})
        hint = f"name a file that ends in {', '.join(suffixes)}" if suffixes else ""
        message = "no format of `sheetgen import` has this kind of file"
        reporter.report([Finding(codes.NO_IMPORTER, Span(str(file)), message, hint)])
    elif checked.rules is not None:
        result = importer(ImportRequest(file, checked.rules, into, options, what))
        reporter.lines |= {name: [*lines] for name, lines in result.lines.items()}
        reporter.report(result.findings)
        texts = {name: text.encode() for name, text in result.texts.items()}
        for name, content in (texts | dict(result.pictures)).items():
            target = (into or Path()) / disk.portable_name(name)
            if into is None:
                console.write_lines(f"{target}: would be written")
                shown = content.decode() if name in result.texts and result.lines else ""
                console.write_lines(*(f"  {line}" for line in shown.splitlines()))
            elif disk.stays_inside(into, disk.portable_name(name)):
                reporter.written(target, disk.write_new(target, content))
            else:
                reporter.report([disk.linked_finding(target)])
        for merged, digest in result.merged:
            name, done = str(merged.path), sum(c.state == "merged" for c in merged.changes)
            console.write_lines(name, *map(format_change, merged.changes))
            reporter.lines[name] = split_lines(merged.after)
            reporter.report([*merged.findings, *merged.character.findings])
            if into is None or merged.after == merged.before or errors(merged.character.findings):
                console.write_lines(f"{name}: {done} changes, nothing written")
                continue
            failed = disk.overwrite_file(merged.path, merged.after.encode(), digest)
            reporter.report([failed] if failed is not None else [])
            console.write_lines(*([f"{name}: {done} changes written"] if failed is None else []))
    reporter.exit()
