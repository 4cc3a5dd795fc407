"""Choices to pick from, and what they grant; the fields are the keys of the YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated

from sheetgen.model.pictures import PictureFile
from sheetgen.model.shape import (
    CatalogueKey,
    ChoiceId,
    Count,
    DerivedKey,
    DiceCode,
    Formula,
    GroupId,
    ItemId,
    OptionId,
    PoolId,
    PoolKey,
    Ref,
    Step,
    Tag,
    TraitId,
    TraitKey,
    rule_model,
)
from sheetgen.model.source import Text


@rule_model
class PointSpread:
    """Points that the author spreads over traits.

    Attributes:
        points: How many points there are.
        of: A group of traits.
        among: The traits, where they are no whole group.
        base: What each trait has before any point.
        base_of: What single traits have before any point.
        least: The lowest rating of each trait.
        most: The highest rating of each trait.
        most_of: The highest rating of single traits.
    """

    points: Formula
    of: GroupId | None = None
    among: tuple[TraitId, ...] = ()
    base: Step = 0
    base_of: Mapping[TraitKey, Step] = field(default_factory=dict)
    least: Step = 0
    most: Step | None = None
    most_of: Mapping[TraitKey, Step] = field(default_factory=dict)


@rule_model
class Grants:
    """What a choice gives.

    Attributes:
        raise_: Steps of traits.
        take: Other choices, which count as taken once.
        gear: Items at no cost; one that the file lists under a key without a pool is that item.
        dice: Dice, such as `d4`.
        set: Picks that come along, by catalogue; a different pick in the file is an error.
        start: What pools start with.
        asked: Steps for the trait that the author names, see `asks` of a choice.
        passes_limits: Whether what is raised may pass the limit, though not the boxes.
        spread: Points that the author spreads over traits.
        when: Further blocks like this one, each with a condition `if`.
        if_: Only under `when`: the condition.
    """

    raise_: Mapping[TraitKey, Formula] = field(default_factory=dict)
    take: tuple[ChoiceId, ...] = ()
    gear: tuple[ItemId, ...] = ()
    dice: tuple[Text, ...] = ()
    set: Mapping[CatalogueKey, Text] = field(default_factory=dict)
    start: Mapping[PoolKey, Formula] = field(default_factory=dict)
    asked: Count = 0
    passes_limits: bool = False
    spread: PointSpread | None = None
    when: tuple[Grants, ...] = ()
    if_: Formula | None = None


@rule_model
class Focus:
    """What a choice is best at.

    Attributes:
        name: What it is called.
        skill: The trait that it raises.
    """

    name: str = ""
    skill: TraitId | None = None


@rule_model
class ChoiceSection:
    """A part of a choice's text, such as `Hit`.

    Attributes:
        label: The heading.
        about: A short text below the heading.
        computed: The same as `text` with {formulas} of the character who has it; cards of the
            character show it.
    """

    label: str
    text: Text | str
    about: str = ""
    computed: Text | None = None


@rule_model
class Choice:
    """One choice of a catalogue; its `text` may hold {formulas} of options.

    Attributes:
        computed: The same as `text` with {formulas} of the character who has it; lists show it.
        tags: Words that formulas, lists and tables find the choice by.
        grants: What the choice gives.
        offers: Traits that a key with `from` lets its taker name.
        facts: Short texts by names of the ruleset's own; formulas know them as `fact.NAME`.
        sections: Longer texts with a label, in the order of print.
        roll: What is rolled for it: a roll of the ruleset, or a trait.
        undefined: Words that it uses and that its source does not define.
        requires: A formula that must hold for whoever picks it.
        asks: The group of the trait that a pick names, or `text` for words.
        may_say: Whether a pick may add words of the author's own.
        once: Whether it can be taken only once.
        most: How many times it can be taken; what another choice brings along does not count.
        price: What it costs.
        pool: The pool that pays; without it, the catalogue's pool.
        focus: What it is best at.
        note: A warning that `check` shows to those who pick it.
        dice: Dice that it adds to the item that takes it.
        modifies: Derived values that it changes, and by how much; of a choice that an item
            takes, while that item is worn or held.
        special: A special rule that it adds to the item that takes it.
        conditional: A bonus of the item that is shown and never added.
        beside: A bonus behind the name of the trait that its taker names; it is shown and never
            added.
        origin: Where the text comes from, for maintainers.
        art: The picture on its card.
    """

    name: Text
    text: Text | str = ""
    art: PictureFile | None = None
    computed: Text | None = None
    aliases: tuple[Text, ...] = ()
    tags: tuple[Tag, ...] = ()
    grants: Grants | None = None
    offers: tuple[TraitId, ...] = ()
    facts: Mapping[str, Text] = field(default_factory=dict)
    sections: tuple[ChoiceSection, ...] = ()
    roll: Annotated[Text, Ref("roll or trait", "roll")] | None = None
    undefined: tuple[Text, ...] = ()
    requires: Formula | None = None
    why: str = ""
    asks: Annotated[Text, Ref("group or text", "group")] | None = None
    may_say: bool = False
    once: bool = False
    most: Formula | None = None
    price: Formula | None = None
    pool: PoolId | None = None
    focus: Focus | None = None
    note: Text | str = ""
    dice: DiceCode = DiceCode(0)
    modifies: Mapping[DerivedKey, Formula] = field(default_factory=dict)
    special: str = ""
    conditional: str = ""
    beside: str = ""
    ruling: str = ""
    origin: str = ""


@rule_model
class CustomFocus:
    """The trait that an author's own choice raises.

    Attributes:
        of: The group of the trait.
        by: How many steps it is raised by.
        required: Whether the author has to name one.
    """

    of: GroupId
    by: Step = 1
    required: bool = False


@rule_model
class Custom:
    """How authors may write a choice of their own.

    Attributes:
        spread: Points that the author spreads over traits.
        focus: The trait that the choice raises.
        switch: An option that must be on.
        tags: Tags of such a choice.
        note: A text that `check` shows with the pick.
    """

    spread: PointSpread | None = None
    focus: CustomFocus | None = None
    switch: OptionId | None = None
    tags: tuple[Tag, ...] = ()
    note: str = ""


@rule_model
class Catalogue:
    """A list to pick from.

    Attributes:
        one: What messages call one of its choices.
        open: Whether names that are not listed are allowed, with a warning; for what an item
            asks, the warning comes only where a listed name is near.
        entries: The choices, by id.
        custom: Present where authors may write a choice of their own.
        price: What each choice costs that has no price of its own.
        pool: The pool that pays.
        many: Whether an item may take several of them.
    """

    label: str = ""
    one: str = "choice"
    open: bool = False
    entries: Mapping[str, Choice] = field(default_factory=dict)
    custom: Custom | None = None
    text: Text | str = ""
    price: Formula | None = None
    pool: PoolId | None = None
    many: bool = False
