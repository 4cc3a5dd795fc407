"""The files of a pack: what a pack may hold, and how one is read from a stranger's archive."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span
from sheetgen.load.files import MOST_BYTES, ArchiveEntry, read_bundle, read_document, unpack_archive
from sheetgen.load.rulesets.rulesets import PACK_FILE, PACKS
from sheetgen.write import name_key, portable_name

_TEXTS: Final = (".yaml", ".yml", ".md", ".txt", ".csv", ".svg", ".css", ".j2")
_BEGINNINGS: Final[Mapping[str, tuple[bytes, ...]]] = {
    ".png": (b"\x89PNG\r\n\x1a\n",),
    ".jpg": (b"\xff\xd8\xff",),
    ".jpeg": (b"\xff\xd8\xff",),
    ".webp": (b"RIFF",),
    ".ttf": (b"\0\1\0\0", b"true"),
    ".otf": (b"OTTO", b"\0\1\0\0"),
    ".woff": (b"wOFF",),
    ".woff2": (b"wOF2",),
}
"""How pictures and fonts begin, by extension. All other files are texts; no file is code."""

_LICENCES: Final = ("LICENSE", "LICENCE", "COPYING")  # texts whose names have no extension
_OUTPUT: Final = "output"  # the folder at the top that commands write to
MOST_FILES: Final = 2_000  # files of a pack
_MOST_NAME: Final = 180  # letters of a path
_MOST_FOLDERS: Final = 8
_MOST_RATIO: Final = 200  # unpacked size to packed size, where the unpacked size matters
_SMALL: Final = 1_000_000  # bytes whose ratio does not matter: repeated lines are packed well
_MOST_TOLD: Final = 10
_LOCKED: Final = 0x1 | 0x40 | 0x2000  # bits of an entry that is encrypted


def read_pack_archive(path: Path) -> Checked[dict[str, bytes]]:
    """Return the files of a pack by path; one wrong entry refuses all."""
    place, read = Span(str(path)), read_document(path, MOST_BYTES)
    if read.value is None:
        return Checked(None, read.findings)
    content = read.value
    if not content.startswith(b"PK\3\4"):
        return Checked(None, (_refuse(place, "this is no pack", "name a file of `sheetgen pack`"),))
    files = unpack_archive(
        content, place, MOST_BYTES, check=lambda entries: _check_entries(entries, content, place)
    )
    wrong = [replace(finding, code=codes.BAD_PACK) for finding in files.findings]
    wrong += check_contents(files.value or {}, place)
    return Checked(None if wrong else files.value, tuple(wrong[:_MOST_TOLD]))


def _check_entries(
    entries: Sequence[ArchiveEntry], content: bytes, place: Span
) -> Iterator[Finding]:
    """Yield a finding for each entry that no pack of ours has."""
    if len(entries) > MOST_FILES:
        yield _refuse(place, f"it has more than {MOST_FILES:,} files")
        return
    for entry in entries:
        folder, name = entry.filename.endswith("/"), entry.filename.removesuffix("/")
        type_ = stat.S_IFMT(entry.external_attr >> 16)
        if type_ not in (0, stat.S_IFDIR if folder else stat.S_IFREG):
            yield _refuse(place, f"`{name[:80]}` is a link or a device, not a file")
        elif entry.orig_filename != entry.filename:
            yield _refuse(place, f"`{name[:80]}` has a name that some systems refuse")
        elif entry.flag_bits & _LOCKED:
            yield _refuse(place, f"`{name[:80]}` is encrypted")
        elif entry.file_size > max(_SMALL, _MOST_RATIO * entry.compress_size):
            yield _refuse(place, f"`{name[:80]}` unpacks to {entry.file_size // 1_000_000} MB")
        elif folder and (entry.file_size or _wrong_name(f"{name}/a.txt")):
            yield _refuse(place, f"the folder `{name[:80]}` has a name that no pack has")
    if sum(entry.compress_size for entry in entries) > len(content):
        yield _refuse(place, "its files overlap each other")
    if sum(entry.file_size for entry in entries) > MOST_BYTES:
        yield _refuse(place, f"it unpacks to more than {MOST_BYTES // 1_000_000} MB")
    names = [entry.filename for entry in entries if not entry.filename.endswith("/")]
    yield from check_names(names, place)


def check_names(names: Iterable[str], place: Span, hint: str = "") -> Iterator[Finding]:
    """Yield a finding for each path that no pack may have, or that is like another one."""
    spelt: dict[str, tuple[str, bool]] = {}
    for name in names:
        if wrong := _wrong_name(name):
            yield _refuse(place, f"`{name[:80]}` {wrong}", hint)
            continue
        parts = name.split("/")
        paths = [
            ("/".join(parts[:depth]), depth == len(parts)) for depth in range(1, 1 + len(parts))
        ]
        for path, last in paths:
            first = spelt.get(name_key(path))
            if first is not None and (last or first != (path, False)):
                message = f"`{first[0]}` and `{path}` are the same name on some systems"
                yield _refuse(place, message, "rename one of them")
                break
            spelt[name_key(path)] = path, last


def _wrong_name(name: str) -> str:
    """Return what is wrong with the path of a file, or nothing."""
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or ".." in parts or re.match(r"[A-Za-z]:", name):
        return "leads out of the pack"
    if any(part.startswith(".") for part in parts):
        return "is hidden"
    if parts[0] in (PACKS, _OUTPUT) or PACK_FILE in parts[1:]:
        return "belongs to another pack, or was printed"
    readable = portable_name(name) == name and name.isprintable()
    if not readable or len(name) > _MOST_NAME or len(parts) > _MOST_FOLDERS:
        return "has a name that some systems refuse"
    known = parts[-1] in _LICENCES or _suffix(name) in (*_TEXTS, *_BEGINNINGS)
    return "" if known else "is no text, picture or font, and a pack holds nothing else"


def _suffix(name: str) -> str:
    return os.path.splitext(name)[1].lower()


def check_contents(files: Mapping[str, bytes], place: Span, hint: str = "") -> Iterator[Finding]:
    """Yield a finding for each file that is not what its extension says."""
    for name, content in files.items():
        beginnings = _BEGINNINGS.get(_suffix(name))
        if not (content.startswith(beginnings) if beginnings else _is_text(content)):
            kind = _suffix(name).lstrip(".") or "text"
            yield _refuse(place, f"`{name[:80]}` holds something else than {kind}", hint)


def _is_text(content: bytes) -> bool:
    try:
        return "\0" not in content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False


def collect_files(folder: Path, findings: list[Finding]) -> dict[str, bytes]:
    """Return the files of a folder that a pack holds, sorted; a warning lists the others."""
    left: list[str] = []

    def is_needed(name: str) -> bool:
        if name.partition("/")[0] in (PACKS, _OUTPUT) or "/." in f"/{name}":
            return False
        if _wrong_name(name).startswith("is no") or (folder / name).is_symlink():
            left.append(name)
        return name not in left

    read = read_bundle(folder, is_needed)
    findings += (replace(finding, code=codes.BAD_PACK) for finding in read.findings)
    if left:
        named = ", ".join(f"`{name}`" for name in left[:3]) + (" and others" if left[3:] else "")
        message = f"left out: {named}; a pack holds texts, pictures and fonts"
        warning = Finding(codes.BAD_PACK, Span(str(folder)), message, "", Severity.WARNING)
        findings.append(warning)
    if len(read.value or ()) > MOST_FILES:
        findings.append(_refuse(Span(str(folder)), f"it has more than {MOST_FILES:,} files"))
    return dict(sorted((read.value or {}).items()))


def _refuse(place: Span, message: str, hint: str = "") -> Finding:
    return Finding(codes.BAD_PACK, place, message, hint or "ask the person who packed it")
