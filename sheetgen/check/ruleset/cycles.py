"""Values, traits and named formulas of a ruleset that need each other in a circle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.model.rulesets.choices import Grants
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.rules.formulas.expressions import Call, FormulaError, parse_formula
from sheetgen.rules.formulas.trees import inputs, walk
from sheetgen.rules.index import Index, walk_model


def check_cycles(rules: Ruleset, index: Index) -> Iterator[Finding]:
    """Yield a finding for each circle of values, traits or named formulas."""
    needs, places = _needs(rules, index)
    reported: set[str] = set()
    for name in needs:
        path = [] if name in reported else _path_back(name, needs)
        if path:
            reported.update(path)
            message = "these depend on each other: " + " → ".join(path)
            hint = "compute one of them from other things"
            yield Finding(codes.CYCLE, places[name], message, hint)


def _needs(rules: Ruleset, index: Index) -> tuple[dict[str, set[str]], dict[str, Span]]:
    """Return the names that each name needs, and the place of its formula."""
    formulas: dict[str, list[Text]] = {}
    for id_, derived in rules.derived.items():
        formulas[str(id_)] = [text for text in (derived.value, derived.sum) if text is not None]
    for id_, (_, trait) in index.traits.items():
        formulas[id_] = [text for text in (trait.needs, trait.under) if text is not None]
    for block in walk_model((rules.given, rules.choices)):
        for raised, formula in block.raise_.items() if isinstance(block, Grants) else ():
            formulas.setdefault(str(raised), []).insert(0, formula)
    for head, formula in rules.formulas.items():
        formulas[str(head).split("(")[0] + "()"] = [formula]
    needs = {name: {n for text in texts for n in _names(text)} for name, texts in formulas.items()}
    places = {name: texts[0].span for name, texts in formulas.items() if texts}
    return {name: found & set(needs) for name, found in needs.items()}, places


def _names(text: Text) -> set[str]:
    """Return the names in a formula; names of functions end in `()`."""
    try:
        tree = parse_formula(text)
    except FormulaError:
        return set()
    calls = {f"{part.function}()" for part in walk(tree) if isinstance(part, Call)}
    return {*inputs(tree), *calls}


def _path_back(start: str, needs: Mapping[str, set[str]]) -> list[str]:
    """Return the shortest path from `start` to itself, or nothing."""
    paths = [[start]]
    seen: set[str] = set()
    while paths:
        path = paths.pop(0)
        for name in sorted(needs[path[-1]]):
            if name == start:
                return [*path, start]
            if name not in seen:
                seen.add(name)
                paths.append([*path, name])
    return []
