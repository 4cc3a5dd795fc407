"""Records of what was built, job by job: from what, and to what.

They stand in `.sheetgen` beside the outputs, so that the folders of two runs that shared the
work can be merged by copying. Anybody may have written them: a record that names a path out of
the output folder is refused.
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

from sheetgen.diag import book_codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.digests import CHANGING, Digests, file_digest
from sheetgen.load.documents import read_document
from sheetgen.model.books import CombinedFile, Job, Order
from sheetgen.write.drafts import place_draft, write_draft

FOLDER: Final = ".sheetgen"
"""In the folder of the outputs."""

FORMAT: Final = 2
_MOST_BYTES: Final = 4_000_000
"""Of a record: tens of thousands of names."""

_LOOSE: Final = ("place", "beside", "of", "row")
"""Parts of an order that do not matter, or are told apart."""

Pair = tuple[str, str]
"""A name and a digest."""


@dataclass(frozen=True, slots=True)
class Record:
    """What a job was made from, and what it made.

    Attributes:
        key: Of the order itself, and of us.
        reads: Files and folders that counted.
        wrote: Its outputs.
    """

    id: str
    key: str
    reads: tuple[Pair, ...]
    wrote: tuple[Pair, ...]

    def text(self) -> bytes:
        """Return the record as it is kept."""
        names = (one.name for one in dataclasses.fields(self))
        facts = {"format": FORMAT, **{name: getattr(self, name) for name in names}}
        # Lines by separators: `indent` is slow, and leaves much for the collector.
        said = json.dumps(facts, ensure_ascii=False, separators=(",\n", ": "))
        return said.encode("utf-8", "surrogateescape")


def record_path(out: Path, id_: str) -> Path:
    """Return where the record of the job with this id is kept."""
    return out / FOLDER / _called(id_)


def _called(id_: str) -> str:
    return f"{hashlib.sha256(id_.encode()).hexdigest()[:24]}.json"


def record_of(out: Path, id_: str) -> Record | None:
    """Return the record of a job; None where there is none that can be used."""
    return read_record(out, id_).value


def read_record(out: Path, id_: str) -> Checked[Record]:
    """Return the record of a job, None if there is none; a finding if it cannot be used."""
    read = _read(record_path(out, id_), out)
    return Checked(None) if read.value is not None and read.value.id != id_ else read


def others_in(out: Path, ids: Iterable[str]) -> Iterator[tuple[Path, Checked[Record]]]:
    """Yield the records of other jobs than these, and where they are."""
    names = set(os.listdir(out / FOLDER))  # names only: there may be many thousands
    for id_ in ids:
        names.discard(_called(id_))
    for name in sorted(names):
        path = out / FOLDER / name
        if path.suffix == ".json":
            yield path, _read(path, out)


def _read(path: Path, out: Path) -> Checked[Record]:
    if not os.path.lexists(path):
        return Checked(None)
    try:
        content = read_document(path, _MOST_BYTES).value or b""
        facts = json.loads(content.decode("utf-8", "surrogateescape"))
        if facts.pop("format") != FORMAT:
            return Checked(None)
        pairs = {name: tuple(map(_pair, facts.pop(name))) for name in ("reads", "wrote")}
        record = Record(str(facts["id"]), str(facts["key"]), **pairs)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Checked(None, (_refused(path, "it is damaged"),))
    for name, _ in record.wrote:
        if not is_inside(out, name):
            return Checked(None, (_refused(path, f"`{name}` is not in the output folder"),))
    return Checked(record)


def _refused(path: Path, why: str) -> Finding:
    message = f"this record of a build is not used: {why}"
    return Finding(book_codes.BAD_RECORD, Span(str(path)), message, "delete it")


def is_inside(out: Path, name: str) -> bool:
    """Whether a name of an output leads to a place below `out`, links resolved."""
    parts = name.split("/")
    if set(name) & set("\\:\0") or any(part in ("", ".", "..") for part in parts):
        return False
    if parts[0].casefold() == FOLDER:
        return False
    if len(parts) == 1:
        return True
    top = os.path.realpath(out)
    folder = os.path.realpath(os.path.join(top, *parts[:-1]))
    return folder.startswith(top.rstrip(os.sep) + os.sep)


def _pair(said: Any) -> Pair:
    name, digest = said
    return str(name), str(digest)


def write_record(out: Path, record: Record, drafts: Path) -> None:
    """Write a record, as a draft first.

    Raises:
        OSError: It cannot be written.
    """
    place_draft(write_draft(drafts, record.text()), record_path(out, record.id))


def drop_record(out: Path, id_: str) -> None:
    """Forget a record."""
    with contextlib.suppress(OSError):
        record_path(out, id_).unlink()


def job_key(job: Job, digests: Digests, stamp: str) -> str:
    """Return what changes with a job's order, its name, or us; not with what it reads."""
    of = [digests.name(name) if os.path.exists(name) else name for name in job.of]
    cells = job.row[1] if job.row is not None else ()  # in which line they stand does not matter
    number = job.number if "{n}" in job.name else 0
    return _hashed([stamp, job.name, number, _told(job.order), of, cells])


@lru_cache(maxsize=64)
def _told(order: Order) -> str:
    """Return what counts of an order that many jobs share."""
    every = (one.name for one in dataclasses.fields(order) if one.name not in _LOOSE)
    return _hashed({name: getattr(order, name) for name in every})


def whole_key(whole: CombinedFile, parts: tuple[Pair, ...], stamp: str) -> str:
    """Return what changes with a combined file or one of its parts."""
    told = dataclasses.asdict(whole)
    del told["place"]
    return _hashed([stamp, told, parts])


def _hashed(facts: Any) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def is_fresh(record: Record | None, key: str, out: Path, digests: Digests) -> bool:
    """Whether a job need not be done again: nothing it was made from changed, nothing it made."""
    if record is None or record.key != key or not record.wrote:
        return False
    read = all(digest != CHANGING and digests.of(name) == digest for name, digest in record.reads)
    return read and all(file_digest(out / name) == digest for name, digest in record.wrote)
