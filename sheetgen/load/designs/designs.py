"""Designs of sheets and of printed pages: loading, cache keys of their plates, and checks."""

from __future__ import annotations

import hashlib
import os
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from sheetgen import __version__
from sheetgen.data import templates_folder
from sheetgen.diag.findings import Checked, DesignError, Finding
from sheetgen.diag.words import suggestion
from sheetgen.load.cache import LAYOUT, code_stamp, package_version
from sheetgen.load.designs import templates
from sheetgen.load.designs.fonts import find_font, font_bytes, font_digest
from sheetgen.load.designs.themes import FACES, Face, face_ids, find_theme, load_face, ruleset_face
from sheetgen.load.files import file_digest, tree_digest
from sheetgen.load.rulesets import content
from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model import designs
from sheetgen.model.prints import Narrow, Tokens
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.records import frozen
from sheetgen.units import MM, PAPERS, CardSize, parse_length


@frozen
class Design:
    """One sheet in one theme on one paper, as texts and tokens."""

    sheet: str  # The name of its folder, with which templates include its files.
    paper: str
    theme: str  # The id of the theme of ours that this one is, or changes.
    kind: str  # The arrangement that the theme uses: `standard`, or the theme's own.
    facts: Mapping[str, Any]  # The values of its `sheet.yaml`.
    texts: Mapping[str, str]
    tokens: Tokens
    # What narrow screens use where the theme's own arrangement does not fit; None for a theme
    # without an arrangement of its own.
    narrow: Narrow | None = None

    @property
    def template(self) -> str:
        """The name of its template."""
        return str(self.facts["templates"][self.kind])

    def tighter(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield steps by which the sheet gets room: what moves, and the values of `sheet.yaml`."""
        yield "", dict(self.facts)
        for step in self.facts["tighter"].get(self.kind, ()):
            fewer = step["rows"]
            rows = {name: {**counts, **fewer} for name, counts in self.facts["rows"].items()}
            changed = {"tight": step["tight"], "spill": step["spill"], "rows": rows}
            yield str(step["moves"]), {**self.facts, **changed}

    @property
    def styles(self) -> tuple[str, ...]:
        """The names of its style sheets for paper."""
        return tuple(self.facts["css"][self.kind])

    @property
    def screen(self) -> tuple[str, ...]:
        """The names of its style sheets for screens, those for paper first."""
        return (*self.styles, *self.facts["screen"])

    def key(self, template: str, rules: str, context: Mapping[str, Any]) -> str:
        """Return the hash of all that a plate is made from; the digest of `rules` is its context's.

        It covers the layout engine and the installed fonts. A plate that is shipped is used with
        any engine, see `markup_key`; a plate that is compiled here with the same engine only.
        """
        values = {name: value for name, value in context.items() if name != "rules"}
        parts = [
            *(__version__, code_stamp(), template, rules, repr(values)),
            *(repr(self.styles), repr(self.tokens)),
            *(text for item in sorted(self.texts.items()) for text in item),
        ]
        fonts = [font_digest(name) for name in self.tokens.faces.values()]
        return _hash(*parts, engine_version(), *fonts)

    def markup_key(self, html: str) -> str:
        """Return the hash of a plate's markup and tokens: rulesets with equal blanks share it."""
        return _hash(code_stamp(*LAYOUT), repr(self.tokens), html)


def _hash(*parts: str) -> str:
    return hashlib.sha256("".join(f"{part}\0" for part in parts).encode()).hexdigest()[:32]


def load_design(
    sheet: str, theme: str, paper: str, rules: Ruleset | None = None
) -> Checked[Design]:
    """Return the design, with the face of `rules`, or findings for an unknown name."""
    known = (sheet,) if os.path.isabs(sheet) else templates.sheet_ids()
    named = [*templates.check_option("sheet", sheet, known)]
    named += templates.check_option("paper", paper, PAPERS)
    if named:
        return Checked(None, tuple(named))
    try:
        texts = templates.load_template_texts(sheet)
        found = find_theme(theme)
        file = templates.load_design_file(f"{sheet}/sheet.yaml", designs.SheetFile)
        templates.raise_findings(templates.check_sheet_file(file, texts, PAPERS))
        face = ruleset_face(rules)
        tokens = found.tokens(*file.tokens, sheet, face=face)
        base = found.base
        kind = base if base in file.templates else templates.STANDARD
        narrow = None
        if kind != templates.STANDARD:
            own = frozenset(file.css[kind]).difference(file.css[templates.STANDARD])
            standard = found.tokens(*file.tokens, sheet, face=face, base=templates.STANDARD)
            narrow = Narrow(standard, own)
        templates.raise_findings(templates.missing_fonts(tokens))
    except DesignError as error:
        return Checked(None, error.findings)
    facts = {**_set_values(file), "tight": False, "spill": False}
    if file.flow is not None:
        facts["flow"] = {name: _set_values(measures) for name, measures in file.flow.items()}
    # Keys of the cache are made of what facts show, and a record shows its place in memory.
    facts["tighter"] = {i: tuple(map(_set_values, steps)) for i, steps in file.tighter.items()}
    return Checked(Design(os.path.basename(sheet), paper, base, kind, facts, texts, tokens, narrow))


def _set_values(model: Any) -> dict[str, Any]:
    """Return the fields of a model that have a value, by name."""
    pairs = ((field.name, getattr(model, field.name)) for field in fields(model))
    return {name: value for name, value in pairs if value is not None}


TABLES = "_tables"  # the folder of templates and style sheets of printed tables

PageDesign = tuple[Mapping[str, str], Tokens, Mapping[str, str]]
"""Templates and style sheets, tokens, and the names of the font files by face."""


def load_page_design(
    theme: str, paper: str, *more: str, rules: Ruleset | None = None, face: Face = ()
) -> Checked[PageDesign]:
    """Return the design of pages of tables, in the face of `rules` or another, or findings.

    `more` are folders of templates besides those of tables, such as `_encounters`.
    """
    if findings := tuple(templates.check_option("paper", paper, PAPERS)):
        return Checked(None, findings)
    try:
        tokens = find_theme(theme).tokens(TABLES, *more, face=face or ruleset_face(rules))
        templates.raise_findings(templates.missing_fonts(tokens))
    except DesignError as error:
        return Checked(None, error.findings)
    return Checked((templates.load_template_texts(TABLES, *more), tokens, tokens.faces))


def engine_version() -> str:
    """Return the installed version of the layout engine."""
    return package_version("weasyprint")


def load_fonts(design: Design) -> dict[str, bytes]:
    """Return the font files of the design, by face."""
    return {face: font_bytes(name) for face, name in design.tokens.faces.items()}


TEMPLATE: Final = f"{templates.CARDS}/card.html.j2"
SIZES: Final = f"{templates.CARDS}/sizes.css"
# A head and its number of lines, and the traits under it: id, name, number of lines.
_TraitList: TypeAlias = tuple[str, int, list[tuple[str, str, int]]]
_LEAST_COLUMNS: Final = 3  # columns are as wide as this many have room for, even if there are fewer
_MOST_COLUMNS: Final = 4

BACK: Final = "back"  # the strip that fills the back of a card with an odd number of faces

# Roles of text on the paper beside cards. Their size does not depend on the cards'.
_OUTSIDE: Final = ("card-note",)
MOST_LINES: Final = 8  # strips of text have 1 to 8 lines: `body-1` to `body-8`

# Modules that all designs keep free at their sides and above: 3, minus the overhang of slanted and
# round letters.
MARGIN: Final = 2.8
_SIDE: Final = 3  # modules from the side of a card to its text
LARGE_THEME: Final = "large-print"
# Large print is on cards of this size, which are laid out like that size and enlarged.
LARGE_SIZE: Final[CardSize] = "half-letter"
LARGE_LIKE: Final[CardSize] = "a6"
# Millimetres of a module in large print: what is set in 7 pt at poker size is set in 14 pt.
_LARGE_MODULE: Final = 2.0
FOOT: Final = 2.55  # modules that are free below, unless `card.yaml` has a `foot_margin`


def load_card(
    design: str,
    theme: str,
    size: str,
    trim: tuple[float, float],
    cut: tuple[float, float] | None = None,
    safe: float = 0.0,
    rules: Ruleset | None = None,
) -> Checked[Design]:
    """Return the design of a card, or findings for an unknown design, theme or size.

    Args:
        design: The folder under templates/, or the path of one in a ruleset's folder.
        size: A name of the design's `modules`.
        trim: Width and height of that size, in points.
        cut: Width and height that a printer cuts instead, in points.
        safe: The distance that text keeps from that cut, in points. If the design's own
            margins are smaller, the whole card is scaled down.
        rules: The ruleset whose face it has.
    """
    known = (design,) if os.path.isabs(design) else templates.card_ids()
    if findings := [*templates.check_option("card", design, known)]:
        return Checked(None, tuple(findings))
    try:
        texts = templates.load_template_texts(design, templates.CARDS)
        found = find_theme(theme)
        file = templates.load_design_file(f"{design}/card.yaml", designs.CardFile)
        shared = (templates.CARDS, templates.EMBLEMS, *file.tokens)
        tokens = found.tokens(*shared, design, face=ruleset_face(rules))
        wrong = (*templates.check_card_file(file, texts, tokens), *templates.missing_fonts(tokens))
        templates.raise_findings(wrong)
    except DesignError as error:
        return Checked(None, error.findings)
    if findings := [*templates.check_option("size", size, tuple(file.modules))]:
        return Checked(None, tuple(findings))
    facts = _set_values(file)
    large = found.base == LARGE_THEME and size == LARGE_SIZE
    like = LARGE_LIKE if large and LARGE_LIKE in file.modules else size
    for key, value in _set_values(file.sizes[like]).items() if like in file.sizes else ():
        facts[key] = {**facts.get(key, {}), **value} if isinstance(value, dict) else value
    scale = float(file.modules[like])
    if like != size:
        scale = _LARGE_MODULE
        facts["modules"] = {**facts["modules"], size: scale}
    adds = facts.pop("adds", {})
    lists = {
        name: listed for name, listed in adds.items() if isinstance(listed, designs.TraitColumns)
    }
    columns = {name: _list_columns(listed, rules) for name, listed in lists.items()}
    tall = {}
    for name, listed in lists.items():
        lengths = [
            sum(listed.head * lines + listed.row * sum(n for *_, n in of) for _, lines, of in one)
            for one in columns[name]
        ]
        tall[name] = listed.above + max(lengths, default=0.0)
    end = str(facts["foot"].strip)
    room = trim[0] / scale - 2 * _SIDE * MM
    points = _CREDIT if like != size else min(_CREDIT, _MOST_CREDIT / scale)
    credit = _COUNT * "0" + (f" {rules.credit.short}" if rules is not None else "")
    lines = len(textwrap.wrap(credit, int(room / points / _credit_letter(credit))))
    # Strips are high enough for two lines at poker size.
    line = 1.15 * points / MM
    high = facts["strips"].get(end, 0) + line * max(1, lines) - 2 * 1.15 * _CREDIT / MM
    facts["strips"] = {**facts["strips"], **adds, **tall, end: high}
    free = float(facts.get("foot_margin", FOOT))
    if cut is not None:
        # The width in modules stays the same, so that texts break as on cards printed at home.
        margin = MARGIN * scale * MM
        smaller = min(1.0, (cut[0] - 2 * safe) / (trim[0] - 2 * margin))
        scale, width = scale * smaller, trim[0] * smaller
        foot = max(0.0, safe - free * scale * MM)
        trim = width, cut[1] - (cut[0] - width) / 2 - foot
    # In the order of the plate's pages.
    heights = {name: round(float(n) * scale * MM, 3) for name, n in facts["strips"].items()}
    for name, modules in facts["texts"].items():
        for lines in range(1, MOST_LINES + 1):
            heights[f"{name}-{lines}"] = round(float(modules) * scale * MM * lines, 3)
    heights[BACK] = round(trim[1], 3)
    facts |= {
        "heights": heights,
        "card": {
            "width": trim[0],
            "height": trim[1] / int(facts.get("per_card", 1)),
            "heights": heights,
            "columns": columns,
            "foot": round(room, 3),
            "credit": round(points, 3),
        },
        "air": float(facts["air"]) * scale * MM,
        "templates": {templates.STANDARD: TEMPLATE},
        "css": {templates.STANDARD: [*facts["css"], SIZES]},
        "screen": [],
    }
    texts[SIZES] = _write_size_css(trim, scale, heights, free, points)
    tokens = _scale_tokens(tokens, scale)
    name = os.path.basename(design)
    return Checked(Design(name, size, found.base, templates.STANDARD, facts, texts, tokens))


_CREDIT: Final = 5.2  # size of the credit at poker size
_MOST_CREDIT: Final = 6.5  # points that it has on larger cards, but for those in large print
_COUNT: Final = 16  # its letters that the number of the card takes from the first line


def _list_columns(listed: designs.TraitColumns, rules: Ruleset | None) -> list[list[_TraitList]]:
    """Return the lists of each column. Names that are too long for a line have several."""
    groups = {str(id_): group for id_, group in rules.groups.items()} if rules is not None else {}
    if not {listed.of, listed.under} <= groups.keys():
        return []
    traits = groups[listed.under].traits.items()
    heads = {str(id_): str(head.name) for id_, head in traits if str(id_) != listed.without}
    per = max(listed.lists, -(-len(heads) // _MOST_COLUMNS))
    starts = range(0, len(heads), per)
    wide = listed.letters // max(_LEAST_COLUMNS, len(starts))
    letters = max(1, wide - listed.code)
    # Capitals take a half more room than small letters.
    lists: dict[str, _TraitList] = {
        id_: (head, -(-3 * len(head) // (2 * wide)), []) for id_, head in heads.items()
    }
    for id_, trait in groups[listed.of].traits.items():
        if str(trait.under) in lists:
            lines = -(-len(trait.name) // letters)
            lists[str(trait.under)][-1].append((str(id_), str(trait.name), lines))
    return [[*lists.values()][start : start + per] for start in starts]


def _credit_letter(credit: str) -> float:
    """Return the width of a letter of a credit in em, with what breaks of lines leave free."""
    share = sum(map(str.isupper, credit)) / max(1, sum(map(str.isalpha, credit)))
    return 0.43 + 0.2 * max(0.0, share - 0.15)  # capitals are wider


def _write_size_css(
    trim: tuple[float, float],
    scale: float,
    heights: Mapping[str, float],
    foot: float,
    credit: float,
) -> str:
    width, height = trim
    sizes = f"--k: {scale:g}; --foot: {foot:g}; --credit: {credit * scale:.3f}pt"
    rules = [
        f":root {{ --m: {scale * MM:.4f}pt; {sizes} }}",
        f".strip {{ width: {width:.3f}pt }}",
        f".card {{ width: {width:.3f}pt; height: {height:.3f}pt }}",
    ]
    for name, tall in heights.items():
        rules.append(f"@page {name} {{ size: {width:.3f}pt {tall:g}pt; margin: 0 }}")
        rules.append(f".in-plate .{name} {{ page: {name}; height: {tall:g}pt }}")
        rules.append(f".in-page .{name} {{ height: {tall:g}pt }}")
        rules.append(f".{name} {{ --h: {tall:g}pt }}")
    return "\n".join(rules) + "\n"


def _scale_tokens(tokens: Tokens, scale: float) -> Tokens:
    roles = dict(tokens.roles)
    for name, role in tokens.roles.items():
        if name not in _OUTSIDE:
            lengths = {key: getattr(role, key) for key in ("size", "least", "leading", "baseline")}
            scaled = {k: round(n * scale, 3) for k, n in lengths.items() if n is not None}
            roles[name] = replace(role, **scaled)
    shapes = {
        name: replace(shape, inset=shape.inset * scale, width=shape.width * scale)
        for name, shape in tokens.shapes.items()
    }
    return replace(tokens, roles=roles, shapes=shapes)


_MOST: Final = 25 * MM  # the largest bleed or safe zone

_WORDS: Final = {
    "takes": ("cards", "pages", "all"),
    "paper": PAPERS,
    "colour": ("rgb", "cmyk"),
    "variant": designs.VARIANTS,
}
"""The values that a key can have."""


@cache
def load_presets() -> Mapping[str, designs.Preset]:
    """Return all presets by name, in the order of the file."""
    findings: list[Finding] = []
    presets: dict[str, designs.Preset] = {}
    for key, node in templates.load_design_source(f"{templates.SHARED}/presets.yaml").entries:
        try:
            entry = templates.parse_model(node, designs.PresetEntry, key.raw)
        except DesignError as error:
            findings += error.findings
            continue
        wrong = list(_check_entry(entry))
        findings += wrong
        if not wrong:
            values = _set_values(entry)
            values |= {k: str(value) for k, value in values.items() if isinstance(value, Text)}
            values |= {k: _parse_points(values[k]) for k in ("bleed", "safe") if k in values}
            values["cards"] = {
                str(name): tuple(map(_parse_points, sides)) for name, sides in entry.cards.items()
            }
            presets[key.raw] = designs.Preset(key.raw, sets=frozenset(values), **values)
    templates.raise_findings(findings)
    return presets


def _check_entry(entry: designs.PresetEntry) -> Iterator[Finding]:
    for key, known in (*_WORDS.items(), ("theme", templates.theme_ids())):
        value = getattr(entry, key)
        if value is not None and value not in known:
            yield templates.bad_design(
                value, f"`{key}` cannot be `{value}`", suggestion(value, known)
            )
    for size, sides in entry.cards.items():
        if len(sides) != 2:
            message = f"the size `{size}` has to be a width and a height"
            yield templates.bad_design(size, message, "write `[2.5in, 3.5in]`")
    for text in (entry.bleed, entry.safe, *(s for sides in entry.cards.values() for s in sides)):
        if text is not None and _parse_points(text) is None:
            hint = "write it with a unit: `3mm`, `0.125in`, `9pt`"
            yield templates.bad_design(text, f"`{text}` is not a length", hint)
    for text in (entry.bleed, entry.safe):
        if text is not None and (_parse_points(text) or 0) > _MOST:
            message = f"`{text}` is too much: a bleed or a safe zone has 25 mm at most"
            yield templates.bad_design(text, message)


def _parse_points(text: str) -> float | None:
    try:
        length = float(parse_length(str(text)))
    except ValueError:
        return None
    return length if 0 <= length < 10_000 else None


_TRIM = (180.0, 252.0)  # width and height of the card that a design is checked with, in points
PLAIN: Final = "plain"  # the sheet of rulesets that do not name one
# Values that a card of any kind can show, besides those that its ruleset names.
_OF_ALL: Final = ("*", "changes", "emblem", "footnotes", "group", "kind", "members", "name", "none")
_OF_THINGS: Final = ("*", "footnotes", "heads", "none", "notes", "rows", "sections", "undefined")
"""Values that a card of any thing can show, besides its places."""


def check_design(path: Path) -> tuple[Finding, ...]:
    """Return all findings about the design that the file at `path` belongs to."""
    return tuple(dict.fromkeys(_check_folder(content.find_design_folder(path))))


def check_own_designs(rules: Ruleset) -> tuple[Finding, ...]:
    """Return all findings about the designs in a ruleset's folder that it uses."""
    cards = [one.card for one in rules.kinds.values()]
    named = (rules.sheet, *cards, *(one.card for one in rules.card_sets.values()))
    own = dict.fromkeys(str(name) for name in named if name and os.path.isabs(name))
    return tuple(dict.fromkeys(finding for design in own for finding in _check_folder(design)))


def _check_folder(design: str) -> Iterator[Finding]:
    is_sheet = templates.find_design_file(design, content.SHEET_FILE) is not None
    is_card = templates.find_design_file(design, content.CARD_FILE) is not None
    try:
        if design == templates.SHARED:
            load_presets()
        if design == FACES:
            for face in face_ids():
                templates.load_theme_tokens(templates.STANDARD, face=load_face(face))
            return
        for theme in templates.theme_ids():
            if not is_card:
                templates.load_theme_tokens(theme, design)
            for paper in PAPERS if is_sheet else ():
                yield from load_design(design, theme, paper).findings
        if is_sheet:
            sheet = templates.load_design_file(f"{design}/sheet.yaml", designs.SheetFile)
            yield from _check_sheet(design, sheet)
        if is_card:
            file = templates.load_design_file(f"{design}/card.yaml", designs.CardFile)
            for theme in templates.theme_ids():
                yield from load_card(design, theme, str(next(iter(file.modules))), _TRIM).findings
            yield from _check_card(design, file)
    except DesignError as error:
        yield from error.findings


def _check_sheet(design: str, file: designs.SheetFile) -> Iterator[Finding]:
    """Yield findings for tables and tracks that the rulesets with this sheet do not have."""
    users = [rules for rules in _users(design) if str(rules.sheet or PLAIN) == design]
    for rules in users:
        yield from _check_known(file.tables, rules.tables, f"{rules.title} has no table")
    tables = {str(id_) for rules in users for id_ in rules.tables}
    tracks = {str(id_) for rules in users for id_ in rules.tracks}
    if users:
        yield from _check_known(file.if_there, tables, "no ruleset with this sheet has a table")
        yield from _check_known(file.tracks, tracks, "no ruleset with this sheet has a track")


def _check_card(design: str, file: designs.CardFile) -> Iterator[Finding]:
    """Yield findings for names in a card's entries that no subject of the card can have."""
    every = ((rules, str(i), kind) for rules in _users(design) for i, kind in rules.kinds.items())
    kinds = [kind_rules(rules, id_) for rules, id_, kind in every if kind.card == design]
    heads = {*_OF_ALL, *(name for own in kinds for name in list_shown_names(own))}
    if not kinds:
        heads = {*_OF_THINGS, *(str(place).partition(".")[0] for place in file.places)}
        sets = [one for rules in _users(design) for one in rules.card_sets.values()]
        heads.update(str(place) for one in sets if one.card == design for place in one.rolls)
    for name in (
        name for entry in templates.list_card_entries(file) for name in _list_names(entry)
    ):
        head, dot, rest = name.partition(".")
        places = [str(place) for place in file.places if str(place).startswith(f"{head}.")]
        if head not in heads:
            yield _no_such_name(name, f"nothing on this card is called `{name}`", heads)
        elif places and name != head and not any(fnmatchcase(name, place) for place in places):
            yield _no_such_name(name, f"the card has no place `{name}`", places)
        else:
            known = {str(c) for own in kinds if head in own.lists for c in own.lists[head].columns}
            column = rest.rpartition(".")[2]
            if dot and known and column not in known:
                message = f"the list `{head}` has no column `{column}`"
                yield _no_such_name(name, message, known)


def _users(design: str) -> tuple[Ruleset, ...]:
    """Return the rulesets that may use a design: the one that it is in, or all shipped ones."""
    owner = content.find_owner(Path(design)) if os.path.isabs(design) else None
    if owner is None:
        return _rulesets()
    rules = load_ruleset(owner, complete=True).value
    return (rules,) if rules is not None else ()


@cache
def _rulesets() -> tuple[Ruleset, ...]:
    folders = (content.rulesets_folder() / id_ for id_ in content.ruleset_ids())
    loaded = (load_ruleset(folder, complete=True).value for folder in folders)
    return tuple(rules for rules in loaded if rules is not None)


def list_shown_names(own: Ruleset) -> Iterator[str]:
    """Yield the first parts of the names of all values that a kind can show in prints."""
    parts = (own.groups, own.derived, own.texts, own.lists, own.tracks, own.character, own.rolls)
    yield from (str(id_) for part in parts for id_ in part)
    yield from (str(id_) for group in own.groups.values() for id_ in group.traits)


def _list_names(entry: designs.CardEntry) -> Iterator[Text]:
    single = (*entry.when, *entry.lacks, entry.with_, entry.unless, entry.each, entry.counted)
    yield from (name for name in (*single, entry.track) if name is not None)
    yield from (*(entry.text or ()), *entry.dice, *entry.noted.values(), *entry.pictures.values())
    for names in (*entry.names.values(), *(entry.less or {}).values()):
        yield from names.of if isinstance(names, designs.JoinedTexts) else names
    yield from (rule.of for rule in entry.shapes.values())
    if entry.rings is not None:
        yield from (entry.rings.of, entry.rings.start, entry.rings.over)
    if entry.grid is not None:
        yield from (entry.grid.from_, entry.grid.down)
        yield from (entry.grid.least,) if entry.grid.least is not None else ()
    if entry.bars is not None:
        yield entry.bars.of


def _check_known(names: Iterable[str], known: Collection[str], message: str) -> Iterator[Finding]:
    for name in names:
        if name not in known:
            yield _no_such_name(name, f"{message} `{name}`", known)


def _no_such_name(name: str, message: str, known: Collection[str]) -> Finding:
    return templates.bad_design(name, message, suggestion(name, sorted(known)))


def product_stamp() -> str:
    """Return a digest of sheetgen itself: version, code, fonts, shared templates."""
    top = templates_folder()
    shared = sorted(path.name for path in top.iterdir() if path.name.startswith("_"))
    parts = [__version__, engine_version(), *(tree_digest(top / name) for name in shared)]
    parts.append(code_stamp())
    tokens = map(templates.load_theme_tokens, templates.theme_ids())
    files = {file for one in tokens for file in one.faces.values()}
    parts += [file_digest(find_font(file)) for file in sorted(files)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
