"""One misspelt key or name of a shipped character, NPC or vehicle is one finding, and no more."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from sheetgen.diag.findings import Finding, errors
from sheetgen.diag.words import begin_run
from sheetgen.load.characters import RulesetCache, load_from_source
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source
from sheetgen.prints.characters import check_loaded
from tests.samples import spread
from tests.shelf import TESTS

CONTENT = TESTS.parent / "content"
FILES = sorted(
    (
        *CONTENT.glob("characters/*/*.yaml"),
        *CONTENT.glob("rulesets/*/npcs/*.yaml"),
        *CONTENT.glob("rulesets/*/vehicles/*.yaml"),
    )
)
RULESETS = RulesetCache()


def parsed(path: Path, text: str) -> Source:
    source = parse_yaml(text, str(path)).value
    assert source is not None
    return source


def findings_of(path: Path, text: str) -> dict[Finding, None]:
    """Return the findings about a text in the place of a shipped file, each once."""
    begin_run()
    read = parse_yaml(text, str(path))
    assert read.value is not None, read.findings
    entries = load_from_source(path, read.value, read.findings, RULESETS)
    checked = (check_loaded(one, {}, RULESETS) for one in entries)
    return dict.fromkeys(finding for one in checked for finding in one.findings)


def words_of(node: Node | None, top: bool = True) -> Iterator[tuple[ScalarNode, bool]]:
    """Yield keys and single values, and whether each is a key of the top."""
    if isinstance(node, Pairs):
        for key, below in node.entries:
            yield key, top
            yield from words_of(below, False)
    elif isinstance(node, Many):
        for item in node.items:
            yield from words_of(item, False)
    elif isinstance(node, ScalarNode):
        yield node, False


def misspellings(word: str) -> Iterator[str]:
    """Yield `word` with two letters swapped, one doubled, one left out, another one, and as
    something else: `none` of the rules' names is like it."""
    for at in range(len(word) // 2, len(word) - 1):
        one, two = word[at : at + 2]
        if one != two and one.isalpha() and two.isalpha() and len(word) > 3:
            before, after = word[:at], word[at + 2 :]
            yield from (f"{before}{two}{one}{after}", f"{before}{one}{one}{two}{after}")
            yield from (
                f"{before}{two}{after}",
                f"{before}{'x' if one != 'x' else 'k'}{two}{after}",
            )
            yield "Zqvv"
            return


CASES = [
    (path, node, top, wrong)
    for path in FILES
    for node, top in words_of(parsed(path, path.read_text("utf-8")).root)
    if not node.span.width < len(node.raw)  # a text of several lines
    for wrong in misspellings(node.raw)
]
random.Random(7).shuffle(CASES)


@pytest.mark.many
@pytest.mark.parametrize("part", range(8))
def test_one_mistake_is_one_finding(part: int) -> None:
    usual: dict[Path, Counter[str]] = {}
    for path, node, top, wrong in spread(CASES, 320)[part::8]:
        text = path.read_text("utf-8")
        lines = text.split("\n")
        line, begin = lines[node.span.line - 1], node.span.column - 1
        end = begin + node.span.width
        if "x" in node.raw.split() or node.raw.rsplit(" x")[-1].isdecimal():
            continue  # a count that would be lost, too
        lines[node.span.line - 1] = (
            line[:begin] + line[begin:end].replace(node.raw, wrong) + line[end:]
        )
        if path not in usual:
            usual[path] = Counter(f.message for f in findings_of(path, text))
        known = Counter(usual[path])
        new = []
        for finding in findings_of(path, "\n".join(lines)):
            known[finding.message] -= 1
            new += [finding] if known[finding.message] < 0 else []
        told = [f"{f.code.id} {f.message} | {f.hint}" for f in new]
        assert len(told) <= 1, (path.name, node.span.line, node.raw, wrong, told)
        assert not top or len(errors(new)) == 1, (path.name, node.span.line, node.raw, wrong, told)
