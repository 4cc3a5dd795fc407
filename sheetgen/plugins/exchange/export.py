"""`sheetgen export`: builds and rulesets as files of other programs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from sheetgen.cli import console, parameters
from sheetgen.cli.completion import rulesets
from sheetgen.cli.console import set_options
from sheetgen.cli.outputs import OutputFiles
from sheetgen.cli.parameters import argument, option
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span
from sheetgen.load.files import record_reads
from sheetgen.model.seals import PrintIdentity
from sheetgen.plugins.exchange.formats import FORMATS, load_exporter, no_place_note
from sheetgen.plugins.exchange.selection import ExportSelection, select_exports
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.write.files import portable_name


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
    options = set_options(settings)
    reporter = console.Reporter(strict)
    with record_reads() as reads:
        selection = select_exports(names, options, strict=strict)
        for source in selection.sources:
            reporter.remember(source)
        reporter.report(selection.findings)
        sources = [Path(source.file) for source in selection.sources]
        with OutputFiles(out, reporter, sources, reads, force=force) as files:
            _write_exports(selection, to, files, names[0])
    reporter.exit()


def _write_exports(selection: ExportSelection, to: str, files: OutputFiles, named: str) -> None:
    """Write what was selected; a finding about a formula points at what was named."""
    export, reporter = load_exporter(to), files.reporter
    written: dict[str, bytes] = {}
    for request in selection.requests:
        if request.encounters and not FORMATS[to].encounters:
            reporter.report([no_place_note(to, "encounters", "they are left out")])
            if not request.characters and not request.stock:
                continue
        try:
            result = export(request)
        except FormulaError as error:
            message = f"a formula of the ruleset cannot be computed: {error}"
            reporter.report([Finding(codes.UNANSWERED, Span(named), message)])
            continue
        reporter.report(result.findings)
        for name, content in result.files.items():
            if written.get(name) != content:  # some files are the same for all rulesets
                of = result.subjects.get(name)
                identity = PrintIdentity(str(request.rules.id), to, "", of) if of else None
                files.write_named(portable_name(name), partial(bytes, content), "", identity)
            written[name] = content
