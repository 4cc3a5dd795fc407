"""A ruleset: the rules of one game, as data; the fields are the keys of its YAML files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, TypeAlias

from sheetgen.diag.spans import Span
from sheetgen.model.codes import code_text
from sheetgen.model.pictures import PictureFile
from sheetgen.model.rulesets.choices import Catalogue, Grants
from sheetgen.model.rulesets.derived import Derived, DiceMix, ItemRows, TextLine, Track
from sheetgen.model.rulesets.encounters import Encounters, Pieces
from sheetgen.model.rulesets.items import Item
from sheetgen.model.rulesets.keys import Key, Rule
from sheetgen.model.rulesets.kinds import Kind
from sheetgen.model.rulesets.odds import Odds
from sheetgen.model.rulesets.origins import Composition
from sheetgen.model.rulesets.points import Advances, Dice, Pool
from sheetgen.model.rulesets.proof import Proof
from sheetgen.model.rulesets.screens import Screen
from sheetgen.model.rulesets.tables import CardSet, Reference, Table
from sheetgen.model.rulesets.traits import Group
from sheetgen.model.shape import Formula, Positive, Price, Ref, rule_model
from sheetgen.model.source import Text

Setting: TypeAlias = bool | int | str
"""What an option may be."""


@rule_model
class Credit:
    """Whose rules these are.

    Attributes:
        short: One line, which stands on every page.
        long: A paragraph for the last page and `--credits`.
        licence: An SPDX identifier, or `none stated`.
        changes: What was changed against the source.
    """

    short: str
    long: str
    licence: str
    changes: str = ""


@rule_model
class Option:
    """An open question of the rules that each table answers for itself.

    Attributes:
        default: The value where nobody sets another.
        values: The possible values: words, or `number`, or `yes or no`.
        text: The question.
        ruling: The ruling that explains the default.
    """

    default: Setting
    values: tuple[Text, ...]
    text: str = ""
    ruling: str = ""


@rule_model
class Ruling:
    """How an open point of the source is read.

    Attributes:
        read: The reading that counts where no option says otherwise.
        about: What the source leaves open.
        rests: Where the source says it.
    """

    read: str
    about: str = ""
    rests: str = ""


@rule_model
class Ruleset:
    """The rules of one game.

    Attributes:
        id: The id that files and commands use: lower-case letters, digits, `-` and `_`.
        title: The name of the game.
        version: The version of this data; every print carries it.
        format: The version of this format.
        credit: Whose rules these are.
        lang: The language of the texts, such as `en`.
        pips: Whether dice codes have pips: three pips are a die, and `3D+2` counts 11.
        extends: The ruleset that this one is laid over.
        spellings: Words that authors may spell otherwise, such as `grey: gray`.
        options: Open questions that each table answers for itself, by id.
        rulings: How open points of the source are read, by code.
        formulas: Named formulas, such as `linear(n): n`.
        groups: Groups of traits, by id.
        choices: Catalogues to pick from, by id.
        given: What every character has.
        rolls: Pools of different dice, by id.
        pools: Points to gain and spend, by id.
        dice: Dice that are bought and upgraded.
        advances: What a character may improve later.
        gear: Things to own, by id.
        character: The keys of a character's file.
        derived: Computed values, by id.
        tracks: Boxes to tick, by id.
        texts: Lines of text, by id.
        lists: Rows of a sheet, by id.
        rules: Conditions that must hold, by id.
        tables: Printed tables, by id.
        references: Pages of tables, by id.
        screens: Game master's screens, by side.
        proof: What the printed figures of the source are compared with.
        kinds: Kinds of files besides characters, by id.
        card_sets: Cards of the ruleset's own things, by id.
        encounter: How encounters are printed.
        pieces: What pieces for the table show of characters.
        odds: How dice are rolled, and the odds that are printed.
        reminders: Lines that a sheet prints as reminders.
        sheet: The folder under templates/ that prints the sheet; without it the sheet is computed
            from the data.
        face: The face of its prints: an id in templates/_faces; a `face.yaml` in the ruleset's
            folder comes first. An overlay without one has its base's.
        logo: A logo, in the foot of sheets, tables, odds and encounters, on covers, backs of cards
            and screens.
        cover: The picture on covers of books with this ruleset's prints.
        back: The picture on the backs of cards.
    """

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
    pieces: Pieces | None = None
    odds: Odds | None = None
    reminders: tuple[str, ...] = ()
    sheet: Annotated[Text, Ref("sheet")] | None = None
    face: Annotated[Text, Ref("face")] | None = None
    logo: PictureFile | None = None
    cover: PictureFile | None = None
    back: PictureFile | None = None
    place: Span = field(default_factory=lambda: Span("ruleset"))
    digest: str = ""
    composition: Composition = Composition()

    def rating_text(self, group: str, steps: int) -> str:
        """Return a rating of a trait of a group as players write it: `3D+2`, or `4`."""
        return (
            code_text(steps, pips=self.pips) if self.groups[group].rating == "dice" else str(steps)
        )
