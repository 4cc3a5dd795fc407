"""Books: what they mean, what is wrong with them, what is built and what is not built again."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sheetgen.books import workers
from sheetgen.books.building import (
    BuildOptions,
    BuildResult,
    build_book,
    preview_build,
    remove_strays,
)
from sheetgen.books.planning import BookPlan, plan_book
from sheetgen.books.workers import run_in_processes
from sheetgen.data import data_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span, errors
from sheetgen.prints.kinds import PrintResult

HEROES = data_folder() / "content" / "characters"
QUICK = "to: [html]"
"""Pages for browsers need no plate, which may have to be laid out first."""


def book(folder: Path, *entries: str, more: str = "") -> Path:
    """Write a book of some entries; each is the YAML of one."""
    listed = "".join(f"  - {entry}\n" for entry in entries)
    path = folder / "book.yaml"
    path.write_text(f"title: A book\nout: out\n{more}entries:\n{listed}", encoding="utf-8")
    return path


def heroes(folder: Path, *names: str) -> None:
    """Copy characters that come with us into `folder`, by `game/name`."""
    folder.mkdir(exist_ok=True)
    for name in names:
        shutil.copy(HEROES / f"{name}.yaml", folder / f"{Path(name).name}.yaml")


def crowd_of(count: int, folder: Path) -> None:
    """Write the characters of a crowd, all of one and with names of their own, into `people`."""
    (folder / "people").mkdir()
    text = (HEROES / "hyperspace-d6" / "rivet.yaml").read_text(encoding="utf-8")
    for n in range(count):
        one = text.replace("name: ", f"name: Number {n} ", 1)
        (folder / "people" / f"{n:03}.yaml").write_text(one, encoding="utf-8")


def built(path: Path, how: BuildOptions | None = None) -> tuple[BuildResult, list[Finding]]:
    plan = plan_book(path)
    found = list(plan.findings)
    result = build_book(plan, how or BuildOptions(), lambda findings: found.extend(findings))
    return result, found


def tree(folder: Path) -> dict[str, bytes]:
    """Return all files below a folder, hidden ones too."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def prints(folder: Path) -> dict[str, bytes]:
    """Return the outputs in a folder."""
    return {name: data for name, data in tree(folder).items() if not name.startswith(".")}


def ids(findings: Iterable[Finding]) -> list[str]:
    return sorted(finding.code.id for finding in findings)


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Return a book of three characters of two games."""
    names = ("hyperspace-d6/rivet", "hyperspace-d6/oshen_tal", "keyword-dots/ilo-tamarack")
    heroes(tmp_path / "heroes", *names)
    return book(tmp_path, "{sheets: heroes}")


def test_a_second_build_writes_nothing(three: Path) -> None:
    first, said = built(three)
    assert not errors(said)
    assert first.outputs.written == ["ilo-tamarack.pdf", "oshen-tal.pdf", "rivet.pdf"]
    before = tree(three.parent / "out")
    second, _ = built(three)
    assert not second.outputs.written
    assert sorted(second.outputs.unchanged) == sorted(first.outputs.written)
    assert tree(three.parent / "out") == before


def test_only_what_changed_is_built(three: Path) -> None:
    built(three)
    hero = three.parent / "heroes" / "rivet.yaml"
    hero.write_text(hero.read_text(encoding="utf-8").replace("name: ", "name: Old "), "utf-8")
    again, _ = built(three)
    assert again.outputs.written == ["rivet.pdf"]
    # A line more in the book moves places, and no output depends on where it is asked for.
    three.write_text("# a comment\n" + three.read_text(encoding="utf-8"), encoding="utf-8")
    assert not built(three)[0].outputs.written
    three.write_text(three.read_text(encoding="utf-8").replace("heroes}", "heroes, flatten: true}"))
    assert len(built(three)[0].outputs.written) == 3


def test_an_output_that_is_gone_or_damaged_comes_back(three: Path) -> None:
    built(three)
    before = tree(three.parent / "out")
    (three.parent / "out" / "rivet.pdf").unlink()
    assert built(three)[0].outputs.written == ["rivet.pdf"]
    assert tree(three.parent / "out") == before
    for record in (three.parent / "out" / ".sheetgen").glob("*.json"):
        record.write_bytes(record.read_bytes()[:-20])
    assert not built(three)[0].outputs.written, "the same bytes are not written again"
    assert tree(three.parent / "out") == before


def test_what_somebody_typed_into_is_left_alone(three: Path) -> None:
    built(three)
    typed = three.parent / "out" / "rivet.pdf"
    typed.write_bytes(typed.read_bytes() + b"% typed")
    result, said = built(three)
    assert ids(said) == ["SG702"]
    assert typed.read_bytes().endswith(b"% typed")
    assert len(result.failed) == 1
    assert built(three, BuildOptions(force=True))[0].outputs.written == ["rivet.pdf"]
    assert not typed.read_bytes().endswith(b"% typed")


def test_good_ones_are_printed_beside_bad_ones(tmp_path: Path) -> None:
    heroes(tmp_path / "heroes", "hyperspace-d6/rivet", "hyperspace-d6/oshen_tal")
    (tmp_path / "heroes" / "broken.yaml").write_text("ruleset: hyperspace-d6\nname: [", "utf-8")
    (tmp_path / "wall").write_text("", encoding="utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "wall").write_text("a file, where a folder is wanted", encoding="utf-8")
    path = book(
        tmp_path,
        "{sheets: heroes}",
        "{sheets: nowhere.yaml}",
        "{sheets: heroes/rivet.yaml, theme: no-such, id: lost}",
        "{sheets: heroes/rivet.yaml, name: 'wall/{stem}', id: walled}",
        "{sheets: 'nothing-*.yaml'}",
        "{cards: hyperspace-d6, kind: dragon}",
    )
    result, said = built(path)
    assert sorted(result.outputs.written) == ["oshen-tal.pdf", "rivet.pdf"]
    assert ids(errors(said)) == ["SG001", "SG003", "SG201", "SG304", "SG401", "SG701"]


def test_two_inputs_never_share_a_name(tmp_path: Path) -> None:
    heroes(tmp_path / "a", "hyperspace-d6/rivet")
    heroes(tmp_path / "b", "hyperspace-d6/rivet")
    path = book(tmp_path, "{sheets: a}", "{sheets: b, id: other}")
    result, said = built(path)
    assert (result.outputs.written, ids(said)) == (["rivet.pdf", "rivet-2.pdf"], ["SG403"])
    assert not result.failed
    again, said = built(path)
    assert (again.outputs.unchanged, ids(said)) == (["rivet.pdf", "rivet-2.pdf"], ["SG403"])
    path = book(tmp_path, "{sheets: a}", "{sheets: b, id: other, name: '{entry}/{stem}'}")
    assert not built(path)[1]


@pytest.mark.slow
def test_a_name_that_is_taken_later_makes_what_a_fresh_build_makes(tmp_path: Path) -> None:
    """What is up to date gives its name to an entry that comes before it, and is kept."""
    heroes(tmp_path / "a", "hyperspace-d6/rivet")
    heroes(tmp_path / "b", "hyperspace-d6/rivet")
    heroes(tmp_path / "c", "hyperspace-d6/rivet")
    entries = [f"{{sheets: {name}, id: {name}, {QUICK}}}" for name in "abc"]
    built(book(tmp_path, *entries[1:]))
    result, said = built(book(tmp_path, *entries))
    assert (ids(said), result.failed) == (["SG403", "SG403"], [])
    after = prints(tmp_path / "out")
    assert sorted(after) == ["rivet-2.html", "rivet-3.html", "rivet.html"]
    shutil.rmtree(tmp_path / "out")
    built(book(tmp_path, *entries))
    assert prints(tmp_path / "out") == after
    built(book(tmp_path, *entries[1:]))
    assert sorted(prints(tmp_path / "out")) == ["rivet-2.html", "rivet.html"]


def test_threads_or_none_write_the_same(three: Path, tmp_path: Path) -> None:
    built(three)
    before = tree(tmp_path / "out")
    shutil.rmtree(tmp_path / "out")
    built(three, BuildOptions(partial(run_in_processes, ThreadPoolExecutor, 2)))
    assert tree(tmp_path / "out") == before


def test_shards_make_the_whole(three: Path, tmp_path: Path) -> None:
    built(three)
    before = tree(tmp_path / "out")
    merged: dict[str, bytes] = {}
    for which in (1, 2, 3):
        shutil.rmtree(tmp_path / "out")
        result, _ = built(three, BuildOptions(shard=(which, 3)))
        assert len(result.outputs.written) < 3
        merged |= tree(tmp_path / "out")
    assert merged == before


@pytest.mark.slow
def test_the_last_shard_combines_what_all_of_them_made(three: Path, tmp_path: Path) -> None:
    """No shard makes parts of another; in separate folders a build of all combines them."""
    text = three.read_text("utf-8").replace("{sheets: heroes}", "{sheets: heroes, id: all}")
    three.write_text(f"{text}combined: [{{name: whole, of: [all]}}]\n", "utf-8")
    built(three)
    before = tree(tmp_path / "out")
    parts: dict[str, bytes] = {}
    for which in (1, 2, 3):
        shutil.rmtree(tmp_path / "out")
        result, _ = built(three, BuildOptions(shard=(which, 3)))
        assert result.waiting == ["whole"]
        assert not parts.keys() & tree(tmp_path / "out").keys()
        parts |= tree(tmp_path / "out")
    shutil.rmtree(tmp_path / "out")
    waiting = [built(three, BuildOptions(shard=(which, 3)))[0].waiting for which in (3, 1, 2)]
    assert waiting == [["whole"], ["whole"], []]
    assert tree(tmp_path / "out") == before
    assert built(three)[0].outputs.written == []
    for name in before.keys() - parts.keys():
        (tmp_path / "out" / name).unlink()
    assert built(three)[0].outputs.written == ["whole.pdf"]
    assert tree(tmp_path / "out") == before


def test_what_left_the_book_is_named_and_cleaned(three: Path) -> None:
    built(three)
    (three.parent / "heroes" / "rivet.yaml").unlink()
    result, _ = built(three)
    assert [record.wrote[0][0] for _, record in result.strays] == ["rivet.pdf"]
    assert (three.parent / "out" / "rivet.pdf").exists()
    assert remove_strays(result.strays, result.outputs.records, result.outputs.owners, []) == [
        "rivet.pdf"
    ]
    assert not (three.parent / "out" / "rivet.pdf").exists()
    assert not built(three)[0].strays


def test_books_that_share_a_folder_keep_the_outputs_of_each_other(tmp_path: Path) -> None:
    """Guards against `--clean` and new names that removed files of another book."""
    heroes(tmp_path / "heroes", "keyword-dots/ilo-tamarack", "keyword-dots/rell-amadine")
    text = "title: One\nout: out\nentries:\n  - {sheets: heroes, to: [html]NAME}\n"
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text(text.replace("NAME", ""), "utf-8")
    two.write_text(text.replace("NAME", ", name: 'big/{stem}'"), "utf-8")
    for path in (one, two):
        result, said = built(path)
        assert (len(result.outputs.written), result.outputs.removed, said) == (2, [], [])
    for path in (one, two, one):
        result, _ = built(path)
        assert (result.outputs.written, result.outputs.removed, result.strays) == ([], [], [])
    (tmp_path / "heroes" / "rell-amadine.yaml").unlink()
    result, _ = built(one)
    assert [record.wrote[0][0] for _, record in result.strays] == ["rell-amadine.html"]
    records, owners = result.outputs.records, result.outputs.owners
    assert remove_strays(result.strays, records, owners, []) == ["rell-amadine.html"]
    assert (tmp_path / "out" / "big" / "rell-amadine.html").exists()


def test_an_output_that_two_books_write_is_no_stray(tmp_path: Path) -> None:
    heroes(tmp_path / "heroes", "keyword-dots/ilo-tamarack", "keyword-dots/rell-amadine")
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    text = "title: One\nout: out\nentries:\n  - {sheets: heroes, to: [html]}\n"
    for path in (one, two):
        path.write_text(text, "utf-8")
        assert not built(path)[1]
    one.write_text(text.replace("heroes,", "heroes/ilo*.yaml,"), "utf-8")
    result, _ = built(one)
    records, owners = result.outputs.records, result.outputs.owners
    assert len(result.strays) == 1
    assert remove_strays(result.strays, records, owners, []) == []
    assert (tmp_path / "out" / "rell-amadine.html").exists()
    assert not built(one)[0].strays


@pytest.mark.slow
def test_a_file_of_another_book_is_replaced_with_a_word(tmp_path: Path) -> None:
    heroes(tmp_path / "heroes", "keyword-dots/ilo-tamarack")
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    text = "out: out\nentries:\n  - {sheets: heroes, to: [html]}\n"
    one.write_text(text, "utf-8")
    two.write_text(text.replace("to: [html]", "to: [html], theme: mono"), "utf-8")
    assert built(one)[1] == []
    for path in (two, one):
        (said,) = built(path)[1]
        assert said.message == "another book wrote this file; it is replaced"
    assert built(one)[1] == []


UNREAD = [
    ("{odds: d6-pips, kind: npc}", ["kind"]),
    ("{odds: d6-pips, only: [x], copies: 2, flatten: true}", ["only", "copies", "flatten"]),
    ("{tables: d6-pips, group: [x], backs: fold, only: [play]}", ["group", "backs"]),
    ("{screens: d6-pips, size: poker, single: true}", ["size", "single"]),
    ("{blanks: d6-pips, qr: true, copies: 2}", ["qr"]),
    ("{cards: d6-pips, kind: npc, calc: true, grid: 2x2}", ["calc"]),
    ("{pieces: d6-pips, marks: true, copies: 2}", ["marks"]),
]


@pytest.mark.parametrize(("entry", "keys"), UNREAD)
def test_keys_that_a_kind_of_print_does_not_read_are_named(
    tmp_path: Path, entry: str, keys: list[str]
) -> None:
    book = tmp_path / "book.yaml"
    book.write_text(f"entries:\n  - {entry}\n", "utf-8")
    messages = [one.message for one in plan_book(book).findings]
    kind = entry[1:].partition(":")[0]
    unread = {f"`{key}` has no effect on {kind}" for key in keys}
    assert {m for m in messages if "no effect" in m} == unread


def test_a_new_name_takes_the_old_file_along(three: Path) -> None:
    built(three)
    text = three.read_text(encoding="utf-8").replace("heroes}", "heroes, name: 'party/{stem}'}")
    three.write_text(text, encoding="utf-8")
    result, _ = built(three)
    assert len(result.outputs.removed) == 3
    assert sorted(p.name for p in (three.parent / "out").glob("*.pdf")) == []


def test_rows_make_characters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "party.csv").write_text(
        'name,who,skills\nAda Brenn,Tia,"[Blasters, Pilot, Search]"\n\nEdo $5,,\n', "utf-8"
    )
    template = (HEROES / "hyperspace-d6" / "rivet.yaml").read_text(encoding="utf-8")
    lines = [line for line in template.splitlines() if not line.startswith(("name:", "player:"))]
    head = "name: $name\nplayer: ${who}\nnotes: costs $$5\n"
    lines = [line for line in lines if not line.startswith("notes:")]
    (tmp_path / "hero.yaml").write_text(head + "\n".join(lines), encoding="utf-8")
    path = book(tmp_path, f"{{sheets: party.csv, template: hero.yaml, {QUICK}}}")
    monkeypatch.chdir(tmp_path.parent)  # the book's path is relative, as most are
    result, said = built(path.relative_to(tmp_path.parent))
    assert not errors(said)
    assert result.outputs.written == ["ada-brenn.html", "edo-5.html"]
    page = (tmp_path / "out" / "ada-brenn.html").read_text(encoding="utf-8")
    assert "Ada Brenn" in page
    assert "Tia" in page
    assert "costs $5" in page


def test_a_row_that_cannot_be_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "party.csv").write_text("name\nAda\nEdo,too many\n", encoding="utf-8")
    (tmp_path / "hero.yaml").write_text("ruleset: hyperspace-d6\nname: $nam\n", encoding="utf-8")
    _, said = built(book(tmp_path, "{sheets: party.csv, template: hero.yaml}"))
    rows = [finding for finding in said if finding.code.id == "SG703"]
    assert [str(finding.span).rpartition("/")[2] for finding in rows] == [
        "party.csv:3:1",
        "hero.yaml:2:7",
    ]
    assert any("party.csv:2" in finding.message for finding in rows)


def test_a_file_of_many_gives_each_a_name(tmp_path: Path) -> None:
    (tmp_path / "npcs.yaml").write_text(
        "ruleset: d6-pips\nkind: npc\nlevel: Average\nentries:\n  - name: Guard\n  - name: Cook\n",
        encoding="utf-8",
    )
    path = book(tmp_path, "{cards: npcs.yaml, copies: 2}")
    result, said = built(path)
    assert not errors(said)
    assert result.outputs.written == ["npcs-cards.pdf"]


def test_sheets_may_be_joined(three: Path) -> None:
    pikepdf = pytest.importorskip("pikepdf")
    text = three.read_text(encoding="utf-8")
    three.write_text(text.replace("heroes}", "heroes, joined: true, id: party}"), "utf-8")
    result, said = built(three)
    assert not errors(said)
    assert result.outputs.written == ["party.pdf"]
    with pikepdf.open(three.parent / "out" / "party.pdf") as pdf:
        assert len(pdf.Root.AcroForm.Fields) == 3
        with pdf.open_outline() as outline:
            assert [item.title.partition(" · ")[0] for item in outline.root] == [
                "Ilo Tamarack",
                "Oshen Tal",
                "Rivet",
            ]


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ("{sheets: [a.yaml], blanks: [d6-pips]}", "SG012"),
        ("{id: empty}", "SG012"),
        ("{sheets: a.yaml, papr: a4}", "SG011"),
        ("{sheets: a.yaml, paper: a9}", "SG304"),
        ("{sheets: a.yaml, to: [doc]}", "SG304"),
        ("{sheets: a.yaml, for: nobody}", "SG304"),
        ("{sheets: a.yaml, name: '../{stem}'}", "SG705"),
        ("{sheets: a.yaml, name: '{nme}'}", "SG705"),
        ("{sheets: a.yaml, name: '{'}", "SG705"),
        ("{sheets: list.csv}", "SG012"),
        ("{sheets: [1, [2]]}", "SG010"),
    ],
)
def test_mistakes_of_books_have_places(tmp_path: Path, entry: str, code: str) -> None:
    (tmp_path / "list.csv").write_text("name\nAda\n", encoding="utf-8")
    plan = plan_book(book(tmp_path, entry))
    found = errors(plan.findings)
    assert len(found) == 1, found
    assert found[0].span.file.endswith("book.yaml")
    assert found[0].span.line == 4
    assert found[0].code.id == code


def test_entries_with_one_id_are_named(tmp_path: Path) -> None:
    plan = plan_book(book(tmp_path, "{id: all, blanks: d6-pips}", "{id: all, odds: d6-pips}"))
    assert [finding.message for finding in plan.findings] == ["two entries have the id `all`"]


def test_a_preview_writes_nothing(three: Path) -> None:
    lines = list(preview_build(plan_book(three)))
    assert [line.partition(":")[0] for line in lines] == ["to write"] * 3
    assert not (three.parent / "out").exists()
    built(three)
    plan: BookPlan = plan_book(three)
    assert [line.partition(":")[0] for line in preview_build(plan)] == ["up to date"] * 3


def test_a_file_of_many_characters_gives_each_a_sheet(tmp_path: Path) -> None:
    (tmp_path / "crew.yaml").write_text(
        "ruleset: d6-pips\nattributes: {DEX: 3D, KNO: 3D, MEC: 3D, PER: 3D, STR: 3D, TEC: 3D}\n"
        "entries: [{name: Ada}, {name: Edo}]\n",
        encoding="utf-8",
    )
    path = book(
        tmp_path,
        f"{{sheets: crew.yaml, {QUICK}}}",
        f"{{sheets: crew.yaml, {QUICK}, id: b, name: '{{n}}'}}",
    )
    names = ["crew-ada.html", "crew-edo.html", "1.html", "2.html"]
    assert [
        line.split(" (")[0].rpartition("/")[2] for line in preview_build(plan_book(path))
    ] == names
    result, said = built(path)
    assert not errors(said)
    assert result.outputs.written == names


def test_a_row_more_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    template = (HEROES / "hyperspace-d6" / "rivet.yaml").read_text(encoding="utf-8")
    lines = [line for line in template.splitlines() if not line.startswith("name:")]
    (tmp_path / "hero.yaml").write_text("name: $name\n" + "\n".join(lines), encoding="utf-8")
    (tmp_path / "party.csv").write_text("name\nAda\nEdo\n", encoding="utf-8")
    path = book(tmp_path, f"{{sheets: party.csv, template: hero.yaml, {QUICK}}}")
    assert built(path)[0].outputs.written == ["ada.html", "edo.html"]
    (tmp_path / "party.csv").write_text("name\nZed\nAda\nEdo\n", encoding="utf-8")
    assert built(path)[0].outputs.written == ["zed.html"]


def test_numbers_in_names_follow_the_order(tmp_path: Path) -> None:
    heroes(tmp_path / "heroes", "hyperspace-d6/rivet")
    path = book(tmp_path, f"{{sheets: heroes, name: '{{n}}-{{stem}}', {QUICK}}}")
    assert built(path)[0].outputs.written == ["1-rivet.html"]
    heroes(tmp_path / "heroes", "hyperspace-d6/oshen_tal")
    result, said = built(path)
    assert not errors(said)
    names = sorted(one.name for one in (tmp_path / "out").glob("*.html"))
    assert names == ["1-oshen-tal.html", "2-rivet.html"]
    assert result.outputs.removed == ["1-rivet.html"]


def test_what_changes_while_it_is_read_is_read_again(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else an output of the old text would be known by the digest of the new one."""
    hero, work = three.parent / "heroes" / "rivet.yaml", workers._run_job

    def saved_meanwhile(job: Any, *more: Any) -> Any:
        done = work(job, *more)
        if job.of[0].endswith(hero.name):
            text = hero.read_text(encoding="utf-8")
            hero.write_text(text.replace("name: Rivet", "name: Bolt"), encoding="utf-8")
        return done

    with monkeypatch.context() as patched:
        patched.setattr(workers, "_run_job", saved_meanwhile)
        built(three)
    assert "rivet.pdf" in built(three)[0].outputs.written
    assert not built(three)[0].outputs.written


def test_a_print_that_fails_keeps_the_findings_before_it(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Finding(codes.EMPTY, Span("rivet.yaml"), "this was found before")

    def fails(request: Any, context: Any) -> Iterator[PrintResult]:
        yield PrintResult(findings=(before,))
        raise ZeroDivisionError("nothing by nothing")

    monkeypatch.setattr(workers, "print_request", fails)
    findings = built(three)[1]
    assert before in findings
    assert any("ZeroDivisionError" in finding.message for finding in findings)
