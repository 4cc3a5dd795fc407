"""Print what a preview shows, and answer its forms. Each runs in a process of its own."""

from __future__ import annotations

import base64
import hashlib
import html
import io
import os
import pkgutil
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

from sheetgen.books.planning import plan_book
from sheetgen.books.workers import failed_print
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span, excerpt_of, finding_data, in_order, split_lines
from sheetgen.diag.words import begin_run
from sheetgen.finish.pictures import open_pages
from sheetgen.load import characters
from sheetgen.load import files as loading
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.requests import CardRequest, FileFormat, PrintRequest, RequestT
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import ScalarNode
from sheetgen.plan.pages.screens import list_panel_names
from sheetgen.prints.cards import CARD_KIND
from sheetgen.prints.encounter import ENCOUNTER_KIND, EncounterRequest
from sheetgen.prints.kinds import PrintContext, PrintKind, PrintResult, find_kind, print_request
from sheetgen.prints.odds import ODDS_KIND, OddsRequest
from sheetgen.prints.sheet import BLANK_KIND, SHEET_KIND, BlankRequest, SheetRequest
from sheetgen.prints.tables import SCREEN_KIND, TABLE_KIND, ScreenRequest, TableRequest
from sheetgen.records import frozen
from sheetgen.registry import find_hook, prints

FORMATS: Final = ("html", "pdf")
PICTURE: Final = "image/png"
PAGE: Final = "text/html"

_MOST_PAGES: Final = 60  # Pages of a PDF that are shown
_MOST_FINDINGS: Final = 200
_MOST: Final = 2_000  # Files of a folder that are listed
RULESET: Final = "ruleset"

_KIND: Final = re.compile(r"^kind[ \t]*:[ \t]*[\"']?(?P<kind>\w+)", re.MULTILINE)
"""The kind that a file names."""
_ORDER: Final = (RULESET, characters.BOOK, characters.ENCOUNTER, characters.CHARACTER)
_OWNED: Final = ("choices", "gear")  # Parts of a ruleset of which a character has some
_META: Final = re.compile(rb'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
STYLE: Final = re.compile(rb"<style>.*?</style>", re.DOTALL)
_FRAMED: Final = "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"
"""The frame is an origin of its own: scripts in it cannot reach the page or the server."""


@frozen
class PreviewRequest:
    """What a page shows."""

    # entry, choice: Ids; empty, or one that is not there any more, for the first.
    entry: str = ""
    choice: str = ""
    format: str = "html"
    part: int = 0  # The number of the print, from 0, of a file that becomes several.
    dpi: int = 110
    # Unsaved texts by the real paths of their files.
    unsaved: Mapping[str, str] = field(default_factory=dict, compare=False, hash=False)


@frozen
class PreviewContent:
    """An HTML print, or the picture of a page; width and height in points, 0 for HTML."""

    digest: str
    type: str
    data: bytes
    width: float = 0
    height: float = 0


@frozen
class PreviewResult:
    """A print for the page, and its findings. Plain data."""

    facts: Mapping[str, Any]  # What the page shows besides the content, for JSON.
    content: tuple[PreviewContent, ...] = ()  # Empty if nothing was printed.
    states: Mapping[str, loading.FileState] = field(default_factory=dict)  # Of its files.


def text_digests(unsaved: Mapping[str, str]) -> dict[str, str]:
    """Return the digests of unsaved texts, by path."""
    texts = {path: text.encode("utf-8", "replace") for path, text in unsaved.items()}
    return {path: hashlib.sha256(content).hexdigest() for path, content in texts.items()}


class Previewer:
    """Prints the entries of a file, folder or book; keeps what prints read until it changes."""

    NAME: Final = "this print"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._list = EntryList(path)
        self._seen: dict[str, PreviewEntry] = {}
        self._choices: dict[str, tuple[frozenset[str], tuple[PreviewChoice, ...]]] = {}
        self._context = PrintContext()
        self._states: dict[str, loading.FileState] = {}
        self._own: set[str] = set()

    @staticmethod
    def refuse(finding: Finding) -> PreviewResult:
        """Return the answer to a request that cannot be answered."""
        return PreviewResult({"findings": show_findings([finding])})

    def answer(self, request: PreviewRequest) -> PreviewResult:
        """Return the print that a request asks for."""
        start, since = time.perf_counter(), time.time_ns()
        begin_run()
        unsaved = text_digests(request.unsaved)
        with loading.read_unsaved(request.unsaved):
            was = self._states.items()
            changed = {path for path, state in was if loading.file_state(path, unsaved) != state}
            if changed <= self._own:
                self._states = {path: state for path, state in was if path not in changed}
            else:  # all that was made from shared files is made anew
                self._context, self._states, self._own = PrintContext(), {}, set()
                known = self._choices.items()
                self._choices = {id_: (frozenset("?"), choices) for id_, (_, choices) in known}
            self._list.refresh(unsaved, since)
            self._seen |= self._list.entries
            entry = self._seen.get(request.entry or next(iter(self._list.entries), ""))
            if entry is None:
                message = "there is nothing here that can be printed"
                hint = "write a character with `sheetgen new character`, or name another folder"
                nothing = Finding(codes.EMPTY, Span(str(self._path)), message, hint)
                findings = self._list.findings or (nothing,)
                facts: dict[str, Any] = {"findings": show_findings(findings)}
                content: tuple[PreviewContent, ...] = ()
            else:
                facts, content = self._preview_entry(entry, request, unsaved, since)
        facts["entries"] = [[one.id, one.label or one.sort] for one in self._list.entries.values()]
        facts["seconds"] = time.perf_counter() - start
        return PreviewResult(facts, content, {**self._list.watched, **self._states})

    def _preview_entry(
        self, entry: PreviewEntry, request: PreviewRequest, unsaved: Mapping[str, str], since: int
    ) -> tuple[dict[str, Any], tuple[PreviewContent, ...]]:
        prints: list[PrintResult] = []
        findings: list[Finding] = []
        content: tuple[PreviewContent, ...] = ()
        with loading.record_reads() as reads:
            listed = self._list_choices(entry, frozenset())
            choice = next((one for one in listed if one.id == request.choice), listed[0])
            own = choice.request
            formats = ("pdf",) if own.joined else find_kind(own.kind).formats
            format_ = request.format if request.format in formats else formats[0]
            try:
                prints.extend(print_request(replace(own, formats=(format_,)), self._context))
                done = [one for one in prints if one.files]
                for one in done[request.part : request.part + 1] or done[:1]:
                    content = tuple(_render(one.files, request.dpi))
            except Exception as error:  # noqa: BLE001 - the page shows it, and follows on
                findings.append(failed_print(Span(str(entry.path)), error))
            inputs = frozenset(folder for one in prints for folder in one.inputs)
            choices = self._list_choices(entry, inputs)
        # Record the states of the files that it read, and of the folders of shared ones.
        stock = isinstance(own, CardRequest) and not own.of_kind
        folders = tuple(os.path.realpath(folder) + os.sep for folder in inputs if stock)
        self._own |= {path for path in own.of if not os.path.realpath(path).startswith(folders)}
        shared = {os.path.dirname(path) or os.curdir for path in reads if path not in self._own}
        for path in (*reads, *shared):
            if path not in self._states:
                self._states[path] = loading.file_state(path, unsaved, since)
        findings += [finding for one in prints for finding in one.findings]
        findings += self._list.findings if entry.request is not None else ()
        return {
            "entry": entry.id,
            "form": is_form(entry),
            "choice": choice.id,
            "choices": [[one.id, one.label] for one in choices],
            "format": format_,
            "formats": formats,
            "parts": [one.words.get("name") or one.stem for one in prints if one.files],
            "findings": show_findings(findings),
        }, content

    def _list_choices(
        self, entry: PreviewEntry, inputs: frozenset[str]
    ) -> tuple[PreviewChoice, ...]:
        """Return the prints of an entry; listed again for another ruleset, or one that changed."""
        if entry.request is not None:
            return list_choices(entry, self._context.rulesets)
        known, choices = self._choices.get(entry.id, (None, ()))
        if known is None or (inputs and inputs != known):
            listed = list_choices(entry, self._context.rulesets)
            # A ruleset that cannot be read for the moment still has its prints.
            choices = listed if len(listed) > 1 or not choices else choices
            self._choices[entry.id] = inputs, choices
        return choices


def _render(files: Mapping[FileFormat, bytes], dpi: int) -> Iterator[PreviewContent]:
    """Yield the HTML among `files`, or the pages of the PDF as pictures."""
    if "html" in files:
        digest = hashlib.sha256(files["html"]).hexdigest()[:32]
        yield PreviewContent(digest, PAGE, files["html"])
        return
    with open_pages(files["pdf"]) as pages:
        for number in range(min(len(pages), _MOST_PAGES)):
            out = io.BytesIO()
            pages.render(number, dpi).save(out, "PNG", compress_level=1)  # fast: it stays here
            digest = hashlib.sha256(out.getvalue()).hexdigest()[:32]
            yield PreviewContent(digest, PICTURE, out.getvalue(), *pages.size(number))


def show_findings(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return findings as data, with the authors' lines and what their codes mean."""
    lines: dict[str, list[str]] = {}
    shown = []
    for finding in in_order(findings)[:_MOST_FINDINGS]:
        file = finding.span.file
        if file not in lines:
            read = (
                loading.read_text(Path(file))
                if file.endswith((*loading.SUFFIXES, ".csv"))
                else None
            )
            lines[file] = split_lines(read.value[0]) if read and read.value else []
        about = {"excerpt": excerpt_of(finding, lines[file]), "about": finding.code.about}
        shown.append(finding_data(finding) | about)
    return shown


@frozen
class PreviewChoice:
    """A print of an entry, by an id that is unique in it."""

    id: str
    label: str
    request: PrintRequest


@frozen
class PreviewEntry:
    """A file, a ruleset or a job of a book."""

    id: str  # Its path relative to the folder, the job's id, or of a row its entry and number.
    sort: str  # The type of the file, RULESET, or BOOK for a job, which has a request.
    path: Path
    request: PrintRequest | None = None
    label: str = ""  # What the page calls it: a kind, a type, or a row's first cell.


class EntryList:
    """The entries of a file, folder or book. Files are only read again if they have changed."""

    def __init__(self, path: Path) -> None:
        self.entries: dict[str, PreviewEntry] = {}  # by their ids
        self.findings: tuple[Finding, ...] = ()  # about the books among them
        self.watched: dict[str, loading.FileState] = {}  # what it was made from: files and folders
        self._path = path
        real = os.path.realpath(path)
        self._folder = os.path.join(real if os.path.isdir(path) else os.path.dirname(real), "")
        self._types: dict[tuple[str, loading.FileState], str] = {}

    def refresh(self, unsaved: dict[str, str], since: int) -> None:
        """Make the list again if a file or folder changed; see `file_state`."""
        known = self.watched
        if known and all(
            loading.file_state(path, unsaved) == state for path, state in known.items()
        ):
            return
        self.findings, self.watched = (), {}
        paths = [Path(one) for one in islice(self._files(), _MOST)]
        watched = {str(self._path), *(str(path.parent) for path in paths), *map(str, paths)}
        self.watched = {path: loading.file_state(path, unsaved, since) for path in sorted(watched)}
        with loading.record_reads() as read:  # a book reads tables of rows, too
            found = [entry for path in paths for entry in self._entries_of(path)]
        more = (path for path in map(os.path.abspath, read) if path not in self.watched)
        self.watched |= {path: loading.file_state(path, unsaved, since) for path in more}
        book = characters.BOOK  # whose entries keep their order
        found.sort(key=lambda one: (_ORDER.index(one.sort), one.id * (one.sort != book)))
        self.entries = {entry.id: entry for entry in found}

    def _files(self) -> Iterator[Path]:
        path = self._path
        if os.path.isdir(path) and os.path.isfile(path / characters.BOOK_FILE):
            yield path / characters.BOOK_FILE
            return
        sort = characters.find_file_type(path) if not os.path.isdir(path) else ""
        top = (characters.find_ruleset_above(path) if sort == characters.PART else None) or path
        real = self._folder if top == path else os.path.join(os.path.realpath(top), "")
        for file in loading.yaml_files(top):
            # A folder from somebody else may hold links to files that are none of theirs.
            if os.path.realpath(file).startswith(real):
                yield file

    def _entries_of(self, path: Path) -> Iterator[PreviewEntry]:
        key = str(path), self.watched[str(path)]
        if key not in self._types:
            self._types[key] = characters.find_file_type(path)
        sort = self._types[key]
        if sort == characters.BOOK:
            plan = plan_book(path)
            self.findings += tuple(plan.findings)
            for job in islice(plan.jobs, _MOST):
                # The id of a job changes with its row; the page follows the row of a number.
                id_ = f"{job.entry}/{job.number}" if job.row else job.id
                cells = (text for _, text in job.row[1] if text) if job.row else ()
                yield PreviewEntry(id_, sort, path, job.full_request, next(iter(cells), ""))
        elif sort == characters.PART:
            if (folder := characters.find_ruleset_above(path)) is not None:
                yield PreviewEntry(self._id(folder), RULESET, folder)
        elif sort in (characters.CHARACTER, characters.ENCOUNTER):
            named = _KIND.search(read.value[0]) if (read := loading.read_text(path)).value else None
            label = named["kind"].replace("_", " ") if named is not None else sort
            yield PreviewEntry(self._id(path), sort, path, label=label)

    def _id(self, path: Path) -> str:
        top = self._path if os.path.isdir(self._path) else self._path.parent
        name = os.path.relpath(path, top)
        return os.path.basename(os.path.abspath(path)) if name == os.curdir else name


def is_form(entry: PreviewEntry) -> bool:
    """Whether an entry is a file that can be filled in as a form."""
    own = entry.request is None and find_hook("form") is not None
    return own and entry.sort == characters.CHARACTER


class FormList:
    """Answers requests about files, each named by the id of its entry; needs a plug-in with forms.

    `{"do": "files"}` lists the files; all other requests are for the form of `entry`.
    """

    NAME: Final = "this"

    def __init__(self, path: Path) -> None:
        self._list = EntryList(path)
        self._forms: dict[Path, Any] = {}

    @staticmethod
    def refuse(finding: Finding) -> Mapping[str, Any]:
        """Return the answer to a request that cannot be answered."""
        return {"refused": finding.message}

    def answer(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a request; if there is none, `refused` says why."""
        self._list.refresh({}, time.time_ns())
        entries = {id_: one for id_, one in self._list.entries.items() if is_form(one)}
        if request.get("do") == "files":
            return {"files": [*entries]}
        entry = entries.get(str(request.get("entry")))
        if entry is None:
            return {"refused": "this file is not there any more"}
        if entry.path not in self._forms:
            self._forms[entry.path] = find_hook("form")(entry.path)
        answer: Mapping[str, Any] = self._forms[entry.path].answer(request)
        return answer


def list_choices(
    entry: PreviewEntry, rulesets: characters.RulesetCache
) -> tuple[PreviewChoice, ...]:
    """Return the prints of an entry, the usual one first; only that if its ruleset has errors."""
    if entry.request is not None:
        kind = find_kind(entry.request.kind)
        return (PreviewChoice(kind.name, kind.title, entry.request),)
    if entry.sort == RULESET:
        folder = os.path.join(os.curdir, entry.path)
        rules = load_ruleset(entry.path, complete=True).value
        blank = _choice(BLANK_KIND, BlankRequest((folder,), calc=False))
        return (blank, *(_of_ruleset(rules, folder) if rules else ()))
    file = str(entry.path)
    kinds = [find_kind(name) for name in prints()]
    more = [_choice(kind, kind.request((file,))) for kind in kinds if kind.of_any_file]
    if entry.sort == characters.ENCOUNTER:
        return _choice(ENCOUNTER_KIND, EncounterRequest((file,))), *more
    loaded = characters.load_file(entry.path, rulesets)[0]
    sheet = _choice(SHEET_KIND, SheetRequest((file,), calc=False))
    if loaded.kind is not None:
        own = () if loaded.kind.card else (sheet,)
        return (_choice(CARD_KIND, CardRequest((file,))), *own, *more)
    # Cards of what the character has, and the tables, screen and odds of its ruleset.
    of_rules: list[PreviewChoice] = []
    named = loaded.source.get("ruleset") if loaded.source is not None else None
    if loaded.rules is not None and isinstance(named, ScalarNode):
        folders = tuple(Path(origin.folder) for origin in loaded.rules.composition.origins)
        if (rules := load_ruleset(folders, complete=True).value) is not None:
            for id_, cards in rules.card_sets.items():
                if any(str(of).partition(".")[0] in _OWNED for of in cards.of):
                    request = CardRequest((file,), of_kind=str(id_))
                    of_rules.append(_choice(CARD_KIND, request, cards.label))
            others = _of_ruleset(rules, named.raw, str(Path(file).parent))
            of_rules += (one for one in others if not isinstance(one.request, CardRequest))
    return (sheet, *of_rules, *more)


def _of_ruleset(rules: Ruleset, name: str, beside: str = os.curdir) -> Iterator[PreviewChoice]:
    """Yield what a ruleset prints besides an empty sheet, if it has the data for it."""
    for id_, kind in rules.kinds.items():
        if kind.folder and os.path.isdir(Path(rules.place.file).parent / kind.folder):
            yield _choice(CARD_KIND, CardRequest((name,), of_kind=str(id_)), kind.label)
    for id_, cards in rules.card_sets.items():
        yield _choice(CARD_KIND, CardRequest((name,), of_kind=str(id_)), cards.label)
    if rules.references:
        yield _choice(TABLE_KIND, TableRequest((name,), beside=beside))
    if list_panel_names(rules):
        yield _choice(SCREEN_KIND, ScreenRequest((name,), beside=beside))
    if rules.odds is not None and rules.odds.grids:
        yield _choice(ODDS_KIND, OddsRequest((name,), beside=beside))


def _choice(kind: PrintKind[RequestT], request: RequestT, label: str = "") -> PreviewChoice:
    of_kind = isinstance(request, CardRequest) and request.of_kind
    id_ = f"{kind.name}-{of_kind}" if of_kind else kind.name
    return PreviewChoice(id_, label[:1].upper() + label[1:] or kind.title, request)


@cache
def page_file(name: str) -> bytes:
    """Return one of the preview's own files."""
    data = pkgutil.get_data(__package__, f"page/{name}")
    assert data is not None
    return data


def read_policy(content: bytes) -> str:
    """Return the policy of an HTML print; prints of one policy have equal styles and scripts."""
    found = _META.search(content)
    return html.unescape(found[1].decode()) if found is not None else ""


def frame_print(content: bytes) -> tuple[bytes, str]:
    """Return a print with the script that keeps its scroll place, and its policy with that."""
    script = page_file("frame.js")
    digest = base64.b64encode(hashlib.sha256(script).digest()).decode()
    found = _META.search(content)
    own = read_policy(content) or "default-src 'none'"
    rules = [rule.strip() for rule in own.split(";") if rule.strip()]
    scripts = next((rule for rule in rules if rule.startswith("script-src ")), "script-src")
    rules = [*(rule for rule in rules if rule != scripts), f"{scripts} 'sha256-{digest}'"]
    at = found.start() if found is not None else 0
    element = b"<script>" + script + b"</script>"  # its own policy begins behind it
    return content[:at] + element + content[at:], "; ".join((*rules, _FRAMED))
