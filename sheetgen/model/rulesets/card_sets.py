"""Cards that a ruleset makes of its own things; the fields are their YAML's keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.shape import rule_model
from sheetgen.model.source import Text


@rule_model
class CardSet:
    """A card for each of some things.

    Attributes:
        of: What things, as for a table: `gear`, `choices.ID`, `groups.ID`; also `odds`, all
            printed grids of odds, and `odds.ID`, one of them.
        without: Tags of things that get no card.
        card: The folder under templates/ that prints them.
        lists: `sections`, for cards of choices that have some.
        rolls: Where dice are drawn that a build rolls for its choice: place to `roll`.
        texts: What stands in each place of the card, with {formulas} that know the thing.
    """

    label: str
    of: tuple[Text, ...]
    card: Text
    texts: Mapping[str, Text]
    without: tuple[Text, ...] = ()
    lists: tuple[Text, ...] = ()
    rolls: Mapping[str, Text] = field(default_factory=dict)
