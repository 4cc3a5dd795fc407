"""Bombs, through every command that opens a stranger's file: bounded, and told in a finding.

A few of them run each time. `SHEETGEN_ALL_BOMBS=1` runs all, which takes a quarter of an hour.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.cli.commands import CHARACTERS, run
from tests.effort import at_most_calls
from tests.hostile.pdfs import BOMBS

pytestmark = pytest.mark.slow

PAGES: Final[Mapping[str, bytes]] = {
    "attributes": b"<a b='" * 40_000,
    "sections": b"<![CDATA[" * 400_000,
    "declarations": b"<!" * 2_000_000,
    "instructions": b"<?" * 2_000_000,
    "comments": b"<!--" * 1_000_000,
    "quotes": b'<input name="' * 300_000,
    "tags": b"<a " * 1_000_000,
    "references": b"<p>" + b"&" * 3_000_000,
    "number": b"<input name=a value='&#" + b"9" * 5000 + b";'>",
}
USUAL: Final = {
    "preflight": ("content-flate-twice", "content-text", "pages-many", "fonts-many", "xref-size"),
    "booklet": ("content-flate-twice", "content-nested-q", "pages-doubling"),
    "read": ("objects-large", "fields-same-text", "fields-doubling"),
}
MEASURE: Final = """
import json, resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdout=sys.stderr).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([status, used.ru_maxrss]))
"""
"""Runs a command in a small process: a fork of the test's own counts the test's memory."""

ALL = bool(os.environ.get("SHEETGEN_ALL_BOMBS"))
CASES = [(command, name) for command, few in USUAL.items() for name in (BOMBS if ALL else few)]
MOST_BYTES = 1 << 30


def tried(command: str, path: Path, most: int = MOST_BYTES) -> str:
    """Run a command on a file; return what it prints, having checked what it took."""
    out = path.parent / "said"
    words = [sys.executable, "-m", "sheetgen", command, str(path)]
    words += ["--out", str(path.parent)] if command == "booklet" else []
    with out.open("wb") as file:
        measured = subprocess.run(
            [sys.executable, "-c", MEASURE, *words],
            stdout=subprocess.PIPE,
            stderr=file,
            check=True,
            timeout=300,
        )
    status, kilobytes = json.loads(measured.stdout)
    said = out.read_text(encoding="utf-8", errors="replace")
    assert "Traceback" not in said, said[-2000:]
    assert status in (0, 1), said[-2000:]
    assert kilobytes * 1024 < most, said[-500:]
    assert len(said) < 20_000, said[:2000]
    return said


@pytest.mark.parametrize(("command", "name"), CASES)
def test_a_bomb_is_bounded(command: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.pdf"
    path.write_bytes(BOMBS[name]())
    tried(command, path)


@pytest.mark.parametrize("name", PAGES if ALL else ("attributes", "number", "tags"))
def test_a_page_is_bounded(name: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(PAGES[name])
    assert "SG80" in tried("read", path, 512 << 20)


def test_the_bound_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bomb.pdf"
    path.write_bytes(BOMBS["content-flate-twice"]())
    assert "more than 12 MB of content" in tried("preflight", path)
    assert "more than 768 MB of memory" in tried("booklet", path)


def test_a_huge_rating_is_refused_before_its_steps_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    hero = CHARACTERS / "keyword-dots" / "ilo-tamarack.yaml"
    text = re.sub(r"^(  [A-Z][A-Za-z ]+): \d+$", r"\1: 999999", hero.read_text("utf-8"), flags=re.M)
    path.write_text(text, "utf-8")
    with at_most_calls(3_000_000):
        said = run("check", path)
    assert said.status == 1
    assert said.all.count("is too large") == text.count("999999") > 0
