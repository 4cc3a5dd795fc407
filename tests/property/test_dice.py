"""The cheapest way to some dice is the cheapest, and can be walked."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from sheetgen.check.character.ledger import Price, cheapest

Hand = tuple[int, ...]


def least(
    wanted: Hand, granted: Hand, ladder: Sequence[int], buy: Price, upgrade: Price
) -> int | None:
    """Return the least price of any order of purchases, by trying all of them."""
    heap: list[tuple[int, Hand]] = [(0, granted)]
    done: set[Hand] = set()
    while heap:
        paid, hand = heapq.heappop(heap)
        if hand == wanted:
            return paid
        if hand in done:
            continue
        done.add(hand)
        if len(hand) < len(wanted):
            more = tuple(sorted((*hand, ladder[0])))
            heapq.heappush(heap, (paid + buy(len(more), ladder[0]), more))
        for place, faces in enumerate(hand):
            rung = ladder.index(faces) + 1
            if rung < len(ladder):
                after = tuple(sorted((*hand[:place], ladder[rung], *hand[place + 1 :])))
                heapq.heappush(heap, (paid + upgrade(len(hand), ladder[rung]), after))
    return None


@st.composite
def orders(draw: st.DrawFn) -> tuple[Hand, Hand, Hand, Price, Price]:
    """Draw dice to have, granted ones that can become some of them, a ladder and prices."""
    ladder = tuple(sorted(draw(st.sets(st.integers(2, 12), min_size=1, max_size=4))))
    wanted = draw(st.lists(st.sampled_from(ladder), min_size=1, max_size=4).map(sorted))
    granted = []
    for faces in wanted[len(wanted) - draw(st.integers(0, len(wanted))) :]:
        granted.append(draw(st.sampled_from(ladder[: ladder.index(faces) + 1])))
    prices = st.integers(0, 9)
    buys = {count: draw(prices) for count in range(1, 5)}
    ups = {(count, faces): draw(prices) for count in range(1, 5) for faces in ladder}
    return (
        tuple(wanted),
        tuple(sorted(granted)),
        ladder,
        lambda count, _: buys[count],
        lambda count, faces: ups[count, faces],
    )


@given(orders())
def test_nothing_is_cheaper(order: tuple[Hand, Hand, Hand, Price, Price]) -> None:
    wanted, granted, ladder, buy, upgrade = order
    steps = cheapest(wanted, granted, ladder, buy, upgrade)
    hand = list(granted)
    for step in steps:
        if step.before == 0:
            hand.append(step.after)
            assert step.price == buy(len(hand), step.after)
        else:
            hand[hand.index(step.before)] = step.after
            assert ladder.index(step.after) == ladder.index(step.before) + 1
            assert step.price == upgrade(len(hand), step.after)
        assert step.count == len(hand)
    assert tuple(sorted(hand)) == wanted
    assert sum(step.price for step in steps) == least(wanted, granted, ladder, buy, upgrade)


def test_a_long_ladder_takes_no_time() -> None:
    ladder = tuple(range(2, 1002))
    steps = cheapest((1001,) * 3, (), ladder, lambda c, _: 5 * c, lambda c, f: c + f)
    assert len(steps) == 3 * 1000
