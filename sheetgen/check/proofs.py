"""What every step of a proof works with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.load.seeds import SeedRow, Seeds
from sheetgen.model.build import Value
from sheetgen.model.proof import Proof
from sheetgen.model.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.rules.evaluate import Scope
from sheetgen.rules.expressions import FormulaError
from sheetgen.rules.lines import filled
from sheetgen.rules.names import folded
from sheetgen.rules.readings import TEXT, WRONG, plain


class Broken(Exception):
    """A mistake in what a ruleset says of its proof."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


@dataclass
class Bench:
    """A ruleset, printed figures, and how this table plays."""

    rules: Ruleset
    seeds: Seeds
    options: dict[str, Value] = field(default_factory=dict)

    def rows(self, proof: Proof) -> Iterator[SeedRow]:
        """Yield the rows that count for `proof`."""
        for row in self.seeds.files[str(proof.file)]:
            if all(folded(row.cells[c]) == folded(v) for c, v in proof.where.items()):
                yield row


def dangling(span: Span, message: str, hint: str = "") -> Broken:
    """Return the error of a name in `proof` that leads nowhere."""
    return Broken(Finding(codes.DANGLING, span, message, hint))


def said(text: Text, scope: Scope) -> str:
    """Return `text` with its formulas worked out.

    Raises:
        Broken: One of them cannot be.
    """
    try:
        return filled(text, scope)
    except FormulaError as error:
        message = f"`{text}`: {error}"
        raise Broken(Finding(codes.UNANSWERED, text.span, message)) from None


def same(printed: str, computed: str) -> bool:
    """Whether two texts say the same, whatever their signs, quotes and letters."""
    return plain(printed) == plain(computed)


def kind_of_texts(printed: str, computed: str) -> str:
    """Return how two texts differ: in a figure only, or in words."""
    shapes = ["".join("0" if c.isdigit() else c for c in plain(t)) for t in (printed, computed)]
    bare = [shape.replace("0", "").strip("+-, ") for shape in shapes]
    return WRONG if bare[0] == bare[1] else TEXT


def ruling_of(proof: Proof, row: str, column: str = "") -> str:
    """Return the ruling that settles a cell, its row or its column."""
    by = {folded(key): ruling for key, ruling in proof.rulings.items()}
    cell = folded(f"{row}/{column}")
    return by.get(cell) or by.get(folded(row)) or by.get(folded(column)) or proof.ruling
