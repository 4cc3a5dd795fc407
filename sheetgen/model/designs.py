"""Designs of sheets and cards, and presets of printers; the fields are their YAML's keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Final, Literal, TypeAlias

from sheetgen.model.source import (
    Count,
    DesignNumber,
    Length,
    Positive,
    Ref,
    TableId,
    Text,
    rule_model,
)
from sheetgen.records import frozen
from sheetgen.units import PaperName

Arrangement: TypeAlias = Annotated[str, Ref("arrangement")]
Paper: TypeAlias = Annotated[str, Ref("paper of a design")]
PaperOfRows: TypeAlias = Annotated[str, Ref("paper of rows")]
VARIANTS: Final = ("none", "x-1a", "x-3", "a-2")
"""What a file may be finished as: as it is, PDF/X-1a:2003, PDF/X-3:2003, PDF/A-2."""


@rule_model
class PresetEntry:
    """An entry of presets.yaml: what one printer needs."""

    label: Text  # What the preset is for.
    takes: Text | None = None  # What it prints: `cards`, `pages`, or `all`.
    paper: Text | None = None  # The paper of pages, and of sheets with several cards.
    theme: Text | None = None  # The theme.
    bleed: Text | None = None  # The bleed, with a unit: `3 mm`.
    safe: Text | None = None  # The margin inside the cut that text keeps out of, with a unit.
    single: bool | None = None  # Whether each card has a page of its own.
    marks: bool | None = None  # Whether there are crop marks.
    colour: Text | None = None  # The colour space: `rgb` or `cmyk`.
    variant: Text | None = None  # The standard that the file keeps: `none`, `x-1a`, `x-3` or `a-2`.
    condition: Text | None = None  # The registered printing condition of the colours.
    flatten: bool | None = None  # Whether form fields are drawn flat.
    pages: Count | None = None  # The number that the count of pages is a multiple of.
    ink: Length | None = None  # The most ink in one place, in per cent; 0 for no limit.
    line: Length | None = None  # The thinnest line, in points.
    ppi: Length | None = None  # The least resolution of pictures, in pixels an inch.
    # Width and height of cards after cutting, by name of size; a printer that cuts cards takes no
    # other sizes.
    cards: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)


@frozen
class Preset:
    """What one printer needs; see `PresetEntry`. Lengths are points."""

    name: str
    label: str
    takes: Literal["cards", "pages", "all"] = "all"
    paper: PaperName = "a4"
    theme: str = "standard"
    bleed: float = 0.0
    safe: float = 0.0
    single: bool = False
    marks: bool = True
    colour: Literal["rgb", "cmyk"] = "rgb"
    variant: str = "none"
    condition: str = ""
    flatten: bool = False
    pages: int = 1
    ink: float = 0.0
    line: float = 0.25
    ppi: float = 0.0
    cards: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    # The keys that its entry has; the other values are those of every preset.
    sets: frozenset[str] = frozenset()

    @property
    def scripts(self) -> bool:
        """Whether its files may have scripts: those for an archive or a press have none."""
        return self.colour == "rgb" and self.variant == "none"


@rule_model
class Measures:
    """Heights and widths of the parts of a computed sheet, in points."""

    # The height from the upper edge to the foot, by paper.
    rooms: Mapping[Paper, Length] | None = None
    page_head: Length | None = None  # The head of later pages.
    gap: Length | None = None  # The gap between blocks.
    spans: tuple[Positive, ...] | None = None  # Widths that lists may have, in columns of the grid.
    wide: Positive | None = None  # The width of a block of words, in columns of the grid.
    half: Positive | None = None  # The width of lines of text, in columns of the grid.
    who: Length | None = None  # The height of the block with the name.
    # The height of the portrait beside that block, which is at least as high.
    portrait: Length | None = None
    cells: Length | None = None  # A row of cells.
    head: Length | None = None  # The heading of a block.
    tree: Length | None = None  # A trait that governs others, with its rating as a code.
    tree_dots: Length | None = None  # A trait that governs others, with its rating as boxes.
    code: Length | None = None  # A row with a dice code.
    dots: Length | None = None  # A row with boxes.
    rolled: Length | None = None  # A row with a pool of dice.
    line: Length | None = None  # A line of text.
    two_lines: Length | None = None  # A row of a list whose words need two lines.
    hint: Length | None = None  # A line of small text.
    step: Length | None = None  # A box with the name of what it leads to.
    printed: Length | None = None  # A line of a printed table.
    near: Length | None = None  # The gap between blocks that belong together.
    stat_least: Length | None = None  # The least height of a number plate.
    stat: Length | None = None  # A number plate, without the lines below its rule.
    stat_line: Length | None = None  # A line below the rule of a number plate.
    stat_how: Length | None = None  # Three lines there.
    stat_letter: Length | None = None  # The mean width of a letter of its title.
    # Widths of number plates, in columns of the grid.
    stat_spans: tuple[Positive, ...] | None = None
    longest_use: Count | None = None  # The letters of the longest `use` of a derived value.
    longest_how: Count | None = None  # The letters of the longest explanation of a derived value.
    # The most boxes of a track; a longer one is a number, or cells in long rows.
    long_track: Positive | None = None
    long_across: Positive | None = None  # How many cells stand in a row, a multiple of five.
    long_row: Length | None = None  # A row of such cells.
    long_least: Length | None = None  # The least height of such a track.
    long_span: Positive | None = None  # The width of such a track, in columns of the grid.
    boxes: Length | None = None  # A row of boxes of a track.
    boxes_across: Positive | None = None  # How many boxes stand in a row.
    wound: Length | None = None  # The width of a box of a track, with the gap beside it.
    off_track: Length | None = None  # The width of the figure that counts what exceeds a track.
    track_head: Length | None = None  # The heading of a track.
    value_figure: Length | None = None  # The width of the figure of a derived value.
    dice: Length | None = None  # A row of dice.
    list_rows: Count | None = None  # How many rows a list has at least.
    most_rows: Positive | None = None  # How many rows stand under one heading.
    ledger_head: Length | None = None  # The heading of a ledger.
    ledger: Length | None = None  # A row of a ledger.
    most_ledger: Count | None = None  # How many rows a ledger has at most.
    least_ledger: Length | None = None  # The least height of a ledger.
    purse_head: Length | None = None  # The heading of a ledger of money.
    purse: Length | None = None  # A row of a ledger of money.
    purse_rows: Count | None = None  # How many rows a ledger of money has.
    least_notes: Length | None = None  # The least height of the notes.
    pitch: Length | None = None  # The distance between the lines of the notes.
    letter: Length | None = None  # The mean width of a letter of text.
    title_letter: Length | None = None  # The mean width of a letter of a title.
    hint_letter: Length | None = None  # The mean width of a letter of small text.
    label_letter: Length | None = None  # The mean width of a letter of a label beside its place.
    # The most room that a label has beside its place; a longer one is above it.
    label_room: Length | None = None
    table_letter: Length | None = None  # The mean width of a letter of a table.
    table_gap: Length | None = None  # The gap between the columns of a table.
    words_across: Positive | None = None  # How many letters of words stand in a row.
    most_words: Count | None = None  # How many letters a block of words has at most.
    box: Length | None = None  # The width of a box of a rating.
    over: Length | None = None  # The width of the figure that counts what exceeds the boxes.
    link: Length | None = None  # The width of the letter of a link.
    die: Length | None = None  # The width of a pinned die.
    code_narrow: Length | None = None  # The width of a dice code in a narrow block.
    beside: Length | None = None  # The width of a column beside a rating.
    code_wide: Length | None = None  # The width of a dice code in a wide block.
    tree_code: Length | None = None  # The width of the code of a trait that governs others.
    tree_code_wide: Length | None = None  # The same in a wide block.


@rule_model
class TighterStep:
    """What gives way on a sheet whose rules have more than its pages have room for."""

    moves: Text  # What is elsewhere or closer together, for the finding that says so.
    tight: bool = False  # Whether rows are closer together.
    spill: bool = False  # Whether parts have a further page of their own.
    # How many rows are drawn instead, by name.
    rows: Mapping[str, Count] = field(default_factory=dict)


@rule_model
class SheetFile:
    """A design of a sheet."""

    title: Text  # The title of the sheet.
    # The template by arrangement: `standard`, and themes with one of their own.
    templates: Mapping[Arrangement, Text]
    continuation: Text  # The template of the page for what did not fit.
    css: Mapping[Arrangement, tuple[Text, ...]]  # Style sheets by arrangement.
    screen: tuple[Text, ...] = ()  # Style sheets of the HTML file only.
    # How many pages each arrangement has.
    pages: Mapping[Arrangement, Count] = field(default_factory=dict)
    tables: tuple[TableId, ...] = ()  # Tables of the ruleset that are printed.
    if_there: tuple[Text, ...] = ()  # Tables that are printed where the ruleset has them.
    tokens: tuple[Annotated[Text, Ref("folder of tokens")], ...] = ()  # Folders of further tokens.
    # Arrangements whose empty sheet has a plate of its own; their templates see `empty`.
    empty: tuple[Arrangement, ...] = ()
    # The height of a page in points, by paper.
    height: Mapping[Paper, Length] = field(default_factory=dict)
    # How many boxes of a track are drawn, by track.
    tracks: Mapping[str, Count] = field(default_factory=dict)
    dice: Count | None = None  # How many dice are drawn.
    # How many rows are drawn, by paper and name.
    rows: Mapping[PaperOfRows, Mapping[str, Count]] = field(default_factory=dict)
    # What gives way by arrangement, step by step, where the rules need more room.
    tighter: Mapping[Arrangement, tuple[TighterStep, ...]] = field(default_factory=dict)
    # The measures of a computed sheet, by arrangement.
    flow: Mapping[Arrangement, Measures] | None = None


@rule_model
class TraitColumns:
    """Columns with all traits of a group, in a strip as high as the longest column."""

    of: Text  # The group.
    under: Text  # The group whose traits govern them, and head their lists.
    lists: Count  # How many lists a column has; more where there were more than four columns.
    letters: Count  # How many letters a line through all columns holds.
    code: Count  # How many of them the code and the gap of a column take.
    above: Length  # The room above the first list.
    head: Length  # The height of a head.
    row: Length  # The height of a line.
    without: Text | None = None  # A trait of `under` whose list is left out.


@rule_model
class TrackGrid:
    """What is left of a number: one less with each row and column."""

    from_: Text  # The text that holds the number.
    down: Text  # The track that has a row for each box.
    most: Count  # How many rows there are at most.
    across: Count  # How many columns there are.
    words: tuple[Text, ...]  # The labels of the rows.
    none: Text  # The text where nothing is left.
    least: Text | None = None  # A number of which so much is always left.


@rule_model
class JoinedTexts:
    """Several texts as one."""

    of: tuple[Text, ...]  # The texts.
    # The text between them. Without it, only the first text that is not empty is used.
    join: str | None = None
    since: Text | None = None  # The text counts from these words on.


@rule_model
class ShapeRule:
    """A shape that a number of the build chooses."""

    of: Text  # The number.
    from_: Count  # The least number with such a shape.
    to: Count  # The greatest number with such a shape.
    shape: Text  # The name of the shape, with `{n}`.
    else_: Text | None = None  # The shape for other numbers.


@rule_model
class Rings:
    """Points spread over sides, in the places `SIDE.N`."""

    sides: tuple[Text, ...]  # The sides.
    of: Text  # The number of all points.
    start: Text  # The number of points on each side.
    over: Text  # How many sides have one more.
    # How many points a side draws; `start.SIDE` is the number of points if it has more.
    most: Count


@rule_model
class Bars:
    """Columns as high as the numbers of a list, drawn by the shapes `bar-1`, `bar-2` and so on."""

    of: Text  # The list.
    most: Count  # How many columns are drawn.
    steps: Count  # How many heights there are.
    column: Text | None = None  # The column of the list with the number; `value` without it.
    # The number that has the full height; without it the greatest of the list has.
    whole: Count | None = None


@rule_model
class Fill:
    """As many strips as the room that is left over holds."""

    least: Count  # The least number of strips.
    most: Count  # The greatest number of strips.
    first: Text | None = None  # A strip before them.


@rule_model
class CardEntry:
    """A part of a card: a strip, a text (`text`), or sections (`beside`)."""

    # The strip; of several, the first in which no text shrinks too far.
    strip: tuple[Text, ...] | None = None
    text: tuple[Text, ...] | None = None  # Texts, each for itself, or joined by `join`.
    # A list whose rows are sections with `text`, `label`, `more` and `about`.
    beside: Text | None = None
    # Steps in which the part exists; in all of them without it.
    in_: tuple[Text, ...] | None = None
    when: tuple[Text, ...] = ()  # Texts; where one is missing, the part is left out.
    lacks: tuple[Text, ...] = ()  # Texts; where one exists, the part is left out.
    with_: Text | None = None  # A number; where it is 0, the part is left out.
    unless: Text | None = None  # A number; where it is not 0, the part is left out.
    # A drawing of the game's face; where it is missing, the part is left out.
    drawing: Text | None = None
    # Whether the part shows the picture of the card's subject, if it has one.
    picture: bool = False
    # Whether the part has the last of its strips at least, and the first of them that the room left
    # over holds. A card that shows a picture is without it.
    grows: bool = False
    # How far texts may shrink, 0 to 1, before the next strip is tried.
    enough: DesignNumber | None = None
    low: bool = False  # Whether the text stands at the foot.
    part: Text | None = None  # The part of the card that it belongs to; a kind may order its parts.
    # The text of a place: the first that is there.
    names: Mapping[str, tuple[Text, ...] | JoinedTexts] = field(default_factory=dict)
    # Texts that are tried instead of `names` before the last strip is taken.
    less: Mapping[str, tuple[Text, ...] | JoinedTexts] | None = None
    # The value whose footnote letter follows a text.
    noted: Mapping[str, Text] = field(default_factory=dict)
    # A word behind a text, or a text where it has a dot.
    words: Mapping[str, Text] = field(default_factory=dict)
    missing: Text | None = None  # The text of places that have none.
    # Shapes that a number chooses, by place.
    shapes: Mapping[str, ShapeRule] = field(default_factory=dict)
    # Shapes that a text chooses, by place: `PLACE-TEXT`.
    pictures: Mapping[str, Text] = field(default_factory=dict)
    # The track whose boxes the strip has; `*` for a strip for each track.
    track: Text | None = None
    inside: Text | None = None  # The text in each box, with `{n}`.
    short: Text | None = None  # The text in boxes that `inside` is too wide for.
    end: Text | None = None  # The text in the box after the last.
    beyond: tuple[Text, ...] = ()  # Strips with more boxes, from the smallest.
    counts: Text | None = None  # The number of members of a group: the boxes count down from it.
    counted: Text | None = None  # What is counted.
    group: tuple[Text, ...] = ()  # Strips for a group.
    rings: Rings | None = None  # Points spread over sides.
    each: Text | None = None  # The list whose rows have a strip each.
    together: bool = False  # Whether these rows stay on one face, if it holds them.
    varied: bool = False  # Whether each of these rows has the first strip with room for it.
    said: Text | None = None  # The column that a screen reader reads instead of a row.
    over: CardEntry | None = None  # Headings of columns, repeated on each face.
    # The roles of the columns of a list whose rows stand in one line.
    run: Mapping[str, Text] | None = None
    apart: str | None = None  # What stands between the rows of such a line.
    aligned: bool = False  # Whether rows are in columns if they need several lines.
    grid: TrackGrid | None = None  # What is left of a number.
    bars: Bars | None = None  # Columns as high as numbers.
    fill: Fill | None = None  # Strips that fill the room that is left.
    dice: tuple[Text, ...] = ()  # Pools that are drawn die by die, in the places `NAME.N`.
    as_: Text | None = None  # The entry of `texts` that the text is set as.
    join: str | None = None  # What stands between texts.
    before: str | None = None  # Words before the texts.
    heads: Count | None = None  # How many letters before `after` are bold.
    after: str = ":"  # What ends the bold letters.
    strong: str | None = None  # What stands between bold words.


@rule_model
class Changed:
    """How the card explains `+1`, which a key with `lifts` raised a code by."""

    said: Text  # What a screen reader reads.
    note: Text  # The text on the card.


@rule_model
class Foot:
    """The foot of each face."""

    strip: Text  # The strip.


@rule_model
class SizeChanges:
    """Keys of `card.yaml` that one size of card replaces."""

    strips: Mapping[str, Length] = field(default_factory=dict)  # Heights of strips.
    # Heights of strips that only this size has, or the columns that a strip holds.
    adds: Mapping[str, Length | TraitColumns] = field(default_factory=dict)
    # How many faces one card of this size holds, one below the other.
    per_card: Count | None = None
    texts: Mapping[str, Length] = field(default_factory=dict)  # Heights of lines of text.
    steps: tuple[Text, ...] | None = None  # Steps that are tried in turn.
    air: Length | None = None  # The room between parts.
    order: tuple[CardEntry, ...] | None = None  # The parts of the card.


@rule_model
class CardFile:
    """A design of a card; lengths are modules unless stated otherwise."""

    title: Text  # The title of a document of such cards.
    modules: Mapping[str, Length]  # Millimetres of a module, by size of card.
    css: tuple[Text, ...]  # Style sheets.
    strips: Mapping[str, Length]  # Heights of strips, by name.
    # Heights of lines; `NAME` makes the strips `NAME-1` to `NAME-8`, in role `card-NAME`.
    texts: Mapping[str, Length]
    air: Length  # The room between parts.
    order: tuple[CardEntry, ...]  # The parts of a card, from the top.
    foot: Foot  # The foot of each face.
    kind: Text | None = None  # The kind of file that the card is for.
    tokens: tuple[Text, ...] = ()  # Folders of further tokens.
    # Tried in turn until a card fits one face; `NAME-STEP` or `STEP` replaces `NAME`.
    steps: tuple[Text, ...] | None = None
    # The room that stays free below the last text; 2.55 without it.
    foot_margin: Length | None = None
    # Patterns of the places that a ruleset's `card_sets` may fill in.
    places: tuple[Text, ...] = ()
    changed: Changed | None = None  # How the card explains codes that were raised.
    # What single sizes of card replace.
    sizes: Mapping[str, SizeChanges] = field(default_factory=dict)
