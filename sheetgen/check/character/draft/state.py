"""What the steps of a check have read so far: the fields of a draft."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sheetgen.check.character.draft.records import (
    BoughtAdvance,
    Guess,
    LostSteps,
    PoolStart,
    Stated,
)
from sheetgen.diag.code import Code
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.model.build import DerivedValue, LedgerLine, Owned, Pick, RatingPart, Value
from sheetgen.model.pictures import Picture
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Node, Source, Text
from sheetgen.rules.index import Index


@dataclass
class DraftState:
    """What the steps of a check read from the file, and add to it.

    Attributes:
        entries: Nodes of the file, by key id of the ruleset.
        key_names: The keys as the author wrote them, with their places, by key id.
        picture_nodes, pictures: Pictures by key: as the file names them, and as they were found.
        own_traits: Name and group of the traits that the author named, by id.
        passing: Steps that may exceed a limit, by trait.
        lost_steps: Steps that were sold or lost, by trait.
        limits: The highest ratings allowed, of the traits that have a limit.
        pool_starts: What choices say that a pool starts with.
        advanced: Steps bought one by one, in order.
        refused_picks, refused_items: What the file names and the rules do not know; no check
            counts it, but a draft prints it, marked.
        listed_codes: Traits that a stat block lists, in its order.
        printed_values: Derived values as a stat block prints them.
        lines: Ledger lines so far, by pool; `left` is filled in at the end.
        computing, cache: Names whose value is being computed, and the values computed meanwhile.
        known: Once the draft is settled, the values of the names that formulas used.
        answers: What formulas that are needed early gave in the last round of the check.
        guesses, guessed, found: These formulas, the values that the steps went by, and the
            values that they have once ratings are known.
        settled: The own ratings of the traits that have one, once nothing changes them any more.
    """

    rules: Ruleset
    index: Index
    source: Source
    options: dict[str, Value]
    findings: list[Finding] = field(default_factory=list)
    entries: dict[str, Node] = field(default_factory=dict)
    key_names: dict[str, Text] = field(default_factory=dict)
    picture_nodes: dict[str, Node] = field(default_factory=dict)
    pictures: dict[str, Picture] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    picks: list[Pick] = field(default_factory=list)
    refused_picks: list[Pick] = field(default_factory=list)
    parts: dict[str, list[RatingPart]] = field(default_factory=dict)
    stated: dict[str, Stated] = field(default_factory=dict)
    lost_steps: dict[str, list[LostSteps]] = field(default_factory=dict)
    own_traits: dict[str, tuple[str, str]] = field(default_factory=dict)
    passing: dict[str, int] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    focus: dict[str, int] = field(default_factory=dict)
    pool_starts: dict[str, list[PoolStart]] = field(default_factory=dict)
    items: list[Owned] = field(default_factory=list)
    refused_items: list[Owned] = field(default_factory=list)
    granted_gear: list[tuple[str, str, Span]] = field(default_factory=list)
    granted_dice: list[int] = field(default_factory=list)
    dice: tuple[int, ...] = ()
    links: dict[str, tuple[str, ...]] = field(default_factory=dict)
    pinned: dict[str, str] = field(default_factory=dict)
    advanced: list[BoughtAdvance] = field(default_factory=list)
    listed_codes: list[str] = field(default_factory=list)
    printed_values: dict[str, int] = field(default_factory=dict)
    lines: dict[str, list[LedgerLine]] = field(default_factory=dict)
    derived: dict[str, DerivedValue] = field(default_factory=dict)
    computing: list[str] = field(default_factory=list)
    cache: dict[str | tuple[str, ...], Any] = field(default_factory=dict)
    known: dict[str, Value] = field(default_factory=dict)
    settled: dict[str, int] | None = None
    answers: dict[tuple[Hashable, ...], Any] = field(default_factory=dict)
    guesses: dict[tuple[Hashable, ...], Guess] = field(default_factory=dict)
    guessed: dict[tuple[Hashable, ...], Any] = field(default_factory=dict)
    found: dict[tuple[Hashable, ...], Any] = field(default_factory=dict)

    # -- findings ---------------------------------------------------------------

    def report(
        self,
        code: Code,
        span: Span,
        message: str,
        hint: str = "",
        severity: Severity = Severity.ERROR,
        rule: str = "",
    ) -> None:
        """Add a finding."""
        self.findings.append(Finding(code, span, message, hint, severity, rule))

    # -- keys of the file ---------------------------------------------------------

    def file_keys(self, *kinds: str) -> Iterator[tuple[str, Key, Node]]:
        """Yield the file's keys of some kinds in the order of the file: id, key, value."""
        for id_, node in self.entries.items():
            if (key := self.rules.character[id_]).kind in kinds:
                yield id_, key, node

    def ruleset_keys(self, *kinds: str) -> Iterator[tuple[str, Key, Node]]:
        """Yield the file's keys of some kinds in the order of the ruleset: id, key, value."""
        for id_, key in self.rules.character.items():
            if key.kind in kinds and id_ in self.entries:
                yield str(id_), key, self.entries[id_]

    def span_of(self, key: str | None) -> Span:
        """Return the place of a key of the file, or of the whole file."""
        name = self.key_names.get(str(key))
        return name.span if name is not None else self.source.start

    def key_name(self, key: str) -> str:
        """Return a key of the file as the author writes it."""
        return str(self.key_names.get(key, key.replace("_", " ")))
