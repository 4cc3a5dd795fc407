"""An author's file as a tree of nodes, each with its place."""

from __future__ import annotations

from typing import Final, TypeAlias

from sheetgen.diag.spans import Span
from sheetgen.records import frozen

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
    """A single value.

    Attributes:
        raw: The value as the author wrote it, without quotes.
        quoted: Whether it was in quotes, so that `"1"` is text.
    """

    span: Span
    value: Scalar
    raw: str
    quoted: bool = False


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
    """An author's file.

    Attributes:
        file: Its path, as the author wrote it.
        root: None where the file is empty or could not be read.
        digest: The SHA-256 of its bytes, hexadecimal; prints carry it to be read back.
        base: The file that comes with the rules and that it starts from, or is.
    """

    file: str
    text: str
    root: Node | None
    digest: str
    base: str = ""

    @property
    def start(self) -> Span:
        """Return the place of the whole file."""
        return Span(self.file)

    def get(self, key: str) -> Node | None:
        """Return the node under a key of the top, exactly as written."""
        return self.root.get(key) if isinstance(self.root, Pairs) else None


EMPTY_SOURCE: Final = Source("", "", None, "")
"""For checks without an author's file."""
