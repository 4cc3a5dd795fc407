"""Check a character: the steps in their order, and the build that they lead to.

Each step is a function of one module, named after what it computes. It reads what earlier steps
put into the draft, adds to it, and reports findings. Where the values of a print come from:

    a rating, its total             draft/draft.py        Draft.own, Draft.total
    its limit                       ratings/limits.py     limit_of
    a derived value                 draft/scope.py        DraftScope.derived
    how it comes about              results/derived.py    compute_derived
    lines of text, rows, rolls      results/lists.py
    attack and damage of an item    items/gear.py         compute_combat_values
    the lines of a ledger           spending/ledger.py    running_lines
    the price of a step             ratings/purchases.py, ratings/dice.py, spending/advances.py
    the figures of a live sheet     results/live_figures.py
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from sheetgen.check.character import links, rulings
from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.items import gear
from sheetgen.check.character.keys import keys, pictures
from sheetgen.check.character.options import resolve_options
from sheetgen.check.character.picks import grants, picks
from sheetgen.check.character.ratings import (
    creation_codes,
    dice,
    limits,
    lost_steps,
    purchases,
    raises,
    stated,
)
from sheetgen.check.character.results import derived, lists
from sheetgen.check.character.results.live_figures import live_figures
from sheetgen.check.character.spending import advances, ledger
from sheetgen.diag.findings import Checked, in_order
from sheetgen.model.build import Build, Ledger, Rating
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Source
from sheetgen.rules.index import index_of

STEPS = (
    # What the file says, and what its choices bring along and grant.
    keys.read_keys,
    keys.read_plain_keys,
    pictures.read_pictures,
    picks.read_picks,
    keys.check_missing_keys,
    grants.apply_grants,
    # Ratings at creation, and what was sold or lost since.
    creation_codes.read_codes,
    raises.read_raises,
    creation_codes.lift_codes,
    stated.read_ratings,
    lost_steps.read_lost_steps,
    rulings.check_trait_needs,
    gear.read_items,
    limits.find_limits,
    # Points: what there is to spend, and what was bought. Advances raise ratings once more.
    ledger.open_pools,
    purchases.pay_ratings,
    dice.read_dice,
    ledger.pay_choices,
    ledger.pay_items,
    advances.read_advances,
    # All ratings are known: requirements, limits, and the values that follow from ratings.
    picks.check_picks,
    stated.check_ratings,
    limits.check_limits,
    gear.compute_combat_values,
    links.read_links,
    Draft.settle,
    derived.compute_derived,
    derived.check_printed,
    rulings.check_rules,
    rulings.report_notes,
    ledger.check_pools,
)


def check_character(
    source: Source, rules: Ruleset, chosen: Mapping[str, str] | None = None
) -> Checked[Build]:
    """Return the build that `source` describes, with all findings about it.

    There is a build whatever the findings, so that a draft can be printed.

    Args:
        chosen: Options from the command line, which override those of the file.
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
        ratings={t: build_rating(draft, t) for g in rules.groups for t in draft.traits_of(str(g))},
        items=tuple(draft.items),
        dice=draft.dice,
        links=draft.links,
        pinned=draft.pinned,
        ledgers={
            str(id_): Ledger(str(id_), pool.label, ledger.running_lines(draft, str(id_)))
            for id_, pool in rules.pools.items()
            if ledger.has_pool(draft, str(id_))
        },
        derived=draft.derived,
        lines=lists.fill_lines(draft),
        rows=lists.build_list_rows(draft),
        printed=draft.printed_values,
        marked=lists.compute_tracks(draft),
        rolls=lists.compute_rolls(draft),
        row_rolls=dict(lists.find_row_rolls(draft)),
        steps=lists.compute_track_steps(draft),
        base=draft.source.base,
        pictures=draft.pictures,
        figures=partial(live_figures, draft),
    )


def build_rating(draft: Draft, trait: str) -> Rating:
    """Return the rating of `trait`, and where it comes from."""
    total, limit = draft.total(trait), limits.limit_of(draft, trait)
    if trait in (draft.settled or ()) or trait in draft.focus or trait not in draft.index.traits:
        return _rating(draft, trait, total, limit)
    plain = draft.index.plain_ratings  # Most traits of most characters.
    if (found := plain.get((trait, total, limit))) is None:
        found = plain[trait, total, limit] = _rating(draft, trait, total, limit)
    return found


def _rating(draft: Draft, trait: str, total: int, limit: int | None) -> Rating:
    written, own = draft.stated.get(trait), draft.own(trait)
    return Rating(
        id=trait,
        group=draft.group_of(trait) or "",
        name=draft.name_of(trait),
        own=own,
        total=total,
        free=min(draft.granted(trait), own),
        stars=written.stars if written else 0,
        limit=limit,
        parts=purchases.rating_parts(draft, trait),
        focus=trait in draft.focus,
        detail=written.detail if written else "",
        most=written.most if written else None,
        place=written.span if written else None,
    )
