"""Words of printed rows that have to be names, and rows whose figures follow from each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from sheetgen.check.proof.comparisons import (
    RATED,
    Comparison,
    besides_of,
    compare_cells,
    first_number,
    ruling_of,
    split_cell,
)
from sheetgen.check.proof.context import ProofContext, require
from sheetgen.check.proof.scope import ProofScope
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.seeds import SeedRow
from sheetgen.model.build import Value
from sheetgen.model.rulesets.items import Item
from sheetgen.model.rulesets.proof import Proof
from sheetgen.rules.formulas.evaluate import value_of
from sheetgen.rules.formulas.readings import UNDEFINED, WRONG
from sheetgen.rules.index import index_of
from sheetgen.rules.names import folded
from sheetgen.rules.tables.things import catalogues, thing_name, things, things_of_kind

_SIGNED: Final = re.compile(r"[+−-]\d+D?\s+(.+)")
_CHANGES: Final = re.compile(r"(.+?)\s+([+−-]\d+)")

DERIVED: Final = "derived"
"""In `names`, the labels of derived values; all else is a catalogue."""


def compare_names(proof: Proof, context: ProofContext) -> Iterator[Comparison]:
    """Yield the words of the columns under `names` that are no names of the rules."""
    for column, of in proof.names.items():
        for one in of:
            require(one, [DERIVED, *catalogues(context.rules)])
        for row in context.rows(proof):
            yield from _unknown_words(proof, context, row, str(column), tuple(map(str, of)))


def _unknown_words(
    proof: Proof, context: ProofContext, row: SeedRow, column: str, of: tuple[str, ...]
) -> Iterator[Comparison]:
    known = {form: name for one in of for form, name in _names(context, one).items()}
    ruled = {folded(key) for key in proof.rulings}
    for piece in split_cell(context.cell(row, column)):
        signed, rated = _SIGNED.fullmatch(piece), RATED.fullmatch(piece)
        if proof.signed and signed is None:
            continue
        word = signed[1] if signed else rated[1] if rated else piece
        form = folded(word)
        # A printed name may be in the plural, but not the other way round.
        if {form, form.removesuffix("s")} & known.keys() or form in besides_of(proof):
            continue
        meant = next((m for o in of for m in _meant(context, o, word)), "")
        if meant and proof.loose:
            continue
        name = row.cells.get(proof.name, "")
        hint = f"the rules call it {meant}" if meant else _elsewhere(proof, context, word)
        hint = hint or suggestion(word, known.values())
        ruling = ruling_of(proof, word) if form in ruled else ""
        what = f"{name}, {column}" if name else column
        yield Comparison(row, what, word, hint, False, UNDEFINED, ruling=ruling)


def _names(context: ProofContext, of: str) -> Mapping[str, str]:
    """Return the names of things as they are printed, by their folded form."""
    if of == DERIVED:
        return {folded(d.label): d.label for d in context.rules.derived.values() if d.label}
    return {folded(n): n for n in map(thing_name, things(context.rules, of).values())}


def _meant(context: ProofContext, of: str, word: str) -> Iterator[str]:
    """Yield the names of the things that have `word` as an alias or another spelling."""
    if of != DERIVED:
        names = things_of_kind(context.rules, of)
        yield from (names.shown[id_] for id_ in names.find(word))


def _elsewhere(proof: Proof, context: ProofContext, word: str) -> str:
    """Return where the source prints a word as something else, if it does."""
    for name, rows in context.seeds.files.items():
        for row in rows if name != proof.file else ():
            for piece in (piece for cell in row.cells.values() for piece in split_cell(cell)):
                rated = RATED.fullmatch(piece)
                if folded(rated[1] if rated else piece) == folded(word):
                    return f"line {row.line} has it in another list"
    return ""


def compare_rows(proof: Proof, context: ProofContext) -> Iterator[Comparison]:
    """Yield comparisons of printed values with those that a row's own ratings give."""
    alone = proof.of is None and proof.table is None and not proof.makes
    if proof.totals or (alone and (proof.cells or proof.within)):
        for number, row in enumerate(context.rows(proof), start=1):
            yield from _compare_row(proof, context, row, number)


def _compare_row(
    proof: Proof, context: ProofContext, row: SeedRow, number: int
) -> Iterator[Comparison]:
    cell = context.cell
    totals = {str(t): first_number(cell(row, column)) for t, column in proof.totals.items()}
    skills = index_of(context.rules).all_traits
    for piece in split_cell(cell(row, proof.rated)) if proof.rated else ():
        match = RATED.fullmatch(piece)
        found = skills.find(match[1]) if match else ()
        if match and found:
            totals[found[0]] = int(match[2])
    names: dict[str, Value] = {"row": number}
    names |= {f"cell.{column}": text for column, text in row.cells.items()}
    for item in _items(context, cell(row, proof.worn)) if proof.worn else ():
        names |= _modifiers(item, context)
        yield from _compare_worn(proof, context, row, item, names)
    scope = ProofScope(context.rules, names, totals, context.options)
    cell(row, proof.name)
    if proof.of is None:
        yield from compare_cells(proof, context, row, lambda _: scope)
    if proof.armed:
        yield from _compare_armed(proof, context, row, scope)


def _items(context: ProofContext, text: str) -> Iterator[Item]:
    for piece in split_cell(text):
        found = things_of_kind(context.rules, "gear").find(piece)
        yield from (context.rules.gear[id_] for id_ in found[:1])


def _modifiers(item: Item, context: ProofContext) -> Mapping[str, Value]:
    """Return what a worn item adds to derived values, by the names of `modifiers(…)`."""
    given: dict[str, Value] = {}
    if item.gives is not None and item.bonus is not None:
        given[f"modifiers.{item.gives}"] = item.bonus
    for derived, formula in item.modifies.items():
        given[f"modifiers.{derived}"] = value_of(formula, ProofScope(context.rules, {}))
    return given


def _compare_worn(
    proof: Proof, context: ProofContext, row: SeedRow, item: Item, names: Mapping[str, Value]
) -> Iterator[Comparison]:
    """Yield comparisons of the changes printed behind a worn item with those of the item."""
    name = row.cells[proof.name]
    for piece in split_cell(row.cells[proof.worn]):
        match = _CHANGES.fullmatch(piece)
        for id_, derived in context.rules.derived.items() if match else ():
            if match and derived.label and folded(derived.label) == folded(match[1]):
                amount = f"{names.get(f'modifiers.{id_}', 0):+}"
                what = f"{name}, {item.name}, {derived.label}"
                ruling = ruling_of(proof, name, proof.worn)
                rule = str(item.name)
                yield Comparison(row, what, match[2], amount, None, WRONG, rule, ruling)


def _compare_armed(
    proof: Proof, context: ProofContext, row: SeedRow, scope: ProofScope
) -> Iterator[Comparison]:
    """Yield comparisons of the dice printed behind items with those of the items."""
    for piece in split_cell(context.cell(row, proof.armed)):
        match = RATED.fullmatch(piece)
        for item in _items(context, match[1]) if match else ():
            adds = scope.value(str(item.adds)) if item.adds else 0
            dice = (item.dice or 0) + (adds if isinstance(adds, int) else 0)
            if match:
                printed, computed = f"{int(match[2])}D", f"{dice}D"
                what, ruling = f"{row.cells[proof.name]}, {match[1]}", ruling_of(proof, match[1])
                yield Comparison(row, what, printed, computed, None, "", f"{item.name}", ruling)
