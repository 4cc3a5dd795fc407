"""The rows of a roster: what authors wrote by key, and the values that follow from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from sheetgen.load.yaml.format import format_block, format_flow
from sheetgen.load.yaml.tree import parse_yaml, scalar
from sheetgen.model.build import Build, Rating, Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, items_of, raw_text
from sheetgen.plugins.exchange.formats import ExportRequest
from sheetgen.plugins.exchange.rosters.spreadsheet import (
    FRACTION,
    INTEGER,
    TEXT,
    CellFormula,
    NotWritable,
    spreadsheet_formula,
)
from sheetgen.prints.characters import Character
from sheetgen.prints.context import file_stem
from sheetgen.rules.index import index_of
from sheetgen.rules.scopes import Reach

FIRST: Final = ("ruleset", "kind", "file")
"""The columns before the keys of a file."""

RULES_KEYS: Final = ("ruleset", "kind", "options")
"""Keys that select the rules; an import writes them first."""

LEDGER_HEADS: Final = ("file", "name", "pool", "session", "what", "gained", "cost", "left")


@dataclass(frozen=True, slots=True)
class RosterColumn:
    """A column: a key of the author's file, or a computed value.

    Attributes:
        head: The text of the first row; in brackets for a computed value.
        id: The id of the key, trait, derived value or pool.
        kind: `first`, `key`, `total`, `derived` or `left`.
    """

    head: str
    id: str
    kind: str


@dataclass(frozen=True, slots=True)
class Roster:
    """All entries of one kind, and the columns that they need together.

    Attributes:
        ruleset: What they were checked by, if that is not what their files name.
    """

    kind: str
    entries: tuple[Character, ...]
    columns: tuple[RosterColumn, ...]
    ruleset: str = ""

    def texts(self, one: Character) -> list[str]:
        """Return the row of an entry."""
        written = written_texts(one) | {"kind": self.kind, "file": f"{file_stem(one.stem)}.yaml"}
        written |= {"ruleset": self.ruleset} if self.ruleset else {}
        computed = computed_texts(one)
        return [
            written.get(c.id, "")
            if c.kind in ("first", "key")
            else computed.get((c.kind, c.id), "")
            for c in self.columns
        ]


def list_rosters(request: ExportRequest) -> list[Roster]:
    """Return a roster for each kind of entries, characters first."""
    kinds: dict[str, list[Character]] = {}
    for one in request.characters:
        kinds.setdefault(request.kind_of(one), []).append(one)
    ruleset = str(request.rules.id) if request.stock else ""
    return [Roster(k, tuple(found), tuple(_columns(found)), ruleset) for k, found in kinds.items()]


def _columns(entries: Iterable[Character]) -> Iterator[RosterColumn]:
    yield from (RosterColumn(name, name, "first") for name in FIRST)
    rules = list({id(one.rules): one.rules for one in entries if one.rules is not None}.values())
    order = dict.fromkeys(str(id_) for each in rules for id_ in each.character)
    used = dict.fromkeys(id_ for one in entries for id_ in written_texts(one))
    for id_ in (*(i for i in order if i in used), *(i for i in used if i not in order)):
        if id_ not in FIRST:
            yield RosterColumn(id_.replace("_", " "), id_, "key")
    yield from computed_columns(rules)


def computed_columns(rules: Iterable[Ruleset]) -> Iterator[RosterColumn]:
    """Yield the columns of all computed values of several rules."""
    taken: set[str] = set()
    for kind, id_, label, group in dict.fromkeys(c for each in rules for c in _computed(each)):
        head = f"({label})" if label not in taken else f"({group}: {label})"
        taken.add(label)
        yield RosterColumn(head, id_, kind)


def _computed(rules: Ruleset) -> Iterator[tuple[str, str, str, str]]:
    """Yield kind, id, label and group of each computed column."""
    titles = index_of(rules).titles
    for group_id, group in rules.groups.items():
        for trait in group.traits:
            yield "total", str(trait), titles[str(trait)], group.label or str(group_id)
    for id_, derived in rules.derived.items():
        if derived.label:  # others are only for formulas
            yield "derived", str(id_), derived.label, "derived"
    for id_, pool in rules.pools.items():
        yield "left", str(id_), f"{pool.label} left", "pool"


def key_nodes(one: Character) -> Mapping[str, Node]:
    """Return what the author wrote by the id of the key; by its name if the rules lack it."""
    source, rules = one.entry, one.rules
    if source is None or rules is None or not isinstance(source.root, Pairs):
        return {}
    keys = index_of(rules).keys
    return {next(iter(keys.find(k.raw)), k.raw): node for k, node in source.root.entries}


def is_text_key(rules: Ruleset, id_: str) -> bool:
    """Whether the key `id_` holds one text."""
    key = rules.character.get(id_)
    return key is not None and key.kind == "text"


def written_texts(one: Character) -> dict[str, str]:
    """Return what the author wrote as texts of cells, by key; `RULES_KEYS` are first."""
    rules, nodes = one.rules, key_nodes(one)
    if rules is None:
        return {}
    order = [*(id_ for id_ in RULES_KEYS if id_ in nodes), *nodes]
    return {id_: format_cell(nodes[id_], is_text=is_text_key(rules, id_)) for id_ in order}


def computed_texts(one: Character) -> dict[tuple[str, str], str]:
    """Return totals, derived values and points left as texts, by kind and id."""
    build, rules = one.build, one.rules
    if build is None or rules is None:
        return {}
    found = {("total", r.id): rules.rating_text(r.group, r.total) for r in build.ratings.values()}
    found |= {("derived", d.id): d.shown for d in build.derived.values()}
    return found | {("left", p): str(ledger.left) for p, ledger in build.ledgers.items()}


def list_ledger_lines(build: Build, file: str) -> Iterator[tuple[str | int, ...]]:
    """Yield the rows of the ledgers of a build, under `LEDGER_HEADS`."""
    for ledger in build.ledgers.values():
        for line in ledger.lines:
            cells = (line.session, line.what, line.gained, line.cost, line.left)
            yield file, build.name, ledger.label, *cells


# The values of builds as columns: what is typed, and formulas of what follows from it.


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


# Values of an author's file as texts of cells, and back: `Wit: 3; Grip: 2`.


MOST_CELL: Final = 100_000
"""Characters of a cell that is imported."""

MOST_VALUES: Final = 100_000
"""Values of all cells of an import."""

_FLOW: Final = ("[", "{", '"')


class BadCell(ValueError):
    """A cell that cannot be read; the message is the reason."""


def count_values(text: str) -> int:
    """Return how many values a cell, or front matter, may have at the most."""
    return 1 + sum(map(text.count, ",;[{\n"))


def format_cell(node: Node | None, *, is_text: bool) -> str:
    """Return the text of a cell for the value `node`.

    Args:
        is_text: Whether the key holds one text, which is written as it is.
    """
    if node is None:
        return ""
    if isinstance(node, ScalarNode):
        return node.raw if is_text or _is_plain(node) or not node.raw else flow_yaml(node)
    parts = _pair_parts(node) if isinstance(node, Pairs) else _item_parts(node)
    return "; ".join(parts) if parts else flow_yaml(node)


def _is_plain(node: Node) -> bool:
    """Whether a cell can hold the scalar `node` without quotes, alone or among others."""
    if not isinstance(node, ScalarNode) or not node.raw or node.raw != node.raw.strip():
        return False
    if node.quoted and not isinstance(scalar(node.raw), str):
        return False
    raw = node.raw
    return not (raw.startswith(_FLOW) or any(s in raw for s in (";", ": ", "\n")) or raw[-1] == ":")


def _pair_parts(node: Pairs) -> list[str]:
    plain = (replace(key, quoted=False) for key, _ in node.entries)  # keys are always texts
    if not all(_is_plain(part) for part in (*plain, *(value for _, value in node.entries))):
        return []
    return [f"{key.raw}: {raw_text(value)}" for key, value in node.entries]


def _item_parts(node: Many) -> list[str]:
    """Return the parts of a list; none if its text would be read as a scalar or a mapping."""
    parts = []
    for item in node.items:
        pairs = _pair_parts(item) if isinstance(item, Pairs) and len(item.entries) == 1 else []
        if not pairs and not _is_plain(item):
            return []
        parts += pairs or [raw_text(item)]
    plain = any(isinstance(item, ScalarNode) for item in node.items)
    return parts if len(parts) > 1 and plain else []


def flow_yaml(node: Node) -> str:
    """Return `node` as YAML on one line."""
    if isinstance(node, Pairs):
        parts = (f"{_key_yaml(key)}: {flow_yaml(value)}" for key, value in node.entries)
        return "{" + ", ".join(parts) + "}"
    if isinstance(node, Many):
        return "[" + ", ".join(map(flow_yaml, node.items)) + "]"
    if not node.quoted and not isinstance(node.value, str):
        return node.raw or "~"
    return format_flow(node.raw, '"' if node.quoted else "")


def _key_yaml(key: ScalarNode) -> str:
    return key.raw if key.raw.isdecimal() else format_flow(key.raw)


def parse_cell(text: str, *, is_text: bool) -> str:
    """Return the YAML of a cell, for behind `key: `; several lines are indented.

    Raises:
        BadCell: The cell cannot be read.
    """
    if len(text) > MOST_CELL:
        raise BadCell(f"it has {len(text):,} characters; at most {MOST_CELL:,} are read")
    text = text.replace("\r\n", "\n")
    if is_text:
        return format_block(text, "  ", "\n") or format_flow(text)
    text = text.strip()
    if text.startswith(_FLOW):
        return _reformatted(text)
    parts = [part.strip() for part in text.split(";") if part.strip()]
    if len(parts) == 1 and ": " not in text:
        return _plain_yaml(parts[0])
    pairs = [part.partition(": ") for part in parts]
    if all(colon for _, colon, _ in pairs):
        if len({key for key, _, _ in pairs}) < len(pairs):
            raise BadCell("it has the same name twice")
        return "{" + ", ".join(_pair_yaml(key, value) for key, _, value in pairs) + "}"
    items = (
        "{" + _pair_yaml(key, value) + "}" if colon else _plain_yaml(key)
        for key, colon, value in pairs
    )
    return "[" + ", ".join(items) + "]"


def _pair_yaml(key: str, value: str) -> str:
    return f"{format_flow(key.strip())}: {_plain_yaml(value.strip())}"


def _plain_yaml(text: str) -> str:
    return text if text and not isinstance(scalar(text), str) else format_flow(text)


def _reformatted(text: str) -> str:
    """Return YAML in brackets or quotes on one line, if it is nothing else."""
    root = parse_yaml(text, "").value
    node = root.root if root is not None else None
    if node is None or (isinstance(node, ScalarNode) and not node.quoted):
        raise BadCell("the brackets or quotes in it are not closed, or it is no YAML")
    return flow_yaml(node)


def scalar_texts(node: Node) -> list[str] | None:
    """Return the texts of a list of scalars, or of one scalar; None for other values."""
    items = items_of(node)
    texts = [item.raw for item in items if isinstance(item, ScalarNode)]
    return texts if len(texts) == len(items) else None


def cell_texts(cell: str) -> list[str] | None:
    """Return the texts of a cell that holds a list of scalars; None for other cells."""
    try:
        parsed = parse_yaml(f"key: {parse_cell(cell, is_text=False)}\n", "").value
    except BadCell:
        return None
    root = parsed.root if parsed is not None else None
    return scalar_texts(root.entries[0][1]) if isinstance(root, Pairs) else None


def unquoted(node: Many) -> Many:
    """Return a list without quotes: all texts of a property are quoted, an author's are not."""
    items = (replace(i, quoted=False) if isinstance(i, ScalarNode) else i for i in node.items)
    return replace(node, items=tuple(items))
