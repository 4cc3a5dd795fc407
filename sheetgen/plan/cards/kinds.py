"""Kinds of cards, their subjects, and strips before they have places."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property, lru_cache
from typing import Any, Final, TypeVar

from sheetgen.load.designs.designs import Design
from sheetgen.model.designs.card_files import CardEntry, Changed
from sheetgen.model.pictures import Picture
from sheetgen.model.prints import FaceMetrics, Place, Plate, Tokens
from sheetgen.plan.cards.runs import CHANGE, UNIT, Run
from sheetgen.records import frozen

T = TypeVar("T")

FACE: Final = "face"
"""The strip `head-face` replaces `head` on a card that shows a picture in its head."""

_MOST_CACHED: Final = 20_000

TEXT: Final = "body"
"""The names of strips of plain text begin with this; `body-3` has three lines."""


@frozen
class CardKind:
    """A kind of card at one size, in points: the values of its `card.yaml`, and its plate.

    Attributes:
        heights: Heights of the strips by name, in the order of the plate's pages.
        order: The entries of a card; see docs/reference/card-designs.md.
        foot: The strip that ends each face.
        air: The space below a text.
        steps: Tried in turn until everything fits on one face; the last is used in any case.
        step: The step that is being tried.
        pictured: Whether the first face has the picture of the subject.
        drawings: The drawings that the game's face has.
        per_card: How many faces one card holds, one below the other.
        changed: Words for figures that a key of the file raised.
        places: Places by strip and by name, without the strip's own name in front.
        plate: None before the layout.
        cache: Results of `cached`: many cards have the same texts.
    """

    size: tuple[float, float]
    heights: Mapping[str, float]
    order: Sequence[CardEntry]
    foot: str
    air: float
    steps: tuple[str, ...] = (TEXT,)
    step: str = TEXT
    pictured: bool = False
    drawings: frozenset[str] = frozenset()
    per_card: int = 1
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
    def figure_roles(self) -> frozenset[str]:
        """The roles of figures whose units are smaller."""
        roles = self.tokens.roles
        return self.cached(("figures",), lambda: frozenset(r for r in roles if r + UNIT in roles))

    @property
    def metrics(self) -> Mapping[str, FaceMetrics]:
        """The metrics of the plate, by face."""
        assert self.plate is not None
        return self.plate.metrics

    @property
    def letters(self) -> frozenset[str]:
        """The letters that the fonts of the plate have, and ASCII."""
        faces = self.metrics.values()
        return self.cached(
            ("letters",),
            lambda: frozenset(map(chr, {*range(128)}.union(*(f.advances for f in faces)))),
        )

    @property
    def pages(self) -> Mapping[str, int]:
        """The pages of the plate, by strip."""
        return self.cached(("pages",), lambda: {name: n for n, name in enumerate(self.heights)})

    @property
    def entries(self) -> tuple[CardEntry, ...]:
        """The entries that a card may have in this step, but for pictures and what fills room."""

        def fits(entry: CardEntry) -> bool:
            shown = entry.in_ is None or self.step in entry.in_
            shown = shown and not (self.pictured and entry.grows)
            return shown and not entry.picture and entry.fill is None

        return self.cached(
            ("entries", self.step, self.pictured),
            lambda: tuple(entry for entry in self.order if fits(entry) and self.has(entry)),
        )

    @property
    def fillers(self) -> tuple[CardEntry, ...]:
        """The entries that fill room that is left over in this step."""

        def fills(entry: CardEntry) -> bool:
            return bool(entry.strip and entry.fill and self.step in (entry.in_ or (self.step,)))

        return self.cached(
            ("fillers", self.step),
            lambda: tuple(entry for entry in self.order if fills(entry) and self.has(entry)),
        )

    def filled_places(self, strip: str) -> tuple[str, ...]:
        """Return the names of the texts that fill places of a strip, and of their changes."""
        places = self.places[strip]
        return self.cached(
            ("filled", strip), lambda: tuple(n for p in places for n in (p, f"{p}.{CHANGE}"))
        )

    def strip(self, name: str) -> str:
        """Return the strip that replaces `name` in this step."""
        own = f"{name}-{self.step}"
        return own if own in self.heights else name

    def text(self, stem: str = "") -> str:
        """Return the first part of the names of text strips in this step, of the kind `stem`."""
        if stem:
            own = f"{stem}-{self.step}"
            return own if f"{own}-1" in self.heights else stem
        return self.step if f"{self.step}-1" in self.heights else TEXT

    def has(self, entry: CardEntry) -> bool:
        """Return whether this size has the strip of an entry, and the face its drawing."""
        if entry.drawing is not None and entry.drawing not in self.drawings:
            return False
        return not entry.strip or self.strip(entry.strip[0]) in self.heights

    def cached(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """Return the value of `make()` for `key`, from the cache if it is there."""
        found = self.cache.get(key)
        if found is None:
            if len(self.cache) >= _MOST_CACHED:
                self.cache.clear()
            found = self.cache[key] = make()
        value: T = found
        return value

    def at(self, step: str, *, pictured: bool = False) -> CardKind:
        """Return the kind with another step, with or without pictures."""
        return self.cached(
            ("at", step, pictured), lambda: replace(self, step=step, pictured=pictured)
        )

    def variants(self, names: Sequence[str]) -> Sequence[str]:
        """Return the strips `NAME-face` of these, if the card shows a picture and has any."""
        own = [f"{name}-{FACE}" for name in names if f"{name}-{FACE}" in self.heights]
        return own if self.pictured and own else names


@frozen
class StripDraft:
    """One strip before it has a place: its name, its content, and the space below it.

    Attributes:
        texts: Texts by place; `PLACE.change` and `PLACE.note` follow the text of a place.
        marks: Shapes by place.
        runs: Lines of runs by place, instead of one text.
        low: Whether it is placed as far down as possible.
        attached: Whether it stays on one face with the strip before it.
        grows: Strips that replace it: the first that the room left over holds.
        again: A strip of column heads that is repeated above it at the top of a further face.
        alt_text: The description of its shapes for screen readers.
        alt_only: Whether screen readers read `alt_text` instead of the texts.
    """

    name: str
    texts: Mapping[str, str]
    marks: Mapping[str, str] = field(default_factory=dict)
    below: float = 0
    runs: Mapping[str, Sequence[Sequence[Run]]] = field(default_factory=dict)
    low: bool = False
    attached: bool = False
    grows: tuple[str, ...] = ()
    again: StripDraft | None = None
    alt_text: str = ""
    alt_only: bool = False


class CardContext(dict[str, str]):
    """Texts by name, with an index of the lists among them."""

    @cached_property
    def _lists(self) -> Mapping[str, tuple[tuple[str, int, str], ...]]:
        return _index_lists(tuple(self))

    def rows(self, stem: str) -> list[dict[str, str]]:
        """Return the rows of a list in order: their texts by column."""
        rows: dict[int, dict[str, str]] = {}
        for name, number, column in self._lists.get(stem, ()):
            rows.setdefault(number, {})[column] = self[name]
        return [rows[n] for n in sorted(rows)]

    def list_texts(self, stem: str) -> tuple[object, ...]:
        """Return names and texts of a list; equal ones are equal rows."""
        names = self._lists.get(stem)
        return (names, *[self[name] for name, _, _ in names]) if names else ()


@lru_cache(maxsize=256)
def _index_lists(names: tuple[str, ...]) -> Mapping[str, tuple[tuple[str, int, str], ...]]:
    """Return names such as `weapons.2.name` by list, with row and column; cards repeat names."""
    lists: dict[str, list[tuple[str, int, str]]] = {}
    for name in names:
        stem, _, rest = name.partition(".")
        number, _, column = rest.partition(".")
        if number.isdigit():
            lists.setdefault(stem, []).append((name, int(number), column))
    return {stem: tuple(listed) for stem, listed in lists.items()}


@frozen
class Subject:
    """The subject of a card: a build, or a thing of the ruleset.

    Attributes:
        texts: Its texts by name, as in a view.
        numbers: Its whole numbers by name, which choose shapes.
        tracks: The number of boxes of each track.
        dice: Dice pools, die by die, by place.
        picture: Its picture.
    """

    name: str
    texts: CardContext
    numbers: Mapping[str, int] = field(default_factory=dict)
    tracks: Mapping[str, int] = field(default_factory=dict)
    dice: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    picture: Picture | None = None


def build_card_kind(design: Design, plate: Plate | None = None) -> CardKind:
    """Return the kind of card that a design describes, with the places of its plate."""
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
        drawings=frozenset(design.tokens.drawings),
        per_card=int(facts.get("per_card", 1)),
        changed=facts.get("changed"),
        places=_places(facts["heights"], plate) if plate is not None else {},
        plate=plate,
    )


def _places(heights: Mapping[str, float], plate: Plate) -> dict[str, dict[str, Place]]:
    """Return the places of each strip, without the strip's name in front of theirs.

    Alternative strips have the same places, but in a plate all names have to differ.
    """
    names = list(heights)
    places: dict[str, dict[str, Place]] = {name: {} for name in names}
    for place in plate.places:
        strip = names[place.page]
        places[strip][place.name.removeprefix(f"{strip.replace('-', '')}.")] = place
    return places
