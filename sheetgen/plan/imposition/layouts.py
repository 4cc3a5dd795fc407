"""The layout of a deck that a request asks for: grid, backs and marks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

from sheetgen.load.designs.presets import load_presets
from sheetgen.model.requests import PrintRequest
from sheetgen.plan.imposition.decks import DeckLayout
from sheetgen.plan.imposition.imposition import CARDS, Duplex, Misfit, impose, single_card_grid
from sheetgen.plan.imposition.measures import (
    MOST_BLEED,
    MOST_GUTTER,
    MOST_OFFSET,
    parse_bounded_length,
    parse_grid,
)

_DUPLEX: Final[Mapping[str, Duplex]] = {name: name for name in get_args(Duplex)}


class WrongOption(Exception):
    """An option of the request that cannot be met; the message says why."""

    def __init__(self, option: str, message: object) -> None:
        super().__init__(str(message))
        self.option = option


def plan_layout(request: PrintRequest) -> DeckLayout:
    """Return how cards are imposed, of a size that the preset's printer cuts.

    Raises:
        WrongOption: The paper cannot hold them, the printer does not cut them, or a length is
            wrong.
    """
    preset = load_presets().get(request.preset)
    sizes = preset.cards if preset is not None and preset.cards else CARDS
    if request.size not in sizes:
        printer = f"{preset.name} cuts" if preset is not None and preset.cards else "there are"
        message = f"there is no size `{request.size}`; {printer} the sizes {', '.join(sizes)}"
        raise WrongOption("--size", message)
    gutter = _length("--gutter", request.gutter, "the gutter", MOST_GUTTER)
    bleed = _length("--bleed", request.bleed, "the bleed", MOST_BLEED)
    folded = request.backs == "fold"
    try:
        if request.each or (request.single and not request.grid):
            if folded:
                message = "a page with a single card cannot be folded; use other backs, or a grid"
                raise WrongOption("--backs", message)
            grid = single_card_grid(sizes[request.size], bleed)
        else:
            counts = parse_grid(request.grid) if request.grid else None
            size, paper = sizes[request.size], request.paper
            grid = impose(size, paper, gutter=gutter, bleed=bleed, counts=counts, half=folded)
    except Misfit as error:
        raise WrongOption("--grid", error) from None
    backs, offset = _DUPLEX.get(request.backs), _back_offset(request.back_offset)
    safe = preset.safe if preset is not None else 0.0
    return DeckLayout(grid, backs, offset, request.marks, safe)


def _back_offset(text: str) -> tuple[float, float]:
    if not text:
        return 0.0, 0.0
    across, _, down = text.partition(",")
    try:
        return (
            _length("--back-offset", across, "the offset", MOST_OFFSET, -MOST_OFFSET),
            _length("--back-offset", down, "the offset", MOST_OFFSET, -MOST_OFFSET),
        )
    except WrongOption as error:
        message = f"{error}; write two lengths, such as 0.5mm,-1mm"
        raise WrongOption(error.option, message) from None


def _length(option: str, text: str, *bounds: Any) -> float:
    try:
        return parse_bounded_length(text, *bounds)
    except Misfit as error:
        raise WrongOption(option, error) from None
