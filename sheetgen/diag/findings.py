"""Findings, values together with the findings about them, and findings as text and as data."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

from sheetgen.diag.codes import Code
from sheetgen.diag.visible import JOINERS, EscapedText, mask_secrets, visible
from sheetgen.records import frozen

T = TypeVar("T")
PROGRAM: Final = "sheetgen"  # the file of a span for findings about the installation
RULESET: Final = "RULESET"  # the name of a command-line argument, used as the file of a span
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # of YAML, which has more than `\n`


class Severity(IntEnum):
    """How much a finding matters; only errors prevent a print."""

    NOTE = 0
    WARNING = 1
    ERROR = 2

    @property
    def word(self) -> str:
        """The severity in lower case."""
        return self.name.lower()


class Hint(str):
    """A hint with a correction: `new` replaces `old`, which is in the place of the finding."""

    __slots__ = ("at", "label", "new", "old")
    old: str
    new: str
    label: str  # What the correction does, as a menu of an editor shows it.
    # The place of `old`, if not in the finding's; without `old`, of a file that gets a last line.
    at: Span | None

    def __new__(
        cls, text: str, old: str, new: str, label: str = "", at: Span | None = None
    ) -> Hint:
        """Return the hint `text`."""
        hint = super().__new__(cls, text)
        hint.old, hint.new, hint.at = old, new, at
        hint.label = label or f"Change `{old}` to `{new}`"
        return hint

    def __getnewargs__(self) -> tuple[str, str, str, str, Span | None]:  # type: ignore[override]
        """Return the arguments that copying and pickling pass to `__new__`."""
        return str(self), self.old, self.new, self.label, self.at


class NamesHint(str):
    """A hint that lists names; one of `names` is meant by `old`, in the place of the finding."""

    __slots__ = ("names", "old")
    old: str
    names: tuple[str, ...]

    def __new__(cls, text: str, old: str, names: tuple[str, ...]) -> NamesHint:
        """Return the hint `text`."""
        hint = super().__new__(cls, text)
        hint.old, hint.names = old, names
        return hint

    def __getnewargs__(self) -> tuple[str, str, tuple[str, ...]]:  # type: ignore[override]
        """Return the arguments that copying and pickling pass to `__new__`."""
        return str(self), self.old, self.names


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem in an author's file, or a note about it."""

    code: Code
    span: Span
    message: str  # What is wrong, in the author's words, without Python's type names.
    # What to do, beginning with a verb, or empty; a `Hint` if an editor can do it.
    hint: str = ""
    severity: Severity = Severity.ERROR
    rule: str = ""  # The ruleset's name for the broken rule, and its ruling; or empty.

    def __post_init__(self) -> None:
        """Mask credentials, since findings are printed, recorded and sent to editors."""
        # A path has one slash of an address; a message is one line, and so is a password in it.
        if ":/" in self.message:
            message = mask_secrets(self.message.replace("\n", "\\n"))
            object.__setattr__(self, "message", message)
        if ":/" in self.hint and not isinstance(self.hint, Hint):
            object.__setattr__(self, "hint", mask_secrets(self.hint))
        if ":/" in self.span.file:
            file = mask_secrets(self.span.file.replace("\n", "\\n"))
            object.__setattr__(self, "span", replace(self.span, file=file))


@frozen
class Checked(Generic[T]):
    """A value and the findings about it.

    Bad input raises no exception: a run collects all findings, so that an author can correct
    ten mistakes in one pass.
    """

    value: T | None
    findings: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is a value and no finding is an error."""
        return self.value is not None and not errors(self.findings)


class Refused(Exception):
    """What was asked cannot be done; `finding` gives the reason."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


class DesignError(ValueError):
    """A design, theme or preset cannot be used. Raised deep inside a print, caught by `prints`."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        super().__init__(findings)
        self.findings = findings


def errors(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return those of `findings` that are errors."""
    return tuple(f for f in findings if f.severity is Severity.ERROR)


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return `findings` without repetitions, sorted by place in the file, then by code."""
    key = attrgetter("span.file", "span.line", "span.column", "code.id", "message")
    return tuple(sorted(dict.fromkeys(findings), key=key))


def apply_strict(findings: Iterable[Finding], strict: bool) -> tuple[Finding, ...]:
    """Return `findings`; if `strict`, warnings are errors."""
    if not strict:
        return tuple(findings)
    raised = {Severity.WARNING: Severity.ERROR}
    return tuple(replace(f, severity=raised.get(f.severity, f.severity)) for f in findings)


def split_lines(text: str) -> list[str]:
    """Return the lines of `text` as spans count them."""
    return _BREAK.split(text)


@frozen
class Span:
    """A place in an author's file. Lines and columns count from 1, as editors do."""

    file: str  # The path as the author wrote it.
    line: int = 1
    column: int = 1
    width: int = 1  # Number of characters; at least 1, and not beyond the end of the line.

    def within(self, offset: int, width: int = 1) -> Span:
        """Return the place `offset` characters into this one; of several lines it is all."""
        if offset >= self.width:
            return self
        width = min(width, self.width - offset)
        return Span(self.file, self.line, self.column + offset, max(1, width))

    def __lt__(self, other: Span) -> bool:
        mine = self.file, self.line, self.column, self.width
        return mine < (other.file, other.line, other.column, other.width)

    @property
    def is_option(self) -> bool:
        """Whether this is an option or argument of the command line, which has no lines."""
        return self.file.startswith("--") or self.file == RULESET

    def __str__(self) -> str:
        plain = self.is_option or self.file == PROGRAM
        return self.file if plain else f"{self.file}:{self.line}:{self.column}"

    def of_absent(self, key: str) -> AbsentSpan:
        """Return this place for a finding about a key that the file does not have."""
        return AbsentSpan(self.file, self.line, self.column, self.width, key)


@frozen
class AbsentSpan(Span):
    """A place that stands for a key that the file does not have, so that a form knows its field."""

    key: str = ""


_COLOURS: Mapping[Severity, str] = {
    Severity.ERROR: "31;1",
    Severity.WARNING: "33;1",
    Severity.NOTE: "36;1",
}
_LONGEST_LINE = 160  # characters shown of an author's line, which may be megabytes


def show(finding: Finding, lines: Sequence[str], colour: bool = False) -> EscapedText:
    """Return a finding as text, with an excerpt if the `lines` of its file have its line."""
    span, code = finding.span, _COLOURS[finding.severity]

    def paint(text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if colour else text

    head = paint(f"{finding.severity.word}[{finding.code.id}]")
    parts = [f"{visible(str(span))}: {head}: {visible(finding.message)}"]
    margin = " " * len(str(span.line))
    if excerpt := excerpt_of(finding, lines):
        before, place, after = excerpt
        carets = "^" * max(1, _columns(place))
        parts += [
            f" {margin} |",
            f" {span.line} | {before}{place}{after}",
            f" {margin} | {' ' * _columns(before)}{paint(carets)}",
        ]
    if finding.rule:
        parts.append(f" {margin} = rule: {visible(finding.rule)}")
    if finding.hint:
        parts.append(f" {margin} = hint: {visible(finding.hint)}")
    return EscapedText("\n".join(part.rstrip() for part in parts))


def finding_data(finding: Finding) -> dict[str, Any]:
    """Return `finding` as data for JSON."""
    return {
        "code": finding.code.id,
        "severity": finding.severity.word,
        **{name: getattr(finding.span, name) for name in ("file", "line", "column", "width")},
        **{name: getattr(finding, name) for name in ("message", "hint", "rule")},
    }


def excerpt_of(finding: Finding, lines: Sequence[str]) -> tuple[str, str, str] | None:
    """Return the author's line, split into before the place, the place, and after; or None."""
    span = finding.span
    if span.line > len(lines) or not lines[span.line - 1].strip():
        return None
    line = mask_secrets(lines[span.line - 1], "*")
    start = min(span.column - 1, len(line))
    first = max(0, start - _LONGEST_LINE // 2) if len(line) > _LONGEST_LINE else 0
    last = first + _LONGEST_LINE
    end = min(start + span.width, last)
    parts = line[first:start], line[start:end], line[end:last]
    before, place, after = (visible(part.replace("\t", " ")) for part in parts)
    return before, place, after


def _columns(text: str) -> int:
    shown = (c for c in text if not (unicodedata.combining(c) or c in JOINERS))
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in shown)
