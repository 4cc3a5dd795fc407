"""Export Markdown: a text for each build and encounter, and a ruleset's cards and tables."""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.exchange.formats import ExportRequest, ExportResult, find_pictures
from sheetgen.exchange.markdown import escape_markdown, format_build, format_credit
from sheetgen.exchange.things import format_thing, list_table_pages, list_things
from sheetgen.model.rulesets.encounters import Encounters
from sheetgen.plan.pages.encounter_views import EncounterSection, Run, StripView, TrackView
from sheetgen.plan.pages.encounters import plan_fight
from sheetgen.plan.pages.player_words import PlayerWords
from sheetgen.prints.context import file_stem
from sheetgen.prints.encounter import CheckedEncounter
from sheetgen.render.flow.table_texts import (
    format_markdown,
    format_markdown_page,
    format_markdown_table,
)
from sheetgen.write.names import free_name, name_key


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
        text = format_build(build, one.rules or request.rules)
        put(one.stem, text, build.name)
    sets: dict[str, list[str]] = {}
    for label, name, texts in list_things(request) if request.stock else ():
        blocks = sets.setdefault(label, [f"# {escape_markdown(label)}"])
        blocks += [f"## {escape_markdown(name)}", *format_thing(texts)]
    for label, blocks in sets.items():
        text = "\n\n".join([*blocks, *format_credit(request.rules)]) + "\n"
        put(f"{request.rules.id}-{label}", text)
    pages = [*list_table_pages(request)] if request.stock else []
    if pages:
        rules = request.rules
        text = format_markdown(pages, rules.title, "\n\n".join(format_credit(rules)))
        put(f"{rules.id}-tables", text)
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
        blocks += _section_blocks(section, page)
    words = PlayerWords(rules.rulings)
    blocks += [b for table in checked.tables for b in format_markdown_page(words.page(table))]
    return "\n\n".join([*blocks, *format_credit(rules)]) + "\n"


def _section_blocks(section: EncounterSection, page: Encounters) -> Iterator[str]:
    words = section.words
    columns = [*words.figures, *words.steps]
    heads = ["Name", page.init, *(column.label for column in columns)]
    rows = [[one.name, "", *map(one.figure, columns)] for one in section.players]
    for strip in section.strips:
        figures = map(_run_text, (strip.corner, *strip.figures, *strip.steps))
        rows.append([strip.name, *figures])
    yield f"## {escape_markdown(words.label)}"
    right = [False, *[True] * (len(heads) - 1)]
    yield format_markdown_table([heads, *rows], right)
    for strip in section.strips:
        lines = [line for line in _strip_lines(strip) if line]
        if strip.about or lines:
            yield f"### {escape_markdown(strip.name)}"
        if strip.about:
            yield escape_markdown(strip.about)
        if lines:
            yield "\n".join(f"- {line}" for line in lines)


def _strip_lines(strip: StripView) -> Iterator[str]:
    """Yield the lines of a combatant: its tracks, its sides, and the rest."""
    for track in strip.tracks:
        yield _track_text(track, strip.track_label)
    yield escape_markdown(", ".join(f"{name} {value}" for name, value in strip.sides))
    for runs in strip.lines:
        yield escape_markdown(" ".join(f"{_run_text(run)}{run.end}" for run in runs))


def _track_text(track: TrackView, label: str) -> str:
    """Return the boxes of one copy, the marked ones ticked."""
    boxes = [f"{'☒' if marked else '☐'} {text}".strip() for text, marked in track.boxes]
    states = [f"{'☒' if marked else '☐'} {text}" for text, marked in track.states]
    shown = escape_markdown(" ".join(filter(None, [*boxes, track.end, track.suffix, *states])))
    head = escape_markdown(" ".join(filter(None, (track.name, label))))
    return f"**{head}**: {shown}" if head and shown else shown


def _run_text(run: Run) -> str:
    return f"{run.text}{run.small} {run.unit}".strip()
