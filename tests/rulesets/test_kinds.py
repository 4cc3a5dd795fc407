"""Mistakes in kinds of files and in the page of fights are findings: one each, at its place."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.prints.rulesets import load_checked_ruleset
from tests.cli.commands import run

WRONG = [
    ("kinds.yaml", "value: reaction_time + speed}", "value: reaction_time + speeed}", "`speeed`"),
    ("kinds.yaml", "value: reaction_time + speed}", "value: reaction_time + n}", "`n` here"),
    ("kinds.yaml", 'text: "{strike}"', 'text: "{strike"', "a brace is not closed"),
    ("kinds.yaml", 'dots: "{total}"', 'dots: "{cost}"', "`cost`"),
    ("kinds.yaml", "marked: hits_lost", "marked: hits_lots", "`hits_lots`"),
    ("kinds.yaml", "first: [blasters,", "first: [blastars,", "no trait `blastars`"),
    ("kinds.yaml", "blasters: [Blaster]", "blasters: [Blastr]", "no item `Blastr`"),
    ("kinds.yaml", "card: keyword-dots-npc", "card: keyword-dots-np", "`keyword-dots-np`"),
    ("kinds.yaml", "keeps: [groups,", "keeps: [groupz,", "no part of the rules `groupz`"),
    ("kinds.yaml", "based_on: npc", "based_on: npcc", "no key `npcc`"),
    (
        "kinds.yaml",
        "    based_on: npc",
        "    block: {order: [notes, notes]}\n    based_on: npc",
        "`order` of the card has `notes` twice",
    ),
    ("encounter.yaml", "order: initiative", "order: initiativ", "no number `initiativ`"),
    ("encounter.yaml", "as: npc", "as: npcc", "no strip `npcc`"),
    ("encounter.yaml", "of: strike_shown.text", "of: striek_shown.text", "`striek_shown`"),
    ("encounter.yaml", "[{of: name}, {of: dots}]", "[{of: name}, {of: dotz}]", "no column `dotz`"),
    (
        "encounter.yaml",
        "tables: [fight_defense,",
        "tables: [fight_defence,",
        "no table `fight_defence`",
    ),
    (
        "encounter.yaml",
        "  as: npc",
        "  as: npc\n  rules: {few: {require: 1 == 1, message: Too many, creation: true}}",
        "`creation` has no effect",
    ),
    ("encounter.yaml", "track: {of: harm", "track: {of: harms", "no track `harms`"),
]


@pytest.mark.many
@pytest.mark.parametrize(("file", "old", "new", "said"), WRONG)
def test_a_mistake_is_one_finding(
    file: str, old: str, new: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(rulesets_folder() / "keyword-dots", "game")
    path = Path("game", file)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    (finding,) = load_checked_ruleset("./game", proof=True).findings
    assert said in finding.message
    assert Path(finding.span.file).name == file
    assert finding.span.line > 1


@pytest.mark.parametrize(("count", "findings"), [(15, 0), (16, 1)])
def test_a_list_has_as_many_columns_as_a_generated_sheet_has_room_for(
    count: int, findings: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("new", "ruleset", "game", "--like", "d20").status == 0
    path = tmp_path / "game" / "ruleset.yaml"
    columns = ", ".join(f'c{n}: "{{name}}"' for n in range(count))
    text = path.read_text(encoding="utf-8")
    old = 'columns: {name: "{name}{times}"}'
    assert old in text
    path.write_text(text.replace(old, f"columns: {{{columns}}}"), encoding="utf-8")
    said = run("check", "game")
    assert said.out.count("columns; a generated sheet") == findings
