"""Render a planned sheet as an HTML file, with the odds that its script shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from sheetgen import __version__
from sheetgen.diag.findings import Finding
from sheetgen.diag.notices import announced
from sheetgen.load.cache import code_stamp, read_cache, store_in_cache
from sheetgen.load.rulesets.rulesets import load_complete
from sheetgen.model.build import Value
from sheetgen.model.live import Live
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.scripts.odds_taps import compute_sheet_odds
from sheetgen.plan.sheets.context import build_filled_context
from sheetgen.plan.sheets.page_facts import build_page_facts
from sheetgen.plan.sheets.sheets import PlannedSheet
from sheetgen.render.fonts.font_store import find_web_fonts
from sheetgen.render.html.page import render_page
from sheetgen.render.pictures.prepare import build_page_pictures
from sheetgen.render.plates.plate_store import RulesetDesign
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.odds.grid import GridError
from sheetgen.rules.odds.words import OddsError


def render_sheet_page(
    design: RulesetDesign,
    planned: PlannedSheet,
    findings: Iterable[Finding],
    options: Mapping[str, Value] | None,
    live: Live | None,
    *,
    flat: bool = False,
) -> bytes:
    """Return a planned sheet as an HTML file.

    Args:
        findings: Findings about the character.
        live: What the sheet calculates, if it can.
        flat: Whether values are text, without fields and without a script.
    """
    base, rules = design.design, design.rules
    context = {**build_filled_context(design.context, planned), "meta": planned.plan.meta}
    filling = planned.plan.leaves[0].filling
    context["pictures"] = build_page_pictures(filling.pictures)
    facts = None
    if flat:
        context["flat"] = True
    else:
        facts = build_page_facts(planned.plan, rules, findings, find_sheet_odds(rules, options))
    fonts = find_web_fonts(base)
    parts = base.texts, base.template, base.screen, base.tokens, fonts, context
    return render_page(*parts, facts, live, base.narrow)


def find_sheet_odds(rules: Ruleset, options: Mapping[str, Value] | None) -> dict[str, Any] | None:
    """Return the odds that an HTML sheet of `rules` shows, from the cache or computed.

    None if the ruleset prints no odds, or if they cannot be computed; `sheetgen odds` says why.
    """
    chosen = repr(sorted((options or {}).items()))
    inputs = f"{rules.digest}\0{chosen}\0{code_stamp()}\0{__version__}"
    key = f"{hashlib.sha256(inputs.encode()).hexdigest()[:32]}.odds"
    content = read_cache(key)
    if content is None:
        with announced(f"computing the odds of {rules.title}"):
            content = json.dumps(_compute_odds(rules, options or {}), ensure_ascii=False).encode()
        store_in_cache(key, content)
    odds: dict[str, Any] | None = json.loads(content)
    return odds


def _compute_odds(rules: Ruleset, options: Mapping[str, Value]) -> dict[str, Any] | None:
    loaded = load_complete(rules)
    try:
        return compute_sheet_odds(loaded, options) if loaded is not None else None
    except (GridError, OddsError, FormulaError):
        return None
