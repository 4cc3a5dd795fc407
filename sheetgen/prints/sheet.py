"""Print character sheets: plan and render what `characters.py` loads and checks."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain
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
from sheetgen.load.pictures import find_brand
from sheetgen.load.rulesets.rulesets import find_ruleset, load_complete, switches_of
from sheetgen.load.yaml.tree import read_source
from sheetgen.materials.plates import (
    PlateStore,
    build_measure,
    build_page_pictures,
    find_web_fonts,
    prepare_pictures,
)
from sheetgen.model.build import Value
from sheetgen.model.filled import BACKUP_CELL, EMPTY_CELL
from sheetgen.model.prints import Plan
from sheetgen.model.requests import FileFormat, PrintRequest, Row
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import EMPTY_SOURCE
from sheetgen.plan.contexts import build_filled_context, build_page_facts, build_short_sheet
from sheetgen.plan.fit import report_letters
from sheetgen.plan.pages.screen_blocks import SignWriter, count_signs
from sheetgen.plan.scripts.sheet_scripts import build_blank_live, build_live, compute_sheet_odds
from sheetgen.plan.sheets.sheets import SheetContents, plan_sheet
from sheetgen.plan.sheets.view import build_blank_view, build_view, describe_character
from sheetgen.prints.characters import Character, check_loaded, load_character_file, load_characters
from sheetgen.prints.kinds import (
    PrintContext,
    PrintKind,
    PrintResult,
    find_missing_files,
    input_folders,
    name_words,
)
from sheetgen.prints.rulesets import (
    find_page_signs,
    load_page_style,
    page_context,
    render_pages,
)
from sheetgen.records import frozen
from sheetgen.render.flow.layout import NoEngine
from sheetgen.render.flow.table_pages import render_short_sheets
from sheetgen.render.html.page import render_page
from sheetgen.render.press.page_objects import DocumentInfo
from sheetgen.render.press.press import build_backup, fit_backup, press, press_many
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import file_stem
from sheetgen.rules.odds.odds import GridError
from sheetgen.rules.odds.questions import OddsError
from sheetgen.write import write_draft_pdf

_SHORT_FOLDER: Final = "_short"
SHORT_PAPERS: Final = ("a5", "half-letter")  # of short sheets; others need a whole page


@frozen
class BlankRequest(PrintRequest):
    """Empty sheets to print."""

    kind: ClassVar[str] = "blanks"

    flatten: bool = False
    calc: bool = True  # Whether a PDF computes its totals by itself, in viewers that run scripts.
    # The number of copies of each sheet in its PDF, whose form fields have names of their own.
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
    """Sheets of characters to print."""

    kind: ClassVar[str] = "sheets"

    row: Row | None = None  # Of a CSV file: label, cells; `of` is the template.
    draft: bool = False  # Whether to print a build with errors too, stamped and with its findings.
    joined: bool = False  # Whether all sheets go into one PDF.
    qr: bool = False  # Whether a sheet ends with its character's file as a QR code.
    rules: bool = False  # Whether a sheet ends with the rules that its character uses.
    short: bool = False  # Whether to print what each has, several on a page.
    blank: str = ""  # The ruleset of which the empty sheet is printed, too.

    def for_job(self, of: tuple[str, ...], place: Span, row: Row | None) -> Self:
        """Return the request of a job of a book, for a file or for a row of a table."""
        return replace(self, of=of, place=place, row=row)


def print_sheets(request: SheetRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield the sheets of all characters of a request, one a file or all in one PDF."""
    options = dict(request.options)
    if request.blank:
        yield from print_blanks(replace(request, of=(request.blank,)), context)
    characters: Iterable[Character]
    if request.row is not None:
        characters = load_row(request, context)
    elif request.in_book:  # each file of a book is known to be one
        loaded = (load_character_file(Path(p), context.rulesets, options) for p in request.of)
        characters = chain.from_iterable(loaded)
    else:
        characters = load_characters(map(Path, request.of), options, context.rulesets)
    if request.joined:
        yield from _print_joined(characters, request, context)
    elif request.short:
        yield from print_short_sheets(characters, request)
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
    found: list[Character] = []
    for one in (check_loaded(one, options, context.rulesets) for one in loaded):
        named = (
            f if label in (text := f.message) else replace(f, message=f"{label}: {text}")
            for f in one.findings
        )
        found.append(replace(one, findings=tuple(named)))
    return tuple(found)


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
            from sheetgen.prints.tables import put_rules_behind  # Most sheets need none of it.

            printed = put_rules_behind(printed, printed.plan, one, request)
        words = {"stem": one.path.stem, "name": one.build.name or one.path.stem}
        words |= {"ruleset": str(one.rules.id) if one.rules else "", "n": str(number)}
        words |= dict(request.row[1]) if request.row else {}
        yield replace(printed, source=one.source, words=words, stem=file_stem(one.stem))


def print_short_sheets(people: Iterable[Character], request: SheetRequest) -> Iterator[PrintResult]:
    """Yield the short sheets of all characters, those of a ruleset in one file."""
    together: dict[str, list[Character]] = {}
    for one in people:
        refused = bool(errors(apply_strict(one.findings, request.strict))) and not request.draft
        told = PrintResult(
            findings=one.findings, source=one.source, inputs=input_folders(one.rules)
        )
        yield replace(told, withheld=refused and one.build is not None)
        if one.build is not None and one.rules is not None and not refused:
            together.setdefault(str(one.rules.id), []).append(one)
    for id_, found in together.items():
        rules, first = found[0].rules, found[0]
        assert rules is not None
        paper = "letter" if request.paper in ("letter", "half-letter") else "a4"
        style = load_page_style(request, rules, _SHORT_FOLDER, paper=paper)
        if style.value is None:
            yield PrintResult(findings=style.findings)
            continue
        sheets = [build_short_sheet(c.build, c.rules) for c in found if c.build and c.rules]
        names = [str(sheet["name"]) for sheet in sheets]
        title = names[0] if len(names) == 1 else f"{len(names)} characters: {rules.title}"
        parts = sheets, style.value, page_context(rules, title, request)
        made = render_pages(request, lambda kind: render_short_sheets(kind, *parts), _SHORT_FOLDER)  # noqa: B023
        stem = file_stem(f"{first.stem if len(found) == 1 else id_}-short")
        words = {"stem": first.path.stem, "name": title, "ruleset": id_, "n": "1"}
        findings = (*style.findings, *made.findings)
        yield PrintResult(made.files, findings, words=words, stem=stem, subjects=tuple(names))


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
        findings.append(Finding(codes.CANNOT_WRITE, request.place, message, "choose another --out"))
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
    backup = build_backup(one.source, Span(str(one.path))) if request.qr else Checked(None)
    about = name, describe_character(build, rules, name), build.digest, view, one.findings
    signed = SignWriter(rules).pool
    contents = SheetContents(*about, live=live, backup=backup.value, signed=signed)
    made = _render(contents, rules, build.options, request, plates, one)
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
    return _render(plan, rules, options, request, plates)


def _render(
    sheet: SheetContents,
    rules: Ruleset,
    options: Mapping[str, Value] | None,
    request: BlankRequest,
    plates: PlateStore | None,
    one: Character | None = None,
) -> PrintResult:
    build, source = (one.build, one.source) if one is not None else (None, None)
    span = Span(str(one.path)) if one is not None else rules.place
    pictures, plates = build.pictures if build is not None else {}, plates or PlateStore()
    try:
        brand = find_brand(request, ("logo",), far=(rules,))
        pictures = {**pictures, **(brand.value or {})}
        own = frozenset({"logo"} & pictures.keys()) | ({EMPTY_CELL} if sheet.view.blank else set())
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
            plan = planned.plan
            info = DocumentInfo(plan.title, plan.lang, plan.subject, plan.meta)
            files["pdf"] = (
                press_many([plan] * request.copies, info, flatten=request.flatten, out=None)
                if request.copies > 1
                else press(plan, flatten=request.flatten)
            )
        else:
            base, live, facts = design.design, None, None
            tokens = base.tokens
            context = {**build_filled_context(design.context, planned), "meta": planned.plan.meta}
            context["pictures"] = build_page_pictures(planned.plan.leaves[0].filling.pictures)
            if request.flatten:  # values are text, without fields and without a script
                context["flat"] = True
            else:
                # What HTML calculates is more than what a PDF does.
                if build is not None:
                    live = build_live(build, sheet.view, rules, design.sheet, flat=False)
                odds = find_sheet_odds(design.rules, options)
                facts = build_page_facts(planned.plan, design.rules, sheet.findings, odds)
            context["measure"], fonts = build_measure(tokens), find_web_fonts(tokens.faces)
            parts = base.texts, base.template, base.screen, tokens, fonts, context
            texts = (cell for one in planned.moved for row in one.rows for cell in row)
            signs = find_page_signs(rules, request.theme) if any(map(count_signs, texts)) else None
            files[format_] = render_page(*parts, facts, live, base.narrow, signs)
    notes = (*(() if planned.moved else corner), *planned.findings)
    missing = planned.missing if request.formats != ("html",) else ""
    letters = report_letters(missing, source, span)
    findings = (*brand.findings, *found.findings, *more, *notes, *letters)
    return PrintResult(files, findings, planned.plan)


def find_sheet_odds(rules: Ruleset, options: Mapping[str, Value] | None) -> dict[str, Any] | None:
    """Return the odds of an HTML sheet, cached or computed; None for none, or with errors."""
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


SHEET_KIND: Final = PrintKind(
    SheetRequest,
    "Sheet",
    print_sheets,
    job="file",
    read_entry=lambda entry, shared: SheetRequest(
        **shared,
        flatten=bool(entry.flatten),
        calc=entry.calc is not False,
        copies=entry.copies,
        draft=bool(entry.draft),
        joined=entry.joined,
        qr=bool(entry.qr),
    ),
    joins=True,
    check=lambda request, context: (
        find_missing_files(request, context)
        if request.row is None
        else chain.from_iterable(one.findings for one in load_row(request, context))
    ),
)
BLANK_KIND: Final = PrintKind(
    BlankRequest,
    "Empty sheet",
    print_blanks,
    job="ruleset",
    read_entry=lambda entry, shared: BlankRequest(
        **shared, flatten=bool(entry.flatten), calc=entry.calc is not False, copies=entry.copies
    ),
    word="blank",
)
