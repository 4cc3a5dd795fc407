"""The fields of a design's `sheet.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.shape import Count, Length, Positive, rule_model
from sheetgen.model.source import Text


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
        hint: A line of small text.
        printed: A line of a printed table.
        near: The gap between blocks that belong together.
        stat_least: The least height of a number plate.
        stat: A number plate, without the lines below its rule.
        stat_line: A line below the rule of a number plate.
        stat_spans: Widths of number plates, in columns of the grid.
        longest_use: The letters of the longest `use` of a derived value.
        longest_how: The letters of the longest explanation of a derived value.
        long_track: The number of boxes from which a track is drawn as cells, 25 in a row.
        long_row: A row of such cells.
        long_least: The least height of such a track.
        long_span: The width of such a track, in columns of the grid.
        boxes: A row of boxes of a track.
        boxes_across: How many boxes stand in a row.
        track_head: The heading of a track.
        pool: The row of a pool.
        pool_figure: The width of a pool's figure.
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
        table_letter: The mean width of a letter of a table.
        table_gap: The gap between the columns of a table.
        words_across: How many letters of words stand in a row.
        most_words: How many letters a block of words has at most.
        box: The width of a box of a rating.
        over: The width of what stands beyond the boxes.
        link: The width of the letter of a link.
        die: The width of a pinned die.
        code_narrow: The width of a dice code in a narrow block.
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
    hint: Length | None = None
    printed: Length | None = None
    near: Length | None = None
    stat_least: Length | None = None
    stat: Length | None = None
    stat_line: Length | None = None
    stat_spans: tuple[Positive, ...] | None = None
    longest_use: Count | None = None
    longest_how: Count | None = None
    long_track: Positive | None = None
    long_row: Length | None = None
    long_least: Length | None = None
    long_span: Positive | None = None
    boxes: Length | None = None
    boxes_across: Positive | None = None
    track_head: Length | None = None
    pool: Length | None = None
    pool_figure: Length | None = None
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
    table_letter: Length | None = None
    table_gap: Length | None = None
    words_across: Positive | None = None
    most_words: Count | None = None
    box: Length | None = None
    over: Length | None = None
    link: Length | None = None
    die: Length | None = None
    code_narrow: Length | None = None
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
