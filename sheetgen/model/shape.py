"""Types of the keys of YAML files: ranges of numbers, formulas, and names of other things.

The fields of a model are the keys of a file. `load.shapes` reads a file by the fields' types,
`check.ruleset.references` finds names that lead nowhere, and docs/reference/generate_keys.py
writes the reference of keys from the types and the docstrings.
"""

from __future__ import annotations

from dataclasses import field
from typing import Annotated, NamedTuple, TypeAlias, TypeVar, dataclass_transform

from sheetgen.model.source import Text
from sheetgen.records import frozen_by_identity

T = TypeVar("T")


class Range(NamedTuple):
    """The least and the greatest value of a whole number, both included."""

    least: int
    most: int


USUAL = Range(-1_000_000, 1_000_000_000)
"""The range of a whole number whose annotation has none of its own."""

RESOLUTIONS = Range(36, 1200)
"""Of pictures that are printed, in pixels per inch."""

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
    """Marks a text as the name of something in the ruleset.

    Attributes:
        to: What it may name, a key of `check.ruleset.references.known_names_of`.
        what: What messages call such a thing; `to` without it.
    """

    to: str
    what: str = ""


class OneOf(NamedTuple):
    """Marks a text as one of some words.

    Attributes:
        what: What messages call such a word.
    """

    what: str
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
    """Make `model` a frozen dataclass that is not compared and not printed."""
    return frozen_by_identity(model)
