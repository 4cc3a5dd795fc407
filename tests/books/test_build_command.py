"""The commands `build` and `watch`: what they say, what they leave."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sheetgen.cli.console import ProgressReporter
from tests.books.test_books import book, heroes
from tests.cli.commands import ROOT, run


@pytest.fixture
def party(tmp_path: Path) -> Path:
    heroes(tmp_path / "heroes", "hyperspace-d6/rivet", "hyperspace-d6/oshen_tal")
    return book(tmp_path, "{sheets: heroes}")


def test_names_go_to_stdout_and_talk_to_stderr(party: Path) -> None:
    out = party.parent / "out"
    said = run("build", party)
    assert (said.status, said.out) == (0, f"{out}/oshen-tal.pdf\n{out}/rivet.pdf\n")
    assert "2 written, 0 up to date, in " in said.err
    said = run("build", party, "--jobs", "1")
    assert (said.status, said.out) == (0, "")
    assert said.err.startswith("0 written, 2 up to date")
    assert run("build", party, "--quiet", "--force").err == ""


def test_a_book_with_mistakes_prints_the_rest(party: Path) -> None:
    (party.parent / "heroes" / "broken.yaml").write_text("ruleset: nowhere\n", encoding="utf-8")
    said = run("build", party)
    assert said.status == 1
    assert "there is no ruleset `nowhere`" in said.err
    assert "2 written, 0 up to date, 1 failed, 1 error" in said.err
    (party.parent / "heroes" / "broken.yaml").unlink()
    party.write_text(party.read_text(encoding="utf-8") + "combned: []\n", encoding="utf-8")
    said = run("build", party)
    assert said.status == 1
    assert "combined" in said.err


def test_a_dry_run_writes_nothing(party: Path) -> None:
    said = run("build", party, "--dry-run")
    assert said.status == 0
    assert [line.partition(":")[0] for line in said.out.splitlines()] == ["to write"] * 2
    assert not (party.parent / "out").exists()


def test_a_cover_whose_face_changes_is_printed_again(tmp_path: Path) -> None:
    heroes(tmp_path / "heroes", "hyperspace-d6/rivet")
    cover = "combined: [{name: all, cover: {title: Us, face: face.yaml}}]\n"
    party = book(tmp_path, "{sheets: heroes}", more=cover)
    for colour in ("#0B6660", "#603020"):
        (tmp_path / "face.yaml").write_text(f"colours: {{accent: '{colour}'}}\n", encoding="utf-8")
        assert f"{tmp_path}/out/all.pdf" in run("build", party).out.splitlines()
    assert run("build", party).err.startswith("0 written, 2 up to date")


def test_a_dry_run_names_the_row_of_a_sheet(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("name\nAda\nBo\n", encoding="utf-8")
    (tmp_path / "row.yaml").write_text("ruleset: hyperspace-d6\nname: $name\n", encoding="utf-8")
    said = run("build", book(tmp_path, "{sheets: [rows.csv], template: row.yaml}"), "--dry-run")
    assert [line.partition("(")[2] for line in said.out.splitlines()] == [
        f"sheets of {tmp_path / 'row.yaml'}, rows.csv:{number})" for number in (2, 3)
    ]


@pytest.mark.slow
def test_a_dry_run_lists_the_names_that_are_written(tmp_path: Path) -> None:
    heroes(tmp_path / "heroes", "hyperspace-d6/rivet", "hyperspace-d6/oshen_tal")
    name = 'to: [html], name: "{stem}.{name}.{ruleset}.{kind}"'
    entries = [f"tables: hyperspace-d6, only: [play], {name}", f"blanks: hyperspace-d6, {name}"]
    entries += [f"sheets: heroes, {name}", 'sheets: heroes, joined: true, name: "{stem}.{ruleset}"']
    entries += [f"cards: hyperspace-d6, kind: npc, group: [Imperials], {name}"]
    path = book(tmp_path, *(f"{{{entry}}}" for entry in entries))
    planned = run("build", path, "--dry-run").out.splitlines()
    names = [line.removeprefix("to write: ").partition(" (")[0] for line in planned]
    assert sorted(names) == sorted(run("build", path).out.splitlines())


def test_only_sheets_are_joined(party: Path) -> None:
    path = book(party.parent, "{tables: hyperspace-d6, joined: true}")
    assert "`joined` has no effect on tables" in run("build", path, "--dry-run").err


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "a/b", "1/0", "1/999999"])
def test_a_shard_is_one_of_several(party: Path, shard: str) -> None:
    assert run("build", party, "--shard", shard).status == 2


def test_a_shard_names_the_files_that_wait(party: Path) -> None:
    text = party.read_text(encoding="utf-8")
    party.write_text(f"{text}combined: [{{name: all}}]\n", encoding="utf-8")
    said = run("build", party, "--shard", "1/9999")
    assert said.status == 0
    waiting = f"all.pdf: not written until the parts of all shards are in {party.parent / 'out'}"
    assert waiting in said.err.splitlines()


def test_a_file_that_left_the_book_is_named_and_removed(party: Path) -> None:
    assert run("build", party, "--quiet").status == 0
    (party.parent / "heroes" / "rivet.yaml").unlink()
    said = run("build", party)
    assert "1 file is no longer in the book; --clean removes it" in said.err.splitlines()
    assert f"removed {party.parent / 'out' / 'rivet.pdf'}" in run("build", party, "--clean").err


@pytest.mark.slow
def test_a_folder_is_a_book_of_what_stands_in_it(tmp_path: Path) -> None:
    heroes(tmp_path / "stuff", "hyperspace-d6/rivet")
    (tmp_path / "stuff" / "gang.yaml").write_text(
        "ruleset: hyperspace-d6\nkind: npc\nname: Vell\nlevel: Common\ntrained: [Melee, Deceive]\n",
        encoding="utf-8",
    )
    (tmp_path / "stuff" / "fight.yaml").write_text(
        "ruleset: hyperspace-d6\nencounter: Quay\nplayers: 2\ncombatants:\n  - {file: gang.yaml}\n",
        encoding="utf-8",
    )
    (tmp_path / "stuff" / "notes.yaml").write_text("shopping: [rope]\n", encoding="utf-8")
    said = run("build", tmp_path / "stuff", "--out", tmp_path / "out")
    assert said.status == 0, said.err
    names = sorted(path.name for path in (tmp_path / "out").glob("*.pdf"))
    assert names == ["fight.pdf", "gang-cards.pdf", "rivet.pdf"]


def test_watching_builds_again_what_changed(party: Path) -> None:
    command = [sys.executable, "-m", "sheetgen", "watch", str(party)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        assert "2 written" in _until(process, "waiting")
        hero = party.parent / "heroes" / "rivet.yaml"
        text = hero.read_text(encoding="utf-8").replace("name: ", "name: New ", 1)
        hero.write_text(text, encoding="utf-8")
        said = _until(process, "waiting")
        assert "changed: " in said
        assert "1 written, 1 up to date" in said
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
        process.stderr.close()


def test_watching_what_is_no_book_ends(tmp_path: Path) -> None:
    hero = tmp_path / "hero.yaml"
    hero.write_text("ruleset: keyword-dots\nname: Ada\n", "utf-8")
    for path, message in ((hero, "not a book"), (tmp_path / "none.yaml", "no such file")):
        said = run("watch", path)
        assert (said.status, message in said.err) == (1, True)
        assert "waiting" not in said.err


def _until(process: subprocess.Popen[str], word: str) -> str:
    assert process.stderr is not None
    said, end = "", time.monotonic() + 60
    while word not in said:
        assert time.monotonic() < end, said
        said += process.stderr.readline()
    return said


def test_a_log_has_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    progress = ProgressReporter(3, quiet=False)
    for _ in range(3):
        progress.step()
    assert capsys.readouterr().err == "", "a short run says nothing"
    progress = ProgressReporter(3, quiet=False)
    progress._shown -= 10
    progress.step()
    assert capsys.readouterr().err.startswith("1 of 3, ")


def test_a_terminal_has_a_bar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    progress = ProgressReporter(2, quiet=False)
    progress._shown -= 1
    progress.step()
    written = capsys.readouterr()
    assert "1/2" in written.err
    assert "━" in written.err
    assert written.out == ""
    progress.clear()
    assert "\x1b[2K" in capsys.readouterr().err, "the bar is erased"


def test_names_that_differ_in_marks_make_different_files(tmp_path: Path) -> None:
    names = ["Bär", "Bar", "C", "C+", "C#", "Герой", "Герои", "ガード", "カード", "कला", "कली"]
    cells = "\n".join(["name", *names])
    (tmp_path / "rows.csv").write_text(cells, encoding="utf-8")
    (tmp_path / "row.yaml").write_text("ruleset: hyperspace-d6\nname: $name\n", encoding="utf-8")
    entry = "{sheets: [rows.csv], template: row.yaml, name: '{name}'}"
    said = run("build", book(tmp_path, entry), "--dry-run")
    found = [
        Path(line.partition(": ")[2].partition(" (")[0]).stem for line in said.out.splitlines()
    ]
    assert found == [name.lower() for name in names]
