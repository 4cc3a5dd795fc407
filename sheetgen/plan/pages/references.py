"""Pages of tables: which tables of a ruleset are printed, and with which others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sheetgen.check.character.options import option_hint
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.load.rulesets.overlays import origin_of_table
from sheetgen.model.build import Value
from sheetgen.model.rulesets.proof import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.tables import Reference
from sheetgen.model.source import Text
from sheetgen.plan.pages.footnotes import Letters
from sheetgen.plan.pages.tables import (
    TablePage,
    TableView,
    figure_width,
    is_of_words,
    lead_width,
    plan_table_page,
)
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.tables.compute import ComputedTable, compute_table
from sheetgen.rules.tables.stock import Stock, kind_of_tables
from sheetgen.rules.tables.tables import RulesetScope, is_printed


def find_references(rules: Ruleset) -> dict[str, Reference]:
    """Return the pages of `rules`; without `references`, each table has a page of its own."""
    if rules.references:
        return {str(id_): reference for id_, reference in rules.references.items()}
    return {str(id_): _alone(id_, rules) for id_ in rules.tables}


def _alone(id_: str, rules: Ruleset) -> Reference:
    table = rules.tables[id_]
    name = Text(id_, id_.span if isinstance(id_, Text) else rules.place)
    holding = (r for r in rules.references.values() if any(id_ in band for band in r.bands))
    label = table.label or next((r.label for r in holding), str(id_))
    return Reference(label, ((name,),), wide=len(table.over) > MOST_NARROW)


MOST_WIDE = 12
"""On paper, a table with more computed columns than this is continued below."""

MOST_NARROW = 7
"""A table with more computed columns than this is landscape."""


def list_page_names(rules: Ruleset) -> tuple[str, ...]:
    """Return the names of all pages and tables."""
    return tuple(dict.fromkeys((*find_references(rules), *map(str, rules.tables))))


def plan_table_pages(
    rules: Ruleset,
    names: Sequence[str],
    options: Mapping[str, Value],
    differences: Iterable[Difference] = (),
    over: tuple[int, ...] = (),
    *,
    cut: bool = False,
    stock: Stock | None = None,
) -> Checked[tuple[TablePage, ...]]:
    """Return pages of tables; a table that cannot be computed is a finding.

    Args:
        names: Pages or tables; if empty, all pages.
        differences: Figures that a source prints differently, for footnotes.
        over: Values of `n` instead of the tables' own.
        cut: Whether tables too wide for the paper are continued below.
        stock: The shipped NPCs and the like; without it, their tables are left out.
    """
    known, pages, scope = find_references(rules), [], RulesetScope(rules, options)
    findings: list[Finding] = []
    errata = tuple(differences)
    for name in names or known:
        reference = known.get(name) or _alone(name, rules)
        if name in names:
            findings += _switched_off(rules, name, reference, scope)
        bands = [
            _band(rules, band, scope, some, findings, stock)
            for band in reference.bands
            for some in (_split_values(over) if cut else [over])
        ]
        letters, grid = Letters(), _grid(bands)
        wide = reference.wide or len(over) > MOST_NARROW
        views = (
            tuple(
                plan_table_page(
                    table,
                    () if with_values else errata,
                    letters,
                    _column_widths(table, band, grid),
                    wide=wide,
                    beside=len(band) > 1,
                )
                for table, with_values in band
            )
            for band in bands
        )
        shown = tuple(
            tuple(
                _without_title(_named_origin(rules, _with_stair(view)), reference) for view in band
            )
            for band in views
        )
        about = _describe_page(reference, scope, findings)
        pages.append(TablePage(name, reference.label, about, shown, wide))
    return Checked(tuple(pages), tuple(findings))


def _describe_page(reference: Reference, scope: RulesetScope, findings: list[Finding]) -> str:
    try:
        return filled(reference.about, scope)
    except FormulaError as error:
        assert isinstance(reference.about, Text)  # what the project writes has no formulas
        message = f"`{reference.about}` cannot be worked out: {error}"
        findings.append(Finding(codes.UNANSWERED, reference.about.span, message))
        return ""


def _switched_off(
    rules: Ruleset, name: str, reference: Reference, scope: RulesetScope
) -> Iterator[Finding]:
    """Yield a finding if the options switch off all tables of a requested page."""
    tables = [rules.tables[id_] for band in reference.bands for id_ in band if id_ in rules.tables]
    if tables and not any(is_printed(table, scope) for table in tables):
        hint = next((option_hint(rules, table.when) for table in tables if table.when), "")
        message = f"{rules.title} is played without `{name}`"
        yield Finding(codes.SWITCHED_OFF, rules.place, message, hint, Severity.WARNING)


def _split_values(over: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [over[at : at + MOST_WIDE] for at in range(0, len(over), MOST_WIDE)] or [()]


def _without_title(view: TableView, reference: Reference) -> TableView:
    """Return a table without its name if the page has the same title and description."""
    alone = view.label == reference.label and view.about in ("", reference.about)
    return replace(view, label="") if alone else view


Band = list[tuple[ComputedTable, bool]]
"""Tables side by side, and whether each is computed for other values of `n`."""


def _band(
    rules: Ruleset,
    band: Iterable[Text],
    scope: RulesetScope,
    over: tuple[int, ...],
    findings: list[Finding],
    stock: Stock | None,
) -> Band:
    tables: Band = []
    for id_ in band:
        table = rules.tables.get(id_)
        if table is None:
            findings.append(Finding(codes.DANGLING, id_.span, f"there is no table `{id_}`"))
            continue
        if not is_printed(table, scope) or (kind_of_tables(table.of) and stock is None):
            continue
        with_values = over if len(table.over) > 1 else ()
        try:
            computed = compute_table(rules, str(id_), scope.options, with_values, stock=stock)
            tables.append((computed, bool(with_values)))
        except FormulaError as error:
            span = next(
                (k.span for k in rules.tables if k == id_ and isinstance(k, Text)), id_.span
            )
            message = f"the table `{id_}` cannot be worked out: {error}"
            findings.append(Finding(codes.UNANSWERED, span, message))
    return tables


def _with_stair(view: TableView) -> TableView:
    """Return a grid of odds with the line between good and bad chances."""
    if view.worked is None or view.worked.grid is None:
        return view
    from sheetgen.plan.pages.odds_chart import plan_grid_cells  # Few tables are odds.

    chances = iter(plan_grid_cells(view.worked.grid))
    parts = []
    for part in view.parts:
        rows = []
        for row in part.rows:
            labels = [cell for cell in row.cells if cell.label]
            cells = [
                replace(cell, classes=" ".join((cell.classes, *chance.classes)))
                for cell, chance in zip(row.cells[len(labels) :], next(chances), strict=True)
            ]
            rows.append(replace(row, cells=(*labels, *cells)))
        parts.append(replace(part, rows=tuple(rows)))
    return replace(view, parts=tuple(parts), classes=f"{view.classes} of-odds")


def _named_origin(rules: Ruleset, view: TableView) -> TableView:
    """Return a table that names its origin, if it comes from an overlay."""
    origin = origin_of_table(rules, view.worked.id) if view.worked is not None else None
    if origin is None:
        return view
    about = " · ".join(part for part in (view.about, origin.title) if part)
    return replace(view, about=about, origin=origin.title)


def _grid(bands: Iterable[Band]) -> tuple[int, int]:
    """Return the widths of labels and of figures that all full-width tables of words share."""
    alone = [band[0][0] for band in bands if len(band) == 1 and is_of_words(band[0][0])]
    leads, figures = map(lead_width, alone), map(figure_width, alone)
    return max(leads, default=0), max(figures, default=0)


def _column_widths(computed: ComputedTable, band: Band, grid: tuple[int, int]) -> tuple[int, int]:
    return grid if len(band) == 1 and is_of_words(computed) else (0, 0)
