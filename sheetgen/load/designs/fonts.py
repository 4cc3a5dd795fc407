"""Font files of the installed font packages."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_FONT_PACKAGES: Final = ("font_source_sans_pro", "font_manrope")


def list_font_files() -> tuple[str, ...]:
    """Return the names of all installed font files, sorted."""
    return tuple(sorted(path.name for folder in _folders() for path in folder.glob("*.[ot]tf")))


@cache
def find_font(name: str) -> Path:
    """Return the path of the font file `name`.

    Raises:
        FileNotFoundError: No font package contains the file.
    """
    for folder in _folders():
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"no font package contains `{name}`")


def font_bytes(name: str) -> bytes:
    """Return the content of the font file `name`."""
    return find_font(name).read_bytes()


@cache
def font_digest(name: str) -> str:
    """Return the digest of the font file `name`."""
    return hashlib.sha256(font_bytes(name)).hexdigest()[:32]


@cache
def _folders() -> tuple[Path, ...]:
    specs = (find_spec(package) for package in _FONT_PACKAGES)
    return tuple(Path(s.origin).parent / "files" for s in specs if s is not None and s.origin)
