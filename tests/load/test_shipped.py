"""What is shipped: one file of things that share pieces, looked up by name; and its names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sheetgen.load.cache import (
    Store,
    open_store,
    pack_store,
    read_cache,
    read_shipped,
    read_shipped_note,
)
from sheetgen.load.designs.designs import load_design
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.materials.plates import (
    _compile,
    find_face,
    find_plate,
    render_plate_markup,
)
from sheetgen.materials.wheel import (
    FEW,
    choose_scope,
    list_faces,
    list_games,
    list_plate_requests,
)
from sheetgen.plan.contexts import build_blank_context
from sheetgen.render.pdf.pdf_file import replace_plate_key, split_pieces
from tests.printing import GAMES
from tests.shelf import TESTS

ROOT = TESTS.parent
THINGS = {"one": [b"head", b"x" * 500, b"tail"], "two": [b"x" * 500, b"end"], "none": []}


def test_things_come_back_as_they_were() -> None:
    store = Store(pack_store(THINGS, {"said": "so"}))
    for name, cut in THINGS.items():
        assert store.file(name) == b"".join(cut)
    assert store.file("three") is None
    assert store.note == {"said": "so"}


def test_what_is_shared_stands_there_once() -> None:
    noise = os.urandom(5000)
    alone = len(pack_store({"a": [noise]}, {}))
    assert len(pack_store({"a": [noise], "b": [b"1", noise], "c": [noise, b"2"]}, {})) < alone + 200


def test_equal_things_give_equal_bytes() -> None:
    turned = dict(reversed(THINGS.items()))
    assert pack_store(THINGS, {}) == pack_store(turned, {})


def test_an_empty_store_has_nothing() -> None:
    assert Store(pack_store({}, {})).file("one") is None


@pytest.mark.parametrize("content", [b"", b"something else", b"sheetgen store 2"])
def test_a_file_that_is_no_store_is_none(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.store").write_bytes(content)
    assert open_store(tmp_path / "a.store") is None
    assert open_store(tmp_path / "b.store") is None


def test_a_damaged_store_has_no_such_thing() -> None:
    """Guards against a traceback: what cannot be read is made anew."""
    whole = pack_store(THINGS, {})
    for end in range(16 + 16, len(whole) - 1, 7):
        try:
            found = Store(whole[:end]).file("one")
        except ValueError:
            continue
        assert found in (None, b"".join(THINGS["one"])) or len(found) < 508


def test_a_thing_with_any_byte_damaged_is_none() -> None:
    """Guards against a sheet with wrong content: pieces that are not compressed, and numbers."""
    whole = pack_store(THINGS, {"said": "so"})
    good = {name: b"".join(cut) for name, cut in THINGS.items()}
    for at in range(16, len(whole)):
        damaged = bytearray(whole)
        damaged[at] ^= 0x41
        try:
            store = Store(bytes(damaged))
        except ValueError:  # its head
            continue
        assert all(store.file(name) in (None, good[name]) for name in THINGS)
        assert store.note == {"said": "so"}


@pytest.mark.many
@pytest.mark.parametrize("part", range(4))
def test_a_checkout_ships_the_plates_of_its_games(part: int) -> None:
    """If this fails, `make plates` writes `content/plates.store` anew: commit it."""
    lacking = [
        (game.title, asked.design.sheet, asked.design.paper)
        for game in list_games()[part::4]
        for scope in [choose_scope(game, FEW)]
        for theme in scope.themes
        for asked in list_plate_requests(game, theme, scope)
        for name, _ in [next(asked.markups())]
        if not (read_shipped(name) or read_shipped(f"{name}.crowded"))
    ]
    assert not lacking


def test_a_checkout_ships_its_games_and_faces() -> None:
    assert read_shipped("anything") is None
    assert read_shipped_note()["plates"].keys() == {game.title for game in list_games()}
    faces = {find_face(*one)[0] for one in list_faces("standard")}
    assert all(map(read_shipped, faces))


MADE_NOW = """
from sheetgen.load.cache import read_shipped
from sheetgen.load.designs.designs import load_fonts
from sheetgen.materials import plates
from sheetgen.materials.wheel import FEW, choose_scope, list_games, list_plate_requests
from sheetgen.render.fonts.fonts import dump_face
from sheetgen.render.plate_compiler import compile_plate_bytes
game = next(game for game in list_games() if game.title == "d6-pips")
asked = next(list_plate_requests(game, "standard", choose_scope(game, FEW)))
name, html = next(asked.markups())
design, letters = asked.design, asked.design.tokens.letters
plates.read_shipped = lambda name: None
faces = plates.find_faces(design)
assert compile_plate_bytes(html, design.tokens, faces, name) == read_shipped(name), "plate"
cut = {plates.find_face(f, letters.get(n, ""))[0]: faces[n] for n, f in load_fonts(design).items()}
shipped = {name: content for name in cut if (content := read_shipped(name)) is not None}
assert len(shipped) >= 5  # all but the display face of this game
assert shipped == {name: dump_face(cut[name]) for name in shipped}, "faces"
"""


@pytest.mark.slow
def test_a_shipped_plate_and_shipped_faces_are_what_is_made_now(tmp_path: Path) -> None:
    """In a process of its own: libraries that tests load compress to other bytes."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", MADE_NOW], env=env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture(scope="module")
def plate() -> bytes:
    """Return a plate as it is kept."""
    rules = load_ruleset(rulesets_folder() / GAMES[0]).value
    assert rules is not None
    design = load_design(str(rules.sheet), "standard", "a4").value
    assert design is not None
    context = build_blank_context(rules, design.facts, ("standard", "a4"))
    template = str(design.facts["continuation"])
    find_plate(design, template, rules, context)
    kept = read_cache(f"{design.key(template, rules.digest, context)}.plate")
    assert kept is not None
    return kept


def test_a_plate_is_cut_without_loss(plate: bytes) -> None:
    cut = split_pieces(plate)
    assert b"".join(cut) == plate
    assert len(cut) > 10


def test_a_plate_of_another_name_is_nearly_free(plate: bytes) -> None:
    one = pack_store({"a": split_pieces(plate)}, {})
    two = pack_store(
        {"a": split_pieces(plate), "b": split_pieces(replace_plate_key(plate, "0" * 32))}, {}
    )
    assert len(two) < len(one) * 1.05


def test_rules_that_print_the_same_blank_need_no_engine(
    plate: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = load_ruleset(rulesets_folder() / GAMES[0]).value
    assert rules is not None
    design = load_design(str(rules.sheet), "standard", "a4").value
    assert design is not None
    context = build_blank_context(rules, design.facts, ("standard", "a4"))
    template = str(design.facts["continuation"])
    name = design.markup_key(render_plate_markup(design, template, context))
    monkeypatch.setattr("sheetgen.materials.plates.read_shipped", {name: plate}.get)
    monkeypatch.setattr("sheetgen.render.plate_compiler.compile_plate_bytes", None)
    assert _compile(
        design, template, context, "1" * 32, "a blank", roomy=True
    ) == replace_plate_key(plate, "1" * 32)


def test_all_games_are_shipped_overlays_together_too() -> None:
    titles = [game.title for game in list_games()]
    assert {title for title in titles if "+" not in title} >= {*GAMES}
    pairs = [{*title.split("+")} for title in titles if "+" in title]
    assert len(pairs) == 2
    assert pairs[0] == pairs[1]


KEYS = """
from sheetgen.materials.wheel import choose_scope, list_games, list_plate_requests
for game in list_games()[-1:]:
    for asked in list_plate_requests(game, "standard", choose_scope(game)):
        print(next(asked.markups())[0])
"""


@pytest.mark.slow
def test_names_rest_on_what_is_in_files_only(tmp_path: Path) -> None:
    """A plate made where the wheel is built is found elsewhere, later, under another seed."""
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("sheetgen", "content", "templates"):
        shutil.copytree(
            ROOT / folder, tmp_path / folder, ignore=ignored, copy_function=shutil.copyfile
        )
    said = [
        subprocess.run(
            [sys.executable, "-c", KEYS],
            cwd=tmp_path,
            env={"PYTHONPATH": str(top), "PYTHONHASHSEED": seed, "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for top, seed in ((ROOT, "1"), (tmp_path, "2"))
    ]
    assert said[0] == said[1]
    assert len({*said[0].split()}) > 5  # some rules print the same blank


@pytest.mark.slow
def test_every_wanted_plate_has_a_design() -> None:
    for game in list_games():
        assert len([*list_plate_requests(game, "mono", choose_scope(game))]) >= 9
