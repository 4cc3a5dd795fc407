"""Generated sheets of six games of different shape: nothing is lost or torn apart."""

from __future__ import annotations

import re
import shutil
from functools import cache
from itertools import pairwise

import pytest

from sheetgen.load.designs.designs import load_design
from sheetgen.load.rulesets.content import SHAPES
from sheetgen.plan.computed import PageLayout, SheetBlock
from sheetgen.plan.contexts import build_blank_context
from sheetgen.plan.sheets.view import build_blank_view, build_view
from tests.ink.collisions import find_collisions
from tests.printing import character_at, printed
from tests.render.test_markup import MM, Laid, Seen
from tests.shelf import OWN, ruleset
from tests.tutorial.test_any_ruleset import laid

SHAPED = OWN / "shapes"
CHARACTERS = [SHAPED / game / f"{name}.yaml" for game in SHAPES for name in ("long", "short")]
OF_PAGE = {"continued", "page-number", "onward", "stamp", "header", "to-draw", "over"}
"""Roles of what a page says about itself, and of a count beyond the boxes."""


@cache
def sheet(game: str) -> Laid:
    return laid(game, "standard", "a4")


def places(game: str) -> dict[str, Seen]:
    return {place.name: place for place in sheet(game).places}


@pytest.mark.many
@pytest.mark.skipif(shutil.which("fc-list") is None, reason="nothing lays out a new sheet here")
@pytest.mark.parametrize("path", CHARACTERS, ids=lambda path: f"{path.parts[-2]} {path.stem}")
def test_all_of_a_character_is_on_the_sheet(path) -> None:  # type: ignore[no-untyped-def]
    made = printed(character_at(path))
    assert [one.text for one in made.planned.moved] == []
    assert made.planned.findings == ()
    assert find_collisions(made.pdf, 8.0) == []


def rows_of(title: str, count: int, span: int) -> SheetBlock:
    return SheetBlock("rows", title, 20, span, ({"kind": "line", "height": 20, "n": 1},) * count)


def test_lists_fill_the_width_of_the_page() -> None:
    """Rows stand in columns where that is lower, and where the next page has but one list."""
    layout = PageLayout(300, 300, 10)
    layout.pend(rows_of("To spend", 1, 4), rows_of("Carried", 9, 4))
    layout.flush()
    layout.pend(rows_of("Values", 4, 4), rows_of("Debts", 4, 4), rows_of("Goods", 9, 4))
    layout.flush()
    shapes = [
        [(band.kind, band.span, [len(column) for column in band.columns]) for band in page.bands]
        for page in layout.pages
    ]
    front = [("spread", 4, [1]), ("spread", 4, [3, 3, 3]), ("flow", 6, [1, 1])]
    assert shapes == [front, [("spread", 4, [3, 3, 3])]]


@pytest.mark.parametrize(("rows", "each"), [(18, [9]), (20, [7, 3]), (24, [9, 3]), (30, [9, 6])])
def test_a_long_list_has_three_rows_at_least_on_each_page(rows: int, each: list[int]) -> None:
    layout = PageLayout(219, 219, 10)
    layout.spread(rows_of("Skills", rows, 6))
    assert [len(page.bands[0].columns[0]) for page in layout.pages] == each


@pytest.mark.many
@pytest.mark.parametrize("game", SHAPES)
def test_a_trait_is_one_row(game: str) -> None:
    rules, every = ruleset(game), sheet(game).places
    for id_, group in rules.groups.items():
        for trait in group.traits:
            row = [p for p in every if p.name.startswith(f"{id_}.{trait}.") and p.role != "raised"]
            assert len({place.page for place in row}) == 1, trait
            middles = [(place.top + place.bottom) / 2 for place in row]
            assert max(middles) - min(middles) < 9, trait
            columns = [f"{id_}.{trait}.{column}" for column in group.columns]
            order = [place.name for place in sorted(row, key=lambda p: p.left)]
            assert order[len(order) - len(columns) :] == columns


@pytest.mark.parametrize("game", SHAPES)
def test_a_group_is_not_torn_apart(game: str) -> None:
    """Groups without others under their traits are on one page."""
    rules, every = ruleset(game), sheet(game).places
    for id_, group in rules.groups.items():
        if not any(trait.under for trait in group.traits.values()):
            assert len({p.page for p in every if p.name.startswith(f"{id_}.")}) == 1, id_


@pytest.mark.parametrize("theme", ["standard", "large-print"])
@pytest.mark.parametrize("game", SHAPES)
def test_no_page_is_for_two_lines(game: str, theme: str) -> None:
    design = load_design("plain", theme, "a4").value
    assert design is not None
    flow = build_blank_context(ruleset(game), design.facts, (theme, "a4"))["flow"]
    assert len(flow) <= (3 if theme == "standard" else 6)
    for page in flow:
        assert sum(band["height"] for band in page["bands"]) > 300


@pytest.mark.parametrize("game", SHAPES)
def test_rows_to_write_on_are_seven_millimetres_apart(game: str) -> None:
    rows: dict[tuple[str, int, float], list[float]] = {}
    for place in sheet(game).places:
        if place.role in ("line", "line-strong") and re.search(r"\.\d+(\.\w+)?$", place.name):
            stem = re.sub(r"\.\d+(\.\w+)?$", "", place.name)
            rows.setdefault((stem, place.page, place.left), []).append(place.top)
    assert rows
    for stem, tops in rows.items():
        assert all(b - a >= 7 * MM - 0.1 for a, b in pairwise(sorted(tops))), stem


@pytest.mark.parametrize("game", SHAPES)
def test_nothing_on_the_front_is_smaller_than_eight_points(game: str) -> None:
    design = load_design("plain", "standard", "a4").value
    assert design is not None
    used = {place.role for place in sheet(game).places if place.page == 0 and place.role}
    roles = design.tokens.roles
    assert {role for role in used - OF_PAGE if role in roles and roles[role].size < 8} == set()


def test_many_hit_points_are_a_number_to_write() -> None:
    found = places("d20")
    assert not any(name.startswith("hit_points.box.") for name in found)
    most, lost = found["hit_points.value"], found["hurt"]
    assert (most.page, lost.page) == (0, 0)
    assert 0 < lost.top - most.bottom < 15
    assert lost.bottom - lost.top >= 7 * MM


def test_steps_of_a_track_are_named_at_its_boxes() -> None:
    one = character_at(SHAPED / "percentile" / "long.yaml")
    assert one.build is not None
    view = build_view(one.build, ruleset("percentile"))
    assert view.texts["hit_points.steps"].text == "6 major wound · 11 dying"
    below, box = places("percentile")["hit_points.steps"], places("percentile")["hit_points.box.11"]
    assert 0 < below.top - box.bottom < 8
    assert "hit_points.steps" in build_blank_view(ruleset("percentile")).texts


def test_a_blank_offers_what_is_to_be_chosen() -> None:
    found = places("bands")
    assert {found[f"look.{look}"].kind for look in ruleset("bands").choices["looks"].entries} == {
        "tick"
    }
    assert "look" not in found
    texts = build_blank_view(ruleset("bands")).texts
    for id_, entry in ruleset("bands").choices["playbook"].entries.items():
        assert texts[f"offer.playbook_text.{id_}"].text == entry.name
        box = found[f"offer.playbook_text.{id_}_box"]
        assert min(box.right - box.left, box.bottom - box.top) >= 5 * MM
    assert texts["basic.1.name"].text == "Face danger", "what everybody has is printed"


def test_a_list_with_the_name_of_a_key_has_its_own_rows() -> None:
    one = character_at(SHAPED / "bands" / "long.yaml")
    assert one.build is not None
    view = build_view(one.build, ruleset("bands"))
    assert [view.texts[f"moves.{n}.name"].text for n in (1, 2, 3)] == [
        "Familiar",
        "Old scars",
        "Salt and iron",
    ]
    assert "moves.4.name" not in view.texts
