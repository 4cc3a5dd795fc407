"""Print a ruleset's screen: load, check, measure, plan, render."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import RULESET
from sheetgen.load.designs.templates import SCREENS
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.screen_lines import TextMeasure
from sheetgen.plan.pages.screens import list_panel_names, plan_screens
from sheetgen.prints.context import PrintContext, PrintResult, file_stem, name_words
from sheetgen.prints.pages import load_flow_design, page_context, render_pages
from sheetgen.prints.rulesets import CheckedRuleset, checked_rulesets, unknown_names
from sheetgen.render.flow.flowing import font_metrics
from sheetgen.render.flow.screen_pages import screens_html, screens_pdf


def print_screens(request: PrintRequest, context: PrintContext) -> Iterator[PrintResult]:
    """Yield the screen of each ruleset of a request, or only the panels that it names."""
    for checked, result in checked_rulesets(request, context):
        rules = checked.rules
        if rules is None:
            yield result
            continue
        if wrong := _wrong_panels(request, rules):
            yield replace(result, findings=(*result.findings, *wrong))
            continue
        printed = _render(request, checked, rules)
        stem = "-".join([file_stem(str(rules.id)), "screen", *request.only])
        yield replace(
            result,
            files=printed.files,
            findings=(*result.findings, *printed.findings),
            words=name_words(rules, "screen"),
            stem=stem,
        )


def _wrong_panels(request: PrintRequest, rules: Ruleset) -> tuple[Finding, ...]:
    panels = list_panel_names(rules)
    if not panels:
        message = f"{rules.title} has no screen"
        return (Finding(codes.EMPTY, request.at(RULESET), message),)
    return unknown_names(request, panels, "panel", "--panels", rules.title)


def _render(request: PrintRequest, checked: CheckedRuleset, rules: Ruleset) -> PrintResult:
    design = load_flow_design(request, SCREENS)
    if design.value is None:
        return PrintResult(findings=design.findings)
    fonts, tokens = design.value.fonts, design.value.tokens
    measure = TextMeasure({face: font_metrics(data) for face, data in fonts.items()})
    credit = float(tokens.css["size-credit"].removesuffix("pt"))
    planned = plan_screens(rules, request.only, checked.options, request.paper, measure, credit)
    if not planned.value:
        return PrintResult(findings=planned.findings)
    context = page_context(rules, f"Screen: {rules.title}", request)
    renderers = {"pdf": screens_pdf, "html": screens_html}
    printed = render_pages(
        request, renderers, planned.value, *design.value, context, folder=SCREENS
    )
    return replace(printed, findings=(*planned.findings, *printed.findings))
