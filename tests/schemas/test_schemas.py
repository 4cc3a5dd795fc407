"""Schemas of authors' files: they refuse what `check` refuses, and nothing that it accepts."""

from __future__ import annotations

import contextlib
import json
import random
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest
import yaml

from sheetgen.load.characters import RulesetCache, load_encounter, load_file
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.rulesets.ruleset import KEY_KINDS, Ruleset
from sheetgen.plugins.editor.character_schemas import SCHEMAS_OF_KINDS, name_pattern
from sheetgen.plugins.editor.schemas import file_schema, schema_kinds
from sheetgen.rules.index import index_of
from tests.live.changes import checked, varied
from tests.property.test_names import varied as respelt

pytestmark = pytest.mark.slow

CONTENT = rulesets_folder().parent
GAMES = ruleset_ids()
CACHE = RulesetCache()


@cache
def whole(game: str) -> Ruleset:
    rules = load_ruleset(rulesets_folder() / game, complete=True).value
    assert rules is not None
    return rules


VALIDATORS: dict[tuple[str, str], Callable[[Any], Any]] = {}


def validate(rules: Ruleset, kind: str, data: Any) -> None:
    validator(rules, kind)(data)


def validator(rules: Ruleset, kind: str) -> Callable[[Any], Any]:
    key = rules.digest, kind
    if key not in VALIDATORS:
        VALIDATORS[key] = fastjsonschema.compile(file_schema(rules, kind), use_default=False)
    return VALIDATORS[key]


def refuses(game: str, kind: str, data: Any) -> bool:
    try:
        validate(whole(game), kind, data)
    except fastjsonschema.JsonSchemaException:
        return True
    return False


def test_each_kind_of_key_has_a_schema() -> None:
    assert set(SCHEMAS_OF_KINDS) == set(KEY_KINDS)


@pytest.mark.parametrize("game", GAMES)
def test_schemas_are_draft_07(game: str) -> None:
    for kind in schema_kinds(whole(game)):
        schema = file_schema(whole(game), kind)
        assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
        validator(whole(game), kind)
        assert len(json.dumps(schema)) < 300_000


STOCK = [*CONTENT.glob("rulesets/*/npcs/*.yaml"), *CONTENT.glob("rulesets/*/vehicles/*.yaml")]


@pytest.mark.parametrize(
    "path", sorted([*CONTENT.glob("characters/*/*.yaml"), *STOCK]), ids=lambda path: path.stem
)
def test_files_that_come_with_sheetgen_are_valid(path: Path) -> None:
    entry = load_file(path, CACHE)[0]
    rules = entry.ruleset or entry.rules
    assert rules is not None
    kinds = [str(id_) for id_, kind in rules.kinds.items() if kind is entry.kind]
    validate(rules, kinds[0] if kinds else "character", yaml.safe_load(path.read_text()))


@pytest.mark.parametrize(
    "path", sorted(CONTENT.glob("encounters/*/*.yaml")), ids=lambda path: path.stem
)
def test_encounters_are_valid(path: Path) -> None:
    encounter = load_encounter(path).value
    assert encounter is not None
    validate(encounter.rules, "encounter", yaml.safe_load(path.read_text()))


@pytest.mark.parametrize("game", GAMES)
def test_rulesets_are_valid(game: str) -> None:
    for path in sorted((rulesets_folder() / game).glob("*.yaml")):
        kind = "face" if path.name == "face.yaml" else "ruleset"
        validate(whole(game), kind, yaml.safe_load(path.read_text()))


@pytest.mark.parametrize(
    ("kind", "right", "wrong"),
    [
        ("ruleset", {"format": 1}, {"format": 99}),
        ("face", {"colours": {"accent": "#7A1F1F"}}, {"colours": {"accent": "red"}}),
        ("theme", {"logo": "logo.svg", "extends": "ink-saver"}, {"lgoo": "logo.svg"}),
        ("theme", {"cover": {"file": "a.jpg", "alt": "A"}}, {"cover": {"fil": "a.jpg"}}),
    ],
)
def test_heads_faces_and_themes(kind: str, right: dict[str, Any], wrong: dict[str, Any]) -> None:
    assert (refuses(GAMES[0], kind, right), refuses(GAMES[0], kind, wrong)) == (False, True)


@pytest.mark.parametrize("name", ["../x", "/x", "a/../b", "a/", "..", "a..b", "{name}/x"])
def test_names_of_prints_stay_inside(name: str) -> None:
    right = name in ("a..b", "{name}/x")
    entry, combined = ({"odds": "d6-pips", "name": name}, {"name": name})
    for book in ({"entries": [entry]}, {"entries": [], "combined": [combined]}):
        with (
            contextlib.nullcontext() if right else pytest.raises(fastjsonschema.JsonSchemaException)
        ):
            validate(whole(GAMES[0]), "book", book)


def test_books_are_valid() -> None:
    books = sorted(CONTENT.glob("books/**/book.yaml"))
    assert books
    for path in books:
        validate(whole(GAMES[0]), "book", yaml.safe_load(path.read_text()))


@pytest.mark.parametrize("game", GAMES)
def test_what_is_clean_is_valid_however_it_is_written(game: str) -> None:
    chance, paths = random.Random(game), sorted((CONTENT / "characters" / game).glob("*.yaml"))
    clean = 0
    for path in [chance.choice(paths) for _ in range(60)] if paths else ():
        data = yaml.safe_load(path.read_text())
        entry = load_file(path, CACHE)[0]
        assert entry.rules is not None
        other = rewritten(varied(data, entry.rules, chance), chance)
        if checked(other).findings:
            continue
        clean += 1
        validate(entry.rules, "character", other)
    assert clean > 5 or not paths


def rewritten(data: Any, chance: random.Random) -> Any:
    """Return `data` with some keys in another spelling."""
    if isinstance(data, list):
        return [rewritten(item, chance) for item in data]
    if not isinstance(data, dict):
        return data
    return {
        respelt(key, chance).strip()
        if isinstance(key, str) and key not in ("ruleset", "options") and chance.random() < 0.4
        else key: value if key in ("ruleset", "options") else rewritten(value, chance)
        for key, value in data.items()
    }


@pytest.mark.parametrize("game", GAMES)
def test_patterns_match_what_is_found_and_nothing_else(game: str) -> None:
    index, chance = index_of(whole(game)), random.Random(game)
    for names in (index.keys, index.gear, index.all_traits, *index.by_catalogue.values()):
        pattern = re.compile(name_pattern(names, counted=True))
        for name in {*names.shown.values(), *names.others}:
            for spelling in (name, name.upper(), name + "s", respelt(name, chance).strip()):
                if spelling.isascii() and names.find(spelling):
                    assert pattern.search(spelling), spelling
            wrong = name[:-2] + "zq"
            if wrong.isascii() and not names.find(wrong):
                assert not pattern.search(wrong), wrong


BASE = {"ruleset": "hyperspace-d6", "name": "Bo", "species": "Human", "profession": "Scoundrel"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"species": "Humman"},
        {"speciess of": "Human"},
        {"skills": ["Blasters", "Decieve", "Pilot"]},
        {"gear": ["Blaster Pistl"]},
        {"points": "many"},
        {"points": {"a": 1}},
        {"options": {"gear.unprized": "free"}},
        {"edge": {"Traned": "Stealth"}},
        {"name": ["a", "b"]},
    ],
    ids=str,
)
def test_mistakes_are_refused(wrong: dict[str, Any]) -> None:
    assert not refuses("hyperspace-d6", "character", BASE)
    assert refuses("hyperspace-d6", "character", {**BASE, **wrong})


def test_a_missing_key_is_refused_unless_it_has_another_spelling() -> None:
    lacking = {key: value for key, value in BASE.items() if key != "name"}
    assert refuses("hyperspace-d6", "character", lacking)
    assert not refuses("hyperspace-d6", "character", {**lacking, "NAME": "Bo"})


def test_names_have_their_texts_and_prices() -> None:
    schema = json.dumps(file_schema(whole("keyword-dots"), "character"))
    assert "Price of step n" in schema
    assert "At most:" in schema
    assert '{"const": "Stealth", "description": "' in schema
