"""What a sheet's template is told: the rules, the paper, and its computed tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sheetgen.load.designs.faults import design_error
from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.computed.parts import SheetParts
from sheetgen.plan.sheets.sheets import PlannedSheet
from sheetgen.rules.tables.tables import PrintedTable, RulesetScope, is_printed, printed


def build_blank_context(
    rules: Ruleset,
    facts: Mapping[str, Any],
    look: tuple[str, str],
    options: Mapping[str, Value] | None = None,
) -> dict[str, Any]:
    """Return the context of a plate: everything that does not vary with a character.

    Args:
        facts: What the design's `sheet.yaml` says.
        look: Theme and paper.
        options: Where a table plays otherwise than by default; tables follow them.
    """
    theme, paper = look
    flow = facts.get("flow")
    scope = RulesetScope(rules, options)
    there = [str(id_) for id_, table in rules.tables.items() if is_printed(table, scope)]
    names = (*facts["tables"], *(n for n in facts.get("if_there", ()) if n in there))
    names = tuple(there) if flow else names
    for lacking in (name for name in names if name not in rules.tables):
        raise design_error(lacking, f"{rules.title} has no table `{lacking}`", rules.tables)
    tables = {name: printed(rules, rules.tables[name], options) for name in names}
    return {
        "mode": "plate",
        "lang": rules.lang,
        "title": f"{facts['title']}, {rules.title}",
        "rules": rules,
        "sheet": facts,
        "theme": theme,
        "paper": paper,
        "tables": tables,
        "flow": _flow(rules, flow, look, tables) if flow else (),
    }


def _flow(
    rules: Ruleset,
    told: Mapping[str, Any],
    look: tuple[str, str],
    tables: Mapping[str, PrintedTable],
) -> tuple[Mapping[str, Any], ...]:
    """Return the pages of a sheet that is worked out from its ruleset."""
    theme, paper = look
    measures = {**told["standard"], **told.get(theme, {})}
    return SheetParts(rules, {**measures, "room": measures["rooms"][paper]}, tables).pages()


def build_filled_context(blank: Mapping[str, Any], planned: PlannedSheet) -> dict[str, Any]:
    """Return the context of a page: the blank one, and what stands in each place."""
    leaf = planned.plan.leaves[0]
    filling = leaf.filling
    sizes: dict[str, int] = {}
    for place in leaf.plate.places:
        setting = filling.texts.get(place.name)
        if setting is not None:
            full = leaf.plate.tokens.roles[setting.role or place.role].size
            percent = max(50, int(100 * setting.size / full + 0.01))
            sizes |= {place.name: percent} if percent < 100 else {}
    return {
        **blank,
        "mode": "page",
        "title": planned.plan.title,
        "moved": planned.moved,
        "sizes": sizes,
        "folded": {n for n, s in filling.texts.items() if len(s.lines) == 2 and n in sizes},
        "wrapped": {n for n, s in filling.texts.items() if len(s.lines) > 1},
        "values": {name: setting.value for name, setting in filling.texts.items()},
        "roles": {name: setting.role for name, setting in filling.texts.items() if setting.role},
        "ticks": filling.ticks,
        "frames": filling.frames,
        "marks": filling.marks,
    }
