"""Builds remove and replace nothing but their own unchanged outputs, whatever records say."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest
from PIL import Image

from sheetgen.books import workers
from sheetgen.books.building import BuildOptions, preview_build, remove_strays
from sheetgen.books.planning import plan_book
from tests.books.test_books import QUICK, book, built, heroes, ids, tree
from tests.cli.commands import run
from tests.effort import at_most_calls

pytestmark = pytest.mark.slow

VICTIM = b"somebody's diary\n"


@pytest.fixture
def one(tmp_path: Path) -> Path:
    """Return a book of one character, built, with a victim's file beside its folder."""
    folder = tmp_path / "game"
    folder.mkdir()
    heroes(folder / "heroes", "keyword-dots/ilo-tamarack")
    path = book(folder, f"{{sheets: heroes, {QUICK}}}")
    built(path)
    (tmp_path / "victim.txt").write_bytes(VICTIM)
    return path


def forge(out: Path, wrote: object, name: str = "a.json", id_: str = "gone") -> Path:
    """Write a record that claims outputs."""
    facts = {"format": workers.FORMAT, "id": id_, "key": "k", "reads": [], "wrote": wrote}
    path = out / workers.FOLDER / name
    path.write_text(json.dumps(facts), encoding="utf-8")
    return path


def record_path(path: Path) -> Path:
    """Return the path of the record of the first job of a book."""
    plan = plan_book(path)
    folder = workers.RecordFolder(plan.out, plan.name)
    return Path(plan.out.address(folder.name(plan.jobs[0].id)))


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    "name",
    ["../../victim.txt", "{abs}", "./../../victim.txt", "x/../../../victim.txt", "away/victim.txt"],
)
def test_a_record_removes_nothing_outside_of_the_folder(one: Path, name: str) -> None:
    out, victim = one.parent / "out", one.parent.parent / "victim.txt"
    (out / "away").symlink_to(victim.parent)
    forge(out, [[name.replace("{abs}", str(victim)), digest(VICTIM)]])
    said = run("build", one, "--clean")
    assert victim.read_bytes() == VICTIM
    assert said.status == 1
    assert "error[SG707]" in said.err
    assert "removed" not in said.err
    dry = run("build", one, "--clean", "--dry-run")
    assert (dry.status, dry.err.count("SG707")) == (1, 1)


def test_the_record_of_a_job_itself_is_no_more_trusted(one: Path) -> None:
    victim = one.parent.parent / "victim.txt"
    path = record_path(one)
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts["wrote"].append(["../../victim.txt", digest(VICTIM)])
    path.write_text(json.dumps(facts), encoding="utf-8")
    again, _ = built(one)
    assert [finding.code.id for finding in again.findings] == ["SG707"]
    assert victim.read_bytes() == VICTIM
    assert not built(one)[0].findings, "a good record replaces the bad one"


def test_a_file_inside_that_is_no_output_is_not_removed(one: Path) -> None:
    out = one.parent / "out"
    notes = out / "notes.txt"
    notes.write_bytes(VICTIM)
    forge(out, [["notes.txt", digest(VICTIM)]])
    result, _ = built(one)
    assert remove_strays(result.strays, result.outputs.records, result.outputs.owners, []) == []
    assert notes.read_bytes() == VICTIM


def test_an_output_that_was_changed_is_not_removed(one: Path) -> None:
    out = one.parent / "out"
    sheet = out / "ilo-tamarack.html"
    sheet.write_bytes(sheet.read_bytes().replace(b"</html>", b"<p>mine</p></html>"))
    (one.parent / "heroes" / "ilo-tamarack.yaml").unlink()
    heroes(one.parent / "heroes", "keyword-dots/quill-hesk")
    said = run("build", one, "--clean")
    assert f"{sheet}:1:1: warning[SG702]" in said.err
    assert sheet.exists()
    assert "SG702" not in run("build", one, "--clean").err, "said once"


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 200_000,
        b"",
        b"{}",
        b"\xff\xfe",
        b'{"format": 2, "wrote": 3}',
        b"null",
        b" " * 5_000_000,
        rb'{"format": 2, "id": "x", "key": "k", "reads": [], "wrote": [["\ud800/x.pdf", "d"]]}',
        rb'{"format": 2, "id": "\ud800", "key": "k", "reads": [], "wrote": [["x.pdf", "d"]]}',
    ],
)
def test_a_damaged_record_is_a_finding(one: Path, content: bytes) -> None:
    out = one.parent / "out"
    path = record_path(one)
    path.write_bytes(content)
    (out / workers.FOLDER / "b.json").write_bytes(content)
    said = run("build", one, "--clean")
    assert (said.status, said.err.count("SG707")) == (1, 2)
    assert "Traceback" not in said.err
    (out / workers.FOLDER / "b.json").unlink()
    assert run("build", one).status == 0


def test_a_pipe_among_the_records_does_not_block(one: Path) -> None:
    os.mkfifo(one.parent / "out" / workers.FOLDER / "c.json")
    forge(one.parent / "out", [["pipe.html", ""]])
    os.mkfifo(one.parent / "out" / "pipe.html")
    assert run("build", one, "--clean").status == 1
    assert (one.parent / "out" / "pipe.html").exists()


def test_what_a_record_says_was_read_is_not_read_for_ever(one: Path) -> None:
    """A record may name any file: one of terabytes, or one of the system that never ends."""
    huge = one.parent / "huge.yaml"
    with open(huge, "wb") as file:
        file.truncate(2**40)
    path = record_path(one)
    good = json.loads(path.read_text(encoding="utf-8"))
    for name in ("huge.yaml", "/proc/self/pagemap", "/dev/zero"):
        facts = {**good, "reads": [[name, "0"], *good["reads"]]}
        path.write_text(json.dumps(facts), encoding="utf-8")
        with at_most_calls(3_000_000):
            assert built(one)[0].outputs.unchanged == ["ilo-tamarack.html"]


def test_what_is_too_large_for_a_digest_is_built_again(
    one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its digest says nothing: a change of it would not be seen."""
    monkeypatch.setattr("sheetgen.load.files._MOST_DIGESTED_BYTES", 100)
    built(one)
    hero = one.parent / "heroes" / "ilo-tamarack.yaml"
    hero.write_text(hero.read_text("utf-8").replace("name: ", "name: Old "), "utf-8")
    assert built(one)[0].outputs.written == ["ilo-tamarack.html"]


@pytest.mark.parametrize("link", [".sheetgen", ".sheetgen/drafts"])
def test_drafts_of_a_linked_folder_are_left_alone(one: Path, link: str) -> None:
    """What broke off is removed from the drafts: a link must not lead that elsewhere."""
    out, away = one.parent / "out", one.parent.parent / "away"
    (away / "drafts" / "run-x").mkdir(parents=True)
    (away / "run-x").mkdir()
    for folder in (away / "run-x", away / "drafts" / "run-x"):
        (folder / "lock").write_bytes(VICTIM)
    shutil.rmtree(out / link, ignore_errors=True)
    (out / link).symlink_to(away)
    said = run("build", one)
    assert said.status == 1
    assert (away / "run-x" / "lock").read_bytes() == VICTIM
    assert (away / "drafts" / "run-x" / "lock").read_bytes() == VICTIM
    assert sorted(p.name for p in away.rglob("*")) == ["drafts", "lock", "lock", "run-x", "run-x"]


def test_a_link_inside_does_not_lead_outputs_out(tmp_path: Path) -> None:
    heroes(tmp_path / "heroes", "keyword-dots/ilo-tamarack")
    path = book(tmp_path, f"{{sheets: heroes, name: 'sub/{{stem}}', {QUICK}}}")
    away = tmp_path / "away"
    away.mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "sub").symlink_to(away)
    _, found = built(path)
    assert ids(found) == ["SG401"]
    assert not list(away.iterdir())


AWAY = {
    "a folder above": "../home",
    "the folder above": "..",
    "far above": "../../../../../../../../tmp",
    "through a folder": "heroes/../../home",
    "after a dot": "./../home",
    "absolute": "{top}/home",
    "the root": "/",
    "two slashes": "//{top}/home",
    "home": "~/",
    "below home": "~/home",
    "somebody's home": "~root",
    "a share of Windows": "'\\\\server\\share'",
    "above, as Windows writes it": "'..\\home'",
    "a disk of Windows": "'C:\\home'",
    "a store": "memory://home",
}
LINKS = {
    "the folder": ("out", "."),
    "a folder above": ("a/b/out", "a"),
    "a folder between": ("a/b/out", "a/b"),
    "the last of three": ("a/b/out", "a/b/out"),
    "the usual folder": ("", "book-output"),
    "with a way back": ("out/../out", "out"),
    "a link's folder above": ("link/../out", "link/../out"),
}
HOW = [(), ("--force",), ("--clean", "--force"), ("--dry-run",), ("--jobs", "2")]


def stranger(folder: Path, out: str) -> Path:
    """Write a book with a folder of outputs of its own, beside somebody's home."""
    (folder / "home").mkdir()
    (folder / "home" / "ilo-tamarack.html").write_bytes(VICTIM)
    game = folder / "game"
    game.mkdir()
    heroes(game / "heroes", "keyword-dots/ilo-tamarack")
    path = book(game, f"{{sheets: heroes, id: all, {QUICK}}}")
    text = path.read_text("utf-8").replace("out: out\n", f"out: {out}\n" if out else "")
    path.write_text(text.replace("{top}", str(folder)), "utf-8")
    return path


def assert_nothing_is_written(path: Path, away: Path) -> None:
    before = tree(path.parent.parent)
    for options in HOW:
        said = run("build", path, *options)
        assert (said.status, said.err.count("error[SG401]")) == (1, 1), said.err
        assert "= hint: " in said.err
        assert f"{path}:" in said.err, "the book's line"
        assert not said.out
    said = run("check", path)
    assert (said.status, said.all.count("error[SG401]")) == (1, 1), said.all
    assert tree(path.parent.parent) == before
    assert sorted(os.listdir(away)) == ["ilo-tamarack.html"]
    said = run("build", path, "--out", path.parent.parent / "named")
    assert said.status == 0, said.err
    assert (path.parent.parent / "named" / "ilo-tamarack.html").exists()


@pytest.mark.parametrize("out", AWAY.values(), ids=AWAY)
def test_a_book_writes_only_inside_its_folder(tmp_path: Path, out: str) -> None:
    assert_nothing_is_written(stranger(tmp_path, out), tmp_path / "home")


@pytest.mark.parametrize(("out", "link"), LINKS.values(), ids=LINKS)
def test_no_link_leads_a_book_out_of_its_folder(tmp_path: Path, out: str, link: str) -> None:
    path = stranger(tmp_path, out)
    place = Path(os.path.normpath(path.parent / (out if link == "." else link)))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(os.path.relpath(tmp_path / "home", place.parent))
    assert_nothing_is_written(path, tmp_path / "home")


@pytest.mark.parametrize("out", [".", "./x/../y", "prints/of/mine", "heroes", "inner"])
def test_a_book_writes_anywhere_inside_its_folder(tmp_path: Path, out: str) -> None:
    path = stranger(tmp_path, out)
    (path.parent / "inside").mkdir()
    (path.parent / "inner").symlink_to("inside")
    said = run("build", path)
    assert said.status == 0, said.err
    assert (path.parent / out / "ilo-tamarack.html").exists() or out == "./x/../y"
    assert run("check", path).status == 0


def test_a_file_that_is_not_ours_is_left_alone_without_any_record(one: Path) -> None:
    out = one.parent / "out"
    sheet = out / "ilo-tamarack.html"
    ours = sheet.read_bytes()
    for content in (VICTIM, ours.replace(b"</html>", b" </html>"), b""):
        shutil.rmtree(out / workers.FOLDER)
        sheet.write_bytes(content)
        _, found = built(one)
        assert ids(found) == ["SG702"]
        assert sheet.read_bytes() == content
    _, found = built(one, BuildOptions(force=True))
    assert (ids(found), sheet.read_bytes()) == ([], ours)


def test_a_picture_that_was_read_stays_even_if_forced(tmp_path: Path) -> None:
    heroes(tmp_path / "out", "keyword-dots/ilo-tamarack")
    hero, portrait = tmp_path / "out" / "ilo-tamarack.yaml", tmp_path / "out" / "ilo-tamarack-1.png"
    with hero.open("a", encoding="utf-8") as file:
        file.write("portrait: {file: ilo-tamarack-1.png, alt: Ilo}\n")
    Image.new("RGB", (300, 300), (200, 30, 30)).save(portrait)
    before = portrait.read_bytes()
    path = book(tmp_path, "{sheets: out, to: [png], dpi: 36}")
    result, found = built(path, BuildOptions(force=True))
    assert ids(found) == ["SG402"]
    assert portrait.read_bytes() == before
    assert result.outputs.written == ["ilo-tamarack-2.png"]


def heroes_with_a_picture(folder: Path, name: str) -> Path:
    """Write two characters; the second one's portrait has the name of an output of the first."""
    heroes(folder / "out", "keyword-dots/ilo-tamarack", "keyword-dots/rell-amadine")
    Image.new("RGB", (300, 300), (200, 30, 30)).save(folder / "out" / name)
    with (folder / "out" / "rell-amadine.yaml").open("a", encoding="utf-8") as file:
        file.write(f"portrait: {{file: {name}, alt: Rell}}\n")
    return folder / "out" / name


def test_a_picture_that_a_later_job_reads_stays_even_if_forced(tmp_path: Path) -> None:
    portrait = heroes_with_a_picture(tmp_path, "ilo-tamarack-1.png")
    before = portrait.read_bytes()
    path = book(tmp_path, "{sheets: out, to: [png], dpi: 36}")
    result, found = built(path, BuildOptions(force=True))
    assert ids(found) == ["SG402"]
    assert portrait.read_bytes() == before
    assert "rell-amadine-1.png" in result.outputs.written


def test_a_cover_of_a_combined_file_stays_even_if_forced(tmp_path: Path) -> None:
    heroes(tmp_path / "heroes", "keyword-dots/ilo-tamarack")
    (tmp_path / "out").mkdir()
    cover = tmp_path / "out" / "ilo-tamarack-1.png"
    Image.new("RGB", (300, 300), (200, 30, 30)).save(cover)
    before = cover.read_bytes()
    more = "cover: {file: out/ilo-tamarack-1.png, alt: Red}\n"
    path = book(tmp_path, "{sheets: heroes, to: [png], dpi: 36}", more=more)
    assert ids(built(path, BuildOptions(force=True))[1]) == ["SG402"]
    assert cover.read_bytes() == before


def test_a_forced_build_with_errors_replaces_no_strangers_file(tmp_path: Path) -> None:
    portrait = heroes_with_a_picture(tmp_path, "ilo-tamarack-1.png")
    before = portrait.read_bytes()
    hero = tmp_path / "out" / "rell-amadine.yaml"
    hero.write_text("name: [\n" + hero.read_text("utf-8"), "utf-8")
    path = book(tmp_path, "{sheets: out, to: [png], dpi: 36}")
    _, found = built(path, BuildOptions(force=True))
    assert "SG702" in ids(found)
    assert portrait.read_bytes() == before


def test_a_forced_build_combines_changed_parts_in_order(tmp_path: Path) -> None:
    heroes(tmp_path / "heroes", "keyword-dots/ilo-tamarack", "keyword-dots/rell-amadine")
    path = book(tmp_path, "{id: all, sheets: heroes}", more="combined: [{name: both, of: [all]}]\n")
    built(path)
    both, first = tmp_path / "out" / "both.pdf", tmp_path / "out" / "ilo-tamarack.pdf"
    before, ours = both.read_bytes(), first.read_bytes()
    first.write_bytes(ours + b"changed")
    result, found = built(path, BuildOptions(force=True))
    assert not found
    assert "ilo-tamarack.pdf" in result.outputs.written
    assert (both.read_bytes(), first.read_bytes()) == (before, ours)


def test_our_own_unchanged_files_are_replaced_without_any_record(one: Path) -> None:
    out = one.parent / "out"
    shutil.rmtree(out / workers.FOLDER)
    hero = one.parent / "heroes" / "ilo-tamarack.yaml"
    hero.write_text(hero.read_text("utf-8").replace("name: ", "name: Old "), "utf-8")
    result, found = built(one)
    assert not found
    assert result.outputs.written == ["ilo-tamarack.html"]


def test_rows_that_come_back_are_not_taken_for_changed_files(tmp_path: Path) -> None:
    """X(r1), Z(r2); then X(r2); then X(r1): the first record of X is older than its file."""
    heroes(tmp_path, "keyword-dots/ilo-tamarack")
    template = (tmp_path / "ilo-tamarack.yaml").read_text("utf-8")
    first = next(line for line in template.splitlines() if line.startswith("name:"))
    text = template.replace(first, "name: $name\nplayer: $player")
    (tmp_path / "template.yaml").write_text(text, "utf-8")
    path = book(tmp_path, f"{{sheets: rows.csv, template: template.yaml, {QUICK}}}")
    for rows in ("X,r1\nZ,r2\n", "X,r2\n", "X,r1\n"):
        (tmp_path / "rows.csv").write_text(f"name,player\n{rows}", "utf-8")
        result, found = built(path)
        assert not found
        assert rows.splitlines()[0][2:].encode() in (tmp_path / "out" / "x.html").read_bytes()
    assert not result.failed
    (tmp_path / "rows.csv").write_text("name,player\nY,r3\n", "utf-8")
    said = run("build", path, "--clean")
    assert (said.status, said.err.count("removed "), said.err.count("SG702")) == (0, 2, 0)


def test_a_dry_run_announces_every_removal(one: Path) -> None:
    out = one.parent / "out"
    heroes(one.parent / "heroes", "keyword-dots/quill-hesk")
    built(one)
    (one.parent / "heroes" / "quill-hesk.yaml").unlink()
    path = out / "quill-hesk.html"
    lines = [
        line for line in preview_build(plan_book(one), cleaned=True) if line.startswith("to remove")
    ]
    assert lines == [f"to remove: {path}"]
    assert not [line for line in preview_build(plan_book(one)) if line.startswith("to remove")]
    said = run("build", one, "--dry-run", "--clean")
    assert f"to remove: {path}" in said.out
    assert path.exists()
    assert f"removed {path}" in run("build", one, "--clean").err
    assert not path.exists()


def test_a_dry_run_names_a_combined_file_that_was_changed(tmp_path: Path) -> None:
    heroes(tmp_path / "heroes", "keyword-dots/ilo-tamarack")
    path = book(tmp_path, "{sheets: heroes, id: all}")
    path.write_text(path.read_text("utf-8") + "combined: [{name: whole, of: [all]}]\n", "utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "whole.pdf").write_bytes(VICTIM)
    assert [str(line).partition(":")[0] for line in preview_build(plan_book(path))] == [
        "to write",
        "changed since it was written, left alone",
    ]


def test_names_that_some_file_system_takes_for_one_clash(tmp_path: Path) -> None:
    heroes(tmp_path / "heroes", "keyword-dots/ilo-tamarack")
    entries = [f"{{sheets: heroes, name: {name}, {QUICK}}}" for name in ("A", "a", "É", "é")]
    _, found = built(book(tmp_path, *entries))
    assert ids(found) == ["SG403", "SG403"]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("CON", "CON_"),
        ("nul/aux", "nul_/aux_"),
        ("com1.x", "com1_.x"),
        ("'con .x'", "con_ .x"),
        ("'a:b*?'", "a-b--"),
        ("'ends. '", "ends"),
        ("'LPT²'", "LPT²_"),
        ("console", "console"),
    ],
)
def test_names_are_safe_on_windows(tmp_path: Path, name: str, written: str) -> None:
    heroes(tmp_path / "heroes", "keyword-dots/ilo-tamarack")
    result, found = built(book(tmp_path, f"{{sheets: heroes, name: {name}, {QUICK}}}"))
    assert not found
    assert result.outputs.written == [f"{written}.html"]


@pytest.mark.parametrize("link", [".vscode", ".vscode/settings.json"])
def test_schemas_are_installed_only_inside_the_folder(tmp_path: Path, link: str) -> None:
    home, game = tmp_path / "home", tmp_path / "game"
    home.mkdir()
    (home / "settings.json").write_text("{}", "utf-8")
    heroes(game, "keyword-dots/ilo-tamarack")
    (game / link).parent.mkdir(exist_ok=True)
    (game / link).symlink_to(home / "settings.json" if "/" in link else home)
    before = tree(home)
    said = run("schema", game, "--install")
    assert (said.status, "error[SG401]" in said.err) == (1, True)
    assert tree(home) == before


INNER = {
    "an output": ("ilo-tamarack.html", "ilo-tamarack.html"),
    "nothing yet": ("ilo-tamarack.html", "new.html"),
    "a folder as an output": ("ilo-tamarack.html", "."),
    "a folder of outputs": ("sub", "."),
    "a combined file": ("both.pdf", "both.pdf"),
    "the records": (".sheetgen", "."),
    "the drafts": (".sheetgen/drafts", "."),
    "a record": ("record", "record.json"),
}


@pytest.mark.parametrize(("name", "target"), INNER.values(), ids=INNER)
def test_links_among_the_outputs_lead_nothing_out(tmp_path: Path, name: str, target: str) -> None:
    path = stranger(tmp_path, "out")
    more = f"  - {{sheets: heroes, name: 'sub/{{stem}}', {QUICK}}}\n  - {{id: b, sheets: heroes}}\n"
    text = path.read_text("utf-8") + more + "combined: [{name: both, of: [b]}]\n"
    path.write_text(text, "utf-8")
    home, out = tmp_path / "home", path.parent / "out"
    for other in ("both.pdf", "record.json"):
        (home / other).write_bytes(VICTIM)
    place = record_path(path) if name == "record" else out / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(home / target)
    before = tree(home)
    for options in HOW:
        run("build", path, *options)
        assert tree(home) == before, options


def test_the_usual_folder_of_a_folder_without_a_book_is_no_link(tmp_path: Path) -> None:
    heroes(tmp_path / "game", "keyword-dots/ilo-tamarack")
    (tmp_path / "home").mkdir()
    (tmp_path / "game" / "book-output").symlink_to(tmp_path / "home")
    said = run("build", tmp_path / "game", "--force")
    assert (said.status, said.err.count("error[SG401]")) == (1, 1)
    assert not list((tmp_path / "home").iterdir())
