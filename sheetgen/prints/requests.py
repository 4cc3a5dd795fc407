"""What is asked of a print, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sheetgen import __version__
from sheetgen.diag.findings import Finding
from sheetgen.model.prints import Plan
from sheetgen.model.rulesets.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class PrintRequest:
    """What sheets are wanted.

    Attributes:
        kinds: `pdf`, `html`, or both.
        draft: Whether a build with errors is printed too, stamped and with its findings.
        copies: How often it stands in its PDF; fields of each copy have names of their own.
        calc: Whether a PDF computes its totals by itself, in viewers that run scripts.
    """

    kinds: tuple[str, ...] = ("pdf",)
    theme: str = "standard"
    paper: str = "a4"
    flatten: bool = False
    draft: bool = False
    copies: int = 1
    calc: bool = True

    @property
    def computes(self) -> bool:
        """Whether a script is wanted in a PDF: there are fields for it."""
        return self.calc and not self.flatten and self.kinds != ("html",)


def told_of(rules: Ruleset, title: str, request: PrintRequest) -> dict[str, Any]:
    """Return what every template that flows is told: its title, language, look and credit."""
    return {
        "title": title,
        "lang": rules.lang,
        "paper": request.paper,
        "theme": request.theme,
        "credit": rules.credit.short,
        "version": __version__,
    }


@dataclass(frozen=True, slots=True)
class PrintResult:
    """Finished files of one thing: kind to bytes, and what is to be said of them.

    Attributes:
        plan: Of a sheet, from which it can be printed again, among others.
    """

    files: Mapping[str, bytes]
    findings: tuple[Finding, ...] = ()
    plan: Plan | None = None
