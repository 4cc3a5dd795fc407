"""Font files: of the installed font packages, of the shipped faces, and beside a `face.yaml`."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from sheetgen.load.rulesets.content import data_folder
from sheetgen.model.source import Text

_FONT_PACKAGES: Final = ("font_source_sans_pro", "font_manrope")

_MOST_BYTES: Final = 1_000_000
_TRUETYPE: Final = (b"\0\1\0\0", b"true")
_NEEDED: Final = ("OS/2", "cmap", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "name", "post")
_RESTRICTED: Final = 0x0002
_NO_SUBSET: Final = 0x0100
_BITMAP: Final = 0x0200
"""Bits of `fsType` in the table OS/2: what a font's licence does not let documents embed."""


class FontFile(Text):
    """The name of a font file beside a `face.yaml`: it has the digest of what it holds.

    So two files of one name do not share what is cached under it.
    """

    __slots__ = ("path",)
    path: Path


def own_font(path: Path, name: Text) -> FontFile:
    """Return the name of the font file at `path`, called `name` in a face."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    file = FontFile(f"{path.stem}-{digest}{path.suffix}", name.span)
    file.path = path
    return file


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
    return find_font(name).read_bytes()


@cache
def font_digest(name: str) -> str:
    """Return the digest of the font file `name`."""
    return hashlib.sha256(font_bytes(name)).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class FontMetrics:
    """Where text in a font is placed; lengths in em.

    Attributes:
        drop: Half of (ascent − descent): how far a baseline is below the middle of its line.
        cap: The height of capitals.
        wrong: Why the font cannot be used; empty if it can.
    """

    drop: float = 0
    cap: float = 0
    wrong: str = ""


@cache
def font_metrics(name: str) -> FontMetrics:
    """Return the metrics of the font file `name`, read without a library, which takes long."""
    data = font_bytes(name)
    if len(data) > _MOST_BYTES:
        return FontMetrics(wrong="is too large: 1 MB is the most")
    if data[:4] == b"OTTO":
        return FontMetrics(wrong="has PostScript outlines")
    try:
        return _read_metrics(data)
    except struct.error:
        return FontMetrics(wrong="is damaged")


def _read_metrics(data: bytes) -> FontMetrics:
    count = struct.unpack_from(">H", data, 4)[0]
    if data[:4] not in _TRUETYPE:
        return FontMetrics(wrong="is no TrueType font")
    tables: dict[str, int] = {}
    for at in range(12, 12 + 16 * count, 16):
        tag, _, start, length = struct.unpack_from(">4sIII", data, at)
        if start + length > len(data):
            return FontMetrics(wrong="is damaged")
        tables[tag.decode("latin-1")] = start
    if lost := [tag for tag in _NEEDED if tag not in tables]:
        return FontMetrics(wrong=f"lacks the table {lost[0]}")
    (version,) = struct.unpack_from(">H", data, tables["OS/2"])
    (kind,) = struct.unpack_from(">H", data, tables["OS/2"] + 8)
    if kind & 0xF == _RESTRICTED or kind & (_NO_SUBSET | _BITMAP):
        return FontMetrics(wrong="says that documents may not embed it")
    (em,) = struct.unpack_from(">H", data, tables["head"] + 18)
    ascent, descent = struct.unpack_from(">hh", data, tables["hhea"] + 4)
    cap = struct.unpack_from(">h", data, tables["OS/2"] + 88)[0] if version > 1 else 0
    if not em or cap <= 0:
        return FontMetrics(wrong="does not say how high its capitals are")
    return FontMetrics((ascent + descent) / 2 / em, cap / em)


@cache
def _folders() -> tuple[Path, ...]:
    specs = (find_spec(package) for package in _FONT_PACKAGES)
    packages = (Path(s.origin).parent / "files" for s in specs if s is not None and s.origin)
    return data_folder() / "templates" / "_faces" / "fonts", *packages
