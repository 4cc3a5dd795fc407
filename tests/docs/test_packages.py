"""Every package that a message or a page tells people to install is one that we depend on.

The package index has another program called `sheetgen`: whoever is told to install it by name runs
a stranger's set-up script.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sheetgen.diag.words import pip_hint
from tests.shelf import TESTS

ROOT = TESTS.parent
SUFFIXES = {".py", ".md", ".js", ".json", ".toml", ".yaml", ".j2", ".html", ".lock", ""}
SKIPPED = {".git", ".venv", "node_modules", "build", "dist", "output", "tests", "failed"}
INSTALL = re.compile(
    r"(?:pipx?|uv tool|uv pip|pipx? run|uvx) (?:install|inject|run) ([^`\n)#;&|]+)"
)
EXTRA = re.compile(r"\bsheetgen\[\w+\]")
PLACES = re.compile(r"\.(\[[\w,]+\])?|[\w./*-]+\.(whl|lock)")


def texts() -> Iterator[Path]:
    """Yield the files of the tree that people read, or that hold what they are told."""
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if path.is_file() and path.suffix in SUFFIXES and not SKIPPED & set(parts):
            yield path


def packages() -> set[str]:
    """Return the distributions that pyproject.toml names, but our own."""
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project, groups = data["project"], data["dependency-groups"]
    lists = [project["dependencies"], *project["optional-dependencies"].values(), *groups.values()]
    return {re.split(r"[^\w-]", name)[0].lower() for names in lists for name in names}


def strangers(text: str, known: set[str]) -> list[str]:
    """Return what a text tells people to install that is neither ours nor a dependency."""
    found = EXTRA.findall(text)
    for words in INSTALL.findall(text):
        for word in words.replace("'", "").replace('"', "").split():
            name = re.split(r"[<>=~\[]", word)[0].lower()
            if word.startswith(("-", "{", "$")) or PLACES.fullmatch(word):
                continue  # an option, a value that is filled in, our own folder or wheel
            if name not in known:
                found.append(f"{name}: {words}")
                break
    return found


def test_nothing_tells_people_to_install_a_strangers_package() -> None:
    known = packages() | {"sheetgen-ttrpg"}
    found = {
        str(path.relative_to(ROOT)): names
        for path in texts()
        if path != Path(__file__)
        and (names := strangers(path.read_text(encoding="utf-8", errors="replace"), known))
    }
    assert found == {}


def test_what_is_looked_for_is_found() -> None:
    known = packages()
    for text in (
        "pip install sheetgen",
        "`pip install 'sheetgen[lsp]'`",
        "uv tool install sheetgen",
    ):
        assert strangers(text, known), text
    for text in ("pip install .", "pip install '.[lsp]'", "`pip install pygls`", "pipx install ."):
        assert not strangers(text, known), text


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/a/game/.venv", "pip install pygls"),
        ("/home/a/.local/share/pipx/venvs/sheetgen-ttrpg", "pipx inject sheetgen-ttrpg pygls"),
        ("/a b/uv/tools/x", "uv pip install --python '/a b/uv/tools/x' pygls"),
    ],
)
def test_hints_install_where_sheetgen_is(
    prefix: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)
    assert pip_hint("pygls") == f"install it: `{command}`"
