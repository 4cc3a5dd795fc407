"""Books and tables of rows in object stores: copied to this machine, then read like others."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.visible import mask_secrets
from sheetgen.load.cache import cache_path
from sheetgen.load.characters import BOOK_FILE
from sheetgen.load.files import SUFFIXES, confine_reads
from sheetgen.load.rows.tables import Cells, is_table, read_rows
from sheetgen.load.rulesets.content import data_folder
from sheetgen.model.source import Text
from sheetgen.write.files import drafts_in
from sheetgen.write.stores import ObjectStore, StoreError, is_safe_name, map_ahead

_MOST_FILES: Final = 200_000
_MOST_FILE: Final = 300_000_000
_MOST_BYTES: Final = 4_000_000_000


@contextlib.contextmanager
def copy_book(address: str, out: str, folders: Sequence[Path]) -> Iterator[Path]:
    """Copy a book's folder, enter the copy, and yield the relative path of the book.

    In the block, author's files are read below the copy only, whatever paths they name. The copy
    is removed at the end, or by the next run if this one is killed.

    Args:
        address: Of a folder, or of a book's YAML file in it.
        out: Where outputs go; objects below it are not copied.
        folders: Other folders that are read, with absolute paths.

    Raises:
        OSError: The store cannot be used, or the book is too large.
    """
    folder, _, last = address.rstrip("/").rpartition("/")
    file = last if last.lower().endswith(SUFFIXES) else ""
    store = ObjectStore(folder if file else address)
    with drafts_in(cache_path("books")) as drafts:
        top = drafts / (str(store).rpartition("/")[2] or "book")
        inner = out.removeprefix(f"{folder if file else address.rstrip('/')}/")
        names = _list_objects(store, "" if inner == out else inner.rstrip("/"))
        for _ in map_ahead(lambda name: store.download(name, top / name), names):
            pass
        roots = (top, data_folder(), cache_path(""), *folders)
        with contextlib.chdir(top), confine_reads(roots):
            yield Path(file or (BOOK_FILE if (top / BOOK_FILE).is_file() else "."))


def _list_objects(store: ObjectStore, without: str) -> Iterator[str]:
    """Yield the names of a book's objects; hidden ones are left out."""
    total = 0
    for count, (name, size) in enumerate(store.walk(without), start=1):
        if not is_safe_name(name):
            raise StoreError(f"no file can be called `{name[:80]}`", "rename the object")
        if size > _MOST_FILE:
            message = f"`{name}` has {size / 1e6:,.0f} MB; {_MOST_FILE / 1e6:.0f} MB are read"
            raise StoreError(message, "is this the right folder?")
        total += size
        if count > _MOST_FILES or total > _MOST_BYTES:
            message = f"more than {_MOST_FILES:,} objects or {_MOST_BYTES / 1e6:,.0f} MB"
            raise StoreError(message, "name the folder of the book alone")
        yield name


def read_remote_rows(
    address: Text, allowed: Sequence[str], findings: list[Finding]
) -> Iterator[tuple[int, Cells]]:
    """Yield the rows of a CSV or Parquet file in an object store: the line of each, its cells.

    Args:
        allowed: Addresses of folders and files that may be read.
        findings: Receives what is wrong, while rows are read.
    """
    masked = mask_secrets(address)
    folder, _, name = address.rpartition("/")
    inside = any(address == one or address.startswith(f"{one.rstrip('/')}/") for one in allowed)
    path = address.partition("://")[2].rpartition("@")[2]
    if not inside or "::" in address or not is_safe_name(path):  # it may lead elsewhere
        message = f"`{masked}` is not read: nobody allowed it"
        hint = "allow it: `--read` and the address of its folder"
        findings.append(Finding(codes.UNREADABLE, address.span, message, hint))
        return
    if not is_table(name):
        message, hint = "this is not a table of rows", "name a .csv or .parquet file"
        findings.append(Finding(codes.WRONG_TYPE, address.span, message, hint))
        return
    try:
        store = ObjectStore(folder)
        size = store.size(name)
        if size is None or size > _MOST_BYTES:
            few = f"it has {(size or 0) / 1e6:,.0f} MB; {_MOST_BYTES / 1e6:,.0f} MB are read"
            raise StoreError("there is no such object" if size is None else few)
        with drafts_in(cache_path("rows")) as drafts:
            store.download(name, drafts / name)
            found: list[Finding] = []
            yield from read_rows(drafts / name, found)
            findings += [replace(one, span=replace(one.span, file=masked)) for one in found]
    except OSError as error:
        message = f"cannot read `{masked}`: {error.strerror}"
        hint = getattr(error, "hint", "check the address")
        findings.append(Finding(codes.UNREADABLE, address.span, message, hint))
