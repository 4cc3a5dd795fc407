"""Copy a book from an object store to this machine, and read nothing beside the copy."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from sheetgen.load.authors.sorts import BOOK_FILE
from sheetgen.load.cache import cache_path
from sheetgen.load.files import SUFFIXES, confine_reads
from sheetgen.load.rulesets.content import data_folder
from sheetgen.write.drafts import drafts_in
from sheetgen.write.stores import ObjectStore, StoreError, is_safe_name, map_ahead

_MOST_FILES: Final = 200_000
_MOST_FILE: Final = 300_000_000
_MOST_BYTES: Final = 4_000_000_000


@contextlib.contextmanager
def copy_book(address: str, out: str, folders: Sequence[Path] = ()) -> Iterator[Path]:
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
