"""An author's file as it was read: a tree of nodes, each with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sheetgen.diag.spans import Span

Scalar: TypeAlias = str | int | float | bool | None


class Text(str):
    """A text that remembers where it stands; otherwise it is a str like any other."""

    __slots__ = ("span",)
    span: Span

    def __new__(cls, value: object, span: Span) -> Text:
        """Return `value` as text that stands at `span`."""
        text = super().__new__(cls, value)
        text.span = span
        return text

    def __getnewargs__(self) -> tuple[str, Span]:  # type: ignore[override]
        """Return what a copy is made from."""
        return str(self), self.span


@dataclass(frozen=True, slots=True)
class ScalarNode:
    """A single value.

    Attributes:
        raw: As the author wrote it, without quotes.
        quoted: Whether it stood in quotes, so that `"1"` is text.
    """

    span: Span
    value: Scalar
    raw: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Many:
    """A list."""

    span: Span
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """A mapping; keys in the author's order, each once."""

    span: Span
    entries: tuple[tuple[ScalarNode, Node], ...]

    def get(self, key: str) -> Node | None:
        """Return the node under `key`, exactly as written."""
        return next((node for leaf, node in self.entries if leaf.raw == key), None)


Node: TypeAlias = ScalarNode | Many | Pairs


@dataclass(frozen=True, slots=True)
class Source:
    """A file as it was read.

    Attributes:
        file: As the author named it.
        root: None where the file holds nothing or could not be read.
        digest: Of its bytes, hexadecimal; prints carry it to find their way back.
        base: The one that comes with the rules and that it starts from, or is.
    """

    file: str
    text: str
    root: Node | None
    digest: str
    base: str = ""

    @property
    def start(self) -> Span:
        """The place of the whole file."""
        return Span(self.file)
