"""Files of designs under templates/: templates, style sheets, YAML, tokens, font files.

What loads them raises `DesignError`: a file is missing or a link, or a key or value in it is wrong.
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar

from sheetgen.data import templates_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding, Span
from sheetgen.diag.words import suggestion
from sheetgen.load.designs.fonts import FontFile, list_font_files
from sheetgen.load.files import read_text, record_reads
from sheetgen.load.shapes import Shaper
from sheetgen.load.yaml.tree import read_source
from sheetgen.model.designs import CardEntry, CardFile, SheetFile
from sheetgen.model.prints import Role, Shape, Tick, Tokens
from sheetgen.model.source import Node, Pairs, Text
from sheetgen.model.tokens import UNSAID, Drawing, TokensFile
from sheetgen.units import COUNTS, segments

M = TypeVar("M")

KIND_CARD: Final = "kind-card"  # the card of kinds that name none
SHARED: Final = "_shared"  # the folder of files that all designs share
CARDS: Final = "_cards"  # the folder of files that all cards share
EMBLEMS: Final = "_emblems"  # the folder of pictures of what cards are about
SCENES: Final = "_scenes"  # the folder of pictures over screens and on covers
# Folders of encounter pages, of drawn dice, and of screens.
ENCOUNTERS: Final = "_encounters"
DICE: Final = "_dice"
SCREENS: Final = "_screens"
SIGN_FOLDERS: Final = (DICE, "_actions", "_signs")  # folders of shapes that are signs
STANDARD: Final = "standard"  # the theme without changes
_TEXT_FILES: Final = (".j2", ".css")
_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
PATH: Final = re.compile(r"M(?=.*\d)[MLCZ0-9 .,-]*|")
_NUMBER: Final = r"\d{1,4}(\.\d{1,6})?"
# The words that some values under `css` may be.
CSS_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "corner": ("cut", "slant", "notch", "step", "round", "scoop", "hexagon", "square"),
    "rule": ("plain", "double", "taper", "broken", "bevel"),
    "titles": ("text", "display"),
}
# Values under `css` that the layout computes with: names, pattern, and description.
COMPUTED: Final = tuple(
    (re.compile(names), re.compile(form), description)
    for names, form, description in (
        (r"cut-.+", rf"{_NUMBER}pt\s+{_NUMBER}pt", "two lengths, `9pt 0.7pt`"),
        (r"(lattice|size|w)-.+|tick-.+-[wh]|odds-least", f"{_NUMBER}pt", "a length, `11pt`"),
        (r"column|init-box", f"{_NUMBER}mm", "a length, `11mm`"),
        (r"wide|(motif|drop|cap)-.+", _NUMBER, "a number"),
        *((key, "|".join(words), f"one of {', '.join(words)}") for key, words in CSS_WORDS.items()),
    )
)
_TEXTS: Final[Mapping[str, tuple[re.Pattern[str], str]]] = {
    "colours": (re.compile(r"#[0-9A-Fa-f]{6}"), 'a colour such as "#1A1A1A", in quotes'),
    "fonts": (re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\.(ttf|otf)"), "the name of a font file"),
    "letters": (re.compile(r"ascii|plain"), "`ascii` or `plain`"),
    "css": (re.compile(r"(?!.*(//|(?i:url)))[#A-Za-z0-9 .,%+*/()-]+"), "a plain value of CSS"),
}
_FACE: Final = re.compile(r"(text|figure|display)-[1-9]00i?")
DRAWINGS: Final = ("motif", "ornament")
ALIGNS: Final = ("left", "center", "right")
_PARTS: Final[Mapping[str, type[Any]]] = {"roles": Role, "shapes": Shape, "ticks": Tick}
EMBLEM: Final = "emblem-"  # beginning of shapes that faces and themes may add
MEASURES: Final = ("drop-", "cap-")  # beginnings of tokens that say where text in a font is placed
MOST_PATH: Final = 12_000  # the most characters that all paths of a drawing have
_MOST_FILES: Final = 200  # the most files that a design in a ruleset's folder has
Entries = dict[Text, Any]  # values by name. A name knows where a file writes it first.
# Follows the name of a paper in `rows`: the number of rows on a large-print sheet.
LARGE: Final = "-large"
_BRACES: Final = re.compile(r"\{(?!n\})[^}]*\}?")
"""Braces with anything but `n`, the only value that texts of a `card.yaml` can insert."""


def sheet_ids() -> tuple[str, ...]:
    """Return the ids of the shipped sheets, sorted."""
    return tuple(sorted(path.parent.name for path in templates_folder().glob("*/sheet.yaml")))


def theme_ids() -> tuple[str, ...]:
    """Return the ids of the shipped themes, sorted."""
    themes = templates_folder() / SHARED / "themes"
    return tuple(sorted(path.stem for path in themes.glob("*.yaml")))


def card_ids() -> tuple[str, ...]:
    """Return the ids of the shipped cards, sorted."""
    return tuple(sorted(path.parent.name for path in templates_folder().glob("*/card.yaml")))


def scene_ids() -> tuple[str, ...]:
    """Return the ids of the shipped scenes, sorted."""
    return tuple(sorted(path.stem for path in (templates_folder() / SCENES).glob("*.yaml")))


def load_scene(tokens: Tokens) -> Drawing:
    """Return the scene that the face of a game names: `scene` below `css`."""
    return load_design_file(f"{SCENES}/{tokens.css['scene']}.yaml", Drawing)


def load_template_texts(design: str, *more: str) -> dict[str, str]:
    """Return the templates and style sheets that `design` may use, by name.

    Names are those of `include`: `_shared/places.html.j2`, `<design>/sheet.html.j2`. Files
    of other designs are left out. Texts of a design in a ruleset's folder know their files.
    """
    top = templates_folder()
    texts = {
        path.relative_to(top).as_posix(): path.read_text(encoding="utf-8")
        for folder in (SHARED, *more, *(() if os.path.isabs(design) else (design,)))
        for path in sorted((top / folder).rglob("*"))
        if path.name.endswith(_TEXT_FILES) and os.path.isfile(path)
    }
    own = _design_path(design)
    top = own.parent
    for path in _list_own_files(own) if os.path.isabs(design) else ():
        if path.name.endswith(_TEXT_FILES):
            read = read_text(path)
            if read.value is None:
                raise DesignError(read.findings)
            name = path.relative_to(top).as_posix()
            texts[name] = Text(read.value[0], Span(str(path)))
    return texts


def _design_path(name: str) -> Path:
    """Return the path of a design's file; of one below the current folder relative to that."""
    path, here = templates_folder() / name, Path.cwd()
    below = os.path.isabs(name) and here in path.parents
    return path.relative_to(here) if below else path


def _refuse_link(path: Path) -> None:
    """Raise a DesignError if a file of an own design is a link: it may lead to any file."""
    if os.path.islink(path):
        message = "a design in a ruleset's folder cannot have links"
        hint = "copy the file into the design"
        raise DesignError((Finding(codes.BAD_DESIGN, Span(str(path)), message, hint),))


def _list_own_files(design: Path) -> list[Path]:
    """Return the files of a design in a ruleset's folder, sorted."""
    found: list[Path] = []
    for folder, below, names in os.walk(design):
        below.sort()
        for name in (*below, *sorted(names)):
            _refuse_link(Path(folder, name))
        found += (Path(folder, name) for name in sorted(names))
        if len(found) > _MOST_FILES:
            message = f"this design has more than {_MOST_FILES} files"
            hint = "leave only the design's own files in its folder"
            raise DesignError((Finding(codes.BAD_DESIGN, Span(str(design)), message, hint),))
    return found


def load_design_file(name: str, model: type[M]) -> M:
    """Return the YAML file `name` of the designs, such as `plain/sheet.yaml`, as a `model`."""
    what = str(_design_path(name)) if os.path.isabs(name) else name
    return parse_model(load_design_source(name), model, what)


def load_design_source(name: str) -> Pairs:
    """Return the mapping in the YAML file `name` of the designs."""
    path = _design_path(name)
    for one in (path, path.parent) if os.path.isabs(name) else ():
        _refuse_link(one)
    read = read_source(path)
    if read.findings or read.value is None or not isinstance(read.value.root, Pairs):
        raise DesignError(read.findings)
    return read.value.root


def parse_model(node: Node, model: type[M], what: str) -> M:
    """Return `node` as a `model`."""
    shaper = Shaper()
    value = shaper.read(node, model, what)
    raise_findings(shaper.findings)
    assert value is not None
    return value


def load_theme_tokens(
    theme: str, *designs: str, face: Sequence[TokensFile] = (), own: Sequence[TokensFile] = ()
) -> Tokens:
    """Return the tokens of `theme`: the shared ones, those of `designs`, the theme's changes.

    A design may have a `tokens.yaml` and a `themes/<theme>.yaml` of its own.

    Args:
        theme: An id of a shipped one.
        face: What the face of a game changes in the tokens of designs; themes change more.
        own: What an author's theme changes last.
    """
    folders = (SHARED, *designs)
    names = [f"{folder}/tokens.yaml" for folder in folders]
    themes = [f"{folder}/themes/{theme}.yaml" for folder in folders]
    return merge_tokens([*_load_token_files(names), *face], _load_token_files(themes), own)


@cache
def load_all_tokens() -> TokensFile:
    """Return the colours, fonts, roles, shapes, ticks and css of all designs, the shared first.

    The files are not among the reads of a print: they would be those of the first one in a process
    only, and what it takes from them is in the folder of its own design, or shared.
    """
    top = templates_folder()
    names = sorted(path.relative_to(top).as_posix() for path in top.glob("*/tokens.yaml"))
    with record_reads():
        files = _load_token_files(sorted(names, key=lambda name: not name.startswith(f"{SHARED}/")))
    merged: dict[str, Any] = {field.name: {} for field in fields(TokensFile)}
    for file in reversed(files):
        for part, entries in merged.items():
            entries |= getattr(file, part)
    return TokensFile(**merged)


def _load_token_files(names: Iterable[str]) -> list[TokensFile]:
    top = templates_folder()
    return [load_design_file(name, TokensFile) for name in names if os.path.isfile(top / name)]


def merge_tokens(
    files: Sequence[TokensFile], themes: Sequence[TokensFile] = (), own: Sequence[TokensFile] = ()
) -> Tokens:
    """Return the tokens of `files` and `themes` merged; a later file overrides an earlier one.

    An entry of roles, shapes or ticks is overridden field by field, so that a theme
    lists only what it changes.

    Args:
        themes: Merged after `files`. They may only change entries that exist.
        own: Merged last. Their entries that do not exist here are of other designs.
    """
    merged: dict[str, Entries] = {f.name: {} for f in dataclasses.fields(TokensFile)}
    del merged["drawings"]
    drawings: dict[str, Drawing] = {}
    findings: list[Finding] = []
    for number, file in enumerate((*files, *themes, *own)):
        for part, entries in merged.items():
            changes = getattr(file, part)
            if number >= len(files) + len(themes):
                drawn = any(name.startswith(EMBLEM) for name in entries)
                added = (*MEASURES, EMBLEM) if drawn else MEASURES
                known = (n for n in changes if n in entries or n.startswith(added))
                changes = {name: changes[name] for name in known}
            elif number >= len(files):
                for name in (name for name in changes if name not in entries):
                    message = f"`{part}` has no `{name}` that a theme could change"
                    findings.append(bad_design(name, message, suggestion(name, entries, part)))
            for name, value in changes.items():
                if dataclasses.is_dataclass(value):
                    pairs = ((f.name, getattr(value, f.name)) for f in fields(value))
                    said = {k: v for k, v in pairs if v is not None and v is not UNSAID}
                    value = {**entries.get(name, {}), **said}
                entries[name] = value
        drawings |= file.drawings
    shapes = merged["shapes"]
    alike = {name: values["like"] for name, values in shapes.items() if "like" in values}
    findings += report_unknown("like", alike.values(), shapes, "shapes")
    for name, like in alike.items():
        values = {**shapes.get(like, {}), **shapes[name]}
        shapes[name] = {key: value for key, value in values.items() if key != "like"}
    findings += _check_entries(merged)
    findings += _check_drawings(drawings, merged["colours"])
    raise_findings(findings)
    parts: dict[str, Any] = {part: dict(merged[part]) for part in _TEXTS}
    parts["faces"] = parts.pop("fonts")
    parts["drawings"] = drawings
    for part, model in _PARTS.items():
        parts[part] = {name: model(**values) for name, values in merged[part].items()}
    tokens = Tokens(**parts)
    scene = next((f.css["scene"] for f in (*files, *themes, *own)[::-1] if "scene" in f.css), None)
    if scene is not None and scene not in scene_ids():
        hint = suggestion(scene, scene_ids(), "scenes")
        raise_findings([bad_design(scene, f"there is no scene `{scene}`", hint)])
    raise_findings(_check_ticks(tokens, merged["ticks"]))
    return tokens


def missing_fonts(tokens: Tokens) -> tuple[Finding, ...]:
    """Return a finding for each face whose font file no font package contains."""
    installed = list_font_files()
    named = (file for file in tokens.faces.values() if not isinstance(file, FontFile))
    lacking = (file for file in named if file not in installed)
    said = ((file, f"no font package contains the font file `{file}`") for file in lacking)
    return tuple(bad_design(f, text, suggestion(f, installed, "font files")) for f, text in said)


def _check_drawings(drawings: Mapping[str, Drawing], colours: Entries) -> Iterator[Finding]:
    for name, drawing in drawings.items():
        if name not in DRAWINGS:
            yield bad_design(name, f"`drawings` has no `{name}`", "write `motif` or `ornament`")
        if len(drawing.box) != 2 or not all(side > 0 for side in drawing.box):
            yield bad_design(name, f"`drawings.{name}.box` has to be a width and a height")
        if sum(len(stroke.path) for stroke in drawing.paths) > MOST_PATH:
            message = f"`drawings.{name}` has more than {MOST_PATH} characters of paths"
            yield bad_design(name, message, "draw less: it is printed on each page")
        for stroke in drawing.paths:
            named = [colour for colour in (stroke.stroke, stroke.fill) if colour]
            yield from report_unknown(f"drawings.{name}", named, colours, "colours")
            if not PATH.fullmatch(stroke.path) or not _has_all_numbers(stroke.path):
                message = f"a path of `drawings.{name}` may have only M, L, C, Z and numbers"
                yield bad_design(stroke.path, message)


def _check_entries(merged: Mapping[str, Entries]) -> Iterator[Finding]:
    for entries in merged.values():
        for name in entries:
            if not _NAME.fullmatch(name):
                hint = "use lower-case words with hyphens"
                yield bad_design(name, f"`{name}` is not the name of a token", hint)
    for name in merged["fonts"]:
        if not _FACE.fullmatch(name):
            hint = "write the family and the weight: `text-400`, `figure-600`, `display-700`"
            yield bad_design(name, f"`{name}` is not the name of a font", hint)
    for part, (pattern, description) in _TEXTS.items():
        for name, value in merged[part].items():
            if not pattern.fullmatch(value):
                message = f"`{part}.{name}` cannot be `{value}`"
                yield bad_design(value, message, f"write {description}")
    yield from report_unknown("letters", merged["letters"], merged["fonts"], "fonts")
    for part, model in _PARTS.items():
        needed = [field.name for field in fields(model) if field.default is dataclasses.MISSING]
        for name, values in merged[part].items():
            for key in (key for key in needed if key not in values):
                yield bad_design(name, f"`{part}.{name}` needs a value for `{key}`")
    yield from _check_names(merged)
    for name, value in merged["css"].items():
        for names, form, description in COMPUTED:
            if names.fullmatch(name) and not form.fullmatch(value.strip()):
                yield bad_design(value, f"`css.{name}` cannot be `{value}`", f"write {description}")


def _check_names(merged: Mapping[str, Entries]) -> Iterator[Finding]:
    """Yield findings about names and values of roles, shapes and ticks."""
    known = (
        ("face", merged["fonts"], "fonts"),
        ("colour", merged["colours"], "colours"),
        ("align", ALIGNS, "known"),
    )
    for name, role in merged["roles"].items():
        for key, names, what in known:
            yield from report_unknown(f"roles.{name}.{key}", _list_set(role, key), names, what)
        if not 0 < role.get("least", 1) <= role.get("size", 1000):
            yield bad_design(name, f"`roles.{name}.least` has to be more than 0 and at most `size`")
    for name, shape in merged["shapes"].items():
        colours = _list_set(shape, "fill", "stroke")
        yield from report_unknown(f"shapes.{name}", colours, merged["colours"], "colours")
        if not PATH.fullmatch(path := shape.get("path", "")) or not _has_all_numbers(path):
            message = f"`shapes.{name}.path` may have only M, L, C, Z and pairs of numbers"
            yield bad_design(path, message)
    for name, tick in merged["ticks"].items():
        shapes = _list_set(tick, "frame", "on")
        yield from report_unknown(f"ticks.{name}", shapes, merged["shapes"], "shapes")


def _check_ticks(tokens: Tokens, ticks: Iterable[Text]) -> Iterator[Finding]:
    for name in ticks:
        for side in ("w", "h"):
            if f"tick-{name}-{side}" not in tokens.css:
                hint = f"write `tick-{name}-{side}: 11pt` under `css`"
                yield bad_design(name, f"`ticks.{name}` has no size", hint)
        also = tokens.css.get(f"tick-{name}-also", "")
        for shape in also.split():
            if shape not in tokens.shapes:
                message = f"`css.tick-{name}-also` names `{shape}`, which is not a shape"
                yield bad_design(also, message, suggestion(shape, tokens.shapes, "shapes"))


@lru_cache(maxsize=2000)  # each design and each theme reads the shared drawings again
def _has_all_numbers(path: str) -> bool:
    """Return whether each letter of a path is followed by as many numbers as it needs."""
    return all(len(numbers) == COUNTS[letter] for letter, numbers in segments(path))


def _list_set(values: Mapping[str, Any], *fields: str) -> list[str]:
    return [values[field] for field in fields if values.get(field)]


_NEEDS: Final = {
    "track": ("inside", "end", "beyond", "counts"),
    "counts": ("counted", "group"),
    "each": ("run", "over", "said"),
    "run": ("apart",),
    "names": ("less",),
    "beside": ("strong",),
    "strip": ("grows",),
}
"""Keys of a card's entry, and those that have no effect without them."""


def check_sheet_file(
    file: SheetFile, texts: Collection[str], papers: Collection[str]
) -> Iterator[Finding]:
    """Yield findings about a `sheet.yaml`; `texts` are the names of files that it may use."""
    themes = theme_ids()
    for what, entries in (("templates", file.templates), ("css", file.css)):
        yield from report_unknown(what, entries, themes, "themes")
        if STANDARD not in entries:
            message = f"`{what}` needs a value for `{STANDARD}`"
            yield Finding(codes.MISSING_KEY, span_of(next(iter(entries), file.title)), message)
    yield from report_unknown("css", file.css, file.templates, "templates")
    yield from report_unknown("templates", file.templates, file.css, "css")
    yield from report_unknown("pages", file.pages, file.templates, "templates")
    yield from report_unknown("templates", file.templates.values(), texts, "files")
    yield from report_unknown("continuation", [file.continuation], texts, "files")
    for styles in (*file.css.values(), file.screen):
        yield from report_unknown("css", styles, texts, "files")
    yield from _check_token_folders(file.tokens)
    yield from report_unknown("height", file.height, papers, "papers")
    yield from report_unknown("rows", file.rows, [*papers, *(p + LARGE for p in papers)], "known")
    yield from report_unknown("tighter", file.tighter, file.templates, "templates")
    drawn = sorted({str(name) for counts in file.rows.values() for name in counts})
    for step in (step for steps in file.tighter.values() for step in steps):
        yield from report_unknown("rows", step.rows, drawn, "rows")
    yield from report_unknown("flow", file.flow or (), file.templates, "templates")
    for name, measures in (file.flow or {}).items():
        yield from report_unknown("rooms", measures.rooms or (), papers, "papers")
        missing = [f.name for f in fields(measures) if getattr(measures, f.name) is None]
        for key in missing if name == STANDARD else ():
            message = f"`flow.{STANDARD}` needs a value for `{key}`"
            yield Finding(codes.MISSING_KEY, span_of(name), message)
        for paper in papers:
            if measures.rooms is not None and paper not in measures.rooms:
                message = f"`rooms` needs a value for `{paper}`"
                yield Finding(codes.MISSING_KEY, span_of(name), message)


def check_card_file(file: CardFile, texts: Collection[str], tokens: Tokens) -> Iterator[Finding]:
    """Yield findings about a `card.yaml`; `texts` are the names of files that it may use."""
    yield from report_unknown("css", file.css, texts, "files")
    yield from _check_token_folders(file.tokens)
    yield from report_unknown("sizes", file.sizes, file.modules, "sizes")
    strips, blocks = set(file.strips), set(file.texts)
    for changes in file.sizes.values():
        yield from report_unknown("strips", changes.strips, file.strips, "strips")
        yield from report_unknown("texts", changes.texts, file.texts, "texts")
        strips |= set(changes.adds)
    entries = list_card_entries(file)
    entries += [entry.over for entry in entries if entry.over is not None]
    yield from report_unknown("foot", [file.foot.strip], sorted(strips), "strips")
    steps = [*(file.steps or ()), *(s for c in file.sizes.values() for s in c.steps or ())]
    named = {step for entry in entries for step in entry.in_ or ()}
    for step in steps:
        stepped = any(name.endswith(f"-{step}") for name in strips | blocks)
        if step not in blocks and step not in named and not stepped:
            yield bad_design(step, f"no strip or text is made for the step `{step}`")
    forms = {name.removesuffix(f"-{step}") for name in strips | blocks for step in steps}
    known_strips, known_texts = sorted(strips | (forms - blocks)), sorted(blocks | forms)
    for entry in entries:
        yield from report_unknown("strip", _list_strips(entry), known_strips, "strips")
        yield from report_unknown("as", [entry.as_] if entry.as_ else (), known_texts, "texts")
        yield from report_unknown("in", entry.in_ or (), steps, "steps")
        yield from _check_entry(entry, file, tokens)
    used = {str(file.foot.strip), *(str(name) for e in entries for name in _list_strips(e))}
    used |= {f"{name}-{step}" for name in used for step in steps}
    for changes in file.sizes.values():
        yield from report_unknown("adds", changes.adds, sorted(used), "strips of `order`")


def list_card_entries(file: CardFile) -> list[CardEntry]:
    """Return the entries of `order`, and those of each size that has an `order` of its own."""
    orders = (file.order, *(c.order for c in file.sizes.values() if c.order is not None))
    return [entry for order in orders for entry in order]


def _check_entry(entry: CardEntry, file: CardFile, tokens: Tokens) -> Iterator[Finding]:
    place = next((t for t in (*_list_strips(entry), *(entry.text or ()), entry.beside) if t), None)
    place = place or file.title
    if not (entry.strip or entry.text or entry.beside):
        hint = "write `strip`, `text` or `beside`"
        yield bad_design(place, "this entry of `order` has no content", hint)
    for needed, key in ((needed, key) for needed, keys in _NEEDS.items() for key in keys):
        value = getattr(entry, key)
        if value and not getattr(entry, needed):
            at = value if isinstance(value, Text) else place
            yield bad_design(at, f"`{key}` has no effect without `{needed}`", f"add `{needed}`")
    if entry.counts and not (entry.counted and entry.group):
        yield bad_design(entry.counts, "`counts` needs values for `counted` and `group`")
    if entry.grid is not None and not entry.grid.words:
        yield bad_design(entry.grid.from_, "`grid` needs at least one word under `words`")
    fixed = [*entry.words.values(), *filter(None, (entry.inside, entry.end, entry.counted))]
    fixed += [rule.shape for rule in entry.shapes.values()]
    fixed += entry.grid.words if entry.grid is not None else ()
    for text in fixed:
        if wrong := _BRACES.search(text):
            message = f"`{wrong[0]}` is printed as it is: this text can insert `{{n}}` only"
            yield bad_design(text, message, "write `{n}`, or remove the braces")
    for name, rule in entry.shapes.items():
        chosen = {str(rule.shape).replace("{n}", str(n)) for n in range(rule.from_, rule.to + 1)}
        for shape in sorted(chosen | ({str(rule.else_)} if rule.else_ else set())):
            yield from _check_shape(f"shapes.{name}", shape, rule.shape, tokens)
    for name in entry.pictures:
        if not any(shape.startswith(f"{name}-") for shape in tokens.shapes):
            yield bad_design(name, f"no shape of the tokens is called `{name}-…`")
    if entry.bars is not None:
        yield from _check_shape("bars.steps", f"bar-{entry.bars.steps}", entry.bars.of, tokens)
    yield from report_unknown("run", (entry.run or {}).values(), tokens.roles, "roles")


def _check_shape(where: str, shape: str, at: str, tokens: Tokens) -> Iterator[Finding]:
    if shape not in tokens.shapes:
        message = f"`{where}` names the shape `{shape}`, which the tokens do not have"
        yield bad_design(at, message, suggestion(shape, tokens.shapes, "shapes"))


def _list_strips(entry: CardEntry) -> tuple[Text, ...]:
    first = entry.fill.first if entry.fill is not None else None
    more = (*entry.beyond, *((first,) if first is not None else ()))
    return (*(entry.strip or ()), *more, *entry.group)


def token_folders() -> list[str]:
    """Return the folders of shipped tokens."""
    return sorted(path.parent.name for path in templates_folder().glob("*/tokens.yaml"))


def _check_token_folders(names: Iterable[Text]) -> Iterator[Finding]:
    yield from report_unknown("tokens", names, token_folders(), "folders")


def bad_design(at: Any, message: str, hint: str = "") -> Finding:
    """Return a finding at the place of `at`, if that is a text from a file."""
    return Finding(codes.BAD_DESIGN, span_of(at), message, hint)


def span_of(value: Any) -> Span:
    """Return where `value` is written; the templates folder for what is in no file."""
    return value.span if isinstance(value, Text) else Span("templates")


def find_design_file(design: str, file: str) -> Path | None:
    """Return the file of a design, shipped or in a ruleset's folder, if there is one."""
    path = templates_folder() / design / file  # the path of an own design is absolute
    return path if os.path.isfile(path) else None


def design_error(at: str, message: str, known: Iterable[str]) -> DesignError:
    """Return the error for a name that is not among `known`."""
    return DesignError((bad_design(at, message, suggestion(at, known)),))


def raise_findings(findings: Iterable[Finding]) -> None:
    """Raise a DesignError if there are any findings."""
    if every := tuple(findings):
        raise DesignError(every)


def report_unknown(
    where: str, names: Iterable[str], known: Collection[str], what: str
) -> Iterator[Finding]:
    """Yield a finding for each of `names`, values of a key, that is none of those `known`."""
    for name in names:
        if name not in known:
            message = f"`{where}` names `{name}`, which does not exist"
            yield bad_design(name, message, suggestion(name, known, what))


def check_option(option: str, name: str, known: Collection[str]) -> Iterator[Finding]:
    """Yield a finding if the value `name` of a command-line option is not among `known`."""
    if name not in known:
        hint = suggestion(name, known, f"{option}s")
        message = f"there is no {option} `{name}`"
        yield Finding(codes.UNKNOWN_DESIGN, Span(f"--{option}"), message, hint)
