"""Every text that is typed into a sheet is in the file, in its notes, or shown as a conflict."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from sheetgen.load.filled import read_filled
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.filled import ON
from sheetgen.model.source import Many, Node, Pairs, ScalarNode
from sheetgen.readback.merging import MergedFile, current_texts
from sheetgen.readback.topics import normalize_text, shorten_pair
from tests.cli.commands import CHARACTERS as FOLDER
from tests.cli.commands import run
from tests.readback.sheets import (
    CHARACTERS,
    PROGRAMS,
    blank_sheet,
    filled,
    merged,
    named,
    printed,
    read_bytes,
    said,
    states,
    topics,
)

pytestmark = pytest.mark.many

FIRST = {path.parent.name: path for path in reversed(CHARACTERS)}
TRIED = (*FIRST.values(), named("jorra_kest"), named("osric-vayne"))
ODD = (
    "`? what`", "'single", '"double"', "é", "e\u0301", "C:\\temp\\new", "1.0", "03", "? lead",
    "- dash", "a: b", "a #c", "{x: y}", "[1, 2]", "*star", "&amp", "!tag", "%d", "@at", "|pipe",
    ">gt", "null", "~", "true", "0x10", "2001-01-01", "12:30", "3b (Ferry), Oct. 14th!", "CAPS",
    "𝔘𝔫𝔦 🐉", "עברית", "日本語", "ﬁ ½ ²", "a\u200bb", "a\u00a0b", "tab\tin", "x, y; z", "a  b",
    "“curly” — dash…", "foo ×2", "x2", "trail:", "one\ntwo: x\n\n  three", "W" * 400, "−5", "٣",
)  # fmt: skip
PLACED = ("text", "texts", "detail", "named")
"""Kinds of fields that print any text again."""


def leaves(node: Node | None) -> Iterator[str]:
    if isinstance(node, ScalarNode):
        yield node.raw
    elif isinstance(node, Many):
        for item in node.items:
            yield from leaves(item)
    elif isinstance(node, Pairs):
        for key, below in node.entries:
            yield key.raw
            yield from leaves(below)


def lost(into: MergedFile, values: dict[str, str], shown: dict[str, str]) -> dict[str, str]:
    """Return what was typed and is neither printed again nor in the file nor a conflict."""
    source = parse_yaml(into.after, "").value
    assert source is not None
    assert isinstance(source.root, Pairs)
    texts, node = set(leaves(source.root)), source.root.get("notes")
    notes = node.raw if isinstance(node, ScalarNode) else ""
    disputed = [c.filled for c in into.changes if c.state in ("conflict", "unknown")]
    return {
        name: text
        for name, text in values.items()
        if normalize_text(shown.get(name, "")) != normalize_text(text)
        and text not in texts
        and text not in notes
        and not any(text in one for one in disputed)
    }


def shown_in(into: MergedFile, path: Path) -> dict[str, str]:
    return dict(current_texts(into.character, blank_sheet(path))) if into.character.build else {}


def odd_values(path: Path, seed: int) -> dict[str, str]:
    """Return an odd text for every field; nearly all are unlike each other."""
    rng, fields = random.Random(seed), blank_sheet(path).fields
    names = [name for name, field in fields.items() if not field.box]
    return {
        n: rng.choice(ODD) + (f"~{i}" if rng.random() < 0.9 else "") for i, n in enumerate(names)
    }


@pytest.mark.slow
@pytest.mark.parametrize("path", TRIED, ids=lambda path: path.stem)
def test_odd_text_in_every_field_is_kept(path: Path) -> None:
    values = odd_values(path, 3)
    sheet = filled(path, values)
    into = merged(sheet, path)
    shown = shown_in(into, path)
    assert not lost(into, values, shown)
    places = [n for t in topics(path) if t.place.kind in PLACED for n in t.names if n in values]
    places = [n for n in places if n != "notes"]  # other fields add lines to these
    assert {n: normalize_text(shown[n]) for n in places} == {
        n: normalize_text(values[n]) for n in places
    }
    assert merged(sheet, path, into.after).after == into.after


@pytest.mark.slow
@pytest.mark.parametrize("path", FIRST.values(), ids=lambda path: path.stem)
def test_odd_text_on_an_empty_sheet_is_kept(path: Path) -> None:
    values = odd_values(path, 4)
    fields = {
        n: replace(f, printed="", filled=values.get(n, ""))
        for n, f in blank_sheet(path).fields.items()
    }
    sheet = replace(blank_sheet(path), fields=fields)
    start = f"ruleset: {sheet.ruleset}\n"
    into = merged(sheet, path, start, is_new=True)
    assert not lost(into, values, shown_in(into, path))


@pytest.mark.parametrize("path", TRIED, ids=lambda path: path.stem)
def test_emptied_fields_are_reported(path: Path) -> None:
    fields = blank_sheet(path).fields
    typed = {n for n, f in fields.items() if f.filled and not f.box and n != "name"}
    values = {n: "" for n in typed if ".ledger." not in n}  # rows of a ledger move
    into = merged(filled(path, values), path)
    shown = shown_in(into, path)
    told = {name for change in into.changes for name in change.fields}
    assert (
        not {
            n
            for n in values
            if normalize_text(shown.get(n, "")) == normalize_text(fields[n].filled)
        }
        - told
    )


@pytest.mark.slow
@pytest.mark.parametrize("program", ["pypdf", "pikepdf", "pdfium"])
def test_programs_hand_on_what_was_typed(program: str, tmp_path: Path) -> None:
    path = FIRST["d6-pips"]
    values = odd_values(path, 5)
    if program == "pdfium":  # it types letters of 16 bits, and one line
        values = {n: v for n, v in values.items() if max(v) < "\U00010000" and v.isprintable()}
    sheet = read_bytes(PROGRAMS[program](printed(path), values), tmp_path)
    assert {n: normalize_text(sheet.fields[n].filled) for n in values} == {
        n: normalize_text(v) for n, v in values.items()
    }


def test_sessions_are_named_renamed_and_printed_again() -> None:
    path = named("jorra_kest")
    typed = {
        "cp.ledger.2.session": "Prologue",
        "cp.ledger.14.session": "3b (Ferry), Oct. 14th!",
        "cp.ledger.14.gained": "5",
        "cp.ledger.15.session": "Epilogue",
    }
    sheet = filled(path, typed)
    into = merged(sheet, path)
    shown = set(shown_in(into, path).values())
    assert set(typed.values()) - {"5"} <= shown
    assert "{session: Prologue, gained: 4}" in into.after
    assert "Prologue: [Agility]" in into.after
    assert "{session: '3b (Ferry), Oct. 14th!', gained: 5}" in into.after.replace('"', "'")
    assert merged(sheet, path, into.after).after == into.after


@pytest.mark.parametrize(
    ("stem", "name", "label"),
    [
        ("oshen_tal", "burden_text", "Burden, effect"),
        ("calla", "feats.5.text", "Feat 5, effect"),
    ],
)
def test_text_in_an_effect_goes_to_the_notes(stem: str, name: str, label: str) -> None:
    into = merged(filled(named(stem), {name: "`My` Own\nwords"}), named(stem))
    assert f"  {label}: `My` Own\n  words" in into.after
    assert list(states(into).values()) == ["noted"]


def test_a_gain_in_a_row_of_several_sessions_is_of_the_last() -> None:
    path = named("jorra_kest")
    fields = blank_sheet(path).fields
    row = next(n for n, f in fields.items() if f.filled == "Sessions 5–7").removesuffix("session")
    assert [fields[f"{row}{c}"].filled for c in ("gained", "cost", "left")] == ["12", "12", "0"]
    sheet = filled(path, {f"{row}gained": "14"})
    into = merged(sheet, path)
    assert "{session: 7, gained: 6}" in into.after
    assert not said(into)
    assert merged(sheet, path, into.after).after == into.after


def test_an_emptied_ledger_row_is_reported() -> None:
    path = named("jorra_kest")
    row = next(
        n for n, f in blank_sheet(path).fields.items() if n.endswith(".what") and f.filled
    ).removesuffix("what")
    into = merged(filled(path, {f"{row}what": "", f"{row}cost": ""}), path)
    assert said(into) == ["SG811"]
    assert into.after == into.before


def test_rows_that_change_places_do_so_in_the_file() -> None:
    path = named("ansa-reth")
    into = merged(filled(path, {"specials.3.name": "Flurry", "specials.4.name": "Flyboy"}), path)
    assert "specials: [Specialist, Midochlorians x2, Flurry, Flyboy]" in into.after


def test_a_die_that_is_none_does_not_hide_the_others() -> None:
    path = named("ansa-reth")
    into = merged(filled(path, {"dice.3": "D 7?", "dice.4": "d2"}), path)
    assert "dice: [d8, d4, d2]" in into.after
    assert "  Dice: D 7?" in into.after


def test_a_total_alone_gives_a_new_character_its_dice() -> None:
    path = named("bram_oldecott")
    fields = {n: replace(f, printed="", filled="") for n, f in blank_sheet(path).fields.items()}
    typed = {"attributes.dexterity.total": "3D", "skills.dodge.total": "5D", "dodging.value": "5D"}
    fields |= {n: replace(fields[n], filled=v) for n, v in typed.items()}
    sheet = replace(blank_sheet(path), fields=fields)
    into = merged(sheet, path, "ruleset: d6-pips\n", is_new=True)
    assert "skills: {Dodge: +2D}" in into.after
    assert states(into)["Dodge, code"] == "merged"


def test_two_long_texts_are_shown_where_they_differ() -> None:
    one = "x" * 200 + " on Monday " + "y" * 200
    other = one.replace("Monday", "Sunday")
    assert [len(text) < 50 for text in shorten_pair(one, other)] == [True, True]
    assert "Mon" in shorten_pair(one, other)[0]
    assert "Sun" in shorten_pair(one, other)[1]


def test_notes_that_are_written_are_counted(tmp_path: Path) -> None:
    yaml = tmp_path / "calla.yaml"
    yaml.write_bytes((FOLDER / "narrative-powers" / "calla.yaml").read_bytes())
    pdf = tmp_path / "calla.pdf"
    values = {"feats.4.text": "burns", "feats.5.text": "a\x07b"}
    pdf.write_bytes(PROGRAMS["pikepdf"](printed(named("calla")), values))
    assert [f.code.id for f in read_filled(pdf).findings] == ["SG817"]
    told = run("read", pdf, "--into", yaml)
    assert "2 changes written" in told.out
    assert "Feat 4, effect: burns" in yaml.read_text()
    again = run("read", pdf, "--into", yaml)
    assert "nothing to change" in again.out


@pytest.mark.parametrize("how", ["standard", "large-print", "draft", "blank"])
@pytest.mark.parametrize("path", FIRST.values(), ids=lambda path: path.stem)
def test_nothing_was_changed_on_a_page_as_it_was_printed(
    path: Path, how: str, tmp_path: Path
) -> None:
    wanted = ["--to", "html", "--out", tmp_path]
    if how == "blank":
        wanted += ["--blank", path.parent.name]
    elif how == "draft":
        wrong = tmp_path / "wrong.yaml"
        wrong.write_text(path.read_text(encoding="utf-8") + "\nwrong: 1\n", encoding="utf-8")
        wanted += ["--draft", wrong]
    else:
        wanted += ["--theme", how, path]
    run("sheet", *wanted)
    told = run("read", *tmp_path.glob("*.html"))
    assert (told.status, told.err) == (0, "")
    assert told.out.endswith("nothing was changed on it\n")


def test_blanks_at_the_ends_and_what_turns_text_around_are_kept(tmp_path: Path) -> None:
    path = named("calla")
    values = {"player": "  a\u202eb ", "notes": " one \n\n two\n"}
    into = merged(filled(path, values), path)
    source = parse_yaml(into.after, "", exact=True).value
    assert source is not None
    assert isinstance(source.root, Pairs)
    assert {source.root.get(key).raw for key in values} == set(values.values())  # type: ignore[union-attr]
    again = merged(filled(path, values), path, into.after)
    assert (again.after, again.findings, again.changes) == (into.after, [], [])


def test_a_second_reading_of_an_empty_sheet_adds_nothing() -> None:
    """What follows from the rules is noted of an empty sheet, and compared when it has a file."""
    path = FIRST["d6-pips"]
    fields = {n: replace(f, printed="", filled="") for n, f in blank_sheet(path).fields.items()}
    row = {f"cp.ledger.1.{c}": "1D" for c in ("what", "gained", "cost", "left")}
    typed = {"name": "Bo", "notes": "mine", "dodging.value": "5D", **row}
    fields |= {n: replace(fields[n], filled=v) for n, v in typed.items()}
    sheet = replace(blank_sheet(path), fields=fields)
    into = merged(sheet, path, "ruleset: d6-pips\n", is_new=True)
    assert "row 1: 1D, gained 1D, cost 1D, left 1D" in into.after
    again = merged(sheet, path, into.after)
    assert again.after == into.after
    assert "SG806" not in said(again)


def test_a_name_without_marks_stays_so() -> None:
    path = FIRST["keyword-dots"]
    sheet = filled(path, {"unique.2.name": "Tea Making"})
    into = merged(sheet, path)
    assert "Tea Making: {dots: 0}" in into.after
    assert not merged(sheet, path, into.after).changes


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("xp.ledger.6.gained", "0", "XP ledger, row 6: gained 0"),
        ("xp.ledger.14.gained", "-2", "XP ledger, row 14: gained -2"),
        ("force_powers.jump.die", "\u0663", "Jump, die: \u0663"),  # an Arabic digit
    ],
)
def test_figures_that_are_none_go_to_the_notes(name: str, text: str, line: str) -> None:
    path = FIRST["keyword-dots"]
    into = merged(filled(path, {name: text}), path)
    assert line in into.after
    assert merged(filled(path, {name: text}), path, into.after).after == into.after


def test_letters_that_a_viewer_damaged_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(PROGRAMS["pdfium"](printed(FIRST["d6-pips"]), {"player": "a\U0001f409"}))
    (finding,) = read_filled(path).findings
    assert finding.code.id == "SG817"
    assert "U+F409 (perhaps \U0001f409)" in finding.message


def test_marks_stay_marks() -> None:
    path = named("calla")
    into = merged(filled(path, {"daily.1.used": ON}), path)
    assert said(into) == ["SG816"]
