"""Where outputs and records are kept: a folder, or an object store.

Names are relative, with slashes. In a folder, a file appears whole because it is renamed to its
place. A store has no renames and no locks, but its objects appear whole. Checking the content of
an object means to load it, so that an unchanged job only checks that its objects are there.
Stores are the plug-in `farm`'s.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Final, TypeVar

from sheetgen.diag.findings import Span
from sheetgen.diag.visible import mask_secrets
from sheetgen.load.files import file_digest, file_names, read_document
from sheetgen.registry import require_hook
from sheetgen.write import may_replace, place_draft, remove_file, stays_inside

FOLDER: Final = ".sheetgen"  # The folder of records, beside the outputs.
DRAFTS: Final = "drafts"
_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:::|://)")  # `C:` is a disk of Windows
_TYPED: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/[^/]")  # an address with a slash too few
_FILE: Final = "file://"
_T = TypeVar("_T")
_R = TypeVar("_R")


def is_store_address(text: str) -> bool:
    """Whether a text is the address of an object store: `s3://…`, but not `file://…`."""
    return bool(_ADDRESS.match(text)) and not text.lower().startswith(_FILE)


def strip_file_protocol(text: str) -> Path:
    """Return the path that a text names; `file:///a` is `/a`."""
    return Path(text[len(_FILE) :] if text.lower().startswith(_FILE) else text)


def is_safe_name(name: str) -> bool:
    """Whether the name of an object is a path that leads to a file inside of a folder."""
    parts = name.split("/")
    return not set(name) & set("\\:\0") and all(part not in ("", ".", "..") for part in parts)


def is_output_name(name: str) -> bool:
    """Whether a name leads nowhere else, and is not among the records."""
    return is_safe_name(name) and name.split("/")[0].casefold() != FOLDER


class OutputState(Enum):
    """What a place holds, compared with an output that is to be put there."""

    NONE, SAME, OURS, FOREIGN = range(4)


class Storage:
    """A folder of this machine, or in a subclass an object store; methods raise `OSError`."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.drafts = top / FOLDER / DRAFTS  # of this machine, below which runs keep theirs

    def __str__(self) -> str:
        return str(self.top)

    def address(self, name: str) -> str:
        """Return the path or address of a name, for messages."""
        return f"{self.top}{os.sep}{name}"  # much faster than `Path`

    def accepts(self, name: str) -> bool:
        """Whether a name leads to a place inside, not among the records."""
        return is_output_name(name) and stays_inside(self.top, name)

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
        if file_digest(path) == digest and not os.path.islink(path):
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
        """Return a path with an output's content, perhaps in `folder`; or raise an `OSError`."""
        return self.top / name

    def map(self, function: Callable[[_T], _R], items: Iterable[_T]) -> Iterator[_R]:
        """Yield the result of `function` for each item, in order; some may run at once.

        `items` is advanced in the thread of the caller, a bounded number of steps ahead.
        """
        return map(function, items)


def open_storage(out: str) -> Storage:
    """Return the storage at a path or address; raise `OSError`, or `Refused` without plug-in."""
    if _TYPED.match(out) and not os.path.exists(out):  # a folder would be called like a password
        raise OSError(None, "an address has two slashes after its first colon")
    if not is_store_address(out):
        return Storage(strip_file_protocol(out))
    store: Storage = require_hook("store", Span(mask_secrets(out)))(out)
    return store
