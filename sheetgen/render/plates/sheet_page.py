"""Render a planned sheet as an HTML file, with the odds that its script shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sheetgen import __version__
from sheetgen.diag.findings import Finding
from sheetgen.diag.notices import announced
from sheetgen.load.cache import code_stamp, read_cache, store_in_cache
from sheetgen.load.designs.designs import Design
from sheetgen.load.rulesets.modules import OPTION
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.build import Value
from sheetgen.model.live import Live
from sheetgen.model.prints import Tokens
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.scripts.odds_taps import compute_sheet_odds
from sheetgen.plan.sheets.context import build_filled_context
from sheetgen.plan.sheets.page_facts import build_page_facts
from sheetgen.plan.sheets.sheets import PlannedSheet
from sheetgen.render.fonts.font_store import find_web_fonts
from sheetgen.render.html.html import render_page
from sheetgen.render.plates.plate_store import RulesetDesign
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.odds.grid import GridError
from sheetgen.rules.odds.words import OddsError


def render_sheet_page(
    look: RulesetDesign,
    planned: PlannedSheet,
    said: Iterable[Finding],
    options: Mapping[str, Value] | None,
    live: Live | None,
    *,
    flat: bool = False,
) -> bytes:
    """Return a planned sheet as an HTML file.

    Args:
        said: Findings about what is on it.
        live: What it calculates, if it can.
        flat: Whether values are text, without fields and without a script.
    """
    design, plan = look.design, planned.plan
    if flat:
        told = {**build_filled_context(look.context, planned), "meta": plan.meta, "flat": True}
        return render_page(*_looks(design), told, narrow=design.narrow)
    facts = build_page_facts(plan, look.rules, said, find_sheet_odds(look.rules, options))
    told = {**build_filled_context(look.context, planned), "meta": plan.meta}
    return render_page(*_looks(design), told, facts, live, design.narrow)


def _looks(
    design: Design,
) -> tuple[Mapping[str, str], str, tuple[str, ...], Tokens, Mapping[str, bytes]]:
    """Return what a page is told of its design."""
    return design.texts, design.template, design.screen, design.tokens, find_web_fonts(design)


def find_sheet_odds(rules: Ruleset, options: Mapping[str, Value] | None) -> dict[str, Any] | None:
    """Return the odds that a sheet of `rules` tells on a screen, kept or worked out.

    None where the ruleset prints none, or they cannot be worked out; `odds` says why.
    """
    chosen = repr(sorted((options or {}).items()))
    said = f"{rules.digest}\0{chosen}\0{code_stamp('rules', 'plan')}\0{__version__}"
    key = f"{hashlib.sha256(said.encode()).hexdigest()[:32]}.odds"
    kept = read_cache(key)
    if kept is None:
        with announced(f"computing the odds of {rules.title}"):
            kept = json.dumps(_odds(rules, options or {}), ensure_ascii=False).encode()
        store_in_cache(key, kept)
    found: dict[str, Any] | None = json.loads(kept)
    return found


def _odds(rules: Ruleset, options: Mapping[str, Value]) -> dict[str, Any] | None:
    folders = tuple(Path(origin.folder) for origin in rules.composition.origins)
    switches = {f"{OPTION}{id_}": module.on for id_, module in rules.composition.modules.items()}
    whole = load_ruleset(folders, complete=True, switches=switches).value
    try:
        return compute_sheet_odds(whole, options) if whole is not None else None
    except (GridError, OddsError, FormulaError):
        return None
