"""Kinds of print, and how a request of any kind is printed. Read this module first.

Each kind says everything about itself in one `PrintKind`. The registry lists all kinds; nothing
else names one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias

from sheetgen.data import templates_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding, Span
from sheetgen.diag.words import suggestion
from sheetgen.load.characters import RulesetCache
from sheetgen.load.designs.designs import load_presets
from sheetgen.load.designs.themes import find_theme, is_own_theme
from sheetgen.load.files import find_near_path
from sheetgen.materials.plates import PlateStore
from sheetgen.model.books import BookEntry
from sheetgen.model.prints import Plan
from sheetgen.model.requests import (
    PICTURES,
    FileFormat,
    FilePart,
    PrintRequest,
    RequestT,
    SharedOptions,
)
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.seals import PrintIdentity
from sheetgen.model.source import Source
from sheetgen.plugin import resolve
from sheetgen.records import frozen
from sheetgen.registry import deck_formats, prints
from sheetgen.render.flow.layout import NoEngine
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.units import PAPERS, PaperSize

if TYPE_CHECKING:
    from sheetgen.prints.rulesets import CheckedRuleset


@dataclass(slots=True)
class PrintContext:
    """What the prints of one run share. A new context sees files that have changed."""

    drafts: Path | None = None  # For PDFs that are written by pages; None: memory.
    rulesets: RulesetCache = field(default_factory=RulesetCache)
    plates: PlateStore = field(default_factory=PlateStore)
    # Checked rulesets, by their folders, options, and whether with a proof.
    checked: dict[tuple[object, ...], CheckedRuleset] = field(default_factory=dict)


@frozen
class PrintResult:
    """Finished files of one thing by format, and all findings about it."""

    files: Mapping[FileFormat, bytes] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    plan: Plan | None = None  # Of a sheet; the press prints it again, alone or among others.
    words: Mapping[str, str] = field(default_factory=dict)  # For its name; empty: no print.
    stem: str = ""  # What a command calls the files, if not `words["stem"]`.
    drafts: Mapping[FileFormat, Path] = field(default_factory=dict)  # Too long to hold.
    source: Source | None = None  # The author's file; findings show its lines.
    inputs: frozenset[str] = frozenset()  # Folders of rulesets and designs.
    withheld: bool = False  # Whether the build has errors, and a draft of it could be printed.
    subjects: tuple[str, ...] = ()  # The names of what is printed, if not `words["name"]` alone.
    pages: tuple[str, ...] = ()  # Of cards that are printed one a page: what each page shows.
    more: Iterable[FilePart] = ()  # Further files, rendered as they are taken.

    def parts(self) -> Iterator[FilePart]:
        """Yield all files that are held or rendered, but no drafts; only once."""
        for format_, content in self.files.items():
            yield FilePart("", format_, partial(bytes, content))
        yield from self.more

    def identify(self, request: PrintRequest, format_: str) -> PrintIdentity | None:
        """Return what a file of this print is a print of."""
        if not self.words:
            return None
        paper = "" if format_ in ("md", "csv", "json", "zip") else request.paper
        names = self.subjects or (self.words.get("name") or self.words["stem"],)
        return PrintIdentity(self.words.get("ruleset", ""), request.kind, paper, names)


def input_folders(rules: Ruleset | None, *designs: str) -> frozenset[str]:
    """Return the folders of a ruleset, with those that it extends, and of designs."""
    origins = rules.composition.origins if rules is not None else ()
    folders = (str(templates_folder() / design) for design in designs)
    return frozenset((*(origin.folder for origin in origins), *folders))


def name_words(rules: Ruleset, what: str) -> dict[str, str]:
    """Return the words for the name of a print of a ruleset."""
    id_ = str(rules.id)
    return {"stem": f"{id_}-{what}", "name": rules.title, "ruleset": id_, "kind": what, "n": "1"}


Conflict: TypeAlias = tuple[str, str, str]  # an option that a request cannot have, message, hint


@frozen
class PrintKind(Generic[RequestT]):
    """A kind of print: what commands, books and the preview need to know about it."""

    request: type[RequestT]  # The type of its requests, which has its name.
    title: str  # The heading of a preview.
    printer: Callable[[RequestT, PrintContext], Iterable[PrintResult]]  # Such as `print_cards`.
    job: Literal["file", "ruleset", "entry"]  # What a job of an entry prints.
    # Returns the request of a book's entry, with the options that its book or printer sets.
    read_entry: Callable[[BookEntry, SharedOptions], RequestT]
    word: str = ""  # The end of file names of prints that are named after a ruleset.
    title_key: str = "name"  # The key of a file that has the title of its print.
    formats: tuple[FileFormat, ...] = ("pdf", "html")  # The formats of files, besides pictures.
    papers: tuple[PaperSize, ...] = (*PAPERS, "a5")
    own_sizes: bool = False  # Whether `size` is a length, not one of the sizes of cards.
    decks: bool = False  # Whether there are decks for online tables, and a picture for each thing.
    joins: bool = False  # Whether prints can be one PDF, and rows are prints.
    of_any_file: bool = False  # Whether a preview offers it for every file of an author.
    # Yields options that exclude each other.
    find_conflicts: Callable[[RequestT], Iterable[Conflict]] = lambda _: ()
    # Yields findings about the names in a request, for `check` of a book.
    check: Callable[[RequestT, PrintContext], Iterable[Finding]] = lambda *_: ()

    @property
    def name(self) -> str:
        """The key of a book's entry, and the word of messages: `cards`."""
        return self.request.kind


def find_kind(name: str) -> PrintKind[Any]:
    """Return the kind called `name`, or raise `KeyError`: no plug-in has it."""
    kind: PrintKind[Any] = resolve(prints()[name].kind)
    return kind


def print_request(
    request: RequestT, context: PrintContext, kind: PrintKind[RequestT] | None = None
) -> Iterator[PrintResult]:
    """Yield the finished prints of a request, of its own or another kind, and all findings."""
    try:
        yield from _print(kind or find_kind(request.kind), request, context)
    except NoEngine as error:
        yield PrintResult(findings=(error.finding(),))
    except DesignError as error:
        yield PrintResult(findings=error.findings)
    except FormulaError as error:
        message = f"a formula of the ruleset cannot be computed: {error}"
        place = request.place if request.in_book else Span(next(iter(request.of), ""))
        yield PrintResult(findings=(Finding(codes.UNANSWERED, place, message),))


def _print(
    kind: PrintKind[RequestT], request: RequestT, context: PrintContext
) -> Iterator[PrintResult]:
    """Yield what `kind` prints, with pictures, and PDFs finished for a printer or as PDF/A."""
    preset = load_presets().get(request.preset)
    if request.preset and preset is None:
        message = f"there is no preset `{request.preset}`"
        hint = suggestion(request.preset, load_presets(), "presets")
        finding = Finding(codes.UNKNOWN_DESIGN, request.at("--for"), message, hint)
        yield PrintResult(findings=(finding,))
        return
    if conflicts := find_option_conflicts(kind, request):
        yield PrintResult(findings=conflicts)
        return
    if is_own_theme(request.theme):
        find_theme(request.theme)  # its notes are for `check`: a print need not repeat them
    if preset is not None and not preset.scripts:
        request = request.without_scripts()
    asked, keep = request, request.wants("pdf")
    if request.picture_formats:  # they are made of the PDF; nobody types into a picture
        others = (format_ for format_ in request.formats if format_ not in PICTURES)
        asked = replace(request, formats=tuple(dict.fromkeys((*others, "pdf"))))
        asked = asked if keep else asked.without_scripts()
    for result in kind.printer(asked, context):
        files, findings, more = result.files, result.findings, result.more
        if request.picture_formats and "pdf" in files:
            from sheetgen.finish.pictures import picture_files

            made = picture_files(files["pdf"], request, result.pages)
            files = {k: v for k, v in files.items() if keep or k != "pdf"}
            findings, more = (*findings, *made.findings), chain(more, made.value or ())
        if preset is not None or request.archive:
            from sheetgen.finish.saving import finish_files

            stem = result.stem or result.words.get("stem", "")
            done = finish_files(files, stem, preset, request.archive)
            files, findings = done.value or {}, (*findings, *done.findings)
        yield replace(result, files=files, findings=findings, more=more)


def find_missing_files(request: PrintRequest, context: PrintContext) -> Iterator[Finding]:
    """Yield a finding for each file of a request that is not there."""
    folder = request.beside
    for path in (Path(name) for name in request.of if not os.path.lexists(name)):
        near = find_near_path(path)
        hint = f"did you mean `{os.path.relpath(near, folder)}`?" if near else "check the path"
        message = f"there is no file or folder `{os.path.relpath(path, folder)}`"
        yield Finding(codes.UNREADABLE, request.place, message, hint)


def find_option_conflicts(kind: PrintKind[RequestT], request: RequestT) -> tuple[Finding, ...]:
    """Return a finding for each option of a request that its formats do not have."""
    found: list[Conflict] = []
    pictures = request.picture_formats
    shown = ", ".join((*pictures, *(one for one in request.outputs if one in deck_formats())))
    if shown and not request.wants("pdf"):
        preset = load_presets().get(request.preset) if request.preset else None
        if preset is not None and (preset.colour == "cmyk" or preset.variant != "none"):
            message = f"the preset {request.preset} prepares a PDF, not {shown}"
            hint = "add pdf to the formats, or leave out the preset"
            found.append(("--for", message, hint))
        if request.archive:
            message = f"an archive is PDF/A; {shown} cannot be one"
            hint = "add pdf to the formats, or leave out the archive"
            found.append(("--archive", message, hint))
    if request.joined and pictures:
        message = "joined sheets are one PDF; they have no pictures"
        found.append(("--to", message, "leave out `joined`"))
    if request.transparent and not {"png", "webp"}.intersection(pictures):
        message = "only png and webp have transparent paper"
        found.append(("--transparent", message, "choose png or webp"))
    return tuple(
        Finding(codes.NOT_FOR_PICTURES, request.at(option), message, hint)
        for option, message, hint in (*found, *kind.find_conflicts(request))
    )
