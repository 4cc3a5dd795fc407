"""What all formats share, and the formats that are only exported."""

from __future__ import annotations

import json
from pathlib import Path

import fastjsonschema
import pytest
import yaml
from markdown_it import MarkdownIt

from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.plugins.exchange.markdown import escape_markdown
from sheetgen.prints.build_data import build_schema
from sheetgen.prints.encounter import check_encounter
from sheetgen.write import name_key
from tests.cli.commands import run

ONE = rulesets_folder().parent / "characters" / "d6-pips" / "tessa_morrow.yaml"


def test_json_is_what_show_prints(tmp_path: Path) -> None:
    assert run("export", str(ONE), "--to", "json", "--out", str(tmp_path)).status == 0
    exported = json.loads((tmp_path / "tessa-morrow.json").read_text("utf-8"))
    shown = json.loads(run("show", str(ONE), "--format", "json").out)
    validate = fastjsonschema.compile(build_schema())
    validate(exported)
    validate(shown)
    for key in ("$schema", "format", "kind", "licence", "_seal"):
        del exported[key]
    del shown["findings"]
    assert exported == shown
    schema = json.loads((tmp_path / "build-1.schema.json").read_text("utf-8"))
    del schema["$comment"]
    assert schema == build_schema()


def test_a_ruleset_is_exported_with_all_its_entries(tmp_path: Path) -> None:
    done = run("export", "hyperspace-d6", "--to", "json", "--out", str(tmp_path))
    assert done.status == 0
    assert done.err == ""
    names = {path.stem for path in tmp_path.iterdir()}
    assert {"scum-thug", "scum-crime-lord"} <= names


def test_the_same_export_is_written_again(tmp_path: Path) -> None:
    outs = [run("export", str(ONE), "--to", "json", "--out", str(tmp_path)) for _ in range(2)]
    assert [one.status for one in outs] == [0, 0]


def test_a_broken_file_does_not_stop_the_others(tmp_path: Path) -> None:
    bad = tmp_path / "bad.yaml"
    bad.write_text("ruleset: d6-pips\nname: [", encoding="utf-8")
    out = tmp_path / "out"
    done = run("export", str(bad), str(ONE), "--to", "markdown", "--out", str(out))
    assert done.status == 1
    assert [path.name for path in out.iterdir()] == ["tessa-morrow.md"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# no heading", "\\# no heading"),
        ("1. no list", "1\\. no list"),
        ("a_b*c <b>[x](y)", "a\\_b\\*c \\<b\\>\\[x\\](y)"),
        ("one\n- two", "one\\\n\\- two"),
    ],
)
def test_markdown_is_escaped(text: str, expected: str) -> None:
    assert escape_markdown(text) == expected


def test_a_file_of_an_unknown_format_is_a_finding(tmp_path: Path) -> None:
    done = run("import", str(tmp_path / "x.bin"), "--ruleset", "d6-pips")
    assert done.status == 1
    assert "SG832" in done.err


ENCOUNTERS = sorted((rulesets_folder().parent / "encounters").glob("*/*.yaml"))


@pytest.mark.parametrize("path", ENCOUNTERS, ids=lambda path: path.stem)
def test_markdown_of_an_encounter_has_its_combatants(path: Path, tmp_path: Path) -> None:
    done = run("export", str(path), "--to", "markdown", "--out", str(tmp_path))
    assert done.status == 0
    (text,) = (file.read_text("utf-8") for file in tmp_path.iterdir())
    encounter = check_encounter(path).encounter
    assert encounter is not None
    assert text.startswith(f"# {escape_markdown(encounter.title)}\n")
    for player in encounter.players:
        assert f"| {player} " in text
    rows = [cells for table in parsed_tables(text) for cells in table]
    assert {len(row) for table in parsed_tables(text) for row in table} >= {len(rows[0])}
    for fighter in check_encounter(path).fighters:
        assert fighter.build.name in {row[0] for row in rows}
        assert "☐" in text
    assert f"Licence: {encounter.rules.credit.licence}" in text.replace("\\", "")


def parsed_tables(text: str) -> list[list[list[str]]]:
    """Return the cells of the tables of a Markdown text, as a reader of CommonMark sees them."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    tables: list[list[list[str]]] = []
    for at, token in enumerate(tokens):
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type in ("td_open", "th_open"):
            tables[-1][-1].append(tokens[at + 1].content)
    return tables


def test_other_formats_leave_encounters_out_and_report_it(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for path in (ONE, next(p for p in ENCOUNTERS if p.parent.name == "d6-pips")):
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "tessa_morrow.jpg").write_bytes(ONE.with_suffix(".jpg").read_bytes())
    done = run("export", str(folder), "--to", "csv", "--out", str(tmp_path / "out"))
    assert done.status == 0
    assert done.err.count("csv has no place for encounters; they are left out") == 1
    assert "passed over" not in done.err


def test_markdown_of_a_ruleset_has_its_tables(tmp_path: Path) -> None:
    run("export", "d6-pips", "--to", "markdown", "--out", str(tmp_path))
    tables = parsed_tables((tmp_path / "d6-pips-tables.md").read_text("utf-8"))
    assert len(tables) > 5
    assert all(len({len(row) for row in table}) == 1 for table in tables)


def test_markdown_of_a_ruleset_has_its_cards(tmp_path: Path) -> None:
    done = run("export", "narrative-powers", "--to", "markdown", "--out", str(tmp_path))
    assert done.status == 0
    texts = [path.read_text("utf-8") for path in tmp_path.iterdir()]
    assert all("Licence: none stated" in text for text in texts)
    assert [text for text in texts if text.startswith("# Power") and text.count("\n## ") > 10]


NAMES = [
    "Thug #1",
    "Thug (1)",
    "Zoë",
    "Zoe",
    "zoe",
    "Con",
    "con.",
    "＝1+1",
    "=1+1",
    "ガード",
    "カード",
]


def gang(folder: Path) -> list[str]:
    """Return files whose names, and whose entries' names, make the same file."""
    lines = [f"  - {{name: {json.dumps(name)}, attributes: {{DEX: 2D}}}}" for name in NAMES]
    files = []
    for number, kind in enumerate(("", "", "kind: npc\n")):
        path = folder / f"d{number}" / ("A.yaml" if number else "a.yaml")
        path.parent.mkdir(parents=True)
        one = ONE.read_text("utf-8").replace("Tessa Morrow", f"Tessa {number}")
        one = "\n".join(line for line in one.splitlines() if not line.startswith("portrait"))
        several = "\n".join([f"ruleset: d6-pips\n{kind}entries:", *lines])
        path.write_text(several if kind else one, encoding="utf-8")
        files.append(str(path))
    return files


@pytest.mark.parametrize(
    ("format_", "suffix"), [("json", "json"), ("markdown", "md"), ("csv", ""), ("xlsx", "")]
)
def test_entries_whose_names_make_the_same_file_have_a_file_each(
    tmp_path: Path, format_: str, suffix: str
) -> None:
    out = tmp_path / "out"
    done = run("export", *gang(tmp_path), "--to", format_, "--out", str(out))
    assert done.status == 0, done.err
    if suffix:
        files = [path for path in out.iterdir() if "schema" not in path.name]
        assert len({name_key(path.name) for path in files}) == len(NAMES) + 2
        texts = " ".join(path.read_text("utf-8") for path in files)
        assert all(f"Tessa {number}" in texts for number in range(2))
        return
    rosters = [path for path in out.iterdir() if "ledger" not in path.name]
    into = tmp_path / "in"
    for path in rosters:
        done = run("import", str(path), "--ruleset", "d6-pips", "--into", str(into))
        assert done.status == 0, done.err
    assert len([*into.iterdir()]) == len(NAMES) + 2


@pytest.mark.parametrize("format_", ["obsidian", "foundry"])
def test_notes_and_actors_whose_names_make_the_same_file_come_back_each(
    tmp_path: Path, format_: str
) -> None:
    out, into = tmp_path / "out", tmp_path / "in"
    done = run("export", *gang(tmp_path), "--to", format_, "--out", str(out))
    assert done.status == 0, done.err
    source = out if format_ == "obsidian" else next(out.iterdir())
    done = run("import", str(source), "--ruleset", "d6-pips", "--into", str(into))
    assert done.status == 0, done.err
    texts = [path.read_text("utf-8") for path in into.iterdir()]
    found = sorted(str(yaml.safe_load(text)["name"]) for text in texts)
    assert found == sorted([*NAMES, "Tessa 0", "Tessa 1"])
    if format_ == "obsidian":  # the same vault again changes nothing
        done = run("import", str(source), "--ruleset", "d6-pips", "--into", str(into))
        assert (done.status, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", "{ not json"),
        ("a.json", "{}"),
        ("a.json", "[]"),
        ("a.json", "[" * 200_000),
        ("a.json", '{"name": "x", "type": "loot", "system": {}, "items": []}'),
        ("a.json", '{"name": "x", "type": "spell", "system": {}}'),
        ("a.db", ""),
        ("a.csv", ""),
        ("a.csv", "name,gear\n"),
        ("a.md", ""),
        ("vault/.obsidian/app.json", "{}"),
        ("module/module.json", "{}"),
    ],
)
def test_an_import_that_reads_nothing_says_so(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    named = tmp_path / Path(name).parts[0]
    done = run("import", str(named), "--ruleset", "d6-pips", "--into", str(tmp_path / "in"))
    assert done.status == 1
    assert "error[SG833]" in done.err
    assert not (tmp_path / "in").exists()
