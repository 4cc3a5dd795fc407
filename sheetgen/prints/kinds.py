"""Kinds of print, and how a request of any kind is printed. Read this module first.

Each kind has a file of its own, which says everything about it in one `PrintKind`. The registry
lists all kinds; nothing else names one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Final, Literal, TypeAlias
from urllib.parse import urlsplit

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.words import suggestion
from sheetgen.load.designs.designs import load_presets
from sheetgen.load.designs.themes import find_theme, is_own_theme
from sheetgen.model.requests import PrintRequest
from sheetgen.plugin import resolve
from sheetgen.prints.context import PrintContext, Printer, PrintResult
from sheetgen.records import frozen
from sheetgen.registry import deck_formats, prints
from sheetgen.render.flow.layout import NoEngine
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.units import PAPERS

Job: TypeAlias = Literal["file", "ruleset", "entry"]


IMPOSED: Final = ("grid", "gutter", "bleed", "backs", "single", "marks")  # of cards on paper
CHOSEN: Final = (
    *("kind", "group", "only", "copies", "template", "size", *IMPOSED, "flatten", "calc", "qr"),
)
"""Keys of a book's entry that only some kinds read."""


@frozen
class PrintKind:
    """A kind of print: what commands, books and the preview need to know about it.

    Attributes:
        name: The key of a book's entry, and the word of messages: `cards`.
        title: The heading of a preview.
        job: What a job of a book prints: each file of its entry, each ruleset, or the whole entry.
        word: The end of file names of prints that are named after a ruleset.
        title_key: The key of a file that has the title of its print.
        formats: The formats of files, besides pictures.
        own_sizes: Whether `size` is a length, not one of the sizes of cards.
        sets: Whether a request names one of several sets, such as cards of gear.
        decks: Whether there are decks for online tables, and a picture for each thing.
        joins: Whether several prints can be joined in one PDF, and a row of a table is a print.
        reads: The keys of a book's entry that this kind reads and others do not, see `CHOSEN`.
        usual: The set that is printed if a request names none.
        of_any_file: Whether a preview offers it for every file of an author.
        check: Yields findings about the names in a request, for `check` of a book.
    """

    name: str
    title: str
    printer: Printer
    job: Job
    word: str = ""
    title_key: str = "name"
    formats: tuple[str, ...] = ("pdf", "html")
    papers: tuple[str, ...] = (*PAPERS, "a5")
    own_sizes: bool = False
    sets: bool = False
    decks: bool = False
    joins: bool = False
    reads: tuple[str, ...] = ()
    usual: str = ""
    of_any_file: bool = False
    check: Callable[[PrintRequest], Iterable[Finding]] | None = None


def find_kind(name: str) -> PrintKind:
    """Return the kind called `name`.

    Raises:
        KeyError: No plug-in has this kind.
    """
    kind: PrintKind = resolve(prints()[name].kind)
    return kind


def print_request(request: PrintRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield the finished prints of a request of any kind, and all findings about it."""
    if request.preset and request.preset not in load_presets():
        message = f"there is no preset `{request.preset}`"
        hint = suggestion(request.preset, load_presets(), "presets")
        finding = Finding(codes.UNKNOWN_DESIGN, request.at("--for"), message, hint)
        yield PrintResult(findings=(finding,))
        return
    try:
        yield from finish_prints(find_kind(request.kind).printer, request, context)
    except NoEngine as error:
        yield PrintResult(findings=(error.finding(request.place),))
    except DesignError as error:
        yield PrintResult(findings=error.findings)
    except FormulaError as error:
        message = f"a formula of the ruleset cannot be computed: {error}"
        yield PrintResult(findings=(Finding(codes.UNANSWERED, request.place, message),))


def finish_prints(
    printer: Printer, request: PrintRequest, context: PrintContext
) -> Iterator[PrintResult]:
    """Yield what `printer` prints, with pictures, and PDFs finished for a printer or as PDF/A."""
    if conflicts := find_option_conflicts(request):
        yield PrintResult(findings=conflicts)
        return
    preset = None
    if is_own_theme(request.theme):
        try:
            find_theme(request.theme)  # its notes are for `check`: a print need not repeat them
        except DesignError as error:
            yield PrintResult(findings=error.findings)
            return
    if request.preset:
        preset = load_presets()[request.preset]
        request = replace(request, calc=request.calc and preset.scripts)
    if request.picture_formats:
        printer = _with_pictures(printer)
    if preset is None and not request.archive:
        yield from printer(request, context)
        return
    from sheetgen.finish.finishing import finish_files

    for result in printer(request, context):
        stem = result.stem or result.words.get("stem", "")
        done = finish_files(result.files, stem, preset, request.archive)
        findings = (*result.findings, *done.findings)
        yield replace(result, files=done.value or {}, findings=findings)


def _with_pictures(printer: Printer) -> Printer:
    def print_pictures(request: PrintRequest, context: PrintContext) -> Iterator[PrintResult]:
        from sheetgen.finish.pictures import picture_files

        keep = "pdf" in request.formats
        others = (format_ for format_ in request.formats if format_ not in request.picture_formats)
        inner = replace(
            request,
            formats=tuple(dict.fromkeys((*others, "pdf"))),
            calc=request.calc and keep,  # nobody types into a picture
        )
        for result in printer(inner, context):
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

    return print_pictures


def find_option_conflicts(request: PrintRequest) -> tuple[Finding, ...]:
    """Return a finding for each option of a request that its formats do not have."""
    return tuple(
        Finding(codes.NOT_FOR_PICTURES, request.at(option), message, hint)
        for option, message, hint in (*_format_conflicts(request), *_option_conflicts(request))
    )


def _format_conflicts(request: PrintRequest) -> Iterator[tuple[str, str, str]]:
    """Yield options that are not about the formats of a request: option, message and hint."""
    decks, pictures = request.decks, request.picture_formats
    shown = ", ".join((*pictures, *decks))
    if decks and not _has_decks(request):
        message = f"{decks[0]} is a format of cards; there is none of {request.kind}"
        yield "--to", message, "choose png, or another format"
    if decks and request.calibrate:
        yield "--calibrate", "a calibration sheet is no deck", "leave out --to, or --calibrate"
    if shown and "pdf" not in request.formats:
        preset = load_presets().get(request.preset) if request.preset else None
        if preset is not None and (preset.colour == "cmyk" or preset.variant != "none"):
            message = f"the preset {request.preset} prepares a PDF, not {shown}"
            yield "--for", message, "add pdf to the formats, or leave out the preset"
        if request.archive:
            message = f"an archive is PDF/A; {shown} cannot be one"
            yield "--archive", message, "add pdf to the formats, or leave out the archive"
    if request.joined and pictures:
        yield "--to", "joined sheets are one PDF; they have no pictures", "leave out `joined`"


def _option_conflicts(request: PrintRequest) -> Iterator[tuple[str, str, str]]:
    """Yield options of pictures and decks that a request cannot meet."""
    decks, pictures = request.decks, request.picture_formats
    if request.transparent and not {"png", "webp"}.intersection(pictures):
        yield "--transparent", "only png and webp have transparent paper", "choose png or webp"
    if request.each and not _has_decks(request):
        message = f"only cards have a picture each; {request.kind} have one a page"
        yield "--each", message, "leave out `each`"
    elif request.each and not pictures:
        message = "each card becomes a picture of its own, and no picture is asked for"
        yield "--each", message, "add png to the formats"
    elif request.each and request.grid:
        yield "--grid", "pictures of each card have no grid", "leave out the grid"
    if request.base_url and not decks:
        yield (
            "--base-url",
            "only decks for online tables have an address",
            f"add {' or '.join(deck_formats())}",
        )
    elif request.base_url and not _is_address(request.base_url):
        message = f"`{request.base_url}` is not an address"
        yield "--base-url", message, "begin with https:// or file:///, and write blanks as %20"


def _has_decks(request: PrintRequest) -> bool:
    return find_kind(request.kind).decks


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    if any(c <= " " for c in text):
        return False
    hosted = parts.scheme in ("http", "https") and bool(parts.hostname)
    return hosted or (parts.scheme == "file" and parts.path.startswith("/"))
