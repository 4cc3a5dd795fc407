"""What a card marks, notes, leaves out, and keeps together."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from sheetgen.load.characters import RulesetCache
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.model.requests import CardRequest
from sheetgen.model.rulesets.prints import Difference
from sheetgen.plan.cards.cards import FOOTNOTES
from sheetgen.plan.imposition import CARDS, DeckLayout, impose
from sheetgen.prints.cards import (
    Deck,
    build_deck,
    character_cards,
    render_card_page,
    select_cards,
)
from sheetgen.prints.characters import load_characters
from sheetgen.prints.rulesets import load_checked_ruleset
from sheetgen.render.press.press import press_cards
from tests.render.viewers import text_of

NOTED = f"{FOOTNOTES}.1.text"
GANG = """ruleset: hyperspace-d6
kind: npc
entries:
  - {npc: Stormtrooper, name: Plain}
  - {npc: stormtrooper, name: Chosen, elite: [DEX, STR]}
  - {npc: Stormtrooper, name: Weaker, skills: {Blasters: 3D}}
  - {name: Stormtrooper, attributes: {DEX: 2D, STR: 2D}, skills: {Brawl: 3D}}
"""


@cache
def _otherwise() -> dict[str, Difference]:
    return {d.what: d for d in load_checked_ruleset("hyperspace-d6", proof=True).differences}


def _deck(path: Path, said: str, size: str = "poker", theme: str = "standard") -> Deck:
    path.write_text(said, encoding="utf-8")
    cards = [card for one in load_characters([path]) for card in character_cards(one, _otherwise())]
    layout = DeckLayout(impose(CARDS[size], "a4"))
    made = build_deck(cards, layout, CardRequest(size=size, theme=theme)).value
    assert made is not None
    return made


def _spoken(made: Deck) -> dict[str, str]:
    return {face.name: " ".join(strip.alt_text for strip in face.strips) for face in made.faces}


def test_what_an_elite_is_raised_by_stands_beside_its_figures(tmp_path: Path) -> None:
    made = _deck(tmp_path / "gang.yaml", GANG)
    said, texts = _spoken(made), text_of(print_cards_of(made)).split()
    assert "Kind Elite · Imperials" in said["Chosen"]
    for told in ("Dodge 11 (+1 as an elite)", "Soak −9 (+2 as an elite)", "Dexterity 3D (+1"):
        assert told in said["Chosen"], told
    assert "Knowledge 1D, " in said["Chosen"]  # what was not raised bears no mark
    assert "elite" not in said["Plain"]
    assert texts.count("+:") == 1
    chosen = next(face for face in made.faces if face.name == "Chosen")
    pieces = [p for strip in chosen.strips for row in strip.pieces.values() for p in row]
    raised = {p.text for p in pieces if p.role.endswith("-change")}
    assert raised == {"+1", "+2"}
    shapes = {mark for strip in chosen.strips for mark in strip.filling.marks.values()}
    assert any(shape.startswith("second") for shape in shapes)  # told without colour too


def test_a_footnote_goes_with_the_base_while_its_figure_does(tmp_path: Path) -> None:
    said = _spoken(_deck(tmp_path / "gang.yaml", GANG))
    noted = {name for name, words in said.items() if "The source prints 12" in words}
    assert noted == {"Plain"}
    assert "Block 13 (footnote a)" in said["Plain"]


def test_a_skill_that_the_source_lists_in_vain_has_a_footnote(tmp_path: Path) -> None:
    kind = "ruleset: hyperspace-d6\nkind: npc\nnpc: Master\n"
    said = _spoken(_deck(tmp_path / "one.yaml", kind))["Master"]
    assert "a The source lists Sense 4D, which adds 0D to FOR 4D." in said
    changed = _spoken(_deck(tmp_path / "two.yaml", f"{kind}skills: {{Sense: 5D}}\n"))
    assert "adds 0D" not in " ".join(changed.values())


def test_what_a_proof_notes_of_a_thing_is_on_its_card() -> None:
    for asked in (True, False):
        request = CardRequest(of_kind="gear", notes=asked)
        cards = select_cards("hyperspace-d6", request).cards
        noted = {c.about.name: c.about.texts[NOTED] for c in cards if NOTED in c.about.texts}
        assert list(noted) == ["Survival Pack"] * asked
    request = CardRequest(of_kind="gear", notes=True)
    texts = {c.about.name: c.about.texts for c in select_cards("hyperspace-d6", request).cards}
    assert "the parts that have a price cost 285" in texts["Survival Pack"][NOTED]


@pytest.mark.parametrize("kind", ["npc", "vehicle"])
def test_no_editor_speaks_on_a_deck_without_notes(kind: str) -> None:
    cards = select_cards("hyperspace-d6", CardRequest(of_kind=kind)).cards
    assert cards
    assert not any(card.notes for card in cards)


def test_words_that_the_rules_do_not_define_are_notes() -> None:
    for asked in (True, False):
        request = CardRequest(of_kind="power", notes=asked)
        cards = select_cards("narrative-powers", request).cards
        said = {text for c in cards for text in c.about.texts.values() if "not defined" in text}
        assert bool(said) == asked


def test_a_footnote_of_a_stock_row_stays_on_its_own_card() -> None:
    stock = load_characters([rulesets_folder() / "hyperspace-d6" / "npcs"], rulesets=RulesetCache())
    cards = [c for one in stock for c in character_cards(one, _otherwise())]
    assert {c.about.name for c in cards if c.notes} >= {"Stormtrooper", "Scout Trooper"}


@pytest.mark.parametrize(("size", "more"), [("poker", False), ("a6", True), ("half-letter", True)])
def test_large_cards_have_room_for_what_is_rolled(tmp_path: Path, size: str, more: bool) -> None:
    made = _deck(tmp_path / "one.yaml", GANG.split("  - {npc: storm")[0], size)
    words = " ".join(text_of(print_cards_of(made)).split())
    assert ("1 action 2 actions 3 actions" in words) == more
    assert ("1 wound 2D 1D –" in words) == more
    assert ("notes" in words.lower()) == more  # the room that is left on a card is to write on


def test_a_group_has_no_table_of_dice_that_wounds_leave(tmp_path: Path) -> None:
    made = _deck(
        tmp_path / "one.yaml",
        "ruleset: hyperspace-d6\nkind: npc\nnpc: Thug\nname: Thugs\nmembers: 5\n",
        "a6",
    )
    words = text_of(print_cards_of(made)).lower()
    assert "dice left" not in words
    assert "actions left" in words


def test_a_weapon_keeps_its_rule_beside_it(tmp_path: Path) -> None:
    """What continues on another card is cut between weapons, never below the name of one."""
    arms = "[Blaster Pistol, Blaster Rifle, Heavy Repeating Blaster, Vibroblade, Forcepike, Medpac]"
    made = _deck(
        tmp_path / "arms.yaml",
        "ruleset: hyperspace-d6\nkind: npc\nnpc: Thug\nname: Many Arms\ngear: " + arms + "\n",
    )
    assert len(made.faces) == 2
    for face in made.faces:
        words = " ".join(strip.alt_text for strip in face.strips)
        assert ("Forcepike" in words) == ("two attacks" in words)


@pytest.mark.parametrize("letters", [20, 40, 60, 75])
def test_no_letter_of_a_long_name_is_lost(tmp_path: Path, letters: int) -> None:
    name = ("Wilhelmina Konstantina of the Outer Marches, Admiral of the Ninth Fleet" * 2)[:letters]
    name = name.strip()
    made = _deck(
        tmp_path / "long.yaml", f"ruleset: hyperspace-d6\nkind: npc\nnpc: Thug\nname: {name!r}\n"
    )
    (face,) = made.faces
    shown = next(s for n, s in face.strips[0].filling.texts.items() if n.endswith(".name"))
    assert " ".join(shown.lines) == name


def print_cards_of(made: Deck) -> bytes:
    """Return the file of a deck."""
    return press_cards(made.plan)


def test_each_face_of_an_elite_says_so(tmp_path: Path) -> None:
    special = "[" + ", ".join(f'"{"long words " * 12}{n}"' for n in range(5)) + "]"
    made = _deck(
        tmp_path / "long.yaml",
        "ruleset: hyperspace-d6\nkind: npc\nnpc: Thug\nname: X\n"
        f"elite: [DEX, STR]\nspecial: {special}\n",
    )
    assert len(made.faces) > 1
    for face in made.faces:
        assert f"Kind Elite · Scum · {face.part} of {face.parts}" in face.strips[0].alt_text


def test_in_a_browser_what_was_added_stands_behind_its_figure(tmp_path: Path) -> None:
    page = render_card_page(_deck(tmp_path / "gang.yaml", GANG, "a6")).decode()
    figure = '<span class="r-card-number">11</span><span class="r-card-number-change">+1</span>'
    assert figure in page
    assert ".r-card-value-change { position: relative" in page
    assert "main { zoom:" in page  # a card that is wider than a small screen
    assert "style=" not in page.split("</style>")[1]


def test_a_large_card_fits_a_phone(tmp_path: Path) -> None:
    page = render_card_page(_deck(tmp_path / "gang.yaml", GANG, "half-letter")).decode()
    [rule] = re.findall(r"max-width: 374px\) {(.*) }\n", page)
    zoom = re.search(r"main { zoom: ([.\d]+) }", rule)
    assert zoom is not None
    assert float(zoom[1]) * 5.5 * 96 < 360 + 2 * 12  # a part of its margins may be off the screen
    assert "overflow: auto" not in rule


def test_a_card_as_wide_as_a_phone_gives_its_margins_away(tmp_path: Path) -> None:
    page = render_card_page(_deck(tmp_path / "gang.yaml", GANG, "a6")).decode()
    [rule] = re.findall(r"max-width: 411px\) {(.*) }\n", page)
    assert "main { overflow-x: clip }" in rule
    zoom = re.search(r"main { zoom: ([.\d]+) }", rule)
    assert zoom is not None
    assert float(zoom[1]) > 0.95
