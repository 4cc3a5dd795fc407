"""What a character can buy, and the way from one build to another, for `advance`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.spending.advancement import find_advancement
from sheetgen.check.character.spending.advances import Offer
from sheetgen.check.character.spending.ledger import has_pool
from sheetgen.check.character.spending.offers import list_offers
from sheetgen.diag.findings import errors
from sheetgen.load.authors.characters import RulesetCache
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.prints.characters import Character, load_character


@dataclass(frozen=True, slots=True)
class Advice:
    """What a character can buy; `left` and `labels` by pool."""

    character: Character
    offers: tuple[Offer, ...]
    left: Mapping[str, int]
    labels: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Route:
    """The way from one build to another; `costs`, `left` and `labels` by pool."""

    old: Character
    new: Character
    steps: tuple[tuple[str, str, int], ...]
    costs: Mapping[str, int]
    left: Mapping[str, int]
    labels: Mapping[str, str]
    refused: tuple[str, ...]
    doubtful: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def advice(path: Path, chosen: Mapping[str, str]) -> Advice:
    """Return what the character at `path` can buy now."""
    found = load_character(path, RulesetCache(), chosen)
    if found.source is None or found.rules is None or found.build is None:
        return Advice(found, (), {}, {})
    draft = check_draft(found.source, found.rules, chosen)
    return Advice(found, tuple(list_offers(draft)), _left(draft), _labels(found.rules))


def route(path: Path, to: Path, chosen: Mapping[str, str]) -> Route:
    """Return the way from the character at `path` to that at `to`."""
    shelf = RulesetCache()
    old, new = load_character(path, shelf, chosen), load_character(to, shelf, chosen)
    if None in (old.build, new.build):
        return Route(old, new, (), {}, {}, {}, ("one of the two cannot be read",))
    assert old.source
    assert old.rules
    assert new.source
    assert new.rules
    if old.rules.id != new.rules.id:
        return Route(old, new, (), {}, {}, {}, ("the two follow different rulesets",))
    draft = check_draft(new.source, new.rules, chosen)
    led = find_advancement(check_draft(old.source, old.rules, chosen), draft)
    errors_of = tuple(f"{f.span}: {f.message}" for f in errors(new.findings))
    refused = (*led.refused, *errors_of)
    labels = _labels(new.rules)
    said = (refused, tuple(led.doubtful), (*led.notes, *led.prices))
    return Route(old, new, tuple(led.steps), led.costs(), _left(draft), labels, *said)


def _left(draft: Draft) -> Mapping[str, int]:
    pools = (str(pool) for pool in draft.rules.pools)
    return {pool: draft.left(pool) for pool in pools if has_pool(draft, pool)}


def _labels(rules: Ruleset) -> Mapping[str, str]:
    return {str(id_): pool.label for id_, pool in rules.pools.items()}
