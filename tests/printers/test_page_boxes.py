"""Nothing is printed over other text, nor where printers do not print."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from sheetgen.load.rulesets.content import rulesets_folder
from tests.cli.commands import run
from tests.printers.page_boxes import painted

pytestmark = pytest.mark.slow

LARGE = ("--theme", "large-print")
LEAST = 5
"""Millimetres from the edge that most printers reach."""

ROOMY = 6.9
"""Millimetres that titles and credits in margins keep from the edge."""

PRINTS = (
    (
        "cards",
        "wound-points",
        "--kind",
        "npc",
        *["--size", "tarot", "--paper", "letter", "--grid", "1x2"],
    ),
    ("cards", "wound-points", "--kind", "npc", *["--size", "tarot", "--backs", "fold"]),
    ("tables", "hyperspace-d6", "chances"),
    ("tables", "hyperspace-d6", "chances", *LARGE),
    ("tables", "keyword-dots", "powers", *LARGE),
    ("tables", "keyword-dots", "costs", *LARGE),
    ("sheet", "--blank", "second-edition-update", *LARGE),
    ("sheet", "--blank", "second-edition-update", *LARGE, "--paper", "letter"),
)


@pytest.mark.parametrize("words", PRINTS, ids=" ".join)
def test_texts_are_apart_and_away_from_the_edge(words: tuple[str, ...], tmp_path: Path) -> None:
    said = run(*words, "--out", tmp_path)
    assert said.status == 0, said.err
    (path,) = said.out.split()
    least = ROOMY if words[0] == "tables" else LEAST
    for page in painted(Path(path).read_bytes()):
        assert [*page.collisions()] == []
        assert [*page.near_edge(least)] == []


@pytest.mark.parametrize("theme", ["standard", "large-print"])
def test_a_long_credit_of_a_screen_stays_on_the_page(theme: str, tmp_path: Path) -> None:
    folder = copytree(rulesets_folder() / "keyword-dots", tmp_path / "long")
    text = (folder / "ruleset.yaml").read_text(encoding="utf-8")
    more = text.replace("Unofficial.", "Unofficial. " + "And what a licence asks for. " * 6, 1)
    (folder / "ruleset.yaml").write_text(more, encoding="utf-8")
    said = run("screen", folder, "--panels", "costs", "--theme", theme, "--out", tmp_path)
    assert said.status == 0, said.err
    (page,) = painted(Path(said.out.strip()).read_bytes())
    assert [*page.collisions()] == []
    assert [*page.near_edge(ROOMY)] == []
    assert sum("licence" in text for _, text in page.texts) > 1
