"""Imposition: nothing overlaps, all can be printed, and backs lie behind their fronts."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sheetgen.plan.imposition import (
    CARDS,
    MARGIN,
    CardGrid,
    CardSlot,
    Misfit,
    impose,
    single_card_grid,
)
from sheetgen.units import MM, PAPERS, Box

NEAR = 1e-6

sizes = st.sampled_from(sorted(CARDS.values())) | st.tuples(
    st.floats(20 * MM, 160 * MM), st.floats(20 * MM, 220 * MM)
)
papers = st.sampled_from(sorted(PAPERS))
bleeds = st.sampled_from([0.0, 1.5 * MM, 3 * MM])
duplexes = st.sampled_from(["long-edge", "short-edge", "fold"])


@st.composite
def grids(draw: st.DrawFn) -> CardGrid:
    bleed = draw(bleeds)
    gutter = draw(st.sampled_from([0.0, 2 * bleed, 2 * bleed + 2 * MM]))
    try:
        return impose(
            draw(sizes), draw(papers), gutter=gutter, bleed=bleed, half=draw(st.booleans())
        )
    except Misfit:
        assume(False)
        raise


def _apart(one: Box, other: Box, by: float) -> bool:
    return (
        one.x + one.width + by <= other.x + NEAR
        or other.x + other.width + by <= one.x + NEAR
        or one.y + one.height + by <= other.y + NEAR
        or other.y + other.height + by <= one.y + NEAR
    )


def _turned_over(slot: CardSlot, grid: CardGrid, duplex: str) -> tuple[Box, bool]:
    """Return where the back at `slot` lies when looked at through the front, and if upright.

    Paper is turned like a page: what was at the left of the back comes to the right of the
    front, or, over a level edge, what was at its top comes to the bottom, on its head.
    """
    (width, height), box = grid.paper, slot.box
    level = duplex != "fold" and (duplex == "long-edge") == (width > height)
    if level:
        return Box(box.x, height - box.y - box.height, box.width, box.height), slot.turned
    return Box(width - box.x - box.width, box.y, box.width, box.height), not slot.turned


@given(grids())
def test_cards_are_apart_and_can_be_printed(grid: CardGrid) -> None:
    slots = [grid.slot(n) for n in range(grid.count)]
    for one, other in combinations(slots, 2):
        assert _apart(one.box, other.box, grid.gutter)
    width, height = grid.paper
    for slot in slots:
        box = slot.box
        outer = MARGIN + grid.bleed - NEAR
        assert min(box.x, box.y) >= outer
        assert box.x + box.width <= (width / 2 if grid.half else width) - outer
        assert box.y + box.height <= height - outer


@given(grids(), duplexes)
def test_a_back_lies_behind_its_front(grid: CardGrid, duplex: str) -> None:
    assume(grid.half == (duplex == "fold"))
    for n in range(grid.count):
        front, back = grid.slot(n).box, grid.back(n, duplex)  # type: ignore[arg-type]
        behind, upright = _turned_over(back, grid, duplex)
        assert (behind.x, behind.y) == pytest.approx((front.x, front.y), abs=1e-4)
        assert upright
        if duplex == "fold":
            assert back.box.x >= grid.paper[0] / 2


@given(grids(), duplexes, st.floats(-9, 9), st.floats(-9, 9))
def test_an_offset_moves_backs_alone(
    grid: CardGrid, duplex: str, right: float, down: float
) -> None:
    still = grid.back(0, duplex)  # type: ignore[arg-type]
    moved = grid.back(0, duplex, (right, down))  # type: ignore[arg-type]
    assert moved.box.x - still.box.x == pytest.approx(right)
    assert moved.box.y - still.box.y == pytest.approx(down)


@given(grids())
def test_marks_touch_no_card_and_stay_on_the_paper(grid: CardGrid) -> None:
    block = grid.block
    cuts_x = {round(b.x + e * b.width, 3) for b in _boxes(grid) for e in (0, 1)}
    cuts_y = {round(b.y + e * b.height, 3) for b in _boxes(grid) for e in (0, 1)}
    for x0, y0, x1, y1 in grid.marks():
        assert 0 <= min(x0, x1) <= max(x0, x1) <= grid.paper[0]
        assert 0 <= min(y0, y1) <= max(y0, y1) <= grid.paper[1]
        inside = block.x < x0 < block.x + block.width and block.y < y0 < block.y + block.height
        if inside:
            assert round((x0 + x1) / 2, 3) in cuts_x
            assert round((y0 + y1) / 2, 3) in cuts_y
            assert abs(x0 - x1) + abs(y0 - y1) <= 2 * MM + NEAR
        else:
            assert (round(x0, 3) in cuts_x) if x0 == x1 else (round(y0, 3) in cuts_y)
            bleed = Box(
                block.x - grid.bleed,
                block.y - grid.bleed,
                block.width + 2 * grid.bleed,
                block.height + 2 * grid.bleed,
            )
            mark = Box(min(x0, x1), min(y0, y1), abs(x0 - x1), abs(y0 - y1))
            assert _apart(mark, bleed, 0)


def _boxes(grid: CardGrid) -> list[Box]:
    return [grid.slot(n).box for n in range(grid.count)]


def test_nine_poker_cards_stand_on_a_page() -> None:
    """The arithmetic of print shops: 3 by 3 of 63 by 88 mm, margins 10.5 and 16.5 mm."""
    grid = impose(CARDS["poker"], "a4")
    assert (grid.columns, grid.rows) == (3, 3)
    assert (grid.block.x / MM, grid.block.y / MM) == pytest.approx((10.5, 16.5))
    letter = impose(CARDS["poker"], "letter")
    assert (letter.block.x / MM, letter.block.y / MM) == pytest.approx((13.45, 7.7))


def test_what_does_not_fit_is_refused_with_what_would() -> None:
    with pytest.raises(Misfit, match=r"3 × 3 .* letter has .*; 3 × 2 across or 2 × 2 would fit"):
        impose(CARDS["poker"], "letter", gutter=6 * MM, bleed=3 * MM, counts=(3, 3))
    with pytest.raises(Misfit, match=r"these sizes would fit: .*poker"):
        impose((300 * MM, 300 * MM), "a4")
    with pytest.raises(Misfit, match=r"gutter of 2 mm is too narrow .* use 6 mm"):
        impose(CARDS["poker"], "a4", gutter=2 * MM, bleed=3 * MM)


@given(sizes, bleeds)
def test_a_single_card_has_its_page(size: tuple[float, float], bleed: float) -> None:
    grid = single_card_grid(size, bleed)
    box = grid.slot(0).box
    assert grid.paper == pytest.approx((size[0] + 2 * bleed, size[1] + 2 * bleed))
    assert (box.x, box.y) == pytest.approx((bleed, bleed))
