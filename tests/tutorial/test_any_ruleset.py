"""The sheet for any ruleset: its places are legal, apart, on the page, for few traits and many."""

from __future__ import annotations

import dataclasses
import itertools
import re
from functools import cache

import pytest

from sheetgen.diag.findings import Span
from sheetgen.load.designs.designs import load_design
from sheetgen.load.rulesets.content import SHAPES
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.materials.plates import render_plate_markup
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Group, Trait
from sheetgen.model.source import Text
from sheetgen.plan.contexts import build_blank_context
from tests.render.test_markup import MARGIN, Laid, _overlap, _twins, check_names, laid_of
from tests.samples import ALL
from tests.shelf import folder_of, ruleset

pytestmark = pytest.mark.many

DESIGN = "plain"
GAMES = (
    "lanterns", "keyword-dots", "hyperspace-d6", "narrative-powers", "d6-pips", "wound-points",
    "five", "many", *SHAPES,
)  # fmt: skip
TIGHT = ("large-print", "letter")
LOOKS = list(itertools.product(GAMES[:1], ("standard", "large-print"), ("a4", "letter")))
LOOKS += [(game, "standard", "a4") for game in GAMES[1:]]
LOOKS += [(game, *TIGHT) for game in (GAMES[1:] if ALL else ("many", "narrative-powers"))]
"""One game in every look, the others in the usual one; the fullest where room is least."""


@pytest.mark.slow
@pytest.mark.parametrize("look", LOOKS)
def test_has_the_pages_that_were_worked_out(look: tuple[str, str, str]) -> None:
    design = load_design(DESIGN, *look[1:]).value
    assert design is not None
    told = build_blank_context(rules_of(look[0]), design.facts, look[1:])
    assert len(laid(*look).sizes) == len(told["flow"])


@pytest.mark.parametrize("look", LOOKS)
def test_names_are_legal_and_unique(look: tuple[str, str, str]) -> None:
    check_names([place.name for place in laid(*look).places])


@pytest.mark.parametrize("look", LOOKS)
def test_places_are_apart_and_on_the_page(look: tuple[str, str, str]) -> None:
    made = laid(*look)
    pairs = itertools.combinations(made.places, 2)
    assert [(a.name, b.name) for a, b in pairs if _overlap(a, b) and not _twins(a, b)] == []
    off = []
    for place in made.places:
        width, height = made.sizes[place.page]
        inside = place.left >= MARGIN and place.top >= MARGIN
        inside &= place.right <= width - MARGIN and place.bottom <= height - MARGIN
        if not inside or place.right - place.left < 5 or place.bottom - place.top < 5:
            off.append(place)
    assert off == []


@pytest.mark.parametrize("game", GAMES)
def test_every_trait_has_a_place(game: str) -> None:
    names = {place.name for place in laid(game, "standard", "a4").places}
    rules = rules_of(game)
    for id_, group in rules.groups.items():
        for trait, rule in group.traits.items():
            placed = any(name.startswith(f"{id_}.{trait}.") for name in names)
            assert placed is not rule.internal, trait  # only formulas need an internal one


@cache
def rules_of(game: str) -> Ruleset:
    """Return a ruleset; `five` and `many` are one with so few and so many traits."""
    if game not in ("five", "many"):
        found = load_ruleset(folder_of(game)).value
        assert found is not None
        return found
    rules = ruleset("lanterns")
    count = 5 if game == "five" else 120
    traits = {f"t{n}": Trait(_word(f"Trait of number {n}")) for n in range(count)}
    group = Group("Knacks", "knack", _word("rank"), stated=True, traits=traits)
    rest = {key: {} for key in ("derived", "tracks", "texts", "lists", "rules", "tables")}
    return dataclasses.replace(rules, groups={"knacks": group}, dice=None, **rest)


def _word(text: str) -> Text:
    return Text(text, Span("test"))


@cache
def laid(game: str, theme: str, paper: str) -> Laid:
    """Return a plate as the engine lays it out; a warning of the engine fails the test."""
    design = load_design(DESIGN, theme, paper).value
    assert design is not None
    told = build_blank_context(rules_of(game), design.facts, (theme, paper))
    return laid_of(design, render_plate_markup(design, design.template, told))


@pytest.mark.parametrize("boxes", [31, 45, 49, 76])
@pytest.mark.parametrize("theme", ["standard", "large-print"])
def test_a_long_track_has_its_own_number_of_boxes(boxes: int, theme: str) -> None:
    """Where the file does not say how many are marked, nobody could write the number."""
    names = _names_with_track(theme, shown=boxes, marked=None)
    numbers = [int(n) for n in re.findall(r"\|flame\.box\.(\d+)", names)]
    assert numbers == [*range(1, boxes + 1)]


def test_a_long_track_is_a_number_beside_its_most() -> None:
    names = _names_with_track("standard", shown=49)
    assert ".box." not in names
    assert names.count("|flame.value") == names.count("|hurt") == 1


def _names_with_track(theme: str, **changes: object) -> str:
    """Return the names of all places of a sheet whose only track is changed."""
    rules = ruleset("lanterns")
    ((id_, track),) = rules.tracks.items()
    rules = dataclasses.replace(rules, tracks={id_: dataclasses.replace(track, **changes)})
    design = load_design(DESIGN, theme, "a4").value
    assert design is not None
    told = build_blank_context(rules, design.facts, (theme, "a4"))
    html = render_plate_markup(design, design.template, told)
    return "\n".join(re.findall(r'name="([^"]*)"', html))
