"""Printed rows of a catalogue against the things of the ruleset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sheetgen.check.proof.comparisons import Comparison, besides_of, compare_cells, ruling_of
from sheetgen.check.proof.context import ProofContext, evaluate_text, require
from sheetgen.load.rulesets.seeds import SeedRow
from sheetgen.model.build import Value
from sheetgen.model.rulesets.choices import Choice
from sheetgen.model.rulesets.proof import Proof
from sheetgen.rules.formulas.evaluate import Inner
from sheetgen.rules.formulas.readings import UNDEFINED, UNPRICED
from sheetgen.rules.index import index_of
from sheetgen.rules.names import folded
from sheetgen.rules.tables.tables import RulesetScope
from sheetgen.rules.tables.things import (
    Thing,
    ThingScope,
    all_grants,
    catalogues,
    things,
    things_of_kind,
)

KINDS = "kinds."
"""The prefix of `of` before the name of a kind of files."""


def kind_of_proof(proof: Proof) -> str:
    """Return the kind of files that a proof is about, or an empty string."""
    return str(proof.of).removeprefix(KINDS) if str(proof.of).startswith(KINDS) else ""


def compare_things(proof: Proof, context: ProofContext) -> Iterator[Comparison]:
    """Yield comparisons of printed rows with the things that they are about."""
    if proof.of is None or kind_of_proof(proof):
        return
    require(proof.of, catalogues(context.rules))
    of = str(proof.of)
    known, names = things(context.rules, of), things_of_kind(context.rules, of)
    wrong: dict[str, list[Comparison]] = {}  # by name, if one row of several with it may agree
    right: set[str] = set()
    above: SeedRow | None = None
    for row in context.rows(proof):
        name = context.cell(row, proof.name)
        before, above = above, row
        if folded(name) in besides_of(proof):
            continue
        printed = str(proof.thing or name).rstrip("*").strip()  # without a footnote's mark
        found = names.find(printed)
        if not found:
            hint, ruling = names.hint(name), ruling_of(proof, name)
            yield Comparison(row, proof.name, name, hint, False, UNDEFINED, ruling=ruling)
            continue
        differing = [c for c in _compare(proof, context, row, known[found[0]], before) if c.differs]
        if not proof.any_of:
            yield from differing
        elif differing:
            wrong.setdefault(name, differing)
        else:
            right.add(name)
    yield from (differing[0] for name, differing in wrong.items() if name not in right)


def _compare(
    proof: Proof, context: ProofContext, row: SeedRow, thing: Thing, above: SeedRow | None
) -> Iterator[Comparison]:
    about = ThingScope(context.rules, RulesetScope(context.rules, context.options), thing)
    names: dict[str, Value] = dict(_grant_texts(thing, context))
    if proof.trait:
        found = index_of(context.rules).all_traits.find(context.cell(row, proof.trait))
        if not found:
            return
        names |= {"trait": found[0], "raised": about.value(f"raises.{found[0]}") or 0}
    what = row.cells[proof.trait] if proof.trait else ""
    yield from compare_cells(
        *(proof, context, row, lambda printed: Inner(about, {**names, "printed": printed})),
        *(what, above),
    )
    if proof.price is not None:
        name, priced = row.cells[proof.name], bool(evaluate_text(proof.price, about))
        ruling = ruling_of(proof, name, "price")
        yield Comparison(row, name, "no price", "", priced, UNPRICED, proof.rule, ruling)


def _grant_texts(thing: Thing, context: ProofContext) -> Mapping[str, str]:
    """Return in words what a choice grants: items, dice, other choices."""
    rules = context.rules
    found: dict[str, list[str]] = {key: [] for key in ("gear", "dice", "take", "set")}
    entries = {str(i): e for c in rules.choices.values() for i, e in c.entries.items()}
    for grants in all_grants(thing.grants) if isinstance(thing, Choice) else ():
        found["gear"] += [str(rules.gear[id_].name) for id_ in grants.gear]
        found["dice"] += map(str, grants.dice)
        found["take"] += [str(entries[id_].name) for id_ in grants.take]
        found["set"] += [str(entries[id_].name) for id_ in grants.set.values()]
    return {f"gives.{key}": _counted(words) for key, words in found.items()}


def _counted(words: list[str]) -> str:
    return ", ".join(
        f"{word} ×{n}" if (n := words.count(word)) > 1 else word for word in dict.fromkeys(words)
    )
