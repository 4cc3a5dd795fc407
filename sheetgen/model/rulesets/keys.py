"""Keys of a character's file, and rules that must hold; the fields are the keys of the YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Final, TypeAlias

from sheetgen.model.shape import (
    CatalogueId,
    Formula,
    GroupId,
    OneOf,
    OptionId,
    PoolId,
    Ref,
    Tag,
    rule_model,
)
from sheetgen.model.source import Text

KEY_KINDS: Final = {
    "text": "A text, or with `lines: true` several lines. With `gives` it may name another file.",
    "texts": "A list of texts; a name with a note is one text: `[{Mara: a friend}]` or "
    "`[{name: Mara, note: a friend}]`.",
    "number": "A whole number; with `pool` and `price` it is bought.",
    "flag": "`true` or `false`; with `pool` and `price` it is bought.",
    "sessions": "The sessions that were played: `[{session: 1, gained: 3, note: …}]`.",
    "choice": "One pick from a catalogue; `most` allows more.",
    "choices": "Picks from a catalogue, `Name x2` or `{Name: 2}` for several times.",
    "ratings": "Ratings that the author writes, by trait: `{Wit: 2}`.",
    "raises": "Traits that are raised at creation, as many as `count`, each by `by`.",
    "refunds": "Steps that were sold, by trait; `price` is what one brings. A number counts from "
    "the top downwards: `{Wit: 1}`. A list names the steps: `{Wit: [5]}`.",
    "losses": "Steps that were lost in play, written as for `refunds`; nothing is paid back.",
    "details": "A note beside a trait, by trait.",
    "links": "Groups of traits by a name of one or two letters: `{A: [Wit, Grip]}`.",
    "pinned": "Traits with a die that is fixed to them: `{Wit: d4}`.",
    "dice": "The dice that a character has: `[d4, d6]`.",
    "dice_history": "The purchases of dice, in order.",
    "item": "One item, `Name`.",
    "items": "Items, `Name x2` or `{Name: 2}` for several.",
    "advances": "Advances by session: `{1: [Wit]}`.",
    "codes": "Ratings as a stat block prints them, by trait; `count`, `least` and `most` bound "
    "them.",
    "printed": "Derived values as the source prints them, compared with what the rules give.",
}
"""What a key of a character's file may hold: a sentence for each kind."""

KINDS_OF_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "lines": ("text",),
    "gives": ("text",),
    "open": ("item", "items"),
    "tags": ("item", "items"),
    "unpriced": ("item", "items"),
    "passing": ("choice",),
    "narrows": ("texts",),
    "count": ("raises", "codes", "texts"),
    "from_": ("raises",),
    "fits": ("raises",),
    "by": ("raises",),
    "lifts": ("raises",),
    "repeat": ("raises",),
    "whole": ("codes",),
    "least": ("number", "codes"),
    "most": ("number", "flag", "choice", "raises", "codes"),
    "pool": ("number", "flag", "item", "items", "texts"),
    "price": ("number", "flag", "item", "items", "refunds", "texts"),
    "each": ("links", "pinned"),
}
"""The kinds of keys that read a field of `Key`; all kinds read the others."""

KeyKind: TypeAlias = Annotated[Text, OneOf("kind of key", tuple(KEY_KINDS))]
Severity: TypeAlias = Annotated[Text, OneOf("severity", ("error", "warning", "note"))]


@rule_model
class Key:
    """What one key of a character's file holds.

    Attributes:
        kind: The kind of value; the table of kinds below explains each.
        of: The catalogue, groups, keys or kinds that the value is about; without it, those of
            the same name as the key.
        narrows: Of `texts`: each text is a narrow use of a trait of these groups, with its whole
            code, such as `Cooking (fish) 5D+1`. `price` is that of a step above the trait,
            `count` how many steps are free, and the key's name in formulas the price of the rest.
        required: Whether every file must have the key.
        lines: Of `text`: whether it may have several lines.
        values: Of `text`: the words of which it is one, in any case. Without it, a text that is
            nearly a word with which formulas compare it is reported.
        open: Of `item` and `items`: whether names that are not listed are allowed, with a warning.
        passing: Of `choice`: whether the pick is a state that passes, and not who somebody is.
        count: Of `raises` and `codes`: how many there are together; see `narrows`.
        from_: Of `raises`: the catalogue whose pick offers the traits that may be named.
        fits: Of `raises`: a formula that must hold of each trait that is named.
        by: Of `raises`: how many steps each trait is raised by.
        whole: Of `codes`: whether a code includes the code of its parent, named in `under`.
        tags: Of `items`: tags of an author's own item that has dice, such as `weapon`.
        lifts: Of `raises`: how many steps every code gains that the file lists.
        gives: Of `text` that names another file: traits and keys of this file, each by a formula
            over the names of the file that is named.
        repeat: Of `raises`: a formula; where it holds, a trait may be named more than once.
        least: Of `number` and `codes`: the least value.
        most: The greatest value; of `choice`, how many picks; of `raises`, the highest rating.
        pool: Of `number`, `flag`, `item` and `items`: the pool that pays.
        price: The price of one; of `refunds`, what a sold step brings.
        unpriced: Of `item` and `items`: the option that says what an item without a price costs.
        requires: A formula that must hold where the file has the key.
        example: What a finding shows where the value has another shape.
        each: Of `links` and `pinned`: rules that must hold for every link or pinned die.
    """

    kind: KeyKind
    label: str = ""
    of: tuple[Annotated[Text, Ref("what a key is about")], ...] = ()
    aliases: tuple[Text, ...] = ()
    narrows: tuple[GroupId, ...] = ()
    required: bool = False
    lines: bool = False
    values: tuple[str, ...] = ()
    open: bool = False
    passing: bool = False
    count: Formula | None = None
    from_: CatalogueId | None = None
    fits: Formula | None = None
    by: Formula | None = None
    whole: bool = False
    tags: tuple[Tag, ...] = ()
    lifts: Formula | None = None
    gives: Mapping[Annotated[str, Ref("trait or key")], Formula] = field(default_factory=dict)
    repeat: Formula | None = None
    least: Formula | None = None
    most: Formula | None = None
    pool: PoolId | None = None
    price: Formula | None = None
    unpriced: OptionId | None = None
    requires: Formula | None = None
    why: str = ""
    ruling: str = ""
    text: str = ""
    example: str = ""
    each: tuple[Rule, ...] = ()


@rule_model
class Rule:
    """A condition that must hold.

    Attributes:
        require: The condition.
        message: What the finding says where it does not hold; {formulas} are filled in.
        at: The key or trait that the finding points at.
        severity: How grave the finding is; an error without it.
        hint: What the author can do.
    """

    require: Formula
    message: Text
    at: Annotated[Text, Ref("key or trait")] | None = None
    severity: Severity | None = None
    hint: str = ""
    ruling: str = ""
