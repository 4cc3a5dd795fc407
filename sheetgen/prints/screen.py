"""The whole way of a screen, on one screen: measure, plan, render.

Commands call this function and print what it returns, as they do with the pipeline's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.designs.designs import load_page_design
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.load.designs.templates import SCREENS
from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.screen_lines import TextMeasure
from sheetgen.plan.pages.screens import plan_screens
from sheetgen.prints.requests import PrintRequest, told_of
from sheetgen.render.flow.flowing import font_metrics
from sheetgen.render.flow.pages import LayoutError
from sheetgen.render.flow.screen_pages import screens_html, screens_pdf


def print_screens(
    rules: Ruleset,
    names: Sequence[str],
    options: Mapping[str, Value],
    title: str,
    request: PrintRequest,
) -> Checked[Mapping[str, bytes]]:
    """Return the panels called `names`, or all, in every kind that is wanted."""
    look = load_page_design(request.theme, request.paper, SCREENS)
    if look.value is None:
        return Checked(None, look.findings)
    texts, tokens, faces = look.value
    fonts = {face: font_bytes(name) for face, name in faces.items()}
    measure = TextMeasure({face: font_metrics(data) for face, data in fonts.items()})
    credit = float(tokens.css["size-credit"].removesuffix("pt"))
    made = plan_screens(rules, names, options, request.paper, measure, credit)
    if not made.value:
        return Checked(None, made.findings)
    told = told_of(rules, title, request)
    files: dict[str, bytes] = {}
    for kind in request.kinds:
        make = screens_pdf if kind == "pdf" else screens_html
        try:
            files[kind] = make(made.value, texts, tokens, fonts, told)
        except LayoutError as error:
            wrong = Finding(codes.BAD_TEMPLATE, Span(f"templates/{SCREENS}"), str(error))
            return Checked(None, (*made.findings, wrong))
    return Checked(files, made.findings)
