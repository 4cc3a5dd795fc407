"""Write files: completely or not at all, and never over what may hold someone's work.

Functions that return no finding raise `OSError` where the system refuses: the previous file is
unchanged then, and nothing is left of a new one.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import mmap
import os
import re
import secrets
import shutil
import stat
import tempfile
import unicodedata
import weakref
import zipfile
from array import array
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, count
from pathlib import Path
from typing import IO, BinaryIO, Final, cast

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.model.seals import PrintIdentity, is_sealed, seal, sealed

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first date that zip has: no clock is read
_SUFFIX: Final = ".sheetgen"
_TEMPORARY: Final = re.compile(rf"\..*\.(?P<process>[0-9]+)-[0-9a-f]{{16}}{re.escape(_SUFFIX)}")
_LOCK: Final = "lock"
_PREFIX: Final = "run-"
_ATTEMPTS: Final = 100
_IN_MEMORY: Final = 1_000_000  # bytes that are held in memory before there is a file


def write_file(
    target: Path,
    content: bytes,
    sources: Collection[Path] = (),
    identity: PrintIdentity | None = None,
    *,
    force: bool = False,
) -> Finding | None:
    """Seal `content` and write it to `target`; return a finding if that is not possible.

    An interrupted run leaves the old file as it was. A file that sheetgen did not write, or that
    was changed since, or is the print of another `identity`, is left alone without `force`, and
    one of the `sources`, which were read, always.
    """
    if is_source(target, sources):
        return source_finding(target)
    try:
        make_folder(target.parent)
        if os.path.isdir(target):
            return cannot_write(target, "a folder has this name")
        content = sealed(target.name, content, identity)
        if not force and not may_replace(target, content):
            return changed_finding(target)
        checked = identity if os.path.exists(target) and not force else None
        if checked and (other := checked.find_difference(target.read_bytes())):
            message = f"this file is not a print of {other}; it is not overwritten"
            hint = "name another folder with --out, or replace it with --force"
            return Finding(codes.WOULD_OVERWRITE, Span(str(target)), message, hint)
        replace_file(target, content)
    except OSError as error:
        return cannot_write(target, error)
    return None


def write_new(target: Path, content: bytes) -> Finding | None:
    """Write a new file for an author to edit; return a finding if `target` exists."""
    if os.path.lexists(target):
        message = "a file with this name exists; it is not overwritten"
        hint = "name another file with --out"
        return Finding(codes.WOULD_OVERWRITE, Span(str(target)), message, hint)
    try:
        write_bytes(target, content)
    except OSError as error:
        return cannot_write(target, error)
    return None


def overwrite_file(target: Path, content: bytes, digest: str) -> Finding | None:
    """Replace the author's file at `target`; return a finding if that is not possible.

    A link stays a link, and the file keeps its mode. A file that is not what was read is left
    alone: that had the SHA-256 `digest`, or was none.
    """
    real = Path(os.path.realpath(target))
    try:
        now = hashlib.sha256(real.read_bytes()).hexdigest() if os.path.exists(real) else ""
        if now != digest:
            message = "the file was changed while it was read; nothing is written"
            return Finding(codes.CANNOT_WRITE, Span(str(target)), message, "try again")
        mode = real.stat().st_mode & 0o7777 if digest else None
        write_bytes(real, content)
        if mode is not None:
            real.chmod(mode)
    except OSError as error:
        return cannot_write(target, error, "check the path")
    return None


def changed_finding(target: Path | str, hint: str = "") -> Finding:
    """Return the finding that a file is left alone because somebody changed it."""
    message = "this file was changed since it was written, or sheetgen did not write it"
    hint = hint or "move it away, or name another folder with --out; --force overwrites it"
    return Finding(codes.EDITED, Span(str(target)), f"{message}; it is left alone", hint)


def unsure_finding(target: Path | str) -> Finding:
    """Return the finding that a file is left alone because another print may need it."""
    return changed_finding(target, "move it away: a print that is missing here may read it")


def cannot_write(
    target: Path | str, reason: OSError | str, hint: str = "choose another --out"
) -> Finding:
    """Return the finding that a file cannot be written."""
    words = reason if isinstance(reason, str) else (reason.strerror or str(reason)).lower()
    hint = getattr(reason, "hint", hint)
    return Finding(codes.CANNOT_WRITE, Span(str(target)), f"cannot write it: {words}", hint)


def make_folder(folder: Path) -> None:
    """Create a folder and what is missing above it, or raise an `OSError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except RecursionError:  # it calls itself for each folder
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG)) from None


def write_bytes(target: Path, content: bytes) -> None:
    """Write `content` to `target` in one step; missing folders are created."""
    make_folder(target.parent)
    replace_file(target, content)


def remove_file(path: Path) -> None:
    """Remove a file if it exists."""
    path.unlink(missing_ok=True)


def remove_empty_folder(folder: Path) -> None:
    """Remove a folder if it exists and there is nothing in it."""
    with contextlib.suppress(OSError):
        folder.rmdir()


def replace_file(target: Path, content: bytes) -> None:
    """Replace `target` by `content` in one step, by way of a new, locked file beside it."""
    _remove_abandoned_files(target.parent)  # what killed runs left
    while True:
        name = f".{target.name[:40]}.{os.getpid()}-{secrets.token_hex(8)}{_SUFFIX}"
        file = open(target.parent / name, "x+b")  # noqa: SIM115 - closed below
        lock_file(file, wait=True)
        if os.path.exists(file.name):  # no other run removed it before it had its lock
            break
        file.close()
    try:
        with file:
            file.write(content)
            file.flush()
            if os.name == "nt":  # Windows moves no open file
                file.close()
            os.replace(file.name, target)
    except BaseException:
        remove_file(Path(file.name))
        raise


def write_temporary(folder: Path, fill: Callable[[BinaryIO], object]) -> Path:
    """Let `fill` write to a new file with a unique name in `folder`; return its path."""
    path = folder / secrets.token_hex(8)
    file = open(path, "x+b")  # noqa: SIM115 - a file that exists already is not ours to remove
    try:
        with file:
            fill(file)
    except BaseException:
        remove_file(path)
        raise
    return path


def is_source(target: Path | str, sources: Iterable[Path | str]) -> bool:
    """Whether a file exists and is one of `sources`, also by a link or another spelling."""
    for source in sources if os.path.exists(target) else ():
        with contextlib.suppress(OSError, ValueError):
            if os.path.samefile(target, source):
                return True
    return False


def stays_inside(top: Path, name: str) -> bool:
    """Whether no link among the folders of `name` leads out of `top`."""
    *parts, _ = name.split("/")
    if not parts:
        return True
    real = os.path.realpath(top)
    folder = os.path.realpath(os.path.join(real, *parts))
    return folder.startswith(real.rstrip(os.sep) + os.sep)


def linked_finding(target: Path | str, hint: str = "remove the link") -> Finding:
    """Return the finding that a file is not written because a folder on its path is a link."""
    message = "a link leads this output out of its folder"
    return Finding(codes.CANNOT_WRITE, Span(str(target)), message, hint)


def source_finding(target: Path | str) -> Finding:
    """Return the finding that a file is left alone because the same run read it."""
    message = "this file was read in this run; it is not overwritten"
    hint = "name another folder with --out"
    return Finding(codes.WOULD_OVERWRITE, Span(str(target)), message, hint)


def may_replace(target: Path, content: bytes = b"") -> bool:
    """Whether nothing is lost if `target` is replaced by `content`.

    True if there is no file, if it has this content already, or if sheetgen wrote it and nobody
    changed it since. False for a link: somebody created it.
    """
    try:
        handle = os.open(target, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return True
    except OSError:
        if not os.path.islink(target):
            raise
        return False
    with open(handle, "rb"):
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or not status.st_size:
            return False  # an empty file cannot be mapped, and sheetgen writes none
        with mmap.mmap(handle, 0, access=mmap.ACCESS_READ) as there:
            return (len(there) == len(content) and there[:] == content) or is_sealed(there)


_RESERVED: Final = re.compile(
    r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(?=$| *\.)", re.IGNORECASE
)
"""Device names: Windows opens the device whatever the folder and the extension."""

_FORBIDDEN: Final = re.compile(r'[<>:"\\|?*\x00-\x1f\x7f-\x9f]')
_MOST_BYTES: Final = 200  # Of one part of a path; file systems take 255, and an extension is added.
_LONGEST_END: Final = 8  # letters of an extension, with its dot


def portable_name(name: str) -> str:
    """Return `name` as a relative path that every file system accepts, and that stays inside.

    Characters that Windows forbids become `-`, names of devices get a `_`, dots and blanks at
    the ends of each part are dropped, long parts are cut before their extension. The result may be
    empty.
    """
    parts = []
    for part in name.split("/"):
        part = part.encode("utf-8", "replace").decode()
        part = unicodedata.normalize("NFC", _FORBIDDEN.sub("-", part)).strip(" .")
        if len(part.encode()) > _MOST_BYTES:
            end = os.path.splitext(part)[1]
            end = end if len(end) <= _LONGEST_END and end.isascii() else ""
            part = f"{_cut(part.removesuffix(end), _MOST_BYTES - len(end)).strip(' .')}{end}"
        parts.append(_RESERVED.sub(r"\1_", part, count=1) if _RESERVED.match(part) else part)
    return "/".join(filter(None, parts))


def _cut(text: str, most: int) -> str:
    return text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")


def name_key(name: str) -> str:
    """Return a key that is equal for names that some file system treats as equal."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", name).casefold())


def taken_finding(
    span: Span, name: str, owner: str, written: str, hint: str = "rename one of the two files"
) -> Finding:
    """Return the finding that an input has the output name of another, and got `written`."""
    message = f"`{name}` is already written for {owner}; this one is `{written}`"
    return Finding(codes.SAME_OUTPUT, span, message, hint, Severity.WARNING)


def free_name(stem: str, taken: Container[str], end: str = "", gap: str = "-") -> str:
    """Return `stem` and `end`, with a number where `taken` has the `name_key` of a like name."""
    return f"{free_stem(stem, taken, (end,), gap)}{end}"


def free_stem(stem: str, taken: Container[str], ends: Sequence[str], gap: str = "-") -> str:
    """Return `stem`, with a number if it is taken with one of `ends`."""
    parts = stem.split("/")
    room = _MOST_BYTES - 20  # `portable_name` must not cut off the number
    parts[-1] = _cut(parts[-1], room)
    short = "/".join(parts)

    def is_free(one: str) -> bool:
        names = (name for end in ends for name in (f"{one}{end}", portable_name(f"{one}{end}")))
        return not any(name_key(name) in taken for name in names)

    return next(filter(is_free, chain([stem], (f"{short}{gap}{n}" for n in count(2)))))


def pack_archive(entries: Iterable[tuple[str, bytes]], note: str, *, stored: bool = False) -> bytes:
    """Return a zip of `entries`; if `stored`, not compressed: libraries differ in bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in entries:
            entry = zipfile.ZipInfo(name, _EPOCH)
            plain = stored or name.endswith(".png")
            entry.compress_type = zipfile.ZIP_STORED if plain else zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            archive.writestr(entry, content)
        archive.comment = note.encode()
    return target.getvalue()


@lru_cache(maxsize=1_000)  # once a run: a folder may have many files
def _remove_abandoned_files(folder: Path) -> None:
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


def lock_file(file: IO[bytes], *, wait: bool = False) -> bool:
    """Lock a file until this process closes it; return whether that succeeded.

    The lock belongs to this process alone, not to its children. Systems without `fcntl` have
    no locks. With `wait`, wait while another process holds the lock.
    """
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


@contextlib.contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Hold the lock file at `path`, if it can be created; wait while another process does."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):
            make_folder(path.parent)
            lock_file(held.enter_context(open(path, "ab")), wait=True)
        yield
    with contextlib.suppress(OSError):
        path.unlink()


@contextlib.contextmanager
def drafts_in(top: Path) -> Iterator[Path]:
    """Create a folder below `top` for drafts, removed at the end, as are those of killed runs."""
    if os.path.islink(top) or os.path.islink(top.parent):
        raise OSError(errno.ELOOP, "the folder for drafts is a link")
    _remove_abandoned(top)
    for attempt in range(_ATTEMPTS):
        # Another run may remove `top` while it is empty, or the folder while it has no lock yet.
        try:
            make_folder(top)
            folder = Path(tempfile.mkdtemp(dir=top, prefix=_PREFIX))
            lock = open(folder / _LOCK, "wb")  # noqa: SIM115 - held as long as the folder
        except (FileNotFoundError, FileExistsError):
            if attempt == _ATTEMPTS - 1:
                raise
            continue
        lock_file(lock, wait=True)  # a run that removes abandoned folders may hold it
        if os.path.exists(lock.name):
            break
        lock.close()
    else:
        raise OSError(errno.EAGAIN, "other runs remove the folder for drafts")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.close()
        _remove_abandoned(top)  # a worker of an earlier run may have written after its end
        with contextlib.suppress(OSError):
            top.rmdir()


def _remove_abandoned(top: Path) -> None:
    """Remove folders of runs that ended, or that lost their locks; they are locked meanwhile."""
    with contextlib.suppress(OSError):
        for old in [one for one in top.glob(f"{_PREFIX}*") if not os.path.islink(one)]:
            with contextlib.suppress(OSError), open(old / _LOCK, "ab", opener=open_own) as lock:
                if lock_file(lock):
                    shutil.rmtree(old, ignore_errors=True)


def write_draft(folder: Path, content: bytes) -> Path:
    """Write `content` to a new file in `folder`."""
    return write_temporary(folder, lambda file: file.write(content))


def write_draft_pdf(folder: Path, fill: Callable[[BinaryIO], object]) -> Path:
    """Let `fill` write a PDF to a new file in `folder`, and seal it without loading it."""

    def fill_and_seal(file: BinaryIO) -> None:
        fill(file)
        file.flush()
        if file.tell():
            with mmap.mmap(file.fileno(), 0) as content:
                seal(content)

    return write_temporary(folder, fill_and_seal)


def place_draft(draft: Path | str, target: Path | str) -> None:
    """Move a draft to its place, in one step."""
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, "a folder has this name")
    try:
        os.replace(draft, target)
    except FileNotFoundError:
        make_folder(Path(target).parent)
        os.replace(draft, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # The place is on another file system.
        replace_file(Path(target), Path(draft).read_bytes())
        remove_file(Path(draft))


def open_spool() -> BinaryIO:
    """Return a temporary file without a name, to write and then to read."""
    return cast(BinaryIO, tempfile.TemporaryFile())


class Spool:
    """A list of texts in a temporary file; eight bytes of each are in memory."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed below
        self._starts = array("Q", [0])
        weakref.finalize(self, self._file.close)

    def __len__(self) -> int:
        return len(self._starts) - 1

    def append(self, text: bytes) -> None:
        """Add a text at the end."""
        self._file.seek(self._starts[-1])
        self._file.write(text)
        self._starts.append(self._starts[-1] + len(text))

    def __getitem__(self, at: int) -> bytes:
        start, end = self._starts[at], self._starts[at + 1]
        self._file.seek(start)
        return self._file.read(end - start)
