"""`sheetgen watch`: a book is built again whenever something that it is built from changes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sheetgen.books.building import BuildOptions
from sheetgen.books.planning import BookPlan, plan_book
from sheetgen.books.storage import strip_file_protocol
from sheetgen.cli import console
from sheetgen.cli.build import open_output, run_build
from sheetgen.cli.parameters import Book, BookOut, Strict
from sheetgen.diag.words import begin_run
from sheetgen.load.files import Snapshot, find_changed_paths, take_snapshot

_PAUSE = 0.4  # Seconds between two snapshots


def command(path: Book, out: BookOut = None, strict: Strict = False) -> None:
    """Build a book, and again after each change to it, its files, their rules or templates.

    Ends with Ctrl+C.

    Example: sheetgen watch my-book

    Guide: docs/guides/books.md
    """
    storage, book = open_output(out), strip_file_protocol(path)
    try:
        while True:
            begin_run()
            before = _snapshot(plan := plan_book(book, storage, strict=strict))
            reporter = console.Reporter(strict)
            reporter.report(plan.findings)
            try:
                run_build(plan, BuildOptions(), reporter, quiet=False)
            except OSError as error:
                console.write_lines(f"{plan.out}: {error.strerror or error}", err=True)
            console.write_lines("waiting for a change; Ctrl+C ends", err=True)
            for file in _next(partial(_snapshot, plan), before)[:5]:
                console.write_lines(f"changed: {os.path.relpath(file)}", err=True)
    except KeyboardInterrupt:
        console.write_lines("", err=True)


def _snapshot(plan: BookPlan) -> Snapshot:
    named = (name for job in plan.jobs for name in (*job.of, job.request.theme))
    files = [Path(name) for name in dict.fromkeys(named) if os.path.exists(name)]
    return take_snapshot([plan.folder, *(file.parent for file in files)], Path(str(plan.out)))


def _next(snapshot: Callable[[], Snapshot], before: Snapshot) -> list[str]:
    """Return the paths that changed, once the files have been quiet for a moment."""
    now = before
    while not (found := find_changed_paths(before, now)):
        time.sleep(_PAUSE)
        now = snapshot()
    while find_changed_paths(now, later := snapshot()):
        now = later
        time.sleep(_PAUSE / 4)
    return found
