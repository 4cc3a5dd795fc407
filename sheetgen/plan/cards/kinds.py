"""How a kind of card is built, and what stands on one before it has a place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, TypeVar

from sheetgen.load.designs.designs import Design
from sheetgen.model.designs.card_files import CardEntry, Changed
from sheetgen.model.prints import FaceMetrics, Place, Plate, Tokens
from sheetgen.plan.cards.runs import Run

T = TypeVar("T")

_MOST_KEPT: Final = 20_000

TEXT: Final = "body"
"""Begins the names of strips of plain text; `body-3` has three lines."""


@dataclass(frozen=True, slots=True)
class CardKind:
    """How a kind of card is built, in points: `card.yaml` at one size, and its plate.

    Attributes:
        heights: Of the strips by name, in the order of the plate's pages.
        order: What stands on a card; see templates/README.md.
        foot: The strip that ends each face.
        air: Below a text.
        steps: Tried in turn until a card has all on one face; the last is taken anyhow.
        step: The one that is tried.
        changed: What is said of figures that something in the file raised.
        places: By strip, and by name without that of the strip before it.
        plate: None where nothing is laid out yet.
        kept: How texts were set and broken before: many cards say the same.
    """

    size: tuple[float, float]
    heights: Mapping[str, float]
    order: Sequence[CardEntry]
    foot: str
    air: float
    steps: tuple[str, ...] = (TEXT,)
    step: str = TEXT
    changed: Changed | None = None
    places: Mapping[str, Mapping[str, Place]] = field(default_factory=dict)
    plate: Plate | None = None
    cache: dict[tuple[object, ...], Any] = field(default_factory=dict, compare=False)

    @property
    def tokens(self) -> Tokens:
        """The tokens of the plate."""
        assert self.plate is not None
        return self.plate.tokens

    @property
    def metrics(self) -> Mapping[str, FaceMetrics]:
        """The metrics of the plate, by face."""
        assert self.plate is not None
        return self.plate.metrics

    def strip(self, name: str) -> str:
        """Return the strip that is `name` in the step that is tried."""
        own = f"{name}-{self.step}"
        return own if own in self.heights else name

    def text(self, stem: str = "") -> str:
        """Return how the strips of text begin in the step that is tried; `stem`: of which kind."""
        if stem:
            own = f"{stem}-{self.step}"
            return own if f"{own}-1" in self.heights else stem
        return self.step if f"{self.step}-1" in self.heights else TEXT

    def cached(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """Return what `make` gives for `key`; the last thousands are kept."""
        found = self.cache.get(key)
        if found is None:
            if len(self.cache) >= _MOST_KEPT:
                self.cache.clear()
            found = self.cache[key] = make()
        made: T = found
        return made

    def at(self, step: str) -> CardKind:
        """Return the kind with another step."""
        return self.cached(("at", step), lambda: replace(self, step=step))


@dataclass(frozen=True, slots=True)
class StripDraft:
    """One strip before it has a place: which, what stands in it, and room below it.

    Attributes:
        texts: By place; `PLACE.change` and `PLACE.note` follow the text of a place.
        runs: By place: lines of texts of several roles, instead of one text.
        low: Whether it stands as far down as it can.
        kept: Whether it stays on one face with the part before it.
        again: Stands above it once more where it begins a further face: heads of columns.
        said: What a screen reader says of its shapes; or `instead` of all that it shows.
    """

    name: str
    texts: Mapping[str, str]
    marks: Mapping[str, str] = field(default_factory=dict)
    below: float = 0
    runs: Mapping[str, Sequence[Sequence[Run]]] = field(default_factory=dict)
    low: bool = False
    attached: bool = False
    again: StripDraft | None = None
    alt_text: str = ""
    alt_only: bool = False


class CardContext(dict[str, str]):
    """Texts by name, and the rows of lists among them, found once."""

    __slots__ = ("_rows",)

    def rows(self, stem: str) -> list[dict[str, str]]:
        """Return the rows of a list, in order: their texts by column."""
        if not hasattr(self, "_rows"):
            self._rows: dict[str, dict[int, dict[str, str]]] = {}
            for name, text in self.items():
                if (place := _in_list(name)) is not None:
                    list_, number, column = place
                    self._rows.setdefault(list_, {}).setdefault(number, {})[column] = text
        found = self._rows.get(stem, {})
        return [found[n] for n in sorted(found)]


@lru_cache(maxsize=8192)
def _in_list(name: str) -> tuple[str, int, str] | None:
    """Return list, row and column of `weapons.2.name`; None for what is in no list."""
    list_, _, rest = name.partition(".")
    number, _, column = rest.partition(".")
    return (list_, int(number), column) if number.isdigit() else None


@dataclass(frozen=True, slots=True)
class Subject:
    """What a card is about.

    Attributes:
        told: Its texts by name, as a view names them.
        numbers: Its whole numbers, which choose shapes.
        tracks: How many boxes each track has.
        dice: Pools, die by die, by the place that shows them.
    """

    name: str
    texts: Mapping[str, str]
    numbers: Mapping[str, int] = field(default_factory=dict)
    tracks: Mapping[str, int] = field(default_factory=dict)
    dice: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def build_card_kind(design: Design, plate: Plate | None = None) -> CardKind:
    """Return how a design builds its cards; without a plate, for what needs no places."""
    facts = design.facts
    card = facts["card"]
    steps = tuple(str(step) for step in facts.get("steps", (TEXT,)))
    return CardKind(
        size=(float(card["width"]), float(card["height"])),
        heights=facts["heights"],
        order=facts["order"],
        foot=str(facts["foot"].strip),
        air=float(facts["air"]),
        steps=steps,
        step=steps[0],
        changed=facts.get("changed"),
        places=_places(facts["heights"], plate) if plate is not None else {},
        plate=plate,
    )


def _places(heights: Mapping[str, float], plate: Plate) -> dict[str, dict[str, Place]]:
    """Return the places of each strip. A place may bear its strip's name in front.

    Strips that take each other's place have the same places; in a plate all names differ.
    """
    names = list(heights)
    found: dict[str, dict[str, Place]] = {name: {} for name in names}
    for place in plate.places:
        strip = names[place.page]
        found[strip][place.name.removeprefix(f"{strip.replace('-', '')}.")] = place
    return found
