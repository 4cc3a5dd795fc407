"""The party on one page: the values that a ruleset names, or all that have a label."""

from __future__ import annotations

import html
import re
import shutil
from pathlib import Path

import pymupdf
import pytest

from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.prints.characters import load_characters
from tests.cli.commands import CHARACTERS, run

STRANGE = Path(__file__).parent.parent / "rulesets" / "games" / "lantern"


def _rows(page: Path) -> list[list[str]]:
    """Return the texts of the cells of a page's tables."""
    rows = re.findall(r"<tr\b.*?</tr>", page.read_text(encoding="utf-8"), re.DOTALL)
    cells = (re.findall(r"<t[hd]\b.*?</t[hd]>", row, re.DOTALL) for row in rows)
    return [[html.unescape(re.sub(r"<[^>]*>", "", one)).strip() for one in row] for row in cells]


@pytest.mark.parametrize("game", ruleset_ids())
def test_each_character_has_a_row(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run("party", str(CHARACTERS / game), "--to", "html", "--to", "pdf")
    assert said.status == 0, said.err
    names = {row[0] for row in _rows(Path(said.out.split()[0]))}
    for one in load_characters([CHARACTERS / game]):
        if one.build is not None:
            assert one.build.name in names


def test_values_are_those_of_the_sheet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("party", str(CHARACTERS / "hyperspace-d6"), "--to", "html")
    rows = {row[0]: row for row in _rows(Path("output/hyperspace-d6-party.html"))}
    for one in load_characters([CHARACTERS / "hyperspace-d6"]):
        build = one.build
        assert build is not None
        shown = [build.derived[name].shown for name in ("dodge", "parry", "block", "soak")]
        assert rows[build.name][3:7] == shown
        credits_ = build.ledgers.get("credits")
        assert rows[build.name][-1] == (f"{credits_.left:,}" if credits_ is not None else "")


def test_a_game_without_such_a_table_shows_all_labels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("new", "ruleset", "Tidewrights")
    hero = next(Path("tidewrights/characters").glob("*.yaml"))
    text = hero.read_text(encoding="utf-8")
    hero.write_text(text.replace("name: Ada Quill", 'name: "Ada {Quill}"'), encoding="utf-8")
    said = run("party", "tidewrights/characters", "--to", "html")
    heads, row = _rows(Path(said.out.strip()))
    one = next(load_characters([Path("tidewrights/characters")]))
    assert one.build is not None
    values = {value.label: value.shown for value in one.build.derived.values() if value.label}
    points = {f"{ledger.label} left": str(ledger.left) for ledger in one.build.ledgers.values()}
    assert dict(zip(heads, row, strict=True)) == {"": "Ada {Quill}", **values, **points}


def test_two_games_get_a_page_each_and_nobody_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run("party", str(CHARACTERS / "d6-pips"), str(CHARACTERS / "keyword-dots"))
    assert said.out.split() == ["output/d6-pips-party.pdf", "output/keyword-dots-party.pdf"]
    Path("empty").mkdir()
    assert run("party", "empty").status == 1
    Path("party.yaml").write_text(
        f"title: Us\nentries:\n  - party: [{CHARACTERS / 'd6-pips'}]\n", encoding="utf-8"
    )
    assert "party" in run("build", "party.yaml").out


def test_a_wrong_name_in_a_cell_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("new", "ruleset", "Tidewrights")
    file = Path("tidewrights/reference.yaml")
    cells = '{of: characters, cells: [{head: A, text: "{name}"}, {head: B, text: "{nothing}"}]}'
    text = file.read_text(encoding="utf-8").replace("tables:\n", f"tables:\n  us: {cells}\n", 1)
    file.write_text(text, encoding="utf-8")
    assert "`nothing`" in run("check", "tidewrights").out + run("check", "tidewrights").err


def test_options_are_each_characters_own_and_others_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("new", "ruleset", "Tidewrights")
    file = Path("tidewrights/reference.yaml")
    cells = '{of: characters, cells: [{head: A, text: "{name}"}, {head: B, text: "{start.coins}"}]}'
    text = file.read_text(encoding="utf-8").replace("tables:\n", f"tables:\n  us: {cells}\n", 1)
    file.write_text(text, encoding="utf-8")
    ada = Path("tidewrights/characters/ada-quill.yaml")
    bo = ada.read_text(encoding="utf-8").replace("Ada Quill", "Bo")
    ada.with_name("bo.yaml").write_text(f"{bo}\noptions: {{start.coins: 90}}\n", encoding="utf-8")
    said = run("party", "tidewrights/characters", "--to", "html")
    rows = {row[0]: row[1] for row in _rows(Path(said.out.split()[0]))}
    assert (rows["Ada Quill"], rows["Bo"]) == ("40", "90")
    run("new", "npc", "d6-pips", "--seed", "1", "--out", "npc.yaml")
    said = run("party", "npc.yaml", str(CHARACTERS / "d6-pips"))
    assert "is no character" in said.err
    assert said.status == 0


@pytest.mark.parametrize("like", ["d20", "percentile", "codes", "steps", "pool"])
def test_heads_of_many_values_stand_apart(
    like: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("new", "ruleset", "Tide", "--like", like)
    said = run("party", "tide/characters")
    with pymupdf.open(said.out.strip()) as document:
        words = [pymupdf.Rect(word[:4]) for word in document[0].get_text("words")]
    for at, one in enumerate(words):
        for other in words[at + 1 :]:
            both = one & other
            assert both.is_empty or min(both.width, both.height) < 1, (one, other)


TABLE = """
  shares:
    label: Shares
    of: characters
    cells: [{head: Who, text: "{name}"}, {head: Share, text: "{12 / (grit + 1)}"}]
"""


def _game(folder: Path, more: str) -> Path:
    """Return the folder of a copy of a strange game, with another table of its party."""
    shutil.copytree(STRANGE, folder)
    path = folder / "reference.yaml"
    path.write_text(path.read_text(encoding="utf-8").rstrip() + more, encoding="utf-8")
    return folder


def test_a_cell_that_fails_names_its_character_and_its_column(tmp_path: Path) -> None:
    game = _game(tmp_path / "lantern", TABLE.replace("grit + 1", "grit - grit"))
    said = run("party", game / "characters" / "new.yaml", "--out", tmp_path)
    assert re.search(r"the cell `Share` of [A-Z][^:]*: this divides by nothing", said.err), said.err


def test_two_games_with_one_id_have_names_of_their_own(tmp_path: Path) -> None:
    games = [_game(tmp_path / name, TABLE) / "characters" for name in ("east", "west")]
    said = run("party", *games, "--to", "html", "--out", tmp_path)
    assert (said.status, said.err) == (0, "")
    assert [Path(name).name for name in said.out.split()] == ["east-party.html", "west-party.html"]


def test_tables_of_a_party_have_no_tags_and_no_screen(tmp_path: Path) -> None:
    game = _game(tmp_path / "lantern", f"{TABLE}    where: [x]\n    parts: {{x: X}}\n")
    screen = game / "screen.yaml"
    text = screen.read_text(encoding="utf-8").rstrip()
    screen.write_text(
        f"{text}\n      who: {{title: Who, columns: [[{{head: All, tables: shares}}]]}}\n",
        encoding="utf-8",
    )
    said = run("check", game).out
    assert "`where` of the table `shares` has no effect: its rows are files" in said
    assert "`parts` of the table `shares` has no effect: its rows are files" in said
    assert "the table `shares` has a row for each of some files, and a screen has no files" in said
    assert "`sheetgen party` prints it" in said


def test_a_name_has_no_second_hyphen_beside_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (CHARACTERS / "hyperspace-d6" / "rivet.yaml").read_text(encoding="utf-8")
    name = "name: Wilhelmina-Theodora Featherstonehaugh-Cholmondeley von Hohenlohe-Waldenburg"
    Path("long.yaml").write_text(re.sub(r"(?m)^name: .*", name, text), encoding="utf-8")
    folder = str(CHARACTERS / "hyperspace-d6")
    run("party", folder, "long.yaml", "--theme", "large-print", "--out", "party.pdf")
    with pymupdf.open("party.pdf") as document:
        said = "".join(page.get_text() for page in document)
    assert "Wilhelmina-" in said
    assert not re.search("-[-\\N{HYPHEN}]", said)


@pytest.mark.parametrize("theme", ["standard", "large-print"])
def test_a_small_party_has_rows_to_write_in_and_lines_for_notes(theme: str, tmp_path: Path) -> None:
    """Heads of figures are broken before a long name takes more than four lines."""
    long = "Žofie Ǖngjörg Åqvist-Šťastná of the Šumava Highlands"
    folder = CHARACTERS / "hyperspace-d6"
    some = [folder / f"{one}.yaml" for one in ("sella_finch", "jorra_kest")]
    text = some[0].read_text(encoding="utf-8").replace("name: Sella Finch", f"name: {long}")
    (tmp_path / "long.yaml").write_text(text, encoding="utf-8")
    out = tmp_path / "party.pdf"
    run("party", *some, tmp_path / "long.yaml", "--theme", theme, "--out", out)
    with pymupdf.open(out) as pages:
        (page,) = pages
        rules = sorted({round(line["rect"].y0) for line in page.get_drawings()})
        notes, sella, jorra = (
            page.search_for(one)[0].y0 for one in ("Notes", "Sella Finch", "Jorra Kest")
        )
        name = page.search_for("Žofie")[0].y0
        lines = {round(word[1]) for word in page.get_text("words") if word[0] < 150}
    assert jorra - sella >= 12 * 72 / 25.4
    assert len([y for y in rules if y > notes]) >= 3
    assert 1 <= len({y for y in lines if name - 2 < y < notes - 20}) <= 4
