"""Kinds of a ruleset of one's own print without a design, and mistakes in them name the kind."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from sheetgen.model.requests import CardRequest
from sheetgen.plan.cards.kinds import _figures, _row, _Shown
from sheetgen.prints.cards import select_cards
from tests.cli.commands import run
from tests.shelf import SKELETONS

KIND = """\
kinds:
  npc:
    one: NPC
    label: NPCs
    folder: npcs
    keeps: [groups, gear, derived, tracks]
    character:
      name: {kind: text, required: true, label: Name}
      skills: {kind: codes, of: skills, label: Skills}
      gear: {kind: items, label: Gear}
      hurt: {kind: number, least: 0}
      special: {kind: texts, label: Special rules}
"""
RAT = """\
ruleset: ..
kind: npc
name: Rat Catcher
skills: {Scrap: 3D}
gear: [Cudgel, Rope]
special: [Knows every sewer]
"""


@pytest.mark.parametrize(
    ("name", "text", "row"),
    [
        ("Blaster", "Blaster: geometric damage", "Blaster: geometric damage"),
        ("Bow", "Bowstring of silk", "Bow: Bowstring of silk"),
        ("Axe", "", "Axe"),
        ("", "keen", "keen"),
    ],
)
def test_a_row_says_its_name_once(name: str, text: str, row: str) -> None:
    assert _row({"name": name, "text": text}) == row


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert run("new", "ruleset", "Lamps").status == 0
    folder = Path("lamps")
    (folder / "kinds.yaml").write_text(KIND, encoding="utf-8")
    (folder / "npcs").mkdir()
    (folder / "npcs" / "rat.yaml").write_text(RAT, encoding="utf-8")
    return folder


def edit(game: Path, old: str, new: str) -> None:
    text = (game / "kinds.yaml").read_text(encoding="utf-8")
    assert old in text
    (game / "kinds.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.slow
def test_a_kind_without_a_card_prints_what_it_has(game: Path) -> None:
    assert run("check", game, game / "npcs").out.count("clean") == 2
    said = run("cards", "./lamps", "--kind", "npc", "--to", "html", "--out", "out")
    assert said.status == 0, said.err
    page = Path("out/lamps-npc-cards.html").read_text(encoding="utf-8")
    for text in ("Rat Catcher", "Guard", "Scrap", "Cudgel (1D), Rope", "Knows every sewer"):
        assert text in page
    assert page.count('aria-label="Box') == 3, "a box of Harm for each that the NPC has"
    assert run("cards", game / "npcs" / "rat.yaml").status == 0


@pytest.mark.skipif(shutil.which("fc-list") is None, reason="nothing lays out a new sheet here")
def test_gear_alone_has_one_place_on_a_sheet(game: Path) -> None:
    edit(game, "      skills: {kind: codes, of: skills, label: Skills}\n", "")
    edit(game, "      hurt: {kind: number, least: 0}\n", "")
    edit(game, "      special: {kind: texts, label: Special rules}\n", "")
    edit(game, ", tracks", "")
    (game / "npcs" / "rat.yaml").write_text("ruleset: ..\nkind: npc\nname: Rat\ngear: [Rope]\n")
    said = run("sheet", game / "npcs" / "rat.yaml")
    assert said.status == 0, said.err


@pytest.mark.parametrize(
    ("card", "message"),
    [
        ("plain", "there is no card `plain`"),
        ("nope", "there is no card `nope`"),
        ("thing-card", "shows things, not files of a kind"),
        ("d6-pips-npc", "shows what NPCs lack: weapons"),
    ],
)
def test_a_card_that_a_kind_cannot_fill_is_a_finding(game: Path, card: str, message: str) -> None:
    edit(game, "folder: npcs", f"folder: npcs\n    card: {card}")
    said = run("check", game)
    assert said.out.count("error[") == 1
    assert message in said.out


def test_findings_about_the_rules_of_a_kind_name_it(game: Path) -> None:
    edit(game, "gear, derived, tracks", "gear")
    said = run("check", game)
    assert "there is no derived value `shell`, for an NPC" in said.out
    assert "name under `keeps` of the kind what it takes over" in said.out


def words_of_cards(folder: Path, kind: str, tmp_path: Path) -> str:
    """Return all words of the cards of a kind, in the order of print."""
    said = run("cards", folder, "--kind", kind, "--size", "a6", "--to", "html", "--out", tmp_path)
    assert said.status == 0, said.err
    (page,) = tmp_path.glob("*.html")
    text = page.read_text(encoding="utf-8")
    return " ".join(re.sub(r"<[^>]+>", " ", text[text.index("<body") :]).split())


@pytest.mark.slow
def test_a_stat_block_has_the_order_that_its_kind_states(tmp_path: Path) -> None:
    words = words_of_cards(SKELETONS / "pool", "npc", tmp_path)
    order = (
        "Sister Perpetua",
        "Ashen",
        "Defence",
        "Health",
        "Attacks",
        "Censer",
        "Strength",
        "Unburnt",
    )
    places = [words.index(word) for word in order]
    assert places == sorted(places)
    assert "Speed" not in words, "it is hidden"
    assert "Larceny" not in words, "what is not rated is not printed"


@pytest.mark.slow
def test_a_stat_block_has_all_that_its_file_says(tmp_path: Path) -> None:
    words = words_of_cards(SKELETONS / "d20", "creature", tmp_path)
    for text in (
        "Large giant, hungry · Challenge 5", "Armour class", "of 84", "30 ft, climbs 20 ft",
        "Actions", "Bite:", "+7, 5 ft. 1d6 + 4 piercing.", "STR 18", "+4", "Stealth", "Keen nose:",
    ):  # fmt: skip
        assert text in words
    assert "Acrobatics" not in words, "it follows from Dexterity"


def texts_of_cards(folder: Path, kind: str) -> list[dict[str, str]]:
    request = CardRequest((str(folder),), of_kind=kind)
    return [{**card.about.texts} for card in select_cards(str(folder), request).cards]


def test_a_stat_block_leaves_out_what_says_nothing_in_a_fight(tmp_path: Path) -> None:
    """Loads, zeroes and columns without a value are left out, unless `block` names the value."""
    folder = Path(shutil.copytree(SKELETONS / "steps", tmp_path / "steps"))
    carried = 'carried: {of: gear, without: [weapon], columns: {name: "{name}{times}"'
    derived = (
        "derived:\n  load: {label: Load, value: sum(gear.weight), unit: lb}\n"
        "  most: {label: Most load, value: 20 * strength, unit: lb}\n"
        "  penalty: {label: Penalty, value: 0 - wounds, as: signed, use: to all rolls}  #"
    )
    coat = "{name: Oilskin coat"
    for old, new in (
        ("derived: ", derived),
        (carried, carried + ', weight: "{weight}"'),
        (coat, coat + ", numbers: {weight: 4}"),
    ):
        rules = (folder / "ruleset.yaml").read_text(encoding="utf-8")
        assert old in rules
        (folder / "ruleset.yaml").write_text(rules.replace(old, new, 1), encoding="utf-8")
    bosun, rat = texts_of_cards(folder, "foe")
    figures = ["Pace", "Parry", "Toughness"]
    assert [v for k, v in rat.items() if k.startswith("figures.1.label")] == figures
    assert not {"Load", "Most load", "Penalty"} & {*bosun.values(), *rat.values()}
    assert bosun["notes.1.text"] == "Carried: Oilskin coat"
    assert bosun["attacks.2.text"] == "Flintlock pistol: damage 2d6, 5/10/20, reload 3"
    assert bosun["ratings.1.name"] == "Agility"
    learned = [v for k, v in bosun.items() if re.fullmatch(r"learned\.\d\.name", k)]
    assert learned == ["Boating", "Fighting", "Notice", "Intimidation"], "skills are set apart"
    edit(folder, "folder: foes", "folder: foes\n    block: {defences: [wounds, penalty, load]}")
    shown = texts_of_cards(folder, "foe")[1]
    assert [v for k, v in shown.items() if k.startswith("figures.1.label")][:2] == [
        "Penalty",
        "Pace",
    ]
    assert (shown["facts.1.name"], shown["facts.1.code"]) == ("Load", "0\u00a0lb")


def test_a_sentence_in_the_headline_has_its_label(tmp_path: Path) -> None:
    (rival, *_), (person, *_) = (
        texts_of_cards(SKELETONS / "pool", "npc"),
        texts_of_cards(SKELETONS / "percentile", "npc"),
    )
    assert rival["headline.text"] == "Ashen · Wants: every mirror in the city covered"
    assert person["headline.text"] == "Servant of the well"
    hits = (person["figures.1.label1"], person["figures.1.value1"])
    assert hits == ("Hit points", "16"), "a track that `block` names is a number, too"


def test_numbers_with_long_labels_are_large_two_in_a_row() -> None:
    """`Readiness in a fight` has twice the room of `Soak`; what is longer is in a run."""
    labels = ("Soak", "Readiness in a fight", "Vigour before it flees", "Swimming pace", "Pace")
    longer = "Resistance to what burns"
    shown = [_Shown("", "defences", label, ("12",)) for label in (longer, *labels)]
    large = {k: v for k, v in _figures(shown).items() if "label" in k}
    assert large == {
        "figures.1.label1": "Soak",
        "figures.1.label2": "Swimming pace",
        "wides.1.label1": "Readiness in a fight",
        "wides.1.label2": "Vigour before it flees",
    }
    assert longer in _figures(shown).values()
    assert not any("wides" in name for name in _figures(shown, 9)), "on a brief card"


def test_a_name_that_a_stat_block_cannot_show_is_a_finding(game: Path) -> None:
    edit(game, "    folder: npcs", "    folder: npcs\n    block: {hidden: [gaurd]}")
    said = run("check", game)
    assert "there is no part of the card `gaurd`" in said.out
    assert "did you mean `guard`" in said.out
    edit(game, "hidden: [gaurd]", "order: [atacks]")
    assert "`atacks`" in run("check", game).out
