"""What all commands share: where findings and results are printed, and exit statuses."""

from __future__ import annotations

import errno
import gc
import io
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from sheetgen.cli.terminal import StreamError, close_stream, open_streams, write_lines, write_text
from sheetgen.diag.findings import Finding, Severity, apply_strict, errors, in_order
from sheetgen.diag.show import finding_data, show
from sheetgen.diag.spans import split_lines
from sheetgen.diag.visible import EscapedText, visible_json

if TYPE_CHECKING:
    from sheetgen.model.source import Source

PROGRAM = "sheetgen"
EXIT_BAD_INPUT = 1
"""The author's files are wrong."""

EXIT_BAD_USAGE = 2
"""The command line is wrong; click's own status for it."""


def run() -> None:
    """Run the command line; a pipe that is closed early ends it silently."""
    from sheetgen.cli import app

    gc.set_threshold(100_000)  # a short life, and hardly any cycles: 5 % of it was collecting
    open_streams()
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors != "backslashreplace":
        sys.stdout.reconfigure(errors="backslashreplace")  # its encoding may lack characters
    try:
        app(prog_name=PROGRAM)
    except StreamError as failed:
        close_stream(failed, PROGRAM)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        close_stream(
            StreamError(sys.stdout, error), PROGRAM
        )  # of `--help`, which click itself prints
    sys.exit(EXIT_BAD_INPUT)


def is_utf8() -> bool:
    """Whether stdout can encode every character."""
    return (sys.stdout.encoding or "").lower() in ("utf-8", "utf8")


def set_options(options: Iterable[str]) -> Mapping[str, str]:
    """Return the options that `--set` sets; a word without `=` is wrong usage."""
    found: dict[str, str] = {}
    for option in options:
        name, sign, value = option.partition("=")
        if not sign:
            raise typer.BadParameter(f"`{option}` is not OPTION=VALUE", param_hint="--set")
        found[name.strip()] = value.strip()
    return found


class Reporter:
    """Prints findings as they come, with the authors' lines, and counts them.

    Attributes:
        results: Whether findings are the command's result, and so printed to stdout.
        lines: Lines of files by their names, for the excerpts.
        reported: All findings so far, each once.
    """

    def __init__(self, strict: bool = False, results: bool = False) -> None:
        """Begin without findings; `strict` makes warnings errors."""
        self.strict, self.results = strict, results
        self.lines: dict[str, list[str]] = {}
        self.reported: dict[Finding, None] = {}

    def apply_strict(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Return `findings`, warnings as errors if the user wants that."""
        return apply_strict(findings, self.strict)

    def remember(self, source: Source | None) -> None:
        """Keep the lines of an author's file for excerpts."""
        if source is not None and source.file not in self.lines:  # a file may hold thousands
            self.lines[source.file] = split_lines(source.text)

    def report(self, findings: Iterable[Finding]) -> None:
        """Print `findings`, each once in a run; those about an option always to stderr."""
        for finding in in_order(self.apply_strict(findings)):
            if finding not in self.reported:
                self.reported[finding] = None
                err = not self.results or finding.span.is_option
                text = show(finding, self._lines(finding.span.file), colour(err=err))
                write_lines(text, "", err=err)

    def _lines(self, file: str) -> list[str]:
        """Return the lines of a file; those of a ruleset are read again, for its excerpt."""
        if file not in self.lines:
            from sheetgen.load.files import read_text

            read = read_text(Path(file)) if file.lower().endswith((".yaml", ".yml")) else None
            self.lines[file] = split_lines(read.value[0]) if read and read.value else []
        return self.lines[file]

    def exit(self) -> None:
        """End the command: status 1 if a finding is an error, 2 if it is about an option."""
        wrong = errors(self.reported)
        if wrong:
            usage = any(finding.span.is_option for finding in wrong)
            sys.exit(EXIT_BAD_USAGE if usage else EXIT_BAD_INPUT)


def colour(*, err: bool = True) -> bool:
    """Whether findings have colours: on a terminal, unless NO_COLOR is set."""
    stream = sys.stderr if err else sys.stdout
    return stream.isatty() and not os.environ.get("NO_COLOR")


def counts(findings: Iterable[Finding]) -> str:
    """Return how many findings there are, in words: `2 errors, 1 warning`."""
    numbers = dict.fromkeys(reversed(Severity), 0)
    for finding in findings:
        numbers[finding.severity] += 1
    parts = [f"{n} {s.word}{'s' if n > 1 else ''}" for s, n in numbers.items() if n]
    return ", ".join(parts) or "clean"


def write_json(data: Any) -> None:
    """Print `data` as JSON to stdout."""
    text = json.dumps(data, ensure_ascii=not is_utf8(), indent=2)
    write_text(EscapedText(visible_json(text) + "\n"))


def findings_data(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return `findings` for JSON."""
    return [finding_data(finding) for finding in findings]
