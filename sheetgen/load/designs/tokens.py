"""Tokens of a theme: what its YAML files hold, laid together and checked.

Values end in style sheets and in PDF, so they are matched against patterns and never quoted.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.designs.fonts import list_font_files
from sheetgen.model.designs.token_files import UNSAID, TokensFile
from sheetgen.model.prints import Role, Shape, Tick, Tokens
from sheetgen.model.source import Text

_NAME: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PATH: Final = re.compile(r"M(?=.*\d)[MLCZ0-9 .,-]*|")
_NUMBER: Final = r"\d{1,4}(\.\d{1,6})?"
_COMPUTED: Final = tuple(
    (re.compile(names), re.compile(form), wanted)
    for names, form, wanted in (
        (r"cut-.+", rf"{_NUMBER}pt\s+{_NUMBER}pt", "two lengths, `9pt 0.7pt`"),
        (r"(lattice|size|w)-.+|tick-.+-[wh]|odds-least", f"{_NUMBER}pt", "a length, `11pt`"),
        (r"column|init-box", f"{_NUMBER}mm", "a length, `11mm`"),
        (r"wide", _NUMBER, "a number"),
    )
)
"""Names of values that code computes with, their form, and the form in words."""

_TEXTS: Final[Mapping[str, tuple[re.Pattern[str], str]]] = {
    "colours": (re.compile(r"#[0-9A-Fa-f]{6}"), 'a colour such as "#1A1A1A", in quotes'),
    "faces": (re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\.(ttf|otf)"), "the name of a font file"),
    "letters": (re.compile(r"ascii|plain"), "`ascii` or `plain`"),
    "css": (re.compile(r"[#A-Za-z0-9 .,%+*/()-]+"), "a length or another plain value of CSS"),
}
_FACE: Final = re.compile(r"(text|figure)-[1-9]00i?")
_ALIGNS: Final = ("left", "center", "right")
_PARTS: Final[Mapping[str, type[Any]]] = {"roles": Role, "shapes": Shape, "ticks": Tick}

Entries = dict[Text, Any]
"""Values by name; a name knows where the file says it first."""


def merge_tokens(files: Sequence[TokensFile], themes: Sequence[TokensFile] = ()) -> Tokens:
    """Return the tokens that `files` say together; a later one overrides an earlier.

    An entry of roles, shapes or ticks is overridden field by field, so that a theme
    says no more than what it changes.

    Args:
        themes: They come last, and may only change what is there.

    Raises:
        DesignError: A name or value is not what it should be.
    """
    laid: dict[str, Entries] = {f.name: {} for f in dataclasses.fields(TokensFile)}
    wrong: list[Finding] = []
    for file in files:
        for part in laid:
            _lay(laid[part], getattr(file, part))
    for theme in themes:
        for part in laid:
            wrong += _unknown(part, getattr(theme, part), laid[part])
            _lay(laid[part], getattr(theme, part))
    wrong += _wrong(laid)
    if not wrong:
        made: dict[str, Any] = {part: dict(laid[part]) for part in _TEXTS}
        for part, model in _PARTS.items():
            made[part] = {name: model(**said) for name, said in laid[part].items()}
        tokens = Tokens(**made)
        wrong += _of_ticks(tokens, laid["ticks"])
    if wrong:
        raise DesignError(tuple(wrong))
    return tokens


def missing_fonts(tokens: Tokens) -> tuple[Finding, ...]:
    """Return a finding for each face whose font file none of the font packages holds."""
    there = list_font_files()
    return tuple(
        Finding(
            codes.BAD_DESIGN,
            _span(file),
            f"no font package holds the font file `{file}`",
            suggestion(file, there, "font files"),
        )
        for file in tokens.faces.values()
        if file not in there
    )


def _lay(laid: Entries, said: Mapping[Text, Any]) -> None:
    for name, value in said.items():
        if dataclasses.is_dataclass(value):
            value = {**laid.get(name, {}), **_fields(value)}
        laid[name] = value


def _fields(value: Any) -> dict[str, Any]:
    pairs = ((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))
    return {name: said for name, said in pairs if said is not None and said is not UNSAID}


def _unknown(part: str, said: Iterable[Text], laid: Entries) -> Iterator[Finding]:
    """Yield a finding for each entry of a theme that changes nothing."""
    for name in said:
        if name not in laid:
            message = f"there is no `{name}` in `{part}` that a theme could change"
            yield _finding(name, message, suggestion(name, laid, part))


def _wrong(laid: Mapping[str, Entries]) -> Iterator[Finding]:
    """Yield a finding for each name or value that is not what it should be."""
    for entries in laid.values():
        for name in entries:
            if not _NAME.fullmatch(name):
                hint = "use lower-case words with hyphens"
                yield _finding(name, f"`{name}` is no name of a token", hint)
    for part, (pattern, what) in _TEXTS.items():
        for name, value in laid[part].items():
            if not pattern.fullmatch(value):
                yield _finding(value, f"`{part}.{name}` has to be {what}")
    for name in laid["faces"]:
        if not _FACE.fullmatch(name):
            hint = "write the family and the weight: `text-400`, `figure-600`, `text-400i`"
            yield _finding(name, f"`{name}` is no name of a face", hint)
    yield from _named("letters", laid["letters"], laid["faces"], "faces")
    yield from _lacking(laid)
    yield from _roles(laid)
    yield from _shapes(laid)
    yield from _lengths(laid["css"])


def _lacking(laid: Mapping[str, Entries]) -> Iterator[Finding]:
    for part, model in _PARTS.items():
        for name, said in laid[part].items():
            for field in dataclasses.fields(model):
                if field.default is dataclasses.MISSING and field.name not in said:
                    yield _finding(name, f"`{part}.{name}` needs a value for `{field.name}`")


def _roles(laid: Mapping[str, Entries]) -> Iterator[Finding]:
    for name, role in laid["roles"].items():
        where = f"roles.{name}"
        yield from _named(f"{where}.face", _some(role, "face"), laid["faces"], "faces")
        yield from _named(f"{where}.colour", _some(role, "colour"), laid["colours"], "colours")
        yield from _named(f"{where}.align", _some(role, "align"), _ALIGNS, "known")
        if not 0 < role.get("least", 1) <= role.get("size", 1000):
            yield _finding(name, f"`{where}.least` has to be more than 0 and at most `size`")


def _shapes(laid: Mapping[str, Entries]) -> Iterator[Finding]:
    for name, shape in laid["shapes"].items():
        colours = [*_some(shape, "fill"), *_some(shape, "stroke")]
        yield from _named(f"shapes.{name}", colours, laid["colours"], "colours")
        if not _PATH.fullmatch(path := shape.get("path", "")) or not _even(path):
            message = f"`shapes.{name}.path` may hold only M, L, C, Z and pairs of numbers"
            yield _finding(path, message)
    for name, tick in laid["ticks"].items():
        shapes = [*_some(tick, "frame"), *_some(tick, "on")]
        yield from _named(f"ticks.{name}", shapes, laid["shapes"], "shapes")


def _lengths(css: Entries) -> Iterator[Finding]:
    """Yield a finding for each value that code computes with, and cannot."""
    for name, value in css.items():
        for names, form, wanted in _COMPUTED:
            if names.fullmatch(name) and not form.fullmatch(value.strip()):
                yield _finding(value, f"`css.{name}` has to be {wanted}")


def _of_ticks(tokens: Tokens, ticks: Iterable[Text]) -> Iterator[Finding]:
    """Yield a finding for each tick style without a size, and for shapes that are not there."""
    for name in ticks:
        for side in ("w", "h"):
            if f"tick-{name}-{side}" not in tokens.css:
                hint = f"write `tick-{name}-{side}: 11pt` under `css`"
                yield _finding(name, f"`ticks.{name}` has no size", hint)
        also = tokens.css.get(f"tick-{name}-also", "")
        for shape in also.split():
            if shape not in tokens.shapes:
                message = f"`css.tick-{name}-also` names `{shape}`, which is no shape"
                yield _finding(also, message, suggestion(shape, tokens.shapes, "shapes"))


def _even(path: str) -> bool:
    """Whether each letter of a path has as many numbers as it draws with."""
    for letter, numbers in re.findall(r"([MLCZ])([^MLCZ]*)", path):
        count = len(re.findall(r"-?\d+(?:\.\d+)?", numbers))
        wanted = {"M": 2, "L": 2, "C": 6, "Z": 0}[letter]
        if count != wanted if wanted == 0 else count == 0 or count % wanted:
            return False
    return True


def _some(said: Mapping[str, Any], field: str) -> list[str]:
    return [said[field]] if said.get(field) else []


def _named(where: str, names: Iterable[str], known: Iterable[str], what: str) -> Iterator[Finding]:
    for name in names:
        if name not in known:
            message = f"`{where}` names `{name}`, which is not there"
            yield _finding(name, message, suggestion(name, known, what))


def _finding(at: str, message: str, hint: str = "") -> Finding:
    return Finding(codes.BAD_DESIGN, _span(at), message, hint)


def _span(text: str) -> Span:
    return text.span if isinstance(text, Text) else Span("templates")
