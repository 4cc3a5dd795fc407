"""Spools: many small texts in a temporary file without a name, which ends with the process."""

from __future__ import annotations

import tempfile
import weakref
from array import array
from typing import Final

_IN_MEMORY: Final = 1_000_000
"""Bytes that are held in memory before there is a file."""


class Spool:
    """A list of texts in a temporary file; eight bytes of each are in memory."""

    def __init__(self) -> None:
        """Begin empty."""
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed below
        self._starts = array("Q", [0])
        weakref.finalize(self, self._file.close)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def append(self, text: bytes) -> None:
        """Add a text at the end.

        Raises:
            OSError: There is no room.
        """
        self._file.seek(self._starts[-1])
        self._file.write(text)
        self._starts.append(self._starts[-1] + len(text))

    def __getitem__(self, at: int) -> bytes:
        start, end = self._starts[at], self._starts[at + 1]
        self._file.seek(start)
        return self._file.read(end - start)
