"""Workbooks: LibreOffice computes what the rules compute; rows come back; nothing is executed."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.model.source import LookupText
from sheetgen.plugins.exchange.export import select_exports
from sheetgen.plugins.exchange.spreadsheet import (
    CellFormula,
    NotWritable,
    spreadsheet_formula,
)
from sheetgen.plugins.exchange.workbooks import export_xlsx
from tests.cli.commands import run
from tests.exchange.office import differences, recalculated

pytestmark = pytest.mark.slow

CHARACTERS = rulesets_folder().parent / "characters"


@pytest.mark.parametrize("id_", ruleset_ids())
def test_every_cell_is_what_the_rules_compute(id_: str, tmp_path: Path) -> None:
    for request in select_exports([id_, str(CHARACTERS / id_)], {}).requests:
        result = export_xlsx(request)
        assert not [f for f in result.findings if "pictures" not in f.message]
        ((name, content),) = result.files.items()
        (tmp_path / name).write_bytes(content)
        book = recalculated(tmp_path / name, tmp_path / "again")
        compared, wrong = differences(request, book)
        assert compared > 100
        assert wrong == []


def test_a_changed_input_changes_what_follows(tmp_path: Path) -> None:
    (request,) = select_exports(
        [str(CHARACTERS / "keyword-dots" / "rell-amadine.yaml")], {}
    ).requests
    ((name, content),) = export_xlsx(request).files.items()
    (tmp_path / name).write_bytes(content)
    book = load_workbook(tmp_path / name)
    sheet = book["character values"]
    heads = {cell.value: cell.column for cell in sheet[1]}
    own = sheet.cell(2, heads["own Wealth"])
    assert not own.protection.locked
    assert sheet.protection.sheet
    assert sheet.cell(2, heads["Daily credits"]).data_type == "f"
    assert sheet.cell(2, heads["Daily credits"]).protection.locked
    own.value = 4
    book.save(tmp_path / name)
    sheet = recalculated(tmp_path / name, tmp_path / "again")["character values"]
    assert sheet.cell(2, heads["Daily credits"]).value == 16
    assert sheet.cell(2, heads["price of the next step: Wealth"]).value in (5, 10)


def test_prices_at_creation_and_of_advances_have_a_column_each(tmp_path: Path) -> None:
    assert run("new", "ruleset", "g", "--like", "codes", "--out", tmp_path / "g").status == 0
    file = tmp_path / "g" / "ruleset.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("groups: {skills:", "groups: {attributes: 5, skills:"), "utf-8")
    (request,) = select_exports([str(tmp_path / "g" / "characters")], {}).requests
    ((_, content),) = export_xlsx(request).files.items()
    sheet = load_workbook(io.BytesIO(content))["character values"]
    prices = {str(cell.value): sheet.cell(2, cell.column).value for cell in sheet[1]}
    assert prices["price of the next step: Reflexes"] == "=1"
    assert prices["price of the next advance: Reflexes"] == "=5"
    assert "price of the next step: Dodge" in prices  # the only one: it has no price at creation


def test_the_same_export_has_the_same_bytes() -> None:
    found = [
        export_xlsx(request).files
        for _ in range(2)
        for request in select_exports([str(CHARACTERS / "d6-pips")], {}).requests
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["=1+1", "+cmd|' /C calc'!A0", "@SUM(A1)", "-2+3", "'=x"])
def test_names_are_never_formulas(name: str, tmp_path: Path) -> None:
    one = tmp_path / "one.yaml"
    source = (CHARACTERS / "d6-pips" / "kor_ashveld.yaml").read_text("utf-8")
    one.write_text(source.replace("Kor Ashveld", f'"{name}"'), encoding="utf-8")
    assert run("export", str(one), "--to", "xlsx", "--out", str(tmp_path)).status == 0
    book = load_workbook(tmp_path / "d6-pips.xlsx")
    cells = [c for s in book for row in s.iter_rows() for c in row if c.value == name]
    assert len(cells) >= 3
    assert {cell.data_type for cell in cells} == {"s"}
    roster = str(tmp_path / "d6-pips.xlsx")
    run("import", roster, "--ruleset", "d6-pips", "--into", str(tmp_path / "in"))
    shown = run("show", str(tmp_path / "in" / "one.yaml"))
    assert name in shown.out


@pytest.mark.parametrize("id_", ruleset_ids())
def test_rows_come_back(id_: str, tmp_path: Path) -> None:
    run("export", str(CHARACTERS / id_), "--to", "csv", "--out", str(tmp_path / "first"))
    run("export", str(CHARACTERS / id_), "--to", "xlsx", "--out", str(tmp_path / "book"))
    for picture in (CHARACTERS / id_).glob("*.[js][pv]g"):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / picture.name).write_bytes(picture.read_bytes())
    for book in (tmp_path / "book").iterdir():
        done = run("import", str(book), "--ruleset", id_, "--into", str(tmp_path / "in"))
        assert "SG83" not in done.err
    run("export", str(tmp_path / "in"), "--to", "csv", "--out", str(tmp_path / "second"))
    for path in (tmp_path / "first").iterdir():
        again = (tmp_path / "second" / path.name).read_text("utf-8").splitlines()[:-1]
        assert sorted(again) == sorted(path.read_text("utf-8").splitlines()[:-1])


def test_findings_name_sheet_row_and_column(tmp_path: Path) -> None:
    book = Workbook()
    book.active.title = "crew"
    book.active.append(["name", "skills"])
    book.active.append(["Vell", "Sworcery: +1D"])
    book.save(tmp_path / "r.xlsx")
    done = run("import", str(tmp_path / "r.xlsx"), "--ruleset", "d6-pips")
    assert f"{tmp_path / 'r.xlsx'}:crew:2:2: error[SG201]: row 2, column `skills`" in done.err


def bomb() -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b" " * 200_000_000)
    return target.getvalue()


def changed(part: str, old: str, new: str) -> bytes:
    """Return a workbook in which a text of a part is replaced."""
    book, target, result = Workbook(), io.BytesIO(), io.BytesIO()
    book.active.append(["name"])
    book.save(target)
    with (
        zipfile.ZipFile(target) as before,
        zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for name in before.namelist():
            text = before.read(name).decode()
            assert name != part or old in text
            after.writestr(name, text.replace(old, new) if name == part else text)
    return result.getvalue()


def entities() -> bytes:
    book, target = Workbook(), io.BytesIO()
    book.save(target)
    inner = "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
    text = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "aaaaaaaaaa">{inner}]><x>&a9;</x>'
    result = io.BytesIO()
    with zipfile.ZipFile(target) as old, zipfile.ZipFile(result, "w") as new:
        for name in old.namelist():
            new.writestr(name, text if name == "xl/workbook.xml" else old.read(name))
    return result.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        bytes,
        lambda: b"PK\x03\x04 broken",
        bomb,
        entities,
        lambda: changed("xl/styles.xml", "</cellXfs>", "<xf/>" * 300_000 + "</cellXfs>"),
        lambda: changed("xl/sharedStrings.xml", "</sst>", "<si/>" * 700_000 + "</sst>"),
    ],
    ids=["empty", "cut", "bomb", "xml", "styles", "strings"],
)
def test_hostile_workbooks_end_in_findings(content: Callable[[], bytes], tmp_path: Path) -> None:
    (tmp_path / "r.xlsx").write_bytes(content())
    done = run("import", str(tmp_path / "r.xlsx"), "--ruleset", "d6-pips")
    assert done.status == 1
    assert "error[SG" in done.err


def test_without_the_library_there_is_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    one = str(CHARACTERS / "d6-pips" / "kor_ashveld.yaml")
    done = run("export", one, "--to", "xlsx", "--out", str(tmp_path))
    assert "SG837" in done.err
    assert "pip install openpyxl" in done.err


class Cells:
    """A scope with two names."""

    def cell(self, name: str) -> CellFormula | None:
        cells = {"n": CellFormula("$A1", "integer"), "word": CellFormula("$B1", "text")}
        return cells.get(name)

    def answer(self, function: str, names: object) -> CellFormula:
        return CellFormula("$C1", "integer")

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        lookups = {"bonus": {"1": "2", "5": "3", "9": "none"}, "mixed": {"1": "2", "2": "d6"}}
        lookups |= {"costs": {"exact": "true", "8": "1/4", "otherwise": "2"}}
        lookups |= {"slots": {"mage": {"1": "2", "3": "4"}, "ready": "0"}}
        if name in lookups:
            text = LookupText(name, lookups[name])  # type: ignore[arg-type]
            return text.parameters, text
        return (("x",), "x * x") if name == "square" else None


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("square(n + 1)", "(($A1+1)*($A1+1))"),
        ("n // 2", "INT($A1/2)"),
        ("1 if word == ready else 0", 'IF(EXACT($B1,"ready"),1,0)'),
        (
            "n if 1 <= n < 3 and has(x) else -n",
            "IF(IF(AND(1<=$A1,$A1<3),$C1<>0,FALSE()),$A1,(-$A1))",
        ),
        ("bonus(n)", "CHOOSE(MATCH($A1,{1,5,9},1),2,3,NA())"),
        ("costs(n)", "IF(ISNA(MATCH($A1,{8},0)),2,CHOOSE(MATCH($A1,{8},0),0.250000000))"),
        (
            "slots(word, n)",
            'CHOOSE(MATCH($B1,{"mage","ready"},0),CHOOSE(MATCH($A1,{1,3},1),2,4),0)',
        ),
        ("""1 if word == 'a"b' else 0""", 'IF(EXACT($B1,"a""b"),1,0)'),
    ],
)
def test_formulas(formula: str, expected: str) -> None:
    assert spreadsheet_formula(formula, Cells()).text == expected


@pytest.mark.parametrize(
    "formula",
    [
        "'a' if n else 1",
        "word + 1",
        "unknown + 1",
        "word < n",
        "mixed(n)",
        "bonus(word)",
        "dice(1, 6, 1, 8)",
    ],
)
def test_formulas_that_cannot_be_written(formula: str) -> None:
    with pytest.raises(NotWritable):
        spreadsheet_formula(formula, Cells())


def test_a_text_that_is_too_long_is_cut_and_reported(tmp_path: Path) -> None:
    one = tmp_path / "one.yaml"
    source = (CHARACTERS / "d6-pips" / "kor_ashveld.yaml").read_text("utf-8")
    one.write_text(f"{source}notes: {'long ' * 10_000}\n", encoding="utf-8")
    done = run("export", str(one), "--to", "xlsx", "--out", str(tmp_path))
    assert done.status == 0
    assert done.err.count("note[SG831]") == 1
    assert "32,000 characters in a cell; the text is cut off" in done.err


def test_what_picks_add_by_formula_is_noted_as_fixed(tmp_path: Path) -> None:
    """A cell of such a sum does not follow a rating, so the export says so."""
    games = Path(__file__).parent.parent / "live" / "games"
    said = run("export", *games.glob("karst/characters/*.yaml"), "--to", "xlsx", "--out", tmp_path)
    assert said.status == 0
    assert "the formula of what choices and items add to Health" in said.err
    assert "Trunk" not in said.err
