"""Names in designs that lead nowhere: tables and tracks of rulesets, and what cards show."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.designs.card_files import CardEntry, CardFile, JoinedTexts
from sheetgen.model.designs.sheet_files import SheetFile
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text

PLAIN: Final = "plain"
"""The sheet of rulesets that name none."""

_OF_ALL: Final = ("changes", "footnotes", "group", "kind", "members", "name", "none")
"""What a card of a kind shows besides its ruleset's own names."""

_OF_THINGS: Final = ("footnotes", "heads", "none", "notes", "rows", "sections", "undefined")
"""What a card of a thing shows besides its places."""


def sheet_names(design: str, file: SheetFile) -> Iterator[Finding]:
    """Yield tables and tracks of a sheet that rulesets with this sheet do not have."""
    users = [rules for rules in _rulesets() if str(rules.sheet or PLAIN) == design]
    for rules in users:
        yield from _unknown(file.tables, rules.tables, f"{rules.title} has no table")
    tables = {str(id_) for rules in users for id_ in rules.tables}
    tracks = {str(id_) for rules in users for id_ in rules.tracks}
    if users:
        yield from _unknown(file.if_there, tables, "no ruleset with this sheet has a table")
        yield from _unknown(file.tracks, tracks, "no ruleset with this sheet has a track")


def card_names(design: str, file: CardFile) -> Iterator[Finding]:
    """Yield names in the entries of a card that nothing on it can have."""
    kinds = [
        kind_rules(rules, str(id_))
        for rules in _rulesets()
        for id_, kind in rules.kinds.items()
        if kind.card == design
    ]
    heads = {*_OF_ALL, *(name for own in kinds for name in names_shown(own))}
    if not kinds:
        heads = {*_OF_THINGS, *(str(place).partition(".")[0] for place in file.places)}
        heads.update(str(place) for rules in _rulesets() for place in _dice(rules, design))
    orders = (file.order, *(c.order for c in file.sizes.values() if c.order is not None))
    for name in (name for order in orders for entry in order for name in _names(entry)):
        head = name.partition(".")[0]
        places = [str(place) for place in file.places if str(place).startswith(f"{head}.")]
        if head not in heads:
            yield _finding(name, f"nothing on this card is called `{name}`", heads)
        elif places and name != head and not any(fnmatchcase(name, place) for place in places):
            yield _finding(name, f"the card has no place `{name}`", places)
        else:
            yield from _columns(name, kinds)


@cache
def _rulesets() -> tuple[Ruleset, ...]:
    loaded = (load_ruleset(rulesets_folder() / id_, complete=True).value for id_ in ruleset_ids())
    return tuple(rules for rules in loaded if rules is not None)


def names_shown(own: Ruleset) -> Iterator[str]:
    """Yield what the names of values of a kind begin with, as prints show them."""
    parts = (own.groups, own.derived, own.texts, own.lists, own.tracks, own.character, own.rolls)
    yield from (str(id_) for part in parts for id_ in part)
    yield from (str(id_) for group in own.groups.values() for id_ in group.traits)


def _dice(rules: Ruleset, design: str) -> Iterator[str]:
    for made in rules.card_sets.values():
        yield from made.rolls if made.card == design else ()


def _columns(name: Text, kinds: list[Ruleset]) -> Iterator[Finding]:
    """Yield a finding for a column that no list called so has."""
    head, dot, rest = name.partition(".")
    columns = {str(c) for own in kinds if head in own.lists for c in own.lists[head].columns}
    column = rest.rpartition(".")[2]
    if dot and columns and column not in columns:
        yield _finding(name, f"the list `{head}` has no column `{column}`", columns)


def _names(entry: CardEntry) -> Iterator[Text]:
    """Yield the names of values in an entry."""
    single = (entry.when, entry.lacks, entry.with_, entry.unless, entry.each, entry.counted)
    yield from (name for name in (*single, entry.track) if name is not None)
    yield from (*(entry.text or ()), *entry.dice, *entry.noted.values(), *entry.pictures.values())
    for names in (*entry.names.values(), *(entry.less or {}).values()):
        yield from names.of if isinstance(names, JoinedTexts) else names
    yield from (rule.of for rule in entry.shapes.values())
    if entry.rings is not None:
        yield from (entry.rings.of, entry.rings.start, entry.rings.over)
    if entry.grid is not None:
        yield from (entry.grid.from_, entry.grid.down)
        yield from (entry.grid.least,) if entry.grid.least is not None else ()
    if entry.bars is not None:
        yield entry.bars.of


def _unknown(names: Iterable[str], known: Collection[str], lacks: str) -> Iterator[Finding]:
    for name in names:
        if name not in known:
            yield _finding(name, f"{lacks} `{name}`", known)


def _finding(name: str, message: str, known: Collection[str]) -> Finding:
    assert isinstance(name, Text)
    return Finding(codes.BAD_DESIGN, name.span, message, suggestion(name, sorted(known)))
