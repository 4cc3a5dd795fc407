"""Every kind of print by its name, for books: a request becomes results, its errors findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.words import suggestion
from sheetgen.load.designs.designs import load_presets
from sheetgen.model.requests import PrintRequest
from sheetgen.prints.cards import print_cards
from sheetgen.prints.context import PrintContext, Printer, PrintResult, finish_prints
from sheetgen.prints.encounter import print_encounters
from sheetgen.prints.odds import print_odds
from sheetgen.prints.pieces import print_pieces
from sheetgen.prints.screen import print_screens
from sheetgen.prints.sheet import print_blanks, print_sheets
from sheetgen.prints.tables import print_tables
from sheetgen.render.flow.layout import NoEngine
from sheetgen.rules.formulas.expressions import FormulaError


def print_request(request: PrintRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield the finished prints of a request of any kind, and all findings about it."""
    if request.preset and request.preset not in load_presets():
        message = f"there is no preset `{request.preset}`"
        hint = suggestion(request.preset, load_presets(), "presets")
        finding = Finding(codes.UNKNOWN_DESIGN, request.at("--for"), message, hint)
        yield PrintResult(findings=(finding,))
        return
    try:
        yield from finish_prints(_KINDS[request.kind], request, context)
    except NoEngine as error:
        yield PrintResult(findings=(error.finding(request.place),))
    except DesignError as error:
        yield PrintResult(findings=error.findings)
    except FormulaError as error:
        message = f"a formula of the ruleset cannot be computed: {error}"
        yield PrintResult(findings=(Finding(codes.UNANSWERED, request.place, message),))


_KINDS: Final[Mapping[str, Printer]] = {
    "sheets": print_sheets,
    "blanks": print_blanks,
    "cards": print_cards,
    "tables": print_tables,
    "screens": print_screens,
    "encounters": print_encounters,
    "pieces": print_pieces,
    "odds": print_odds,
}
