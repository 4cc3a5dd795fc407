"""Modules of Foundry: what is exported, comes back equal, and what has changed is reported."""

from __future__ import annotations

import copy
import json
import re
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from sheetgen.cli.new import NpcRequest, generate_npcs, levels_of
from sheetgen.diag.findings import Severity
from sheetgen.load.characters import RulesetCache
from sheetgen.model.build import code_text
from sheetgen.plugins.exchange.foundry.documents import Document, get_leaf, put_leaf
from sheetgen.plugins.exchange.foundry.mapping import load_foundry_map
from sheetgen.readback.merging import check_text
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

pytestmark = pytest.mark.slow

SHIPPED = [*MAPPED, *(CHARACTERS / name for name in MAPPED)]
KNOWN = {"tessa_morrow.jpg", "pell_marrow.svg"}


def again(tmp_path: Path, actor: Document, rules: str) -> Document:
    """Return an actor that was imported and exported again."""
    for flags in actor["flags"].values():  # an actor alone has no picture: the author's is there
        for key in {"portrait", "art"} & (source := yaml.safe_load(flags["source"])).keys():
            (tmp_path / source[key]["file"]).touch()
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
    assert any("Character Points left has changed in Foundry" in one for one in changed)
    assert any("`points: 6`" in one for one in changed)
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


def changed_actor(name: str, changes: dict[str, Any]) -> Document:
    """Return the actor of a shipped character with other leaves; `Item.leaf` is one of an item."""
    actor = copy.deepcopy(documents(exported(requests_of(CHARACTERS / name)[0]).files)[0])
    for way, value in changes.items():
        first, _, leaf = way.partition(".")
        items = [one["system"] for one in actor["items"] if one["name"] == first]
        put_leaf(items[0] if items else actor["system"], leaf if items else way, value)
    return actor


TESSA, VANDEL = "d6-pips/tessa_morrow.yaml", "hyperspace-d6/dra_umbekk.yaml"
MONEY, CP, FATE = "credits.value", "characterpoints.value", "fatepoints.value"


@pytest.mark.parametrize(
    ("name", "changes", "left"),
    [
        (TESSA, {MONEY: 900}, {"credits": 900, "cp": 2, "fate": 1}),
        (TESSA, {MONEY: 100}, {"credits": 100, "cp": 2, "fate": 1}),
        (TESSA, {MONEY: 0}, {"credits": 0, "cp": 2, "fate": 1}),
        (TESSA, {"Medpac.quantity": 3}, {"credits": 175, "cp": 2, "fate": 1}),
        (TESSA, {"Medpac.quantity": 2, MONEY: 75}, {"credits": 75, "cp": 2, "fate": 1}),
        (TESSA, {CP: 7}, {"credits": 175, "cp": 7, "fate": 1}),
        (TESSA, {CP: 0, FATE: 0}, {"credits": 175, "cp": 0, "fate": 0}),
        (TESSA, {CP: 1, FATE: 4}, {"credits": 175, "cp": 1, "fate": 4}),
        (VANDEL, {MONEY: 12}, {"credits": 12}),
        (VANDEL, {MONEY: 4000, CP: 1}, {"credits": 4000, "cp": 1}),
    ],
)
@pytest.mark.parametrize("flagged", [True, False])
def test_money_and_points_that_changed_in_foundry_are_what_is_left(
    tmp_path: Path, name: str, changes: dict[str, Any], left: dict[str, int], flagged: bool
) -> None:
    actor = changed_actor(name, changes)
    rules = name.partition("/")[0]
    actor |= {} if flagged else {"flags": {}}
    result = imported(tmp_path / "actor.json", actor, rules)
    one = check_text(tmp_path / "x.yaml", next(iter(result.texts.values())), RulesetCache(), {})
    assert one.build is not None
    assert {pool: one.build.ledgers[pool].left for pool in left} == left, result
    notes = [f.message for f in result.findings if f.code.id == "SG850"]
    assert notes or not flagged
    if flagged:
        assert not any(f.severity is Severity.ERROR for f in result.findings), result.findings


def test_spent_points_without_a_pool_and_wounds_change_both_ways(tmp_path: Path) -> None:
    name, key = "hyperspace-d6/dra_umbekk.yaml", "force_points_spent"
    for value, spent in ((0, 2), (1, 1), (2, 0)):
        actor = changed_actor(name, {FATE: value})
        result = imported(tmp_path / "actor.json", actor, "hyperspace-d6")
        data = yaml.safe_load(next(iter(result.texts.values())))
        assert data.get(key, data.get("force points spent", 0)) == spent, result
    actor = changed_actor(name, {FATE: 9})
    result = imported(tmp_path / "actor.json", actor, "hyperspace-d6")
    messages = [f.message for f in result.findings if f.severity is Severity.WARNING]
    assert any("`fatepoints.value` 9 (the file has 2)" in one for one in messages)


def test_what_an_author_wrote_about_an_item_stays_when_its_number_changes(tmp_path: Path) -> None:
    text = (CHARACTERS / TESSA).read_text("utf-8").replace("portrait:", "# portrait:")
    own = "{Medpac: {note: from Ossa}}, Radio, {Rope: {cost: 0, note: x}}, "
    text = text.replace("Medpac,", f"{own}{{Club: {{name: Old Faithful}}}},")
    file = tmp_path / "tessa.yaml"
    file.write_text(text, encoding="utf-8")
    actor = documents(exported(requests_of(file)[0]).files)[0]
    for item in actor["items"]:
        if item["name"] in ("Medpac", "Rope (30 m)", "Old Faithful"):
            item["system"]["quantity"] = 4
    actor["items"].remove(next(one for one in actor["items"] if one["name"] == "Radio"))
    result = imported(tmp_path / "actor.json", actor, "d6-pips")
    gear = yaml.safe_load(next(iter(result.texts.values())))["gear"]
    assert {"Medpac": {"note": "from Ossa", "count": 4}} in gear
    assert {"Rope": {"cost": 0, "note": "x", "count": 4}} in gear
    assert {"Club": {"name": "Old Faithful", "count": 4}} in gear
    assert gear.count("Radio") == 1
    assert len(gear) == 7


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("{Gaff: 2D, Paddle: 1D, Snare: {note: torn}}", ["Snare"], {"Snare": {"note": "torn"}}),
        ("{Gaff: 2D}", [], None),
        ("[{Gaff: 2D Firearms}, {Snare: granted}]", ["Gaff", "Snare"], {"Snare": "granted"}),
    ],
)
def test_things_that_stay_are_kept_however_they_are_written(
    tmp_path: Path, old: str, new: list[str], wanted: Any
) -> None:
    """A mapping of several things reads like a list of them."""
    file = tmp_path / "one.yaml"
    file.write_text(f"ruleset: d6-pips\nkind: npc\nname: One\ngear: {old}\n", encoding="utf-8")
    actor = documents(exported(requests_of(file)[0]).files)[0]
    actor["items"] = [i for i in actor["items"] if i["type"] == "skill" or i["name"] in new]
    for item in actor["items"]:
        if item["name"] == "Gaff":
            item["system"]["damage"]["score"] = 12
    result = imported(tmp_path / "actor.json", actor, "d6-pips")
    gear = yaml.safe_load(next(iter(result.texts.values()))).get("gear")
    if wanted is None:
        assert gear is None
        return
    assert wanted in gear
    assert len(gear) == len(new)
    assert "Gaff" not in new or {"Gaff": {"dice": "4D", "skill": "Firearms"}} in gear


def test_what_was_written_about_an_item_is_in_the_notes(tmp_path: Path) -> None:
    for flagged in (True, False):
        actor = changed_actor(TESSA, {})
        item = next(one for one in actor["items"] if one["name"] == "Medpac")
        item["system"]["description"] += "<p>Gift of Ossa.</p>"
        actor |= {} if flagged else {"flags": {}}
        result = imported(tmp_path / "actor.json", actor, "d6-pips")
        text, said = next(iter(result.texts.values())), [f.message for f in result.findings]
        assert ("Medpac: Gift of Ossa." in text) == flagged
        assert flagged or any("the texts about Medpac are left out" in one for one in said)
        assert not flagged or any("Gift of Ossa.` is new in Foundry" in one for one in said)
    item["system"]["description"] = "<p>Gone.</p>"
    actor["flags"] = changed_actor(TESSA, {})["flags"]
    result = imported(tmp_path / "actor.json", actor, "d6-pips")
    assert any("of `Medpac` is gone" in one.message for one in result.findings)


def test_a_skill_that_is_there_twice_and_an_empty_word_are_not_guessed(tmp_path: Path) -> None:
    actor = changed_actor("d6-pips/kor_ashveld.yaml", {})
    riding = next(one for one in actor["items"] if one["name"] == "Riding")
    actor["items"].append({**riding, "system": {**riding["system"], "base": 40}})
    result = imported(tmp_path / "actor.json", actor, "d6-pips")
    assert any("Riding is there twice" in one.message for one in result.findings)
    ship = {
        "name": "X",
        "type": "starship",
        "items": [],
        "system": {"maneuverability": {"score": 3}},
    }
    for word in ({"value": ""}, {}):
        ship["system"]["vehicle_type"] = word
        result = imported(tmp_path / "ship.json", ship, "hyperspace-d6")
        assert "group" not in yaml.safe_load(next(iter(result.texts.values())))
    for text in ("0", "007", "1.50"):  # texts, though they look like numbers
        ship["system"]["vehicle_type"] = {"value": text}
        result = imported(tmp_path / "ship.json", ship, "hyperspace-d6")
        assert yaml.safe_load(next(iter(result.texts.values())))["group"] == text


def test_every_changed_value_is_in_the_file_or_reported(tmp_path: Path) -> None:
    """One random leaf at a time, with the source in the flags and without it."""
    draw = Random(7)
    actors = [
        (str(request.rules.id), actor)
        for what in SHIPPED
        for request in requests_of(what)
        if str(request.rules.id) in MAPPED
        for actor in documents(exported(request).files)
    ]
    for _ in range(count(600, 4)):
        rules, original = draw.choice(actors)
        actor = copy.deepcopy(original) | ({"flags": {}} if draw.random() < 0.4 else {})
        places = [(None, way) for way, _ in leaves(actor["system"]) if "content" not in way]
        places += [
            (number, way)
            for number, item in enumerate(actor["items"])
            for way, _ in leaves(item["system"])
            if way not in ("description", "attribute")
        ]
        number, way = draw.choice(places)
        part = actor if number is None else actor["items"][number]
        old = get_leaf(part["system"], way)
        new = not old if isinstance(old, bool) else f"{old}x" if isinstance(old, str) else None
        new = max(0, old + draw.choice([-3, -2, -1, 1, 3, 30])) if new is None else new
        put_leaf(part["system"], way, new)
        result = imported(tmp_path / "actor.json", actor, rules)
        said = [f for f in result.findings if f.severity is not Severity.NOTE]
        words = way.split(".")
        if new == old or any(
            f.severity is Severity.ERROR or any(word in f.message for word in words) for f in said
        ):
            continue
        target = tmp_path / "again.yaml"
        target.write_text(next(iter(result.texts.values())), encoding="utf-8")
        back = documents(exported(requests_of(target)[0]).files)[0]
        same = [one for one in back["items"] if one["name"] == part["name"]]
        parts = [back] if number is None else same
        found = [get_leaf(one["system"], way) for one in parts]
        gone = new == 0 and not found
        assert gone or new in found, (rules, part["name"], way, old, new, found, result.findings)


@pytest.mark.parametrize("rules", MAPPED)
def test_what_only_the_table_has_is_reported_where_it_changed(tmp_path: Path, rules: str) -> None:
    path = min((CHARACTERS / rules).glob("*.yaml"))
    (actor,) = documents(exported(requests_of(path)[0]).files)
    weapon = next(one for one in actor["items"] if one["type"] == "weapon")
    ways = ("ammo", "damaged", "rof", "price", "availability")
    put_leaf(actor["system"], "stuns.current", 0)  # as the system has it
    before = {f.message for f in imported(tmp_path / "a.json", actor, rules).findings}
    assert not any("cannot hold" in message for message in before)
    put_leaf(actor["system"], "stuns.current", 2)
    actor["effects"] = [{"name": "Dazed"}, {"name": "Away", "disabled": True}, None]
    for way in ways:
        put_leaf(weapon["system"], way, 7 if isinstance(weapon["system"][way], int) else "rare")
    found = imported(tmp_path / "a.json", actor, rules).findings
    (said,) = (f.message for f in found if "cannot hold" in f.message)
    assert "`stuns.current` 2" in said
    assert "the effect `Dazed`" in said
    assert "Away" not in said
    assert all(f"`{weapon['name']}` `{way}`" in said for way in ways)


def test_the_picture_of_a_module_comes_back_or_its_key_is_left_out(tmp_path: Path) -> None:
    module = tmp_path / "out" / "sheetgen-hyperspace-d6-characters"
    source = CHARACTERS / "hyperspace-d6" / "pell_marrow.yaml"
    assert run("export", str(source), "--to", "foundry", "--out", str(tmp_path / "out")).status == 0
    art = module / "art" / "pell-marrow.svg"
    art.write_text(art.read_text("utf-8").replace("<path", "<script>x()</script><path", 1), "utf-8")
    archive = shutil.make_archive(str(tmp_path / "zipped"), "zip", tmp_path / "out")
    for number, path in enumerate((str(module), archive, str(module / "packs" / "characters"))):
        into = tmp_path / f"in{number}"
        done = run("import", path, "--ruleset", "hyperspace-d6", "--into", str(into))
        assert done.status == 0, done.err
        portrait = yaml.safe_load((into / "pell-marrow.yaml").read_text("utf-8")).get("portrait")
        if number < 2:
            assert portrait["file"] == "pell-marrow.svg"
            assert "alt" in portrait
            assert "script" not in (into / "pell-marrow.svg").read_text("utf-8")
            assert run("check", str(into)).status == 0
        else:
            assert portrait is None
            assert "its picture is not in what is imported" in done.err
            assert "file: pell_marrow.svg" in done.err
    (module / "art" / "pell-marrow.svg").write_bytes(b"no picture")
    done = run("import", str(module), "--ruleset", "hyperspace-d6", "--into", str(tmp_path / "bad"))
    assert "SG904" in done.err or "SG90" in done.err
    assert "portrait" not in (tmp_path / "bad" / "pell-marrow.yaml").read_text("utf-8")


@pytest.mark.parametrize(
    ("way", "value", "written", "said"),
    [
        ("move.value", 8, "move: 8", "from 10 to 8"),  # less than the default of an absent key
        ("age.content", "44", "age: 44", "new in Foundry"),  # a leaf that no key has
        ("personality.content", "<p>Grim</p>", "personality: Grim", "new in Foundry"),
        ("attributes.met.base", 3, "", "`attributes.met.base` 3"),  # a rating beside those
        ("scale.score", 2, "", "`scale.score` 2 (the file has 0)"),  # a leaf without a place
        ("Pistol.stats.parry_skill", "x", "", "`Pistol` `stats.parry_skill` x"),
        ("Pistol.cost", None, "", "`Pistol` `cost` nothing (the file has 500)"),
        (MONEY, None, "", "`credits.value` nothing (the file has 175)"),
        (MONEY, 99.5, "credits: 924", "`credits.value` 99.5 (the file has 99)"),
        ("attributes.kno.base", 7.5, "", "`attributes.kno.base` 7.5"),
        ("name", "", "name: Tessa Morrow", ""),
        ("items", {"type": "gear", "system": {}}, "", "an item without a name"),
        ("items", {"type": "gear", "name": "Bag x3", "system": {}}, "count: 1, note: Bag x3", ""),
    ],
)
def test_what_the_file_has_no_key_for_is_in_the_notes_or_reported(
    tmp_path: Path, way: str, value: Any, written: str, said: str
) -> None:
    actor = changed_actor(TESSA, {})
    if way in actor:
        actor[way] = [*actor[way], value] if way == "items" else value
    else:
        actor = changed_actor(TESSA, {way: value})
    result = imported(tmp_path / "actor.json", actor, "d6-pips")
    assert written in next(iter(result.texts.values()))
    assert any(said in f.message for f in result.findings), result.findings
