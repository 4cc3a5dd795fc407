"""List what a build would write, for a dry run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sheetgen.books.outputs import is_removable
from sheetgen.books.planning import BookPlan, output_name
from sheetgen.books.storage import Storage
from sheetgen.books.workers import Pair, RecordFolder, is_fresh, job_key, name_prints
from sheetgen.diag.findings import Finding
from sheetgen.load.characters import RulesetCache, load_file
from sheetgen.load.digests import Digests, product_stamp
from sheetgen.load.rulesets.rulesets import find_ruleset, is_ruleset, switches_of
from sheetgen.model.books import Job
from sheetgen.model.requests import CardRequest
from sheetgen.model.source import raw_text
from sheetgen.prints.context import PrintContext, name_words
from sheetgen.prints.kinds import find_kind, print_request
from sheetgen.write.files import name_key


def preview_build(
    plan: BookPlan, *, cleaned: bool = False, force: bool = False
) -> Iterator[str | Finding]:
    """Yield a line for each output and its state, then one for each file to be removed.

    Damaged records are yielded as findings.

    Args:
        cleaned: Whether outputs that the book no longer has are removed, too.
        force: Whether everything is built.
    """
    if plan.closed:
        return
    digests, stamp, context = Digests(plan.folder), product_stamp(), PrintContext()
    records = RecordFolder(plan.out, plan.name)
    owners: dict[str, int | str] = {}  # places in the plan, which are small
    old: list[Pair] = []
    for number, job in enumerate(plan.jobs):
        read = records.read(job.id)
        yield from read.findings
        record = read.value
        fresh = not force and is_fresh(record, job_key(job, digests, stamp), plan.out, digests)
        names = [name for name, _ in record.wrote] if record is not None and fresh else []
        of = ", ".join(job.of[:3]) + (" …" if len(job.of) > 3 else "")
        of = f"{of}, {job.row[0]}" if job.row is not None else of
        for name in names or _output_names(job, context):
            state = "up to date" if fresh else _state(plan.out, name, force=force)
            owner = owners.get(name_key(name))
            if owner is not None:
                state = f"clashes with {plan.jobs[int(owner)].id}"
            owners[name_key(name)] = number
            yield f"{state}: {plan.out.address(name)} ({job.request.kind} of {of})"
        if record is not None and not fresh:
            old += record.wrote
    for file in plan.combined_files:
        name = f"{file.name}.pdf"
        owners[name_key(name)] = file.id
        state = _state(plan.out, name, force=force)
        state = "combined" if state == "to write" else state
        yield f"{state}: {plan.out.address(name)} ({', '.join(file.of)})"
    if cleaned and not plan.incomplete:
        strays, findings = records.find_strays(one.id for one in (*plan.jobs, *plan.combined_files))
        yield from findings
        old += [pair for _, record in strays for pair in record.wrote]
    for name, digest in dict.fromkeys(old):
        if is_removable(records, name, digest, owners):
            yield f"to remove: {plan.out.address(name)}"


def _state(out: Storage, name: str, *, force: bool) -> str:
    try:
        left = not force and not out.may_replace(name)
    except OSError:
        left = True
    return "changed since it was written, left alone" if left else "to write"


def _output_names(job: Job, context: PrintContext) -> Iterator[str]:
    """Yield the names of a job's outputs.

    How many pictures there are depends on the pages, so that a job with pictures is laid out.
    """
    request = job.full_request
    if request.picture_formats or request.outputs != request.formats:
        for name, result in name_prints(job, print_request(request, context)):
            yield from (f"{name}{part.tail}.{part.format}" for part in result.parts())
        return
    prints = list(_print_words(job, context.rulesets))
    several = len(prints) > 1
    for number, words in enumerate(prints, start=1):
        words |= {"entry": job.entry, "n": str(number if several else job.number)}
        for kind in job.request.formats:
            yield f"{output_name(job.name, words, several=several)}.{kind}"


def _print_words(job: Job, rulesets: RulesetCache) -> Iterator[dict[str, str]]:
    """Yield the words for the name of each print of a job, as the job itself would set them."""
    request = job.full_request
    first, kind = Path(request.of[0]).stem, find_kind(request.kind)
    if job.row is not None:
        cells = dict(job.row[1])
        yield {"stem": first, "name": cells.get("name", ""), **cells}
    elif request.joined:
        yield {"stem": first} | _ruleset_words(job, rulesets, kind.name, "ruleset")
    elif kind.job == "file":
        for one in load_file(Path(request.of[0]), rulesets):
            names = {"ruleset": str(one.rules.id)} if one.rules is not None else {}
            name = raw_text(one.source.get(kind.title_key)) if one.source is not None else ""
            yield {"stem": first, "name": name or first, **names}
    elif kind.job == "entry":
        words = _ruleset_words(job, rulesets, kind.name, "name", "ruleset")
        part = request.of_kind if isinstance(request, CardRequest) else ""
        part = part or kind.name
        stem = "-".join(dict.fromkeys([first, part, kind.name]))
        yield {"name": first, **words, "kind": part, "stem": stem}
    else:
        words = _ruleset_words(job, rulesets, kind.word)
        yield {"stem": f"{first}-{kind.word}", "name": first, **words}


def _ruleset_words(job: Job, rulesets: RulesetCache, what: str, *only: str) -> dict[str, str]:
    """Return `name_words` of the ruleset that a job prints, all or `only` some of them."""
    request = job.full_request
    path = Path(request.of[-1])
    if path.is_file() or (path.is_dir() and not is_ruleset(path)):
        rules = next((one.ruleset or one.rules for one in load_file(path, rulesets)), None)
    else:
        found = find_ruleset(request.of[-1], request.place, Path(request.beside)).value
        switches = switches_of(None, dict(request.options))
        rules = rulesets.load(found, switches).value if found is not None else None
    words = name_words(rules, what) if rules is not None else {}
    return {key: words[key] for key in only or words if key in words}
