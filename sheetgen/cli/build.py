"""`sheetgen build` and `watch`: everything that a book lists, and only what changed."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import typer

from sheetgen.books import building
from sheetgen.books.planning import BookPlan, plan_book
from sheetgen.books.storage import Storage, is_store_address, open_storage, strip_file_protocol
from sheetgen.books.workers import JobRunner, run_here, run_in_processes
from sheetgen.bounds import exit_with_parent
from sheetgen.cli import console
from sheetgen.cli.console import ProgressReporter, announce, write_lines
from sheetgen.cli.parameters import Book, BookOut, Strict, flag, option, word
from sheetgen.diag.findings import Finding, Refused, Severity, Span
from sheetgen.diag.notices import listen, send_notices_to
from sheetgen.diag.visible import mask_secrets
from sheetgen.diag.words import begin_run
from sheetgen.load.books import may_be_book
from sheetgen.load.files import Snapshot, find_changed_paths, take_snapshot
from sheetgen.registry import require_hook
from sheetgen.write import cannot_write

MOST_SHARDS = 10_000
_PAUSE = 0.4  # Seconds between two snapshots


def command(
    path: Book,
    out: BookOut = None,
    dry_run: bool = flag("--dry-run", "List what would be written; write nothing."),
    jobs: int = option(
        "--jobs",
        "The number of worker processes.",
        shown="as many as there are cores",
        min=1,
        max=256,
        default=os.cpu_count() or 1,
    ),
    cluster: str = word(
        "--cluster ADDRESS", "Run on a dask cluster: tcp://HOST:PORT, a scheduler file, or `local`."
    ),
    shard: str = option(
        "--shard I/N",
        "Build only part I of N; combined files are written when all parts are there.",
        default="1/1",
    ),
    force: bool = flag("--force", "Build everything, and overwrite files that you changed."),
    cleaned: bool = flag("--clean", "Remove outputs that are no longer in the book."),
    quiet: bool = flag("--quiet", "Print no progress and no names, only findings."),
    read: list[str] | None = option(
        "--read ADDRESS",
        "A folder of an object store that `rows` of the book may name; repeat it.",
        default=None,
    ),
    strict: Strict = False,
) -> None:
    """Build everything that a book lists; what has not changed is kept.

    A book lists prints of every kind, and files that combine them.
    An error in one file does not stop the others. After an interruption the next run continues
    where the last one stopped.

    Example: sheetgen build my-book

    Guide: docs/guides/books.md
    """
    which, slash, count = shard.partition("/")
    known = slash and which.isdecimal() and count.isdecimal()
    first, last = (int(number[:6]) if known else 0 for number in (which, count))
    if not 1 <= first <= last <= MOST_SHARDS:
        raise typer.BadParameter(f"`{shard}` is not I/N, such as 2/5", param_hint="--shard")
    reporter = console.Reporter(strict)
    if out and is_store_address(path) and not is_store_address(out):
        out = os.path.abspath(strip_file_protocol(out))  # the book is read from another folder
    storage, place = open_output(out), mask_secrets(out or path)
    try:
        opened: contextlib.AbstractContextManager[Path]
        opened = contextlib.nullcontext(strip_file_protocol(path))
        if is_store_address(path):  # it is copied
            opened = require_hook("book", Span(mask_secrets(path)))(path, out, cluster)
        with opened as book:
            plan = plan_book(book, storage, strict=strict, readable=(path, *(read or ())))
            place = str(plan.out)
            reporter.report(plan.findings)
            if dry_run:
                for line in building.preview_build(plan, cleaned=cleaned, force=force):
                    reporter.report([line]) if isinstance(line, Finding) else write_lines(line)
            else:
                hear = send_notices_to(None) if quiet else contextlib.nullcontext()
                processes = jobs if len(plan.jobs) > 1 else 1
                where = cluster if len(plan.jobs) else ""
                with hear, _runner(where, processes, quiet=quiet) as run:
                    options = building.BuildOptions(run, (first, last), force)
                    run_build(plan, options, reporter, quiet=quiet, cleaned=cleaned)
    except Refused as error:
        reporter.report([error.finding])
    except OSError as error:
        reporter.report([cannot_write(place, error)])
    except KeyboardInterrupt:
        write_lines("interrupted; the next run goes on from here", err=True)
        sys.exit(130)
    reporter.exit()


def open_output(out: str | None) -> Storage | None:
    """Return the storage that `--out` names; raise `Refused` if it cannot be used."""
    try:
        return open_storage(out) if out else None
    except OSError as error:
        raise Refused(cannot_write(mask_secrets(out or ""), error)) from None


@contextlib.contextmanager
def _runner(cluster: str, jobs: int, *, quiet: bool) -> Iterator[JobRunner]:
    """Yield what runs the jobs: a cluster, processes, or this process where one is enough."""
    if cluster:
        with require_hook("cluster", Span("--cluster"))(cluster, jobs) as (run, dashboard):
            if not quiet:
                write_lines(f"dashboard: {dashboard}", err=True)
            yield run
        return

    def start(workers: int) -> Executor:
        # A process must not fork while it has threads, such as those of an object store.
        context = get_context("spawn" if "fsspec" in sys.modules else None)
        return ProcessPoolExecutor(workers, context, _begin, (os.getpid(), quiet))

    yield run_here if jobs == 1 else partial(run_in_processes, start, jobs)


def _begin(parent: int, quiet: bool) -> None:
    """Prepare a worker: it ends with its parent, and says on stderr what it prepares."""
    exit_with_parent(parent)
    if not quiet:
        listen(lambda what, _: announce(what, 1))  # the bar belongs to the parent


def run_build(
    plan: BookPlan,
    options: building.BuildOptions,
    reporter: console.Reporter,
    *,
    quiet: bool,
    cleaned: bool = False,
) -> None:
    """Build a plan and say what came of it; an `OSError` is about the folder of the outputs."""
    progress = ProgressReporter(len(plan.jobs) + len(plan.combined_files), quiet=quiet)

    def tell(findings: tuple[Finding, ...]) -> None:
        progress.step()
        if findings:
            progress.clear()
            reporter.report(findings)

    try:
        result = building.build_book(plan, options, tell)
    finally:
        progress.clear()
    outputs, owned = result.outputs, (result.outputs.records, result.outputs.owners)
    if cleaned:
        outputs.removed += building.remove_strays(result.strays, *owned, result.findings)
    reporter.report(result.findings)
    if quiet:
        return
    for name in outputs.written:
        write_lines(plan.out.address(name))
    for name in outputs.removed:
        write_lines(f"removed {plan.out.address(name)}", err=True)
    parts = [f"{len(outputs.written)} written", f"{len(outputs.unchanged)} up to date"]
    lost = len(dict.fromkeys([*result.failed, *plan.incomplete]))
    parts += [f"{lost} failed"] if lost else []
    heavy = [f for f in reporter.reported if f.severity is not Severity.NOTE]
    parts += [console.counts(heavy)] if heavy else []
    write_lines(f"{', '.join(parts)}, in {progress.seconds():.1f} s", err=True)
    if result.waiting:
        files = ", ".join(f"{name}.pdf" for name in result.waiting)
        message = f"{files}: not written until the parts of all shards are in {plan.out}"
        write_lines(message, err=True)
    records, owners = owned
    pairs = {pair for _, stray in result.strays for pair in stray.wrote if not cleaned}
    left = {name for name, of in pairs if building.is_removable(records, name, of, owners)}
    if left and not result.failed:  # a row that failed has an old file, too
        are, them = ("1 file is", "it") if len(left) == 1 else (f"{len(left)} files are", "them")
        write_lines(f"{are} no longer in the book; --clean removes {them}", err=True)


def watch_command(path: Book, out: BookOut = None, strict: Strict = False) -> None:
    """Build a book, and again after each change to it, its files, their rules or templates.

    Ends with Ctrl+C.

    Example: sheetgen watch my-book

    Guide: docs/guides/books.md
    """
    storage, book = open_output(out), strip_file_protocol(path)
    if not may_be_book(book):  # no change to it would make it one
        reporter = console.Reporter(strict)
        reporter.report(plan_book(book, storage).findings)
        reporter.exit()
    try:
        while True:
            begin_run()
            before = now = _snapshot(plan := plan_book(book, storage, strict=strict))
            reporter = console.Reporter(strict)
            reporter.report(plan.findings)
            try:
                run_build(plan, building.BuildOptions(), reporter, quiet=False)
            except OSError as error:
                write_lines(f"{plan.out}: {error.strerror or error}", err=True)
            write_lines("waiting for a change; Ctrl+C ends", err=True)
            while not (changed := find_changed_paths(before, now)):
                time.sleep(_PAUSE)
                now = _snapshot(plan)
            while (later := _snapshot(plan)) != now:  # until the files are quiet for a moment
                now = later
                time.sleep(_PAUSE / 4)
            for name in changed[:5]:
                write_lines(f"changed: {os.path.relpath(name)}", err=True)
    except KeyboardInterrupt:
        write_lines("", err=True)


def _snapshot(plan: BookPlan) -> Snapshot:
    named = (name for job in plan.jobs for name in (*job.of, job.request.theme))
    files = [Path(name) for name in dict.fromkeys(named) if os.path.exists(name)]
    return take_snapshot([plan.folder, *(file.parent for file in files)], Path(str(plan.out)))
