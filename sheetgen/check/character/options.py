"""Options: the ruleset's defaults, then the values of the file, then those of the command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from sheetgen.check.character.draft import Draft
from sheetgen.check.character.ratings import raised_at
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.diag.words import name_hint, suggestion
from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Option, Ruleset
from sheetgen.model.rulesets.traits import Rule
from sheetgen.model.source import Pairs, Source, raw_text
from sheetgen.rules.formulas.expressions import gathers, parse_formula, walk
from sheetgen.rules.index import closest_names, index_of, list_of_number

NUMBER, YES_OR_NO = "number", "yes or no"
COMMAND = Span("--set")


def resolve_options(
    source: Source, rules: Ruleset, chosen: Mapping[str, str]
) -> tuple[dict[str, Value], list[Finding]]:
    """Return the value of every option, and findings about unknown options and bad values."""
    findings: list[Finding] = []
    values = dict(index_of(rules).options)
    root = source.root
    stated = root.get("options") if isinstance(root, Pairs) else None
    if stated is not None and not isinstance(stated, Pairs):
        message = "`options` has to be a mapping, such as `{name: value}`"
        findings.append(Finding(codes.WRONG_TYPE, stated.span, message))
    entries = stated.entries if isinstance(stated, Pairs) else ()
    listed = [(key.raw, raw_text(node), key.span, node.span) for key, node in entries]
    listed += [(name, raw, COMMAND, COMMAND) for name, raw in chosen.items()]
    for name, raw, name_span, span in listed:
        found = closest_names(name, map(str, rules.options))
        option = rules.options.get(*found) if len(found) == 1 else None
        value = parse_option(option, raw) if option is not None else None
        if option is None:
            hint = suggestion(name, rules.options, "options")
            message = f"{rules.title} has no option `{name}`"
            findings.append(Finding(codes.BAD_OPTION, name_span, message, hint))
        elif value is None:
            words = ("true", "false", "yes", "no") if YES_OR_NO in option.values else option.values
            hint = name_hint(raw, words, f"write {describe_values(option)}")
            findings.append(Finding(codes.BAD_OPTION, span, f"`{name}` cannot be `{raw}`", hint))
        else:
            values[next(iter(found))] = value
    return values, findings


def describe_values(option: Option) -> str:
    """Return the possible values of `option` in words."""
    if YES_OR_NO in option.values:
        return "`true` or `false`"
    return "a whole number" if NUMBER in option.values else f"one of: {', '.join(option.values)}"


def parse_option(option: Option, raw: str) -> Value | None:
    """Return `raw` as a value of `option`; None if it is not one."""
    plain = raw.strip().lower()
    if YES_OR_NO in option.values:
        return {"true": True, "yes": True, "false": False, "no": False}.get(plain)
    if NUMBER in option.values:
        digits = plain.isascii() and plain.isdigit() and len(plain) < 7
        return int(plain) if digits else None
    return next(iter(closest_names(raw, option.values)), None)


_SEVERITIES = {"error": Severity.ERROR, "warning": Severity.WARNING, "note": Severity.NOTE}


MOST_TRIED = 20
"""Among more items, nobody looks for the one that breaks a rule: each is tried by itself."""


def check_creation_rules(draft: Draft) -> None:
    """Report the rules about creation that do not hold, before advances are read."""
    check_rules(draft, creation=True)


def check_rules(draft: Draft, *, creation: bool = False) -> None:
    """Report every rule of the ruleset that does not hold, but for those about creation."""
    for id_, rule in draft.rules.rules.items():
        if rule.creation is creation and not draft.holds(rule.require):
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
    things = partial(list_of_number, draft.rules)
    gathered = any(gathers(part, things) for part in walk(parse_formula(rule.require)))
    if gathered and len(draft.items) <= MOST_TRIED:
        # The item without which it would hold, if there is one alone.
        found = []
        for item in draft.items:
            kept = [other for other in draft.items if other is not item]
            rest = replace(draft, items=kept, findings=[], derived={}, cache={}, known={})
            found += [item] if rest.holds(rule.require) else []
        if len(found) == 1 and found[0].key == key:
            return found[0].span
    picks = [p for p in draft.picks if p.key == key]
    return picks[0].span if len(picks) == 1 and key in draft.key_names else draft.span_of(key)


def check_trait_needs(draft: Draft) -> None:
    """Report traits that were raised, or named by a choice, although their `needs` do not hold."""
    start = draft.source.start
    spans = {id_: [part.span or start for part in parts] for id_, parts in draft.parts.items()}
    for pick in draft.picks:
        if pick.named not in draft.parts and pick.named_at is not None:
            spans.setdefault(pick.named, []).append(pick.named_at)
    for id_, stated in draft.stated.items():
        if stated.rating is not None and draft.own(id_) > 0:
            spans[id_] = [stated.span]
    for id_, places in spans.items():
        trait = draft.trait_rule(id_)
        if trait is not None and trait.needs is not None and not draft.holds(trait.needs):
            for span in places:
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
