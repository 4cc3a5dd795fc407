"""What prints have at hand: plates, fonts and odds, kept on disk, and found once a run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sheetgen import __version__
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, DesignError, Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.notices import announced
from sheetgen.diag.spans import Span
from sheetgen.load.cache import cache_path, code_stamp, read_cache, store_in_cache
from sheetgen.load.designs.designs import PAPERS, Design, load_design, load_fonts
from sheetgen.load.designs.fonts import font_bytes, font_digest
from sheetgen.load.designs.templates import templates_folder
from sheetgen.load.rulesets.modules import OPTION
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.load.shipped import read_shipped
from sheetgen.model.build import Value
from sheetgen.model.live import Live
from sheetgen.model.prints import Plate, Tokens
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.plan.scripts.odds_taps import odds_taps
from sheetgen.plan.sheets.context import build_blank_context, build_filled_context
from sheetgen.plan.sheets.page_facts import build_page_facts
from sheetgen.plan.sheets.sheets import PlannedSheet
from sheetgen.render.flow.engine import engine
from sheetgen.render.html.html import page, web_font
from sheetgen.render.plates.plate_compiler import make_plate, open_plate, plate_markup, renamed
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.odds.grid import GridError
from sheetgen.rules.odds.words import OddsError
from sheetgen.write.locks import exclusive_lock

if TYPE_CHECKING:
    from sheetgen.render.fonts.fonts import Face


@dataclass(slots=True)
class RulesetDesign:
    """A design as the sheets of one ruleset wear it.

    Attributes:
        context: What its template is told of a blank; see `blank_context`.
        sheet: Its plate.
    """

    design: Design
    rules: Ruleset
    context: Mapping[str, Any]
    sheet: Plate
    _more: Plate | None = None

    def more(self) -> Plate:
        """Return the plate of its continuation page, which few sheets need; see `plate_of`."""
        if self._more is None:
            name = str(self.design.facts["continuation"])
            self._more = plate_of(self.design, name, self.rules, self.context)
        return self._more


@dataclass(slots=True)
class Rack:
    """Looks at hand: a thousand sheets of one look need it once.

    It does not see that a template changed; whoever waits for changes takes a new one.
    """

    _looks: dict[tuple[object, ...], Checked[RulesetDesign]] = field(default_factory=dict)

    def look(
        self, rules: Ruleset, theme: str, paper: str, options: Mapping[str, Value] | None
    ) -> Checked[RulesetDesign]:
        """Return the look of a ruleset's sheets, or findings for one that is not there.

        Raises:
            NoEngine: Its plate has to be made, and cannot be.
        """
        chosen = tuple(sorted((options or {}).items()))
        key = rules.digest, str(rules.sheet or "plain"), theme, paper, chosen
        if key not in self._looks:
            self._looks[key] = _look(rules, theme, paper, options)
        return self._looks[key]


def _look(
    rules: Ruleset,
    theme: str,
    paper: str,
    options: Mapping[str, Value] | None,
) -> Checked[RulesetDesign]:
    found = load_design(str(rules.sheet or "plain"), theme, paper)
    design = found.value
    if design is None:
        return Checked(None, found.findings)
    if lost := tuple(name for name in design.facts["tables"] if name not in rules.tables):
        return Checked(None, tuple(_no_table(name, rules) for name in lost))
    context = build_blank_context(rules, design.facts, (theme, paper), options)
    sheet = plate_of(design, design.template, rules, context)
    return Checked(RulesetDesign(design, rules, context, sheet), found.findings)


def _no_table(name: Text, rules: Ruleset) -> Finding:
    message = f"{rules.title} has no table `{name}`"
    return Finding(codes.BAD_DESIGN, name.span, message, suggestion(name, rules.tables, "tables"))


def web_fonts(design: Design) -> dict[str, bytes]:
    """Return the fonts of `design` as browsers take them, by face; they are kept."""
    files = design.tokens.faces
    missing = {file for file in files.values() if _kept_font(file)[1] is None}
    if missing:
        with announced(f"compressing {len(missing)} fonts for HTML", len(missing)) as step:
            for file in missing:
                packed_font(file)
                step()
    return {face: packed_font(file)[1] for face, file in files.items()}


def packed_font(file: str) -> tuple[str, bytes]:
    """Return the font `file` as browsers take it, kept, shipped or made, and its name there."""
    name, packed = _kept_font(file)
    if packed is None:
        packed = web_font(font_bytes(file))
        store_in_cache(name, packed)
    return name, packed


def _kept_font(file: str) -> tuple[str, bytes | None]:
    name = f"{Path(file).stem}-{font_digest(file)}-{__version__}.woff2"
    return name, read_cache(name) or read_shipped(name)


def page_of(
    look: RulesetDesign,
    planned: PlannedSheet,
    said: Iterable[Finding],
    options: Mapping[str, Value] | None,
    live: Live | None,
    *,
    flat: bool = False,
) -> bytes:
    """Return a planned sheet as an HTML file.

    Args:
        said: Findings about what is on it.
        live: What it calculates, if it can.
        flat: Whether values are text, without fields and without a script.
    """
    design, plan = look.design, planned.plan
    if flat:
        told = {**build_filled_context(look.context, planned), "meta": plan.meta, "flat": True}
        return page(*_looks(design), told, narrow=design.narrow)
    facts = build_page_facts(plan, look.rules, said, odds_at_hand(look.rules, options))
    told = {**build_filled_context(look.context, planned), "meta": plan.meta}
    return page(*_looks(design), told, facts, live, design.narrow)


def _looks(
    design: Design,
) -> tuple[Mapping[str, str], str, tuple[str, ...], Tokens, Mapping[str, bytes]]:
    """Return what a page is told of its design."""
    return design.texts, design.template, design.screen, design.tokens, web_fonts(design)


def odds_at_hand(rules: Ruleset, options: Mapping[str, Value] | None) -> dict[str, Any] | None:
    """Return the odds that a sheet of `rules` tells on a screen, kept or worked out.

    None where the ruleset prints none, or they cannot be worked out; `odds` says why.
    """
    chosen = repr(sorted((options or {}).items()))
    said = f"{rules.digest}\0{chosen}\0{code_stamp('rules', 'plan')}\0{__version__}"
    key = f"{hashlib.sha256(said.encode()).hexdigest()[:32]}.odds"
    kept = read_cache(key)
    if kept is None:
        with announced(f"computing the odds of {rules.title}"):
            kept = json.dumps(_odds(rules, options or {}), ensure_ascii=False).encode()
        store_in_cache(key, kept)
    found: dict[str, Any] | None = json.loads(kept)
    return found


def _odds(rules: Ruleset, options: Mapping[str, Value]) -> dict[str, Any] | None:
    folders = tuple(Path(origin.folder) for origin in rules.composition.origins)
    switches = {f"{OPTION}{id_}": module.on for id_, module in rules.composition.modules.items()}
    whole = load_ruleset(folders, complete=True, switches=switches).value
    try:
        return odds_taps(whole, options) if whole is not None else None
    except (GridError, OddsError, FormulaError):
        return None


def plate_of(
    design: Design,
    template: str,
    rules: Ruleset,
    context: Mapping[str, Any],
) -> Plate:
    """Return a plate of `design`: the kept one, the one that was shipped, or a new one.

    Raises:
        NoEngine: It has to be made, and cannot be.
    """
    ours, key = plate_keys(design, template, rules, context)
    name = f"{key}.plate"
    for found, called in ((read_cache, name), (read_shipped, f"{ours}.plate")):
        kept = found(called)
        plate = open_plate(kept) if kept is not None else None
        if plate is not None:
            return plate
    with exclusive_lock(cache_path(f"{key}.lock")):
        kept = read_cache(name)  # another process may have made it meanwhile
        plate = open_plate(kept) if kept is not None else None
        if plate is None:
            page = "continuation page" if template != design.template else "sheet"
            page = page if design.paper in PAPERS else f"{design.sheet}s"
            what = f"the {page} of {rules.title} ({design.theme}, {design.paper})"
            content = _laid_out(design, template, context, key, what)
            store_in_cache(name, content)
            plate = open_plate(content)
    assert plate is not None
    return plate


def _laid_out(
    design: Design, template: str, context: Mapping[str, Any], key: str, what: str
) -> bytes:
    """Return a plate that is neither kept nor shipped for these rules.

    Other rules that print the same blank, such as ours with a module switched off, may have
    one; that saves the layout, and the engine. `what` is for the notice.
    """
    html = markup_of(design, template, context)
    name = design.markup_key(html)
    alike = read_shipped(f"{name}.blank")
    if alike is not None and open_plate(alike) is not None:
        return renamed(alike, key)
    engine()  # says at once what to install; the faces take their time
    faces = faces_of(design)
    try:
        with announced(f"laying out {what}"):
            return make_plate(html, design.tokens, faces, key)
    except (LookupError, ValueError) as error:
        span = Span(str(templates_folder() / template))
        message = f"the template cannot be laid out: {error}"
        raise DesignError((Finding(codes.BAD_TEMPLATE, span, message),)) from error


def faces_of(design: Design) -> dict[str, Face]:
    """Return the faces of `design`, cut for its plates, kept or made."""
    letters = design.tokens.letters
    needed = {name: (font, letters.get(name, "")) for name, font in load_fonts(design).items()}
    with exclusive_lock(cache_path("faces.lock")):  # two processes do not cut the same fonts
        missing = {one for one in needed.values() if read_cache(_face_name(*one)) is None}
        if missing:
            with announced(f"preparing {len(missing)} fonts", len(missing)) as step:
                for one in missing:
                    _face(*one)
                    step()
    return {name: _face(*one) for name, one in needed.items()}


@lru_cache(maxsize=16)
def _face(font: bytes, letters: str) -> Face:
    from sheetgen.render.fonts.face_files import cut_face, dump_face, open_face

    name = _face_name(font, letters)
    kept = read_cache(name)
    face = open_face(kept) if kept is not None else None
    if face is None:
        face = cut_face(font, letters)
        store_in_cache(name, dump_face(face))
    return face


def _face_name(font: bytes, letters: str) -> str:
    from sheetgen.render.fonts.face_files import face_name

    return f"{face_name(font, letters)}-{code_stamp('render')}-{__version__}.face"


def markup_of(design: Design, template: str, context: Mapping[str, Any]) -> str:
    """Return what the engine lays out for a plate of `design`."""
    return plate_markup(design.texts, template, design.styles, design.tokens, context)


def plate_keys(
    design: Design, template: str, rules: Ruleset, context: Mapping[str, Any]
) -> tuple[str, str]:
    """Return the names of a plate: where it is shipped, and where it is kept; see `Design`."""
    return design.keys(template, rules.digest, context)
