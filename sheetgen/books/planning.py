"""Plan a book: list its jobs, and how their outputs are named."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PureWindowsPath
from typing import Any, Final, cast

from sheetgen.books.storage import Storage, is_store_address
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Refused, Severity, Span, errors
from sheetgen.diag.words import suggestion
from sheetgen.load.books import find_matching_files, read_book
from sheetgen.load.characters import BOOK_FILE, RulesetCache, load_file
from sheetgen.load.designs.designs import load_presets
from sheetgen.load.designs.templates import STANDARD, theme_ids
from sheetgen.load.designs.themes import is_own_theme
from sheetgen.load.files import note_read, record_reads
from sheetgen.load.rows import Cells, check_rows, is_csv, is_table, read_csv
from sheetgen.load.rulesets.rulesets import find_ruleset
from sheetgen.model import requests
from sheetgen.model.books import Book, BookEntry, CombinedFile, Job, PrintOptions, Rows
from sheetgen.model.designs import Preset
from sheetgen.model.pictures import Picture
from sheetgen.model.source import Text
from sheetgen.plan.imposition import (
    CARDS,
    MOST_BLEED,
    MOST_GUTTER,
    Misfit,
    parse_bounded_length,
    parse_grid,
)
from sheetgen.prints.kinds import PrintKind, find_kind, find_option_conflicts
from sheetgen.registry import deck_formats, prints, require_hook
from sheetgen.rules.index import closest_names, file_stem
from sheetgen.write import Spool, portable_name, stays_inside


@dataclass(slots=True)
class BookPlan:
    """The jobs and combined files of a book."""

    # Identifies the book in an output folder, for shards too: title, or folder, and file.
    name: str
    folder: Path  # Paths in the book are relative to it.
    out: Storage  # Where the outputs are.
    jobs: Jobs
    title: str = ""
    combined_files: list[CombinedFile] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    incomplete: set[str] = field(default_factory=set)  # Entries that lack jobs.
    closed: bool = False  # Whether nothing is built: its own `out` is not inside its folder.
    pictures: tuple[tuple[str, Picture], ...] = ()  # Its own logo, cover and backs.
    reads: set[str] = field(default_factory=set)  # Paths of the files that were read for the plan.
    defaults: PrintOptions = field(default_factory=PrintOptions)
    strict: bool = False  # Whether prints with warnings are left out.
    readable: Sequence[str] = ()  # Addresses in object stores that may be read.


def plan_book(
    path: Path, out: Storage | None = None, *, strict: bool = False, readable: Sequence[str] = ()
) -> BookPlan:
    """Return the plan of the book at `path`: its file, or a folder with a `book.yaml`.

    `out` replaces its own folder; its `rows` may name what is at `readable` addresses.
    """
    with record_reads() as reads:
        plan = _plan_book(path, out, strict, readable)
    plan.reads |= reads
    for name in reads:
        note_read(Path(name))
    return plan


def _plan_book(path: Path, out: Storage | None, strict: bool, readable: Sequence[str]) -> BookPlan:
    file = path / BOOK_FILE if os.path.isdir(path) else path
    read = read_book(path)
    folder = file.parent
    book = read.value
    usual = Text(f"{file.stem}-output", Span(str(file)))
    own_out = (book.out if book else None) or usual
    wrong = None
    if out is None:  # a book may be a stranger's: only the command line names other places
        normal = os.path.normpath(own_out)
        windows = PureWindowsPath(normal)  # knows slashes of both kinds
        message, hint = "", "name a folder inside the book's, or another with `--out`"
        if is_store_address(own_out):
            message, hint = "a book names a folder beside it", "name the store with `--out`"
        elif windows.anchor or ".." in windows.parts or own_out.startswith("~"):
            message = f"`{own_out}` is no folder inside the book's folder; nothing is written"
        elif normal != os.curdir and not stays_inside(folder, f"{normal}/"):
            message = f"a link leads `{own_out}` out of the book's folder; nothing is written"
            hint = "remove the link, or name its folder with `--out`"
        wrong = Finding(codes.CANNOT_WRITE, own_out.span, message, hint) if message else None
    title = book.title if book and book.title else Path(os.path.abspath(folder)).name
    name = f"{title}/{file.name}"
    own = folder / os.path.normpath(usual if wrong else own_out)
    plan = BookPlan(name, folder, out or Storage(own), Jobs(folder), closed=bool(wrong))
    plan.findings += [*read.findings, *([wrong] if wrong else [])]
    if book is None:
        return plan
    plan.title = book.title or file.stem
    keys = [key for key in ("logo", "cover", "back", "scene") if getattr(book, key) is not None]
    if keys:
        from sheetgen.load.pictures import find_brand_pictures  # Most books have none.

        found = find_brand_pictures(keys, (book,))
        plan.findings += found.findings
        plan.pictures = tuple((found.value or {}).items())
    plan.defaults, plan.strict, plan.readable = book.defaults or PrintOptions(), strict, readable
    ids: list[str] = []  # unique; of an entry without one, its kind of print
    for number, entry in enumerate(book.entries, start=1):
        id_ = str(entry.id or next(iter(entry.prints), "entry"))
        if id_ in ids and entry.id:
            message, hint = f"two entries have the id `{id_}`", "rename one of the two"
            plan.findings.append(Finding(codes.REPEATED_KEY, entry.id.span, message, hint))
        ids.append(id_ if id_ not in ids else f"{id_}-{number}")
    for id_, entry in zip(ids, book.entries, strict=True):
        for number, job in enumerate(_entry_jobs(id_, entry, plan, file), start=1):
            plan.jobs.append(dataclasses.replace(job, number=number))
    if book.sold or book.licence is not None:
        plan.findings += dict.fromkeys(_check_licences(book, plan))
    titles = {id_: entry.title for id_, entry in zip(ids, book.entries, strict=True)}
    for number, combined in enumerate(book.combined, start=1):
        for part in (one for one in combined.of if one not in titles):
            message, hint = f"there is no entry `{part}`", suggestion(str(part), titles, "entries")
            plan.findings.append(Finding(codes.DANGLING, part.span, message, hint))
        plan.findings += check_pattern(combined.name, columns=False)
        of = tuple(str(one) for one in combined.of if one in titles) or tuple(titles)
        cover, pattern = combined.cover, str(combined.name).removesuffix(".pdf")
        title = combined.title or (cover.title if cover else "") or plan.title
        name = fill_pattern(pattern, {"entry": f"combined-{number}"})
        shown = title, cover, combined.numbers, tuple(titles[id_] for id_ in of), combined.duplex
        plan.combined_files.append(
            CombinedFile(f"combined/{name}", name, combined.name.span, of, *shown)
        )
    return plan


def _check_licences(book: Book, plan: BookPlan) -> Iterator[Finding]:
    """Yield findings about rules and packs whose licences do not fit how a book is published."""
    cache = RulesetCache()
    for job in plan.jobs:
        for name in job.of:
            # Names that are none, and files that cannot be read, are reported elsewhere.
            found = find_ruleset(name, job.place, plan.folder).value
            loaded = [cache.load(found).value] if found is not None else []
            loaded = loaded or [one.rules for one in load_file(Path(name), cache)]
            for rules in (one for one in loaded if one is not None):
                for licence in rules.credit.licence.split(" AND "):
                    choices = licence.strip("()").split(" OR ")
                    misfits = [[*_find_misfits(one, book)] for one in choices]
                    for message, hint in misfits[0] if all(misfits) else ():
                        message = f"{rules.title} {message}"
                        yield Finding(codes.WRONG_LICENCE, job.place, message, hint)


def _find_misfits(licence: str, book: Book) -> Iterator[tuple[str, str]]:
    """Yield why a book cannot have what is under a licence, and what to do."""
    # Licences of Creative Commons name their terms: NC is for no sale, SA for the same licence.
    terms, own, ask = licence.split("-"), str(book.licence or ""), "leave it out, or ask its author"
    if licence == UNLICENSED:
        yield "states no licence, so that nobody may publish it", ask
    if "NC" in terms and book.sold:
        yield f"is under {licence}, which forbids selling, and this book is `sold: true`", ask
    if own and licence not in own.split(" AND "):
        if "SA" in terms:
            hint = f"write `licence: {licence}`, or leave it out"
            yield f"and what is made of it are under {licence}, and this book is under {own}", hint
        elif "NC" in terms and "NC" not in own.split("-"):
            hint = f"choose a licence with NC, such as {licence}"
            yield f"is under {licence}, which forbids selling, and {own} allows it", hint


def _entry_jobs(id_: str, entry: BookEntry, plan: BookPlan, file: Path) -> Iterator[Job]:
    sorts = [sort for sort, values in entry.prints.items() if values]
    named = entry.prints[sorts[0]][0] if sorts else entry.template or entry.id or None
    place = named.span if named is not None else Span(str(file))
    before = len(plan.findings)
    rows_of = next(name for name in prints() if find_kind(name).joins)
    sorts += [rows_of] if entry.rows is not None else []
    if not sorts and errors(plan.findings):
        plan.incomplete.add(id_)  # an unknown key of it is reported already
        return
    if len(sorts) != 1:
        message = f"the entry `{id_}` needs one of the keys {', '.join(prints())}"
        hint = "make two entries of it" if sorts else f"write `{rows_of}: …`, or `rows: …`"
        plan.findings.append(Finding(codes.MISSING_KEY, place, message, hint))
        plan.incomplete.add(id_)
        return
    defaults, beside = plan.defaults, str(plan.folder)
    of = sorts[0], entry, defaults, place, beside
    request, wrong = build_entry_request(*of, strict=plan.strict)
    request = dataclasses.replace(request, pictures=plan.pictures)
    rows = sorts[0] == rows_of and (entry.template is not None or entry.rows is not None)
    plan.findings += [*wrong, *check_pattern(entry.name, columns=rows)]
    sound = not errors(plan.findings[before:])
    # An entry with errors is split too, to find all mistakes at once.
    yield from (job for job in _split(id_, entry, request, plan) if sound)
    if errors(plan.findings[before:]):
        plan.incomplete.add(id_)


def _split(
    id_: str, entry: BookEntry, request: requests.PrintRequest, plan: BookPlan
) -> Iterator[Job]:
    values, kind = entry.prints.get(request.kind, ()), find_kind(request.kind)
    name = str(entry.name) if entry.name else ""
    if entry.rows is not None:
        yield from _row_jobs(id_, entry.rows, entry, request, plan)
        return
    if kind.job == "entry" or request.joined:
        of: list[str] = []
        for text in values:  # of cards or pieces: a ruleset as it is named, or files
            folder = plan.folder
            if kind.job != "entry" or find_ruleset(text, text.span, folder).value is None:
                of += _paths(text, plan)
            else:
                is_path = "/" in text or text.startswith(".")  # the book's own folder is `.`
                of.append(os.path.join(folder, text) if is_path else str(text))
        if of:
            usual = "{entry}" if request.joined else "{stem}"
            yield Job(id_, id_, request, tuple(of), request.place, name or usual)
        return
    if kind.job == "ruleset":
        for ruleset in values:
            own, one = f"{id_}/{ruleset}", (str(ruleset),)
            yield Job(own, id_, request, one, ruleset.span, name or "{stem}")
        return
    paths = {path: text for text in values for path in _paths(text, plan)}
    for path, text in paths.items():
        if is_table(path) and kind.joins:
            table = Rows(file=Text(os.path.relpath(path, plan.folder), text.span))
            yield from _row_jobs(id_, table, entry, request, plan)
        else:
            own = plan.jobs.id(id_, path)
            yield Job(own, id_, request, (path,), text.span, name or "{stem}")


def _paths(text: Text, plan: BookPlan) -> tuple[str, ...]:
    found = find_matching_files(text, plan.folder)
    plan.findings += found.findings
    return found.value or ()


UNLICENSED: Final = "none stated"  # The licence of rules whose source states none.
_OPTIONS: Final = (
    *("paper", "theme", "flatten", "calc", "archive", "draft", "size", "grid", "gutter", "bleed"),
    *("backs", "single", "marks", "qr"),
)
"""Options that an entry takes from its printer or its book if it does not set them."""

_PICTURE_OPTIONS: Final = ("dpi", "transparent", "each", "base_url")  # an entry's, or its book's
_CHOSEN: Final = (  # Keys of an entry that only some kinds of print read.
    *("kind", "group", "only", "copies", "template", "size", "grid", "gutter", "bleed", "backs"),
    *("single", "marks", "flatten", "calc", "qr", "draft", "all_"),
)


def build_entry_request(
    name: str, entry: BookEntry, defaults: PrintOptions, place: Span, beside: str, *, strict: bool
) -> tuple[requests.PrintRequest, list[Finding]]:
    """Return the print request of an entry, without its files, and findings about its options.

    A preset that the entry names takes precedence over `defaults`, one that the book names does
    not. Names of rulesets are relative to the folder `beside`.
    """
    findings: list[Finding] = []
    kind = find_kind(name)
    preset = _known(entry.for_ or defaults.for_, load_presets(), "preset", findings)
    asked = dict.fromkeys(entry.to or defaults.to or (Text("pdf", place),))
    known = ("pdf", "html", *requests.PICTURES, *deck_formats())
    names = [_known(one, known, "file format", findings) for one in asked]
    formats, decks = requests.file_formats(names), requests.deck_names(names)
    if entry.joined and kind.joins:  # sheets that are joined are a PDF, never a page of HTML
        formats = ("pdf", *(one for one in formats if one in requests.PICTURES))
        decks = ()
    findings += [*_misfits(entry), *_misfits(defaults)]
    if entry.joined and not kind.joins:
        message = f"`joined` has no effect on {kind.name}: only sheets are joined"
        hint = "name the entry under `combined` to get one PDF"
        findings.append(Finding(codes.UNKNOWN_KEY, place, message, hint))
    given = replace(entry, to=tuple(Text(name, place) for name in names))
    merged = _merge_options(given, defaults, kind, load_presets().get(preset), beside, findings)
    options = {**defaults.options, **entry.options}

    def build(one: BookEntry) -> requests.PrintRequest:
        shared = requests.SharedOptions(
            place=place,
            beside=beside,
            formats=formats,
            paper=requests.choose(one.paper, kind.papers, "a4"),
            theme=str(one.theme or STANDARD),
            preset=preset,
            archive=bool(one.archive),
            strict=strict,
            dpi=one.dpi or 300,
            transparent=bool(one.transparent),
            options=tuple(sorted((str(key), value) for key, value in options.items())),
        )
        request: requests.PrintRequest = kind.read_entry(one, shared)
        return request

    plain = replace(merged, dpi=None, transparent=None, each=None, base_url=None)
    for name in _PICTURE_OPTIONS:
        value = getattr(defaults, name)
        if value is None or getattr(entry, name) is not None:
            continue
        # What a book sets for other entries has no effect here.
        if not find_option_conflicts(kind, build(replace(plain, **{name: value}))):
            merged = replace(merged, **{name: value})
    request = build(merged)
    seen: set[str] = {"template"} if kind.joins else set()  # rows are read before their prints

    class Recorder:
        def __getattr__(self, key: str) -> Any:
            seen.add(key)
            return getattr(entry, key)

    build(cast("BookEntry", Recorder()))
    for key in _CHOSEN:  # that its kind of print does not read
        value = getattr(entry, key)
        is_set = value not in (None, "", ()) and (key != "copies" or value > 1)
        if is_set and key not in seen:
            span = value.span if isinstance(value, Text) else place
            message = f"`{key.rstrip('_')}` has no effect on {kind.name}"
            unread = Finding(codes.UNKNOWN_KEY, span, message, "leave it out", Severity.WARNING)
            findings.append(unread)
    foreign: list[tuple[str, str]] = []  # options that only cards have
    if decks:
        message = f"{decks[0]} is a format of cards; there is none of {kind.name}"
        foreign.append((message, "choose png, or another format"))
    if entry.each:
        message = f"only cards have a picture each; {kind.name} have one a page"
        foreign.append((message, "leave out `each`"))
    if entry.base_url:
        hint = f"add {' or '.join(deck_formats())}"
        foreign.append(("only decks for online tables have an address", hint))
    if not kind.decks:
        findings += (Finding(codes.NOT_FOR_PICTURES, place, *one) for one in foreign)
    findings += find_option_conflicts(kind, request)
    return request, findings


def _merge_options(
    entry: BookEntry,
    defaults: PrintOptions,
    kind: PrintKind[Any],
    printer: Preset | None,
    beside: str,
    findings: list[Finding],
) -> BookEntry:
    """Return an entry with the options that its printer or its book sets and it does not."""
    usual: dict[str, Any] = {}
    if printer is not None:
        names = printer.sets & {"paper", "theme", "flatten", "single", "marks", "bleed"}
        usual = {name: getattr(printer, name) for name in names}
        usual |= {"bleed": f"{printer.bleed:g}pt"} if "bleed" in names else {}
    known = {"paper": kind.papers, "backs": requests.BACKS} | (
        {} if kind.own_sizes else {"size": CARDS}
    )
    values: dict[str, Any] = {}
    for name in _OPTIONS:
        value = getattr(entry, name)
        if value is None and not (entry.for_ and name in usual):
            value = getattr(defaults, name)
        if value is None:
            value = usual.get(name)
        elif name == "theme":
            if is_own_theme(value):  # the book's own
                own_file = Path(beside) / value
                if not os.path.isfile(own_file):
                    message = f"there is no theme `{value}` beside the book"
                    hint = "name one of `sheetgen list themes`, or a theme's YAML file"
                    findings.append(Finding(codes.UNKNOWN_DESIGN, value.span, message, hint))
                value = str(own_file)
            else:
                value = _known(value, theme_ids(), "theme", findings)
        elif name in known:
            value = _known(value, known[name], name, findings)
        values[name] = value
    own = {"size": entry.size} if kind.own_sizes else {}  # the book's is that of cards
    return replace(entry, **values | own)


def _misfits(options: PrintOptions) -> Iterator[Finding]:
    lengths = {"gutter": ("the gutter", MOST_GUTTER), "bleed": ("the bleed", MOST_BLEED)}
    for name in ("grid", *lengths):
        if (text := getattr(options, name)) is None:
            continue
        try:
            parse_bounded_length(text, *lengths[name]) if name in lengths else parse_grid(text)
        except Misfit as error:
            yield Finding(codes.UNKNOWN_DESIGN, text.span, str(error))


def _known(value: Text | None, known: Iterable[str], what: str, findings: list[Finding]) -> str:
    if value is None:
        return ""
    names = list(known)
    for name in closest_names(value, names):
        return name
    hint = suggestion(str(value), names, f"{what}s")
    message = f"there is no {what} `{value}`"
    findings.append(Finding(codes.UNKNOWN_DESIGN, value.span, message, hint))
    return str(value)


def _row_jobs(
    id_: str, table: Rows, entry: BookEntry, request: requests.PrintRequest, plan: BookPlan
) -> Iterator[Job]:
    """Yield the jobs of the rows of a table, each a sheet, while the table is read."""
    name = table.file or table.database
    place = name.span if name is not None else request.place
    if entry.template is None:
        message = "a table of rows needs a `template`: the file that its rows fill"
        plan.findings.append(Finding(codes.MISSING_KEY, place, message))
        return
    of_query = [one is not None for one in (table.database, table.query)]
    folder, findings = plan.folder, plan.findings
    rows: Iterable[tuple[int, Cells]] = ()
    if any(of_query) if table.file is not None else not all(of_query):
        message, hint = "`rows` needs a file, or a database and a query", "write `rows: people.csv`"
        findings.append(Finding(codes.MISSING_KEY, place, message, hint))
    elif table.file is not None and not is_table(table.file):
        message, hint = "this is not a table of rows", "name a .csv or .parquet file"
        findings.append(Finding(codes.WRONG_TYPE, table.file.span, message, hint))
    elif table.file is not None and is_csv(table.file) and not is_store_address(table.file):
        path = Path(os.path.normpath(folder / table.file))
        rows = check_rows(read_csv(path), str(path), findings)
    else:  # what else has rows is the plug-in `farm`'s
        try:
            rows = require_hook("rows", place)(table, folder, plan.readable, findings)
        except Refused as error:
            findings.append(error.finding)
    template, pattern = folder / entry.template, str(entry.name or "{name}")
    file = Path(name or "")
    seen: set[int] = set()
    copies: Counter[int] = Counter()
    for line, cells in rows:
        digest = hashlib.sha256(repr(cells).encode("utf-8", "replace")).digest()[:8]
        number = int.from_bytes(digest)
        if number in seen:  # identified by its cells: rows may be inserted before it
            copies[number] += 1
        seen.add(number)
        own = f"{id_}/{file.stem}-{digest.hex()}-{copies[number] + 1}"
        row = f"{file.name}:{line}", cells
        yield Job(own, id_, request, (str(template),), entry.template.span, pattern, row=row)


class Jobs:
    """Jobs, created on access: a book may have thousands. What each has of its own is in a file."""

    def __init__(self, folder: Path) -> None:
        """Create an empty list; ids of files are relative to `folder`."""
        self._folder = folder
        self._shared: list[Job] = []
        self._spool = Spool()

    def append(self, job: Job) -> None:
        """Add a job at the end; an `OSError` if there is no room for it."""
        first = self._shared[-1] if self._shared else None
        same = job.entry, job.request, job.place, job.name
        if first is None or (first.entry, first.request, first.place, first.name) != same:
            self._shared.append(job)
        own = len(self._shared) - 1, job.id, job.of, job.number, job.row
        self._spool.append(json.dumps(own).encode())

    def id(self, entry: str, file: str) -> str:
        """Return the id of the job of one file of an entry; moving the book does not change it."""
        relative = file.removeprefix(f"{self._folder}{os.sep}")
        if relative == file:  # the unusual case: `relpath` is slow
            relative = os.path.relpath(file, self._folder)
        return f"{entry}/{relative.replace(os.sep, '/')}"

    def __len__(self) -> int:
        return len(self._spool)

    def __iter__(self) -> Iterator[Job]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, at: int) -> Job:
        if not 0 <= at < len(self):
            raise IndexError(at)
        shared, id_, of, number, row = json.loads(self._spool[at])
        one = self._shared[shared]
        cells = (row[0], tuple((column, cell) for column, cell in row[1])) if row else None
        # `dataclasses.replace` takes six times as long.
        return Job(id_, one.entry, one.request, tuple(of), one.place, one.name, number, cells)


def shard_of(id_: str, count: int) -> int:
    """Return which of `count` shards a job belongs to, counted from 1; it never changes."""
    return int.from_bytes(hashlib.sha256(id_.encode()).digest()[:8]) % count + 1


WORDS: Final = ("stem", "name", "ruleset", "kind", "entry", "n")  # in names, besides columns


def check_pattern(name: Text | None, *, columns: bool) -> Iterator[Finding]:
    """Yield findings about the pattern of a name, in which `columns` of a CSV may be."""
    if name is None:
        return
    try:
        words = [word for _, word, spec, sign in string.Formatter().parse(name) if word is not None]
    except ValueError as error:
        message = f"`{name}` cannot be read: {error}"
        yield Finding(codes.BAD_PATTERN, name.span, message)
        return
    for word in words:
        if word not in WORDS and not columns:
            message, hint = f"no name has a `{{{word}}}`", suggestion(word, WORDS, "words")
            yield Finding(codes.BAD_PATTERN, name.span, message, hint)
    if ".." in Path(name).parts or Path(name).is_absolute() or name.endswith("/"):
        message = "a name stays inside the folder of the outputs"
        yield Finding(codes.BAD_PATTERN, name.span, message, "leave out `..` and `/`")


def fill_pattern(pattern: str, words: Mapping[str, str]) -> str:
    """Return a name that every file system accepts; unknown placeholders are left out."""
    filled = "".join(
        text + (file_stem(words.get(word, ""))[:80] if word is not None else "")
        for text, word, _, _ in string.Formatter().parse(pattern)
    )
    parts = [part.strip(" .-") for part in filled.split("/")]
    return portable_name("/".join(parts)) or "print"


def output_name(pattern: str, words: Mapping[str, str], *, several: bool) -> str:
    """Return the name of a print of a job; with several prints, it contains the print's own."""
    name = fill_pattern(pattern, words)
    if several and name == fill_pattern(pattern, {**words, "name": "", "n": ""}):
        return f"{name}-{fill_pattern('{name}', words)}"
    return name
