"""Printed rows of a catalogue against the things of the ruleset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from sheetgen.check.proof.proofs import (
    Bench,
    dangling,
    kind_of_texts,
    ruling_of,
    said,
    same,
    share_in,
    split_cell,
    within,
)
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.seeds import SeedRow
from sheetgen.model.build import Value
from sheetgen.model.differences import Difference
from sheetgen.model.rulesets.choices import Choice, Grants
from sheetgen.model.rulesets.proof import Proof
from sheetgen.rules.formulas.evaluate import Inner, value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.readings import (
    INHERITED,
    TRUNCATED,
    UNDEFINED,
    UNPRICED,
    kind_of_difference,
    per_cent,
)
from sheetgen.rules.index import index_of
from sheetgen.rules.names import folded
from sheetgen.rules.tables.tables import RulesetScope
from sheetgen.rules.tables.things import (
    Thing,
    ThingScope,
    catalogues,
    thing_name,
    things,
    things_of_kind,
)


def compare_things(proof: Proof, bench: Bench) -> Iterator[Difference]:
    """Yield what differs between printed rows and the things that they are about."""
    if proof.of is None or kind_of_proof(proof):
        return
    if proof.of not in catalogues(bench.rules):
        hint = suggestion(proof.of, catalogues(bench.rules))
        raise dangling(proof.of.span, f"there is nothing called `{proof.of}`", hint)
    seen: dict[str, list[Difference] | None] = {}
    besides = {folded(word) for word in proof.besides}
    above: SeedRow | None = None
    for row in bench.rows(proof):
        name = bench.cell(row, proof.name)
        before, above = above, row
        if folded(name) in besides:
            continue
        thing = _thing(str(proof.thing or name), proof, bench)
        if thing is None:
            hint = things_of_kind(bench.rules, str(proof.of)).hint(name)
            ruling = ruling_of(proof, name)
            yield Difference(
                UNDEFINED, str(proof.file), row.line, proof.name, name, hint, "", ruling
            )
            continue
        wrong = list(_cells(proof, bench, row, name, thing, before))
        if not proof.any_of:
            yield from wrong
        elif not wrong or seen.get(name, []) is None:
            seen[name] = None
        else:
            seen[name] = [*(seen.get(name) or []), *wrong]
    for kept in seen.values():
        yield from (kept or [])[:1]


def _thing(name: str, proof: Proof, bench: Bench) -> Thing | None:
    """Return the thing that `name` means; a mark of a footnote behind it says nothing."""
    plain = name.rstrip("*").strip()
    found = things_of_kind(bench.rules, str(proof.of)).find(plain)
    return things(bench.rules, str(proof.of))[found[0]] if found else None


def _cells(
    proof: Proof, bench: Bench, row: SeedRow, name: str, thing: Thing, above: SeedRow | None
) -> Iterator[Difference]:
    scope = RulesetScope(bench.rules, bench.options)
    about = ThingScope(bench.rules, scope, thing)
    trait = _trait(proof, bench, row)
    names: dict[str, Value] = dict(_gives(thing, bench))
    if proof.trait:
        names |= {"trait": trait, "raised": about.value(f"raises.{trait}") or 0 if trait else 0}
    if proof.trait and not trait:
        return
    for column, text in (*proof.cells.items(), *proof.within.items()):
        printed = bench.cell(row, column)
        computed = said(text, Inner(about, {**names, "printed": printed}))
        if not (
            agree(proof, printed, computed) if column in proof.within else same(printed, computed)
        ):
            what = f"{name}, {row.cells[proof.trait] if proof.trait else column}"
            share = share_in(printed, computed)
            kind = kind_of_texts(printed, computed)
            if share is not None:
                kind, computed = kind_of_difference(printed, share), per_cent(printed, share)
                if kind != TRUNCATED and above is not None and _inherits(proof, column, row, above):
                    kind = INHERITED
            ruling = ruling_of(proof, name, column)
            yield Difference(
                kind, str(proof.file), row.line, what, printed, computed, proof.rule, ruling
            )
    if proof.price is not None and not _priced(proof, about):
        ruling = ruling_of(proof, name, "price")
        yield Difference(
            UNPRICED, str(proof.file), row.line, name, "no price", "", proof.rule, ruling
        )


def _inherits(proof: Proof, column: str, row: SeedRow, above: SeedRow) -> bool:
    """Whether a printed change is what the two printed figures differ by."""
    of = proof.changes.get(column)
    if of is None:
        return False
    change, after, before = map(_points, (row.cells[column], row.cells[of], above.cells[of]))
    if change is None or after is None or before is None:
        return False
    return change == after - before


def _points(text: str) -> Fraction | None:
    """Return a printed percentage as a number."""
    try:
        return Fraction(text.replace("−", "-").rstrip("% "))
    except ValueError:
        return None


def agree(proof: Proof, printed: str, computed: str) -> bool:
    """Whether all that a cell prints stands in a text, but for words that need not."""
    besides = {folded(word) for word in proof.besides}
    return all(
        within(piece, computed) for piece in split_cell(printed) if folded(piece) not in besides
    )


def given_grants(grants: Grants | None) -> Iterator[Grants]:
    """Yield what is given in any case, and what under a condition."""
    if grants is not None:
        yield grants
        for more in grants.when:
            yield from given_grants(more)


def _gives(thing: Thing, bench: Bench) -> Mapping[str, str]:
    """Return in words what a choice brings along: items, dice, other choices."""
    found: dict[str, list[str]] = {key: [] for key in ("gear", "dice", "take", "set")}
    entries = {str(i): e for c in bench.rules.choices.values() for i, e in c.entries.items()}
    for grants in given_grants(thing.grants) if isinstance(thing, Choice) else ():
        found["gear"] += [str(bench.rules.gear[id_].name) for id_ in grants.gear]
        found["dice"] += map(str, grants.dice)
        found["take"] += [str(entries[id_].name) for id_ in grants.take]
        found["set"] += [str(entries[id_].name) for id_ in grants.set.values()]
    return {f"gives.{key}": _counted(words) for key, words in found.items()}


def _counted(words: list[str]) -> str:
    return ", ".join(
        f"{word} ×{n}" if (n := words.count(word)) > 1 else word for word in dict.fromkeys(words)
    )


KINDS = "kinds."
"""Before the name of a kind whose files `of` means."""


def kind_of_proof(proof: Proof) -> str:
    """Return the kind whose files a proof is about, or nothing."""
    return str(proof.of).removeprefix(KINDS) if str(proof.of).startswith(KINDS) else ""


def _trait(proof: Proof, bench: Bench, row: SeedRow) -> str:
    """Return the id of the trait that the row names; no trait, no comparison."""
    if not proof.trait:
        return ""
    traits = index_of(bench.rules).all_traits.find(bench.cell(row, proof.trait))
    return traits[0] if traits else ""


def _priced(proof: Proof, about: ThingScope) -> bool:
    assert proof.price is not None
    try:
        return bool(value_of(proof.price, about))
    except FormulaError as error:
        raise dangling(proof.price.span, f"`{proof.price}`: {error}") from None


def strict_names(bench: Bench, of: str) -> Mapping[str, str]:
    """Return the names of things as they are printed, by the form in which they are compared."""
    if of == "derived":
        return {folded(d.label): d.label for d in bench.rules.derived.values() if d.label}
    return {folded(said): said for said in map(thing_name, things(bench.rules, of).values())}
