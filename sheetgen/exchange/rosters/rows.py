"""The rows of a roster: what authors wrote by key, and the values that follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from sheetgen.exchange.formats import ExportRequest
from sheetgen.exchange.rosters.cells import format_cell
from sheetgen.model.build import Build
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Node, Pairs
from sheetgen.prints.characters import Character
from sheetgen.prints.context import file_stem
from sheetgen.rules.index import index_of

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
