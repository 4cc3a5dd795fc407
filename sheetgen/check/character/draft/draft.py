"""A build while it is being checked: what is known so far, and the values of names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sheetgen.check.character.draft.scope import DraftScope
from sheetgen.check.character.draft.stated import Advanced as Advanced
from sheetgen.check.character.draft.stated import Gone as Gone
from sheetgen.check.character.draft.stated import Start as Start
from sheetgen.check.character.draft.stated import Stated as Stated
from sheetgen.diag import codes
from sheetgen.diag.code import Code
from sheetgen.diag.findings import Finding, Severity
from sheetgen.diag.spans import Span
from sheetgen.model.build import DerivedValue, LedgerLine, Owned, Pick, RatingPart, Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Node, Source, Text
from sheetgen.rules.formulas.evaluate import holds, integer_value
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.index import Index
from sheetgen.rules.tables.tables import RulesetScope

V = TypeVar("V")

NO_LIMIT = 999
"""What a formula sees as the limit of a trait without one."""


@dataclass
class Draft:
    """What is known of a build so far; it is also the scope of its formulas.

    Attributes:
        entries: Nodes of the file, by key id of the ruleset.
        names: The keys as the author wrote them, with their places, by key id.
        own_traits: Names of traits that the author named, by id.
        passing: Steps that may stand above a limit, by trait.
        gone: What was sold or lost, by trait.
        limits: The highest ratings allowed, of the traits that have a limit.
        starts: What choices say a pool starts with.
        advanced: Steps bought one by one, in order.
        codes: Traits that a stat block lists, in its order.
        printed: Derived values as a stat block prints them.
        lines: Ledger lines so far, by pool; `left` is filled in at the end.
        unread: While a rule is tried: how many picks that could not be read may be each of these.
        computing, known: Names whose value is being computed now, and values on the way.
    """

    rules: Ruleset
    index: Index
    source: Source
    options: dict[str, Value]
    findings: list[Finding] = field(default_factory=list)
    entries: dict[str, Node] = field(default_factory=dict)
    names: dict[str, Text] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    picks: list[Pick] = field(default_factory=list)
    parts: dict[str, list[RatingPart]] = field(default_factory=dict)
    stated: dict[str, Stated] = field(default_factory=dict)
    gone: dict[str, list[Gone]] = field(default_factory=dict)
    own_traits: dict[str, tuple[str, str]] = field(default_factory=dict)
    passing: dict[str, int] = field(default_factory=dict)
    limits: dict[str, int] = field(default_factory=dict)
    focus: dict[str, int] = field(default_factory=dict)
    starts: dict[str, list[Start]] = field(default_factory=dict)
    items: list[Owned] = field(default_factory=list)
    granted_gear: list[tuple[str, str, Span]] = field(default_factory=list)
    granted_dice: list[int] = field(default_factory=list)
    dice: tuple[int, ...] = ()
    links: dict[str, tuple[str, ...]] = field(default_factory=dict)
    pinned: dict[str, str] = field(default_factory=dict)
    advanced: list[Advanced] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    printed: dict[str, int] = field(default_factory=dict)
    lines: dict[str, list[LedgerLine]] = field(default_factory=dict)
    derived: dict[str, DerivedValue] = field(default_factory=dict)
    computing: list[str] = field(default_factory=list)
    known: dict[str, Any] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)

    # -- findings ---------------------------------------------------------------

    def say(
        self,
        code: Code,
        span: Span,
        message: str,
        hint: str = "",
        severity: Severity = Severity.ERROR,
        rule: str = "",
    ) -> None:
        """Note a finding."""
        self.findings.append(Finding(code, span, message, hint, severity, rule))

    def at(self, key: str | None) -> Span:
        """Return the place of a key of the file, or of the whole file."""
        name = self.names.get(str(key))
        return name.span if name is not None else self.source.start

    def written(self, key: str) -> str:
        """Return a key of the file as the author writes it."""
        return str(self.names.get(key, key.replace("_", " ")))

    # -- formulas -----------------------------------------------------------------

    def whole(self, formula: Text | str, /, **names: Value) -> int:
        """Return a formula's whole value; nought, and a finding, if it has none."""
        try:
            return integer_value(formula, self.with_names(**names))
        except FormulaError as error:
            self.unanswered(formula, error)
            return 0

    def holds(self, formula: Text | str, /, **names: Value) -> bool:
        """Return whether a formula holds; one without an answer does not, and is said."""
        try:
            return holds(formula, self.with_names(**names))
        except FormulaError as error:
            self.unanswered(formula, error)
            return False

    def words(self, text: str) -> str:
        """Return a text of the ruleset as the options have it."""
        try:
            return (
                str(filled(text, RulesetScope(self.rules, self.options)))
                if "{" in text
                else str(text)
            )
        except FormulaError as error:
            self.unanswered(text, error)
            return str(text)

    def with_names(self, /, **names: Value) -> DraftScope:
        """Return the scope of this draft with `names` before its own."""
        return DraftScope(self, names)

    def unanswered(self, formula: Text | str, error: FormulaError) -> None:
        """Note that a formula of the ruleset has no answer here."""
        place = getattr(formula, "span", self.rules.place)
        span = place.within(error.offset, error.width)
        message = f"`{formula}`: {error}"
        hint = "such a rule counts as not satisfied"
        self.say(codes.UNANSWERED, span, message, hint)

    # -- ratings --------------------------------------------------------------------

    def granted(self, trait: str) -> int:
        """Return the steps of `trait` that nobody has to pay for; of stated ones picks too."""
        if trait not in self.parts:
            return 0
        kinds = ("grant", "pick") if self.is_stated(trait) else ("grant",)
        return sum(p.steps for p in self.parts.get(trait, ()) if p.kind in kinds)

    def own(self, trait: str) -> int:
        """Return the own steps of `trait`, as far as they are known."""
        stated = self.stated.get(trait)
        if stated is None and trait not in self.parts and trait not in self.gone:
            return 0  # most traits of most builds
        if self.is_stated(trait):
            granted = self.granted(trait)
            if stated is None or stated.rating is None:
                dots = (dot for gone in self.gone.get(trait, ()) for dot in gone.dots)
                return min(granted, min(dots, default=granted + 1) - 1)
            return stated.rating
        return sum(part.steps for part in self.parts.get(trait, ()))

    def reached(self, trait: str) -> int:
        """Return the highest that `trait` ever was, before steps were sold or lost."""
        if trait not in self.gone:
            return max(self.own(trait), 0)
        dots = (dot for gone in self.gone.get(trait, ()) for dot in gone.dots)
        return max(self.own(trait), max(dots, default=0))

    def limit(self, trait: str) -> int:
        """Return the limit of `trait` for formulas: a large number where there is none."""
        return self.limits.get(trait, NO_LIMIT)

    def price(self, trait: str, step: int) -> int:
        """Return the price of one step of a trait that the author states."""
        group = self.rules.groups[self.group_of(trait) or ""]
        return self.whole(group.price or "0", n=step, limit=self.limit(trait))

    def is_stated(self, trait: str) -> bool:
        """Whether the author writes the rating of `trait`."""
        if trait in self.own_traits:
            return self.rules.groups[self.own_traits[trait][1]].stated
        return trait in self.index.stated

    def group_of(self, trait: str) -> str | None:
        """Return the group of `trait`, also of one that the author named."""
        if trait in self.own_traits:
            return self.own_traits[trait][1]
        found = self.index.traits.get(trait)
        return found[0] if found else None

    def total(self, trait: str) -> int:
        """Return the rating of `trait` with the one that it stands under.

        A trait whose `needs` is not met has none: nobody rolls it.
        """
        rule = self.index.summed.get(trait)
        if rule is None:
            return self.own(trait)
        if trait in self.computing:
            return self.own(trait)  # it stands under itself: the ruleset is told so
        under, needs = rule
        if needs is None and under not in self.index.summed:
            return self.own(trait) + self.own(under)
        return self.once(trait, lambda: self._total(trait, under, needs))

    def _total(self, trait: str, under: str, needs: Text | None) -> int:
        if needs is not None and not self.holds(needs):
            return 0
        return self.own(trait) + (self.total(under) if under else 0)

    def once(self, name: str, compute: Callable[[], V]) -> V:
        """Return what `compute` says of `name`, asked once within one formula.

        Values that need each other doubly would else be computed again and again.
        """
        if name in self.known:
            found: V = self.known[name]
            return found
        self.computing.append(name)
        try:
            self.known[name] = value = compute()
        finally:
            self.computing.remove(name)
            if not self.computing:
                self.known.clear()
        return value

    def traits_of(self, group: str) -> tuple[str, ...]:
        """Return the traits of `group`, those that the author named included."""
        own = (t for t, (_, g) in self.own_traits.items() if g == group)
        return (*self.index.by_place[group], *own)

    def name_of(self, trait: str) -> str:
        """Return the name of `trait` as a reader sees it."""
        if trait in self.own_traits:
            return self.own_traits[trait][0]
        return self.index.titles.get(trait, trait)

    def add(
        self,
        trait: str,
        steps: int,
        why: str,
        kind: str,
        span: Span | None = None,
        key: str = "",
    ) -> None:
        """Add `steps` to a trait; `span` is where the file says so."""
        self.parts.setdefault(trait, []).append(RatingPart(steps, why, kind, span, key))

    # -- choices ----------------------------------------------------------------------

    def taken(self, name: str, picked: bool = False) -> int:
        """Return how often the choice, or a choice with the tag, `name` was taken.

        With `picked` only what the author picked, not what other choices brought along.
        """
        picks = (p for p in self.picks if not (picked and p.because))
        taken = sum(pick.times for pick in picks if name in self.called(pick))
        return taken + self.unread.get(name, 0)

    def called(self, pick: Pick) -> tuple[str, ...]:
        """Return all names under which formulas know `pick`."""
        catalogue = self.rules.choices.get(pick.catalogue)
        if catalogue is None:
            return ()
        if not pick.entry:
            return (pick.catalogue, *(catalogue.custom.tags if catalogue.custom else ()))
        entry = catalogue.entries[pick.entry]
        return (pick.entry, pick.catalogue, f"{pick.catalogue}.{pick.entry}", *entry.tags)

    # -- points -------------------------------------------------------------------------

    def spend(self, pool: str, what: str, cost: int, session: str = "", kind: str = "") -> None:
        """Add a line to a pool's ledger; a cost below nought is a gain."""
        gained, cost = (-cost, 0) if cost < 0 else (0, cost)
        self.lines.setdefault(pool, []).append(LedgerLine(what, gained, cost, 0, session, kind))

    def left(self, pool: str) -> int:
        """Return what is left of `pool` so far."""
        return sum(line.gained - line.cost for line in self.lines.get(pool, ()))
