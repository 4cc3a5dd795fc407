"""Screens: panels have one place, one picture is over the players' side, texts have signs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pikepdf
import pymupdf
import pytest

from sheetgen.data import templates_folder
from sheetgen.load.designs.templates import (
    STANDARD,
    load_design_file,
    load_theme_tokens,
    scene_ids,
    theme_ids,
)
from sheetgen.load.designs.themes import load_face
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.model.tokens import Drawing
from sheetgen.render.html.styles import draw_scene
from tests.cli.commands import run
from tests.render.ua_rules import faults
from tests.samples import by_turns

GAMES = Path(__file__).parent.parent / "rulesets" / "games"
MOST_BYTES = 30_000


def printed(folder: Path, game: object, *more: str) -> Path:
    said = run("screen", game, "--out", folder, *more)
    assert (said.status, said.err) == (0, "")
    return Path(said.out.split()[0])


def copied(tmp_path: Path, game: str, file: str, change: str, to: str) -> Path:
    folder = tmp_path / "mine"
    shutil.copytree(rulesets_folder() / game, folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert change in text
    (folder / file).write_text(text.replace(change, to, 1), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", scene_ids())
def test_scenes_are_small_and_say_what_they_show(name: str) -> None:
    path = templates_folder() / "_scenes" / f"{name}.yaml"
    assert path.stat().st_size < MOST_BYTES
    scene = load_design_file(f"_scenes/{name}.yaml", Drawing)
    assert len(scene.label.split()) > 5
    known = load_theme_tokens(STANDARD).colours
    assert {*known} >= {c for one in scene.paths for c in (one.fill, one.stroke) if c}
    assert all(re.fullmatch(r"[MLCZ0-9 .,-]+", one.path) for one in scene.paths)


@pytest.mark.parametrize(("theme", "face"), by_turns(theme_ids(), ("star-lanes", "stencil")))
def test_scenes_follow_themes(theme: str, face: str) -> None:
    tokens = load_theme_tokens(theme, "_screens", face=load_face(face))
    scene = load_design_file(f"_scenes/{tokens.css['scene']}.yaml", Drawing)
    wide, tall = draw_scene(tokens, scene, 4.4), draw_scene(tokens, scene, 0.9)
    colours = {*re.findall("#[0-9A-F]{6}", wide)}
    if theme == "mono":
        assert colours <= {"#000000", "#FFFFFF"}
    assert wide.count("<path") == tall.count("<path") == len(scene.paths)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "pages", "parts"),
    [("keyword-dots", 6, 3), (GAMES / "lantern", 1, 1), (GAMES / "saltglass", 1, 1)],
)
def test_the_picture_is_over_the_players_side(
    game: object, pages: int, parts: int, tmp_path: Path
) -> None:
    """It has as many pages as the game master has more panels than players, and the title."""
    path = printed(tmp_path, game)
    assert faults(path.read_bytes()) == []
    with pymupdf.open(path) as pdf:
        pictures = [page for page in pdf if len(page.get_text("blocks")) <= 3]
        assert (len(pdf) - len(pictures), len(pictures)) == (pages, parts)
        assert all(len(page.get_drawings()) > 20 for page in pictures)
    with pikepdf.open(path) as pdf_:
        alts = [str(one.Alt) for one in pdf_.objects if _is_figure(one)]
    assert len([alt for alt in alts if len(alt.split()) > 5]) >= parts


def _is_figure(one: object) -> bool:
    return isinstance(one, pikepdf.Dictionary) and one.get("/S") == "/Figure" and "/Alt" in one


@pytest.mark.slow
def test_a_ruleset_brings_its_own_picture(tmp_path: Path) -> None:
    change = "face: ledger-seal\n"
    own = copied(
        tmp_path,
        "keyword-dots",
        "ruleset.yaml",
        change,
        change + "scene: {file: own.svg, alt: A red square}\n",
    )
    square = '<path d="M0 0h8v8h-8z" fill="red"/>'
    square = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">{square}</svg>'
    (own / "own.svg").write_text(square, encoding="utf-8")
    path = printed(tmp_path / "out", own)
    with pikepdf.open(path) as pdf:
        alts = [str(one.Alt) for one in pdf.objects if _is_figure(one)]
    assert [alt for alt in alts if alt.startswith("A red square")]


def test_a_scene_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    own = copied(tmp_path, "wound-points", "face.yaml", "scene: drydock", "scene: drydok")
    said = run("check", own)
    assert said.status == 1
    assert "there is no scene `drydok`" in said.out
    assert "drydock" in said.out


@pytest.mark.slow
@pytest.mark.parametrize("game", ["second-edition-update", "wound-points"])
def test_a_panel_has_one_place(game: str, tmp_path: Path) -> None:
    """No name of a panel is on two pages of one side."""
    with pymupdf.open(printed(tmp_path, game)) as pdf:
        for side in ("Game master", "Players"):
            heads: list[str] = []
            for page in pdf:
                if side in page.get_text():
                    found = [s for s in _spans(page) if s["bbox"][1] < 60 and s["size"] > 13.5]
                    heads += {s["text"] for s in found}
            assert len(heads) == len({*heads}), heads


def _spans(page: pymupdf.Page) -> list[dict]:
    blocks = page.get_text("dict")["blocks"]
    return [s for b in blocks for line in b.get("lines", ()) for s in line["spans"]]


@pytest.mark.parametrize(("kind", "page"), [("screen", 0), ("tables", 2)])
def test_words_behind_numbers_are_signs(kind: str, page: int, tmp_path: Path) -> None:
    """They are letters of a font of their own, and are still read and copied as the word."""
    said = run(kind, "narrative-powers", "--out", tmp_path)
    with pymupdf.open(said.out.split()[0]) as pdf:
        signs = [s for s in _spans(pdf[page]) if s["font"].endswith("sign")]
        text = " ".join(pdf[page].get_text().split())
    assert " ".join(s["text"] for s in signs).count("Setback") >= 3
    assert "1 Setback" not in text or kind == "tables"  # where the step is before the sign
    assert "Setback Setback" in text.replace("\xa0", " ")


def test_signs_in_a_browser_are_words(tmp_path: Path) -> None:
    page = printed(tmp_path, "narrative-powers", "--to", "html").read_text(encoding="utf-8")
    assert '<span class="sign-of">Setback</span>' in page
    assert re.search('<span class="sign-of">\u2060[\xa0\u2007]{8}</span>Action', page)
    assert not re.search("[\ue000-\uf8ff]", page)


@pytest.mark.slow
def test_a_block_shows_faces_of_a_die(tmp_path: Path) -> None:
    with pymupdf.open(printed(tmp_path, "hyperspace-d6")) as pdf:
        faces = [s["text"] for s in _spans(pdf[0]) if s["font"].endswith("sign")]
    assert faces == ["1", "6"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "change", "to"),
    [
        ("ruleset.yaml", "Stunned: harm-light", "Stunned: harm-lihgt"),
        ("screen.yaml", '"1": pips-1', '"1": pips-one'),
    ],
)
def test_a_sign_without_a_shape_is_a_finding(
    file: str, change: str, to: str, tmp_path: Path
) -> None:
    own = copied(tmp_path, "hyperspace-d6", file, change, to)
    for said in (run("check", own), run("screen", own, "--out", tmp_path / "out")):
        assert said.status != 0
        assert f"`signs` names `{to.split(': ')[1]}`" in said.out + said.err
        assert file in said.out + said.err
