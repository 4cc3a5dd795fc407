"""What every step of a proof works with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.load.rulesets.seeds import SeedRow, Seeds
from sheetgen.model.build import Value
from sheetgen.model.rulesets.proof import Proof
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.rules.formulas.evaluate import Scope
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.formulas.readings import ROUNDING, TEXT, WRONG, kind_of_difference, normal_text
from sheetgen.rules.names import folded


class Broken(Exception):
    """A mistake in what a ruleset says of its proof."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


@dataclass
class Bench:
    """A ruleset, printed figures, and how this table plays.

    Attributes:
        seen: Cells that were compared: file, place in it, column.
        kinds: Rules of kinds of files.
    """

    rules: Ruleset
    seeds: Seeds
    options: dict[str, Value] = field(default_factory=dict)
    seen: set[tuple[str, int, str]] = field(default_factory=set)
    kinds: dict[str, Ruleset] = field(default_factory=dict)

    def under(self, proof: Proof) -> Bench:
        """Return this bench, with the rules of the kind that `proof` is about."""
        if proof.kind is None:
            return self
        if proof.kind not in self.rules.kinds:
            hint = suggestion(proof.kind, self.rules.kinds, "kinds")
            raise dangling(proof.kind.span, f"there is no kind `{proof.kind}`", hint)
        return replace(self, rules=self.of_kind(str(proof.kind)))

    def of_kind(self, kind: str) -> Ruleset:
        """Return the rules of a kind of file, the same ones each time."""
        if kind not in self.kinds:
            self.kinds[kind] = kind_rules(self.rules, kind)
        return self.kinds[kind]

    def defaults(self) -> dict[str, Value]:
        """Return all options as this table plays."""
        return {**{str(i): o.default for i, o in self.rules.options.items()}, **self.options}

    def cell(self, row: SeedRow, column: str) -> str:
        """Return a cell, and note that something is compared with it."""
        self.seen.add((row.span.file, row.span.line, column))
        return row.cells[column]

    def rows(self, proof: Proof) -> Iterator[SeedRow]:
        """Yield the rows that count for `proof`."""
        for row in self.seeds.files[str(proof.file)]:
            if all(folded(row.cells[c]) == folded(v) for c, v in proof.where.items()):
                for column in (*proof.where, *proof.unread):
                    self.cell(row, column)
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
    """Whether two texts say the same, whatever their signs, quotes and letters.

    A share that is computed exactly, as a fraction, is the same as printed per cent that are
    rounded to the digits that stand there.
    """
    share = share_in(printed, computed)
    if share is not None:
        return kind_of_difference(printed, share) == ROUNDING
    return normal_text(printed) == normal_text(computed)


def share_in(printed: str, computed: str) -> Fraction | None:
    """Return what was computed exactly for printed per cent; None where it is no such thing."""
    exact = _EXACT.fullmatch(normal_text(computed))
    if exact is None or not printed.strip().endswith("%"):
        return None
    return Fraction(int(exact[1]), int(exact[2] or 1))


_EXACT: Final = re.compile(r"(-?\d+)(?:/(\d+))?")
_FIGURE: Final = re.compile(r"([+-]?)(\d+d?)")


def within(piece: str, text: str) -> bool:
    """Whether the figures of `piece` stand in one line of `text`; its words, if it has none."""
    wanted = _FIGURE.findall(normal_text(piece).replace(",", ""))
    for line in text.splitlines():
        if not wanted and f" {folded(piece).removesuffix('s')}" in f" {folded(line)}":
            return True
        there = _FIGURE.findall(normal_text(line.replace("±", " +1D -")).replace(",", ""))
        bare = {figure for _, figure in there}
        if wanted and all(w in there or (not w[0] and w[1] in bare) for w in wanted):
            return True
    return False


def split_cell(text: str) -> list[str]:
    """Return what stands in a cell of several things."""
    return [piece.strip() for piece in re.split(r";| & ", text) if piece.strip() not in ("", "-")]


def kind_of_texts(printed: str, computed: str) -> str:
    """Return how two texts differ: in a figure only, or in words."""
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
