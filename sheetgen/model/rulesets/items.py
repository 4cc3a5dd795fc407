"""Gear: things to own; the fields are the keys of the YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.pictures import PictureFile
from sheetgen.model.shape import (
    CatalogueId,
    DerivedId,
    DerivedKey,
    DiceCode,
    Formula,
    Price,
    Step,
    Tag,
    TraitId,
    rule_model,
)
from sheetgen.model.source import Text


@rule_model
class Item:
    """A thing to own; its texts may hold {formulas} of options.

    Attributes:
        short: A shorter name for narrow places, such as a sum.
        cost: The price; none where the item is not for sale.
        tags: Words that formulas, lists and tables find the item by.
        skill: The trait that it is used with.
        dice: Its own dice of damage.
        adds: The trait whose rating is added to the damage.
        gives: The derived value that the item raises by `bonus`.
        bonus: How much it adds to `gives`; without `gives`, the dice that `conditional` shows.
            An advance raises the item's dice, or else its bonus.
        modifies: Other derived values that it changes while it is worn or held, and by how much.
        special: A special rule, shown beside the item.
        conditional: A bonus that is shown and never added; `{bonus}` is the item's bonus.
        worn: Whether the item is worn; only the first worn item counts.
        stacks: Where this holds, a further worn or held item counts too.
        asks: Catalogues that the item takes picks from, by the key under the item.
        note: A warning that `check` shows to those who own the item.
        art: The picture on its card.
    """

    name: Text
    short: str = ""
    cost: Price | None = None
    aliases: tuple[Text, ...] = ()
    tags: tuple[Tag, ...] = ()
    text: Text | str = ""
    art: PictureFile | None = None
    skill: TraitId | None = None
    dice: DiceCode | None = None
    adds: TraitId | None = None
    gives: DerivedId | None = None
    bonus: Step | None = None
    modifies: Mapping[DerivedKey, Formula] = field(default_factory=dict)
    special: Text | str = ""
    conditional: Text | str = ""
    worn: bool = False
    stacks: Formula | None = None
    asks: Mapping[str, CatalogueId] = field(default_factory=dict)
    note: str = ""
