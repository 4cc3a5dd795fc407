"""Links between pages: each leads to a file that is there, and to a heading that it has."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.cli.commands import ROOT
from tests.docs.pages import DOCS, POINTERS, anchors, manuals, page_id, prose, read_page

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
NEVER = ("output/docs", "http://")


@pytest.mark.parametrize("page", [*manuals(), *POINTERS], ids=page_id)
def test_links_resolve(page: Path) -> None:
    for link in LINK.findall(prose(page)):
        assert not link.startswith(NEVER), link
        if link.startswith("https://"):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        if anchor:
            assert target.suffix == ".md", link
            assert anchor in anchors(target), link


def test_every_page_is_reached_from_its_index() -> None:
    for page in DOCS.rglob("*.md"):
        if page.name == "index.md":
            index, name = page.parent.parent / "index.md", f"{page.parent.name}/index.md"
        else:
            index, name = page.parent / "index.md", page.name
        if page.parent == DOCS and page.name == "index.md":
            continue
        if name.startswith("keys-"):
            index = page.parent / "keys.md"
        assert f"]({name})" in read_page(index), page


def test_readme_is_short_and_leads_to_every_part() -> None:
    readme = read_page(ROOT / "README.md")
    assert len(readme.split()) <= 1000
    for part in ("start.md", "tutorials/", "guides/", "reference/", "house/"):
        assert f"](docs/{part}" in readme, part


def test_pointers_are_short() -> None:
    for page in POINTERS[:3]:
        assert len(read_page(page).split()) < 150, page
