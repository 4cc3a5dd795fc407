"""Remove outputs that nobody builds any more, if they are as they were built."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from itertools import chain
from pathlib import Path

from sheetgen.books import records
from sheetgen.books.planning import BookPlan
from sheetgen.diag import book_codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.load.digests import file_digest
from sheetgen.write.files import may_replace
from sheetgen.write.names import name_key


def find_strays(plan: BookPlan) -> tuple[list[tuple[Path, records.Record]], list[Finding]]:
    """Return the records of jobs that a book no longer has, where they are, and what is wrong."""
    ids = chain((job.id for job in plan.jobs), (whole.id for whole in plan.combined_files))
    found = list(records.others_in(plan.out, ids))
    wrong = [finding for _, read in found for finding in read.findings]
    return [(path, read.value) for path, read in found if read.value is not None], wrong


def remove_strays(
    stray: Sequence[tuple[Path, records.Record]],
    out: Path,
    taken: Collection[str],
    findings: list[Finding],
) -> list[str]:
    """Remove the outputs of `find_strays`, and their records; see `remove_outputs`."""
    gone: list[str] = []
    for path, record in stray:
        gone += remove_outputs(out, record.wrote, taken, findings)
        path.unlink(missing_ok=True)
    return gone


def remove_outputs(
    out: Path, wrote: Sequence[records.Pair], taken: Collection[str], findings: list[Finding]
) -> list[str]:
    """Remove outputs that nobody builds any more; return the names of those that are gone.

    What somebody changed, and whatever is not an output of ours, is left alone and reported.

    Args:
        wrote: Names and digests, as a record has them.
        taken: Keys (`name_key`) of names that the book's jobs write.
        findings: Takes what is left alone.
    """
    gone: list[str] = []
    for name, digest in wrote:
        path = out / name
        if is_removable(out, name, digest, taken):
            path.unlink(missing_ok=True)
            gone.append(name)
        elif name_key(name) not in taken and os.path.lexists(path) and not _is_ours(path):
            message = "nothing builds this file any more, but it was changed; it is left alone"
            span, hint = Span(str(path)), "remove it if you do not need it"
            findings.append(Finding(book_codes.EDITED, span, message, hint, Severity.WARNING))
    return gone


def is_removable(out: Path, name: str, digest: str, taken: Collection[str]) -> bool:
    """Whether an output that a record names may be removed: it is ours, and as it was built."""
    path = out / name
    free = name_key(name) not in taken and records.is_inside(out, name)
    return free and _is_ours(path) and file_digest(path) == digest


def _is_ours(path: Path) -> bool:
    """Whether we wrote a file, and nobody changed it since."""
    try:
        return path.is_file() and may_replace(path)
    except OSError:
        return False
