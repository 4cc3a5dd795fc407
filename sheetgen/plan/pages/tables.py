"""Pages of computed tables: cells, column widths and footnotes, ready for the templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_lowercase
from typing import Final

from sheetgen.check.character.ratings import option_hint
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.load.rulesets.rulesets import origin_of_table
from sheetgen.model.build import Build, Value
from sheetgen.model.rulesets.prints import ComputedTable, Difference, Reference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.plan.fit import set_apostrophes
from sheetgen.plan.pages.screen_blocks import SignWriter, plan_grid_cells
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import filled
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import folded
from sheetgen.rules.tables.compute import (
    CHARACTERS,
    Stock,
    compute_table,
    is_printed,
    kind_of_tables,
)
from sheetgen.rules.tables.things import RulesetScope

_NUMBER: Final = re.compile(r"(.*?\d[\d.,]*)([kmbhD%+]{0,2})")
CHARACTER: Final = 1.85  # width of a letter of the body in millimetres, rounded up


# Marks the start and the end of a run-in head in a cell, such as `Target:`; it is set in bold.
RUN_IN: Final = "\u2060"


@frozen
class TableCell:
    """One cell: digits, the unit behind them, and the letter of a footnote."""

    number: str
    unit: str = ""
    mark: str = ""
    label: bool = False
    figure: bool = False
    classes: str = ""
    span: int = 1


@frozen
class RowView:
    """A row and its CSS classes."""

    cells: tuple[TableCell, ...]
    classes: str = ""


@frozen
class PartView:
    """Rows that belong together, with an optional heading."""

    label: str
    rows: tuple[RowView, ...]


@frozen
class TableView:
    """A table ready for a template."""

    worked: ComputedTable | None  # the computed table, if it has one
    label: str
    about: str
    heads: tuple[TableCell, ...]
    parts: tuple[PartView, ...]
    notes: tuple[Footnote, ...]
    text: str
    classes: str
    short: bool
    drawing: str = ""
    remark: str = ""  # the end of `text`, which is about the source
    origin: str = ""  # the title of the overlay that it comes from, which is at the end of `about`

    @property
    def rows(self) -> list[RowView]:
        """The rows of all parts."""
        return [row for part in self.parts for row in part.rows]

    def with_rows(self, change: Callable[[RowView], RowView]) -> TableView:
        """Return the table with each row changed."""
        parts = (replace(part, rows=tuple(map(change, part.rows))) for part in self.parts)
        return replace(self, parts=tuple(parts))


@frozen
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
    """Return a computed table as it is printed, on a page that may be landscape (`wide`).

    Figures of this table that a source prints differently get a footnote, with the `letters` of
    the page. `grid`: widths of labels and of figures, if they are shared with other tables.
    `beside`: whether other tables stand beside this one.
    """
    # The footnotes of cells by row and column; those of a whole row have column -1.
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
    words = is_of_words(worked)
    # The heads of parts are lines, and a longer text takes about two.
    lines = len(worked.rows) + sum(
        bool(row.part) + any(len(text) > 44 for text in row.cells) for row in worked.rows
    )
    fits = lines <= (20 if wide else 34)  # such a table is never split between pages
    classes = "fixed of-words" if words else "fixed of-figures"
    classes += " close" if words and not fits else ""
    lead, figure = grid[0] or lead_width(worked), grid[1] or figure_width(worked)
    # Columns of figures that together are wider than this, in millimetres, are not equally wide.
    crowded = sum(worked.figures) * figure > (74 if beside else 100)
    heads = tuple(_heads(worked, lead, figure, crowded))
    parts = tuple(_parts(worked, notes, letters))
    placed = sorted(place for place in notes if place[1] < len(worked.columns))
    texts = dict.fromkeys(text for place in placed for text in notes[place])
    footnotes, table = tuple(Footnote(letters.mark(text), text) for text in texts), worked.table
    text = " ".join(filter(None, (worked.text, table.remark)))
    shown = table.label, table.about, heads, parts, footnotes, text, classes, fits
    return TableView(worked, *shown, remark=str(table.remark))


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
            said = f"w-{min(66 if crowded else 46, _width(texts))}"
            yield TableCell(head, classes="" if at == last else said)
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
    # All columns of words have one size of type: a small one if any text is long.
    words = [at for at, figure in enumerate(worked.figures) if not figure]
    long = any(len(row.cells[at]) > 28 for row in worked.rows for at in words)
    kinds = []
    for at, figure in enumerate(worked.figures):
        tint = "f tint" if at in worked.tinted else "f"
        strong = at < len(worked.strong) and worked.strong[at]
        kinds.append(tint if figure else " ".join(["said"] * long + ["name"] * strong))
    plain = [any("D+" in row.cells[at] for row in worked.rows) for at in range(len(kinds))]
    label, rows = "", list[RowView]()
    for at, row in enumerate(worked.rows):
        if (row.part or row.apart or row.total) and rows:
            yield PartView(label, tuple(rows))
            rows = []
        label = row.part if not rows else label
        marks = {
            column: ", ".join(letters.mark(text) for text in notes.get((at, column), ()))
            for column in range(-1, len(kinds))
        }
        cells = [
            TableCell(text, mark="" if n else marks[-1], label=True, classes="also" if n else "")
            for n, text in enumerate(row.labels)
            if n == 0 or text or not row.total
        ]
        # The first spans the columns of labels that the row lacks.
        cells[0] = replace(cells[0], span=1 + len(row.labels) - len(cells))
        for column, (text, figure) in enumerate(zip(row.cells, worked.figures, strict=True)):
            cell = TableCell(text, figure=figure, classes=kinds[column])
            cell = _figure_cell(text, kinds[column]) if figure and not plain[column] else cell
            cells.append(replace(cell, mark=marks[column]))
        if worked.table.any_ and not worked.table.turned:
            cells.append(TableCell(row.formula, classes="any"))
        rows.append(RowView(tuple(cells), "total" if row.total else ""))
    if rows:
        yield PartView(label, tuple(rows))


def _figure_cell(text: str, classes: str) -> TableCell:
    match = _NUMBER.fullmatch(text)
    number, unit = match.groups() if match else (text, "")
    return TableCell(number, unit, figure=True, classes=classes)


def find_references(rules: Ruleset) -> dict[str, Reference]:
    """Return the pages of `rules`; without `references`, each table has a page of its own."""
    own = [id_ for id_, table in rules.tables.items() if table.of != CHARACTERS]
    found = rules.references or {id_: _alone(id_, rules) for id_ in own}
    return {str(id_): reference for id_, reference in found.items()}


def _alone(id_: str, rules: Ruleset) -> Reference:
    table = rules.tables[id_]
    name = Text(id_, id_.span if isinstance(id_, Text) else rules.place)
    holding = (r for r in rules.references.values() if any(id_ in band for band in r.bands))
    label = table.label or next((r.label for r in holding), str(id_))
    return Reference(label, ((name,),), wide=len(table.over) > MOST_NARROW)


MOST_WIDE = 12  # on paper, a table with more computed columns than this is continued below
MOST_NARROW = 7  # a table with more computed columns than this is landscape


def list_page_names(rules: Ruleset) -> tuple[str, ...]:
    """Return the names of all pages and tables; those of a party are a print of their own."""
    tables = (str(id_) for id_, table in rules.tables.items() if table.of != CHARACTERS)
    return tuple(dict.fromkeys((*find_references(rules), *tables)))


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
    errata, values = tuple(differences), [over]
    if cut and over:
        values = [over[at : at + MOST_WIDE] for at in range(0, len(over), MOST_WIDE)]

    def computed(band: Iterable[Text], over: tuple[int, ...]) -> Band:
        tables: Band = []
        for id_ in band:
            table = rules.tables.get(id_)
            if table is None:
                findings.append(Finding(codes.DANGLING, id_.span, f"there is no table `{id_}`"))
                continue
            kind = kind_of_tables(table.of)
            if not is_printed(table, scope) or (kind and kind not in (stock or {})):
                continue
            some = over if len(table.over) > 1 else ()
            try:
                worked = compute_table(rules, str(id_), scope.options, some, stock=stock)
                tables.append((worked, bool(some)))
            except FormulaError as error:
                texts = (key for key in rules.tables if key == id_ and isinstance(key, Text))
                message = f"the table `{id_}` cannot be worked out: {error}"
                findings.append(Finding(codes.UNANSWERED, next(texts, id_).span, message))
        return tables

    for name in names or known:
        reference = known.get(name) or _alone(name, rules)
        ids = (id_ for band in reference.bands for id_ in band)
        tables = [rules.tables[id_] for id_ in ids if id_ in rules.tables]
        if name in names and tables and not any(is_printed(table, scope) for table in tables):
            hint = next((option_hint(rules, table.when) for table in tables if table.when), "")
            message = f"{rules.title} is played without `{name}`"
            found = Finding(codes.SWITCHED_OFF, rules.place, message, hint, Severity.WARNING)
            findings.append(found)
        bands = [computed(band, some) for band in reference.bands for some in values]
        # Widths of labels and of figures that all full-width tables of words share.
        alone = [band[0][0] for band in bands if len(band) == 1 and is_of_words(band[0][0])]
        leads, figures = map(lead_width, alone), map(figure_width, alone)
        grid = max(leads, default=0), max(figures, default=0)
        letters, wide = Letters(), reference.wide or len(over) > MOST_NARROW
        shown = []
        for band in bands:
            views, beside = [], len(band) > 1
            for table, with_values in band:
                shared = grid if not beside and is_of_words(table) else (0, 0)
                noted = () if with_values else errata
                view = plan_table_page(table, noted, letters, shared, wide=wide, beside=beside)
                views.append(_finish_table(rules, view, reference))
            shown.append(tuple(views))
        try:
            about = filled(reference.about, scope)
        except FormulaError as error:
            assert isinstance(reference.about, Text)  # what the project writes has no formulas
            message = f"`{reference.about}` cannot be worked out: {error}"
            findings.append(Finding(codes.UNANSWERED, reference.about.span, message))
            about = ""
        pages.append(TablePage(name, reference.label, about, tuple(shown), wide))
    return Checked(tuple(pages), tuple(findings))


def plan_own_page(id_: str, label: str, about: str, tables: Iterable[ComputedTable]) -> TablePage:
    """Return a page of tables that no ruleset has, one below the other."""
    views = (
        plan_table_page(table, (), Letters(), (0, 0), wide=False, beside=False)
        for table in tables
        if table.rows
    )
    return TablePage(id_, label, about, tuple((view,) for view in views))


Band = list[tuple[ComputedTable, bool]]  # side by side; are they for other values of `n`?


def _finish_table(rules: Ruleset, view: TableView, page: Reference) -> TableView:
    """Return a table with its origin; without its name if the page has the same.

    A grid of odds gets the line between good and bad chances.
    """
    worked = view.worked
    assert worked is not None
    if worked.grid is not None:
        chances = iter(plan_grid_cells(worked.grid.cells))

        def coloured(row: RowView) -> RowView:
            labels = [cell for cell in row.cells if cell.label]
            cells = (
                replace(cell, classes=" ".join((cell.classes, *chance.classes)))
                for cell, chance in zip(row.cells[len(labels) :], next(chances), strict=True)
            )
            return replace(row, cells=(*labels, *cells))

        view = replace(view.with_rows(coloured), classes=f"{view.classes} of-odds")
    origin = origin_of_table(rules, worked.id)
    if origin is not None:
        about = " · ".join(part for part in (view.about, origin.title) if part)
        view = replace(view, about=about, origin=origin.title)
    same = view.label == page.label and view.about in ("", page.about)
    return replace(view, label="") if same else view


@frozen
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


_PERCENT: Final = re.compile(r"(\d{1,9})\.(\d)\d*%")


class PlayerWords:
    """Texts without the codes of `rulings`, with typographic apostrophes.

    `(Q-1)` and `(Q-1: …)` lose their code. With `notes`, tables keep codes, footnotes, and remarks
    about their source. `data` has apostrophes as written, and per cents with decimals.
    """

    def __init__(
        self,
        rulings: Iterable[str],
        *,
        notes: bool = False,
        data: bool = False,
        signs: SignWriter | None = None,
    ) -> None:
        codes = "|".join(re.escape(code) for code in sorted(rulings, key=len, reverse=True))
        self._alone = re.compile(rf"\s*\((?:{codes})(?:, (?:{codes}))*\)")
        self._before = re.compile(rf"\((?:{codes})[:,;] ")
        self._coded, self._notes, self._data = bool(codes) and not notes, notes, data
        self._signs = signs

    def text(self, text: str) -> str:
        """Return a text as it is printed."""
        if self._coded and "(" in text:
            text = self._before.sub("(", self._alone.sub("", text))
        if self._data:
            return text
        text = set_apostrophes(text)
        return self._signs.text(text) if self._signs is not None else text

    def cell(self, text: str) -> str:
        """Return the text of a cell as it is printed."""
        text = self.text(text)
        return text if self._signs is None or self._data else self._signs.cell(text)

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
        # Names of a catalogue have signs if all have: a single one is only called like a sign.
        listed = view.worked is not None and view.worked.table.of is not None
        names = [row.cells[0].number for row in view.rows if row.cells] if listed else []
        bare = any(self.cell(name) == self.text(name) for name in names)

        def cell(one: TableCell) -> TableCell:
            number = self.cell(one.number)
            if self._notes:
                return replace(one, number=number)
            if one.unit == "%" and not self._data:
                number = round_percent(f"{number}%").removesuffix("%")
            return replace(one, number=number, mark="")

        def shown(row: RowView) -> RowView:
            cells = tuple(map(cell, row.cells))
            if bare and cells:
                cells = (replace(cells[0], number=self.text(row.cells[0].number)), *cells[1:])
            return RowView(cells, row.classes)

        parts = tuple(replace(part, label=self.text(part.label)) for part in view.parts)
        return replace(
            replace(view, parts=parts).with_rows(shown),
            label=self.text(view.label),
            about=self.text(about),
            heads=tuple(replace(cell(h), number=self.text(h.number)) for h in view.heads),
            notes=tuple(replace(note, text=self.text(note.text)) for note in notes),
            text=self.text(text),
            origin=origin,
        )


def round_percent(text: str) -> str:
    """Return per cents without decimals, rounded half up; other texts are returned as they are."""
    match = _PERCENT.fullmatch(text)
    return f"{int(match[1]) + (match[2] >= '5')}%" if match else text
