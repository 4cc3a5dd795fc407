"""No command overwrites a file that somebody changed, or that is not ours."""

from __future__ import annotations

import json
from pathlib import Path

import pypdf
import pytest
from PIL import Image

from sheetgen.model.seals import is_sealed, sealed
from sheetgen.write import free_name, make_folder, name_key, portable_name
from tests.cli.commands import ROOT, run

pytestmark = pytest.mark.many

CONTENT = ROOT / "content"
HERO = CONTENT / "characters" / "keyword-dots" / "ilo-tamarack.yaml"
COMMANDS = {
    "sheet": ["sheet", HERO, "--to", "html"],
    "blank": ["sheet", "--blank", "d6-pips", "--to", "html"],
    "cards": ["cards", "d6-pips", "--kind", "npc", "--name", "Guard", "--to", "html"],
    "encounter": [
        "encounter",
        CONTENT / "encounters" / "wound-points" / "dry-dock.yaml",
        "--to",
        "html",
    ],
    "tables": ["tables", "d6-pips", *(f"--to={kind}" for kind in ("html", "md", "csv", "json"))],
    "screen": ["screen", "d6-pips", "--to", "html"],
    "odds": ["odds", "d6-pips", "--to", "html"],
    "pictures": [
        *("cards", "d6-pips", "--kind", "npc", "--name", "Guard", "--each", "--dpi", "36"),
        *(f"--to={kind}" for kind in ("png", "jpeg", "webp", "tts", "cgs")),
    ],
    "proof": ["proof", "wound-points", "--to", "html"],
}
"""Pages for browsers need no layout; what protects files is the same for all kinds."""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_strangers_file_stays_unless_forced(command: str, tmp_path: Path) -> None:
    arguments = [*COMMANDS[command], "--out", tmp_path]
    names = run(*arguments).out.split()
    assert names
    ours = [Path(name).read_bytes() for name in names]
    assert all(map(is_sealed, ours))
    again = run(*arguments)
    assert again.out.split() == names, "our own file is replaced in silence"
    assert "SG702" not in again.err
    for name, content in zip(names, ours, strict=True):
        Path(name).write_bytes(content[:-9] + b"x" + content[-9:])
    left = run(*arguments)
    assert left.status == 1
    assert left.out == ""
    assert left.err.count("error[SG702]") == len(names)
    assert all(name in left.err for name in names)
    assert all(
        Path(name).read_bytes() != content for name, content in zip(names, ours, strict=True)
    )
    assert run(*arguments, "--force").out.split() == names
    assert [Path(name).read_bytes() for name in names] == ours


@pytest.mark.parametrize("command", COMMANDS)
def test_pages_do_not_go_to_stdout(command: str) -> None:
    done = run(*COMMANDS[command], "--out", "-")
    assert (done.status, done.out) == (2, "")
    assert "only md, csv and json go to stdout; other formats need a folder" in done.err


def test_a_sheet_that_a_player_typed_into_stays(tmp_path: Path) -> None:
    run("sheet", HERO, "--out", tmp_path)
    sheet = tmp_path / "ilo-tamarack.pdf"
    assert is_sealed(sheet.read_bytes())
    for incremental in (True, False):
        writer = pypdf.PdfWriter(sheet, incremental=incremental)
        writer.update_page_form_field_values(
            writer.pages[0], {"player": "Zoe"}, auto_regenerate=False
        )
        writer.write(sheet)
        typed = sheet.read_bytes()
        said = run("sheet", HERO, "--out", tmp_path)
        assert said.status == 1
        assert "ilo-tamarack.pdf:1:1: error[SG702]" in said.err
        assert sheet.read_bytes() == typed
        assert run("sheet", HERO, "--out", tmp_path, "--force").status == 0
        assert is_sealed(sheet.read_bytes())


@pytest.mark.slow
def test_a_folder_to_read_into_does_not_lead_out_of_itself(tmp_path: Path) -> None:
    (tmp_path / "away").mkdir()
    (tmp_path / "heroes").mkdir()
    hero = tmp_path / "away" / "hero.yaml"
    hero.write_bytes(HERO.read_bytes())
    (tmp_path / "heroes" / "hero.yaml").symlink_to(hero)
    run("sheet", hero, "--out", tmp_path)
    writer = pypdf.PdfWriter(tmp_path / "hero.pdf")
    writer.update_page_form_field_values(writer.pages[0], {"player": "Zoe"}, auto_regenerate=False)
    writer.write(tmp_path / "filled.pdf")
    said = run("read", tmp_path / "filled.pdf", "--into", tmp_path / "heroes")
    assert said.status == 1
    assert "a link leads out of the folder here" in said.err
    assert hero.read_bytes() == HERO.read_bytes()
    assert run("read", tmp_path / "filled.pdf", "--into", tmp_path / "away").status == 0
    assert b"Zoe" in hero.read_bytes()


def test_a_link_and_a_folder_stay(tmp_path: Path) -> None:
    run("sheet", HERO, "--to", "html", "--out", tmp_path)
    sheet, other = tmp_path / "ilo-tamarack.html", tmp_path / "other.html"
    sheet.rename(other)
    sheet.symlink_to(other)
    assert "SG702" in run("sheet", HERO, "--to", "html", "--out", tmp_path).err
    assert sheet.is_symlink()
    sheet.unlink()
    sheet.mkdir()
    assert "SG401" in run("sheet", HERO, "--to", "html", "--out", tmp_path, "--force").err


def test_a_picture_that_was_read_stays_even_if_forced(tmp_path: Path) -> None:
    hero, portrait = tmp_path / "ilo.yaml", tmp_path / "ilo-1.png"
    hero.write_text(HERO.read_text("utf-8") + "portrait: {file: ilo-1.png, alt: Ilo}\n", "utf-8")
    Image.new("RGB", (300, 300), (200, 30, 30)).save(portrait)
    before = portrait.read_bytes()
    said = run("sheet", hero, "--to", "png", "--dpi", "36", "--out", tmp_path, "--force")
    assert (said.status, said.err.count("error[SG402]")) == (1, 1)
    assert portrait.read_bytes() == before
    assert (tmp_path / "ilo-2.png").exists()


def test_a_picture_that_is_read_later_stays_even_if_forced(tmp_path: Path) -> None:
    first, second, portrait = (tmp_path / name for name in ("a.yaml", "b.yaml", "a-1.png"))
    first.write_bytes(HERO.read_bytes())
    second.write_text(HERO.read_text("utf-8") + "portrait: {file: a-1.png, alt: Ilo}\n", "utf-8")
    Image.new("RGB", (300, 300), (200, 30, 30)).save(portrait)
    before = portrait.read_bytes()
    command = ("sheet", first, second, "--to", "png", "--dpi", "36", "--out", tmp_path, "--force")
    said = run(*command)
    assert (said.status, said.err.count("error[SG402]")) == (1, 1)
    assert (tmp_path / "b-1.png").exists()
    second.write_text("name: [\n" + second.read_text("utf-8"), "utf-8")
    assert "error[SG702]" in run(*command).err
    assert portrait.read_bytes() == before


def test_a_link_in_the_output_folder_leads_no_file_out(tmp_path: Path) -> None:
    away, out = tmp_path / "away", tmp_path / "out"
    away.mkdir()
    export = ["export", HERO, "--to", "obsidian", "--out", out]
    assert run(*export).status == 0
    (folder,) = {path.parent for path in out.glob("*/Credits.md")}
    folder.rename(tmp_path / "old")
    folder.symlink_to(away)
    for more in ([], ["--force"]):
        said = run(*export, *more)
        assert (said.status, "error[SG401]" in said.err) == (1, True)
        assert not list(away.iterdir())


def test_a_seal_is_broken_by_any_change() -> None:
    for name, content in {
        "a.html": b"<!doctype html><html>text</html>\n",
        "a.md": b"# Title\n",
        "a.json": json.dumps({"_seal": f"sheetgen-seal:{'0' * 32}"}).encode(),
        "a.pdf": b"%PDF-1.7\nbody\n/ID[<00><" + b"0" * 32 + b">]\n%%EOF\n",
        "b.pdf": b"%PDF-1.7\n/ID [(a \\) title) (" + b"f" * 32 + b")] /ID\n%%EOF\n",
    }.items():
        whole = sealed(name, content)
        assert is_sealed(whole)
        assert sealed(name, content) == whole
        for at in range(len(whole)):
            changed = bytearray(whole)
            changed[at] ^= 1
            assert not is_sealed(bytes(changed)), (name, at)
        assert not is_sealed(whole + b"\n1 0 obj")
        assert not is_sealed(content)
    assert not is_sealed(b"")


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/x", "a/../../b", "..", ".", "...", "~/x", "a\\..\\b"]
)
def test_a_portable_name_stays_in_its_folder(name: str, tmp_path: Path) -> None:
    found = (tmp_path / portable_name(name)).resolve()
    assert found.is_relative_to(tmp_path.resolve())


def test_a_portable_name_keeps_its_extension_and_fits() -> None:
    for stem in ("x" * 300, "字" * 100, "Ж" * 150, "a." * 150):
        for end in (".yaml", ".html", ".pdf"):
            name = portable_name(f"folder/{stem}{end}")
            assert name.endswith(end)
            assert len(name.encode()) <= len("folder/") + 200
    assert portable_name("\ud800.pdf") == "-.pdf"


@pytest.mark.parametrize("stem", ["ada", "ADA", "ａda", "ﬃ", "字" * 100, "Ж" * 99, "x" * 300])
def test_a_free_name_is_never_one_that_is_taken(stem: str) -> None:
    assert free_name(stem, (), ".yaml") == f"{stem}.yaml"
    taken: set[str] = set()
    for _ in range(3):
        name = portable_name(free_name(stem, taken, ".yaml"))
        assert name_key(name) not in taken
        taken.add(name_key(name))


def test_a_new_file_goes_into_a_folder_that_is_named(tmp_path: Path) -> None:
    first = run("new", "character", "keyword-dots", "Ada Quill", "--out", tmp_path)
    assert (first.status, first.out) == (0, f"{tmp_path / 'ada-quill.yaml'}\n")
    again = run("new", "character", "keyword-dots", "Ada Quill", "--out", tmp_path)
    assert (again.status, "ada-quill.yaml:1:1: error[SG402]" in again.err) == (1, True)


def test_a_folder_that_is_too_deep_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="too long"):
        make_folder(tmp_path / ("a/" * 1900))
    assert not list(tmp_path.iterdir())
