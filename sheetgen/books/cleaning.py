"""Remove outputs that nobody builds any more, if they are as they were built."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from pathlib import Path

from sheetgen.books import records
from sheetgen.books.planning import Plan
from sheetgen.diag.findings import Finding
from sheetgen.load.digests import file_digest
from sheetgen.load.documents import may_replace
from sheetgen.write.names import one_place


def strays(plan: Plan) -> tuple[list[tuple[Path, records.Record]], list[Finding]]:
    """Return the records of jobs that a book no longer has, where they are, and what is wrong."""
    ids = chain((job.id for job in plan.jobs), (whole.id for whole in plan.wholes))
    found = list(records.others_in(plan.out, ids))
    wrong = [finding for _, read in found for finding in read.findings]
    return [(path, read.value) for path, read in found if read.value is not None], wrong


def clean(
    stray: Sequence[tuple[Path, records.Record]], out: Path, taken: Collection[str]
) -> list[str]:
    """Remove the outputs of `strays`, and their records; return the names of the outputs.

    Args:
        taken: Keys (`one_place`) of names that the book's jobs write.
    """
    gone: list[str] = []
    for path, record in stray:
        gone += remove(out, record.wrote, taken)
        path.unlink(missing_ok=True)
    return gone


def remove(out: Path, wrote: Sequence[records.Pair], taken: Collection[str]) -> list[str]:
    """Remove outputs that nobody builds any more; return the names of those that are gone.

    What somebody changed stays, and so does whatever is not an output of ours.

    Args:
        wrote: Names and digests, as a record has them.
        taken: Keys (`one_place`) of names that other jobs write.
    """
    gone = [name for name, digest in wrote if removable(out, name, digest, taken)]
    for name in gone:
        (out / name).unlink(missing_ok=True)
    return gone


def removable(out: Path, name: str, digest: str, taken: Collection[str]) -> bool:
    """Whether an output that a record names may be removed: it is ours, and as it was built."""
    path = out / name
    if one_place(name) in taken or not records.is_inside(out, name) or not path.is_file():
        return False
    try:
        return file_digest(path) == digest and may_replace(path)
    except OSError:
        return False
