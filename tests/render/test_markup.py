"""Every sheet in every look: its places are legal, apart, on the page, large enough."""

from __future__ import annotations

import io
import itertools
import re
from functools import cache
from typing import Any, NamedTuple

import pikepdf
import pytest

from sheetgen.load.designs.designs import Design, load_design
from sheetgen.load.designs.templates import sheet_ids
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.materials.plates import find_faces, render_plate_markup
from sheetgen.plan.contexts import build_blank_context
from sheetgen.render.flow.layout import lay_out
from tests.samples import by_turns
from tests.shelf import ruleset

pytestmark = pytest.mark.many

MM = 72 / 25.4
MARGIN = 8 * MM
"""Points that a home printer cannot reach."""

SHEETS = [s for s in sheet_ids() if (rulesets_folder() / s).is_dir()]
PAGES = (
    ("standard", "a4"),
    ("large-print", "letter"),
    ("large-print", "a4"),
    ("standard", "letter"),
)
LOOKS = [(sheet, *look) for sheet, look in by_turns(SHEETS, PAGES)]
LOOKS += [(sheet, *look) for sheet in SHEETS for look in PAGES[:2] if (sheet, *look) not in LOOKS]
"""Each paper and size of type; and each sheet in the usual ones, and where room is least."""
KINDS = {"text", "lines", "tick", "mark", "picture"}


class Seen(NamedTuple):
    """A place as the engine laid it out, in points from the top left."""

    kind: str
    role: str
    name: str
    page: int
    left: float
    top: float
    right: float
    bottom: float


class Laid(NamedTuple):
    """A laid-out plate."""

    design: Design
    places: tuple[Seen, ...]
    sizes: tuple[tuple[float, float], ...]


def test_there_are_sheets() -> None:
    assert len(SHEETS) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("look", LOOKS)
def test_has_the_pages_that_it_says(look: tuple[str, str, str]) -> None:
    laid = _laid(*look)
    assert len(laid.sizes) == laid.design.facts["pages"][laid.design.kind]


@pytest.mark.parametrize("look", LOOKS)
def test_names_are_legal_and_unique(look: tuple[str, str, str]) -> None:
    check_names([place.name for place in _laid(*look).places])


def check_names(names: list[str]) -> None:
    assert len(names) == len(set(names))
    assert [n for n in names if not re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_]+)*", n)] == []
    parents = {".".join(n.split(".")[:k]) for n in names for k in range(1, n.count(".") + 1)}
    assert parents & set(names) == set()


@pytest.mark.parametrize("look", LOOKS)
def test_places_are_apart(look: tuple[str, str, str]) -> None:
    places = _laid(*look).places
    pairs = itertools.combinations(places, 2)
    assert [(a.name, b.name) for a, b in pairs if _overlap(a, b) and not _twins(a, b)] == []


@pytest.mark.parametrize("look", LOOKS)
def test_a_portrait_has_room_and_a_label_where_it_is_missing(look: tuple[str, str, str]) -> None:
    places = {place.name: place for place in _laid(*look).places}
    cell, label = places["portrait"], places["to_draw.portrait"]
    assert cell.kind == "picture"
    assert cell.right - cell.left >= 30 * MM - 1
    assert cell.bottom - cell.top >= 34 * MM - 1
    assert cell.left < label.left
    assert label.right < cell.right
    assert cell.top < label.top
    assert label.bottom < cell.bottom


@pytest.mark.parametrize("look", LOOKS)
def test_places_can_be_printed(look: tuple[str, str, str]) -> None:
    laid = _laid(*look)
    off = []
    for place in laid.places:
        width, height = laid.sizes[place.page]
        inside = (
            place.left >= MARGIN
            and place.top >= MARGIN
            and place.right <= width - MARGIN
            and place.bottom <= height - MARGIN
        )
        if not inside or place.right - place.left < 5 or place.bottom - place.top < 5:
            off.append(place)
    assert off == []


@pytest.mark.parametrize("look", LOOKS)
def test_roles_are_known_and_can_be_read(look: tuple[str, str, str]) -> None:
    laid = _laid(*look)
    tokens = laid.design.tokens
    least = 14 if look[1] == "large-print" else 7
    for place in laid.places:
        assert place.kind in KINDS
        if place.kind == "tick":
            assert place.role in tokens.ticks
        elif place.role:
            assert tokens.roles[place.role].least >= least
            assert tokens.roles[place.role].size >= least


@pytest.mark.parametrize("theme", ["standard", "ink-saver", "mono", "large-print"])
def test_static_words_can_be_read(theme: str) -> None:
    for sheet in SHEETS:
        css = _design(sheet, theme, "a4").tokens.css
        sizes = {name: value for name, value in css.items() if name.startswith("size-")}
        assert sizes
        for name, value in sizes.items():
            least = 7 if theme != "large-print" else 11 if name == "size-credit" else 14
            assert float(value.removesuffix("pt")) >= least, name


@pytest.mark.slow
@pytest.mark.parametrize("sheet", SHEETS)
def test_what_a_theme_changes_is_not_where_places_are(sheet: str) -> None:
    standard = _laid(sheet, "standard", "a4").places
    assert _laid(sheet, "mono", "a4").places == standard
    assert _laid(sheet, "ink-saver", "a4").places == standard


@pytest.mark.parametrize("look", LOOKS)
def test_continuation_is_one_page_of_columns(look: tuple[str, str, str]) -> None:
    laid = _laid(*look, continuation=True)
    assert len(laid.sizes) == 1
    assert {p.name for p in laid.places} >= {"continuation.sections", "header.text"}


def _twins(one: Seen, other: Seen) -> bool:
    """Return whether one is printed only while the other is empty, or is what it stands on."""
    pairs = ((one.name, other.name), (other.name, one.name))
    twins = any(b in (f"{a}_blank", f"{a}_short", f"{a}_disc", f"to_draw.{a}") for a, b in pairs)
    drawn = any(a in ("art", "to_draw.art") and b.startswith("offer.") for a, b in pairs)
    return twins or drawn or any(b.startswith(f"offer.{a}.") for a, b in pairs)


def _overlap(one: Seen, other: Seen) -> bool:
    return (
        one.page == other.page
        and min(one.right, other.right) - max(one.left, other.left) > 0.6
        and min(one.bottom, other.bottom) - max(one.top, other.top) > 0.6
    )


def _design(sheet: str, theme: str, paper: str) -> Design:
    design = load_design(sheet, theme, paper, ruleset(sheet)).value
    assert design is not None
    return design


@cache
def _laid(sheet: str, theme: str, paper: str, continuation: bool = False) -> Laid:
    """Return a plate as the engine lays it out; a warning of the engine fails the test."""
    design = _design(sheet, theme, paper)
    told = build_blank_context(ruleset(sheet), design.facts, (theme, paper))
    template = str(design.facts["continuation"]) if continuation else design.template
    return laid_of(design, render_plate_markup(design, template, told))


def laid_of(design: Design, html: str) -> Laid:
    """Return the markup of a plate as it is laid out for prints; see `Laid`."""
    fonts = {name: face.layout for name, face in find_faces(design).items()}
    with pikepdf.open(io.BytesIO(lay_out(html, fonts, forms=True))) as pdf:
        sizes = tuple((float(p.mediabox[2]), float(p.mediabox[3])) for p in pdf.pages)
        places = tuple(
            _seen(widget, number, sizes[number][1])
            for number, page in enumerate(pdf.pages)
            for widget in page.get("/Annots", ())
            if widget.Subtype == "/Widget"
        )
    return Laid(design, places, sizes)


def _seen(widget: Any, page: int, height: float) -> Seen:
    _, kind, role, name = str(widget.T).split("|")
    left, one, right, other = (float(number) for number in widget.Rect)
    top, bottom = height - max(one, other), height - min(one, other)
    return Seen(kind, role, name, page, min(left, right), top, max(left, right), bottom)
