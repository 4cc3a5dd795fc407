"""`sheet.yaml`: what the planner and the templates need to know about a sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.shape import Count, Measure, rule_model
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

    rooms: Mapping[str, Measure] | None = None
    page_head: Measure | None = None
    gap: Measure | None = None
    spans: tuple[Count, ...] | None = None
    wide: Count | None = None
    half: Count | None = None
    who: Measure | None = None
    cells: Measure | None = None
    head: Measure | None = None
    tree: Measure | None = None
    tree_dots: Measure | None = None
    code: Measure | None = None
    dots: Measure | None = None
    rolled: Measure | None = None
    line: Measure | None = None
    hint: Measure | None = None
    printed: Measure | None = None
    near: Measure | None = None
    stat_least: Measure | None = None
    stat: Measure | None = None
    stat_line: Measure | None = None
    stat_spans: tuple[Count, ...] | None = None
    longest_use: Count | None = None
    longest_how: Count | None = None
    long_track: Count | None = None
    long_row: Measure | None = None
    long_least: Measure | None = None
    long_span: Count | None = None
    boxes: Measure | None = None
    boxes_across: Count | None = None
    track_head: Measure | None = None
    pool: Measure | None = None
    pool_figure: Measure | None = None
    dice: Measure | None = None
    list_rows: Count | None = None
    most_rows: Count | None = None
    ledger_head: Measure | None = None
    ledger: Measure | None = None
    most_ledger: Count | None = None
    least_ledger: Measure | None = None
    purse_head: Measure | None = None
    purse: Measure | None = None
    purse_rows: Count | None = None
    least_notes: Measure | None = None
    pitch: Measure | None = None
    letter: Measure | None = None
    title_letter: Measure | None = None
    hint_letter: Measure | None = None
    table_letter: Measure | None = None
    table_gap: Measure | None = None
    words_across: Count | None = None
    most_words: Count | None = None
    box: Measure | None = None
    over: Measure | None = None
    link: Measure | None = None
    die: Measure | None = None
    code_narrow: Measure | None = None
    code_wide: Measure | None = None
    tree_code: Measure | None = None
    tree_code_wide: Measure | None = None


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
    height: Mapping[str, Measure] = field(default_factory=dict)
    tracks: Mapping[str, Count] = field(default_factory=dict)
    dice: Count | None = None
    rows: Mapping[str, Mapping[str, Count]] = field(default_factory=dict)
    flow: Mapping[str, Measures] | None = None
