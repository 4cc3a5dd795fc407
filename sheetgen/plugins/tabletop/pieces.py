"""`sheetgen pieces`: tokens, standees, tents and badges, printed as one document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, ClassVar, Final

from sheetgen.check.ruleset.rulesets import check_kinds, check_ruleset
from sheetgen.cli import parameters
from sheetgen.cli.outputs import printing_command
from sheetgen.cli.parameters import argument, option, rulesets, word
from sheetgen.diag import codes
from sheetgen.diag.findings import (
    RULESET,
    DesignError,
    Finding,
    Severity,
    Span,
    apply_strict,
    errors,
)
from sheetgen.diag.visible import strip_controls
from sheetgen.diag.words import suggestion
from sheetgen.load.characters import ENCOUNTER, find_file_type
from sheetgen.load.designs.designs import TABLES
from sheetgen.load.designs.fonts import font_bytes, is_packaged
from sheetgen.load.designs.templates import (
    DICE,
    EMBLEMS,
    check_option,
    missing_fonts,
    raise_findings,
)
from sheetgen.load.designs.themes import find_theme, ruleset_face
from sheetgen.load.files import yaml_files
from sheetgen.load.rulesets.rulesets import load_complete
from sheetgen.materials.plates import prepare_picture
from sheetgen.model.requests import PICTURES, SelectionRequest, SharedOptions
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.fit import report_letters
from sheetgen.plan.imposition import Misfit, parse_bounded_length
from sheetgen.plan.pages.encounters import Fighter
from sheetgen.plan.sheets.view import build_view
from sheetgen.plugins.tabletop.drawings import KINDS, PieceSheet, render_pieces
from sheetgen.plugins.tabletop.pen import PieceStyle, PieceSubject, describe_fighter
from sheetgen.prints import characters as builds
from sheetgen.prints.cards import Selection, find_unknown_names, is_selected, load_named_ruleset
from sheetgen.prints.encounter import check_encounter, name_copies
from sheetgen.prints.kinds import PrintContext, PrintKind, PrintResult, input_folders, name_words
from sheetgen.records import frozen
from sheetgen.render.fonts.fonts import drawable, read_font_metrics
from sheetgen.render.press.page_objects import DocumentInfo
from sheetgen.rules.index import exact_form, file_stem
from sheetgen.units import MM, PaperSize

USUAL: Final = "token"  # The kind of pieces if a request names none
_FACES: Final = ("display-700", "text-400", "text-600", "text-700", "figure-700")
"""Faces that pieces are set in."""


@frozen
class PieceRequest(SelectionRequest):
    """Pieces to print."""

    kind: ClassVar[str] = "pieces"

    size: str = ""  # Their width; empty for the usual one


def print_pieces(request: PieceRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield one document with all pieces of a request."""
    if wrong := tuple(find_wrong_options(request)):
        yield PrintResult(findings=wrong)
        return
    selection = select_pieces(request, context)
    yield from (PrintResult(source=source) for source in selection.sources)
    yield PrintResult(findings=tuple(selection.findings))
    failed = errors(apply_strict(selection.findings, request.strict))
    if failed and (request.in_book or not selection.subjects):
        return
    if not selection.subjects:
        hint = "see `only`" if request.in_book else "name an encounter, characters or a ruleset"
        message, span = "there is nobody to print pieces of", request.at(RULESET)
        yield PrintResult(findings=(Finding(codes.EMPTY, span, message, hint),))
        return
    try:
        yield _print(request, selection)
    except DesignError as error:
        yield PrintResult(findings=error.findings)
    except Misfit as error:
        hint, span = "choose a smaller --size or larger paper", request.at("--size")
        yield PrintResult(findings=(Finding(codes.UNKNOWN_DESIGN, span, str(error), hint),))


def piece_kinds(request: PieceRequest) -> tuple[str, ...]:
    """Return the kinds of pieces that a request names, each once."""
    return tuple(dict.fromkeys(re.split(r"[\s,]+", request.of_kind.strip().casefold() or USUAL)))


def find_wrong_options(request: PieceRequest) -> Iterator[Finding]:
    """Yield a finding for each option of a request that pieces cannot be printed with."""
    yield from check_option("paper", request.paper, PIECE_KIND.papers)
    if not request.wants("pdf"):
        message, hint = f"there is no {request.formats[0]} of pieces", "choose pdf, or pictures"
        yield Finding(codes.UNKNOWN_NAME, request.at("--to"), message, hint)
    for name in piece_kinds(request):
        if name not in KINDS:
            message, hint = f"there is no kind of pieces `{name}`", suggestion(name, KINDS, "kinds")
            yield Finding(codes.UNKNOWN_NAME, request.at("--kind"), message, hint)
            continue
        try:
            _width(name, request.size)
        except Misfit as error:
            hint = "leave it out for the usual size"
            yield Finding(codes.UNKNOWN_DESIGN, request.at("--size"), str(error), hint)


def _width(name: str, size: str) -> float:
    """Return the width of pieces in points; a bare number is in mm. A wrong one is a `Misfit`."""
    kind = KINDS[name]
    if not size:
        return kind.usual * MM
    text = f"{size}mm" if re.fullmatch(r"\s*\d+(\.\d+)?\s*", size) else size
    what = f"the size of {kind.label.lower()}"
    return parse_bounded_length(text, what, kind.most * MM, kind.least * MM)


def _print(request: PieceRequest, selection: PieceSelection) -> PrintResult:
    """Return the document of all selected pieces; `DesignError` and `Misfit` if it has none."""
    sheets: list[PieceSheet] = []
    findings: list[Finding] = []
    # What the pages are about: all titles if they are few, else the games.
    titles = list(dict.fromkeys(selection.titles))
    if len(titles) > 2:
        titles = list(dict.fromkeys(rules.title for rules in selection.rules.values()))
    title = ", ".join(titles)
    styles = {digest: _load_style(request, rules) for digest, rules in selection.rules.items()}
    kinds = piece_kinds(request)
    for name in kinds:
        kind, width = KINDS[name], _width(name, request.size)
        for digest, rules in selection.rules.items():
            subjects, credits_ = list[PieceSubject](), dict[str, None]()
            for one in (one for one, of in selection.subjects if of == digest):
                subject = replace(one, name=drawable(one.name), about=drawable(one.about))
                if one.art is not None:
                    read = prepare_picture(one.art, kind.field(width))
                    findings += read.findings
                    subject = replace(subject, picture=read.value)
                    credits_ |= {one.art.credit: None} if one.art.credit else {}
                subjects.append(subject)
            credit = rules.credit.short + (f" Pictures: {', '.join(credits_)}." if credits_ else "")
            texts = f"{kind.label} · {title}", credit
            sheets.append(PieceSheet(kind, width, request.paper, *texts, subjects, styles[digest]))
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
    spans = {one.name: one.span for one, _ in reversed(shortened)}
    for name, piece in dict.fromkeys((one.name, kind) for one, kind in shortened):
        message = f"the name {name} is shortened on its {piece.lower()}"
        hint = "choose a larger --size, or a shorter name"
        findings.append(Finding(codes.OVERFLOW, spans[name], message, hint, Severity.WARNING))
    sources = {source.file: source for source in selection.sources}
    for one, digest in selection.subjects:
        if missing := styles[digest].find_missing(drawable(one.name)):
            source, text = sources.get(one.span.file), strip_controls(one.name).strip()
            findings += report_letters(missing, source, one.span, html=False, text=text)
    words = name_words(every[-1], request.kind)
    first = Path(request.of[0]).stem
    words["stem"] = f"{first}-{request.kind}"
    return PrintResult(
        {"pdf": data},
        tuple(dict.fromkeys(findings)),
        words=words,
        stem=file_stem(f"{first}-{what}"),
        subjects=tuple(one.name for one, _ in selection.subjects),
        inputs=frozenset().union(*map(input_folders, every)),
    )


def _load_style(request: PieceRequest, rules: Ruleset) -> PieceStyle:
    """Return the design of pieces in a theme and a face; wrong ones are a `DesignError`."""
    tokens = find_theme(request.theme).tokens(TABLES, DICE, EMBLEMS, face=ruleset_face(rules))
    raise_findings(missing_fonts(tokens))
    faces = {face: tokens.faces[face] for face in _FACES}
    for face, file in faces.items():  # ReportLab reads fonts with TrueType outlines only
        if file.endswith(".otf") and is_packaged(file):
            faces[face] = f"{file[:-4]}.ttf"
    metrics = {face: read_font_metrics(font_bytes(file)) for face, file in faces.items()}
    return PieceStyle(tokens, metrics, faces)


@dataclass(slots=True)
class PieceSelection(Selection):
    """Selected subjects with their rulesets."""

    subjects: list[tuple[PieceSubject, str]] = field(default_factory=list)
    rules: dict[str, Ruleset] = field(default_factory=dict)  # Complete rulesets, by digest
    # What the pages are about: an encounter, a game, or a person
    titles: list[str] = field(default_factory=list)
    _found: list[tuple[str, str, str | Fighter, Ruleset, Span]] = field(default_factory=list)

    def add(self, one: str | Fighter, rules: Ruleset, span: Span) -> None:
        """Add the copies of a checked build, or a player of whom only the name is known."""
        build = None if isinstance(one, str) else one.build
        name, group = (build.name, build.texts.get("group", "")) if build else (str(one), "")
        self.groups.update(filter(None, [group]))
        self.names.add(name)
        self._found.append((name, group, one, rules, span))

    def select(self, request: PieceRequest) -> None:
        """Select of what was added what the request names."""
        numbers: dict[str, int] = {}
        for name, group, one, rules, span in self._found:
            if not is_selected(name, group, request, self):
                continue
            self.rules[rules.digest] = rules
            # Groups share a pattern; everybody else has one of their own.
            number = numbers.setdefault(exact_form(group or name), len(numbers))
            found: Iterable[PieceSubject] = (
                [PieceSubject(one, group=number, person=True, span=span)]
                if isinstance(one, str)
                else describe_fighter(one, rules, number, span)
            )
            self.subjects += ((subject, rules.digest) for subject in found)


def select_pieces(request: PieceRequest, context: PrintContext) -> PieceSelection:
    """Return what the files and rulesets of a request name."""
    selection, options = PieceSelection(), dict(request.options)
    for name in request.of:
        rules = load_named_ruleset(name, options, selection.findings)
        if rules is None:
            if not errors(selection.findings):
                _add_files(Path(name), request, context, selection)
            continue
        own = check_ruleset(rules)
        selection.findings += (*own, *check_kinds(rules, own))
        if not errors(selection.findings):
            selection.titles.append(rules.title)
            for kind in rules.kinds:
                stock = builds.load_stock_characters(rules, str(kind), options)
                _add_characters(stock, request, selection, rules)
    selection.select(request)
    if not errors(selection.findings):
        selection.findings += find_unknown_names([selection], request)
    return selection


def _add_files(
    path: Path, request: PieceRequest, context: PrintContext, selection: PieceSelection
) -> None:
    options = dict(request.options)
    fights = [file for file in yaml_files(path) if find_file_type(file) == ENCOUNTER]
    for file in fights:
        checked = check_encounter(file, options, context.rulesets)
        selection.findings += checked.findings
        encounter = checked.encounter
        if encounter is None or errors(checked.findings):
            continue
        selection.sources.append(encounter.source)
        selection.titles.append(encounter.title)
        players = (player.fighter or player.name for player in checked.players)
        everybody: list[str | Fighter] = [*players, *checked.fighters]
        for one in everybody * request.copies:  # numbered as on the page of the encounter
            selection.add(one, encounter.rules, encounter.source.start)
    if not fights or path != fights[0]:
        characters = builds.load_characters([path], options, context.rulesets)
        _add_characters((one for one in characters if one.path not in fights), request, selection)


def _add_characters(
    characters: Iterable[builds.Character],
    request: PieceRequest,
    selection: PieceSelection,
    complete: Ruleset | None = None,
) -> None:
    """Add characters and others, numbered copies; `complete` is the ruleset of a stock."""
    known: dict[str, Ruleset | None] = {}
    for one in characters:
        selection.findings += one.findings
        selection.sources += [one.source] if one.source is not None else []
        wrong = errors(apply_strict(one.findings, request.strict))
        if one.build is None or one.rules is None or wrong:
            continue
        digest = one.rules.digest
        if digest not in known:
            known[digest] = complete or load_complete(one.rules)
        if (rules := known[digest]) is None:
            continue
        kind = builds.find_kind_id(one.kind, rules) if one.kind is not None else ""
        copies = name_copies(one.build, request.copies if kind else 1)
        fighter = Fighter(one.build, build_view(one.build, one.rules), kind, copies, {})
        root = one.source.root if one.source is not None else None
        span = root.span if root is not None else Span(str(one.path))
        for _ in range(1 if kind else request.copies):
            selection.add(fighter, rules, span)
        selection.titles += [one.build.name] if complete is None else []


PIECE_KIND: Final = PrintKind(
    PieceRequest,
    "Pieces",
    print_pieces,
    job="entry",
    read_entry=lambda entry, shared: PieceRequest(
        **shared,
        of_kind=str(entry.kind or ""),
        groups=tuple(map(str, entry.group)),
        only=tuple(map(str, entry.only)),
        copies=entry.copies,
        size=str(entry.size or ""),
    ),
    formats=("pdf",),
    papers=("a4", "letter", "a3", "tabloid", "a5"),
    own_sizes=True,
    of_any_file=True,
)


@printing_command
def command(
    shared: SharedOptions,
    paths: Annotated[
        list[str],
        argument(
            "Encounters, your files or folders, or a ruleset.", "PATH…|RULESET", complete=rulesets
        ),
    ],
    of_kind: list[str] = option(
        "--kind",
        "A kind; may be given several times.",
        shown=True,
        choices=KINDS,
        default=[USUAL],
    ),
    size: str = word(
        "--size LENGTH", "The width of a piece, such as 25, 40 or 2in; a bare number is in mm."
    ),
    copies: int = option(
        "--copies", "How many of each; NPCs are numbered.", shown=True, min=1, max=99, default=1
    ),
    groups: parameters.Groups = parameters.NONE,
    names: parameters.Names = parameters.NONE,
    kinds: list[str] = option(
        "--to",
        "File format; may be given twice.",
        shown=True,
        choices=["pdf", *PICTURES],
        default=parameters.PDF,
    ),
    paper: PaperSize = option(
        "--paper", "The size of the paper.", shown=True, choices=PIECE_KIND.papers, default="a4"
    ),
) -> PieceRequest:
    """Print pieces for the table: tokens, standees, tents and name badges.

    Encounters get a piece for each player and each copy of a combatant, numbered as on the
    page of the encounter. Pieces without a picture have a silhouette or initials, and the
    pattern of their group.

    Example: sheetgen pieces fight.yaml --kind standee

    Guide: docs/guides/pieces.md
    """
    return PieceRequest(
        tuple(paths),
        **shared,
        of_kind=",".join(dict.fromkeys(of_kind)),
        size=size,
        copies=copies,
        groups=tuple(groups),
        only=tuple(names),
    )
