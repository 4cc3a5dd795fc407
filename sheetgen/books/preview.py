"""What a plan would write, without writing it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sheetgen.books import records
from sheetgen.books.cleaning import removable, strays
from sheetgen.books.naming import output_name
from sheetgen.books.planning import BookPlan
from sheetgen.diag.findings import Finding
from sheetgen.load.authors.characters import RulesetCache, load_file
from sheetgen.load.digests import Digests, product_stamp
from sheetgen.model.books import Job
from sheetgen.model.source import Pairs, ScalarNode, Source
from sheetgen.write.files import may_replace
from sheetgen.write.names import one_place

_TO_WRITE: Final = "to write"


def preview(
    plan: BookPlan, *, cleaned: bool = False, force: bool = False
) -> Iterator[str | Finding]:
    """Yield a line for each output and what would become of it, then one for each removal.

    Records that cannot be used are findings.

    Args:
        cleaned: Whether outputs that the book no longer has are removed, too.
        force: Whether everything is built.
    """
    digests, stamp, shelf = Digests(plan.folder), product_stamp(), RulesetCache()
    taken: dict[str, str] = {}
    old: list[records.Pair] = []
    for job in plan.jobs:
        read = records.read_record(plan.out, job.id)
        yield from read.findings
        found = read.value
        key = records.job_key(job, digests, stamp)
        fresh = not force and records.is_fresh(found, key, plan.out, digests)
        names = [name for name, _ in found.wrote] if found is not None and fresh else []
        of = ", ".join(job.of[:3]) + (" …" if len(job.of) > 3 else "")
        for name in names or _names(job, shelf):
            place = one_place(name)
            state = "up to date" if fresh else _state(plan.out / name, force=force)
            if place in taken:
                state = f"clashes with {taken[place]}"
            taken[place] = job.id
            yield f"{state}: {plan.out / name} ({job.order.kind} of {of})"
        if found is not None and not fresh:
            old += found.wrote
    for whole in plan.wholes:
        taken[one_place(f"{whole.name}.pdf")] = whole.id
        state = _state(target := plan.out / f"{whole.name}.pdf", force=force)
        state = "combined" if state == _TO_WRITE else state
        yield f"{state}: {target} ({', '.join(whole.of)})"
    if cleaned and not plan.lost and (plan.out / records.FOLDER).is_dir():
        stray, refused = strays(plan)
        yield from refused
        old += [pair for _, record in stray for pair in record.wrote]
    for name, digest in dict.fromkeys(old):
        if removable(plan.out, name, digest, taken):
            yield f"to remove: {plan.out / name}"


def _state(target: Path, *, force: bool) -> str:
    try:
        left = not force and not may_replace(target)
    except OSError:
        left = True
    return "changed since it was written, left alone" if left else _TO_WRITE


def _names(job: Job, shelf: RulesetCache) -> Iterator[str]:
    every = list(_words(job, shelf))
    for number, words in enumerate(every, start=1):
        count = number if len(every) > 1 else job.number
        told = {**words, "entry": job.entry, "n": str(count)}
        for kind in job.order.to:
            yield f"{output_name(job.name, told, several=len(every) > 1)}.{kind}"


def _words(job: Job, shelf: RulesetCache) -> Iterator[dict[str, str]]:
    order = job.full_order
    if order.kind in ("sheets", "encounters") and not order.joined:
        path = Path(order.of[0])
        if order.row is not None:
            cells = dict(order.row[1])
            yield {"stem": path.stem, "name": cells.get("name", ""), **cells}
            return
        for one in load_file(path, shelf):
            yield {"stem": path.stem, "name": _called(one.source) or path.stem}
        return
    first = Path(order.of[0]).stem
    what = {"blanks": "blank", "tables": "tables", "screens": "screen", "odds": "odds"}
    if order.kind == "cards":
        stem = "-".join([first, *([order.of_kind] if order.of_kind else []), "cards"])
        yield {"stem": stem, "name": first, "kind": order.of_kind or "cards"}
        return
    word = what.get(order.kind, order.kind)
    yield {"stem": f"{first}-{word}", "name": first, "ruleset": first, "kind": word}


def _called(source: Source | None) -> str:
    root = source.root if source is not None else None
    name = root.get("name") if isinstance(root, Pairs) else None
    return name.raw if isinstance(name, ScalarNode) else ""
