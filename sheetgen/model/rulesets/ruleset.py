"""A ruleset: everything that one game says, as data. The fields are its YAML's keys.

content/rulesets/README.md is the manual of this format; keep the two in step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeAlias

from sheetgen.diag.spans import Span
from sheetgen.model.rulesets.card_sets import CardSet
from sheetgen.model.rulesets.choices import Catalogue as Catalogue
from sheetgen.model.rulesets.choices import Choice as Choice
from sheetgen.model.rulesets.choices import Custom as Custom
from sheetgen.model.rulesets.choices import Grants as Grants
from sheetgen.model.rulesets.choices import PointSpread as PointSpread
from sheetgen.model.rulesets.encounters import Encounters
from sheetgen.model.rulesets.makers import Maker
from sheetgen.model.rulesets.odds import Odds
from sheetgen.model.rulesets.origins import Composition
from sheetgen.model.rulesets.proof import Proof
from sheetgen.model.rulesets.screens import Screen
from sheetgen.model.rulesets.tables import Reference, Table
from sheetgen.model.shape import Count, DiceCode, Faces, Positive, Price, Step, rule_model
from sheetgen.model.shape import Formula as Formula
from sheetgen.model.source import Text

Setting: TypeAlias = bool | int | str
"""What an option may be."""


@rule_model
class Credit:
    """Whose rules these are; `short` stands on every page made from them."""

    short: str
    long: str
    licence: str
    changes: str = ""


@rule_model
class Option:
    """An open question of the rules, how this table answers it, and why by default so.

    Attributes:
        values: What it may be: names, or `number`, or `yes or no`.
    """

    default: Setting
    values: tuple[Text, ...]
    text: str = ""
    ruling: str = ""


@rule_model
class Ruling:
    """How an open point of the source is read, in our own words.

    Attributes:
        about: What the source leaves open.
        read: The reading that counts where no option says otherwise.
        rests: Where the source says it.
    """

    read: str
    about: str = ""
    rests: str = ""


@rule_model
class Limit:
    """The highest ratings allowed in a group.

    Attributes:
        by: The catalogue whose pick decides.
        sets: By value of `option`, then by pick (`none` for nobody), then by trait
            (`others` for the rest).
        raised_by: A choice that lifts every limit of at least 1.
    """

    most: Formula
    by: Text | None = None
    option: Text | None = None
    raised_by: Text | None = None
    ceiling: Formula | None = None
    sets: Mapping[str, Mapping[str, Mapping[str, Step]]] = field(default_factory=dict)


@rule_model
class Trait:
    """Anything with a rating. `under`: the trait whose rating is added to its own.

    Attributes:
        note: A caveat, said at a rating of 1 to those for whom `note_if` holds.
        absorbs: Names of traits that a module merged into it.
    """

    name: Text
    text: Text | str = ""
    aliases: tuple[Text, ...] = ()
    short: str = ""
    keyword: Text | None = None
    under: Text | None = None
    needs: Formula | None = None
    advance_if: Formula | None = None
    why: str = ""
    note: Text | str = ""
    note_if: Formula | None = None
    absorbs: tuple[Text, ...] = ()
    band: Count = 0
    dice_ok: bool = True


@rule_model
class OpenGroup:
    """A group whose traits the author names; each says its own highest rating.

    `name_differs`: no listed trait may be called so, nor one of another character.
    """

    needs: Text
    most: Count
    name_differs: bool = True


@rule_model
class Group:
    """Traits of one kind.

    Attributes:
        stated: The author writes ratings, and buys the steps.
        sums: Whether a trait's rating adds that of the one that it stands under.
    """

    label: str = ""
    one: str = "trait"
    rating: Text | None = None
    stated: bool = False
    sums: bool = True
    price: Formula | None = None
    pool: Text | None = None
    boxes: Count = 0
    stars: Text | None = None
    limit: Limit | None = None
    traits: Mapping[str, Trait] = field(default_factory=dict)
    open: OpenGroup | None = None
    text: str = ""


@rule_model
class Pool:
    """Points to gain and spend. `adds`, `override`: keys of the character file.

    Attributes:
        needs: Where it does not hold, and no key overrides the start, there is no such pool.
    """

    label: str
    start: Formula
    adds: Text | None = None
    override: Text | None = None
    text: str = ""
    start_label: str = ""
    needs: Formula | None = None
    conflict: Text | None = None
    ruling: str = ""


@rule_model
class Dice:
    """Dice that are bought and upgraded.

    Attributes:
        ladder: Faces, upwards; a new die is the first.
        buy: Price of a new die; `count` is how many there are with it.
        upgrade: Price of one rung; `count` as above, `faces` of the rung reached.
    """

    pool: Text
    ladder: tuple[Faces, ...]
    buy: Formula
    upgrade: Formula
    label: str = "Dice"


@rule_model
class NamedAdvance:
    """A step with a price of its own."""

    name: Text
    price: Formula
    raise_: Mapping[str, Formula] = field(default_factory=dict)
    requires: Formula | None = None
    why: str = ""
    once: bool = False
    aliases: tuple[Text, ...] = ()
    text: str = ""


@rule_model
class Advances:
    """What a character may improve later; `groups` by group: price, with `n` reached.

    Attributes:
        twice_in_session: A warning about a trait with two steps in one session.
        twice_at_once: The same about several steps in one entry, whatever the session.
        twice_if: Where this does not hold, neither is given.
    """

    pool: Text
    groups: Mapping[str, Formula] = field(default_factory=dict)
    gear: Formula | None = None
    named: Mapping[str, NamedAdvance] = field(default_factory=dict)
    twice_in_session: str = ""
    twice_at_once: str = ""
    twice_if: Formula | None = None
    ruling: str = ""


@rule_model
class Item:
    """A thing to own; its texts may hold {formulas} of options.

    Attributes:
        short: A word for it where there is little room, such as in a sum.
        cost: None where it is not for sale.
        dice, adds: Damage: its own dice, and the trait that adds its rating.
        gives, bonus: The derived value that it raises, and by how much; an advance
            raises the dice, or else the bonus. A bonus that gives nothing is dice that
            `conditional` shows.
        modifies: Other derived values that it changes while it is worn or held.
        conditional: A bonus that is shown and never added.
        worn, stacks: Only the first worn item counts, unless `stacks` holds.
    """

    name: Text
    short: str = ""
    cost: Price | None = None
    aliases: tuple[Text, ...] = ()
    tags: tuple[Text, ...] = ()
    text: Text | str = ""
    skill: Text | None = None
    dice: DiceCode | None = None
    adds: Text | None = None
    gives: Text | None = None
    bonus: Step | None = None
    modifies: Mapping[str, Formula] = field(default_factory=dict)
    special: Text | str = ""
    conditional: Text | str = ""
    worn: bool = False
    stacks: Formula | None = None
    asks: Mapping[str, Text] = field(default_factory=dict)
    note: str = ""


@rule_model
class Key:
    """What one key of a character file holds; content/rulesets/README.md lists the kinds.

    Attributes:
        each: What must hold of every link, or of every pinned die, under it.
        tags: What an item of the author's own with dice is, such as a weapon.
        whole: Of codes: they hold what their traits stand under.
        passing: Whether a choice is a state that passes, and not who one is.
        from_: The catalogue whose pick offers the traits that may be named.
        fits: What must hold of each trait that is named, with `n` its rating before
            what the keys after this one give, and `closed` 1 where what the trait needs
            does not hold.
        lifts: How much every listed code gains, with `raised` as in `whole_codes.lift`.
        gives: Of a text that may name a file, or one of the kinds `of`: traits and keys
            here, each by a formula over the names of who is named and the texts of this file.
    """

    kind: Text
    label: str = ""
    of: tuple[Text, ...] = ()
    aliases: tuple[Text, ...] = ()
    required: bool = False
    lines: bool = False
    open: bool = False
    passing: bool = False
    count: Formula | None = None
    from_: Text | None = None
    fits: Formula | None = None
    by: Formula | None = None
    whole: bool = False
    tags: tuple[Text, ...] = ()
    lifts: Formula | None = None
    gives: Mapping[str, Formula] = field(default_factory=dict)
    repeat: Formula | None = None
    least: Formula | None = None
    most: Formula | None = None
    pool: Text | None = None
    price: Formula | None = None
    unpriced: Text | None = None
    requires: Formula | None = None
    why: str = ""
    ruling: str = ""
    text: str = ""
    example: str = ""
    each: tuple[Rule, ...] = ()


@rule_model
class Derived:
    """A computed value: one formula, or a sum of one over groups of traits.

    Attributes:
        as_: How it is written, a name of `rules.tables.FORMS`; as a number if not said.
    """

    label: str = ""
    value: Formula | None = None
    sum: Formula | None = None
    over: tuple[Text, ...] = ()
    use: str = ""
    as_: Text | None = None
    blank: str = ""
    text: str = ""
    ruling: str = ""


@rule_model
class Track:
    """Boxes to tick; `marked` is the key of the file, or the derived value, that says how many are.

    Attributes:
        steps: Which box leads to another state, by the name of that.
    """

    boxes: Formula
    label: str = ""
    marked: Text | None = None
    shown: Count = 0
    steps: Mapping[str, Formula] = field(default_factory=dict)


@rule_model
class TextLine:
    """A line of text with formulas in braces; `blank`, of options only, is for an empty sheet.

    Attributes:
        label: With one, `show` says the line too.
    """

    text: Text
    blank: Text | str = ""
    label: str = ""


@rule_model
class ItemRows:
    """Rows of a sheet, one for each item with the tag `where`."""

    of: Text
    where: Text | None = None
    without: tuple[Text, ...] = ()
    columns: Mapping[str, Text] = field(default_factory=dict)


@rule_model
class DiceMix:
    """A pool of different dice: how many of each, by the id that `odds` gives a die.

    Attributes:
        each: A group: each of its traits has this roll, with `n` its own rating and
            `under` that of what it stands under.
    """

    dice: Mapping[str, Formula]
    label: str = ""
    each: Text | None = None


@rule_model
class Rule:
    """Something that must hold; a finding at key `at` where it does not."""

    require: Formula
    message: Text
    at: Text | None = None
    severity: Text | None = None
    hint: str = ""
    ruling: str = ""


@rule_model
class Kind:
    """Another sort of file under the same rules than characters; `rules_of` makes its rules.

    Attributes:
        one, label: What one of them is called, and many.
        keeps: Parts of the ruleset that count here too; entries of its own come before.
        folder: Where those that come with the ruleset stand, beside its files.
        based_on: The key that names another of its kind to start from.
        own: Keys that the new one does not take over from there.
        card: The folder under templates/ that prints it.
        maker: How new ones are made; None where nothing makes them.
    """

    one: str
    label: str
    character: Mapping[str, Key]
    folder: str = ""
    keeps: tuple[Text, ...] = ()
    based_on: Text | None = None
    own: tuple[Text, ...] = ()
    card: Text | None = None
    maker: Maker | None = None
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


@rule_model
class Ruleset:
    """One game's rules, as data. The engine knows none of these names by heart."""

    id: Text
    title: str
    version: Price
    format: Positive
    credit: Credit
    lang: str = "en"
    pips: bool = False
    extends: Text | None = None
    spellings: Mapping[str, Text] = field(default_factory=dict)
    options: Mapping[str, Option] = field(default_factory=dict)
    rulings: Mapping[str, Ruling] = field(default_factory=dict)
    formulas: Mapping[str, Formula] = field(default_factory=dict)
    groups: Mapping[str, Group] = field(default_factory=dict)
    choices: Mapping[str, Catalogue] = field(default_factory=dict)
    given: Grants | None = None
    rolls: Mapping[str, DiceMix] = field(default_factory=dict)
    pools: Mapping[str, Pool] = field(default_factory=dict)
    dice: Dice | None = None
    advances: Advances | None = None
    gear: Mapping[str, Item] = field(default_factory=dict)
    character: Mapping[str, Key] = field(default_factory=dict)
    derived: Mapping[str, Derived] = field(default_factory=dict)
    tracks: Mapping[str, Track] = field(default_factory=dict)
    texts: Mapping[str, TextLine] = field(default_factory=dict)
    lists: Mapping[str, ItemRows] = field(default_factory=dict)
    rules: Mapping[str, Rule] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    references: Mapping[str, Reference] = field(default_factory=dict)
    screens: Mapping[str, Screen] = field(default_factory=dict)
    proof: tuple[Proof, ...] = ()
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    card_sets: Mapping[str, CardSet] = field(default_factory=dict)
    encounter: Encounters | None = None
    odds: Odds | None = None
    reminders: tuple[str, ...] = ()
    sheet: Text | None = None
    place: Span = field(default_factory=lambda: Span("ruleset"))
    digest: str = ""
    composition: Composition = Composition()
