"""On-disk cache of compiled plates and subset fonts, with an in-memory layer for one run.

Fonts are faces for plates and PDFs, and WOFF2 files for HTML. Pictures are prepared for the places
of a plate, or as assets of pages that WeasyPrint lays out.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from sheetgen.bounds import BoundExceeded, run_bounded
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, DesignError, Finding, Severity, Span
from sheetgen.diag.notices import announced
from sheetgen.diag.words import suggestion
from sheetgen.load.cache import (
    DRAWINGS,
    LAYOUT,
    cache_path,
    code_stamp,
    read_cache,
    read_shipped,
    store_in_cache,
)
from sheetgen.load.designs.designs import Design, load_design, load_fonts
from sheetgen.load.designs.fonts import font_bytes, font_digest
from sheetgen.load.designs.themes import find_theme, list_signs, load_sign_shapes
from sheetgen.load.pictures import (
    picture_finding,
    place_content,
    prepare_raster,
    read_again,
    write_raster,
)
from sheetgen.load.rulesets.content import design_label
from sheetgen.load.rulesets.rulesets import origin_of
from sheetgen.load.svg import sanitise_svg
from sheetgen.model.build import Value
from sheetgen.model.filled import BACKUP_CELL, EMPTY_CELL
from sheetgen.model.pictures import (
    Picture,
    PictureError,
    PreparedPicture,
    VectorDrawing,
    credit_pictures,
)
from sheetgen.model.prints import Place, Plate, SignLetters, Tokens
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.model.tokens import ASCII, CORE
from sheetgen.plan.contexts import build_blank_context
from sheetgen.plan.pages.screen_blocks import TextMeasure, sign_letters
from sheetgen.render.flow.layout import Crowded, NoEngine, load_engine
from sheetgen.render.flow.rendering import lay_out_drawing
from sheetgen.render.fonts import fonts
from sheetgen.render.html.page import build_plate_styles, render_template, template_span
from sheetgen.render.pdf.pdf_file import parse_cached_plate, replace_plate_key
from sheetgen.rules.index import walk_model
from sheetgen.units import PAPERS, Box, stretch
from sheetgen.write import exclusive_lock

PLAIN: Final = "plain"  # the design that is computed from a ruleset alone
_MEGABYTES: Final = 800  # bounds of compiling a plate, which may be a stranger's
_SECONDS: Final = 18


@dataclass(slots=True)
class RulesetDesign:
    """A design for the sheets of one ruleset, with its plate."""

    design: Design
    rules: Ruleset
    theme: str
    context: Mapping[str, Any]
    sheet: Plate
    _more: Plate | None = None

    def more(self) -> Plate:
        """Return the plate of its continuation page, which few sheets need; see `find_plate`."""
        if self._more is None:
            name = str(self.design.facts["continuation"])
            plate = find_plate(self.design, name, self.rules, self.context)
            self._more = add_signs(plate, self.rules, self.theme)  # what it moves may be dice
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

        `cells` are what only some prints have a cell for: `logo`, `backup`, `empty`. Raises
        `NoEngine` if the plate has to be compiled, and the layout engine cannot be loaded.
        """
        name, chosen = str(rules.sheet or PLAIN), tuple(sorted((options or {}).items()))
        key = (rules.digest, name, str(rules.face), theme, paper, cells, chosen)
        if key not in self._designs:
            self._designs[key] = _load_design(rules, name, theme, paper, options, cells)
        return self._designs[key]


def _load_design(
    rules: Ruleset,
    name: str,
    theme: str,
    paper: str,
    options: Mapping[str, Value] | None,
    cells: frozenset[str],
) -> Checked[RulesetDesign]:
    """Return the design `name`; if it does not fit, the generated one, and why."""

    def generated(why: str, place: Span) -> Checked[RulesetDesign]:
        plain = _load_design(rules, PLAIN, theme, paper, options, cells)
        hint = "make a design for these rules, or write `sheet: plain` into the ruleset's head"
        message = f"{why}. The generated sheet is printed instead"
        unfit = Finding(codes.NO_ROOM, place, message, hint, Severity.WARNING)
        return replace(plain, findings=(unfit, *plain.findings))

    found = load_design(name, theme, paper, rules)
    design = found.value
    if design is None:
        return Checked(None, found.findings)
    if lost := tuple(table for table in design.facts["tables"] if table not in rules.tables):
        wrong = []
        for table in lost:
            message = f"{rules.title} has no table `{table}`"
            hint = suggestion(table, rules.tables, "tables")
            wrong.append(Finding(codes.BAD_DESIGN, table.span, message, hint))
        return Checked(None, tuple(wrong))
    crowded: Crowded | None = None
    ways = [(moves, facts, cells - {EMPTY_CELL}) for moves, facts in design.tighter()]
    if EMPTY_CELL in cells and design.kind in design.facts["empty"]:
        ways.insert(0, (ways[0][0], ways[0][1], cells))
    for moves, facts, some in ways:
        context = build_blank_context(rules, facts, (design.theme, paper), options)
        context |= dict.fromkeys(sorted(some), True)
        try:
            sheet = find_plate(design, design.template, rules, context, roomy=True)
        except Crowded as error:
            crowded = crowded or error
            continue
        if missed := find_missed(rules, design, sheet):
            what = " and ".join(list(missed)[:_NAMED])
            why = f"the sheet `{design_label(name)}` has no place for {what} of {rules.title}"
            return generated(why, next(iter(missed.values())))
        findings = found.findings
        if moves:
            message = f"{rules.title} needs more room than its sheet usually has: {moves}"
            place = _find_cause(rules, crowded)
            findings = (*findings, Finding(codes.NO_ROOM, place, message, severity=Severity.NOTE))
        return Checked(RulesetDesign(design, rules, theme, context, sheet), findings)
    assert crowded is not None
    place = _find_cause(rules, crowded)
    if name != PLAIN:
        why = f"the sheet `{design_label(name)}` has no room for all of {rules.title}: "
        why += f"it would print {crowded}"
        return generated(why, place)
    sheet = find_plate(design, design.template, rules, context)
    over = Finding(codes.NO_ROOM, place, f"the sheet prints {crowded}", _SHORTER)
    return Checked(RulesetDesign(design, rules, theme, context, sheet), (*found.findings, over))


_SHORTER: Final = "shorten these names, or name a `sheet` with more room in the ruleset's head"
# Parts of a ruleset that a sheet has places for; other values may be for formulas alone.
_FILLED: Final = ("groups", "tracks", "pools", "lists", "rolls")
_NAMED: Final = 3  # names of things without a place that a finding lists


def find_missed(rules: Ruleset, design: Design, plate: Plate) -> dict[str, Span]:
    """Return the labels of what overlays add and the plate has no place for, and their places.

    A base comes with its design, which leaves out on purpose what only formulas need.
    """
    heads = {place.name.partition(".")[0] for place in plate.places}
    parts = (entry for part in _FILLED for entry in getattr(rules, part).items())
    return {
        str(getattr(one, "label", "") or id_): id_.span
        for id_, one in (() if design.sheet == PLAIN else parts)
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


def find_plate(
    design: Design,
    template: str,
    rules: Ruleset,
    context: Mapping[str, Any],
    *,
    roomy: bool = False,
) -> Plate:
    """Return a plate of `design`: from the cache, from what is shipped, or compiled now.

    Raises `Crowded` if the plate is `roomy` and something on it is over something else; `NoEngine`
    if it has to be compiled, and the layout engine cannot be loaded.
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
    if roomy and (known := read_shipped(f"{design.markup_key(html)}.crowded")) is not None:
        raise Crowded([(one, other) for one, other in json.loads(known)])
    alike = read_shipped(design.markup_key(html))
    if alike is not None and parse_cached_plate(alike) is not None:
        return replace_plate_key(alike, key)
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
    except (LookupError, TypeError, ValueError, ArithmeticError, BoundExceeded) as error:
        span = template_span(design.texts, template)
        message = f"the template cannot be laid out: {error}"
        raise DesignError((Finding(codes.BAD_TEMPLATE, span, message),)) from error


def render_plate_markup(design: Design, template: str, context: Mapping[str, Any]) -> str:
    """Return the HTML that the layout engine lays out for a plate of `design`."""
    styles = build_plate_styles(design.texts, design.styles, design.tokens, str(context["paper"]))
    more = {"styles": styles, "measure": build_measure(design.tokens)}
    return render_template(design.texts, template, {**context, **more})


_CLOSER: Final = Box(0.03, 0.03, 0.94, 0.94)


def add_signs(plate: Plate, rules: Ruleset, theme: str) -> Plate:
    """Return a plate whose texts may have the signs of a ruleset; see `SignWriter`."""
    pairs = list_signs(rules) if rules.signs else ()
    if not pairs:
        return plate
    shapes = load_sign_shapes(find_theme(theme), rules)
    words = sign_letters(pairs)
    # A little smaller than on pages: lines of cards are set closer.
    paths = (stretch(shapes[name].path, _CLOSER) for _, name in (*pairs, *pairs))
    signs = tuple(zip(words, paths, strict=True))
    digest = hashlib.sha256(repr(signs).encode()).hexdigest()[:32]
    name = f"{digest}-{code_stamp(*LAYOUT)}.signs"
    content = read_cache(name)
    face = fonts.parse_face(content) if content is not None else None
    if face is None:
        face = fonts.build_sign_face(signs)
        store_in_cache(name, fonts.dump_face(face))
    spoken = {ord(letter): word for letter, word in words.items()}
    digest = hashlib.sha256(repr((digest, spoken)).encode()).hexdigest()[:32]
    letters = SignLetters(spoken, face.metrics, zlib.compress(face.spare), digest)
    metrics = {
        name: replace(one, advances={**one.advances, **face.metrics.advances})
        for name, one in plate.metrics.items()
    }
    return replace(plate, key=f"{plate.key}-{digest}", metrics=metrics, signs=letters)


def find_web_fonts(files: Mapping[str, str]) -> dict[str, bytes]:
    """Return fonts, names of files by face, as WOFF2, from the cache or compressed now."""
    missing = {file for file in files.values() if _cached_font(file)[1] is None}
    if missing:
        with announced(f"compressing {len(missing)} fonts for HTML", len(missing)) as step:
            for file in missing:
                find_web_font(file)
                step()
    return {face: find_web_font(file)[1] for face, file in files.items()}


def find_web_font(file: str) -> tuple[str, bytes]:
    """Return the name of the font `file` in the cache, and the font as WOFF2."""
    name, packed = _cached_font(file)
    if packed is None:
        packed = fonts.compress_font(font_bytes(file))
        store_in_cache(name, packed)
    return name, packed


def _cached_font(file: str) -> tuple[str, bytes | None]:
    name = f"{Path(file).stem}-{font_digest(file)}-{code_stamp(*LAYOUT)}.woff2"
    return name, read_cache(name) or read_shipped(name)


def find_faces(design: Design) -> dict[str, fonts.Face]:
    """Return the faces of `design`, cut for its plates, from the cache or cut now."""
    letters = design.tokens.letters
    needed = {name: (font, letters.get(name, "")) for name, font in load_fonts(design).items()}
    with exclusive_lock(cache_path("faces.lock")):  # Two processes don't cut the same fonts.
        missing = {one for one in needed.values() if find_face(*one)[1] is None}
        if missing:
            count = len(missing)
            with announced(f"preparing {count} font{'s'[: count > 1]}", count) as step:
                for one in missing:
                    cut_face(*one)
                    step()
    return {name: cut_face(*one) for name, one in needed.items()}


@lru_cache(maxsize=16)
def cut_face(font: bytes, letters: str) -> fonts.Face:
    """Return a face, from the cache or cut now; `letters`: see `Tokens.letters`."""
    name, content = find_face(font, letters)
    face = fonts.parse_face(content) if content is not None else None
    if face is None:  # Cutting takes most of the time that a plate takes.
        face = fonts.build_face(font, *_LETTERS[letters])
        store_in_cache(name, fonts.dump_face(face))
    return face


def find_face(font: bytes, letters: str) -> tuple[str, bytes | None]:
    """Return a face's name in the cache, and the face if it is cut already; see `cut_face`."""
    digest = hashlib.sha256(font).hexdigest()[:32]
    name = f"{digest}{letters and '-' + letters}-{code_stamp(*LAYOUT)}.face"
    return name, read_cache(name) or read_shipped(name)


def build_measure(tokens: Tokens) -> TextMeasure:
    """Return what measures texts in the fonts of a design; it reads those that are asked for."""
    return fonts.measure_fonts(lambda face: font_bytes(tokens.faces[face]))


# The letters for each value of `Tokens.letters`, and whether with alternate forms.
_LETTERS: Final = {"ascii": (ASCII, True), "plain": (CORE, False), "": (CORE, True)}


Prepared = tuple[Mapping[str, PreparedPicture], tuple[Finding, ...]]


def prepare_picture(picture: Picture, size: tuple[float, float]) -> Checked[PreparedPicture]:
    """Return a picture, ready to be printed in a box of `size` points; or a finding."""
    size = round(size[0], 2), round(size[1], 2)
    if picture.kind != "svg":
        return prepare_raster(picture, size)
    found = _convert(picture)
    if found.value is None:
        return Checked(None, found.findings)
    named = picture.alt, picture.credit
    at = place_content(picture, size)
    return Checked(PreparedPicture(picture.digest[:32], found.value, at, *named))


def prepare_pictures(pictures: Mapping[str, Picture], places: Iterable[Place]) -> Prepared:
    """Return pictures for those places of a plate that have one, by name; and findings.

    A picture whose key has no place is in the first place that has no picture of its own: `art`,
    for example, in a place for a portrait.
    """
    if not pictures:
        return {}, ()
    cells = {p.name: p for p in places if p.kind == "picture" and p.name != BACKUP_CELL}
    free = [name for name in cells if name not in pictures]
    prepared: dict[str, PreparedPicture] = {}
    findings: list[Finding] = []
    for key, picture in pictures.items():
        name = key if key in cells else free.pop(0) if free else ""
        if not name:
            message = f"this print has no cell for `{key}`"
            findings.append(Finding(codes.NO_CELL, picture.span, message, severity=Severity.NOTE))
            continue
        box = cells[name].box
        found = prepare_picture(picture, (box.width, box.height))
        findings += found.findings
        if found.value is not None:
            prepared[name] = found.value
    return prepared, tuple(findings)


def build_picture_file(prepared: PreparedPicture) -> tuple[str, bytes]:
    """Return the media type and the content of a prepared picture as a file for a page.

    It is for HTML, or for `asset:` addresses of pages that WeasyPrint lays out; no metadata is
    left in it.
    """
    if isinstance(prepared.content, VectorDrawing):
        return "image/svg+xml", prepared.content.svg
    return write_raster(prepared.content)


def build_page_pictures(pictures: Mapping[str, PreparedPicture]) -> dict[str, dict[str, str]]:
    """Return pictures for the template of an HTML page, by place.

    Each has a `data:` address, its description, and the styles that fit it into its place.
    """
    found = {}

    def position(start: float, length: float) -> float:
        """Return where a picture lies, as CSS has it: in per cent of the room beside it."""
        return 100 * start / (1 - length) if abs(1 - length) > _NEAR else 50.0

    for name, picture in pictures.items():
        kind, content = build_picture_file(picture)
        left, foot, wide, high = picture.at
        fit = "contain" if min(wide, high) < _FULL else "cover"
        across, down = position(left, wide), position(1 - foot - high, high)
        style = f"object-fit: {fit}; object-position: {across:.1f}% {down:.1f}%"
        found[name] = {
            "address": f"data:{kind};base64,{base64.b64encode(content).decode()}",
            "alt": picture.alt,
            "credit": credit_pictures((picture,)),
            "style": f'.picture[data-name="{name}"] {{ {style} }}\n',
        }
    return found


_NEAR: Final = 0.001
_FULL: Final = 0.98  # part of a box that a picture covers at least if it fills it
_DRAWING: Final = (600, 8)  # megabytes and seconds that drawing a picture may take


def find_drawing(picture: Picture, svg: bytes) -> tuple[str, bytes]:
    """Return the name of a drawing in the cache, and its content stream.

    Raises:
        NoEngine, BoundExceeded: It is not in the cache and cannot be laid out.
    """
    stamp = code_stamp(*DRAWINGS)
    key = f"{picture.digest[:32]}-{stamp}.drawing"
    body = read_cache(key) or read_shipped(key)
    if body is None:
        load_engine()  # Imported once, not in each child.
        body = run_bounded(lambda: lay_out_drawing(svg, picture), *_DRAWING)
        store_in_cache(key, body)
    return key, body


@lru_cache(maxsize=8)
def _convert(picture: Picture) -> Checked[VectorDrawing]:
    """Return a drawing as a form XObject; WeasyPrint draws it in a bounded child process."""
    data = read_again(picture)
    reason = "was changed, or cannot be read any more"
    if data is not None:
        try:
            svg = sanitise_svg(data).content
            return Checked(VectorDrawing(svg, find_drawing(picture, svg)[1]))
        except PictureError as error:
            reason = str(error)
        except NoEngine as error:
            message = f"`{Path(picture.path).name}` is not drawn: {error}"
            hint = f"{error.hint}; or export the drawing as PNG"
            return Checked(None, (picture_finding(codes.NO_ENGINE, picture.span, message, hint),))
        except BoundExceeded as error:
            reason = f"cannot be drawn: {error}"
        except Exception:  # noqa: BLE001 - whatever the engine raises for a strange drawing
            reason = "cannot be drawn"
    name = Path(picture.path).name
    hint = "simplify the drawing, or export it as PNG"
    finding = picture_finding(codes.DAMAGED_PICTURE, picture.span, f"`{name}` {reason}", hint)
    return Checked(None, (finding,))
