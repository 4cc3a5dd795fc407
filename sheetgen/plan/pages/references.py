"""Which tables of a ruleset are printed, and on which pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from sheetgen.check.character.options import option_hint
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.load.rulesets.overlays import origin_of_table
from sheetgen.model.build import Value
from sheetgen.model.differences import Difference
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
    """Return the pages of `rules`; a ruleset that says none has one for each table."""
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
"""On paper a table with more computed columns than this goes on below."""

MOST_NARROW = 7
"""A table with more computed columns than this lies on the long side of the paper."""


def list_page_names(rules: Ruleset) -> tuple[str, ...]:
    """Return every name that may be asked for: pages, then tables."""
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
    """Return pages of tables; a table that cannot be worked out is a finding.

    Args:
        names: Pages or tables; all pages where there are none.
        wrong: Where a source prints other figures, for footnotes.
        over: Values of `n` instead of the tables' own.
        cut: Whether tables that are too wide for paper go on below.
        stock: What comes ready made, for tables of it; without it these are left out.
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
            for some in (_pieces(over) if cut else [over])
        ]
        letters, grid = Letters(), _grid(bands)
        wide = reference.wide or len(over) > MOST_NARROW
        views = (
            tuple(
                plan_table_page(
                    made,
                    () if asked else errata,
                    letters,
                    _shared(made, band, grid),
                    wide=wide,
                    beside=len(band) > 1,
                )
                for made, asked in band
            )
            for band in bands
        )
        shown = tuple(tuple(_named(view, reference) for view in band) for band in views)
        about = _settled(reference, scope, findings)
        pages.append(TablePage(name, reference.label, about, shown, wide))
    return Checked(tuple(pages), tuple(findings))


def _settled(reference: Reference, scope: RulesetScope, findings: list[Finding]) -> str:
    """Return what a page says of itself, as the options have it."""
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
    """Yield a finding about a page that was asked for, and of which no table is printed."""
    tables = [rules.tables[id_] for band in reference.bands for id_ in band if id_ in rules.tables]
    if tables and not any(is_printed(table, scope) for table in tables):
        hint = next((option_hint(rules, table.when) for table in tables if table.when), "")
        message = f"{rules.title} is played without `{name}`"
        yield Finding(codes.SWITCHED_OFF, rules.place, message, hint, Severity.WARNING)


def _pieces(over: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [over[at : at + MOST_WIDE] for at in range(0, len(over), MOST_WIDE)] or [()]


def _named(view: TableView, reference: Reference) -> TableView:
    """Return a table without its name where the page is called so and nothing else is said."""
    alone = view.label == reference.label and view.about in ("", reference.about)
    return replace(view, label="") if alone else view


Band = list[tuple[ComputedTable, bool]]
"""Tables side by side, and whether each was asked for other values of `n`."""


def _band(
    rules: Ruleset,
    band: Iterable[Text],
    scope: RulesetScope,
    over: tuple[int, ...],
    findings: list[Finding],
    stock: Stock | None,
) -> Band:
    made: Band = []
    for id_ in band:
        table = rules.tables.get(id_)
        if table is None:
            findings.append(Finding(codes.DANGLING, id_.span, f"there is no table `{id_}`"))
            continue
        if not is_printed(table, scope) or (kind_of_tables(table.of) and stock is None):
            continue
        asked = over if len(table.over) > 1 else ()
        try:
            done = compute_table(rules, str(id_), scope.options, asked, stock=stock)
            made.append((_from(rules, done), bool(asked)))
        except FormulaError as error:
            span = next(
                (k.span for k in rules.tables if k == id_ and isinstance(k, Text)), id_.span
            )
            message = f"the table `{id_}` cannot be worked out: {error}"
            findings.append(Finding(codes.UNANSWERED, span, message))
    return made


def _from(rules: Ruleset, made: ComputedTable) -> ComputedTable:
    """Return a table that says whose it is, where an overlay brought it."""
    origin = origin_of_table(rules, made.id)
    if origin is None:
        return made
    about = " · ".join(part for part in (made.table.about, origin.title) if part)
    return replace(made, table=replace(made.table, about=about))


def _grid(bands: Iterable[Band]) -> tuple[int, int]:
    """Return one width for labels, and one for figures, of all full-width tables of words."""
    alone = [band[0][0] for band in bands if len(band) == 1 and is_of_words(band[0][0])]
    leads, figures = map(lead_width, alone), map(figure_width, alone)
    return max(leads, default=0), max(figures, default=0)


def _shared(made: ComputedTable, band: Band, grid: tuple[int, int]) -> tuple[int, int]:
    return grid if len(band) == 1 and is_of_words(made) else (0, 0)
