"""Traits, which are all things with a rating, in groups; the fields are the keys of the YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal, TypeAlias, get_args

from sheetgen.model.pictures import PictureFile
from sheetgen.model.source import (
    CatalogueId,
    CatalogueKey,
    ChoiceId,
    Count,
    DerivedId,
    DerivedKey,
    DiceCode,
    Faces,
    Formula,
    GroupId,
    GroupKey,
    ItemId,
    KeyId,
    OneOf,
    OptionId,
    PoolId,
    PoolKey,
    Price,
    Ref,
    Step,
    Tag,
    Text,
    TraitId,
    TraitKey,
    rule_model,
)

SeverityWord: TypeAlias = Literal["error", "warning", "note"]
Severity: TypeAlias = Annotated[SeverityWord, OneOf("severity", get_args(SeverityWord))]
RatingWord: TypeAlias = Literal["dots", "dice", "rank", "signed", "die"]
RatingKind: TypeAlias = Annotated[RatingWord, OneOf("kind of rating", get_args(RatingWord))]


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
        base: What the rating begins at, above which steps are bought and granted; without it,
            that of the group.
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
    base: Formula | None = None
    needs: Formula | None = None
    advance_if: Formula | None = None
    why: str = ""
    note: Text | str = ""
    note_if: Formula | None = None
    absorbs: tuple[Text, ...] = ()
    internal: bool = False
    dice_ok: bool = True


FigureWord: TypeAlias = Literal[
    "number", "percent", "days", "short", "code", "dice", "signed", "fraction", "die"
]
FigureForm: TypeAlias = Annotated[FigureWord, OneOf("number format", get_args(FigureWord))]


@rule_model
class RatingColumn:
    """A value beside each rating of a group; formulas know it as `TRAIT.COLUMN`.

    Attributes:
        label: What stands below it; without one only formulas see it.
        value: The formula: `total` is the whole rating, `n` its own steps, `under` the rating of
            the trait that governs it.
        as_: How the value is written; as a number without it.
    """

    value: Formula
    label: str = ""
    as_: FigureForm | None = None


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
        rating: How ratings are written; `signed` is a rank such as `+3`, which 0 is, too, and
            `die` one such as `d8`, the third step of a ladder from d4 to d12.
        stated: Whether the author writes ratings, and buys the steps that were not granted.
        sums: Whether a trait's rating adds that of its parent, the trait named in `under`.
        base: What each rating begins at, see `base` of a trait; authors write it included.
        columns: Values beside each rating, by id, such as its half.
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
    base: Formula | None = None
    columns: Mapping[str, RatingColumn] = field(default_factory=dict)
    price: Formula | None = None
    pool: PoolId | None = None
    boxes: Count = 0
    stars: ChoiceId | None = None
    limit: Limit | None = None
    traits: Mapping[str, Trait] = field(default_factory=dict)
    open: OpenGroup | None = None
    text: str = ""


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
        once: Only under `when`: whether the block is given once, however often the choice is taken.
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
    once: bool = False


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
        grants: What the choice gives, each time it is taken.
        levels: What it gives once at each of its levels, by level: the same keys as `grants`.
        numbers: Its numbers by names of the ruleset's own: formulas add them up over all picks,
            `sum(class.hit_die)`, and lists show them.
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
    levels: Mapping[str, Grants] = field(default_factory=dict)
    numbers: Mapping[str, Formula] = field(default_factory=dict)
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
        level: What the `levels` of its choices count; without it, how often a choice is taken.
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
    level: Formula | None = None


@rule_model
class Item:
    """A thing to own; its other texts may hold {formulas} of options.

    Attributes:
        short: A shorter name for narrow places, such as a sum.
        cost: The price; none where the item is not for sale.
        tags: Words that formulas, lists and tables find the item by.
        skill: The trait that it is used with.
        dice: Its own dice of damage.
        adds: The trait whose rating is added to the damage.
        attack: What is rolled to hit, in words with {formulas} of whoever owns it: instead of the
            rating of `skill`. They see the item's own numbers, and `cost`, what was paid for it.
        damage: The damage in words with {formulas}, such as `{dice(1, 8, might)}`: instead of
            `dice` and the rating of `adds`.
        gives: The derived value that the item raises by `bonus`.
        bonus: How much it adds to `gives`; without `gives`, the dice that `conditional` shows.
            An advance raises the item's dice, or else its bonus.
        modifies: Other derived values that it changes while it is worn or held, and by how much.
        special: A special rule, shown beside the item.
        conditional: A bonus that is shown and never added; `{bonus}` is the item's bonus.
        worn: Whether the item is worn; only the first worn item counts.
        stacks: Where this holds, a further worn or held item counts too.
        asks: Catalogues that the item takes picks from, by the key under the item.
        numbers: Its numbers by names of the ruleset's own, such as `weight`: formulas add them up,
            `sum(gear.weight)`, lists and tables show them, and a file may write others.
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
    attack: Text | None = None
    damage: Text | None = None
    gives: DerivedId | None = None
    bonus: Step | None = None
    modifies: Mapping[DerivedKey, Formula] = field(default_factory=dict)
    special: Text | str = ""
    conditional: Text | str = ""
    worn: bool = False
    stacks: Formula | None = None
    asks: Mapping[str, CatalogueId] = field(default_factory=dict)
    numbers: Mapping[str, Formula] = field(default_factory=dict)
    note: str = ""


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


@rule_model
class Derived:
    """A computed value: one formula, or the sum of a formula over the traits of some groups.

    Attributes:
        value: The formula.
        sum: A formula that is added up over all traits of the groups in `over`.
        over: The groups that `sum` is added up over.
        use: A short note about what the value is for.
        as_: How the value is written; as a number without it. `signed` is `+3`, `fraction` `1½`.
        unit: What stands behind the figure, such as `ft`.
        blank: What an empty sheet shows instead.
    """

    label: str = ""
    value: Formula | None = None
    sum: Formula | None = None
    over: tuple[GroupId, ...] = ()
    use: str = ""
    as_: FigureForm | None = None
    place: str = ""  # of a column beside a rating, which is no key of a file: GROUP.TRAIT.COLUMN
    unit: str = ""
    blank: str = ""
    text: str = ""
    ruling: str = ""


@rule_model
class Track:
    """Boxes to tick.

    Attributes:
        boxes: How many boxes there are.
        marked: The key of the file or the derived value that says how many boxes are marked.
        shown: How many boxes a sheet has room for: a blank draws as many, and boxes beyond them
            are a number, `+1 off track`.
        steps: Which box leads to another state, by the name of the state.
    """

    boxes: Formula
    label: str = ""
    marked: (
        Annotated[Text, Ref("number without a rating", "number of the file or derived value")]
        | None
    ) = None
    shown: Count = 0
    steps: Mapping[str, Formula] = field(default_factory=dict)


@rule_model
class TextLine:
    """A line of text with {formulas}.

    Attributes:
        text: The line.
        blank: What an empty sheet shows; its formulas know only options.
        label: A name for the line; with one, the command `show` prints it too.
    """

    text: Text
    blank: Text | str = ""
    label: str = ""


@rule_model
class ItemRows:
    """Rows of a sheet: one for each item, choice or trait.

    Attributes:
        of: What has a row: `gear`, `choices.ID`, a group, or a key of the character's file.
        where: A tag that a thing must have.
        without: Tags that a thing must not have.
        label: The heading; without it, the id.
        roll: What is rolled in each row; without it, what the choice rolls.
        uses: How often each may be used before a rest; short sheets have so many boxes for it.
        columns: The text of each column, with {formulas}; at most 15 on a generated sheet.
    """

    of: Annotated[Text, Ref("things with rows", "key")]
    label: str = ""
    where: Tag | None = None
    without: tuple[Tag, ...] = ()
    roll: Annotated[Text, Ref("roll or trait", "roll")] | None = None
    uses: Count = 0
    columns: Mapping[str, Text] = field(default_factory=dict)


@rule_model
class DiceMix:
    """A pool of different dice.

    Attributes:
        dice: How many of each die, by the id that `odds` gives the die, in the order of print.
        each: A group: each of its traits has this roll.
    """

    dice: Mapping[str, Formula]
    label: str = ""
    each: GroupId | None = None


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
