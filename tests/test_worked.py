"""Answers that were worked by hand from the texts and rulings, against the checker's.

A case of tests/worked/*.yaml is a character: a file of ours, or the keys of `base` (or
of the case that it is `like`) with its own keys in their place and some left out
(`without`). Then comes what has to follow, each part exactly:

totals      ratings of a whole group, in the ruleset's order
own         `own→total` of every trait of a group with steps of its own; no others have any
total, free totals of single traits; every trait with granted steps
derived     values, also fractions: `5/4`
ledger      [what, gained or spent, what is left then], line by line
paid, sold  every line of a ledger with a cost, or a refund; dice have a list of costs
spent, left of a pool
pools       those that the build has
findings    severity, code, place in the file, rule and `| words of the message or hint`;
            the place is the way to it (`skills.1`), or `-` for the file; left out, none
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from sheetgen.check.character.builds import check_character
from sheetgen.diag.findings import Checked, Finding
from sheetgen.load.rulesets.rulesets import switches_of
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.build import Build, Ledger
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Many, Node, Pairs, ScalarNode
from sheetgen.rules.index import index_of
from tests.shelf import TESTS, ruleset

DIE = re.compile(r"(a |d\d+ to )d\d+, with ")


@dataclass(frozen=True)
class Case:
    """A character and what has to follow from it.

    Attributes:
        file: Where its text is from, so that its pictures are found beside it; or `case.yaml`.
    """

    book: str
    name: str
    file: str
    text: str
    answer: Mapping[str, Any]


def blocks(text: str) -> dict[str, str]:
    """Return the lines of each key at the top of `text`."""
    found: dict[str, str] = {}
    key = ""
    for line in text.splitlines(keepends=True):
        if line[0] not in " #-\n":
            key = line.split(":")[0]
        found[key] = found.get(key, "") + line
    return found


def file_of(book: Mapping[str, Any], case: Mapping[str, Any]) -> str:
    """Return the character's file of a case, or of the one that it is like."""
    if "file" in case:
        return str(Path(TESTS.parent, book["characters"], case["file"]))
    like = case.get("like", "base")
    plain = like == "base" or like not in book["cases"]
    return "case.yaml" if plain else file_of(book, book["cases"][like])


def text_of(book: Mapping[str, Any], case: Mapping[str, Any]) -> str:
    """Return the character's file of a case."""
    if "file" in case:
        return Path(file_of(book, case)).read_text(encoding="utf-8")
    like = case.get("like", "base")
    plain = like == "base" or like not in book["cases"]
    below = blocks(book["base"] if plain else text_of(book, book["cases"][like]))
    below |= blocks(case.get("character", ""))
    return "".join(block for key, block in below.items() if key not in case.get("without", ()))


def cases() -> list[Case]:
    found = []
    for path in sorted((TESTS / "worked").glob("*.yaml")):
        book = yaml.safe_load(path.read_text(encoding="utf-8"))
        for name, case in book["cases"].items():
            like = case.get("like", "base")
            assert like == "base" or like in book["cases"], f"{name} is like nothing"
            texts = file_of(book, case), text_of(book, case)
            found.append(Case(book["ruleset"], str(name), *texts, case))
    return found


CASES = cases()


def rules_for(case: Case) -> Ruleset:
    """Return the ruleset of a case, with the modules that it switches."""
    root = parse_yaml(case.text, case.file).value.root
    return ruleset(case.book, frozenset(switches_of(root, {}).items()))


def checked(case: Case) -> Checked[Build]:
    parsed = parse_yaml(case.text, case.file)
    assert parsed.value is not None
    assert not parsed.findings
    return check_character(parsed.value, rules_for(case))


def way_to(root: Node, line: int, column: int) -> str:
    """Return the way to what stands at a place: `skills.1`; `-` for the file."""
    if (line, column) == (1, 1):
        return "-"
    best: list[tuple[int, int, str]] = []

    def visit(node: Node, way: str) -> None:
        best.append((node.span.line, node.span.column, way))
        if isinstance(node, Pairs):
            for key, below in node.entries:
                here = f"{way}.{key.raw}".strip(".")
                best.append((key.span.line, key.span.column, here))
                visit(below, here)
        elif isinstance(node, Many):
            for place, item in enumerate(node.items):
                visit(item, f"{way}.{place}")

    visit(root, "")
    return max(found for found in best if found[:2] <= (line, column))[2]


def as_said(finding: Finding, root: Node) -> str:
    place = way_to(root, finding.span.line, finding.span.column)
    return f"{finding.severity.word} {finding.code.id} {place} {finding.rule}".strip()


def id_of(rules: Ruleset, name: str) -> str:
    index = index_of(rules)
    found = (name,) if name in index.traits else index.all_traits.find(name)
    assert len(found) == 1, name
    return found[0]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.book}: {c.name}")
def test_answer(case: Case) -> None:
    result = checked(case)
    build, rules, answer = result.value, rules_for(case), case.answer
    assert build is not None
    for part, wanted in answer.items():
        if part in PARTS:
            PARTS[part](build, rules, wanted)
    source = parse_yaml(case.text, case.file).value
    assert source is not None
    assert source.root is not None
    same_findings(result.findings, source.root, answer.get("findings", []))
    for ledger in build.ledgers.values():
        adds_up(ledger)


def same_findings(found: tuple[Finding, ...], root: Node, wanted: list[str]) -> None:
    """Assert that each finding is wanted, each wanted one is there, and says its words."""
    said = [as_said(finding, root) for finding in found]
    assert sorted(said) == sorted(w.split(" | ")[0] for w in wanted), found
    for line in (w for w in wanted if " | " in w):
        head, words = line.split(" | ")
        texts = [f"{f.message} | {f.hint}" for f in found if as_said(f, root) == head]
        assert any(words in text for text in texts), texts


def adds_up(ledger: Ledger) -> None:
    """Assert that each line leaves what the one before left, and its own amount."""
    left = 0
    for line in ledger.lines:
        left += line.gained - line.cost
        assert line.left == left, line
    assert ledger.left == ledger.gained - ledger.spent == left


# -- the parts of an answer -----------------------------------------------------------------


def totals(build: Build, rules: Ruleset, wanted: Mapping[str, list[int]]) -> None:
    for group, ratings in wanted.items():
        found = [build.ratings[str(trait)].total for trait in rules.groups[group].traits]
        assert found == ratings, group


def own(build: Build, rules: Ruleset, wanted: Mapping[str, Mapping[str, str]]) -> None:
    for group, ratings in wanted.items():
        of_group = [r for r in build.ratings.values() if r.group == group and r.own]
        found = {r.id: f"{r.own}→{r.total}" for r in of_group}
        assert found == {id_of(rules, name): text for name, text in ratings.items()}


def total(build: Build, rules: Ruleset, wanted: Mapping[str, int]) -> None:
    found = {name: build.ratings[id_of(rules, name)].total for name in wanted}
    assert found == wanted


def free(build: Build, rules: Ruleset, wanted: Mapping[str, int]) -> None:
    found = {rating.id: rating.free for rating in build.ratings.values() if rating.free}
    assert found == {id_of(rules, name): steps for name, steps in wanted.items()}


def derived(build: Build, _: Ruleset, wanted: Mapping[str, int | str]) -> None:
    found = {id_: build.derived[id_].value for id_ in wanted}
    assert found == {id_: Fraction(value) for id_, value in wanted.items()}
    assert all(isinstance(value, int | Fraction) for value in found.values())


def lines(build: Build, _: Ruleset, wanted: Mapping[str, str]) -> None:
    assert {id_: build.lines[id_] for id_ in wanted} == wanted


def marked(build: Build, _: Ruleset, wanted: Mapping[str, list[int]]) -> None:
    assert {id_: list(build.marked[id_]) for id_ in wanted} == wanted


def rows(build: Build, _: Ruleset, wanted: Mapping[str, list[list[Any]]]) -> None:
    for id_, expected in wanted.items():
        width = max(map(len, expected), default=0)
        found = [list(row.values())[:width] for row in build.rows[id_]]
        assert found == [[str(cell) for cell in row] for row in expected]


def ledger(build: Build, _: Ruleset, wanted: Mapping[str, list[list[Any]]]) -> None:
    for pool, expected in wanted.items():
        found = [
            [": ".join(filter(None, (line.session, line.what))), line.gained - line.cost, line.left]
            for line in build.ledgers[pool].lines
        ]
        assert found == expected


def paid(build: Build, _: Ruleset, wanted: Mapping[str, Mapping[str, int]]) -> None:
    for pool, expected in wanted.items():
        found = Counter(
            (line.what, line.cost)
            for line in build.ledgers[pool].lines
            if line.cost and not DIE.match(line.what)
        )
        assert found == Counter(expected.items())


def sold(build: Build, _: Ruleset, wanted: Mapping[str, Mapping[str, int]]) -> None:
    for pool, expected in wanted.items():
        of_pool = build.ledgers[pool].lines
        found = {line.what: line.gained for line in of_pool if line.what.endswith(" sold")}
        assert found == expected


def dice(build: Build, _: Ruleset, wanted: list[int]) -> None:
    every = (line for ledger in build.ledgers.values() for line in ledger.lines)
    assert [line.cost for line in every if DIE.match(line.what)] == wanted


def spent(build: Build, _: Ruleset, wanted: Mapping[str, int]) -> None:
    assert {pool: build.ledgers[pool].spent for pool in wanted} == wanted


def left(build: Build, _: Ruleset, wanted: Mapping[str, int]) -> None:
    assert {pool: build.ledgers[pool].left for pool in wanted} == wanted


def pools(build: Build, _: Ruleset, wanted: list[str]) -> None:
    assert list(build.ledgers) == wanted


def picks(build: Build, _: Ruleset, wanted: Mapping[str, str]) -> None:
    found = {pick.catalogue: pick.name for pick in build.picks if pick.catalogue in wanted}
    assert found == wanted


def items(build: Build, _: Ruleset, wanted: list[str]) -> None:
    named = [f"{item.name} ×{item.count}" if item.count > 1 else item.name for item in build.items]
    assert named == wanted


def granted(build: Build, _: Ruleset, wanted: list[str]) -> None:
    assert [item.name for item in build.items if item.granted] == wanted


PARTS = {
    part.__name__: part
    for part in (
        *(totals, own, total, free, derived, lines, marked, rows, ledger, paid, sold),
        *(dice, spent, left, pools, picks, items, granted),
    )
}
OTHER = {"file", "like", "without", "character", "findings"}


def test_every_part_of_an_answer_is_looked_at() -> None:
    assert {part for case in CASES for part in case.answer} <= {*PARTS, *OTHER}


def test_the_leaf_at_a_place_is_found() -> None:
    root = parse_yaml("a: 1\nskills: [x, {y: z}]\n", "f").value
    assert root is not None
    assert root.root is not None
    assert isinstance(root.root, Pairs)
    assert isinstance(root.root.get("a"), ScalarNode)
    assert way_to(root.root, 2, 10) == "skills.0"
    assert way_to(root.root, 2, 17) == "skills.1.y"
