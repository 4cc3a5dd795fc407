"""Grids and lengths of cards: what is none, or absurd, is wrong usage or a finding."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run


@pytest.mark.parametrize(
    "option",
    [
        *("--grid=-1x2", "--grid=0x0", "--grid=3", "--grid=1e1x2", "--gutter=-5mm"),
        *("--gutter=9in", "--bleed=-1mm", "--bleed=900mm", "--back-offset=9m,1"),
    ],
)
def test_wrong_usage(option: str, tmp_path: Path) -> None:
    said = run("cards", "hyperspace-d6", "--kind", "npc", option, "--out", tmp_path)
    assert said.status == 2
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("line", ["grid: 0x0", "gutter: -5mm", "bleed: 900mm", "copies: -3"])
def test_findings_in_a_book(line: str, tmp_path: Path) -> None:
    book = tmp_path / "book.yaml"
    book.write_text(f"entries:\n  - cards: [hyperspace-d6]\n    kind: npc\n    {line}\n")
    said = run("build", book, "--dry-run")
    assert said.status == 1
    assert f"{book}:4:" in said.err
