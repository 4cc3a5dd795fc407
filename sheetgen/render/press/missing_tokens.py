"""The error that a print needs a token which its design does not have."""

from __future__ import annotations

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.spans import Span


def no_token(what: str, name: str) -> DesignError:
    """Return the error for a role or a shape that the tokens lack."""
    message = f"the tokens have no {what} `{name}`"
    hint = f"add it under `{what}s` of the design's tokens.yaml"
    return DesignError((Finding(codes.BAD_DESIGN, Span("templates"), message, hint),))
