"""An order is carried out: by the function for its sort, then made ready for its printer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.near import suggestion
from sheetgen.finish.finishing import finish_files
from sheetgen.load.designs.presets import load_presets
from sheetgen.model.books import Order
from sheetgen.model.designs.presets import Preset
from sheetgen.prints.card_orders import cards
from sheetgen.prints.context import OrderResult, Print, PrintContext
from sheetgen.prints.page_orders import encounters, order_odds, order_screens, order_tables
from sheetgen.prints.sheet_orders import blanks, sheets
from sheetgen.render.flow.engine import NoEngine
from sheetgen.rules.formulas.expressions import FormulaError


def carried_out(order: Order, desk: PrintContext) -> OrderResult:
    """Return the files of an order, and all that is to be said of them."""
    made = OrderResult()
    preset, wrong = _preset(order)
    if wrong:
        made.findings += wrong
        return made
    try:
        _SORTS[order.kind](order, desk, made)
    except NoEngine as error:
        made.findings.append(error.finding(order.place))
    except DesignError as error:
        made.findings += error.findings
    except FormulaError as error:
        message = f"a formula of its rules cannot be worked out: {error}"
        made.findings.append(Finding(codes.UNANSWERED, order.place, message))
    made.prints = [_ready(one, order, preset, made) for one in made.prints]
    return made


def _preset(order: Order) -> tuple[Preset | None, list[Finding]]:
    if not order.preset or order.preset in load_presets():
        return load_presets().get(order.preset), []
    hint = suggestion(order.preset, load_presets(), "presets")
    message = f"there is no preset `{order.preset}`"
    return None, [Finding(codes.UNKNOWN_DESIGN, order.place, message, hint)]


def _ready(one: Print, order: Order, preset: Preset | None, made: OrderResult) -> Print:
    """Return a print made ready for its printer, or for an archive."""
    done = finish_files(one.files, one.words.get("stem", ""), preset, order.archive)
    made.findings += done.findings
    return replace(one, files=done.value or {})


_SORTS: Final[Mapping[str, Callable[[Order, PrintContext, OrderResult], None]]] = {
    "sheets": sheets,
    "blanks": blanks,
    "cards": cards,
    "tables": order_tables,
    "screens": order_screens,
    "encounters": encounters,
    "odds": order_odds,
}
