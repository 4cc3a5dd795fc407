"""Where outputs and records are kept: a folder, or an object store.

Names are relative, with slashes. In a folder, a file appears whole because it is renamed to its
place. A store has no renames and no locks, but its objects appear whole. Checking the content of
an object means to load it, so that an unchanged job only checks that its objects are there.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Final, TypeAlias, TypeVar

from sheetgen.load.cache import cache_path
from sheetgen.load.digests import file_digest
from sheetgen.load.files import file_names, read_document
from sheetgen.model.seals import is_sealed
from sheetgen.write.files import may_replace, place_draft, remove_file, stays_inside
from sheetgen.write.stores import (
    ObjectStore,
    is_safe_name,
    is_store_address,
    map_ahead,
    strip_file_protocol,
)

FOLDER: Final = ".sheetgen"
"""The folder of records, beside the outputs."""

_DRAFTS: Final = "drafts"
_MOST_BYTES: Final = 300_000_000
"""Largest object that is compared with an output."""

_T = TypeVar("_T")
_R = TypeVar("_R")


class OutputState(Enum):
    """What a place holds, compared with an output that is to be put there."""

    NONE, SAME, OURS, FOREIGN = range(4)


class FolderStorage:
    """A folder of this machine. All methods raise `OSError`.

    Attributes:
        drafts: The folder below which runs keep their drafts.
    """

    def __init__(self, top: Path) -> None:
        self.top, self.drafts = top, top / FOLDER / _DRAFTS

    def __str__(self) -> str:
        return str(self.top)

    def address(self, name: str) -> str:
        """Return the path or address of a name, for messages."""
        return f"{self.top}{os.sep}{name}"  # much faster than `Path`

    def accepts(self, name: str) -> bool:
        """Whether a name leads to a place inside, not among the records."""
        return _is_output_name(name) and stays_inside(self.top, name)

    def exists(self, name: str) -> bool:
        """Whether there is anything of this name."""
        return os.path.lexists(self.address(name))

    def is_current(self, name: str, digest: str) -> bool:
        """Whether an output is as it was written; of a store, only whether it is there."""
        return file_digest(self.top / name) == digest

    def compare(self, name: str, digest: str) -> OutputState:
        """Return what is in the place of an output with this digest."""
        if not self.exists(name):
            return OutputState.NONE
        path = self.top / name
        if file_digest(path) == digest and not path.is_symlink():
            return OutputState.SAME
        return OutputState.OURS if may_replace(path) else OutputState.FOREIGN

    def may_replace(self, name: str) -> bool:
        """Whether nothing is lost if this name is written or removed."""
        return may_replace(self.top / name)

    def read(self, name: str, most: int) -> bytes | None:
        """Return a record; None if there is none; empty if it cannot be read or is larger."""
        return read_document(self.top / name, most).value or b"" if self.exists(name) else None

    def names(self, folder: str) -> set[str]:
        """Return the names in a folder."""
        path = self.top / folder
        return file_names(path) if os.path.isdir(path) else set()

    def place(self, draft: Path | str, name: str) -> None:
        """Move a draft to its place."""
        place_draft(draft, self.address(name))

    def remove(self, name: str) -> None:
        """Remove what has this name, if anything."""
        remove_file(self.top / name)

    def fetch(self, name: str, digest: str, folder: Path) -> Path:
        """Return the path of a file with an output's content.

        Args:
            folder: A folder for a file that is not there yet.

        Raises:
            FileNotFoundError: The output is not there, or has another digest.
        """
        return self.top / name

    def map(self, function: Callable[[_T], _R], items: Iterable[_T]) -> Iterator[_R]:
        """Yield the result of `function` for each item, in order; some may run at once.

        `items` is advanced in the thread of the caller, a bounded number of steps ahead.
        """
        return map(function, items)


class StoreStorage(ObjectStore):
    """A folder of an object store, used as a `FolderStorage` is.

    Drafts are in the cache folder of this machine.
    """

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.drafts = cache_path(_DRAFTS)

    def accepts(self, name: str) -> bool:
        """See `Storage`."""
        return _is_output_name(name)

    def exists(self, name: str) -> bool:
        """See `Storage`."""
        return self.size(name) is not None

    def is_current(self, name: str, digest: str) -> bool:
        """See `Storage`."""
        return self.exists(name)

    def compare(self, name: str, digest: str) -> OutputState:
        """See `Storage`."""
        content = super().read(name, _MOST_BYTES)
        if content is None:
            return OutputState.NONE
        if hashlib.sha256(content).hexdigest() == digest:
            return OutputState.SAME
        return OutputState.OURS if is_sealed(content) else OutputState.FOREIGN

    def may_replace(self, name: str) -> bool:
        """See `Storage`."""
        return self.compare(name, "") in (OutputState.NONE, OutputState.OURS)

    def read(self, name: str, most: int) -> bytes | None:
        """See `Storage`."""
        content = super().read(name, most)
        return b"" if content is not None and len(content) > most else content

    def place(self, draft: Path | str, name: str) -> None:
        """See `Storage`."""
        self.write(name, Path(draft))
        remove_file(Path(draft))

    def fetch(self, name: str, digest: str, folder: Path) -> Path:
        """See `Storage`."""
        path = folder / name
        self.download(name, path)
        if file_digest(path) != digest:
            raise FileNotFoundError(errno.ENOENT, "it was changed since it was written")
        return path

    def map(self, function: Callable[[_T], _R], items: Iterable[_T]) -> Iterator[_R]:
        """See `Storage`."""
        return map_ahead(function, items)


Storage: TypeAlias = FolderStorage | StoreStorage
"""Where outputs and records are kept."""


def open_storage(out: str | Path) -> Storage:
    """Return the storage at a path, or at the address of an object store.

    Raises:
        OSError: The store cannot be used.
    """
    if is_store_address(str(out)):
        return StoreStorage(str(out))
    return FolderStorage(strip_file_protocol(str(out)))


def _is_output_name(name: str) -> bool:
    """Whether a name leads nowhere else, and is not among the records."""
    return is_safe_name(name) and name.split("/")[0].casefold() != FOLDER
