"""Traits, which are all things with a rating, in groups; the fields are the keys of the YAML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal, TypeAlias, get_args

from sheetgen.model import source as nodes
from sheetgen.model.pictures import PictureFile
from sheetgen.model.source import Count, Formula, PoolId, Ref, Step, Tag, Text, TraitId, rule_model

SeverityWord: TypeAlias = Literal["error", "warning", "note"]
Severity: TypeAlias = Annotated[SeverityWord, nodes.OneOf("severity", get_args(SeverityWord))]
RatingWord: TypeAlias = Literal["dots", "dice", "rank", "signed", "die"]
RatingKind: TypeAlias = Annotated[RatingWord, nodes.OneOf("kind of rating", get_args(RatingWord))]


@rule_model
class Limit:
    """The highest ratings allowed in a group."""

    most: Formula  # The highest rating where `sets` says nothing else, such as `5` or `under + 1`.
    # The catalogue whose pick decides which line of a set counts.
    by: nodes.CatalogueId | None = None
    # The option that decides which set counts; the sets are named as its values (`True` and `False`
    # for `yes or no`).
    option: nodes.OptionId | None = None
    raised_by: nodes.ChoiceId | None = None  # A choice that lifts every limit of at least 1.
    # The highest rating that `raised_by` can reach; 0 for no ceiling.
    ceiling: Formula | None = None
    # Limits by value of `option`, then by pick (`none` for no pick), then by trait (`others` for
    # the traits that are not listed).
    sets: Mapping[str, Mapping[str, Mapping[str, Step]]] = field(default_factory=dict)


@rule_model
class Trait:
    """Anything with a rating."""

    name: Text
    text: Text | str = ""
    art: PictureFile | None = None  # The picture on its card.
    aliases: tuple[Text, ...] = ()
    short: str = ""  # An abbreviation, such as `DEX`.
    # The named formula by which the trait's effect grows. Tables, cards and sheets with boxes show
    # it; prices do not follow it.
    keyword: Annotated[Text, Ref("formula")] | None = None
    # The trait that governs this one; its rating is added where the group says `sums`.
    under: TraitId | None = None
    # What the rating begins at, above which steps are bought and granted; without it, that of the
    # group.
    base: Formula | None = None
    needs: Formula | None = None  # A formula that must hold before a character can have the trait.
    # A formula that must hold before an advance can raise the trait.
    advance_if: Formula | None = None
    why: str = ""
    # A warning that `check` shows to characters who have the trait at a rating of 1.
    note: Text | str = ""
    note_if: Formula | None = None  # A formula that must hold for `note` to be shown.
    # Names of traits that a module merged into this one; modules write it.
    absorbs: tuple[Text, ...] = ()
    # Whether only formulas need the rating, so that generated sheets and lists of what a choice
    # gives leave it out.
    internal: bool = False
    dice_ok: bool = True  # Whether the sheet has a field for a die that is pinned to the trait.


FigureWord: TypeAlias = Literal[
    "number", "percent", "days", "short", "code", "dice", "signed", "fraction", "die"
]
FigureForm: TypeAlias = Annotated[FigureWord, nodes.OneOf("number format", get_args(FigureWord))]


@rule_model
class RatingColumn:
    """A value beside each rating of a group; formulas know it as `TRAIT.COLUMN`."""

    # The formula: `total` is the whole rating, `n` its own steps, `under` the rating of the trait
    # that governs it.
    value: Formula
    label: str = ""  # What stands below it; without one only formulas see it.
    as_: FigureForm | None = None  # How the value is written; as a number without it.


@rule_model
class OpenGroup:
    """A group whose traits the author names."""

    most: Count  # The highest rating, or the highest `max` that an author may write.
    # The choice that allows as many traits as it was taken times, each with its own `max` in the
    # file; without it, there may be any number, and none needs a `max`.
    needs: nodes.ChoiceId | None = None
    # Whether a name has to differ from those of listed traits and of the traits of other
    # characters.
    name_differs: bool = True


@rule_model
class Group:
    """Traits of one kind."""

    label: str = ""  # The heading of the group on prints.
    one: str = "trait"  # What messages call one of its traits, such as `skill`.
    # How ratings are written; `signed` is a rank such as `+3`, which 0 is, too, and `die` one such
    # as `d8`, the third step of a ladder from d4 to d12.
    rating: RatingKind | None = None
    # Whether the author writes ratings, and buys the steps that were not granted.
    stated: bool = False
    # Whether a trait's rating adds that of its parent, the trait named in `under`.
    sums: bool = True
    # What each rating begins at, see `base` of a trait; authors write it included.
    base: Formula | None = None
    # Values beside each rating, by id, such as its half.
    columns: Mapping[str, RatingColumn] = field(default_factory=dict)
    price: Formula | None = None  # The price of step `n`.
    pool: PoolId | None = None  # The pool that pays the price.
    boxes: Count = 0  # How many boxes a sheet draws for a rating; 0 for none.
    stars: nodes.ChoiceId | None = None  # The choice that grants one star each time it is taken.
    limit: Limit | None = None  # The highest ratings allowed.
    traits: Mapping[str, Trait] = field(default_factory=dict)  # The traits, by id.
    open: OpenGroup | None = None  # Present where authors name the group's traits themselves.
    text: str = ""

    @property
    def internal(self) -> bool:
        """Whether prints leave it out, since formulas alone need traits of it."""
        return any(trait.internal for trait in self.traits.values())


@rule_model
class PointSpread:
    """Points that the author spreads over traits."""

    points: Formula  # How many points there are.
    of: nodes.GroupId | None = None  # A group of traits.
    among: tuple[TraitId, ...] = ()  # The traits, where they are no whole group.
    base: Step = 0  # What each trait has before any point.
    # What single traits have before any point.
    base_of: Mapping[nodes.TraitKey, Step] = field(default_factory=dict)
    least: Step = 0  # The lowest rating of each trait.
    most: Step | None = None  # The highest rating of each trait.
    # The highest rating of single traits.
    most_of: Mapping[nodes.TraitKey, Step] = field(default_factory=dict)


@rule_model
class Grants:
    """What a choice gives."""

    raise_: Mapping[nodes.TraitKey, Formula] = field(default_factory=dict)  # Steps of traits.
    take: tuple[nodes.ChoiceId, ...] = ()  # Other choices, which count as taken once.
    # Items at no cost; one that the file lists under a key without a pool is that item.
    gear: tuple[nodes.ItemId, ...] = ()
    dice: tuple[Text, ...] = ()  # Dice, such as `d4`.
    # Picks that come along, by catalogue; a different pick in the file is an error.
    set: Mapping[nodes.CatalogueKey, Text] = field(default_factory=dict)
    start: Mapping[nodes.PoolKey, Formula] = field(default_factory=dict)  # What pools start with.
    asked: Count = 0  # Steps for the trait that the author names, see `asks` of a choice.
    passes_limits: bool = False  # Whether what is raised may pass the limit, though not the boxes.
    spread: PointSpread | None = None  # Points that the author spreads over traits.
    when: tuple[Grants, ...] = ()  # Further blocks like this one, each with a condition `if`.
    if_: Formula | None = None  # Only under `when`: the condition.
    # Only under `when`: whether the block is given once, however often the choice is taken.
    once: bool = False


@rule_model
class Focus:
    """What a choice is best at."""

    name: str = ""  # What it is called.
    skill: TraitId | None = None  # The trait that it raises.


@rule_model
class ChoiceSection:
    """A part of a choice's text, such as `Hit`."""

    label: str  # The heading.
    text: Text | str
    about: str = ""  # A short text below the heading.
    # The same as `text` with {formulas} of the character who has it; cards of the character show
    # it.
    computed: Text | None = None


@rule_model
class Choice:
    """One choice of a catalogue; its `text` may hold {formulas} of options."""

    name: Text
    text: Text | str = ""
    art: PictureFile | None = None  # The picture on its card.
    # The same as `text` with {formulas} of the character who has it; lists show it.
    computed: Text | None = None
    aliases: tuple[Text, ...] = ()
    tags: tuple[Tag, ...] = ()  # Words that formulas, lists and tables find the choice by.
    grants: Grants | None = None  # What the choice gives, each time it is taken.
    # What it gives once at each of its levels, by level: the same keys as `grants`.
    levels: Mapping[str, Grants] = field(default_factory=dict)
    # Its numbers by names of the ruleset's own: formulas add them up over all picks,
    # `sum(class.hit_die)`, and lists show them.
    numbers: Mapping[str, Formula] = field(default_factory=dict)
    # Traits that a key with `from` lets its taker name, and that prices see as `offered`.
    offers: tuple[TraitId, ...] = ()
    # Short texts by names of the ruleset's own; formulas know them as `fact.NAME`.
    facts: Mapping[str, Text] = field(default_factory=dict)
    sections: tuple[ChoiceSection, ...] = ()  # Longer texts with a label, in the order of print.
    # What is rolled for it: a roll of the ruleset, or a trait.
    roll: Annotated[Text, Ref("roll or trait", "roll")] | None = None
    undefined: tuple[Text, ...] = ()  # Words that it uses and that its source does not define.
    requires: Formula | None = None  # A formula that must hold for whoever picks it.
    why: str = ""
    # The group of the trait that a pick names, or `text` for words.
    asks: Annotated[Text, Ref("group or text", "group")] | None = None
    may_say: bool = False  # Whether a pick may add words of the author's own.
    once: bool = False  # Whether it can be taken only once.
    # How many times it can be taken; what another choice brings along does not count.
    most: Formula | None = None
    price: Formula | None = None  # What it costs.
    pool: PoolId | None = None  # The pool that pays; without it, the catalogue's pool.
    focus: Focus | None = None  # What it is best at.
    note: Text | str = ""  # A warning that `check` shows to those who pick it.
    dice: nodes.DiceCode = nodes.DiceCode(0)  # Dice that it adds to the item that takes it.
    # Derived values that it changes, and by how much; of a choice that an item takes, while that
    # item is worn or held.
    modifies: Mapping[nodes.DerivedKey, Formula] = field(default_factory=dict)
    special: str = ""  # A special rule that it adds to the item that takes it.
    conditional: str = ""  # A bonus of the item that is shown and never added.
    # A bonus behind the name of the trait that its taker names; it is shown and never added.
    beside: str = ""
    ruling: str = ""
    origin: str = ""  # Where the text comes from, for maintainers.


@rule_model
class CustomFocus:
    """The trait that an author's own choice raises."""

    of: nodes.GroupId  # The group of the trait.
    by: Step = 1  # How many steps it is raised by.
    required: bool = False  # Whether the author has to name one.


@rule_model
class Custom:
    """How authors may write a choice of their own."""

    spread: PointSpread | None = None  # Points that the author spreads over traits.
    focus: CustomFocus | None = None  # The trait that the choice raises.
    switch: nodes.OptionId | None = None  # An option that must be on.
    tags: tuple[Tag, ...] = ()  # Tags of such a choice.
    note: str = ""  # A text that `check` shows with the pick.


@rule_model
class Catalogue:
    """A list to pick from."""

    label: str = ""
    one: str = "choice"  # What messages call one of its choices.
    # Whether names that are not listed are allowed, with a warning; for what an item asks, the
    # warning comes only where a listed name is near.
    open: bool = False
    entries: Mapping[str, Choice] = field(default_factory=dict)  # The choices, by id.
    custom: Custom | None = None  # Present where authors may write a choice of their own.
    text: Text | str = ""
    price: Formula | None = None  # What each choice costs that has no price of its own.
    pool: PoolId | None = None  # The pool that pays.
    many: bool = False  # Whether an item may take several of them.
    # What the `levels` of its choices count; without it, how often a choice is taken.
    level: Formula | None = None


@rule_model
class Item:
    """A thing to own; its other texts may hold {formulas} of options."""

    name: Text
    short: str = ""  # A shorter name for narrow places, such as a sum.
    cost: nodes.Price | None = None  # The price; none where the item is not for sale.
    aliases: tuple[Text, ...] = ()
    tags: tuple[Tag, ...] = ()  # Words that formulas, lists and tables find the item by.
    text: Text | str = ""
    art: PictureFile | None = None  # The picture on its card.
    skill: TraitId | None = None  # The trait that it is used with.
    dice: nodes.DiceCode | None = None  # Its own dice of damage.
    adds: TraitId | None = None  # The trait whose rating is added to the damage.
    # What is rolled to hit, in words with {formulas} of whoever owns it: instead of the rating of
    # `skill`. They see the item's own numbers, and `cost`, what was paid for it.
    attack: Text | None = None
    # The damage in words with {formulas}, such as `{dice(1, 8, might)}`: instead of `dice` and the
    # rating of `adds`.
    damage: Text | None = None
    gives: nodes.DerivedId | None = None  # The derived value that the item raises by `bonus`.
    # How much it adds to `gives`; without `gives`, the dice that `conditional` shows. An advance
    # raises the item's dice, or else its bonus.
    bonus: Step | None = None
    # Other derived values that it changes while it is worn or held, and by how much.
    modifies: Mapping[nodes.DerivedKey, Formula] = field(default_factory=dict)
    special: Text | str = ""  # A special rule, shown beside the item.
    # A bonus that is shown and never added; `{bonus}` is the item's bonus.
    conditional: Text | str = ""
    worn: bool = False  # Whether the item is worn; only the first worn item counts.
    stacks: Formula | None = None  # Where this holds, a further worn or held item counts too.
    # Catalogues that the item takes picks from, by the key under the item.
    asks: Mapping[str, nodes.CatalogueId] = field(default_factory=dict)
    # Its numbers by names of the ruleset's own, such as `weight`: formulas add them up,
    # `sum(gear.weight)`, lists and tables show them, and a file may write others.
    numbers: Mapping[str, Formula] = field(default_factory=dict)
    note: str = ""  # A warning that `check` shows to those who own the item.


@rule_model
class Pool:
    """Points of one kind, such as experience or money."""

    label: str
    start: Formula  # What a new character has.
    adds: nodes.KeyId | None = None  # The key of the character's file that adds to the start.
    override: nodes.KeyId | None = None  # The key of the character's file that replaces the start.
    text: str = ""
    start_label: str = ""  # What the first line of the ledger says instead of `at the start`.
    # Where this does not hold, the build has no such pool and its items cost nothing, unless
    # `override` replaces the start.
    needs: Formula | None = None
    # Where two choices set the start, the one from the catalogue that this option names counts.
    conflict: nodes.OptionId | None = None
    ruling: str = ""


@rule_model
class Dice:
    """Dice that are bought and upgraded."""

    pool: PoolId  # The pool that pays for them.
    ladder: tuple[nodes.Faces, ...]  # Numbers of faces, upwards; a new die has the first.
    buy: Formula  # The price of a new die.
    upgrade: Formula  # The price of one step up the ladder.
    label: str = "Dice"


@rule_model
class NamedAdvance:
    """An advance with a price of its own."""

    name: Text
    price: Formula  # What it costs.
    # Steps that it adds, by trait.
    raise_: Mapping[nodes.TraitKey, Formula] = field(default_factory=dict)
    take: tuple[nodes.ChoiceId, ...] = ()  # Choices that it brings along.
    requires: Formula | None = None  # A formula that must hold before it can be bought.
    why: str = ""
    once: bool = False  # Whether it can be bought only once.
    aliases: tuple[Text, ...] = ()
    text: str = ""


@rule_model
class Advances:
    """What a character may improve later."""

    pool: PoolId  # The pool that pays for advances.
    # The price of one step of a trait, by group.
    groups: Mapping[nodes.GroupKey, Formula] = field(default_factory=dict)
    gear: Formula | None = None  # The price of one step of an item's dice or bonus.
    # Advances with a price of their own, by id.
    named: Mapping[str, NamedAdvance] = field(default_factory=dict)
    twice_in_session: str = ""  # A warning about a trait that is raised twice in one session.
    twice_at_once: str = ""  # A warning about a trait that is raised by several steps in one entry.
    twice_if: Formula | None = None  # Where this does not hold, neither warning is given.
    ruling: str = ""


@rule_model
class Derived:
    """A computed value: one formula, or the sum of a formula over the traits of some groups."""

    label: str = ""
    value: Formula | None = None  # The formula.
    # A formula that is added up over all traits of the groups in `over`.
    sum: Formula | None = None
    over: tuple[nodes.GroupId, ...] = ()  # The groups that `sum` is added up over.
    use: str = ""  # A short note about what the value is for.
    # How the value is written; as a number without it. `signed` is `+3`, `fraction` `1½`.
    as_: FigureForm | None = None
    place: str = ""  # of a column beside a rating, which is no key of a file: GROUP.TRAIT.COLUMN
    unit: str = ""  # What stands behind the figure, such as `ft`.
    blank: str = ""  # What an empty sheet shows instead.
    text: str = ""
    ruling: str = ""


@rule_model
class Track:
    """Boxes to tick."""

    boxes: Formula  # How many boxes there are.
    label: str = ""
    # The key of the file or the derived value that says how many boxes are marked.
    marked: (
        Annotated[Text, Ref("number without a rating", "number of the file or derived value")]
        | None
    ) = None
    # How many boxes a sheet has room for: a blank draws as many, and boxes beyond them are a
    # number, `+1 off track`.
    shown: Count = 0
    # Which box leads to another state, by the name of the state.
    steps: Mapping[str, Formula] = field(default_factory=dict)


@rule_model
class TextLine:
    """A line of text with {formulas}."""

    text: Text  # The line.
    blank: Text | str = ""  # What an empty sheet shows; its formulas know only options.
    label: str = ""  # A name for the line; with one, the command `show` prints it too.


@rule_model
class ItemRows:
    """Rows of a sheet: one for each item, choice or trait."""

    # What has a row: `gear`, `choices.ID`, a group, or a key of the character's file.
    of: Annotated[Text, Ref("things with rows", "key")]
    label: str = ""  # The heading; without it, the id.
    where: Tag | None = None  # A tag that a thing must have.
    without: tuple[Tag, ...] = ()  # Tags that a thing must not have.
    # What is rolled in each row; without it, what the choice rolls.
    roll: Annotated[Text, Ref("roll or trait", "roll")] | None = None
    # How often each may be used before a rest; short sheets have so many boxes for it.
    uses: Count = 0
    # The text of each column, with {formulas}; at most 15 on a generated sheet.
    columns: Mapping[str, Text] = field(default_factory=dict)


@rule_model
class DiceMix:
    """A pool of different dice."""

    # How many of each die, by the id that `odds` gives the die, in the order of print.
    dice: Mapping[str, Formula]
    label: str = ""
    each: nodes.GroupId | None = None  # A group: each of its traits has this roll.


@rule_model
class Rule:
    """A condition that must hold."""

    require: Formula  # The condition.
    message: Text  # What the finding says where it does not hold; {formulas} are filled in.
    # The key or trait that the finding points at.
    at: Annotated[Text, Ref("key or trait")] | None = None
    severity: Severity | None = None  # How grave the finding is; an error without it.
    hint: str = ""  # What the author can do.
    # Whether it is about creation alone: formulas see ratings, choices and gear before advances.
    creation: bool = False
    ruling: str = ""
