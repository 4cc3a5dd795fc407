"""Schemas compile in strict mode, and refuse what `check` refuses, and nothing else."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest
import yaml

from sheetgen.books.checking import check_paths
from sheetgen.diag.findings import errors
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.plugins.editor.schemas import file_schema, part_kind, schema_kinds
from tests.cli.commands import run
from tests.schemas.test_schemas import validate, whole
from tests.shelf import TESTS, skip_without

pytestmark = pytest.mark.slow

AJV = TESTS / "viewers/node_modules/ajv"
OTHERS = [TESTS / "live/games" / name for name in ("delve", "vigil")]
SKELETONS = rulesets_folder().parent / "skeletons"
SHAPES = sorted(
    path.parent for path in SKELETONS.glob("*/odds.yaml") if path.parent.name != "ruleset"
)
FOLDERS = [*(rulesets_folder() / game for game in ruleset_ids()), *OTHERS, *SHAPES]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_schema_compiles_in_strict_mode(folder: Path) -> None:
    if shutil.which("node") is None or not AJV.is_dir():
        skip_without("ajv", "`make viewers` installs it")
    rules = load_ruleset(folder, complete=True).value
    assert rules is not None
    schemas = {kind: file_schema(rules, kind) for kind in schema_kinds(rules)}
    command = ["node", str(TESTS / "schemas/strict.cjs")]
    done = subprocess.run(command, input=json.dumps(schemas), capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_file_of_a_ruleset_is_valid(folder: Path) -> None:
    rules = load_ruleset(folder, complete=True).value
    assert rules is not None
    files = [path for path in folder.rglob("*.yaml") if part_kind(path, folder)]
    files = [path for path in files if path.parent.name != "starters"]
    assert files
    for path in files:
        validate(rules, part_kind(path, folder), yaml.safe_load(path.read_text()))


@pytest.mark.parametrize("folder", SHAPES, ids=lambda folder: folder.name)
def test_every_character_of_a_small_game_is_valid(folder: Path) -> None:
    rules = load_ruleset(folder, complete=True).value
    assert rules is not None
    files = [*folder.glob("characters/*.yaml"), *TESTS.glob(f"rulesets/shapes/{folder.name}/*")]
    assert len(files) > 2
    for path in files:
        validate(rules, "character", yaml.safe_load(path.read_text()))


CHARACTER: dict[str, object] = {
    "ruleset": "hyperspace-d6",
    "name": "Bo",
    "species": "Human",
    "profession": "Scoundrel",
    "skills": ["Blasters", "Deceive", "Pilot"],
    "edge": {"Trained": "Stealth"},
    "burden": "Wanted",
    "points": 60,
}
DOTS = {"ruleset": "keyword-dots", "name": "Bo", "class": "Jedi Guardian", "xp": 300}
JUMP = {"force powers": {"Jump": 3}, "abilities": {"Stealth": 2}}
OWN = {"gear": [{"My Gun": {"dice": 4, "cost": 5}}]}
BONES = {"unique": {"Bone Songs": {"dots": 2, "max": 3}}}
ENTRY = {"sheets": "bo.yaml"}


def fight(**combatant: object) -> dict[str, object]:
    return {"ruleset": "hyperspace-d6", "encounter": "X", "combatants": [combatant]}


def entry(**options: object) -> dict[str, object]:
    return {"entries": [{"cards": "hyperspace-d6", "kind": "npc", **options}]}


def small(game: str, **changes: object) -> dict[str, object]:
    """Return the character that comes with a small game, changed."""
    folder = SKELETONS / game
    found = yaml.safe_load((folder / "characters/ada-quill.yaml").read_text())
    return {**found, "ruleset": str(folder), **changes}


RIGHT = [
    *({**entry(), "out": out} for out in ("prints/of..mine", "./x/../y", "a/b/../../c/..", ".")),
    entry(kind="NPC"),
    *(small(folder.name) for folder in SHAPES),
    small("bands", marks=5),
    {**CHARACTER, "advances": ["Blasters"]},
    {**CHARACTER, "advances": "blasters"},
    {**CHARACTER, **OWN, "advances": ["My Gun"]},
    {**CHARACTER, "sessions": [{"Session": 1, "gained": 60, "note": "x"}], "points": None},
    {**DOTS, "dice": ["d2"]},
    {**DOTS, "dice": {"d2": 2}},
    {**DOTS, "dice": "d2 x2"},
    {**DOTS, **JUMP, "links": {"A": ["Jump", "Stealth"]}},
    {**DOTS, **JUMP, "dice": ["d2"], "pinned": {"Jump": "d2"}},
    {**DOTS, "force powers": {"Jump": {"Dots": 3}}},
    fight(npc="bounty hunters", count=2),
    entry(paper="Letter"),
    entry(size="Poker", to=["pdf", "png"], backs="long-edge"),
    entry(**{"for": "home-letter"}),
    {"entries": [{"pieces": "hyperspace-d6", "kind": "npc", "paper": "A3", "size": 28}]},
    {**fight(npc="Thug"), "tables": ["fight_turn"]},
    {**fight(), "combatants": {"npc": "Thug", "count": 2}},
    {**CHARACTER, "gear": [{"Comlink": {"count": "2", "cost": 0, "granted": "yes"}}]},
    {**CHARACTER, "gear": [{"My Gun": {"dice": "4D", "cost": 5}}]},
]
BROKEN = [
    entry(kind="npcc"),
    *(
        {"entries": [ENTRY], "out": out}
        for out in ("../x", "/x", "a/../../x", "a/../b/../../x", "~/x", "s3://a/b")
    ),
    {**CHARACTER, "burden": ["Wanted", "Greed"]},
    {**CHARACTER, "edge": {}},
    {**CHARACTER, "species": None},
    {**CHARACTER, "species": []},
    *({**CHARACTER, "gear": [{"Comlink": {"count": one}}]} for one in ("x", "x2", 0, 2.5, None)),
    {**CHARACTER, "gear": [{"Comlink": {"cost": -5}}]},
    {**CHARACTER, "gear": [{"Comlink": {"granted": "x"}}]},
    {**CHARACTER, "gear": [{"My Gun": {"dice": "x"}}]},
    {**fight(), "combatants": "Thug"},
    {**CHARACTER, "gear": [{}]},
    {**DOTS, "abilities": {"Stealth": 10_000}},
    fight(count=2),
    {"ruleset": "hyperspace-d6", "encounter": "X"},
    {"ruleset": "d6-pips", "name": "Bo"},
    small("bands", marks=6),
    small("bands", stats={"Calm": 10_000}),
    small("codes", skills=["Drive", "Drive"]),
    small("codes", skills=[]),
    small("d20", level=21),
    small("pool", kindred=["Hollow", "Hollow"]),
    small("steps", wounds=5),
    small("percentile", age=91),
    {**CHARACTER, "advances": ["Blastrs"]},
    {**CHARACTER, "advances": {1: ["Blastrs"]}},
    {**CHARACTER, "gear": ["Comlink"], "advances": ["My Gun"]},
    {**CHARACTER, "sessions": [{"session": 1, "gaind": 3}]},
    {**CHARACTER, "sessions": [{"session": 1, "gained": -3}]},
    {**CHARACTER, "sessions": [3, 4]},
    {**CHARACTER, "gear": [{"Comlink": {"cuont": 3}}]},
    {**CHARACTER, "gear": [{"Comlnik": 3}]},
    {**CHARACTER, "edge": {"Trained": "Stelth"}},
    {**DOTS, "dice": ["d7"]},
    {**DOTS, "dice": [7]},
    {**DOTS, "dice": {"d7": 2}},
    {**DOTS, **JUMP, "links": {"A": ["Jmp", "Stealth"]}},
    {**DOTS, **JUMP, "links": {"ABC": ["Jump", "Stealth"]}},
    {**DOTS, **JUMP, "links": {"A": ["Jump", "Bone Songs"]}},
    {**DOTS, **JUMP, "pinned": {"Jmup": "d2"}},
    {**DOTS, **JUMP, "pinned": {"Jump": "d7"}},
    {**DOTS, **JUMP, **BONES, "pinned": {"Jump": "d7"}},
    {**DOTS, "force powers": {"Jmp": 3}},
    {**DOTS, **BONES, "force powers": {"Jmp": 3}},
    {**DOTS, "force powers": {"Jump": {"dts": 3}}},
    fight(npc="Bounty Huntr"),
    fight(npc="Bounty Hunter", cuont=2),
    fight(vehicle="Bounty Hunter"),
    entry(paper="a44"),
    entry(theme="prnt"),
    entry(**{"for": "home-leter"}),
    entry(to="pdff"),
    entry(size="pokr"),
    entry(backs="log-edge"),
    {"entries": [{**ENTRY, "crads": "x"}]},
    entry(paper="a3"),
    entry(size="60 x 90"),
    entry(tables="hyperspace-d6"),
    {"entries": [{"kind": "npc"}]},
    {"entries": [{"rows": "bo.csv"}]},
    {**fight(), "combatants": []},
    {**fight(npc="Thug"), "tables": ["combatt"]},
]


def kind_of_data(data: dict[str, Any]) -> str:
    return "book" if "entries" in data else "encounter" if "encounter" in data else "character"


def agrees(data: dict[str, Any], folder: Path) -> tuple[bool, bool]:
    """Return whether the schema accepts `data`, and whether `check` does."""
    kind = kind_of_data(data)
    named = data.get("ruleset", "hyperspace-d6")
    rules = load_ruleset(Path(named), complete=True).value if "/" in named else whole(named)
    assert rules is not None
    path = folder / f"{kind}.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False))
    checked = not errors(f for one in check_paths([path], {}) for f in one.findings)
    try:
        validate(rules, kind, yaml.safe_load(path.read_text()))
    except fastjsonschema.JsonSchemaException:
        return False, checked
    return True, checked


@pytest.mark.parametrize("data", RIGHT, ids=str)
def test_schemas_accept_what_check_accepts(data: dict[str, Any], tmp_path: Path) -> None:
    assert agrees(data, tmp_path) == (True, True)


def test_names_of_the_authors_own_can_be_linked() -> None:
    own = {**DOTS, **JUMP, **BONES, "links": {"A": ["Jump", "Bone Songs"]}}
    validate(whole("keyword-dots"), "character", own)


@pytest.mark.parametrize("data", BROKEN, ids=str)
def test_schemas_refuse_what_check_refuses(data: dict[str, Any], tmp_path: Path) -> None:
    assert agrees(data, tmp_path) == (False, False)


MOTIF = {"box": [3, 3], "paths": [{"path": "M0 0 L1 1", "stroke": "ink"}]}
DESIGNS: list[tuple[str, dict[str, Any], bool]] = [
    *(
        ("sheet/sheet.yaml", change, right)
        for change, right in (
            ({"rows": {"a4-large": {"gear": 8}}, "dice": 5}, True),
            *(({"rows": {paper: {"gear": 8}}}, False) for paper in ("a44", "A4", "a4-larg")),
            *(({"rows": {"a4": {"gear": n}}}, False) for n in (-1, 1.5, 10**30, 1e300, math.inf)),
            *(({"height": {"a4": length}}, False) for length in (-5, True, 1e300, math.inf)),
            ({"height": {"a44": 700}}, False),
            ({"pages": {"standrad": 2}}, False),
            ({"templates": {}}, False),
            ({"css": {"standrad": []}}, False),
            ({"tables": ["nope"]}, False),
            ({"tokens": ["nope"]}, False),
            ({"tighter": {"nope": []}}, False),
            ({"flow": {"nope": {}}}, False),
            ({"flow": {"standard": {"rooms": {"a4": 700}}}}, False),
        )
    ),
    *(
        (name, change, right)
        for name in ("face.yaml", "theme.yaml")
        for change, right in (
            ({"css": {"motif-weight": 0.5}, "drawings": {"motif": MOTIF}}, True),
            ({"css": {"motif-weight": "0.5", "corner": "cut"}, "like": "stencil"}, True),
            *(({"css": {"motif-weight": n}}, False) for n in (-1, 1e300, math.inf, "thick")),
            ({"css": {"scene": "nope"}}, False),
            ({"colours": {"accent": "#12345G"}}, False),
            ({"roles": {"name": {"align": "nope"}}}, False),
            ({"roles": {"name": {"size": -1}}}, False),
            ({"letters": {"text-400": "most"}}, False),
            ({"like": "nope"}, False),
            ({"motif": MOTIF}, False),
            ({"drawings": {"motfi": MOTIF}}, False),
            *(({"drawings": {"motif": {**MOTIF, "box": box}}}, False) for box in ([3], [0, 3])),
            ({"drawings": {"motif": {**MOTIF, "paths": [{"path": "Q0 0"}]}}}, False),
        )
    ),
    ("theme.yaml", {"extends": "mono", "css": {"cap-own-400": "0.7"}}, True),
    ("theme.yaml", {"extends": "nope"}, False),
    ("theme.yaml", {"shapes": {"nope": {"path": "M0 0 L1 1"}}}, False),
    ("theme.yaml", {"colours": {"accnt": "#123456"}}, False),
]


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("designs") / "game"
    assert run("new", "ruleset", "Game", "--design", "--out", folder).status == 0
    with (folder / "ruleset.yaml").open("a") as file:
        file.write("face: face.yaml\n")
    (folder / "face.yaml").write_text("like: stencil\n")
    return folder


@pytest.mark.parametrize(("name", "change", "right"), DESIGNS, ids=str)
def test_schemas_of_designs_and_themes_agree_with_check(
    name: str, change: dict[str, Any], right: bool, game: Path
) -> None:
    path = (game.parent if name == "theme.yaml" else game) / name
    before = path.read_text() if path.exists() else "{}"
    whole = yaml.safe_load(before)
    path.write_text(yaml.safe_dump({**whole, **change} if name.startswith("sheet") else change))
    try:
        rules = load_ruleset(game, complete=True).value
        assert rules is not None
        kind = {"sheet": "sheet design"}.get(path.stem, path.stem)
        checked = path if kind == "theme" else game
        found = [*errors(f for one in check_paths([checked], {}) for f in one.findings)]
        assert all(Path(finding.span.file).suffix == ".yaml" for finding in found)
        try:
            validate(rules, kind, yaml.safe_load(path.read_text()))
        except fastjsonschema.JsonSchemaException:
            assert (False, bool(found)) == (right, True)
        else:
            assert (True, bool(found)) == (right, False)
    finally:
        path.write_text(before)
