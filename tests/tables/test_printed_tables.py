"""Reference tables: cell by cell against the printed ones, and every kind of file."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import shutil
import subprocess
import tempfile
from fractions import Fraction
from functools import cache
from pathlib import Path

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sheetgen.data import data_folder
from sheetgen.load.designs.templates import theme_ids
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.rules.formulas.evaluate import days, short_number, whole_percent
from sheetgen.rules.formulas.expressions import parse_formula
from sheetgen.rules.formulas.notation import formula_text
from sheetgen.rules.tables.compute import compute_table
from tests.cli.commands import run
from tests.render.ua_rules import faults
from tests.samples import by_turns
from tests.test_rulesets import findings_of

pytestmark = pytest.mark.many

GOLDEN = Path(__file__).parent / "golden"
SEEDS = data_folder() / "seeds"


def seed_rows(name: str) -> list[dict[str, str]]:
    text = (SEEDS / "keyword-dots" / name).read_text(encoding="utf-8")
    return [*csv.DictReader(io.StringIO(text))]


@cache
def whole(id_: str):
    loaded = load_ruleset(rulesets_folder() / id_, complete=True)
    assert loaded.findings == ()
    assert loaded.value is not None
    return loaded.value


@cache
def printed(id_: str) -> bytes:
    """Return all tables of a game as PDF; tests share them."""
    with tempfile.TemporaryDirectory() as folder:
        said = run("tables", id_, "--out", folder)
        assert said.status == 0, said.err
        path = Path(folder, f"{id_}-tables.pdf")
        assert said.out == f"{path}\n"
        return path.read_bytes()


@pytest.mark.parametrize("id_", ruleset_ids())
def test_whole_rulesets_have_no_findings(id_: str) -> None:
    from sheetgen.check.ruleset.rulesets import check_ruleset

    assert check_ruleset(whole(id_)) == ()


def test_the_cost_table_is_the_printed_one_but_where_the_text_is_wrong() -> None:
    made = compute_table(whole("keyword-dots"), "quick")
    seeds = seed_rows("cost_table.csv")
    differ = {}
    for printed, row in zip(seeds, made.rows, strict=True):
        for n, cell in enumerate(row.cells, 1):
            if printed[f"dots_{n}"] != cell:
                differ[printed["line"], n] = printed[f"dots_{n}"], cell
    assert differ == {
        ("121", 10): ("19", "10"),
        ("289", 8): ("4k", "4.1k"),
        ("289", 12): ("20k", "21k"),
        ("345", 3): ("4k", "4.1k"),
        ("345", 5): ("331k", "332k"),
        ("345", 11): ("175m", "207m"),
    }
    assert [row.formula for row in made.rows] == [
        *("1", "n", "n(n+1)/2", "n²", "n/(n+1)", "5(1 − n/(n+1))", "n²", "n⁴", "n²−1", "(n²−1)⁴")
    ]


def test_dice_follow_the_option() -> None:
    rules = whole("keyword-dots")
    prose = compute_table(rules, "dice_upgrades")
    printed = compute_table(rules, "dice_upgrades", {"dice.buy": "printed"})
    seeds = seed_rows("dice_upgrades.csv")
    for at, seed in enumerate(seeds):
        cells = tuple(seed[f"with_{n}"] for n in range(1, 10))
        assert printed.rows[at].cells == cells
        if 0 < at < len(seeds) - 1:
            assert prose.rows[at].cells == cells
    assert prose.rows[0].cells[:3] == ("5", "10", "15")
    assert prose.rows[-1].total


@given(st.fractions(min_value=0, max_value=10**9))
def test_short_figures_are_near_and_short(value: Fraction) -> None:
    text = short_number(value if value >= 1000 else int(value))
    assert len(text) <= 5
    size = {"k": 1000, "m": 10**6}.get(text[-1])
    if size:
        assert abs(Fraction(text[:-1]) * size - value) <= Fraction(size, 2)


@given(st.integers(min_value=1, max_value=60))
def test_rest_and_share_are_rounded_half_up(n: int) -> None:
    share = Fraction(n, n + 1)
    assert abs(Fraction(whole_percent(share).rstrip("%")) / 100 - share) <= Fraction(1, 200)
    rest = days(5 * (1 - share))
    assert rest.endswith("h") == (5 * (1 - share) < 1)


@pytest.mark.parametrize(
    ("formula", "shown"),
    [("5 * n", "5n"), ("n * n", "n²"), ("(n - 1) * (n - 1)", "(n−1)²"), ("2 * 3", "2×3")],
)
def test_formulas_read_as_a_reader_writes_them(formula: str, shown: str) -> None:
    assert formula_text(parse_formula(formula)) == shown


@pytest.mark.parametrize("id_", ruleset_ids())
def test_text_files_are_as_they_were(id_: str, tmp_path: Path, accept: bool) -> None:
    said = run("tables", id_, "--to", "md", "--to", "csv", "--to", "json", "--out", tmp_path)
    assert said.status == 0, said.err
    golden = GOLDEN / f"{id_}-tables.md"
    written_ = (tmp_path / f"{id_}-tables.md").read_text(encoding="utf-8")
    text, seal = written_[: written_.rindex("<!--")], written_[written_.rindex("<!--") :]
    assert re.fullmatch(r"<!-- sheetgen-print:[0-9a-f]{32} sheetgen-seal:[0-9a-f]{32} -->\n", seal)
    if accept:
        GOLDEN.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
    data = json.loads((tmp_path / f"{id_}-tables.json").read_text(encoding="utf-8"))
    assert data["_credit"] == whole(id_).credit.short
    for name, table in data["tables"].items():
        raw = (tmp_path / f"{id_}-{name}.csv").read_bytes()
        assert raw.count(b"\r\n") == len(table["rows"]) + 2
        rows = [*csv.reader(io.StringIO(raw.decode(), newline=""))]
        wide = len(table["columns"])
        assert [row[:wide] for row in rows[:-1]] == [table["columns"], *table["rows"]]
        assert rows[0][wide:] == (["Notes"] if table["notes"] else [])
        kept = "; ".join(row[wide] for row in rows[1:-1]) if table["notes"] else ""
        assert all(note in kept for note in table["notes"].values())
        for mark in table["marks"]:
            assert mark["head"] == table["columns"][mark["column"]]
            assert table["notes"][mark["mark"]] in rows[1 + mark["row"]][wide]
        assert rows[-1][0].startswith(f"# {data['_credit']} sheetgen-print:")
        assert {len(row) for row in table["rows"]} == {len(table["columns"])}
    for table in re.split(r"\n\n", text):
        if table.startswith("|"):
            assert len({len(line) for line in table.splitlines()}) == 1, table


@pytest.mark.parametrize("id_", ruleset_ids())
def test_pdf_is_sound_tagged_and_credited(id_: str, tmp_path: Path) -> None:
    path = tmp_path / "tables.pdf"
    path.write_bytes(printed(id_))
    if shutil.which("qpdf"):
        subprocess.run(["qpdf", "--check", path], check=True, capture_output=True)
    credit = whole(id_).credit.short
    with pikepdf.open(path) as pdf:
        assert pdf.Root.MarkInfo.Marked
        assert str(pdf.Root.Lang) == "en"
        assert pdf.Root.ViewerPreferences.DisplayDocTitle
        for font in (o for o in pdf.objects if _is_font_file(o)):
            assert any(key in font for key in ("/FontFile2", "/FontFile3"))
        tags = [str(o.S) for o in pdf.objects if isinstance(o, pikepdf.Dictionary) and "/S" in o]
        assert {"/Table", "/TH", "/TR", "/TD", "/H1"} <= set(tags)
    if shutil.which("pdftotext"):
        text = subprocess.run(
            ["pdftotext", "-layout", path, "-"], check=True, capture_output=True, text=True
        ).stdout
        pages = text.split("\f")[:-1]
        assert all(" ".join(credit.split()) in " ".join(page.split()) for page in pages)


def _is_font_file(thing: object) -> bool:
    return isinstance(thing, pikepdf.Dictionary) and thing.get("/Type") == "/FontDescriptor"


@pytest.mark.slow
@pytest.mark.usefixtures("laid_out_anew")
def test_equal_input_gives_equal_bytes(tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        run(
            "tables",
            "keyword-dots",
            "costs",
            "--to",
            "pdf",
            "--to",
            "html",
            "--out",
            tmp_path / name,
        )
        made.append({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()})
    assert made[0] == made[1]
    assert len(made[0]) == 2


def test_html_asks_nobody_for_anything(tmp_path: Path) -> None:
    run("tables", "keyword-dots", "--to", "html", "--out", tmp_path)
    text = html.unescape((tmp_path / "keyword-dots-tables.html").read_text(encoding="utf-8"))
    assert "default-src 'none'" in text
    urls = set(re.findall(r"https?://[^\s\"'<>)]+", text))
    assert urls == {"http://www.w3.org/2000/svg"}
    assert not re.findall(r"<(?:script|link|img|iframe)\b", text)
    assert " style=" not in text
    assert set(re.findall(r'url\("(\w+):', text)) == {"data"}


@pytest.mark.slow
def test_a_long_table_repeats_its_head_and_cuts_no_row(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    folder.mkdir()
    rows = ", ".join(f"[row {n}, {'words and ' * 14}end{n}]" for n in range(120))
    (folder / "ruleset.yaml").write_text(
        "id: game\ntitle: <Game> & more\nversion: 1\nformat: 1\n"
        "credit: {short: s, long: l, licence: none}\n"
        f"tables: {{long: {{label: Long, columns: [Name, Said], rows: [{rows}]}}}}\n",
        encoding="utf-8",
    )
    said = run("tables", folder, "--out", tmp_path)
    assert said.status == 0, said.err
    text = subprocess.run(
        ["pdftotext", "-layout", tmp_path / "game-tables.pdf", "-"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    pages = text.split("\f")[:-1]
    assert len(pages) > 2
    for page in pages:
        assert len(re.findall(r"^Name +Said", page, re.MULTILINE)) == 1
        assert re.findall(r"row (\d+)", page) == re.findall(r"end(\d+)", page)


@pytest.mark.slow
@pytest.mark.parametrize(("paper", "theme"), by_turns(["a4", "letter"], theme_ids()))
def test_every_theme_and_paper_prints(theme: str, paper: str, tmp_path: Path) -> None:
    said = run(
        *("tables", "hyperspace-d6", "play", "--theme", theme, "--paper", paper, "--out", tmp_path)
    )
    assert said.status == 0, said.err


def test_other_numbers_and_stdout() -> None:
    said = run("tables", "keyword-dots", "quick", "--to", "csv", "--over", "13-15", "--out", "-")
    assert said.status == 0
    rows = [*csv.reader(io.StringIO(said.out, newline=""))]
    assert rows[0] == ["Keyword", "13", "14", "15", "any n"]
    assert rows[2][1:4] == ["13", "14", "15"]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["keyword-dots", "quik"], "did you mean `quick`?"),
        (["keyword-dots", "quik", "--list"], "did you mean `quick`?"),
        (["keyword-dots", "--over", "9"], "FROM-TO"),
        (["keyword-dots", "--over", "9-1"], "rising"),
        (["keyword-dots", "--over", "1-999999999999"], "at most 30 numbers"),
        (["keyword-dots", "--out", "-"], "only md, csv and json"),
    ],
)
def test_wrong_usage_is_told(words: list[str], part: str) -> None:
    said = run("tables", *words)
    assert said.status == 2
    assert part in said.err


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["nothing"], "there is no ruleset `nothing`"),
        (["keyword-dots", "--set", "dice.buy=x"], "`dice.buy` cannot be `x`"),
        (["keyword-dots", "--theme", "x"], "there is no theme `x`"),
    ],
)
def test_wrong_files_are_told(words: list[str], part: str, tmp_path: Path) -> None:
    said = run("tables", *words, "--out", tmp_path)
    assert said.status == 2
    assert part in said.err
    assert said.out == ""


def test_mistakes_in_tables_are_findings(tmp_path: Path) -> None:
    folder = tmp_path / "game"
    folder.mkdir()
    (folder / "ruleset.yaml").write_text(BROKEN, encoding="utf-8")
    said = {(f.code.id, f.span.line, f.message) for f in findings_of(folder)}
    assert said == {
        ("SG010", 8, "the table `none` has no column"),
        ("SG010", 9, "the table `uneven` has a row with 1 cells and 2 columns"),
        ("SG010", 10, "the table `empty` has a row `x` without a value"),
        ("SG108", 11, "the table `nought` cannot be computed: this divides by nothing"),
        ("SG105", 12, "there is no catalogue `choices.spell`"),
        ("SG103", 13, "nothing is called `colour`"),
        ("SG103", 15, "nothing is called `dye`"),
        ("SG105", 15, "there is no step `look`"),
        ("SG105", 17, "there is no table `lost`"),
    }


BROKEN = """\
id: game
title: Game
version: 1
format: 1
credit: {short: s, long: l, licence: none}
gear: {rope: {name: Rope}}
tables:
  none: {label: None}
  uneven: {columns: [A, B], rows: [[1]]}
  empty: {over: [1], lines: [{label: x}]}
  nought: {over: [0, 1], lines: [{label: x, value: 1 / n}]}
  spells: {of: choices.spell, cells: [{head: A, text: "{name}"}]}
  unknown: {of: gear, cells: [{head: A, text: "{colour}"}]}
creation: {name: a few words}
creation_details: {name: "{dye}", look: as you like}
references:
  one: {label: One, bands: [[none, lost]]}
"""


@pytest.mark.slow
@pytest.mark.parametrize("id_", ["hyperspace-d6", "keyword-dots"])
def test_pages_of_tables_are_accessible(id_: str) -> None:
    """Guards the scope of heads, credits in margins and drawings, which the engine leaves open."""
    assert faults(printed(id_)) == []


def test_columns_of_words_of_a_table_have_one_size(tmp_path: Path) -> None:
    assert (
        run("tables", "keyword-dots", "light_weapons", "--to", "html", "--out", tmp_path).status
        == 0
    )
    (path,) = tmp_path.glob("*.html")
    cells = re.findall(r'<td class="([^"]*)"', path.read_text(encoding="utf-8"))
    assert len(cells) == 10
    assert set(cells) == {"said"}


@pytest.mark.parametrize(("theme", "leaf"), [("standard", "tall"), ("large-print", "wide")])
def test_large_print_turns_a_table_with_many_figures(theme: str, leaf: str, tmp_path: Path) -> None:
    words = ("hyperspace-d6", "vehicles", "--theme", theme, "--to", "html", "--out", tmp_path)
    assert run("tables", *words).status == 0
    (path,) = tmp_path.glob("*.html")
    assert f'<section class="leaf {leaf}">' in path.read_text(encoding="utf-8")
