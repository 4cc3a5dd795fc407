"""Select the cards that a request names: of a ruleset, or of an author's files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sheetgen.check.character.options import resolve_options
from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, apply_strict, errors
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import RULESET, Span
from sheetgen.load.authors.characters import RulesetCache
from sheetgen.load.rulesets.modules import switches_of
from sheetgen.load.rulesets.rulesets import find_ruleset, is_ruleset, load_complete, load_ruleset
from sheetgen.model.build import Build
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.proof import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import EMPTY_SOURCE, Source
from sheetgen.prints.card_requests import CardRequest, character_card_requests, thing_card_requests
from sheetgen.prints.characters import Character, load_characters, load_stock_characters
from sheetgen.prints.rulesets import compute_proof
from sheetgen.rules.names import closest_names


@dataclass(slots=True)
class Selection:
    """What a request selects: all findings, and the files that were read.

    Attributes:
        groups, names, kinds: All that could be selected, whether they were or not.
    """

    findings: list[Finding] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    groups: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    kinds: set[str] = field(default_factory=set)


@dataclass(slots=True)
class CardSelection(Selection):
    """Selected cards."""

    cards: list[CardRequest] = field(default_factory=list)

    def add(self, cards: Iterable[CardRequest], request: PrintRequest) -> None:
        """Select the cards that the request names, or all if it names none."""
        found = tuple(cards)
        self.names.update(card.about.name for card in found)
        self.cards += [c for c in found if is_selected(c.about.name, None, request, self)]


def find_unknown_names(
    selections: Sequence[Selection], request: PrintRequest, things: str = "cards"
) -> list[Finding]:
    """Return a finding for each kind, group and name of a request that none of its files has."""
    known_kinds = {kind for selection in selections for kind in selection.kinds}
    known_groups = {group for selection in selections for group in selection.groups}
    known_names = {name for selection in selections for name in selection.names}
    kinds = (request.of_kind,) if request.of_kind and known_kinds else ()
    parts = (
        ("kind", "--kind", kinds, known_kinds),
        ("group", "--group", request.groups, known_groups),
        ("name", "--name", request.only, known_names),
    )
    return [
        Finding(
            codes.UNKNOWN_NAME,
            request.at(option),
            f"there is no {what} `{name}` among the {things}",
            suggestion(name, sorted(known), f"{what}s"),
        )
        for what, option, names, known in parts
        for name in names
        if not closest_names(name, known)
    ]


def select_cards(
    name: str, request: PrintRequest, rulesets: RulesetCache | None = None
) -> CardSelection:
    """Return the cards of the ruleset `name`, or of that file or folder.

    Raises:
        FormulaError: A text of a card cannot be computed.
    """
    selection = CardSelection()
    options = dict(request.options)
    rules = load_named_ruleset(name, options, selection.findings)
    if errors(selection.findings):
        return selection
    request = _with_kind(request, rules)
    if rules is not None and request.of_kind in rules.card_sets:
        _select_things(rules, request, options, selection)
    elif rules is not None and request.of_kind not in rules.kinds:
        selection.findings.append(_no_kind(rules, request))
    elif rules is not None:
        stock = load_stock_characters(rules, request.of_kind, options)
        _select_characters(stock, request, selection)
    else:
        own = load_characters([Path(name)], options, rulesets)
        _select_characters(own, request, selection)
    return selection


def _with_kind(request: PrintRequest, rules: Ruleset | None) -> PrintRequest:
    """Return a request whose kind is spelt as in the ruleset."""
    kinds = (*rules.kinds, *rules.card_sets) if rules is not None else ()
    found = closest_names(request.of_kind, map(str, kinds))
    return replace(request, of_kind=min(found)) if found else request


def _select_things(
    rules: Ruleset, request: PrintRequest, options: Mapping[str, str], selection: CardSelection
) -> None:
    values, wrong = resolve_options(EMPTY_SOURCE, rules, options)
    selection.findings += [*check_ruleset(rules), *wrong]
    if errors(selection.findings):
        return
    notes = _proof_notes(rules, options) if request.notes else None
    selection.add(thing_card_requests(rules, request.of_kind, values, notes=notes), request)


def _proof_notes(rules: Ruleset, options: Mapping[str, str]) -> dict[str, str]:
    proof = compute_proof((Path(rules.place.file).parent.resolve(),), options)
    return {d.what.partition(", ")[0]: d.note for d in proof.differences if d.note}


def _no_kind(rules: Ruleset, request: PrintRequest) -> Finding:
    known = list(map(str, [*rules.kinds, *rules.card_sets]))
    hint = suggestion(request.of_kind, known, "kinds") or "it has none"
    message = f"{rules.title} has no kind `{request.of_kind}`"
    if not request.of_kind:
        message = f"`--kind` is missing: which cards of {rules.title}?"
    return Finding(codes.UNKNOWN_NAME, request.at("--kind"), message, hint)


def _select_characters(
    characters: Iterator[Character], request: PrintRequest, selection: CardSelection
) -> None:
    """Add the cards of each character, or of what it chose and owns, or what is wrong with it."""
    read: list[Character] = []
    found = [(one, _has_choices(one, request)) for one in characters]
    for build in (one.build for one, of_choices in found if not of_choices):
        if build is not None:
            selection.groups.update(filter(None, [build.texts.get("group")]))
            selection.names.add(build.name)
    for one, of_choices in found:
        build = one.build  # What cannot be read is kept for its findings.
        group = build.texts.get("group", "") if build is not None else ""
        chosen = build is None or is_selected(build.name, group, request, selection)
        if of_choices or chosen:
            selection.findings += one.findings
            selection.sources += [one.source] if one.source is not None else []
            read += [one] if of_choices or _has_card(one, selection) else []
    good = [
        one
        for one in read
        if one.build is not None and not errors(apply_strict(one.findings, request.strict))
    ]
    blocks = [one for one in good if one.kind is not None]
    printed = _printed_differences(blocks) if request.notes else None
    selection.cards += [card for one in blocks for card in character_card_requests(one, printed)]
    for one in good if request.of_kind else ():
        if one.kind is None and one.build is not None:
            _select_choices(one, one.build, request, selection)


def _select_choices(
    one: Character, build: Build, request: PrintRequest, selection: CardSelection
) -> None:
    """Add the cards of what a character chose and owns."""
    rules = load_complete(one.rules) if one.rules is not None else None
    if rules is None:
        return
    selection.kinds.update(map(str, (*rules.kinds, *rules.card_sets)))
    request = _with_kind(request, rules)
    if request.of_kind in rules.card_sets:
        selection.add(thing_card_requests(rules, request.of_kind, build.options, build), request)


def _has_choices(one: Character, request: PrintRequest) -> bool:
    """Whether the request is for cards of what a character chose."""
    rules = one.rules if one.kind is None else None
    request = _with_kind(request, rules)
    return bool(request.of_kind) and rules is not None and request.of_kind not in rules.kinds


def is_selected(name: str, group: str | None, request: PrintRequest, known: Selection) -> bool:
    """Whether a request selects what has a name and a group; None is in every group.

    Args:
        known: Has all names and groups: an exact name wins over a similar one.
    """
    named = not request.only or any(name in closest_names(w, known.names) for w in request.only)
    everywhere = group is None or not request.groups
    return named and (
        everywhere or any(group in closest_names(w, known.groups) for w in request.groups)
    )


def _has_card(one: Character, selection: CardSelection) -> bool:
    if one.build is None or one.kind is not None:
        return True
    hint = f"`sheetgen sheet {one.path}` prints a sheet"
    message = "this file has no card"
    selection.findings.append(Finding(codes.UNKNOWN_DESIGN, Span(str(one.path)), message, hint))
    return False


def load_named_ruleset(
    name: str, options: Mapping[str, str], findings: list[Finding]
) -> Ruleset | None:
    """Return the ruleset that `name` means; None for the path of an author's files."""
    if os.path.lexists(name) and not is_ruleset(Path(name)):
        return None
    path = os.path.join(os.curdir, name) if os.path.lexists(name) else name
    found = find_ruleset(path, Span(RULESET), Path())
    if found.value is None:
        if not (os.sep in path or path.endswith((".yaml", ".yml"))):
            findings += found.findings
        return None
    loaded = load_ruleset(found.value, complete=True, switches=switches_of(None, options))
    findings += loaded.findings
    return loaded.value


def _printed_differences(characters: Iterable[Character]) -> dict[str, Difference]:
    """Return what the sources of stock that characters start from print otherwise."""
    folders = {
        Path(one.rules.place.file).parent.resolve()
        for one in characters
        if one.rules is not None and one.build is not None and one.build.base
    }
    differences = (d for folder in sorted(folders) for d in compute_proof((folder,)).differences)
    return {difference.what: difference for difference in differences}
