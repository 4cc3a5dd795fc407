"""The small games of `sheetgen new ruleset --like`: each is written, checked and printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import fastjsonschema
import pytest

from sheetgen.cli.new import scaffold_files
from sheetgen.load.designs.designs import load_design
from sheetgen.load.rulesets.content import SHAPES
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.plan.contexts import build_blank_context, build_short_sheet
from sheetgen.plugins.editor.schemas import file_schema
from sheetgen.rules.formulas.notation import blank_how
from tests.cli.commands import run
from tests.printing import character_at
from tests.shelf import ruleset

TITLES = ['My "D": Game #1', "d20 game of d20-game", "it's {braces} %", "123", "Лампа"]


@pytest.fixture(autouse=True)
def _there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.many
@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_is_written_checked_and_printed(shape: str) -> None:
    said = run("new", "ruleset", "My Game", "--like", shape, "--out", "made")
    assert said.status == 0, said.err
    rules = ruleset(shape)
    kinds = [f"made/{kind.folder}" for kind in rules.kinds.values()]
    said = run("check", "made", "made/characters", *kinds)
    assert "made: clean" in said.out
    assert (said.out.count("error["), said.out.count("warning[")) == (0, 0), said.out
    assert run("new", "character", "./made", "Bo").status == 0
    assert run("check", "bo.yaml").out == "bo.yaml: clean\n"
    assert "%" in run("odds", "./made").out or "per cent" in run("odds", "./made").out
    for command in (
        ("tables", "./made", "--to", "md"),
        *(("cards", "./made", "--kind", kind) for kind in [*rules.card_sets, *rules.kinds]),
    ):
        said = run(*command)
        assert said.status == 0, said.err
        assert "output/my-game" in said.out or "output/made" in said.out


@pytest.mark.many
@pytest.mark.parametrize("shape", SHAPES)
def test_the_first_character_of_a_shape_prints(shape: str) -> None:
    run("new", "ruleset", "My Game", "--like", shape, "--out", "made")
    said = run("sheet", "made/characters")
    assert (said.status, said.out) == (0, "output/ada-quill.pdf\n"), said.err


@pytest.mark.many
@pytest.mark.parametrize("title", TITLES)
def test_a_shape_has_the_title_and_id_that_the_user_gave(title: str) -> None:
    for shape in SHAPES:
        for path, text in scaffold_files(title, shape).items():
            Path(shape, path).parent.mkdir(parents=True, exist_ok=True)
            Path(shape, path).write_text(text, encoding="utf-8")
            own = text.replace(title, "").replace("d20-game-of-d20-game", "")
            assert f"{shape} game" not in own, path
            assert f"{shape}-game" not in own, path
    said = run("check", *SHAPES)
    assert said.out == "".join(f"{shape}: clean\n" for shape in SHAPES)


def test_a_wrong_shape_is_answered_with_the_shapes() -> None:
    said = run("new", "ruleset", "My Game", "--like", "fate")
    assert said.status == 2
    assert all(shape in said.err for shape in SHAPES)
    for other in (("--design",), ("--extends", "d6-pips")):
        said = run("new", "ruleset", "My Game", "--like", "d20", *other)
        assert said.status == 2
        assert "leave out --like" in said.err
    assert not Path("my-game").exists()


@pytest.mark.parametrize(
    ("stats", "finding"),
    [
        ("{Bold: -1, Calm: −1, Kind: +1}", ""),
        ("{Bold: -2}", "Bold is −2, below the −1 that the rules grant"),
    ],
)
def test_a_rating_with_a_sign_may_be_below_zero(stats: str, finding: str) -> None:
    run("new", "ruleset", "My Game", "--like", "bands", "--out", "made")
    Path("bo.yaml").write_text(f"ruleset: ./made\nname: Bo\nstats: {stats}\n", encoding="utf-8")
    said = run("check", "bo.yaml")
    assert finding in said.out
    assert said.status == (1 if finding else 0), said.out


@pytest.mark.parametrize(("theme", "bands"), [("standard", [6]), ("large-print", [3, 3])])
def test_the_headline_of_a_game_of_bands_is_near_the_top(theme: str, bands: list[int]) -> None:
    """Few values stand beside the plates of stats, marks come before moves, no row is needless."""
    run("new", "ruleset", "My Game", "--like", "bands", "--out", "made")
    bell, coin = (f"{name}: {{name: {name}, text: Do it, once: true}}" for name in ("bell", "coin"))
    more = f"\n  rites: {{one: rite, entries: {{{bell}, {coin}}}}}"
    more += "\nderived: {armour: {label: Armour, value: 1, use: less harm}}\ngiven:"
    text = Path("made/ruleset.yaml").read_text(encoding="utf-8")
    text = text.replace("\ngiven:", more)
    text = text.replace("  hurt: {kind", "  rites: {kind: choices, label: Rites}\n  hurt: {kind")
    Path("made/ruleset.yaml").write_text(text, encoding="utf-8")
    loaded = load_ruleset(Path("made").resolve(), complete=True)
    assert loaded.value is not None, loaded.findings
    design = load_design("plain", theme, "a4").value
    assert design is not None
    front, *others = build_blank_context(loaded.value, design.facts, (theme, "a4"))["flow"]
    plates = [len(band["columns"]) for band in front["bands"] if band["kind"] == "stats"]
    assert plates == bands
    blocks = [b for band in front["bands"] for column in band["columns"] for b in column]
    assert "Harm" in [block.get("title") for block in blocks]
    every = [b for page in (front, *others) for band in page["bands"] for b in blocks_of(band)]
    (rites,) = [block for block in every if block.get("title") == "Rites"]
    assert len(rites["rows"]) == 2


@pytest.mark.parametrize(
    ("id_", "shown"),
    [
        ("load", "gear weight"),
        ("pb", "proficiency (Level)"),
        ("spell_dc", "8 + proficiency (Level) + Charisma Bonus"),
    ],
)
def test_blanks_and_filled_sheets_call_lookups_and_sums_alike(id_: str, shown: str) -> None:
    rules = ruleset("d20")
    assert blank_how(rules, rules.derived[id_]) == shown


def blocks_of(band: dict[str, Any]) -> list[Any]:
    return [b for column in band["columns"] for b in column] + [band["block"] or {}]


@pytest.mark.parametrize(
    ("shape", "old", "new", "rated"),
    [
        ("bands", "strange: {name: Strange}", "strange: {name: Strange, internal: true}", ""),
        ("bands", "stated: true", "stated: true", "Bold +2, Calm +0, Kind +1, Keen +1, Strange −1"),
        ("steps", "Stealth, under: agility", "Stealth, under: agility, base: 1", "Stealth d4"),
    ],
)
def test_ratings_that_mean_something_are_shown(shape: str, old: str, new: str, rated: str) -> None:
    run("new", "ruleset", "My Game", "--like", shape, "--out", "made")
    rules = Path("made/ruleset.yaml")
    text = rules.read_text(encoding="utf-8")
    assert old in text
    rules.write_text(text.replace(old, new), encoding="utf-8")
    one = character_at(Path("made/characters/ada-quill.yaml").resolve())
    assert one.build is not None
    assert one.rules is not None
    short = build_short_sheet(one.build, one.rules)["groups"]
    shown = ", ".join(f"{row['name']} {row['total']}" for part in short for row in part["rows"])
    said = run("show", one.path).out
    assert ("Strange" in said) is (shape == "bands" and bool(rated))
    for rating in filter(None, rated.split(", ")):
        assert rating in shown
        assert re.search(re.escape(rating).replace(r"\ ", " +"), said)


def test_the_schema_takes_a_rating_below_zero_where_ratings_have_a_sign() -> None:
    validate = fastjsonschema.compile(file_schema(ruleset("bands"), "character"))
    for stat in (-1, "−1", "+1", 2):
        validate({"ruleset": "x", "name": "Bo", "stats": {"Bold": stat}})
    validate = fastjsonschema.compile(file_schema(ruleset("pool"), "character"))
    with pytest.raises(fastjsonschema.JsonSchemaException):
        validate({"ruleset": "x", "name": "Bo", "attributes": {"Strength": -1}})
