"""A character and its ruleset to a build: the steps of checking, in their order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from sheetgen.check.character import derived, links, rulings
from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.figures import live_figures
from sheetgen.check.character.items import gear
from sheetgen.check.character.keys import keys
from sheetgen.check.character.options import resolve_options
from sheetgen.check.character.picks import grants, picks
from sheetgen.check.character.ratings import dice, limits, lost_steps, ratings, steps, whole_codes
from sheetgen.check.character.spending import advances, ledger
from sheetgen.diag.findings import Checked, in_order
from sheetgen.model.build import Build, Ledger, Rating
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Source
from sheetgen.rules.index import index_of

STEPS = (
    keys.read_keys,
    keys.plain_keys,
    picks.read_picks,
    keys.missing_keys,
    grants.apply_grants,
    whole_codes.read_codes,
    ratings.read_raises,
    whole_codes.lift,
    ratings.read_ratings,
    lost_steps.read_gone,
    rulings.check_trait_needs,
    gear.read_items,
    limits.find_limits,
    ledger.open_pools,
    steps.pay_ratings,
    dice.read_dice,
    ledger.pay_choices,
    ledger.pay_items,
    advances.read_advances,
    picks.check_picks,
    ratings.check_ratings,
    limits.check_limits,
    gear.combat_values,
    links.read_scenes,
    derived.compute,
    whole_codes.check_printed,
    rulings.check_rules,
    rulings.notes,
    ledger.check_pools,
)
"""Each step reads what those before it have put into the draft, and adds findings."""


def check_character(
    source: Source, rules: Ruleset, chosen: Mapping[str, str] | None = None
) -> Checked[Build]:
    """Return the build that `source` describes, with all findings about it.

    There is a build whatever is wrong, so that a draft can be printed.

    Args:
        chosen: Options set from outside, before those of the file.
    """
    draft = check_draft(source, rules, chosen)
    return Checked(_build(draft), in_order(draft.findings))


def check_draft(source: Source, rules: Ruleset, chosen: Mapping[str, str] | None = None) -> Draft:
    """Return the draft after all steps; `advance` asks it what can be bought."""
    options, findings = resolve_options(source, rules, chosen or {})
    draft = Draft(rules, index_of(rules), source, options, findings)
    for step in STEPS:
        step(draft)
    return draft


def _build(draft: Draft) -> Build:
    rules = draft.rules
    lines, rows, tracks = (
        derived.lines(draft),
        derived.build_list_rows(draft),
        derived.tracks(draft),
    )
    return Build(
        ruleset=str(rules.id),
        version=rules.version,
        file=draft.source.file,
        digest=draft.source.digest,
        name=draft.texts.get("name", ""),
        options=draft.options,
        texts=draft.texts,
        numbers=draft.numbers,
        lists=draft.lists,
        picks=tuple(draft.picks),
        ratings={t: _rating(draft, t) for g in rules.groups for t in draft.traits_of(str(g))},
        items=tuple(draft.items),
        dice=draft.dice,
        links=draft.links,
        pinned=draft.pinned,
        ledgers={
            str(id_): Ledger(str(id_), pool.label, ledger.running(draft, str(id_)))
            for id_, pool in rules.pools.items()
            if ledger.has_pool(draft, str(id_))
        },
        derived=draft.derived,
        lines=lines,
        rows=rows,
        printed=draft.printed_values,
        marked=tracks,
        rolls=derived.rolls(draft),
        steps=derived.steps(draft),
        base=draft.source.base,
        figures=partial(live_figures, draft),
    )


def _rating(draft: Draft, trait: str) -> Rating:
    stated, own = draft.stated.get(trait), draft.own(trait)
    return Rating(
        id=trait,
        group=draft.group_of(trait) or "",
        name=draft.name_of(trait),
        own=own,
        total=draft.total(trait),
        free=min(draft.granted(trait), own),
        stars=stated.stars if stated else 0,
        limit=limits.limit_of(draft, trait),
        parts=steps.rating_parts(draft, trait),
        focus=trait in draft.focus,
        detail=stated.detail if stated else "",
        most=stated.most if stated else None,
        place=stated.span if stated else None,
    )
