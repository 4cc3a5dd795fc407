"""What was built, job by job: from what, to what. A record is written before its outputs are.

So an output that nobody wrote down is never ours, one of another digest was changed by
somebody, and folders of two runs that shared the work are laid together by copying.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sheetgen.load.digests import Digests, file_digest
from sheetgen.model.books import Job, Whole
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
        facts = {"format": FORMAT, **dataclasses.asdict(self)}
        return json.dumps(facts, ensure_ascii=False, indent=0).encode("utf-8", "surrogateescape")


def record_path(out: Path, id_: str) -> Path:
    """Return where the record of the job with this id is kept."""
    return out / FOLDER / f"{hashlib.sha256(id_.encode()).hexdigest()[:24]}.json"


def record_of(out: Path, id_: str) -> Record | None:
    """Return the record of a job; None where there is none that can be read."""
    found = _read(record_path(out, id_))
    return found if found is not None and found.id == id_ else None


def records_in(out: Path) -> Iterator[tuple[Path, Record]]:
    """Yield all records, and where they are."""
    for path in sorted((out / FOLDER).glob("*.json")):
        if (found := _read(path)) is not None:
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
    order = dataclasses.asdict(job.whole)
    told = {name: value for name, value in order.items() if name not in _LOOSE}
    of = [digests.name(name) if Path(name).exists() else name for name in job.of]
    cells = job.row[1] if job.row is not None else ()  # in which line they stand does not matter
    number = job.number if "{n}" in job.name else 0
    return _hashed([stamp, job.name, number, told, of, cells])


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
