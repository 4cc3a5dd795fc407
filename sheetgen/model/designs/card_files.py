"""`card.yaml`: how a kind of card is built; templates/README.md says what each key does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.shape import Count, DesignNumber, Length, rule_model
from sheetgen.model.source import Text


@rule_model
class JoinedTexts:
    """Several texts as one: joined, or the part of the first that begins with some words."""

    of: tuple[Text, ...]
    join: str | None = None
    since: Text | None = None


@rule_model
class ShapeRule:
    """A shape that a number of the build chooses."""

    of: Text
    from_: Count
    to: Count
    shape: Text
    else_: Text | None = None


@rule_model
class Rings:
    """Points spread over sides."""

    sides: tuple[Text, ...]
    of: Text
    start: Text
    over: Text
    most: Count


@rule_model
class TrackGrid:
    """What is left of a number, one less each row and column.

    Attributes:
        least: The number below which nothing falls; without it, or at 0, `none` stands there.
    """

    from_: Text
    down: Text
    most: Count
    across: Count
    words: tuple[Text, ...]
    none: Text
    least: Text | None = None


@rule_model
class Bars:
    """Columns as high as the numbers of a list."""

    of: Text
    most: Count
    steps: Count
    column: Text | None = None
    whole: Count | None = None


@rule_model
class Fill:
    """As many strips as the room that is left over holds."""

    least: Count
    most: Count
    first: Text | None = None


@rule_model
class CardEntry:
    """What stands on a card: a strip, a text, or sections; see templates/README.md."""

    strip: tuple[Text, ...] | None = None
    text: tuple[Text, ...] | None = None
    beside: Text | None = None
    in_: tuple[Text, ...] | None = None
    when: Text | None = None
    lacks: Text | None = None
    with_: Text | None = None
    unless: Text | None = None
    enough: DesignNumber | None = None
    low: bool = False
    names: Mapping[str, tuple[Text, ...] | JoinedTexts] = field(default_factory=dict)
    less: Mapping[str, tuple[Text, ...] | JoinedTexts] | None = None
    noted: Mapping[str, Text] = field(default_factory=dict)
    words: Mapping[str, Text] = field(default_factory=dict)
    shapes: Mapping[str, ShapeRule] = field(default_factory=dict)
    pictures: Mapping[str, Text] = field(default_factory=dict)
    track: Text | None = None
    inside: Text | None = None
    end: Text | None = None
    beyond: Text | None = None
    counts: Text | None = None
    counted: Text | None = None
    group: tuple[Text, ...] = ()
    rings: Rings | None = None
    each: Text | None = None
    said: Text | None = None
    over: CardEntry | None = None
    run: Mapping[str, Text] | None = None
    apart: str | None = None
    grid: TrackGrid | None = None
    bars: Bars | None = None
    fill: Fill | None = None
    dice: tuple[Text, ...] = ()
    as_: Text | None = None
    join: str | None = None
    heads: Count | None = None
    after: str = ":"
    strong: str | None = None


@rule_model
class Changed:
    """How screen readers are told of `+1`, and the text that explains it."""

    said: Text
    note: Text


@rule_model
class Foot:
    """The strip that ends each face."""

    strip: Text


@rule_model
class SizeChanges:
    """What a card of one size has instead of what the file says otherwise."""

    strips: Mapping[str, Length] = field(default_factory=dict)
    texts: Mapping[str, Length] = field(default_factory=dict)
    steps: tuple[Text, ...] | None = None
    air: Length | None = None
    foot_margin: Length | None = None
    order: tuple[CardEntry, ...] | None = None


@rule_model
class CardFile:
    """A design's `card.yaml`; see templates/README.md."""

    title: Text
    modules: Mapping[str, Length]
    css: tuple[Text, ...]
    strips: Mapping[str, Length]
    texts: Mapping[str, Length]
    air: Length
    order: tuple[CardEntry, ...]
    foot: Foot
    kind: Text | None = None
    tokens: tuple[Text, ...] = ()
    steps: tuple[Text, ...] | None = None
    foot_margin: Length | None = None
    places: tuple[Text, ...] = ()
    changed: Changed | None = None
    sizes: Mapping[str, SizeChanges] = field(default_factory=dict)
