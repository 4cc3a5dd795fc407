"""All words that a ruleset prints, as it is played with some options; nothing is laid out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from sheetgen.check.character.options import resolve_options
from sheetgen.cli.odds import odds_lines
from sheetgen.data import data_folder
from sheetgen.load.rulesets.rulesets import OPTION, load_ruleset, switches_of
from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Source
from sheetgen.plan.pages.encounters import plan_fight
from sheetgen.plan.pages.tables import plan_table_pages
from sheetgen.plan.sheets.view import build_blank_view, build_view
from sheetgen.prints.cards import thing_cards
from sheetgen.prints.characters import load_characters, load_stock
from sheetgen.prints.encounter import check_encounter
from sheetgen.prints.odds import OddsQuestion, answer_question
from sheetgen.render.flow.table_pages import format_markdown
from sheetgen.rules.formulas.evaluate import filled
from sheetgen.rules.index import walk_model
from sheetgen.rules.tables.compute import rows_of
from sheetgen.rules.tables.things import RulesetScope
from tests.shelf import folder_of

CONTENT = data_folder() / "content"


def played(name: str, chosen: Mapping[str, str]) -> Ruleset:
    """Return the ruleset `name` with its tables, its modules as `chosen` says."""
    loaded = load_ruleset(folder_of(name), complete=True, switches=switches_of(None, chosen))
    assert loaded.value is not None, loaded.findings
    return loaded.value


def prints(rules: Ruleset, chosen: Mapping[str, str]) -> dict[str, str]:
    """Return what each print says: tables, screens, sheets, cards, fights, answers of odds."""
    options, wrong = resolve_options(Source("", "", None, ""), rules, chosen)
    assert not wrong
    stock = load_stock(rules, map(str, rules.kinds), chosen)
    said = {"tables": _tables(rules, options, stock)}
    said["screens"] = "\n".join(_screens(rules, options))
    said["blank"] = "\n".join(t.text for t in build_blank_view(rules, options).texts.values())
    said["cards"] = "\n".join(_cards(rules, options, stock))
    said["sheets"] = "\n".join(_sheets(str(rules.id), frozenset(chosen.items())))
    said["encounters"] = "\n".join(_encounters(str(rules.id), chosen))
    said["odds"] = "\n".join(_odds(rules, chosen))
    return said


def _tables(rules: Ruleset, options: Mapping[str, Value], stock: Mapping[str, tuple]) -> str:
    pages = plan_table_pages(rules, (), options, stock=stock)
    assert pages.value is not None
    assert not pages.findings
    return format_markdown(pages.value, "", "")


def _screens(rules: Ruleset, options: Mapping[str, Value]) -> Iterator[str]:
    scope = RulesetScope(rules, options)
    for panel in (p for screen in rules.screens.values() for p in screen.panels.values()):
        yield filled(panel.subtitle, scope)
        for block in (block for column in panel.columns for block in column):
            rows = rows_of(rules, block, options)
            if rows is not None:
                yield from (str(block.head), filled(block.about, scope), rows.text)
                yield from (" | ".join(row).replace("*", "") for row in rows.rows)


def _cards(
    rules: Ruleset, options: Mapping[str, Value], stock: Mapping[str, tuple]
) -> Iterator[str]:
    from sheetgen.load.rulesets.kinds import kind_rules

    for name in rules.card_sets:
        for card in thing_cards(rules, str(name), options):
            yield from card.about.texts.values()
    for kind, builds in stock.items():
        for build in builds:
            yield from (t.text for t in build_view(build, kind_rules(rules, kind)).texts.values())


def _encounters(name: str, chosen: Mapping[str, str]) -> Iterator[str]:
    for path in sorted((CONTENT / "encounters" / name).glob("*.yaml")):
        staged = check_encounter(path, chosen)
        if staged.encounter is None:  # modules that cannot be on together
            assert any(name.startswith(OPTION) for name in chosen), staged.findings
            continue
        page = staged.encounter.rules.encounter
        assert page is not None
        fight = plan_fight("", (), staged.fighters, page)
        yield from (text for text in walk_model(fight) if isinstance(text, str))
        yield format_markdown(staged.tables, "", "")


def _odds(rules: Ruleset, chosen: Mapping[str, str]) -> Iterator[str]:
    """Yield an answer for each grid, and for each word that adds dice."""
    for id_, grid in (rules.odds.grids if rules.odds else {}).items():
        asked = f"{grid.rows[0]} vs {grid.over[0]}"
        words = rules.odds.rolls[str(grid.roll)].adds if rules.odds and grid.roll else ()
        for expression in (asked, *(f"{asked}, {word}" for word in words)):
            found = answer_question(
                OddsQuestion(expression, str(rules.id), str(grid.roll or ""), options=chosen)
            )
            yield from odds_lines(found.value, table=False) if found.value else (f"{id_}: refused",)


@cache
def _sheets(name: str, chosen: frozenset[tuple[str, str]]) -> tuple[str, ...]:
    """Return the words of the sheets of characters that come with the ruleset."""
    found: list[str] = []
    files = sorted((CONTENT / "characters" / name).glob("*.yaml"))[:2]
    for one in load_characters([Path(file) for file in files], dict(chosen)):
        if one.build is not None and one.rules is not None:
            found += (text.text for text in build_view(one.build, one.rules).texts.values())
    return tuple(found)
