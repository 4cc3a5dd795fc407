"""What a kind has only as texts is on its cards, on encounter pages and in tables of the kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.render.viewers import text_of

KINDS = """
kinds:
  foe:
    one: foe
    label: Foes
    folder: foes
    based_on: foe
    keeps: [groups, gear, derived, choices.calling]
    character:
      name: {kind: text, required: true, label: Name}
      foe: {kind: text}
      calling: {kind: choice, of: calling, label: Calling}
      attributes: {kind: codes, of: attributes, label: Attributes}
      attacks: {kind: texts, label: Attacks}
      habits: {kind: texts, label: Habits}
      home: {kind: text, label: Home}
      gear: {kind: items, open: true, label: Gear}
    lists:
      attacks: {of: attacks, columns: {what: "{name}"}}
      quirks: {of: habits, columns: {text: "{name}!"}}
      weapons: {of: gear, where: weapon, columns: {name: "{name}{times}"}}
encounter:
  as: foe
  strips:
    foe:
      label: Foe
      order: guard
      figures: [{label: Guard, of: guard.value}]
      lines: [{each: attacks, parts: [{of: what}]}, {each: quirks, parts: [{of: text}]}]
tables:
  foes:
    label: Foes
    of: kinds.foe
    cells:
      - {head: Foe, text: "{name}"}
      - {head: Calling, text: "{calling}"}
      - {head: Attacks, text: "{attacks}"}
      - {head: Home, text: "{home}"}
      - {head: Gear, text: "{gear}"}
references:
  foes: {label: Foes, bands: [[foes]]}
card_sets:
  knack:
    label: Knacks
    of: [choices.knacks]
    card: thing-card
    texts: {name: "{name}", text: "{text}"}
    lists: [sections]
"""
FOES = """
ruleset: ../
kind: foe
entries:
  - {name: Wolf, attributes: {Body: 2D}, attacks: [Bite 2D, {Claw: 3D}], habits: [howls],
     gear: [Rope x2, Spear]}
  - {name: Man, calling: Warden, attributes: {Body: 2D}, home: Hill}
"""
FIGHT = "ruleset: ./game\nencounter: Fight\ncombatants: [{foe: Wolf}, {foe: Man}]\n"


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert run("new", "ruleset", "Game", "--out", "game").status == 0
    Path("game/kinds.yaml").write_text(KINDS, encoding="utf-8")
    Path("game/foes").mkdir()
    Path("game/foes/foes.yaml").write_text(FOES, encoding="utf-8")
    Path("fight.yaml").write_text(FIGHT, encoding="utf-8")
    assert run("check", "game").status == 0
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["encounter", "fight.yaml"], ["Bite 2D", "Claw: 3D", "howls!"]),
        (
            ["cards", "./game", "--kind", "foe"],
            ["Bite 2D", "Claw: 3D", "howls!", "Spear", "Rope ×2", "Warden", "Hill"],
        ),
        (
            ["tables", "./game", "foes"],
            ["Bite 2D, Claw: 3D", "Rope ×2, Spear", "Warden", "Hill"],
        ),
    ],
)
def test_texts_choices_and_items_are_printed(
    game: Path, words: list[str], shown: list[str]
) -> None:
    assert run(*words, "--out", game / "out").status == 0
    [page] = (game / "out").glob("*.pdf")
    printed = " ".join(text_of(page.read_bytes()).split())
    assert [text for text in shown if text not in printed] == []


@pytest.mark.slow
def test_sections_are_on_the_card_of_a_thing(game: Path) -> None:
    path = game / "game" / "choices.yaml"
    text = path.read_text(encoding="utf-8")
    sections = (
        "sections: [{label: Hit, about: armed, text: two dice more}, {label: Miss, text: none}]"
    )
    path.write_text(
        text.replace("{name: Quick,", f"{{name: Quick, {sections},", 1), encoding="utf-8"
    )
    assert run("cards", "./game", "--kind", "knack", "--out", game / "out").status == 0
    [page] = (game / "out").glob("*.pdf")
    printed = " ".join(text_of(page.read_bytes()).split())
    assert "Hit (armed): two dice more" in printed
    assert "Miss: none" in printed


@pytest.mark.parametrize("lists", ["[sections, other]", "[other]"])
def test_a_list_without_a_place_on_the_card_is_a_finding(game: Path, lists: str) -> None:
    path = game / "game" / "kinds.yaml"
    path.write_text(KINDS.replace("[sections]", lists), encoding="utf-8")
    said = run("check", "game")
    assert said.status == 1
    assert "the card `thing-card` has no place `other`" in said.out
