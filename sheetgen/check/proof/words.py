"""Words of printed rows that have to be names, and rows that are worked out as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from sheetgen.check.proof.proofs import (
    Bench,
    dangling,
    kind_of_texts,
    ruling_of,
    said,
    same,
    split_cell,
)
from sheetgen.check.proof.things import agree, strict_names
from sheetgen.diag.near import suggestion
from sheetgen.load.rulesets.seeds import SeedRow
from sheetgen.model.build import Value
from sheetgen.model.differences import Difference
from sheetgen.model.rulesets.proof import Proof
from sheetgen.model.rulesets.ruleset import Item
from sheetgen.rules.formulas.evaluate import value_of
from sheetgen.rules.formulas.readings import UNDEFINED, WRONG
from sheetgen.rules.index import index_of
from sheetgen.rules.names import folded
from sheetgen.rules.tables.example_scope import ExampleScope
from sheetgen.rules.tables.things import catalogues, things_of_kind

_SIGNED: Final = re.compile(r"[+−-]\d+D?\s+(.+)")
_CHANGES: Final = re.compile(r"(.+?)\s+([+−-]\d+)")
_RATED: Final = re.compile(r"(.+?)\s+(\d+)D?\*?")


def check_words(proof: Proof, bench: Bench) -> Iterator[Difference]:
    """Yield words that are no names, and values that a row prints and the rules do not give."""
    for column, of in proof.names.items():
        for one in of:
            if one != "derived" and one not in catalogues(bench.rules):
                hint = suggestion(one, ["derived", *catalogues(bench.rules)])
                raise dangling(one.span, f"there is nothing called `{one}`", hint)
        for row in bench.rows(proof):
            yield from _names(proof, bench, row, str(column), tuple(map(str, of)))
    alone = proof.of is None and proof.table is None and not proof.makes
    if proof.totals or (alone and (proof.cells or proof.within)):
        for number, row in enumerate(bench.rows(proof), start=1):
            yield from _worked(proof, bench, row, number)


def _names(
    proof: Proof, bench: Bench, row: SeedRow, column: str, of: tuple[str, ...]
) -> Iterator[Difference]:
    besides = {folded(word) for word in proof.besides}
    for piece in split_cell(bench.cell(row, column)):
        signed, rated = _SIGNED.fullmatch(piece), _RATED.fullmatch(piece)
        if proof.signed and signed is None:
            continue
        word = signed[1] if signed else rated[1] if rated else piece
        if folded(word) in besides or _known(proof, bench, word, of):
            continue
        name = row.cells.get(proof.name, "")
        meant = next((m for o in of for m in _meant(bench, o, word)), "")
        all_names = [n for o in of for n in strict_names(bench, o).values()]
        hint = f"the rules call it {meant}" if meant else _elsewhere(proof, bench, word)
        hint = hint or suggestion(word, all_names)
        what = f"{name}, {column}" if name else column
        ruling = ruling_of(proof, word) if folded(word) in _ruled(proof) else ""
        yield Difference(UNDEFINED, str(proof.file), row.line, what, word, hint, "", ruling)


def _elsewhere(proof: Proof, bench: Bench, word: str) -> str:
    """Return where the source prints a word as something else, if it does."""
    for name, rows in bench.seeds.files.items():
        for row in rows if name != proof.file else ():
            for piece in (piece for cell in row.cells.values() for piece in split_cell(cell)):
                rated = _RATED.fullmatch(piece)
                if folded(rated[1] if rated else piece) == folded(word):
                    return f"line {row.line} has it in another list"
    return ""


def _ruled(proof: Proof) -> set[str]:
    return {folded(key) for key in proof.rulings}


def _known(proof: Proof, bench: Bench, word: str, of: tuple[str, ...]) -> bool:
    for names in (strict_names(bench, one) for one in of):
        if folded(word) in names or folded(word).removesuffix("s") in names:
            return True  # a name may stand in the plural, but not the other way round
    return proof.loose and any(name for one in of for name in _meant(bench, one, word))


def _meant(bench: Bench, of: str, word: str) -> Iterator[str]:
    if of != "derived":
        names = things_of_kind(bench.rules, of)
        yield from (names.shown[id_] for id_ in names.find(word))


def _worked(proof: Proof, bench: Bench, row: SeedRow, number: int) -> Iterator[Difference]:
    """Yield what a row prints and its own ratings do not give."""
    totals = {str(trait): _whole(bench.cell(row, column)) for trait, column in proof.totals.items()}
    skills = index_of(bench.rules).all_traits
    for piece in split_cell(bench.cell(row, proof.rated)) if proof.rated else ():
        match = _RATED.fullmatch(piece)
        found = skills.find(match[1]) if match else ()
        if match and found:
            totals[found[0]] = int(match[2])
    names: dict[str, Value] = {"row": number}
    names |= {f"cell.{column}": cell for column, cell in row.cells.items()}
    for item in _items(bench, bench.cell(row, proof.worn)) if proof.worn else ():
        names |= _modifiers(item, bench)
        yield from _worn(proof, bench, row, item, names)
    scope = ExampleScope(bench.rules, names, totals, bench.options)
    name = bench.cell(row, proof.name)
    if proof.of is None:
        for column, text in (*proof.cells.items(), *proof.within.items()):
            printed, computed = bench.cell(row, column), said(text, scope)
            inside = column in proof.within and agree(proof, printed, computed)
            if not inside and not same(printed, computed):
                kind = kind_of_texts(printed, computed)
                ruling = ruling_of(proof, name, column)
                what = f"{name}, {column}"
                yield Difference(
                    kind, str(proof.file), row.line, what, printed, computed, proof.rule, ruling
                )
    if proof.armed:
        yield from _armed(proof, bench, row, scope)


def _whole(text: str) -> int:
    digits = re.match(r"\d+", text)
    return int(digits[0]) if digits else 0


def _items(bench: Bench, text: str) -> Iterator[Item]:
    for piece in split_cell(text):
        found = things_of_kind(bench.rules, "gear").find(piece)
        yield from (bench.rules.gear[id_] for id_ in found[:1])


def _worn(
    proof: Proof, bench: Bench, row: SeedRow, item: Item, names: Mapping[str, Value]
) -> Iterator[Difference]:
    """Yield what is printed behind a worn item and is not what the item does."""
    for piece in split_cell(row.cells[proof.worn]):
        match = _CHANGES.fullmatch(piece)
        for id_, derived in bench.rules.derived.items() if match else ():
            if match and derived.label and folded(derived.label) == folded(match[1]):
                amount = names.get(f"modifiers.{id_}", 0)
                if not same(match[2], f"{amount:+}"):
                    what = f"{row.cells[proof.name]}, {item.name}, {derived.label}"
                    ruling = ruling_of(proof, row.cells[proof.name], proof.worn)
                    yield Difference(
                        *(WRONG, str(proof.file), row.line, what, match[2], f"{amount:+}"),
                        *(str(item.name), ruling),
                    )


def _modifiers(item: Item, bench: Bench) -> Mapping[str, Value]:
    """Return what a worn item adds to derived values, as `modifiers(…)` asks for it."""
    given: dict[str, Value] = {}
    if item.gives is not None and item.bonus is not None:
        given[f"modifiers.{item.gives}"] = item.bonus
    for derived, formula in item.modifies.items():
        given[f"modifiers.{derived}"] = value_of(formula, ExampleScope(bench.rules, {}))
    return given


def _armed(proof: Proof, bench: Bench, row: SeedRow, scope: ExampleScope) -> Iterator[Difference]:
    """Yield items whose dice are not what the row prints behind their name."""
    for piece in split_cell(bench.cell(row, proof.armed)):
        match = _RATED.fullmatch(piece)
        for item in _items(bench, match[1]) if match else ():
            adds = scope.value(str(item.adds)) if item.adds else 0
            dice = (item.dice or 0) + (adds if isinstance(adds, int) else 0)
            if match and dice != int(match[2]):
                what = f"{row.cells[proof.name]}, {match[1]}"
                kind = kind_of_texts(f"{match[2]}D", f"{dice}D")
                yield Difference(
                    *(kind, str(proof.file), row.line, what, f"{match[2]}D", f"{dice}D"),
                    *(f"{item.name}", ruling_of(proof, match[1])),
                )
