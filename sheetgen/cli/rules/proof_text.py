"""The differences that a proof found, as text, Markdown, data, and pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from sheetgen.model.differences import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.tables import PartView, RowView, TableCell, TablePage, TableView
from sheetgen.render.flow.table_texts import format_markdown_table
from sheetgen.rules.formulas.readings import (
    INHERITED,
    ROUNDING,
    TEXT,
    TRUNCATED,
    UNDEFINED,
    UNPRICED,
    WRONG,
)

KINDS: Final = {
    WRONG: "Wrong figures",
    TRUNCATED: "Cut off where others are rounded",
    INHERITED: "Follows from printed figures that are cut off",
    ROUNDING: "Rounded to fewer digits than others",
    TEXT: "One place against another",
    UNDEFINED: "Names that nothing defines",
    UNPRICED: "Without a price",
}
"""Kinds of differences in the order of the list, and what they are called."""

HEADS: Final = ("Line", "What", "Printed", "Computed", "By", "Ruling")


def count_words(found: Sequence[Difference]) -> str:
    """Return how many differences there are of each kind, in words."""
    parts = [(kind, sum(one.kind == kind for one in found)) for kind in KINDS]
    said = ", ".join(f"{count} {kind}" for kind, count in parts if count)
    total = f"{len(found)} difference{'s' if len(found) != 1 else ''}"
    return f"{total}: {said}" if found else "no differences"


def proof_rows(found: Sequence[Difference]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield kind and cells of each line; things without a price share one where they can."""
    for kind in KINDS:
        ours = [one for one in found if one.kind == kind]
        if kind != UNPRICED:
            yield from ((kind, _cells(one)) for one in ours)
            continue
        for _, together in groupby(ours, key=lambda one: (one.file, one.ruling, one.rule)):
            group = list(together)
            lines = f"{group[0].line}–{group[-1].line}" if len(group) > 1 else str(group[0].line)
            names = ", ".join(one.what.rstrip("*") for one in group)
            first = group[0]
            yield kind, (lines, names, first.printed, "–", first.rule, first.ruling)


def _cells(one: Difference) -> tuple[str, ...]:
    return (str(one.line), one.what, one.printed, one.computed, one.rule, one.ruling)


def proof_text(rules: Ruleset, found: Sequence[Difference]) -> list[str]:
    """Return the list for people, as lines: a block for each difference, below its kind."""
    lines = [f"{rules.title}: {count_words(found)}"]
    for kind, group in groupby(proof_rows(found), key=lambda pair: pair[0]):
        lines += ["", KINDS[kind]]
        for _, (line, what, printed, computed, rule, ruling) in group:
            lines.append(f"  line {line}: {what}")
            said = f"prints {printed}" + (f"; computed {computed}" if computed != "–" else "")
            if kind == UNDEFINED:
                said = f"prints `{printed}`; {computed}"
            if kind == UNPRICED:
                said = printed
            by = f"  [{rule}]" if rule else ""
            lines.append(f"      {said}{by}" + (f"  ({ruling})" if ruling else ""))
    return [*lines, "", rules.credit.short]


def proof_markdown(rules: Ruleset, found: Sequence[Difference]) -> str:
    """Return the list as Markdown, a table for each kind."""
    parts = [f"# Proof of {rules.title}", count_words(found) + "."]
    for kind, group in groupby(proof_rows(found), key=lambda pair: pair[0]):
        table = [HEADS, *(cells for _, cells in group)]
        parts += [f"## {KINDS[kind]}", format_markdown_table(table, [True, *[False] * 5])]
    return "\n\n".join([*parts, rules.credit.short]) + "\n"


def proof_data(rules: Ruleset, found: Sequence[Difference]) -> dict[str, Any]:
    """Return the list for JSON."""
    return {
        "_credit": rules.credit.short,
        "ruleset": str(rules.id),
        "version": rules.version,
        "differences": [
            {
                "kind": one.kind,
                "file": one.file,
                "line": one.line,
                "what": one.what,
                "printed": one.printed,
                "computed": one.computed,
                "rule": one.rule,
                "ruling": one.ruling,
            }
            for one in found
        ],
    }


def as_page(rules: Ruleset, found: Sequence[Difference]) -> TablePage:
    """Return the list as a page of tables, one for each kind."""
    bands = []
    for kind, group in groupby(proof_rows(found), key=lambda pair: pair[0]):
        bands.append((_view(KINDS[kind], [cells for _, cells in group]),))
    return TablePage(
        "proof", f"Proof of {rules.title}", count_words(found), tuple(bands), wide=True
    )


_WIDTHS: Final = ("lead w-20", "w-64", "w-56", "w-56", "", "w-14")


def _view(label: str, lines: Sequence[tuple[str, ...]]) -> TableView:
    heads = tuple(TableCell(h, classes=c) for h, c in zip(HEADS, _WIDTHS, strict=True))
    body = tuple(
        RowView(
            (TableCell(cells[0], label=True), *(TableCell(c, classes="said") for c in cells[1:]))
        )
        for cells in lines
    )
    parts = (PartView("", body),)
    return TableView(None, label, "", heads, parts, (), "", "fixed of-words", len(lines) < 6)
