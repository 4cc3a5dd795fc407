"""Rows that a player adds to a ledger: sessions with what was bought, notes, earned money."""

from __future__ import annotations

import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from sheetgen.load.yaml.tree import parse_yaml
from tests.cli.commands import run
from tests.readback.sheets import by_pikepdf

pytestmark = pytest.mark.many

Row = tuple[str, ...]


@cache
def fresh(game: str) -> tuple[str, bytes]:
    """Return the file that `new` writes for a game, and its sheet."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hero.yaml"
        assert run("new", "character", game, "Hero", "--out", path).status == 0
        return path.read_text(), printed(path)


def printed(path: Path) -> bytes:
    assert run("sheet", path, "--out", path.parent / "out").status == 0
    return (path.parent / "out" / f"{path.stem}.pdf").read_bytes()


def put(pool: str, first: int, *rows: Row) -> dict[str, str]:
    """Return rows of session, gained, what and cost as fields; an empty cell is not typed."""
    columns = ("session", "gained", "what", "cost")
    return {
        f"{pool}.ledger.{number}.{column}": text
        for number, row in enumerate(rows, first)
        for column, text in zip(columns, row, strict=True)
        if text
    }


def read(path: Path, sheet: bytes, values: dict[str, str]) -> str:
    """Return what `read` says; a second reading changes nothing."""
    filled = path.with_suffix(".filled.pdf")
    filled.write_bytes(by_pikepdf(sheet, values))
    said = run("read", filled, "--into", path)
    assert "nothing to change" in run("read", filled, "--into", path).out
    return said.out + said.err


def line_of(path: Path, key: str) -> str:
    text = path.read_text()
    assert parse_yaml(text, str(path)).value is not None
    found = (line for line in text.splitlines() if line.startswith(f"{key}:"))
    return next(found, "").partition("  #")[0].strip()


FIRST = {
    "hyperspace-d6: one row": (
        "hyperspace-d6", put("cp", 2, ("Session 1", "4", "Agility 0D to 1D", "3")),
        {"skills.agility.own": "1D"},
        ["points: 4", "sessions: [{session: 1, gained: 4}]", "advances: {1: [Agility]}"],
    ),
    "hyperspace-d6: a row each": (
        "hyperspace-d6",
        put("cp", 2, ("1", "8", "", ""), ("1", "", "Agility 0D to 1D", "3"),
            ("", "", "Melee 0D to 1D", "3")),
        {"skills.agility.own": "1D", "skills.melee.own": "1D"},
        ["sessions: [{session: 1, gained: 8}]", "advances: {1: [Agility, Melee]}"],
    ),
    "hyperspace-d6: two sessions": (
        "hyperspace-d6",
        put("cp", 2, ("Session 1", "4", "Agility 0D to 1D", "3"),
            ("Session 2", "9", "Agility 1D to 2D", "6"), ("Session 2", "", "Swim 0D to 1D", "3")),
        {"skills.agility.own": "2D", "skills.swim.own": "1D"},
        ["sessions: [{session: 1, gained: 4}, {session: 2, gained: 9}]",
         "advances: {1: [Agility], 2: [Agility, Swim]}"],
    ),
    "d6-pips": (
        "d6-pips", put("cp", 2, ("Session 1", "4", "Dodge 1D to 1D+1", "4")),
        {"skills.dodge.own": "+1D+1"},
        ["points: 4", "sessions: [{session: 1, gained: 4}]", "advances: {1: [Dodge]}"],
    ),
    "d6-pips: whole code": (
        "d6-pips", put("cp", 2, ("Session 1", "4", "Dodge 4D+1 to 4D+2", "4")),
        {"skills.dodge.own": "+1D+1"},
        ["points: 4", "sessions: [{session: 1, gained: 4}]", "advances: {1: [Dodge]}"],
    ),
    "wound-points": (
        "wound-points", put("cp", 2, ("Session 1", "4", "Dodge 1D to 1D+1", "4")),
        {"skills.dodge.own": "+1D+1"},
        ["sessions: [{session: 1, gained: 4}]", "advances: {1: [Dodge]}"],
    ),
    "second-edition-update": (
        "second-edition-update", put("cp", 2, ("The vault", "4", "Dodge 1D to 1D+1", "4")),
        {"skills.dodge.own": "+1D+1"},
        ["sessions: [{session: The vault, gained: 4}]", "advances: {The vault: [Dodge]}"],
    ),
    "keyword-dots: gained before": (
        "keyword-dots", put("xp", 6, ("Session 1", "5", "Jump 3", "3")),
        {"force_powers.jump.3": "On"},
        ["xp: 25", "sessions: [{session: Earlier, gained: 20}, {session: 1, gained: 5}]"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FIRST)
def test_the_first_session_of_a_fresh_file(case: str, tmp_path: Path) -> None:
    game, rows, values, expected = FIRST[case]
    text, sheet = fresh(game)
    path = tmp_path / "hero.yaml"
    path.write_text(text)
    said = read(path, sheet, rows | values)
    assert "SG8" not in said
    assert "to the notes" not in said
    assert [line_of(path, line.partition(":")[0]) for line in expected] == expected
    assert not line_of(path, "notes")
    again = printed(path)
    rows = {n: t.removeprefix("Session ") for n, t in rows.items() if n.endswith("session")}
    text = run("show", path).out
    assert all(session in text for session in rows.values())
    second = put("xp" if game == "keyword-dots" else "cp", 9, ("Session 3", "2", "", ""))
    said = read(path, again, second)
    assert "SG8" not in said
    assert "{session: 3, gained: 2}" in line_of(path, "sessions")


def test_a_wrong_price_is_noted(tmp_path: Path) -> None:
    text, sheet = fresh("d6-pips")
    path = tmp_path / "hero.yaml"
    path.write_text(text)
    rows = put("cp", 2, ("Session 1", "40", "Dodge 1D to 1D+1", "9"))
    said = read(path, sheet, rows | {"skills.dodge.own": "+1D+1"})
    assert "SG808" in said
    assert "cost 9" in line_of(path, "notes")
    assert line_of(path, "advances") == "advances: {1: [Dodge]}"


@pytest.mark.parametrize("game", ["hyperspace-d6", "d6-pips", "wound-points"])
def test_earned_money_is_kept_with_its_reason(game: str, tmp_path: Path) -> None:
    text, sheet = fresh(game)
    path = tmp_path / "hero.yaml"
    path.write_text(text)
    said = read(path, sheet, put("credits", 5, ("", "500", "Reward", "")))
    assert "SG8" not in said
    assert line_of(path, "rewards") == "rewards: [{gained: 500, note: Reward}]"
    shown = run("show", path).out
    assert "Session 1" not in shown
    assert "Reward" in shown
    assert "+500" in shown
    again = printed(path)
    assert "SG8" not in read(path, again, {"credits.ledger.2.what": "Reward of the guild"})
    assert "note: Reward of the guild" in line_of(path, "rewards")
    path.write_text(path.read_text().replace("gained: 500", "gained: many"))
    assert "SG" in run("check", path).out


def test_earned_money_as_one_number(tmp_path: Path) -> None:
    path = tmp_path / "hero.yaml"
    text, _ = fresh("d6-pips")
    path.write_text(f"{text}credits earned: 250\n")
    assert "+250" in run("show", path).out
    sheet = printed(path)
    said = read(path, sheet, put("credits", 6, ("", "100", "Bounty", "")))
    assert "SG8" not in said
    expected = "rewards: [{session: Earlier, gained: 250}, {gained: 100, note: Bounty}]"
    assert line_of(path, "rewards") == expected
    assert line_of(path, "credits earned") == "credits earned: 350"


@pytest.mark.parametrize("key", ["credits earned: 250", "rewards: [{gained: 250}]"])
def test_earned_money_that_a_character_cannot_have_is_a_finding(key: str, tmp_path: Path) -> None:
    path = tmp_path / "hero.yaml"
    shape = "species: {Quickplay: {DEX: +2D, PER: +1D, STR: +1D}}"
    path.write_text(f"ruleset: hyperspace-d6\nname: Hero\n{shape}\n{key}\n")
    message = f"`{key.partition(':')[0]}` is not counted: the character has no Credits"
    assert message in run("check", path).out
    path.write_text(path.read_text() + "credits: 0\n")
    assert message not in run("check", path).out
    assert "Credits: 250 left" in run("show", path).out


@pytest.mark.slow
@pytest.mark.parametrize(("game", "pool"), [("hyperspace-d6", "cp"), ("keyword-dots", "xp")])
def test_notes_of_sessions_are_printed_and_read(game: str, pool: str, tmp_path: Path) -> None:
    text, _ = fresh(game)
    gained = "xp" if game == "keyword-dots" else "points"
    lines = [line for line in text.splitlines() if not line.startswith(f"{gained}:")]
    path = tmp_path / "hero.yaml"
    sessions = (
        "sessions: [{session: 1, gained: 30, note: The storm vault}, {session: 2, gained: 4}]"
    )
    total = ["xp: 34"] if gained == "xp" else []
    path.write_text("\n".join([*lines, *total, sessions, ""]))
    assert "The storm vault" in run("show", path).out
    sheet = printed(path)
    pdf = path.with_suffix(".pdf")
    pdf.write_bytes(sheet)
    words = subprocess.run(["pdftotext", str(pdf), "-"], capture_output=True, text=True, check=True)
    assert "The storm vault" in words.stdout
    row = 1 if game == "keyword-dots" else 2
    said = read(path, sheet, {f"{pool}.ledger.{row}.what": "The vault at sea"})
    assert "SG8" not in said
    assert "{session: 1, gained: 30, note: The vault at sea}" in path.read_text()
    said = read(path, printed(path), {f"{pool}.ledger.{row}.what": ""})
    assert "note" not in line_of(path, "sessions")
    said = read(path, printed(path), {f"{pool}.ledger.{row}.what": "Back again"})
    assert "note: Back again" in line_of(path, "sessions")


def test_a_full_ledger_keeps_a_free_row(tmp_path: Path) -> None:
    text, _ = fresh("hyperspace-d6")
    path = tmp_path / "hero.yaml"
    gear = "gear: [Holdout Blaster, Medpac, Comlink, Syntherope (45m), Glowrod, Breath Mask]"
    lines = [gear if line.startswith("gear:") else line for line in text.splitlines()]
    path.write_text("\n".join([*lines, ""]))
    sheet = printed(path)
    said = read(path, sheet, put("credits", 6, ("", "500", "Reward", "")))
    assert "SG8" not in said
    assert line_of(path, "rewards") == "rewards: [{gained: 500, note: Reward}]"


@pytest.mark.parametrize("before", ["", "Wounded"])
def test_states_that_exclude_each_other_are_reported(before: str, tmp_path: Path) -> None:
    text, _ = fresh("d6-pips")
    path = tmp_path / "hero.yaml"
    path.write_text(f"{text}condition: {before}\n" if before else text)
    filled = tmp_path / "filled.pdf"
    marks = {"condition.wounded": "On", "condition.dead": "On"}
    filled.write_bytes(by_pikepdf(printed(path), marks))
    old = path.read_text()
    said = run("read", filled, "--into", path)
    assert said.status == 1
    assert "2 are marked: Wounded, Dead" in said.err
    assert f"the file keeps {before or 'nothing'}" in said.err
    assert path.read_text() == old
