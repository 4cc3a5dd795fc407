"""Fonts of strangers are bounded in time and memory, and what is refused is remembered."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.misc.psCharStrings import T2CharString
from fontTools.ttLib import TTFont

from sheetgen.diag.findings import Span
from sheetgen.load.designs import fonts
from sheetgen.load.designs.fonts import BadFont, prepare_font
from sheetgen.load.designs.templates import load_all_tokens
from sheetgen.model.source import Text

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(fonts, "_spent", {})


def font_of(program: Sequence[Any], subroutines: Sequence[Sequence[Any]] = ()) -> TTFont:
    """Return a CFF font, in which each letter is drawn by `program`."""
    names = [".notdef", *LETTERS]
    built = FontBuilder(1000, isTTF=False)
    built.setupGlyphOrder(names)
    built.setupCharacterMap({ord(letter): letter for letter in LETTERS})
    built.setupCFF("X", {}, {name: T2CharString(program=[*program]) for name in names}, {})
    for one in subroutines:
        built.font["CFF "].cff.GlobalSubrs.append(T2CharString(program=[*one, "return"]))
    built.setupHorizontalMetrics(dict.fromkeys(names, (500, 0)))
    built.setupHorizontalHeader(ascent=800, descent=-200)
    built.setupNameTable({"familyName": "X", "styleName": "Regular"})
    built.setupOS2()
    built.setupPost()
    built.font.recalcBBoxes = False
    return built.font


def file_of(font: TTFont, folder: Path) -> Path:
    saved = io.BytesIO()
    font.save(saved)
    path = folder / "font.otf"
    path.write_bytes(saved.getvalue())
    return path


def refuse(path: Path, face: str = "text-400") -> str:
    """Return why a font is refused."""
    ours = str(load_all_tokens().fonts[face])
    with pytest.raises(BadFont) as refused:
        prepare_font(path, Text(path.name, Span("theme.yaml")), face, ours)
    return str(refused.value)


def bomb() -> TTFont:
    """Return a font of two kilobytes, whose letters call subroutines 40 ** 8 times."""
    calls: list[list[Any]] = [[at + 1 - 107, "callgsubr"] * 40 for at in range(8)]
    return font_of([0, "hmoveto", -107, "callgsubr", "endchar"], [*calls, [1, 1, "rlineto"]])


def test_a_font_that_takes_too_long_is_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fonts, "_SECONDS", 1)
    path = file_of(bomb(), tmp_path)
    reason = refuse(path)
    assert "takes more than 1 s of processor time" in reason
    monkeypatch.setattr(fonts, "run_bounded", None)
    monkeypatch.setattr(fonts, "_spent", {})  # as in another run
    assert refuse(path, "text-700") == reason


def test_the_faces_of_a_small_font_share_the_time_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_of(bomb(), tmp_path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(fonts, "_spent", {digest: float(fonts._SECONDS)})
    assert "its faces take more than" in refuse(path)


@pytest.mark.parametrize("size", [0, 4, 100, 600])
def test_a_font_that_ends_early_is_damaged(tmp_path: Path, size: int) -> None:
    path = file_of(font_of([0, "hmoveto", "endchar"]), tmp_path)
    path.write_bytes(path.read_bytes()[:size])
    assert "is no font, or is damaged" in refuse(path)
