"""Errors of designs that name what a build or its ruleset does not have."""

from __future__ import annotations

from collections.abc import Iterable

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.near import suggestion
from sheetgen.model.source import Text


def design_error(at: Text, message: str, known: Iterable[str]) -> DesignError:
    """Return the error that a design names what a card's subject does not have."""
    hint = suggestion(at, known)
    return DesignError((Finding(codes.BAD_DESIGN, at.span, message, hint),))
