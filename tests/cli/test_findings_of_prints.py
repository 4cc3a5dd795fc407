"""Findings of prints and books, which no file of tests/errors can cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from sheetgen.cli.new import scaffold_files
from sheetgen.diag.findings import DesignError
from sheetgen.load.rulesets.content import starter_text
from sheetgen.render.html.page import build_styles, render_template
from tests.cli.commands import run

GAME = "d6-pips"
FIGHT = "ruleset: hyperspace-d6\nencounter: The gate\ncombatants:\n"


def hero(folder: Path, **keys: str) -> Path:
    """Write the starter of a game with other values for some of its keys."""
    lines = [
        line
        for line in starter_text(GAME).replace("{name}", "Bo").splitlines()
        if line.partition(":")[0] not in keys
    ]
    path = folder / "bo.yaml"
    text = "\n".join([*lines, *(f"{key}: {value}" for key, value in keys.items())])
    path.write_text(text + "\n", encoding="utf-8")
    return path


def book(folder: Path, text: str) -> Path:
    path = folder / "book.yaml"
    path.write_text(f"title: A book\nout: out\nentries:\n{text}", encoding="utf-8")
    return path


def test_a_text_that_does_not_fit_is_named(tmp_path: Path) -> None:
    long = " ".join(f"word{n}" for n in range(60))
    done = run("sheet", hero(tmp_path, player=long), "--out", tmp_path / "out")
    assert done.status == 0
    assert "bo.yaml:1:1: warning[SG301]: " in done.err
    assert "`word0 word1 word2 word3 word4 word5 word…` does not fit" in done.err


def test_letters_without_a_glyph_are_named(tmp_path: Path) -> None:
    done = run("sheet", hero(tmp_path, player="Ꮳꮃꭹ"), "--out", tmp_path / "out")
    assert done.status == 0
    assert "warning[SG303]: no font of this print has Ꮳ ꮃ ꭹ" in done.err
    assert ":1:1:" not in done.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "text", "place"),
    [
        ("cards", "ruleset: hyperspace-d6\nkind: npc\nlevel: Common\nname: 김철수\n", "4:7"),
        ("encounter", f"{FIGHT}  - {{npc: Stormtrooper, name: 김철수}}\n", "4:31"),
    ],
)
def test_letters_without_a_glyph_have_a_place(
    command: str, text: str, place: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    done = run(command, path, "--out", tmp_path / "out")
    assert done.status == 0
    assert f"a.yaml:{place}: warning[SG303]: no font of this print has 김 철 수" in done.err
    assert "`--to html`" in done.err
    assert not run(command, path, "--to", "html", "--out", tmp_path / "html").err


@pytest.mark.parametrize(
    ("template", "line", "wrong"),
    [
        ("one\n{{ nothing.at_all }}", 2, "nothing"),
        ("one\ntwo\n{% if %}", 3, "Expected an expression"),
        ("{{ 1 // zero }}", 1, "zero"),
    ],
)
def test_a_template_that_cannot_be_rendered_is_named(template: str, line: int, wrong: str) -> None:
    with pytest.raises(DesignError) as error:
        render_template({"a/b.html.j2": template}, "a/b.html.j2", {"zero": 0})
    (finding,) = error.value.findings
    assert finding.code.id == "SG305"
    assert (Path(finding.span.file).name, finding.span.line) == ("b.html.j2", line)
    assert wrong in finding.message


def test_a_style_sheet_with_an_unknown_variable_is_named() -> None:
    with pytest.raises(DesignError) as error:
        build_styles({"a.css": "b {}\np { font-size: var(--size-none) }"}, ("a.css",), "")
    (finding,) = error.value.findings
    assert (finding.code.id, finding.span.line) == ("SG305", 2)
    assert "`--size-none`" in finding.message
    assert finding.hint


def test_a_combined_file_without_one_of_its_parts_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "heroes").mkdir()
    hero(tmp_path / "heroes")
    (tmp_path / "heroes" / "broken.yaml").write_text(f"ruleset: {GAME}\nname: [", "utf-8")
    text = "  - {id: party, sheets: heroes}\ncombined:\n  - {name: all, of: [party]}\n"
    done = run("build", book(tmp_path, text))
    assert done.status == 1
    assert "error[SG704]: " in done.err
    assert "`all.pdf` is not written" in done.err
    assert not (tmp_path / "out" / "all.pdf").exists()


def test_a_print_that_breaks_off_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr("sheetgen.books.workers.print_request", broken)
    hero(tmp_path)
    done = run("build", book(tmp_path, "  - {sheets: bo.yaml}\n"), "--jobs", "1")
    assert done.status == 1
    assert "bo.yaml:1:1: error[SG706]: " in done.err
    assert "ZeroDivisionError: on purpose" in done.err


@pytest.mark.parametrize("words", [("cards", "--kind", "gear"), ("pieces",), ("tables",)])
def test_errors_of_a_ruleset_are_shown_by_every_print(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    for name, text in scaffold_files("Errors").items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text.replace("texts:", "txts:"), encoding="utf-8")
    said = run(words[0], tmp_path, *words[1:], "--out", tmp_path / "out")
    assert said.status == 1
    assert "error[SG011]: there is no key `txts`" in said.err
    assert "SG405" not in said.err
