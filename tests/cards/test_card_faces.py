"""What the face of a game adds to cards, and what each size holds."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from sheetgen.load.designs.designs import BACK
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.model.prints import CardFace
from sheetgen.model.requests import CardRequest
from sheetgen.plan.cards.kinds import CardContext
from sheetgen.plan.imposition import CARDS, DeckLayout, Duplex, impose
from sheetgen.prints.cards import ChosenCard, Deck, build_deck, number_cards, select_cards
from sheetgen.render.press.press import press_cards
from tests.cli.commands import run
from tests.render.viewers import text_of


@cache
def _deck(ruleset: str, kind: str, size: str, duplex: Duplex | None = None) -> Deck:
    request = CardRequest(of_kind=kind, size=size)
    layout = DeckLayout(impose(CARDS[size], "a4"), duplex)
    made = build_deck(select_cards(ruleset, request).cards[:6], layout, request).value
    assert made is not None
    return made


def test_each_card_without_a_second_face_has_the_back_of_its_game() -> None:
    made = _deck("hyperspace-d6", "npc", "poker", "long-edge")
    front, back = made.plan.pages
    assert [placed.face.name for placed in front.placed] == [face.name for face in made.faces]
    names = [*made.design.facts["heights"]]
    for placed in back.placed:
        (strip,) = placed.face.strips
        assert names[strip.page] == BACK
    assert len(back.placed) == len(front.placed)
    assert text_of(press_cards(made.plan)).count(made.rules.title) >= len(back.placed)


@pytest.mark.slow
def test_each_deck_has_a_back_of_its_own() -> None:
    backs = {}
    for kind in ("npc", "vehicle", "gear", "odds"):
        back = _deck("hyperspace-d6", kind, "poker", "long-edge").plan.pages[1].placed[0].face
        filling = back.strips[0].filling
        backs[kind] = filling.marks["back.emblem"], filling.texts["back.deck"].value
    assert [len({*some}) for some in zip(*backs.values(), strict=True)] == [4, 4]
    assert backs["gear"] == ("emblem-rifle", "Gear cards")


def test_a_number_is_that_of_the_whole_deck() -> None:
    request = CardRequest(of_kind="gear", only=("Medpac",))
    every = select_cards("hyperspace-d6", CardRequest(of_kind="gear")).cards
    (card,) = number_cards(select_cards("hyperspace-d6", request).cards)
    place = [one.about.name for one in every].index("Medpac") + 1
    assert card.about.count == f"{place} of {len(every)}"


def test_a_misspelt_picture_of_a_kind_is_found(tmp_path: Path) -> None:
    shutil.copytree(rulesets_folder() / "d6-pips", tmp_path / "own")
    kinds = tmp_path / "own" / "kinds.yaml"
    kinds.write_text(kinds.read_text(encoding="utf-8").replace("Guard: soldier", "Guard: soldir"))
    said = run("check", tmp_path / "own")
    assert "has no picture `soldir` for `Guard`" in said.out + said.err
    assert "did you mean `soldier`?" in said.out + said.err


def test_art_is_listed_and_drawn(tmp_path: Path) -> None:
    said = run("list", "art")
    assert "a sword" in said.out
    assert run("list", "art", "--out", tmp_path / "art.html").status == 0
    page = (tmp_path / "art.html").read_text(encoding="utf-8")
    assert page.count("<figure") == len(said.out.splitlines())
    assert run("list", "sheets", "--out", tmp_path / "no.html").status == 2
    for name in ("art.pdf", "art", ".", "..", ""):
        assert run("list", "art", "--out", name).status == 2
    assert run("list", "themes", "nothing").status == 2


def test_a_half_letter_card_holds_two_powers() -> None:
    made = _deck("narrative-powers", "power", "half-letter")
    assert len(made.faces) == 3
    for face in made.faces:
        assert face.name.count(" · ") == 1
        assert face.size[1] == pytest.approx(CARDS["half-letter"][1])
        assert max(strip.top for strip in face.strips) < face.size[1]
    assert "Basic Melee" in made.faces[0].name
    assert "Basic Ranged" in made.faces[0].name


def test_a_half_letter_card_is_a_whole_stat_block() -> None:
    made = _deck("d6-pips", "npc", "half-letter")
    words = " ".join(strip.alt_text for strip in made.faces[0].strips)
    skills = made.rules.groups["skills"].traits.values()
    assert sum(skill.name in words for skill in skills) > 20
    poker = _deck("d6-pips", "npc", "poker")
    words = " ".join(strip.alt_text for strip in poker.faces[0].strips)
    assert sum(skill.name in words for skill in skills) < 10


@pytest.mark.parametrize("size", ["tarot", "a6"])
def test_the_motif_fills_the_foot_of_a_card_with_room(size: str) -> None:
    made = _deck("keyword-dots", "npc", size)
    art = [*made.design.facts["heights"]].index("art")
    assert any(strip.page == art for face in made.faces for strip in face.strips)


@pytest.mark.parametrize("size", ["poker", "tarot", "half-letter"])
@pytest.mark.parametrize(
    ("game", "kind"),
    [
        ("hyperspace-d6", "gear"),
        ("keyword-dots", "power"),
        ("narrative-powers", "power"),
        ("d6-pips", "npc"),
    ],
)
def test_zones_of_a_deck_are_at_one_height(game: str, kind: str, size: str) -> None:
    """A figure, a picture or the text was once where the card had room for it."""
    made = _deck(game, kind, size)
    zones = {"head", "show", "tall", "values", "cells", "figures", "ladder", "levels", "foot"}
    heights, tops = made.design.facts["heights"], dict[str, set[float]]()
    faces = [strips for face in made.faces for strips in _split(made, face)]
    for strips in faces:
        for name, top in strips:
            if name.partition("-")[0] in zones:
                tops.setdefault(name.partition("-")[0], set()).add(round(top, 1))
    assert {name: len(at) for name, at in tops.items()} == dict.fromkeys(tops, 1)
    if {"show", "tall"} <= {*tops}:  # a higher picture takes the room of the figures
        row = heights["values"]
        every = {name: height for name, height in heights.items() if name.startswith("show-")}
        for name, height in every.items():
            tall = heights[name.replace("show", "tall")]
            assert tall == pytest.approx(height + row, abs=0.01)


def _split(made: Deck, face: CardFace) -> list[list[tuple[str, float]]]:
    """Return names and tops of the strips of each card on a face, from the card's own top."""
    parts: list[list[tuple[str, float]]] = []
    for name, strip in zip(_strips(made, face), face.strips, strict=True):
        if name.startswith("head"):
            parts.append([])
            first = strip.top
        parts[-1].append((name, strip.top - first))
    return parts


def test_a_card_with_too_much_text_continues_and_keeps_its_picture() -> None:
    (card,) = select_cards("hyperspace-d6", CardRequest(of_kind="gear", only=("Lightsaber",))).cards
    texts = CardContext({**card.about.texts, "text": "It hums. " * 80})
    cards = [replace(card, about=replace(card.about, texts=texts))]
    made = build_deck(cards, DeckLayout(impose(CARDS["poker"], "a4"), None), CardRequest()).value
    assert made is not None
    first, second = (_strips(made, face) for face in made.faces)
    assert any(name.startswith("show-") for name in first)
    assert any(name.startswith("body-") for name in second)


def test_a_picture_takes_the_place_of_the_emblem() -> None:
    speeder = CardRequest(of_kind="vehicle", only=("Airspeeder",))
    (other,) = select_cards("hyperspace-d6", speeder).cards
    assert other.about.picture is not None
    (card,) = select_cards("hyperspace-d6", CardRequest(of_kind="gear", only=("Vibroblade",))).cards
    plain = _strips_of(card)
    shown = _strips_of(replace(card, about=replace(card.about, picture=other.about.picture)))
    assert shown == [name.replace("show-", "show-face-") for name in plain]


def _strips(made: Deck, face: CardFace) -> list[str]:
    names = [*made.design.facts["heights"]]
    return [names[strip.page] for strip in face.strips]


def _strips_of(card: ChosenCard) -> list[str]:
    """Return the strips of the only face of a card of poker size."""
    layout = DeckLayout(impose(CARDS["poker"], "a4"), None)
    made = build_deck([card], layout, CardRequest(of_kind="gear")).value
    assert made is not None
    (face,) = made.faces
    return _strips(made, face)


def test_gear_has_a_picture_of_its_kind() -> None:
    cards = select_cards("hyperspace-d6", CardRequest(of_kind="gear")).cards
    pictures = {card.about.name: card.about.texts["emblem"] for card in cards}
    assert pictures["Blaster Pistol"] == "pistol"
    assert pictures["Blaster Rifle"] == "rifle"
    assert pictures["Medpac"] == "medic"
    assert pictures["Vibroblade"] == "blade"


_ALIKE = {
    "hyperspace-d6": ("lightsaber", 9),
    "keyword-dots": ("light", 7),
}


@pytest.mark.parametrize("game", _ALIKE)
def test_weapons_of_light_differ_in_their_pictures(game: str) -> None:
    """A staff, a whip and a crossguard were once the same straight blade."""
    tag, count = _ALIKE[game]
    cards = select_cards(game, CardRequest(of_kind="gear")).cards
    gear = cards[0].rules.gear.values()
    names = {item.name for item in gear if tag in item.tags}
    pictures = [c.about.texts["emblem"] for c in cards if c.about.name in names]
    assert len(pictures) == len({*pictures}) >= count


@pytest.mark.parametrize(
    ("game", "pictures"),
    [
        ("d6-pips", {"Staff": "staff", "Spear": "pole", "Climbing Gear": "climb"}),
        ("narrative-powers", {"Staff": "staff", "Knife": "knife", "Climbing Kit": "climb"}),
        (
            "keyword-dots",
            {"Cortosis": "ore", "Phrik": "ingot", "Pikesaber": "beam-pole"},
        ),
    ],
)
def test_a_picture_shows_the_thing_itself(game: str, pictures: dict[str, str]) -> None:
    cards = select_cards(game, CardRequest(of_kind="gear")).cards
    shown = {card.about.name: card.about.texts.get("emblem") for card in cards}
    assert {name: shown[name] for name in pictures} == pictures


@pytest.mark.parametrize("game", ["d6-pips", "hyperspace-d6", "keyword-dots", "narrative-powers"])
def test_a_thing_of_a_wide_kind_has_no_picture_rather_than_a_wrong_one(game: str) -> None:
    rules = select_cards(game, CardRequest(of_kind="gear")).cards[0].rules
    wide = {"weapon", "melee", "ranged", "thrown", "tool", "material", "kit"}
    assert not wide & {*map(str, rules.card_sets["gear"].emblems)}


def test_powers_have_pictures_by_their_ids() -> None:
    cards = select_cards("keyword-dots", CardRequest(of_kind="power")).cards
    pictures = {card.about.name: card.about.texts.get("emblem") for card in cards}
    assert pictures["Throw Lightning"] == "bolt"
    assert pictures["Knowledge"] == "book"
    assert None not in pictures.values()


@pytest.mark.parametrize("size", ["poker", "tarot", "a6", "half-letter"])
@pytest.mark.parametrize(
    ("game", "kind"),
    [("narrative-powers", "power"), ("keyword-dots", "power"), ("hyperspace-d6", "gear")],
)
def test_a_deck_has_one_size_of_text(game: str, kind: str, size: str) -> None:
    request = CardRequest(of_kind=kind, size=size)
    cards = select_cards(game, request).cards
    made = build_deck(cards, DeckLayout(impose(CARDS[size], "a4"), None), request).value
    assert made is not None
    names = [*made.design.facts["heights"]]
    strips = {names[strip.page] for face in made.faces for strip in face.strips}
    stems = {name.rpartition("-")[0] for name in strips if name[-1].isdigit()}
    sizes = {stem for stem in stems if stem in made.design.facts["texts"]}
    assert len({size.removeprefix("flavor-") for size in sizes}) == 1


@pytest.mark.parametrize("size", ["poker", "a6"])
def test_what_all_vehicles_have_is_at_one_height(size: str) -> None:
    """How to hit was once on 12 of 27 cards, and the sides were drawn in three manners."""
    request = CardRequest(of_kind="vehicle", size=size)
    cards = select_cards("hyperspace-d6", request).cards
    made = build_deck(cards, DeckLayout(impose(CARDS[size], "a4"), None), request).value
    assert made is not None
    assert len(made.faces) == len(cards)
    names = [*made.design.facts["heights"]]
    heads, tops = set(), {}
    for face in made.faces:
        assert sum("Gunnery" in strip.alt_text for strip in face.strips) == 1
        heads.add(names[face.strips[0].page])
        for strip in face.strips:
            name = names[strip.page]
            if name.startswith(("figures", "ladder", "sides" if size == "poker" else "foot")):
                tops.setdefault(name.partition("-")[0], set()).add(round(strip.top, 3))
    assert heads <= {"head", "head-wide"}
    assert {name: len(at) for name, at in tops.items()} == dict.fromkeys(tops, 1)


def test_figures_of_neighbours_are_two_millimetres_apart() -> None:
    """A hull of −10 and shields of 8 once read −108."""
    made = _deck("hyperspace-d6", "vehicle", "poker")
    places = {
        place.name.partition(".")[2]: place.box
        for strip in made.faces[0].strips
        for place in strip.plate.places
        if place.name.startswith("figures.")
    }
    hull, shields = places["hull_shown.text"], places["shields_shown.text"]
    assert shields.x - (hull.x + hull.width) >= 5.6
