"""Continuation pages: the heads and units of the sheet, and what a draft has to mend."""

from __future__ import annotations

import re
from dataclasses import replace

import pymupdf
import pytest
import yaml

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.plan.pages.screen_blocks import count_signs
from sheetgen.plan.sheets.sheets import Moved, MovedColumn, continue_sections, list_mending
from tests.ink.overfull import overfull
from tests.printing import CHARACTERS, FIRST, Sheet, character_from, printed, sheet
from tests.render.ua_rules import faults
from tests.render.viewers import text_of
from tests.shelf import ruleset


@pytest.fixture(scope="module")
def full() -> Sheet:
    return printed(character_from(overfull(FIRST), FIRST), formats=("pdf", "html"), draft=True)


def test_rows_keep_their_columns_and_units(full: Sheet) -> None:
    weapons = next(one for one in full.planned.moved if one.stem == "weapons")
    assert [column.head for column in weapons.columns] == ["", "Attack", "Damage", "Special"]
    assert all(row[2] == "" or row[2].endswith("D") for row in weapons.rows)
    words = " ".join(text_of(full.pdf).split("\f")[len(full.plan.leaves[0].plate.sizes)].split())
    assert "Attack Damage Special" in words
    assert "continued" in words.casefold()
    assert faults(full.pdf) == []


def test_weapons_keep_their_dice_as_signs() -> None:
    """A line is what the row on the sheet is; what is read aloud has the words."""
    game = next(id_ for id_ in ruleset_ids() if any(r.roll for r in ruleset(id_).lists.values()))
    path = next(one for one in CHARACTERS if one.parent.name == game)
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    weapons = [one.name for one in ruleset(game).gear.values() if "weapon" in one.tags]
    data |= {"gear": [{str(name): "granted"} for name in weapons]}
    data.pop("portrait", None)
    sheet = printed(character_from(yaml.safe_dump(data), game), draft=True)
    moved = next(one for one in sheet.planned.moved if one.stem == "weapons")
    assert [column.head for column in moved.columns][:2] == ["", "Dice"]
    pools = {row[1] for row in moved.rows}
    assert len(pools) >= 1
    assert all(count_signs(pool) == len(pool.split("\xa0")) for pool in pools)
    spoken = sheet.plan.leaves[-1].plate.spoken
    for row in moved.rows:
        said = " ".join(row[:2]).translate(spoken).replace("\xa0", " ")
        assert said in " ".join(text_of(sheet.pdf).split())


def test_the_rest_of_the_last_page_has_lines_to_write_on(full: Sheet) -> None:
    last = full.plan.leaves[-1]
    lowest = {"text": 0.0, "rule": 0.0}
    for place in last.plate.places:
        kind = place.name.removeprefix("continuation.").split(".")[0]
        if kind in lowest and place.name.startswith("continuation."):
            lowest[kind] = max(lowest[kind], place.box.y)
    assert lowest["rule"] > lowest["text"] + 100


def test_the_html_has_the_same_table(full: Sheet) -> None:
    html = full.printed.files["html"].decode()
    moved = html[html.index('class="page moved"') :]
    assert ">Attack</th>" in moved
    assert ">Damage</th>" in moved
    assert "What did not fit" not in moved


def test_heads_say_where_they_go_on_and_a_foot_what_no_head_says(full: Sheet) -> None:
    leaf = full.plan.leaves[0]
    texts = leaf.filling.texts
    said = {place.name: place.page for place in leaf.plate.places if place.name in texts}
    heads = {name: page for name, page in said.items() if name.startswith("onward.")}
    assert heads == {
        **dict.fromkeys(("onward.weapons", "onward.armour_and_gear"), 0),
        **dict.fromkeys(("onward.holdings", "onward.gear", "onward.notes"), 1),
    }
    for name in heads:
        assert texts[name].value.startswith("continued on page ")
    others = {one.page for one in full.planned.moved if one.stem in ("concept", "appearance")}
    assert others == {said[name] for name in said if name.startswith("continued")} == {0}


def test_errors_stand_before_warnings_without_backticks() -> None:
    wrong = Finding(codes.NOT_YAML, Span("a.yaml", 3), "`skills` is missing", "add `skills: []`")
    other = Finding(codes.MORE_ROWS, Span("a.yaml", 1), "too `much`", severity=Severity.WARNING)
    (mending,) = list_mending([wrong], [other])
    assert mending.label == "To be mended"
    assert mending.rows == (
        ("3", "error", "“skills” is missing (add “skills: []”)"),
        ("1", "warning", "too “much”"),
    )


def test_cut_rows_and_further_rows_of_a_list_have_one_title() -> None:
    kept = ["A freighter called The Impossible Promise of Yesterday", "Cave", "Van", "Debt"]
    text = yaml.safe_dump({"name": "N", "class": "none", "subclass": "rogue", "holdings": kept})
    sheet = printed(character_from(text, "keyword-dots"), formats=("pdf", "html"), draft=True)
    found = [one for one in sheet.planned.moved if one.stem.startswith("holdings")]
    assert [one.rows for one in found] == [((kept[0],), (kept[3],))]


def test_a_cut_line_of_a_ledger_and_its_further_lines_have_one_title() -> None:
    long = "Presentation revolver of the Constabulary Superintendence and its Refurbishment"
    gear = [{"Heavy Pistol": {"name": long}}, *(f"Rope x{n}" for n in range(2, 30))]
    text = yaml.safe_dump({"name": f"{long}, {long} and {long}", "gear": gear})
    moved = printed(character_from(text, "d6-pips"), draft=True).planned.moved
    (ledger,) = [one for one in moved if one.label == "Credits ledger"]
    assert ledger.rows[0] == (long, "", "")
    assert [one.label for one in moved if one.label in ("Name", "Character")] == ["Name"]


@pytest.mark.parametrize("game", ["hyperspace-d6", "d6-pips"])
def test_states_have_their_signs_beside_their_titles(game: str) -> None:
    """They are decoration: a screen reader says the title."""
    path = next(one for one in CHARACTERS if one.parent.name == game)
    page = printed(character_from(path.read_text(encoding="utf-8"), game), formats=("html",))
    found = re.findall(
        r'<i class="sign-mark s-([\w-]+)" aria-hidden="true">', page.printed.files["html"].decode()
    )
    assert {"harm-light", "harm-grave", "harm-out", "harm-dead"} <= {*found}


def test_columns_below_a_table_begin_where_they_have_room(full: Sheet) -> None:
    """However far a table of full width reaches: what follows in columns stays on the page."""
    plate = next(leaf.plate for leaf in full.plan.leaves if leaf.plate.added)
    assert plate.added is not None
    places = tuple(place for place in plate.places if place not in plate.added.places)
    (mark,) = (place for place in places if place.name == plate.added.anchor)
    plate = replace(plate, added=None, places=places)
    columns = (MovedColumn("", 200, "line"), MovedColumn("", mark.box.width - 206, "line"))
    said = [Moved(f"Text {n}", "\n".join(["word"] * n)) for n in (2, 9)]
    for count in range(1, 90):
        table = Moved("Table", "", columns, rows=(("name", "text"),) * count)
        pages, starts = continue_sections([table, *said], plate, None, {})
        assert [*starts] == sorted(starts)
        for page in pages:
            assert page.plate.added is not None
            lowest = max(place.box.y + place.box.height for place in page.plate.added.places)
            assert lowest <= mark.box.y + mark.box.height + 1, count


def test_what_a_file_says_of_its_things_is_printed() -> None:
    """On the sheet, or on a continuation page where the sheet has names only."""
    for game in ruleset_ids():
        path = next(one for one in CHARACTERS if one.parent.name == game)
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        keys = [str(i) for i, key in ruleset(game).character.items() if key.kind == "items"]
        data |= {keys[0]: [{"Net": {"note": "holdsfast"}}]}
        sheet = printed(character_from(yaml.safe_dump(data), game), draft=True)
        assert "holdsfast" in text_of(sheet.pdf), game


def test_short_sections_end_level_above_notes_as_wide_as_the_page(full: Sheet) -> None:
    long = "Wilhelmina Octavia Featherstonehaugh-Montgomery of the Seven Drowned Observatories"
    texts = [Moved(label, long) for label in ("Name", "Robots", "Kit", "Player")]
    whole = full.plan.leaves[-1].plate
    kept = tuple(p for p in whole.places if not re.search(r"continuation\.\w+\.\d", p.name))
    plate = replace(whole, places=kept, added=None)
    (page,), starts = continue_sections(texts, plate, None, {})
    set_ = page.filling.texts
    at = {set_[p.name].value: p.box for p in page.plate.places if p.name in set_}
    assert starts == (0, 0, 0, 0)
    assert at["Name"].y == at["Kit"].y < at["Robots"].y == at["Player"].y < at["More notes"].y
    wide = next(p.box.width for p in kept if p.name == "continuation.sections")
    rules = [p.box for p in page.plate.places if page.filling.marks.get(p.name) == "rule"]
    lines = [rule.width for rule in rules if rule.y > at["More notes"].y]
    assert len(lines) > 20
    assert {*lines} == {wide}
    (alone,), _ = continue_sections(texts[:1], plate, None, {})
    title = next(p.box for p in alone.plate.places if p.name in alone.filling.texts)
    assert title.width == wide


def test_what_a_name_gives_goes_on_in_the_free_row_below() -> None:
    """It saves a page of one line, and is no row of its own where the sheet is read."""
    jun = next(path for path in CHARACTERS if path.stem == "jun_low_choir")
    made = sheet(jun, ("a4", "large-print"))
    with pymupdf.open(stream=made.pdf) as pdf:
        fields = {one.field_name: one.field_value for page in pdf for one in page.widgets()}
    assert fields["feats.2.text"].startswith("Once an encounter")
    assert fields["feats.3.text"] == "maneuver"
    assert fields["feats.3.name"] == ""
    assert not any(one.stem == "feats" for one in made.planned.moved)


def test_the_last_of_several_pages_is_not_nearly_empty(full: Sheet) -> None:
    """However many lines go on: it has some lines, or the others have room for them."""
    plate = next(leaf.plate for leaf in full.plan.leaves if leaf.plate.added)
    assert plate.added is not None
    places = tuple(place for place in plate.places if place not in plate.added.places)
    plate = replace(plate, added=None, places=places)
    counts = set()
    for count in range(60, 400, 9):
        text = "\n".join(f"Line {n}" for n in range(count))
        pages, _ = continue_sections([Moved("Text", text)], plate, None, {})
        said = [[one.value for one in page.filling.texts.values()] for page in pages]
        assert [line for page in said for line in page if line.startswith("Line ")] == [
            f"Line {n}" for n in range(count)
        ]
        last = sum(line.startswith("Line ") for line in said[-1])
        assert len(pages) == 1 or last >= 5, (count, last)
        counts.add(len(pages))
    assert len(counts) > 2
