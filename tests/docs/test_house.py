"""The pages for people who work on sheetgen: functions and files that they name exist."""

from __future__ import annotations

import re

import pytest

from tests.cli.commands import ROOT
from tests.docs.pages import DOCS, read_page

PROGRAM = ROOT / "sheetgen"
NAMED = re.compile(r"`([A-Za-z_.]+)` in `([a-z_/]+\.py)`")
WHERE = NAMED.findall(read_page(DOCS / "house" / "where.md"))


@pytest.mark.parametrize(("name", "path"), WHERE)
def test_functions_are_where_the_page_says(name: str, path: str) -> None:
    files = [f for f in (PROGRAM / path, PROGRAM / "check" / "character" / path) if f.exists()]
    assert files, path
    for part in name.split("."):
        assert re.search(rf"^ *(def|class) {part}\b", files[0].read_text("utf-8"), re.M), name
