"""Tokens of a theme: merge the YAML files of designs and themes, and check the result.

Values end in style sheets and in PDF unquoted, so each must match a pattern.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.load.designs.faults import bad_design, raise_findings, report_unknown
from sheetgen.load.designs.fonts import FontFile, list_font_files
from sheetgen.model.designs.drawings import Drawing
from sheetgen.model.designs.token_files import UNSAID, TokensFile
from sheetgen.model.prints import Role, Shape, Tick, Tokens
from sheetgen.model.source import Text
from sheetgen.units.paths import COUNTS, segments

CORNERS: Final = ("cut", "slant", "notch", "step", "round", "scoop", "hexagon", "square")
RULES: Final = ("plain", "double", "taper", "broken", "bevel")
"""Shapes of the corners of plates, and of the line above a title."""

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PATH: Final = re.compile(r"M(?=.*\d)[MLCZ0-9 .,-]*|")
_NUMBER: Final = r"\d{1,4}(\.\d{1,6})?"
CSS_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "corner": tuple(CORNERS),
    "rule": tuple(RULES),
    "titles": ("text", "display"),
}
"""The words that some values under `css` may be."""

_COMPUTED: Final = tuple(
    (re.compile(names), re.compile(form), description)
    for names, form, description in (
        (r"cut-.+", rf"{_NUMBER}pt\s+{_NUMBER}pt", "two lengths, `9pt 0.7pt`"),
        (r"(lattice|size|w)-.+|tick-.+-[wh]|odds-least", f"{_NUMBER}pt", "a length, `11pt`"),
        (r"column|init-box", f"{_NUMBER}mm", "a length, `11mm`"),
        (r"wide|(motif|drop|cap)-.+", _NUMBER, "a number"),
        *(
            (name, "|".join(words), f"one of {', '.join(words)}")
            for name, words in CSS_WORDS.items()
        ),
    )
)
"""Values under `css` that the layout computes with: names, pattern, and description."""

_TEXTS: Final[Mapping[str, tuple[re.Pattern[str], str]]] = {
    "colours": (re.compile(r"#[0-9A-Fa-f]{6}"), 'a colour such as "#1A1A1A", in quotes'),
    "fonts": (re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\.(ttf|otf)"), "the name of a font file"),
    "letters": (re.compile(r"ascii|plain"), "`ascii` or `plain`"),
    "css": (re.compile(r"(?!.*(//|(?i:url)))[#A-Za-z0-9 .,%+*/()-]+"), "a plain value of CSS"),
}
_FACE: Final = re.compile(r"(text|figure|display)-[1-9]00i?")
_ALIGNS: Final = ("left", "center", "right")
_PARTS: Final[Mapping[str, type[Any]]] = {"roles": Role, "shapes": Shape, "ticks": Tick}

MEASURES: Final = ("drop-", "cap-")
"""Beginnings of tokens that say where text in a font is placed."""

MOST_PATH: Final = 12_000
"""The most characters that all paths of a drawing have."""

Entries = dict[Text, Any]
"""Values by name. A name knows where a file writes it first."""


def merge_tokens(
    files: Sequence[TokensFile], themes: Sequence[TokensFile] = (), own: Sequence[TokensFile] = ()
) -> Tokens:
    """Return the tokens of `files` and `themes` merged; a later file overrides an earlier one.

    An entry of roles, shapes or ticks is overridden field by field, so that a theme
    lists only what it changes.

    Args:
        themes: Merged after `files`. They may only change entries that exist.
        own: Merged last. Their entries that do not exist here are of other designs.

    Raises:
        DesignError: A name or value is wrong.
    """
    merged: dict[str, Entries] = {f.name: {} for f in dataclasses.fields(TokensFile)}
    del merged["drawings"]
    drawings: dict[str, Drawing] = {}
    findings: list[Finding] = []
    for number, file in enumerate((*files, *themes, *own)):
        for part, entries in merged.items():
            changes = getattr(file, part)
            if number >= len(files) + len(themes):
                changes = {name: changes[name] for name in changes if _is_known(name, entries)}
            elif number >= len(files):
                findings += _check_changes(part, changes, entries)
            _merge(entries, changes)
        drawings |= file.drawings
    findings += _check_entries(merged)
    findings += _check_drawings(drawings, merged["colours"])
    raise_findings(findings)
    parts: dict[str, Any] = {part: dict(merged[part]) for part in _TEXTS}
    parts["faces"] = parts.pop("fonts")
    parts["drawings"] = drawings
    for part, model in _PARTS.items():
        parts[part] = {name: model(**values) for name, values in merged[part].items()}
    tokens = Tokens(**parts)
    raise_findings(_check_ticks(tokens, merged["ticks"]))
    return tokens


def missing_fonts(tokens: Tokens) -> tuple[Finding, ...]:
    """Return a finding for each face whose font file no font package contains."""
    installed = list_font_files()
    return tuple(
        bad_design(
            file,
            f"no font package contains the font file `{file}`",
            suggestion(file, installed, "font files"),
        )
        for file in tokens.faces.values()
        if not isinstance(file, FontFile) and file not in installed
    )


def _check_drawings(drawings: Mapping[str, Drawing], colours: Entries) -> Iterator[Finding]:
    for name, drawing in drawings.items():
        if name not in ("motif", "ornament"):
            yield bad_design(name, f"`drawings` has no `{name}`", "write `motif` or `ornament`")
        if len(drawing.box) != 2 or not all(side > 0 for side in drawing.box):
            yield bad_design(name, f"`drawings.{name}.box` has to be a width and a height")
        if sum(len(stroke.path) for stroke in drawing.paths) > MOST_PATH:
            message = f"`drawings.{name}` has more than {MOST_PATH} characters of paths"
            yield bad_design(name, message, "draw less: it is printed on each page")
        for stroke in drawing.paths:
            named = [colour for colour in (stroke.stroke, stroke.fill) if colour]
            yield from report_unknown(f"drawings.{name}", named, colours, "colours")
            if not _PATH.fullmatch(stroke.path) or not _has_all_numbers(stroke.path):
                message = f"a path of `drawings.{name}` may have only M, L, C, Z and numbers"
                yield bad_design(stroke.path, message)


def _merge(entries: Entries, changes: Mapping[Text, Any]) -> None:
    for name, value in changes.items():
        if dataclasses.is_dataclass(value):
            pairs = ((f.name, getattr(value, f.name)) for f in dataclasses.fields(value))
            fields = {key: item for key, item in pairs if item is not None and item is not UNSAID}
            value = {**entries.get(name, {}), **fields}
        entries[name] = value


def _is_known(name: str, entries: Entries) -> bool:
    return name in entries or name.startswith(MEASURES)


def _check_changes(part: str, changes: Iterable[Text], entries: Entries) -> Iterator[Finding]:
    for name in changes:
        if name not in entries:
            message = f"`{part}` has no `{name}` that a theme could change"
            yield bad_design(name, message, suggestion(name, entries, part))


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
                yield bad_design(
                    value, f"`{part}.{name}` cannot be `{value}`", f"write {description}"
                )
    yield from report_unknown("letters", merged["letters"], merged["fonts"], "fonts")
    yield from _check_missing(merged)
    yield from _check_roles(merged)
    yield from _check_shapes(merged)
    yield from _check_css(merged["css"])


def _check_missing(merged: Mapping[str, Entries]) -> Iterator[Finding]:
    for part, model in _PARTS.items():
        for name, values in merged[part].items():
            for field in dataclasses.fields(model):
                if field.default is dataclasses.MISSING and field.name not in values:
                    yield bad_design(name, f"`{part}.{name}` needs a value for `{field.name}`")


def _check_css(css: Entries) -> Iterator[Finding]:
    for name, value in css.items():
        for names, form, description in _COMPUTED:
            if names.fullmatch(name) and not form.fullmatch(value.strip()):
                yield bad_design(value, f"`css.{name}` cannot be `{value}`", f"write {description}")


def _check_roles(merged: Mapping[str, Entries]) -> Iterator[Finding]:
    known = {"face": merged["fonts"], "colour": merged["colours"], "align": _ALIGNS}
    for name, role in merged["roles"].items():
        for field, names in known.items():
            what = {"face": "fonts", "colour": "colours"}.get(field, "known")
            yield from report_unknown(f"roles.{name}.{field}", _list_set(role, field), names, what)
        if not 0 < role.get("least", 1) <= role.get("size", 1000):
            yield bad_design(name, f"`roles.{name}.least` has to be more than 0 and at most `size`")


def _check_shapes(merged: Mapping[str, Entries]) -> Iterator[Finding]:
    for name, shape in merged["shapes"].items():
        colours = _list_set(shape, "fill", "stroke")
        yield from report_unknown(f"shapes.{name}", colours, merged["colours"], "colours")
        if not _PATH.fullmatch(path := shape.get("path", "")) or not _has_all_numbers(path):
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


def _has_all_numbers(path: str) -> bool:
    """Return whether each letter of a path is followed by as many numbers as it needs."""
    return all(len(numbers) == COUNTS[letter] for letter, numbers in segments(path))


def _list_set(values: Mapping[str, Any], *fields: str) -> list[str]:
    return [values[field] for field in fields if values.get(field)]
