"""The backs of cards: a picture, or the game's own with a logo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final, Protocol, TypeAlias

from sheetgen.diag.findings import Finding
from sheetgen.load.pictures.reader import find_brand
from sheetgen.materials.pictures import prepare_picture
from sheetgen.model.pictures import BrandPictures, Picture, PictureFile
from sheetgen.model.prints import CardFace
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.cards.cards import build_back, join_faces
from sheetgen.plan.cards.kinds import CardKind
from sheetgen.plan.imposition import DeckLayout
from sheetgen.render.flow.rendering import LOGO
from sheetgen.units import MM

# How far a picture reaches beyond the outer cards of a sheet in any case: printers drift.
_LEAST_BLEED: Final = 2 * MM
# The kind of a card, its faces, and its back if the deck has backs.
BackedCard: TypeAlias = tuple[CardKind, Sequence[CardFace], CardFace | None]


def join_cards(
    cards: Iterable[BackedCard],
) -> Iterator[tuple[Sequence[CardFace], CardFace | None]]:
    """Yield faces and backs of cards; kinds with several faces on a card have them joined."""
    for kind, some in groupby(cards, key=lambda one: one[0]):
        group = list(some)
        if kind.per_card == 1:
            yield from ((card, back) for _, card, back in group)
        else:
            faces = [face for _, card, _ in group for face in card]
            yield from (((face,), group[0][2]) for face in join_faces(faces, kind))


def add_back(card: Sequence[CardFace], back: CardFace | None) -> Sequence[CardFace]:
    """Return the faces of a card, with its back behind the last one if nothing else is there."""
    return (*card, back) if back is not None and len(card) % 2 else card


class BackOf(Protocol):
    """What the back of a card depends on."""

    @property
    def rules(self) -> Ruleset:
        """The ruleset, whose motif it has."""
        ...

    @property
    def back(self) -> PictureFile | None:
        """The picture of the card's set."""
        ...

    @property
    def deck(self) -> tuple[str, str]:
        """What the deck is called, and its sign."""
        ...


class CardBacks:
    """The backs with pictures of a deck's cards, each prepared once.

    Attributes:
        findings: About the pictures.
    """

    def __init__(self, layout: DeckLayout, request: PrintRequest) -> None:
        self._layout, self._request = layout, request
        self._faces: dict[tuple[object, ...], CardFace] = {}
        self.findings: list[Finding] = []

    def find(self, one: BackOf, kind: CardKind) -> CardFace | None:
        """Return the back of a card; None if the deck has no backs.

        The picture of the card's set comes before all others.
        """
        if self._layout.duplex is None:
            return None
        key = one.rules.digest, one.back, one.deck, kind.size
        if key not in self._faces:
            own = self._make(one.back, one.rules)
            self._faces[key] = own or self._plain(kind, one)
        return self._faces[key]

    def logo(self, rules: Ruleset) -> Picture | None:
        """Return the logo on backs without a picture, if the deck has backs."""
        if self._layout.duplex is None:
            return None
        found = find_brand(self._request, ("logo",), far=(rules,))
        self.findings += (one for one in found.findings if one not in self.findings)
        return (found.value or {}).get("logo")

    def _plain(self, kind: CardKind, one: BackOf) -> CardFace:
        back = build_back(kind, *one.deck)
        plate, logo = back.strips[0].plate, self.logo(one.rules)
        cell = next((place for place in plate.places if place.name == LOGO), None)
        if logo is None or cell is None:
            return back
        made = prepare_picture(logo, (cell.box.width, cell.box.height))
        self.findings += made.findings
        shown = {LOGO: made.value} if made.value is not None else {}
        first = back.strips[0]
        strip = replace(first, filling=replace(first.filling, pictures=shown))
        return replace(back, strips=(strip,))

    def _make(self, own: PictureFile | None, rules: Ruleset) -> CardFace | None:
        near = (BrandPictures(back=own),)
        found = find_brand(self._request, ("back",), near=near, far=(rules,))
        self.findings += found.findings
        picture, grid = (found.value or {}).get("back"), self._layout.grid
        if picture is None:
            return None
        alone = grid.paper[0] <= grid.card[0] + 2 * grid.bleed
        bleed = grid.bleed if alone else max(grid.bleed, _LEAST_BLEED)
        made = prepare_picture(picture, (grid.card[0] + 2 * bleed, grid.card[1] + 2 * bleed))
        self.findings += made.findings
        if made.value is None:
            return None
        return CardFace("Back", grid.card, (), picture=made.value, bleed=bleed)
