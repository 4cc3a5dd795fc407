"""The pages of the documentation, and the parts of them that tests look at."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from tests.cli.commands import ROOT

DOCS: Final = ROOT / "docs"
REFERENCE: Final = DOCS / "reference"
POINTERS: Final = [
    ROOT / name
    for name in (
        *("content/rulesets/README.md", "content/books/README.md", "templates/README.md"),
        *("seeds/README.md", "CHANGELOG.md"),
    )
]
_FENCE: Final = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_HEADING: Final = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)


def manuals() -> list[Path]:
    """Return README and every page of docs/."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def page_id(path: Path) -> str:
    """Return how a test names a page: its path in the repository."""
    return path.relative_to(ROOT).as_posix()


@cache
def read_page(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def prose(path: Path) -> str:
    """Return the text of a page without its fenced blocks."""
    return _FENCE.sub("", read_page(path))


def anchors(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as forges make them."""
    names: dict[str, int] = {}
    for heading in _HEADING.findall(prose(path)):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        names[slug] = names.get(slug, -1) + 1
        if names[slug]:
            names[f"{slug}-{names[slug]}"] = 0
    return set(names)


@cache
def reference_text() -> str:
    """Return all pages of the reference, joined."""
    return "\n".join(read_page(path) for path in sorted(REFERENCE.glob("*.md")))
