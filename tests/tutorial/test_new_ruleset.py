"""New rulesets are clean whatever they are called and extend; mistakes in them are findings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sheetgen.diag.findings import errors
from sheetgen.load.characters import RulesetCache
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.prints.characters import load_character
from sheetgen.prints.rulesets import load_checked_ruleset
from tests.cli.commands import run

NAMES = ["Some New Game", 'Ünïcode "Quoted": game #1', "it's {braces} %", "yes", "123", "Лампа"]


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", NAMES)
def test_is_clean_whatever_it_is_called(name: str) -> None:
    assert run("new", "ruleset", name, "--out", "made").status == 0
    said = run("check", "made", "made/characters/ada-quill.yaml")
    assert said.out == "made: clean\nmade/characters/ada-quill.yaml: clean\n", said.out


@pytest.mark.many
@pytest.mark.parametrize("base", [*ruleset_ids(), "./made"])
def test_an_overlay_is_clean_on_every_base(base: str) -> None:
    if base == "./made":
        run("new", "ruleset", "Made")
    assert run("new", "ruleset", "Over", "--extends", base).status == 0
    assert not errors(load_checked_ruleset("./over", proof=True).findings)
    said = run("check", "over/characters/ada-quill.yaml")
    assert said.out == "over/characters/ada-quill.yaml: clean\n", said.out


def test_an_overlay_on_an_overlay_has_a_module_of_its_own() -> None:
    run("new", "ruleset", "Made")
    run("new", "ruleset", "Over", "--extends", "./made")
    run("new", "ruleset", "Third", "--extends", "./over")
    assert run("check", "third", "third/characters").out.count(": clean") == 2
    module = Path("third/modules/1-first.yaml")
    module.write_text(module.read_text().replace("module: change_2", "module: first_change"))
    assert "`first_change` is a module of Over already" in run("check", "third").out


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gear", "odds"])
def test_prints_its_cards_without_a_face(kind: str) -> None:
    run("new", "ruleset", "Made")
    said = run("cards", "./made", "--kind", kind)
    assert said.out == f"output/made-{kind}-cards.pdf\n", said.err


def test_never_writes_over_anything() -> None:
    Path("made").mkdir()
    Path("made/mine.txt").write_text("mine")
    said = run("new", "ruleset", "Made")
    assert said.status == 1
    assert "this file or folder exists already" in said.err
    assert os.listdir("made") == ["mine.txt"]


def test_a_character_names_its_ruleset_from_where_it_stands() -> None:
    run("new", "ruleset", "Made")
    Path("heroes").mkdir()
    assert run("new", "character", "./made", "Bo", "--out", "heroes/bo.yaml").status == 0
    assert "ruleset: ../made\n" in Path("heroes/bo.yaml").read_text(encoding="utf-8")
    assert run("check", "heroes/bo.yaml").out == "heroes/bo.yaml: clean\n"
    assert run("list", "made").out == run("list", "./made").out
    assert run("list", "./made", "calling").out.startswith("Warden")


LIMIT = "limit: {most: 5, by: calling, sets: {x: {warden: {scrop: 1}}}}  "
MISTAKES = [
    ("ruleset.yaml", "value: 8 + scrap", "value: 8 + scrapp", "did you mean `scrap`?"),
    ("ruleset.yaml", "value: 8 + scrap", "value: 8 + * scrap", "formulas have"),
    ("ruleset.yaml", "value: 8 + scrap", "value: 8 + guard", "compute one of them"),
    ("ruleset.yaml", "label: Guard,", "lable: Guard,", "did you mean `label`?"),
    ("ruleset.yaml", "skills: skill_price(n),", "skills: skill_price(n, 2),", "in quotes"),
    ("ruleset.yaml", "of: calling,", "of: callings,", "did you mean `calling`?"),
    ("ruleset.yaml", "kind: choices", "kind: choises", "did you mean `choices`?"),
    ("ruleset.yaml", "marked: hurt", "marked: hurts", "did you mean `hurt`?"),
    ("ruleset.yaml", "  harm: {label: Harm, v", "  hurt: {label: Harm, v", "rename one"),
    ("ruleset.yaml", "adds: points", "adds: pionts", "did you mean `points`?"),
    ("ruleset.yaml", "# sheet: ./sheet", "sheet: nowhere #", "use one of"),
    ("ruleset.yaml", "special: \"{special}\"", "special: \"{spcial}\"", "did you mean"),
    ("ruleset.yaml", "default: 40", "default: forty", "whole number"),
    ("traits.yaml", "under: heart, text: Calm", "under: hart, text: Calm", "`heart`?"),
    ("traits.yaml", "rating: dice  ", "rating: dyce  ", "did you mean `dice`?"),
    ("traits.yaml", "      charm: {", "      Charm Person: {", "write `charm_person`"),
    ("traits.yaml", "      charm: {", "      body: {", "rename one"),
    ("traits.yaml", "rating: dice  ", "limit: {most: 5, raised_by: quik}  ", "`quick`?"),
    ("traits.yaml", "rating: dice  ", LIMIT, "did you mean `scrap`?"),
    ("choices.yaml", "soothe: 1", "soothing: 1", "did you mean `soothe`?"),
    ("choices.yaml", "pool: points", "pool: pints", "did you mean `points`?"),
    ("gear.yaml", "skill: shoot", "skill: shooting", "did you mean `shoot`?"),
    ("gear.yaml", "gives: shell", "gives: shel", "did you mean `shell`?"),
    ("gear.yaml", "adds: body", "adds: bdy", "did you mean `body`?"),
    ("gear.yaml", "cudgel: {name: Cudgel,", "cudgel: {name: Cudgel", "write a mapping as"),
    ("reference.yaml", "columns: [Task, Number]", "columns: [Task]", "2 cells and 1 columns"),
    ("reference.yaml", "[Tricky, 10]", "[Tricky]", "1 cells and 2 columns"),
    ("reference.yaml", "bands: [[targets, prices]", "bands: [[targets, price]", "`prices`?"),
    ("reference.yaml", "where: [weapon]", "where: [wepon]", "did you mean `weapon`?"),
    ("screen.yaml", "tables: targets", "tables: target", "did you mean `targets`?"),
    ("screen.yaml", "columns: [Number, Task]", "columns: [Numbr, Task]", ""),
    ("cards.yaml", "card: thing-card", "card: thing-crd", "did you mean `thing-card`?"),
    ("cards.yaml", "value: \"{skill}\"", "value: \"{skil}\"", ""),
    ("odds.yaml", "table: targets", "table: target", "did you mean `targets`?"),
    ("odds.yaml", "rows: [2D", "rows: [2Q", ""),
]  # fmt: skip


@pytest.mark.many
@pytest.mark.parametrize(("file", "right", "wrong", "hint"), MISTAKES)
def test_a_mistake_is_a_finding_with_its_place(
    file: str, right: str, wrong: str, hint: str
) -> None:
    run("new", "ruleset", "Made")
    path = Path("made", file)
    text = path.read_text(encoding="utf-8")
    assert right in text
    path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    found = errors(load_checked_ruleset("./made", proof=True).findings)
    assert found
    assert any(hint in one.hint or hint in one.message for one in found), found
    assert any(Path(one.span.file).name == file and one.span.line > 1 for one in found), found


def test_weapons_have_the_dice_of_their_skill_and_damage() -> None:
    run("new", "ruleset", "Made")
    rules = RulesetCache()
    build = load_character(Path("made/characters/ada-quill.yaml"), rules, {}).build
    assert build is not None
    (bow,) = build.rows["weapons"]
    assert (bow["attack"], bow["damage"]) == ("3D", "3D")


def test_a_book_in_the_folder_is_no_part_of_the_rules() -> None:
    run("new", "ruleset", "Made")
    Path("made/book.yaml").write_text("title: All\nentries: [{id: all, tables: .}]\n")
    checked = load_checked_ruleset("./made")
    assert checked.rules is not None
    (finding,) = checked.findings
    assert finding.hint == "move it to the folder above"


KINDS = """\
kinds:
  npc:
    one: NPC
    label: NPCs
    keeps: [groups]
    character: {name: {kind: text}, skills: {kind: codes, of: skills}}
  boat:
    one: boat
    label: Boats
    groups: {parts: {label: Parts, one: part, rating: dice, traits: {helm: {name: Helm}}}}
    character:
      name: {kind: text}
      pilot: {kind: text, of: npc, gives: {helm: climb}}
encounter: {as: npc, strips: {npc: {label: NPC, figures: []}}}
"""


def test_what_a_file_takes_over_sees_the_names_of_whoever_is_named() -> None:
    run("new", "ruleset", "Made")
    path = Path("made/kinds.yaml")
    path.write_text(KINDS)
    assert run("check", "made").out == "made: clean\n"
    path.write_text(KINDS.replace("helm: climb", "helm: clim"))
    assert "did you mean `climb`?" in run("check", "made").out


def test_a_hint_names_every_form_of_a_combatant() -> None:
    run("new", "ruleset", "Made")
    Path("made/kinds.yaml").write_text(KINDS)
    Path("fight.yaml").write_text("ruleset: ./made\nencounter: Fight\ncombatants: [{npc: Bo}]\n")
    hint = "write one of: `{kind: npc, …}`, `{kind: boat, …}`, `{file: …}`"
    assert hint in run("check", "fight.yaml").out
