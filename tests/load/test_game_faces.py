"""Faces of games: each its own, a homebrew's made in ten lines, and wrong ones are findings."""

from __future__ import annotations

import os
import re
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from pypdf import PdfReader

from sheetgen.data import data_folder, templates_folder
from sheetgen.diag.findings import DesignError
from sheetgen.load.designs.fonts import find_font, font_bytes
from sheetgen.load.designs.templates import load_theme_tokens
from sheetgen.load.designs.themes import (
    check_face,
    credited_face,
    face_ids,
    load_face,
    ruleset_face,
)
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.prints import Shape, Tokens
from sheetgen.render.fonts.fonts import build_face
from sheetgen.render.html.styles import build_token_styles, draw, draw_plate, draw_rule
from sheetgen.render.press.prepared import draw_shape
from tests.cli.commands import run
from tests.shelf import ruleset

FONT = "Cinzel-Black.ttf"
HEAD = "id: made\ntitle: Made\nversion: 1\nformat: 1\ncredit: {short: M., long: M., licence: MIT}\n"


def _tokens(face: str, theme: str = "standard") -> Tokens:
    return load_theme_tokens(theme, face=load_face(face))


def _own(folder: Path, text: str, font: bytes = b"", name: str = "Mine.ttf") -> str:
    folder.mkdir(exist_ok=True)
    if font:
        (folder / name).write_bytes(font)
    (folder / "face.yaml").write_text(text, encoding="utf-8")
    return str(folder / "face.yaml")


def test_games_can_be_told_apart() -> None:
    faces = [_tokens(str(ruleset(id_).face)) for id_ in ruleset_ids()]
    assert len({tokens.colours["accent"] for tokens in faces}) == len(faces) == 6
    own = [_tokens(id_) for id_ in face_ids()]
    for different in ("corner", "rule"):
        assert len({tokens.css[different] for tokens in own}) == len(own)
    assert len({tokens.faces["display-700"] for tokens in own}) == len(own)
    assert all({"motif", "ornament"} == set(tokens.drawings) for tokens in own)


def test_an_overlay_has_a_face_of_its_own_or_its_base_s() -> None:
    base, over = (ruleset_face(ruleset(id_)) for id_ in ("d6-pips", "wound-points"))
    assert over[:-1] == base
    assert str(over[-1].colours["accent"]) != str(base[0].colours["accent"])
    plain = load_ruleset((Path(__file__).parents[1] / "rulesets" / "lanterns",)).value
    assert plain is not None
    assert ruleset_face(plain) == ()


@pytest.mark.parametrize("face", face_ids())
def test_themes_work_with_each_face(face: str) -> None:
    mono, thin = _tokens(face, "mono"), _tokens(face, "ink-saver")
    for name, drawing in mono.drawings.items():
        assert set(re.findall("#[0-9A-Fa-f]{6}", draw(mono, drawing))) == {"#000000"}, name
        filled = re.findall("d='([^']*)' fill='#", draw(thin, drawing))
        assert not re.search("[ACQ]", "".join(filled)), "only slender shapes of lines are filled"
    large = _tokens(face, "large-print")
    assert large.roles["name"].size == 26
    assert large.faces["display-700"] == _tokens(face).faces["display-700"]


@pytest.mark.parametrize("file", sorted((templates_folder() / "_faces" / "fonts").glob("*.ttf")))
def test_fonts_are_small_and_come_with_their_licence(file: Path) -> None:
    assert file.stat().st_size < 61_440
    licence = file.with_name(f"OFL-{file.name.partition('-')[0]}.txt").read_text(encoding="utf-8")
    assert "SIL Open Font License, Version 1.1" in licence
    assert "with Reserved Font Name" not in licence


@pytest.mark.slow
def test_ten_lines_make_a_face(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "ruleset.yaml").write_text(HEAD, encoding="utf-8")
    text = "like: stencil\ncolours: {accent: '#5B2A86'}\nfonts: {display-700: Mine.ttf}\n"
    _own(tmp_path / "made", text, font_bytes(FONT))
    rules = load_ruleset(tmp_path / "made").value
    assert rules is not None
    tokens = load_theme_tokens("standard", face=ruleset_face(rules))
    assert tokens.colours["accent"] == "#5B2A86"
    assert tokens.css["corner"] == "notch"
    file = tokens.faces["display-700"]
    assert find_font(file) == tmp_path / "made" / "Mine.ttf"
    assert file != "Mine.ttf", "files of one name do not share what is cached under it"
    css = build_token_styles(tokens, "a4", "plate", lambda face: f"asset:{face}")
    assert "--display: display, figure, text;" in css
    assert "--motif: url(" in css


def test_the_plain_look_has_no_font_twice() -> None:
    tokens = load_theme_tokens("standard")
    css = build_token_styles(tokens, "a4", "page", lambda face: f"asset:{face}")
    assert "asset:display-700" not in css
    assert "--display: figure, text; --display-weight: 600;" in css
    assert "--motif: none;" in css


WRONG = [
    ("colours: {accent: '#F0C040'}", "has a contrast of 1."),
    ("fonts: {display-700: Nobody.ttf}", "no font file `Nobody.ttf`"),
    ("fonts: {display-750: Mine.ttf}", "has no `display-750`"),
    ("fonts: {display-700: ../Mine.ttf}", "`../Mine.ttf`"),
    ("like: stensil", "which is no face"),
    ("corner: cut", "no key `corner`"),
    ("css: {display: Url(//nobody.example/a.ttf)}", "`css.display` cannot be"),
    ("css: {corner: wavy}", "`css.corner` cannot be `wavy`"),
    ("drawings: {motif: {box: [10], paths: []}}", "has to be a width and a height"),
    ("drawings: {banner: {box: [9, 9], paths: []}}", "`drawings` has no `banner`"),
    ("drawings: {motif: {box: [9, 9], paths: [{path: 'M0 0 A9', fill: inc}]}}", "`inc`"),
    ("drawings: {motif: {box: [9, 9], paths: [{path: 'M0 0 url(x)'}]}}", "only M, L, C, Z"),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_a_wrong_face_is_a_finding(text: str, said: str, tmp_path: Path) -> None:
    path = _own(tmp_path, text + "\n", font_bytes(FONT))
    with pytest.raises(DesignError) as raised:
        load_theme_tokens("standard", face=load_face(path))
    (finding, *_) = [f for f in raised.value.findings if said in f.message]
    assert finding.span.file == path
    assert finding.span.line == 1


def _patched(at: str, where: int, value: bytes) -> bytes:
    data = bytearray(font_bytes(FONT))
    for row in range(12, 12 + 16 * struct.unpack_from(">H", data, 4)[0], 16):
        if data[row : row + 4] == at.encode():
            start = struct.unpack_from(">I", data, row + 8)[0] + where
            data[start : start + len(value)] = value
    return bytes(data)


FONTS = [
    (b"OTTO" + bytes(200), "has no outlines"),
    (b"wOF2" + bytes(200), "is damaged"),
    (b"\0\1\0\0\0\x0c", "is damaged"),
    (font_bytes(FONT)[:9000], "is damaged"),
    (bytes(40_000_001), "40 MB are read"),
    (_patched("OS/2", 8, b"\0\2"), "may not embed it"),
]


@pytest.mark.parametrize(("font", "said"), FONTS, ids=[str(n) for n, _ in enumerate(FONTS)])
def test_a_font_that_cannot_be_used_is_a_finding(font: bytes, said: str, tmp_path: Path) -> None:
    path = _own(tmp_path, "fonts: {display-700: Mine.ttf}\n", font)
    with pytest.raises(DesignError) as raised:
        load_face(path)
    assert said in raised.value.findings[0].message


def test_a_font_outside_the_folder_is_not_read(tmp_path: Path) -> None:
    path = _own(tmp_path / "made", "fonts: {display-700: Mine.ttf}\n")
    (tmp_path / "Other.ttf").write_bytes(font_bytes(FONT))
    os.symlink(tmp_path / "Other.ttf", tmp_path / "made" / "Mine.ttf")
    with pytest.raises(DesignError):
        load_face(path)


def test_check_reports_a_ruleset_s_face(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("new", "ruleset", "Made")
    _own(tmp_path / "made", "colours: {accent: '#F0C040'}\n")
    assert "a contrast of" in run("check", "made").out
    head = (tmp_path / "made" / "ruleset.yaml").read_text(encoding="utf-8")
    (tmp_path / "made" / "face.yaml").unlink()
    (tmp_path / "made" / "ruleset.yaml").write_text(head + "face: stensil\n", encoding="utf-8")
    said = run("check", "made").out
    assert "stensil" in said
    assert "did you mean `stencil`?" in said


def test_a_cover_has_the_face_of_the_credit() -> None:
    for id_ in ruleset_ids():
        rules = ruleset(id_)
        assert credited_face(rules.credit.short) == ruleset_face(rules)
        assert check_face(rules) == ()
    assert credited_face("Another game.") == ()


def test_a_cover_has_the_face_of_a_homebrew_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("new", "ruleset", "Made")
    run("new", "ruleset", "More", "--extends", "./made")
    _own(tmp_path / "made", "colours: {accent: '#0B6660'}\n")
    for folder in (tmp_path / "made", tmp_path / "more"):
        (face,) = credited_face(f"Made, unpublished. {folder.name.title()}, unpublished.", [folder])
        assert face.colours["accent"] == "#0B6660"


@pytest.mark.parametrize("corner", ["cut", "slant", "notch", "step", "round", "scoop", "hexagon"])
def test_corners_are_drawn_at_their_own_ends(corner: str) -> None:
    tokens = load_theme_tokens("standard")
    changed = Tokens(**{**_fields(tokens), "css": {**tokens.css, "corner": corner}})
    assert draw_plate(changed, 9, 0.7, 0) != draw_plate(
        Tokens(**{**_fields(tokens), "css": {**tokens.css, "corner": "square"}}), 9, 0.7, 0
    )


@pytest.mark.parametrize("rule", ["plain", "double", "taper", "broken", "bevel"])
def test_a_rule_leaves_room_for_its_title(rule: str) -> None:
    tokens = load_theme_tokens("standard")
    changed = Tokens(**{**_fields(tokens), "css": {**tokens.css, "rule": rule}})
    for live in (False, True):
        svg, height = draw_rule(changed, live=live)
        assert (tokens.colours["accent"] in svg) == live
        assert 0.5 <= height <= 5


def _fields(tokens: Tokens) -> dict[str, object]:
    return {name: getattr(tokens, name) for name in Tokens.__slots__}


@pytest.mark.slow
def test_no_letter_of_a_name_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Latin of all Europe and of Vietnam is in the font, Cyrillic and Greek in the next one."""
    monkeypatch.chdir(tmp_path)
    name = "Łucja Đỗ Ңестор Ωμέγα"
    made = data_folder() / "content" / "characters" / "keyword-dots" / "ansa-reth.yaml"
    text = re.sub("(?m)^name: .*", f"name: {name}", made.read_text(encoding="utf-8"))
    Path("made.yaml").write_text(text, encoding="utf-8")
    said = run("sheet", "made.yaml", "--flatten", "--out", "out")
    assert said.status == 0, said.err
    (file,) = Path("out").glob("*.pdf")
    assert file.stat().st_size < 180_000
    assert name in " ".join(PdfReader(file).pages[0].extract_text().split())


@pytest.mark.many
@pytest.mark.parametrize("face", face_ids())
def test_a_slanted_letter_begins_where_its_place_begins(face: str) -> None:
    font = build_face(font_bytes(_tokens(face).faces["display-700"])).metrics
    for letter in "ABJWY":
        assert 0 <= font.overhangs.get(ord(letter), 0) < 300
    if "Italic" in _tokens(face).faces["display-700"]:
        assert font.overhangs[ord("A")] > 35


def test_shapes_are_stretched_with_their_pen() -> None:
    """Numbers of a path may begin with a point; a pen with a weight grows with its box."""
    tokens = load_theme_tokens("standard", "_cards", "thing-card", face=load_face("star-lanes"))
    shape = Shape("M.5 0 L1 .5 L0 1 Z", stroke="ink", weight=0.1)
    tokens = replace(tokens, shapes={**tokens.shapes, "made": shape})
    styles = build_token_styles(tokens, "poker", "page", lambda face: "")
    assert "d='M 5.5 0 L 11 5.5 L 0 11 Z'" in styles
    assert "stroke-width='1.1'/" in styles
    assert b"3 w 0 10 m" in draw_shape(
        Shape("M0 0 L1 1", stroke="ink", weight=0.1), 30, 10, tokens.colours
    )


def test_a_pale_motif_has_nothing_in_its_middle() -> None:
    """An emblem is there."""
    for id_ in (*face_ids(), *(str(ruleset(one).face) for one in ruleset_ids())):
        tokens = load_theme_tokens("standard", face=load_face(id_))
        if motif := tokens.drawings.get("motif"):
            central = [stroke for stroke in motif.paths if stroke.central]
            assert 0 < len(central) < len(motif.paths), id_
            # What stays behind a picture can be seen although it is set at two fifths.
            behind = [stroke for stroke in motif.paths if not stroke.central]
            assert any(s.tint * (1 if s.fill else s.width / 2) >= 0.4 for s in behind), id_
            for stroke in central:
                assert stroke.path in draw(tokens, motif)
                assert stroke.path not in draw(tokens, motif, 0.4)
