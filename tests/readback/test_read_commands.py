"""`read` and `diff` as a player uses them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.commands import CHARACTERS, run
from tests.readback.sheets import by_pikepdf, hero, named, printed

ANSA = CHARACTERS / "keyword-dots" / "ansa-reth.yaml"


@pytest.fixture
def yaml(tmp_path: Path) -> Path:
    path = tmp_path / "heroes" / "ansa.yaml"
    path.parent.mkdir()
    shutil.copy(ANSA, path)
    return path


def typed(folder: Path, **values: str) -> Path:
    path = folder / "filled.pdf"
    names = {name.replace("__", "."): value for name, value in values.items()}
    path.write_bytes(by_pikepdf(printed(named("ansa-reth")), names))
    return path


def test_a_level_up_comes_back(yaml: Path, tmp_path: Path) -> None:
    sheet = typed(tmp_path, player="Zoe", force_powers__jump__4="On")
    before = yaml.read_text()
    dry = run("read", sheet, "--into", yaml, "--dry-run")
    assert "+  Jump: 4\n" in dry.out
    assert yaml.read_text() == before
    said = run("read", sheet, "--into", yaml)
    assert said.status == 1  # it has not got the points
    assert "Jump: 3 -> 4" in said.out
    assert "2 changes written; now 1 error" in said.out
    assert "SG203" in said.err
    after = yaml.read_text()
    assert after == before.replace("Jump: 3", "Jump: 4").replace("Mara", "Zoe")
    again = run("read", sheet, "--into", yaml.parent)
    assert "nothing to change" in again.out
    assert yaml.read_text() == after
    assert [p.name for p in yaml.parent.iterdir()] == ["ansa.yaml"]


def test_a_conflict_is_shown_and_the_rest_is_written(yaml: Path, tmp_path: Path) -> None:
    sheet = typed(tmp_path, player="Zoe", storyteller="Kim")
    yaml.write_text(yaml.read_text().replace("player: Mara", "player: Maro"))
    said = run("read", sheet, "--into", yaml)
    assert said.status == 1
    assert "storyteller: Kim\n" in yaml.read_text()
    assert "player: Maro\n" in yaml.read_text()
    assert "in the file Maro" in said.out


def test_json_says_the_same(yaml: Path, tmp_path: Path) -> None:
    said = run("read", typed(tmp_path, player="Zoe"), "--into", yaml, "--format", "json")
    data = json.loads(said.out)
    (sheet,), (file,) = data["sheets"], data["files"]
    assert sheet["character"] == "Ansa Reth"
    assert sheet["into"] == str(yaml)
    assert [(c["label"], c["filled"], c["state"]) for c in sheet["changes"]] == [
        ("Player", "Zoe", "merged")
    ]
    assert file["written"]
    assert "+player: Zoe" in file["diff"]


def test_a_file_keeps_its_mark_mode_and_link(yaml: Path, tmp_path: Path) -> None:
    yaml.write_bytes(b"\xef\xbb\xbf" + yaml.read_bytes())
    yaml.chmod(0o600)
    link = tmp_path / "link.yaml"
    link.symlink_to(yaml)
    sheet = typed(tmp_path, hits__box__7="On")
    said = run("read", sheet, "--into", link)
    assert said.out.splitlines()[-1].startswith(f"{link}: ")
    assert link.is_symlink()
    assert yaml.stat().st_mode & 0o777 == 0o600
    assert yaml.read_bytes().startswith(b"\xef\xbb\xbf#")


def test_the_wrong_file_is_not_touched(tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    shutil.copy(CHARACTERS / "hyperspace-d6" / "rivet.yaml", other)
    before = other.read_bytes()
    said = run("read", typed(tmp_path, player="Zoe"), "--into", other)
    assert said.status == 1
    assert "SG812" in said.err
    assert other.read_bytes() == before


@pytest.mark.parametrize("where", ["none", "folder"])
def test_a_sheet_without_a_file_is_said(where: str, tmp_path: Path) -> None:
    into = tmp_path / "none.yaml" if where == "none" else tmp_path / "empty"
    (tmp_path / "empty").mkdir()
    said = run("read", typed(tmp_path, player="Zoe"), "--into", into)
    assert said.status == 1
    assert "SG814" in said.err
    assert not (tmp_path / "none.yaml").exists()


def test_what_is_no_sheet_is_said(tmp_path: Path) -> None:
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"%PDF-1.7 nothing")
    said = run("read", bad, typed(tmp_path, player="Zoe"), "--into", CHARACTERS, "--dry-run")
    assert said.status == 1
    assert "SG803" in said.err
    assert "Player: Mara -> Zoe" in said.out  # one bad file never stops the others


def test_an_empty_sheet_begins_a_file(tmp_path: Path) -> None:
    assert run("sheet", "--blank", "keyword-dots", "--out", tmp_path).status == 0
    (blank,) = tmp_path.glob("*.pdf")
    values = {"name": "Nova", "class": "Sith Warrior", "abilities.luck.1": "On", "dice.1": "d2"}
    blank.write_bytes(by_pikepdf(blank.read_bytes(), values))
    new = tmp_path / "nova.yaml"
    said = run("read", blank, "--into", new)
    assert "written" in said.out
    assert new.read_text() == (
        "ruleset: keyword-dots\nname: Nova\nclass: Sith Warrior\nabilities: {Luck: 1}\ndice: [d2]\n"
    )
    assert run("read", blank, "--into", new).out.splitlines()[-1].startswith(f"{new}: nothing")


def test_a_diff_says_what_changed_and_what_it_cost(yaml: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.yaml"
    text = yaml.read_text().replace("Jump: 3", "Jump: 4").replace("xp: 130", "xp: 140")
    new.write_text(text.replace("equipment: [Armor", "equipment: [Bell"))
    said = run("diff", yaml, new)
    assert said.status == 0
    lines = said.out.splitlines()
    assert "  Jump: 3 -> 4" in lines
    assert "  Jump 3 to 4: 4 XP" in lines
    assert "  - Armor" in lines
    assert "  + Bell" in lines
    assert "XP: gained 130 -> 140, spent 128 -> 132, left 2 -> 8" in lines
    data = json.loads(run("diff", yaml, new, "--format", "json").out)
    assert data["cost"] == {"xp": 4}
    assert {"part": "ratings", "label": "Jump", "old": "3", "new": "4"} in data["differences"]


def test_a_diff_names_findings_that_came_and_went(yaml: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.yaml"
    new.write_text(yaml.read_text().replace("Jump: 3", "Jump: 5"))
    said = run("diff", yaml, new)
    assert said.status == 1
    assert "new error:" in said.out
    assert "no longer: error:" in run("diff", new, yaml).out


def test_alike_and_unlike_files(yaml: Path, tmp_path: Path) -> None:
    assert run("diff", yaml, yaml).out == "the two builds are alike\n"
    other = CHARACTERS / "hyperspace-d6" / "rivet.yaml"
    said = run("diff", yaml, other)
    assert said.status == 1
    assert "different rulesets" in said.out
    assert run("diff", yaml, tmp_path / "none.yaml").status == 1


def test_names_from_a_sheet_stay_text(yaml: Path, tmp_path: Path) -> None:
    evil = "x: {y}\n- !!python/object:z &a *b # \x1b[31m"
    run("read", typed(tmp_path, player=evil), "--into", yaml)
    found = hero(ANSA).rules
    assert found is not None
    data = json.loads(run("show", yaml, "--format", "json").out)
    assert "x: {y}" in json.dumps(data) or run("check", yaml).status == 0
