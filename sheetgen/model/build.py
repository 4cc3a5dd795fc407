"""A build: a checked character, with the origin of each value and the ledgers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from fractions import Fraction
from typing import Final, Literal, TypeAlias
from unicodedata import numeric

from sheetgen.diag.findings import Span
from sheetgen.model.pictures import Picture
from sheetgen.model.prints import Figures
from sheetgen.records import frozen

Value: TypeAlias = int | Fraction | bool | str


@frozen
class RatingPart:
    """Steps of a rating, and where they come from."""

    steps: int
    why: str
    # `grant` (free), `pick`, `advance`, `bought` (paid from a pool), or `gone` (sold or lost in
    # play; the steps are negative).
    kind: Literal["grant", "pick", "advance", "bought", "gone"]
    span: Span | None = None
    key: str = ""  # The key of the file whose pick gave the steps, or an empty text.


@frozen
class Rating:
    """One trait of a build."""

    id: str
    group: str
    name: str
    own: int  # Its own steps; `total` adds the rating of the trait that governs it.
    total: int
    free: int = 0  # Own steps that were granted.
    stars: int = 0
    limit: int | None = None  # The highest own rating allowed; None for no limit.
    parts: tuple[RatingPart, ...] = ()
    focus: bool = False  # Whether a choice is best at it.
    detail: str = ""  # The author's note beside it.
    most: int | None = None  # For a trait that the author named, the highest rating allowed.
    place: Span | None = None  # The place of the rating in the file, if the file states it.
    base: int = 0  # What it begins at, besides its own steps and the trait that governs it.


@frozen
class Pick:
    """A choice that was picked, or that another choice brought along."""

    key: str  # The key of the character's file; empty for a choice that was brought along.
    catalogue: str
    entry: str  # The id in the catalogue; empty for an author's own choice.
    name: str
    span: Span
    times: int = 1
    named: str = ""  # What the choice asks its taker to name, as shown; `named_at` is its place.
    because: str = ""  # The choice that brought it along, or an empty text.
    text: str = ""
    named_at: Span | None = None


@frozen
class Owned:
    """An item of a build."""

    key: str  # The key of the character's file that lists it.
    item: str  # The id in the ruleset's gear; empty for an author's own item.
    name: str
    span: Span
    count: int = 1
    cost: int = 0  # The price paid for one; 0 for a granted item.
    tags: tuple[str, ...] = ()
    dice: int | None = None  # Its own dice, with options and upgrades.
    damage: int | None = None  # `dice` and the rating of the trait that it adds; None for none.
    attack: int | None = None  # The total of the skill that it is used with.
    skill: str = ""
    bonus: int | None = None  # What it adds to the derived value that it gives, or to some rolls.
    upgrades: int = 0
    granted: bool = False
    acting: int = 1  # How many of them change derived values: none of a second worn or held item.
    # Texts of `attack` and `damage`, instead of these numbers.
    rolled: Mapping[str, str] = field(default_factory=dict)
    # The formulas by which it changes derived values.
    changes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # How much it changes them by, once all ratings are known.
    modifies: Mapping[str, int] = field(default_factory=dict)
    special: str = ""  # What the ruleset says of it, and the remark.
    remark: str = ""  # What the file says of it.
    conditional: str = ""
    stated: int | None = None  # The damage that the file states, to be compared.
    numbers: Mapping[str, str] = field(default_factory=dict)  # Formulas of its numbers, by name.


@frozen
class LedgerLine:
    """A line of a ledger; `left` is the balance after it."""

    what: str
    gained: int
    cost: int
    left: int
    session: str = ""
    kind: str = ""  # `rating`, `die`, `item`, `advance`, `gain`, or empty for anything else.


@frozen
class Ledger:
    """What was gained and spent of a pool, in order."""

    pool: str
    label: str
    lines: tuple[LedgerLine, ...]

    @property
    def left(self) -> int:
        """Return the balance; it is negative where too much was spent."""
        return self.lines[-1].left if self.lines else 0

    @property
    def gained(self) -> int:
        """Return the sum of all gains, with refunds."""
        return sum(line.gained for line in self.lines)

    @property
    def spent(self) -> int:
        """Return the sum of all costs."""
        return sum(line.cost for line in self.lines)


@frozen
class DerivedValue:
    """A derived value; `how` explains it, `shown` is the value as prints write it."""

    id: str
    label: str
    value: Value | None
    how: str = ""
    shown: str = ""


@frozen
class Build:
    """A checked character."""

    ruleset: str
    version: int
    file: str
    digest: str  # The digest of the character's file.
    name: str
    options: Mapping[str, Value]
    texts: Mapping[str, str]  # Values of the keys of kind `text`.
    numbers: Mapping[str, int]  # Values of the keys of kinds `number` and `flag`.
    lists: Mapping[str, tuple[str, ...]]  # Lines of the keys with several lines or texts.
    picks: tuple[Pick, ...]
    ratings: Mapping[str, Rating]
    items: tuple[Owned, ...]
    dice: tuple[int, ...]  # Numbers of faces, downwards.
    links: Mapping[str, tuple[str, ...]]  # The ids of the traits of each link, by its letter.
    pinned: Mapping[str, str]  # The die that is pinned to a trait, such as `d6`, by trait.
    ledgers: Mapping[str, Ledger]
    derived: Mapping[str, DerivedValue]
    lines: Mapping[str, str]  # Computed lines of text, by id.
    rows: Mapping[str, tuple[Mapping[str, str], ...]]  # Rows of a sheet's lists: texts by column.
    marked: Mapping[str, tuple[int, int]]  # How many boxes each track has, and how many are marked.
    # Derived values that the file states as its source prints them.
    printed: Mapping[str, int] = field(default_factory=dict)
    # How many of each die, by the name of the roll, in the ruleset's order.
    rolls: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    # The name of the roll of each row that has one: `LIST.N`.
    row_rolls: Mapping[str, str] = field(default_factory=dict)
    # Boxes of a track that lead to another state.
    steps: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    base: str = ""  # The file that comes with the rules and that it starts from, or is.
    pictures: Mapping[str, Picture] = field(default_factory=dict)  # By key, `portrait` or `art`.
    # Computed texts of sections, by catalogue, entry and place among its sections.
    sections: Mapping[tuple[str, str, int], str] = field(default_factory=dict)
    # Returns what a live sheet computes with.
    figures: Figures | None = field(default=None, compare=False, repr=False)


REFUSED: Final = "(?)"  # the mark of what the rules refuse, on drafts


def refused_name(name: str) -> str:
    """Return how a draft marks a name that the rules refuse."""
    return f"{name} {REFUSED}"


def counted_name(item: Owned) -> str:
    """Return the name of an item and how many there are: `NAME ×2`."""
    return f"{item.name} ×{item.count}" if item.count > 1 else item.name


def picked_entry(picks: Iterable[Pick], key: str) -> str:
    """Return the id of what a key picks: `none` for no pick, `other` for an own choice."""
    return next((pick.entry or "other" for pick in picks if pick.key == key), "none")


def pick_line(pick: Pick, build: Build) -> str:
    """Return a pick as text: `NAME: DETAIL`, `NAME ×2`."""
    asked = build.ratings[pick.named].name if pick.named in build.ratings else pick.named
    times = f" ×{pick.times}" if pick.times > 1 else ""
    return f"{pick.name}{times}: {asked}" if asked else f"{pick.name}{times}"


PIPS: Final = 3  # pips of a die

_CODE: Final = re.compile(
    r"(?P<sign>[+-]?)\s*(?P<dice>\d{1,6})\s*(?P<d>[dD]?)(?P<more>\s*\+\s*(?P<pips>\d))?"
)


def rolled_text(item: Owned, name: str, *, pips: bool) -> str:
    """Return the attack or the damage of an item as text; empty for none."""
    number = item.attack if name == "attack" else item.damage
    code = "" if number is None else code_text(number, pips=pips)
    return item.rolled.get(name, code)


def code_text(value: int, *, pips: bool) -> str:
    """Return a dice code in writing: `3D`, or with pips `3D+2`, `+1`, `−1D`."""
    if not pips:
        return f"{value}D".replace("-", "−")
    dice, rest = divmod(abs(value), PIPS)
    text = f"{dice}D" if dice or not rest else ""
    text += f"+{rest}" if rest else ""
    return f"−{text.removeprefix('+')}" if value < 0 else text


def parse_code(text: str, *, pips: bool) -> int | str:
    """Return the number of dice, or of pips, of a written code; else what is wrong with it.

    A bare number is a number of dice; with pips, `+1` is one pip.
    """
    if (match := _CODE.fullmatch(text.strip())) is None:
        return "is no code of dice" + (", such as 3D+2" if pips else ", such as 3D")
    number, more = int(match["dice"]), int(match["pips"] or 0)
    alone = match["sign"] == "+" and not match["d"] and not match["more"]
    sign = -1 if match["sign"] == "-" else 1
    if not pips:
        return "has pips, and these rules have none" if match["more"] else sign * number
    if alone:
        return number
    if match["more"] and not match["d"]:
        return "is no code of dice, such as 3D+2"
    if more >= PIPS:
        better = code_text(number * PIPS + more, pips=True)
        return f"has {more} pips, and {PIPS} are a die: write {better}"
    return sign * (number * PIPS + more)


MOST_STEP: Final = 5  # the step of d12, the highest die; higher ones are d12+1, d12+2 and so on

_DIE: Final = re.compile(r"d(4|6|8|10|12)(?:\+([1-9]\d?))?")


def step_die_text(step: int) -> str:
    """Return a step as its die: `d4` for 1, `d12` for 5, `d12+1` for 6; no die is a dash."""
    more = f"+{step - MOST_STEP}" if step > MOST_STEP else ""
    return f"d{2 * min(step, MOST_STEP) + 2}{more}" if step > 0 else "–"


def parse_step_die(text: str) -> int | None:
    """Return the step that a die means, such as 3 for `d8`; None for other texts."""
    match = _DIE.fullmatch(text.strip().lower())
    if match is None or (match[2] and match[1] != "12"):
        return None
    return int(match[1]) // 2 - 1 + int(match[2] or 0)


def parse_array_number(word: str, rating: str | None) -> int | None:
    """Return a number of an array, or a die of one, as a rating of this sort counts it."""
    found = parse_step_die(word) if rating == "die" else parse_figure(word)
    return found if isinstance(found, int) else None


_NUMBER: Final = re.compile(r"([+-]?)(\d{1,12})?(?:/(\d{1,7})|\.(\d{1,4})|([¼-¾⅐-⅞]))?")


def parse_figure(text: str) -> int | Fraction | None:
    """Return a number as games write it: `3`, `+3`, `−1`, `1/2`, `½`, `1½`, `0.5`; else None."""
    match = _NUMBER.fullmatch(text.strip().replace("−", "-"))
    if match is None or not (match[2] or match[5]) or (match[3] and not int(match[3])):
        return None
    value = Fraction(int(match[2] or 0), int(match[3] or 1))
    value += Fraction(int(match[4] or 0), 10 ** len(match[4] or ""))
    if match[5]:
        value += Fraction(numeric(match[5])).limit_denominator(10)
    value = -value if match[1] == "-" else value
    return value.numerator if value.denominator == 1 else value
