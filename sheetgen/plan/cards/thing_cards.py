"""Subjects of cards about things: entries of a ruleset's catalogues, and grids of odds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from sheetgen.model.build import Build, Value
from sheetgen.model.rulesets.choices import Choice
from sheetgen.model.rulesets.odds import OddsGrid
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.tables import EMBLEM, CardSet
from sheetgen.plan.cards.kinds import CardContext, Subject
from sheetgen.plan.cards.runs import FIGURE
from sheetgen.plan.sheets.view import roll_words
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.odds.grid import HALF, ComputedGrid, GridError, cell_text, compute_grid
from sheetgen.rules.tables.things import ThingScope, tags_of, things

SECTIONS = "sections"
"""A list that a card set may have: the sections of each choice, in order."""

HEADS, ROWS = "heads", "rows"
"""Lists of a grid's card: one row of column heads, and the rows of the grid."""

_SIGNS: Final = {"<": "under ", ">": "over ", "–": "0"}
"""Signs of a cell, for screen readers."""


def build_thing_subject(
    card_set: CardSet, scope: ThingScope, build: Build | None = None, *, undefined: bool = False
) -> Subject:
    """Return the subject of a thing's card, with the texts of its card set.

    Args:
        build: The build that chose it; what it rolls for the choice is drawn as dice.
        undefined: Whether to note its words that the rules do not define.

    Raises:
        FormulaError: A text or a grid of odds cannot be computed.
    """
    texts = {place: filled(text, scope) for place, text in card_set.texts.items()}
    if isinstance(scope.thing, OddsGrid):
        texts |= build_odds_texts(scope.rules, scope.thing, scope.options)
    known = {*tags_of(scope.thing), *_ids(card_set, scope)}
    if picture := next((p for name, p in card_set.emblems.items() if name in known), None):
        texts[EMBLEM] = str(picture)
    if not isinstance(scope.thing, Choice):
        return Subject(texts["name"], CardContext(texts))
    entry = scope.thing
    own = _own_sections(scope, build) if build is not None else {}
    for number, section in enumerate(entry.sections if SECTIONS in card_set.lists else (), 1):
        place = f"{SECTIONS}.{number}"
        text, about = own.get(number) or filled(section.text, scope), section.about
        label = f"{section.label} ({about})" if about else section.label
        texts |= {f"{place}.label": section.label, f"{place}.text": text}
        texts |= {f"{place}.about": about} if about else {}
        texts[f"{place}.line"] = f"{label}: {text}"
    for number, word in enumerate(entry.undefined if undefined else (), start=1):
        texts[f"undefined.{number}.text"] = f"“{word}” is not defined in the rules."
    pool = _pool(entry, build) if build is not None else ()
    places = [str(p) for p, what in card_set.rolls.items() if what == "roll"] if pool else []
    texts |= {f"{place}.roll.text": roll_words(pool) for place in places}
    dice = tuple(die for die, count in pool for _ in range(count))
    return Subject(texts["name"], CardContext(texts), dice=dict.fromkeys(places, dice))


def _own_sections(scope: ThingScope, build: Build) -> dict[int, str]:
    """Return the sections of a choice whose text has figures of its owner, by their numbers."""
    catalogues = scope.rules.choices
    return {
        number + 1: text
        for (catalogue, entry, number), text in build.sections.items()
        if catalogues[catalogue].entries.get(entry) is scope.thing
    }


def _ids(card_set: CardSet, scope: ThingScope) -> Iterator[str]:
    for of in card_set.of:
        of_kind = things(scope.rules, str(of)).items()
        yield from (id_ for id_, thing in of_kind if thing is scope.thing)


def _pool(entry: Choice, build: Build) -> tuple[tuple[str, int], ...]:
    if entry.roll is None:
        return ()
    name = str(entry.roll)
    rating = build.ratings.get(name)
    return build.rolls.get(f"{rating.group}.{name}" if rating else name, ())


def build_odds_texts(
    rules: Ruleset, grid: OddsGrid, options: Mapping[str, Value]
) -> Mapping[str, str]:
    """Return the texts of a card about a grid of odds, computed exactly.

    `heads.1.N.label` names a column. `rows.R.code` names a row if all names are codes such
    as 3D, else `rows.R.label`. A chance of one half or more is `rows.R.N.good`, any other
    `rows.R.N.value`, both in whole per cent; `rows.R.N.share` is the fraction.
    `rows.R.said` and `heads.1.said` are for screen readers.

    Raises:
        FormulaError: A row, a column or a formula of the roll cannot be computed.
    """
    try:
        computed = compute_grid(rules, "", replace(grid, curves=False), options)
    except GridError as error:
        raise FormulaError(f"`{error.place}`: {error}") from None
    return dict(_odds_texts(computed))


def _odds_texts(grid: ComputedGrid) -> Iterator[tuple[str, str]]:
    for number, column in enumerate(grid.columns, 1):
        yield f"{HEADS}.1.{number}.label", column
    yield f"{HEADS}.1.said", f"Per cent, against {', '.join(grid.columns)}"
    name = "code" if all(FIGURE.fullmatch(row) for row in grid.rows) else "label"
    for place, (row, cells) in enumerate(zip(grid.rows, grid.cells, strict=True), 1):
        yield f"{ROWS}.{place}.{name}", row
        spoken = []
        for number, (column, chance) in enumerate(zip(grid.columns, cells, strict=True), 1):
            text = cell_text(chance)
            cell = f"{ROWS}.{place}.{number}"
            yield f"{cell}.{'good' if chance >= HALF else 'value'}", text
            yield f"{cell}.share", str(chance)
            spoken.append(f"{column} {_SIGNS.get(text[0], text[0])}{text[1:]}%")
        yield f"{ROWS}.{place}.said", f"{row}: {', '.join(spoken)}"
