"""Mistakes in a ruleset of one's own are findings at their place; what the manual allows works."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from sheetgen.check.ruleset.formulas import PLACES
from sheetgen.model.rulesets.ruleset import KEY_KINDS
from tests.cli.commands import run
from tests.shelf import TESTS

TARGETS = "label: Target numbers"
HERO = "game/characters/ada-quill.yaml"
RATING = "rating: dice              # own"
NOTED = "kind: text, lines: true, label: Notes"
PLACED = [
    ("choices.yaml", "requires: body >= 3", "requires: n >= 3"),
    ("ruleset.yaml", "start: 4", "start: paid"),
    ("ruleset.yaml", "count: 3", "count: total"),
    ("ruleset.yaml", "value: 8 + scrap", "value: 8 + under"),
    ("reference.yaml", TARGETS, f"when: paid > 1\n    {TARGETS}"),
    ("screen.yaml", "tables: targets", "tables: targets\n              when: under > 1"),
    ("ruleset.yaml", "boxes: harm", "boxes: faces"),
    ("traits.yaml", RATING, f"limit: {{most: n + 1}}\n    {RATING}"),
]
NO_BUILD = "this formula sees no character"
WRONG = [
    *((file, old, new, "use it only in these formulas") for file, old, new in PLACED),
    ("traits.yaml", RATING, f"boxes: 3\n    limit: {{most: 5}}\n    {RATING}", "3 boxes"),
    ("ruleset.yaml", "boxes: harm", "boxes: notes", "nothing is called `notes`"),
    ("ruleset.yaml", "marked: hurt", "marked: notes", "there is no number of the file"),
    ("ruleset.yaml", "{scrap}D, damage", "{scrapD, damage", "a brace is not closed"),
    ("ruleset.yaml", "id: made", "id: Lantern Folk", "write `lantern-folk`"),
    ("ruleset.yaml", "of: knacks,", "of: [knacks, calling],", "second catalogue"),
    ("cards.yaml", "fact.1.label", "fakt.1.label", "has no place `fakt.1.label`"),
    ("cards.yaml", "emblem: \"{'aim'", "emblem: \"{'aym'", "has no picture `aym` for"),
    ("cards.yaml", "card_sets:", "emblems: {quick: scrol}\ncard_sets:", "no picture `scrol`"),
    ("cards.yaml", "card_sets:", "likeness: [kaling]\ncard_sets:", "there is no key `kaling`"),
    ("cards.yaml", '"{text}"', '"{text"', "a brace is not closed"),
    ("gear.yaml", "60 paces", '"60 paces}"', "closed but not opened"),
    (
        "reference.yaml",
        "label: Target numbers",
        "when: body > 2\n    label: Target numbers",
        NO_BUILD,
    ),
    ("reference.yaml", "value: skill_price(n)", "value: skill_price(body)", NO_BUILD),
    ("screen.yaml", "tables: targets", "tables: targets\n              when: body > 2", NO_BUILD),
    ("screen.yaml", "skill_price(1)", "has(quick)", "`has` cannot be used here"),
    ("odds.yaml", "fewer: 1 ", "least: body\n      fewer: 1 ", NO_BUILD),
    ("choices.yaml", "text: Keeps", 'facts: {range: "{body}"}, text: Keeps', NO_BUILD),
    ("reference.yaml", '"{skill}"', '"{raises.body}"', "nothing is called `raises.body`"),
    ("reference.yaml", '"{raises.wits}D"', '"{cost}D"', "nothing is called `cost`"),
    ("ruleset.yaml", '"{damage}', '"{total}', "nothing is called `total`"),
    ("cards.yaml", '"{skill}"', '"{under}"', "nothing is called `under`"),
    ("cards.yaml", "else 'Tool'", "else 'Tool' if nope else ''", "nothing is called `nope`"),
    ("cards.yaml", '"{skill}"', '"{tag.wepon}"', "did you mean `tag.weapon`?"),
    ("screen.yaml", "skill_price(1)", "skill_price(1, 2)", "`skill_price` takes 1 value"),
    ("ruleset.yaml", "modifiers(shell)", "has()", "`has` takes 1 value"),
    ("ruleset.yaml", "where: weapon", "where: wepon", "there is no tag `wepon`"),
    ("ruleset.yaml", "value: body + modifiers(shell)", "sum: n", "`sum` and `over`"),
    ("ruleset.yaml", "use: then you", "as: kode, use: then you", "`kode`"),
    ("ruleset.yaml", "value: 3 + body", "value: max(3, body)", "a comma ends a value"),
    ("ruleset.yaml", 'title: "Made"', 'title: "Made', "is indented by 2 spaces"),
    ("ruleset.yaml", "kind: raises, of: skills", "kind: ratings, of: skills", "`kind: codes`"),
    ("traits.yaml", "name: Climb,", "name: Climb, keyword: skill_price,", "has no effect"),
    ("ruleset.yaml", "label: Guard", 'label: "{guard}"', "its braces are printed"),
    ("choices.yaml", "price: 4, pool: points, requires", "price: 4, requires", "no pool pays"),
    ("choices.yaml", "once: true, price", "once: true, most: 3, price", "`once` and `most`"),
    ("screen.yaml", "tables: targets", "tables: targets\n              rows_from: 9", "is empty"),
    ("screen.yaml", "tables: targets", "tables: targets\n              over: [1]", "no `lines`"),
    ("screen.yaml", "tables: targets", "tables: targets\n              rows_to: 5", "have 4 rows"),
    ("screen.yaml", "tables: targets", "tables: targets\n              strong: 9", "2 columns"),
    ("screen.yaml", "head: A turn", 'head: "A {turn}"', "`head` takes no formulas"),
    ("screen.yaml", "title: At the table", 'title: "{made}"', "`title` takes no formulas"),
    ("reference.yaml", "unit: D", "unit: D\n    tint: [9]", "`prices` has 9"),
    ("reference.yaml", "price(n)}", "price(n), also: [more]}", "has 1 in `also`"),
    ("choices.yaml", "once: true, price", "modifies: {harm: 1}, price", "`modifiers(harm)`"),
]


@pytest.fixture(autouse=True)
def _game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("new", "ruleset", "Made", "--out", "game").status == 0


def change(path: str, changes: Mapping[str, str]) -> None:
    text = Path("game", path).read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    Path("game", path).write_text(text, encoding="utf-8")


@pytest.mark.many
@pytest.mark.parametrize(("file", "old", "new", "said"), WRONG)
def test_a_slip_is_a_finding(file: str, old: str, new: str, said: str) -> None:
    change(file, {old: new})
    found = run("check", "game", "--strict")
    assert found.status == 1
    assert said in found.out
    assert f"game/{file}:" in found.out


PRICE = "skill_price(n): 2 * n"
ONE_FINDING = [
    ("ruleset.yaml", PRICE, "skill_price(n): 2n", "multiply with `*`"),
    ("ruleset.yaml", PRICE, "skill_price(n): n ** 2", "such as `n * n`"),
    ("ruleset.yaml", PRICE, "skill_price(n): (2 * n", "a `)` more"),
    ("ruleset.yaml", PRICE, "skill_price(n): 2 if n > 3", "otherwise, too"),
    ("ruleset.yaml", PRICE, "skill_price(n): skill_price(n)", "depend on each other"),
    ("ruleset.yaml", PRICE, "skill_price: 2 * n", "write `skill_price(n): …`"),
    ("ruleset.yaml", PRICE, "skill_price(n): -2 * n", "is below 0"),
    ("choices.yaml", "requires: body >= 3", "requires: body = 3", "compare with `==`"),
    ("choices.yaml", "price: 4", "price: -4", "is below 0"),
    ("choices.yaml", "once: true", "once: yes", "write `true`"),
    ("choices.yaml", "quick: {", "1st: {", "begin with a letter"),
    ("ruleset.yaml", "start: 4", "start: [4]", "has to be a formula"),
    ("ruleset.yaml", "start: 4", "strat: 4", "did you mean `start`?"),
    (
        "ruleset.yaml",
        "kind: number, least: 0, text",
        "kind: number, least: 5, most: 2, text",
        "`most` is 2",
    ),
    ("ruleset.yaml", 'title: "Made"', "titel: Made", "did you mean `title`?"),
    ("traits.yaml", "name: Climb", "name: Scrap", "are both called Scrap"),
    ("gear.yaml", "cost: 15", "cost: 15 coins", "write digits only"),
    ("reference.yaml", "[Tricky, 10]", "Tricky: 10", "has to be a list"),
    ("cards.yaml", "of: [gear]", "of: [geer]", "did you mean `gear`?"),
]


@pytest.mark.parametrize(("file", "old", "new", "said"), ONE_FINDING)
def test_one_mistake_is_one_finding(file: str, old: str, new: str, said: str) -> None:
    change(file, {old: new})
    found = run("check", "game")
    assert [line for line in _places(found.out) if f"game/{file}:" in line] == _places(found.out)
    assert len(_places(found.out)) == 1
    assert said in found.out


def test_what_follows_from_a_mistake_is_not_a_finding_of_its_own() -> None:
    change("ruleset.yaml", {"skill_price(n): 2 * n": "skill_price(n): 2 * m"})
    assert run("check", "game").out.endswith("\n\ngame: 1 error\n")


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("traits.yaml", "label: Skills", "lable: Skills"),
        ("traits.yaml", "wits: {name: Wits,", "wits: {name: [Wits],"),
        ("traits.yaml", "skills:\n", "skilz:\n"),
    ],
)
def test_a_character_says_once_that_its_rules_are_wrong(file: str, old: str, new: str) -> None:
    change(file, {old: new})
    said = run("check", HERO)
    assert all(f"game/{file}" in line or "ruleset.yaml" in line for line in _places(said.out))
    assert not [line for line in _places(said.out) if HERO in line]


def _places(text: str) -> list[str]:
    return [line for line in text.splitlines() if re.match(r"\S+:\d+:\d+: error", line)]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("calling: Warden", "calling: Wardn", "did you mean `Warden`?"),
        ("name: {name}", "name: Ada", "has no `{name}`"),
        ("ruleset: made", "rulset: made", "has no `ruleset`"),
        ("name: {name}", "name: {name", "is not closed"),
    ],
)
def test_a_broken_starter_is_a_finding(old: str, new: str, said: str) -> None:
    change("starters/character.yaml", {old: new})
    found = run("check", "game")
    assert found.status == 1
    assert "game/starters/character.yaml:" in found.out
    assert said in found.out, found.out
    assert run("tables", "./game", "--to", "md", "--out", "-").status == 0


def test_a_starter_that_is_no_text_ends_no_command_in_a_traceback() -> None:
    Path("game/starters/character.yaml").write_bytes(b"name: \xff")
    for command in (("check", "game"), ("new", "character", "./game", "Bo")):
        assert "is not UTF-8 text" in run(*command).all


def test_a_character_among_the_rules_is_one_finding() -> None:
    Path(HERO).rename("game/ada-quill.yaml")
    change("ada-quill.yaml", {"ruleset: ..": "ruleset: ./"})
    said = run("check", "game", "game/ada-quill.yaml")
    assert said.out.count(": 1 warning") == 2
    assert "game/ada-quill.yaml:2:1: warning[SG405]" in said.out


def test_a_limit_follows_the_rating_that_a_trait_stands_under() -> None:
    change("traits.yaml", {RATING: f"limit: {{most: under + 1}}\n    {RATING}"})
    assert run("check", "game", HERO).out.count("clean") == 2
    change("characters/ada-quill.yaml", {"points: 6": "points: 60", "[Soothe]": "[Soothe x5]"})
    assert "Soothe is 7D; the limit is 4D" in run("check", HERO).out


def test_a_choice_can_be_taken_up_to_n_times() -> None:
    change("choices.yaml", {"first round, once: true": "first round, most: body"})
    change("characters/ada-quill.yaml", {"points: 6": "points: 60\nknacks: [Quick x2]"})
    assert run("check", "game", HERO).out.count("clean") == 2
    change("characters/ada-quill.yaml", {"Quick x2": "Quick x3"})
    assert "`Quick` can be taken 2 times at most; it is taken 3 times" in run("check", HERO).out


def test_a_choice_modifies_values_of_those_who_have_it_and_an_npc_without_it_has_none() -> None:
    change("choices.yaml", {"first round, once: true": "'', once: true, modifies: {guard: body}"})
    change("ruleset.yaml", {"modifiers(guard)": "modifiers(guard) + (3 if has(quick) else 0)"})
    change("characters/ada-quill.yaml", {"hurt: 1": "knacks: [Quick]"})
    Path("game/kinds.yaml").write_text(
        "kinds: {npc: {one: NPC, label: NPCs, keeps: [groups, derived], character: "
        "{name: {kind: text}, attributes: {kind: codes}}}}"
    )
    npc = Path("guard.yaml")
    npc.write_text("ruleset: ./game\nkind: npc\nname: Bo\nattributes: {Body: 2D}\n")
    assert run("check", "game", HERO, npc).out.count("clean") == 3
    assert re.search(r"Guard +15\b", run("show", HERO).out)
    assert re.search(r"Guard +10\b", run("show", npc).out)


def test_a_rule_points_at_a_trait_and_closes_its_step() -> None:
    rule = "rules:\n  even: {require: notice <= 4, at: notice, message: too sharp}\n\ntracks:"
    change("ruleset.yaml", {"tracks:": rule})
    said = run("advance", HERO, "--all").out
    assert re.search(r"Notice 1D to 2D  \(", said) is None
    change("ruleset.yaml", {"notice <= 4": "notice <= 3"})
    assert "Notice 1D to 2D  (too sharp)" in run("advance", HERO, "--all").out
    assert "Notice" not in run("advance", HERO).out
    change("ruleset.yaml", {"notice <= 3": "notice <= 2"})
    assert f"{HERO}:6:18: error" in run("check", HERO).out


def test_ratings_of_several_groups_stand_under_one_key() -> None:
    group = "    rating: dots\n    stated: true\n    boxes: 5\n    traits: "
    change(
        "traits.yaml",
        {
            "groups:\n": "groups:\n"
            f"  lore:\n    label: Lore\n{group}{{stars_lore: {{name: Stars}}}}\n"
            f"  crafts:\n    label: Crafts\n{group}{{pots: {{name: Pots}}}}\n"
        },
    )
    change(
        "ruleset.yaml",
        {"  knacks: {kind": "  known: {kind: ratings, of: [lore, crafts]}\n  knacks: {kind"},
    )
    change("characters/ada-quill.yaml", {"hurt: 1": "hurt: 1\nknown: {Stars: 2, Pots: 3}"})
    assert run("check", "game", HERO).out.count("clean") == 2
    change("characters/ada-quill.yaml", {"Pots: 3": "Potts: 3"})
    assert "did you mean `Pots`?" in run("check", HERO).out


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("max(body, wits) * 2", "max(Body, Wits)×2"),
        ("8 + max(body, wits)", "8 + max(Body, Wits)"),
        ("8 + 2 * has(quick) + modifiers(guard)", "8 + 2×Quick"),
        ("8 - body", "8 − Body"),
        ("skill_price(body) + wits", ""),
        ("body if has(quick) else wits", ""),
    ],
)
def test_a_blank_sheet_shows_a_formula_as_it_is_or_not_at_all(formula: str, shown: str) -> None:
    from sheetgen.load.rulesets.rulesets import load_ruleset
    from sheetgen.rules.formulas.notation import blank_how

    change("ruleset.yaml", {"value: 8 + scrap + modifiers(guard)": f'value: "{formula}"'})
    rules = load_ruleset(Path("game")).value
    assert rules is not None
    assert blank_how(rules, rules.derived["guard"]) == shown


def test_the_manual_lists_the_names_of_each_place() -> None:
    manual = (TESTS.parent / "docs/reference/keys-formulas.md").read_text(encoding="utf-8")
    for place, names in PLACES.values():
        rows = manual.partition(f"| {place} |")[2].splitlines()
        for row, name in zip(rows, names, strict=False):
            assert row.strip("| ").startswith(f"`{name}` |"), (place, name)
    assert {p.partition(".")[0] for p in PLACES if p[0].islower()} <= set(KEY_KINDS)


def test_the_places_give_the_names_that_the_checks_give() -> None:
    listed: dict[str, set[str]] = {}
    for place, (_, names) in PLACES.items():
        listed.setdefault(place.partition(".")[2], set()).update(names)
    given: dict[str, set[str]] = {}
    for path in (TESTS.parent / "sheetgen/check").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in ("whole", "holds"):
                fields = [n.attr for n in ast.walk(call.args[0]) if isinstance(n, ast.Attribute)]
                names = {k.arg for k in call.keywords if k.arg}
                if names and fields:
                    given.setdefault(fields[0], set()).update(names)
    assert given
    for field, names in given.items():
        assert names <= listed[field], field


def test_a_list_leaves_out_what_only_formulas_need() -> None:
    shown = run("list", "narrative-powers", "class").out
    assert "Class threshold 5" in shown
    assert "primary power source" not in shown


def test_a_ruleset_that_calls_its_id_ruleset_is_told_so(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "ruleset.yaml").write_text("ruleset: own\ntitle: Own\n", encoding="utf-8")
    said = run("check", own).out
    assert said.count("error[") == 1
    assert "the name of a ruleset is its `id`" in said
    assert "write `id` instead" in said
