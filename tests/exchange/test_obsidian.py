"""Vaults: what is written is what the plugin and YAML read; changed properties come back."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml

from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.yaml.edit import parse_spots
from sheetgen.plugins.exchange.markdown import escape_obsidian, format_properties, note_name
from tests.cli.commands import run
from tests.exchange.test_rosters import exported

CHARACTERS = rulesets_folder().parent / "characters"
LINK = re.compile(r"(?<!\\)\[\[([^\]|#]+)")


def front(text: str) -> str:
    return text.split("\n---\n", 1)[0].removeprefix("---\n") + "\n"


@pytest.mark.many
@pytest.mark.parametrize("id_", ruleset_ids())
def test_a_vault_is_what_its_readers_expect(id_: str, tmp_path: Path) -> None:
    done = run("export", id_, str(CHARACTERS / id_), "--to", "obsidian", "--out", str(tmp_path))
    assert done.status == 0
    notes = {p.relative_to(tmp_path).with_suffix("").as_posix(): p for p in tmp_path.rglob("*.md")}
    layouts = [json.loads(p.read_text("utf-8")) for p in tmp_path.rglob("sheetgen-layouts/*.json")]
    by_name = {layout["name"]: layout for layout in layouts}
    blocks = 0
    for path in notes.values():
        text = path.read_text("utf-8")
        old, new = yaml.safe_load(front(text)), parse_spots(front(text))
        assert new is not None
        assert old == new.data()
        assert not [v for v in old.values() if isinstance(v, dict)]
        assert list(old) == [name.lower() for name in old]
        for target in LINK.findall(text):
            assert target in notes, (path, target)
        if "```statblock\n" in text:
            blocks += 1
            block = yaml.safe_load(text.split("```statblock\n")[1].split("\n```")[0])
            wanted = {n for b in by_name[block["layout"]]["blocks"] for n in b["properties"]}
            assert wanted <= block.keys()
            names = [item["name"] for item in block["items"]]
            assert len(names) == len(set(names))
    assert blocks
    for layout in layouts:
        ids = [block["id"] for block in layout["blocks"]]
        assert len(ids) == len(set(ids))
        assert {b["type"] for b in layout["blocks"]} <= {
            "heading", "subheading", "property", "table", "traits", "text",
        }  # fmt: skip
        for block in layout["blocks"]:
            assert block["type"] != "table" or block["calculate"] is False


@pytest.mark.parametrize("id_", ruleset_ids())
def test_an_unchanged_vault_changes_nothing(id_: str, tmp_path: Path) -> None:
    files = tmp_path / "yaml"
    shutil.copytree(CHARACTERS / id_, files)
    before = {path: path.read_bytes() for path in files.iterdir()}
    run("export", str(files), "--to", "obsidian", "--out", str(tmp_path / "vault"))
    done = run("import", str(tmp_path / "vault"), "--ruleset", id_, "--into", str(files))
    assert done.status == 0
    assert done.out == ""
    assert {path: path.read_bytes() for path in files.iterdir()} == before


SCRIPTS = ("Анна", "Ёлка", "Елка", "Анна-Мария", "Анна Мария", "李雷", "李靁", "韓梅梅", "محمد")
SCRIPTS += ("أحمد", "احمد", "हिन्दी", "ไทย", "★", "…", "ガ", "カ")


@pytest.mark.slow
@pytest.mark.parametrize("to", ["obsidian", "json", "markdown"])
def test_names_in_any_script_have_files_of_their_own(to: str, tmp_path: Path) -> None:
    """No two share a file, none is without a name, and a second export is the same."""
    files = tmp_path / "yaml"
    files.mkdir()
    (first, *_) = sorted((CHARACTERS / "hyperspace-d6").glob("rivet.yaml"))
    for name in SCRIPTS:
        text = first.read_text("utf-8").replace("name: Rivet", f'name: "{name}"')
        (files / f"{name}.yaml").write_text(text, "utf-8")
    for out in ("one", "two"):
        assert run("export", str(files), "--to", to, "--out", str(tmp_path / out)).status == 0
    one, two = (
        {path.relative_to(tmp_path / out): path.read_bytes() for path in found if path.is_file()}
        for out in ("one", "two")
        for found in [sorted((tmp_path / out).rglob("*"))]
    )
    assert one == two
    assert all(path.suffix for path in one)
    assert len(one) >= len(SCRIPTS)
    if to == "obsidian":
        before = {path: path.read_bytes() for path in files.iterdir()}
        into = ("--ruleset", "hyperspace-d6", "--into", str(files))
        assert run("import", str(tmp_path / "one"), *into).out == ""
        assert {path: path.read_bytes() for path in files.iterdir()} == before


@pytest.mark.many
@pytest.mark.parametrize("id_", ruleset_ids())
def test_notes_become_files_again(id_: str, tmp_path: Path) -> None:
    for source in (id_, str(CHARACTERS / id_)):
        run("export", source, "--to", "obsidian", "--out", str(tmp_path / "vault"))
    (tmp_path / "in").mkdir()
    for picture in rulesets_folder().parent.rglob("*.[js][pv]g"):
        shutil.copy(picture, tmp_path / "in" / picture.name)
    done = run("import", str(tmp_path / "vault"), "--ruleset", id_, "--into", str(tmp_path / "in"))
    assert "SG83" not in done.err
    first = exported([str(CHARACTERS / id_)], tmp_path / "first")
    again = exported([str(tmp_path / "in")], tmp_path / "second")
    for name in first:
        plain = [[c for c in row if not c.endswith(".yaml")] for row in first[name]]
        found = [[c for c in row if not c.endswith(".yaml")] for row in again[name]]
        assert len(plain) > 1
        assert [row for row in plain if row not in found] == []


ONE = """# Our ferry warden.
ruleset: d6-pips
name: Vell Tarn
attributes: {DEX: 3D, KNO: 3D, MEC: 3D, PER: 3D, STR: 3D, TEC: 3D}
skills:  # in the order of use
  Dodge: +1D   # since the fire
  Firearms: +1D
notes: Sleeps badly.
"""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "vell.yaml").write_text(ONE, encoding="utf-8")
    run("export", str(tmp_path / "vell.yaml"), "--to", "obsidian", "--out", str(tmp_path / "v"))
    return tmp_path


def change(vault: Path, old: str, new: str) -> Path:
    note = next(vault.rglob("Vell Tarn.md"))
    text = note.read_text("utf-8")
    assert old in text
    note.write_text(text.replace(old, new, 1), encoding="utf-8")
    return note


def test_a_changed_property_comes_back_with_comments_kept(vault: Path) -> None:
    note = change(
        vault, '"Dodge: +1D; Firearms: +1D"', '"Dodge: +1D; Firearms: +1D+1; Search: +1D"'
    )
    change(vault, "name:", "player: Noor\nname:")
    done = run("import", str(note), "--ruleset", "d6-pips", "--into", str(vault))
    assert done.status == 0
    assert (
        "skills: Dodge: +1D; Firearms: +1D -> Dodge: +1D; Firearms: +1D+1; Search: +1D" in done.out
    )
    expected = ONE.replace("  Firearms: +1D\n", "  Firearms: +1D+1\n  Search: +1D\n")
    text = (vault / "vell.yaml").read_text("utf-8")
    assert text.replace("player: Noor\n", "") == expected
    assert "player: Noor\n" in text
    again = run("import", str(note), "--ruleset", "d6-pips", "--into", str(vault))
    assert again.status == 0
    assert (vault / "vell.yaml").read_text("utf-8") == text


def test_a_removed_property_is_removed(vault: Path) -> None:
    note = change(vault, 'notes: "Sleeps badly."\n', "")
    run("import", str(note), "--ruleset", "d6-pips", "--into", str(vault))
    assert (vault / "vell.yaml").read_text("utf-8") == ONE.replace("notes: Sleeps badly.\n", "")


def test_a_conflict_is_never_guessed(vault: Path) -> None:
    note = change(vault, '"Sleeps badly."', '"Sleeps well."')
    (vault / "vell.yaml").write_text(ONE.replace("badly", "never"), encoding="utf-8")
    done = run("import", str(note), "--ruleset", "d6-pips", "--into", str(vault))
    assert "warning[SG806]" in done.err
    assert "Sleeps never." in (vault / "vell.yaml").read_text("utf-8")


def test_computed_and_unknown_properties_are_reported(vault: Path) -> None:
    note = change(vault, "initiative:", 'hat: "red"\ninitiative:')
    change(vault, 'dexterity: "3D"', 'dexterity: "9D"')
    done = run("import", str(note), "--ruleset", "d6-pips", "--into", str(vault))
    assert "warning[SG836]" in done.err
    assert "note[SG834]" in done.err
    assert (vault / "vell.yaml").read_text("utf-8") == ONE


def test_a_change_with_errors_is_not_written(vault: Path) -> None:
    note = change(vault, "Firearms: +1D", "Sworcery: +1D")
    done = run("import", str(note), "--ruleset", "d6-pips", "--into", str(vault))
    assert done.status == 1
    assert "SG201" in done.err
    assert (vault / "vell.yaml").read_text("utf-8") == ONE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# no properties\n",
        "---\nname: x\n",
        "---\nname: [\n---\n%%\nsheetgen-record: {}\n%%\n",
        '---\na: 1\n---\nsheetgen-record: {"file": 1, "typed": [], "computed": {}}\n',
        "---\na: &a [*a]\n---\n" + 'sheetgen-record: {"file":"","typed":{},"computed":{}}\n',
        "---\na: 1\n---\nsheetgen-record: " + "[" * 100_000 + "\n",
        "---\n" + "[" * 100_000 + '\n---\nsheetgen-record: {"file":"","typed":{},"computed":{}}\n',
    ],
)
def test_hostile_notes_end_in_findings(text: str, tmp_path: Path) -> None:
    note = tmp_path / "n.md"
    note.write_text(text, encoding="utf-8")
    done = run("import", str(note), "--ruleset", "d6-pips", "--into", str(tmp_path / "out"))
    assert done.status == 1
    assert "error[SG" in done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_vault_with_many_values_is_read_in_part(tmp_path: Path) -> None:
    record = '---\nsheetgen-record: {"file":"","typed":{},"computed":{}}\n'
    (tmp_path / ".obsidian").mkdir()
    for number in range(4):
        text = f"---\nname: x\nallies: [{'x, ' * 30_000}]\n{record}"
        (tmp_path / f"n{number}.md").write_text(text, encoding="utf-8")
    done = run("import", str(tmp_path), "--ruleset", "d6-pips", "--into", str(tmp_path / "out"))
    assert done.status == 1
    assert "error[SG004]: the notes have more than 100,000 values" in done.err


@pytest.mark.parametrize("name", ["../../outside.yaml", "/etc/passwd", "..\\x.yaml", "a/../b.yaml"])
def test_paths_stay_inside_the_folder(name: str, tmp_path: Path) -> None:
    record = json.dumps({"file": name, "typed": {"name": "x"}, "computed": {}})
    note = tmp_path / "n.md"
    note.write_text(f'---\nname: "Vell"\n---\nsheetgen-record: {record}\n', encoding="utf-8")
    run("import", str(note), "--ruleset", "d6-pips", "--into", str(tmp_path / "out"))
    found = {path for path in tmp_path.rglob("*") if path.is_file()} - {note}
    assert {path.parent for path in found} <= {tmp_path / "out"}


@pytest.mark.parametrize("there", [False, True])
def test_two_notes_never_become_one_file(there: bool, tmp_path: Path) -> None:
    into, vault = tmp_path / "in", tmp_path / "vault"
    into.mkdir()
    (vault / ".obsidian").mkdir(parents=True)
    if there:
        (into / "ada-quill.yaml").write_text("ruleset: keyword-dots\nname: Ada\n", "utf-8")
    for number, file in enumerate(["Ada Quill.yaml", "ada-quill.yaml"]):
        record = json.dumps({"file": file, "typed": {"name": "Ada"}, "computed": {}})
        text = f"---\nname: Ada {number}\n---\nsheetgen-record: {record}\n"
        (vault / f"{number}.md").write_text(text, encoding="utf-8")
    said = run("import", str(vault), "--ruleset", "keyword-dots", "--into", str(into))
    assert "1.md:1:1: error[SG403]" in said.err


def test_texts_are_escaped() -> None:
    assert escape_obsidian("50% #tag %% x == y $z$") == "50% \\#tag \\%% x \\== y \\$z\\$"
    assert note_name('A/B: [[x]] #1 "q"|') == "A-B- -x- -1 -q"
    data = yaml.safe_load(format_properties({"a": "no", "b": "1e3", "c": "12:30"}).strip("-\n"))
    assert data == {"a": "no", "b": "1e3", "c": "12:30"}
