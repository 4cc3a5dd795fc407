"""Designs in a ruleset's own folder: found by `./name`, checked, bounded, and never elsewhere."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pikepdf
import pytest

from sheetgen.data import templates_folder
from tests.cli.commands import run

ADA = "made/characters/ada-quill.yaml"
HEAD = Path("made/ruleset.yaml")
SHEET = Path("made/sheet")


@pytest.fixture(autouse=True)
def _made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("new", "ruleset", "Made", "--design").status == 0


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def _words(path: str) -> str:
    with pikepdf.open(path) as pdf:
        return "".join(page.Contents.read_bytes().decode("latin-1") for page in pdf.pages)


@pytest.mark.slow
def test_the_new_design_is_clean_and_prints_all_of_the_character() -> None:
    assert run("check", "made", ADA, "made/sheet/sheet.yaml").out.count(": clean") == 3
    said = run("sheet", ADA)
    assert (said.out, said.status) == ("output/ada-quill.pdf\n", 0)
    assert "SG3" not in said.err, said.err  # nothing moved, nothing cut, no other sheet instead
    with pikepdf.open("output/ada-quill.pdf") as pdf:
        assert len(pdf.pages) == 2
        names = {str(field.get("/T")) for field in pdf.Root.AcroForm.Fields}
    assert names >= {"name", "weapons", "knacks", "points", "notes"}


@pytest.mark.slow
@pytest.mark.parametrize("options", [("--paper", "letter"), ("--theme", "mono")])
def test_the_new_design_prints_in_other_looks(options: tuple[str, str]) -> None:
    said = run("sheet", "--blank", "./made", *options)
    assert said.status == 0
    assert "SG311" not in said.err, said.err


@pytest.mark.slow
def test_a_change_of_the_design_changes_the_next_print() -> None:
    run("sheet", ADA, "--to", "html")
    assert "Coins of the realm" not in Path("output/ada-quill.html").read_text(encoding="utf-8")
    _replace(SHEET / "sheet.html.j2", '"coins", "Coins"', '"coins", "Coins of the realm"')
    run("sheet", ADA, "--to", "html", "--force")
    assert "Coins of the realm" in Path("output/ada-quill.html").read_text(encoding="utf-8")


def test_prints_name_no_folder_above_the_ruleset(tmp_path: Path) -> None:
    run("sheet", ADA, "--to", "html", "--to", "pdf")
    for path in Path("output").iterdir():
        assert str(tmp_path).encode() not in path.read_bytes()


MISTAKES = [
    ("sheet.yaml", "sheet/sheet.css", "sheet/shet.css", "sheet.yaml:5:", "`sheet/sheet.css`"),
    ("sheet.yaml", "tables: []", "tables: [nope]", "sheet.yaml:8:", "Made has no table `nope`"),
    ("sheet.yaml", "pages:", "pagse:", "sheet.yaml:7:", "did you mean `pages`?"),
    ("sheet.html.j2", "{{ page_foot(1) }}", "{{ pag_foot(1) }}", "sheet.html.j2:", "pag_foot"),
    ("sheet.html.j2", "{% block pages %}", "{% block pages", "sheet.html.j2:", "rendered"),
    ("sheet.css", "var(--w-hair)", "var(--w-hiar)", "sheet.css:", "which nothing sets"),
]


@pytest.mark.parametrize(("file", "old", "new", "place", "words"), MISTAKES)
def test_a_mistake_is_a_finding_at_its_line(
    file: str, old: str, new: str, place: str, words: str
) -> None:
    _replace(SHEET / file, old, new)
    said = run("sheet", ADA) if not file.endswith(".yaml") else run("check", "made")
    assert said.status == 1
    told = said.out + said.err
    assert f"made/sheet/{place}" in told
    assert words in told


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("./shet", "did you mean `./sheet`?"),
        ("./../made/sheet", "use one of: ./sheet"),
        ("./characters", "use one of: ./sheet"),
        ("./", "use one of: ./sheet"),
        ("/etc/passwd", "use one of: ./sheet"),
    ],
)
def test_a_name_that_leads_nowhere_is_a_finding(name: str, hint: str) -> None:
    _replace(HEAD, "sheet: ./sheet", f"sheet: {name}")
    said = run("check", "made")
    shown = name if name.startswith(".") else "passwd"  # an absolute path is no design
    assert f"there is no sheet `{shown}`" in said.out
    assert run("sheet", ADA).status == 1
    assert hint in said.out


@pytest.mark.parametrize("link", ["sheet.css", "themes", "more.css"])
def test_links_are_refused_and_never_read(tmp_path: Path, link: str) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "standard.yaml").write_text("css: {very-secret: '1'}", encoding="utf-8")
    (SHEET / link).unlink(missing_ok=True)
    os.symlink(secret if link == "themes" else secret / "standard.yaml", SHEET / link)
    for said in (run("check", "made"), run("sheet", ADA)):
        assert said.status == 1
        assert f"made/sheet/{link}:1:1: error[SG310]" in said.out + said.err
        assert "very-secret" not in said.out + said.err


def test_a_linked_folder_is_no_design(tmp_path: Path) -> None:
    shutil.move(SHEET, tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", SHEET)
    assert "there is no sheet `./sheet`" in run("check", "made").out


def test_many_files_are_refused() -> None:
    for number in range(300):
        (SHEET / f"{number}.css").touch()
    assert "this design has more than 200 files" in run("check", "made").out


def _own_card(name: str) -> None:
    """Copy a design that comes with sheetgen into the ruleset as `./card`."""
    shutil.copytree(templates_folder() / name, "made/card")
    for path in (path for path in Path("made/card").rglob("*") if path.is_file()):
        path.write_text(path.read_text(encoding="utf-8").replace(name, "card"), encoding="utf-8")


@pytest.mark.slow
def test_a_card_lives_with_the_game_and_prints_as_the_shipped_one() -> None:
    run("cards", "./made", "--kind", "gear", "--out", "before")
    _own_card("thing-card")
    _replace(Path("made/cards.yaml"), "card: thing-card", "card: ./card")
    assert run("check", "made").out == "made: clean\n"
    run("cards", "./made", "--kind", "gear", "--out", "after")
    [before, after] = (_words(f"{at}/made-gear-cards.pdf") for at in ("before", "after"))
    assert before == after
    _replace(Path("made/card/card.yaml"), "title: Cards", "title: Cards\nnope: 1")
    assert (
        "made/card/card.yaml:3:1: error[SG011]: there is no key `nope` in `made/card/card.yaml`"
        in run("check", "made").out
    )


def test_a_kind_may_have_a_card_of_the_game() -> None:
    Path("made/kinds.yaml").write_text(
        "kinds: {beast: {label: Beasts, one: beast, keeps: [attributes, skills], card: ./card,\n"
        "  character: {name: {kind: text, required: true, label: Name}}}}\n",
        encoding="utf-8",
    )
    assert "there is no card `./card`" in run("check", "made").out
    _own_card("kind-card")
    assert "there is no card" not in run("check", "made").out


@pytest.mark.slow
def test_an_overlay_brings_its_own_sheet() -> None:
    assert run("new", "ruleset", "Over", "--extends", "./made").status == 0
    shutil.copytree(SHEET, "over/sheet")
    _replace(Path("over/sheet/sheet.html.j2"), '"coins", "Coins"', '"coins", "Shells"')
    Path("over/modules/2-sheet.yaml").write_text(
        "module: own_sheet\nlabel: A sheet\ntext: A sheet of its own\nchange: {sheet: ./sheet}\n",
        encoding="utf-8",
    )
    run("sheet", "over/characters/ada-quill.yaml", "--to", "html")
    assert "Shells" in Path("output/ada-quill.html").read_text(encoding="utf-8")
