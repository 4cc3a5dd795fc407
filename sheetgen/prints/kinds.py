"""Kinds of print, and how a request of any kind is printed. Read this module first.

Each kind says everything about itself in one `PrintKind`. The registry lists all kinds; nothing
else names one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Generic, Literal, TypeAlias

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding, Span
from sheetgen.diag.words import suggestion
from sheetgen.load.designs.designs import load_presets
from sheetgen.load.designs.themes import find_theme, is_own_theme
from sheetgen.load.files import find_near_path
from sheetgen.model.books import BookEntry
from sheetgen.model.requests import PICTURES, FileFormat, PrintRequest, RequestT, SharedOptions
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plugin import resolve
from sheetgen.prints.context import PrintContext, Printer, PrintResult
from sheetgen.records import frozen
from sheetgen.registry import deck_formats, prints
from sheetgen.render.flow.layout import NoEngine
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.units import PAPERS, PaperSize

Conflict: TypeAlias = tuple[str, str, str]
"""An option that a request cannot have, a message and a hint."""
FileRead: TypeAlias = tuple[tuple[Finding, ...], Ruleset | None]


@frozen
class PrintKind(Generic[RequestT]):
    """A kind of print: what commands, books and the preview need to know about it."""

    request: type[RequestT]  # The type of its requests, which has its name.
    title: str  # The heading of a preview.
    printer: Printer[RequestT]
    # What a job of a book prints: each file of its entry, each ruleset, or the whole entry.
    job: Literal["file", "ruleset", "entry"]
    # Returns the request of a book's entry, in which all options are set that its book or its
    # printer sets.
    read_entry: Callable[[BookEntry, SharedOptions], RequestT]
    word: str = ""  # The end of file names of prints that are named after a ruleset.
    title_key: str = "name"  # The key of a file that has the title of its print.
    formats: tuple[FileFormat, ...] = ("pdf", "html")  # The formats of files, besides pictures.
    papers: tuple[PaperSize, ...] = (*PAPERS, "a5")
    own_sizes: bool = False  # Whether `size` is a length, not one of the sizes of cards.
    decks: bool = False  # Whether there are decks for online tables, and a picture for each thing.
    # Whether several prints can be joined in one PDF, and a row of a table is a print.
    joins: bool = False
    of_any_file: bool = False  # Whether a preview offers it for every file of an author.
    # Yields options that exclude each other.
    find_conflicts: Callable[[RequestT], Iterable[Conflict]] = lambda _: ()
    # Yields findings about the names in a request, for `check` of a book.
    check: Callable[[RequestT, PrintContext], Iterable[Finding]] = lambda *_: ()
    # Yields the findings about files that name others, and the rules, with the packs of all these.
    read_files: Callable[[RequestT, PrintContext], Iterable[FileRead]] = lambda *_: ()
    suffixes: tuple[str, ...] = ()  # Endings of its files, if they are no YAML.

    @property
    def name(self) -> str:
        """The key of a book's entry, and the word of messages: `cards`."""
        return self.request.kind


def find_kind(name: str) -> PrintKind[Any]:
    """Return the kind called `name`.

    Raises:
        KeyError: No plug-in has this kind.
    """
    kind: PrintKind[Any] = resolve(prints()[name].kind)
    return kind


def print_request(
    request: RequestT, context: PrintContext, kind: PrintKind[RequestT] | None = None
) -> Iterator[PrintResult]:
    """Yield the finished prints of a request, and all findings about it.

    Args:
        kind: Its kind; None for the registered one.
    """
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
    results = (
        _print_with_pictures(kind.printer, request, context)
        if request.picture_formats
        else kind.printer(request, context)
    )
    if preset is None and not request.archive:
        yield from results
        return
    from sheetgen.finish.saving import finish_files

    for result in results:
        stem = result.stem or result.words.get("stem", "")
        done = finish_files(result.files, stem, preset, request.archive)
        findings = (*result.findings, *done.findings)
        yield replace(result, files=done.value or {}, findings=findings)


def _print_with_pictures(
    printer: Printer[RequestT], request: RequestT, context: PrintContext
) -> Iterator[PrintResult]:
    from sheetgen.finish.pictures import picture_files

    keep = request.wants("pdf")
    others = (format_ for format_ in request.formats if format_ not in PICTURES)
    inner = replace(request, formats=tuple(dict.fromkeys((*others, "pdf"))))
    # Nobody types into a picture.
    for result in printer(inner if keep else inner.without_scripts(), context):
        if "pdf" not in result.files:
            yield result
            continue
        made = picture_files(result.files["pdf"], request, result.pages)
        yield replace(
            result,
            files={k: v for k, v in result.files.items() if keep or k != "pdf"},
            findings=(*result.findings, *made.findings),
            more=chain(result.more, made.value or ()),
        )


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
