"""Rosters: each shipped character and NPC comes back equal; cells are at row and column."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import openpyxl
import pytest
import yaml

from sheetgen.diag import codes
from sheetgen.load.catalogues import read_sheet
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.source import Pairs
from sheetgen.plugins.exchange.rosters import BadCell, format_cell, parse_cell
from tests.cli.commands import run

CHARACTERS = rulesets_folder().parent / "characters"
NAMES = {codes.UNKNOWN_COLUMN.id, codes.BAD_CELL.id, codes.COMPUTED_CELL.id}


def rows_of(path: Path) -> list[tuple[str, ...]]:
    with path.open(newline="", encoding="utf-8") as file:
        return sorted(tuple(row) for row in csv.reader(file) if not row[0].startswith("#"))


def exported(sources: list[str], folder: Path) -> dict[str, list[tuple[str, ...]]]:
    run("export", *sources, "--to", "csv", "--out", str(folder))
    return {path.name: rows_of(path) for path in sorted(folder.iterdir())}


@pytest.mark.many
@pytest.mark.parametrize("id_", ruleset_ids())
@pytest.mark.parametrize("stock", [True, False])
def test_export_import_export_is_equal(id_: str, stock: bool, tmp_path: Path) -> None:
    source = id_ if stock else str(CHARACTERS / id_)
    first = exported([source], tmp_path / "first")
    (tmp_path / "yaml").mkdir()
    for picture in rulesets_folder().parent.rglob("*.[js][pv]g"):
        shutil.copy(picture, tmp_path / "yaml" / picture.name)
    for name in first:
        if not name.endswith("-ledger.csv"):
            roster = str(tmp_path / "first" / name)
            done = run("import", roster, "--ruleset", id_, "--into", str(tmp_path / "yaml"))
            assert not {code for code in NAMES if code in done.err}, done.err
    if first:
        assert exported([str(tmp_path / "yaml")], tmp_path / "second") == first


def node(text: str) -> object:
    root = parse_yaml(f"k: {text}\n", "x").value
    assert root is not None
    assert isinstance(root.root, Pairs)
    return root.root.get("k")


@pytest.mark.parametrize(
    ("yaml", "cell"),
    [
        ("{Jump: 3, Sprint: 2}", "Jump: 3; Sprint: 2"),
        ("[Bow: granted, Medpac]", "[Bow: granted, Medpac]"),
        ("[one, two]", "one; two"),
        ("[one]", "[one]"),
        ("[{Mara: a friend}]", "[{Mara: a friend}]"),
        ('["a; b", c]', '["a; b", c]'),
        ('"007"', '"007"'),
        ("5", "5"),
        ("{1: [Wit]}", "{1: [Wit]}"),
    ],
)
def test_cells(yaml: str, cell: str) -> None:
    found = format_cell(node(yaml), is_text=False)  # type: ignore[arg-type]
    again = format_cell(node(parse_cell(found, is_text=False)), is_text=False)  # type: ignore[arg-type]
    assert found == again
    if "Bow" not in yaml:
        assert found == cell


@pytest.mark.parametrize("cell", ["[one", '"one', "{a: 1", "a: 1; a: 2", "[" * 5000])
def test_cells_that_cannot_be_read(cell: str) -> None:
    with pytest.raises(BadCell):
        parse_cell(cell, is_text=False)


def test_findings_are_at_row_and_column(tmp_path: Path) -> None:
    roster = tmp_path / "r.csv"
    roster.write_text(
        "name,attributes,skills,hat,(Dodge)\n"
        "Vell,DEX: 3D; KNO: 2D; MEC: 2D; PER: 3D; STR: 4D; TEC: 4D,Sworcery: +1D,red,99D\n"
        "Ossa,[DEX,,,\n",
        encoding="utf-8",
    )
    done = run("import", str(roster), "--ruleset", "d6-pips", "--into", str(tmp_path / "out"))
    assert done.status == 1
    assert f"{roster}:2:3: error[SG201]: row 2, column `skills`:" in done.err
    assert f"{roster}:2:4: warning[SG834]: row 2, column `hat`" in done.err
    assert f"{roster}:2:5: warning[SG836]: row 2, column `(Dodge)`" in done.err
    assert f"{roster}:3:2: error[SG835]: row 3, column `attributes`" in done.err


@pytest.mark.parametrize("name", ["=1+1", "+cmd", "@SUM(A1)", "-2+3", "'=x", "\t=1"])
def test_no_cell_is_a_formula(name: str, tmp_path: Path) -> None:
    one = tmp_path / "one.yaml"
    source = (CHARACTERS / "d6-pips" / "kor_ashveld.yaml").read_text("utf-8")
    quoted = '"' + name.replace("\t", "\\t") + '"'
    one.write_text(source.replace("Kor Ashveld", quoted), encoding="utf-8")
    first = exported([str(one)], tmp_path / "first")["d6-pips-character.csv"]
    cells = [cell for row in first for cell in row]
    assert not [cell for cell in cells if cell[:1] in "=+@\t" and cell]
    roster = str(tmp_path / "first" / "d6-pips-character.csv")
    run("import", roster, "--ruleset", "d6-pips", "--into", str(tmp_path / "yaml"))
    assert exported([str(tmp_path / "yaml")], tmp_path / "second")["d6-pips-character.csv"] == first


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a,b\n1,2\n",
        "name\n" + "x\n" * 3000,
        "name" + ",x" * 3000,
        'name\n"' + "x" * 200_000,
        "name,allies\n" + f"x,{'a; ' * 30_000}\n" * 4,
    ],
)
def test_hostile_rosters_end_in_findings(text: str, tmp_path: Path) -> None:
    roster = tmp_path / "r.csv"
    roster.write_text(text, encoding="utf-8")
    done = run("import", str(roster), "--ruleset", "d6-pips", "--into", str(tmp_path / "out"))
    assert done.status == 1
    assert "error[SG833]" in done.err or "error[SG004]" in done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "heads",
    [
        "name,name", "name,Name", "name,skills,Skills", "name,gear,gear", "name,skills,skill",
        "name,equipment,inventory", "name,gear,Items ", "file,name,File", "name,shoe,Shoe",
    ],
)  # fmt: skip
@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_two_columns_of_one_meaning_are_an_error(tmp_path: Path, heads: str, suffix: str) -> None:
    path = tmp_path / f"twice.{suffix}"
    cells = ",".join(f"x{n}" for n, _ in enumerate(heads.split(",")))
    if suffix == "csv":
        path.write_text(f"{heads}\n{cells}\n", encoding="utf-8")
    else:
        book = openpyxl.Workbook()
        book.active.append(heads.split(","))
        book.active.append(cells.split(","))
        book.save(path)
    done = run("import", str(path), "--ruleset", "d6-pips", "--into", str(tmp_path / "in"))
    assert done.status == 1
    assert done.err.count("error[SG703]") == 1, done.err
    assert not (tmp_path / "in").exists()


def test_a_spreadsheets_whole_numbers_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    codes = "DEX: 3D; KNO: 3D; MEC: 3D; PER: 3D; STR: 3D; TEC: 3D"
    path.write_text(
        f"name,attributes,points,gear\nHask,{codes},3.0,{{Rope: {{count: 2.00}}}}\n", "utf-8"
    )
    done = run("import", str(path), "--ruleset", "d6-pips")
    assert "SG010" not in done.err
    path.write_text(f"name,attributes,points\nHask,{codes},3.5\n", "utf-8")
    assert "SG010" in run("import", str(path), "--ruleset", "d6-pips").err


@pytest.mark.parametrize("name", ["Ada", "Ａda", "Ж" * 100, "字" * 100])
@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_rows_of_one_name_have_a_file_each(name: str, suffix: str, tmp_path: Path) -> None:
    rows = [["name", "notes"], [name, "the first"], [name, "the second"]]
    sheets = {"One": rows} if suffix == "csv" else {"One": rows, "Two": [rows[0], [name, "third"]]}
    file = tmp_path / f"party.{suffix}"
    if suffix == "csv":
        with file.open("w", newline="", encoding="utf-8") as out:
            csv.writer(out).writerows(rows)
    else:
        book = openpyxl.Workbook()
        for title, listed in sheets.items():
            sheet = book.create_sheet(title)
            for row in listed:
                sheet.append(row)
        book.save(file)
    into = tmp_path / "yaml"
    said = run("import", str(file), "--ruleset", "keyword-dots", "--into", str(into))
    texts = [path.read_text(encoding="utf-8") for path in into.glob("*.yaml")]
    words = ["the first", "the second", "third"][: 2 if suffix == "csv" else 3]
    assert sorted(word for word in words for text in texts if word in text) == words
    assert said.err.count("SG403") == len(words) - 1


def test_two_columns_of_one_trait_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "crew.csv"
    path.write_text("name,Dexterity,DEX\nBo,3D,4D\nAl,3D,\n", "utf-8")
    done = run("import", path, "--ruleset", "d6-pips", "--as", "npc", "--into", tmp_path / "new")
    assert "`Dexterity` and `DEX` are the same key" in done.err
    assert [one.name for one in (tmp_path / "new").iterdir()] == ["al.yaml"]


def test_a_strangers_roster_is_read_into_a_new_folder(tmp_path: Path) -> None:
    rules, roster = tmp_path / "rules", tmp_path / "gang.csv"
    shutil.copytree(rulesets_folder().parent / "skeletons" / "percentile", rules)
    roster.write_text("The cellar\n\nFoe;STR;Dodge;Stealth\nRat;50;30%;45\n", "utf-8")
    done = run(
        *("import", str(roster), "--ruleset", str(rules), "--as", "npc"),
        *("--into", str(tmp_path / "not" / "there")),
    )
    assert done.err.count("[") == 1
    assert "note[SG834]: `Foe` is name" in done.err
    text = (tmp_path / "not" / "there" / "rat.yaml").read_text("utf-8")
    assert text.endswith("name: Rat\ntraits: {Strength: 50}\nskills: {Dodge: 30, Stealth: 45}\n")


def test_cells_that_no_key_takes_are_kept_in_the_notes(tmp_path: Path) -> None:
    path = tmp_path / "crew.csv"
    path.write_text('name,Remarks,notes,XP\nBo,"Owes: 50","One\ntwo",300\nAl,,,7\n', "utf-8")
    done = run("import", path, "--ruleset", "d6-pips", "--as", "npc", "--into", tmp_path / "new")
    assert done.err.count("the cell is kept in the notes") == 3
    notes = [
        yaml.safe_load((tmp_path / "new" / f"{n}.yaml").read_text("utf-8"))["notes"]
        for n in ("bo", "al")
    ]
    assert notes == ["One\ntwo\nRemarks: Owes: 50\nXP: 300", "XP: 7"]


LISTED = [
    ("name,skills", '"{}"', "; "),
    ("name,skills", "{}", "; "),
    ("name;skills", '"{}"', ", "),
    ("name;skills", "{}", ", "),
    ("name\tskills", '"{}"', "; "),
    ("Gangs\n\nname;skills", '"One ""of"" them: {}"', ", "),
]


@pytest.mark.parametrize(("heads", "form", "mark"), LISTED)
def test_lists_in_cells_do_not_separate_columns(
    heads: str, form: str, mark: str, tmp_path: Path
) -> None:
    listed = mark.join(["Dodge: 4D", "Search: 4D", "Brawling: 3D", "Sneak: 3D", "Melee: 3D"])
    path, between = tmp_path / "gang.csv", heads[-7]
    rows = (f"{name}{between}{form.format(listed)}\n" for name in ("Hask", "Dree"))
    path.write_text(f"{heads}\n{''.join(rows)}", "utf-8")
    read = read_sheet(path).value
    assert read is not None
    assert [len(row.cells) for row in read[-3:]] == [2, 2, 2]
    assert read[-1].cells[0] == "Dree"
