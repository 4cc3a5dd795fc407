"""Rows of tables, streamed: CSV and Parquet files and queries, with hostile values."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from sheetgen.books.planning import plan_book
from sheetgen.diag.findings import Finding
from sheetgen.load import rows as tables
from sheetgen.plugins.farm import stores as databases
from sheetgen.plugins.farm.stores import read_file
from sheetgen.render.flow.table_pages import csv_text
from sheetgen.write import Spool
from tests.books.test_books import QUICK, book, built, heroes, ids, tree
from tests.cli.commands import run

pytestmark = pytest.mark.slow

NAMES = ["Ada", "Edo", "Mia"]
HOSTILE = [
    "$who", "${who}", "{name}", "../../up", "/etc/passwd", "a: b\n- c", "[a, b", "{x: *y}",
    "!!python/x", "\x1b[31mred", "null", "~", "=1+1", "'; drop table people; --", "<script>",
    "\ud7ff\ue000", "x" * 5_000,
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a template."""
    heroes(tmp_path, "keyword-dots/ilo-tamarack")
    text = (tmp_path / "ilo-tamarack.yaml").read_text("utf-8")
    lines = ["name: $who" if line.startswith("name:") else line for line in text.splitlines()]
    (tmp_path / "row.yaml").write_text("\n".join(lines), "utf-8")
    return tmp_path


def write_csv(folder: Path, names: list[str]) -> None:
    cells = ('"' + name.replace('"', '""') + '"' for name in names)
    (folder / "people.csv").write_text("who\n" + "\n".join(cells) + "\n", "utf-8")


def write_parquet(folder: Path, names: list[str]) -> None:
    parquet.write_table(pyarrow.table({"who": names}), folder / "people.parquet")


def write_database(folder: Path, names: list[str], monkeypatch: pytest.MonkeyPatch) -> Path:
    path = folder / "people.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table people (who text)")
        connection.executemany("insert into people values (?)", [(name,) for name in names])
    connection.close()
    monkeypatch.setenv("SHEETGEN_DATABASE_GUESTS", f"sqlite:///{path}")
    return path


QUERY = "{database: guests, query: select who from people order by rowid}"


def of_rows(folder: Path, rows: str) -> Path:
    return book(folder, f'{{rows: {rows}, template: row.yaml, name: "{{who}}", {QUICK}}}')


def test_all_tables_print_the_same_sheets(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_csv(folder, NAMES)
    write_parquet(folder, NAMES)
    write_database(folder, NAMES, monkeypatch)
    results = []
    for rows in ("people.csv", "people.parquet", QUERY):
        result, found = built(of_rows(folder, rows), None)
        assert not found
        assert sorted([*result.outputs.written, *result.outputs.unchanged]) == [
            *("ada.html", "edo.html", "mia.html")
        ]
        files = tree(folder / "out")
        results.append({name: files[name] for name in files if not name.startswith(".")})
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("rows", ["people.csv", "people.parquet", QUERY])
def test_hostile_values_are_texts(folder: Path, rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_csv(folder, HOSTILE)
    write_parquet(folder, HOSTILE)
    path = write_database(folder, HOSTILE, monkeypatch)
    before = path.read_bytes()
    said = run("build", of_rows(folder, rows))
    assert "Traceback" not in said.err
    assert "\x1b[31m" not in said.err
    assert path.read_bytes() == before
    written = set(folder.rglob("*.html"))
    assert len(written) > len(HOSTILE) / 2
    assert all(one.is_relative_to(folder / "out") for one in written)


def test_values_of_other_types_become_texts() -> None:
    values = [None, True, 3, 2.0, 2.5, ["a", 1], {"b": None}]
    texts = ["", "true", "3", "2", "2.5", '["a", 1]', '{"b": null}']
    assert [tables.format_value(value) for value in values] == texts


@pytest.mark.parametrize(
    ("rows", "code", "words"),
    [
        ("people.txt", "SG010", "not a table"),
        ("none.csv", "SG001", "no such file"),
        ("none.parquet", "SG001", "no such file"),
        ("broken.parquet", "SG703", "this is not Parquet"),
        ("latin.csv", "SG002", "0xe9 is not UTF-8"),
        ("{database: guests}", "SG012", "a database and a query"),
        ("{database: nobody, query: select 1}", "SG703", "there is no database"),
        ("{database: 'sqlite:////etc/x', query: select 1}", "SG703", "does not hold its address"),
        ("{database: guests, query: drop table people}", "SG703", "not one statement that reads"),
        ("{database: guests, query: 'select 1; select 2'}", "SG703", "not one statement"),
        ("{database: guests, query: select x from y}", "SG703", "no such table"),
        (
            "{database: guests, query: 'with a as (select 1) insert into people select 1'}",
            "SG703",
            "readonly",
        ),
        ("{database: guests, query: select load_extension('x')}", "SG703", "not authorized"),
        ("{database: guests, query: select FTS3_tokenizer('simple')}", "SG703", "not authorized"),
        (
            "{database: guests, query: select file from pragma_database_list}",
            "SG703",
            "not authorized",
        ),
    ],
)
def test_a_table_that_cannot_be_read_is_a_finding(
    folder: Path, rows: str, code: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_database(folder, NAMES, monkeypatch)
    (folder / "broken.parquet").write_bytes(b"PAR1" + b"x" * 100 + b"PAR1")
    (folder / "latin.csv").write_bytes(b"who\nAda\nRen\xe9\n")
    findings = plan_book(of_rows(folder, rows)).findings
    assert words in findings[0].message
    assert ids(findings)[0] == code


def test_a_query_may_search_an_index(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_database(folder, NAMES, monkeypatch)
    with contextlib.closing(sqlite3.connect(path)) as database:
        for kind in ("fts4", "fts5"):
            database.execute(f"create virtual table {kind} using {kind}(who)")
            database.execute(f"insert into {kind} select who from people")
        database.commit()
    query = "select a.who from fts4 a join fts5 b on a.who = b.who where fts5 match 'ada'"
    _, findings = built(of_rows(folder, f'{{database: guests, query: "{query}"}}'))
    assert not findings


def test_a_cell_that_is_stored_once_and_is_in_all_rows_is_bounded(folder: Path) -> None:
    """A file of a few kilobytes: 30 columns, a thousand rows, a million letters in each cell."""
    long = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0] * 1_000, pyarrow.int32()), pyarrow.array(["x" * 1_000_000])
    )
    table = pyarrow.table({"who": long, **{f"c{n}": long for n in range(30)}})
    parquet.write_table(table, folder / "people.parquet", compression="zstd")
    findings: list[Finding] = []
    assert not list(read_file(folder / "people.parquet", findings))
    assert ids(findings) == ["SG703"]
    assert "memory" in findings[0].message


@pytest.mark.parametrize("address", ["sqlite:///none.db", "oracle://u:hush@h/x", "?", "nowhere://"])
def test_an_address_that_cannot_be_used_is_a_finding_without_it(
    folder: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHEETGEN_DATABASE_GUESTS", address)
    (finding,) = plan_book(of_rows(folder, QUERY)).findings
    assert finding.hint
    assert "hush" not in finding.message
    assert not (folder / "none.db").exists()


def test_a_password_in_a_book_is_not_shown(folder: Path) -> None:
    rows = "{database: 'postgresql://me:hu/sh@host/db', query: select 1}"
    said = run("build", of_rows(folder, rows))
    assert said.status == 1
    assert "SHEETGEN_DATABASE_GUESTS" in said.err
    assert "hu/sh" not in said.err


def test_a_query_that_never_answers_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_database(folder, NAMES, monkeypatch)
    monkeypatch.setattr(databases, "_PATIENCE", 0.2)
    endless = "with recursive a(n) as (values (1) union all select n + 1 from a)"
    rows = f"{{database: guests, query: {endless} select n as who from a where n < 0}}"
    (finding,) = plan_book(of_rows(folder, rows)).findings
    assert "interrupted" in finding.message


ENDLESS = "with recursive a(n) as (values (1) union all select n + 1 from a) select"
LARGE = {
    "a value": ("select zeroblob(900000000) as who", "MB of memory"),
    "values": (f"select {', '.join(f'zeroblob(50000000) as c{n}' for n in range(50))}", "memory"),
    "a sum": (f"{ENDLESS} group_concat(printf('%.*c', 9000000, 'x')) as who from a", "memory"),
    "rows": (f"{ENDLESS} n as who from a", "s of processor time"),
    "no rows": (f"{ENDLESS} n as who from a where n < 0", "s of processor time"),
    "long rows": (f"{ENDLESS} printf('%.*c', 90000, 'x') as who from a", "its rows take"),
}


@pytest.mark.parametrize(("query", "words"), LARGE.values(), ids=LARGE)
def test_a_query_that_takes_too_much_is_a_finding(
    folder: Path, query: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_database(folder, NAMES, monkeypatch)
    monkeypatch.setattr(databases, "_SECONDS", 1 if "processor" in words else 30)
    monkeypatch.setattr(databases, "_MOST_RESULT", 5_000_000 if "rows" in words else 10**9)
    (finding,) = plan_book(of_rows(folder, f'{{database: guests, query: "{query}"}}')).findings
    assert finding.code.id == "SG703"
    assert words in finding.message
    assert finding.hint


@pytest.mark.parametrize(
    ("rows", "package"),
    [("people.parquet", "pyarrow"), (QUERY, "sqlalchemy")],
    ids=["arrow", "sql"],
)
def test_without_the_extra_one_line_names_what_to_install(
    folder: Path, rows: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_parquet(folder, NAMES)
    write_database(folder, NAMES, monkeypatch)
    monkeypatch.setattr(databases, "find_spec", lambda name: None)
    (finding,) = plan_book(of_rows(folder, rows)).findings
    assert f"pip install {package}" in finding.hint


def rows_of(path: Path) -> tuple[int, list[Finding]]:
    findings: list[Finding] = []
    return sum(1 for _ in read_file(path, findings)), findings


def test_bounds_of_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.csv"
    monkeypatch.setattr(tables, "MOST_ROWS", 3)
    path.write_text("who\n" + "Ada\n" * 4, "utf-8")
    count, (finding,) = rows_of(path)
    assert (count, finding.message) == (3, "more than 3 rows")
    path.write_text("who\n" + "a,b\n" * 5_000, "utf-8")
    assert len(rows_of(path)[1]) <= 1_002, "reading ends after many errors"
    path.write_text("who\n" + "x" * 2_000_000, "utf-8")
    assert "a line has more than" in rows_of(path)[1][0].message
    path.write_text("who\n" + "x" * 110_000, "utf-8")
    assert "more than 100,000 characters" in rows_of(path)[1][0].message
    monkeypatch.setattr(tables, "MOST_BYTES", 10)
    assert ids(rows_of(path)[1]) == ["SG004"]


def test_a_spool_returns_what_was_put_in() -> None:
    spool = Spool()
    texts = [str(n).encode() * (n % 7) for n in range(2_000)]
    for number, text in enumerate(texts):
        spool.append(text)
        assert spool[number // 2] == texts[number // 2]
    assert [spool[at] for at in range(len(spool))] == texts


def test_edited_rows_leave_no_false_alarm(folder: Path) -> None:
    """A cell, and later a name: only the file that no row writes any more is named and removed."""
    text = (folder / "row.yaml").read_text("utf-8")
    (folder / "row.yaml").write_text(f"{text}\nplayer: $player\n", "utf-8")
    path = of_rows(folder, "people.csv")
    out, records = folder / "out", folder / "out" / ".sheetgen"
    for number in range(4):
        table = f"who,player\nAnn,player {number}\nBo,x\n"
        (folder / "people.csv").write_text(table, "utf-8")
        said = run("build", path, "--out", out)
        assert said.status == 0, said.err
        assert "no longer in the book" not in said.err
        assert len([*records.glob("*.json")]) == 2
    (folder / "people.csv").write_text("who,player\nAnna,player 3\nBo,x\n", "utf-8")
    for _ in range(2):
        said = run("build", path, "--out", out)
        assert "1 file is no longer in the book; --clean removes it" in said.err
    assert f"removed {out / 'ann.html'}" in run("build", path, "--out", out, "--clean").err
    assert sorted(one.name for one in out.glob("*.html")) == ["anna.html", "bo.html"]
    assert "no longer" not in run("build", path, "--out", out).err
    (folder / "people.csv").write_text("who,player\nCy,\nBo,x\n", "utf-8")
    assert "1 file is" in run("build", path, "--out", out).err
    (out / "anna.html").unlink()
    assert "no longer" not in run("build", path, "--out", out).err


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_cells_may_be_separated_as_spreadsheets_do(between: str, folder: Path) -> None:
    rows = [["who", "note"], ["Ada", '"one\r\ntwo"'], ["Bo", '"a, b; c"'], ["Cy", "3.0"]]
    text = "\ufeff" + "\r\n".join(between.join(row) for row in rows)
    (folder / "rows.csv").write_bytes(text.encode())
    findings: list[Finding] = []
    found = [dict(cells) for _, cells in read_file(folder / "rows.csv", findings)]
    assert not findings
    assert found == [
        {"who": "Ada", "note": "one\ntwo"},
        {"who": "Bo", "note": "a, b; c"},
        {"who": "Cy", "note": "3.0"},
    ]


def test_the_credit_that_ends_our_own_tables_is_no_row(tmp_path: Path) -> None:
    path, found = tmp_path / "own.csv", list[Finding]()
    path.write_text(csv_text([["name", "note"], ["Ada", "x"]], "Rules: nobody, MIT"), "utf-8")
    assert [cells for _, cells in read_file(path, found)] == [(("name", "Ada"), ("note", "x"))]
    path.write_text("name\n# 7\n#9\n", "utf-8")
    assert [cells for _, cells in read_file(path, found)] == [(("name", "# 7"),), (("name", "#9"),)]
    assert not found


def test_a_table_in_an_entry_of_other_prints_is_a_file_of_theirs(folder: Path) -> None:
    write_csv(folder, ["Ada"])
    plan = plan_book(book(folder, "{encounters: people.csv, template: row.yaml}"))
    [job] = plan.jobs
    assert job.row is None
    assert job.full_request.of == (str(folder / "people.csv"),)
