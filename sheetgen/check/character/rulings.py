"""The ruleset's own rules: what must hold besides, said in its data."""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.values import blank, list_entries
from sheetgen.check.character.picks.picks import entry_of
from sheetgen.check.character.ratings.limits import raised_at
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.diag.spans import Span
from sheetgen.model.build import Value
from sheetgen.model.rulesets.keys import Key, Rule
from sheetgen.model.rulesets.traits import Trait
from sheetgen.rules.formulas.evaluate import holds
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled

_SEVERITIES = {"error": Severity.ERROR, "warning": Severity.WARNING, "note": Severity.NOTE}


def check_rules(draft: Draft) -> None:
    """Find every rule of the ruleset that does not hold."""
    for id_, rule in draft.rules.rules.items():
        if _unread(draft, rule) or draft.holds(rule.require):
            continue
        name = f"{id_} ({rule.ruling})" if rule.ruling else str(id_)
        broken(draft, rule, _place(draft, rule), name, {})


def broken(draft: Draft, rule: Rule, span: Span, name: str, names: Mapping[str, Value]) -> None:
    """Say that `rule` does not hold; its message may use `names`."""
    severity = _SEVERITIES.get(str(rule.severity or "error"), Severity.ERROR)
    message = _filled(draft, rule, names)
    draft.say(codes.BROKEN_RULE, span, message, rule.hint, severity, name)


def _unread(draft: Draft, rule: Rule) -> bool:
    """Whether the rule is about a pick that could not be read; that is said already."""
    id_ = str(rule.at)
    key, node = draft.rules.character.get(id_), draft.entries.get(id_)
    if key is None or node is None or blank(node):
        return False
    unread = len(list_entries(node)) - sum(p.key == id_ and not p.because for p in draft.picks)
    if key.kind == "choice":
        return not any(pick.key == id_ for pick in draft.picks)
    return key.kind == "choices" and unread > 0 and _would_hold(draft, rule, key, id_, unread)


def _would_hold(draft: Draft, rule: Rule, key: Key, id_: str, unread: int) -> bool:
    """Whether `rule` holds if each of the picks that could not be read is what it asks for."""
    catalogue = draft.rules.choices[str(key.of[0]) if key.of else id_]
    tags = (tag for entry in catalogue.entries.values() for tag in entry.tags)
    draft.unread = dict.fromkeys((*map(str, tags), *map(str, catalogue.entries)), unread)
    try:
        return holds(rule.require, draft.with_names())
    except FormulaError:
        return False
    finally:
        draft.unread = {}


def _filled(draft: Draft, rule: Rule, names: Mapping[str, Value]) -> str:
    try:
        return filled(rule.message, draft.with_names(**names))
    except FormulaError as error:
        draft.unanswered(rule.message, error)
        return str(rule.message)


def _place(draft: Draft, rule: Rule) -> Span:
    """Return where the rule points: a key of the file, the pick under it, or a trait."""
    key = str(rule.at) if rule.at else ""
    if key in draft.index.traits and key not in draft.rules.character:
        return raised_at(draft, key)
    picks = [p for p in draft.picks if p.key == key]
    if len(picks) == 1 and key in draft.names:
        return picks[0].span
    return draft.at(key)


def check_trait_needs(draft: Draft) -> None:
    """Find traits that were raised, or named by a choice, though what they need is not there."""
    for id_, parts in draft.parts.items():
        found = draft.index.traits.get(id_)
        trait = found[1] if found else None
        if trait is None or trait.needs is None or draft.holds(trait.needs):
            continue
        for part in parts:
            _closed(draft, trait, part.span or draft.source.start)
    for pick in draft.picks:
        found = draft.index.traits.get(pick.named)
        if found is None or pick.named in draft.parts or pick.named_at is None:
            continue
        if found[1].needs is not None and not draft.holds(found[1].needs):
            _closed(draft, found[1], pick.named_at)


def _closed(draft: Draft, trait: Trait, span: Span) -> None:
    message = f"{trait.name} is not open to this build"
    draft.say(codes.REQUIREMENT, span, message, trait.why)


def notes(draft: Draft) -> None:
    """Say the notes of traits and choices that this build has: caveats, never errors."""
    for pick in draft.picks:
        entry = entry_of(draft, pick)
        if entry is not None and entry.note:
            message = f"{pick.name}: {entry.note}"
            draft.say(codes.CAVEAT, pick.span, message, severity=Severity.NOTE)
    for id_, stated in draft.stated.items():
        found = draft.index.traits.get(id_)
        if not found or not found[1].note or stated.rating != 1:
            continue
        if found[1].note_if is None or draft.holds(found[1].note_if):
            message = f"{found[1].name}: {found[1].note}"
            draft.say(codes.CAVEAT, stated.span, message, severity=Severity.NOTE)
