"""Unsaved texts that an editor's language server shares with a preview, through the cache.

A file's name begins with the process id of its server. The next reader removes files whose process
has ended.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from sheetgen.load.cache import cache_path
from sheetgen.write.files import remove_file, write_bytes


def shared_texts_folder() -> Path:
    """Return the folder to watch for changes of unsaved texts; it may not exist."""
    return cache_path("unsaved")


def share_text(path: str, text: str) -> None:
    """Share the unsaved text of the file at the real path `path`; without a cache, do nothing."""
    with contextlib.suppress(OSError):
        write_bytes(_entry(path), json.dumps({"path": path, "text": text}).encode())


def withdraw_text(path: str) -> None:
    """Stop sharing the text of a file, which was saved or closed."""
    _remove(_entry(path))


def withdraw_all_texts() -> None:
    """Stop sharing the texts of this process."""
    for process, entry in _entries():
        if process == os.getpid():
            _remove(entry)


def read_shared_texts() -> dict[str, str]:
    """Return the unsaved texts of all running language servers by the real paths of their files."""
    texts: dict[str, str] = {}
    for process, entry in _entries():
        if not _is_running(process):
            _remove(entry)
            continue
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            kept = json.loads(entry.read_bytes())
            texts[str(kept["path"])] = str(kept["text"])
    return texts


def _entries() -> Iterator[tuple[int, Path]]:
    """Yield the process id and the path of each shared text, sorted by name."""
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(shared_texts_folder())):
            process = name.partition("-")[0]
            if process.isdecimal() and name.endswith(".json"):
                yield int(process), shared_texts_folder() / name


def _entry(path: str) -> Path:
    digest = hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return shared_texts_folder() / f"{os.getpid()}-{digest}.json"


def _remove(entry: Path) -> None:
    with contextlib.suppress(OSError):
        remove_file(entry)


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
