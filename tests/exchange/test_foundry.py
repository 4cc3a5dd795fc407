"""Modules of Foundry: what is exported, comes back equal, and what has changed is reported."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sheetgen.cli.play.npc_generator import NpcRequest, generate_npcs, levels_of
from sheetgen.exchange.foundry.documents import Document
from sheetgen.exchange.foundry.mapping import load_foundry_map
from sheetgen.load.authors.characters import RulesetCache
from sheetgen.model.codes import code_text
from sheetgen.rules.formulas.expressions import parse_formula
from tests.cli.commands import run
from tests.exchange.foundry_cases import (
    CHARACTERS,
    MAPPED,
    comparable,
    complete,
    documents,
    exported,
    files_of,
    find_faults,
    imported,
    leaves,
    requests_of,
)
from tests.samples import count

SHIPPED = [*MAPPED, *(CHARACTERS / name for name in MAPPED)]
KNOWN = {"tessa_morrow.jpg", "pell_marrow.svg"}


def again(tmp_path: Path, actor: Document, rules: str) -> Document:
    """Return an actor that was imported and exported again."""
    result = imported(tmp_path / "actor.json", actor, rules)
    assert len(result.texts) == 1, result.findings
    target = tmp_path / "again.yaml"
    target.write_text(next(iter(result.texts.values())), encoding="utf-8")
    requests = requests_of(target)
    assert requests, result
    return documents(exported(requests[0]).files)[0]


def in_order(actors: list[Document]) -> list[Document]:
    """Return actors as they can be compared, in an order that does not depend on files."""
    return sorted(map(comparable, actors), key=lambda one: json.dumps(one, sort_keys=True))


@pytest.mark.parametrize("what", SHIPPED, ids=str)
def test_what_is_shipped_comes_back_equal(tmp_path: Path, what: str | Path) -> None:
    for request in requests_of(what):
        rules = str(request.rules.id)
        for actor in documents(exported(request).files) if rules in MAPPED else ():
            assert comparable(again(tmp_path, actor, rules)) == comparable(actor)


@pytest.mark.parametrize("name", ["d6-pips", "hyperspace-d6"])
def test_random_npcs_come_back_equal(tmp_path: Path, name: str) -> None:
    rules = complete(name)
    kind, own = rules.kinds["npc"], RulesetCache().kind(rules, "npc")
    assert kind.maker is not None
    for number, level in enumerate(levels_of(kind.maker, own).entries):
        file = tmp_path / f"{level}.yaml"
        made = generate_npcs(NpcRequest(str(level)), 75, number, "npc", kind, own, str(file))
        file.write_text(made.value or "", encoding="utf-8")
    actors = documents(exported(requests_of(*tmp_path.glob("*.yaml"))[0]).files)
    assert len(actors) == 300
    result = imported(tmp_path / "all.json", actors, name)
    assert len(result.texts) == 300
    folder = tmp_path / "again"
    folder.mkdir()
    for path, text in result.texts.items():
        (folder / path).write_text(text, encoding="utf-8")
    back = documents(exported(requests_of(folder)[0]).files)
    assert in_order(back) == in_order(actors)


def random_character(draw: Random, number: int) -> str:
    """Return a character of d6-pips: 18D of attributes, 7D of skills, gear, points, a wound."""
    rules = complete("d6-pips")
    codes = [9] * 6
    for _ in range(draw.randrange(12)):
        one, other = draw.sample(range(6), 2)
        if codes[one] < 12 and codes[other] > 6:
            codes[one], codes[other] = codes[one] + 1, codes[other] - 1
    short = ["DEX", "KNO", "MEC", "PER", "STR", "TEC"]
    attributes = {s: code_text(n, pips=True) for s, n in zip(short, codes, strict=True)}
    names = draw.sample([str(t.name) for t in rules.groups["skills"].traits.values()], 5)
    skills = {s: f"+{n}" for s, n in zip(names, ["2D", "1D+1", "1D+2", "1D", "1D"], strict=True)}
    gear = [
        f"{item.name} x{draw.randrange(1, 3)}" for item in draw.sample([*rules.gear.values()], 2)
    ]
    data = {
        "ruleset": "d6-pips",
        "name": draw.choice(["Ann", "Bo <b>", "C & D", "@UUID[x]{y}", "[[/r 1d6]]", "Émile"])
        + f" {number}",
        "attributes": attributes,
        "skills": skills,
        "gear": gear,
        "credits": 20_000,
        "points": draw.randrange(40),
        "notes": draw.choice(["", "One.\nTwo: <i>three</i>", "- a list\n- of lines"]),
        "condition": draw.choice(["Wounded", "Stunned", "Dead"]),
        "allies": draw.choice([[], ["Mara: a friend", "O'Neil"]]),
    }
    return json.dumps(data)


def test_random_characters_come_back_equal(tmp_path: Path) -> None:
    draw = Random(19)
    people = count(400, 4)
    for number in range(people):
        text = random_character(draw, number)
        (tmp_path / f"c{number}.yaml").write_text(text, encoding="utf-8")
    actors = documents(exported(requests_of(tmp_path)[0]).files)
    assert len(actors) == people
    result = imported(tmp_path / "all.json", actors, "d6-pips")
    folder = tmp_path / "again"
    folder.mkdir()
    for path, text in result.texts.items():
        (folder / path).write_text(text, encoding="utf-8")
    back = documents(exported(requests_of(folder)[0]).files)
    assert in_order(back) == in_order(actors)


@pytest.mark.parametrize("name", ["d6-pips", "wound-points", "hyperspace-d6"])
def test_actors_without_our_flags_keep_their_figures(tmp_path: Path, name: str) -> None:
    """As if Foundry had dropped the flags: NPCs come back by the map alone."""
    for actor in documents(exported(requests_of(name)[0]).files):
        if actor["type"] != "npc":
            continue
        back = again(tmp_path, {**actor, "flags": {}}, name)
        for one in (actor, back):
            del one["system"]["description"]
        assert back["system"] == actor["system"]
        assert figures(back) == figures(actor)


def figures(actor: Document) -> list[tuple[str, str, Any]]:
    """Return the items of an actor with their numbers."""
    found = []
    for item in actor["items"]:
        numbers = {k: v for k, v in leaves(item["system"]) if isinstance(v, int)}
        found.append((item["type"], item["name"], numbers))
    return sorted(found, key=repr)


# -- the module --------------------------------------------------------------------------------


@pytest.mark.parametrize("what", SHIPPED, ids=str)
def test_every_document_fits_the_models_of_the_system(what: str | Path) -> None:
    for request in requests_of(what):
        files = exported(request).files
        found = [*documents(files), *documents(files, "Item")]
        assert found
        assert [fault for one in found for fault in find_faults(one)] == []


def test_the_models_refuse_what_does_not_fit() -> None:
    files = exported(requests_of(CHARACTERS / "d6-pips")[0]).files
    actor = documents(files)[0]
    actor["system"]["move"]["value"] = "10"
    actor["system"]["attributes"]["agi"] |= {"base": 1.5, "bonus": 1}
    actor["system"]["species"] = "human"
    actor["items"].append({"name": "Lance", "type": "starship-weapon", "system": {}})
    assert len([*find_faults(actor)]) == 5


@pytest.mark.parametrize("what", [*MAPPED, "keyword-dots", "narrative-powers"])
def test_the_same_ruleset_gives_the_same_bytes_and_a_whole_module(what: str) -> None:
    first, second = (exported(requests_of(what)[0]).files for _ in range(2))
    assert first == second
    top = f"sheetgen-{what}"
    manifest = json.loads(first[f"{top}/module.json"])
    assert manifest["id"] == top
    assert re.fullmatch("[a-z0-9-]+", manifest["id"])
    for pack in manifest["packs"]:
        assert f"{top}/{pack['path']}/CURRENT" in first
        assert ("system" in pack) == (pack["type"] in ("Actor", "Item"))
    credit = requests_of(what)[0].rules.credit.long
    assert credit in first[f"{top}/LICENSE.txt"].decode()
    journals = documents(first, "JournalEntry")
    assert {"tables", "read me"} <= {one["name"].rpartition(": ")[2] for one in journals}
    assert any("screen" in one["name"] for one in journals)


def test_pictures_are_in_the_module_and_their_credits() -> None:
    files = exported(requests_of(CHARACTERS / "d6-pips")[0]).files
    tessa = next(one for one in documents(files) if one["name"] == "Tessa Morrow")
    assert tessa["img"].removeprefix("modules/") in files
    assert tessa["prototypeToken"]["texture"]["src"] == tessa["img"]
    readme = documents(files, "JournalEntry")[0]["pages"][0]["text"]["content"]
    assert "sheetgen, MIT" in readme


def test_a_second_import_updates(tmp_path: Path) -> None:
    """An actor whose figures change keeps its id, and its items theirs."""
    file = tmp_path / "one.yaml"
    text = (CHARACTERS / "d6-pips" / "kor_ashveld.yaml").read_text("utf-8")
    file.write_text(text, encoding="utf-8")
    before = documents(exported(requests_of(file)[0]).files)[0]
    file.write_text(text.replace("points: 4", "points: 9"), encoding="utf-8")
    after = documents(exported(requests_of(file)[0]).files)[0]
    assert before["system"] != after["system"]
    assert before["_id"] == after["_id"]
    assert [one["_id"] for one in before["items"]] == [one["_id"] for one in after["items"]]


def test_markup_rolls_and_links_in_texts_are_shown_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "one.yaml"
    evil = "<script>x</script> [[/r 1d6]] @UUID[Actor.x]{y} &amp;"
    data = {"ruleset": "d6-pips", "kind": "npc", "name": evil, "notes": evil, "special": [evil]}
    file.write_text(json.dumps(data), encoding="utf-8")
    actor = documents(exported(requests_of(file)[0]).files)[0]
    html = [actor["system"]["description"]["content"]]
    html += [item["system"]["description"] for item in actor["items"]]
    for text in html:
        assert "<script" not in text
        assert "[[" not in text
        assert "@UUID[" not in text
        tags = {"p", "strong", "br", "ul", "li", "table", "tr", "td", "th"}
        assert set(re.findall(r"</?(\w+)", text)) <= tags
    back = imported(tmp_path / "a.json", {**actor, "flags": {}}, "d6-pips")
    assert "[[/r 1d6]]" in next(iter(back.texts.values()))


def test_what_has_no_place_is_reported_once(tmp_path: Path) -> None:
    result = exported(requests_of(CHARACTERS / "d6-pips")[0])
    messages = [one.message for one in result.findings if one.code.id == "SG831"]
    assert len(messages) == len(set(messages))
    assert any("`sessions`" in one for one in messages)
    bram = next(one for one in documents(result.files) if one["name"] == "Bram Oldecott")
    assert "gained: 7" in bram["system"]["description"]["content"]


def test_every_formula_of_a_map_can_be_parsed() -> None:
    for name in MAPPED:
        plan = load_foundry_map(complete(name)).value
        assert plan is not None
        for actor in plan.actors.values():
            maps = (actor.values, *(item.values for item in actor.items))
            for formula in (text for values in maps for text in values.values()):
                parse_formula(formula)
        assert not [f for f in exported(requests_of(name)[0]).findings if f.code.id != "SG831"]


# -- import ------------------------------------------------------------------------------------


def test_what_changed_in_foundry_comes_back(tmp_path: Path) -> None:
    files = exported(requests_of(CHARACTERS / "d6-pips" / "kor_ashveld.yaml")[0]).files
    actor = copy.deepcopy(documents(files)[0])
    actor["system"]["characterpoints"]["value"] += 2
    actor["system"]["wounds"]["value"] = 2
    actor["system"]["background"]["content"] += "<p>Met <b>Ossa</b>.</p>"
    actor["items"] = [one for one in actor["items"] if one["name"] != "Bow"]
    riding = next(one for one in actor["items"] if one["name"] == "Riding")
    riding["system"]["base"] += 1
    lute = {"name": "Lute", "type": "gear", "system": {"cost": "40", "quantity": [2]}}
    actor["items"].append(lute)
    result = imported(tmp_path / "kor.json", actor, "d6-pips")
    text = next(iter(result.texts.values()))
    assert "points: 6" in text
    assert "condition: Wounded" in text
    assert "Riding: +2D+1" in text or "Riding: 2D+1" in text
    assert "Bow" not in text
    assert "{Lute: {cost: 40, count: 2}}" in text
    assert "Met Ossa." in text
    changed = [one.message for one in result.findings if one.code.id == "SG850"]
    assert any("`points`" in one for one in changed)
    assert "specialisations: [Riding (plains beasts) 6D+1]" in text


FOREIGN = {
    "name": "Dock  Boss",
    "type": "npc",
    "data": {
        "attributes": {
            "agi": {"base": "9", "min": 3},
            "str": {"base": 11.0},
            "kno": {"base": None},
        },
        "characterpoints": {"value": 3, "label": "OD6S.X"},
        "wounds": {"value": "1"},
        "scale": {"mod": None},
        "description": {"content": "<p>Runs &amp; <em>owns</em> it. @UUID[Item.x]{The hook}</p>"},
    },
    "items": [
        {"name": "Blaster", "type": "skill", "data": {"attribute": "agi", "base": 4}},
        {"name": "Juggling", "type": "skill", "data": {"attribute": "agi", "base": 5}},
        {"name": "Pistol", "type": "weapon", "data": {"damage": {"score": 12}}},
        {
            "name": "Cargo hook",
            "type": "weapon",
            "data": {
                "damage": {"score": 13},
                "stats": {"skill": "Melee"},
                "range": {"short": "3-6", "medium": 0, "long": 0},
                "quantity": [1],
            },
        },
        {"name": "Old template", "type": "character-template", "data": {}},
        {"name": 5, "type": None},
        "no item",
    ],
    "flags": {"exportSource": {"system": "od6s"}},
}


def test_an_actor_of_a_stranger_is_read_by_the_map(tmp_path: Path) -> None:
    result = imported(tmp_path / "boss.json", FOREIGN, "d6-pips")
    text = result.texts["dock-boss.yaml"]
    assert "attributes: {Dexterity: 3D, Strength: 3D+2}" in text
    assert "skills: {Firearms: 4D+1}" in text
    assert "condition: Wounded" in text
    assert "points: 3" in text
    assert "gear: [Pistol, {Cargo hook: {dice: 4D+1, skill: Melee, note: range 3-6/0/0}}]" in text
    assert "skill: Juggling +1D+2" in text
    assert "Runs & owns it. The hook" in text
    messages = [one.message for one in result.findings if one.code.id == "SG851"]
    for name in ("Juggling", "Old template", "Cargo hook"):
        assert any(name in one for one in messages), name
    file = tmp_path / "dock-boss.yaml"
    file.write_text(text, encoding="utf-8")
    assert run("check", str(file)).status == 0
    actor = documents(exported(requests_of(file)[0]).files)[0]
    assert actor["system"]["attributes"]["agi"]["base"] == 9
    assert comparable(again(tmp_path, actor, "d6-pips")) == comparable(actor)


def test_a_ship_of_a_stranger_is_read_printed_and_exported(tmp_path: Path) -> None:
    weapon = {"damage": {"score": 21}, "fire_control": {"score": 3}, "ammo": {"value": None}}
    gear = {"description": "<p><span>Fragile pod.&nbsp;</span></p>", "quantity": [1]}
    ship = {
        "name": "Dart",
        "type": "starship",
        "items": [
            {"name": "Twin Lance", "type": "starship-weapon", "system": weapon},
            {"name": "Ranging Pod", "type": "starship-gear", "system": gear},
            {"name": "Gunner's Eye", "type": "cybernetic", "system": {"slots": 2}},
        ],
        "system": {
            "maneuverability": {"score": 4},
            "toughness": {"score": 12},
            "shields": {"value": 6, "skill": {"value": "x"}},
            "vehicle_type": {"value": "Scout"},
            "embedded_pilot": {"value": True, "actor": {"name": "deep"}},
        },
        "_stats": {"systemId": "od6s"},
    }
    pack = tmp_path / "ships.db"
    result = imported(
        pack, json.dumps(ship).encode() + b'\n{"$$indexCreated": {}}\n', "hyperspace-d6"
    )
    text = result.texts["dart.yaml"]
    assert "attributes: {Mobility: 1D, Firepower: 1D}" in text
    assert "defenses: {Hull: 4, Shields: 2, Evade: 10}" in text
    assert "weapons: [{Twin Lance: {dice: 7D}}]" in text
    assert "cybernetic: Gunner's Eye: slots 2" in text
    file = tmp_path / "dart.yaml"
    file.write_text(text, encoding="utf-8")
    assert run("check", str(file)).status == 0
    actor = documents(exported(requests_of(file)[0]).files)[0]
    assert actor["type"] == "starship"
    assert comparable(again(tmp_path, actor, "hyperspace-d6")) == comparable(actor)


def test_dice_without_pips_report_what_is_left(tmp_path: Path) -> None:
    result = imported(tmp_path / "boss.json", FOREIGN, "hyperspace-d6")
    text = result.texts["dock-boss.yaml"]
    assert "attributes: {Dexterity: 3D, Strength: 3D}" in text
    assert any("is 11, which is no whole die" in one.message for one in result.findings)


def test_the_commands_export_and_import(tmp_path: Path) -> None:
    done = run("export", "hyperspace-d6", "--to", "foundry", "--out", str(tmp_path / "out"))
    assert done.status == 0
    module = tmp_path / "out" / "sheetgen-hyperspace-d6"
    done = run("import", str(module), "--ruleset", "hyperspace-d6", "--into", str(tmp_path / "in"))
    assert done.status == 0
    assert len([*(tmp_path / "in").glob("*.yaml")]) == len(documents(files_of(module)))
