"""Checks of the files of a design: sheets, cards, tokens, themes and presets under templates/."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Final

from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.words import suggestion
from sheetgen.load.designs.designs import load_card, load_design, load_presets
from sheetgen.load.designs.templates import (
    SHARED,
    STANDARD,
    bad_design,
    find_design_file,
    list_card_entries,
    load_design_file,
    load_theme_tokens,
    theme_ids,
)
from sheetgen.load.designs.themes import FACES, face_ids, load_face
from sheetgen.load.rulesets.content import (
    CARD_FILE,
    SHEET_FILE,
    find_design_folder,
    find_owner,
    ruleset_ids,
    rulesets_folder,
)
from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.designs.sheets import CardEntry, CardFile, JoinedTexts, SheetFile
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.units import PAPERS

_TRIM = (180.0, 252.0)  # width and height of the card that a design is checked with, in points
PLAIN: Final = "plain"  # the sheet of rulesets that do not name one
_OF_ALL: Final = ("*", "changes", "emblem", "footnotes", "group", "kind", "members", "name", "none")
"""Values that a card of any kind can show, besides those that its ruleset names."""

_OF_THINGS: Final = ("*", "footnotes", "heads", "none", "notes", "rows", "sections", "undefined")
"""Values that a card of any thing can show, besides its places."""


def check_design(path: Path) -> tuple[Finding, ...]:
    """Return all findings about the design that the file at `path` belongs to."""
    return tuple(dict.fromkeys(_check_folder(find_design_folder(path))))


def check_own_designs(rules: Ruleset) -> tuple[Finding, ...]:
    """Return all findings about the designs in a ruleset's folder that it uses."""
    cards = (
        *(one.card for one in rules.kinds.values()),
        *(s.card for s in rules.card_sets.values()),
    )
    named = (rules.sheet, *cards)
    own = dict.fromkeys(str(name) for name in named if name and os.path.isabs(name))
    return tuple(dict.fromkeys(finding for design in own for finding in _check_folder(design)))


def _check_folder(design: str) -> Iterator[Finding]:
    is_sheet = find_design_file(design, SHEET_FILE) is not None
    is_card = find_design_file(design, CARD_FILE) is not None
    try:
        if design == SHARED:
            load_presets()
        if design == FACES:
            for face in face_ids():
                load_theme_tokens(STANDARD, face=load_face(face))
            return
        for theme in theme_ids():
            if not is_card:
                load_theme_tokens(theme, design)
            for paper in PAPERS if is_sheet else ():
                yield from load_design(design, theme, paper).findings
        if is_sheet:
            yield from _check_sheet(design, load_design_file(f"{design}/sheet.yaml", SheetFile))
        if is_card:
            file = load_design_file(f"{design}/card.yaml", CardFile)
            for theme in theme_ids():
                yield from load_card(design, theme, str(next(iter(file.modules))), _TRIM).findings
            yield from _check_card(design, file)
    except DesignError as error:
        yield from error.findings


def _check_sheet(design: str, file: SheetFile) -> Iterator[Finding]:
    """Yield findings for tables and tracks that the rulesets with this sheet do not have."""
    users = [rules for rules in _users(design) if str(rules.sheet or PLAIN) == design]
    for rules in users:
        yield from _check_known(file.tables, rules.tables, f"{rules.title} has no table")
    tables = {str(id_) for rules in users for id_ in rules.tables}
    tracks = {str(id_) for rules in users for id_ in rules.tracks}
    if users:
        yield from _check_known(file.if_there, tables, "no ruleset with this sheet has a table")
        yield from _check_known(file.tracks, tracks, "no ruleset with this sheet has a track")


def _check_card(design: str, file: CardFile) -> Iterator[Finding]:
    """Yield findings for names in a card's entries that no subject of the card can have."""
    kinds = [
        kind_rules(rules, str(id_))
        for rules in _users(design)
        for id_, kind in rules.kinds.items()
        if kind.card == design
    ]
    heads = {*_OF_ALL, *(name for own in kinds for name in list_shown_names(own))}
    if not kinds:
        heads = {*_OF_THINGS, *(str(place).partition(".")[0] for place in file.places)}
        sets = [one for rules in _users(design) for one in rules.card_sets.values()]
        heads.update(str(place) for one in sets if one.card == design for place in one.rolls)
    for name in (name for entry in list_card_entries(file) for name in _list_names(entry)):
        head, dot, rest = name.partition(".")
        places = [str(place) for place in file.places if str(place).startswith(f"{head}.")]
        if head not in heads:
            yield _no_such_name(name, f"nothing on this card is called `{name}`", heads)
        elif places and name != head and not any(fnmatchcase(name, place) for place in places):
            yield _no_such_name(name, f"the card has no place `{name}`", places)
        else:
            known = {str(c) for own in kinds if head in own.lists for c in own.lists[head].columns}
            column = rest.rpartition(".")[2]
            if dot and known and column not in known:
                message = f"the list `{head}` has no column `{column}`"
                yield _no_such_name(name, message, known)


def _users(design: str) -> tuple[Ruleset, ...]:
    """Return the rulesets that may use a design: the one that it is in, or all shipped ones."""
    owner = find_owner(Path(design)) if os.path.isabs(design) else None
    if owner is None:
        return _rulesets()
    rules = load_ruleset(owner, complete=True).value
    return (rules,) if rules is not None else ()


@cache
def _rulesets() -> tuple[Ruleset, ...]:
    loaded = (load_ruleset(rulesets_folder() / id_, complete=True).value for id_ in ruleset_ids())
    return tuple(rules for rules in loaded if rules is not None)


def list_shown_names(own: Ruleset) -> Iterator[str]:
    """Yield the first parts of the names of all values that a kind can show in prints."""
    parts = (own.groups, own.derived, own.texts, own.lists, own.tracks, own.character, own.rolls)
    yield from (str(id_) for part in parts for id_ in part)
    yield from (str(id_) for group in own.groups.values() for id_ in group.traits)


def _list_names(entry: CardEntry) -> Iterator[Text]:
    single = (*entry.when, *entry.lacks, entry.with_, entry.unless, entry.each, entry.counted)
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


def _check_known(names: Iterable[str], known: Collection[str], message: str) -> Iterator[Finding]:
    for name in names:
        if name not in known:
            yield _no_such_name(name, f"{message} `{name}`", known)


def _no_such_name(name: str, message: str, known: Collection[str]) -> Finding:
    return bad_design(name, message, suggestion(name, sorted(known)))
