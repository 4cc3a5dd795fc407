"""HTML and JSON sheets, and several sheets in one file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from sheetgen.load.filled import read_filled
from sheetgen.model.filled import ON, FilledSheet
from sheetgen.prints.sheet import SheetRequest, print_sheet
from tests.readback.sheets import PROGRAMS, blank_sheet, by_pikepdf, hero, named, read_bytes
from tests.readback.sheets import printed as printed_sheet

HERO = named("oshen_tal")


def saved(**more: Any) -> dict[str, Any]:
    return {
        "sheetgen": "filled sheet", "format": 1, "ruleset": "hyperspace-d6", "version": 1,
        "character": "Oshen Tal", "digest": "ab12", "sheet": "hyperspace-d6",
        "fields": {"name": "Bo", "player": "Mirelle", "stunned.box.1": True, "dead.box.1": False},
        "printed": {"name": "Oshen Tal", "stunned.box.1": False}, **more,
    }  # fmt: skip


def check(sheet: FilledSheet) -> None:
    assert (sheet.ruleset, sheet.version, sheet.character) == ("hyperspace-d6", "1", "Oshen Tal")
    assert sheet.digest == "ab12"
    found = {n: (f.printed, f.filled) for n, f in sheet.fields.items()}
    assert found["name"] == ("Oshen Tal", "Bo")
    assert found["player"] == ("Mirelle", "Mirelle")
    assert found["stunned.box.1"] == ("", ON)
    assert found["dead.box.1"] == ("", "")


def test_the_json_of_an_html_sheet(tmp_path: Path) -> None:
    check(read_bytes(json.dumps(saved(), indent=2).encode(), tmp_path, "a.json"))


def test_a_page_that_was_saved(tmp_path: Path) -> None:
    block = json.dumps(saved()).replace("<", "\\u003c")
    page = printed_sheet(HERO, "html").decode()
    script = f'<script type="application/json" id="saved">{block}</script>'
    content = page.replace("</body>", f"{script}</body>").encode()
    sheet = read_bytes(content, tmp_path, "a.html")
    check(sheet)
    assert sheet.fields["name"].label == "Name"


def test_a_page_as_it_was_printed(tmp_path: Path) -> None:
    sheet = read_bytes(printed_sheet(HERO, "html"), tmp_path, "a.html")
    told = blank_sheet(HERO).fields
    assert {n: f.filled.strip() for n, f in sheet.fields.items() if n in told} == {
        n: f.filled.strip() for n, f in told.items() if n in sheet.fields
    }
    assert sheet.fields.keys() <= told.keys()
    assert sheet.character == "Oshen Tal"
    assert sheet.digest == hero(HERO).source.digest
    assert all(f.printed == f.filled for f in sheet.fields.values())


@pytest.mark.parametrize("again", [False, True], ids=["printed", "saved"])
def test_a_page_that_a_browser_saved(again: bool, tmp_path: Path) -> None:
    """It writes what was typed into attributes, and leaves what the script saved before."""
    page = printed_sheet(HERO, "html").decode()
    if again:
        block = json.dumps(saved(fields={"player": "Zoe"}, printed={"player": "Mirelle"}))
        page = page.replace(
            "</body>", f'<script type="application/json" id="saved">{block}</script></body>'
        )
    page = page.replace("\nMirelle</textarea>", '\n"Z&#xF6;e" &amp;  \\n</textarea>')
    field = read_bytes(page.encode(), tmp_path, "a.html").fields["player"]
    assert (field.printed, field.filled) == ("Mirelle", '"Zöe" &  \\n')


def test_names_with_signs_stay_text(tmp_path: Path) -> None:
    name = "<script>\"Bo\"</script> & 'Eve' </textarea>"
    block = json.dumps(saved(fields={"name": name}, printed={})).replace("<", "\\u003c")
    content = f'<script type="application/json" id="saved">{block}</script>'.encode()
    assert read_bytes(content, tmp_path, "a.html").fields["name"].filled == name


@pytest.mark.parametrize("program", PROGRAMS)
def test_copies_of_a_sheet_are_told_apart(program: str, tmp_path: Path) -> None:
    content = print_sheet(hero(HERO), SheetRequest(copies=2)).files["pdf"]
    path = tmp_path / "two.pdf"
    path.write_bytes(by_pikepdf(content, {"c2.player": "Zoe"}))
    first, second = read_filled(path).value or ()
    assert (first.part, second.part) == ("c1", "c2")
    assert first.fields["player"].filled == "Mirelle"
    assert second.fields["player"].filled == "Zoe"


def test_pages_of_ours_name_their_fields_alike() -> None:
    page = printed_sheet(HERO, "html").decode()
    names = set(re.findall(r'<(?:input|textarea)[^>]* name="([^"]+)"', page))
    assert names <= blank_sheet(HERO).fields.keys()
    assert len(names) > 200
