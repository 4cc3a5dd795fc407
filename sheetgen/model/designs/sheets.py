"""The fields of a design's `sheet.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.source import Count, DesignNumber, Length, Positive, Text, rule_model


@rule_model
class Measures:
    """Heights and widths of the parts of a computed sheet, in points.

    Attributes:
        rooms: The height from the upper edge to the foot, by paper.
        page_head: The head of later pages.
        gap: The gap between blocks.
        spans: Widths that lists may have, in columns of the grid.
        wide: The width of a block of words, in columns of the grid.
        half: The width of lines of text, in columns of the grid.
        who: The height of the block with the name.
        portrait: The height of the portrait beside that block, which is at least as high.
        cells: A row of cells.
        head: The heading of a block.
        tree: A trait that governs others, with its rating as a code.
        tree_dots: A trait that governs others, with its rating as boxes.
        code: A row with a dice code.
        dots: A row with boxes.
        rolled: A row with a pool of dice.
        line: A line of text.
        two_lines: A row of a list whose words need two lines.
        hint: A line of small text.
        step: A box with the name of what it leads to.
        printed: A line of a printed table.
        near: The gap between blocks that belong together.
        stat_least: The least height of a number plate.
        stat: A number plate, without the lines below its rule.
        stat_line: A line below the rule of a number plate.
        stat_how: Three lines there.
        stat_letter: The mean width of a letter of its title.
        stat_spans: Widths of number plates, in columns of the grid.
        longest_use: The letters of the longest `use` of a derived value.
        longest_how: The letters of the longest explanation of a derived value.
        long_track: The most boxes of a track; a longer one is a number, or cells in long rows.
        long_across: How many cells stand in a row, a multiple of five.
        long_row: A row of such cells.
        long_least: The least height of such a track.
        long_span: The width of such a track, in columns of the grid.
        boxes: A row of boxes of a track.
        boxes_across: How many boxes stand in a row.
        wound: The width of a box of a track, with the gap beside it.
        off_track: The width of what stands beyond the boxes of a track.
        track_head: The heading of a track.
        value_figure: The width of the figure of a derived value.
        dice: A row of dice.
        list_rows: How many rows a list has at least.
        most_rows: How many rows stand under one heading.
        ledger_head: The heading of a ledger.
        ledger: A row of a ledger.
        most_ledger: How many rows a ledger has at most.
        least_ledger: The least height of a ledger.
        purse_head: The heading of a ledger of money.
        purse: A row of a ledger of money.
        purse_rows: How many rows a ledger of money has.
        least_notes: The least height of the notes.
        pitch: The distance between the lines of the notes.
        letter: The mean width of a letter of text.
        title_letter: The mean width of a letter of a title.
        hint_letter: The mean width of a letter of small text.
        label_letter: The mean width of a letter of a label beside its place.
        label_room: The most room that a label has beside its place; a longer one is above it.
        table_letter: The mean width of a letter of a table.
        table_gap: The gap between the columns of a table.
        words_across: How many letters of words stand in a row.
        most_words: How many letters a block of words has at most.
        box: The width of a box of a rating.
        over: The width of what stands beyond the boxes.
        link: The width of the letter of a link.
        die: The width of a pinned die.
        code_narrow: The width of a dice code in a narrow block.
        beside: The width of a column beside a rating.
        code_wide: The width of a dice code in a wide block.
        tree_code: The width of the code of a trait that governs others.
        tree_code_wide: The same in a wide block.
    """

    rooms: Mapping[str, Length] | None = None
    page_head: Length | None = None
    gap: Length | None = None
    spans: tuple[Positive, ...] | None = None
    wide: Positive | None = None
    half: Positive | None = None
    who: Length | None = None
    portrait: Length | None = None
    cells: Length | None = None
    head: Length | None = None
    tree: Length | None = None
    tree_dots: Length | None = None
    code: Length | None = None
    dots: Length | None = None
    rolled: Length | None = None
    line: Length | None = None
    two_lines: Length | None = None
    hint: Length | None = None
    step: Length | None = None
    printed: Length | None = None
    near: Length | None = None
    stat_least: Length | None = None
    stat: Length | None = None
    stat_line: Length | None = None
    stat_how: Length | None = None
    stat_letter: Length | None = None
    stat_spans: tuple[Positive, ...] | None = None
    longest_use: Count | None = None
    longest_how: Count | None = None
    long_track: Positive | None = None
    long_across: Positive | None = None
    long_row: Length | None = None
    long_least: Length | None = None
    long_span: Positive | None = None
    boxes: Length | None = None
    boxes_across: Positive | None = None
    wound: Length | None = None
    off_track: Length | None = None
    track_head: Length | None = None
    value_figure: Length | None = None
    dice: Length | None = None
    list_rows: Count | None = None
    most_rows: Positive | None = None
    ledger_head: Length | None = None
    ledger: Length | None = None
    most_ledger: Count | None = None
    least_ledger: Length | None = None
    purse_head: Length | None = None
    purse: Length | None = None
    purse_rows: Count | None = None
    least_notes: Length | None = None
    pitch: Length | None = None
    letter: Length | None = None
    title_letter: Length | None = None
    hint_letter: Length | None = None
    label_letter: Length | None = None
    label_room: Length | None = None
    table_letter: Length | None = None
    table_gap: Length | None = None
    words_across: Positive | None = None
    most_words: Count | None = None
    box: Length | None = None
    over: Length | None = None
    link: Length | None = None
    die: Length | None = None
    code_narrow: Length | None = None
    beside: Length | None = None
    code_wide: Length | None = None
    tree_code: Length | None = None
    tree_code_wide: Length | None = None


@rule_model
class TighterStep:
    """What gives way on a sheet whose rules have more than its pages have room for.

    Attributes:
        moves: What is elsewhere or closer together, for the finding that says so.
        tight: Whether rows are closer together.
        spill: Whether parts have a further page of their own.
        rows: How many rows are drawn instead, by name.
    """

    moves: Text
    tight: bool = False
    spill: bool = False
    rows: Mapping[str, Count] = field(default_factory=dict)


@rule_model
class SheetFile:
    """A design of a sheet.

    Attributes:
        title: The title of the sheet.
        templates: The template by arrangement: `standard`, and themes with one of their own.
        continuation: The template of the page for what did not fit.
        css: Style sheets by arrangement.
        screen: Style sheets of the HTML file only.
        pages: How many pages each arrangement has.
        tables: Tables of the ruleset that are printed.
        if_there: Tables that are printed where the ruleset has them.
        tokens: Folders of further tokens.
        height: The height of a page in points, by paper.
        tracks: How many boxes of a track are drawn, by track.
        dice: How many dice are drawn.
        rows: How many rows are drawn, by paper and name.
        tighter: What gives way by arrangement, step by step, where the rules need more room.
        flow: The measures of a computed sheet, by arrangement.
    """

    title: Text
    templates: Mapping[str, Text]
    continuation: Text
    css: Mapping[str, tuple[Text, ...]]
    screen: tuple[Text, ...] = ()
    pages: Mapping[str, Count] = field(default_factory=dict)
    tables: tuple[Text, ...] = ()
    if_there: tuple[Text, ...] = ()
    tokens: tuple[Text, ...] = ()
    height: Mapping[str, Length] = field(default_factory=dict)
    tracks: Mapping[str, Count] = field(default_factory=dict)
    dice: Count | None = None
    rows: Mapping[str, Mapping[str, Count]] = field(default_factory=dict)
    tighter: Mapping[str, tuple[TighterStep, ...]] = field(default_factory=dict)
    flow: Mapping[str, Measures] | None = None


@rule_model
class TraitColumns:
    """Columns with all traits of a group, in a strip as high as the longest column.

    Attributes:
        of: The group.
        under: The group whose traits govern them, and head their lists.
        without: A trait of `under` whose list is left out.
        lists: How many lists a column has; more where there were more than four columns.
        letters: How many letters a line through all columns holds.
        code: How many of them the code and the gap of a column take.
        above: The room above the first list.
        head: The height of a head.
        row: The height of a line.
    """

    of: Text
    under: Text
    lists: Count
    letters: Count
    code: Count
    above: Length
    head: Length
    row: Length
    without: Text | None = None


@rule_model
class TrackGrid:
    """What is left of a number: one less with each row and column.

    Attributes:
        from_: The text that holds the number.
        down: The track that has a row for each box.
        most: How many rows there are at most.
        across: How many columns there are.
        words: The labels of the rows.
        none: The text where nothing is left.
        least: A number of which so much is always left.
    """

    from_: Text
    down: Text
    most: Count
    across: Count
    words: tuple[Text, ...]
    none: Text
    least: Text | None = None


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
        lacks: Texts; where one exists, the part is left out.
        with_: A number; where it is 0, the part is left out.
        unless: A number; where it is not 0, the part is left out.
        drawing: A drawing of the game's face; where it is missing, the part is left out.
        picture: Whether the part shows the picture of the card's subject, if it has one.
        grows: Whether the part has the last of its strips at least, and the first of them that
            the room left over holds. A card that shows a picture is without it.
        enough: How far texts may shrink, 0 to 1, before the next strip is tried.
        low: Whether the text stands at the foot.
        part: The part of the card that it belongs to; a kind may order its parts.
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
    lacks: tuple[Text, ...] = ()
    with_: Text | None = None
    unless: Text | None = None
    drawing: Text | None = None
    picture: bool = False
    grows: bool = False
    enough: DesignNumber | None = None
    low: bool = False
    part: Text | None = None
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
