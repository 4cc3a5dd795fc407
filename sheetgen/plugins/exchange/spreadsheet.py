"""Formulas and values of builds as cells of a spreadsheet.

A formula's tree becomes a spreadsheet formula, which Excel and LibreOffice compute alike. Truth is
1 and 0, as in `evaluate`. Fractions are floating-point numbers; whole parts and comparisons of them
are taken after rounding to nine decimals, which is exact for the fractions that `evaluate` allows.
The values of builds become columns: what is typed, and formulas of what follows from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple, Protocol

from sheetgen.model.build import Build, Rating, Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import TextLine
from sheetgen.rules.formulas import expressions
from sheetgen.rules.formulas.evaluate import BRACES, FRACTIONS
from sheetgen.rules.index import attack_texts, index_of, number_formulas
from sheetgen.rules.scopes import Reach

MOST_FORMULA: Final = 8000  # Characters; Excel takes 8,192
MOST_INLINED: Final = 8  # How deeply named formulas may call each other
INTEGER, FRACTION, TEXT = "integer", "fraction", "text"


class NotWritable(ValueError):
    """A formula that a spreadsheet cannot have; the message says why."""


class CellFormula(NamedTuple):
    """A formula without its `=`, and the type of its value."""

    text: str
    type: str


class CellScope(Protocol):
    """The cells of the names in a formula."""

    def cell(self, name: str) -> CellFormula | None:
        """Return the cell of `name`, or None if the name is unknown."""

    def answer(self, function: str, names: Sequence[str]) -> CellFormula:
        """Return the cell of one of the functions in `NAMING` for `names`."""

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        """Return the parameters and the text of the named formula, or None."""


def spreadsheet_formula(formula: str, scope: CellScope) -> CellFormula:
    """Return `formula` for a spreadsheet.

    Raises:
        NotWritable: It is too long, or its type depends on values.
    """
    found = _SpreadsheetWriter(scope, {}, 0).value(expressions.parse_formula(formula))
    if len(found.text) > MOST_FORMULA:
        raise NotWritable("it is longer than a cell can hold")
    return found


def text_literal(text: str) -> str:
    """Return `text` as a literal of a formula."""
    return '"' + text.replace('"', '""') + '"'


def code_formula(pips: str) -> str:
    """Return the formula of a number of pips as a code: `3D+2`."""
    size = f"ABS({pips})"
    dice = f'IF(OR({size}>=3,MOD({size},3)=0),INT({size}/3)&"D","")'
    plus = f'IF(AND({pips}<0,{size}<3),"","+")'
    more = f'IF(MOD({size},3)=0,"",{plus}&MOD({size},3))'
    return f'IF({pips}<0,"−","")&{dice}&{more}'


def written_number(place: str, form: str) -> str:
    """Return the formula of a number as `signed` or `fraction` write it: `+3`, `1½`."""
    size, rest = f"ABS({place})", f"ROUND(MOD(ABS({place}),1),6)"
    signs = ",".join(f"{float(value):.6f}" for value in FRACTIONS)
    glyphs = ",".join(map(text_literal, FRACTIONS.values()))
    glyph = f'IF(INT({size})=0,"",INT({size}))&CHOOSE(MATCH({rest},{{{signs}}},0),{glyphs})'
    text = f'IF({rest}=0,INT({size}+0.000001),IFERROR({glyph},TEXT({size},"#/##")))'
    return f'IF({place}<0,"−","{"+" if form == "signed" else ""}")&{text}'


class _SpreadsheetWriter:
    """Writes the trees of one formula, or of one that it names: `depth` such formulas deep."""

    def __init__(self, scope: CellScope, names: Mapping[str, CellFormula], depth: int) -> None:
        self.scope, self.names, self.depth = scope, names, depth

    def value(self, tree: expressions.Tree) -> CellFormula:
        match tree:
            case expressions.Number(value=constant):
                return CellFormula(str(int(constant)), INTEGER)
            case expressions.Word(value=text):
                return CellFormula(text_literal(text), TEXT)
            case expressions.Name(name=name):
                if (found := self._cell(name)) is None:
                    raise NotWritable(f"nothing is called `{name}`")
                return found
            case expressions.Unary(operator="not", operand=operand):
                return CellFormula(f"IF({self.test(operand)},0,1)", INTEGER)
            case expressions.Unary(operand=operand):
                number = self._number(operand)
                return CellFormula(f"(-{number.text})", number.type)
            case expressions.Binary(operator=operator):
                left, right = self._number(tree.left), self._number(tree.right)
                type_, a, b = _number_type(left, right), left.text, right.text
                quotient = f"INT({a}/{b})" if type_ == INTEGER else f"INT(ROUND({a}/{b},9))"
                forms = {
                    "/": (f"({a}/{b})", FRACTION),
                    "//": (quotient, INTEGER),
                    "%": (f"({a}-{b}*{quotient})", type_),
                }
                return CellFormula(*forms.get(operator, (f"({a}{operator}{b})", type_)))
            case expressions.Compare() | expressions.Logic():
                return CellFormula(f"IF({self.test(tree)},1,0)", INTEGER)
            case expressions.Either(test=test, yes=yes, no=no):
                first, second = self.value(yes), self.value(no)
                if TEXT in (first.type, second.type) and first.type != second.type:
                    raise NotWritable("it is a number or a text")
                type_ = first.type if first.type == second.type else FRACTION
                return CellFormula(f"IF({self.test(test)},{first.text},{second.text})", type_)
            case expressions.Lookup(arguments=arguments, rows=rows):
                return self._lookup(rows, list(map(self.value, arguments)))
        return self._call(tree)

    def shown(self, tree: expressions.Tree) -> str:
        """Return a value of a text as prints write it."""
        match tree:
            case expressions.Either(test=test, yes=yes, no=no):
                return f"IF({self.test(test)},{self.shown(yes)},{self.shown(no)})"
            case expressions.Compare() | expressions.Logic() | expressions.Unary(operator="not"):
                return f'IF({self.test(tree)},"yes","no")'
        found = self.value(tree)
        if found.type == FRACTION:
            raise NotWritable("it writes a fraction")
        return found.text if found.type == TEXT else f'IF({found.text}<0,"−","")&ABS({found.text})'

    def test(self, tree: expressions.Tree) -> str:
        """Return a condition: whether `tree` is true, a number other than 0, or a text."""
        match tree:
            case expressions.Compare(first=first, rest=rest):
                sides = [self._side(first), *(self._side(right) for _, right in rest)]
                parts = [
                    _comparison(operator, left, right)
                    for (operator, _), left, right in zip(rest, sides, sides[1:], strict=False)
                ]
                return parts[0] if len(parts) == 1 else f"AND({','.join(parts)})"
            case expressions.Logic(operator=operator, parts=parts_):
                tests = [self.test(part) for part in parts_]
                found = tests[-1]
                for one in reversed(tests[:-1]):  # later parts are computed only if needed
                    both = f"{found},FALSE()" if operator == "and" else f"TRUE(),{found}"
                    found = f"IF({one},{both})"
                return found
            case expressions.Unary(operator="not", operand=operand):
                return f"NOT({self.test(operand)})"
        value = self.value(tree)
        return f'{value.text}<>""' if value.type == TEXT else f"{value.text}<>0"

    def _side(self, tree: expressions.Tree) -> CellFormula:
        """Return one side of a comparison; there an unknown name is a bare word."""
        if isinstance(tree, expressions.Name) and not self._cell(tree.name):
            return CellFormula(text_literal(tree.name), TEXT)
        return self.value(tree)

    def _cell(self, name: str) -> CellFormula | None:
        return self.names.get(name) or self.scope.cell(name)

    def _number(self, tree: expressions.Tree) -> CellFormula:
        found = self.value(tree)
        if found.type == TEXT:
            raise NotWritable("it computes with a text")
        return found

    def _lookup(self, rows: expressions.LookupRows, values: Sequence[CellFormula]) -> CellFormula:
        """Return the cell that `MATCH` finds among the rows; without a row it is `#N/A`."""
        wanted = values[0]
        if (rows.match == expressions.WORDS) != (wanted.type == TEXT):
            raise NotWritable("it looks up a number among words, or a word among numbers")
        text = wanted.text if wanted.type != FRACTION else f"ROUND({wanted.text},9)"
        keys = [text_literal(k) if isinstance(k, str) else _decimal(k) for k in rows.keys]
        if len({key.casefold() for key in keys}) < len(keys) or re.search(r"[*?~]", "".join(keys)):
            raise NotWritable("a spreadsheet confuses its rows")
        match = f"MATCH({text},{{{','.join(keys)}}},{int(rows.match == expressions.FROM)})"
        types: set[str] = set()

        def written(cell: int | Fraction | str | expressions.LookupRows | None) -> str:
            if cell is None:
                return "NA()" if rows.otherwise is None else written(rows.otherwise)
            if isinstance(cell, expressions.LookupRows):
                found = self._lookup(cell, values[1:])
            elif isinstance(cell, str):
                found = CellFormula(text_literal(cell), TEXT)
            else:
                whole = cell.denominator == 1
                found = CellFormula(_decimal(cell), INTEGER if whole else FRACTION)
            types.add(found.type)
            return found.text

        formula = f"CHOOSE({match},{','.join(map(written, rows.cells))})"
        if rows.otherwise is not None:
            formula = f"IF(ISNA({match}),{written(rows.otherwise)},{formula})"
        if TEXT in types and len(types) > 1:
            raise NotWritable("it is a number or a text")
        return CellFormula(formula, types.pop() if len(types) == 1 else FRACTION)

    def _gathered(self, tree: expressions.Call) -> CellFormula:
        """Return a function of numbers of things; what each thing has is a cell that is typed."""
        parts: list[CellFormula] = []
        for argument in tree.arguments:
            gathered = expressions.gathered_names(argument)
            names = [name for name in gathered if self._cell(name) is None]
            if names and not isinstance(argument, expressions.Name):
                raise NotWritable("it computes with each thing that a character has")
            if names:
                parts.append(self.scope.answer(tree.function, names))
            elif tree.function == "count":
                parts.append(CellFormula(f"IF({self.test(argument)},1,0)", INTEGER))
            else:
                parts.append(self._number(argument))
        known = CELL_FUNCTIONS["sum" if tree.function == "count" else tree.function]
        return CellFormula(
            known.format(",".join(part.text for part in parts)), _number_type(*parts)
        )

    def _call(self, tree: expressions.Call) -> CellFormula:
        if tree.arguments and (expressions.gathers(tree) or tree.function == "count"):
            return self._gathered(tree)
        name = tree.function
        if name in expressions.NAMING:
            names = [a.name for a in tree.arguments if isinstance(a, expressions.Name)]
            return self.scope.answer(name, names)
        plain = name in expressions.COUNTING or name in expressions.WRITING
        values = list(map(self._number if plain else self.value, tree.arguments))
        texts, whole = [value.text for value in values], _number_type(*values) == INTEGER
        match name, len(values):
            case "signed" | "fraction", 1:
                return CellFormula(written_number(texts[0], name), TEXT)
            case "code", 1:
                return CellFormula(code_formula(texts[0]), TEXT)
            case "dice", number if number not in (2, 3) or not whole:
                # Dice of several kinds are too long to write.
                raise NotWritable("it adds dice of several kinds")
            case "dice", _:
                count, faces, more = (*texts, "0")[:3]
                signed = written_number(more, "signed")
                dice = f'{count}&"d"&{faces}&IF({more}=0,"",{signed})'
                alone = f'IF({more}<0,"−","")&ABS({more})'
                return CellFormula(f"IF(AND({count}>0,{faces}>0),{dice},{alone})", TEXT)
            case "boxes", 1 | 2:
                count, marked = (*(f"MAX(0,{text})" for text in texts), "0")[:2]
                boxes = f'REPT("☑",MIN({marked},{count}))&REPT("☐",{count}-MIN({marked},{count}))'
                return CellFormula(boxes, TEXT)
        if name in CELL_FUNCTIONS and values:
            kept = name in ("min", "max", "sum", "first", "abs") and not whole
            type_ = TEXT if name in _TEXTS else FRACTION if kept else INTEGER
            return CellFormula(CELL_FUNCTIONS[name].format(",".join(texts)), type_)
        found = self.scope.formula(name)
        if found is None or len(found[0]) != len(values) or self.depth >= MOST_INLINED:
            raise NotWritable(f"`{name}` cannot be called")
        parameters = dict(zip(found[0], values, strict=True))
        inner = _SpreadsheetWriter(self.scope, parameters, self.depth + 1)
        written = inner.value(expressions.parse_formula(found[1]))
        if len(written.text) > 4 * MOST_FORMULA:
            raise NotWritable("it is longer than a cell can hold")
        return written


_TEXTS: Final = ("as_percent", "step_die")
CELL_FUNCTIONS: Final[Mapping[str, str]] = {
    "min": "MIN({})",
    "max": "MAX({})",
    "sum": "SUM({})",
    "first": "CHOOSE(1,{})",
    "abs": "ABS({})",
    "floor": "INT(ROUND({},9))",
    "ceil": "(-INT(ROUND(-{},9)))",
    "step_die": 'IF({0}<1,"–","d"&MIN(12,2*{0}+2)&IF({0}>5,"+"&({0}-5),""))',
    "as_percent": 'FIXED(ROUND({}*100,1),1,TRUE())&"%"',
}
_SIGNS: Final = {"==": "=", "!=": "<>"}


def _number_type(*cells: CellFormula) -> str:
    return INTEGER if all(cell.type == INTEGER for cell in cells) else FRACTION


def _decimal(value: int | Fraction) -> str:
    return str(int(value)) if value.denominator == 1 else f"{float(value):.9f}"


def _comparison(operator: str, left: CellFormula, right: CellFormula) -> str:
    sign, same = _SIGNS.get(operator, operator), f"EXACT({left.text},{right.text})"
    mixed = (left.type == TEXT) != (right.type == TEXT)
    if TEXT in (left.type, right.type):
        if operator not in _SIGNS:
            why = "it compares a text with a number" if mixed else "words are only the same or not"
            raise NotWritable(why)
        same = "FALSE()" if mixed else same
        opposite = "TRUE()" if mixed else f"NOT({same})"
        return opposite if operator == "!=" else same
    if left.type == right.type == INTEGER:
        return f"{left.text}{sign}{right.text}"
    return f"ROUND({left.text}-{right.text},9){sign}0"


_OF_TRAITS: Final[tuple[str, ...]] = ("n", "free", "stars", "reached", "limit", "total")
MARK: Final = "\x02"
_MARKED: Final = re.compile(f"{MARK}([0-9]+){MARK}")


@dataclass(slots=True)
class ValueColumn:
    """A column of values."""

    # What is typed: `own`, `free`, `stars`, `reached`, `limit`, `focus`, `offered`, `option`, `ask`
    # or `number`; what is computed: `total`, `derived`, `line`, `rolled`, `price` or `left`.
    kind: str
    id: str
    head: str
    type: str = INTEGER
    formula: str = ""  # With marks; empty for what is typed, or cannot be written.


@dataclass(slots=True)
class ValueSheet:
    """The columns of builds of one ruleset. A `CellScope` of their formulas."""

    rules: Ruleset
    builds: Sequence[Build]
    columns: list[ValueColumn] = field(default_factory=list)
    # Values that stay as they are, with the reason.
    fixed: dict[str, str] = field(default_factory=dict)
    # Traits that authors named themselves, by group: as many as one of them has most.
    extra: dict[str, list[str]] = field(default_factory=dict)
    _places: dict[tuple[str, str], int] = field(default_factory=dict)

    def cell(self, name: str) -> CellFormula | None:
        """Return the cell of a name, in the order of `DraftScope.value`."""
        options = self.builds[0].options
        if name in options:
            return self._typed("option", name, f"option {name}", _type_of(options[name]))
        if name in index_of(self.rules).traits:
            return self.total(name)
        if name in self.rules.derived:
            return self.derived(name)
        if name in self.rules.pools:
            return self._put(ValueColumn("left", name, f"{self.rules.pools[name].label} left"))
        if name in self.rules.character and self.rules.character[name].kind == "choice":
            return self._typed("pick", name, name.replace("_", " "), TEXT)
        if name in self.rules.character:
            return self._typed("number", name, name.replace("_", " "))
        return None

    def answer(self, function: str, names: Sequence[str]) -> CellFormula:
        """Return the cell of a question about the build."""
        if function in ("own", "free", "stars") and names[:1]:
            return self._trait(function, names[0])
        call = f"{function}({', '.join(names)})"
        if function in expressions.GATHERING:
            self._note(call, number_formulas(self.rules, names[0]))
            type_ = INTEGER if function == "count" else FRACTION
            return self._typed("ask", f"{function} {names[0]}", call, type_)
        if function == "modifiers":
            # The sum of what choices and items add stays if their formulas need ratings.
            rule, index = self.rules.derived.get(names[0]), index_of(self.rules)
            head = f"what choices and items add to {rule.label or names[0] if rule else names[0]}"
            self._note(head, index.modifies.get(names[0], ()))
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
        under, needs, base = index_of(self.rules).summed.get(trait, ("", None, None))
        try:
            if under:
                column.formula = f"{own.text}+{self.total(under).text}"
            if base is not None:
                column.formula += f"+{spreadsheet_formula(base, self).text}"
            if needs is not None:
                test = spreadsheet_formula(needs, self).text
                column.formula = f"IF({test}<>0,{column.formula},0)"
        except NotWritable as why:
            column.formula, self.fixed[column.head] = "", str(why)
        return found

    def derived(self, name: str) -> CellFormula:
        """Return the cell of a derived value."""
        place = self._places.get(("derived", name))
        if place is not None:
            return _marked(place, self.columns[place])
        rule = self.rules.derived[name]
        values = [b.derived[name].value for b in self.builds if name in b.derived]
        column = ValueColumn("derived", name, rule.label or (rule.place and rule.use) or name)
        try:
            if rule.value is not None:
                written = spreadsheet_formula(rule.value, self)
            else:
                traits: list[str] = []
                for group in map(str, rule.over):
                    traits += map(str, self.rules.groups[group].traits)
                    traits += self.extra.get(group, ())
                written = self._sum(rule.sum or "0", traits)
            column.formula, column.type = written
        except NotWritable as why:
            known = next((value for value in values if value is not None), 0)
            column.type = _type_of(known)
            column.formula, self.fixed[column.head] = "", str(why)
        return self._put(column)

    def rolled(self, id_: str, part: str, text: str) -> None:
        """Add the column of the attack or damage of an item, which its owners have."""
        head = f"{self.rules.gear[id_].name}: {part}"
        column, scope = ValueColumn("rolled", f"{id_} {part}", head, TEXT), _Owners(self, id_)
        self._put_text(column, text, scope)

    def line(self, id_: str, line: TextLine) -> None:
        """Add the column of a text of the ruleset."""
        self._put_text(ValueColumn("line", id_, line.label, TEXT), line.text, self)

    def _put_text(self, column: ValueColumn, text: str, scope: CellScope) -> None:
        """Add a column of a text with formulas in braces."""
        pieces: list[str] = []
        try:
            for at, piece in enumerate(BRACES.split(text)):
                if at % 2:
                    writer = _SpreadsheetWriter(scope, {}, 0)
                    pieces.append(writer.shown(expressions.parse_formula(piece)))
                elif "–" in piece:
                    raise NotWritable("it writes a range")
                elif piece:
                    pieces.append(text_literal(piece))
            written = "&".join(pieces) or text_literal("")
            if len(written) > MOST_FORMULA:
                raise NotWritable("it is longer than a cell can hold")
            column.formula = written
        except (NotWritable, expressions.FormulaError) as why:
            self.fixed[column.head] = str(why)
        self._put(column)

    def _unit(self, trait: str) -> str:
        """Return what the ratings of a trait count, for the head of a column."""
        dice = self.rules.groups[self._group_of(trait)].rating == "dice"
        return "" if not dice else " (pips)" if self.rules.pips else " (dice)"

    def prices(self, trait: str) -> None:
        """Add the columns of the prices of a trait's next step, at creation and as an advance."""
        group_id = self._group_of(trait)
        group, advances = self.rules.groups[group_id], self.rules.advances
        step = CellFormula(f"({self._trait('own', trait).text}+1)", INTEGER)
        what, at = "step", trait
        if group.stated and (formula := group.price) is not None:
            names = {"n": step, "limit": self._trait("limit", trait)}
            if expressions.inputs(expressions.parse_formula(formula)) & {"total", "free"}:
                names["total"] = CellFormula(f"({self.total(trait).text}+1)", INTEGER)
                names["free"] = self._trait("free", trait)
            self._price(trait, at, what, formula, names)
            what, at = "advance", f"advance.{trait}"
        if advances is not None and group_id in advances.groups:
            total = CellFormula(f"({self.total(trait).text}+1)", INTEGER)
            names = {"n": step, "focus": self._trait("focus", trait), "total": total}
            self._price(trait, at, what, advances.groups[group_id], names)

    def _price(
        self, trait: str, at: str, what: str, formula: str, names: dict[str, CellFormula]
    ) -> None:
        rule = self.rules.groups[self._group_of(trait)].traits.get(trait)
        under = str(rule.under or "") if rule is not None else ""
        names["under"] = self.total(under) if under else CellFormula("0", INTEGER)
        if "offered" in expressions.inputs_of(formula):
            names["offered"] = self._trait("offered", trait)
        column = ValueColumn("price", at, f"price of the next {what}: {self._label(trait)}")
        try:
            column.formula, column.type = spreadsheet_formula(formula, _Named(self, names))
        except NotWritable:
            return
        if "MATCH(" in column.formula:  # a step beyond the last row of a table has no price
            column.formula = f'IFERROR({column.formula},"")'
        self._put(column)

    def _sum(self, formula: str, traits: Sequence[str]) -> CellFormula:
        """Return the sum of a formula over traits; each has a column, for a sum is long."""
        parts: list[CellFormula] = []
        reach = Reach(self.rules)  # also of named formulas, which see the names of their caller
        reach.add(formula)
        asked = expressions.inputs(expressions.parse_formula(formula))
        for taken, text in filter(None, map(self.formula, reach.functions)):
            asked |= expressions.inputs(expressions.parse_formula(text)) - {*taken}
        keys = [key for key in _OF_TRAITS if key in asked]
        for trait in traits:
            names = {key: self._trait("own" if key == "n" else key, trait) for key in keys}
            written = spreadsheet_formula(formula, _Named(self, names))
            head = f"{self._label(trait)} in `{formula[:40]}`"
            column = ValueColumn("part", f"{trait} {formula}", head, written.type, written.text)
            parts.append(self._put(column))
        type_ = FRACTION if any(part.type == FRACTION for part in parts) else INTEGER
        return CellFormula("+".join(part.text for part in parts) or "0", type_)

    def _trait(self, kind: str, trait: str) -> CellFormula:
        if kind == "total":
            return self.total(trait)
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

    def _note(self, head: str, formulas: Iterable[str]) -> None:
        """Note that a value stays as it is, if one of its formulas needs other values."""
        reach = Reach(self.rules)
        for formula in formulas:
            reach.add(formula)
        if reach.names & {*index_of(self.rules).traits, *self.rules.derived, *self.rules.character}:
            self.fixed[head] = "it depends on what a character has chosen"

    def _label(self, trait: str) -> str:
        return index_of(self.rules).titles.get(trait) or trait.replace("#", " ")

    def _group_of(self, trait: str) -> str:
        found = index_of(self.rules).traits.get(trait)
        return found[0] if found else trait.partition("#")[0]


class _Named:
    """A scope with a few names before those of a sheet."""

    def __init__(self, sheet: ValueSheet, names: Mapping[str, CellFormula]) -> None:
        self.names, self.sheet = names, sheet
        self.answer, self.formula = sheet.answer, sheet.formula

    def cell(self, name: str) -> CellFormula | None:
        return self.names.get(name) or self.sheet.cell(name)


class _Owners:
    """A scope with the numbers of an item, the same for all owners, before those of a sheet."""

    def __init__(self, sheet: ValueSheet, id_: str) -> None:
        self.sheet, self.owned = sheet, [i for b in sheet.builds for i in b.items if i.item == id_]
        self.answer, self.formula = sheet.answer, sheet.formula

    def cell(self, name: str) -> CellFormula | None:
        if name in ("dice", "bonus", "count", "cost"):
            texts = {str(getattr(one, name) or 0) for one in self.owned}
        elif name in index_of(self.sheet.rules).numbers:
            texts = {str(one.numbers.get(name, "0")) for one in self.owned}
        else:
            return self.sheet.cell(name)
        if len(texts) > 1:
            raise NotWritable(f"not all who have it have the same `{name}`")
        try:
            return spreadsheet_formula(texts.pop(), self.sheet)
        except expressions.FormulaError:
            raise NotWritable(f"its `{name}` is no formula") from None


def build_value_sheet(rules: Ruleset, builds: Sequence[Build]) -> ValueSheet:
    """Return the columns of `builds`, all of one ruleset: what is typed first, then formulas."""
    sheet = ValueSheet(rules, builds)
    for id_, group in rules.groups.items():
        most = max(len(named_ratings(build, rules, str(id_))) for build in builds)
        sheet.extra[str(id_)] = [f"{id_}#{n}" for n in range(1, most + 1)]
        for trait in (*group.traits, *sheet.extra[str(id_)]):
            sheet.total(str(trait))
    for id_ in (id_ for id_, rule in rules.derived.items() if rule.label or rule.place):
        sheet.derived(str(id_))
    for id_, line in rules.texts.items():
        if line.label:
            sheet.line(str(id_), line)
    for id_, group in rules.groups.items():
        for trait in (*group.traits, *sheet.extra[str(id_)]):
            sheet.prices(str(trait))
    for id_ in rules.pools:
        sheet.cell(str(id_))
    owned = dict.fromkeys(item.item for build in builds for item in build.items if item.item)
    for id_, item in ((id_, rules.gear.get(id_)) for id_ in owned):
        for part, text in attack_texts(item).items() if item is not None else ():
            sheet.rolled(id_, part, text)
    return sheet


def named_ratings(build: Build, rules: Ruleset, group: str) -> list[Rating]:
    """Return the ratings of the traits of a group that the author named."""
    known = rules.groups[group].traits
    return [r for r in build.ratings.values() if r.group == group and r.id not in known]


def place_formula(formula: str, cells: Sequence[str]) -> str:
    """Return a formula with cells in the place of its marks, by the numbers of columns."""
    return _MARKED.sub(lambda found: cells[int(found[1])], formula)


def _marked(place: int, column: ValueColumn) -> CellFormula:
    return CellFormula(f"{MARK}{place}{MARK}", column.type)


def _type_of(value: Value) -> str:
    if isinstance(value, str):
        return TEXT
    return FRACTION if isinstance(value, Fraction) else INTEGER


def sorted_columns(sheet: ValueSheet) -> list[int]:
    """Return the numbers of the columns as they are shown: typed ones first."""
    ranks = {"total": 1, "derived": 2, "line": 3, "left": 4, "rolled": 5, "price": 6, "part": 7}
    numbers = range(len(sheet.columns))
    return sorted(numbers, key=lambda number: ranks.get(sheet.columns[number].kind, 0))
