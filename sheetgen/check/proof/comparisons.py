"""Comparisons: a printed text, the text that the rules compute, and how the two are compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from sheetgen.check.proof.context import ProofContext, fill_text
from sheetgen.load.rulesets.seeds import SeedRow
from sheetgen.model.rulesets.proof import Difference, Proof
from sheetgen.rules.formulas.evaluate import Scope
from sheetgen.rules.formulas.readings import (
    INHERITED,
    ROUNDING,
    TEXT,
    TRUNCATED,
    WRONG,
    kind_of_difference,
    normal_text,
    per_cent,
)
from sheetgen.rules.names import folded

RATED: Final = re.compile(r"(.+?)\s+(\d+)D?\*?")
"""A name with its rating: `Word 3D`."""

_NUMBER: Final = re.compile(r"[+-]?\d[\d,]*")
_EXACT: Final = re.compile(r"(-?\d+)(?:/(\d+))?")
_FIGURE: Final = re.compile(r"([+-]?)(\d+d?)")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One printed text and what the rules say in its place.

    Attributes:
        what: The printed row, and the column if that says something.
        agrees: Whether the two agree; None compares them by `same`.
        kind: How they differ, one of those in `rules.formulas.readings`; found out if it is empty.
        rule, ruling, table, at, cell, note: As `Difference` has them.
    """

    row: SeedRow
    what: str
    printed: str
    computed: str
    agrees: bool | None = None
    kind: str = ""
    rule: str = ""
    ruling: str = ""
    table: str = ""
    at: int = -1
    cell: int = -1
    note: str = ""

    @property
    def differs(self) -> bool:
        """Whether the printed text is not what the rules say."""
        return not (same(self.printed, self.computed) if self.agrees is None else self.agrees)

    def difference(self, file: str) -> Difference:
        """Return the comparison as a difference of a file of printed figures."""
        kind = self.kind or kind_of_texts(self.printed, self.computed)
        return Difference(
            *(kind, file, self.row.line, self.what, self.printed, self.computed),
            *(self.rule, self.ruling, self.table, self.at, self.cell, self.note),
        )


def compare_cells(
    proof: Proof,
    context: ProofContext,
    row: SeedRow,
    scope_of: Callable[[str], Scope],
    what: str = "",
    above: SeedRow | None = None,
    skip: Container[str] = (),
    loose: bool = False,
) -> Iterator[Comparison]:
    """Yield a comparison for each column under `cells` and `within` but those to `skip`.

    Args:
        scope_of: The scope of a cell's formulas, by what the cell prints.
        what: What the comparison is about besides the row, if it is not the column.
        above: The row before, from which a printed change may inherit its error.
        loose: Whether words in capitals may have other punctuation.
    """
    name = row.cells.get(proof.name, "")
    for column, text in (*proof.cells.items(), *proof.within.items()):
        if column in skip:
            continue
        printed = context.cell(row, column)
        computed = fill_text(text, scope_of(printed))
        agrees = same(printed, computed)
        if column in proof.within:
            agrees = agrees or all_within(proof, printed, computed)
        elif loose and printed.isupper():
            agrees = agrees or folded(printed) == folded(computed)
        share, kind = _share_in(printed, computed), ""
        if share is not None and not agrees:
            kind, computed = kind_of_difference(printed, share), per_cent(printed, share)
            if kind != TRUNCATED and above is not None and _inherits(proof, column, row, above):
                kind = INHERITED
        ruling = ruling_of(proof, name, column)
        about = f"{name}, {what or column}"
        yield Comparison(row, about, printed, computed, agrees, kind, proof.rule, ruling)


def _inherits(proof: Proof, column: str, row: SeedRow, above: SeedRow) -> bool:
    """Whether a printed change is the difference of the two printed figures."""
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


def same(printed: str, computed: str) -> bool:
    """Whether two texts are equal but for signs, quotes and case.

    An exact share, such as `1/8`, equals a printed percentage that is rounded to its digits.
    """
    share = _share_in(printed, computed)
    if share is not None:
        return kind_of_difference(printed, share) == ROUNDING
    return normal_text(printed) == normal_text(computed)


def _share_in(printed: str, computed: str) -> Fraction | None:
    """Return the exact share that was computed for a printed percentage, or None."""
    exact = _EXACT.fullmatch(normal_text(computed))
    if exact is None or not printed.strip().endswith("%"):
        return None
    return Fraction(int(exact[1]), int(exact[2] or 1))


def within(piece: str, text: str) -> bool:
    """Whether one line of `text` has all figures of `piece`, or its words if it has no figures."""
    figures = _FIGURE.findall(normal_text(piece).replace(",", ""))
    for line in text.splitlines():
        if not figures and f" {folded(piece).removesuffix('s')}" in f" {folded(line)}":
            return True
        there = _FIGURE.findall(normal_text(line.replace("±", " +1D -")).replace(",", ""))
        bare = {figure for _, figure in there}
        if figures and all(f in there or (not f[0] and f[1] in bare) for f in figures):
            return True
    return False


def all_within(proof: Proof, printed: str, computed: str) -> bool:
    """Whether each piece of a printed cell is `within` a text, except for the words `besides`."""
    besides = besides_of(proof)
    return all(
        within(piece, computed) for piece in split_cell(printed) if folded(piece) not in besides
    )


def besides_of(proof: Proof) -> set[str]:
    """Return the words that `proof` compares with nothing, folded."""
    return {folded(word) for word in proof.besides}


def split_cell(text: str) -> list[str]:
    """Return the pieces of a cell that lists several things."""
    return [piece.strip() for piece in re.split(r";| & ", text) if piece.strip() not in ("", "-")]


def first_number(text: str) -> int:
    """Return the whole number that a cell begins with, or 0."""
    digits = _NUMBER.match(text)
    return int(digits[0].replace(",", "")) if digits else 0


def kind_of_texts(printed: str, computed: str) -> str:
    """Return how two texts differ: `WRONG` if only in a figure, `TEXT` if in words."""
    shapes = [
        "".join("0" if c.isdigit() else c for c in normal_text(t)) for t in (printed, computed)
    ]
    bare = [shape.replace("0", "").strip("+-, ") for shape in shapes]
    return WRONG if bare[0] == bare[1] else TEXT


def ruling_of(proof: Proof, row: str, column: str = "") -> str:
    """Return the ruling that settles a cell, its row or its column."""
    by = {folded(key): ruling for key, ruling in proof.rulings.items()}
    cell = folded(f"{row}/{column}")
    return by.get(cell) or by.get(folded(row)) or by.get(folded(column)) or proof.ruling
