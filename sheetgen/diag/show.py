"""Findings as text for people and as data for programs."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sheetgen.diag.findings import Finding, Severity

_COLOURS: Mapping[Severity, str] = {
    Severity.ERROR: "31;1",
    Severity.WARNING: "33;1",
    Severity.NOTE: "36;1",
}
_LONGEST_LINE = 160
"""Characters of an author's line that are shown; a file may be one line of megabytes."""


def show(finding: Finding, lines: Sequence[str], colour: bool = False) -> str:
    """Return `finding` with the author's own line and a caret under the place.

    Args:
        lines: All lines of the file; too few of them means no excerpt.
        colour: Whether to use terminal colours.
    """
    paint = _painter(finding.severity if colour else None)
    span = finding.span
    head = paint(f"{finding.severity.word}[{finding.code.id}]")
    parts = [f"{span}: {head}: {finding.message}"]
    margin = " " * len(str(span.line))
    if span.line <= len(lines) and lines[span.line - 1].strip():
        excerpt, start, width = _window(lines[span.line - 1], span.column, span.width)
        parts += [
            f" {margin} |",
            f" {span.line} | {excerpt}",
            f" {margin} | {_pad(excerpt[:start])}{paint('^' * width)}",
        ]
    if finding.rule:
        parts.append(f" {margin} = rule: {finding.rule}")
    if finding.hint:
        parts.append(f" {margin} = hint: {finding.hint}")
    return "\n".join(part.rstrip() for part in parts)


def as_data(finding: Finding) -> dict[str, Any]:
    """Return `finding` for JSON."""
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


def _window(line: str, column: int, width: int) -> tuple[str, int, int]:
    """Return what to show of `line`, where the place starts in it, and its width."""
    text = "".join(c if c.isprintable() or c == "\t" else "\ufffd" for c in line)
    text = text.replace("\t", " ")
    start = min(column - 1, len(text))
    first = max(0, start - _LONGEST_LINE // 2) if len(text) > _LONGEST_LINE else 0
    shown = text[first : first + _LONGEST_LINE]
    start -= first
    return shown, start, max(1, min(width, len(shown) - start))


def _pad(text: str) -> str:
    """Return as many blanks as `text` is wide on a terminal."""
    wide = sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
    return " " * wide


def _painter(severity: Severity | None) -> Callable[[str], str]:
    if severity is None:
        return str
    return lambda text: f"\x1b[{_COLOURS[severity]}m{text}\x1b[0m"
