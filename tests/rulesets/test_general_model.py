"""The general model of ratings and dice holds in any game: here in one of invented words."""

from __future__ import annotations

from pathlib import Path

import pytest

from sheetgen.check.character.builds import check_character
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.rulesets.ruleset import Ruleset
from tests.shelf import OWN

STARS = codes.STARS.id


def variant(folder: Path, changes: list[tuple[str, str]]) -> Ruleset:
    """Return the game with parts of its text replaced."""
    text = (OWN / "lanterns" / "ruleset.yaml").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    (folder / "lanterns").mkdir()
    (folder / "lanterns" / "ruleset.yaml").write_text(text, encoding="utf-8")
    loaded = load_ruleset(folder / "lanterns")
    assert loaded.value is not None, loaded.findings
    return loaded.value


def found(rules: Ruleset, keys: str, code: str) -> list[Finding]:
    parsed = parse_yaml(f"name: Ada\norder: Dawn\noil: 90\n{keys}\n", "case.yaml").value
    assert parsed is not None
    return [f for f in check_character(parsed, rules).findings if f.code.id == code]


@pytest.mark.parametrize(
    ("unit", "steps", "step"),
    [
        ("dots", "dots", "dot"),
        ("ranks", "ranks", "rank"),
        ("dice", "dice", "die"),
        ("rank", "steps", "step"),
    ],
)
def test_a_star_replaces_a_step_of_any_rating(
    tmp_path: Path, unit: str, steps: str, step: str
) -> None:
    rules = variant(tmp_path, [("rating: dots", f"rating: {unit}")])
    code = "2D" if unit == "dice" else "2"
    keys = f"gifts: [Glint x3]\nwicks: {{Glow: {{rating: {code}, stars: 3}}, Hush: {code}}}"
    said = found(rules, keys, STARS)
    finding = next(f for f in said if "more stars" in f.message)
    assert finding.message == f"Glow has more stars (3) than {steps} (2)"
    assert finding.hint == f"remove stars: each replaces a {step}"


@pytest.mark.parametrize(
    ("history", "message"),
    [
        ("buy d2, sold d2", "dice cannot be sold"),
        ("buy d2, d2 -> d4, d4 -> d2", "d4 does not become d2"),
        ("buy d4", "a new die is a d2, not a d4"),
    ],
)
def test_dice_are_only_bought_and_improved(tmp_path: Path, history: str, message: str) -> None:
    (finding,) = found(variant(tmp_path, []), f"dice history: [{history}]", "SG215")
    assert finding.message == message
    assert finding.hint


@pytest.mark.parametrize(
    ("sold", "message"),
    [
        ("{Glow: 1}", ""),
        ("{Glow: [3]}", ""),
        ("{Glow: [4]}", "Glow is 2; step 4 went, but not 3"),
    ],
)
def test_steps_go_from_the_highest_down(tmp_path: Path, sold: str, message: str) -> None:
    said = found(variant(tmp_path, []), f"wicks: {{Glow: 2}}\nsold: {sold}", "SG217")
    assert [finding.message for finding in said] == ([message] if message else [])


def test_two_starts_of_a_pool_without_an_override_are_a_finding(tmp_path: Path) -> None:
    changes = [
        ("grants: {raise: {might: 1, wits: 2}, take", "grants: {start: {oil: 7}, take"),
        ("glint: {name: Glint}", "glint: {name: Glint, grants: {start: {oil: 5}}}"),
    ]
    rules = variant(tmp_path, changes)
    (finding,) = found(rules, "gifts: [Glint]", "SG218")
    assert finding.hint == "pick another"


def test_what_everybody_takes_brings_choices_along(tmp_path: Path) -> None:
    omen = "omen: {name: Omen, grants: {take: [patience]}}"
    rules = variant(
        tmp_path,
        [
            ("      glint: {", f"      {omen}\n      glint: {{"),
            ("gear:\n", "given: {take: [omen]}\ngear:\n"),
        ],
    )
    parsed = parse_yaml("name: Ada\norder: Dusk\noil: 90\n", "case.yaml").value
    assert parsed is not None
    build = check_character(parsed, rules).value
    assert build is not None
    assert [(pick.name, pick.because) for pick in build.picks[1:]] == [
        ("Omen", "the rules"),
        ("Patience", "Omen"),
    ]


def test_a_table_without_cells_on_a_screen_is_a_finding(tmp_path: Path) -> None:
    panel = "{title: One, columns: [[{head: H, kind: words, tables: [things]}]]}"
    screens = f"screens: {{gm: {{label: GM, panels: {{one: {panel}}}}}}}"
    table = "tables: {things: {label: Things, of: gear}}"
    rules = variant(tmp_path, [("\ngear:\n", f"\n{table}\n{screens}\ngear:\n")])
    messages = [finding.message for finding in check_ruleset(rules)]
    assert "the table `things` has no column: `cells` is missing" in messages
