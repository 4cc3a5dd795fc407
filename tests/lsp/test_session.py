"""A session of edits, with a client that editors are made of."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.plugins.editor.lsp.files import find_definitions
from sheetgen.plugins.editor.lsp.server import Session
from tests.cli.commands import ROOT, run
from tests.lsp.editor import Editor

CONTENT = ROOT / "content"
SEVERITIES = {"error": 1, "warning": 2, "note": 3}


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    editor = Editor()
    yield editor
    assert editor.close() == ""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A new ruleset with a character."""
    assert run("new", "ruleset", "Lamps", "--out", tmp_path / "lamps").status == 0
    return tmp_path / "lamps"


def character(folder: Path, name: str) -> Path:
    """Copy a character's file into a folder."""
    (source,) = (CONTENT / "characters").glob(f"*/{name}.yaml")
    return Path(shutil.copy(source, folder))


def eventually(found: Callable[[], Any], expected: Any) -> None:
    """Wait until `found` returns what is expected: other files are checked one after another."""
    until = time.monotonic() + 20
    while (latest := found()) != expected and time.monotonic() < until:
        time.sleep(0.02)
    assert latest == expected


def checked(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Return what `check --format json` finds in the files on disk, as an editor shows it."""
    said = json.loads(run("check", "--format", "json", path).out)
    by_file: dict[str, list[dict[str, Any]]] = {}
    for one in (finding for entry in said for finding in entry["findings"]):
        line = Path(one["file"]).read_text("utf-8").split("\n")[one["line"] - 1]

        def place(column: int, line: str = line, number: int = one["line"] - 1) -> dict[str, int]:
            return {"line": number, "character": len(line[:column].encode("utf-16-le")) // 2}

        start = one["column"] - 1
        message = [one["message"]]
        message += [f"rule: {one['rule']}"] if one["rule"] else []
        message += [f"hint: {one['hint']}"] if one["hint"] else []
        by_file.setdefault(one["file"], []).append(
            {
                "range": {"start": place(start), "end": place(start + one["width"])},
                "severity": SEVERITIES[one["severity"]],
                "code": one["code"],
                "source": "sheetgen",
                "message": "\n".join(message),
            }
        )
    return by_file


def in_order(found: dict[str, list[dict[str, Any]]], folder: Path) -> dict[str, list[str]]:
    """Return diagnostics of files in a folder in an order of their own."""
    dumped = {
        file: sorted(json.dumps(d, sort_keys=True) for d in each) for file, each in found.items()
    }
    return {file: each for file, each in dumped.items() if Path(file).is_relative_to(folder)}


def type_and_compare(editor: Editor, folder: Path, path: Path, text: str) -> list[Any]:
    """Type a text, which is not saved, and compare the diagnostics with those of `check`."""
    saved = path.read_bytes()
    editor.write(path, text)
    found = editor.diagnostics(path)
    path.write_bytes(text.encode())
    expected = in_order(checked(path), folder)
    path.write_bytes(saved)
    eventually(lambda: in_order(editor.published(), folder), expected)
    editor.notify("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
    del editor.versions[path.as_uri()]
    eventually(lambda: in_order(editor.published(), folder), {})
    return found


def labels(items: list[dict[str, Any]]) -> list[str]:
    return [item["label"] for item in items]


EDITS = {
    "vexa-thorne": [
        ("Choke: 5", "Choke: 9"),
        ("Saber Block", "Saber Blok"),
        ("name: Vexa Thorne", "name: 😀 Vexa\nnaem: 😀😀 Thorne"),
        ("{Savage: 4,", "{😀: 1, Savage: 4, Savagee: 2,"),
        ("class: Sith Warrior", "class: Sith Warrior: x"),
        ("wield: Lightsaber", "\twield: Lightsaber"),
        ("limits: house", "limits: hause"),
    ],
    "brakka_sool": [("Combat Knife", "Combat Knif x2"), ("points: 20", "points: many")],
    "orla_hask": [("name:", "nam:")],
    "tessa_morrow": [("name:", "- name:")],
}


@pytest.mark.many
@pytest.mark.parametrize("name", EDITS)
def test_diagnostics_of_characters_are_the_findings_of_check(
    editor: Editor, tmp_path: Path, name: str
) -> None:
    path = character(tmp_path, name)
    for picture in (CONTENT / "characters").glob(f"*/{name.replace('_', '?')}.*g"):
        shutil.copy(picture, tmp_path)
    text = path.read_text()
    for old, new in EDITS[name]:
        assert old in text
        assert type_and_compare(editor, tmp_path, path, text.replace(old, new, 1)), new


OTHERS = {
    "npc": ("ruleset: hyperspace-d6\nkind: npc\nname: Guard 😀\nskils: [Brawl]\nlevel: nine\n", 2),
    "npcs": ("ruleset: hyperspace-d6\nkind: npc\nentries:\n  - {name: A, gear: [Blastr]}\n", 1),
    "vehicle": ("ruleset: hyperspace-d6\nkind: vehicle\nname: Raft\nhul: 3\n", 1),
    "unknown": ("ruleset: hyperspace-d7\nname: Raft\n", 1),
    "encounter": ("ruleset: hyperspace-d6\nencounter: A\ncombatants:\n  - {npc: Stormtroper}\n", 1),
    "book": ("title: 😀 Book\nentries:\n  - {id: a, crads: hyperspace-d6}\n", 1),
    "half typed": ("ruleset\n", 1),
}


@pytest.mark.parametrize("name", OTHERS)
def test_diagnostics_of_other_files_are_the_findings_of_check(
    editor: Editor, tmp_path: Path, name: str
) -> None:
    text, least = OTHERS[name]
    path = tmp_path / f"{name}.yaml"
    path.write_text("# another text\n")
    assert len(type_and_compare(editor, tmp_path, path, text)) >= least


@pytest.mark.parametrize(
    "text", ["", "kind: Deployment\nmetadata: {name: web}\n", "services:\n\tweb: {{ x }}\n"]
)
def test_files_of_others_are_left_alone(editor: Editor, tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.yaml"
    editor.write(path, text)
    assert editor.diagnostics(path) == []
    assert editor.at("hover", path, f"{text}¦") is None


def test_diagnostics_of_a_ruleset_are_in_all_its_files(editor: Editor, game: Path) -> None:
    path = game / "traits.yaml"
    text = path.read_text()
    assert type_and_compare(editor, game, path, text.replace("under: wits", "under: wit", 1))
    renamed = text.replace("      scrap:", "      scrapp:")
    assert not type_and_compare(editor, game, path, renamed)  # They are in files that name it.
    path = game / "gear.yaml"
    assert type_and_compare(editor, game, path, path.read_text() + "  x: {cots: 3}\n")


def test_unsaved_texts_of_a_ruleset_count_for_its_characters(editor: Editor, game: Path) -> None:
    path, gear = game / "characters/ada-quill.yaml", game / "gear.yaml"
    text = gear.read_text()
    changed = text.replace("rope: {name: Rope,", "cord: {name: Cord,")
    editor.write(path, path.read_text())
    assert editor.diagnostics(path) == []
    editor.write(gear, changed)
    gear.write_text(changed)
    expected = in_order(checked(path), path.parent)
    gear.write_text(text)
    assert any("Rope" in one for one in expected[str(path)])
    eventually(lambda: in_order(editor.published(), path.parent), expected)
    editor.write(gear, text)
    eventually(lambda: editor.diagnostics(path), [])


def test_completion(editor: Editor, tmp_path: Path) -> None:
    path = character(tmp_path, "vexa-thorne")
    text = path.read_text()

    def complete(old: str, new: str) -> list[dict[str, Any]]:
        assert old in text
        found: list[dict[str, Any]] = editor.at("completion", path, text.replace(old, new, 1))
        return found

    keys = complete("dice: [d4, d4]", "dice: [d4, d4]\n¦")
    assert "specials" in labels(keys)
    assert "kit" not in labels(keys)  # It is written already.
    names = complete("  Sith Lord: 2\n", "  Sith Lord: 2\n  Fo¦\n")
    assert {"Force Push", "Jedi Master"} <= set(labels(names))
    assert "Shove away" in names[labels(names).index("Force Push")]["documentation"]["value"]
    assert names[labels(names).index("Force Push")]["textEdit"]["newText"] == "Force Push: "
    ratings = complete("Sprint: 3", "Sprint: ¦")
    assert labels(ratings) == ["1", "2", "3", "4", "5"]
    assert "Sith Warrior" in labels(complete("class: Sith Warrior", "class: ¦"))
    listed = complete("equipment: [Armor]", "equipment:\n  - Armor\n  - ¦")
    assert {"Forcefield", "Shoto"} <= set(labels(listed))
    assert labels(complete("limits: house", "limits: ¦")) == ["open", "prose", "house"]
    assert "keyword-dots" in labels(complete("ruleset: keyword-dots", "ruleset: ¦"))
    assert complete("xp: 104", "xp: 104 # ¦") == []
    after_emoji = complete("{Savage: 4,", '{"😀😀": 1, Sav¦: 4,')
    item = after_emoji[labels(after_emoji).index("Savage")]
    edit = item["textEdit"]["range"]
    assert edit["start"]["character"] == len('abilities: {"😀😀": 1, ') + 2  # In UTF-16.
    assert edit["end"]["character"] - edit["start"]["character"] == len("Sav")


def test_completion_of_gear_and_of_other_files(editor: Editor, tmp_path: Path) -> None:
    path = character(tmp_path, "brakka_sool")
    gear = editor.at("completion", path, path.read_text().replace("Comlink", "¦"))
    assert "Cost: 250" in gear[labels(gear).index("Vibroknife")]["documentation"]["value"]
    fight = tmp_path / "fight.yaml"
    head = "ruleset: hyperspace-d6\nencounter: A\ncombatants:\n"
    assert {"npc", "vehicle", "count"} <= set(
        labels(editor.at("completion", fight, f"{head}  - ¦"))
    )
    book = tmp_path / "book.yaml"
    keys = editor.at("completion", book, "title: A\nentries:\n  - id: a\n    ¦\n")
    assert {"cards", "sheets", "theme"} <= set(labels(keys))


def test_completion_in_files_of_a_ruleset(editor: Editor, game: Path) -> None:
    path = game / "gear.yaml"
    text = path.read_text()
    found = editor.at("completion", path, text.replace("skill: scrap", "skill: ¦", 1))
    assert {"scrap", "shoot"} <= set(labels(found))
    assert "null" not in labels(found)
    keys = editor.at("completion", path, text.replace("{name: Rope, ", "{name: Rope, ¦, ", 1))
    assert "tags" not in labels(keys)  # It is written already.
    assert {"dice", "worn"} <= set(labels(keys))


def test_hover_tells_rating_source_price_and_rule(editor: Editor, tmp_path: Path) -> None:
    path = character(tmp_path, "vexa-thorne")
    found = editor.at("hover", path, path.read_text().replace("Choke: 5", "Ch¦oke: 5"))
    text = found["contents"]["value"]
    assert text.startswith("**Choke** 5, at most 5\n\n- Apology Accepted: +4\n- bought: +1")
    assert "Next step: the limit is 5" in text
    assert "Dots squared damage past armor" in text
    assert found["range"]["end"]["character"] == len("  Choke")
    points = editor.at("hover", path, path.read_text().replace("xp: 104", "x¦p: 104"))
    assert "104 gained, 101 spent, 3 left" in points["contents"]["value"]
    assert editor.at("hover", path, path.read_text().replace("# A W", "# A ¦W")) is None


def test_code_actions_do_what_hints_say(editor: Editor, tmp_path: Path) -> None:
    path = character(tmp_path, "vexa-thorne")
    text = path.read_text().replace("Saber Block: 3", "Saber Blok: 3")
    editor.write(path, text)
    wrong = next(one for one in editor.diagnostics(path) if "Saber Blok" in one["message"])
    where = {"range": wrong["range"], "context": {"diagnostics": [wrong]}}
    (action,) = editor.ask("codeAction", path, **where)
    assert action["diagnostics"] == [wrong]
    (edit,) = action["edit"]["changes"][path.as_uri()]
    lines = text.split("\n")
    start, end = edit["range"]["start"], edit["range"]["end"]
    line = lines[start["line"]]
    lines[start["line"]] = line[: start["character"]] + edit["newText"] + line[end["character"] :]
    assert "\n".join(lines) == path.read_text()
    elsewhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    assert editor.ask("codeAction", path, range=elsewhere, context={"diagnostics": []}) == []


def test_symbols_and_definition(editor: Editor, tmp_path: Path) -> None:
    path = character(tmp_path, "vexa-thorne")
    text = path.read_text()
    editor.write(path, text)
    symbols = editor.ask("documentSymbol", path)
    outline = {one["name"]: [below["name"] for below in one["children"]] for one in symbols}
    assert outline["force powers"][:2] == ["Choke", "Saber Fighting"]
    (found,) = editor.at("definition", path, text.replace("Saber Block", "Saber¦ Block"))
    traits = rulesets_folder() / "keyword-dots/traits.yaml"
    assert found["uri"] == traits.as_uri()
    start, end = found["range"]["start"], found["range"]["end"]
    line = traits.read_text().split("\n")[start["line"]]
    assert line[start["character"] : end["character"]] == "saber_block"
    assert editor.at("definition", path, text.replace("name: Vexa", "name: Ve¦xa")) == []


def test_definitions_in_files_of_a_ruleset(game: Path) -> None:
    path = game / "gear.yaml"
    text = path.read_text()
    session = Session()
    real = session.put(path.as_uri(), str(path), text, 1, saved=True)
    file = session.open_file(session.documents[real])
    (span,) = find_definitions(file, text.index("skill: scrap") + 9)
    assert (span.file, span.width) == (str(game / "traits.yaml"), len("scrap"))


def test_names_of_an_encounter_are_explained_and_found(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "fight.yaml"
    text = (
        "ruleset: hyperspace-d6\nencounter: X\ncombatants:\n  - npc: Bounty Hunter\n    count: 2\n"
    )
    path.write_text(text, encoding="utf-8")
    editor.write(path, text)
    (found,) = editor.at("definition", path, text.replace("Bounty", "Boun¦ty"))
    assert found["uri"].startswith((rulesets_folder() / "hyperspace-d6").as_uri())
    hover = editor.at("hover", path, text.replace("Bounty", "Boun¦ty"))
    assert "Bounty Hunter" in hover["contents"]["value"]
    counted = editor.at("hover", path, text.replace(" count", " cou¦nt"))
    assert "How many" in counted["contents"]["value"]
    assert editor.at("definition", path, text.replace(" count", " cou¦nt")) == []


def test_texts_of_other_addresses_are_ignored(editor: Editor, tmp_path: Path) -> None:
    uri = "untitled:Untitled-1"
    document = {"uri": uri, "languageId": "yaml", "version": 1, "text": "ruleset: x\n"}
    editor.notify("textDocument/didOpen", {"textDocument": document})
    place = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 3}}
    assert editor.request("textDocument/hover", place) is None
    assert editor.request("textDocument/completion", place) is None
