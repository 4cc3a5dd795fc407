"""Nothing is printed over other text, nor where printers do not print."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.render.page_boxes import painted

LARGE = ("--theme", "large-print")
LEAST = 5
"""Millimetres from the edge that most printers reach."""

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
    ("sheet", "--blank", "second-edition-update", *LARGE),
    ("sheet", "--blank", "second-edition-update", *LARGE, "--paper", "letter"),
)


@pytest.mark.parametrize("words", PRINTS, ids=" ".join)
def test_texts_are_apart_and_away_from_the_edge(words: tuple[str, ...], tmp_path: Path) -> None:
    said = run(*words, "--out", tmp_path)
    assert said.status == 0, said.err
    (path,) = said.out.split()
    for page in painted(Path(path).read_bytes()):
        assert [*page.collisions()] == []
        assert [*page.near_edge(LEAST)] == []
