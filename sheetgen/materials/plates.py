"""On-disk cache of compiled plates, with an in-memory layer for one run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from sheetgen.bounds import BoundExceeded, run_bounded
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, DesignError, Finding, Severity, Span
from sheetgen.diag.notices import announced
from sheetgen.diag.words import suggestion
from sheetgen.load.cache import cache_path, read_cache, read_shipped, store_in_cache
from sheetgen.load.designs.designs import Design, load_design
from sheetgen.load.rulesets.content import design_label
from sheetgen.load.rulesets.rulesets import origin_of
from sheetgen.materials.fonts import build_measure, find_faces
from sheetgen.model.build import Value
from sheetgen.model.prints import Plate
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.plan.sheets.context import build_blank_context
from sheetgen.render.flow.layout import Crowded, load_engine
from sheetgen.render.html.page import build_plate_styles, render_template, template_span
from sheetgen.render.pdf.pdf_file import parse_cached_plate, replace_plate_key
from sheetgen.rules.index import walk_model
from sheetgen.units import PAPERS
from sheetgen.write.files import exclusive_lock

PLAIN: Final = "plain"  # the design that is computed from a ruleset alone
# Bounds of compiling a plate, whose template and styles may be a stranger's.
_MEGABYTES: Final = 800
_SECONDS: Final = 18


@dataclass(slots=True)
class RulesetDesign:
    """A design for the sheets of one ruleset, with its plate."""

    design: Design
    rules: Ruleset
    context: Mapping[str, Any]
    sheet: Plate
    _more: Plate | None = None

    def more(self) -> Plate:
        """Return the plate of its continuation page, which few sheets need; see `find_plate`."""
        if self._more is None:
            name = str(self.design.facts["continuation"])
            self._more = find_plate(self.design, name, self.rules, self.context)
        return self._more


@dataclass(slots=True)
class PlateStore:
    """In-memory cache of designs with their plates, for one run.

    It does not notice that a template changed: create a new one to see changes.
    """

    _designs: dict[tuple[object, ...], Checked[RulesetDesign]] = field(default_factory=dict)

    def find_design(
        self,
        rules: Ruleset,
        theme: str,
        paper: str,
        options: Mapping[str, Value] | None,
        cells: frozenset[str] = frozenset(),
    ) -> Checked[RulesetDesign]:
        """Return the design of a ruleset's sheets with its plate, or findings why there is none.

        Args:
            cells: The pictures that have a cell only where a print has them: `logo`, `backup`.

        Raises:
            NoEngine: The plate has to be compiled, and the layout engine cannot be loaded.
        """
        name, chosen = str(rules.sheet or PLAIN), tuple(sorted((options or {}).items()))
        key = (rules.digest, name, str(rules.face), theme, paper, cells, chosen)
        if key not in self._designs:
            found = _load_design(rules, name, theme, paper, options, cells)
            if isinstance(found, _Unfit):
                plain = _load_design(rules, PLAIN, theme, paper, options, cells)
                assert isinstance(plain, Checked)
                hint = "make a design for these rules, or write `sheet: plain` into "
                hint += "the ruleset's head"
                message = f"{found.why}. The generated sheet is printed instead"
                unfit = Finding(codes.NO_ROOM, found.place, message, hint, Severity.WARNING)
                found = replace(plain, findings=(unfit, *plain.findings))
            self._designs[key] = found
        return self._designs[key]


class _Unfit(NamedTuple):
    """Why a sheet cannot be used for a ruleset, and the place of the cause."""

    why: str
    place: Span


def _load_design(
    rules: Ruleset,
    name: str,
    theme: str,
    paper: str,
    options: Mapping[str, Value] | None,
    cells: frozenset[str],
) -> Checked[RulesetDesign] | _Unfit:
    """Return the design `name`; why it does not fit, unless it is the generated one."""
    found = load_design(name, theme, paper, rules)
    design = found.value
    if design is None:
        return Checked(None, found.findings)
    if lost := tuple(table for table in design.facts["tables"] if table not in rules.tables):
        return Checked(None, tuple(_no_table(table, rules) for table in lost))
    crowded: Crowded | None = None
    for moves, facts in design.tighter():
        context = build_blank_context(rules, facts, (design.theme, paper), options)
        context |= dict.fromkeys(sorted(cells), True)
        try:
            sheet = find_plate(design, design.template, rules, context, roomy=True)
        except Crowded as error:
            crowded = crowded or error
            continue
        if name != PLAIN and (missed := _list_unplaced(rules, sheet)):
            what = " and ".join(list(missed)[:_NAMED])
            why = f"the sheet `{design_label(name)}` has no place for {what} of {rules.title}"
            return _Unfit(why, next(iter(missed.values())))
        findings = found.findings
        if moves:
            message = f"{rules.title} needs more room than its sheet usually has: {moves}"
            place = _find_cause(rules, crowded)
            note = Finding(codes.NO_ROOM, place, message, severity=Severity.NOTE)
            findings = (*findings, note)
        return Checked(RulesetDesign(design, rules, context, sheet), findings)
    assert crowded is not None
    place = _find_cause(rules, crowded)
    if name != PLAIN:
        why = f"the sheet `{design_label(name)}` has no room for all of {rules.title}: "
        why += f"it would print {crowded}"
        return _Unfit(why, place)
    sheet = find_plate(design, design.template, rules, context)
    over = Finding(codes.NO_ROOM, place, f"the sheet prints {crowded}", _SHORTER)
    return Checked(RulesetDesign(design, rules, context, sheet), (*found.findings, over))


_SHORTER: Final = "shorten these names, or name a `sheet` with more room in the ruleset's head"
# Parts of a ruleset that a sheet has places for; other values may be for formulas alone.
_FILLED: Final = ("groups", "tracks", "pools", "lists", "rolls")
_NAMED: Final = 3  # names of things without a place that a finding lists


def _list_unplaced(rules: Ruleset, sheet: Plate) -> dict[str, Span]:
    """Return what overlays add and the plate has no place for: labels, and where they are.

    A base comes with its design, which leaves out on purpose what only formulas need.
    """
    heads = {place.name.partition(".")[0] for place in sheet.places}
    parts = (entry for part in _FILLED for entry in getattr(rules, part).items())
    return {
        str(getattr(one, "label", "") or id_): id_.span
        for id_, one in parts
        if isinstance(id_, Text) and id_ not in heads and origin_of(rules, id_.span)
    }


def _find_cause(rules: Ruleset, crowded: Crowded | None) -> Span:
    """Return the place of a name that has no room, or else of the first that an overlay adds."""
    said = {word for pair in crowded.pairs for word in pair} if crowded else set()
    parts = (getattr(rules, part) for part in (*_FILLED, "texts", "choices", "gear", "tables"))
    texts = [text for part in parts for text in walk_model(part) if isinstance(text, Text)]
    added = [text for text in texts if origin_of(rules, text.span)]
    named = (text for text in (added or texts) if text in said)
    first = next(named, next(iter(added), None))
    return first.span if first is not None else rules.place


def _no_table(name: Text, rules: Ruleset) -> Finding:
    message = f"{rules.title} has no table `{name}`"
    return Finding(codes.BAD_DESIGN, name.span, message, suggestion(name, rules.tables, "tables"))


def find_plate(
    design: Design,
    template: str,
    rules: Ruleset,
    context: Mapping[str, Any],
    *,
    roomy: bool = False,
) -> Plate:
    """Return a plate of `design`: from the cache, from what is shipped, or compiled now.

    Args:
        roomy: Whether nothing on it may be over something else.

    Raises:
        Crowded: Something is.
        NoEngine: It has to be compiled, and the layout engine cannot be loaded.
    """
    key = design.key(template, rules.digest, context)
    name, no_room = f"{key}.plate", f"{key}.crowded"
    if roomy and (known := read_cache(no_room)) is not None:
        raise Crowded([(one, other) for one, other in json.loads(known)])
    if (content := read_cache(name)) and (plate := parse_cached_plate(content)) is not None:
        return plate
    with exclusive_lock(cache_path(f"{key}.lock")):
        content = read_cache(name)  # Another process may have compiled it meanwhile.
        plate = parse_cached_plate(content) if content is not None else None
        if plate is None:
            page = "continuation page" if template != design.template else "sheet"
            page = page if design.paper in PAPERS else f"{design.sheet}s"
            what = f"the {page} of {rules.title} ({design.theme}, {design.paper})"
            try:
                content = _compile(design, template, context, key, what, roomy=roomy)
            except Crowded as error:
                store_in_cache(no_room, json.dumps(error.pairs).encode())
                raise
            store_in_cache(name, content)
            plate = parse_cached_plate(content)
    assert plate is not None
    return plate


def _compile(
    design: Design, template: str, context: Mapping[str, Any], key: str, what: str, *, roomy: bool
) -> bytes:
    """Return the packed plate of a design that is not in the cache.

    What is shipped is found by its markup, and used under a new key: rules that print the same
    blank, for example with a module switched off, share a plate. `what` is for the notice.
    """
    html = render_plate_markup(design, template, context)
    alike = read_shipped(design.markup_key(html))
    if alike is not None and parse_cached_plate(alike) is not None:
        return replace_plate_key(alike, key)
    if roomy and (known := read_shipped(f"{design.markup_key(html)}.crowded")) is not None:
        raise Crowded([(one, other) for one, other in json.loads(known)])
    load_engine()  # Fails at once if it is missing; cutting fonts takes seconds.
    from sheetgen.render.plate_compiler import compile_plate_bytes

    faces = find_faces(design)
    try:
        with announced(f"laying out {what}"):
            return run_bounded(
                lambda: compile_plate_bytes(html, design.tokens, faces, key, roomy=roomy),
                *(_MEGABYTES, _SECONDS),
                page_seconds=_SECONDS,
                what="laying it out",
            )
    except Crowded:
        raise
    except (LookupError, ValueError, ArithmeticError, BoundExceeded) as error:
        span = template_span(design.texts, template)
        message = f"the template cannot be laid out: {error}"
        raise DesignError((Finding(codes.BAD_TEMPLATE, span, message),)) from error


def render_plate_markup(design: Design, template: str, context: Mapping[str, Any]) -> str:
    """Return the HTML that the layout engine lays out for a plate of `design`."""
    styles = build_plate_styles(design.texts, design.styles, design.tokens, str(context["paper"]))
    more = {"styles": styles, "measure": build_measure(design.tokens)}
    return render_template(design.texts, template, {**context, **more})
