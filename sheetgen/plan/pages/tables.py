"""Pages of computed tables: cells, column widths and footnotes, ready for the templates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import Final

from sheetgen.check.character.options import option_hint
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.load.rulesets.rulesets import origin_of_table
from sheetgen.model.build import Build, Value
from sheetgen.model.rulesets.prints import Reference
from sheetgen.model.rulesets.proof import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.plan.fit import set_apostrophes
from sheetgen.rules.formulas.evaluate import filled
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import folded
from sheetgen.rules.tables.compute import (
    ComputedTable,
    Stock,
    TableRow,
    compute_table,
    kind_of_tables,
)
from sheetgen.rules.tables.figures import RulesetScope, is_printed

_NUMBER: Final = re.compile(r"(.*?\d[\d.,]*)([kmbhD%+]{0,2})")

MOST_SHORT: Final = 34
"""A table with no more lines than this is never split between pages."""

MOST_SHORT_WIDE: Final = 20
"""The same on landscape paper."""

MOST_FIGURES: Final = 100
"""The widest that columns of figures together may be, in millimetres, and still be equally wide."""

MOST_BESIDE: Final = 74
"""The same for a table beside another."""

ONE_LINE: Final = 44
"""A longer text takes about two lines."""

LONG: Final = 28
"""If a text of a table is longer than this, all its columns of words are set in small type."""

CHARACTER: Final = 1.85
"""Width of a letter of the body in millimetres, rounded up."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """One cell: digits, the unit behind them, and the letter of a footnote."""

    number: str
    unit: str = ""
    mark: str = ""
    label: bool = False
    figure: bool = False
    classes: str = ""
    span: int = 1


@dataclass(frozen=True, slots=True)
class RowView:
    """A row and its CSS classes."""

    cells: tuple[TableCell, ...]
    classes: str = ""


@dataclass(frozen=True, slots=True)
class PartView:
    """Rows that belong together, with an optional heading."""

    label: str
    rows: tuple[RowView, ...]


@dataclass(frozen=True, slots=True)
class TableView:
    """A table ready for a template.

    Attributes:
        worked: The computed table, if it has one.
        remark: The end of `text`, which is about the source.
        origin: The title of the overlay that it comes from, which is at the end of `about`.
    """

    worked: ComputedTable | None
    label: str
    about: str
    heads: tuple[TableCell, ...]
    parts: tuple[PartView, ...]
    notes: tuple[Footnote, ...]
    text: str
    classes: str
    short: bool
    drawing: str = ""
    remark: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class TablePage:
    """Tables that are printed together in bands, one below the other."""

    id: str
    label: str
    about: str
    bands: tuple[tuple[TableView, ...], ...]
    wide: bool = False

    @property
    def origins(self) -> tuple[str, ...]:
        """The titles of the overlays that tables of this page come from."""
        return tuple(dict.fromkeys(view.origin for view in self.tables if view.origin))

    @property
    def tables(self) -> Iterator[TableView]:
        """Every table, from top to bottom."""
        for band in self.bands:
            yield from band


def is_of_words(worked: ComputedTable) -> bool:
    """Return whether a table has columns of words, not of figures only."""
    return not worked.table.lines and not all(worked.figures)


def lead_width(worked: ComputedTable) -> int:
    """Return the width that the row labels of a table need, in millimetres."""
    labels = [row.labels[0] for row in worked.rows]
    if len(worked.heads) > 1:  # a label without a second one may reach over the next columns
        labels = [row.labels[0] for row in worked.rows if row.labels[1]]
    return _width([worked.heads[0], *labels])


def figure_width(worked: ComputedTable) -> int:
    """Return the width of the widest column of figures, in millimetres; 0 without figures."""
    columns = [at for at, figure in enumerate(worked.figures) if figure]
    return max((_width(_column(worked, at)) + 4 for at in columns), default=0)


def plan_table_page(
    worked: ComputedTable,
    differences: Iterable[Difference],
    letters: Letters,
    grid: tuple[int, int],
    *,
    wide: bool,
    beside: bool,
) -> TableView:
    """Return a computed table as it is printed.

    Args:
        differences: Figures that a source prints differently. Those of this table get a
            footnote.
        letters: The footnotes of the page.
        grid: Widths of labels and of figures, if they are shared with other tables.
        wide: Whether the page is landscape.
        beside: Whether other tables stand beside this one.
    """
    notes = _cell_notes(worked, differences)
    words = is_of_words(worked)
    fits = _line_count(worked) <= (MOST_SHORT_WIDE if wide else MOST_SHORT)
    classes = "fixed of-words" if words else "fixed of-figures"
    classes += " close" if words and not fits else ""
    lead, figure = grid[0] or lead_width(worked), grid[1] or figure_width(worked)
    crowded = sum(worked.figures) * figure > (MOST_BESIDE if beside else MOST_FIGURES)
    heads = tuple(_heads(worked, lead, figure, crowded))
    parts = tuple(_parts(worked, notes, letters))
    placed = sorted(place for place in notes if place[1] < len(worked.columns))
    texts = dict.fromkeys(text for place in placed for text in notes[place])
    return TableView(
        worked,
        worked.table.label,
        worked.table.about,
        heads,
        parts,
        tuple(Footnote(letters.mark(text), text) for text in texts),
        " ".join(filter(None, (worked.text, worked.table.remark))),
        classes,
        fits,
        remark=str(worked.table.remark),
    )


def _line_count(worked: ComputedTable) -> int:
    heads = sum(1 for row in worked.rows if row.part)
    long = sum(1 for row in worked.rows if any(len(text) > ONE_LINE for text in row.cells))
    return len(worked.rows) + heads + long


def _cell_notes(
    worked: ComputedTable, differences: Iterable[Difference]
) -> Mapping[tuple[int, int], list[str]]:
    """Return the footnotes of cells by row and column; those of a whole row have column -1."""
    notes: dict[tuple[int, int], list[str]] = {}
    for at, row in enumerate(worked.rows):
        for cell, aside in row.asides.items():
            notes.setdefault((at, cell), []).append(f"{aside}.")
    labels = {folded(row.labels[0]): at for at, row in enumerate(worked.rows)}
    for one in differences:
        named = labels.get(folded(one.what.partition(",")[0]), one.row) if one.note else one.row
        line, at = worked.places.get(one.what, (named, one.cell))
        here = one.table == worked.id or one.what in worked.places
        if here and 0 <= line < len(worked.rows):
            ruling = f" ({one.ruling})" if one.ruling else ""
            text = f"{one.note or f'Source prints {one.printed}'}{ruling}."
            notes.setdefault((line, at), []).append(text)
    return notes


def _heads(worked: ComputedTable, lead: int, wide: int, crowded: bool) -> Iterator[TableCell]:
    totals = [f"{row.labels[0]} a" for row in worked.rows if row.total]
    over = _width(totals) - lead if totals and len(worked.heads) == 2 else 0
    classes = f"lead w-{lead}", f"also w-{over}" if over > 0 else "also"
    yield from (
        TableCell(h, label=True, classes=classes[at > 0]) for at, h in enumerate(worked.heads)
    )
    last = len(worked.columns) - 1
    for at, (head, figure) in enumerate(zip(worked.columns, worked.figures, strict=True)):
        texts = _column(worked, at)
        if figure:
            tint = " tint" if at in worked.tinted else ""
            own = _width(texts, 5) if crowded else wide
            narrow = f" w-{own}" if not worked.table.lines else ""
            yield _figure_cell(head, "f" + tint + narrow)
        else:
            yield TableCell(
                head, classes="" if at == last else f"w-{min(66 if crowded else 46, _width(texts))}"
            )
    if worked.table.any_ and not worked.table.turned:
        formulas = [worked.table.any_, *(row.formula for row in worked.rows)]
        width = _width([f[: len(f) * 3 // 4] for f in formulas], 6)
        yield TableCell(worked.table.any_, classes=f"any w-{width}")


def _column(worked: ComputedTable, at: int) -> list[str]:
    return [worked.columns[at], *(row.cells[at] for row in worked.rows)]


def _width(texts: Sequence[str], more: int = 3) -> int:
    """Return a width for the longest of `texts`, in even millimetres."""
    return min(70, 2 * round((max(map(len, texts)) * CHARACTER + more) / 2))


def _parts(
    worked: ComputedTable, notes: Mapping[tuple[int, int], list[str]], letters: Letters
) -> Iterator[PartView]:
    """Yield the rows in parts; footnotes get their letters in reading order."""
    kinds = [_column_classes(worked, at) for at in range(len(worked.columns))]
    plain = [any("D+" in row.cells[at] for row in worked.rows) for at in range(len(kinds))]
    label = ""
    rows: list[RowView] = []
    for at, row in enumerate(worked.rows):
        if (row.part or row.apart or row.total) and rows:
            yield PartView(label, tuple(rows))
            rows = []
        label = row.part if not rows else label
        marks = {
            column: ", ".join(letters.mark(text) for text in notes.get((at, column), ()))
            for column in range(-1, len(kinds))
        }
        cells = _row_labels(row, marks[-1])
        for column, (text, figure) in enumerate(zip(row.cells, worked.figures, strict=True)):
            if figure and not plain[column]:
                cell = _figure_cell(text, kinds[column])
            else:
                cell = TableCell(text, figure=figure, classes=kinds[column])
            cells.append(replace(cell, mark=marks[column]))
        if worked.table.any_ and not worked.table.turned:
            cells.append(TableCell(row.formula, classes="any"))
        rows.append(RowView(tuple(cells), "total" if row.total else ""))
    if rows:
        yield PartView(label, tuple(rows))


def _column_classes(worked: ComputedTable, at: int) -> str:
    """Return the classes of a column's cells; all columns of words have one size of type."""
    if worked.figures[at]:
        return "f tint" if at in worked.tinted else "f"
    strong = at < len(worked.strong) and worked.strong[at]
    words = [n for n, figure in enumerate(worked.figures) if not figure]
    long = any(len(row.cells[n]) > LONG for row in worked.rows for n in words)
    return " ".join(["said"] * long + ["name"] * strong)


def _row_labels(row: TableRow, mark: str) -> list[TableCell]:
    """Return the labels of a row; the first spans the columns of labels that it lacks."""
    cells = [
        TableCell(
            label, mark=mark if place == 0 else "", label=True, classes="also" if place else ""
        )
        for place, label in enumerate(row.labels)
        if place == 0 or label or not row.total
    ]
    cells[0] = replace(cells[0], span=1 + len(row.labels) - len(cells))
    return cells


def _figure_cell(text: str, classes: str) -> TableCell:
    match = _NUMBER.fullmatch(text)
    number, unit = match.groups() if match else (text, "")
    return TableCell(number, unit, figure=True, classes=classes)


# Pages of tables: which tables of a ruleset are printed, and with which others.


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


# Footnotes of prints: their letters on a page, and where a source prints another figure.


@dataclass(frozen=True, slots=True)
class Footnote:
    """A footnote and its letter."""

    mark: str
    text: str


@dataclass
class Letters:
    """The footnotes of one page, by text; equal footnotes share a letter."""

    marks: dict[str, str] = field(default_factory=dict)

    def mark(self, text: str) -> str:
        """Return the letter of the footnote `text`."""
        if text not in self.marks:
            count = len(self.marks)
            first = ascii_lowercase[count // 26 - 1] if count >= 26 else ""
            self.marks[text] = first + ascii_lowercase[count % 26]
        return self.marks[text]


def find_footnotes(build: Build, printed: Mapping[str, Difference]) -> dict[str, str]:
    """Return a footnote for each value of a build that its source prints differently.

    A trait, or a row of a list, has a footnote if the proof has a note about it. The mark of
    a row is at its last column.

    A build that starts from a shipped one shares its footnotes while the value is the same:
    once an author changes what the value depends on, the source says nothing about it.

    Args:
        build: Of a character or of any other kind.
        printed: Differences by `Name, value`, where Name is that of the shipped build.
    """
    notes = {}
    for id_, derived in build.derived.items():
        difference = printed.get(f"{build.base}, {id_}") if build.base else None
        own = build.printed.get(id_)
        figure = "" if own is None else str(own)
        if not figure and difference is not None and difference.computed == str(derived.value):
            figure = difference.printed
        if figure and figure != str(derived.value):
            how = derived.how or derived.label
            notes[id_] = f"The source prints {figure}; {how} is {derived.value}."
    if not build.base:
        return notes
    shown = {id_: (id_, str(rating.total)) for id_, rating in build.ratings.items()}
    for list_, rows in build.rows.items():
        for number, row in enumerate(rows, start=1):
            shown[row.get("name", "")] = f"{list_}.{number}.{[*row][-1]}", " ".join(row.values())
    for name, (place, text) in shown.items():
        difference = printed.get(f"{build.base}, {name}")
        if difference is not None and difference.note and difference.printed == text:
            notes[place] = f"{difference.note}."
    return notes


# Tables as players read them: without remarks about the source, with typographic apostrophes.


_PERCENT: Final = re.compile(r"(\d{1,9})\.(\d)\d*%")


class PlayerWords:
    """Texts without the codes of rulings, with typographic apostrophes.

    Args:
        rulings: The codes of the ruleset's rulings: `(Q-1)` and `(Q-1: …)` lose theirs.
        notes: Whether tables keep these codes, footnotes, and remarks about their source.
        data: Whether the texts are data, with apostrophes as written, and per cents with decimals.
    """

    def __init__(self, rulings: Iterable[str], *, notes: bool = False, data: bool = False) -> None:
        codes = "|".join(re.escape(code) for code in sorted(rulings, key=len, reverse=True))
        self._alone = re.compile(rf"\s*\((?:{codes})(?:, (?:{codes}))*\)")
        self._before = re.compile(rf"\((?:{codes})[:,;] ")
        self._coded, self._notes, self._data = bool(codes) and not notes, notes, data

    def text(self, text: str) -> str:
        """Return a text as it is printed."""
        if self._coded and "(" in text:
            text = self._before.sub("(", self._alone.sub("", text))
        return text if self._data else set_apostrophes(text)

    def page(self, page: TablePage) -> TablePage:
        """Return a page of tables as it is printed."""
        bands = tuple(tuple(map(self.table, band)) for band in page.bands)
        return replace(page, label=self.text(page.label), about=self.text(page.about), bands=bands)

    def table(self, view: TableView) -> TableView:
        """Return a table; without its notes, per cents have no decimals."""
        text, about, notes, origin = view.text, view.about, view.notes, ""
        if not self._notes:
            text = text.removesuffix(view.remark).rstrip() if view.remark else text
            about = about.removesuffix(view.origin).removesuffix(" · ") if view.origin else about
            notes, origin = (), view.origin
        return replace(
            view,
            label=self.text(view.label),
            about=self.text(about),
            heads=tuple(map(self._cell, view.heads)),
            parts=tuple(map(self._part, view.parts)),
            notes=tuple(replace(note, text=self.text(note.text)) for note in notes),
            text=self.text(text),
            origin=origin,
        )

    def _part(self, part: PartView) -> PartView:
        rows = tuple(RowView(tuple(map(self._cell, row.cells)), row.classes) for row in part.rows)
        return PartView(self.text(part.label), rows)

    def _cell(self, cell: TableCell) -> TableCell:
        number = self.text(cell.number)
        if self._notes:
            return replace(cell, number=number)
        if cell.unit == "%" and not self._data:
            number = round_percent(f"{number}%").removesuffix("%")
        return replace(cell, number=number, mark="")


def round_percent(text: str) -> str:
    """Return per cents without decimals, rounded half up; other texts are returned as they are."""
    match = _PERCENT.fullmatch(text)
    return f"{int(match[1]) + (match[2] >= '5')}%" if match else text
