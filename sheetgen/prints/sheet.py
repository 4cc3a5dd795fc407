"""Print a character sheet: plan, render, finish; `characters.py` loads and checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import BinaryIO

from sheetgen.check.character.options import options_of
from sheetgen.diag.controls import strip_controls
from sheetgen.diag.spans import Span
from sheetgen.model.build import Value
from sheetgen.model.live import Live
from sheetgen.model.prints import Plan, Plate
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.scripts.live import NOTHING, blank_live_of, live_of
from sheetgen.plan.sheets.sheets import PlannedSheet, SheetRequest, plan_sheet
from sheetgen.plan.sheets.view import build_blank_view, build_view, describe_character
from sheetgen.prints.characters import Character
from sheetgen.prints.requests import PrintRequest, PrintResult
from sheetgen.render.flow.engine import NoEngine
from sheetgen.render.plates.plate_store import Rack, page_of
from sheetgen.render.press.press import DocumentInfo, press, press_many


def print_sheet(one: Character, request: PrintRequest, rack: Rack | None = None) -> PrintResult:
    """Return the sheet of a checked character in every kind that is wanted."""
    assert one.build is not None
    assert one.rules is not None
    build, rules, view = one.build, one.rules, build_view(one.build, one.rules)
    name = build.name or strip_controls(one.path.stem)
    live = partial(live_of, build, view, rules, flat=True) if request.computes else None
    plan = SheetRequest(
        name, describe_character(build, rules, name), build.digest, view, one.findings, live
    )
    span = Span(str(one.path))
    whole = partial(live_of, build, view, rules, flat=False)
    return _printed(plan, one.rules, one.build.options, request, span, rack or Rack(), whole)


def print_blank(
    rules: Ruleset,
    request: PrintRequest,
    chosen: Mapping[str, str] | None = None,
    rack: Rack | None = None,
) -> PrintResult:
    """Return the empty sheet of a ruleset, its tables as the options that are `chosen` say."""
    options, wrong = options_of(NOTHING, rules, chosen or {})
    if wrong:
        return PrintResult({}, tuple(wrong))
    live = partial(blank_live_of, rules, chosen or {}) if request.computes else None
    plan = SheetRequest("", "", "", build_blank_view(rules, options), live=live)
    return _printed(plan, rules, options, request, rules.place, rack or Rack())


def _printed(
    wanted: SheetRequest,
    rules: Ruleset,
    options: Mapping[str, Value] | None,
    request: PrintRequest,
    span: Span,
    rack: Rack,
    live: Callable[[Plate], Live | None] | None = None,
) -> PrintResult:
    """Return a print; `live` gives what its page calculates, which has more to show than a PDF."""
    try:
        found = rack.look(rules, request.theme, request.paper, options)
        look = found.value
        if look is None:
            return PrintResult({}, found.findings)
        planned = plan_sheet(wanted, look.sheet, look.more, rules, span)
    except NoEngine as error:
        return PrintResult({}, (error.finding(span),))
    files: dict[str, bytes] = {}
    for kind in request.kinds:
        if kind == "pdf":
            files[kind] = _pdf(planned, request)
        else:
            flat, whole = request.flatten, None if request.flatten or not live else live(look.sheet)
            files[kind] = page_of(look, planned, wanted.findings, options, whole, flat=flat)
    return PrintResult(files, planned.findings, planned.plan)


def _pdf(planned: PlannedSheet, request: PrintRequest) -> bytes:
    if request.copies > 1:
        return join_sheets([planned.plan] * request.copies, planned.plan, request)
    return press(planned.plan, flatten=request.flatten)


def join_sheets(
    plans: Iterable[Plan],
    told: Plan | DocumentInfo,
    request: PrintRequest,
    out: BinaryIO | None = None,
) -> bytes:
    """Return one PDF of many sheets, or write it to `out` as it comes; `told`: its title."""
    whole = DocumentInfo(told.title, told.lang, told.subject, told.meta)
    return press_many(plans, whole, flatten=request.flatten, out=out)
