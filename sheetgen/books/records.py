"""Records of finished jobs: what each was built from, and which files it wrote.

They are kept in `.sheetgen` in the output folder, so that the output folders of shards can be
merged by copying. Books may share an output folder: a record names its book. Records are not
trusted: one that names a path outside the output folder is refused.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sheetgen.books.storage import FOLDER, Storage
from sheetgen.diag import book_codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.digests import CHANGING, Digests
from sheetgen.load.rulesets.content import data_folder
from sheetgen.load.rulesets.seeds import seeds_folder
from sheetgen.model.books import CombinedFile, Job
from sheetgen.model.pictures import Picture
from sheetgen.model.requests import PrintRequest
from sheetgen.write.drafts import write_draft
from sheetgen.write.names import name_key

FORMAT: Final = 2
_MOST_BYTES: Final = 4_000_000
"""Largest record that is read: tens of thousands of names."""

_OWN_FIELDS: Final = ("place", "beside", "of", "row", "theme", "pictures")
"""Fields of a request that do not change its output, or that `job_key` adds itself."""

Pair = tuple[str, str]
"""A name and a digest."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a job was built from, and what it wrote.

    Attributes:
        book: Which book the job belongs to, as `BookPlan.name`; empty in old records.
        key: Changes with the request and with the version of sheetgen.
        reads: Files and folders that it was built from, and their digests.
        wrote: Its outputs and their digests.
    """

    id: str
    book: str
    key: str
    reads: tuple[Pair, ...]
    wrote: tuple[Pair, ...]

    def write_draft(self, drafts: Path) -> Path:
        """Write the record as JSON to a new file in a folder of drafts.

        Raises:
            OSError: It cannot be written.
        """
        facts = {"format": FORMAT} | {
            field.name: getattr(self, field.name) for field in dataclasses.fields(self)
        }
        # Line breaks come from the separators, because `indent` is slow.
        text = json.dumps(facts, ensure_ascii=False, separators=(",\n", ": "))
        return write_draft(drafts, text.encode("utf-8", "surrogateescape"))


class RecordFolder:
    """The records of one book beside its outputs."""

    def __init__(self, out: Storage, book: str) -> None:
        self.out, self.book = out, book
        self._foreign: set[str] | None = None

    def name(self, id_: str) -> str:
        """Return the name of a job's record."""
        return f"{FOLDER}/{self._file_name(id_)}"

    def _file_name(self, id_: str) -> str:
        key = "\0".join((self.book, id_)).encode("utf-8", "surrogateescape")
        return f"{hashlib.sha256(key).hexdigest()[:24]}.json"

    def get(self, id_: str) -> Record | None:
        """Return the record of a job; None if there is none that can be used."""
        return self.read(id_).value

    def read(self, id_: str) -> Checked[Record]:
        """Return the record of a job, None if there is none; a finding if it is damaged."""
        read = self._read(self.name(id_))
        return Checked(None) if read.value is not None and read.value.id != id_ else read

    def place(self, draft: Path | str, id_: str) -> None:
        """Move the draft of a job's record to its place.

        Raises:
            OSError: It cannot be moved.
        """
        self.out.place(draft, self.name(id_))

    def drop(self, id_: str) -> None:
        """Remove a record."""
        with contextlib.suppress(OSError):
            self.out.remove(self.name(id_))

    def find_strays(
        self, ids: Iterable[str]
    ) -> tuple[list[tuple[str, Record]], tuple[Finding, ...]]:
        """Return this book's records of jobs other than `ids`, and findings about damaged ones."""
        known = set(map(self._file_name, ids))
        strays: list[tuple[str, Record]] = []
        findings: list[Finding] = []
        foreign: set[str] = set()
        for name, read in self._read_all(known):
            findings += read.findings
            if read.value is None:
                continue
            if read.value.book in ("", self.book):
                strays.append((name, read.value))
            else:
                foreign.update(name_key(one) for one, _ in read.value.wrote)
        self._foreign = foreign
        return strays, tuple(findings)

    def belongs_to_other_book(self, name: str) -> bool:
        """Whether the record of another book names the output `name`."""
        if self._foreign is None:
            self.find_strays(())
        return name_key(name) in (self._foreign or ())

    def _read_all(self, without: set[str]) -> Iterator[tuple[str, Checked[Record]]]:
        listed = sorted(self.out.names(FOLDER) - without)
        names = [f"{FOLDER}/{name}" for name in listed if name.endswith(".json")]
        return zip(names, self.out.map(self._read, names), strict=True)

    def _read(self, name: str) -> Checked[Record]:
        content = self.out.read(name, _MOST_BYTES)
        if content is None:
            return Checked(None)
        path = self.out.address(name)
        try:
            facts = json.loads(content.decode("utf-8", "surrogateescape"))
            if b"\\u" in content:  # an escaped half of a character is no name, and no text
                json.dumps(facts, ensure_ascii=False).encode("utf-8", "surrogateescape")
            if facts.pop("format") != FORMAT:
                return Checked(None)
            pairs = {key: tuple(map(_parse_pair, facts.pop(key))) for key in ("reads", "wrote")}
            book = str(facts.get("book", ""))
            record = Record(str(facts["id"]), book, str(facts["key"]), **pairs)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return Checked(None, (_refused(path, "it is damaged"),))
        for one, _ in record.wrote:
            if not self.out.accepts(one):
                return Checked(None, (_refused(path, f"`{one}` is not in the output folder"),))
        return Checked(record)


def _refused(path: str, why: str) -> Finding:
    message = f"this record of a build is not used: {why}"
    return Finding(book_codes.BAD_RECORD, Span(path), message, "delete it")


def _parse_pair(value: Any) -> Pair:
    name, digest = value
    return str(name), str(digest)


def job_key(job: Job, digests: Digests, stamp: str) -> str:
    """Return a key that changes with a job's request, its name or sheetgen, not its inputs."""
    named = (*job.of, job.request.theme)
    of = [digests.name(name) if os.path.exists(name) else name for name in named]
    cells = job.row[1] if job.row is not None else ()  # the number of their line does not count
    number = job.number if "{n}" in job.name else 0
    return _hash([stamp, job.name, number, _request_key(job.request), of, cells])


@lru_cache(maxsize=64)
def _request_key(request: PrintRequest) -> str:
    """Return the key of the part of a request that many jobs share."""
    names = (field.name for field in dataclasses.fields(request) if field.name not in _OWN_FIELDS)
    values = {name: getattr(request, name) for name in names}
    return _hash({"pictures": _picture_facts(request.pictures), **values})


def _picture_facts(pictures: Iterable[tuple[str, Picture]]) -> list[tuple[object, ...]]:
    return [(k, p.digest, p.alt, p.credit, p.fit, p.focus) for k, p in pictures]


def combined_key(
    file: CombinedFile, parts: tuple[Pair, ...], stamp: str, pictures: Iterable[tuple[str, Picture]]
) -> str:
    """Return a key that changes with a combined file, one of its parts, or the book's pictures."""
    facts = dataclasses.asdict(file)
    del facts["place"]
    return _hash([stamp, facts, parts, _picture_facts(pictures)])


def _hash(facts: Any) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def is_fresh(record: Record | None, key: str, out: Storage, digests: Digests) -> bool:
    """Whether neither the inputs nor the outputs of a job have changed."""
    if record is None or record.key != key or not record.wrote:
        return False
    read = all(digest != CHANGING and digests.of(name) == digest for name, digest in record.reads)
    return read and all(out.is_current(name, digest) for name, digest in record.wrote)


def real_folders(folders: frozenset[str]) -> frozenset[str]:
    """Return the real paths of folders of rulesets and designs, and of printed figures."""
    real = {os.path.realpath(folder) for folder in folders}
    seeds = (seeds_folder(Path(folder)) for folder in real)
    return frozenset(real.union(str(folder) for folder in seeds if folder is not None))


def list_inputs(read: set[str], folders: frozenset[str]) -> list[str]:
    """Return what a job was built from: files, and whole folders of rulesets and designs."""
    inside = tuple(os.path.join(folder, "") for folder in folders)
    files = {path for path in map(os.path.realpath, read) if not path.startswith(inside)}
    # What all templates share is part of `product_stamp`.
    shared = str(data_folder() / "templates" / "_")
    return sorted(path for path in folders | files if not path.startswith(shared))


def keys_inside(read: Iterable[str], out: str) -> frozenset[str]:
    """Return the keys (`name_key`) of the files that were read in the output folder.

    A link counts under its own name, and under that of the file that it leads to.
    """
    found = (_key_inside(path, out) for path in read)
    return frozenset(key for keys in found for key in keys)


@lru_cache(maxsize=4096)
def _key_inside(path: str, out: str) -> tuple[str, ...]:
    pairs = ((os.path.abspath(path), os.path.abspath(out)), (os.path.realpath(path), _real(out)))
    names = (
        os.path.relpath(file, top)
        for file, top in pairs
        if file.startswith(top.rstrip(os.sep) + os.sep)
    )
    return tuple(name_key(name.replace(os.sep, "/")) for name in names)


@lru_cache(maxsize=4)
def _real(folder: str) -> str:
    return os.path.realpath(folder)
