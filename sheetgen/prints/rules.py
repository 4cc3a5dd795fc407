"""Print the rules that a character uses: alone, or behind its sheet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Final

from sheetgen.diag.findings import apply_strict, errors
from sheetgen.model.books import BookEntry
from sheetgen.model.build import Build
from sheetgen.model.computed import ComputedTable
from sheetgen.model.prints import Plan
from sheetgen.model.requests import FilePart, PrintRequest, SharedOptions
from sheetgen.model.rulesets.prints import Table
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.build_parts import SHORT, BuildPart, list_build_parts, list_named_parts
from sheetgen.plan.pages.tables import PlayerWords, plan_own_page
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints.characters import Character, load_characters, load_complete_rules
from sheetgen.prints.context import PrintContext, PrintResult, file_stem, name_words
from sheetgen.prints.kinds import PrintKind, find_missing_files
from sheetgen.prints.tables import render_table_pages
from sheetgen.records import frozen
from sheetgen.rules.tables.compute import table_of_rows


@frozen
class RulesRequest(PrintRequest):
    """Characters whose rules are printed."""

    kind: ClassVar[str] = "rules"


def print_rules(request: RulesRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield the rules that each character of a request uses."""
    characters = load_characters(map(Path, request.of), dict(request.options), context.rulesets)
    for one in characters:
        yield PrintResult(source=one.source, findings=one.findings)
        if one.rules is None or one.build is None:
            continue
        if errors(apply_strict(one.findings, request.strict)):
            continue
        printed = print_rules_of(one, request)
        words = {**name_words(one.rules, request.kind), "stem": f"{one.path.stem}-rules"}
        words["name"] = one.build.name
        stem = file_stem(f"{one.stem}-rules")
        yield replace(printed, source=one.source, words=words, stem=stem)


def print_rules_of(one: Character, request: PrintRequest) -> PrintResult:
    """Return the rules that a checked character uses, as PDF and HTML."""
    rules = load_complete_rules(one)
    if rules is None or one.build is None:
        return PrintResult()
    label, about = f"The rules of {one.build.name}", f"{rules.title}, version {rules.version}"
    page = plan_own_page(RulesRequest.kind, label, about, _list_tables(one.build, rules))
    return render_table_pages([PlayerWords(rules.rulings).page(page)], rules, label, request)


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


def _list_tables(build: Build, rules: Ruleset) -> Iterator[ComputedTable]:
    """Yield a table for each sort of things that a build has, then its values and reminders."""
    parts = list_build_parts(build, rules, build_view(build, rules))
    parts = [part for part in parts if part.texts or part.ids[0] not in rules.groups]
    parts += list_named_parts(parts, build, rules)
    sources = {part.source for part in parts if part.source}
    from_where = len(sources) > 1 or len(rules.composition.origins) > 1
    headings = [*dict.fromkeys(part.heading for part in parts)]
    parts.sort(key=lambda part: headings.index(part.heading))
    rows = [
        (part.name, _join_figures(part), _join_texts(part), part.source if from_where else "")
        for part in parts
    ]
    heads = "", "Figures", "Rule", "From"
    yield _table("", heads, rows, [part.heading for part in parts])
    values = (value for value in build.derived.values() if value.label and value.shown)
    told = [(v.label, v.shown, v.how, rules.derived[v.id].use) for v in values]
    yield _table("Values", ("", "Value", "How", "For"), [row for row in told if any(row[2:])])
    lines = [(rules.texts[id_].label, line) for id_, line in build.lines.items()]
    said = [(label, line) for label, line in lines if label and line]
    said += [(str(number), line) for number, line in enumerate(rules.reminders, 1)]
    yield _table("In play", ("", "Rule"), said)


def _table(
    label: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    headings: Sequence[str] = (),
) -> ComputedTable:
    """Return a table without the columns that are empty in all rows."""
    shown = [at for at in range(len(heads)) if at == 0 or any(row[at] for row in rows)]
    cells = [tuple(" ".join(row[at].split()) for at in shown) for row in rows]
    columns = tuple(heads[at] for at in shown)
    return table_of_rows(label, Table(label=label), columns, cells, headings)


def _join_figures(part: BuildPart) -> str:
    return ", ".join(f"{label} {text}" for label, text in part.figures if len(text) <= SHORT)


def _join_texts(part: BuildPart) -> str:
    long = [pair for pair in part.figures if len(pair[1]) > SHORT]
    gives = [("Gives", part.gives)] if part.gives else []
    texts = (f"{head}: {text}" if head else text for head, text in (*part.texts, *gives, *long))
    return " ".join(text if text[-1] in ".!?:" else f"{text}." for text in texts)


def _read_entry(entry: BookEntry, shared: SharedOptions) -> RulesRequest:
    return RulesRequest(**shared)


RULES_KIND: Final = PrintKind(
    RulesRequest,
    "Rules in use",
    print_rules,
    job="file",
    read_entry=_read_entry,
    word=RulesRequest.kind,
    check=find_missing_files,
)
