"""What a live sheet says of what players type, case by case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sheetgen.diag.findings import Span
from sheetgen.plan.scripts.sheet_scripts import build_live
from sheetgen.plan.sheets.sheets import fill_plate
from sheetgen.plan.sheets.view import build_view
from tests.live.changes import checked, rack
from tests.live.engine import compute, fields_of

DOTS = {
    "ruleset": "keyword-dots",
    "name": "Ansa",
    "class": "Jedi Guardian",
    "xp": 40,
    "options": {"limits": "house"},
    "force_powers": {"Jump": 2},
    "abilities": {"Stealth": 1},
    "dice": ["d4"],
}
CODES = {
    "ruleset": "d6-pips",
    "name": "Bram",
    "attributes": {"DEX": "3D", "KNO": "3D", "MEC": "3D", "PER": "3D", "STR": "3D", "TEC": "3D"},
    "skills": {"Dodge": "+1D", "Brawling": "+1D"},
    "gear": [{"Medpac": "granted"}],
    "points": 30,
}


def told(data: dict[str, Any], **typed: str) -> dict[str, Any]:
    """Return what the sheet of `data` says with some fields typed anew; `__` is a dot."""
    one = checked(data)
    assert one.build is not None
    assert one.rules is not None
    look = rack().find_design(one.rules, "standard", "a4", None).value
    assert look is not None
    view = build_view(one.build, one.rules)
    live = build_live(one.build, view, one.rules, look.sheet, flat=True)
    assert live is not None
    fields = fields_of(look.sheet, fill_plate(view, look.sheet, Span("")).filling)
    return compute(live, fields | {name.replace("__", "."): text for name, text in typed.items()})


def words(out: dict[str, Any]) -> list[str]:
    return [f"{s['code']} {s['message']} ({s['hint']})" for s in out["says"]]


def test_a_box_more_costs_what_it_costs() -> None:
    before, after = told(DOTS), told(DOTS, force_powers__jump__3="On")
    assert before["left"]["xp"] - after["left"]["xp"] == 3
    assert after["own"]["force_powers.jump"] == 3
    assert after["values"]["force.value"] == "6"
    assert after["says"] == []


def test_a_gap_counts_the_boxes() -> None:
    out = told(DOTS, force_powers__jump__5="On")
    assert out["own"]["force_powers.jump"] == 3


def test_boxes_off_the_track_stay_marked() -> None:
    powers = dict.fromkeys(("Jump", "Sprint", "Choke", "Reflect", "Ghost", "Heal Self"), 5)
    data = DOTS | {"class": "Jedi Sentinel", "force_powers": powers, "force_spent": 102}
    del data["options"]
    assert any("102 Force is spent, of 90" in word for word in words(told(data)))
    one_less = told(data, force__box__100="Off")
    assert any("101 Force is spent, of 90" in word for word in words(one_less))


def test_too_much_is_said_in_the_words_of_the_checks() -> None:
    boxes = {f"force_powers__reflect__{n}": "On" for n in range(1, 6)}
    out = told(DOTS, **boxes, **{f"force_powers__saber_block__{n}": "On" for n in range(1, 6)})
    assert out["left"]["xp"] < 0
    file = {**DOTS, "force_powers": {"Jump": 2, "Reflect": 5, "Saber Block": 5}}
    said = [f"{f.code.id} {f.message} ({f.hint})" for f in checked(file).findings]
    assert set(words(out)) <= set(said)
    assert any("spent" in line for line in words(out))


def test_a_closed_box_says_so() -> None:
    out = told(DOTS, force_powers__choke__1="On")
    closed = "take it out: Choke is closed for Jedi Guardian"
    assert words(out) == [f"SG204 Choke is 1; the limit for Jedi Guardian is 0 ({closed})"]
    assert out["limits"]["force_powers.choke"] == 0


def test_gains_in_the_ledger_can_be_spent() -> None:
    before, after = told(DOTS), told(DOTS, xp__ledger__12__gained="12")
    assert after["left"]["xp"] == before["left"]["xp"] + 12
    assert after["values"]["xp.ledger.12.left"] == str(before["left"]["xp"] + 12)
    assert after["values"]["xp.ledger.13.left"] == ""


def test_costs_in_a_ledger_count_where_no_rule_pays() -> None:
    before = told(CODES)
    after = told(CODES, credits__ledger__5__what="Rope", credits__ledger__5__cost="30")
    assert after["left"]["credits"] == before["left"]["credits"] - 30


def test_a_skill_that_is_raised_is_bought_step_by_step() -> None:
    out, before = told(CODES, skills__dodge__own="+1D+2"), told(CODES)
    assert out["values"]["skills.dodge.total"] == "4D+2"
    assert out["values"]["dodging.value"] == "4D+2"
    assert before["left"]["cp"] - out["left"]["cp"] == 4 + 4
    assert (
        out["left"]["cp"]
        == checked({**CODES, "advances": ["Dodge", "Dodge"]}).build.ledgers["cp"].left
    )


def test_an_attribute_raises_what_stands_under_it() -> None:
    out = told(CODES, attributes__dexterity__total="3D+1")
    assert out["values"]["skills.dodge.total"] == "4D+1"
    assert out["values"]["skills.bows.total"] == "3D+1"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("abc", "`abc` is no code of dice, such as 3D+2"),
        ("+1D+4", "`+1D+4` has 4 pips, and 3 are a die: write 2D+1"),
    ],
)
def test_what_cannot_be_read_is_said_and_left_aside(typed: str, said: str) -> None:
    out = told(CODES, skills__dodge__own=typed)
    assert out["bad"] == ["skills.dodge.own"]
    assert out["own"]["skills.dodge"] is None
    assert out["values"]["skills.dodge.total"] == "4D"
    assert out["says"][0]["message"] == f"`Dodge` has to be a code of dice; {said}"
    file = {**CODES, "skills": {"Dodge": typed, "Brawling": "+1D"}}
    assert words(out)[0] in [f"{f.code.id} {f.message} ({f.hint})" for f in checked(file).findings]


def test_dice_are_paid_the_cheapest_way() -> None:
    out = told(DOTS, dice__2="d6", dice__3="D2")
    file = checked({**DOTS, "dice": ["d4", "d6", "d2"]})
    assert out["left"]["xp"] == file.build.ledgers["xp"].left
    odd = told(DOTS, dice__2="d7")
    assert odd["says"][0]["message"] == "`d7` is not a die of these rules"


def test_a_trait_of_ones_own_can_be_begun_on_the_sheet() -> None:
    out = told(DOTS, unique__1__name="Bone Songs", unique__1__1="On", unique__1__2="On")
    assert out["own"]["unique.1"] == 2
    assert told(DOTS)["left"]["xp"] - out["left"]["xp"] == 3


@pytest.mark.slow
def test_a_state_that_modifies_a_value_does_so_while_it_is_marked(tmp_path: Path) -> None:
    base = "id: sore\ntitle: Sore\nversion: 1\nformat: 1\nextends: d6-pips\n"
    credit = "credit: {short: Sore, long: Sore, licence: none stated}\n"
    change = "choices: {condition: {entries: {wounded: {modifies: {resist: -1}}}}}"
    (tmp_path / "modules").mkdir()
    (tmp_path / "ruleset.yaml").write_text(base + credit)
    (tmp_path / "modules" / "sore.yaml").write_text(
        f"module: sore\nlabel: Sore\ntext: Wounds tire\nadd: {{{change}}}\n"
    )
    data = {**CODES, "ruleset": str(tmp_path), "condition": "Wounded"}
    wounded, well = told(data), told(data, condition__wounded="")
    assert wounded["values"]["resist.value"] == "2D+2"
    assert wounded["values"]["resist.how"] == "Strength 3D − Wounded +1"
    assert (well["values"]["resist.value"], well["values"]["resist.how"]) == ("3D", "Strength 3D")


WOUNDED = {
    "ruleset": "wound-points",
    "name": "Ruk",
    "attributes": {"DEX": "3D", "KNO": "3D", "MEC": "3D", "PER": "3D", "STR": "4D", "TEC": "2D"},
    "wounds": 2,
}


def wounds(*, above: int, below: int = 0) -> dict[str, str]:
    """Return the boxes of the two tracks of Wound Points, as fields."""
    marks = {f"wound_points__box__{n}": "On" if n <= above else "" for n in range(1, 41)}
    return marks | {f"below_zero__box__{n}": "On" if n <= below else "" for n in range(1, 41)}


@pytest.mark.parametrize(
    ("above", "below", "state", "penalty"),
    [
        (0, 0, "unhurt", ""),
        (3, 0, "hurt", ""),
        (6, 0, "wounded", "-1D"),
        (18, 0, "incapacitated", "-2D"),
        (24, 0, "mortally wounded", "-2D"),
        (24, 5, "mortally wounded", "-2D"),
        (24, 24, "dead", "-2D"),
    ],
)
def test_marks_of_a_derived_value_give_its_number(
    above: int, below: int, state: str, penalty: str
) -> None:
    out = told(WOUNDED, **wounds(above=above, below=below))
    file = checked({**WOUNDED, "wounds": above + below}).build
    assert out["values"]["wp_state.text"] == state == file.lines["wp_state"]
    assert out["values"]["penalty_now.text"].replace("−", "-") == penalty
    assert out["held"]["wounds"] == above + below


def test_two_states_at_once_are_told() -> None:
    out = told(CODES, condition__wounded="On", condition__dead="On")
    assert any("2 are marked" in line for line in words(out))
