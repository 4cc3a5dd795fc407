"""The panels of a ruleset with the rows of their blocks, as the options let them be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.load.rulesets.overlays import origin_of, origin_of_table
from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.screens import BLOCKS, Panel, ScreenBlock
from sheetgen.model.source import Text
from sheetgen.plan.pages.player_words import PlayerWords, round_percent
from sheetgen.plan.pages.screen_packing import PanelTopic
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled as words
from sheetgen.rules.tables.screen_rows import BlockRows, NoSuchRow, rows_of
from sheetgen.rules.tables.tables import RulesetScope as Scope


def find_panels(rules: Ruleset, names: Sequence[str]) -> Iterator[tuple[str, Text, Panel]]:
    """Yield side, id and panel of the sides or panels in `names`, or of all of them."""
    for side, screen in rules.screens.items():
        for id_, panel in screen.panels.items():
            if not names or id_ in names or side in names:
                key = id_ if isinstance(id_, Text) else Text(id_, rules.place)
                yield screen.label, key, panel


def list_panel_names(rules: Ruleset) -> tuple[str, ...]:
    """Return all names of sides and panels."""
    below = (str(id_) for screen in rules.screens.values() for id_ in screen.panels)
    return tuple(dict.fromkeys((*map(str, rules.screens), *below)))


def find_panel_topics(
    rules: Ruleset, names: Sequence[str], options: Mapping[str, Value], findings: list[Finding]
) -> Iterator[PanelTopic]:
    """Yield the panels that have blocks, with the rows of these."""
    for side, id_, panel in find_panels(rules, names):
        columns = [[*_filled_blocks(rules, column, options, findings)] for column in panel.columns]
        filled = [column for column in columns if column]
        if filled:
            named = replace(panel, subtitle=_subtitle(rules, panel, options, findings))
            fixed = any(not block.head for column in filled for block, _ in column)
            yield PanelTopic(side, id_, named, filled, fixed)


def _filled_blocks(
    rules: Ruleset,
    column: Sequence[ScreenBlock],
    options: Mapping[str, Value],
    findings: list[Finding],
) -> Iterator[tuple[ScreenBlock, BlockRows]]:
    for block in column:
        if str(block.kind) not in BLOCKS:
            message = f"there is no kind of block `{block.kind}`"
            span = block.kind.span if isinstance(block.kind, Text) else block.head.span
            findings.append(Finding(codes.DANGLING, span, message, f"one of {', '.join(BLOCKS)}"))
            continue
        try:
            rows = rows_of(rules, block, options)
            block = replace(block, about=words(block.about, Scope(rules, options)))
        except FormulaError as error:
            code = codes.DANGLING if isinstance(error, NoSuchRow) else codes.UNANSWERED
            message = f"the block `{block.head}` cannot be worked out: {error}"
            findings.append(Finding(code, block.head.span, message))
            continue
        if rows is not None and rows.rows:
            yield block, _for_players(rules, replace(rows, origin=_origin(rules, block)))


def _subtitle(
    rules: Ruleset, panel: Panel, options: Mapping[str, Value], findings: list[Finding]
) -> str:
    try:
        return words(panel.subtitle, Scope(rules, options))
    except FormulaError as error:
        message = f"`{panel.subtitle}` cannot be worked out: {error}"
        findings.append(Finding(codes.UNANSWERED, panel.title.span, message))
        return ""


def _for_players(rules: Ruleset, rows: BlockRows) -> BlockRows:
    """Return rows without the codes of rulings, with typographic apostrophes."""
    text = PlayerWords(rules.rulings).text
    cells = [tuple(round_percent(text(cell)) for cell in row) for row in rows.rows]
    return replace(rows, rows=tuple(cells), text=text(rows.text))


def _origin(rules: Ruleset, block: ScreenBlock) -> str:
    """Return the title of the overlay that a block or one of its tables comes from."""
    origins = (origin_of_table(rules, str(table)) for table in block.tables)
    found = (origin_of(rules, block.head.span), *origins)
    return next((origin.title for origin in found if origin is not None), "")
