"""The list of a book's jobs, which may be many thousands, and how shards divide them."""

from __future__ import annotations

import hashlib
import os
from bisect import bisect
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sheetgen.model.books import Job


class Jobs:
    """A sequence of jobs, created on access to save memory.

    Most jobs of an entry differ only in their file: of these the list holds the first job and
    the paths of the others' files.
    """

    def __init__(self, folder: Path) -> None:
        """Create an empty list; ids of files are relative to `folder`."""
        self._folder = folder
        self._own: list[Job | str] = []
        self._firsts: list[tuple[int, Job]] = []

    def append(self, job: Job) -> None:
        """Add a job at the end."""
        here = len(self._own)
        if job.row is not None or len(job.of) != 1 or job.id != self.id(job.entry, job.of[0]):
            self._own.append(job)
            return
        if not self._firsts or self._job_like_first(here, job.of[0]) != job:
            self._firsts.append((here, job))
        self._own.append(job.of[0])

    def id(self, entry: str, file: str) -> str:
        """Return the id of the job of one file of an entry; moving the book does not change it."""
        inside = f"{self._folder}{os.sep}"
        if file.startswith(inside):  # the usual case, and `relpath` is slow
            relative = file.removeprefix(inside)
        else:
            relative = os.path.relpath(file, self._folder)
        return f"{entry}/{relative.replace(os.sep, '/')}"

    def __len__(self) -> int:
        return len(self._own)

    def __iter__(self) -> Iterator[Job]:
        return map(self.__getitem__, range(len(self._own)))

    def __getitem__(self, at: int) -> Job:
        own = self._own[at]
        return own if isinstance(own, Job) else self._job_like_first(at, own)

    def _job_like_first(self, at: int, file: str) -> Job:
        """Return the job of a file that differs from the jobs before it in nothing else."""
        start, first = self._firsts[bisect(self._firsts, at, key=lambda one: one[0]) - 1]
        own = self.id(first.entry, file)
        return replace(first, id=own, of=(file,), number=first.number + at - start)


def shard_of(id_: str, count: int) -> int:
    """Return which of `count` shards a job belongs to, counted from 1; it never changes."""
    return int.from_bytes(hashlib.sha256(id_.encode()).digest()[:8]) % count + 1
