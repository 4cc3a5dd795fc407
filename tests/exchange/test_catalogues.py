"""Parts of rulesets as spreadsheets: out and back unchanged, edits as edits, strangers' files."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path

import openpyxl
import pytest

from sheetgen.load.catalogues import plain_figure
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from tests.cli.commands import Said, run
from tests.shelf import TESTS

GAMES = TESTS / "rulesets" / "games"


def own(tmp_path: Path, game: str = "saltglass") -> Path:
    shutil.copytree(GAMES / game, tmp_path / game)
    return tmp_path / game


def imported(tmp_path: Path, content: bytes | str, what: str = "gear") -> Said:
    path = tmp_path / f"{what}.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    folder = tmp_path / "saltglass" if (tmp_path / "saltglass").exists() else own(tmp_path)
    return run("import", str(path), "--ruleset", str(folder), "--as", what, "--into", str(folder))


def gear_of(folder: Path) -> dict[str, tuple[str, int | None, tuple[str, ...], dict[str, str]]]:
    found = load_ruleset(folder)
    assert found.value is not None, found.findings
    return {
        str(i): (str(g.name), g.cost, tuple(map(str, g.tags)), dict(g.numbers))
        for i, g in found.value.gear.items()
    }


@pytest.mark.many
@pytest.mark.parametrize("form", ["catalogues", "catalogues-xlsx"])
@pytest.mark.parametrize("id_", [*ruleset_ids(), str(GAMES / "saltglass"), str(GAMES / "lantern")])
def test_what_was_exported_changes_nothing(id_: str, form: str, tmp_path: Path) -> None:
    assert run("export", id_, "--to", form, "--out", str(tmp_path / "out")).status == 0
    for path in sorted((tmp_path / "out").iterdir()):
        done = run("import", str(path), "--ruleset", id_)
        assert done.status == 0, done.err
        assert done.out == "", (path, done.out, done.err)
        assert "warning" not in done.err, done.err


@pytest.mark.slow
def test_an_edited_cell_changes_its_line_alone(tmp_path: Path) -> None:
    folder = own(tmp_path)
    before = (folder / "ruleset.yaml").read_text("utf-8").splitlines()
    run("export", str(folder), "--to", "catalogues", "--out", str(tmp_path / "out"))
    path = tmp_path / "out" / "saltglass-gear.csv"
    text = path.read_bytes().decode()
    text = text.replace(",Sabre,40,", ",Sabre,45,").replace(",Rope,5,,", ",Coil of rope,,kit,")
    text = text.replace("id,name", "Harpoon,x").replace("Harpoon,x", "id,name", 1)
    path.write_text(text + "harpoon,Harpoon,35\r\n", "utf-8", newline="")
    done = run("import", str(path), "--ruleset", str(folder), "--into", str(folder))
    assert done.status == 0, done.err
    after = (folder / "ruleset.yaml").read_text("utf-8").splitlines()
    changed = [n for n, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
    assert [before[n].split(":")[0].strip() for n in changed] == ["sabre", "rope"]
    found = gear_of(folder)
    assert found["sabre"][1] == 45
    assert found["rope"] == ("Coil of rope", None, ("kit",), {"weight": "2"})
    assert found["harpoon"] == ("Harpoon", 35, (), {})
    again = run("import", str(path), "--ruleset", str(folder), "--into", str(folder))
    assert "nothing in it is new or changed" in again.err


def test_a_row_that_is_gone_stays_and_is_reported(tmp_path: Path) -> None:
    folder = own(tmp_path)
    done = imported(tmp_path, "id,name,cost\nsabre,Sabre,40\n")
    assert "rows are gone, and stay in the ruleset" in done.err
    assert "rope" in gear_of(folder)


def test_an_edit_that_breaks_the_ruleset_is_not_written(tmp_path: Path) -> None:
    folder = own(tmp_path)
    before = (folder / "ruleset.yaml").read_bytes()
    done = imported(tmp_path, 'id,name,attack\nsabre,Sabre,"{nothing(}"\n')
    assert done.status == 1
    assert (folder / "ruleset.yaml").read_bytes() == before


ODD = [
    ("cost", "5+", "is not one number"),
    ("cost", "d6", "is not one number"),
    ("bonus", "1D", "is not one number"),
    ("cost", "10/day", "is not one number"),
    ("worn", "perhaps", "is neither yes nor no"),
    ("id", "x: {name: Evil}\n  y", "is no id"),
    ("id", "Big Hook", "is no id"),
]


@pytest.mark.many
@pytest.mark.parametrize(("head", "cell", "said"), ODD)
def test_a_cell_that_may_mean_something_else_is_not_imported(
    head: str, cell: str, said: str, tmp_path: Path
) -> None:
    folder = own(tmp_path)
    done = imported(tmp_path, f'name,tags,{head}\nHook,weapon,"{cell}"\n')
    assert said in done.err
    found = [one for one in gear_of(folder).values() if one[0] in ("Hook", "Evil")]
    assert found == ([] if head == "id" else [("Hook", None, ("weapon",), {})])


@pytest.mark.many
@pytest.mark.parametrize("cell", ["Y", "yes", "x", "TRUE"])
def test_yes_is_written_in_many_ways(cell: str, tmp_path: Path) -> None:
    folder = own(tmp_path)
    imported(tmp_path, f"name,worn\nHelm,{cell}\n")
    assert "worn: true" in (folder / "gear.yaml").read_text("utf-8")


def test_names_of_any_script_get_ids_that_the_ruleset_takes(tmp_path: Path) -> None:
    folder = own(tmp_path)
    done = imported(tmp_path, "name,cost\nÉpée,5\n2-hander,4\nМеч,3\n剣,7\n☆,1\n")
    assert done.status == 0, done.err
    assert run("check", str(folder)).status == 0
    assert {"epee", "x_2_hander"} < set(gear_of(folder))


def test_rows_of_a_ruleset_may_be_an_export_with_marked_cells(tmp_path: Path) -> None:
    folder = own(tmp_path)
    (folder / "gear.csv").write_text("name,cost\n'+1 blade,5\n", "utf-8")
    ruleset = folder / "ruleset.yaml"
    ruleset.write_text(ruleset.read_text("utf-8").replace("\ngear:", "\ngear:\n  rows: gear.csv"))
    assert gear_of(folder)["x_1_blade"][0] == "+1 blade"


HOOK = ("Hook", 1000, ("weapon", "melee"), {"weight": "3"})


@pytest.mark.parametrize(
    "content",
    [
        "name,cost,tags,numbers.weight\nHook,1000,weapon; melee,3\n",
        "Name;Price;Type;Weight\nHook;1000;Weapon, Melee;3 kg\n",
        'Item,Cost,Category,weight (kg)\nHook,"1,000","Weapon, melee",3 kg\n',
        "\ufeffItem\tPrice (sp)\tTags\tWeight\nHook\t1 000 sp\tweapon/melee\t3\n",
        "The pans' arms,,,\n,,,\nName,Price,Type,Weight\n\nHook,$1000,weapon|melee,3.0 kg\n",
        "Name,Price,Type,Weight\nBlades,,,\nHook,1'000 sp,Weapon; Melee,3\nName,Price,Type,Weight",
        b"Name;Price;Type;Weight;Caf\xe9\nHook;1.000;Weapon, Melee;3;x\n",
        "Name;Price;Type;Weight\nHook;1000;Weapon, Melee;3\n".encode("utf-16"),
        'Name,Price,Type,Weight\n"Hook",1000,"Weapon\nMelee",3\n',
        "NAME , PRICE , TYPE , WEIGHT\r\nHook, 1000 ,weapon;melee, 3\r\n\r\n\r\n",
    ],
)  # fmt: skip
@pytest.mark.many
def test_spreadsheets_of_strangers(content: bytes | str, tmp_path: Path) -> None:
    folder = own(tmp_path)
    done = imported(tmp_path, content)
    assert "error" not in done.err, done.err
    assert gear_of(folder)["hook"] == HOOK, done.err


def test_a_workbook_of_strangers(tmp_path: Path) -> None:
    folder, book = own(tmp_path), openpyxl.Workbook()
    sheet = book.active
    sheet.title = "gear"
    sheet.append(["Arms of the pans"])
    sheet.merge_cells("A1:D1")
    sheet.append([])
    sheet.append(["Item", "Price", "Type", "Weight"])
    sheet.append(["Hook", 1000, "Weapon, Melee", 3])
    book.save(tmp_path / "arms.xlsx")
    done = run(
        "import", str(tmp_path / "arms.xlsx"), "--ruleset", str(folder), "--into", str(folder)
    )
    assert done.status == 0, done.err
    assert gear_of(folder)["hook"] == HOOK


def test_what_is_not_one_value_is_reported_at_its_cell(tmp_path: Path) -> None:
    done = imported(
        tmp_path, "Name,Price,Weight,Colour\nHook,5 sp,3 kg,red\nNet,6 gp,2 lb,\nBell,about 5,?,\n"
    )
    assert ":1:4: warning[SG834]: no key is called `Colour`" in done.err
    assert ":3:2: warning[SG835]: `6 gp` has another unit than `sp`" in done.err
    assert ":3:3: warning[SG835]: `2 lb` has another unit than `kg`" in done.err
    assert ":4:2: warning[SG835]: `about 5` is not one number" in done.err


def test_powers_and_species_have_spreadsheets_too(tmp_path: Path) -> None:
    folder = own(tmp_path)
    text = "Spell,Description,facts.cost,facts.range\nGlare,Blinds who looks.,2,Far\n"
    text = text.replace("\n", ",School\n", 1).replace(",Far\n", ",Far,Light\n")
    done = imported(tmp_path, text, "spells")  # the first head says what the entries are
    assert done.status == 0, done.err
    assert "`School` is facts.School" in done.err
    rules = load_ruleset(folder).value
    assert rules is not None
    glare = rules.choices["spells"].entries["glare"]
    assert (str(glare.text), dict(glare.facts)) == (
        "Blinds who looks.",
        {"cost": "2", "range": "Far", "School": "Light"},
    )


def test_a_roster_has_columns_for_traits(tmp_path: Path) -> None:
    path = tmp_path / "gang.csv"
    path.write_text(
        "A gang,,,,\nName,DEX,Strength,Blaster,Equipment\nHask,3D,2D,4D,Club\n", "utf-8"
    )
    done = run(
        "import", str(path), "--ruleset", "d6-pips", "--as", "npc", "--into", str(tmp_path / "in")
    )
    assert done.status == 0, done.err
    text = (tmp_path / "in" / "hask.yaml").read_text("utf-8")
    assert "attributes: {Dexterity: 3D, Strength: 2D}" in text
    assert "skills: {Firearms: 4D}" in text
    assert "gear: Club" in text


def test_a_roster_has_heads_on_two_rows_and_formulas_without_a_value(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Name", "Attributes", None, "Skills", None, "Gear", "Move", "Notes"])
    sheet.merge_cells("B1:C1")
    sheet.append([None, "DEX", "STR", "Blaster", "Dodge"])
    sheet.append(["Hask", "3D", "2D", "4D", "5D", "pistol, club", "=5+5", date(2024, 5, 4)])
    book.save(tmp_path / "gang.xlsx")
    into = tmp_path / "in"
    done = run(
        "import",
        str(tmp_path / "gang.xlsx"),
        "--ruleset",
        "d6-pips",
        "--as",
        "npc",
        "--into",
        str(into),
    )
    assert "`move` has to be a whole number, not `=5+5`" in done.err
    text = (into / "hask.yaml").read_text("utf-8")
    assert "attributes: {Dexterity: 3D, Strength: 2D}" in text
    assert "skills: {Firearms: 4D, Dodge: 5D}" in text
    assert "gear: [pistol, club]" in text
    assert "2024-05-04" in text
    assert "T00" not in text


@pytest.mark.parametrize(
    "cell", ["Brawling 5D, Dodge 4D+1", "Brawling: 5D; Dodge (4D+1)", "{Brawling: 5D, Dodge: 4D+1}"]
)
def test_ratings_of_a_roster_are_lists_of_any_sort(cell: str, tmp_path: Path) -> None:
    (tmp_path / "gang.csv").write_text(f'name,skills\nHask,"{cell}"\n', "utf-8")
    run(
        "import",
        str(tmp_path / "gang.csv"),
        "--ruleset",
        "d6-pips",
        "--as",
        "npc",
        "--into",
        str(tmp_path),
    )
    assert "skills: {Brawling: 5D, Dodge: 4D+1}" in (tmp_path / "hask.yaml").read_text("utf-8")


# Rows straight in a ruleset --------------------------------------------------------------------


def with_rows(tmp_path: Path, text: str, node: str = "gear: {rows: more.csv}") -> Path:
    folder = own(tmp_path)
    (folder / "more.yaml").write_text(f"{node}\n", "utf-8")
    (folder / "more.csv").write_text(text, "utf-8")
    return folder


def test_a_ruleset_reads_its_gear_from_rows(tmp_path: Path) -> None:
    folder = with_rows(
        tmp_path,
        "Item;Price;Type;Load\nHook;1000;Weapon, Melee;3 kg\n",
        "gear: {rows: more.csv, heads: {Load: numbers.weight}}",
    )
    assert gear_of(folder)["hook"] == HOOK
    assert run("check", str(folder)).status == 0


def test_findings_are_at_line_and_column_of_the_rows(tmp_path: Path) -> None:
    folder = with_rows(tmp_path, "name,cost,skill,hat\nHook,dear,bladde,x\n")
    done = run("check", str(folder))
    assert "more.csv:2:2: warning[SG835]: `dear` is not one number" in done.all
    assert "more.csv:2:3: error" in done.all
    assert "more.csv:1:4: warning[SG834]" in done.all


@pytest.mark.parametrize("name", ["../other.csv", "/etc/passwd", "more.xlsx", "link.csv", "no.csv"])
def test_rows_stay_in_the_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("name\nSecret\n", "utf-8")
    folder = with_rows(tmp_path, "name\nHook\n", f"gear: {{rows: {name}}}")
    (folder / "link.csv").symlink_to(tmp_path / "other.csv")
    done = run("check", str(folder))
    assert "error[SG001]" in done.all
    assert "secret" not in gear_of(folder) if done.status == 0 else True


@pytest.mark.parametrize(
    ("text", "is_integer", "expected"),
    [
        ("1,000", True, "1000"), ("1.000", True, "1000"), ("1,000", False, None),
        ("1.000", False, None), ("1,5", False, "3/2"), ("1.25", False, "5/4"),
        ("1,234,567", False, "1234567"), ("12 000", False, "12000"), ("1,5", True, None),
        ("-3", True, "-3"), ("2.00", True, "2"), ("1,00,0", True, None), ("", True, None),
    ],
)  # fmt: skip
def test_figures(text: str, is_integer: bool, expected: str | None) -> None:
    assert plain_figure(text, is_integer=is_integer) == expected


def test_digests_follow_the_rows(tmp_path: Path) -> None:
    folder = with_rows(tmp_path, "name,cost\nHook,5\n")
    first = load_ruleset(folder).value
    (folder / "more.csv").write_text("name,cost\nHook,6\n", "utf-8")
    second = load_ruleset(folder).value
    assert first is not None
    assert second is not None
    assert first.digest != second.digest
    assert rulesets_folder().is_dir()
