"""Sanitise SVG: keep shapes and colours; drop scripts, links, texts, metadata and all unknown.

Texts are dropped because they would be set in fonts of the machine that prints. What is kept is
written anew from lists of what is allowed. Nothing of the file is copied as it is, and no
reference leads out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from sheetgen.diag import codes
from sheetgen.model.pictures import PictureError
from sheetgen.records import frozen

_NAMESPACE: Final = "http://www.w3.org/2000/svg"
_LINK: Final = "http://www.w3.org/1999/xlink href"
_DEPTH: Final = 64
_ELEMENTS: Final = 20_000
# Most elements, with those that references draw again.
_DRAWN: Final = 100_000
_ENTITY, _ENTITY_USES = 200, 2000  # most letters of an entity, and most places that may use one
_MOST_BYTES: Final = 5_000_000
_LONGEST_SIDE: Final = 20_000.0

_SHAPES: Final = "path rect circle ellipse line polyline polygon"
_GROUPS: Final = "svg g defs symbol use clipPath mask pattern marker a switch style"
_GRADIENTS: Final = "linearGradient radialGradient stop"
_ALLOWED: Final = frozenset(f"{_SHAPES} {_GROUPS} {_GRADIENTS}".split())
_AS_GROUP: Final = ("a", "switch")
_SILENT: Final = frozenset(("title", "desc", "metadata"))
_TEXTS: Final = ("text", "tspan", "flowRoot")

_ERRORS: Final = expat.errors
_CUT_OFF: Final = (_ERRORS.XML_ERROR_UNCLOSED_TOKEN, _ERRORS.XML_ERROR_NO_ELEMENTS)

_ATTRIBUTE: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9-]{0,40}")
_REFUSED: Final = re.compile(r"on.*|href|src|style|data-.*|xmlns.*|filter|cursor", re.IGNORECASE)
_LOCAL: Final = re.compile(r"\s*#([\w.:-]{1,100})\s*")
# Repeats are bounded or possessive: an attribute may have megabytes.
_URL: Final = re.compile(
    r"url\(\s*+(?:\"([^\"]{0,200}+)\"|'([^']{0,200}+)'|([^\s\"'()]{0,200}+))\s*+\)", re.IGNORECASE
)
_RISKY: Final = re.compile(r"\\|@|</|expression|javascript|behavior|-moz-binding", re.IGNORECASE)
_LENGTH: Final = re.compile(
    r"\s*([0-9]{0,20}\.?[0-9]{1,20}(?:e[+-]?[0-9]{1,2})?)\s*(px|pt|pc|mm|cm|in)?\s*"
)
_PIXELS: Final = {"": 1, "px": 1, "pt": 4 / 3, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96}
_DEFAULT: Final = (300.0, 150.0)


@frozen
class CleanSvg:
    """A sanitised drawing."""

    # width, height: In CSS pixels.
    width: float
    height: float
    content: bytes
    dropped: tuple[str, ...]  # What was dropped, in words.
    has_text: bool  # Whether text was dropped, too.


@dataclass(slots=True)
class _Element:
    name: str
    attributes: dict[str, str]
    refs: list[str]
    parts: list[Any] = field(default_factory=list)


def sanitise_svg(data: bytes) -> CleanSvg:
    """Return a drawing of what is on the lists of this module; raises PictureError: it is none."""
    if len(data) > _MOST_BYTES:
        raise _unsafe("is a drawing of more than 5 MB", codes.LARGE_PICTURE)
    reader = _SvgReader()
    try:
        reader.parse(data)
    except expat.ExpatError as error:
        reason = _ERRORS.messages.get(error.code, "it is damaged")
        message = "breaks off before its end" if reason in _CUT_OFF else f"cannot be read: {reason}"
        raise PictureError(codes.DAMAGED_PICTURE, message, "export the drawing again") from None
    except PictureError:
        raise
    except (ValueError, LookupError):  # of a codec of Python's, which expat asks
        reason, hint = "is in an encoding that is not read", "save the drawing as UTF-8"
        raise PictureError(codes.DAMAGED_PICTURE, reason, hint) from None
    root = reader.root
    if root is None or root.name != "svg":
        raise PictureError(codes.NOT_A_PICTURE, "is not a drawing", "export it as SVG again")
    _check_references(root, reader.dropped)
    width, height = _size(root)
    box = root.attributes.get("viewBox") or f"0 0 {width:g} {height:g}"
    sides = {"width": f"{width:g}", "height": f"{height:g}", "viewBox": box}
    root.attributes = {"xmlns": _NAMESPACE, **root.attributes, **sides}
    content = "".join(_written(root)).encode()
    return CleanSvg(width, height, content, tuple(sorted(reader.dropped)), reader.has_text)


def _unsafe(message: str, code: Any = codes.UNSAFE_DRAWING) -> PictureError:
    return PictureError(code, message, "simplify the drawing, or export it as PNG")


class _SvgReader:
    """Builds the tree of what is kept; the parser opens nothing, and expands short texts only."""

    def __init__(self) -> None:
        self.root: _Element | None = None
        self.dropped: set[str] = set()
        self.has_text = False
        self._open: list[_Element] = []
        self._skipped = self._count = 0

    def parse(self, data: bytes) -> None:
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.EntityDeclHandler = partial(self._entity, data.count(b"&"))
        parser.AttlistDeclHandler = self._default
        parser.Parse(data, True)

    def _entity(
        self, uses: int, _: str, parameter: bool, value: str | None, *more: str | None
    ) -> None:
        """Refuse entities but short texts: Illustrator names its namespaces in this way."""
        short = value is not None and len(value) <= _ENTITY and "&" not in value
        if parameter or not short or uses > _ENTITY_USES:
            raise _unsafe("defines entities, which are not read")

    def _default(self, _: str, name: str, kind: str, value: str | None, required: int) -> None:
        """Refuse default values of attributes: each element of the name would hold a copy."""
        if value is not None:
            raise _unsafe("defines default values of attributes, which are not read")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, local = name.rpartition(" ")
        self._count += 1
        if self._count > _ELEMENTS:
            raise _unsafe(f"has more than {_ELEMENTS:,} elements")
        if len(self._open) + self._skipped > _DEPTH:
            raise _unsafe(f"is nested more than {_DEPTH} levels deep")
        if self._skipped or space not in ("", _NAMESPACE) or local not in _ALLOWED:
            known = not self._skipped and space in ("", _NAMESPACE) and local not in _SILENT
            if known and local in _TEXTS:
                self.has_text = True
            elif known:
                self.dropped.add(f"`{local[:30]}`")
            self._skipped += 1
            return
        element = _Element("g" if local in _AS_GROUP else local, {}, [])
        for name, value in attributes.items():
            if name in ("href", _LINK):
                if (match := _LOCAL.fullmatch(value)) and local not in _AS_GROUP:
                    element.attributes["href"] = f"#{match[1]}"
                    element.refs.append(match[1])
                elif local not in _AS_GROUP:
                    self.dropped.add("a link to another file")
            elif name == "style":
                kept = [part for part in value.split(";") if self._harmless(part, element)]
                element.attributes["style"] = ";".join(kept)
            elif _REFUSED.fullmatch(name):
                if name.lower().startswith("on"):
                    self.dropped.add("an event handler")
            elif _ATTRIBUTE.fullmatch(name) and self._harmless(value, element):
                element.attributes[name] = value
        if self._open:
            self._open[-1].parts.append(element)
        else:
            self.root = element
        self._open.append(element)

    def _harmless(self, value: str, element: _Element) -> bool:
        """Whether a value leads nowhere but to other parts of the drawing, which are noted."""
        if _RISKY.search(value) or "filter" in value:
            self.dropped.add("a style that is not allowed")
            return False
        for match in _URL.finditer(value):
            if (local := _LOCAL.fullmatch(match[1] or match[2] or match[3] or "")) is None:
                self.dropped.add("a link to another file")
                return False
            element.refs.append(local[1])
        rest = _URL.sub("", value).lower()
        if leads_out := any(part in rest for part in ("url(", "://", "data:")):
            self.dropped.add("a link to another file")
        return not leads_out

    def _end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        element = self._open.pop()
        if element.name == "style":
            rules = "".join(part for part in element.parts if isinstance(part, str))
            element.parts = [rules] if self._harmless(rules, element) else []

    def _text(self, text: str) -> None:
        if not self._skipped and self._open:
            self._open[-1].parts.append(text)


def _check_references(root: _Element, dropped: set[str]) -> None:
    """Check how much is drawn if all references are followed.

    A style sheet may style any element, so it may only refer to gradients, which draw nothing.
    """
    known: dict[str, _Element] = {}
    every = [root]
    for one in every:
        known.setdefault(one.attributes.get("id", ""), one)
        every += [part for part in one.parts if isinstance(part, _Element)]
    for one in every:
        named = [known[ref].name for ref in one.refs if ref in known]
        if one.name == "style" and not all(name.endswith("Gradient") for name in named):
            one.parts, one.refs = [], []
            dropped.add("a style that is not allowed")
    counts: dict[int, int] = {}
    busy: set[int] = set()

    def count(element: _Element, depth: int) -> int:
        if id(element) in counts:
            return counts[id(element)]
        if id(element) in busy or depth > 4 * _DEPTH:
            raise _unsafe("refers to itself")
        busy.add(id(element))
        inner = [part for part in element.parts if isinstance(part, _Element)]
        inner += [known[ref] for ref in element.refs if ref in known]
        total = 1 + sum(count(one, depth + 1) for one in inner)
        busy.discard(id(element))
        if total > _DRAWN:
            raise _unsafe(f"draws more than {_DRAWN:,} elements")
        counts[id(element)] = total
        return total

    count(root, 0)


def _size(root: _Element) -> tuple[float, float]:
    """Return width and height in CSS pixels, from the attributes or the box of coordinates."""
    texts = root.attributes.get("viewBox", "").replace(",", " ").split()
    try:
        box: tuple[float, ...] = tuple(map(float, texts))
    except ValueError:
        box = ()
    if len(box) != 4 or not all(1e-3 < side < 1e6 for side in box[2:]):
        root.attributes.pop("viewBox", None)
        box = (0, 0, *_DEFAULT)
    found = [_LENGTH.fullmatch(root.attributes.get(side, "")) for side in ("width", "height")]
    width, height = (min(float(m[1]) * _PIXELS[m[2] or ""], 1e6) if m else 0.0 for m in found)
    ratio = box[3] / box[2]
    if width or height:
        width, height = width or height / ratio, height or width * ratio
    else:
        width, height = box[2], box[3]
    shrink = min(1.0, _LONGEST_SIDE / max(width, height))
    return max(width * shrink, 0.01), max(height * shrink, 0.01)


def _written(element: _Element) -> Iterator[str]:
    attributes = "".join(f" {name}={quoteattr(v)}" for name, v in element.attributes.items())
    yield f"<{element.name}{attributes}>"
    for part in element.parts:
        if isinstance(part, str):
            yield escape(part)
        else:
            yield from _written(part)
    yield f"</{element.name}>"
