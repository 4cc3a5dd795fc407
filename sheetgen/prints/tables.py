"""Print a ruleset's reference tables and its screens, and the rules that a character uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import RULESET, Finding, Severity, apply_strict, errors
from sheetgen.load.designs.templates import SCREENS, load_scene
from sheetgen.load.pictures import find_brand
from sheetgen.materials.plates import prepare_picture
from sheetgen.model.build import Build
from sheetgen.model.prints import Plan
from sheetgen.model.requests import FileFormat, FilePart, PrintRequest
from sheetgen.model.rulesets.prints import ComputedTable, Table
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.plan.build_parts import BuildPart, is_short, list_build_parts, list_named_parts
from sheetgen.plan.pages import tables
from sheetgen.plan.pages.screen_blocks import SignWriter
from sheetgen.plan.pages.screens import list_panel_names, plan_screens
from sheetgen.plan.sheets.view import build_view
from sheetgen.plan.tableflow import SplitTable
from sheetgen.prints import rulesets
from sheetgen.prints.characters import Character, load_characters, load_complete_rules, load_stock
from sheetgen.prints.kinds import (
    PrintContext,
    PrintKind,
    PrintResult,
    find_missing_files,
    name_words,
)
from sheetgen.records import frozen
from sheetgen.render.flow.rendering import SCENE
from sheetgen.render.flow.screen_pages import measure_scene, render_screens
from sheetgen.render.flow.table_pages import format_csv, format_json, format_markdown, render_tables
from sheetgen.render.html.styles import draw_scene, svg_address
from sheetgen.rules.index import file_stem, folded
from sheetgen.rules.tables.compute import kind_of_tables, table_of_rows


@frozen
class TableRequest(PrintRequest):
    """Tables to print."""

    kind: ClassVar[str] = "tables"

    only: tuple[str, ...] = ()  # Only these pages or tables.
    numbers: tuple[int, ...] = ()  # What they are computed for; empty: own rows.
    notes: bool = False  # Whether to print what a source prints otherwise, and what it leaves open.


def find_wrong_tables(request: TableRequest, rules: Ruleset) -> tuple[Finding, ...]:
    """Return a finding for each page or table of a request that the ruleset does not have."""
    names, place = tables.list_page_names(rules), request.at(RULESET)
    return rulesets.find_unknown_parts(request.only, names, "table", place, rules.title)


def _print_tables(
    request: TableRequest, checked: rulesets.CheckedRuleset, rules: Ruleset
) -> Iterator[PrintResult]:
    if wrong := find_wrong_tables(request, rules):
        yield PrintResult(findings=wrong)
        return
    request = replace(
        request, only=rulesets.use_known_names(request.only, tables.list_page_names(rules))
    )
    kinds = (kind_of_tables(table.of) for table in rules.tables.values())
    about_stock: list[Finding] = []
    stock = load_stock(rules, filter(None, kinds), dict(request.options), about_stock)

    def plan(*, cut: bool) -> tuple[list[tables.TablePage], tuple[Finding, ...]]:
        given = checked.options, checked.differences, request.numbers
        pages = tables.plan_table_pages(rules, request.only, *given, cut=cut, stock=stock)
        return [page for page in pages.value or () if any(page.bands)], pages.findings

    pages, findings = plan(cut=True)
    labels = ", ".join(page.label for page in pages)
    title = f"{labels}: {rules.title}" if request.only else f"{rules.title}, tables"
    words = name_words(rules, request.kind)
    parts = [file_stem(str(rules.id)), *(request.only or (request.kind,))]
    stem = "-".join(parts).replace(" ", "-")
    words_for = partial(tables.PlayerWords, rules.rulings, notes=request.notes)
    shown = words_for(signs=SignWriter(rules))
    printed = render_table_pages([*map(shown.page, pages)], rules, title, request)
    of = (view.worked.table.of for page in pages for view in page.tables if view.worked)
    about_rows = about_stock if any(map(kind_of_tables, of)) else ()
    yield PrintResult(findings=(*findings, *about_rows, *printed.findings))
    if errors(printed.findings):
        return
    if {"md", "csv", "json"}.intersection(request.formats):
        text_title, credit = title if request.only else rules.title, rules.credit.short
        pages = plan(cut=False)[0]
        # As they are read, and as they are computed with.
        read, data = ([*map(words_for(data=kept).page, pages)] for kept in (False, True))
        texts: list[tuple[str, FileFormat, str]] = []
        if request.wants("md"):
            texts.append((stem, "md", format_markdown(read, text_title, credit)))
        if request.wants("json"):
            texts.append((stem, "json", format_json(data, str(rules.id), rules.version, credit)))
        for view in (view for page in data for view in page.tables if request.wants("csv")):
            if view.worked is not None:
                name = f"{file_stem(str(rules.id))}-{view.worked.id}"
                texts.append((name, "csv", format_csv(view, credit)))
        for name, format_, text in sorted(texts):
            yield PrintResult({format_: text.encode()}, words=words, stem=name)
    yield replace(printed, findings=(), words=words, stem=stem)


def render_table_pages(
    pages: Sequence[tables.TablePage],
    rules: Ruleset,
    title: str,
    request: PrintRequest,
    *,
    roomy: bool = False,
) -> PrintResult:
    """Return pages of tables as PDF and HTML, as far as the request has these formats.

    `roomy` tables have rows to write in, and lines for notes below the last one.
    """
    style = rulesets.load_page_style(request, rules)
    if style.value is None:
        return PrintResult(findings=style.findings)
    context = {**rulesets.page_context(rules, title, request), "roomy": roomy}
    split: list[SplitTable] = []
    parts = pages, style.value, context, split
    printed = rulesets.render_pages(request, lambda one: render_tables(one, *parts))
    others = "HTML or CSV" if request.kind == TableRequest.kind else "HTML"
    findings = [*style.findings, *printed.findings]
    for table in split:
        place = next((k.span for k in rules.tables if k == table.id and isinstance(k, Text)), None)
        counts = ", ".join(map(str, table.columns))
        message = f"{table.label} is wider than the paper: its columns are in parts of {counts}"
        hint = f"shorten its texts, leave columns out, or print it as {others}"
        span, note = place or rules.place, Severity.NOTE
        findings.append(Finding(codes.SPLIT_TABLE, span, message, hint, note))
    return replace(printed, findings=tuple(findings))


TABLE_KIND: Final = PrintKind(
    TableRequest,
    "Tables",
    partial(rulesets.print_rulesets, print_one=_print_tables),
    job="ruleset",
    read_entry=lambda entry, shared: TableRequest(**shared, only=tuple(map(str, entry.only))),
    word=TableRequest.kind,
)


@frozen
class ScreenRequest(PrintRequest):
    """Screens to print, or `only` these panels and sides."""

    kind: ClassVar[str] = "screens"

    only: tuple[str, ...] = ()


def find_wrong_panels(request: ScreenRequest, rules: Ruleset) -> tuple[Finding, ...]:
    """Return a finding for each panel of a request that the ruleset does not have."""
    panels = list_panel_names(rules)
    if not panels:
        return (Finding(codes.EMPTY, request.at(RULESET), f"{rules.title} has no screen"),)
    place = request.at("--panels")
    return rulesets.find_unknown_parts(request.only, panels, "panel", place, rules.title)


def _print_screen(
    request: ScreenRequest, checked: rulesets.CheckedRuleset, rules: Ruleset
) -> Iterator[PrintResult]:
    style = rulesets.load_page_style(request, rules, SCREENS)
    wrong = find_wrong_panels(request, rules)
    if wrong or style.value is None:
        yield PrintResult(findings=wrong or style.findings)
        return
    request = replace(request, only=rulesets.use_known_names(request.only, list_panel_names(rules)))
    credit, small = map(style.value.tokens.length, ("size-credit", "size-small"))
    design = request.paper, style.value.measure(), credit, small
    planned = plan_screens(rules, request.only, checked.options, *design)
    yield PrintResult(findings=(*style.findings, *planned.findings))
    if planned.value:
        context = rulesets.page_context(rules, f"Screen: {rules.title}", request)
        shown = style.value
        if count := planned.value[-1].part[1]:
            # The picture over the screen, on `count` pages: of the book, the theme or the ruleset,
            # or else the scene of the game's face.
            width, height = measure_scene(planned.value[-1].paper, count)
            found = find_brand(request, (SCENE,), far=(rules,))
            findings, own = found.findings, (found.value or {}).get(SCENE)
            if own is not None:
                made = prepare_picture(own, (count * width, height))
                findings += made.findings
                if made.value is not None:
                    shown = rulesets.add_pictures(shown, {SCENE: made.value})
            else:
                drawing = load_scene(shown.tokens)
                middle = 0.5 if count % 2 else 1 - 0.5 / count  # of a page, not between two
                svg = draw_scene(shown.tokens, drawing, count * width / height, middle)
                files = {**shown.assets, SCENE: svg.encode()}
                about = {"alt": str(drawing.label), "credit": "", "style": ""}
                pictures = {**shown.pictures, SCENE: {"address": svg_address(svg), **about}}
                shown = replace(shown, assets=files, pictures=pictures)
            yield PrintResult(findings=findings)
        parts = planned.value, shown, context
        printed = rulesets.render_pages(request, lambda one: render_screens(one, *parts), SCREENS)
        stem = "-".join([file_stem(str(rules.id)), "screen", *request.only])
        yield replace(printed, words=name_words(rules, "screen"), stem=stem)


SCREEN_KIND: Final = PrintKind(
    ScreenRequest,
    "Screen",
    partial(rulesets.print_rulesets, print_one=_print_screen),
    job="ruleset",
    read_entry=lambda entry, shared: ScreenRequest(**shared, only=tuple(map(str, entry.only))),
    word="screen",
)


@frozen
class RulesRequest(PrintRequest):
    """Characters whose rules are printed."""

    kind: ClassVar[str] = "rules"


def print_rules(request: RulesRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield the rules that each character of a request uses."""
    for one in load_characters(map(Path, request.of), dict(request.options), context.rulesets):
        yield PrintResult(source=one.source, findings=one.findings)
        if one.rules is None or one.build is None:
            continue
        if errors(apply_strict(one.findings, request.strict)):
            continue
        printed = print_rules_of(one, request)
        words = {**name_words(one.rules, request.kind), "stem": f"{one.path.stem}-rules"}
        words["name"] = one.build.name
        yield replace(printed, source=one.source, words=words, stem=file_stem(f"{one.stem}-rules"))


def print_rules_of(one: Character, request: PrintRequest) -> PrintResult:
    """Return the rules that a checked character uses, as PDF and HTML."""
    rules = load_complete_rules(one)
    if rules is None or one.build is None:
        return PrintResult()
    label, about = f"The rules of {one.build.name}", f"{rules.title}, version {rules.version}"
    page = tables.plan_own_page(RulesRequest.kind, label, about, _list_tables(one.build, rules))
    return render_table_pages([tables.PlayerWords(rules.rulings).page(page)], rules, label, request)


def put_rules_behind(
    sheet: PrintResult, plan: Plan, one: Character, request: PrintRequest
) -> PrintResult:
    """Return a sheet whose PDF ends with its character's rules; as HTML they are a second file."""
    from sheetgen.finish.merging import MergedInfo, MergePart, merge_parts  # loads pikepdf

    printed = print_rules_of(one, request)
    files, more = dict(sheet.files), list[FilePart]()
    findings = (*sheet.findings, *printed.findings)
    if "html" in printed.files:
        content = printed.files["html"]
        more.append(FilePart("-rules", "html", lambda: content))
    if "pdf" in files and "pdf" in printed.files:
        parts = (
            MergePart("Sheet", files["pdf"], "Sheet"),
            MergePart("Rules", printed.files["pdf"], "Rules"),
        )
        files["pdf"] = merge_parts(parts, MergedInfo(plan.title, plan.lang, plan.subject))
    return replace(sheet, files=files, findings=findings, more=(*sheet.more, *more))


_MOST_FIGURES: Final = 5  # of a part, for a column of figures; more are run in


def _list_tables(build: Build, rules: Ruleset) -> Iterator[ComputedTable]:
    """Yield a table for each sort of things that a build has, then its values and reminders."""
    parts = list_build_parts(build, rules, build_view(build, rules))
    parts = [part for part in parts if part.texts or part.ids[0] not in rules.groups]
    parts += list_named_parts(parts, build, rules)
    headings = [*dict.fromkeys(part.heading for part in parts)]
    parts.sort(key=lambda part: headings.index(part.heading))
    signs = SignWriter(rules)
    many = any(len(part.figures) > _MOST_FIGURES for part in parts)
    rows = [(part.name, *_say(part, signs, run_in=many), part.source) for part in parts]
    yield _table("", ("", "Figures", "Rule", "From"), rows, [part.heading for part in parts])
    values = (value for value in build.derived.values() if value.label and value.shown)
    told = [
        (value.label, value.shown, value.how, rules.derived[value.id].use)
        for value in values
        if value.label[0].isalpha()  # A step of a ladder, such as `2 ×`, stands on the sheet.
        if value.value or re.search("[1-9]", value.how)  # Nothing of something is left out.
    ]
    yield _table("Values", ("", "Value", "How", "For"), [row for row in told if any(row[2:])])
    lines = [(rules.texts[id_].label, line) for id_, line in build.lines.items()]
    reminders = [(label, line) for label, line in lines if label and line]
    reminders += [(str(number), line) for number, line in enumerate(rules.reminders, 1)]
    yield _table("In play", ("", "Rule"), reminders)


def _say(part: BuildPart, signs: SignWriter, *, run_in: bool) -> tuple[str, str]:
    """Return the figures of a part, and its rule, which begins with them if they are run in."""
    told = [(label, signs.pool(text)) for label, text in part.figures]
    told = [one for one in told if folded(one[1]) != folded(part.heading)]
    short = [one for one in told if is_short(one[1])]
    figures = ", ".join(f"{label} {text}" for label, text in short)
    said: list[tuple[str, str]] = []
    if run_in and short:
        bare = (f"{label} {text}" if text.isdecimal() else text for label, text in short)
        figures, said = "", [("", " · ".join(bare))]
    first, *more = part.texts or (("", ""),)  # Before sections the first text sums up all others.
    sections = [one for one in more if one[0]]
    said += [first, *(sections or more)]
    said += [("Gives", part.gives)] if part.gives else []
    said += [one for one in told if one not in short]
    mark = tables.RUN_IN
    plain = str.maketrans("", "", mark)  # an author's own would set text in bold
    pairs = ((head.translate(plain), text.translate(plain)) for head, text in said)
    begun = ((head, text[:1].upper() + text[1:]) for head, text in pairs if text)
    texts = (f"{mark}{head}:{mark} {text}" if head else text for head, text in begun)
    return figures, " ".join(text if text[-1] in ".!?:" else f"{text}." for text in texts)


def _table(
    label: str, heads: Sequence[str], rows: Sequence[Sequence[str]], headings: Sequence[str] = ()
) -> ComputedTable:
    """Return a table without the columns that are empty in all rows."""
    shown = [at for at in range(len(heads)) if at == 0 or any(row[at] for row in rows)]
    cells = [tuple(" ".join(row[at].split()) for at in shown) for row in rows]
    columns = tuple(heads[at] for at in shown)
    return table_of_rows(label, Table(label=label), columns, cells, headings)


RULES_KIND: Final = PrintKind(
    RulesRequest,
    "Rules in use",
    print_rules,
    job="file",
    read_entry=lambda _, shared: RulesRequest(**shared),
    word=RulesRequest.kind,
    check=find_missing_files,
)
