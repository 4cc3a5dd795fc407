"""Print what a preview shows. This runs in a process of its own; see `process.py`."""

from __future__ import annotations

import hashlib
import io
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from sheetgen.books.workers import failed_print
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, in_order
from sheetgen.diag.near import begin_run
from sheetgen.diag.show import excerpt_of, finding_data
from sheetgen.diag.spans import Span, split_lines
from sheetgen.finish.pictures.rendering import open_pages
from sheetgen.load.changes import FileState, file_state
from sheetgen.load.files import SUFFIXES, read_text, read_unsaved, record_reads
from sheetgen.model.requests import PrintRequest
from sheetgen.preview.entries import EntryList, PreviewChoice, PreviewEntry, list_choices
from sheetgen.prints.context import PrintContext, PrintResult
from sheetgen.prints.printing import print_request

FORMATS: Final = ("html", "pdf")
PICTURE: Final = "image/png"
PAGE: Final = "text/html"

_MOST_PAGES: Final = 60
"""Pages of a PDF that are shown."""

_MOST_FINDINGS: Final = 200


@dataclass(frozen=True, slots=True)
class PreviewRequest:
    """What a page shows.

    Attributes:
        entry, choice: Ids; empty, or one that is not there any more, for the first.
        format: `html` or `pdf`.
        part: The number of the print, from 0, of a file that becomes several.
        dpi: The resolution of the pages of a PDF.
        unsaved: Unsaved texts by the real paths of their files.
    """

    entry: str = ""
    choice: str = ""
    format: str = "html"
    part: int = 0
    dpi: int = 110
    unsaved: Mapping[str, str] = field(default_factory=dict, compare=False, hash=False)


@dataclass(frozen=True, slots=True)
class PreviewContent:
    """An HTML print, or the picture of a page; width and height in points, 0 for HTML."""

    digest: str
    type: str
    data: bytes
    width: float = 0
    height: float = 0


@dataclass(frozen=True, slots=True)
class PreviewResult:
    """A print for the page, and its findings. Plain data.

    Attributes:
        facts: What the page shows besides the content, for JSON.
        content: Empty if nothing was printed.
        states: The states of all files that the print depends on, when they were read.
    """

    facts: Mapping[str, Any]
    content: tuple[PreviewContent, ...] = ()
    states: Mapping[str, FileState] = field(default_factory=dict)


def text_digests(unsaved: Mapping[str, str]) -> dict[str, str]:
    """Return the digests of unsaved texts, by path."""
    return {
        path: hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
        for path, text in unsaved.items()
    }


class Previewer:
    """Prints the entries of a file, folder or book.

    The context of prints is kept while nothing has changed but files that no context holds.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._list = EntryList(path)
        self._seen: dict[str, PreviewEntry] = {}
        self._choices: dict[str, tuple[frozenset[str], tuple[PreviewChoice, ...]]] = {}
        self._context = PrintContext()
        self._states: dict[str, FileState] = {}
        self._own: set[str] = set()

    def entries(self) -> tuple[str, ...]:
        """Return the ids of all entries."""
        return tuple(self._list.entries)

    def preview(self, request: PreviewRequest) -> PreviewResult:
        """Return the print that a request asks for."""
        start, since = time.perf_counter(), time.time_ns()
        begin_run()
        unsaved = text_digests(request.unsaved)
        with read_unsaved(request.unsaved):
            self._forget_changes(unsaved)
            self._list.refresh(unsaved, since)
            self._seen |= self._list.entries
            entry = self._seen.get(request.entry or next(iter(self._list.entries), ""))
            if entry is None:
                nothing = Finding(codes.EMPTY, Span(str(self._path)), *_NOTHING)
                facts: dict[str, Any] = {
                    "findings": show_findings(self._list.findings or (nothing,))
                }
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
        with record_reads() as reads:
            choice = self._find_choice(entry, request.choice)
            own = choice.request
            formats = ("pdf",) if own.kind == "pieces" or own.joined else FORMATS
            format_ = request.format if request.format in formats else formats[0]
            try:
                prints.extend(print_request(replace(own, formats=(format_,)), self._context))
                done = [one for one in prints if one.files]
                shown = done[request.part : request.part + 1] or done[:1]
                for one in shown:
                    content = render_content(one.files, request.dpi)
            except Exception as error:  # noqa: BLE001 - the page shows it, and follows on
                findings.append(failed_print(Span(str(entry.path)), error))
            inputs = frozenset(folder for one in prints for folder in one.inputs)
            choices = self._list_choices(entry, inputs)
        self._note(reads, own, inputs, unsaved, since)
        findings += [finding for one in prints for finding in one.findings]
        findings += self._list.findings if entry.request is not None else ()
        names = [one.words.get("name") or one.stem for one in prints if one.files]
        return {
            "entry": entry.id,
            "choice": choice.id,
            "choices": [[one.id, one.label] for one in choices],
            "format": format_,
            "formats": formats,
            "parts": names,
            "findings": show_findings(findings),
        }, content

    def _find_choice(self, entry: PreviewEntry, id_: str) -> PreviewChoice:
        choices = self._list_choices(entry, frozenset())
        return next((one for one in choices if one.id == id_), choices[0])

    def _list_choices(
        self, entry: PreviewEntry, inputs: frozenset[str]
    ) -> tuple[PreviewChoice, ...]:
        """Return the prints of an entry; listed again for another ruleset, or one that changed."""
        known, choices = self._choices.get(entry.id, (None, ()))
        if known is None or (inputs and inputs != known):
            listed = list_choices(entry, self._context.rulesets)
            # A ruleset that cannot be read for the moment still has its prints.
            choices = listed if len(listed) > 1 or not choices else choices
            self._choices[entry.id] = inputs, choices
        return choices

    def _forget_changes(self, unsaved: Mapping[str, str]) -> None:
        """Forget the files that changed, and all that was made from them."""
        states = self._states.items()
        changed = {path for path, state in states if file_state(path, unsaved) != state}
        if changed <= self._own:
            for path in changed:
                del self._states[path]
            return
        self._context = PrintContext()
        self._states, self._own = {}, set()
        self._choices = {id_: (frozenset("?"), known) for id_, (_, known) in self._choices.items()}

    def _note(
        self,
        reads: Iterable[str],
        request: PrintRequest,
        inputs: frozenset[str],
        unsaved: Mapping[str, str],
        since: int,
    ) -> None:
        """Record the states of the files that a print read, and of the folders of shared ones."""
        stock = request.kind == "cards" and not request.of_kind and request.row is None
        folders = tuple(os.path.realpath(folder) + os.sep for folder in inputs if stock)
        self._own |= {path for path in request.of if not os.path.realpath(path).startswith(folders)}
        shared = {os.path.dirname(path) or os.curdir for path in reads if path not in self._own}
        for path in (*reads, *shared):
            if path not in self._states:
                self._states[path] = file_state(path, unsaved, since)


_NOTHING: Final = (
    "there is nothing here that can be printed",
    "write a character with `sheetgen new character`, or name another folder",
)


def render_content(files: Mapping[str, bytes], dpi: int) -> tuple[PreviewContent, ...]:
    """Return the HTML among `files`, or the pages of the PDF as pictures."""
    if "html" in files:
        return (_content(PAGE, files["html"]),)
    found = []
    with open_pages(files["pdf"]) as pages:
        for number in range(min(len(pages), _MOST_PAGES)):
            out = io.BytesIO()
            pages.render(number, dpi).save(out, "PNG", compress_level=1)  # fast: it stays here
            found.append(_content(PICTURE, out.getvalue(), *pages.size(number)))
    return tuple(found)


def _content(type_: str, data: bytes, width: float = 0, height: float = 0) -> PreviewContent:
    return PreviewContent(hashlib.sha256(data).hexdigest()[:32], type_, data, width, height)


def show_findings(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return findings as data, with the authors' lines and what their codes mean."""
    lines: dict[str, list[str]] = {}
    shown = []
    for finding in in_order(findings)[:_MOST_FINDINGS]:
        file = finding.span.file
        if file not in lines:
            read = read_text(Path(file)) if file.endswith((*SUFFIXES, ".csv")) else None
            lines[file] = split_lines(read.value[0]) if read and read.value else []
        about = {"excerpt": excerpt_of(finding, lines[file]), "about": finding.code.about}
        shown.append(finding_data(finding) | about)
    return shown
