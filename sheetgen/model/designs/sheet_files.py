"""`sheet.yaml`: what the planner and the templates need to know about a sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.shape import Count, Length, rule_model
from sheetgen.model.source import Text


@rule_model
class Measures:
    """Heights and widths of the parts of a sheet that is worked out, in points.

    Attributes:
        rooms: By paper: from the upper edge to the foot.
        spans: Columns of the grid that lists may be wide.
        wide, half, long_span, stat_spans: Columns of the grid.
        long_track: A track of more boxes is drawn as cells in rows of 25.
    """

    rooms: Mapping[str, Length] | None = None
    page_head: Length | None = None
    gap: Length | None = None
    spans: tuple[Count, ...] | None = None
    wide: Count | None = None
    half: Count | None = None
    who: Length | None = None
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
    stat_spans: tuple[Count, ...] | None = None
    longest_use: Count | None = None
    longest_how: Count | None = None
    long_track: Count | None = None
    long_row: Length | None = None
    long_least: Length | None = None
    long_span: Count | None = None
    boxes: Length | None = None
    boxes_across: Count | None = None
    track_head: Length | None = None
    pool: Length | None = None
    pool_figure: Length | None = None
    dice: Length | None = None
    list_rows: Count | None = None
    most_rows: Count | None = None
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
    words_across: Count | None = None
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
class SheetFile:
    """A design's `sheet.yaml`; see templates/README.md.

    Attributes:
        templates, css: By arrangement: `standard`, and themes that have one of their own.
        continuation: The template of the page for what did not fit.
        pages: How many pages each arrangement has.
        tables: Of the ruleset, that are printed; `if_there` where the ruleset has them.
        tokens: Folders of further tokens.
        height: Points of a page, by paper.
        tracks: How many boxes of a track are drawn.
        dice: How many dice are drawn.
        rows: By paper, then by name: how many rows are drawn.
        flow: By arrangement: the measures of a sheet that is worked out.
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
    flow: Mapping[str, Measures] | None = None
