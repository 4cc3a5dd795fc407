"""Computed tables for all formats: texts, exact figures, and asides of single cells."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product, takewhile, zip_longest
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.words import suggestion
from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.model.build import Build, Value, counted_name, pick_line
from sheetgen.model.rulesets.prints import (
    DEFAULT_STRONG,
    Column,
    ComputedGrid,
    ComputedRow,
    ComputedTable,
    ScreenBlock,
    Table,
    TableRow,
)
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text, text_place
from sheetgen.records import frozen
from sheetgen.rules.formulas.evaluate import (
    BRACES,
    FORMS,
    Inner,
    OuterScope,
    Scope,
    as_figure,
    code,
    evaluate,
    filled,
    formulas_in,
    holds,
    value_of,
)
from sheetgen.rules.formulas.expressions import FormulaError, parse_formula
from sheetgen.rules.formulas.notation import formula_text, general
from sheetgen.rules.tables.things import RulesetScope, Thing, ThingScope, tags_of, things

_WHOLE = re.compile(r"\d{4,}")
_FIGURE = re.compile(r"[+−×-]?\d[\d.,]*\+?[A-Za-z%]?|–|")


def compute_table(
    rules: Ruleset,
    id_: str,
    options: Mapping[str, Value] | None = None,
    over: tuple[int, ...] = (),  # values of `n` instead of the table's own
    *,
    turn: bool = True,  # whether a `turned` table has a row for each `n`, and not columns
    stock: Stock | None = None,  # the files that come with the ruleset, for a table of a kind
) -> ComputedTable:
    """Return the table `id_` of `rules`; raises FormulaError: a figure cannot be computed."""
    scope = RulesetScope(rules, options)
    table = settle_table(rules.tables[id_], scope)
    if table.lines:
        computed = _computed(id_, table, scope, over or table.over)
        return _turned(computed) if table.turned and turn else computed
    if kind := kind_of_tables(table.of):
        if stock is None:
            meant = "`sheetgen party` prints it" if kind == PARTY else f"of the files of `{kind}`"
            raise FormulaError(f"it is a table that only tables can list: {meant}")
        return _stocked(id_, table, rules, scope, stock.get(kind, ()))
    if table.odds is not None:
        return _of_odds(id_, table, rules, options or {})
    if table.of is not None:
        rows = []
        for part, thing in _in_parts(table, things(rules, str(table.of))):
            about = ThingScope(rules, scope, thing)
            cells = tuple(_cell(column, about) for column in table.cells)
            rows.append(TableRow(cells[:1], cells[1:], part=part))
        return _of_columns(id_, table, rows, {})
    if any(len(row) != len(table.columns) for row in table.rows):
        raise FormulaError("its rows and its columns differ in number")
    table = show_rolls(table, rules)
    return table_of_rows(id_, table, table.columns, table.rows)


def table_of_rows(
    id_: str,
    table: Table,
    heads: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    parts: Sequence[str] = (),
) -> ComputedTable:
    """Return a table of these rows as they are printed, with the heading of each one's part."""
    figures = tuple(all(map(_FIGURE.fullmatch, column)) for column in zip(*rows, strict=True))
    before = ("", *parts)
    new = [part if part != last else "" for part, last in zip(parts, before, strict=False)]
    lines = (TableRow(row[:1], row[1:], part=new[at] if new else "") for at, row in enumerate(rows))
    parts_of = heads[:1], heads[1:], tuple(lines), figures[1:]
    return ComputedTable(id_, table, *parts_of, text=str(table.text))


def _of_odds(id_: str, table: Table, rules: Ruleset, options: Mapping[str, Value]) -> ComputedTable:
    from sheetgen.rules.odds.odds import GridError, cell_text, compute_grid  # Few tables are odds.

    rule = rules.odds.grids.get(str(table.odds)) if rules.odds else None
    if rule is None:
        raise FormulaError(f"there is no grid of odds `{table.odds}`")
    try:
        grid = compute_grid(rules, str(table.odds), rule, options)
    except GridError as error:
        raise FormulaError(f"`{error.place}`: {error}") from None
    named = zip(grid.rows, grid.cells, strict=True)
    rows = tuple(TableRow((name,), tuple(map(cell_text, chances))) for name, chances in named)
    shown = replace(table, label=table.label or grid.label, about=table.about or grid.about)
    figures, text = tuple(True for _ in grid.columns), str(table.text) or grid.text
    heads = (table.corner,)
    return ComputedTable(id_, shown, heads, grid.columns, rows, figures, text=text, grid=grid)


def _computed(id_: str, table: Table, scope: RulesetScope, over: tuple[int, ...]) -> ComputedTable:
    rows = []
    table = replace(table, over=over)
    for line, values in zip(table.lines, computed_figures(table, scope), strict=True):
        cells = tuple(map(FORMS[line.as_], values))
        formula, asides = _general(line, scope, over, values)
        labels = (line.label, *line.also, *[""] * (len(table.heads) - len(line.also)))
        row = TableRow(labels, cells, formula, "", line.apart, line.total, asides, tuple(values))
        rows.append(row)
    heads = (table.corner, *table.heads)
    columns = heads_over(table)
    tinted = tuple(place for place, n in enumerate(over) if n in table.tint)
    figures, text = tuple(True for _ in over), str(table.text)
    return ComputedTable(id_, table, heads, columns, tuple(rows), figures, (), tinted, text)


def _general(
    line: ComputedRow, scope: Scope, over: tuple[int, ...], values: list[int | Fraction]
) -> tuple[str, dict[int, str]]:
    """Return the formula of a row for any `n`, and asides for cells where it does not hold."""
    if line.value is None or not over:
        return "", {}
    last = cell_scope(scope, line, over[-1])
    rule = general(parse_formula(line.value), last)
    names = {"n": "n", "count": "n", "faces": str(line.faces)}
    shown = formula_text(rule, lambda name: names.get(name) or str(last.value(name)))
    asides = {}
    for place, (n, value) in enumerate(zip(over, values, strict=True)):
        gives = as_figure(evaluate(rule, cell_scope(scope, line, n)))
        if gives != value:
            ruling = f" ({line.ruling})" if line.ruling else ""
            asides[place] = f"{shown} gives {FORMS[line.as_](gives)}{ruling}"
    return shown, asides


def _turned(computed: ComputedTable) -> ComputedTable:
    table = computed.table
    columns = tuple(row.labels[0] for row in computed.rows)
    rows = [
        TableRow((head,), tuple(row.cells[place] for row in computed.rows))
        for place, head in enumerate(computed.columns)
    ]
    if table.any_:
        formulas = tuple(row.formula for row in computed.rows)
        rows.append(TableRow((table.any_,), formulas, apart=True))
    figures = tuple(True for _ in columns)
    return ComputedTable(
        computed.id, table, computed.heads[:1], columns, tuple(rows), figures, text=computed.text
    )


def _stocked(
    id_: str, table: Table, rules: Ruleset, scope: RulesetScope, builds: Sequence[Build]
) -> ComputedTable:
    known, last = names_of_kind(rules, kind_of_tables(table.of)), None
    rows, places = [], {}
    for at, build in enumerate(builds):
        about, cells = BuildScope(scope, build, known), tuple[str, ...]()
        for place, column in enumerate(table.cells):
            try:
                cells += (_cell(column, about),)
            except FormulaError as error:
                where = f"the cell `{column.head}` of {build.name}"
                raise FormulaError(f"{where}: {error}") from None
            if place and (value := value_in(column)):
                places[f"{build.name}, {value}"] = at, place - 1
        group = build.texts.get("group", "")
        part = group if group != last else ""
        rows.append(TableRow(cells[:1], cells[1:], part=part, apart=group != last))
        last = group
    return _of_columns(id_, table, rows, places)


def _of_columns(
    id_: str, table: Table, rows: Sequence[TableRow], places: Mapping[str, tuple[int, int]]
) -> ComputedTable:
    if not table.cells:
        raise FormulaError("it has no `cells`")
    heads = tuple(column.head for column in table.cells)
    figures = tuple(column.figure for column in table.cells[1:])
    strong = tuple(column.strong for column in table.cells[1:])
    parts, text = (id_, table, heads[:1], heads[1:], tuple(rows), figures, strong), str(table.text)
    return ComputedTable(*parts, text=text, places=places)


def _in_parts(table: Table, found: Mapping[str, Thing]) -> Iterator[tuple[str, Thing]]:
    """Yield the things of `table` part by part, the first of a part with its heading."""
    tagged = [({str(id_), *tags_of(thing)}, thing) for id_, thing in found.items()]
    kept = [
        (tags, thing)
        for tags, thing in tagged
        if (not table.where or tags.intersection(table.where)) and tags.isdisjoint(table.without)
    ]
    for tag, heading in table.parts.items() or [("", "")]:
        below = [
            thing
            for tags, thing in kept
            if not tag or (not tags.intersection(table.parts) if tag == OTHERS else tag in tags)
        ]
        yield from ((heading if at == 0 else "", thing) for at, thing in enumerate(below))


def rows_of_things(table: Table, found: Mapping[str, Thing]) -> list[Thing]:
    """Return the things that have a row in a table with `of`."""
    return [thing for _, thing in _in_parts(table, found)]


OTHERS = "others"  # the part of a table for the things of no other part


def _cell(column: Column, about: Scope) -> str:
    """Return one cell; of a build, a column with `each` has one text for each row of the list."""
    if column.zero and column.each is None and BRACES.search(column.text):
        values = [value_of(match[1], about) for match in BRACES.finditer(column.text)]
        if not any(values):
            return column.zero
    if column.each is not None and isinstance(about, BuildScope):
        names = ({"name": text} for text in about.build.lists.get(str(column.each), ()))
        rows = about.build.rows.get(str(column.each)) or tuple(names)
        texts = [filled(column.text, Inner(about, {"times": "", **row})) for row in rows]
        text = ", ".join(" ".join(text.split()) for text in texts)
    else:
        text = filled(column.text, about)
    text = text or column.zero
    return _WHOLE.sub(lambda m: f"{int(m[0]):,}", text) if column.figure else text


STRONG = "*"  # the mark before and after bold text
NOTE = "{note}"  # the placeholder for the table's note in a note of the block


@frozen
class BlockRows:
    """The content of a block."""

    heads: tuple[str, ...]  # the column heads; only grids show them
    rows: tuple[tuple[str, ...], ...]  # the cells of each line: number or word, text, note
    text: str = ""  # the text below the rows
    grid: ComputedGrid | None = None  # the grid of a table of odds, for its curves
    odds: bool = False  # whether the cells are chances in per cent
    origin: str = ""  # the title of the overlay that the block comes from


class NoSuchRow(FormulaError):
    """A block names a row, a column or words that its table does not have."""


def rows_of(rules: Ruleset, block: ScreenBlock, options: Mapping[str, Value]) -> BlockRows | None:
    """Return the content of `block`, None if its `when` is false; raises FormulaError."""
    scope = RulesetScope(rules, options)
    if block.when is not None and not holds(block.when, scope):
        return None
    if block.kind == "curves":
        name = str(block.tables[0]) if block.tables else ""
        if name not in rules.tables:
            raise NoSuchRow(f"there is no table `{name}`")
        grid = compute_table(rules, name, options).grid
        if grid is None or not grid.curves:
            raise NoSuchRow(f"no curves can be drawn of the table `{name}`")
        return BlockRows((), ((grid.label,),), filled(str(block.text or ""), scope), grid)
    # A table that does not exist is reported below.
    tables_of = [rules.tables.get(str(name)) for name in block.tables]
    if tables_of and not any(one is None or is_printed(one, scope) for one in tables_of):
        return None
    tables = [_table(rules, str(name), block, options) for name in block.tables]
    heads = tables[0][0] if tables else ()
    joined = [_joined(rows) for rows in zip(*(rows for _, rows in tables), strict=True)]
    for label in (*block.notes, *block.call):
        if label not in ({row[0] for row in joined}) and label not in heads:
            raise NoSuchRow(f"no row of `{block.head}` begins with `{label}`")
    seconds = (row[1] for row in joined if len(row) > 1)
    if block.strong == DEFAULT_STRONG and max(map(len, seconds), default=0) > _LONG:
        block = replace(block, strong=1)
    rows = [_noted(row, block, scope) for row in joined]
    own = [tuple(filled(str(cell), scope) for cell in row) for row in block.rows]
    shown = (*rows, *(row for row in own if any(row[1:]) or len(row) == 1))
    text = filled(str(block.text or ""), scope)
    odds = any(rules.tables[str(name)].odds is not None for name in block.tables)
    return BlockRows(tuple(block.call.get(h, h) for h in heads), shown, text, odds=odds)


_Table = tuple[tuple[str, ...], list[tuple[str, ...]]]


def _table(rules: Ruleset, name: str, block: ScreenBlock, options: Mapping[str, Value]) -> _Table:
    if name not in rules.tables:
        raise NoSuchRow(f"there is no table `{name}`")
    if kind_of_tables(rules.tables[name].of):
        message = f"the table `{name}` has a row for each of some files, and a screen has no files"
        raise NoSuchRow(message)
    computed = bool(rules.tables[name].lines)
    table = compute_table(rules, name, options, block.over if computed else ())
    heads = (*table.heads, *table.columns)
    rows = [(*row.labels, *row.cells) for row in table.rows if row.cells or not computed]
    columns = block.columns or heads
    for head in (head for head in columns if head not in heads):
        raise NoSuchRow(f"the table `{name}` has no column `{head}`")
    places = [heads.index(head) for head in columns]
    firsts = {row[0] for row in rows}
    for label in (label for label in block.only if label not in firsts):
        raise NoSuchRow(f"the table `{name}` has no row `{label}`")
    kept = [row for row in rows if not block.only or row[0] in block.only]
    kept = kept[block.rows_from - 1 : block.rows_to or None]
    return tuple(heads[p] for p in places), [tuple(row[p] for p in places) for row in kept]


def _joined(rows: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return one row for several of the same meaning."""
    if len(rows) == 1:
        return rows[0]

    def shared(texts: Iterable[str]) -> list[str]:
        words = zip(*(text.split() for text in texts), strict=False)
        return [found[0] for found in takewhile(lambda w: len({*w}) == 1, words)]

    first, *others = (list(dict.fromkeys(cells)) for cells in zip_longest(*rows, fillvalue=""))
    joined = [" ".join(shared(first)) or first[0]]
    for texts in others:  # as one, without repeating their common beginning
        rest = (" ".join(text.split()[len(shared(texts)) :]) for text in texts[1:])
        joined.append(", ".join([texts[0], *filter(None, rest)]))
    return tuple(joined)


_LONG: Final = 70
"""Second cells of more letters are sentences: the first cells of their block are bold instead."""


def _noted(row: tuple[str, ...], block: ScreenBlock, scope: RulesetScope) -> tuple[str, ...]:
    """Return a table's row with the block's words, bold cell and note."""
    first, *others = row
    label = block.call.get(first, first)
    if block.drop:
        label = " ".join(word for word in label.split() if word != block.drop)
    cells = [label, *("" if cell == "–" and block.kind != "grid" else cell for cell in others)]
    own = block.notes.get(first)
    if own is not None:
        cells += [""] * (3 - len(cells))
        cells[2] = filled(str(own).replace(NOTE, "\0"), scope).replace("\0", cells[2])
    if block.kind in ("numbers", "ladder", "words") and block.strong <= len(cells):
        place = block.strong - 1
        before, comma, after = cells[place].partition(", ")
        if len(block.tables) < 2:
            before, comma, after = cells[place], "", ""
        if before and STRONG not in before:
            cells[place] = f"{STRONG}{before}{STRONG}{comma}{after}"
    return tuple(cells)


Stock = Mapping[str, Sequence[Build]]  # the files that come with a ruleset, checked, by kind
OF = "kinds"  # in a table's `of`, the word before the dot and the name of a kind


# In a table's `of`: the characters of a party, which `sheetgen party` is given.
CHARACTERS = "characters"
PARTY = "the party"  # what stands for a kind then; no id has a space


def kind_of_tables(of: str | None) -> str:
    """Return the kind in `of`, which is `kinds.ID` or PARTY, or an empty string."""
    if of == CHARACTERS:
        return PARTY
    what, _, kind = (of or "").partition(".")
    return kind if what == OF else ""


class BuildScope(OuterScope):
    """The scope of formulas about one build, where names that it lacks have a value `missing`."""

    def __init__(self, outer: Scope, build: Build, missing: Mapping[str, Value]) -> None:
        super().__init__(outer)
        self.build = build
        self.missing = missing

    def value(self, name: str) -> Value | None:
        """Return the value of `name` in the build, or in the ruleset."""
        own = self.own_value(name)
        found = self.outer.value(name) if own is None else own
        return self.missing.get(name) if found is None else found

    def own_value(self, name: str) -> Value | None:
        """Return the value of `name` in the build; None if it has none."""
        build = self.build
        if name == "name":
            return build.name
        if name in build.ratings:
            return build.ratings[name].total
        if name in build.derived:
            return build.derived[name].value
        if name in build.ledgers:
            return build.ledgers[name].left
        if name in build.options:
            return build.options[name]
        every = (build.lines, build.texts, build.numbers)
        found = next((values[name] for values in every if values.get(name) is not None), None)
        listed = [*build.lists.get(name, ())]
        listed += [pick_line(pick, build) for pick in build.picks if pick.key == name]
        listed += [counted_name(item) for item in build.items if item.key == name]
        return ", ".join(listed) if found is None and listed else found


_VALUES: Final = dict.fromkeys(("number", "flag"), 0) | dict.fromkeys(
    ("text", "texts", "choice", "choices", "item", "items"), ""
)
"""Kinds of keys that are one value, and what stands for it where a file lacks the key."""


def names_of_kind(rules: Ruleset, kind: str) -> Mapping[str, Value]:
    """Return the names that tables of `kind` may use, and what each is if it is missing."""
    own = rules if kind == PARTY else kind_rules(rules, kind)
    traits = (id_ for group in own.groups.values() for id_ in group.traits)
    keys = own.character.items()
    return {
        **dict.fromkeys(map(str, (*traits, *own.derived, *own.options)), 0),
        **{str(id_): _VALUES[key.kind] for id_, key in keys if key.kind in _VALUES},
        **dict.fromkeys(("name", "times", *map(str, (*own.texts, *own.pools))), ""),
    }


def lists_of_kind(rules: Ruleset, kind: str) -> Mapping[str, set[str]]:
    """Return the columns of each list of a kind; a list of texts has the column `name`."""
    own = rules if kind == PARTY else kind_rules(rules, kind)
    texts = {str(id_): {"name"} for id_, key in own.character.items() if key.kind == "texts"}
    return texts | {str(id_): set(map(str, rows.columns)) for id_, rows in own.lists.items()}


def value_in(column: Column) -> str:
    """Return the name whose value a column shows, or an empty string if there is not just one."""
    formulas = formulas_in(column.text) if isinstance(column.text, Text) else ()
    alone = len(formulas) == 1 and column.each is None and formulas[0].isidentifier()
    return str(formulas[0]) if alone else ""


@frozen
class PrintedTable:
    """A table as texts; the first text of each row is its label."""

    label: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text: str = ""


EMPTY: Final = "–"  # the text of a cell whose formulas gave an empty text


def printed(
    rules: Ruleset, table: Table, options: Mapping[str, Value] | None = None
) -> PrintedTable:
    """Return `table` with its figures; raises FormulaError: a figure cannot be computed."""
    scope = RulesetScope(rules, options)
    table = settle_table(table, scope)
    note = str(table.text)
    if not table.lines:
        return PrintedTable(str(table.label), table.corner, table.columns, table.rows, note)
    worked = zip(table.lines, computed_figures(table, scope), strict=True)
    rows = tuple((line.label, *map(FORMS[line.as_], row)) for line, row in worked)
    return PrintedTable(str(table.label), table.corner, heads_over(table), rows, note)


def settle_table(table: Table, scope: Scope) -> Table:
    """Return `table` with formulas evaluated and rows selected; raises FormulaError."""

    def fill(text: str) -> str:
        return str(filled(text, scope))

    kept = (line for line in table.lines if line.when is None or holds(line.when, scope))
    return replace(
        table,
        label=fill(table.label),
        about=fill(table.about),
        text=fill(table.text),
        remark=fill(table.remark),
        rows=tuple(
            tuple(fill(cell) or (EMPTY if cell else "") for cell in row) for row in table.rows
        ),
        lines=tuple(replace(line, label=fill(line.label)) for line in kept),
    )


def is_printed(table: Table, scope: Scope) -> bool:
    """Whether the options let `table` be printed."""
    return table.when is None or holds(table.when, scope)


def heads_over(table: Table) -> tuple[str, ...]:
    """Return the column heads of a computed table."""
    if table.unit == "code":
        return tuple(map(code, table.over))
    return tuple(f"{n}{table.unit}" for n in table.over)


def computed_figures(table: Table, scope: Scope) -> list[list[int | Fraction]]:
    """Return the figures of the computed rows of `table`; raises FormulaError: one fails."""
    rows: list[list[int | Fraction]] = []
    for line in table.lines:
        if line.value is None:
            rows.append([sum(row[at] for row in rows) for at in range(len(table.over))])
            continue
        rule = line.value
        rows.append([as_figure(value_of(rule, cell_scope(scope, line, n))) for n in table.over])
    return rows


def cell_scope(scope: Scope, line: ComputedRow, n: int) -> Inner:
    """Return the scope of one cell of the row `line`."""
    return Inner(scope, {"n": n, "count": n, "faces": line.faces})


WEIGHTS: Final = "weights"  # in a table's `dice`: the first cell of a row says how often it comes
_SUM: Final = re.compile(r"(\d{0,2})[dD](\d{1,4}|%)")
_DIGITS: Final = re.compile(r"[dD](([2-9])\2{1,2})")  # d66: each die is a digit
_RANGE: Final = re.compile(
    r"(\d{1,6})(?: *(?:[-–—−]|to) *(\d{1,6}))?|(\d{1,6}) *([+−–-])", re.ASCII
)
_WEIGHT: Final = re.compile(r"[1-9]\d{0,3}", re.ASCII)
_INNER: Final = re.compile(r"\[\[([^\[\]]+)\]\]")
_REAL_DICE: Final = (2, 3, 4, 6, 8, 10, 12, 20, 100)
_MOST_RESULTS: Final = 10_000
_MOST_SUM: Final = 1_000  # number of several dice times their faces
_MOST_ROLLS: Final = 200  # of tables inside tables

Weights = Mapping[int, int]  # how often each result of the dice comes


@frozen
class RolledRow:
    """A row of a random table: what the dice show for it, and how likely that is."""

    shown: str
    cells: tuple[str, ...]
    chance: Fraction
    results: frozenset[int]


@frozen
class Roll:
    """A roll on a random table, and the rolls on tables that its row names."""

    id: str
    label: str
    dice: str
    value: int
    row: RolledRow
    text: str  # the row, with what was rolled on those tables in place of their names
    inner: tuple[Roll, ...] = ()


@lru_cache(maxsize=100)
def parse_dice(dice: str) -> Weights | None:
    """Return how often each result of dice comes: `2d6`, `d66`, `d100`, `d%`; None if unknown."""
    if found := _DIGITS.fullmatch(dice):
        digits = product(map(str, range(1, int(found[2]) + 1)), repeat=len(found[1]))
        return {int("".join(one)): 1 for one in digits}
    found = _SUM.fullmatch(dice)
    number, faces_of = (int(found[1] or 1), int(found[2].replace("%", "100"))) if found else (0, 0)
    if not 0 < number * faces_of <= (_MOST_RESULTS if number == 1 else _MOST_SUM):
        return None
    if number == 1:
        return dict.fromkeys(range(1, faces_of + 1), 1)
    sums = Counter({0: 1})
    for _ in range(number):
        totals = range(min(sums) + 1, max(sums) + faces_of + 1)
        sums = Counter({n: sum(sums[n - face] for face in range(1, faces_of + 1)) for n in totals})
    return sums


def _results(cell: str, weights: Weights) -> list[int] | None:
    """Return the results of the dice that a first cell names; None if it cannot be read."""
    least, most = min(weights), max(weights)
    found = _RANGE.fullmatch(cell.strip())
    if found is None:
        return None
    if found[3]:
        ends = (int(found[3]), most) if found[4] == "+" else (least, int(found[3]))
    else:
        ends = int(found[1]), int(found[2] or found[1])
    first, last = (100 if most == 100 and end == 0 else end for end in ends)  # 00 is 100
    inside = first in weights and last in weights and first <= last
    return [one for one in weights if first <= one <= last] if inside else None


def _weigh(table: Table, rows: Sequence[tuple[Text | str, ...]]) -> tuple[Weights, list[list[int]]]:
    """Return how often each result and those of each row come; raises FormulaError: no dice."""
    if table.dice == WEIGHTS:
        ends, results = 0, list[list[int]]()
        for row in rows:
            if not _WEIGHT.fullmatch(row[0]):
                raise FormulaError(f"`{row[0]}` is no weight")
            count = int(row[0])
            results.append([*range(ends + 1, ends + count + 1)])
            if (ends := ends + count) > _MOST_RESULTS:
                raise FormulaError(f"its weights add up to more than {_MOST_RESULTS:,}")
        return dict.fromkeys(range(1, ends + 1), 1), results
    weights = parse_dice(table.dice or "")
    if weights is None:
        raise FormulaError("it is no random table")
    return weights, [_results(row[0], weights) or [] for row in rows]


def rolled_rows(table: Table) -> tuple[RolledRow, ...]:
    """Return the rows of a settled random table with their dice; raises FormulaError: none."""
    weights, results = _weigh(table, table.rows)
    total = sum(weights.values())
    shown = [re.sub(r" *(?:[-–—−]|to) *", "–", row[0]) for row in table.rows]
    if table.dice == WEIGHTS:
        ends = ((str(found[0]), str(found[-1])) for found in results)
        ranges = ["–".join(dict.fromkeys(one)) for one in ends]
        shown = ranges if total in _REAL_DICE else [f"{len(found)} of {total}" for found in results]
    chances = (Fraction(sum(weights[one] for one in found), total or 1) for found in results)
    each = zip(shown, table.rows, chances, results, strict=True)
    return tuple(RolledRow(text, row[1:], c, frozenset(found)) for text, row, c, found in each)


def show_rolls(table: Table, rules: Ruleset) -> Table:
    """Return a random table as it is printed: ranges of the dice, and names of other tables."""
    if table.dice is None:
        return table

    def name(match: re.Match[str]) -> str:
        inner = rules.tables.get(match[1])
        return f"→ {(inner.label if inner is not None else '') or match[1]}"

    found = rolled_rows(table)
    rows = tuple((one.shown, *(_INNER.sub(name, cell) for cell in one.cells)) for one in found)
    total = sum(len(one.results) for one in found)
    die = table.dice == WEIGHTS and total in _REAL_DICE
    head = f"d{total}" if die else table.columns[0]
    return replace(table, rows=rows, columns=(head, *table.columns[1:]))


def roll_table(
    rules: Ruleset, id_: str, seed: int, options: Mapping[str, Value] | None = None
) -> Roll:
    """Return a roll on a random table, equal for equal seeds; raises FormulaError: none can be."""
    scope, count = RulesetScope(rules, options), 0

    def roll(name: str) -> Roll:
        nonlocal count
        count += 1
        if name not in rules.tables or count > _MOST_ROLLS:
            problem = "too many tables are rolled on" if count > _MOST_ROLLS else "there is none"
            raise FormulaError(f"`{name}`: {problem}")
        table = settle_table(rules.tables[name], scope)
        weights, _ = _weigh(table, table.rows)
        number = hashlib.sha256(f"{seed} {id_} {count}".encode()).digest()
        place = int.from_bytes(number) % sum(weights.values())
        for value in weights:
            if (place := place - weights[value]) < 0:
                break
        row = next(one for one in rolled_rows(table) if value in one.results)
        inner: list[Roll] = []

        def fill(match: re.Match[str]) -> str:
            inner.append(roll(match[1]))
            return inner[-1].text

        text = ", ".join(_INNER.sub(fill, cell) for cell in row.cells if cell)
        dice = str(table.dice) if table.dice != WEIGHTS else f"d{len(weights)}"
        return Roll(name, str(table.label) or name, dice, value, row, text, tuple(inner))

    return roll(id_)


def check_rolls(rules: Ruleset, id_: str, table: Table) -> Iterator[Finding]:
    """Yield findings about a random table: ranges, gaps, weights, and tables that it names."""

    def refuse(text: Text | str, message: str, hint: str) -> Finding:
        place = text_place(text, text_place(id_, rules.place))
        return Finding(codes.BAD_ROLLS, place, message, hint)

    dice = table.dice or ""
    weights = parse_dice(dice) if dice != WEIGHTS else {}
    if weights is None:
        yield refuse(dice, f"`{dice}` is no dice", "write `d6`, `2d6`, `d66`, `d100` or `weights`")
        return
    taken: dict[int, str] = {}
    right = 0
    for cell in (row[0] for row in table.rows):
        results = _results(cell, weights) if weights else []
        twice = next((one for one in results or () if one in taken), None)
        if not weights and not _WEIGHT.fullmatch(cell):
            yield refuse(cell, f"`{cell}` is no weight", "write how often the row comes: 1, 2, 3")
        elif results is None:
            first, last = min(weights), max(weights)
            hint = f"write results from {first} to {last}, such as `{first}-{first + 1}`"
            yield refuse(cell, f"{dice} never shows `{cell}`", hint)
        elif twice is not None:
            message = f"{twice} is in the row `{taken[twice]}` too"
            yield refuse(cell, message, "change one of the ranges")
        else:
            right += 1
            taken |= dict.fromkeys(results, str(cell))
    if right == len(table.rows) and (missing := [one for one in weights if one not in taken]):
        # It is told at the row before the gap.
        before = [r[0] for r in table.rows if min(_results(r[0], weights) or [0]) < missing[0]]
        more = " and others" if missing[1:] else ""
        message = f"no row of the table `{id_}` has {missing[0]}{more}"
        hint = "add a row, or make a range larger"
        yield refuse(before[-1] if before else table.rows[0][0], message, hint)
    for name, cell in _inner_names(table):
        inner = rules.tables.get(name)
        if inner is None or inner.dice is None:
            known = [str(one) for one, other in rules.tables.items() if other.dice is not None]
            message = f"there is no random table `{name}`"
            yield refuse(cell, message, suggestion(name, known, "tables"))
        else:
            seen = [name]
            for one in seen:
                names = dict.fromkeys(inner for inner, _ in _inner_names(rules.tables.get(one)))
                seen += (inner for inner in names if inner not in seen)
            if id_ in seen:
                message = f"`{id_}` and `{name}` roll on each other without end"
                yield refuse(cell, message, "take one of the names out")


def _inner_names(table: Table | None) -> list[tuple[str, Text | str]]:
    rows = table.rows if table is not None and table.dice is not None else ()
    return [(name, cell) for row in rows for cell in row[1:] for name in _INNER.findall(cell)]
