"""Print a ruleset's screen: load, check, measure, plan, render."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import ClassVar, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import RULESET, Finding
from sheetgen.load.designs.templates import SCREENS, load_scene
from sheetgen.load.pictures.reader import find_brand
from sheetgen.materials.pictures import prepare_picture
from sheetgen.model.requests import PrintRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.pages.screens import list_panel_names, plan_screens
from sheetgen.prints.context import PrintResult, file_stem, name_words
from sheetgen.prints.kinds import PrintKind
from sheetgen.prints.rulesets import (
    CheckedRuleset,
    add_pictures,
    find_unknown_parts,
    load_page_style,
    page_context,
    print_rulesets,
    render_pages,
    use_known_names,
)
from sheetgen.records import frozen
from sheetgen.render.flow.rendering import SCENE
from sheetgen.render.flow.screen_pages import measure_scene, render_screens
from sheetgen.render.html.styles import draw_scene, svg_address


@frozen
class ScreenRequest(PrintRequest):
    """Screens to print, or `only` these panels and sides."""

    kind: ClassVar[str] = "screens"

    only: tuple[str, ...] = ()


def find_wrong_panels(request: ScreenRequest, rules: Ruleset) -> tuple[Finding, ...]:
    """Return a finding for each panel of a request that the ruleset does not have."""
    panels = list_panel_names(rules)
    if not panels:
        message = f"{rules.title} has no screen"
        return (Finding(codes.EMPTY, request.at(RULESET), message),)
    place = request.at("--panels")
    return find_unknown_parts(request.only, panels, "panel", place, rules.title)


def _print(
    request: ScreenRequest, checked: CheckedRuleset, rules: Ruleset
) -> Iterator[PrintResult]:
    style = load_page_style(request, rules, SCREENS)
    wrong = find_wrong_panels(request, rules)
    if wrong or style.value is None:
        yield PrintResult(findings=wrong or style.findings)
        return
    request = replace(request, only=use_known_names(request.only, list_panel_names(rules)))
    design = request.paper, style.value.measure(), style.value.tokens.length("size-credit")
    planned = plan_screens(rules, request.only, checked.options, *design)
    yield PrintResult(findings=(*style.findings, *planned.findings))
    if planned.value:
        context = page_context(rules, f"Screen: {rules.title}", request)
        shown = style.value
        if count := planned.value[-1].part[1]:
            # The picture over the screen, on `count` pages: of the book, the theme or the ruleset,
            # or else the scene of the game's face.
            width, height = measure_scene(planned.value[-1].paper, count)
            found = find_brand(request, (SCENE,), far=(rules,))
            findings, own = found.findings, (found.value or {}).get(SCENE)
            if own is not None:
                made = prepare_picture(own, (count * width, height))
                findings += made.findings
                shown = add_pictures(shown, {SCENE: made.value} if made.value is not None else {})
            else:
                drawing = load_scene(shown.tokens)
                middle = 0.5 if count % 2 else 1 - 0.5 / count  # of a page, not between two
                svg = draw_scene(shown.tokens, drawing, count * width / height, middle)
                files = {**shown.assets, SCENE: svg.encode()}
                about = {"alt": str(drawing.label), "credit": "", "style": ""}
                pictures = {**shown.pictures, SCENE: {"address": svg_address(svg), **about}}
                shown = replace(shown, assets=files, pictures=pictures)
            yield PrintResult(findings=findings)
        parts = planned.value, shown, context
        printed = render_pages(request, lambda one: render_screens(one, *parts), SCREENS)
        stem = "-".join([file_stem(str(rules.id)), "screen", *request.only])
        yield replace(printed, words=name_words(rules, "screen"), stem=stem)


SCREEN_KIND: Final = PrintKind(
    ScreenRequest,
    "Screen",
    partial(print_rulesets, print_one=_print),
    job="ruleset",
    read_entry=lambda entry, shared: ScreenRequest(**shared, only=tuple(map(str, entry.only))),
    word="screen",
)
