"""Choices to pick from, and what they grant; the fields are their YAML's keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.shape import Count, DiceCode, Formula, Step, rule_model
from sheetgen.model.source import Text


@rule_model
class PointSpread:
    """Points that the author spreads over traits.

    Attributes:
        of: A group, or nothing where `among` lists the traits.
        base: What each has before any point; `base_of` for single traits.
    """

    points: Formula
    of: Text | None = None
    among: tuple[Text, ...] = ()
    base: Step = 0
    base_of: Mapping[str, Step] = field(default_factory=dict)
    least: Step = 0
    most: Step | None = None
    most_of: Mapping[str, Step] = field(default_factory=dict)


@rule_model
class Grants:
    """What a choice gives. Only under `when` does `if_` stand."""

    raise_: Mapping[str, Formula] = field(default_factory=dict)
    take: tuple[Text, ...] = ()
    gear: tuple[Text, ...] = ()
    dice: tuple[Text, ...] = ()
    set: Mapping[str, Text] = field(default_factory=dict)
    start: Mapping[str, Formula] = field(default_factory=dict)
    asked: Count = 0
    passes_limits: bool = False
    spread: PointSpread | None = None
    when: tuple[Grants, ...] = ()
    if_: Formula | None = None


@rule_model
class Focus:
    """What a choice is best at: a name, and the trait that it raises."""

    name: str = ""
    skill: Text | None = None


@rule_model
class ChoiceSection:
    """A part of what a choice says, such as `Hit`; `about` is said below the label."""

    label: str
    text: Text | str
    about: str = ""


@rule_model
class Choice:
    """One choice of a catalogue; its `text` may hold {formulas} of options.

    Attributes:
        offers: Traits that it lets its taker pick from.
        facts: Short texts by names of the ruleset's own; `sections` longer ones, in order.
        roll: What is rolled for it: a roll of the ruleset, or a trait.
        undefined: Words that it uses and that its source does not define.
        beside: Stands behind the name of the trait that its taker names: a bonus that is
            shown and never added.
    """

    name: Text
    text: Text | str = ""
    aliases: tuple[Text, ...] = ()
    tags: tuple[Text, ...] = ()
    grants: Grants | None = None
    offers: tuple[Text, ...] = ()
    facts: Mapping[str, Text] = field(default_factory=dict)
    sections: tuple[ChoiceSection, ...] = ()
    roll: Text | None = None
    undefined: tuple[Text, ...] = ()
    requires: Formula | None = None
    why: str = ""
    asks: Text | None = None
    may_say: bool = False
    once: bool = False
    most: Formula | None = None
    price: Formula | None = None
    pool: Text | None = None
    focus: Focus | None = None
    note: Text | str = ""
    dice: DiceCode = DiceCode(0)
    modifies: Mapping[str, Formula] = field(default_factory=dict)
    special: str = ""
    conditional: str = ""
    beside: str = ""
    ruling: str = ""
    origin: str = ""


@rule_model
class CustomFocus:
    """The trait that an author's own choice raises."""

    of: Text
    by: Step = 1
    required: bool = False


@rule_model
class Custom:
    """How an author may write a choice of his own."""

    spread: PointSpread | None = None
    focus: CustomFocus | None = None
    switch: Text | None = None
    tags: tuple[Text, ...] = ()
    note: str = ""


@rule_model
class Catalogue:
    """A list to pick from."""

    label: str = ""
    one: str = "choice"
    open: bool = False
    entries: Mapping[str, Choice] = field(default_factory=dict)
    custom: Custom | None = None
    text: Text | str = ""
    price: Formula | None = None
    pool: Text | None = None
    many: bool = False
