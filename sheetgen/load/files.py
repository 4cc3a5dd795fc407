"""Read files within size limits, list, unpack and digest them, and record what a print reads."""

from __future__ import annotations

import codecs
import contextlib
import errno
import hashlib
import io
import os
import stat
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Final, TextIO, TypeAlias

from sheetgen.data import data_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Hint, Severity, Span, split_lines
from sheetgen.diag.words import may_search, nearest, suggestion
from sheetgen.model.requests import OUTPUT_FOLDER

# Bytes of an author's file; a larger one is refused before it is read.
_MOST_TEXT: Final = 4_000_000
_MOST_DOCUMENT: Final = 300_000_000  # bytes of a PDF or another finished file
# Names in a folder, and folders, that are looked through for the file that an author means.
_MOST_NAMES: Final = 1_000
_MOST_NAMED: Final = 5
_MOST_FOLDERS: Final = 20
SUFFIXES = (".yaml", ".yml")
_LONG_DASHES: Final = ("‐", "‑", "‒", "–", "—", "−")  # what editors make of two hyphens
_MOST_LISTED: Final = 6
# How files of other formats begin, what they are, and what to do with them.
_OTHER_FORMATS: Final = (
    (b"%PDF-", "a PDF", "read a filled sheet with `sheetgen read {}`"),
    (b"\x89PNG", "a picture", "name it in a character's file, under `portrait`"),
    (b"\xff\xd8\xff", "a picture", "name it in a character's file, under `portrait`"),
    (b"PK\x03\x04", "an archive or a spreadsheet", "read it with `sheetgen import {}`"),
)
NOTHING_UNSAVED: Final[Mapping[str, str]] = MappingProxyType({})

_reads: ContextVar[set[str] | None] = ContextVar("_reads", default=None)
_unsaved: ContextVar[Mapping[str, str]] = ContextVar("_unsaved", default=NOTHING_UNSAVED)
_CONFINED: Final = "SHEETGEN_READ_BELOW"
"""A variable of the environment, so that worker processes inherit it."""


@contextlib.contextmanager
def record_reads() -> Iterator[set[str]]:
    """Yield a set that receives the paths of all authors' files that are read in the block."""
    paths: set[str] = set()
    token = _reads.set(paths)
    try:
        yield paths
    finally:
        _reads.reset(token)


def note_read(path: Path) -> None:
    """Add a path to the set of `record_reads`."""
    if (paths := _reads.get()) is not None:
        paths.add(str(path))


@contextlib.contextmanager
def read_unsaved(texts: Mapping[str, str]) -> Iterator[None]:
    """Read unsaved texts by real path, not what is on disk; surrogate escapes are other bytes."""
    token = _unsaved.set(texts)
    try:
        yield
    finally:
        _unsaved.reset(token)


@contextlib.contextmanager
def confine_reads(roots: Iterable[Path]) -> Iterator[None]:
    """Read files in the block only below some folders, also in processes that are started there."""
    before = os.environ.get(_CONFINED, "")
    os.environ[_CONFINED] = os.pathsep.join(os.path.realpath(root) for root in roots)
    try:
        yield
    finally:
        os.environ[_CONFINED] = before


def _refuse_outside(path: Path) -> Finding | None:
    """Return a finding if reads are confined, and `path` leads elsewhere."""
    if not (roots := os.environ.get(_CONFINED)):
        return None
    real = os.path.realpath(path) + os.sep
    if any(real.startswith(root.rstrip(os.sep) + os.sep) for root in roots.split(os.pathsep)):
        return None
    message = "a book of an object store reads only files of its own folder"
    return Finding(codes.UNREADABLE, Span(str(path)), message, "put the file into that folder")


def find_unsaved(path: Path) -> str | None:
    """Return an editor's unsaved text of a file, if it has one."""
    unsaved = _unsaved.get()
    return unsaved.get(os.path.realpath(path)) if unsaved else None


def file_version(path: Path) -> int:
    """Return a number that changes with a file, or with an editor's unsaved text of it."""
    if (unsaved := find_unsaved(path)) is not None:
        return hash(unsaved)
    try:
        return os.stat(path).st_mtime_ns
    except (OSError, ValueError):
        return 0


def read_text(path: Path) -> Checked[tuple[str, str]]:
    """Return the text of the author's file at `path`, and the SHA-256 of its bytes."""
    note_read(path)
    if (text := find_unsaved(path)) is not None:
        return decode_text(text.encode("utf-8", "replace"), Span(str(path)))
    read = read_document(path, _MOST_TEXT)
    if read.value is None:
        return Checked(None, read.findings)
    return decode_text(read.value, Span(str(path)))


def read_lines(path: Path, most: int, most_line: int) -> Checked[Iterator[str]]:
    """Return the lines of an author's text file, read one by one, of at most `most` bytes.

    Bytes that are not UTF-8 are surrogates. The lines, of `most_line` letters, raise `OSError`.
    """
    note_read(path)
    if (text := find_unsaved(path)) is not None:
        return Checked(_lines(io.StringIO(text, newline=""), most_line))
    if refused := check_document(path, most):
        return Checked(None, (refused,))
    file = open(path, encoding="utf-8-sig", errors="surrogateescape", newline="")  # noqa: SIM115
    return Checked(_lines(file, most_line))


def _lines(file: TextIO, most: int) -> Iterator[str]:
    with file:
        while line := file.readline(most):
            if len(line) == most and line[-1] not in "\r\n":
                raise OSError(errno.EFBIG, f"a line has more than {most:,} characters")
            yield line


def check_document(path: Path, most: int) -> Finding | None:
    """Return a finding if the file at `path` cannot be read, or has more than `most` bytes."""
    if refused := _refuse_outside(path):
        return refused
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
    except OSError:
        return read_document(path, 0).findings[0]
    if not stat.S_ISREG(status.st_mode):
        return _unreadable(path, "this is not a file").findings[0]
    return _too_large(path, status.st_size, most) if status.st_size > most else None


def read_document(path: Path, most: int = _MOST_DOCUMENT) -> Checked[bytes]:
    """Return the content of a file, no pipe or device, of at most `most` bytes, or a finding."""
    if refused := _refuse_outside(path):
        return Checked(None, (refused,))
    if (text := find_unsaved(path)) is not None:
        content = text.encode("utf-8", "surrogateescape")
        refused = _too_large(path, len(content), most) if len(content) > most else None
        return Checked(None, (refused,)) if refused else Checked(content)
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return _unreadable(path, "this is not a file")
            # Not `most` at once, which reserves so much memory. It may grow meanwhile.
            content = file.read(status.st_size + 1) if status.st_size <= most else b""
            if len(content) > status.st_size:
                content += file.read(most + 1 - len(content))
    except IsADirectoryError:
        there = ", ".join([one for one in _first_names(path) if one[0] != "."][:_MOST_NAMED])
        hint = f"name a file in it, such as one of: {there}" if there else ""
        return _unreadable(path, "this is a folder, not a file", hint)
    except FileNotFoundError:
        return _missing(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path is not a legal one"
        return _unreadable(path, f"cannot read it: {reason.lower()}")
    if (size := max(status.st_size, len(content))) > most:
        return Checked(None, (_too_large(path, size, most),))
    return Checked(content)


def _missing(path: Path) -> Checked[bytes]:
    """Return the finding about a file that is not there: what may be meant, and what to write."""
    name, message = str(path), "there is no such file"
    if os.path.isfile(data_folder() / "content" / "rulesets" / name / "ruleset.yaml"):
        message += f"; `{name}` is a ruleset"
        hint = (
            f"print its empty sheet with `sheetgen sheet --blank {name}`, or write a file with "
            f"`sheetgen new character {name} NAME`"
        )
    elif near := _printed(path) or find_near_path(path):
        hint = f"did you mean `{near}`?"
    elif name.startswith(_LONG_DASHES):
        hint = f"write two hyphens: `--{name.lstrip(''.join(_LONG_DASHES))}`"
    else:
        there = [one for one in _first_names(path.parent) if one.lower().endswith(SUFFIXES)]
        few = 0 < len(there) <= _MOST_LISTED
        hint = f"use one of the files there: {', '.join(there)}" if few else ""
    return _unreadable(path, message, hint)


def _printed(path: Path) -> Path | None:
    """Return the print of that name in the folder that commands print into by default."""
    printed = path.parent / OUTPUT_FOLDER / path.name
    return printed if path.suffix.lower() not in SUFFIXES and os.path.isfile(printed) else None


def _too_large(path: Path, size: int, most: int) -> Finding:
    message = f"the file has {size / 1e6:.1f} MB; {most / 1e6:.0f} MB are read"
    return Finding(codes.TOO_MUCH, Span(str(path)), message, "check whether this is the right file")


def _unreadable(path: Path, message: str, hint: str = "") -> Checked[bytes]:
    finding = Finding(codes.UNREADABLE, Span(str(path)), message, hint or "check the path")
    return Checked(None, (finding,))


def find_near_path(path: Path) -> Path | None:
    """Return what beside `path` is called like it: for `Kessa Vorn`, `kessa-vorn.yaml`."""
    names = _first_names(path.parent)
    near = nearest(path.name, names)
    if not near and not path.suffix:
        files = (one for one in names if one.lower().endswith(SUFFIXES))
        stems = {os.path.splitext(one)[0].replace("-", " "): one for one in files}
        near = stems.get(nearest(path.name, stems), "")
    return path.parent / near if near else None


def suggest_file(name: str, folder: Path, suffixes: tuple[str, ...], what: str) -> str:
    """Return a hint for a missing file: the one below `folder` with its name, or alike.

    It may mean files with `suffixes`, in lower case; `what` these are, in the plural.
    """
    wanted = os.path.basename(name)
    meant = {wanted.lower(), *(f"{wanted.lower()}{suffix}" for suffix in suffixes)}
    folders = [folder] if may_search() else []
    for inner in folders:
        names = _first_names(inner)
        if (match := next((one for one in names if one.lower() in meant), None)) is not None:
            found = (inner / match).relative_to(folder).as_posix()
            return Hint(f"did you mean `{found}`?", name, found)
        below = (inner / one for one in names if not one.startswith("."))
        own = (one for one in below if os.path.isdir(one) and not os.path.islink(one))
        folders += islice(own, max(0, _MOST_FOLDERS - len(folders)))
    there = [one for one in _first_names(folder) if one.lower().endswith(suffixes)]
    if len(there) == 1 and not nearest(wanted, there):
        return f"check the path; the folder has `{there[0]}`"
    return suggestion(wanted, there, what)


def _first_names(folder: Path) -> list[str]:
    """Return the first names in a folder, sorted; none if it cannot be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in islice(entries, _MOST_NAMES))
    except (OSError, ValueError):
        return []


def yaml_files(path: Path) -> Iterator[Path]:
    """Yield `path`, or the YAML files below it if it is a folder; see `files_below`."""
    return files_below(path, SUFFIXES)


def files_below(path: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield `path`, or the files with these suffixes below it if it is a folder, in a fixed order.

    Hidden folders are skipped, and links out of the folder are not followed. A folder that
    cannot be opened is yielded itself, last, so that reading it reports why.
    """
    if not os.path.isdir(path):  # `Path.is_dir` fails on names that are too long
        yield path
        return
    unreadable: list[OSError] = []
    for folder, below, names in os.walk(path, onerror=unreadable.append):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(suffixes) and not name.startswith("."):
                yield Path(folder, name)
    yield from (Path(error.filename) for error in unreadable)


def file_names(folder: Path) -> set[str]:
    """Return the names in a folder, perhaps many; raises OSError: it cannot be listed."""
    return set(os.listdir(folder))


def is_empty_folder(path: Path) -> bool:
    """Whether `path` is a folder, not a link to one, and has nothing in it."""
    return os.path.isdir(path) and not os.path.islink(path) and not os.listdir(path)


def read_input(most: int) -> Checked[bytes]:
    """Return what the standard input has, of at most `most` bytes, or a finding."""
    content = sys.stdin.buffer.read(most + 1)
    if len(content) > most:
        return Checked(None, (_too_large(Path("stdin"), len(content), most),))
    return Checked(content)


def decode_foreign(content: bytes, span: Span) -> tuple[str, list[Finding]]:
    """Return the text of a file of another program, and a note if its encoding was guessed."""
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if content.startswith(mark):
            return content.decode(encoding, "replace"), []
    try:
        return content.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        message = "this is not UTF-8 text; it is read as Windows-1252"
        hint = "check letters with accents, or save the file as UTF-8"
        note = Finding(codes.NOT_UTF8, span, message, hint, Severity.NOTE)
        table = {at: chr(at) for at in range(256)}
        table |= {at: bytes([at]).decode("cp1252", "replace") for at in range(0x80, 0xA0)}
        return content.decode("latin-1").translate(table), [note]


def decode_text(content: bytes, span: Span) -> Checked[tuple[str, str]]:
    """Return `content` as text, and its SHA-256; `span` is that of the whole file."""
    digest = hashlib.sha256(content).hexdigest()
    for beginning, what, hint in _OTHER_FORMATS:
        if content.startswith(beginning):
            message, write = f"this is {what}, not a YAML file", hint.format(span.file)
            return Checked(None, (Finding(codes.NOT_UTF8, span, message, write),))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = split_lines(content[: error.start].decode("utf-8-sig", "replace"))
        place = Span(span.file, len(before), len(before[-1]) + 1)
        message = f"byte 0x{content[error.start]:02x} is not UTF-8 text"
        return Checked(None, (Finding(codes.NOT_UTF8, place, message, "save the file as UTF-8"),))
    return Checked((text, digest))


MOST_FILES: Final = 20_000  # files of an archive or folder that are read
_ENTRY: Final = b"PK\1\2"
# Compression that is read; a few bytes of others may ask for gigabytes of memory.
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGED: Final = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, OSError)
MOST_BYTES: Final = 48_000_000  # bytes that all files of a bundle may have together, unpacked

ArchiveEntry: TypeAlias = zipfile.ZipInfo


def unpack_archive(
    content: bytes,
    place: Span,
    most: int,
    is_needed: Callable[[str], bool] = lambda _: True,
    check: Callable[[Sequence[ArchiveEntry]], Iterable[Finding]] = lambda _: (),
) -> Checked[dict[str, bytes]]:
    """Return the needed files of a zip archive by path; nothing is written to the disk.

    All together have at most `most` bytes; the sizes in the archive are not trusted. A path that
    leads out of it is a finding. If `check` yields findings about the entries, nothing is unpacked.
    """
    if content.count(_ENTRY) > MOST_FILES:  # `ZipFile` would create an object for each
        return Checked(None, (too_much(place, most),))
    files: dict[str, bytes] = {}
    findings: list[Finding] = []
    size = 0
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if wrong := tuple(check(archive.infolist())):
                return Checked(None, wrong)
            for entry in archive.infolist():
                name = entry.filename.replace("\\", "/")
                if entry.is_dir() or not is_needed(name):
                    continue
                if name.startswith("/") or ":" in name or ".." in PurePosixPath(name).parts:
                    message = f"`{name[:80]}` leads out of the archive; it is not read"
                    hint = "ask the person who packed it"
                    severity = Severity.WARNING
                    findings.append(Finding(codes.NOT_IMPORTED, place, message, hint, severity))
                    continue
                if entry.compress_type not in _METHODS:
                    raise zipfile.BadZipFile("it is not packed by the usual method, deflate")
                with archive.open(entry) as file:
                    files[name] = file.read(most - size + 1)
                size += len(files[name])
                if size > most:
                    return Checked(None, (too_much(place, most),))
    except _DAMAGED as error:
        message, hint = f"this is no zip archive, or a damaged one: {error}", "save it again"
        return Checked(None, (Finding(codes.NOT_IMPORTED, place, message, hint),))
    return Checked(files, tuple(findings))


def too_much(place: Span, most: int) -> Finding:
    """Return the finding that an archive or folder has more than `most` bytes, or many files."""
    message = f"there is more than {most // 10**6} MB, or {MOST_FILES:,} files"
    return Finding(codes.TOO_MUCH, place, message, "import a part of it")


def read_bundle(path: Path, is_needed: Callable[[str], bool]) -> Checked[dict[str, bytes]]:
    """Return the needed files of a folder, a zip archive or one file; no link is followed."""
    if not os.path.isdir(path):
        read = read_document(path, MOST_BYTES)
        if read.value is None:
            return Checked(None, read.findings)
        if read.value.startswith(b"PK\3\4"):
            return unpack_archive(read.value, Span(str(path)), MOST_BYTES, is_needed)
        return Checked({path.name: read.value})
    files: dict[str, bytes] = {}
    findings: list[Finding] = []
    size = 0
    for folder, below, names in os.walk(path):
        below[:] = sorted(name for name in below if not name.startswith("."))
        for inner in (Path(folder, name) for name in sorted(names)):
            name = inner.relative_to(path).as_posix()
            if not is_needed(name) or os.path.islink(inner):
                continue
            read = read_document(inner, MOST_BYTES)
            findings += read.findings
            files[name] = read.value or b""
            size += len(files[name])
            if size > MOST_BYTES or len(files) > MOST_FILES:
                return Checked(None, (too_much(Span(str(path)), MOST_BYTES),))
    return Checked(files, tuple(findings))


MISSING: Final = ""  # the digest of a missing file
CHANGING: Final = "changing"  # not the digest of any file: what was built from it is built again
_MOST_KEPT: Final = 1000  # digests that are kept in memory
_MOST_DIGESTED: Final = 10_000  # most files below a folder
_MOST_DIGESTED_BYTES: Final = 300_000_000  # largest size of a file, or of all files below a folder
_OWN: Final = "own:"  # prefix of names of files that are part of sheetgen
Snapshot = dict[str, tuple[int, int]]  # modification time and size of files, by path
FileState = tuple[int | str, ...]  # what changes when a file or folder does; empty if there is none
_CLOCK = 10_000_000  # nanoseconds between two ticks of a file system's clock


@dataclass(slots=True)
class Digests:
    """Digests of the inputs of prints."""

    base: Path  # Names are relative to this folder, so that it can be moved.
    since: int = field(default_factory=time.time_ns)  # Start of this run, in nanoseconds.
    _known: dict[str, str] = field(default_factory=dict)

    def name(self, path: Path | str) -> str:
        """Return the name of a file or folder, which is the same on every machine."""
        real = os.path.abspath(path)
        own = str(data_folder())
        if real.startswith(own + os.sep):
            return _OWN + os.path.relpath(real, own).replace(os.sep, "/")
        return os.path.relpath(real, os.path.abspath(self.base)).replace(os.sep, "/")

    def of(self, name: str) -> str:
        """Return the digest of a file, or of all files below a folder.

        It is `CHANGING` for more than any print reads, which a forged record may name.
        """
        if name not in self._known:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[name] = tree_digest(self.path(name))
        return self._known[name]

    def of_read(self, name: str) -> str:
        """Return the digest of what this run read; `CHANGING` if that changed since it began."""
        path = self.path(name)
        for one in (str(path), *_list_all(path)):
            with contextlib.suppress(OSError):
                if os.stat(one).st_mtime_ns >= self.since:
                    return CHANGING
        return self.of(name)

    def path(self, name: str) -> Path:
        """Return the path of a file or folder; see `name`."""
        top = data_folder() if name.startswith(_OWN) else self.base
        return Path(os.path.join(top, name.removeprefix(_OWN)))


def tree_digest(path: Path) -> str:
    """Return the digest of a file, or of all files below a folder; see `Digests.of`."""
    if not os.path.isdir(path):
        return file_digest(path) if _size(path) <= _MOST_DIGESTED_BYTES else CHANGING
    total = hashlib.sha256()
    left = _MOST_DIGESTED_BYTES
    for count, inner in enumerate(_list_all(path)):
        left -= _size(inner)
        if count >= _MOST_DIGESTED or left < 0:
            return CHANGING
        entry = f"{os.path.relpath(inner, path)}\0{file_digest(Path(inner))}\0"
        total.update(entry.encode("utf-8", "surrogateescape"))
    return total.hexdigest()


def _size(path: Path | str) -> int:
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0


def _list_all(top: Path) -> Iterator[str]:
    """Yield all files below a folder, in a fixed order; none of a file."""
    for folder, below, names in os.walk(top):
        below[:] = sorted(one for one in below if not one.startswith((".", "__")))
        yield from (os.path.join(folder, name) for name in sorted(names))


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file; `MISSING` if it cannot be read."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return MISSING
            if not status.st_size:  # files in /proc have no size, and may never end
                return hashlib.sha256().hexdigest()
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError):
        return MISSING


def take_snapshot(folders: Iterable[Path], without: Path) -> Snapshot:
    """Return a snapshot of the files below some folders, without hidden ones, and of ours."""
    files: Snapshot = {}
    own = (data_folder() / "content", data_folder() / "templates")
    excluded = os.path.abspath(without)
    for top in dict.fromkeys(os.path.abspath(folder) for folder in (*folders, *own)):
        for folder, below, names in os.walk(top):
            inner = (name for name in below if not name.startswith((".", "__")))
            below[:] = [name for name in inner if os.path.join(folder, name) != excluded]
            for name in names:
                path = os.path.join(folder, name)
                with contextlib.suppress(OSError):
                    if not name.startswith("."):
                        status = os.stat(path)
                        files[path] = status.st_mtime_ns, status.st_size
    return files


def find_changed_paths(before: Snapshot, now: Snapshot) -> list[str]:
    """Return the paths that were added, removed or changed, sorted."""
    return sorted(path for path in before.keys() | now.keys() if before.get(path) != now.get(path))


def file_state(path: str, unsaved: Mapping[str, str], since: int = 0) -> FileState:
    """Return the state of the file or folder at `path`, cheap enough for a poll.

    Args:
        unsaved: Digests of unsaved texts by the real paths of their files.
        since: A time in nanoseconds. The state of a file that was written later, but not in the
            future, equals no other: it may have changed again within the clock's resolution.
    """
    if unsaved and (digest := unsaved.get(os.path.realpath(path))) is not None:
        return (digest,)
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return ()
    written = status.st_mtime_ns
    fresh = 0 < since - _CLOCK <= written <= time.time_ns() + _CLOCK
    return written, status.st_size, status.st_ino, fresh
