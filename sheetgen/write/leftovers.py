"""Temporary files beside their targets: written under a lock, so that abandoned ones are known."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Final

from sheetgen.write.locks import lock_file

_SUFFIX: Final = ".sheetgen"
_TEMPORARY: Final = re.compile(rf"\..*\.(?P<process>[0-9]+)-[0-9a-f]{{16}}{re.escape(_SUFFIX)}")


def open_temporary(target: Path) -> BinaryIO:
    """Return a new, locked file beside `target`, whose name is like no other; it is open.

    Files that killed runs left in this folder are removed first.

    Raises:
        OSError: The folder cannot be written to.
    """
    _remove_abandoned(target.parent)
    while True:
        name = f".{target.name[:40]}.{os.getpid()}-{secrets.token_hex(8)}{_SUFFIX}"
        file = open(target.parent / name, "x+b")  # noqa: SIM115 - the caller closes it
        lock_file(file, wait=True)
        if os.path.exists(file.name):  # no other run removed it before it had its lock
            return file
        file.close()


@lru_cache(maxsize=1_000)  # once a run: a folder may have many files
def _remove_abandoned(folder: Path) -> None:
    """Remove the temporary files in a folder whose runs have ended."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _TEMPORARY.fullmatch(entry.name)
            if found is None or int(found["process"][:18]) == os.getpid():
                continue
            with contextlib.suppress(OSError), open(entry.path, "r+b", opener=open_own) as file:
                if lock_file(file):
                    os.unlink(entry.path)


def open_own(path: str, flags: int) -> int:
    """Open a file that is neither a link nor waits for somebody who reads it."""
    more = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    return os.open(path, flags | more, 0o600)
