"""Options: the ruleset's defaults, then the values of the file, then those of the command."""

from __future__ import annotations

from collections.abc import Mapping

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import name_hint, suggestion
from sheetgen.diag.spans import Span
from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Option, Ruleset
from sheetgen.model.source import Pairs, ScalarNode, Source
from sheetgen.rules.formulas.expressions import parse_formula
from sheetgen.rules.formulas.trees import inputs
from sheetgen.rules.index import index_of
from sheetgen.rules.names import closest_names

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
    for key, node in stated.entries if isinstance(stated, Pairs) else ():
        raw = node.raw if isinstance(node, ScalarNode) else ""
        _set(rules, values, findings, key.raw, raw, key.span, node.span)
    for name, raw in chosen.items():
        _set(rules, values, findings, name, raw, COMMAND, COMMAND)
    return values, findings


def _set(
    rules: Ruleset,
    values: dict[str, Value],
    findings: list[Finding],
    name: str,
    raw: str,
    name_span: Span,
    span: Span,
) -> None:
    found = closest_names(name, map(str, rules.options))
    option = rules.options.get(*found) if len(found) == 1 else None
    if option is None:
        hint = suggestion(name, rules.options, "options")
        message = f"{rules.title} has no option `{name}`"
        findings.append(Finding(codes.BAD_OPTION, name_span, message, hint))
        return
    value = parse_option(option, raw)
    if value is None:
        message = f"`{name}` cannot be `{raw}`"
        hint = name_hint(raw, _words(option), f"write {describe_values(option)}")
        findings.append(Finding(codes.BAD_OPTION, span, message, hint))
        return
    values[next(iter(found))] = value


def option_hint(rules: Ruleset, formula: str) -> str:
    """Return a hint that names the option that `formula` uses; empty if it uses none."""
    named = sorted(inputs(parse_formula(formula)) & {str(id_) for id_ in rules.options})
    return f"the option `{named[0]}` sets it" if named else ""


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


def _words(option: Option) -> tuple[str, ...]:
    return ("true", "false", "yes", "no") if YES_OR_NO in option.values else option.values
