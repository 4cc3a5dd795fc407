"""Which cards are wanted, and how they come on paper, as commands and books say it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sheetgen.check.character.options import options_of
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, errors, raise_warnings
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import RULESET, Span
from sheetgen.load.authors.characters import RulesetCache
from sheetgen.load.rulesets.modules import switches_of
from sheetgen.load.rulesets.rulesets import find_ruleset, is_ruleset, load_ruleset
from sheetgen.model.designs.presets import Preset
from sheetgen.model.differences import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Source
from sheetgen.plan.imposition.imposition import CARDS, CardGrid, Misfit, impose, single_card_grid
from sheetgen.plan.imposition.measures import (
    MOST_BLEED,
    MOST_GUTTER,
    parse_bounded_length,
    parse_grid,
)
from sheetgen.prints.cards import WantedCard, cards_of, cards_of_choices, thing_card_requests
from sheetgen.prints.characters import Character, characters, ready_made
from sheetgen.prints.tables import proof_of
from sheetgen.rules.names import folded


@dataclass(frozen=True, slots=True)
class SelectionRequest:
    """Which cards of what is named.

    Attributes:
        kind: Of a ruleset: one of its kinds, or of its sets of cards; of characters: the set.
        groups, names: Only those.
    """

    kind: str = ""
    groups: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    strict: bool = False

    def takes(self, one: Character) -> bool:
        """Whether a card of `one` is wanted; what could not be read is, to be said."""
        if one.build is None:
            return True
        group = folded(one.build.texts.get("group", ""))
        wanted = not self.groups or group in {folded(name) for name in self.groups}
        return wanted and self.names_it(one.build.name)

    def names_it(self, name: str) -> bool:
        """Whether no name is asked for, or this one."""
        return not self.names or folded(name) in {folded(wanted) for wanted in self.names}


@dataclass(slots=True)
class CardSelection:
    """Cards that were found, what is to be said of them, and the files they came from.

    Attributes:
        seen: All that was read.
        good: Of that, what has cards.
    """

    cards: list[WantedCard] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    seen: list[Character] = field(default_factory=list)
    good: list[Character] = field(default_factory=list)

    def sources(self) -> list[Path]:
        """Return the files that cards were made from."""
        return [one.path for one in self.good]


class NoSuchKind(Exception):
    """A ruleset that has no such kind; the message says which it has."""


def hand_of(
    given: str,
    wish: SelectionRequest,
    options: Mapping[str, str],
    shelf: RulesetCache | None = None,
) -> CardSelection:
    """Return the cards of a ruleset, or of a file or folder.

    Raises:
        NoSuchKind: A ruleset is named, and the kind is none of its.
        FormulaError: A text of a card cannot be worked out.
    """
    hand = CardSelection()
    rules = _ruleset(given, options, hand.findings)
    if errors(hand.findings):
        return hand
    if rules is not None and wish.kind in rules.card_sets:
        settled, wrong = options_of(Source("", "", None, ""), rules, options)
        hand.findings += [*check_ruleset(rules), *wrong]
        if not errors(hand.findings):
            proof = proof_of(str(Path(rules.place.file).parent.resolve()), options)
            notes = {d.what.partition(", ")[0]: d.note for d in proof.differences if d.note}
            every = thing_card_requests(rules, wish.kind, settled, notes=notes)
            hand.cards += [card for card in every if wish.names_it(card.about.name)]
        return hand
    if rules is not None and wish.kind not in rules.kinds:
        known = list(map(str, [*rules.kinds, *rules.card_sets]))
        hint = suggestion(wish.kind, known, "kinds") or "it has none"
        wrong_kind = (
            f"{rules.title} has no kind `{wish.kind}`" if wish.kind else "a kind is missing"
        )
        raise NoSuchKind(f"{wrong_kind}; {hint}")
    read = (
        ready_made(rules, wish.kind, options)
        if rules is not None
        else characters([Path(given)], options, shelf)
    )
    hand.seen += [one for one in read if _is_wanted(one, wish)]
    hand.good += [one for one in hand.seen if _is_good(one, wish, hand)]
    blocks = [one for one in hand.good if one.kind is not None]
    printed = _printed_otherwise(blocks)
    hand.cards += [card for one in blocks for card in cards_of(one, printed)]
    of_choices = (card for one in hand.good if one.kind is None for card in _own(one, wish.kind))
    hand.cards += [card for card in of_choices if wish.names_it(card.about.name)]
    return hand


def _own(one: Character, kind: str) -> Iterator[WantedCard]:
    """Yield the cards of what a character chose and owns."""
    return cards_of_choices(one, kind) if kind else iter(())


def _is_owner(one: Character, wish: SelectionRequest) -> bool:
    """Whether cards are wanted of what a character chose."""
    of = one.rules if one.kind is None else None
    return bool(wish.kind) and of is not None and wish.kind not in of.kinds


def _is_wanted(one: Character, wish: SelectionRequest) -> bool:
    return _is_owner(one, wish) or wish.takes(one)


def _is_good(one: Character, wish: SelectionRequest, hand: CardSelection) -> bool:
    """Whether a card of `one` is printed; what is wrong with it is noted."""
    hand.findings += one.findings
    if (
        not _is_owner(one, wish)
        and one.build is not None
        and (one.kind is None or one.kind.card is None)
    ):
        hint = f"`sheetgen sheet {one.path}` prints a sheet"
        message = "this file has no card"
        hand.findings.append(Finding(codes.UNKNOWN_DESIGN, Span(str(one.path)), message, hint))
        return False
    found = raise_warnings(one.findings) if wish.strict else one.findings
    wrong = any(f.severity is Severity.ERROR for f in found)
    return not wrong and one.build is not None


def _ruleset(given: str, options: Mapping[str, str], findings: list[Finding]) -> Ruleset | None:
    """Return the ruleset that `given` means, whole; None for paths, and for none, a finding."""
    if os.path.lexists(given) and not is_ruleset(Path(given)):
        return None
    given = os.path.join(os.curdir, given) if os.path.lexists(given) else given
    found = find_ruleset(given, Span(RULESET), Path())
    if found.value is None:
        if not (os.sep in given or given.endswith((".yaml", ".yml"))):
            findings += found.findings
        return None
    return load_ruleset(found.value, complete=True, switches=switches_of(None, options)).value


def _printed_otherwise(cards: Sequence[Character]) -> dict[str, Difference]:
    """Return what the sources of those that cards start from print otherwise, by `Name, value`."""
    folders = {
        str(Path(one.rules.place.file).parent.resolve())
        for one in cards
        if one.rules is not None and one.build is not None and one.build.base
    }
    return {d.what: d for folder in sorted(folders) for d in proof_of(folder).differences}


@dataclass(frozen=True, slots=True)
class Cut:
    """How cards come on paper; lengths as an author writes them."""

    size: str = "poker"
    paper: str = "a4"
    grid: str = ""
    gutter: str = "0 mm"
    bleed: str = "0 mm"
    alone: bool = False
    folded: bool = False


def card_grid(cut: Cut, preset: Preset | None = None) -> CardGrid:
    """Return the grid of cards, of a size that the preset's printer cuts.

    Raises:
        Misfit: The paper cannot hold it, the printer does not cut it, or a length or the grid
            is none.
    """
    if cut.size not in CARDS:
        raise Misfit(f"there is no size `{cut.size}`; sizes are {', '.join(CARDS)}")
    card = CARDS[cut.size]
    if preset is not None and preset.cards:
        if cut.size not in preset.cards:
            raise Misfit(f"{preset.name} cuts cards of these sizes: {', '.join(preset.cards)}")
        card = preset.cards[cut.size]
    gutter = parse_bounded_length(cut.gutter, "the gutter", MOST_GUTTER)
    bleed = parse_bounded_length(cut.bleed, "the bleed", MOST_BLEED)
    if cut.alone and cut.folded:
        raise Misfit("a page that holds one card cannot be folded; take other backs, or a grid")
    if cut.alone:
        return single_card_grid(card, bleed)
    counts = parse_grid(cut.grid) if cut.grid else None
    return impose(card, cut.paper, gutter=gutter, bleed=bleed, counts=counts, half=cut.folded)
