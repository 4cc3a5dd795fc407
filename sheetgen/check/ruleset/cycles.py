"""Names of a ruleset that need each other, round in a circle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.rules.formulas.expressions import Call, FormulaError, parse_formula
from sheetgen.rules.formulas.trees import inputs, walk
from sheetgen.rules.index import Index


def cycles(rules: Ruleset, index: Index) -> Iterator[Finding]:
    """Yield a finding for each circle of values, traits or named formulas."""
    needs, places = _needs(rules, index)
    told: set[str] = set()
    for name in needs:
        way = [] if name in told else _way_back(name, needs)
        if way:
            told.update(way)
            message = "these need each other: " + " → ".join(way)
            hint = "compute one of them from other things"
            yield Finding(codes.CYCLE, places[name], message, hint)


def _needs(rules: Ruleset, index: Index) -> tuple[dict[str, set[str]], dict[str, Span]]:
    """Return which names the value of each name needs, and where it says so."""
    said: dict[str, list[Text]] = {}
    for id_, derived in rules.derived.items():
        said[str(id_)] = [text for text in (derived.value, derived.sum) if text is not None]
    for id_, (_, trait) in index.traits.items():
        said[id_] = [text for text in (trait.needs, trait.under) if text is not None]
    for head, formula in rules.formulas.items():
        said[str(head).split("(")[0] + "()"] = [formula]
    needs = {name: {n for text in texts for n in _names(text)} for name, texts in said.items()}
    places = {name: texts[0].span for name, texts in said.items() if texts}
    return {name: found & set(needs) for name, found in needs.items()}, places


def _names(text: Text) -> set[str]:
    """Return the names in a formula, those of functions with `()` behind them."""
    try:
        tree = parse_formula(text)
    except FormulaError:
        return set()
    calls = {f"{part.function}()" for part in walk(tree) if isinstance(part, Call)}
    return {*inputs(tree), *calls}


def _way_back(start: str, needs: Mapping[str, set[str]]) -> list[str]:
    """Return a way from `start` to itself, or nothing."""
    ways = [[start]]
    seen: set[str] = set()
    while ways:
        way = ways.pop(0)
        for name in sorted(needs[way[-1]]):
            if name == start:
                return [*way, start]
            if name not in seen:
                seen.add(name)
                ways.append([*way, name])
    return []
