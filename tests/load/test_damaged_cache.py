"""Fonts and odds that were kept and are damaged: made again, without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from sheetgen.load.cache import cache_path
from sheetgen.load.designs.designs import load_design
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.materials.plates import find_web_font
from sheetgen.prints.sheet import find_sheet_odds
from tests.shelf import ruleset

DAMAGES = (b"", b"null", b"[[[[", b"\xff\xfe" * 500, b'{"a": ')


def damaged(content: bytes) -> None:
    for path in cache_path("").iterdir():
        path.write_bytes(content)


@pytest.fixture
def _empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.mark.usefixtures("_empty_cache")
def test_odds_are_made_again() -> None:
    rules = ruleset(ruleset_ids()[0])
    good = find_sheet_odds(rules, None)
    for content in DAMAGES:
        damaged(content)
        assert find_sheet_odds(rules, None) == good


@pytest.mark.usefixtures("_empty_cache")
def test_fonts_are_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sheetgen.materials.plates.read_shipped", lambda _: None)
    rules = ruleset(ruleset_ids()[0])
    design = load_design(str(rules.sheet or "plain"), "standard", "a4").value
    assert design is not None
    file = min(design.tokens.faces.values())
    good = find_web_font(file)
    for content in DAMAGES[:2]:
        damaged(content)
        assert find_web_font(file) == good
