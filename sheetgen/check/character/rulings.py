"""Rules of the ruleset's data: what must hold, and notes of traits and choices.

The steps `check_trait_needs`, `check_rules` and `report_notes` only add findings.
"""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.draft.formula_inputs import find_input_values
from sheetgen.check.character.ratings.limits import raised_at
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.diag.spans import Span
from sheetgen.model.build import Value
from sheetgen.model.rulesets.keys import Rule
from sheetgen.model.rulesets.traits import Trait
from sheetgen.rules.index import keep_in_cache

_SEVERITIES = {"error": Severity.ERROR, "warning": Severity.WARNING, "note": Severity.NOTE}


def check_rules(draft: Draft) -> None:
    """Report every rule of the ruleset that does not hold."""
    kept = draft.index.kept_rules
    for id_, rule in draft.rules.rules.items():
        given = find_input_values(draft.scope(), (rule.require,))
        if given is not None and (id_, given) in kept:
            continue
        if draft.holds(rule.require):
            if given is not None:
                keep_in_cache(kept, (id_, given), None)
            continue
        report_broken(draft, rule, str(id_), _place(draft, rule), {})


def report_broken(
    draft: Draft, rule: Rule, id_: str, span: Span, names: Mapping[str, Value]
) -> None:
    """Report that `rule` does not hold; its message may use `names`."""
    severity = _SEVERITIES.get(str(rule.severity or "error"), Severity.ERROR)
    message = draft.fill(rule.message, names, default=str(rule.message))
    label = f"{id_} ({rule.ruling})" if rule.ruling else id_
    draft.report(codes.BROKEN_RULE, span, message, rule.hint, severity, label)


def _place(draft: Draft, rule: Rule) -> Span:
    """Return the place of a rule's finding: a key of the file, the pick under it, or a trait."""
    key = str(rule.at) if rule.at else ""
    if key in draft.index.traits and key not in draft.rules.character:
        return raised_at(draft, key)
    picks = [p for p in draft.picks if p.key == key]
    if len(picks) == 1 and key in draft.key_names:
        return picks[0].span
    return draft.span_of(key)


def check_trait_needs(draft: Draft) -> None:
    """Report traits that were raised, or named by a choice, although their `needs` do not hold."""
    for id_, parts in draft.parts.items():
        trait = draft.trait_rule(id_)
        if trait is None or trait.needs is None or draft.holds(trait.needs):
            continue
        for part in parts:
            _report_closed(draft, trait, part.span or draft.source.start)
    for pick in draft.picks:
        trait = draft.trait_rule(pick.named)
        if trait is None or pick.named in draft.parts or pick.named_at is None:
            continue
        if trait.needs is not None and not draft.holds(trait.needs):
            _report_closed(draft, trait, pick.named_at)


def _report_closed(draft: Draft, trait: Trait, span: Span) -> None:
    message = f"{trait.name} is not open to this build"
    draft.report(codes.REQUIREMENT, span, message, trait.why)


def report_notes(draft: Draft) -> None:
    """Report the notes of the traits and choices that the character has."""
    for pick in draft.picks:
        entry = draft.entry_of(pick)
        if entry is not None and entry.note:
            message = f"{pick.name}: {entry.note}"
            draft.report(codes.CAVEAT, pick.span, message, severity=Severity.NOTE)
    for id_, stated in draft.stated.items():
        trait = draft.trait_rule(id_)
        if trait is None or not trait.note or stated.rating != 1:
            continue
        if trait.note_if is None or draft.holds(trait.note_if):
            message = f"{trait.name}: {trait.note}"
            draft.report(codes.CAVEAT, stated.span, message, severity=Severity.NOTE)
