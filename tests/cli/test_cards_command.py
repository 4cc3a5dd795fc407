"""`sheetgen cards` as a user meets it: filters, refusals with what would fit, exit status."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.commands import CHARACTERS, run
from tests.render.viewers import text_of

MIXED = """ruleset: hyperspace-d6
kind: npc
entries:
  - {npc: Thug, name: Brik}
  - {npc: Thugg, name: Nobody}
"""


def test_filters_choose_by_group_and_name(tmp_path: Path) -> None:
    said = run("cards", "hyperspace-d6", "--kind", "npc", "--group", "scum", "--out", tmp_path)
    assert (said.status, said.err) == (0, "")
    (path,) = said.out.split()
    words = text_of(Path(path).read_bytes())
    assert "Bounty Hunter" in words
    assert "Stormtrooper" not in words
    more = ("--name", "thug", "--name", "crime lord")
    one = run("cards", "hyperspace-d6", "--kind", "npc", *more, "--to", "html", "--out", tmp_path)
    page = Path(one.out.strip()).read_text(encoding="utf-8")
    assert page.count('<article class="card"') == 2
    assert "script" not in page.lower().replace("description", "")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("hyperspace-d6",), "hint: use one of the kinds: npc, vehicle, gear"),
        (("hyperspace-d6", "--kind", "npc", "--group", "Imperiels"), "did you mean `Imperials`?"),
        ((CHARACTERS / "hyperspace-d6" / "rivet.yaml", "--kind", "gears"), "did you mean `gear`?"),
        (("hyperspace-d6", "--kind", "npc", "--grid", "4x4"), "3 × 3 or 4 × 2 across would fit"),
        (("hyperspace-d6", "--kind", "npc", "--grid", "x"), "the grid `x` is not COLSxROWS"),
        (("hyperspace-d6", "--kind", "npc", "--bleed", "3"), "is not a length"),
        (("hyperspace-d6", "--kind", "npc", "--back-offset", "1"), "write two lengths"),
        (("hyperspace-d6", "--kind", "npc", "--name", "nobody"), "there is no name `nobody`"),
    ],
)
def test_wrong_usage_says_what_would_do(
    words: tuple[str, ...], expected: str, tmp_path: Path
) -> None:
    said = run("cards", *words, "--out", tmp_path)
    assert said.status == 2
    assert expected in said.err
    assert not list(tmp_path.iterdir())


def test_one_bad_entry_keeps_no_other_from_its_card(tmp_path: Path) -> None:
    path = tmp_path / "mixed.yaml"
    path.write_text(MIXED, encoding="utf-8")
    said = run("cards", path, "--out", tmp_path / "out")
    assert said.status == 1
    assert "did you mean `Thug`?" in said.err
    words = text_of(Path(said.out.strip()).read_bytes())
    assert "Brik" in words
    assert "Nobody" not in words


@pytest.mark.parametrize(
    ("name", "meant"), [("keywrd-dots", "keyword-dots"), ("narrative-powrs", "narrative-powers")]
)
def test_a_misspelt_ruleset_is_told_its_name(name: str, meant: str, tmp_path: Path) -> None:
    said = run("cards", name, "--out", tmp_path)
    assert said.status == 2
    assert f"there is no ruleset `{name}`" in said.err
    assert f"did you mean `{meant}`?" in said.err


STOCK = """ruleset: d6-pips
kind: npc
entries:
"""


@pytest.mark.parametrize(
    ("asked", "printed"),
    [
        ("ガード", ["ガード"]),
        ("bar", ["Bar"]),
        ("BÄR", ["Bär"]),
        ("C+", ["C+"]),
        ("bâr", ["Bär", "Bar"]),
    ],
)
def test_exact_name_wins_over_similar_ones(asked: str, printed: list[str], tmp_path: Path) -> None:
    rated = "attributes: {DEX: 2D, KNO: 2D, MEC: 2D, PER: 2D, STR: 2D, TEC: 2D}"
    names = ("ガード", "カード", "Bär", "Bar", "C", "C+")
    stock = STOCK + "".join(f'  - {{name: "{name}", {rated}}}\n' for name in names)
    (tmp_path / "npc.yaml").write_text(stock, encoding="utf-8")
    said = run("cards", tmp_path / "npc.yaml", "--name", asked, "--to", "html", "--out", tmp_path)
    page = Path(said.out.strip()).read_text(encoding="utf-8")
    assert re.findall(r'<article class="card"[^>]* aria-label="([^"]*)"', page) == printed


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("--kind", "NPC", "--size", "Poker", "--paper", "Letter", "--backs", "Long-Edge"),
        ("--kind", "Npc", "--to", "HTML", "--theme", "Ink-Saver"),
        ("--kind", "NPC", "--for", "Home-A4"),
    ],
)
def test_words_of_options_may_be_in_any_case(words: tuple[str, ...], tmp_path: Path) -> None:
    said = run("cards", "d6-pips", *words, "--name", "guard", "--out", tmp_path)
    assert (said.status, said.err) == (0, "")
    assert Path(said.out.strip()).suffix == (".html" if "HTML" in words else ".pdf")


def test_words_of_books_may_be_in_any_case(tmp_path: Path) -> None:
    keys = "kind: NPC, size: Poker, paper: Letter, to: PDF, theme: Ink-Saver, backs: Long-Edge"
    text = f"title: X\nentries:\n  - {{cards: d6-pips, {keys}, only: [guard]}}\n"
    (tmp_path / "book.yaml").write_text(text, encoding="utf-8")
    said = run("build", tmp_path / "book.yaml")
    assert (said.status, Path(said.out.strip()).suffix) == (0, ".pdf")
