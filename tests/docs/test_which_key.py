"""Each line of YAML in "Which key for which rule" stands in a game that other tests load."""

from __future__ import annotations

import re

from tests.docs.pages import DOCS, read_page
from tests.shelf import SKELETONS

ROW = re.compile(r"^\| (?!you say)([^|`]+) \| (`.+`) \| (?:(\w+)|\[\w+\]\((\w+\.md)\)) \|$", re.M)


def test_lines_stand_in_games_that_load() -> None:
    page = read_page(DOCS / "guides" / "which-key.md")
    rows = [row for row in ROW.findall(page) if not row[0].startswith("-")]
    assert len(rows) == len(re.findall(r"^\| (?!you say)", page, re.M)) > 50
    for said, written, shape, guide in rows:
        paths = (SKELETONS / shape).rglob("*.yaml") if shape else [DOCS / "guides" / guide]
        text = "".join(path.read_text(encoding="utf-8") for path in paths)
        for line in re.findall(r"`([^`]+)`", written):
            assert line in text, said
