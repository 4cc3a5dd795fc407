"""A checked character: what it has, where each thing came from, and the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from sheetgen.diag.spans import Span
from sheetgen.model.live import Figures

Value: TypeAlias = int | Fraction | bool | str


@dataclass(frozen=True, slots=True)
class RatingPart:
    """Steps of one rating, and what gave them.

    Attributes:
        kind: `grant` (free), `pick`, `advance` or `bought` (paid from a pool), or `gone`
            (sold, or lost in play; the steps are below nought).
        key: The key of the file whose pick gave them, if one did.
    """

    steps: int
    why: str
    kind: str
    span: Span | None = None
    key: str = ""


@dataclass(frozen=True, slots=True)
class Rating:
    """One trait of a build.

    Attributes:
        own: Steps of its own; `total` adds the trait that it stands under.
        free: Own steps that were granted.
        limit: Highest own rating allowed; None where there is none.
        focus: Whether a choice names it as what it is best at.
        detail: The author's own note beside it.
        most: For a trait that the author named, the highest rating he recorded.
        place: Where the file states it, if it does.
    """

    id: str
    group: str
    name: str
    own: int
    total: int
    free: int = 0
    stars: int = 0
    limit: int | None = None
    parts: tuple[RatingPart, ...] = ()
    focus: bool = False
    detail: str = ""
    most: int | None = None
    place: Span | None = None


@dataclass(frozen=True, slots=True)
class Pick:
    """One choice made, or brought along by another.

    Attributes:
        key: The key of the character file; empty for what was brought along there.
        entry: Id in the catalogue; empty for an author's own.
        named: What the choice asks its taker to name, as it is shown; `named_at` is where.
        because: The choice that brought it along, or empty.
    """

    key: str
    catalogue: str
    entry: str
    name: str
    span: Span
    times: int = 1
    named: str = ""
    because: str = ""
    text: str = ""
    named_at: Span | None = None


@dataclass(frozen=True, slots=True)
class Owned:
    """An item of a build.

    Attributes:
        key: The key of the character file that it stands under.
        item: Id in the ruleset's gear; empty for an author's own.
        cost: For one, as paid; 0 where it was granted.
        dice: Its own dice with all that its options and upgrades add.
        damage: `dice` and the trait that it adds; None where it has none.
        attack: Total of the skill that it is used with.
        bonus: What it adds to the derived value that it gives, or else to some rolls.
        stated: Damage as the file says it, to be compared.
        active: False for a second suit or weapon, which changes nothing.
    """

    key: str
    item: str
    name: str
    span: Span
    count: int = 1
    cost: int = 0
    tags: tuple[str, ...] = ()
    dice: int | None = None
    damage: int | None = None
    attack: int | None = None
    skill: str = ""
    bonus: int | None = None
    upgrades: int = 0
    granted: bool = False
    active: bool = True
    modifies: Mapping[str, int] = field(default_factory=dict)
    special: str = ""
    conditional: str = ""
    stated: int | None = None


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """One line of a ledger; `left` is what remains after it.

    Attributes:
        kind: What it is for: `rating`, `die`, `item`, `advance`, `gain` (at the start, or
            later), or empty for all else.
    """

    what: str
    gained: int
    cost: int
    left: int
    session: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What was gained and spent of one pool, in order."""

    pool: str
    label: str
    lines: tuple[LedgerLine, ...]

    @property
    def left(self) -> int:
        """What remains; negative where too much was spent."""
        return self.lines[-1].left if self.lines else 0

    @property
    def gained(self) -> int:
        """All that was gained, refunds included."""
        return sum(line.gained for line in self.lines)

    @property
    def spent(self) -> int:
        """All that was spent."""
        return sum(line.cost for line in self.lines)


@dataclass(frozen=True, slots=True)
class DerivedValue:
    """A derived value; `how` says how it comes about, `shown` is it as a reader writes it."""

    id: str
    label: str
    value: Value | None
    how: str = ""
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Build:
    """A checked character.

    Attributes:
        texts: What stands under the keys of plain text, by key.
        numbers: What stands under the keys of numbers and flags, by key.
        lists: Lines of text under one key (`materials`, `holdings`).
        links: Letter to the ids of the traits that it joins.
        pinned: Trait to the die that is fixed to it, such as `d6`.
        dice: Faces, downwards.
        lines: Computed lines of text, by id.
        rows: Rows for the lists of a sheet: text by column.
        marked: Boxes of each track, and how many of them are marked.
        printed: Derived values as the file prints them, where it does.
        steps: Boxes of a track that lead to another state.
        rolls: How many of each die, by the name of the roll; in the order of the ruleset.
        digest: Of the file that it was read from.
        base: The one that comes with the rules and that it starts from, or is.
        figures: Gives what a live sheet computes with.
    """

    ruleset: str
    version: int
    file: str
    digest: str
    name: str
    options: Mapping[str, Value]
    texts: Mapping[str, str]
    numbers: Mapping[str, int]
    lists: Mapping[str, tuple[str, ...]]
    picks: tuple[Pick, ...]
    ratings: Mapping[str, Rating]
    items: tuple[Owned, ...]
    dice: tuple[int, ...]
    links: Mapping[str, tuple[str, ...]]
    pinned: Mapping[str, str]
    ledgers: Mapping[str, Ledger]
    derived: Mapping[str, DerivedValue]
    lines: Mapping[str, str]
    rows: Mapping[str, tuple[Mapping[str, str], ...]]
    marked: Mapping[str, tuple[int, int]]
    printed: Mapping[str, int] = field(default_factory=dict)
    rolls: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    steps: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    base: str = ""
    figures: Figures | None = field(default=None, compare=False, repr=False)
