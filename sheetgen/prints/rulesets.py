"""What prints of rulesets share: the checked ruleset with its proof, and pages in its design."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from sheetgen import __version__
from sheetgen.check.character.options import resolve_options
from sheetgen.check.ruleset.rulesets import check_kinds, check_ruleset
from sheetgen.diag import codes
from sheetgen.diag.findings import RULESET, Checked, DesignError, Finding, Span, errors
from sheetgen.diag.words import suggestion
from sheetgen.load.designs.designs import TABLES, load_page_design
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.load.designs.themes import find_theme, list_signs, load_sign_shapes
from sheetgen.load.pictures import find_brand
from sheetgen.load.rulesets.content import load_seeds, seeds_folder
from sheetgen.load.rulesets.rulesets import Folders, find_ruleset, load_ruleset, switches_of
from sheetgen.materials.plates import (
    build_page_pictures,
    build_picture_file,
    find_web_fonts,
    prepare_picture,
)
from sheetgen.model.build import Value
from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.requests import PageFormat, PrintRequest, RequestT
from sheetgen.model.rulesets.prints import Difference
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import EMPTY_SOURCE
from sheetgen.prints.kinds import PrintContext, PrintResult, input_folders
from sheetgen.records import frozen
from sheetgen.registry import find_hook
from sheetgen.render.flow.layout import LayoutError
from sheetgen.render.flow.rendering import LOGO, LOGO_SIZE, SIGN_STYLES, PageStyle, add_page_signs
from sheetgen.render.fonts.fonts import build_sign_font
from sheetgen.render.html.page import PageSigns
from sheetgen.rules.index import closest_names


@frozen
class CheckedRuleset:
    """A complete ruleset and the options that it is played with; no rules if these have errors."""

    rules: Ruleset | None
    options: Mapping[str, Value]
    findings: tuple[Finding, ...] = ()
    differences: tuple[Difference, ...] = ()  # Where its source prints something else.
    seeds: Path | None = None  # The folder of the source's printed figures, if it has one.


def load_checked_ruleset(
    name: str, chosen: Mapping[str, str] | None = None, *, proof: bool = False
) -> CheckedRuleset:
    """Return the ruleset called `name`, or in that folder, with its proof if `proof`."""
    found = find_ruleset(name, Span(RULESET), Path())
    if found.value is None:
        return CheckedRuleset(None, {}, found.findings)
    return (compute_proof if proof else check_folders)(found.value, chosen)


def check_folders(folders: Folders, chosen: Mapping[str, str] | None = None) -> CheckedRuleset:
    """Return the ruleset in `folders`, loaded with all its files and checked."""
    loaded = load_ruleset(folders, complete=True, switches=switches_of(None, chosen or {}))
    rules = loaded.value
    if rules is None or errors(loaded.findings):
        return CheckedRuleset(None, {}, loaded.findings)
    options, wrong = resolve_options(EMPTY_SOURCE, rules, chosen or {})
    own = check_ruleset(rules)
    found = (*loaded.findings, *own, *check_kinds(rules, own), *wrong)
    findings = tuple(dict.fromkeys(found))
    return CheckedRuleset(None if errors(findings) else rules, options, findings)


def compute_proof(folders: Folders, chosen: Mapping[str, str] | None = None) -> CheckedRuleset:
    """Return the ruleset in `folders`, compared with its source's printed figures, if any."""
    checked = check_folders(folders, chosen)
    rules = checked.rules
    if rules is None:
        return checked
    origins = (seeds_folder(Path(origin.folder)) for origin in rules.composition.origins)
    below = [folder for folder in origins if folder is not None]
    if not below or (compare := find_hook("proof")) is None:
        return checked
    seeds = load_seeds(*below)
    assert seeds.value is not None
    read = compare(rules, seeds.value, dict(checked.options))
    findings = (*checked.findings, *seeds.findings, *read.findings)
    return CheckedRuleset(rules, checked.options, findings, read.value or (), below[-1])


def check_rulesets(
    request: PrintRequest, context: PrintContext, *, proof: bool = True
) -> Iterator[CheckedRuleset]:
    """Yield each ruleset of a request, checked once in a run, with its proof or without."""
    for name in request.of:
        found = find_ruleset(name, request.at(RULESET), Path(request.beside))
        if found.value is None:
            yield CheckedRuleset(None, {}, found.findings)
            continue
        key = found.value, request.options, proof
        if key not in context.checked:
            compute = compute_proof if proof else check_folders
            context.checked[key] = compute(found.value, dict(request.options))
        yield context.checked[key]


def print_rulesets(
    request: RequestT,
    context: PrintContext,
    print_one: Callable[[RequestT, CheckedRuleset, Ruleset], Iterable[PrintResult]],
    *,
    proof: bool = True,
) -> Iterator[PrintResult]:
    """Yield the findings about each ruleset of a request, and what `print_one` prints of it."""
    for checked in check_rulesets(request, context, proof=proof):
        yield PrintResult(findings=checked.findings, inputs=input_folders(checked.rules))
        if checked.rules is not None:
            yield from print_one(request, checked, checked.rules)


def use_known_names(only: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """Return the names in `only` as the ruleset spells them."""
    names = [*known]
    meant = (closest_names(name, names) or {name} for name in only)
    return tuple(dict.fromkeys(n for found in meant for n in sorted(found)))


def find_unknown_parts(
    only: Iterable[str], known: Iterable[str], what: str, span: Span, title: str
) -> tuple[Finding, ...]:
    """Return a finding for each name in `only` that the ruleset does not have."""
    names = list(known)
    unknown = (name for name in use_known_names(only, names) if name not in names)
    told = (
        (f"{title} has no {what} `{one}`", suggestion(one, names, f"{what}s")) for one in unknown
    )
    return tuple(Finding(codes.DANGLING, span, *one) for one in told)


def load_page_style(
    request: PrintRequest, rules: Ruleset, *folders: str, paper: str = ""
) -> Checked[PageStyle]:
    """Return the design of pages, of templates in `folders`, with the face and logo of `rules`."""
    design = load_page_design(request.theme, paper or request.paper, *folders, rules=rules)
    if design.value is None:
        return Checked(None, design.findings)
    texts, tokens, faces = design.value
    fonts = {face: font_bytes(name) for face, name in faces.items()}
    style = PageStyle(texts, tokens, fonts, partial(find_web_fonts, faces))
    try:
        shapes = load_sign_shapes(find_theme(request.theme), rules)
    except DesignError as error:
        return Checked(None, error.findings)
    if shapes:
        style = add_page_signs(style, list_signs(rules), shapes)
    found = find_brand(request, (LOGO,), far=(rules,))
    logo = (found.value or {}).get(LOGO)
    if logo is None:
        return Checked(style, found.findings)
    made = prepare_picture(logo, LOGO_SIZE)
    if made.value is not None:
        style = add_pictures(style, {LOGO: made.value})
    return Checked(style, (*found.findings, *made.findings))


def find_page_signs(rules: Ruleset, theme: str) -> PageSigns | None:
    """Return the signs of a ruleset for a page in a browser; None if it has none."""
    pairs = list_signs(rules) if rules.signs else ()
    if not pairs:
        return None
    paths = load_sign_shapes(find_theme(theme), rules)
    font = build_sign_font(tuple((word, paths[name].path) for word, name in pairs))
    return PageSigns(pairs, font, SIGN_STYLES)


def add_pictures(style: PageStyle, pictures: Mapping[str, PreparedPicture]) -> PageStyle:
    """Return a style whose template can show pictures by their names."""
    files = {name: build_picture_file(picture)[1] for name, picture in pictures.items()}
    return replace(
        style,
        assets={**style.assets, **files},
        pictures={**style.pictures, **build_page_pictures(pictures)},
    )


def page_context(rules: Ruleset, title: str, request: PrintRequest) -> dict[str, Any]:
    """Return the context that templates of all pages have: title, language, style and credit."""
    return {
        "title": title,
        "lang": rules.lang,
        "paper": request.paper,
        "theme": find_theme(request.theme).base,
        "credit": rules.credit.short,
        "version": __version__,
    }


def render_pages(
    request: PrintRequest, render: Callable[[PageFormat], bytes], folder: str = TABLES
) -> PrintResult:
    """Return the PDF and HTML that a request has; findings name the `folder` of templates."""
    try:
        return PrintResult({format_: render(format_) for format_ in request.page_formats})
    except LayoutError as error:
        span = Span(f"templates/{folder}")
        return PrintResult(findings=(Finding(codes.BAD_TEMPLATE, span, str(error)),))
