"""Export Markdown: a text for each build and encounter, and a ruleset's cards and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from sheetgen.diag.findings import Finding
from sheetgen.model.build import Build, pick_line, rolled_text
from sheetgen.model.rulesets.prints import OddsGrid
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.cards.kinds import build_thing_subject
from sheetgen.plan.pages.encounters import Run, TrackView, plan_fight
from sheetgen.plan.pages.tables import PlayerWords, TablePage, plan_table_pages
from sheetgen.plan.sheets.view import trait_notes
from sheetgen.plugins.exchange.formats import ExportRequest, ExportResult, find_pictures
from sheetgen.prints.characters import load_stock
from sheetgen.prints.context import file_stem
from sheetgen.prints.encounter import CheckedEncounter
from sheetgen.render.table_texts import (
    format_markdown,
    format_markdown_page,
    format_markdown_table,
)
from sheetgen.rules.tables.compute import kind_of_tables
from sheetgen.rules.tables.figures import RulesetScope
from sheetgen.rules.tables.things import ThingScope, tags_of, things
from sheetgen.write.files import free_name, name_key


def export_markdown(request: ExportRequest) -> ExportResult:
    """Return a text for each build and encounter; of a ruleset also its cards and tables."""
    files: dict[str, bytes] = {}
    subjects: dict[str, tuple[str, ...]] = {}

    def put(stem: str, text: str, subject: str = "") -> None:
        taken = [name_key(name) for name in files]
        name = free_name(file_stem(stem), taken, ".md")
        files[name], subjects[name] = text.encode(), (subject,)

    for encounter in request.encounters:
        text = format_encounter(encounter)
        put(encounter.stem, text, encounter.encounter.title if encounter.encounter else "")
    for build, one in request.builds:
        rules = one.rules or request.rules
        blocks = [f"# {escape_markdown(build.name or 'no name')}", *format_body(build, rules)]
        put(one.stem, "\n\n".join([*blocks, *format_credit(rules)]) + "\n", build.name)
    sets: dict[str, list[str]] = {}
    for label, name, texts in list_things(request) if request.stock else ():
        blocks = sets.setdefault(label, [f"# {escape_markdown(label)}"])
        blocks += [f"## {escape_markdown(name)}", *format_thing(texts)]
    for label, blocks in sets.items():
        text = "\n\n".join([*blocks, *format_credit(request.rules)]) + "\n"
        put(f"{request.rules.id}-{label}", text)
    if pages := [*list_table_pages(request)] if request.stock else []:
        credit = "\n\n".join(format_credit(request.rules))
        text = format_markdown(pages, request.rules.title, credit)
        put(f"{request.rules.id}-tables", text)
    return ExportResult(files, find_pictures("markdown", request), subjects)


def format_encounter(checked: CheckedEncounter) -> str:
    """Return an encounter as Markdown, the credit of its rules last."""
    encounter = checked.encounter
    assert encounter is not None
    rules, page = encounter.rules, encounter.rules.encounter
    assert page is not None
    fight = plan_fight(encounter.title, checked.players, checked.fighters, page)
    blocks = [f"# {escape_markdown(fight.title)}"]
    if encounter.notes:
        blocks.append(escape_markdown(encounter.notes))
    for section in fight.sections:
        heading = section.words
        columns = [*heading.figures, *heading.steps]
        rows = [["Name", page.init, *(column.label for column in columns)]]
        rows += ([one.name, "", *map(one.figure, columns)] for one in section.players)
        for strip in section.strips:
            rows.append([strip.name, *map(_run_text, (strip.corner, *strip.figures, *strip.steps))])
        blocks.append(f"## {escape_markdown(heading.label)}")
        blocks.append(format_markdown_table(rows, [False, *[True] * (len(rows[0]) - 1)]))
        for strip in section.strips:
            lines = [_track_text(track, strip.track_label) for track in strip.tracks]
            lines.append(escape_markdown(", ".join(f"{name} {v}" for name, v in strip.sides)))
            for runs in strip.lines:
                lines.append(escape_markdown(" ".join(f"{_run_text(r)}{r.end}" for r in runs)))
            listed = "\n".join(f"- {line}" for line in lines if line)
            if strip.about or listed:
                blocks.append(f"### {escape_markdown(strip.name)}")
            blocks += [escape_markdown(strip.about)] if strip.about else []
            blocks += [listed] if listed else []
    words = PlayerWords(rules.rulings)
    blocks += [b for table in checked.tables for b in format_markdown_page(words.page(table))]
    return "\n\n".join([*blocks, *format_credit(rules)]) + "\n"


def _track_text(track: TrackView, label: str) -> str:
    boxes = [f"{'☒' if marked else '☐'} {text}".strip() for text, marked in track.boxes]
    states = [f"{'☒' if marked else '☐'} {text}" for text, marked in track.states]
    shown = escape_markdown(" ".join(filter(None, [*boxes, track.end, track.suffix, *states])))
    head = escape_markdown(" ".join(filter(None, (track.name, label))))
    return f"**{head}**: {shown}" if head and shown else shown


def _run_text(run: Run) -> str:
    return f"{run.text}{run.small} {run.unit}".strip()


_SIGNS = re.compile(r"[\\`*_\[\]<>|~]|&(?=#?\w+;)")
_SIGN_AT_START = re.compile(r"^(\s*)([#+=-])", re.MULTILINE)
_NUMBER_AT_START = re.compile(r"^(\s*)(\d+)(?=[.)])", re.MULTILINE)


def escape_markdown(text: str) -> str:
    """Return `text` as one paragraph in which nothing is markup; ends of lines are kept."""
    text = _SIGNS.sub(lambda found: f"\\{found[0]}", text.strip())
    text = _NUMBER_AT_START.sub(r"\2\\", _SIGN_AT_START.sub(r"\\\2", text))
    return "\\\n".join(line.strip() for line in text.splitlines() if line.strip())


def format_credit(rules: Ruleset) -> tuple[str, str]:
    """Return the credit and the licence of a ruleset as two blocks of Markdown."""
    licence = f"{rules.credit.short} Licence: {rules.credit.licence}."
    return "---", escape_markdown(licence)


def format_body(build: Build, rules: Ruleset) -> Iterator[str]:
    """Yield the blocks of a build: facts, tables with their headings, notes."""
    facts = [(p.catalogue, pick_line(p, build)) for p in build.picks]
    labels = {str(id_): key.label or str(id_) for id_, key in rules.character.items()}
    short = {id_: text for id_, text in build.texts.items() if "\n" not in text and id_ != "name"}
    named = [(labels.get(id_, id_), text) for id_, text in short.items()]
    named += [(key, one.summary) for key, one in build.pictures.items()]
    yield from _list_facts((k, v) for k, v in facts + named if v)
    for id_, group in rules.groups.items():
        held = [r for r in build.ratings.values() if r.group == id_ and (r.own or r.total)]
        if held:
            yield f"## {escape_markdown(group.label or str(id_))}"
            rows = [["Name", "Rating", "Own", "From"]]
            for one in held:
                own = rules.rating_text(one.group, one.own) if one.own != one.total else ""
                why = ", ".join(f"{p.why} {p.steps:+d}" for p in one.parts)
                name = f"{one.name} {trait_notes(build, rules, one.id)}".strip()
                rows.append([name, rules.rating_text(one.group, one.total), own, why])
            yield format_markdown_table(rows, [False, True, True, False])
    derived = [d for d in build.derived.values() if d.label]
    if derived:
        yield "## Derived values"
        cells = [[d.label, d.shown if d.value is not None else "?", d.how] for d in derived]
        yield format_markdown_table([["Name", "Value", "How"], *cells], [False, True, False])
    if build.items:
        yield "## Gear"
        rows = [["Name", "Count", "Attack", "Damage", "Notes"]]
        for item in build.items:
            dice = [rolled_text(item, what, pips=rules.pips) for what in ("attack", "damage")]
            notes = "; ".join(filter(None, (item.special, item.conditional)))
            rows.append([item.name, str(item.count), *dice, notes])
        yield format_markdown_table(rows, [False, True, True, True, False])
    for id_, listed in build.lists.items():
        if listed:
            yield f"## {escape_markdown(labels.get(id_, id_))}"
            yield "\n".join(f"- {escape_markdown(line)}" for line in listed)
    for ledger in build.ledgers.values():
        if ledger.lines:
            rows = [["Session", "What", "Gained", "Cost", "Left"]]
            for line in ledger.lines:
                figures = map(str, (line.gained, line.cost, line.left))
                rows.append([line.session, line.what, *figures])
            yield f"## {escape_markdown(ledger.label)}"
            yield format_markdown_table(rows, [False, False, True, True, True])
    for id_, text in build.texts.items():
        if "\n" in text:
            yield f"## {escape_markdown(labels.get(id_, id_))}"
            yield escape_markdown(text)


def _list_facts(facts: Iterable[tuple[str, str]]) -> Iterator[str]:
    lines = [f"- **{escape_markdown(name)}**: {escape_markdown(text)}" for name, text in facts]
    yield from ("\n".join(lines),) if lines else ()


def list_things(request: ExportRequest) -> Iterator[tuple[str, str, Mapping[str, str]]]:
    """Yield the card set, the name and the texts of each thing that has a card.

    Raises:
        FormulaError: A text cannot be computed.
    """
    rules, scope = request.rules, RulesetScope(request.rules, request.options)
    for set_id, cards in rules.card_sets.items():
        for of in cards.of:
            for thing in things(rules, str(of)).values():
                if isinstance(thing, OddsGrid) or any(t in cards.without for t in tags_of(thing)):
                    continue
                subject = build_thing_subject(cards, ThingScope(rules, scope, thing))
                yield cards.label or str(set_id), subject.name, subject.texts


def list_table_pages(
    request: ExportRequest, findings: list[Finding] | None = None
) -> Iterator[TablePage]:
    """Yield the pages of reference tables, in players' words; `findings` receives what is wrong."""
    rules = request.rules
    kinds = filter(None, (kind_of_tables(table.of) for table in rules.tables.values()))
    words, stock = PlayerWords(rules.rulings), load_stock(rules, kinds)
    planned = plan_table_pages(rules, (), request.options, stock=stock)
    if findings is not None:
        findings += planned.findings
    yield from (words.page(page) for page in planned.value or () if any(page.bands))


def format_thing(texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the texts of a thing as blocks: a list of its facts, and its sections."""
    yield from _list_facts(
        (name.replace("_", " "), text)
        for name, text in texts.items()
        if text.strip() and name != "name" and "." not in name
    )
    for name, label in texts.items():
        stem, _, last = name.rpartition(".")
        if last == "label" and f"{stem}.text" in texts:
            yield f"### {escape_markdown(label)}"
            yield escape_markdown(texts[f"{stem}.text"])
