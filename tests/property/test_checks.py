"""A check never raises, points into its file, and its ledgers add up, whatever it reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sheetgen.check.character.advancement import find_advancement, list_offers
from sheetgen.check.character.builds import check_character, check_draft
from sheetgen.diag.findings import Finding, errors, show, split_lines
from sheetgen.diag.words import begin_run
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.build import Build
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.source import Source
from tests.shelf import TESTS, ruleset

pytestmark = pytest.mark.many

RULESETS = [*ruleset_ids(), "lanterns"]
CONTENT = TESTS.parent / "content" / "characters"
ODD: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**7)
    | st.sampled_from(["", "x", "-1", "3D", "+2D", "granted", "custom", "d6", "none", "x2"]),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "custom", "dots", "max", "1", ""]), below, max_size=3
        )
    ),
    max_leaves=5,
)
"""What stands nowhere, or not like this."""


def names_in(rules: Ruleset, of: tuple[str, ...] = ()) -> list[str]:
    """Return names of traits and choices, of some groups and catalogues or of all."""
    found = []
    for id_, group in rules.groups.items():
        if not of or id_ in of:
            found += [str(trait.name) for trait in group.traits.values()]
    for id_, catalogue in rules.choices.items():
        if not of or id_ in of:
            found += [str(entry.name) for entry in catalogue.entries.values()]
    return found or ["nobody"]


def values(rules: Ruleset, id_: str, key: Key) -> st.SearchStrategy[Any]:
    """Return what an author may write under a key, right or nearly so."""
    some = st.sampled_from(names_in(rules, tuple(map(str, key.of)) or (id_,)))
    every = st.sampled_from(names_in(rules))
    gear = st.sampled_from([str(item.name) for item in rules.gear.values()] or ["rope"])
    small, times = st.integers(0, 7), st.integers(1, 4).map(lambda n: f" x{n}" if n > 1 else "")
    name = st.builds(str.__add__, some, times) | every
    rating = small | st.fixed_dictionaries(
        {"dots": small}, optional={"stars": small, "max": small, "note": st.just("so")}
    )
    spread = st.dictionaries(every, small, max_size=7)
    went = small | st.lists(st.integers(0, 6), max_size=3)
    code = small | st.builds(lambda n, p: f"{n}D{p}", small, st.sampled_from(["", "+1", "+3"]))
    own = st.fixed_dictionaries(
        {"custom": st.sampled_from(["Mine", ""])},
        optional={"attributes": spread, "bones": spread, "focus": every},
    )
    pick = name | st.builds(lambda n, d: {n: d}, some, every | spread | ODD) | own
    item = (
        st.builds(str.__add__, gear, times)
        | st.builds(lambda n: {n: "granted"}, gear)
        | st.builds(
            lambda n, f: {n: f},
            gear,
            st.dictionaries(
                st.sampled_from(
                    ["count", "granted", "cost", "name", "note", "crystal", "features"]
                ),
                small | st.booleans() | every,
                max_size=3,
            ),
        )
    )
    die = st.sampled_from(rules.dice.ladder if rules.dice else (6,)).map(lambda n: f"d{n}")
    steps = st.builds(lambda a, b: f"{a} -> {b}", die, die) | die.map(lambda d: f"buy {d}")
    advance = every | gear | st.just("Unlock the Force") | st.just("Wake Up")
    advances = st.lists(advance, max_size=6)
    sessions = st.lists(
        st.fixed_dictionaries({"session": small}, optional={"gained": small, "note": st.just("x")}),
        max_size=4,
    )
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "text": every,
        "texts": st.lists(every, max_size=3),
        "number": st.integers(0, 120),
        "flag": st.booleans(),
        "sessions": sessions,
        "choice": pick | st.lists(pick, max_size=2),
        "choices": st.lists(pick, max_size=4),
        "ratings": st.dictionaries(some | every, rating, max_size=5),
        "codes": st.dictionaries(every, code, max_size=8),
        "raises": st.lists(some, min_size=2, max_size=4),
        "refunds": st.dictionaries(every, went, max_size=3),
        "losses": st.dictionaries(every, went, max_size=3),
        "details": st.dictionaries(every, st.just("so"), max_size=3),
        "links": st.dictionaries(st.sampled_from("ABC"), st.lists(every, max_size=3), max_size=2),
        "pinned": st.dictionaries(every, die, max_size=2),
        "dice": st.lists(die, max_size=4),
        "dice_history": st.lists(steps, max_size=6),
        "item": item,
        "items": st.lists(item, max_size=5),
        "advances": advances | st.dictionaries(st.sampled_from("123"), advances, max_size=3),
    }
    return kinds[str(key.kind)]


@st.composite
def characters(draw: st.DrawFn, book: str) -> str:
    """Draw a character's file from the names of a ruleset; a key in eight is odd."""
    rules = ruleset(book)
    lines = [f"ruleset: {book}"]
    for id_, key in rules.character.items():
        chance = draw(st.integers(0, 15))
        if chance < (13 if key.required else 8):
            lines.append(
                f"{id_}: {json.dumps(draw(values(rules, str(id_), key)), ensure_ascii=False)}"
            )
        elif chance == 15:
            lines.append(f"{id_}: {json.dumps(draw(ODD), ensure_ascii=False)}")
    option = draw(st.sampled_from([None, *rules.options]))
    if option is not None:
        of = rules.options[option].values
        choice = {"number": "3", "yes or no": "true"}.get(str(of[0]), str(of[-1]))
        lines.append(f"options: {{{option}: {choice}}}")
    return "\n".join(lines) + "\n"


def source(text: str) -> Source:
    parsed = parse_yaml(text, "case.yaml")
    assert parsed.value is not None, parsed.findings
    return parsed.value


def look(text: str, book: str) -> tuple[Build, tuple[Finding, ...]]:
    """Check `text`, and assert what holds of every check."""
    rules = ruleset(book)
    read = source(text)
    begin_run()  # a hint lists what there is once a run
    result = check_character(read, rules)
    build = result.value
    assert build is not None
    lines = {"case.yaml": split_lines(text)}
    for finding in result.findings:
        file = finding.span.file
        if file not in lines:
            lines[file] = split_lines(Path(file).read_text(encoding="utf-8"))
        span, there = finding.span, lines[file]
        assert 1 <= span.line <= len(there), finding
        assert 1 <= span.column <= len(there[span.line - 1]) + 1, finding
        assert span.column + span.width <= len(there[span.line - 1]) + 2, finding
        assert finding.message
        assert "`None`" not in finding.message
        assert show(finding, there)
    for ledger in build.ledgers.values():
        assert ledger.left == ledger.gained - ledger.spent
        left = 0
        for line in ledger.lines:
            assert line.gained >= 0
            assert line.cost >= 0
            left += line.gained - line.cost
            assert line.left == left
    for rating in build.ratings.values():
        assert 0 <= rating.free <= max(0, rating.own)
        if not errors(result.findings):
            assert sum(part.steps for part in rating.parts) == rating.own, rating
    begin_run()
    again = check_character(read, rules)
    assert again.value == build
    assert again.findings == result.findings
    return build, result.findings


@pytest.mark.slow
@pytest.mark.parametrize("book", RULESETS)
@settings(max_examples=settings().max_examples // 3)
@given(data=st.data())
def test_a_check_never_raises(book: str, data: st.DataObject) -> None:
    text = data.draw(characters(book))
    look(text, book)
    draft = check_draft(source(text), ruleset(book))
    for offer in list_offers(draft):
        assert offer.what
    other = check_draft(source(data.draw(characters(book))), ruleset(book))
    assert find_advancement(draft, other) is not None


# -- what is clean stays clean --------------------------------------------------------------


def is_clean(text: str, book: str) -> bool:
    return not errors(look(text, book)[1])


@st.composite
def clean_dots(draw: st.DrawFn, book: str, head: str) -> dict[str, dict[str, int]]:
    """Draw ratings, of which nothing is granted, for every stated group but open ones."""
    rules = ruleset(book)
    ratings: dict[str, dict[str, int]] = {}
    for id_, group in rules.groups.items():
        if group.stated and group.open is None:
            known = list(map(str, group.traits))
            ratings[str(id_)] = draw(
                st.dictionaries(st.sampled_from(known), st.integers(1, 6), max_size=6)
            )
    assume(is_clean(as_text(head, ratings), book))
    return ratings


def as_text(head: str, ratings: dict[str, dict[str, int]]) -> str:
    return head + "".join(f"{group}: {json.dumps(below)}\n" for group, below in ratings.items())


HEADS = {
    "keyword-dots": "ruleset: keyword-dots\nname: X\nclass: Jedi Sentinel\nxp: 900\n",
    "lanterns": "ruleset: lanterns\nname: X\norder: Dawn\noil: 900\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("book", HEADS)
@given(data=st.data())
def test_without_a_bought_step_a_clean_build_stays_clean(book: str, data: st.DataObject) -> None:
    ratings = data.draw(clean_dots(book, HEADS[book]))
    before = look(as_text(HEADS[book], ratings), book)[0]
    places = [(group, trait) for group, below in ratings.items() for trait in below]
    assume(places)
    group, trait = data.draw(st.sampled_from(places))
    ratings[group][trait] -= 1
    after, findings = look(as_text(HEADS[book], ratings), book)
    assert not errors(findings)
    assert sum(x.left for x in after.ledgers.values()) > sum(
        x.left for x in before.ledgers.values()
    )


@pytest.mark.parametrize("path", sorted(CONTENT.glob("*/*.yaml")), ids=lambda path: path.stem)
def test_without_a_line_a_clean_file_has_no_new_kind_of_mistake(path: Path) -> None:
    """Only what another line needs may be missed: a key, a pick, a way to be."""
    book = path.parent.name
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    keys = [n for n, line in enumerate(lines) if line[0].isalpha() and line.rstrip()[-1] in "]}"]
    allowed = {"SG012", "SG203", "SG204", "SG205", "SG207", "SG208", "SG213", "SG216", "SG217"}
    allowed |= {"SG201", "SG214", "SG215", "SG220"}
    for place in keys:
        without = "".join(lines[:place] + lines[place + 1 :])
        parsed = parse_yaml(without, "case.yaml")
        if parsed.value is None:
            continue
        codes = {finding.code.id for finding in errors(look(without, book)[1])}
        assert codes <= allowed, lines[place]


@pytest.mark.parametrize("path", sorted(CONTENT.glob("hyperspace-d6/*.yaml")), ids=lambda p: p.stem)
def test_without_its_last_advance_a_clean_build_stays_clean(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    for place, line in enumerate(lines):
        if line.startswith("advances: ["):
            shorter = line.rpartition(",")[0] + "]\n" if "," in line else "advances: []\n"
            assert is_clean(
                "".join([*lines[:place], shorter, *lines[place + 1 :]]), path.parent.name
            )


def test_a_trait_that_is_called_like_a_value_changes_nothing() -> None:
    """An author's own skill called `Hits` once stood in for the Hits of every formula."""
    head = (
        HEADS["keyword-dots"] + "specials: [Unique x2]\noptions: {special_ability.awarded: true}\n"
    )
    text = head + "abilities: {Luck: 3}\nunique: {Hits: {dots: 1, max: 2}, XP: {dots: 1, max: 1}}\n"
    build, findings = look(text, "keyword-dots")
    assert not findings
    assert build.derived["hits"].value == 6 + 1 + 1
    assert build.marked["hits"] == (8, 0)
