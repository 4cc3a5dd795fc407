"""What was built, job by job: from what, to what. A record is written before its outputs are.

So an output that nobody wrote down is never ours, one of another digest was changed by
somebody, and folders of two runs that shared the work are laid together by copying.
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

from sheetgen.load.digests import Digests, file_digest
from sheetgen.model.books import Job, Order, Whole
from sheetgen.write.drafts import draft, settle

FOLDER: Final = ".sheetgen"
"""In the folder of the outputs."""

FORMAT: Final = 1
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
        was: What stood there before, as long as it may stand there still.
    """

    id: str
    key: str
    reads: tuple[Pair, ...]
    wrote: tuple[Pair, ...]
    was: tuple[Pair, ...] = ()

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
    """Return the record of a job; None where there is none that can be read."""
    found = _read(record_path(out, id_))
    return found if found is not None and found.id == id_ else None


def others_in(out: Path, ids: Iterable[str]) -> Iterator[tuple[Path, Record]]:
    """Yield the records of other jobs than these, and where they are."""
    names = set(os.listdir(out / FOLDER))  # names only: there may be many thousands
    for id_ in ids:
        names.discard(_called(id_))
    for name in sorted(names):
        path = out / FOLDER / name
        if path.suffix == ".json" and (found := _read(path)) is not None:
            yield path, found


def _read(path: Path) -> Record | None:
    try:
        facts = json.loads(path.read_bytes().decode("utf-8", "surrogateescape"))
        if facts.pop("format") != FORMAT:
            return None
        pairs = {name: tuple(map(_pair, facts.pop(name))) for name in ("reads", "wrote", "was")}
        return Record(str(facts["id"]), str(facts["key"]), **pairs)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _pair(said: Any) -> Pair:
    name, digest = said
    return str(name), str(digest)


def keep(out: Path, record: Record, drafts: Path) -> None:
    """Write a record, as a draft first.

    Raises:
        OSError: It cannot be written.
    """
    settle(draft(drafts, record.text()), record_path(out, record.id))


def drop(out: Path, id_: str) -> None:
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


def whole_key(whole: Whole, parts: tuple[Pair, ...], stamp: str) -> str:
    """Return what changes with a combined file or one of its parts."""
    told = dataclasses.asdict(whole)
    del told["place"]
    return _hashed([stamp, told, parts])


def _hashed(facts: Any) -> str:
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def is_fresh(record: Record | None, key: str, out: Path, digests: Digests) -> bool:
    """Whether a job need not be done again: nothing it was made from changed, nothing it made."""
    if record is None or record.key != key or record.was or not record.wrote:
        return False
    read = all(digests.of(name) == digest for name, digest in record.reads)
    return read and all(file_digest(out / name) == digest for name, digest in record.wrote)
