"""Font files: of the installed font packages, of the shipped faces, and of authors."""

from __future__ import annotations

import hashlib
import struct
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from sheetgen.load.rulesets.content import data_folder
from sheetgen.model.source import Text

_FONT_PACKAGES: Final = ("font_source_sans_pro", "font_manrope")


class FontFile(Text):
    """The name of an author's font: it has the digest of what it holds.

    So two files of one name do not share what is cached under it.

    Attributes:
        path: The author's file.
        data: The font that is built from it; see `own_fonts`.
        lent: Letters that prints are likely to need, and that it lacked.
    """

    __slots__ = ("data", "lent", "path")
    path: Path
    data: bytes
    lent: str


def list_font_files() -> tuple[str, ...]:
    """Return the names of all font files that come with sheetgen and its packages, sorted."""
    return tuple(sorted(path.name for folder in _folders() for path in folder.glob("*.[ot]tf")))


def is_packaged(name: str) -> bool:
    """Whether the font file `name` comes from a font package."""
    return not isinstance(name, FontFile) and find_font(name).parent in _folders()[1:]


@cache
def find_font(name: str) -> Path:
    """Return the path of the font file `name`.

    Raises:
        FileNotFoundError: No font package contains the file.
    """
    if isinstance(name, FontFile):
        return name.path
    for folder in _folders():
        if (folder / name).is_file():
            return folder / name
    raise FileNotFoundError(f"no font package contains `{name}`")


def font_bytes(name: str) -> bytes:
    """Return the content of the font file `name`."""
    return name.data if isinstance(name, FontFile) else find_font(name).read_bytes()


@cache
def font_digest(name: str) -> str:
    """Return the digest of the font file `name`."""
    return hashlib.sha256(font_bytes(name)).hexdigest()[:32]


@cache
def font_metrics(name: str) -> tuple[float, float]:
    """Return where text in the font file `name` is placed, in em.

    The first is half of (ascent − descent): how far a baseline is below the middle of its line.
    The second is the height of capitals. A library would take long to read them.
    """
    data = font_bytes(name)
    tables: dict[bytes, int] = {}
    for at in range(12, 12 + 16 * struct.unpack_from(">H", data, 4)[0], 16):
        tag, _, start, _ = struct.unpack_from(">4sIII", data, at)
        tables[tag] = start
    (em,) = struct.unpack_from(">H", data, tables[b"head"] + 18)
    ascent, descent = struct.unpack_from(">hh", data, tables[b"hhea"] + 4)
    (cap,) = struct.unpack_from(">h", data, tables[b"OS/2"] + 88)
    return (ascent + descent) / 2 / em, cap / em


@cache
def _folders() -> tuple[Path, ...]:
    specs = (find_spec(package) for package in _FONT_PACKAGES)
    packages = (Path(s.origin).parent / "files" for s in specs if s is not None and s.origin)
    return data_folder() / "templates" / "_faces" / "fonts", *packages
