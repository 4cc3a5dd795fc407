"""The way from one build to another costs what their ledgers differ by."""

from __future__ import annotations

from typing import Any

import pytest

from sheetgen.check.character.advancement import find_advancement, list_offers
from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft import Draft
from sheetgen.load.yaml.tree import parse_yaml
from tests.shelf import ruleset

AWARDED = "options: {special_ability.awarded: true"


def draft(keys: str, options: str = "") -> Draft:
    text = (
        f"ruleset: keyword-dots\nname: X\nclass: Guardian\nxp: 90\n{keys}\n{AWARDED}{options}}}\n"
    )
    parsed = parse_yaml(text, "case.yaml").value
    assert parsed is not None
    return check_draft(parsed, ruleset("keyword-dots"))


def walked(old: str, new: str, options: str = "") -> list[tuple[str, int]]:
    before, after = draft(old, options), draft(new, options)
    led = find_advancement(before, after)
    assert led.refused == []
    assert sum(led.costs().values()) == before.left("xp") - after.left("xp")
    assert not any("ledger counts" in said and "dice" not in said for said in led.prices)
    return [(what, price) for _, what, price in led.steps]


KIT = "kit: 9\nspecials: [Unlearn]\n"
CASES: list[tuple[str, str, str, list[tuple[str, int]]]] = [
    ("kit: 9\narmed robots: 1", "kit: 9\narmed robots: 4", "", [("Armed robots ×3", 3)]),
    ("kit: 10", "kit: 10\ncard game: true", "", [("Card game, won a ship", 5)]),
    (KIT, f"{KIT}abilities: {{Robots: 4}}\nunlearned: {{Robots: 1}}", "", [("Robots 5 sold", 0)]),
    (
        KIT,
        f"{KIT}unlearned: {{Robots: 1}}",
        ", unlearn.kit_dots: true",
        [("Robots 5 sold", -5)],
    ),
    (
        f"{KIT}unlearned: {{Robots: 1}}",
        f"{KIT}abilities: {{Robots: 5}}\nunlearned: {{Robots: [5]}}",
        "",
        [("Robots 4 to 5", 5)],
    ),
    ("kit: 9", "kit: 9\nlost: {Robots: 2}", "", [("Robots 4–5 lost", 0)]),
    (
        "specials: [Specialist, Unlearn]\nforce powers: {Jump: 6}",
        "specials: [Specialist, Unlearn]\nforce powers: {Jump: 5}\nunlearned: {Jump: 1}",
        ", specialist.cost: access",
        [("Jump 6 sold", -12)],
    ),
    ("dice: [d8, d4]", "dice: [d10, d4]", "", [("d8 to d10, with 1 die", 11)]),
    (
        "dice: [d3, d2]",
        "dice history: [buy d2, buy d2, d2 -> d3]",
        "",
        [("d2 to d3, with 2 dice", 5), ("not d2 to d3, with 1 die", -4)],
    ),
    (
        "dice history: [buy d2, buy d2]",
        "dice history: [buy d2, buy d2, d2 -> d3]",
        "",
        [("d2 to d3, with 2 dice", 5)],
    ),
]


@pytest.mark.parametrize(("old", "new", "options", "steps"), CASES)
def test_a_way_is_worked_by_hand(
    old: str, new: str, options: str, steps: list[tuple[str, int]]
) -> None:
    assert walked(old, new, options) == steps


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("abilities: {Luck: 2}", "abilities: {Luck: 1}"),
        ("kit: 9", "kit: 9\nabilities: {Robots: 4}"),
        ("kit: 9\narmed robots: 2", "kit: 9\narmed robots: 1"),
    ],
)
def test_what_is_given_up_is_refused(old: str, new: str) -> None:
    led: Any = find_advancement(draft(old), draft(new))
    assert len(led.refused) == 1


def test_a_kit_that_comes_later_is_doubtful() -> None:
    led = find_advancement(draft(""), draft("kit: 9"))
    assert led.refused == []
    assert led.doubtful == ["the starter kit Strange Computer is picked later than at creation"]


def test_a_dearer_order_of_dice_is_named() -> None:
    led = find_advancement(draft("dice: [d8, d4]"), draft("dice: [d10, d4]"))
    (said,) = led.prices
    assert "cheapest order of all dice, 11; bought after the others they cost 12" in said
    assert "`dice history`" in said
    assert find_advancement(draft("dice: [d8]"), draft("dice: [d8, d4]")).prices == []


@pytest.mark.parametrize("record", ["", "dice history: [buy d2, d2 -> d3, buy d2]\n"])
def test_an_offer_has_the_price_that_the_ledger_will_show(record: str) -> None:
    old = draft(record or "dice: [d3, d2]")
    for offer in (one for one in list_offers(old) if one.kind == "dice"):
        step = f"d{offer.before} -> d{offer.after}" if offer.before else "buy d2"
        dice = [f"d{faces}" for faces in old.dice]
        more = [d for d in dice if d != f"d{offer.before}" or dice.count(d) > 1]
        new = draft(
            record.replace("]", f", {step}]")
            if record
            else f"dice: [{', '.join([*more, f'd{offer.after}'])}]"
        )
        assert old.left("xp") - new.left("xp") == offer.price


def test_a_ledger_that_differs_by_more_than_the_steps_says_so() -> None:
    led = find_advancement(draft("abilities: {Robots: 2}"), draft("kit: 9"))
    assert led.prices == [
        "the XP ledger counts 3 less than these steps: what was there before is paid otherwise now",
    ]


# -- a game with gear, points that are earned, and species of one's own ------------------------


def hero(keys: str) -> Draft:
    text = f"ruleset: hyperspace-d6\nname: X\nskills: [Sensors, Pilot, Drive]\n{keys}\n"
    for usual in ("species: Human", "profession: Scout", "edge: Luck", "burden: Debt"):
        if usual.split()[0] not in keys:
            text += f"{usual}\n"
    parsed = parse_yaml(text, "case.yaml").value
    assert parsed is not None
    return check_draft(parsed, ruleset("hyperspace-d6"))


OWN = "species: {{custom: A, attributes: {{{}: 3D, PER: 3D}}, focus: {}}}"
WAYS: list[tuple[str, str, list[tuple[str, int]], list[str]]] = [
    ("gear: [Medpac x2]", "gear: [Medpac x3]", [("Medpac", 100)], []),
    ("gear: [Medpac x2]", "gear: [Medpac]", [], ["gone: Medpac"]),
    (
        "gear: [Medpac x2]\npoints: 10",
        "points: 0",
        [],
        ["gone: Medpac ×2", "Character Points to spend: 10 less than before"],
    ),
    ("", "gear: [{Bowcaster: granted}]", [("Bowcaster (granted)", 0)], []),
    (
        "points: 24\ngear: [Frag Grenade x3]",
        "points: 24\ngear: [Frag Grenade x3]\nadvances: [Frag Grenade]",
        [("Frag Grenade 3D to 4D", 24)],
        [],
    ),
    (OWN.format("DEX", "Stealth"), OWN.format("DEX", "Stealth"), [], []),
]


@pytest.mark.parametrize(("old", "new", "steps", "notes"), WAYS)
def test_a_way_names_what_is_new_and_what_is_gone(
    old: str, new: str, steps: list[tuple[str, int]], notes: list[str]
) -> None:
    led = find_advancement(hero(old), hero(new))
    assert led.refused == []
    assert [(what, price) for _, what, price in led.steps] == steps
    assert list(led.notes) == notes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OWN.format("DEX", "Stealth"), OWN.format("STR", "Swim")),
        (OWN.format("DEX", "Stealth"), OWN.format("DEX", "Swim")),
        (
            "profession: {custom: B, attributes: {DEX: 2D, STR: 2D, PER: 1D}}",
            "profession: {custom: B, attributes: {DEX: 2D, STR: 1D, PER: 2D}}",
        ),
        (
            "species: {Quickplay: {DEX: 2, PER: 1, STR: 1}}",
            "species: {Quickplay: {DEX: 1, PER: 2, STR: 1}}",
        ),
    ],
)
def test_points_spread_at_creation_stay_where_they_are(old: str, new: str) -> None:
    led = find_advancement(*(hero(keys) for keys in (old, new)))
    assert len(led.refused) == 1
    assert "cannot change" in led.refused[0]


@pytest.mark.parametrize(
    "gone", ["sold: {Luck: 1}\nlost: {Luck: 1}", "sold: {Luck: [5]}\nlost: {Luck: 1}"]
)
def test_steps_sold_and_lost_are_named(gone: str) -> None:
    one = draft(f"specials: [Unlearn]\nabilities: {{Luck: 3}}\n{gone}")
    assert any("numbers do not say which went first" in f.message for f in one.findings)


@pytest.mark.parametrize(("sold", "lost", "back"), [(5, 4, 5), (4, 5, 4)])
def test_the_step_that_is_named_as_sold_is_paid_back(sold: int, lost: int, back: int) -> None:
    keys = "specials: [Unlearn]\nabilities: {Luck: 3}\n"
    one = draft(f"{keys}sold: {{Luck: [{sold}]}}\nlost: {{Luck: [{lost}]}}")
    assert one.findings == []
    assert 90 - 15 + back == one.left("xp")


def test_a_unique_skill_with_a_taken_name_counts_in_all_sums() -> None:
    one = draft("abilities: {Luck: 2}\nunique: {Luck: {dots: 4, max: 3}, Jump: {dots: 1, max: 5}}")
    said = " / ".join(f.message for f in one.findings)
    for part in (
        "`Luck` is the name of a trait already",
        "`Jump` is the name of a trait already",
        "Luck is 4; the limit is 3",
        "not 1 to 4",
        "2 named; 0 allowed",
    ):
        assert part in said
    assert one.left("xp") == 90 - 3 - 10 - 1
