"""Print short sheets: what characters have, several on a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from sheetgen.diag.findings import apply_strict, errors
from sheetgen.plan.sheets.short import build_short_sheet
from sheetgen.prints.characters import Character
from sheetgen.prints.context import PrintResult, file_stem, input_folders
from sheetgen.prints.pages import load_page_style, page_context, render_pages
from sheetgen.prints.sheet import SheetRequest
from sheetgen.render.flow.table_pages import render_short_sheets

FOLDER: Final = "_short"
SHORT_PAPERS: Final = ("a5", "half-letter")
"""Papers of short sheets alone; other sheets need a whole page."""


def print_short_sheets(
    characters: Iterable[Character], request: SheetRequest
) -> Iterator[PrintResult]:
    """Yield the short sheets of all characters, those of a ruleset in one file."""
    together: dict[str, list[Character]] = {}
    for one in characters:
        wrong = errors(apply_strict(one.findings, request.strict))
        refused = bool(wrong) and not request.draft
        yield PrintResult(
            findings=one.findings,
            source=one.source,
            inputs=input_folders(one.rules),
            withheld=refused and one.build is not None,
        )
        if one.build is not None and one.rules is not None and not refused:
            together.setdefault(str(one.rules.id), []).append(one)
    for id_, found in together.items():
        rules, first = found[0].rules, found[0]
        assert rules is not None
        paper = "letter" if request.paper in ("letter", "half-letter") else "a4"
        style = load_page_style(request, rules, FOLDER, paper=paper)
        if style.value is None:
            yield PrintResult(findings=style.findings)
            continue
        sheets = [build_short_sheet(c.build, c.rules) for c in found if c.build and c.rules]
        names = [str(sheet["name"]) for sheet in sheets]
        title = names[0] if len(names) == 1 else f"{len(names)} characters: {rules.title}"
        parts = sheets, style.value, page_context(rules, title, request)
        made = render_pages(request, lambda kind: render_short_sheets(kind, *parts), FOLDER)  # noqa: B023
        stem = file_stem(f"{first.stem if len(found) == 1 else id_}-short")
        words = {"stem": first.path.stem, "name": title, "ruleset": id_, "n": "1"}
        findings = (*style.findings, *made.findings)
        yield PrintResult(made.files, findings, words=words, stem=stem, subjects=tuple(names))
