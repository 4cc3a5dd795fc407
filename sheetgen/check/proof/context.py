"""The context that all steps of a proof share: rules, printed figures, and what was compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

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
from sheetgen.rules.formulas.evaluate import Scope, value_of
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.names import folded

T = TypeVar("T")


class ProofError(Exception):
    """A mistake in a ruleset's `proof`."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


@dataclass
class ProofContext:
    """A ruleset, its source's printed figures, and the options in force.

    Attributes:
        seen: Cells that were compared: file, line in it, column.
        kinds: Rules of kinds of files, by kind.
    """

    rules: Ruleset
    seeds: Seeds
    options: dict[str, Value] = field(default_factory=dict)
    seen: set[tuple[str, int, str]] = field(default_factory=set)
    kinds: dict[str, Ruleset] = field(default_factory=dict)

    def for_kind_of(self, proof: Proof) -> ProofContext:
        """Return this context, with the rules of the kind that `proof` names, if it names one."""
        if proof.kind is None:
            return self
        return replace(self, rules=self.rules_of_kind(proof.kind, str(proof.kind)))

    def rules_of_kind(self, place: Text, kind: str) -> Ruleset:
        """Return the rules of a kind of file, the same ones each time.

        Raises:
            ProofError: There is no such kind; `place` names it.
        """
        if kind not in self.kinds:
            require(place, self.rules.kinds, "kind", kind)
            self.kinds[kind] = kind_rules(self.rules, kind)
        return self.kinds[kind]

    def cell(self, row: SeedRow, column: str) -> str:
        """Return a cell, and note that it is compared."""
        self.seen.add((row.span.file, row.span.line, column))
        return row.cells[column]

    def rows(self, proof: Proof) -> Iterator[SeedRow]:
        """Yield the rows that `proof` is about."""
        for row in self.seeds.files[str(proof.file)]:
            if all(folded(row.cells[c]) == folded(v) for c, v in proof.where.items()):
                for column in (*proof.where, *proof.unread):
                    self.cell(row, column)
                yield row


def dangling(span: Span, message: str, hint: str = "") -> ProofError:
    """Return the error of a name in `proof` that nothing has."""
    return ProofError(Finding(codes.DANGLING, span, message, hint))


def require(place: Text, known: Iterable[str], noun: str = "", name: str = "") -> None:
    """Check that `name`, or else the text of `place` itself, is one of `known`.

    Raises:
        ProofError: It is none of them; `noun` says what it should be.
    """
    known, name = list(known), name or str(place)
    if name not in known:
        message = f"there is no {noun} `{name}`" if noun else f"there is nothing called `{name}`"
        raise dangling(place.span, message, suggestion(name, known, f"{noun}s" if noun else ""))


def fill_text(text: Text, scope: Scope) -> str:
    """Return `text` with the values of its formulas.

    Raises:
        ProofError: A formula has no value.
    """
    return _answered(filled, text, scope)


def evaluate_text(formula: Text, scope: Scope) -> Value:
    """Return the value of `formula`; raises as `fill_text` does."""
    return _answered(value_of, formula, scope)


def _answered(work: Callable[[Text, Scope], T], text: Text, scope: Scope) -> T:
    try:
        return work(text, scope)
    except FormulaError as error:
        finding = Finding(codes.UNANSWERED, text.span, f"`{text}`: {error}")
        raise ProofError(finding) from None
