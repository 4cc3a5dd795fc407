"""Findings as text for people and as data for programs."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.visible import JOINERS, EscapedText, mask_secrets, visible

_COLOURS: Mapping[Severity, str] = {
    Severity.ERROR: "31;1",
    Severity.WARNING: "33;1",
    Severity.NOTE: "36;1",
}
_LONGEST_LINE = 160
"""The most characters shown of an author's line; a file may be one line of megabytes."""


def show(finding: Finding, lines: Sequence[str], colour: bool = False) -> EscapedText:
    """Return `finding` as text, with the author's line and a caret under the place.

    Args:
        lines: All lines of the file; without the finding's line there is no excerpt.
        colour: Whether to use terminal colours.
    """
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
    span = finding.span
    return {
        "code": finding.code.id,
        "severity": finding.severity.word,
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "width": span.width,
        "message": finding.message,
        "hint": finding.hint,
        "rule": finding.rule,
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
    return sum(_width(character) for character in text)


def _width(character: str) -> int:
    if unicodedata.combining(character) or character in JOINERS:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
