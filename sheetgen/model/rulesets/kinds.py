"""Kinds of files besides characters, such as NPCs, and how new ones are generated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated

from sheetgen.model.rulesets.choices import Catalogue, Grants
from sheetgen.model.rulesets.derived import Derived, ItemRows, TextLine, Track
from sheetgen.model.rulesets.items import Item
from sheetgen.model.rulesets.keys import Key, Rule
from sheetgen.model.rulesets.points import Advances, Pool
from sheetgen.model.rulesets.traits import Group
from sheetgen.model.shape import KeyId, Ref, TraitId, TraitKey, rule_model
from sheetgen.model.source import Text


@rule_model
class Maker:
    """What `sheetgen new` writes for a kind, and what it draws where the user leaves it open.

    Attributes:
        level: The key of the file that takes the level.
        skills: The key of the file that takes the skills; its `count` says how many.
        gear: The key of the file that takes the gear.
        first: Skills of which each new file has at least one; a repeated one is drawn more often.
        among: Skills that the others are drawn from.
        suits: Gear by the skill that it is for; one of each list is drawn.
        also: Gear that suits everybody; an empty text stands for no item.
        names: Names for those that are given none.
    """

    level: KeyId
    skills: KeyId
    gear: KeyId
    first: tuple[TraitId, ...] = ()
    among: tuple[TraitId, ...] = ()
    suits: Mapping[TraitKey, tuple[Text, ...]] = field(default_factory=dict)
    also: tuple[Text, ...] = ()
    names: tuple[str, ...] = ()


@rule_model
class Kind:
    """Another kind of file under the same rules; `load.rulesets.kinds` makes its rules.

    Attributes:
        one: What messages call one of them.
        label: What several are called.
        character: The keys of such a file.
        folder: The folder, beside the ruleset's files, of those that come with the ruleset.
        keeps: Parts of the ruleset that count here too, as a whole (`gear`) or by name
            (`choices.crystals`); the kind's own entries come before.
        based_on: The key that names another file of the kind to start from.
        own: Keys that are not taken over from there.
        card: The folder under templates/ that prints the kind; without it the card is made from
            the kind's data.
        maker: How `sheetgen new` writes one; without it, it cannot.
        given: What every file of this kind has, instead of what the ruleset gives.
        groups: Groups of traits of this kind only.
        choices: Catalogues of this kind only.
        pools: Pools of this kind only.
        advances: What a file of this kind may improve.
        gear: Items of this kind only.
        derived: Derived values of this kind.
        tracks: Tracks of this kind.
        texts: Lines of text of this kind.
        lists: Lists of this kind.
        rules: Rules that must hold for this kind.
    """

    one: str
    label: str
    character: Mapping[str, Key]
    folder: str = ""
    keeps: tuple[Annotated[Text, Ref("part of the rules")], ...] = ()
    based_on: KeyId | None = None
    own: tuple[KeyId, ...] = ()
    card: Annotated[Text, Ref("card")] | None = None
    maker: Maker | None = None
    given: Grants | None = None
    groups: Mapping[str, Group] = field(default_factory=dict)
    choices: Mapping[str, Catalogue] = field(default_factory=dict)
    pools: Mapping[str, Pool] = field(default_factory=dict)
    advances: Advances | None = None
    gear: Mapping[str, Item] = field(default_factory=dict)
    derived: Mapping[str, Derived] = field(default_factory=dict)
    tracks: Mapping[str, Track] = field(default_factory=dict)
    texts: Mapping[str, TextLine] = field(default_factory=dict)
    lists: Mapping[str, ItemRows] = field(default_factory=dict)
    rules: Mapping[str, Rule] = field(default_factory=dict)
