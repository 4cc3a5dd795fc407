"""Fonts of strangers are bounded in time and memory, and what is refused is remembered."""

from __future__ import annotations

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
from sheetgen.load.designs.fonts import BadFont, FontFile, prepare_font
from sheetgen.load.designs.templates import load_all_tokens
from sheetgen.model.source import Text

pytestmark = pytest.mark.slow

BOX = [0, "hmoveto", 400, "hlineto", 700, "vlineto", -400, "hlineto", "endchar"]
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


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


def prepare(path: Path, face: str, spent: list[float] | None = None) -> FontFile:
    ours = load_all_tokens().fonts
    name = Text(path.name, Span("theme.yaml"))
    return prepare_font(path, name, face, ours, [] if spent is None else spent)


def refuse(path: Path, face: str = "text-400", spent: list[float] | None = None) -> str:
    """Return why a font is refused."""
    with pytest.raises(BadFont) as refused:
        prepare(path, face, spent)
    return str(refused.value)


def bomb() -> TTFont:
    """Return a font of two kilobytes, whose letters call subroutines 40 ** 8 times."""
    calls: list[list[Any]] = [[at + 1 - 107, "callgsubr"] * 40 for at in range(8)]
    return font_of([0, "hmoveto", -107, "callgsubr", "endchar"], [*calls, [1, 1, "rlineto"]])


def test_a_font_that_takes_too_long_is_parsed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fonts, "_SMALL_SECONDS", 1)
    path = file_of(bomb(), tmp_path)
    reason = refuse(path)
    assert "takes more than 1 s of processor time" in reason
    monkeypatch.setattr(fonts, "run_bounded", None)
    assert refuse(path, "text-700") == reason


def test_small_fonts_of_a_theme_share_the_time_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, spent = file_of(font_of(BOX), tmp_path), [0.0]
    prepare(path, "text-400", spent)
    assert spent[1] > 0
    other = file_of(font_of([*BOX[:-1], 5, 5, "rlineto", "endchar"]), tmp_path)
    assert "this and fonts before it take more than" in refuse(other, spent=[fonts._SMALL_SECONDS])
    prepare(other, "text-400")  # it is not remembered as refused


def test_fonts_that_were_refused_take_the_time_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fonts, "_SECONDS", 1)
    monkeypatch.setattr(fonts, "_SMALL", 0)
    spent: list[float] = []
    assert "takes more than 1 s" in refuse(file_of(bomb(), tmp_path), spent=spent)
    assert sum(spent) >= 1
    assert "this and fonts before it" in refuse(file_of(font_of(BOX), tmp_path), spent=spent)


def test_faces_of_a_font_that_is_not_variable_are_built_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_of(font_of(BOX), tmp_path)
    regular = prepare(path, "text-400")
    italic = prepare(path, "text-400i")
    monkeypatch.setattr(fonts, "run_bounded", None)
    for face in ("text-600", "text-700"):
        assert (str(prepare(path, face)), prepare(path, face).data) == (str(regular), regular.data)
    assert str(italic) != str(regular)


@pytest.mark.parametrize("size", [0, 4, 100, 600])
def test_a_font_that_ends_early_is_damaged(tmp_path: Path, size: int) -> None:
    path = file_of(font_of([0, "hmoveto", "endchar"]), tmp_path)
    path.write_bytes(path.read_bytes()[:size])
    assert "is no font, or is damaged" in refuse(path)


def test_a_font_that_is_refused_is_parsed_once_for_each_face(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    font = font_of(BOX)
    font["hmtx"].metrics.update(dict.fromkeys(LETTERS, (20_000, 0)))
    path = file_of(font, tmp_path)
    reason = refuse(path, "text-400")
    assert "impossible size" in reason
    monkeypatch.setattr(fonts, "run_bounded", None)
    for face in ("text-400", "text-600", "text-700"):
        assert refuse(path, face) == reason
