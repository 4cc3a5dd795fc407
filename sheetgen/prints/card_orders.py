"""Orders of cards: one deck of all that is named."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, errors, raise_warnings
from sheetgen.load.designs.presets import load_presets
from sheetgen.model.books import Order
from sheetgen.plan.imposition.decks import DeckLayout
from sheetgen.plan.imposition.imposition import Duplex, Misfit
from sheetgen.prints.card_selection import Cut, NoSuchKind, SelectionRequest, card_grid, hand_of
from sheetgen.prints.cards import CardRequest, print_cards
from sheetgen.prints.context import OrderResult, Print, PrintContext, request_of, words_of


def cards(order: Order, desk: PrintContext, made: OrderResult) -> None:
    """Print one deck of all cards."""
    preset = load_presets().get(order.preset)
    cut = Cut(
        order.size,
        order.paper,
        order.grid,
        order.gutter,
        order.bleed,
        alone=order.single and not order.grid,
        folded=order.backs == "fold",
    )
    backs: Duplex | None = _BACKS.get(order.backs)
    try:
        layout = DeckLayout(card_grid(cut, preset), backs, marks=order.marks)
    except Misfit as error:
        made.findings.append(Finding(codes.UNKNOWN_DESIGN, order.place, str(error)))
        return
    wish = SelectionRequest(order.of_kind, order.groups, order.only, order.strict)
    cards = []
    for given in order.of:
        try:
            hand = hand_of(given, wish, dict(order.options), desk.shelf)
        except NoSuchKind as error:
            hint = "say which with `kind`"
            made.findings.append(Finding(codes.UNKNOWN_NAME, order.place, str(error), hint))
            continue
        made.findings += hand.findings
        cards += [card for card in hand.cards for _ in range(order.copies)]
    if errors(raise_warnings(made.findings) if order.strict else made.findings):
        return
    if not cards:
        message = "there is no card to print"
        made.findings.append(Finding(codes.EMPTY, order.place, message, "see `kind` and `only`"))
        return
    for card in cards:
        made.used(card.rules)
        made.designs.add(card.card)
    kinds = request_of(order).kinds
    safe = preset.safe if preset is not None else 0.0
    printed = print_cards(cards, CardRequest(layout, order.size, kinds, order.theme, safe))
    made.findings += printed.findings
    words = words_of(cards[-1].rules, "cards")
    first = Path(order.of[0]).stem
    words["stem"] = "-".join([first, *([order.of_kind] if order.of_kind else []), "cards"])
    words["kind"] = order.of_kind or "cards"
    made.prints.append(Print(words, printed.files))


_BACKS: Final[Mapping[str, Duplex]] = {
    "long-edge": "long-edge",
    "short-edge": "short-edge",
    "fold": "fold",
}
