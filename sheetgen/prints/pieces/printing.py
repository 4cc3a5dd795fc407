"""Print pieces: select whom they are of, lay out each kind of piece, draw the pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.controls import strip_controls
from sheetgen.diag.findings import DesignError, Finding, Severity, apply_strict, errors
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import RULESET
from sheetgen.load.designs.designs import TABLES
from sheetgen.load.designs.faults import check_option, raise_findings
from sheetgen.load.designs.fonts import font_bytes, is_packaged
from sheetgen.load.designs.game_faces import ruleset_face
from sheetgen.load.designs.own_themes import find_theme
from sheetgen.load.designs.templates import DICE
from sheetgen.load.designs.tokens import missing_fonts
from sheetgen.model.requests import PIECE_PAPERS, PrintRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.imposition.imposition import Misfit
from sheetgen.plan.imposition.measures import parse_bounded_length
from sheetgen.plan.letters import report_letters
from sheetgen.plan.pieces.style import PieceStyle
from sheetgen.plan.pieces.subjects import PieceSubject
from sheetgen.prints.context import PrintContext, PrintResult, file_stem, input_folders, name_words
from sheetgen.prints.pieces.selection import PieceSelection, select_pieces
from sheetgen.render.fonts.font_store import read_font_metrics
from sheetgen.render.fonts.fonts import drawable
from sheetgen.render.pictures.prepare import prepare_picture
from sheetgen.render.pieces.kinds import KINDS
from sheetgen.render.pieces.sheets import PieceSheet, render_pieces
from sheetgen.render.press.document import DocumentInfo
from sheetgen.units import MM

USUAL: Final = "token"
"""The kind of pieces if a request names none."""

_FACES: Final = ("display-700", "text-400", "text-600", "text-700", "figure-700")
"""Faces that pieces are set in."""

_FEW: Final = 2
"""The most names in a title."""


def print_pieces(request: PrintRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield one document with all pieces of a request."""
    wrong = find_wrong_options(request)
    if wrong:
        yield PrintResult(findings=wrong)
        return
    selection = select_pieces(request, context)
    yield from (PrintResult(source=source) for source in selection.sources)
    yield PrintResult(findings=tuple(selection.findings))
    found = selection.findings
    failed = errors(apply_strict(found, request.strict))
    if failed and (request.in_book or not selection.subjects):
        return
    if not selection.subjects:
        hint = "see `only`" if request.in_book else "name an encounter, characters or a ruleset"
        finding = Finding(
            codes.EMPTY, request.at(RULESET), "there is nobody to print pieces of", hint
        )
        yield PrintResult(findings=(finding,))
        return
    try:
        yield _print(request, selection)
    except DesignError as error:
        yield PrintResult(findings=error.findings)
    except Misfit as error:
        hint = "choose a smaller --size or larger paper"
        yield PrintResult(
            findings=(Finding(codes.UNKNOWN_DESIGN, request.at("--size"), str(error), hint),)
        )


def piece_kinds(request: PrintRequest) -> tuple[str, ...]:
    """Return the kinds of pieces that a request names, each once."""
    words = re.split(r"[\s,]+", request.of_kind.strip().casefold() or USUAL)
    return tuple(dict.fromkeys(words))


def find_wrong_options(request: PrintRequest) -> tuple[Finding, ...]:
    """Return a finding for each option of a request that pieces cannot be printed with."""
    findings = [*check_option("paper", request.paper, PIECE_PAPERS)]
    if "pdf" not in request.formats:
        message, hint = f"there is no {request.formats[0]} of pieces", "choose pdf, or pictures"
        findings.append(Finding(codes.UNKNOWN_NAME, request.at("--to"), message, hint))
    for name in piece_kinds(request):
        if name not in KINDS:
            message, hint = f"there is no kind of pieces `{name}`", suggestion(name, KINDS, "kinds")
            findings.append(Finding(codes.UNKNOWN_NAME, request.at("--kind"), message, hint))
            continue
        try:
            _width(name, request.size)
        except Misfit as error:
            hint = "leave it out for the usual size"
            findings.append(Finding(codes.UNKNOWN_DESIGN, request.at("--size"), str(error), hint))
    return tuple(findings)


def _width(name: str, size: str) -> float:
    """Return the width of pieces in points; a bare number is in millimetres.

    Raises:
        Misfit: It is no length, or not one for that kind of pieces.
    """
    kind = KINDS[name]
    if not size:
        return kind.usual * MM
    text = f"{size}mm" if re.fullmatch(r"\s*\d+(\.\d+)?\s*", size) else size
    what = f"the size of {kind.label.lower()}"
    return parse_bounded_length(text, what, kind.most * MM, kind.least * MM)


def _print(request: PrintRequest, selection: PieceSelection) -> PrintResult:
    """Return the document of all selected pieces.

    Raises:
        DesignError: The theme or the face of a ruleset cannot be used.
        Misfit: A piece does not fit on the paper.
    """
    sheets: list[PieceSheet] = []
    findings: list[Finding] = []
    title = _title(selection)
    styles = {digest: _load_style(request, rules) for digest, rules in selection.rules.items()}
    kinds = piece_kinds(request)
    for name in kinds:
        kind, width = KINDS[name], _width(name, request.size)
        for digest, rules in selection.rules.items():
            found = [one for one, of in selection.subjects if of == digest]
            subjects, more = _prepare(found, kind.field(width))
            findings += more
            texts = f"{kind.label} · {title}", _credit(rules, found)
            sheet = PieceSheet(kind, width, request.paper, *texts, subjects, styles[digest])
            sheets.append(sheet)
    every = [*selection.rules.values()]
    what = KINDS[kinds[0]].label if len(kinds) == 1 else "Pieces"
    about = DocumentInfo(
        title=f"{what} · {title}",
        lang=every[0].lang,
        subject=" ".join(dict.fromkeys(rules.credit.short for rules in every)),
        meta={"ruleset": str(every[-1].id), "version": str(every[-1].version)},
    )
    files = {file for style in styles.values() for file in style.faces.values()}
    fonts = {file: font_bytes(file) for file in sorted(files)}
    data, shortened = render_pieces(sheets, about, fonts)
    findings += (*_report_shortened(shortened), *_report_letters(selection, styles))
    words = name_words(every[-1], "pieces")
    first = Path(request.of[0]).stem
    words["stem"] = f"{first}-pieces"
    inputs = (input_folders(rules) for rules in every)
    return PrintResult(
        {"pdf": data},
        tuple(dict.fromkeys(findings)),
        words=words,
        stem=file_stem(f"{first}-{what}"),
        subjects=tuple(one.name for one, _ in selection.subjects),
        inputs=frozenset().union(*inputs),
    )


def _title(selection: PieceSelection) -> str:
    """Return what the pages are about: all titles if they are few, else the games."""
    titles = list(dict.fromkeys(selection.titles))
    if len(titles) > _FEW:
        titles = [rules.title for rules in selection.rules.values()]
    return ", ".join(dict.fromkeys(titles))


def _prepare(
    subjects: Sequence[PieceSubject], size: tuple[float, float]
) -> tuple[list[PieceSubject], list[Finding]]:
    """Return subjects with names that can be drawn and pictures for boxes of a size; findings."""
    found: list[PieceSubject] = []
    findings: list[Finding] = []
    for subject in subjects:
        one = replace(subject, name=drawable(subject.name), about=drawable(subject.about))
        if one.art is not None:
            read = prepare_picture(one.art, size)
            findings += read.findings
            one = replace(one, picture=read.value)
        found.append(one)
    return found, findings


def _credit(rules: Ruleset, subjects: Sequence[PieceSubject]) -> str:
    """Return the credit of a ruleset, with those of the pictures on its pieces."""
    names = dict.fromkeys(one.art.credit for one in subjects if one.art and one.art.credit)
    pictures = f" Pictures: {', '.join(names)}." if names else ""
    return f"{rules.credit.short}{pictures}"


def _load_style(request: PrintRequest, rules: Ruleset) -> PieceStyle:
    """Return the design of pieces in the theme of a request, with the face of a ruleset.

    Raises:
        DesignError: The theme or the face cannot be used.
    """
    tokens = find_theme(request.theme).tokens(TABLES, DICE, face=ruleset_face(rules))
    raise_findings(missing_fonts(tokens))
    faces = {face: _truetype(tokens.faces[face]) for face in _FACES}
    metrics = {face: read_font_metrics(font_bytes(file)) for face, file in faces.items()}
    return PieceStyle(tokens, metrics, faces)


def _truetype(file: str) -> str:
    """Return the name of a font file with TrueType outlines; ReportLab reads no others."""
    return f"{file[:-4]}.ttf" if file.endswith(".otf") and is_packaged(file) else file


def _report_shortened(shortened: Sequence[tuple[PieceSubject, str]]) -> Iterator[Finding]:
    """Yield a warning for each name that does not fit its piece."""
    for name, what in dict.fromkeys((one.name, what) for one, what in shortened):
        span = next(one.span for one, _ in shortened if one.name == name)
        message = f"the name {name} is shortened on its {what.lower()}"
        hint = "choose a larger --size, or a shorter name"
        yield Finding(codes.OVERFLOW, span, message, hint, Severity.WARNING)


def _report_letters(
    selection: PieceSelection, styles: Mapping[str, PieceStyle]
) -> Iterator[Finding]:
    """Yield a warning for each name with letters that no face has."""
    sources = {source.file: source for source in selection.sources}
    for subject, digest in selection.subjects:
        if missing := styles[digest].find_missing(drawable(subject.name)):
            source, text = sources.get(subject.span.file), strip_controls(subject.name).strip()
            yield from report_letters(missing, source, subject.span, html=False, text=text)
