"""Every option of every game, with each of its values, leaves all entries of the stock printed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sheetgen.diag.findings import Severity, errors
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.rulesets.rulesets import OPTION
from sheetgen.model.requests import CardRequest
from sheetgen.prints.cards import select_cards
from sheetgen.prints.characters import load_stock, load_stock_characters
from tests.cli.commands import run
from tests.options.prints import played
from tests.samples import ALL
from tests.shelf import ruleset

pytestmark = pytest.mark.many


def values_of(option: Any) -> list[str]:
    words = {"number": ["0", "1", "3", "50"], "yes or no": ["yes", "no"]}
    return [value for word in map(str, option.values) for value in words.get(word, [word])]


def cases() -> Iterator[Any]:
    for name in ruleset_ids():
        for id_, option in ruleset(name).options.items():
            if ALL or not id_.startswith(OPTION):
                for value in values_of(option):
                    yield pytest.param(name, str(id_), value, id=f"{name}-{id_}-{value}")


@pytest.mark.parametrize(("name", "option", "value"), [*cases()])
def test_every_entry_is_printed_under_every_option(name: str, option: str, value: str) -> None:
    chosen = {option: value}
    rules = played(name, chosen)
    for kind in map(str, rules.kinds):
        stock = [*load_stock_characters(rules, kind, chosen)]
        assert len(load_stock(rules, [kind], chosen)[kind]) == len(stock) > 0
        for one in stock:
            assert not errors(one.findings), [f.message for f in one.findings]
            for finding in one.findings:
                assert finding.severity is Severity.NOTE or finding.hint
    for kind in map(str, (*rules.kinds, *rules.card_sets)):
        request = CardRequest((name,), of_kind=kind, options=tuple(chosen.items()))
        usual = select_cards(name, CardRequest((name,), of_kind=kind))
        found = select_cards(name, request)
        assert not errors(found.findings)
        assert len(found.cards) == len(usual.cards) > 0


@pytest.mark.parametrize("command", ["cards", "tables", "encounter"])
def test_what_an_option_refuses_is_printed_with_a_warning(tmp_path: Path, command: str) -> None:
    fight = "ruleset: keyword-dots\nencounter: Fight\ncombatants: [{npc: Marksman}]\n"
    (tmp_path / "fight.yaml").write_text(fight, encoding="utf-8")
    words = {
        "cards": ["cards", "keyword-dots", "--kind", "npc", "--name", "Marksman", "--to", "html"],
        "tables": ["tables", "keyword-dots", "npcs", "--to", "html"],
        "encounter": ["encounter", tmp_path / "fight.yaml", "--to", "html"],
    }[command]
    said = run(*words, "--set", "limits=house", "--out", tmp_path)
    assert said.status == 0
    assert "warning[SG204]: Sniper is 4; the limit is 1; it is printed all the same" in said.err
    [page] = tmp_path.glob("*.html")
    assert "Marksman" in page.read_text(encoding="utf-8")


def test_a_value_of_the_author_is_refused_as_before(tmp_path: Path) -> None:
    fight = (
        "ruleset: keyword-dots\nencounter: Fight\noptions: {limits: house}\n"
        "combatants: [{npc: Line Trooper, abilities: {Sniper: 5}}]\n"
    )
    (tmp_path / "fight.yaml").write_text(fight, encoding="utf-8")
    said = run("encounter", tmp_path / "fight.yaml", "--out", tmp_path)
    assert said.status == 1
    assert "fight.yaml:4" in said.err
