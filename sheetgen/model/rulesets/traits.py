"""Traits, which are all things with a rating, in groups; the fields are the keys of the YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, TypeAlias

from sheetgen.model.pictures import PictureFile
from sheetgen.model.shape import (
    CatalogueId,
    ChoiceId,
    Count,
    Formula,
    OneOf,
    OptionId,
    PoolId,
    Ref,
    Step,
    TraitId,
    rule_model,
)
from sheetgen.model.source import Text

RatingKind: TypeAlias = Annotated[Text, OneOf("kind of rating", ("dots", "dice", "rank"))]


@rule_model
class Limit:
    """The highest ratings allowed in a group.

    Attributes:
        most: The highest rating where `sets` says nothing else, such as `5` or `under + 1`.
        by: The catalogue whose pick decides which line of a set counts.
        option: The option that decides which set counts; the sets are named as its values
            (`True` and `False` for `yes or no`).
        raised_by: A choice that lifts every limit of at least 1.
        ceiling: The highest rating that `raised_by` can reach; 0 for no ceiling.
        sets: Limits by value of `option`, then by pick (`none` for no pick), then by trait
            (`others` for the traits that are not listed).
    """

    most: Formula
    by: CatalogueId | None = None
    option: OptionId | None = None
    raised_by: ChoiceId | None = None
    ceiling: Formula | None = None
    sets: Mapping[str, Mapping[str, Mapping[str, Step]]] = field(default_factory=dict)


@rule_model
class Trait:
    """Anything with a rating.

    Attributes:
        short: An abbreviation, such as `DEX`.
        keyword: The named formula by which the trait's effect grows. Tables, cards and
            sheets with boxes show it; prices do not follow it.
        under: The trait that governs this one; its rating is added where the group says `sums`.
        needs: A formula that must hold before a character can have the trait.
        advance_if: A formula that must hold before an advance can raise the trait.
        note: A warning that `check` shows to characters who have the trait at a rating of 1.
        note_if: A formula that must hold for `note` to be shown.
        absorbs: Names of traits that a module merged into this one; modules write it.
        internal: Whether only formulas need the rating, so that lists of what a choice gives leave
            it out.
        dice_ok: Whether the sheet has a field for a die that is pinned to the trait.
        art: The picture on its card.
    """

    name: Text
    text: Text | str = ""
    art: PictureFile | None = None
    aliases: tuple[Text, ...] = ()
    short: str = ""
    keyword: Annotated[Text, Ref("formula")] | None = None
    under: TraitId | None = None
    needs: Formula | None = None
    advance_if: Formula | None = None
    why: str = ""
    note: Text | str = ""
    note_if: Formula | None = None
    absorbs: tuple[Text, ...] = ()
    internal: bool = False
    dice_ok: bool = True


@rule_model
class OpenGroup:
    """A group whose traits the author names; each has a `max` of its own in the character's file.

    Attributes:
        needs: The choice that allows as many traits as it was taken times.
        most: The highest `max` that an author may write.
        name_differs: Whether a name has to differ from those of listed traits and of the
            traits of other characters.
    """

    needs: ChoiceId
    most: Count
    name_differs: bool = True


@rule_model
class Group:
    """Traits of one kind.

    Attributes:
        label: The heading of the group on prints.
        one: What messages call one of its traits, such as `skill`.
        rating: How ratings are written.
        stated: Whether the author writes ratings, and buys the steps that were not granted.
        sums: Whether a trait's rating adds that of its parent, the trait named in `under`.
        price: The price of step `n`.
        pool: The pool that pays the price.
        boxes: How many boxes a sheet draws for a rating; 0 for none.
        stars: The choice that grants one star each time it is taken.
        limit: The highest ratings allowed.
        traits: The traits, by id.
        open: Present where authors name the group's traits themselves.
    """

    label: str = ""
    one: str = "trait"
    rating: RatingKind | None = None
    stated: bool = False
    sums: bool = True
    price: Formula | None = None
    pool: PoolId | None = None
    boxes: Count = 0
    stars: ChoiceId | None = None
    limit: Limit | None = None
    traits: Mapping[str, Trait] = field(default_factory=dict)
    open: OpenGroup | None = None
    text: str = ""
