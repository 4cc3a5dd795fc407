"""Object stores, by way of fsspec: objects are read, written and removed whole.

Credentials are fsspec's matter: it finds them in the environment, in its configuration or in the
address. Messages mask them.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import unquote

from sheetgen.books import storage
from sheetgen.data import data_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Refused, Span
from sheetgen.diag.visible import mask_secrets
from sheetgen.diag.words import pip_hint
from sheetgen.load.cache import cache_path
from sheetgen.load.characters import BOOK_FILE
from sheetgen.load.digests import file_digest
from sheetgen.load.files import SUFFIXES, confine_reads
from sheetgen.model.seals import is_sealed
from sheetgen.write.files import drafts_in, remove_file

LOCAL: Final = "local"  # The address that starts a cluster on this machine
_MOST_BYTES: Final = 4_000_000_000  # Bytes of a book's folder, and of a table of rows
_MOST_FILES: Final = 200_000
_MOST_FILE: Final = 300_000_000
_MOST_WORDS: Final = 300
_SHORTEST_SECRET: Final = 3

_THREADS: Final = 16  # operations of a store that run at once
_T = TypeVar("_T")
_R = TypeVar("_R")


class StoreError(OSError):
    """An object store cannot be used; `strerror` gives the reason, `hint` what to do."""

    def __init__(self, message: str, hint: str = "check the address and the credentials") -> None:
        super().__init__(None, message)
        self.hint = hint


def hide_secrets(text: str, address: str) -> str:
    """Return a message about an address on one line, without the credentials of the address.

    A message may quote a part of them that no longer looks like one of an address.
    """
    masked, rest = mask_secrets(address).partition("?")[0], address.partition("://")[2].lstrip("/")
    user = (rest.rpartition("@")[0] or rest) if "***" in masked else ""
    query = address.partition("?")[2]
    hidden = {user, *user.split(":"), *user.partition(":"), query, *re.split("[&=]", query)}
    for part in sorted(hidden | set(map(unquote, hidden)), key=len, reverse=True):
        text = text.replace(part, "***") if len(part) >= _SHORTEST_SECRET else text
    return " ".join(mask_secrets(text).split())[:_MOST_WORDS]


class _ObjectStore(storage.Storage):
    """A `Storage` in an object store: a folder of it; names are relative, with slashes.

    All methods raise `StoreError` if the store cannot be used. Drafts are in the cache folder of
    this machine.
    """

    def __init__(self, address: str) -> None:
        """Open the folder at an address; the store is not asked yet."""
        if find_spec("fsspec") is None:
            raise StoreError("fsspec is not installed", pip_hint("fsspec"))
        from fsspec.core import url_to_fs

        self.drafts = cache_path(storage.DRAFTS)
        self._masked = mask_secrets(address.rstrip("/"))
        self._given = address
        # Python would print what goes wrong while it frees a half-made file system.
        usual, sys.unraisablehook = sys.unraisablehook, lambda _: None
        try:
            self._files, root = url_to_fs(address, use_listings_cache=False)
        except Exception as error:  # noqa: BLE001 - each protocol has errors of its own
            # Its frames hold the object; freed here, its `__del__` fails before the hook is back.
            error.__traceback__ = None
            hint = f"{pip_hint('s3fs')} (for s3)" if isinstance(error, ImportError) else ""
            raise StoreError(self._message(error), *filter(None, [hint])) from None
        finally:
            sys.unraisablehook = usual
        self._root = str(root).rstrip("/")

    def __str__(self) -> str:
        return self._masked

    def address(self, name: str) -> str:
        return f"{self._masked}/{name}"

    def accepts(self, name: str) -> bool:
        return storage.is_output_name(name)

    def exists(self, name: str) -> bool:
        return self.size(name) is not None

    def is_current(self, name: str, digest: str) -> bool:  # to compare it means to load it
        return self.exists(name)

    def compare(self, name: str, digest: str) -> storage.OutputState:
        content = self._read(name, _MOST_FILE)
        if content is None:
            return storage.OutputState.NONE
        if hashlib.sha256(content).hexdigest() == digest:
            return storage.OutputState.SAME
        return storage.OutputState.OURS if is_sealed(content) else storage.OutputState.FOREIGN

    def may_replace(self, name: str) -> bool:
        return self.compare(name, "") in (storage.OutputState.NONE, storage.OutputState.OURS)

    def read(self, name: str, most: int) -> bytes | None:
        content = self._read(name, most)
        return b"" if content is not None and len(content) > most else content

    def _read(self, name: str, most: int) -> bytes | None:
        with contextlib.suppress(FileNotFoundError):
            content: bytes = self._call(self._files.cat_file, name, start=0, end=most + 1)
            return content
        return None

    def size(self, name: str) -> int | None:
        """Return the size of an object in bytes; None if there is none."""
        with contextlib.suppress(FileNotFoundError):
            info = self._call(self._files.info, name)
            return int(info["size"] or 0) if info["type"] == "file" else None
        return None

    def names(self, folder: str) -> set[str]:
        with contextlib.suppress(FileNotFoundError):
            paths = self._call(self._files.ls, folder, detail=False)
            return {str(path).rpartition("/")[2] for path in paths}
        return set()

    def walk(self, without: str) -> Iterator[tuple[str, int]]:
        """Yield names and sizes of all objects, but hidden ones and the folder `without`."""
        folders = [""]
        while folders:
            try:
                listed = self._call(self._files.ls, folders.pop(), detail=True)
            except FileNotFoundError:
                raise StoreError("there is no such folder in the store") from None
            for one in sorted(listed, key=lambda one: str(one["name"])):
                name = str(one["name"]).strip("/").removeprefix(self._root.strip("/")).strip("/")
                if not name or name == without or name.rpartition("/")[2].startswith("."):
                    continue
                if one["type"] == "directory":
                    folders.append(name)
                else:
                    yield name, int(one["size"] or 0)

    def place(self, draft: Path | str, name: str) -> None:
        self._call(lambda path: self._files.put_file(str(draft), path), name)
        remove_file(Path(draft))

    def fetch(self, name: str, digest: str, folder: Path) -> Path:
        path = folder / name
        self.download(name, path)
        if file_digest(path) != digest:
            raise FileNotFoundError(errno.ENOENT, "it was changed since it was written")
        return path

    def map(self, function: Callable[[_T], _R], items: Iterable[_T]) -> Iterator[_R]:
        ahead: deque[Future[_R]] = deque()
        with ThreadPoolExecutor(_THREADS) as executor:
            try:
                for item in items:
                    ahead.append(executor.submit(function, item))
                    if len(ahead) > 2 * _THREADS:
                        yield ahead.popleft().result()
                while ahead:
                    yield ahead.popleft().result()
            finally:
                executor.shutdown(cancel_futures=True)

    def download(self, name: str, file: Path) -> None:
        """Write the content of an object to a new file.

        Raises:
            FileNotFoundError: There is no such object.
        """
        file.parent.mkdir(parents=True, exist_ok=True)
        self._call(lambda path: self._files.get_file(path, str(file)), name)

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._call(self._files.rm_file, name)

    def _call(self, method: Callable[..., _T], name: str, **options: Any) -> _T:
        path = f"{self._root}/{name}" if name else self._root
        try:
            return method(path, **options)
        except FileNotFoundError:
            raise
        except Exception as error:  # noqa: BLE001 - each protocol has errors of its own
            raise StoreError(self._message(error)) from None

    def _message(self, error: Exception) -> str:
        text = (error.strerror if isinstance(error, OSError) else None) or str(error)
        return hide_secrets(text, self._given) or type(error).__name__


open_object_store: Final = _ObjectStore


@contextlib.contextmanager
def open_book(address: str, out: str | None, cluster: str) -> Iterator[Path]:
    """Copy a book's folder, enter the copy, and yield the relative path of the book.

    In the block, author's files are read below the copy only, whatever paths they name. The copy
    is removed at the end, or by the next run if this one is killed.

    Args:
        address: Of a folder, or of a book's YAML file in it.
        out: Where outputs go; objects below it are not copied.
        cluster: The cluster that builds the book; empty for none.

    Raises:
        Refused: The book cannot be copied.
    """
    if out is None:
        message = "a book of an object store has no output folder of its own"
        raise _refused(address, message, "name a folder or store with `--out`")
    if cluster not in ("", LOCAL):
        message = "other machines do not see the copy of a book of an object store"
        raise _refused(address, message, f"build with `--cluster {LOCAL}`, or from a shared folder")
    folder, _, last = address.rstrip("/").rpartition("/")
    file = last if last.lower().endswith(SUFFIXES) else ""
    folder = folder if file else address.rstrip("/")
    inner = out.removeprefix(f"{folder}/")
    with contextlib.ExitStack() as stack:
        try:
            store = _ObjectStore(folder)
            copy = stack.enter_context(drafts_in(cache_path("books")))
            copy /= str(store).rpartition("/")[2] or "book"
            names = _list_objects(store, "" if inner == out else inner.rstrip("/"))
            for _ in store.map(lambda name: store.download(name, copy / name), names):
                pass
            stack.enter_context(contextlib.chdir(copy))
        except OSError as error:
            hint = getattr(error, "hint", "check the address")
            raise _refused(address, error.strerror or str(error), hint) from error
        own = () if storage.is_store_address(out) else (storage.strip_file_protocol(out),)
        roots = (copy, data_folder(), cache_path(""), *own)
        stack.enter_context(confine_reads(roots))
        yield Path(file or (BOOK_FILE if (copy / BOOK_FILE).is_file() else "."))


def _refused(address: str, message: str, hint: str) -> Refused:
    return Refused(Finding(codes.UNREADABLE, Span(mask_secrets(address)), message, hint))


def _list_objects(store: _ObjectStore, without: str) -> Iterator[str]:
    """Yield the names of a book's objects; hidden ones are left out."""
    total = 0
    for count, (name, size) in enumerate(store.walk(without), start=1):
        if not storage.is_safe_name(name):
            raise StoreError(f"no file can be called `{name[:80]}`", "rename the object")
        if size > _MOST_FILE:
            message = f"`{name}` has {size / 1e6:,.0f} MB; {_MOST_FILE / 1e6:.0f} MB are read"
            raise StoreError(message, "check that this is the right folder")
        total += size
        if count > _MOST_FILES or total > _MOST_BYTES:
            message = f"more than {_MOST_FILES:,} objects or {_MOST_BYTES / 1e6:,.0f} MB"
            raise StoreError(message, "name the folder of the book alone")
        yield name


@contextlib.contextmanager
def copy_object(address: str) -> Iterator[Path]:
    """Copy a large object to this machine and yield the path of the copy, removed at the end.

    Raises:
        OSError: The store cannot be used, there is no such object, or it is too large.
    """
    folder, _, name = address.rpartition("/")
    store = _ObjectStore(folder)
    size = store.size(name)
    if size is None or size > _MOST_BYTES:
        few = f"it has {(size or 0) / 1e6:,.0f} MB; {_MOST_BYTES / 1e6:,.0f} MB are read"
        raise StoreError("there is no such object" if size is None else few)
    with drafts_in(cache_path("rows")) as drafts:
        store.download(name, drafts / name)
        yield drafts / name
