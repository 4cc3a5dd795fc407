"""What all commands share: where findings and results are printed, and exit statuses."""

from __future__ import annotations

import errno
import gc
import io
import json
import os
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, TypeVar

import click
import typer

from sheetgen.bounds import shell_limit
from sheetgen.diag import findings as diag
from sheetgen.diag.findings import PROGRAM, Checked, Finding, Severity, errors
from sheetgen.diag.visible import EscapedText, visible, visible_json

if TYPE_CHECKING:
    from rich.progress import Progress

    from sheetgen.model.source import Source


T = TypeVar("T")
EXIT_BAD_INPUT = 1  # The author's files are wrong
EXIT_BAD_USAGE = 2  # The command line is wrong; click's own status for it


def run() -> None:
    """Run the command line; a pipe that is closed early ends it silently."""
    from sheetgen.cli import app

    gc.set_threshold(100_000)  # a short life, and hardly any cycles: 5 % of it was collecting
    # Open what the caller closed (`>&-`), so that no other file gets its number.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            number: Any = os.open(os.devnull, os.O_RDONLY if mode == "r" else os.O_WRONLY)
            setattr(sys, name, io.TextIOWrapper(io.FileIO(number, mode), encoding="utf-8"))
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors != "backslashreplace":
        sys.stdout.reconfigure(errors="backslashreplace")  # its encoding may lack characters
    try:
        app(prog_name=PROGRAM)
    except StreamError as failed:
        close_stream(failed)
    except MemoryError:
        allowed = shell_limit("AS")
        told = "" if allowed is None else f": `ulimit -v` allows {allowed // 1_000_000} MB"
        write_lines(f"{PROGRAM}: there is too little memory{told}", err=True)
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        close_stream(StreamError(sys.stdout, error))  # `--help`, which click prints
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


def sorted_options(options: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the options that `--set` sets as a request has them; see `set_options`."""
    return tuple(sorted(set_options(options).items()))


class Reporter:
    """Prints findings as they come, with the authors' lines, and counts them."""

    def __init__(self, strict: bool = False, results: bool = False) -> None:
        self.strict = strict  # whether warnings are errors
        self.results = results  # whether findings are the result, and so printed to stdout
        self.lines: dict[str, list[str]] = {}  # of files by their names, for the excerpts
        self.reported: dict[Finding, None] = {}  # all findings so far, each once

    def apply_strict(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Return `findings`, warnings as errors if the user wants that."""
        return diag.apply_strict(findings, self.strict)

    def remember(self, source: Source | None) -> None:
        """Keep the lines of an author's file for excerpts."""
        if source is not None and source.file not in self.lines:  # a file may hold thousands
            self.lines[source.file] = diag.split_lines(source.text)

    def report(self, findings: Iterable[Finding]) -> None:
        """Print `findings`, each once in a run; those about an option always to stderr."""
        for finding in diag.in_order(self.apply_strict(findings)):
            if finding not in self.reported:
                self.reported[finding] = None
                err, file = not self.results or finding.span.is_option, finding.span.file
                if file not in self.lines:
                    from sheetgen.load.files import read_text

                    is_text = file.lower().endswith((".yaml", ".yml", ".toml"))
                    read = read_text(Path(file)) if is_text else None
                    text = read.value[0] if read and read.value else None
                    self.lines[file] = diag.split_lines(text) if text is not None else []
                is_terminal = (sys.stderr if err else sys.stdout).isatty()
                colour = is_terminal and not os.environ.get("NO_COLOR")
                write_lines(diag.show(finding, self.lines[file], colour), "", err=err)

    def value_of(self, checked: Checked[T]) -> T:
        """Print the findings about a value and return it; end the command if there is none."""
        self.report(checked.findings)
        if checked.value is None:
            self.stop()
        return checked.value

    def written(self, target: Path, failed: Finding | None) -> bool:
        """Print the path of a file that was written, or why it was not; return whether it was."""
        if failed is None:
            write_lines(str(target))
        else:
            self.report([failed])
        return failed is None

    def exit(self) -> None:
        """End the command: status 1 if a finding is an error, 2 if it is about an option."""
        wrong = errors(self.reported)
        if wrong:
            usage = any(finding.span.is_option for finding in wrong)
            sys.exit(EXIT_BAD_USAGE if usage else EXIT_BAD_INPUT)

    def stop(self, *findings: Finding) -> NoReturn:
        """Print `findings`, and end the command in any case; see `exit`."""
        self.report(findings)
        self.exit()
        raise typer.Exit


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
    return [diag.finding_data(finding) for finding in findings]


# The only place that writes to stdout and stderr; author text is escaped here.


class StreamError(Exception):
    """A standard stream that cannot be written to."""

    def __init__(self, stream: TextIO, error: OSError) -> None:
        super().__init__(str(error))
        self.stream, self.error = stream, error


def write_lines(*lines: str, err: bool = False) -> None:
    """Print each of `lines` as one line: a line end inside one is escaped like any control."""
    texts = (line if isinstance(line, EscapedText) else visible(line) for line in lines)
    write_text(EscapedText("".join(f"{text}\n" for text in texts)), err=err)


def write_document(text: str) -> None:
    """Print a text file as a result: line ends and tabs stay, other controls are escaped."""
    write_text(EscapedText(visible(text, "\r\n\t")))


def write_text(text: EscapedText, *, err: bool = False) -> None:
    """Write `text` as it is, or raise `StreamError`: nobody reads, or the disk is full."""
    stream = sys.stderr if err else sys.stdout
    try:
        click.echo(text, file=stream, nl=False)
    except OSError as error:
        raise StreamError(stream, error) from error


def write_usage_error(error: click.ClickException) -> None:
    """Print click's message about wrong usage, with control characters escaped."""
    if not isinstance(error, click.exceptions.NoArgsIsHelpError):  # its message is our own text
        error.message = visible(error.message)  # type: ignore[misc]
    text = io.StringIO()
    error.show(text)
    write_lines(*text.getvalue().rstrip("\n").split("\n"), err=True)


def close_stream(failed: StreamError) -> None:
    """Close a stream that failed; report it unless its reader has just gone away."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, failed.stream.fileno())  # what is still in its buffer goes there
    if not isinstance(failed.error, BrokenPipeError) and failed.stream is not sys.stderr:
        reason = (failed.error.strerror or str(failed.error)).lower()
        try:
            write_lines(f"{PROGRAM}: cannot write to stdout: {reason}", err=True)
        except StreamError as error:
            os.dup2(null, error.stream.fileno())


class ProgressReporter:
    """Shows on stderr how many of `total` steps are done: a bar, or a line now and then."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        self.total, self.done, self._quiet = total, 0, quiet
        self._start = self._shown = time.monotonic()
        self._bar: Progress | None = None

    def step(self) -> None:
        """Note that one more step is done."""
        self.done += 1
        now = time.monotonic()
        is_terminal = sys.stderr.isatty()
        if self._quiet or now < self._shown + (0.1 if is_terminal else 5.0):  # seconds
            return
        self._shown = now
        if is_terminal:
            if self._bar is None:
                from rich import console, progress  # They take 50 ms; most runs show no bar.

                shown = progress.BarColumn(), progress.MofNCompleteColumn()
                columns = *shown, progress.TimeRemainingColumn()
                screen = console.Console(stderr=True)
                # Only `update` draws the bar: a thread would not survive a fork.
                self._bar = progress.Progress(
                    *columns, console=screen, transient=True, auto_refresh=False
                )
                self._bar.add_task("", total=self.total)
            self._bar.start()
            self._bar.update(self._bar.task_ids[0], completed=self.done, refresh=True)
        elif self.done < self.total:
            left = (self.total - self.done) * (now - self._start) / self.done
            minutes, seconds = divmod(round(left), 60)
            write_lines(f"{self.done} of {self.total}, {minutes}:{seconds:02} left", err=True)

    def clear(self) -> None:
        """Take the bar away, so that something else can be written."""
        if self._bar is not None:
            self._bar.stop()

    def seconds(self) -> float:
        """Return how long it has taken."""
        return time.monotonic() - self._start


def announce(work: str, steps: int) -> ProgressReporter:
    """Write what is being prepared, before a print that waits for it; see `announced`."""
    if sys.stderr.isatty():
        write_text(EscapedText("\r\x1b[K"), err=True)  # a worker erases the bar of its parent
    write_lines(f"{work}; this happens once", err=True)
    return ProgressReporter(steps, quiet=steps < 2)
