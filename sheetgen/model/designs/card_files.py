"""The fields of a design's `card.yaml`: how a kind of card is built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.designs.card_grids import TrackGrid, TraitColumns
from sheetgen.model.shape import Count, DesignNumber, Length, rule_model
from sheetgen.model.source import Text


@rule_model
class JoinedTexts:
    """Several texts as one.

    Attributes:
        of: The texts.
        join: The text between them. Without it, only the first text that is not empty is used.
        since: The text counts from these words on.
    """

    of: tuple[Text, ...]
    join: str | None = None
    since: Text | None = None


@rule_model
class ShapeRule:
    """A shape that a number of the build chooses.

    Attributes:
        of: The number.
        from_: The least number with such a shape.
        to: The greatest number with such a shape.
        shape: The name of the shape, with `{n}`.
        else_: The shape for other numbers.
    """

    of: Text
    from_: Count
    to: Count
    shape: Text
    else_: Text | None = None


@rule_model
class Rings:
    """Points spread over sides, in the places `SIDE.N`.

    Attributes:
        sides: The sides.
        of: The number of all points.
        start: The number of points on each side.
        over: How many sides have one more.
        most: How many points a side draws; `start.SIDE` is the number of points if it has more.
    """

    sides: tuple[Text, ...]
    of: Text
    start: Text
    over: Text
    most: Count


@rule_model
class Bars:
    """Columns as high as the numbers of a list, drawn by the shapes `bar-1`, `bar-2` and so on.

    Attributes:
        of: The list.
        most: How many columns are drawn.
        steps: How many heights there are.
        column: The column of the list with the number; `value` without it.
        whole: The number that has the full height; without it the greatest of the list has.
    """

    of: Text
    most: Count
    steps: Count
    column: Text | None = None
    whole: Count | None = None


@rule_model
class Fill:
    """As many strips as the room that is left over holds.

    Attributes:
        least: The least number of strips.
        most: The greatest number of strips.
        first: A strip before them.
    """

    least: Count
    most: Count
    first: Text | None = None


@rule_model
class CardEntry:
    """A part of a card: a strip, a text (`text`), or sections (`beside`).

    Attributes:
        strip: The strip; of several, the first in which no text shrinks too far.
        text: Texts, each for itself, or joined by `join`.
        beside: A list whose rows are sections with `text`, `label`, `more` and `about`.
        in_: Steps in which the part exists; in all of them without it.
        when: Texts; where one is missing, the part is left out.
        lacks: A text; where it exists, the part is left out.
        with_: A number; where it is 0, the part is left out.
        unless: A number; where it is not 0, the part is left out.
        drawing: A drawing of the game's face; where it is missing, the part is left out.
        picture: Whether the part shows the picture of the card's subject, if it has one.
        grows: Whether the part has the last of its strips at least, and the first of them that
            the room left over holds. A card that shows a picture is without it.
        enough: How far texts may shrink, 0 to 1, before the next strip is tried.
        low: Whether the text stands at the foot.
        names: The text of a place: the first that is there.
        less: Texts that are tried instead of `names` before the last strip is taken.
        noted: The value whose footnote letter follows a text.
        words: A word behind a text, or a text where it has a dot.
        missing: The text of places that have none.
        shapes: Shapes that a number chooses, by place.
        pictures: Shapes that a text chooses, by place: `PLACE-TEXT`.
        track: The track whose boxes the strip has; `*` for a strip for each track.
        inside: The text in each box, with `{n}`.
        short: The text in boxes that `inside` is too wide for.
        end: The text in the box after the last.
        beyond: Strips with more boxes, from the smallest.
        counts: The number of members of a group: the boxes count down from it.
        counted: What is counted.
        group: Strips for a group.
        rings: Points spread over sides.
        each: The list whose rows have a strip each.
        said: The column that a screen reader reads instead of a row.
        over: Headings of columns, repeated on each face.
        run: The roles of the columns of a list whose rows stand in one line.
        apart: What stands between the rows of such a line.
        grid: What is left of a number.
        bars: Columns as high as numbers.
        fill: Strips that fill the room that is left.
        dice: Pools that are drawn die by die, in the places `NAME.N`.
        as_: The entry of `texts` that the text is set as.
        join: What stands between texts.
        before: Words before the texts.
        heads: How many letters before `after` are bold.
        after: What ends the bold letters.
        strong: What stands between bold words.
    """

    strip: tuple[Text, ...] | None = None
    text: tuple[Text, ...] | None = None
    beside: Text | None = None
    in_: tuple[Text, ...] | None = None
    when: tuple[Text, ...] = ()
    lacks: Text | None = None
    with_: Text | None = None
    unless: Text | None = None
    drawing: Text | None = None
    picture: bool = False
    grows: bool = False
    enough: DesignNumber | None = None
    low: bool = False
    names: Mapping[str, tuple[Text, ...] | JoinedTexts] = field(default_factory=dict)
    less: Mapping[str, tuple[Text, ...] | JoinedTexts] | None = None
    noted: Mapping[str, Text] = field(default_factory=dict)
    words: Mapping[str, Text] = field(default_factory=dict)
    missing: Text | None = None
    shapes: Mapping[str, ShapeRule] = field(default_factory=dict)
    pictures: Mapping[str, Text] = field(default_factory=dict)
    track: Text | None = None
    inside: Text | None = None
    short: Text | None = None
    end: Text | None = None
    beyond: tuple[Text, ...] = ()
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
    before: str | None = None
    heads: Count | None = None
    after: str = ":"
    strong: str | None = None


@rule_model
class Changed:
    """How the card explains `+1`, which a key with `lifts` raised a code by.

    Attributes:
        said: What a screen reader reads.
        note: The text on the card.
    """

    said: Text
    note: Text


@rule_model
class Foot:
    """The foot of each face.

    Attributes:
        strip: The strip.
    """

    strip: Text


@rule_model
class SizeChanges:
    """Keys of `card.yaml` that one size of card replaces.

    Attributes:
        strips: Heights of strips.
        adds: Heights of strips that only this size has, or the columns that a strip holds.
        per_card: How many faces one card of this size holds, one below the other.
        texts: Heights of lines of text.
        steps: Steps that are tried in turn.
        air: The room between parts.
        order: The parts of the card.
    """

    strips: Mapping[str, Length] = field(default_factory=dict)
    adds: Mapping[str, Length | TraitColumns] = field(default_factory=dict)
    per_card: Count | None = None
    texts: Mapping[str, Length] = field(default_factory=dict)
    steps: tuple[Text, ...] | None = None
    air: Length | None = None
    order: tuple[CardEntry, ...] | None = None


@rule_model
class CardFile:
    """A design of a card; lengths are modules unless stated otherwise.

    Attributes:
        title: The title of a document of such cards.
        modules: Millimetres of a module, by size of card.
        css: Style sheets.
        strips: Heights of strips, by name.
        texts: Heights of lines; `NAME` makes the strips `NAME-1` to `NAME-8`, in role `card-NAME`.
        air: The room between parts.
        order: The parts of a card, from the top.
        foot: The foot of each face.
        kind: The kind of file that the card is for.
        tokens: Folders of further tokens.
        steps: Tried in turn until a card fits one face; `NAME-STEP` or `STEP` replaces `NAME`.
        foot_margin: The room that stays free below the last text; 2.55 without it.
        places: Patterns of the places that a ruleset's `card_sets` may fill in.
        changed: How the card explains codes that were raised.
        sizes: What single sizes of card replace.
    """

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
