"""Empty sheets teach: the steps of making a character, numbered at their boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from sheetgen.diag.findings import Span
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.model.prints import Plan
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.prints.sheet import BlankRequest, print_blank
from tests.printing import FULLEST, character_at, character_from, printed
from tests.shelf import ruleset

NUMBERS = "creation.{}.number"


def blank(rules: Ruleset) -> Plan:
    made = print_blank(rules, BlankRequest((str(rules.id),), formats=("pdf",)))
    assert made.plan is not None
    return made.plan


@pytest.mark.parametrize("id_", ruleset_ids())
def test_each_step_is_numbered_at_its_box_and_complete(id_: str) -> None:
    rules = ruleset(id_)
    plan = blank(rules)
    texts = plan.leaves[0].filling.texts
    assert len(plan.leaves) == 1, "a step has no box, or its words do not fit"
    steps = [*rules.creation]
    assert 5 <= len(steps) <= 9
    assert [texts[NUMBERS.format(step)].value for step in steps] == [
        str(number) for number in range(1, len(steps) + 1)
    ]
    said = {step: texts[f"creation.{step}.text"] for step in steps}
    assert all(setting.lines == (setting.value,) for setting in said.values())


@pytest.mark.parametrize("id_", FULLEST)
def test_a_filled_sheet_has_no_steps(id_: str) -> None:
    texts = printed(character_at(FULLEST[id_])).plan.leaves[0].filling.texts
    assert not [name for name in texts if name.startswith("creation.")]


@pytest.mark.parametrize(
    ("game", "keys"),
    [
        ("keyword-dots", ("class", "subclass")),
        ("hyperspace-d6", ("edge", "burden")),
        ("narrative-powers", ("class", "race")),
    ],
)
def test_a_blank_offers_the_entries_of_few_choices_to_tick(game: str, keys: Sequence[str]) -> None:
    """Each with a box of 5 mm, where a filled sheet has its effect, or the frame of a picture."""
    rules, box = ruleset(game), 14.1
    made = print_blank(rules, BlankRequest((game,)))
    assert made.plan is not None
    leaf = made.plan.leaves[0]
    filling, places = leaf.filling, {place.name: place.box for place in leaf.plate.places}
    full = printed(character_at(FULLEST[game])).plan.leaves[0].filling
    for key in keys:
        for id_, entry in rules.choices[next(iter(rules.character[key].of), key)].entries.items():
            name = f"offer.{key}_text.{id_}"
            assert filling.texts[name].lines == (entry.name,)
            assert filling.marks[f"{name}_box"] == "box"
            assert min(places[f"{name}_box"].width, places[f"{name}_box"].height) >= box
            assert name not in full.texts
            assert f"{name}_box" not in full.marks
            if game == "keyword-dots":  # page two has room for what each gives
                assert len(filling.texts[f"{name}_gives"].lines) in (1, 2, 3)
        assert full.texts[f"{key}_text"].value
        assert f"{key}_text" not in filling.texts
    assert "to_draw.art" not in filling.texts


def test_a_sheet_offers_the_entries_of_choices_that_are_open() -> None:
    text = "ruleset: keyword-dots\nname: Nobody\nclass: Jedi Guardian\n"
    texts = printed(character_from(text, "keyword-dots"), draft=True).plan.leaves[0].filling.texts
    offered = {
        str(e): f"offer.subclass_text.{e}"
        for e in ruleset("keyword-dots").choices["subclass"].entries
    }
    assert [texts[name].value for name in offered.values()] == ["Assassin", "Rogue", "Politician"]
    assert not [name for name in texts if name.startswith("offer.class_text.")]
    assert texts["class_text"].value


def test_options_change_what_steps_say() -> None:
    made = print_blank(ruleset("d6-pips"), BlankRequest(("d6-pips",)), {"creation.skill_dice": "9"})
    assert made.plan is not None
    assert made.plan.leaves[0].filling.texts["creation.skills.text"].value.startswith("9D over")


@pytest.mark.slow
@pytest.mark.parametrize("game", ["d20", "percentile"])
def test_a_generated_sheet_numbers_steps_at_its_blocks(game: str) -> None:
    rules = ruleset(game)
    group, key = str(next(iter(rules.groups))), str(next(iter(rules.character)))
    steps = {
        id_: Text(words, Span("test"))
        for id_, words in ((key, "a name"), (group, "share points"), ("nowhere", "find a place"))
    }
    plan = blank(replace(rules, creation=steps, digest=f"{rules.digest} taught"))
    texts = plan.leaves[0].filling.texts
    assert texts[NUMBERS.format(key)].value == "1"
    assert texts[NUMBERS.format(group)].value == "2"
    assert NUMBERS.format("nowhere") not in texts
    assert len(plan.leaves) == 2, "a step without a box is on a page of its own"
    assert "find a place" in [one.value for one in plan.leaves[1].filling.texts.values()]


@pytest.mark.parametrize(
    ("game", "keys"), [("keyword-dots", ("class", "subclass")), ("narrative-powers", ("race",))]
)
def test_below_the_steps_of_large_print_stands_what_few_choices_give(
    game: str, keys: Sequence[str]
) -> None:
    rules = ruleset(game)
    made = print_blank(rules, BlankRequest((game,), formats=("pdf",), theme="large-print"))
    assert made.plan is not None
    texts = [setting.value for setting in made.plan.leaves[1].filling.texts.values()]
    for key in keys:
        entries = rules.choices[next(iter(rules.character[key].of), key)].entries.values()
        at = texts.index(rules.character[key].label)
        assert [text for text in texts[at:] if text in {one.name for one in entries}] == [
            one.name for one in entries
        ]
        plain = [one.text for one in entries if "{" not in one.text]
        said = " ".join(texts)
        assert plain
        assert all(text in said for text in plain)
    assert not {"overleaf", "see overleaf"} & {*texts}
