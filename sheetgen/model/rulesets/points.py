"""Points to gain and spend: pools, dice that are bought, and advances."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sheetgen.model.shape import (
    Faces,
    Formula,
    GroupKey,
    KeyId,
    OptionId,
    PoolId,
    TraitKey,
    rule_model,
)
from sheetgen.model.source import Text


@rule_model
class Pool:
    """Points of one kind, such as experience or money.

    Attributes:
        start: What a new character has.
        adds: The key of the character's file that adds to the start.
        override: The key of the character's file that replaces the start.
        start_label: What the first line of the ledger says instead of `at the start`.
        needs: Where this does not hold, the build has no such pool and its items cost nothing,
            unless `override` replaces the start.
        conflict: Where two choices set the start, the one from the catalogue that this option
            names counts.
    """

    label: str
    start: Formula
    adds: KeyId | None = None
    override: KeyId | None = None
    text: str = ""
    start_label: str = ""
    needs: Formula | None = None
    conflict: OptionId | None = None
    ruling: str = ""


@rule_model
class Dice:
    """Dice that are bought and upgraded.

    Attributes:
        pool: The pool that pays for them.
        ladder: Numbers of faces, upwards; a new die has the first.
        buy: The price of a new die.
        upgrade: The price of one step up the ladder.
    """

    pool: PoolId
    ladder: tuple[Faces, ...]
    buy: Formula
    upgrade: Formula
    label: str = "Dice"


@rule_model
class NamedAdvance:
    """An advance with a price of its own.

    Attributes:
        price: What it costs.
        raise_: Steps that it adds, by trait.
        requires: A formula that must hold before it can be bought.
        once: Whether it can be bought only once.
    """

    name: Text
    price: Formula
    raise_: Mapping[TraitKey, Formula] = field(default_factory=dict)
    requires: Formula | None = None
    why: str = ""
    once: bool = False
    aliases: tuple[Text, ...] = ()
    text: str = ""


@rule_model
class Advances:
    """What a character may improve later.

    Attributes:
        pool: The pool that pays for advances.
        groups: The price of one step of a trait, by group.
        gear: The price of one step of an item's dice or bonus.
        named: Advances with a price of their own, by id.
        twice_in_session: A warning about a trait that is raised twice in one session.
        twice_at_once: A warning about a trait that is raised by several steps in one entry.
        twice_if: Where this does not hold, neither warning is given.
    """

    pool: PoolId
    groups: Mapping[GroupKey, Formula] = field(default_factory=dict)
    gear: Formula | None = None
    named: Mapping[str, NamedAdvance] = field(default_factory=dict)
    twice_in_session: str = ""
    twice_at_once: str = ""
    twice_if: Formula | None = None
    ruling: str = ""
