"""Texts of authors on their way in: comments that cut them, and letters that fonts lack."""

from __future__ import annotations

from pathlib import Path

import pytest

from sheetgen.diag import codes
from sheetgen.diag.findings import Span
from sheetgen.load.files import suggest_file, yaml_files
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.plan.fit import find_missing_letters, report_letters, spell_out
from sheetgen.render.fonts.fonts import drawable


def cut_in(text: str) -> list[str]:
    """Return the messages about texts that end before a `#`."""
    return [f.message for f in parse_yaml(text, "a.yaml").findings if f.code is codes.CUT_TEXT]


@pytest.mark.parametrize(
    "text",
    [
        "name: Doc #7\n",
        "entries:\n- name: Doc #7\n  count: 2\n",
        "gear:\n- Doc  #7",
        "gear:\n  - - Doc\t#7\n",
        "gear: [Doc #7\n, Radio]\n",
        "gear: {Doc: Doc #7\n}\n",
        "notes: a text\n  of Doc #7\nname: x\n",
        "Doc #7\n",
        "name: Doc #7 # a comment\n",
        "name: Doc ##7\n",
        "name: 12 #7\n",
    ],
)
def test_text_before_hash_is_reported(text: str) -> None:
    (message,) = cut_in(text)
    assert message in ("the text ends before `#7`", "the text ends before `##7`")


@pytest.mark.parametrize(
    "text",
    [
        "#comment\nname: Doc\n",
        "name: Doc # comment\n",
        "name: Doc #\n",
        "name: Doc ####\n",
        "name: #comment\n",
        "gear: #comment\n  - Radio\n",
        "gear: [Radio] #comment\n",
        'name: "Doc" #7\n',
        "name: 'Doc #7'\n",
        "name: Doc#7\n",
        "name: C# minor\n",
        "notes: |  #comment\n  Doc #7\n",
        "notes: >\n  Doc #7\n",
        "name: Doc\n  #comment\nplayer: Bo\n",
    ],
)
def test_comment_is_not_reported(text: str) -> None:
    assert cut_in(text) == []


@pytest.mark.parametrize(
    ("text", "line", "quoted"),
    [
        ("a: {npc: Guard, name: Guard #1, count: 2}\n", 1, "Guard #1"),
        ("a: [Guard #1, Guard #2]\n", 1, "Guard #1"),
        ("a: [\n  Guard #1,\n  Guard #2,\n]\n", 2, "Guard #1"),
        ("a: {b: 1, c: #7}\nd: 2\n", 1, "#7"),
        ("a:\n  b: 1\n  Guard #1: 2\n  c: 3\n", 3, "Guard #1"),
        ("a: Owes dealer #9\n  500 credits\nb: 1\n", 1, "Owes dealer #9"),
        ("a: {b: [see, [x], at #9], c: 1}\n", 1, "at #9"),
    ],
)
def test_syntax_error_names_the_hash(text: str, line: int, quoted: str) -> None:
    (finding,) = parse_yaml(text, "a.yaml").findings
    assert finding.code is codes.NOT_YAML
    assert finding.span.line == line
    assert finding.hint == f'put it in quotes: `"{quoted}"`'


def test_hash_is_not_blamed_for_another_error() -> None:
    found = parse_yaml("name: Doc #7\n  player: Bo\n", "a.yaml").findings
    assert [f.code for f in found] == [codes.CUT_TEXT, codes.NOT_YAML]
    assert "indented" in found[1].message


FONT = frozenset(map(ord, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 °½"))
UNSEEN = (
    "\u2002\u2003\u2007\u2009\u200a\u205f\u3000\u200b\u200c\u200d\ufeff\r\n\t\xad\u2060\ufe0e\ufe0f"
)


@pytest.mark.parametrize("character", UNSEEN)
def test_character_without_ink_is_not_missing(character: str) -> None:
    assert find_missing_letters(f"a{character}b", FONT) == ""
    assert drawable(f"a{character}b") in ("ab", "a b")


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("ﬁne oﬃcer", "fine officer"),
        ("ＡＢ１", "AB1"),
        ("Ⅳ", "IV"),
        ("20℃", "20°C"),
        ("①", "1"),
        ("½", "½"),
    ],
)
def test_letter_is_drawn_as_what_it_stands_for(text: str, drawn: str) -> None:
    assert spell_out(text, FONT) == drawn
    assert find_missing_letters(text, FONT) == ""


def test_missing_letter_is_named() -> None:
    assert find_missing_letters("a✗ガ\ue000㍿", FONT) == "✗ガ\ue000㍿"
    (finding,) = report_letters("✗\ue000", None, Span("a.yaml"))
    assert finding.message == "no font of this print has ✗ U+E000"


def test_ending_of_a_file_may_be_in_any_case(tmp_path: Path) -> None:
    for name in ("ada.YAML", "bo.Yml", "cy.yaml", "notes.txt"):
        (tmp_path / name).touch()
    assert [path.name for path in yaml_files(tmp_path)] == ["ada.YAML", "bo.Yml", "cy.yaml"]


def test_missing_picture_is_not_confused_with_another(tmp_path: Path) -> None:
    (tmp_path / "o1.jpg").touch()
    hint = suggest_file("pics/face", tmp_path, (".jpg", ".png"), "pictures")
    assert hint == "check the path; the folder has `o1.jpg`"
    (tmp_path / "pics").mkdir()
    (tmp_path / "pics" / "face.png").touch()
    hint = suggest_file("pics/face", tmp_path, (".jpg", ".png"), "pictures")
    assert hint == "did you mean `pics/face.png`?"


def test_letters_in_parts_are_composed_and_no_box_is_drawn() -> None:
    known = set(map(ord, "abéz?"))
    assert spell_out("e\u0301", known) == "é"
    assert spell_out("a✗b", known) == "a?b"
    assert find_missing_letters("\u1112\u1161\u11ab", known) == "한"
    for unseen in "\u034f\u115f\ufe0f\u200d\u00ad\U000e0100":
        assert find_missing_letters(f"a{unseen}b", known) == ""
