"""Export Markdown: a text for each build, and of a ruleset one for each set of cards."""

from __future__ import annotations

from sheetgen.exchange.formats import ExportRequest, ExportResult, find_pictures
from sheetgen.exchange.markdown import escape_markdown, format_build, format_credit
from sheetgen.exchange.things import format_thing, list_things
from sheetgen.prints.context import file_stem


def export_markdown(request: ExportRequest) -> ExportResult:
    """Return a text for each build, and of a ruleset one for each set of cards."""
    files = {}
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
    return ExportResult(files, find_pictures("markdown", request))
