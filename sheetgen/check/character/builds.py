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

from collections.abc import Iterable, Mapping
from functools import partial

from sheetgen.check.character import links, rulings
from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.items import gear
from sheetgen.check.character.keys import keys, pictures
from sheetgen.check.character.misspelt import without_consequences
from sheetgen.check.character.options import resolve_options
from sheetgen.check.character.picks import grants, picks
from sheetgen.check.character.ratings import (
    creation_codes,
    dice,
    limits,
    lost_steps,
    narrow_uses,
    purchases,
    raises,
    stated,
)
from sheetgen.check.character.results import derived, lists
from sheetgen.check.character.results.live_figures import live_figures
from sheetgen.check.character.spending import advances, ledger
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, in_order
from sheetgen.model.build import Build, Ledger, Rating
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Source
from sheetgen.rules.index import index_of, keep_in_cache

MOST_ROUNDS = 12
"""How often the steps run again before grants that depend on each other are reported."""

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
    Draft.answer_guesses,
    # Points: what there is to spend, and what was bought. Advances raise ratings once more.
    ledger.open_pools,
    purchases.pay_ratings,
    dice.read_dice,
    ledger.pay_choices,
    ledger.pay_items,
    advances.read_advances,
    # All ratings are known: requirements, limits, and the values that follow from ratings.
    keys.check_requirements,
    picks.check_picks,
    stated.check_ratings,
    limits.check_limits,
    gear.compute_combat_values,
    links.read_links,
    Draft.settle,
    narrow_uses.read_narrow_uses,
    derived.compute_derived,
    derived.check_printed,
    lists.check_tracks,
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
    found = without_consequences(
        lambda one, options: check_draft(one, rules, options).findings,
        source,
        chosen or {},
        draft.findings,
    )
    return Checked(_build(draft), in_order(found))


def check_draft(source: Source, rules: Ruleset, chosen: Mapping[str, str] | None = None) -> Draft:
    """Return the draft after all steps; `advance` asks it what can be bought.

    What choices grant may depend on ratings, which depend on grants. So the steps run again with
    the values that their formulas had in the end, until these stay as they are.
    """
    options, findings = resolve_options(source, rules, chosen or {})
    draft = _run_steps(Draft(rules, index_of(rules), source, options, [*findings]))
    for _ in range(MOST_ROUNDS):
        if not draft.wrong_guesses():
            return draft
        known = draft.found
        draft = Draft(rules, index_of(rules), source, options, [*findings], answers=known)
        _run_steps(draft)
    for guess in draft.wrong_guesses()[:1]:
        span = getattr(guess.formula, "span", rules.place)
        message = f"`{guess.formula}` depends on what it grants, and never settles"
        draft.report(codes.CYCLE, span, message, "ask for something else in this formula")
    return draft


def _run_steps(draft: Draft) -> Draft:
    for step in STEPS:
        step(draft)
    reported = len(draft.findings)
    draft.answer_guesses(final=True)
    del draft.findings[reported:]
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
        picks=(*draft.picks, *draft.refused_picks),
        ratings=build_ratings(draft),
        items=(*draft.items, *draft.refused_items),
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
        sections=lists.fill_sections(draft),
        figures=partial(live_figures, draft),
    )


def build_ratings(draft: Draft) -> dict[str, Rating]:
    """Return the rating of each trait, in the order of the ruleset, and where it comes from."""
    plain: dict[str, Rating] = {}
    for under, block in draft.index.blocks.items():
        plain |= _plain_block(draft, under, block)
    changed = {*draft.rated_traits(), *draft.focus, *draft.own_traits}
    ratings = {}
    for trait in (trait for group in draft.rules.groups for trait in draft.traits_of(str(group))):
        if trait in changed:
            ratings[trait] = build_rating(draft, trait)
        else:
            ratings[trait] = plain[trait] if trait in plain else _plain_rating(draft, trait)
    return ratings


def _plain_block(draft: Draft, under: str, block: Iterable[str]) -> Mapping[str, Rating]:
    """Return the ratings of a block of traits without steps of their own, from a cache."""
    key, cache = (under, draft.total(under) if under else 0), draft.index.plain_blocks
    if (found := cache.get(key)) is None:
        found = {t: _unchanged(draft, t, key[1], None) for t in block}
        keep_in_cache(cache, key, found)
    return found


def _plain_rating(draft: Draft, trait: str) -> Rating:
    """Return the rating of a trait without steps of its own, from a cache."""
    key = trait, draft.total(trait), limits.limit_of(draft, trait)
    cache = draft.index.plain_ratings
    if (found := cache.get(key)) is None:
        found = _unchanged(draft, *key)
        keep_in_cache(cache, key, found)
    return found


def _unchanged(draft: Draft, trait: str, total: int, limit: int | None) -> Rating:
    """Return the rating of a trait that the file does not name."""
    return Rating(trait, draft.group_of(trait) or "", draft.name_of(trait), 0, total, limit=limit)


def build_rating(draft: Draft, trait: str) -> Rating:
    """Return the rating of `trait`, and where it comes from."""
    own = draft.own(trait)
    written = draft.stated.get(trait)
    return Rating(
        trait,
        draft.group_of(trait) or "",
        draft.name_of(trait),
        own,
        draft.total(trait),
        min(draft.granted(trait), own),
        written.stars if written else 0,
        limits.limit_of(draft, trait),
        purchases.rating_parts(draft, trait),
        trait in draft.focus,
        written.detail if written else "",
        written.most if written else None,
        written.span if written else None,
    )
