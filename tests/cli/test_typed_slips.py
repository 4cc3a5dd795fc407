"""Slips of somebody who types fast: each answer names what to type next."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.cli.commands import run

SLIPS = {
    # commands
    "chek hero.yaml": "did you mean `check`?",
    "Sheet hero.yaml": "did you mean `sheet`?",
    "sheets hero.yaml": "did you mean `sheet`?",
    "ls": "write: sheetgen list",
    "level hero.yaml": "write: sheetgen advance FILE",
    "print hero.yaml": "write: sheetgen sheet FILE",
    "npc d6-pips": "write: sheetgen new npc RULESET",
    "hero.yaml": "write: sheetgen check hero.yaml",
    "d6-pips": "write: sheetgen list d6-pips",
    "version": "write: sheetgen --version",
    "help shet": "did you mean `sheet`?",
    "new d6-pips": "write: sheetgen new character d6-pips NAME",
    "new char d6-pips Bo": "did you mean `character`?",
    "new sheet": "write: sheetgen sheet",
    # options
    "--versoin": "did you mean `--version`?",
    "-V": "write `--version`",
    "sheet hero.yaml -o x": "write `--out`",
    "sheet hero.yaml --output x": "write `--out`",
    "sheet hero.yaml --format pdf": "write `--to`",
    "sheet hero.yaml --pdf": "write `--to pdf`",
    "sheet hero.yaml -paper letter": "write `--paper`",
    "sheet hero.yaml —paper letter": "write two hyphens: `--paper`",
    "sheet hero.yaml --kind npc": "an option of `cards`, `pieces`, `schema`",
    "sheet hero.yaml --landscape": "use one of: --blank, --short",
    "cards d6-pips --knid npc": "did you mean `--kind`?",
    "cards d6-pips --only Hunter": "write `--name`",
    # values
    "sheet hero.yaml --paper A5": "add --short",
    "sheet hero.yaml --paper lettre": "did you mean `letter`?",
    "sheet hero.yaml --to pdf,html": "write `--to pdf --to html`",
    "sheet hero.yaml --to docx": "use one of: pdf, html",
    "sheet hero.yaml --theme": "use one of: ink-saver,",
    "sheet --blank d6-pips --theme dark": "use one of the themes: ink-saver,",
    "sheet hero.yaml --dpi fine": "write `--dpi NUMBER`, a whole number from",
    "new book": "use one of: ruleset, character,",
    "sheet hero.yaml --set npc": "write `--set npc=yes`",
    "sheet hero.yaml -p letter": "there is no option `-p`; use one of: --paper",
    "sheet hero.yaml --set": "write `--set OPTION=VALUE`",
    "sheet hero.yaml --out x.csv": "name a folder, or a file that ends in one of: pdf, html,",
    "sheet d6-pips --blank": "write: sheetgen sheet --blank d6-pips",
    "sheet d6-pips --blank --out x": "write: sheetgen sheet --out x --blank d6-pips",
    "sheet hero.yaml --theme --to html": "`--theme` needs a value; use one of: ink-saver,",
    "sheet hero.yaml --out --paper=letter": "write `--out PATH`",
    "new npc d6-pips --out --seed 3": "`--out` needs a value",
    "cards d6-pips --kind npcs": "did you mean `npc`?",
    "cards d6-pips npc": "use one of the kinds: npc,",
    "cards d6-pips --kind npc --name Huntr": "did you mean `Hunter`?",
    "pieces hero.yaml --kind tokens": "did you mean `token`?",
    "odds d6-pips 3D": "write: sheetgen odds 3D --ruleset d6-pips",
    "config set paper letter": 'write `paper = "letter"` into sheetgen.toml',
    "export hero.yaml": "use one of: json, csv",
    "export hero.yaml foundry": "write `--to foundry`",
    # arguments
    "check": "for example: sheetgen check hero.yaml",
    "screen": "RULESET --panels gm; `sheetgen list` shows the rulesets",
    "diff hero.yaml": "for example: sheetgen diff before.yaml hero.yaml",
    "import hero.yaml": "for example: sheetgen import party.xlsx --ruleset RULESET",
    "new character d6-pips Kessa Vorn": 'sheetgen new character d6-pips "Kessa Vorn"',
    "new character d6 pips Bo": "write `d6-pips`",
    "odds 5D vs 14 --table": 'sheetgen odds "5D vs 14" --table',
    "odds '5D vs'": "write, for example, `4D vs 15`",
    "list npc": "say of which ruleset: `sheetgen list d6-pips npc`",
    "list d6-pisp": "did you mean `d6-pips`?",
    "explain SG2O4": "did you mean `SG204`?",
    "explain hero.yaml": "take a code from what `sheetgen check hero.yaml` reports",
    # files
    "sheet hero": "did you mean `hero.yaml`?",
    "sheet hero.yml": "did you mean `hero.yaml`?",
    "sheet 'Tessa Morrow'": "did you mean `tessa-morrow.yaml`?",
    "sheet nobody.yaml": "use one of the files there: hero.yaml, tessa-morrow.yaml",
    "sheet empty": "write a file with `sheetgen new character RULESET NAME`",
    "sheet d6-pips": "`sheetgen sheet --blank d6-pips`",
    "encounter d6-pips": "`sheetgen new character d6-pips NAME`",
    "preview d6-pips": "`sheetgen new character d6-pips NAME`",
    "sheet notes.txt": "start from what `sheetgen new character RULESET NAME` writes",
    "sheet sheet.pdf": "read a filled sheet with `sheetgen read sheet.pdf`",
    "check sheet.pdf": "read it with `sheetgen read`",
    "check face.png": "under `portrait`",
    "read hero.yaml": "`sheetgen read SHEET.pdf --into hero.yaml`",
    "preflight hero.yaml": "print it first, and give the PDF",
    "screen hero.yaml": "such as that of this file: `d6-pips`",
    "sheet --blank hero.yaml": "such as that of this file: `d6-pips`",
    "tables mine": "write `./mine` for the folder",
    "encounter hero.yaml": "print it with `sheetgen sheet`",
    "read tessa.pdf": "did you mean `output/tessa.pdf`?",
    "build hero.yaml": "print it with `sheetgen sheet`",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("hero", "tessa-morrow"):
        (tmp_path / f"{name}.yaml").write_text("ruleset: d6-pips\nname: Tessa\n", "utf-8")
    (tmp_path / "notes.txt").write_text("hello\n", "utf-8")
    (tmp_path / "sheet.pdf").write_bytes(b"%PDF-1.7\n%\xe2\xe3\n")
    (tmp_path / "face.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "ruleset.yaml").write_text("title: Mine\n", "utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "output").mkdir()
    (tmp_path / "output" / "tessa.pdf").write_bytes(b"%PDF-1.7\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("line", SLIPS)
def test_an_answer_names_what_to_type(line: str) -> None:
    said = run(*shlex.split(line))
    text = f"{said.out}{said.err}"
    assert SLIPS[line] in text
    assert "Traceback" not in text
    assert "\\t" not in text


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "line",
    [
        "sheet help",
        "help sheet",
        "sheet --blank D6-Pips --paper Letter --theme MONO --to PDF",
        "list D6_Pips",
        "list games",
        "new character D6Pips Bo",
    ],
)
def test_what_is_meant_is_done(line: str) -> None:
    assert run(*shlex.split(line)).status == 0


@pytest.mark.slow
def test_the_starter_of_a_ruleset_is_no_entry_of_a_book(tmp_path: Path) -> None:
    assert run("new", "ruleset", "Mine", "--out", tmp_path / "mine").status == 0
    said = run("build", tmp_path)
    assert said.status == 0
    assert "starters" not in f"{said.out}{said.err}"
    said = run("show", tmp_path)
    assert said.err.count("SG405") == 1
    assert "files are parts of a ruleset, and passed over" in said.err
