"""`sheetgen odds` as a user meets it: answers, whose dice they are, mistakes, JSON, pages."""

from __future__ import annotations

import json
import re
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from sheetgen.rules.formulas.evaluate import decimal, exact_percent
from tests.cli.commands import run
from tests.shelf import TESTS

HERE = Path(__file__).parent
OMENS = HERE / "omens"
GOLDENS = {
    "target": ("4D+2 vs 15",),
    "cover": ("5D vs 14 cover 5 actions 2",),
    "opposed": ("4D+2 vs 3D+1 opposed",),
    "ruleset": ("5D vs moderate", "--ruleset", "hyperspace-d6", "--behind", "cover"),
    "spread": ("2D vs 8", "--wild", "complication", "--table"),
    "symbols": ("2 white 1 black", "--ruleset", str(OMENS), "--table"),
    "subtract": ("20D vs 70", "--wild", "subtract"),
    "data": ("2D vs 8", "--wild", "subtract", "--format", "json"),
    "grids": ("hyperspace-d6",),
    "misspelt": ("3 whit vs 1 black", "--ruleset", str(OMENS)),
    "stray": ("5D vs 14 covr 5",),
}


@pytest.mark.parametrize("name", GOLDENS)
def test_it_says_what_it_said(name: str, accept: bool) -> None:
    said = run("odds", *GOLDENS[name])
    text = f"{said.out}{said.err}[{said.status}]\n".replace(str(HERE), "tests/odds")
    golden = HERE / "golden" / f"{name}.txt"
    if accept:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_a_target_by_name_finds_the_ruleset_that_has_it() -> None:
    said = run("odds", "5D vs hard")
    assert (said.status, said.err) == (0, "")
    assert "HyperspaceD6 v1.5, skill check" in said.out
    assert "30.5%   791/2592" in said.out


def test_a_word_that_rulesets_read_differently_asks_for_one() -> None:
    said = run("odds", "5D vs moderate")
    assert (said.status, said.out) == (2, "")
    assert "d6-pips (5D against 11: 86.2%), hyperspace-d6 (5D against 15: 77.9%)" in said.err
    named = run("odds", "5D vs moderate", "--ruleset", "d6-pips")
    assert (named.status, named.err) == (0, "")
    assert "86.2%" in named.out


@pytest.mark.parametrize(
    ("cover", "dice"),
    [("¼ cover", 1), ("½ cover", 2), ("3/4 cover", 4), (", half cover", 2), ("quarter cover", 1)],
)
def test_cover_in_the_words_of_a_ruleset(cover: str, dice: int) -> None:
    said = run("odds", f"5D vs 15 {cover}", "--ruleset", "d6-pips")
    assert said.out.startswith(f"5D against 15 + {dice}D (15, {cover.strip(', ')} +{dice}D)")
    found = run("odds", f"5D vs 15 {cover}")
    assert "found by its words; --ruleset d6-pips" in found.out


def test_cover_that_nobody_rolls_against_and_cover_that_is_unknown() -> None:
    whole = run("odds", "5D vs 15 whole cover", "--ruleset", "wound-points")
    assert (whole.status, "hit the cover first" in whole.err) == (2, True)
    other = run("odds", "5D vs 15 ½ cover", "--ruleset", "hyperspace-d6")
    assert other.status == 2
    assert "unknown word `½`" in other.err
    assert "cover" in other.err.partition("use one of")[2]


def test_an_answer_says_whose_words_it_has_found() -> None:
    said = run("odds", "1A 2P vs Hard, winded")
    assert (said.status, said.err) == (0, "")
    assert "(found by its words; --ruleset narrative-powers)" in said.out


@pytest.mark.parametrize(
    "words",
    [
        ("4D vs",),
        ("nonsense",),
        ("",),
        ("4D+2 vs 15", "--ruleset", "hyperspace-d6"),
        ("4D vs 15", "--roll", "check"),
        ("4D vs 15", "--set", "a=b"),
        ("4D vs 15", "--wild", "other"),
        ("4D vs 15", "--behind", "fog"),
        ("1 white", "--ruleset", str(OMENS), "--wild", "add"),
        ("keyword-dots",),
    ],
    ids=" ".join,
)
def test_status_2_for_a_question_that_cannot_be_read(words: tuple[str, ...]) -> None:
    said = run("odds", *words)
    assert (said.status, said.out) == (2, "")
    assert "rror" in said.err


def test_a_ruleset_that_is_not_there_is_wrong_usage() -> None:
    said = run("odds", "4D", "--ruleset", "hyperspace")
    assert said.status == 2
    assert "did you mean `hyperspace-d6`?" in said.err
    said = run("odds", "4D", "--ruleset", "hyperspace-d6", "--roll", "damge")
    assert said.status == 2
    assert "did you mean `damage`?" in said.err


def test_options_of_the_table_count() -> None:
    words = ("odds", "1D vs 1 actions 2", "--ruleset", "hyperspace-d6")
    assert "no dice are left 0%" in " ".join(run(*words).out.split())
    one = run(*words, "--set", "dice.minimum=one")
    assert "1 or more 100%" in " ".join(one.out.split())


def test_a_ruleset_without_dice_of_its_own_takes_plain_ones() -> None:
    said = run("odds", "d8 + d4 vs 9", "--ruleset", "keyword-dots")
    assert (said.status, said.err) == (0, "")
    assert "9 or more 31.3% 5/16" in " ".join(said.out.split())


def test_data_is_exact_and_says_the_same() -> None:
    data = json.loads(run("odds", "4D+2 vs 15", "--format", "json").out)
    assert data["chances"] == [
        {"id": "success", "label": "15 or more", "exact": "287/432", "percent": 66.4}
    ]
    (numbers,) = data["numbers"]
    assert sum(Fraction(row["exactly"]) for row in numbers["spread"]) == 1
    assert Fraction(numbers["mean"]) == 16


def test_per_cent_never_says_sure_of_what_is_not() -> None:
    assert [exact_percent(Fraction(n, 10**5)) for n in (0, 1, 49, 50, 99_949, 99_950, 99_999)] == [
        *("0%", "<0.1%", "<0.1%", "0.1%", "99.9%", ">99.9%", ">99.9%")
    ]
    assert exact_percent(Fraction(1)) == "100%"
    assert [decimal(Fraction(n, 1000)) for n in (1, 5, -5, 1500, 100_000)] == [
        *("0", "0.01", "−0.01", "1.5", "100")
    ]


BROKEN = [
    ("kind: symbols", "kind: symbol", "there is no kind of roll `symbol`"),
    ("ties: second", "ties: nobody", "there is no winner of ties `nobody`"),
    ("one: subtract", "one: subtracts", "did you mean `subtract`?"),
    ("6: holds", "7: holds", "there is no face of the die `7`"),
    ("table: heights", "table: height", "did you mean `heights`?"),
    ("kind: symbols\n", "kind: symbols\n      adds: {fog: {blak: 1}}\n", "did you mean `black`?"),
    ("kind: symbols\n", "kind: symbols\n      adds: {pale: {}}\n", "`pale` is a die already"),
    ("kind: symbols\n", "kind: symbols\n      upgrades: {white: gold}\n", "no die `gold`"),
    ("number: Number", "number: Figure", "there is no column `Figure`"),
    ("faces: {blank: 2, moon: 1", "faces: {blank: 0, moon: 1", "have to be whole numbers from 1"),
    ("moon moon: 1", "moon mon: 1", "no count adds or takes off `mon`"),
    ("aliases: [B]", "aliases: [W]", "`w` means the dice White die and Black die"),
    ("name: White die", "name: White 6", "name a die with a digit"),
    ("when: luck >= 1}", "when: lucky >= 1}", "nothing is called `lucky`"),
    ("when: luck >= 1}", "when: luck >=}", "is not a formula"),
    ("least: floor", "least: flor", "nothing is called `flor`"),
    ("roll: climb", "roll: clim", "there is no roll `clim`"),
    ("3H+1, 4H", "3H+1, 4X", "unknown word `X`"),
    ("over: [Low, high", "over: [Low, hihg", "did you mean"),
    ("outcome: [good, both]", "outcome: [good, boht]", "there is no outcome `boht`"),
]


@pytest.mark.parametrize(("change", "to", "message"), BROKEN, ids=[b[1] for b in BROKEN])
def test_mistakes_in_a_ruleset_are_findings_at_their_place(
    change: str, to: str, message: str, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(OMENS, folder)
    text = (folder / "odds.yaml").read_text(encoding="utf-8")
    assert change in text
    (folder / "odds.yaml").write_text(text.replace(change, to, 1), encoding="utf-8")
    said = run("odds", folder)
    assert said.status == 1
    assert message in said.err
    assert "odds.yaml:" in said.err


def test_a_grid_that_no_page_holds_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(OMENS, folder)
    path = folder / "odds.yaml"
    rows = ", ".join(f"{n}H" for n in range(1, 20))
    text = path.read_text(encoding="utf-8").replace("2H, 3H+1, 4H", rows)
    path.write_text(text, encoding="utf-8")
    said = run("odds", folder, "--to", "pdf", "--out", tmp_path)
    assert said.status == 1
    assert "1 to 14 rows" in said.err
    assert not list(tmp_path.glob("*.pdf"))


PERCENTILE = """\
odds:
  rolls:
    check: {kind: sum, label: check, faces: 100, letter: d, pips: false, under: true}
    harsh: {kind: sum, label: harsh, faces: 100, letter: d, pips: false, under: true, beat: true}
  grids:
    checks: {label: Checks, rows: [1d], over: ["25", "50", "99"]}
"""


def test_a_total_may_have_to_be_at_or_below_the_target(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    run("new", "ruleset", "Mine", "--out", folder)
    for name in ("screen.yaml", "cards.yaml"):  # they name other grids
        (folder / name).unlink()
    (folder / "odds.yaml").write_text(PERCENTILE)
    assert run("check", folder).status == 0
    said = run("odds", "1d vs 65", "--ruleset", folder, "--table").out
    assert "65 or less   65.0%" in said
    assert "exactly  or less" in said
    harsh = run("odds", "1d vs 65", "--ruleset", folder, "--roll", "harsh").out
    assert "less than 65   64.0%" in harsh
    opposed = run("odds", "1d vs 2d", "--ruleset", folder, "--roll", "harsh").out
    assert float(re.search(r"the first wins +([\d.]+)%", opposed)[1]) > 80  # type: ignore[index]
    assert "1d   25   50   99" in run("odds", folder).out


def test_a_pool_that_counts_successes_needs_nothing_to_be_rolled_against(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    run("new", "ruleset", "Mine", "--out", folder)
    for name in ("screen.yaml", "cards.yaml"):
        (folder / name).unlink()
    manual = (TESTS.parent / "docs/reference/odds.md").read_text(encoding="utf-8")
    before, _, _ = manual.partition("Hands of cards")
    (folder / "odds.yaml").write_text(before.rpartition("```yaml\n")[2].rpartition("```")[0])
    assert run("check", folder).out.endswith(": clean\n")
    assert "2T a success         64" in run("odds", folder).out
