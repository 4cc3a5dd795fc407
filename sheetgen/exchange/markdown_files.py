"""Export Markdown: a text for each build and encounter, and a ruleset's cards and tables."""

from __future__ import annotations

from sheetgen.exchange.formats import ExportRequest, ExportResult, find_pictures
from sheetgen.exchange.markdown import escape_markdown, format_build, format_credit
from sheetgen.exchange.markdown_encounters import format_encounter
from sheetgen.exchange.things import format_thing, list_table_pages, list_things
from sheetgen.prints.context import file_stem
from sheetgen.render.flow.table_texts import format_markdown


def export_markdown(request: ExportRequest) -> ExportResult:
    """Return a text for each build and encounter; of a ruleset also its cards and tables."""
    files = {}
    for encounter in request.encounters:
        text = format_encounter(encounter)
        files[f"{file_stem(encounter.stem)}.md"] = text.encode()
    for build, one in request.builds:
        text = format_build(build, one.rules or request.rules)
        files[f"{file_stem(one.stem)}.md"] = text.encode()
    sets: dict[str, list[str]] = {}
    for label, name, texts in list_things(request) if request.stock else ():
        blocks = sets.setdefault(label, [f"# {escape_markdown(label)}"])
        blocks += [f"## {escape_markdown(name)}", *format_thing(texts)]
    for label, blocks in sets.items():
        text = "\n\n".join([*blocks, *format_credit(request.rules)]) + "\n"
        files[f"{file_stem(str(request.rules.id))}-{file_stem(label)}.md"] = text.encode()
    pages = [*list_table_pages(request)] if request.stock else []
    if pages:
        rules = request.rules
        text = format_markdown(pages, rules.title, "\n\n".join(format_credit(rules)))
        files[f"{file_stem(str(rules.id))}-tables.md"] = text.encode()
    return ExportResult(files, find_pictures("markdown", request))
