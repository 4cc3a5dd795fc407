"""The list of a book's jobs, which may be many thousands, and how shards divide them."""

from __future__ import annotations

import hashlib
import json
import os
from bisect import bisect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from sheetgen.model.books import Job
from sheetgen.write.spools import Spool


class Jobs:
    """A sequence of jobs, created on access to save memory.

    Most jobs of an entry differ only in their file or their row. The list holds the first job, and
    the paths of the others' files; rows are in a temporary file.
    """

    def __init__(self, folder: Path) -> None:
        """Create an empty list; ids of files are relative to `folder`."""
        self._folder = folder
        self._starts: list[int] = []
        self._parts: list[_FileJobs | _RowJobs] = []
        self._spool = Spool()
        self._count = 0

    def append(self, job: Job) -> None:
        """Add a job at the end.

        Raises:
            OSError: There is no room for a row.
        """
        part = self._parts[-1] if self._parts else None
        if job.row is not None:
            if not isinstance(part, _RowJobs) or not part.accepts(job):
                part = self._add(_RowJobs(job, self._spool))
        elif not isinstance(part, _FileJobs):
            part = self._add(_FileJobs(self.id))
        part.append(job)
        self._count += 1

    def _add(self, part: _Part) -> _Part:
        self._starts.append(self._count)
        self._parts.append(part)
        return part

    def id(self, entry: str, file: str) -> str:
        """Return the id of the job of one file of an entry; moving the book does not change it."""
        inside = f"{self._folder}{os.sep}"
        if file.startswith(inside):  # the usual case, and `relpath` is slow
            relative = file.removeprefix(inside)
        else:
            relative = os.path.relpath(file, self._folder)
        return f"{entry}/{relative.replace(os.sep, '/')}"

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Job]:
        return map(self.__getitem__, range(self._count))

    def __getitem__(self, at: int) -> Job:
        if not 0 <= at < self._count:
            raise IndexError(at)
        part = bisect(self._starts, at) - 1
        return self._parts[part][at - self._starts[part]]


class _FileJobs:
    """Jobs of files: a job that differs from the one before in its file alone is its path."""

    def __init__(self, id_of: Callable[[str, str], str]) -> None:
        self._id_of = id_of
        self._own: list[Job | str] = []
        self._firsts: list[tuple[int, Job]] = []

    def append(self, job: Job) -> None:
        here = len(self._own)
        if len(job.of) != 1 or job.id != self._id_of(job.entry, job.of[0]):
            self._own.append(job)
            return
        if not self._firsts or self._job_like_first(here, job.of[0]) != job:
            self._firsts.append((here, job))
        self._own.append(job.of[0])

    def __getitem__(self, at: int) -> Job:
        own = self._own[at]
        return own if isinstance(own, Job) else self._job_like_first(at, own)

    def _job_like_first(self, at: int, file: str) -> Job:
        """Return the job of a file that differs from the jobs before it in nothing else."""
        start, first = self._firsts[bisect(self._firsts, at, key=lambda one: one[0]) - 1]
        own, number = self._id_of(first.entry, file), first.number + at - start
        # `dataclasses.replace` takes six times as long.
        return Job(own, first.entry, first.request, (file,), first.place, first.name, number)


class _RowJobs:
    """Jobs of the rows of one table: ids, rows and numbers are in the spool."""

    def __init__(self, first: Job, spool: Spool) -> None:
        self._first, self._spool, self._start = first, spool, len(spool)

    def accepts(self, job: Job) -> bool:
        """Whether a job differs from the first one only in what the spool holds."""
        first = self._first
        shared = job.request is first.request or job.request == first.request
        return shared and (job.entry, job.of, job.name) == (first.entry, first.of, first.name)

    def append(self, job: Job) -> None:
        assert job.row is not None
        label, cells = job.row
        self._spool.append(json.dumps([job.id, job.number, label, cells]).encode())

    def __getitem__(self, at: int) -> Job:
        id_, number, label, cells = json.loads(self._spool[self._start + at])
        row = label, tuple((column, cell) for column, cell in cells)
        one = self._first
        return Job(id_, one.entry, one.request, one.of, one.place, one.name, number, row)


_Part = TypeVar("_Part", _FileJobs, _RowJobs)


def shard_of(id_: str, count: int) -> int:
    """Return which of `count` shards a job belongs to, counted from 1; it never changes."""
    return int.from_bytes(hashlib.sha256(id_.encode()).digest()[:8]) % count + 1
