"""Where prints go: one of another character, or on other paper, is not replaced in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from sheetgen.load.rulesets.content import rulesets_folder
from tests.cli.commands import run

ONE = rulesets_folder().parent / "characters" / "hyperspace-d6" / "rivet.yaml"


@pytest.fixture
def heroes(tmp_path: Path) -> Path:
    for folder, name in (("p", "Ada"), ("q", "Bo")):
        text = ONE.read_text("utf-8").replace("name: Rivet", f"name: {name}", 1)
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "hero.yaml").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("format_", ["pdf", "html"])
def test_a_print_of_another_character_is_not_replaced(heroes: Path, format_: str) -> None:
    first, second, out = heroes / "p" / "hero.yaml", heroes / "q" / "hero.yaml", heroes / "out"
    command = ("sheet", "--to", format_, "--out", str(out))
    assert run(*command, str(first)).status == 0
    before = (out / f"hero.{format_}").read_bytes()
    done = run(*command, str(second))
    assert (done.status, done.out) == (1, "")
    assert "error[SG402]" in done.err
    assert "Ada" in done.err
    assert "Bo" in done.err
    assert (out / f"hero.{format_}").read_bytes() == before
    changed = first.read_text("utf-8") + "\nnotes: new\n"
    first.write_text(changed, encoding="utf-8")
    assert run(*command, str(first)).status == 0
    assert (out / f"hero.{format_}").read_bytes() != before
    assert run(*command, str(second), "--force").status == 0


def test_a_print_on_other_paper_is_not_replaced(heroes: Path) -> None:
    hero, out = str(heroes / "p" / "hero.yaml"), str(heroes / "out")
    assert run("sheet", hero, "--out", out).status == 0
    done = run("sheet", hero, "--paper", "letter", "--out", out)
    assert done.status == 1
    assert "216 × 279 mm" in done.err
    assert run("sheet", hero, "--paper", "letter", "--out", out, "--force").status == 0


@pytest.mark.parametrize("name", ["out.pdf", "x.HTML", "y.json"])
def test_a_folder_for_prints_has_no_name_of_a_file(heroes: Path, name: str) -> None:
    done = run("sheet", str(heroes / "p" / "hero.yaml"), "--out", str(heroes / name))
    assert done.status == 2
    assert "it names a folder" in done.err
    assert not (heroes / name).exists()
