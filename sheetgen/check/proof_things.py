"""Printed rows of a catalogue against the things of the ruleset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sheetgen.check.proofs import Bench, dangling, kind_of_texts, ruling_of, said, same
from sheetgen.diag.near import suggestion
from sheetgen.load.seeds import SeedRow
from sheetgen.model.build import Value
from sheetgen.model.differences import Difference
from sheetgen.model.proof import Proof
from sheetgen.rules.evaluate import Inner, value_of
from sheetgen.rules.expressions import FormulaError
from sheetgen.rules.index import index_of
from sheetgen.rules.names import folded
from sheetgen.rules.readings import UNDEFINED, UNPRICED
from sheetgen.rules.tables import Rules
from sheetgen.rules.things import About, Thing, catalogues, names_in, things


def listed(proof: Proof, bench: Bench) -> Iterator[Difference]:
    """Yield what differs between printed rows and the things that they are about."""
    if proof.of is None:
        return
    if proof.of not in catalogues(bench.rules):
        hint = suggestion(proof.of, catalogues(bench.rules))
        raise dangling(proof.of.span, f"there is nothing called `{proof.of}`", hint)
    seen: dict[str, list[Difference] | None] = {}
    for row in bench.rows(proof):
        name = row.cells[proof.name]
        thing = _thing(name, proof, bench)
        if thing is None:
            hint = names_in(bench.rules, str(proof.of)).hint(name)
            ruling = ruling_of(proof, name)
            yield Difference(
                UNDEFINED, str(proof.file), row.line, proof.name, name, hint, "", ruling
            )
            continue
        wrong = list(_cells(proof, bench, row, name, thing))
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
    found = names_in(bench.rules, str(proof.of)).find(plain)
    return things(bench.rules, str(proof.of))[found[0]] if found else None


def _cells(
    proof: Proof, bench: Bench, row: SeedRow, name: str, thing: Thing
) -> Iterator[Difference]:
    scope = Rules(bench.rules, bench.options)
    about = About(bench.rules, scope, thing)
    trait = _trait(proof, bench, row)
    names: dict[str, Value] = {}
    if proof.trait:
        names = {"trait": trait, "raised": about.value(f"raises.{trait}") or 0 if trait else 0}
    if proof.trait and not trait:
        return
    for column, text in proof.cells.items():
        printed = row.cells[column]
        computed = said(text, Inner(about, {**names, "printed": printed}))
        if not same(printed, computed):
            what = f"{name}, {row.cells[proof.trait] if proof.trait else column}"
            kind = kind_of_texts(printed, computed)
            ruling = ruling_of(proof, name, column)
            yield Difference(
                kind, str(proof.file), row.line, what, printed, computed, proof.rule, ruling
            )
    if proof.price is not None and not _priced(proof, about):
        ruling = ruling_of(proof, name, "price")
        yield Difference(
            UNPRICED, str(proof.file), row.line, name, "no price", "", proof.rule, ruling
        )


def _trait(proof: Proof, bench: Bench, row: SeedRow) -> str:
    """Return the id of the trait that the row names; no trait, no comparison."""
    if not proof.trait:
        return ""
    traits = index_of(bench.rules).all_traits.find(row.cells[proof.trait])
    return traits[0] if traits else ""


def _priced(proof: Proof, about: About) -> bool:
    assert proof.price is not None
    try:
        return bool(value_of(proof.price, about))
    except FormulaError as error:
        raise dangling(proof.price.span, f"`{proof.price}`: {error}") from None


def strict_names(bench: Bench, of: str) -> Mapping[str, str]:
    """Return the names of things as they are printed, by the form in which they are compared."""
    if of == "derived":
        return {folded(d.label): d.label for d in bench.rules.derived.values() if d.label}
    return {folded(thing.name): str(thing.name) for thing in things(bench.rules, of).values()}
