"""Where prints go: one of another character, or on other paper, is not replaced in silence."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from sheetgen.load.rulesets.content import rulesets_folder
from tests.cli.commands import run
from tests.printing import CHARACTERS as HEROES

ONE = rulesets_folder().parent / "characters" / "hyperspace-d6" / "rivet.yaml"


GANG = "ruleset: d6-pips\nkind: npc\nentries:\n"
MEMBER = (
    "- {{name: {name}, attributes: {{DEX: 2D, KNO: 2D, MEC: 2D, PER: 3D, STR: 2D, TEC: 3D}}}}\n"
)


def gang(*names: str) -> str:
    return GANG + "".join(MEMBER.format(name=name) for name in names)


def hero(name: str) -> str:
    return ONE.read_text("utf-8").replace("name: Rivet", f"name: {name}", 1)


def fight(name: str) -> str:
    return f"ruleset: hyperspace-d6\nencounter: {name}\ncombatants: [{{npc: Stormtrooper}}]\n"


FIRST_AND_OTHER = {
    "sheet": (hero("Ada"), hero("Bo"), hero("Ada") + "\nnotes: new\n"),
    "cards": (
        gang("Hask", "Vin", "Oro"),
        gang("Hask", "Tal", "Wu"),  # one name of three is no more than chance
        gang("Hask", "Vin", "Orro", "Tal"),
    ),
    "cards of one": (gang("Hask"), gang("Vin"), gang("Hask", "Vin", "Oro", "Tal")),
    "pieces": (gang("Hask", "Vin"), gang("Oro", "Tal"), gang("Vin", "Hask")),
    "encounter": (fight("Dock"), fight("Bridge"), fight("Dock") + "notes: at night\n"),
    "export": (hero("Ada"), hero("Bo"), hero("Ada") + "\nnotes: new\n"),
}
"""What a file holds, what another file of its name holds, and what the first holds when edited."""

PRINTS = [
    *((kind, "pdf") for kind in ("sheet", "cards", "pieces", "encounter")),
    *((kind, "html") for kind in ("sheet", "cards", "cards of one", "encounter")),
    *(("cards", format_) for format_ in ("png", "jpeg", "webp", "tts", "cgs")),
    *(("export", format_) for format_ in ("json", "markdown", "csv", "xlsx")),
]


@pytest.mark.many
@pytest.mark.parametrize(("what", "format_"), PRINTS)
def test_another_print_is_not_replaced(what: str, format_: str, tmp_path: Path) -> None:
    first, other, edited = FIRST_AND_OTHER[what]
    files = [tmp_path / folder / "one.yaml" for folder in "pq"]
    for file, text in zip(files, (first, other), strict=True):
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8")
    out = tmp_path / "out"
    more = ("--dpi", "36") if format_ in ("png", "jpeg", "webp", "tts", "cgs") else ()
    command = (what.split()[0], "--to", format_, "--out", str(out), *more)
    assert run(*command, files[0]).status == 0
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    done = run(*command, files[1])
    assert done.status == 1
    assert "error[SG402]: this file is not a print of " in done.err
    assert all(path.read_bytes() == content for path, content in before.items())
    assert run(*command, files[0]).status == 0
    files[0].write_text(edited, encoding="utf-8")
    again = run(*command, files[0])
    assert (again.status, "SG402" in again.err) == (0, False)
    assert run(*command, files[1], "--force").status == 0


@pytest.mark.many
@pytest.mark.parametrize(
    ("command", "format_"),
    [
        ("sheet", "pdf"),
        ("sheet", "html"),
        ("cards", "html"),
        ("encounter", "pdf"),
        ("pieces", "pdf"),
    ],
)
def test_a_print_on_other_paper_is_not_replaced(command: str, format_: str, tmp_path: Path) -> None:
    file, out = tmp_path / "one.yaml", tmp_path / "out"
    file.write_text(FIRST_AND_OTHER[command][0], encoding="utf-8")
    args = (command, file, "--to", format_, "--out", out)
    assert run(*args).status == 0
    done = run(*args, "--paper", "letter")
    assert done.status == 1
    assert "on letter paper" in done.err
    assert run(*args, "--paper", "letter", "--force").status == 0
    assert run(*args, "--paper", "letter").status == 0


def test_a_print_of_another_ruleset_or_kind_is_not_replaced(tmp_path: Path) -> None:
    out, file = tmp_path / "out", tmp_path / "one.yaml"
    file.write_text(hero("Ada"), encoding="utf-8")
    assert run("sheet", file, "--to", "html", "--out", out).status == 0
    file.write_text(fight("Ada"), encoding="utf-8")
    done = run("encounter", file, "--to", "html", "--out", out)
    assert "not a print of encounters" in done.err
    other = next(path for path in HEROES if path.parent.name != "hyperspace-d6")
    (tmp_path / "q").mkdir()
    shutil.copy(other, tmp_path / "q" / "one.yaml")
    done = run("sheet", tmp_path / "q" / "one.yaml", "--to", "html", "--out", out)
    assert f"not a print of {other.parent.name}" in done.err


@pytest.mark.parametrize("name", ["ada.pdf", "deep/Ada Q.HTML"])
def test_out_may_name_the_only_file_whose_ending_is_its_format(tmp_path: Path, name: str) -> None:
    done = run("sheet", ONE, "--out", tmp_path / name)
    assert done.status == 0, done.err
    wanted = (tmp_path / name).with_suffix(Path(name).suffix.lower())
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [wanted]
    assert wanted.read_bytes().startswith(b"%PDF" if wanted.suffix == ".pdf" else b"<!doctype html")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["sheet", ONE, "--out", "y.csv"], "`y.csv` is no file that `sheet` writes"),
        (["sheet", ONE, "--to", "html", "--out", "y.pdf"], "leave out --to, or name a folder"),
        (["odds", "5D vs 14", "--out", "y.pdf"], "files hold the odds that a ruleset lists"),
        (["odds", "3d6", "--out", "y.pdf"], "files hold the odds that a ruleset lists"),
        (["sheet", *HEROES[:2], "--out", "y.pdf"], "there are several to write; name a folder"),
        (["export", ONE, "--to", "json", "--out", "y.json"], "it names a folder"),
    ],
)
def test_out_names_no_file_where_others_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str | Path], says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*args)
    assert done.status == 2
    assert says in done.err
    assert not list(tmp_path.iterdir())
