"""Contexts of the sheets' templates: the rules, the paper, computed tables, filled places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sheetgen.diag.findings import Finding
from sheetgen.load.designs.templates import design_error
from sheetgen.load.rulesets.content import design_label
from sheetgen.model.build import Value
from sheetgen.model.prints import Plan
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.computed.parts import SheetParts
from sheetgen.plan.fit import shrunk_sizes
from sheetgen.plan.sheets.sheets import PlannedSheet
from sheetgen.rules.tables.compute import is_printed, printed
from sheetgen.rules.tables.things import RulesetScope


def build_blank_context(
    rules: Ruleset,
    facts: Mapping[str, Any],
    style: tuple[str, str],
    options: Mapping[str, Value] | None = None,
) -> dict[str, Any]:
    """Return the context of a plate: everything that does not depend on a character.

    Args:
        facts: The values of the design's `sheet.yaml`.
        style: Theme and paper.
        options: Options that differ from their defaults.
    """
    theme, paper = style
    flow = facts.get("flow")
    scope = RulesetScope(rules, options)
    shown = [str(id_) for id_, table in rules.tables.items() if is_printed(table, scope)]
    names = (*facts["tables"], *(n for n in facts.get("if_there", ()) if n in shown))
    names = tuple(shown) if flow else names
    for missing in (name for name in names if name not in rules.tables):
        raise design_error(missing, f"{rules.title} has no table `{missing}`", rules.tables)
    tables = {name: printed(rules, rules.tables[name], options) for name in names}
    bands: tuple[Mapping[str, Any], ...] = ()
    if flow:
        measures = {**flow["standard"], **flow.get(theme, {})}
        bands = SheetParts(rules, {**measures, "room": measures["rooms"][paper]}, tables).pages()
    return {
        "mode": "plate",
        "lang": rules.lang,
        "title": f"{facts['title']}, {rules.title}",
        "rules": rules,
        "sheet": facts,
        "theme": theme,
        "paper": paper,
        "tables": tables,
        "flow": bands,
    }


def build_filled_context(blank: Mapping[str, Any], planned: PlannedSheet) -> dict[str, Any]:
    """Return the context of a filled page: the blank one, with the content of each place."""
    page = planned.plan.leaves[0]
    filling = page.filling
    texts = filling.texts
    sizes = shrunk_sizes(page.plate, texts)
    two = [(n, s) for n, s in texts.items() if len(s.lines) == 2]
    return {
        **blank,
        "mode": "page",
        "title": planned.plan.title,
        "moved": planned.moved,
        "sizes": sizes,
        "folded": {n for n, _ in two},
        "indents": {n: len(s.lines[1]) - len(s.lines[1].lstrip()) for n, s in two},
        "wrapped": {n: len(s.lines) for n, s in texts.items() if len(s.lines) > 1},
        "values": {name: setting.value for name, setting in texts.items()},
        "roles": {name: setting.role for name, setting in texts.items() if setting.role},
        "ticks": filling.ticks,
        "frames": filling.frames,
        "marks": filling.marks,
    }


# Facts of a print that the script of an HTML sheet needs besides the page itself.


def build_page_facts(
    plan: Plan, rules: Ruleset, findings: Iterable[Finding], odds: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the facts of a page: the ids of its sheet, pools, findings, odds, values.

    Args:
        findings: Findings about the character when it was printed.
        odds: See `plan.scripts.live.compute_sheet_odds`.
    """
    version, filling = plan.meta["version"], plan.leaves[0].filling
    texts = {name: setting.value for name, setting in filling.texts.items() if setting.value}
    return {
        "ruleset": plan.meta["ruleset"],
        "version": int(version) if version.isdecimal() else version,
        "character": plan.meta["character"],
        "digest": plan.meta["source"],
        "sheet": design_label(rules.sheet or "plain"),
        "pools": {str(id_): pool.label for id_, pool in rules.pools.items()},
        "findings": [
            {
                "code": finding.code.id,
                "severity": finding.severity.word,
                "message": finding.message,
                "hint": finding.hint,
                "line": finding.span.line,
            }
            for finding in findings
        ],
        "odds": odds,
        "printed": texts | dict.fromkeys(filling.ticks, True),
    }
