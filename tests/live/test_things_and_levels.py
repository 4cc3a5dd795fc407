"""Numbers of things, levels of classes, counts of picks, and budgets of encounters."""

from __future__ import annotations

import dataclasses
import itertools
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sheetgen.check.character.advancement import find_advancement, list_levels
from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft import Draft
from sheetgen.check.ruleset.rulesets import check_kinds, check_ruleset
from sheetgen.diag.findings import Finding
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.rulesets.prints import Column, Table
from sheetgen.model.source import Text
from sheetgen.plan.pages.encounters import FightScope, plan_fight
from sheetgen.plan.scripts.places import Formulas, Inputs, find_live_columns, find_outputs
from sheetgen.plan.scripts.sheet_scripts import list_unfollowed
from sheetgen.prints.encounter import check_encounter
from sheetgen.rules.formulas.evaluate import value_of
from sheetgen.rules.tables.compute import compute_table
from sheetgen.rules.tables.things import RulesetScope
from tests.effort import at_most_calls
from tests.live.changes import rack
from tests.live.test_vault import GAME, changed, checked, hero, said, values

SCORES = {"Might": 12, "Wit": 13, "Grace": 15}
DOCS = Path(__file__).parents[2] / "docs" / "reference"


def draft(**changes: Any) -> Draft:
    one = checked(hero(**changes))
    assert one.source is not None
    assert one.rules is not None
    return check_draft(one.source, one.rules)


# -- numbers of things -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("armour", "guard", "how"),
    [
        ("", "13", "10 + max(armour ward) 0 + min(Grace Bonus, armour cap) 3"),
        ("Padded cloak", "14", "10 + max(armour ward) 1 + min(Grace Bonus, armour cap) 3"),
        ("Chain coat", "17", "10 + max(armour ward) 5 + min(Grace Bonus, armour cap) 2"),
        ("Full plate", "18", "10 + max(armour ward) 8 + min(Grace Bonus, armour cap) 0"),
    ],
)
def test_armour_caps_a_value(armour: str, guard: str, how: str) -> None:
    one = checked(hero(scores={**SCORES, "Grace": 16}, armour=armour))
    assert one.build is not None
    found = one.build.derived["guard_value"]
    assert (found.shown, found.how) == (guard, how)


@pytest.mark.parametrize(
    ("gear", "weight", "heavy"),
    [
        ([], "0\N{NO-BREAK SPACE}stone", "0"),
        (["Rope x3", "Torch"], "5\N{NO-BREAK SPACE}stone", "3"),
        (["Rope", "Rope", "Rope", "Torch"], "5\N{NO-BREAK SPACE}stone", "3"),
        ([{"Rope": 3}, "Torch"], "5\N{NO-BREAK SPACE}stone", "3"),
        ([{"Rope": {"count": 2, "weight": "1/4"}}], "½\N{NO-BREAK SPACE}stone", "0"),
        ([{"Anvil": {"cost": 0, "weight": "2½"}}], "2½\N{NO-BREAK SPACE}stone", "1"),
        (["Wand of sparks"], "0\N{NO-BREAK SPACE}stone", "0"),
    ],
)
def test_weights_are_added_up(gear: list[Any], weight: str, heavy: str) -> None:
    found = values(gear=gear)
    assert (found["burden"], found["heavy"]) == (weight, heavy)


def test_numbers_that_gather_numbers_are_computed_once(tmp_path: Path) -> None:
    names = ["weight", *(f"w{n}" for n in range(1, 12))]
    chain = ", ".join(f"{a}: max(gear.{b})" for a, b in itertools.pairwise(names))
    text = (
        (GAME / "ruleset.yaml").read_text("utf-8").replace("{weight: 1½}", f"{{{chain}, w11: 2}}")
    )
    (tmp_path / "ruleset.yaml").write_text(text, "utf-8")
    with at_most_calls(2_000_000):
        one = checked(hero(ruleset=str(tmp_path), gear=["Rope"] * 8))
    assert one.build is not None
    assert one.build.derived["burden"].value == 16


@pytest.mark.parametrize(
    ("thing", "worth"),
    [
        ("Rope x2", "4"),
        ({"Rope": {"cost": 9, "count": 2}}, "36"),
        ({"Rope": {"cost": 0, "count": 2}}, "0"),
        ({"Rope": {"cost": 9, "granted": True}}, "2"),
        ({"Rope": "granted"}, "2"),
    ],
)
def test_what_the_file_says_of_a_cost_counts_first(thing: Any, worth: str) -> None:
    assert values(gear=[thing])["worth"] == worth


def test_among_many_things_nobody_looks_for_the_one_that_breaks_a_rule() -> None:
    with at_most_calls(600_000):
        one = checked(hero(gear=[{"Quiver": {"used": 13}}, *["Torch"] * 400]))
    (found,) = [f for f in one.findings if f.rule == "used_up"]
    assert found.span.width == len('"gear"')


def test_uses_are_boxes_and_follow_the_level() -> None:
    one = checked(hero(level=8, gear=["Wand of sparks", {"Quiver": {"used": 3}}]))
    assert one.build is not None
    rows = [(row["name"], row["uses"]) for row in one.build.rows["pack"]]
    assert rows == [("Wand of sparks", "☐☐☐☐"), ("Quiver", "☑☑☑" + 9 * "☐")]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gear": ["Rope x2"]}, "1: 3 stone are too much"),
        ({"gear": [{"Quiver": {"used": 13}}]}, "1: something is used more often than it can be"),
        (
            {"gear": [{"Rope": {"weight": "much"}}]},
            "1: `weight` has to be a number; `much` is none",
        ),
        ({"gear": [{"Rope": {"weigth": 2}}]}, "1: there is no key `weigth` for Rope"),
        ({"hurt": 60}, "1: Damage has 22 boxes; 60 are marked"),
        ({"spent_spells": 9}, "1: Spells cast has 4 boxes; 9 are marked"),
        ({"lore": {"Runes": 2}}, "1: Runes is 2; a sheet has 1 box for it"),
    ],
)
def test_too_much_is_found(changes: dict[str, Any], message: str) -> None:
    assert message in [found for found, _ in said(**changes)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sum(gear.weight)", "sum(gear.wieght)", "no thing has a number `wieght`"),
        ("sum(gear.weight)", "gear.weight", "`gear.weight` is the number of several things"),
        ("sum(gear.weight)", "sum(gear.weight) + gear.cap", "`gear.cap` is the number of several"),
        ("sum(gear.weight)", "sum(gear.weight * armour.cap)", "takes numbers of one list"),
        ("sum(gear.weight)", "sum(gear.weight * sum(gear.cap))", "takes numbers of one list"),
        ("sum(gear.weight)", "sum(gare.weight)", "nothing is called `gare.weight`"),
        ("{weight: 1½}", "{weight: burden}", "these depend on each other"),
        ("{weight: 1½}", "{name: 1}", "`name` of Rope has the name of what every thing has"),
        ("{weight: 1½}", "{Weight: 1}", "`Weight` is no id"),
        ("{weight: 1½}", "{weight: heavy stuff}", "this is not a formula"),
        ("    level: level  ", "    #", "Guard never reaches level 2: it is picked once"),
        ("levels: {2: {take", "levels: {two: {take", "`two` is no level of Guard"),
        ("count: styles_known(has(warden))", "count: styles_known(warden)", "called `warden`"),
    ],
)
def test_mistakes_of_a_game_are_found(tmp_path: Path, old: str, new: str, message: str) -> None:
    found = changed(tmp_path, old, new)
    assert any(message in line for line in found), found


def test_tables_show_numbers_and_the_formulas_of_those_that_follow_from_a_character() -> None:
    rules = load_ruleset(GAME).value
    assert rules is not None
    place = Text("", rules.place)
    cells = tuple(Column(head, Text(text, place.span)) for head, text in CELLS.items())
    table = Table(of=Text("gear", place.span), cells=cells)
    computed = compute_table(dataclasses.replace(rules, tables={"things": table}), "things")
    rows = {row.labels[0]: row.cells for row in computed.rows}
    assert rows["Rope"] == ("1½", "0")
    assert rows["Wand of sparks"] == ("0", "2 + Level/4")


CELLS = {"Name": "{name}", "Weight": "{fraction(weight)}", "Uses": "{uses}"}


@pytest.mark.parametrize(
    ("formula", "value"),
    [("count(1 > 0, 2, 0)", 2), ("boxes(3, 1)", "☑☐☐"), ("boxes(2, 5)", "☑☑"), ("boxes(-1)", "")],
)
def test_new_functions(formula: str, value: object) -> None:
    rules = load_ruleset(GAME).value
    assert rules is not None
    assert value_of(formula, RulesetScope(rules)) == value


def test_live_sheets_say_what_gear_and_levels_leave_as_printed() -> None:
    rules = checked(hero()).rules
    assert rules is not None
    look = rack().find_design(rules, "standard", "a4", None).value
    kinds = {place.name: place.kind for place in look.sheet.places}
    inputs = Inputs(rules, kinds)
    formulas = Formulas(rules, inputs)
    out = tuple(find_outputs(rules, kinds, find_live_columns(formulas), inputs.names))
    left: dict[str, set[str]] = {}
    for label, _, names in list_unfollowed(formulas, kinds, out):
        left.setdefault(label, set()).update(name.partition(".")[0] for name in names)
    assert {"burden", "guard_value", "worth", "songs"} <= left["Gear"]
    assert {"stamina", "songs"} <= left["Callings"]
    assert not {"pb", "guard_value", "scores"} & left["Callings"]
    assert left["Level"] == {"feats", "saves"}


# -- levels and counts -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("callings", "body", "stamina", "feats"),
    [
        (["Warden"], "+1", 6, []),
        (["Warden x2"], "+1", 11, ["Second wind"]),
        (["Warden", "Warden"], "+1", 11, ["Second wind"]),
        ({"Warden": 3}, "+2", 16, ["Second wind"]),
        ({"Warden": 2, "Bard": 2}, "+1", 17, ["Second wind", "Old song"]),
    ],
)
def test_a_level_gives_once(callings: Any, body: str, stamina: int, feats: list[str]) -> None:
    one = checked(hero(scores=SCORES, callings=callings, **{"class": "Tinker"}))
    assert one.build is not None
    assert one.build.derived["stamina"].value == stamina
    total = one.build.ratings["body"].total
    assert f"{total:+}" == body
    assert [pick.name for pick in one.build.picks if pick.because] == feats


def test_a_class_takes_its_level_from_a_number() -> None:
    taken = {
        level: [p.name for p in draft(level=level, **{"class": "Guard"}).picks if p.because]
        for level in (1, 2, 12)
    }
    assert taken == {1: [], 2: ["Second wind"], 12: ["Second wind"]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"callings": ["Warden x3"]}, "1: `styles`: 1 to be picked; 0 are picked"),
        ({"callings": ["Warden x3"], "styles": ["Long blade", "twin"]}, "1 can be picked; 2 are"),
        (
            {"callings": ["Warden x7"], "styles": ["twin"]},
            "1: `styles`: 2 to be picked; 1 is picked",
        ),
        ({"styles": ["twin"]}, "1: `styles`: 0 can be picked; 1 is picked"),
        ({"level": 1, "feats": ["Old song x2"]}, "1: `feats`: 1 can be picked; 2 are picked"),
        ({"callings": ["Warden", "Bard"], "scores": {}}, "the calling `Bard` is not open to this"),
    ],
)
def test_illegal_levels_are_found(changes: dict[str, Any], message: str) -> None:
    found = [text for text, _ in said(**{"scores": SCORES, **changes})]
    assert any(message in text for text in found), found


def test_a_missing_pick_is_found_at_the_class(tmp_path: Path) -> None:
    text = f"ruleset: {GAME}\nname: Bo\nclass: Tinker\nlevel: 1\ncallings:\n  - Warden x3\n"
    source = parse_yaml(text, "bo.yaml").value
    rules = load_ruleset(GAME).value
    assert source is not None
    assert rules is not None
    (found,) = [f for f in check_draft(source, rules).findings if "styles" in f.message]
    assert (found.span.line, found.hint) == (6, "pick 1 more")


def test_a_thing_that_breaks_a_rule_is_found_at_its_line() -> None:
    text = f"ruleset: {GAME}\nname: Bo\nclass: Tinker\nlevel: 1\ngear:\n  - Torch\n"
    text += "  - {Quiver: {used: 13}}\n  - {Wand of sparks: {used: 2}}\n"
    source = parse_yaml(text, "bo.yaml").value
    rules = load_ruleset(GAME).value
    assert source is not None
    assert rules is not None
    (found,) = [f for f in check_draft(source, rules).findings if f.rule == "used_up"]
    assert (found.span.line, found.span.column) == (7, 6)


def test_advance_says_what_the_next_level_gives_and_asks() -> None:
    taken = {"callings": {"Warden": 2, "Bard": 1}, "scores": SCORES, "class": "Tinker", "level": 3}
    found = {level.what: level for level in list_levels(draft(**taken), {})}
    assert [*found] == ["Level 4", "Warden 3", "Bard 2"]
    assert "Hit points 10 to 13" in found["Level 4"].changes
    assert found["Warden 3"].changes == ["Body +1 to +2", "Stamina 14 to 19", "Readiness 2 to 3"]
    assert found["Warden 3"].asks == ["`styles`: 1 to be picked; 0 are picked"]
    assert found["Bard 2"].changes == ["Old song", "Stamina 14 to 17", "Songs 4 to 6"]


@pytest.mark.parametrize(
    ("condition", "body"),
    [("might > 99", 2), ("might > 9", 3), ("might > 9 or might > 99", 3)],
)
def test_a_level_may_have_a_condition(tmp_path: Path, condition: str, body: int) -> None:
    text = (GAME / "ruleset.yaml").read_text("utf-8")
    text = text.replace("5: {raise: {body: 1}}", f"5: {{if: {condition}, raise: {{body: 1}}}}")
    (tmp_path / "ruleset.yaml").write_text(text, "utf-8")
    for level, has in ((4, 2), (5, body)):
        one = checked(hero(ruleset=str(tmp_path), scores=SCORES, level=level, **{"class": "Guard"}))
        assert one.build is not None
        assert one.build.ratings["body"].total == has


@pytest.mark.parametrize("condition", ["migth > 99", "wit or migth"])
def test_a_mistake_in_the_condition_of_a_level_has_its_place(
    tmp_path: Path, condition: str
) -> None:
    text = (GAME / "ruleset.yaml").read_text("utf-8")
    text = text.replace("5: {raise: {body: 1}}", f"5: {{if: {condition}, raise: {{body: 1}}}}")
    (tmp_path / "ruleset.yaml").write_text(text, "utf-8")
    rules = load_ruleset(tmp_path).value
    assert rules is not None
    (found,) = [f for f in check_ruleset(rules) if "migth" in f.message]
    line = text.splitlines()[found.span.line - 1]
    assert line[found.span.column - 1 :].startswith("migth")


def test_a_class_that_is_written_once_for_each_level_has_a_next_level() -> None:
    taken = {"scores": SCORES, "class": "Tinker", "level": 3}
    counted = draft(callings=["Warden x2", "Bard"], **taken)
    written = draft(callings=["Warden", "Bard", "Warden"], **taken)
    assert [*list_levels(written, {})] == [*list_levels(counted, {})]


def test_free_picks_are_notes_of_an_advance() -> None:
    before, after = draft(callings=["Bard"]), draft(callings=["Bard x3"])
    found = find_advancement(before, after)
    assert (found.steps, found.refused) == ([], [])
    assert "taken: Bard ×2" in found.notes


# -- encounters --------------------------------------------------------------------------------

FIGHT = {
    "ruleset": str(GAME),
    "encounter": "At the gate",
    "players": ["Orla", "Bram"],
    "party": {"level": 5, "allowance": 50},
    "combatants": [
        {"kind": "foe", "name": "Guard", "threat": 10, "grit": 4, "count": 5},
        {"kind": "foe", "name": "Captain", "threat": 25, "grit": 9},
    ],
}


def fight(tmp_path: Path, **changes: Any) -> tuple[tuple[tuple[str, str], ...], list[Finding]]:
    path = tmp_path / "fight.yaml"
    path.write_text(yaml.safe_dump({**FIGHT, **changes}, sort_keys=False), "utf-8")
    found = check_encounter(path)
    return found.values, list(found.findings)


@pytest.mark.parametrize(
    ("changes", "worth", "budget", "message"),
    [
        ({}, "112½", "100", "this fight is worth 112½, and the party can take 100"),
        ({"party": {"allowance": 60, "level": 6}}, "112½", "120", ""),
        ({"combatants": FIGHT["combatants"][1:]}, "25", "100", "this fight is easy"),
        ({"players": ["Orla", "orla.yaml"]}, "112½", "100", "the party can take 100"),
    ],
)
def test_a_budget_is_shown_and_checked(
    tmp_path: Path, changes: dict[str, Any], worth: str, budget: str, message: str
) -> None:
    (tmp_path / "orla.yaml").write_text(yaml.safe_dump(hero()), "utf-8")
    shown, found = fight(tmp_path, **changes)
    unit = "\N{NO-BREAK SPACE}XP"
    assert shown == (("Worth", worth + unit), ("Budget", budget + unit))
    assert [message in f.message for f in found] == ([True] if message else [])
    rules = load_ruleset(GAME, complete=True).value
    assert rules is not None
    assert rules.encounter is not None
    assert plan_fight("", (), (), rules.encounter, shown).values == shown


def test_unknown_players_are_asked_for(tmp_path: Path) -> None:
    shown, (found,) = fight(tmp_path, party={"level": 5})
    assert [label for label, _ in shown] == ["Worth"]
    assert found.message == "some players have no allowance, which this page needs"
    assert found.hint == "write `party: {allowance: …}`, or name their files"
    assert fight(tmp_path, players=[], party={})[1] == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sum(members.threat)", "sum(members.thraet)", "no thing has a number `thraet`"),
        ("sum(members.threat)", "members.threat", "is the number of several things"),
        ("sum(players.allowance)", "sum(plyers.allowance)", "nothing is called `plyers.allowance`"),
        ("{value: min(players.level)}", "{label: Weakest}", "`weakest` has no `value`"),
        ("worth <= budget", "worth <= bugdet", "nothing is called `bugdet`"),
        ("min(players.level)", "budget + weakest", "depend on each other: weakest → weakest"),
    ],
)
def test_mistakes_of_budgets_are_found(tmp_path: Path, old: str, new: str, message: str) -> None:
    for path in GAME.glob("*.yaml"):
        text = path.read_text("utf-8").replace(old, new)
        (tmp_path / path.name).write_text(text, "utf-8")
    loaded = load_ruleset(tmp_path, complete=True)
    assert loaded.value is not None
    found = [f.message for f in (*loaded.findings, *check_kinds(loaded.value, ()))]
    assert any(message in line for line in found), found


def _fight_by(tmp_path: Path, derived: str, **changes: Any) -> Path:
    """Return the file of a fight in the game with further derived values of encounters."""
    for path in GAME.glob("*.yaml"):
        text = path.read_text("utf-8")
        text = text.replace("    weakest: {", f"{derived}    weakest: {{")
        (tmp_path / path.name).write_text(text, "utf-8")
    path = tmp_path / "fight.yml"
    path.write_text(yaml.safe_dump({**FIGHT, "ruleset": str(tmp_path), **changes}), "utf-8")
    return path


def test_values_of_encounters_are_computed_once(tmp_path: Path) -> None:
    chain = "".join(f"    x{n}: {{value: x{n + 1} + x{n + 1}}}\n" for n in range(40))
    rules = load_ruleset(
        _fight_by(tmp_path, f"{chain}    x40: {{value: count(members.any)}}\n").parent,
        complete=True,
    ).value
    assert rules is not None
    with at_most_calls(40_000):
        assert FightScope(rules, {}, (), ()).value("x0") == 0


def test_an_error_behind_a_number_that_players_lack_is_found(tmp_path: Path) -> None:
    path = _fight_by(
        tmp_path, "    odd: {value: 1 / (budget - budget)}\n    bad: {value: 1 / 0}\n", party={}
    )
    found = [finding.message for finding in check_encounter(path).findings]
    assert found == [
        "`1 / 0`: this divides by nothing",
        "some players have no allowance, level, which this page needs",
    ]


# -- the examples of the docs ------------------------------------------------------------------

HEAD = {
    "id": "example", "title": "Example", "version": 1, "format": 1,
    "credit": {"short": "An example.", "long": "An example.", "licence": "MIT"},
    "groups": {
        "scores": {"label": "Scores", "rating": "rank", "stated": True, "traits": {
            "might": {"name": "Might"}, "grace": {"name": "Grace"}, "body": {"name": "Body"}}},
    },
}  # fmt: skip
COMMON = {"name": {"kind": "text", "required": True}, "scores": {"kind": "ratings"}}
MORE: dict[str, dict[str, Any]] = {
    "numbers-of-things": {
        "character": {
            "level": {"kind": "number"}, "gear": {"kind": "items"}, "armour": {"kind": "item"},
        },
    },
    "levels": {
        "lookups": {"styles": {0: 0, 3: 1, 7: 2}},
        "choices": {
            "feats": {"entries": {"second_wind": {"name": "Wind"}, "old_song": {"name": "Song"}}},
            "styles": {"entries": {"twin": {"name": "Two blades"}}},
        },
        "character": {},
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("page", "heading"), [("economy.md", "Numbers of things"), ("traits.md", "Levels")]
)
def test_examples_of_the_docs_are_clean_games(tmp_path: Path, page: str, heading: str) -> None:
    text = (DOCS / page).read_text("utf-8").partition(f"### {heading}\n")[2]
    block = re.search(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert block is not None
    game = yaml.safe_load(block[1])
    more = MORE[heading.lower().replace(" ", "-")]
    for part, entries in {**more, "character": {**COMMON, **more["character"]}}.items():
        game[part] = {**entries, **game.get(part, {})}
    game = {**HEAD, **game}
    (tmp_path / "ruleset.yaml").write_text(yaml.safe_dump(game, sort_keys=False), "utf-8")
    loaded = load_ruleset(tmp_path)
    assert loaded.value is not None
    found = [*loaded.findings, *check_ruleset(loaded.value)]
    assert [f.message for f in found] == []
