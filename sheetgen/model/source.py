"""An author's file as a tree of nodes, each with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Annotated, Final, NamedTuple, TypeAlias, TypeVar, dataclass_transform

from sheetgen.diag.findings import Span
from sheetgen.records import frozen, frozen_by_identity

Scalar: TypeAlias = str | int | float | bool | None


class Text(str):
    """A str that knows its place in a file."""

    __slots__ = ("span",)
    span: Span

    def __new__(cls, value: object, span: Span) -> Text:
        """Return `value` as text at `span`."""
        text = super().__new__(cls, value)
        text.span = span
        return text

    def __getnewargs__(self) -> tuple[str, Span]:  # type: ignore[override]
        """Return the arguments that copying and pickling pass to `__new__`."""
        return str(self), self.span


def text_place(text: str, otherwise: Span) -> Span:
    """Return the place of `text`, or `otherwise` where it does not know its place."""
    return text.span if isinstance(text, Text) else otherwise


@frozen
class ScalarNode:
    """A single value."""

    span: Span
    value: Scalar
    raw: str  # The value as the author wrote it, without quotes.
    quoted: bool = False  # Whether it was in quotes, so that `"1"` is text.


@frozen
class Many:
    """A list."""

    span: Span
    items: tuple[Node, ...]


@frozen
class Pairs:
    """A mapping; its keys are unique and in the author's order."""

    span: Span
    entries: tuple[tuple[ScalarNode, Node], ...]

    def get(self, key: str) -> Node | None:
        """Return the node under `key`, exactly as written."""
        return next((node for leaf, node in self.entries if leaf.raw == key), None)


Node: TypeAlias = ScalarNode | Many | Pairs


def move_node(node: Node, span: Span) -> Node:
    """Return a node with all its parts at one place, such as that of a cell."""
    if isinstance(node, Pairs):
        pairs = ((replace(key, span=span), move_node(below, span)) for key, below in node.entries)
        return Pairs(span, tuple(pairs))
    if isinstance(node, Many):
        return Many(span, tuple(move_node(item, span) for item in node.items))
    return replace(node, span=span)


def raw_text(node: Node | None) -> str:
    """Return a single value as the author wrote it; "" for anything else."""
    return node.raw if isinstance(node, ScalarNode) else ""


def items_of(node: Node | None) -> tuple[Node, ...]:
    """Return the items of a list; anything else is a list of one, None an empty one."""
    if node is None:
        return ()
    return node.items if isinstance(node, Many) else (node,)


@frozen
class Source:
    """An author's file."""

    file: str  # Its path, as the author wrote it.
    text: str
    root: Node | None  # None where the file is empty or could not be read.
    digest: str  # The SHA-256 of its bytes, hexadecimal; prints carry it to be read back.
    base: str = ""  # The file that comes with the rules and that it starts from, or is.

    @property
    def start(self) -> Span:
        """Return the place of the whole file."""
        return Span(self.file)

    def get(self, key: str) -> Node | None:
        """Return the node under a key of the top, exactly as written."""
        return self.root.get(key) if isinstance(self.root, Pairs) else None


EMPTY_SOURCE: Final = Source("", "", None, "")  # for checks without an author's file


T = TypeVar("T")


class Range(NamedTuple):
    """The least and the greatest value of a whole number, both included."""

    least: int
    most: int


# The range of a whole number whose annotation has none of its own.
USUAL = Range(-1_000_000, 1_000_000_000)
RESOLUTIONS = Range(36, 1200)  # of pictures that are printed, in pixels per inch

Count: TypeAlias = Annotated[int, Range(0, 1000)]
Positive: TypeAlias = Annotated[int, Range(1, 1000)]
Step: TypeAlias = Annotated[int, Range(-1000, 1000)]
Place: TypeAlias = Annotated[int, Range(1, 10_000)]
Argument: TypeAlias = Annotated[int, Range(-10_000, 10_000)]
Price: TypeAlias = Annotated[int, Range(0, 1_000_000_000)]
Faces: TypeAlias = Annotated[int, Range(2, 1000)]
Bands: TypeAlias = Annotated[int, Range(1, 20)]
Rounds: TypeAlias = Annotated[int, Range(1, 30)]
FigurePlace: TypeAlias = Annotated[int, Range(0, 4)]
Copies: TypeAlias = Annotated[int, Range(1, 1000)]
Dpi: TypeAlias = Annotated[int, RESOLUTIONS]


class Ref(NamedTuple):
    """Marks a text as the name of something in the ruleset."""

    to: str  # What it may name, a key of `check.ruleset.formulas.known_names_of`.
    what: str = ""  # What messages call such a thing; `to` without it.


class OneOf(NamedTuple):
    """Marks a text as one of some words."""

    what: str  # What messages call such a word.
    words: tuple[str, ...]


CatalogueId: TypeAlias = Annotated[Text, Ref("catalogue")]
ChoiceId: TypeAlias = Annotated[Text, Ref("choice")]
DerivedId: TypeAlias = Annotated[Text, Ref("derived value")]
GroupId: TypeAlias = Annotated[Text, Ref("group")]
ItemId: TypeAlias = Annotated[Text, Ref("item")]
KeyId: TypeAlias = Annotated[Text, Ref("key")]
NumberId: TypeAlias = Annotated[Text, Ref("number")]
OptionId: TypeAlias = Annotated[Text, Ref("option")]
PoolId: TypeAlias = Annotated[Text, Ref("pool")]
TableId: TypeAlias = Annotated[Text, Ref("table")]
Tag: TypeAlias = Annotated[Text, Ref("tag")]
TraitId: TypeAlias = Annotated[Text, Ref("trait")]

CatalogueKey: TypeAlias = Annotated[str, Ref("catalogue")]
DerivedKey: TypeAlias = Annotated[str, Ref("derived value")]
GroupKey: TypeAlias = Annotated[str, Ref("group")]
PoolKey: TypeAlias = Annotated[str, Ref("pool")]
TraitKey: TypeAlias = Annotated[str, Ref("trait")]


class Formula(Text):
    """An expression of the formula language, not parsed yet; it knows its place."""

    __slots__ = ()


class LookupText(str):
    """A lookup in the place of the text of a named formula: the table in which it finds values."""

    MISSING = "none"  # the value of a row that does not exist
    APART = EXACT, OTHERWISE = "exact", "otherwise"  # keys of a table that are no rows

    name: str
    table: LookupTable
    parameters: tuple[str, ...]

    def __new__(cls, name: str, table: LookupTable) -> LookupText:
        """Return the formula of a lookup; a table with tables in it has a second parameter."""
        text = super().__new__(cls, f"{name}: {table}")
        text.name, text.table = name, table
        deep = any(isinstance(cell, Mapping) for cell in table.values())
        text.parameters = ("row", "column") if deep else ("row",)
        return text


LookupTable: TypeAlias = Mapping[str, Text | Mapping[str, Text]]


class DiceCode(int):
    """A dice code: a number of dice, or of pips where the ruleset has pips."""

    __slots__ = ()


class DesignNumber(float):
    """A length of a design in points or modules, from -1000 to 1000."""

    __slots__ = ()


class Length(DesignNumber):
    """A length of a design that is not negative."""

    __slots__ = ()


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def rule_model(model: type[T]) -> type[T]:
    """Make `model` a frozen dataclass that is not compared and not printed.

    The reference of keys and editors show the comment of a field, above it or behind it.
    """
    return frozen_by_identity(model)
