"""A ruleset: the rules of one game, as data; the fields are the keys of its YAML files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, ClassVar, Final, Literal, TypeAlias, get_args

from sheetgen.diag.findings import Span
from sheetgen.model import source as nodes
from sheetgen.model.build import Build, Rating, code_text, step_die_text
from sheetgen.model.pictures import PictureFile
from sheetgen.model.rulesets import prints, traits
from sheetgen.model.rulesets.prints import CardSet, Odds, Pieces, Proof, Reference, Screen, Table
from sheetgen.model.rulesets.traits import Derived, Grants, Group, Item, Pool, Rule, TextLine, Track
from sheetgen.model.source import Formula, KeyId, OneOf, Price, Ref, Tag, Text, TraitId, rule_model
from sheetgen.records import frozen

KeyWord: TypeAlias = Literal[
    "text", "texts", "number", "flag", "sessions", "choice", "choices", "ratings", "raises",
    "refunds", "losses", "details", "links", "pinned", "dice", "dice_history", "item", "items",
    "advances", "codes", "printed"
]  # fmt: skip
# What a key of a character's file may hold: a sentence for each kind.
KEY_KINDS: Final[dict[KeyWord, str]] = {
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
# The kinds of keys that read a field of `Key`; all kinds read the others.
KINDS_OF_FIELDS: Final[Mapping[str, tuple[KeyWord, ...]]] = {
    "lines": ("text",),
    "values": ("text", "ratings"),
    "gives": ("text",),
    "open": ("item", "items"),
    "tags": ("item", "items"),
    "unpriced": ("item", "items"),
    "passing": ("choice",),
    "narrows": ("texts",),
    "count": ("raises", "choices", "codes", "texts"),
    "from_": ("raises",),
    "fits": ("raises",),
    "by": ("raises",),
    "lifts": ("raises",),
    "repeat": ("raises",),
    "whole": ("codes",),
    "least": ("number", "codes"),
    "most": ("number", "flag", "choice", "choices", "raises", "codes"),
    "pool": ("number", "flag", "item", "items", "texts"),
    "price": ("number", "flag", "item", "items", "refunds", "texts"),
    "each": ("links", "pinned"),
}
ITEM_KINDS: Final[tuple[KeyWord, ...]] = ("item", "items")
VALUE_KINDS: Final[tuple[KeyWord, ...]] = ("number", "flag")
KeyKind: TypeAlias = Annotated[KeyWord, OneOf("kind of key", tuple(KEY_KINDS))]


@rule_model
class Key:
    """What one key of a character's file holds."""

    kind: KeyKind  # The kind of value; the table of kinds below explains each.
    label: str = ""
    # The catalogue, groups, keys or kinds that the value is about; without it, those of the same
    # name as the key.
    of: tuple[Annotated[Text, Ref("what a key is about")], ...] = ()
    aliases: tuple[Text, ...] = ()
    # Of `texts`: each text is a narrow use of a trait of these groups, with its whole code, such as
    # `Cooking (fish) 5D+1`. `price` is that of a step above the trait, `count` how many steps are
    # free, and the key's name in formulas the price of the rest.
    narrows: tuple[nodes.GroupId, ...] = ()
    required: bool = False  # Whether every file must have the key.
    lines: bool = False  # Of `text`: whether it may have several lines.
    # Of `text`: the words of which it is one, in any case. Without it, a text that is nearly a word
    # with which formulas compare it is reported. Of `ratings`: the array of numbers or dice, each
    # of which is assigned to one trait, before what choices raise.
    values: tuple[Text, ...] = ()
    # Of `item` and `items`: whether names that are not listed are allowed, with a warning.
    open: bool = False
    # Of `choice`: whether the pick is a state that passes, and not who somebody is.
    passing: bool = False
    # Of `raises`, `codes` and `choices`: how many there are together; see `narrows`.
    count: Formula | None = None
    # Of `raises`: the catalogue whose pick offers the traits that may be named.
    from_: nodes.CatalogueId | None = None
    # Of `raises`: a formula that must hold of each trait that is named.
    fits: Formula | None = None
    by: Formula | None = None  # Of `raises`: how many steps each trait is raised by.
    # Of `codes`: whether a code includes the code of its parent, named in `under`.
    whole: bool = False
    # Of `items`: tags of an author's own item that has dice, such as `weapon`.
    tags: tuple[Tag, ...] = ()
    # Of `raises`: how many steps every code gains that the file lists.
    lifts: Formula | None = None
    # Of `text` that names another file: traits and keys of this file, each by a formula over the
    # names of the file that is named.
    gives: Mapping[Annotated[str, Ref("trait or key")], Formula] = field(default_factory=dict)
    # Of `raises`: a formula; where it holds, a trait may be named more than once.
    repeat: Formula | None = None
    least: Formula | None = None  # Of `number` and `codes`: the least value.
    # The greatest value; of `choice` and `choices`, how many picks; of `raises`, the highest
    # rating.
    most: Formula | None = None
    # Of `number`, `flag`, `item` and `items`: the pool that pays.
    pool: nodes.PoolId | None = None
    price: Formula | None = None  # The price of one; of `refunds`, what a sold step brings.
    # Of `item` and `items`: the option that says what an item without a price costs.
    unpriced: nodes.OptionId | None = None
    requires: Formula | None = None  # A formula that must hold where the file has the key.
    why: str = ""
    ruling: str = ""
    text: str = ""
    example: str = ""  # What a finding shows where the value has another shape.
    # Of `links` and `pinned`: rules that must hold for every link or pinned die.
    each: tuple[Rule, ...] = ()

    def catalogue(self, id_: str) -> str:
        """Return the catalogue that a key is about; `id_` is the key's own id."""
        return str(next(iter(self.of), id_))


@rule_model
class Maker:
    """What `sheetgen new` writes for a kind, and what it draws where the user leaves it open."""

    level: KeyId  # The key of the file that takes the level.
    skills: KeyId  # The key of the file that takes the skills; its `count` says how many.
    gear: KeyId  # The key of the file that takes the gear.
    # Skills of which each new file has at least one; a repeated one is drawn more often.
    first: tuple[TraitId, ...] = ()
    among: tuple[TraitId, ...] = ()  # Skills that the others are drawn from.
    # Gear by the skill that it is for; one of each list is drawn.
    suits: Mapping[nodes.TraitKey, tuple[Text, ...]] = field(default_factory=dict)
    also: tuple[Text, ...] = ()  # Gear that suits everybody; an empty text stands for no item.
    names: tuple[str, ...] = ()  # Names for those that are given none.


PartWord: TypeAlias = Literal["defences", "attacks", "abilities", "notes"]
PARTS_OF_BLOCK: Final = get_args(PartWord)


@rule_model
class StatBlock:
    """What stands where on the card that is made from a kind's data.

    Names are keys, values, groups, lists and texts. What is not named is where its sort is by
    default, after what is named.
    """

    # The parts below the headline, in the order of print.
    order: tuple[Annotated[PartWord, OneOf("part of a card", get_args(PartWord))], ...] = ()
    headline: tuple[Text, ...] = ()  # Words below the name.
    defences: tuple[Text, ...] = ()  # Numbers; the first four are large.
    attacks: tuple[Text, ...] = ()  # Lists and texts of what it does on its turn.
    abilities: tuple[Text, ...] = ()  # Groups of traits.
    notes: tuple[Text, ...] = ()  # All else.
    hidden: tuple[Text, ...] = ()  # What is not printed.


@rule_model
class Kind:
    """Another kind of file under the same rules, such as NPCs."""

    one: str  # What messages call one of them.
    label: str  # What several are called.
    character: Mapping[str, Key]  # The keys of such a file.
    folder: str = ""  # The folder, beside the ruleset's files, of those that come with the ruleset.
    # Parts of the ruleset that count here too, as a whole (`gear`) or by name (`choices.crystals`);
    # the kind's own entries come before.
    keeps: tuple[Annotated[Text, Ref("part of the rules")], ...] = ()
    # The key that names another file of the kind to start from; without it, the kind's own id if
    # there is a `folder`.
    based_on: KeyId | None = None
    own: tuple[KeyId, ...] = ()  # Keys that are not taken over from there.
    # The design of the kind's card: `./card`, a folder beside the ruleset's files, or the id of a
    # shipped one; without it the card is made from the kind's data.
    card: Annotated[Text, Ref("card")] | None = None
    block: StatBlock | None = None  # What stands where on that card.
    # The picture on the card of a file, by its name, by that of the file that it starts from, or by
    # its group; `others` for all others, `deck` for the backs.
    emblems: Mapping[str, Text] = field(default_factory=dict)
    maker: Maker | None = None  # How `sheetgen new` writes one; without it, it cannot.
    # What every file of this kind has, instead of what the ruleset gives.
    given: Grants | None = None
    groups: Mapping[str, Group] = field(default_factory=dict)  # Groups of traits of this kind only.
    # Catalogues of this kind only.
    choices: Mapping[str, traits.Catalogue] = field(default_factory=dict)
    pools: Mapping[str, Pool] = field(default_factory=dict)  # Pools of this kind only.
    advances: traits.Advances | None = None  # What a file of this kind may improve.
    gear: Mapping[str, Item] = field(default_factory=dict)  # Items of this kind only.
    derived: Mapping[str, Derived] = field(default_factory=dict)  # Derived values of this kind.
    tracks: Mapping[str, Track] = field(default_factory=dict)  # Tracks of this kind.
    texts: Mapping[str, TextLine] = field(default_factory=dict)  # Lines of text of this kind.
    lists: Mapping[str, traits.ItemRows] = field(default_factory=dict)  # Lists of this kind.
    rules: Mapping[str, Rule] = field(default_factory=dict)  # Rules that must hold for this kind.


@rule_model
class Head:
    """The keys of a module's file, besides `add` and `change`, which hold keys of a ruleset."""

    MORE: ClassVar[tuple[str, ...]] = ("add", "change")

    module: Text  # The id of the module.
    label: str
    text: str = ""  # What the module does, in a line.
    default: bool = True  # Whether the module is on where nobody switches it.
    replaces: tuple[Text, ...] = ()  # Modules that it switches off.
    requires: tuple[Text, ...] = ()  # Modules without which it is off.
    # Traits that become one: the trait that stays, and those that it absorbs.
    merge: Mapping[str, tuple[Text, ...]] = field(default_factory=dict)
    needs: tuple[Text, ...] = ()  # Places in the ruleset that must exist.
    remove: tuple[Text, ...] = ()  # Places in the ruleset that it removes.
    ruling: str = ""


@frozen
class Origin:
    """One of the rulesets that a ruleset is made of; the first is the base."""

    id: str
    title: str
    folder: str  # The folder of its files.


@frozen
class Module:
    """A module: whether it is on, and which ruleset it comes from."""

    id: str
    label: str
    text: str
    on: bool
    origin: Origin
    replaced_by: str = ""


@frozen
class Composition:
    """The rulesets and modules that a ruleset consists of."""

    origins: tuple[Origin, ...] = ()
    modules: Mapping[str, Module] = field(default_factory=dict)
    one: str = "character"  # What one file under the rules is called.
    label: str = ""  # What several files are called.
    # Names of choices and items that a kind does not keep: no file of it has them.
    unkept: frozenset[str] = frozenset()
    block: StatBlock | None = None  # What stands where on the card of a kind.


Setting: TypeAlias = bool | int | str  # what an option may be


@rule_model
class Credit:
    """Whose rules these are."""

    short: str  # One line, which stands on every page.
    long: str  # A paragraph for the last page and `--credits`.
    licence: str  # An SPDX identifier, or `none stated`.
    changes: str = ""  # What was changed against the source.


@rule_model
class Option:
    """An open question of the rules that each table answers for itself."""

    default: Setting  # The value where nobody sets another.
    values: tuple[Text, ...]  # The possible values: words, or `number`, or `yes or no`.
    text: str = ""  # The question.
    ruling: str = ""  # The ruling that explains the default.


@rule_model
class Ruling:
    """How an open point of the source is read."""

    read: str  # The reading that counts where no option says otherwise.
    about: str = ""  # What the source leaves open.
    rests: str = ""  # Where the source says it.


@rule_model
class Ruleset:
    """The rules of one game."""

    id: Text  # The id that files and commands use: lower-case letters, digits, `-` and `_`.
    title: str  # The name of the game.
    version: Price  # The version of this data; every print carries it.
    format: nodes.Positive  # The version of this format.
    credit: Credit  # Whose rules these are.
    lang: str = "en"  # The language of the texts, such as `en`.
    pips: bool = False  # Whether dice codes have pips: three pips are a die, and `3D+2` counts 11.
    extends: Text | None = None  # The ruleset that this one is laid over.
    # Words that authors may spell otherwise, such as `grey: gray`.
    spellings: Mapping[str, Text] = field(default_factory=dict)
    # Open questions that each table answers for itself, by id.
    options: Mapping[str, Option] = field(default_factory=dict)
    # How open points of the source are read, by code.
    rulings: Mapping[str, Ruling] = field(default_factory=dict)
    # Named formulas, such as `linear(n): n`.
    formulas: Mapping[str, Formula] = field(default_factory=dict)
    # Tables for formulas, by id: values, or further rows, by row. A row counts up to the next one;
    # with `exact: true` for its own number alone, like a word. `otherwise` counts where no row
    # does.
    lookups: Mapping[str, nodes.LookupTable] = field(default_factory=dict)
    groups: Mapping[str, Group] = field(default_factory=dict)  # Groups of traits, by id.
    # Catalogues to pick from, by id.
    choices: Mapping[str, traits.Catalogue] = field(default_factory=dict)
    given: Grants | None = None  # What every character has.
    # Pools of different dice, by id.
    rolls: Mapping[str, traits.DiceMix] = field(default_factory=dict)
    pools: Mapping[str, Pool] = field(default_factory=dict)  # Points to gain and spend, by id.
    dice: traits.Dice | None = None  # Dice that are bought and upgraded.
    advances: traits.Advances | None = None  # What a character may improve later.
    gear: Mapping[str, Item] = field(default_factory=dict)  # Things to own, by id.
    character: Mapping[str, Key] = field(default_factory=dict)  # The keys of a character's file.
    # The steps of making a character, in order, by what each is about: a key of a character's file,
    # a group, a list, a track, a pool. An empty sheet numbers them there.
    creation: Mapping[str, Text] = field(default_factory=dict)
    # What tables of these steps say besides, by step: prices, and where to look.
    creation_details: Mapping[str, Text] = field(default_factory=dict)
    derived: Mapping[str, Derived] = field(default_factory=dict)  # Computed values, by id.
    tracks: Mapping[str, Track] = field(default_factory=dict)  # Boxes to tick, by id.
    texts: Mapping[str, TextLine] = field(default_factory=dict)  # Lines of text, by id.
    lists: Mapping[str, traits.ItemRows] = field(default_factory=dict)  # Rows of a sheet, by id.
    rules: Mapping[str, Rule] = field(default_factory=dict)  # Conditions that must hold, by id.
    tables: Mapping[str, Table] = field(default_factory=dict)  # Printed tables, by id.
    references: Mapping[str, Reference] = field(default_factory=dict)  # Pages of tables, by id.
    screens: Mapping[str, Screen] = field(default_factory=dict)  # Game master's screens, by side.
    proof: tuple[Proof, ...] = ()  # What the printed figures of the source are compared with.
    # Kinds of files besides characters, by id.
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    # Cards of the ruleset's own things, by id.
    card_sets: Mapping[str, CardSet] = field(default_factory=dict)
    # Pictures on cards of what a character has and no card set shows: by its id, its tags, or the
    # key, catalogue or group that it is from; the first of these that it has.
    emblems: Mapping[str, Text] = field(default_factory=dict)
    # Keys whose choices give a character without a portrait its picture: the first entry whose id
    # is in `emblems`.
    likeness: tuple[KeyId, ...] = ()
    encounter: prints.Encounters | None = None  # How encounters are printed.
    pieces: Pieces | None = None  # What pieces for the table show of characters.
    odds: Odds | None = None  # How dice are rolled, and the odds that are printed.
    reminders: tuple[str, ...] = ()  # Lines that a sheet prints as reminders.
    # The design of the sheet: `./sheet`, a folder beside this file, or the id of a shipped one;
    # without it the sheet is computed from the data.
    sheet: Annotated[Text, Ref("sheet")] | None = None
    # The signs of the game: shapes by the words that they show, such as dice. A word behind a
    # number becomes its sign, and one that leads a cell gets it.
    signs: Mapping[str, Text] = field(default_factory=dict)
    # The face of its prints: an id in templates/_faces; a `face.yaml` in the ruleset's folder comes
    # first. An overlay without one has its base's.
    face: Annotated[Text, Ref("face")] | None = None
    # A logo, in the foot of sheets, tables, odds and encounters, on covers, backs of cards and
    # screens.
    logo: PictureFile | None = None
    cover: PictureFile | None = None  # The picture on covers of books with this ruleset's prints.
    back: PictureFile | None = None  # The picture on the backs of cards.
    scene: PictureFile | None = None  # The picture over the players' side of a screen.
    place: Span = field(default_factory=lambda: Span("ruleset"))
    digest: str = ""
    composition: Composition = Composition()

    def rating_text(self, group: str, steps: int) -> str:
        """Return a rating of a trait of a group as players write it: `3D+2`, `4` or `+4`."""
        rating = self.groups[group].rating
        if rating == "signed":
            return f"{steps:+}".replace("-", "−")
        if rating == "die":
            return step_die_text(steps)
        return code_text(steps, pips=self.pips) if rating == "dice" else str(steps)


def rating_columns(build: Build, rules: Ruleset, rating: Rating) -> dict[str, str]:
    """Return what stands beside a rating, by label."""
    columns = rules.groups[rating.group].columns.items()
    return {
        column.label: build.derived[f"{rating.id}.{id_}"].shown
        for id_, column in columns
        if column.label and f"{rating.id}.{id_}" in build.derived
    }
