"""Read nodes as frozen models: the fields of a dataclass are the keys of the YAML.

Every unknown or missing key and every wrong value is a finding at its place; one pass finds all
of a file. A trailing `_` of a field's name is not part of the key.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Hint, Severity
from sheetgen.diag.words import nearest, suggestion
from sheetgen.model import source
from sheetgen.model.build import parse_code
from sheetgen.model.source import DesignNumber, Formula, Many, Node, Pairs, Range, ScalarNode, Text
from sheetgen.records import frozen

M = TypeVar("M")

MOST_NUMBER: Final = 1000  # the largest number of a design
_BAD: Any = object()  # stands for a value that was refused; its finding exists already


# The hint for a key that is the rest of a value.
_TORN: Final = "inside {…} a comma ends a value: put a text or formula that has one in quotes"
_NOTHING = ("", "~", "null", "none")
# Keys of texts that show YAML, or that repeat the author's name of the game.
_WITH_BRACES = ("example", "hint", "inside", "long", "short", "title")
# Other words for true and false.
_CLAIMS: Final = {"true": ("yes", "on", "1", "true"), "false": ("no", "off", "0", "false")}
Keys = tuple[str, ...]  # the keys from the root of a tree to a node


class Shaper:
    """Reads models and collects findings."""

    def __init__(self, *, pips: bool = False, formulas: bool = False) -> None:
        self.findings: list[Finding] = []
        self.pips = pips  # whether dice codes have pips
        self.formulas = formulas  # whether some texts take them: braces in others are a mistake

    def read(self, node: Node, model: type[M], what: str = "this") -> M | None:
        """Return `node` as a `model`, or None if any value in it is refused."""
        value = self.value(node, model, what)
        return None if value is _BAD else value

    def value(self, node: Node, kind: Any, what: str) -> Any:
        """Return `node` as a value of the annotation `kind`."""
        return _reader(kind)(self, node, what)

    def refuse(self, node: Node, expected: str, what: str, hint: str = "") -> Any:
        """Add the finding that the value of `what` has to be `expected`."""
        message = f"`{what}` has to be {expected}"
        if what.count(")") != what.count("("):
            hint = _TORN
        elif isinstance(node, ScalarNode) and not node.quoted and not node.raw:
            hint = "write a value here; one that begins with `#` needs quotes, or it is a comment"
        self.findings.append(Finding(codes.WRONG_TYPE, node.span, message, hint))
        return _BAD

    def model(self, node: Node, model: Any, what: str) -> Any:
        """Return a mapping as the dataclass `model`."""
        short = getattr(model, "SHORT", "")  # the key of a value without keys
        if short and isinstance(node, ScalarNode):
            node = Pairs(node.span, ((ScalarNode(node.span, short, short), node),))
        if not isinstance(node, Pairs):
            return self.refuse(node, f"{'text or ' * bool(short)}a mapping, `key: value`", what)
        known = model_fields(model)
        values: dict[str, Any] = {}
        for key, below in node.entries:
            if (spec := known.get(key.raw)) is None:
                self.unknown(key, below, model, what)
            else:
                value = self.value(below, spec.kind, key.raw)
                if spec.within:
                    values.setdefault(spec.within, {})[key.raw] = value
                else:
                    values[spec.name] = value
        lacking = [k for k, s in known.items() if s.needed and s.name not in values]
        odd = [nearest(key.raw, known) for key, _ in node.entries if key.raw not in known]
        for name in (name for name in lacking if name not in odd):
            message = f"`{what}` needs a value for `{name}`"
            hint = f"write `{name}: …`"
            self.findings.append(Finding(codes.MISSING_KEY, node.span, message, hint))
        opened = values.get(getattr(model, "OPEN", ("",))[0], {})
        if lacking or any(value is _BAD for value in (*values.values(), *opened.values())):
            return _BAD
        return model(**values)

    def unknown(self, key: ScalarNode, value: Node, model: Any, what: str) -> None:
        """Add the finding that `what` has no such key."""
        known = model_fields(model)
        message = f"there is no key `{key.raw}` in `{what}`"
        more = getattr(model, "MORE", ())  # keys that are read elsewhere
        hint: Hint | str = suggestion(key.raw, (*known, *more), "keys")
        if not isinstance(hint, Hint):
            above = (name for name, spec in known.items() if key.raw in _keys_below(spec.kind))
            hint = next((f"write it under `{name}`" for name in above), hint)
        alone = value.span.column == key.span.column + key.span.width  # not even a colon
        if key.raw.count(")") > key.raw.count("(") or (alone and value.span.line == key.span.line):
            hint = _TORN
        self.findings.append(Finding(codes.UNKNOWN_KEY, key.span, message, hint))

    def mapping(self, node: Node, kind: Any, what: str) -> Any:
        """Return a mapping of texts to values of `kind`; the texts know their places."""
        if not isinstance(node, Pairs):
            return self.refuse(node, "a mapping, `key: value`", what)
        pairs = ((key, self.value(below, kind, key.raw)) for key, below in node.entries)
        result = {Text(key.raw, key.span): value for key, value in pairs}
        return _BAD if any(v is _BAD for v in result.values()) else result

    def row(self, node: Node, kind: Any, what: str) -> Any:
        """Return a list as a tuple; a single value is a list of one."""
        if isinstance(node, Pairs) and {kind, *get_args(kind)} & {str, Text, Formula, int}:
            return self.refuse(node, "a list", what, "write `[one, two]`")
        items = source.items_of(node)
        if isinstance(node, ScalarNode) and node.value is None:
            items = ()
        result = tuple(self.value(item, kind, what) for item in items)
        return _BAD if any(v is _BAD for v in result) else result


@frozen
class FieldSpec:
    """A key of a model: its name in Python, its annotation, and whether a file must have it."""

    name: str
    kind: Any
    needed: bool
    within: str = ""  # The field that holds the key's value if the key is no field of its own.


@cache
def model_fields(model: Any) -> dict[str, FieldSpec]:
    """Return the keys that files may have where a model is read, each with its field.

    A model with `OPEN`, the name of a field and a function, has the keys that this function
    returns instead of that field, each with its meaning and its annotation: what plug-ins add.
    """
    hints = typing.get_type_hints(model, include_extras=True)
    open_field, open_keys = getattr(model, "OPEN", ("", dict))
    found: dict[str, FieldSpec] = {}
    for field in dataclasses.fields(model):
        kind = hints[field.name]
        if field.name == open_field:
            for key, (_, of) in open_keys().items():
                found[key] = FieldSpec(key, of, False, open_field)
        elif field.name not in ("place", "digest", "composition"):
            missing = dataclasses.MISSING
            needed = field.default is missing and field.default_factory is missing
            found[field.name.rstrip("_")] = FieldSpec(field.name, kind, needed)
    return found


@cache
def key_texts(model: Any) -> dict[str, str]:
    """Return what the keys of a model mean: the comments of its own fields, and of open keys."""
    opened = {key: about for key, (about, _) in getattr(model, "OPEN", ("", dict))[1]().items()}
    return opened | _comments_of(model.__module__).get(model.__name__, {})


_FIELD: Final = re.compile(r" {4}(\w+): .*?(?:  # (.*))?")


@cache
def _comments_of(module: str) -> dict[str, dict[str, str]]:
    """Return the comments of all fields in a module by class: above a field, or behind it."""
    found: dict[str, dict[str, str]] = {}
    own: dict[str, str] = {}
    above: list[str] = []
    for line in inspect.getsource(sys.modules[module]).splitlines():
        if line.startswith("    # "):
            above.append(line[6:])
            continue
        if line[:1].strip():  # a class begins, or ends
            head = re.match(r"class (\w+)", line)
            own = found.setdefault(head[1], {}) if head else {}
        elif field := _FIELD.fullmatch(line):
            own[field[1]] = " ".join(above) or field[2] or ""
        above = []
    return found


def _keys_below(kind: Any) -> Iterable[str]:
    kinds = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    models: tuple[Any, ...] = tuple(filter(dataclasses.is_dataclass, kinds))
    return model_fields(models[0]) if models else ()


_Read = Callable[[Shaper, Node, str], Any]


@cache
def _reader(kind: Any) -> _Read:
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if dataclasses.is_dataclass(kind):
        return lambda shaper, node, what: shaper.model(node, kind, what)
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _whole_in(args[1]) if isinstance(args[1], Range) else _reader(args[0])
    if origin is Literal:  # its words are marked, too: see `OneOf`
        return _text
    if origin in (Union, types.UnionType):
        return _union(args)
    if origin is tuple:
        return lambda shaper, node, what: shaper.row(node, args[0], what)
    return lambda shaper, node, what: shaper.mapping(node, args[1], what)


def _union(args: tuple[Any, ...]) -> _Read:
    """Return a reader for the first of `args` that fits; a wrong `LENIENT` one is a warning."""
    real = [arg for arg in args if arg is not type(None)]
    readers = [_reader(arg) for arg in real]

    def read(shaper: Shaper, node: Node, what: str) -> Any:
        if type(None) in args and isinstance(node, ScalarNode) and node.raw in _NOTHING:
            return None
        for reader in readers[:-1]:
            attempt = Shaper(pips=shaper.pips)
            if (value := reader(attempt, node, what)) is not _BAD:
                return value
        before = len(shaper.findings)
        value = readers[-1](shaper, node, what)
        if type(None) not in args or not getattr(real[-1], "LENIENT", False):
            return value
        found = shaper.findings[before:]
        warnings = (dataclasses.replace(one, severity=Severity.WARNING) for one in found)
        shaper.findings[before:] = warnings
        return None if value is _BAD else value

    return read


def _text(shaper: Shaper, node: Node, what: str) -> Any:
    if not isinstance(node, ScalarNode) or (node.value is None and not node.quoted):
        pair = isinstance(node, Pairs)
        return shaper.refuse(node, "text", what, "put a text with `: ` in quotes" if pair else "")
    span = node.span
    return Text(node.raw, span.within(1, span.width - 2) if node.quoted else span)


def _string(shaper: Shaper, node: Node, what: str) -> Any:
    if (text := _text(shaper, node, what)) is _BAD:
        return _BAD
    if shaper.formulas and "{" in text and what not in _WITH_BRACES:
        message = f"`{what}` takes no formulas: its braces are printed as they are"
        hint = "remove the braces; the reference of formulas lists the texts that take them"
        finding = Finding(codes.BAD_FORMULA, text.span, message, hint, Severity.WARNING)
        shaper.findings.append(finding)
    return str(text)


def _whole_in(allowed: Range) -> _Read:

    def read(shaper: Shaper, node: Node, what: str) -> Any:
        if not isinstance(node, ScalarNode) or type(node.value) is not int:
            hint = f"write digits only: a number from {allowed.least:,} to {allowed.most:,}"
            return shaper.refuse(node, "a whole number", what, hint)
        if not allowed.least <= node.value <= allowed.most:
            return shaper.refuse(node, f"{allowed.least:,} to {allowed.most:,}", what)
        return node.value

    return read


def _number_from(least: int, kind: type[DesignNumber]) -> _Read:
    def read(shaper: Shaper, node: Node, what: str) -> Any:
        value = node.value if isinstance(node, ScalarNode) and not node.quoted else None
        if not isinstance(value, bool | str | None) and least <= value <= MOST_NUMBER:
            return kind(value)
        return shaper.refuse(node, f"a number from {least} to {MOST_NUMBER}", what)

    return read


def _claim(shaper: Shaper, node: Node, what: str) -> Any:
    if isinstance(node, ScalarNode) and isinstance(node.value, bool):
        return node.value
    word = source.raw_text(node).lower()
    value = next((name for name, words in _CLAIMS.items() if word in words), "")
    return shaper.refuse(node, "`true` or `false`", what, f"write `{value}`" if value else "")


def _formula(shaper: Shaper, node: Node, what: str) -> Any:
    if not isinstance(node, ScalarNode) or (node.value is None and not node.quoted):
        hint = "write a number or a formula, such as `2 * 3`"
        return shaper.refuse(node, "a formula", what, hint)
    if (text := _text(shaper, node, what)) is _BAD:
        return text
    plain = text.strip()
    return Formula(plain, text.span.within(text.find(plain), len(plain)))


def _code(shaper: Shaper, node: Node, what: str) -> Any:
    raw = source.raw_text(node)
    found = parse_code(raw, pips=shaper.pips)
    if isinstance(found, int):
        return source.DiceCode(found)
    return shaper.refuse(node, "a code of dice" + (f"; `{raw}` {found}" if raw else ""), what)


_SIMPLE: dict[Any, _Read] = {
    source.DiceCode: _code,
    source.Length: _number_from(0, source.Length),
    DesignNumber: _number_from(-MOST_NUMBER, DesignNumber),
    Text: _text,
    Formula: _formula,
    Node: lambda _, node, __: node,
    str: _string,
    int: _whole_in(source.USUAL),
    bool: _claim,
}


def keys_of(root: Node, path: str) -> Keys | None:
    """Return the keys along `path`; None if there is no such node.

    Keys may contain dots (`dice.buy`): the longest matching key counts. A formula `price(n)`
    also matches `price`.
    """
    if not path:
        return ()
    if not isinstance(root, Pairs):
        return None
    names = sorted((key.raw for key, _ in root.entries), key=len, reverse=True)
    for name in names:
        called = name if path.startswith(name) else name.split("(")[0]
        if path == called or path.startswith(f"{called}."):
            below = root.get(name)
            assert below is not None
            if (rest := keys_of(below, path[len(called) + 1 :])) is not None:
                return (name, *rest)
    return None


def replace_at(root: Pairs, keys: Keys, node: Node | None) -> Pairs:
    """Return `root` with `node` at `keys`; None removes the entry."""
    entries = []
    for key, below in root.entries:
        if key.raw != keys[0]:
            entries.append((key, below))
        elif len(keys) > 1:
            assert isinstance(below, Pairs)
            entries.append((key, replace_at(below, keys[1:], node)))
        elif node is not None:
            entries.append((key, node))
    return Pairs(root.span, tuple(entries))


def merge_trees(
    root: Pairs,
    more: Pairs,
    above: str = "",
    kept: list[tuple[str, ScalarNode, Node]] | None = None,
    *,
    lists: bool = True,
) -> tuple[Pairs, dict[str, ScalarNode]]:
    """Return `root` merged with `more`, and the paths of new entries, each with its key.

    Mappings are merged, lists are concatenated if `lists`. Existing values are not overwritten:
    their paths are added to `kept`, with the key in `more` and the existing node.
    """
    found = {key.raw: (key, node) for key, node in root.entries}
    places: dict[str, ScalarNode] = {}
    for key, node in more.entries:
        path = f"{above}.{key.raw}" if above else key.raw
        if key.raw not in found:
            found[key.raw] = key, node
            places[path] = key
            continue
        first, other = found[key.raw]
        if isinstance(node, Pairs) and isinstance(other, Pairs):
            below, inner = merge_trees(other, node, path, kept, lists=lists)
            found[key.raw] = first, below
            places |= inner
        elif lists and isinstance(node, Many) and isinstance(other, Many):
            found[key.raw] = first, replace(other, items=(*other.items, *node.items))
        elif kept is not None:
            kept.append((path, key, other))
    return Pairs(root.span, tuple(found.values())), places
