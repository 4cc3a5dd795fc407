"""The values of builds as columns: what is typed, and formulas of what follows from it.

The formulas are the ruleset's own, written by `rules/formulas/spreadsheet.py`. A formula names
columns by `MARK` and their number; `place_formula` puts the cells of a row in their stead.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from sheetgen.model.build import Build, Rating, Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.rules.formulas.reach import Reach
from sheetgen.rules.formulas.spreadsheet import (
    FRACTION,
    INTEGER,
    TEXT,
    CellFormula,
    NotWritable,
    spreadsheet_formula,
)
from sheetgen.rules.index import index_of

MARK: Final = "\x02"
_MARKED: Final = re.compile(f"{MARK}([0-9]+){MARK}")


@dataclass(slots=True)
class ValueColumn:
    """A column of values.

    Attributes:
        kind: `own`, `free`, `stars`, `reached`, `limit`, `focus`, `option`, `ask` or `number` for
            what is typed; `total`, `derived`, `price` or `left` for what is computed.
        formula: With marks; empty for what is typed, or cannot be written.
    """

    kind: str
    id: str
    head: str
    type: str = INTEGER
    formula: str = ""


@dataclass(slots=True)
class ValueSheet:
    """The columns of builds of one ruleset. A `CellScope` of their formulas.

    Attributes:
        fixed: Values that stay as they are, with the reason.
        extra: Traits that authors named themselves, by group: as many as one of them has most.
    """

    rules: Ruleset
    builds: Sequence[Build]
    columns: list[ValueColumn] = field(default_factory=list)
    fixed: dict[str, str] = field(default_factory=dict)
    extra: dict[str, list[str]] = field(default_factory=dict)
    _places: dict[tuple[str, str], int] = field(default_factory=dict)

    # -- the cells of names ----------------------------------------------------------

    def cell(self, name: str) -> CellFormula | None:
        """Return the cell of a name, in the order of `DraftScope.value`."""
        options = self.builds[0].options
        if name in options:
            type_ = TEXT if isinstance(options[name], str) else _type_of(options[name])
            return self._typed("option", name, f"option {name}", type_)
        if name in index_of(self.rules).traits:
            return self.total(name)
        if name in self.rules.derived:
            return self.derived(name)
        if name in self.rules.pools:
            return self._put(ValueColumn("left", name, f"{self.rules.pools[name].label} left"))
        if name in self.rules.character:
            return self._typed("number", name, name.replace("_", " "))
        return None

    def answer(self, function: str, names: Sequence[str]) -> CellFormula:
        """Return the cell of a question about the build."""
        if function in ("own", "free", "stars") and names[:1]:
            return self._trait(function, names[0])
        call = f"{function}({', '.join(names)})"
        if function == "modifiers":
            self._note_modifiers(*names[:1])
        return self._typed("ask", " ".join((function, *names)), call)

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        """Return the named formula `name`."""
        return index_of(self.rules).formulas.get(name)

    def total(self, trait: str) -> CellFormula:
        """Return the cell of a trait's rating, with that of the trait above it."""
        place = self._places.get(("total", trait))
        if place is not None:
            return _marked(place, self.columns[place])
        own, label = self._trait("own", trait), self._label(trait)
        column = ValueColumn("total", trait, f"total {label}{self._unit(trait)}", formula=own.text)
        found = self._put(column)
        under, needs = index_of(self.rules).summed.get(trait, ("", None))
        if under:
            column.formula = f"{own.text}+{self.total(under).text}"
        if needs is not None:
            try:
                test = spreadsheet_formula(needs, self).text
                column.formula = f"IF({test}<>0,{column.formula},0)"
            except NotWritable as why:
                self._fix(column, str(why))
        return found

    def derived(self, name: str) -> CellFormula:
        """Return the cell of a derived value."""
        place = self._places.get(("derived", name))
        if place is not None:
            return _marked(place, self.columns[place])
        rule = self.rules.derived[name]
        values = [b.derived[name].value for b in self.builds if name in b.derived]
        column = ValueColumn("derived", name, rule.label or name)
        try:
            if rule.value is not None:
                written = spreadsheet_formula(rule.value, self)
            else:
                groups = map(str, rule.over)
                traits = [t for group in groups for t in self._traits_of(group)]
                written = self._sum(rule.sum or "0", traits)
            column.formula, column.type = written
        except NotWritable as why:
            known = next((value for value in values if value is not None), 0)
            column.type = _type_of(known)
            self._fix(column, str(why))
        return self._put(column)

    def _unit(self, trait: str) -> str:
        """Return what the ratings of a trait count, for the head of a column."""
        dice = self.rules.groups[self._group_of(trait)].rating == "dice"
        return "" if not dice else " (pips)" if self.rules.pips else " (dice)"

    def price(self, trait: str) -> CellFormula | None:
        """Return the cell of the price of a trait's next step; None if it has none."""
        group_id = self._group_of(trait)
        group, advances = self.rules.groups[group_id], self.rules.advances
        own = self._trait("own", trait)
        step = CellFormula(f"({own.text}+1)", INTEGER)
        if group.stated and group.price is not None:
            formula, names = group.price, {"n": step, "limit": self._trait("limit", trait)}
        elif advances is not None and group_id in advances.groups:
            formula = advances.groups[group_id]
            total = CellFormula(f"({self.total(trait).text}+1)", INTEGER)
            names = {"n": step, "focus": self._trait("focus", trait), "total": total}
        else:
            return None
        column = ValueColumn("price", trait, f"price of the next step: {self._label(trait)}")
        try:
            column.formula, column.type = spreadsheet_formula(formula, _Named(self, names))
        except NotWritable:
            return None
        return self._put(column)

    def _sum(self, formula: str, traits: Sequence[str]) -> CellFormula:
        """Return the sum of a formula over traits; each has a column, for a sum is long."""
        parts: list[CellFormula] = []
        for trait in traits:
            names = {
                key: self._trait(kind, trait)
                for key, kind in (
                    ("n", "own"),
                    ("free", "free"),
                    ("stars", "stars"),
                    ("reached", "reached"),
                    ("limit", "limit"),
                )
                if key in Reach(self.rules).names or re.search(rf"\b{key}\b", formula)
            }
            written = spreadsheet_formula(formula, _Named(self, names))
            head = f"{self._label(trait)} in `{formula[:40]}`"
            column = ValueColumn("part", f"{trait} {formula}", head, written.type, written.text)
            parts.append(self._put(column))
        type_ = FRACTION if any(part.type == FRACTION for part in parts) else INTEGER
        return CellFormula("+".join(part.text for part in parts) or "0", type_)

    # -- columns -----------------------------------------------------------------------

    def _trait(self, kind: str, trait: str) -> CellFormula:
        unit = "" if kind == "stars" else self._unit(trait)
        return self._typed(kind, trait, f"{kind} {self._label(trait)}{unit}")

    def _typed(self, kind: str, id_: str, head: str, type_: str = INTEGER) -> CellFormula:
        return self._put(ValueColumn(kind, id_, head, type_))

    def _put(self, column: ValueColumn) -> CellFormula:
        key = column.kind, column.id
        if key not in self._places:
            self._places[key] = len(self.columns)
            self.columns.append(column)
        return _marked(self._places[key], self.columns[self._places[key]])

    def _note_modifiers(self, derived: str) -> None:
        """Note that the sum of what choices and items add stays, if their formulas need ratings."""
        reach = Reach(self.rules)
        for formula in index_of(self.rules).modifies.get(derived, ()):
            reach.add(formula)
        if reach.names & {*index_of(self.rules).traits, *self.rules.derived, *self.rules.character}:
            rule = self.rules.derived.get(derived)
            head = f"what choices and items add to {rule.label or derived if rule else derived}"
            self.fixed[head] = "it depends on what a character has chosen"

    def _fix(self, column: ValueColumn, why: str) -> None:
        column.formula = ""
        self.fixed[column.head] = why

    def _label(self, trait: str) -> str:
        return index_of(self.rules).titles.get(trait) or trait.replace("#", " ")

    def _group_of(self, trait: str) -> str:
        found = index_of(self.rules).traits.get(trait)
        return found[0] if found else trait.partition("#")[0]

    def _traits_of(self, group: str) -> list[str]:
        return [*map(str, self.rules.groups[group].traits), *self.extra.get(group, ())]


class _Named:
    """A scope with a few names before those of a sheet."""

    def __init__(self, sheet: ValueSheet, names: Mapping[str, CellFormula]) -> None:
        self.names, self.sheet = names, sheet
        self.answer, self.formula = sheet.answer, sheet.formula

    def cell(self, name: str) -> CellFormula | None:
        return self.names.get(name) or self.sheet.cell(name)


def build_value_sheet(rules: Ruleset, builds: Sequence[Build]) -> ValueSheet:
    """Return the columns of `builds`, all of one ruleset: what is typed first, then formulas."""
    sheet = ValueSheet(rules, builds)
    for id_, group in rules.groups.items():
        most = max(len(named_ratings(build, rules, str(id_))) for build in builds)
        sheet.extra[str(id_)] = [f"{id_}#{n}" for n in range(1, most + 1)]
        for trait in (*group.traits, *sheet.extra[str(id_)]):
            sheet.total(str(trait))
    for id_ in (id_ for id_, derived in rules.derived.items() if derived.label):
        sheet.derived(str(id_))
    for id_, group in rules.groups.items():
        for trait in (*group.traits, *sheet.extra[str(id_)]):
            sheet.price(str(trait))
    for id_ in rules.pools:
        sheet.cell(str(id_))
    return sheet


def named_ratings(build: Build, rules: Ruleset, group: str) -> list[Rating]:
    """Return the ratings of the traits of a group that the author named."""
    known = rules.groups[group].traits
    return [r for r in build.ratings.values() if r.group == group and r.id not in known]


def place_formula(formula: str, cell_of: Callable[[int], str]) -> str:
    """Return a formula with cells in the place of its marks.

    Args:
        cell_of: Returns the cell of a column, by its number.
    """
    return _MARKED.sub(lambda found: cell_of(int(found[1])), formula)


def _marked(place: int, column: ValueColumn) -> CellFormula:
    return CellFormula(f"{MARK}{place}{MARK}", column.type)


def _type_of(value: Value) -> str:
    if isinstance(value, str):
        return TEXT
    return FRACTION if isinstance(value, Fraction) else INTEGER


def sorted_columns(sheet: ValueSheet) -> Iterator[int]:
    """Yield the numbers of the columns as they are shown: typed ones first."""
    ranks = {"derived": 2, "left": 3, "price": 4, "part": 5}
    order = sorted(
        range(len(sheet.columns)),
        key=lambda n: (
            ranks.get(sheet.columns[n].kind, 1 if sheet.columns[n].kind == "total" else 0),
            n,
        ),
    )
    yield from order
