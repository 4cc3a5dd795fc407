"""The only place that writes to stdout and stderr; author text is escaped here."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, Final, TextIO

import click

from sheetgen.diag.near import nearest
from sheetgen.diag.visible import EscapedText, visible

_LINE_ENDS: Final = "\r\n\t"


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
    write_text(EscapedText(visible(text, _LINE_ENDS)))


def write_text(text: EscapedText, *, err: bool = False) -> None:
    """Write `text` as it is.

    Raises:
        StreamError: The stream is closed at its other end, or its disk is full.
    """
    stream = sys.stderr if err else sys.stdout
    try:
        click.echo(text, file=stream, nl=False)
    except OSError as error:
        raise StreamError(stream, error) from error


def write_usage_error(error: click.ClickException) -> None:
    """Print click's message about wrong usage, with control characters escaped."""
    if not isinstance(error, click.exceptions.NoArgsIsHelpError):  # its message is our own text
        error.message = visible(error.message)  # type: ignore[misc]
    if isinstance(error, click.NoSuchOption) and error.possibilities:  # click's are too far off
        near = nearest(error.option_name.lstrip("-"), (o.lstrip("-") for o in error.possibilities))
        error.possibilities = [f"--{near}"] if near else []  # type: ignore[misc]
    text = io.StringIO()
    error.show(text)
    write_lines(*text.getvalue().rstrip("\n").split("\n"), err=True)


def close_stream(failed: StreamError, program: str) -> None:
    """Close a stream that failed; report it unless its reader has just gone away."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, failed.stream.fileno())  # what is still in its buffer goes there
    if not isinstance(failed.error, BrokenPipeError) and failed.stream is not sys.stderr:
        reason = (failed.error.strerror or str(failed.error)).lower()
        try:
            write_lines(f"{program}: cannot write to stdout: {reason}", err=True)
        except StreamError as error:
            os.dup2(null, error.stream.fileno())


def open_streams() -> None:
    """Open what the caller closed (`>&-`), so that no other file gets its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            flags = os.O_RDONLY if mode == "r" else os.O_WRONLY
            number: Any = os.open(os.devnull, flags)
            setattr(sys, name, io.TextIOWrapper(io.FileIO(number, mode), encoding="utf-8"))
