"""Object stores, by way of fsspec: objects are read, written and removed whole.

Credentials are fsspec's matter: it finds them in the environment, in its configuration or in the
address. Messages mask them.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import unquote

from sheetgen.diag.visible import mask_secrets
from sheetgen.diag.words import pip_hint

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(?:::|://)")
"""The start of an address; two letters at least, because `C:` is a disk of Windows."""

_FILE: Final = "file://"
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


def is_store_address(text: str) -> bool:
    """Whether a text is the address of an object store: `s3://…`, but not `file://…`."""
    return bool(_ADDRESS.match(text)) and not text.lower().startswith(_FILE)


def strip_file_protocol(text: str) -> Path:
    """Return the path that a text names; `file:///a` is `/a`."""
    return Path(text[len(_FILE) :] if text.lower().startswith(_FILE) else text)


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


@contextlib.contextmanager
def _no_late_tracebacks() -> Iterator[None]:
    """Keep Python from printing what goes wrong while it frees a half-made file system."""
    usual, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        yield
    except Exception as error:  # noqa: BLE001 - raised again
        # Its frames hold the object; freed here, its `__del__` fails before the hook is back.
        raise error.with_traceback(None) from None
    finally:
        sys.unraisablehook = usual


class ObjectStore:
    """A folder of an object store; names of objects are relative to it, with slashes.

    All methods raise `StoreError` if the store cannot be used.
    """

    def __init__(self, address: str) -> None:
        """Open the folder at an address; the store is not asked yet."""
        if find_spec("fsspec") is None:
            raise StoreError("fsspec is not installed", pip_hint("fsspec"))
        from fsspec.core import url_to_fs

        self.masked = mask_secrets(address.rstrip("/"))
        self._given = address
        try:
            with _no_late_tracebacks():
                self._files, root = url_to_fs(address, use_listings_cache=False)
        except ImportError as error:
            raise StoreError(self._message(error), f"{pip_hint('s3fs')} (for s3)") from None
        except Exception as error:  # noqa: BLE001 - each protocol has errors of its own
            raise StoreError(self._message(error)) from None
        self._root = str(root).rstrip("/")

    def __str__(self) -> str:
        return self.masked

    def address(self, name: str) -> str:
        """Return the address of an object, for messages: without credentials."""
        return f"{self.masked}/{name}"

    def read(self, name: str, most: int) -> bytes | None:
        """Return the first `most` bytes of an object, and one more if there are; None for none."""
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
        """Return the names of the objects of a folder, without the folder's."""
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

    def write(self, name: str, file: Path) -> None:
        """Write the content of a file as an object, replacing one of this name."""
        self._call(lambda path: self._files.put_file(str(file), path), name)

    def download(self, name: str, file: Path) -> None:
        """Write the content of an object to a new file.

        Raises:
            FileNotFoundError: There is no such object.
        """
        file.parent.mkdir(parents=True, exist_ok=True)
        self._call(lambda path: self._files.get_file(path, str(file)), name)

    def remove(self, name: str) -> None:
        """Remove an object if it exists."""
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


def is_safe_name(name: str) -> bool:
    """Whether the name of an object is a path that leads to a file inside of a folder."""
    parts = name.split("/")
    return not set(name) & set("\\:\0") and all(part not in ("", ".", "..") for part in parts)


def map_ahead(function: Callable[[_T], _R], items: Iterable[_T]) -> Iterator[_R]:
    """Yield the result of `function` for each item, in order; some run at once, in threads.

    `items` is advanced in the thread of the caller, a bounded number of steps ahead.
    """
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
