"""Odds of ratings on live sheets, of the game in the guide to rolls: what `sheetgen odds` says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.scripts.sheet_scripts import compute_sheet_odds
from sheetgen.rules.formulas.evaluate import exact_percent
from sheetgen.rules.odds.odds import answer, resolve_roll
from sheetgen.rules.odds.questions import parse_question
from tests.cli.commands import run
from tests.docs.pages import DOCS
from tests.docs.test_console_blocks import steps

RATED = {
    "attack": ("1d20 + {n}", "+5", "=5"),
    "skill": ("1d100 vs {n}", "45", "=45"),
    "move": ("2d + {n}", "- 1", "=-1"),
    "pool": ("count({n}d10, 7)", "4", "=4"),
    "trait": ("best(1, explode({n}), wild)", "d8", "=d8"),
}


@pytest.fixture(scope="module")
def sections() -> dict[str, Any]:
    files = {s.name: s.text for s in steps(DOCS / "guides" / "rolls.md") if s.kind == "file"}
    return {Path(name).name: yaml.safe_load(text) for name, text in files.items()}


def game(folder: Path, sections: dict[str, Any], **rated: str) -> Ruleset:
    rolls = sections["odds.yaml"]["odds"]["rolls"]
    made = {id_: roll | {"rated": rated[id_]} for id_, roll in rolls.items() if id_ in rated}
    odds = {"odds": sections["odds.yaml"]["odds"] | {"rolls": rolls | made}}
    for name, data in (sections | {"odds.yaml": odds}).items():
        (folder / name).write_text(yaml.safe_dump(data, sort_keys=False), "utf-8")
    rules = load_ruleset(folder, complete=True).value
    assert rules is not None
    return rules


@pytest.mark.parametrize("id_", RATED)
def test_a_rating_has_the_odds_of_its_roll(
    id_: str, sections: dict[str, Any], tmp_path: Path
) -> None:
    rated, rating, key = RATED[id_]
    rules = game(tmp_path, sections, **{id_: rated})
    assert check_ruleset(rules) == ()
    told = compute_sheet_odds(rules, {})
    assert told is not None
    assert rules.odds is not None
    roll = rules.odds.rolls[id_]
    table = next(one for one in told["rolls"] if one["label"] == roll.label)
    cells = table["table"][key].split(" ")
    how = resolve_roll(roll, rules)
    text = rated.replace("{n}", rating.removeprefix("+")).replace("+ -", "-")
    found: dict[str, str] = {}
    for head, goal in table["heads"]:
        asked = f"{text} vs {goal}" if goal else text
        chances = answer(parse_question(asked, how.words), how).chances
        named = {chance.label: chance.value for chance in chances}
        found[head or goal] = exact_percent(chances[0].value if goal else named[head])
    assert [f"{cell}%" for cell in cells] == [*found.values()]
    assert len(table["table"]) == (8 if id_ == "trait" else len(table["table"]))


@pytest.mark.parametrize("rated", ["1d20 + n", "best({n}", "{n} and", "1d20 vs"])
def test_ratings_that_cannot_be_rolled_are_found(
    rated: str, sections: dict[str, Any], tmp_path: Path
) -> None:
    found = check_ruleset(game(tmp_path, sections, attack=rated))
    assert any(f"`{rated}` cannot be rolled" in finding.message for finding in found)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("natural == 20", "naturl == 20", "nothing is called `naturl`"),
        ("best(1, 2d20)", "best(1, 2x20)", "unknown word `x`"),
        ("roll: move", "roll: skill", "needs a target number"),
        ("7 <= total <= 9", "1 / (total - 7) > 0", "divides by nothing"),
    ],
)
def test_slips_in_rolls_are_found(
    old: str, new: str, message: str, sections: dict[str, Any], tmp_path: Path
) -> None:
    game(tmp_path, sections)
    path = tmp_path / "odds.yaml"
    text = yaml.safe_dump(yaml.safe_load(path.read_text("utf-8")), width=500, sort_keys=False)
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")
    said = run("check", tmp_path)
    assert said.status == 1
    assert message in said.out
