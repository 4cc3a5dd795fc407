"""Select what gets pieces: of an encounter, of authors' files, or of a ruleset's stock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sheetgen.check.ruleset.kinds import check_kinds
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag.findings import apply_strict, errors
from sheetgen.diag.spans import Span
from sheetgen.load.authors.sorts import ENCOUNTER, find_file_type
from sheetgen.load.files import yaml_files
from sheetgen.load.rulesets.rulesets import load_complete
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.encounters import Fighter
from sheetgen.plan.pieces.subjects import PieceSubject, describe_fighter
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints.card_selection import (
    Selection,
    find_unknown_names,
    is_selected,
    load_named_ruleset,
)
from sheetgen.prints.characters import Character, load_characters, load_stock_characters
from sheetgen.prints.context import PrintContext
from sheetgen.prints.encounter import check_encounter, name_copies
from sheetgen.rules.names import exact_form


@dataclass(slots=True)
class PieceSelection(Selection):
    """Selected subjects with their rulesets.

    Attributes:
        rules: Complete rulesets, by digest.
        titles: What the pages are about: an encounter, a game, or a person.
    """

    subjects: list[tuple[PieceSubject, str]] = field(default_factory=list)
    rules: dict[str, Ruleset] = field(default_factory=dict)
    titles: list[str] = field(default_factory=list)
    _numbers: dict[str, int] = field(default_factory=dict)
    _found: list[tuple[str, str, Callable[[], None]]] = field(default_factory=list)

    def add(self, fighter: Fighter, rules: Ruleset, span: Span) -> None:
        """Add the copies of a checked build."""
        build = fighter.build
        group = build.texts.get("group", "")
        self.groups.update(filter(None, [group]))
        self.names.add(build.name)
        self._found.append((build.name, group, partial(self._select, fighter, rules, span)))

    def select(self, request: PrintRequest) -> None:
        """Select of what was added what the request names."""
        for name, group, select in self._found:
            if is_selected(name, group, request, self):
                select()

    def _select(self, fighter: Fighter, rules: Ruleset, span: Span) -> None:
        self.rules[rules.digest] = rules
        # Groups share a pattern; everybody else has one of their own.
        name = fighter.build.texts.get("group", "") or fighter.build.name
        number = self._numbers.setdefault(exact_form(name), len(self._numbers))
        for subject in describe_fighter(fighter, rules, number, span):
            self.subjects.append((subject, rules.digest))

    def add_name(self, name: str, rules: Ruleset, span: Span) -> None:
        """Add a player of whom only the name is known."""
        self.names.add(name)
        self._found.append((name, "", partial(self._select_name, name, rules, span)))

    def _select_name(self, name: str, rules: Ruleset, span: Span) -> None:
        self.rules[rules.digest] = rules
        number = self._numbers.setdefault(exact_form(name), len(self._numbers))
        subject = PieceSubject(name, group=number, person=True, span=span)
        self.subjects.append((subject, rules.digest))


def select_pieces(request: PrintRequest, context: PrintContext) -> PieceSelection:
    """Return what the files and rulesets of a request name."""
    selection = PieceSelection()
    for name in request.of:
        rules = load_named_ruleset(name, dict(request.options), selection.findings)
        if rules is not None:
            _add_stock(rules, request, selection)
        elif not errors(selection.findings):
            _add_files(Path(name), request, context, selection)
    selection.select(request)
    if not errors(selection.findings):
        selection.findings += find_unknown_names([selection], request, "pieces")
    return selection


def _add_stock(rules: Ruleset, request: PrintRequest, selection: PieceSelection) -> None:
    own = check_ruleset(rules)
    selection.findings += (*own, *check_kinds(rules, own))
    if errors(selection.findings):
        return
    selection.titles.append(rules.title)
    for kind in rules.kinds:
        stock = load_stock_characters(rules, str(kind), dict(request.options))
        _add_characters(stock, request, selection, rules)


def _add_files(
    path: Path, request: PrintRequest, context: PrintContext, selection: PieceSelection
) -> None:
    """Add the characters and the encounters in a file or a folder."""
    fights = [file for file in yaml_files(path) if find_file_type(file) == ENCOUNTER]
    for file in fights:
        _add_encounter(file, request, context, selection)
    if fights and path == fights[0]:
        return
    characters = load_characters([path], dict(request.options), context.rulesets)
    skipped = set(fights)
    others = (one for one in characters if one.path not in skipped)
    _add_characters(others, request, selection)


def _add_encounter(
    path: Path, request: PrintRequest, context: PrintContext, selection: PieceSelection
) -> None:
    """Add the players and the combatants of an encounter, numbered as on its page."""
    checked = check_encounter(path, dict(request.options), context.rulesets)
    selection.findings += checked.findings
    encounter = checked.encounter
    if encounter is None or errors(checked.findings):
        return
    selection.sources.append(encounter.source)
    selection.titles.append(encounter.title)
    span = encounter.source.start
    for _ in range(request.copies):
        for player in checked.players:
            selection.add_name(player.name, encounter.rules, span)
        for fighter in checked.fighters:
            selection.add(fighter, encounter.rules, span)


def _add_characters(
    characters: Iterable[Character],
    request: PrintRequest,
    selection: PieceSelection,
    complete: Ruleset | None = None,
) -> None:
    """Add characters and others; copies of other kinds are numbered.

    Args:
        complete: The ruleset of a stock, with all its parts.
    """
    known: dict[str, Ruleset | None] = {}
    for one in characters:
        selection.findings += one.findings
        selection.sources += [one.source] if one.source is not None else []
        wrong = errors(apply_strict(one.findings, request.strict))
        if one.build is None or one.rules is None or wrong:
            continue
        digest = one.rules.digest
        if complete is None and digest not in known:
            known[digest] = load_complete(one.rules)
        rules = complete or known[digest]
        if rules is None:
            continue
        kind = _kind_name(one, rules)
        copies = name_copies(one.build, request.copies if kind else 1)
        fighter = Fighter(one.build, build_view(one.build, one.rules), kind, copies, {})
        root = one.source.root if one.source is not None else None
        span = root.span if root is not None else Span(str(one.path))
        for _ in range(1 if kind else request.copies):
            selection.add(fighter, rules, span)
        selection.titles += [one.build.name] if complete is None else []


def _kind_name(one: Character, rules: Ruleset) -> str:
    """Return the id of a character's kind; empty for a character."""
    if one.kind is None:
        return ""
    return next((str(id_) for id_, kind in rules.kinds.items() if kind.one == one.kind.one), "")
