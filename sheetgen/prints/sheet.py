"""Print character sheets: load and check the files, plan each sheet, render it.

`characters.py` loads and checks; what is here begins with a checked build.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Final, Self

from sheetgen import __version__
from sheetgen.check.character.options import resolve_options
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Span, apply_strict, errors
from sheetgen.diag.notices import announced
from sheetgen.diag.visible import strip_controls
from sheetgen.load.books import fill_template
from sheetgen.load.cache import code_stamp, read_cache, store_in_cache
from sheetgen.load.characters import load_from_source
from sheetgen.load.pictures.reader import find_brand
from sheetgen.load.rulesets.rulesets import find_ruleset, load_complete, switches_of
from sheetgen.load.sources import read_source
from sheetgen.materials.pictures import build_page_pictures, prepare_pictures
from sheetgen.materials.plates import PlateStore, RulesetDesign, build_measure, find_web_fonts
from sheetgen.model.books import BookEntry
from sheetgen.model.build import Value
from sheetgen.model.filled import BACKUP_CELL
from sheetgen.model.pictures import Picture
from sheetgen.model.prints import Live, Plan, Plate
from sheetgen.model.requests import FileFormat, PrintRequest, Row, SharedOptions
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import EMPTY_SOURCE, Source
from sheetgen.plan.contexts import build_filled_context, build_page_facts
from sheetgen.plan.fit import report_letters
from sheetgen.plan.scripts.live import build_blank_live, build_live, compute_sheet_odds
from sheetgen.plan.sheets.sheets import PlannedSheet, SheetContents, plan_sheet
from sheetgen.plan.sheets.view import build_blank_view, build_view, describe_character
from sheetgen.prints.characters import Character, check_loaded, load_character_file
from sheetgen.prints.context import PrintContext, PrintResult, file_stem, input_folders, name_words
from sheetgen.prints.kinds import PrintKind, find_missing_files
from sheetgen.prints.rules import put_rules_behind
from sheetgen.records import frozen
from sheetgen.render.backup_codes import build_backup, fit_backup
from sheetgen.render.flow.layout import NoEngine
from sheetgen.render.html.page import render_page
from sheetgen.render.press.page_objects import DocumentInfo
from sheetgen.render.press.press import press, press_many
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.odds.odds import GridError
from sheetgen.rules.odds.questions import OddsError
from sheetgen.write.files import write_draft_pdf


@frozen
class BlankRequest(PrintRequest):
    """Empty sheets to print.

    Attributes:
        calc: Whether a PDF computes its totals by itself, in viewers that run scripts.
        copies: The number of copies of each sheet in its PDF. The form fields of a copy have names
            of their own.
    """

    kind: ClassVar[str] = "blanks"

    flatten: bool = False
    calc: bool = True
    copies: int = 1

    @property
    def computes(self) -> bool:
        """Whether a PDF of this request has a script, and fields for it."""
        fillable = not self.flatten and not self.archive
        return self.calc and fillable and self.formats != ("html",)

    def without_scripts(self) -> Self:
        """Return a request whose PDF computes nothing."""
        return replace(self, calc=False)


@frozen
class SheetRequest(BlankRequest):
    """Sheets of characters to print.

    Attributes:
        row: Of a CSV file: the row's label, and its cells by column; `of` is the template.
        draft: Whether to print a build with errors too, stamped and with its findings.
        joined: Whether all sheets go into one PDF.
        qr: Whether a sheet ends with its character's file as a QR code.
        rules: Whether a sheet ends with the rules that its character uses.
    """

    kind: ClassVar[str] = "sheets"

    row: Row | None = None
    draft: bool = False
    joined: bool = False
    qr: bool = False
    rules: bool = False

    def for_job(self, of: tuple[str, ...], place: Span, row: Row | None) -> Self:
        """Return the request of a job of a book, for a file or for a row of a table."""
        return replace(self, of=of, place=place, row=row)


def print_sheets(request: SheetRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield the sheets of all characters of a request, one a file or all in one PDF."""
    options = dict(request.options)
    characters = (
        character
        for path in request.of
        for character in (
            load_character_file(Path(path), context.rulesets, options)
            if request.row is None
            else load_row(request, context)
        )
    )
    if request.joined:
        yield from _print_joined(characters, request, context)
    else:
        yield from print_characters(characters, request, context)


def load_row(request: SheetRequest, context: PrintContext) -> tuple[Character, ...]:
    """Return the character that a row of a CSV file makes of its template, checked."""
    assert request.row is not None
    path, options, label = Path(request.of[0]), dict(request.options), request.row[0]
    read = read_source(path)
    if read.value is None:
        return (Character(path, None, None, None, read.findings),)
    filled = fill_template(read.value, request.row)
    assert filled.value is not None
    findings = (*read.findings, *filled.findings)
    loaded = load_from_source(path, filled.value, findings, context.rulesets, options)
    checked = [check_loaded(one, options, context.rulesets) for one in loaded]

    def name_row(finding: Finding) -> Finding:
        if label in finding.message:
            return finding
        return replace(finding, message=f"{label}: {finding.message}")

    return tuple(replace(one, findings=tuple(map(name_row, one.findings))) for one in checked)


def print_characters(
    characters: Iterable[Character], request: SheetRequest, context: PrintContext
) -> Iterator[PrintResult]:
    """Yield the sheet of each character, or what keeps it from being printed."""
    number = 0
    for one in characters:
        found = apply_strict(one.findings, request.strict)
        design = str(one.rules.sheet or "plain") if one.rules is not None else ""
        inputs = input_folders(one.rules, *([design] if design else []))
        wrong = errors(found)
        on_option = any(finding.span.is_option for finding in wrong)
        refused = bool(wrong) and (on_option or not request.draft)
        withheld = refused and one.build is not None and not on_option
        yield PrintResult(
            findings=one.findings, source=one.source, inputs=inputs, withheld=withheld
        )
        if one.build is None or refused:
            continue
        number += 1
        printed = print_sheet(replace(one, findings=found), request, context.plates)
        if request.rules and printed.plan is not None:
            printed = put_rules_behind(printed, printed.plan, one, request)
        words = {"stem": one.path.stem, "name": one.build.name or one.path.stem}
        words |= {"ruleset": str(one.rules.id) if one.rules else "", "n": str(number)}
        words |= dict(request.row[1]) if request.row else {}
        yield replace(printed, source=one.source, words=words, stem=file_stem(one.stem))


def _print_joined(
    characters: Iterable[Character], request: SheetRequest, context: PrintContext
) -> Iterator[PrintResult]:
    """Yield one PDF of all sheets; pages are written as they come, so none are held."""
    first: list[Plan] = []
    findings: list[Finding] = []
    inputs: set[str] = set()
    count = 0
    names: list[str] = []

    def plans() -> Iterator[Plan]:
        nonlocal count
        for printed in print_characters(characters, replace(request, formats=()), context):
            findings.extend(printed.findings)
            inputs.update(printed.inputs)
            if printed.plan is not None:
                first[:] = first or [printed.plan]
                count += request.copies
                names.append(printed.words["name"])
                yield from [printed.plan] * request.copies

    def info() -> DocumentInfo:
        if not first:
            return DocumentInfo("", "", "")
        rules = first[0].title.rpartition(" · ")[2]
        title, meta = f"{count} characters · {rules}", {"version": first[0].meta["version"]}
        return DocumentInfo(title, first[0].lang, first[0].subject, meta)

    def fill(out: BinaryIO | None) -> bytes:
        return press_many(plans(), info, flatten=request.flatten, out=out)

    files: dict[FileFormat, bytes] = {}
    drafts: dict[FileFormat, Path] = {}
    try:
        if request.preset or request.archive or context.drafts is None:
            files["pdf"] = fill(None)  # the PDF is finished as a whole
        else:
            drafts["pdf"] = write_draft_pdf(context.drafts, fill)
    except OSError as error:
        message = f"cannot write it: {(error.strerror or str(error)).lower()}"
        hint = "choose another --out"
        findings.append(Finding(codes.CANNOT_WRITE, request.place, message, hint))
    result = PrintResult(findings=tuple(findings), inputs=frozenset(inputs))
    if first and not errors(findings):
        stem, ruleset = Path(request.of[0]).stem, first[0].meta["ruleset"]
        words = {"stem": stem, "n": "1", "ruleset": ruleset}
        result = replace(result, files=files, words=words, drafts=drafts, subjects=tuple(names))
    yield result


def print_blanks(request: BlankRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield the empty sheet of each ruleset of a request."""
    options = dict(request.options)
    for name in request.of:
        found = find_ruleset(name, request.at("--blank"), Path(request.beside))
        if found.value is None:
            yield PrintResult(findings=found.findings)
            continue
        loaded = context.rulesets.load(found.value, switches_of(None, options))
        rules = loaded.value
        if rules is None or errors(loaded.findings):
            yield PrintResult(findings=loaded.findings, inputs=input_folders(rules))
            continue
        try:
            printed = print_blank(rules, request, options, context.plates)
        except FormulaError as error:
            message = f"a formula of the ruleset cannot be computed: {error}"
            printed = PrintResult(findings=(Finding(codes.UNANSWERED, rules.place, message),))
        yield replace(
            printed,
            findings=(*loaded.findings, *printed.findings),
            words=name_words(rules, "blank"),
            inputs=input_folders(rules, str(rules.sheet or "plain")),
        )


def print_sheet(
    one: Character, request: SheetRequest, plates: PlateStore | None = None
) -> PrintResult:
    """Return the sheet of a checked character in every format of the request."""
    assert one.build is not None
    assert one.rules is not None
    build, rules, view = one.build, one.rules, build_view(one.build, one.rules)
    name = build.name or strip_controls(one.path.stem)
    live = partial(build_live, build, view, rules, flat=True) if request.computes else None
    plan = SheetContents(
        name, describe_character(build, rules, name), build.digest, view, one.findings, live
    )
    page_live = partial(build_live, build, view, rules, flat=False)
    span = Span(str(one.path))
    backup = build_backup(one.source, span) if request.qr else Checked(None)
    plan = replace(plan, backup=backup.value)
    store = plates or PlateStore()
    pictures, source = build.pictures, one.source
    made = _render(plan, rules, build.options, request, span, store, page_live, pictures, source)
    return replace(made, findings=(*backup.findings, *made.findings))


def print_blank(
    rules: Ruleset,
    request: BlankRequest,
    chosen: Mapping[str, str] | None = None,
    plates: PlateStore | None = None,
) -> PrintResult:
    """Return the empty sheet of a ruleset; its tables follow the options that are `chosen`."""
    options, wrong = resolve_options(EMPTY_SOURCE, rules, chosen or {})
    if wrong:
        return PrintResult(findings=tuple(wrong))
    live = partial(build_blank_live, rules, chosen or {}) if request.computes else None
    plan = SheetContents("", "", "", build_blank_view(rules, options), live=live)
    return _render(plan, rules, options, request, rules.place, plates or PlateStore())


def _render(
    sheet: SheetContents,
    rules: Ruleset,
    options: Mapping[str, Value] | None,
    request: BlankRequest,
    span: Span,
    plates: PlateStore,
    page_live: Callable[[Plate], Live | None] | None = None,
    pictures: Mapping[str, Picture] | None = None,
    source: Source | None = None,
) -> PrintResult:
    """Return a print; `page_live` gives what its HTML calculates, which is more than a PDF's."""
    try:
        brand = find_brand(request, ("logo",), far=(rules,))
        pictures = {**(pictures or {}), **(brand.value or {})}
        own = frozenset({"logo"} & pictures.keys())
        corner: tuple[Finding, ...] = ()
        for cells in (own | {BACKUP_CELL}, own) if sheet.backup is not None else (own,):
            found = plates.find_design(rules, request.theme, request.paper, options, cells)
            if found.value is None:
                return PrintResult(findings=found.findings)
            design = found.value
            prepared, more = prepare_pictures(pictures, design.sheet.places)
            asked = replace(sheet, pictures=prepared)
            if sheet.backup is not None and BACKUP_CELL in cells:
                code = fit_backup(sheet.backup, design.sheet, span)
                corner = code.findings
                if code.value is None:
                    continue
                asked = replace(asked, pictures={**prepared, BACKUP_CELL: code.value}, backup=None)
            planned = plan_sheet(asked, design.sheet, design.more, rules, span)
            if not planned.moved:
                break
    except NoEngine as error:
        return PrintResult(findings=(error.finding(),))
    files: dict[FileFormat, bytes] = {}
    for format_ in request.formats:
        if format_ == "pdf":
            copies = [planned.plan] * request.copies
            files["pdf"] = (
                join_sheets(copies, planned.plan, request)
                if request.copies > 1
                else press(planned.plan, flatten=request.flatten)
            )
        else:
            live = page_live(design.sheet) if page_live and not request.flatten else None
            flat = request.flatten
            files[format_] = render_sheet_page(
                design, planned, sheet.findings, options, live, flat=flat
            )
    notes = (*(() if planned.moved else corner), *planned.findings)
    missing = planned.missing if request.formats != ("html",) else ""
    letters = report_letters(missing, source, span)
    findings = (*brand.findings, *found.findings, *more, *notes, *letters)
    return PrintResult(files, findings, planned.plan)


def join_sheets(
    plans: Iterable[Plan],
    info: Plan | DocumentInfo,
    request: BlankRequest,
    out: BinaryIO | None = None,
) -> bytes:
    """Return one PDF of many sheets, or write it to `out` page by page; `info`: its title."""
    document = DocumentInfo(info.title, info.lang, info.subject, info.meta)
    return press_many(plans, document, flatten=request.flatten, out=out)


def render_sheet_page(
    design: RulesetDesign,
    planned: PlannedSheet,
    findings: Iterable[Finding],
    options: Mapping[str, Value] | None,
    live: Live | None,
    *,
    flat: bool = False,
) -> bytes:
    """Return a planned sheet as an HTML file.

    Args:
        findings: Findings about the character.
        live: What the sheet calculates, if it can.
        flat: Whether values are text, without fields and without a script.
    """
    base, rules = design.design, design.rules
    context = {**build_filled_context(design.context, planned), "meta": planned.plan.meta}
    filling = planned.plan.leaves[0].filling
    context["pictures"] = build_page_pictures(filling.pictures)
    facts = None
    if flat:
        context["flat"] = True
    else:
        facts = build_page_facts(planned.plan, rules, findings, find_sheet_odds(rules, options))
    context["measure"], fonts = build_measure(base.tokens), find_web_fonts(base)
    parts = base.texts, base.template, base.screen, base.tokens, fonts, context
    return render_page(*parts, facts, live, base.narrow)


def find_sheet_odds(rules: Ruleset, options: Mapping[str, Value] | None) -> dict[str, Any] | None:
    """Return the odds that an HTML sheet of `rules` shows, from the cache or computed.

    None if the ruleset prints no odds, or if they cannot be computed; `sheetgen odds` says why.
    """
    chosen = repr(sorted((options or {}).items()))
    inputs = f"{rules.digest}\0{chosen}\0{code_stamp()}\0{__version__}"
    key = f"{hashlib.sha256(inputs.encode()).hexdigest()[:32]}.odds"
    content = read_cache(key)
    if content is None:
        computed = None
        with announced(f"computing the odds of {rules.title}"):
            if (loaded := load_complete(rules)) is not None:
                with contextlib.suppress(GridError, OddsError, FormulaError):
                    computed = compute_sheet_odds(loaded, options or {})
        content = json.dumps(computed, ensure_ascii=False).encode()
        store_in_cache(key, content)
    odds: dict[str, Any] | None = json.loads(content)
    return odds


def _check_row(request: SheetRequest, context: PrintContext) -> Iterator[Finding]:
    if request.row is None:
        yield from find_missing_files(request, context)
    else:
        yield from (finding for one in load_row(request, context) for finding in one.findings)


def _read_blanks(entry: BookEntry, shared: SharedOptions) -> BlankRequest:
    flatten, calc = bool(entry.flatten), entry.calc is not False
    return BlankRequest(**shared, flatten=flatten, calc=calc, copies=entry.copies)


def _read_sheets(entry: BookEntry, shared: SharedOptions) -> SheetRequest:
    return SheetRequest(
        **shared,
        flatten=bool(entry.flatten),
        calc=entry.calc is not False,
        copies=entry.copies,
        draft=bool(entry.draft),
        joined=entry.joined,
        qr=bool(entry.qr),
    )


SHEET_KIND: Final = PrintKind(
    SheetRequest,
    "Sheet",
    print_sheets,
    job="file",
    read_entry=_read_sheets,
    joins=True,
    check=_check_row,
)
BLANK_KIND: Final = PrintKind(
    BlankRequest,
    "Empty sheet",
    print_blanks,
    job="ruleset",
    read_entry=_read_blanks,
    word="blank",
)
