"""The script of a page: one, named by its hash, small, and closed to what it is told."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from sheetgen.model.prints import Live
from sheetgen.render.html import page
from sheetgen.render.html.page import build_script, load_page_code
from tests.browser.windows import html_of

FOLDER = Path(page.__file__).parent / "scripts"
MOST = 33_000
"""Letters of the page's own code, without odds; no tool made them fewer."""


def test_the_policy_names_the_only_script() -> None:
    html = html_of("ansa-reth").decode()
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]+)"', html)
    [script] = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = dict(part.strip().split(" ", 1) for part in policy.replace("&#39;", "'").split(";"))
    assert parts.pop("script-src") == f"'sha256-{digest}'"
    assert parts.pop("style-src").startswith("'sha256-")
    assert parts == {
        "default-src": "'none'",
        "font-src": "data:",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_facts_are_json_and_end_nothing() -> None:
    [facts] = re.findall(r'id="sheet">(.*?)</script>', html_of("ansa-reth").decode(), re.DOTALL)
    assert "<" not in facts
    told = json.loads(facts)
    assert (told["ruleset"], told["character"]) == ("keyword-dots", "Ansa Reth")
    assert told["pools"] == {"xp": "XP"}


def test_the_page_says_what_it_was_printed_from() -> None:
    html = html_of("ansa-reth").decode()
    said = dict(re.findall(r'<meta name="sheetgen-(\w+)" content="([^"]*)">', html))
    assert set(said) == {"ruleset", "version", "character", "source"}


def test_the_code_is_small_and_whole() -> None:
    assert len(load_page_code(odds=False)) <= MOST
    for code in (load_page_code(odds=False), load_page_code(odds=True)):
        assert "</" not in code, "it would be taken for the end of a text"
    for path in FOLDER.glob("*.js"):
        code = path.read_text(encoding="utf-8")
        assert re.search(r"\beval\b|innerHTML|insertAdjacent|document\.write", code) is None
        assert re.search(r"\bfetch\b|XMLHttp|sendBeacon|WebSocket|new Function", code) is None


@pytest.mark.parametrize("text", ["</script>", "<!-- <script>", "</SCRIPT x"])
def test_a_program_cannot_end_its_element(text: str) -> None:
    script = build_script(Live(json.dumps(text), "{}", ()), odds=False)
    assert "</" not in script
    assert "<!--" not in script
