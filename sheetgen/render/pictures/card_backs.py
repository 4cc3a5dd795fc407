"""The pictures on the backs of cards."""

from __future__ import annotations

from typing import Final

from sheetgen.diag.findings import Finding
from sheetgen.load.pictures.brand import find_brand
from sheetgen.model.cards import CardFace
from sheetgen.model.pictures import BrandPictures, PictureFile
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.imposition.decks import DeckLayout
from sheetgen.render.pictures.prepare import prepare_picture
from sheetgen.units import MM

_LEAST_BLEED: Final = 2 * MM
"""How far a picture reaches beyond the outer cards of a sheet in any case: printers drift."""


class CardBacks:
    """The backs with pictures of a deck's cards, each prepared once.

    Attributes:
        findings: About the pictures.
    """

    def __init__(self, layout: DeckLayout, request: PrintRequest) -> None:
        self._layout, self._request = layout, request
        self._faces: dict[tuple[str, PictureFile | None], CardFace | None] = {}
        self.findings: list[Finding] = []

    def find(self, own: PictureFile | None, rules: Ruleset) -> CardFace | None:
        """Return the back of a card, if it has a picture and the deck has backs.

        Args:
            own: The picture of the card's set, which comes before all others.
        """
        if self._layout.duplex is None:
            return None
        key = rules.digest, own
        if key not in self._faces:
            self._faces[key] = self._make(own, rules)
        return self._faces[key]

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
