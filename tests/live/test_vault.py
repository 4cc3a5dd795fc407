"""A game of a twenty-sided die, written from the docs: its values, and what it refuses."""

from __future__ import annotations

import random
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest
import yaml

from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag.findings import Span
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.build import parse_figure
from sheetgen.model.rulesets.ruleset import rating_columns
from sheetgen.plan.scripts.sheet_scripts import build_live
from sheetgen.plan.sheets.sheets import fill_plate
from sheetgen.plan.sheets.view import build_view
from sheetgen.plugins.editor.lsp.files import formula_names
from sheetgen.plugins.editor.schemas import file_schema
from sheetgen.plugins.exchange.export import select_exports
from sheetgen.plugins.exchange.workbooks import export_xlsx
from sheetgen.rules.formulas.evaluate import FORMS, value_of
from sheetgen.rules.tables.things import RulesetScope
from tests.cli.commands import run
from tests.exchange.office import differences, recalculated
from tests.live.changes import checked, rack, varied
from tests.live.engine import compute, fields_of
from tests.live.test_differential import _compared as compare_languages
from tests.readback.sheets import filled, merged

GAME = Path(__file__).parent / "games" / "vault"
ORLA = GAME / "characters" / "orla.yaml"
CHANGES = 120


def hero(**changes: Any) -> dict[str, Any]:
    """Return the file of Orla with some keys changed."""
    return {**yaml.safe_load(ORLA.read_text("utf-8")), "ruleset": str(GAME), **changes}


def possessions(chance: random.Random) -> dict[str, Any]:
    """Return things and callings for a hero, at random."""
    names = (
        "Rope x2",
        "Torch",
        {"Quiver": {"used": 3}},
        "Wand of sparks",
        {"Anvil": {"weight": "1/2"}},
    )
    found: dict[str, Any] = {"gear": chance.sample(names, chance.randint(0, 5))}
    if coat := chance.choice(("", "Chain coat", "Full plate", "Padded cloak")):
        found["armour"] = coat
    taken, styles = chance.choice(
        (
            ([], []),
            (["Bard x2"], []),
            (["Warden x3"], ["Long blade"]),
            (["Warden x7"], ["twin", "wall"]),
        )
    )
    class_ = chance.choice(("Mage", "Sneak", "Tinker"))  # a sneak has luck for half
    gifts = {"Charm": "d8", "Luck": chance.choice(("d4", "d6", "d10"))}
    return {**found, "callings": taken, "styles": styles, "class": class_, "gifts": gifts}


def values(**changes: Any) -> dict[str, str]:
    """Return the derived values and lines of Orla with some keys changed, as prints show them."""
    one = checked(hero(**changes))
    assert one.build is not None
    return {i: v.shown for i, v in one.build.derived.items()} | dict(one.build.lines)


def said(**changes: Any) -> list[tuple[str, str]]:
    """Return the findings about Orla with some keys changed: messages and hints."""
    one = checked(hero(**changes))
    assert one.build is not None
    return [(f"{f.span.line}: {f.message}", str(f.hint)) for f in one.findings]


def changed(tmp_path: Path, old: str, new: str) -> list[str]:
    """Return what the check says of the game with a text replaced, each with its line."""
    text = (GAME / "ruleset.yaml").read_text("utf-8")
    assert old in text
    (tmp_path / "ruleset.yaml").write_text(text.replace(old, new), "utf-8")
    loaded = load_ruleset(tmp_path)
    found = [*loaded.findings, *(check_ruleset(loaded.value) if loaded.value else ())]
    return [f"{f.message} | {f.hint}" for f in found]


def test_the_game_is_clean() -> None:
    loaded = load_ruleset(GAME)
    assert loaded.value is not None
    assert [f.message for f in (*loaded.findings, *check_ruleset(loaded.value))] == []
    assert said() == []


@pytest.mark.slow
def test_python_and_javascript_agree() -> None:
    chance = random.Random("vault")
    for _ in range(CHANGES // 8):
        data = hero(level=chance.randint(1, 12), **possessions(chance))
        printed = checked(data)
        assert printed.rules is not None
        data = varied(data, printed.rules, chance)
        printed = checked(data)
        for _ in range(8):
            compare_languages(data, printed, chance)


@pytest.mark.slow
def test_a_spreadsheet_agrees(tmp_path: Path) -> None:
    for number, class_ in enumerate(("Mage", "Guard", "Sneak", "Tinker")):
        scores = {"Might": 9 + number, "Wit": 12 + number, "Grace": 11}
        things = possessions(random.Random(number))
        one = hero(**{**things, "class": class_}, level=3 * number + 1, scores=scores)
        one = yaml.safe_dump(one)
        (tmp_path / f"{number}.yaml").write_text(one, "utf-8")
    (request,) = select_exports([str(tmp_path)], {}).requests
    ((name, content),) = export_xlsx(request).files.items()
    (tmp_path / name).write_bytes(content)
    count, wrong = differences(request, recalculated(tmp_path / name, tmp_path / "again"))
    assert count > 40
    assert wrong == []


# -- lookups ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "class_", "bonus", "spells", "rank"),
    [
        (1, "Mage", 2, 2, "novice"),
        (2, "Mage", 2, 3, "novice"),
        (5, "Mage", 3, 4, "veteran"),
        (12, "Sneak", 4, 1, "master"),
        (2, "Sneak", 2, 0, "novice"),
        (9, "Tinker", 4, 0, "master"),
    ],
)
def test_lookups_find_rows(level: int, class_: str, bonus: int, spells: int, rank: str) -> None:
    found = values(level=level, **{"class": class_})
    assert parse_figure(found["pb"]) == bonus
    assert found["spells"] == str(spells)
    assert found["rank"] == rank


@pytest.mark.parametrize("level", [0, 13, 40])
def test_a_missing_row_is_found_at_the_authors_place(level: int) -> None:
    found = said(level=level)
    hint = "write a value that has a row: from 1 to below 13"
    assert (f"1: Level: `proficiency` has no row for {level}", hint) in found
    rows = [message for message, _ in found if "has no row" in message]
    assert all(message.startswith("1: Level: ") for message in rows)


def test_a_limit_without_a_row_limits_nothing(tmp_path: Path) -> None:
    """The missing row is the one mistake: no score is above a limit that nobody knows."""
    game = shutil.copytree(GAME, tmp_path / "vault")
    text = (game / "ruleset.yaml").read_text("utf-8")
    limit = "limit: {most: 7 + free}"
    assert limit in text
    text = text.replace(limit, "limit: {most: 4 + proficiency(level) + free}")
    (game / "ruleset.yaml").write_text(text, "utf-8")
    known, unknown = (
        [f.message for f in checked(hero(ruleset=str(game), level=level)).findings]
        for level in (1, 40)
    )
    assert any("the limit is" in message for message in known)
    assert any("has no row for 40" in message for message in unknown)
    assert not any("the limit is" in message for message in unknown)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("5: 3, 9: 4", "5-8: 3, 9: 4", "is a range"),
        ("5: 3, 9: 4", "five: 3, 9: 4", "`five` in `proficiency` is no number"),
        ("5: 3, 9: 4", "5: 3, +5: 4", "`proficiency` has two rows for +5"),
        ("rank: {1: novice,", "rank: {exact: maybe, 1: novice,", "is `true` or `false`"),
        ("  rank: {1:", "  min: {1:", "`min` is a lookup and a function"),
        ("guard: 10,", "gard: 10,", "`hit_faces` has a row for `gard`, which nothing picks"),
        ("mage: 6, otherwise: 4", "mage: 6", "`hit_faces` has no row for `tinker`"),
        ("slots(class, level)", "slots(class)", "`slots` takes 2 values"),
        (
            "value: proficiency(level), as",
            "value: proficency(level), as",
            "did you mean `proficiency`?",
        ),
    ],
)
def test_slips_in_lookups_are_found(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert any(message in line for line in changed(tmp_path, old, new))


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", "3"), ("+3", "3"), ("−1", "-1"), ("½", "1/2"), ("1½", "3/2"), ("0.25", "1/4")],
)
def test_numbers_are_read_as_games_write_them(text: str, value: str) -> None:
    assert str(parse_figure(text)) == value


@pytest.mark.parametrize("text", ["", "+", "1/0", "d6", "1-4", "5+", "½½", "9" * 13])
def test_other_texts_are_no_numbers(text: str) -> None:
    assert parse_figure(text) is None


# -- numbers as games write them --------------------------------------------------------------


def test_numbers_are_written_as_games_write_them() -> None:
    """They stay numbers in formulas: the aim adds two of them."""
    found = values()
    assert {k: found[k] for k in ("pb", "might.mod", "aim", "load", "swing")} == {
        "pb": "+3",
        "might.mod": "−1",
        "aim": "+4",
        "load": "2½\N{NO-BREAK SPACE}stone",
        "swing": "+2 to hit, 2½ deep",
    }


@pytest.mark.parametrize(
    ("form", "value", "shown"),
    [
        ("signed", "0", "+0"),
        ("signed", "-7/2", "−3½"),
        ("signed", "9/7", "+9/7"),
        ("fraction", "1/5", "⅕"),
        ("fraction", "-1/4", "−¼"),
        ("fraction", "11/3", "3⅔"),
        ("fraction", "4", "4"),
    ],
)
def test_forms_of_numbers(form: str, value: str, shown: str) -> None:
    assert FORMS[form](Fraction(value)) == shown


def test_signed_ratings_are_signed_everywhere() -> None:
    one = checked(hero())
    assert one.build is not None
    assert one.rules is not None
    view = build_view(one.build, one.rules)
    shown = {name: view.texts[f"saves.{name}.total"].text for name in ("body", "mind", "nerve")}
    assert shown == {"body": "−1", "mind": "+2", "nerve": "+0"}
    assert one.rules.rating_text("saves", -1) == "−1"


# -- ratings with a base, and columns beside them ---------------------------------------------


def test_traits_of_groups_are_counted_by_their_whole_ratings() -> None:
    # Might 8 of the base and 2 of the folk; Climb begins at Might, Listen at 20.
    low = values(folk="Hillfolk", scores={"Might": 10}, skills={"Climb": 20, "Listen": 25}, lore={})
    assert (low["adept"], low["prime"]) == ("0", "0")
    high = values(folk="Hillfolk", scores={"Might": 14}, skills={"Climb": 40, "Listen": 45})
    assert (high["adept"], high["prime"]) == ("2", "1")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("climb: {name: Climb, base: might", "climb: {name: Climb, base: adept", "adept → climb"),
        ("count(gear.weight > 1)", "count(skills.total > 1)", "{sum: total > 2, over: [skills]}"),
        ('else 0", over: [skills]', 'else 0", over: [skils]', "`skils`"),
    ],
)
def test_slips_in_sums_over_groups_are_found(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    assert any(message in line for line in changed(tmp_path, old, new))


def test_a_rating_has_a_base_and_what_is_bought_and_granted_above_it() -> None:
    """The folk's steps cost nothing, and the price goes by what the score was before them."""
    one = checked(hero())
    assert one.build is not None
    found = {r.id: (r.base, r.free, r.own, r.total) for r in one.build.ratings.values()}
    assert found["wit"] == (8, 1, 8, 16)
    assert found["dodge"] == (24, 0, 6, 30)
    assert found["climb"] == (9, 0, 0, 9)
    assert one.build.ledgers["build"].spent == 1 + 9 + 3
    assert [line.what for line in one.build.ledgers["training"].lines][1:3] == [
        "Listen 21–45",
        "Dodge 25–30",
    ]


@pytest.mark.parametrize(
    ("key", "rating", "message"),
    [
        ("scores", {"Wit": 17}, "Wit is 17; the limit is 16"),
        ("scores", {"Wit": 17}, "Wit: `score_cost` has no row for 16"),
        ("scores", {"Might": 5}, "Might is 5, below the 8 that the rules grant"),
        ("scores", {"Wit": 8}, "Wit is 8, below the 9 that River folk grants"),
        ("skills", {"Listen": 15}, "Listen is 15, below the 20 that the rules grant"),
    ],
)
def test_ratings_outside_of_what_the_base_allows(
    key: str, rating: dict[str, int], message: str
) -> None:
    assert message in [text.partition(": ")[2] for text, _ in said(**{key: rating})]


def test_columns_beside_a_rating_follow_it_everywhere() -> None:
    one = checked(hero())
    assert one.build is not None
    assert one.rules is not None
    view = build_view(one.build, one.rules)
    assert view.texts["skills.listen.half"].text == "22"
    assert view.texts["skills.listen.fifth"].text == "9"
    assert view.texts["scores.wit.mod"].text == "+3"
    assert one.build.derived["aim"].how == "Grace Bonus 1 + proficiency (Level) 3"
    rating = one.build.ratings["dodge"]
    assert rating_columns(one.build, one.rules, rating) == {"½": "15", "⅕": "6"}


@pytest.mark.parametrize("flat", [True, False], ids=["pdf", "html"])
def test_bases_and_columns_are_live(flat: bool) -> None:
    """A typed score moves its bonus, the base of a skill, and what is left, as the file does."""
    printed = checked(hero())
    assert printed.build is not None
    assert printed.rules is not None
    plate = rack().find_design(printed.rules, "standard", "a4", None).value.sheet
    view = build_view(printed.build, printed.rules)
    live = build_live(printed.build, view, printed.rules, plate, flat=flat)
    assert live is not None
    # Above a plain number the whole rating is typed, above a formula the own steps are.
    typed = {"scores.grace.total": "14", "scores.might.total": "", "skills.climb.own": "+3"}
    out = compute(live, fields_of(plate, fill_plate(view, plate, Span("")).filling) | typed)
    after = checked(
        hero(
            scores={"Might": 8, "Wit": 16, "Grace": 14},
            skills={"Listen": 45, "Dodge": 34, "Climb": 11},
        )
    )
    assert after.build is not None
    expected = build_view(after.build, printed.rules)
    for name, text in out["values"].items():
        if ".ledger." not in name:
            shown = expected.texts[name].text if name in expected.texts else ""
            assert text == shown, name
    assert out["values"]["skills.dodge.total"] == "34"
    assert out["values"]["skills.dodge.half"] == "17"
    assert out["left"] == {p: ledger.left for p, ledger in after.build.ledgers.items()}
    assert out["says"] == []


def test_steps_above_a_base_stay_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "orla.yaml"
    path.write_text(yaml.safe_dump(hero(), sort_keys=False), "utf-8")
    after = merged(filled(path, {"scores.grace.total": "11"}), path)
    assert "Dodge: 28" in after.after  # it was 30, above two times 12
    assert "Listen: 45" in after.after
    assert [(one.label, one.printed, one.filled) for one in after.changes[-1:]] == [
        ("Dodge", "30", "28")
    ]


@pytest.mark.parametrize("is_new", [False, True])
def test_typed_steps_count_from_a_base_typed_on_the_same_sheet(
    tmp_path: Path, is_new: bool
) -> None:
    path = tmp_path / "orla.yaml"
    data = {"ruleset": str(GAME), "name": "Orla"} if is_new else hero()
    path.write_text(yaml.safe_dump(data, sort_keys=False), "utf-8")
    typed = {"scores.grace.total": "11", "scores.might.total": "13"}
    typed |= {"skills.dodge.own": "+3", "skills.climb.own": "+2"}
    after = merged(filled(path, typed), path, is_new=is_new)
    assert yaml.safe_load(after.after)["skills"].items() >= {"Dodge": 25, "Climb": 15}.items()
    assert [one.label for one in after.changes].count("Dodge") == 1


def test_a_filled_base_comes_back_as_the_whole_rating(tmp_path: Path) -> None:
    path = tmp_path / "orla.yaml"
    path.write_text(yaml.safe_dump(hero(), sort_keys=False), "utf-8")
    after = merged(filled(path, {"skills.climb.own": "+3", "skills.listen.total": "50"}), path)
    assert "Climb: 12" in after.after
    assert "Listen: 50" in after.after


def test_columns_have_no_room_beside_boxes(tmp_path: Path) -> None:
    found = changed(tmp_path, "    rating: rank\n    stated: true\n    price: 1", "    boxes: 5")
    assert any("`half` has no room beside the ratings of Skills" in line for line in found)


# -- limits of what is marked -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "value", "line", "message"),
    [
        ("hurt", 30, "Damage has 22 boxes; 30 are marked", "mark 22 at most"),
        ("spent_spells", 5, "Spells cast has 4 boxes; 5 are marked", "mark 4 at most"),
        ("lore", {"Runes": 2}, "Runes is 2; a sheet has 1 box for it", "lower it to 1"),
    ],
)
def test_more_marks_than_boxes_are_found_at_the_authors_place(
    key: str, value: object, line: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "orla.yaml"
    path.write_text(yaml.safe_dump(hero(**{key: value}), sort_keys=False), "utf-8")
    done = run("check", path)
    at = next(n for n, text in enumerate(path.read_text("utf-8").split("\n"), 1) if key in text)
    at += key == "lore"
    assert f":{at}:" in done.out
    assert line in done.out
    assert message in done.out


@pytest.mark.parametrize("flat", [True, False], ids=["pdf", "html"])
def test_a_live_sheet_says_that_too_much_is_marked(flat: bool) -> None:
    printed = checked(hero(hurt=3))
    assert printed.build is not None
    assert printed.rules is not None
    plate = rack().find_design(printed.rules, "standard", "a4", None).value.sheet
    view = build_view(printed.build, printed.rules)
    live = build_live(printed.build, view, printed.rules, plate, flat=flat)
    assert live is not None
    fields = fields_of(plate, fill_plate(view, plate, Span("")).filling)
    assert compute(live, fields)["says"] == []
    boxes = {f"damage.box.{n}": "On" for n in range(1, 21)} | {"level": "1"}
    messages = [say["message"] for say in compute(live, fields | boxes)["says"]]
    assert "Damage has 6 boxes; 20 are marked" in messages


# -- dice of any kind -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("dice(1, 8, 2)", "1d8+2"),
        ("dice(1, 8, -1)", "1d8−1"),
        ("dice(2, 6)", "2d6"),
        ("dice(2, 6, 1, 6)", "3d6"),
        ("dice(1, 8, 1, 6, 3)", "1d8+1d6+3"),
        ("dice(0, 8, 2)", "2"),
        ("dice(0, 8)", "0"),
        ("step_die(1)", "d4"),
        ("step_die(5)", "d12"),
        ("step_die(7)", "d12+2"),
        ("step_die(0)", "–"),
    ],
)
def test_dice_are_written(formula: str, shown: str) -> None:
    rules = load_ruleset(GAME).value
    assert rules is not None
    assert value_of(formula, RulesetScope(rules)) == shown


def test_step_dice_are_written_as_dice_and_counted_as_steps() -> None:
    one = checked(hero())
    assert one.build is not None
    assert one.rules is not None
    assert {i: one.build.ratings[i].total for i in ("charm", "luck")} == {"charm": 3, "luck": 1}
    found = values()
    assert {k: found[k] for k in ("best_gift", "glamour", "bash")} == {
        "best_gift": "d8",
        "glamour": "d10",
        "bash": "1d6−1",
    }
    view = build_view(one.build, one.rules)
    assert view.texts["gifts.charm.total"].text == "d8"
    assert values(gifts={"Charm": "d12+1"})["glamour"] == "d12+2"


@pytest.mark.parametrize("die", ["d7", "d8+1", "d20"])
def test_other_dice_are_refused(die: str) -> None:
    found = said(gifts={"Charm": die})
    hint = "write one of d4, d6, d8, d10, d12, d12+1 and so on"
    assert (f"1: `{die}` is no die for Charm", hint) in found


def said_live(typed: dict[str, str], *, flat: bool, **changes: Any) -> dict[str, Any]:
    """Return what the sheet of Orla, with some keys changed, computes of what is typed."""
    printed = checked(hero(**changes))
    assert printed.build is not None
    assert printed.rules is not None
    plate = rack().find_design(printed.rules, "standard", "a4", None).value.sheet
    view = build_view(printed.build, printed.rules)
    live = build_live(printed.build, view, printed.rules, plate, flat=flat)
    assert live is not None
    return compute(live, fields_of(plate, fill_plate(view, plate, Span("")).filling) | typed)


@pytest.mark.parametrize("flat", [True, False], ids=["pdf", "html"])
def test_step_dice_are_live_and_come_back(flat: bool, tmp_path: Path) -> None:
    typed = {"gifts.charm.total": "d10"}
    out = said_live(typed, flat=flat)
    after = values(gifts={"Charm": "d10"})
    assert out["values"]["glamour.value"] == after["glamour"] == "d12"
    path = tmp_path / "orla.yaml"
    path.write_text(yaml.safe_dump(hero(), sort_keys=False), "utf-8")
    assert "Charm: d10" in merged(filled(path, typed), path).after


def test_a_formula_with_the_name_of_a_function_is_found(tmp_path: Path) -> None:
    found = changed(tmp_path, "lookups:\n", "formulas: {signed(n): n}\nlookups:\n")
    assert any("`signed(n)` has the name of a function of all rulesets" in line for line in found)


@pytest.mark.slow
def test_editors_know_all_of_it() -> None:
    """The schema of the game's files takes what the check takes, and completion knows its names."""
    rules = load_ruleset(GAME, complete=True).value
    assert rules is not None
    names = formula_names(rules, ("derived",))
    assert {"proficiency", "class", "might.mod", "dice"} <= set(names)
    validate = fastjsonschema.compile(file_schema(rules, "character"), use_default=False)
    validate(hero())
    with pytest.raises(fastjsonschema.JsonSchemaException):
        validate(hero(gifts={"Charm": "d7"}))
    text = (GAME / "ruleset.yaml").read_text("utf-8")
    fastjsonschema.compile(file_schema(rules, "ruleset"), use_default=False)(yaml.safe_load(text))


# -- what a choice offers ---------------------------------------------------------------------


@pytest.mark.parametrize(("class_", "luck"), [("Mage", 4), ("Sneak", 2)])
def test_a_price_knows_what_a_choice_offers(class_: str, luck: int) -> None:
    """Two steps of Luck, which the class offers, cost a sneak half of what a mage pays."""
    changes = {"class": class_, "gifts": {"Luck": "d8", "Charm": "d4"}}
    one = checked(hero(**changes))
    assert one.build is not None
    ledger = one.build.ledgers["training"]
    costs = {line.what.split()[0]: line.cost for line in ledger.lines}
    assert (costs["Luck"], costs["Charm"]) == (luck, 2)
    typed = {"gifts.luck.total": "d10", "gifts.charm.total": "d6"}
    for flat in (True, False):
        left = said_live(typed, flat=flat, **changes)["left"]["training"]
        assert left == ledger.left - luck // 2 - 2
