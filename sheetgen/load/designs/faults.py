"""Findings about the YAML files of designs: wrong values, and names that do not exist."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.model.source import Text


def bad_design(at: Any, message: str, hint: str = "") -> Finding:
    """Return a finding at the place of `at`, if that is a text from a file."""
    return Finding(codes.BAD_DESIGN, span_of(at), message, hint)


def span_of(value: Any) -> Span:
    """Return where `value` is written; the templates folder for what is in no file."""
    return value.span if isinstance(value, Text) else Span("templates")


def design_error(at: str, message: str, known: Iterable[str]) -> DesignError:
    """Return the error for a name that is not among `known`."""
    return DesignError((bad_design(at, message, suggestion(at, known)),))


def raise_findings(findings: Iterable[Finding]) -> None:
    """Raise a DesignError if there are any findings."""
    if every := tuple(findings):
        raise DesignError(every)


def report_unknown(
    where: str, names: Iterable[str], known: Collection[str], what: str
) -> Iterator[Finding]:
    """Yield a finding for each of `names` that is not among `known`.

    Args:
        where: The key that the names are values of.
        what: What the known names are, for the hint: `themes`, `files`.
    """
    for name in names:
        if name not in known:
            message = f"`{where}` names `{name}`, which does not exist"
            yield bad_design(name, message, suggestion(name, known, what))


def check_option(option: str, name: str, known: Collection[str]) -> Iterator[Finding]:
    """Yield a finding if the value `name` of a command-line option is not among `known`."""
    if name not in known:
        hint = suggestion(name, known, f"{option}s")
        message = f"there is no {option} `{name}`"
        yield Finding(codes.UNKNOWN_DESIGN, Span(f"--{option}"), message, hint)
