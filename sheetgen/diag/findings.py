"""A finding, and a value together with its findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Generic, TypeVar

from sheetgen.diag.code import Code
from sheetgen.diag.spans import Span

T = TypeVar("T")


class Severity(IntEnum):
    """How much a finding matters; only errors keep a sheet from being printed."""

    NOTE = 0
    WARNING = 1
    ERROR = 2

    @property
    def word(self) -> str:
        """The severity as it is printed."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to say about an author's file.

    Attributes:
        message: What is wrong, in the author's words: no Python type names.
        hint: What to do about it. Empty only if there is truly nothing to suggest.
        rule: The ruleset's own name for the rule that is broken, and its ruling; a
            reader finds the rule by it. Empty where the rule is not a ruleset's.
    """

    code: Code
    span: Span
    message: str
    hint: str = ""
    severity: Severity = Severity.ERROR
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Checked(Generic[T]):
    """A value together with everything we had to say about it.

    There is no exception for bad input: a run collects every finding, so that an
    author mends ten mistakes in one pass instead of one mistake in ten.
    """

    value: T | None
    findings: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is a value and no finding is an error."""
        return self.value is not None and not errors(self.findings)


class DesignError(ValueError):
    """A design, theme or preset cannot be used. Deep down a print there is no other way out.

    Attributes:
        findings: What is wrong with it.
    """

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        super().__init__(findings)
        self.findings = findings


def errors(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return those of `findings` that are errors."""
    return tuple(f for f in findings if f.severity is Severity.ERROR)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return `findings` without repeats, by place in the file, then by code."""
    return tuple(sorted(dict.fromkeys(findings), key=_by_place))


def _by_place(finding: Finding) -> tuple[str, int, int, str, str]:
    span = finding.span
    return span.file, span.line, span.column, finding.code.id, finding.message


def raise_warnings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return `findings` with warnings as errors."""
    raised = {Severity.WARNING: Severity.ERROR}
    return tuple(replace(f, severity=raised.get(f.severity, f.severity)) for f in findings)
