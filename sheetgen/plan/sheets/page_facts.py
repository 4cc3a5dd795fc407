"""What the script of an HTML sheet has to know of its print, besides what stands on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sheetgen.diag.findings import Finding
from sheetgen.model.prints import Plan
from sheetgen.model.rulesets.ruleset import Ruleset


def build_page_facts(
    plan: Plan, rules: Ruleset, said: Iterable[Finding], odds: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the facts of a page: whose sheet it is, pools by name, findings, odds, values.

    Args:
        said: What was said of the character when it was printed.
        odds: See `plan.odds_taps`.
    """
    version, filling = plan.meta["version"], plan.leaves[0].filling
    texts = {name: setting.value for name, setting in filling.texts.items() if setting.value}
    return {
        "ruleset": plan.meta["ruleset"],
        "version": int(version) if version.isdecimal() else version,
        "character": plan.meta["character"],
        "digest": plan.meta["source"],
        "sheet": str(rules.sheet or "plain"),
        "pools": {str(id_): pool.label for id_, pool in rules.pools.items()},
        "findings": [
            {
                "code": finding.code.id,
                "severity": finding.severity.word,
                "message": finding.message,
                "hint": finding.hint,
                "line": finding.span.line,
            }
            for finding in said
        ],
        "odds": odds,
        "printed": texts | dict.fromkeys(filling.ticks, True),
    }
