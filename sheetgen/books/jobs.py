"""The jobs of a book, many thousands perhaps: of most no more is held than their file."""

from __future__ import annotations

import os
from bisect import bisect
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sheetgen.model.books import Job


class Jobs:
    """Jobs in their order, made when they are asked for.

    Those of one entry are mostly told apart by their file alone: then that is all that is
    held of them, and the first stands for the others.
    """

    def __init__(self, folder: Path) -> None:
        """Begin without any; `folder`: that ids of files count from."""
        self._folder = folder
        self._own: list[Job | str] = []
        self._firsts: list[tuple[int, Job]] = []

    def append(self, job: Job) -> None:
        """Add a job behind the others."""
        here = len(self._own)
        if job.row is not None or len(job.of) != 1 or job.id != self.id(job.entry, job.of[0]):
            self._own.append(job)
            return
        if not self._firsts or self._like(here, job.of[0]) != job:
            self._firsts.append((here, job))
        self._own.append(job.of[0])

    def id(self, entry: str, file: str) -> str:
        """Return the id of the job of one file of an entry: the same wherever the book is."""
        inside = f"{self._folder}{os.sep}"
        if file.startswith(inside):  # by far the most, and `relpath` is slow
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
        return own if isinstance(own, Job) else self._like(at, own)

    def _like(self, at: int, file: str) -> Job:
        """Return the job at a place, of a file, that else is like those before it."""
        start, first = self._firsts[bisect(self._firsts, at, key=lambda one: one[0]) - 1]
        own = self.id(first.entry, file)
        return replace(first, id=own, of=(file,), number=first.number + at - start)
