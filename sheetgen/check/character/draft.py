"""The draft of a character: the values of its ratings, choices, points and formulas so far.

Every rating that a print shows is computed here: `own` (a trait's own steps) and `total` (with
its parent). `DraftScope` gives formulas their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, TypeAlias, TypeVar

from sheetgen.diag import codes
from sheetgen.diag.codes import Code
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.model import build
from sheetgen.model.build import LedgerLine, Owned, Pick, RatingPart, Value, picked_entry
from sheetgen.model.pictures import Picture
from sheetgen.model.rulesets.ruleset import ITEM_KINDS, Key, Ruleset
from sheetgen.model.rulesets.traits import Choice, Group, Trait
from sheetgen.model.source import Node, Source, Text
from sheetgen.records import frozen
from sheetgen.rules.formulas import expressions as syntax
from sheetgen.rules.formulas.evaluate import Scope, Things, filled, holds, integer_value, value_of
from sheetgen.rules.formulas.expressions import FormulaError, MissingRow, inputs_of
from sheetgen.rules.formulas.notation import label
from sheetgen.rules.index import LISTED_KINDS, Index
from sheetgen.rules.scopes import Reach
from sheetgen.rules.tables.things import RulesetScope

V = TypeVar("V")

NO_LIMIT = 999  # the limit that formulas see for a trait without one


@dataclass
class Draft:
    """A character while it is checked: what the steps read from the file, and add to it."""

    rules: Ruleset
    index: Index
    source: Source
    options: dict[str, Value]
    findings: list[Finding] = field(default_factory=list)
    # nodes of the file, by key id of the ruleset
    entries: dict[str, Node] = field(default_factory=dict)
    # the keys as the author wrote them, with their places, by key id
    key_names: dict[str, Text] = field(default_factory=dict)
    # pictures by key: as the file names them, and as they were found
    picture_nodes: dict[str, Node] = field(default_factory=dict)
    pictures: dict[str, Picture] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict)
    picks: list[Pick] = field(default_factory=list)
    # what the file names and the rules do not know; no check counts it, but a draft prints
    # it, marked
    refused_picks: list[Pick] = field(default_factory=list)
    # what each purchase of a named advance takes that is not bought yet, by its id
    taken_later: dict[str, list[list[Pick]]] = field(default_factory=dict)
    parts: dict[str, list[RatingPart]] = field(default_factory=dict)
    # the steps that picks grant: the pick, the trait, and its part
    granted_parts: list[tuple[Pick, str, RatingPart]] = field(default_factory=list)
    stated: dict[str, Stated] = field(default_factory=dict)
    # steps that were sold or lost, by trait
    lost_steps: dict[str, list[LostSteps]] = field(default_factory=dict)
    # name and group of the traits that the author named, by id
    own_traits: dict[str, tuple[str, str]] = field(default_factory=dict)
    passing: dict[str, int] = field(default_factory=dict)  # steps that may exceed a limit, by trait
    # the highest ratings allowed, of the traits that have a limit
    limits: dict[str, int] = field(default_factory=dict)
    focus: dict[str, int] = field(default_factory=dict)
    # what choices say that a pool starts with
    pool_starts: dict[str, list[PoolStart]] = field(default_factory=dict)
    items: list[Owned] = field(default_factory=list)
    refused_items: list[Owned] = field(default_factory=list)
    # the items that picks grant: item, its place, pick; and those that wait for an advance
    granted_gear: list[tuple[str, Span, Pick]] = field(default_factory=list)
    items_later: list[tuple[Pick, Owned]] = field(default_factory=list)
    granted_dice: list[int] = field(default_factory=list)
    dice: tuple[int, ...] = ()
    links: dict[str, tuple[str, ...]] = field(default_factory=dict)
    pinned: dict[str, str] = field(default_factory=dict)
    advanced: list[BoughtAdvance] = field(default_factory=list)  # steps bought one by one, in order
    # traits that a stat block lists, in its order
    listed_codes: list[str] = field(default_factory=list)
    unplaced: dict[str, int] = field(default_factory=dict)  # what is left of a key's `count`
    # derived values as a stat block prints them
    printed_values: dict[str, int] = field(default_factory=dict)
    # ledger lines so far, by pool; `left` is filled in at the end
    lines: dict[str, list[LedgerLine]] = field(default_factory=dict)
    derived: dict[str, build.DerivedValue] = field(default_factory=dict)
    # names whose value is being computed, and the values computed meanwhile
    computing: list[str] = field(default_factory=list)
    cache: dict[str, Any] = field(default_factory=dict)
    # once the draft is settled, the values of the names that formulas used
    known: dict[str, Value] = field(default_factory=dict)
    # the own ratings of the traits that have one, once nothing changes them any more
    settled: dict[str, int] | None = None
    # what formulas that are needed early gave in the last round of the check
    answers: dict[tuple[Hashable, ...], Any] = field(default_factory=dict)
    # these formulas, the values that the steps went by, and the values that they have once
    # ratings are known
    guesses: dict[tuple[Hashable, ...], Guess] = field(default_factory=dict)
    guessed: dict[tuple[Hashable, ...], Any] = field(default_factory=dict)
    found: dict[tuple[Hashable, ...], Any] = field(default_factory=dict)

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
        """Return the place of a key of the file, or the start of a file that lacks it."""
        name = self.key_names.get(str(key))
        return name.span if name is not None else self.source.start.of_absent(str(key or ""))

    def key_name(self, key: str) -> str:
        """Return a key of the file as the author writes it."""
        return str(self.key_names.get(key, key.replace("_", " ")))

    def eval_int(self, formula: Text | str, /, **names: Value) -> int:
        """Return the whole number that a formula gives; 0, and a finding, if it fails."""
        return self._value(integer_value, formula, DraftScope(self, names), 0)

    def eval_limit(self, formula: Text | str, /, **names: Value) -> int:
        """Return the limit that a formula gives; `NO_LIMIT`, and a finding, if it fails."""
        return self._value(integer_value, formula, DraftScope(self, names), NO_LIMIT)

    def holds(self, formula: Text | str, /, **names: Value) -> bool:
        """Whether a formula holds; if it fails it does not hold, and there is a finding."""
        return self._value(holds, formula, DraftScope(self, names), False)

    def _value(
        self, evaluate: Callable[[str, Any], V], formula: str, scope: Scope, default: V
    ) -> V:
        """Return what `evaluate` gives; `default`, and a finding, if the formula fails."""
        try:
            return evaluate(formula, scope)
        except FormulaError as error:
            self.report_formula_error(formula, error)
            return default

    def early_int(self, formula: Text | str, /, *, final: bool = True, **names: Value) -> int:
        """Return what `eval_int` will give: in the end if `final`, or before advances."""
        fixed = syntax.fixed_integer(formula)
        return int(self._early(integer_value, formula, final, names)) if fixed is None else fixed

    def early_holds(self, formula: Text | str, /, *, final: bool = True, **names: Value) -> bool:
        """Whether `holds` will be true of a formula once ratings are known; see `early_int`."""
        return bool(self._early(holds, formula, final, names))

    def _early(
        self, evaluate: Evaluate, formula: Text | str, final: bool, names: dict[str, Value]
    ) -> int:
        key = formula, getattr(formula, "span", None), evaluate.__name__, *sorted(names.items())
        self.guesses[key] = guess = Guess(evaluate, formula, final, names)
        answer = self.answers[key] if key in self.answers else self._answer(guess)
        self.guessed[key] = answer
        if isinstance(answer, FormulaError):
            if key in self.answers:
                self.report_formula_error(formula, answer)
            return 0
        return answer

    def _answer(self, guess: Guess) -> int | FormulaError:
        try:
            return guess.evaluate(guess.formula, DraftScope(self, guess.names))
        except FormulaError as error:
            return error

    def answer_guesses(self, final: bool = False) -> None:
        """Answer the formulas of `early_int` with the ratings that are known by now."""
        for key, guess in self.guesses.items():
            if guess.final is final:
                self.found[key] = self._answer(guess)

    def wrong_guesses(self) -> list[Guess]:
        """Return the formulas whose answer is not the one that the steps went by."""
        return [
            self.guesses[key]
            for key, answer in self.found.items()
            if (isinstance(answer, FormulaError) and key not in self.answers)  # unreported
            or str(answer) != str(self.guessed[key])
        ]

    def fill(self, text: str, names: Mapping[str, Value] | None = None, default: str = "") -> str:
        """Return `text` with its formulas' values; `default`, and a finding, if one fails."""
        return self._value(filled, text, DraftScope(self, names or {}), default)

    def fill_options(self, text: str) -> str:
        """Return a text of the ruleset with the values of the options that it names."""
        if "{" not in text:
            return str(text)
        return str(self._value(filled, text, RulesetScope(self.rules, self.options), text))

    def scope(self, /, **names: Value) -> DraftScope:
        """Return the scope of this draft with `names` before its own."""
        return DraftScope(self, names)

    def hold_back(self) -> None:
        """Take out what advances take along, and what it grants, until it is bought."""
        later = {id(p) for taken in self.taken_later.values() for some in taken for p in some}
        self.picks = [pick for pick in self.picks if id(pick) not in later]
        for trait, part in self._granted_by(later):
            self.parts[trait] = [one for one in self.parts[trait] if one is not part]
        for item_id, span, pick in self.granted_gear:
            for n in range(len(self.items) - 1, -1, -1) if id(pick) in later else ():
                if self.items[n].item == item_id and self.items[n].span == span:
                    self.items_later.append((pick, self.items.pop(n)))
                    break

    def take_along(self, advance: str) -> Counter[str]:
        """Add what one purchase of an advance takes along; return its steps."""
        steps = Counter[str]()
        for picks in self.taken_later.get(advance, [])[:1]:
            del self.taken_later[advance][0]
            self.picks += picks
            taken = {*map(id, picks)}
            self.items += [item for pick, item in self.items_later if id(pick) in taken]
            for trait, part in self._granted_by(taken):
                self.add(trait, part)
                steps[trait] += part.steps
        return steps

    def _granted_by(self, picks: Collection[int]) -> Iterator[tuple[str, RatingPart]]:
        """Yield the steps that some picks grant; a rating in the file contains them already."""
        for pick, trait, part in self.granted_parts if picks else ():
            stated = self.stated.get(trait) if self.is_stated(trait) else None
            if id(pick) in picks and (stated is None or stated.rating is None):
                yield trait, part

    def take_rest(self) -> None:
        """Add what advances take along that were refused: the file names it."""
        for advance, taken in self.taken_later.items():
            for _ in tuple(taken):
                self.take_along(advance)

    def report_formula_error(self, formula: Text | str, error: FormulaError) -> None:
        """Report a formula of the ruleset that has no value for this character."""
        span = getattr(formula, "span", self.rules.place).within(error.offset, error.width)
        if isinstance(error, MissingRow) and (found := self.place_of(error.names)):
            what, at = found
            hint = f"write a value that has a row: {error.rows}"
            if all(f.span != at or str(error) not in f.message for f in self.findings):
                self.report(codes.UNANSWERED, at, f"{what}: {error}", hint)
            return
        message = f"`{formula}`: {error}"
        hint = "correct the formula; until then the rule counts as not satisfied"
        self.report(codes.UNANSWERED, span, message, hint)

    def place_of(self, names: Collection[str]) -> tuple[str, Span] | None:
        """Return what the author wrote of the things that `names` follow from, and its place."""
        reach = Reach(self.rules)
        for name in names:
            reach.add_name(name)
        ordered = (*sorted(names), *sorted(reach.names))
        for name in ordered:
            if name in self.key_names:
                return label(self.rules, name), self.key_names[name].span
            if stated := self.stated.get(name):
                return self.name_of(name), stated.at or stated.span
        # What the file leaves out counts as 0.
        absent = next((name for name in ordered if name in self.rules.character), "")
        return (label(self.rules, absent), self.span_of(absent)) if absent else None

    def granted(self, trait: str) -> int:
        """Return the steps of `trait` that are free; picks too if the author states its rating."""
        if not (parts := self.parts.get(trait)):
            return 0
        free = ("grant", "pick") if self.is_stated(trait) else ("grant",)
        return sum([part.steps for part in parts if part.kind in free])

    def own(self, trait: str) -> int:
        """Return the own steps of `trait`, as far as the steps of the check have read them."""
        if self.settled is not None:
            return self.settled.get(trait, 0)
        stated = self.stated.get(trait)
        if stated is None and trait not in self.parts and trait not in self.lost_steps:
            return 0  # Most traits of most characters.
        if not self.is_stated(trait):
            return sum([part.steps for part in self.parts.get(trait, ())])
        advanced = self.advance_steps(trait)
        if stated is not None and stated.rating is not None:
            return stated.rating - self.base(trait) + advanced
        return min((self.granted(trait), *(step - 1 for step in self.list_lost(trait)))) + advanced

    def advance_steps(self, trait: str) -> int:
        """Return the steps of `trait` that advances gave by now."""
        return sum(part.steps for part in self.parts.get(trait, ()) if part.kind == "advance")

    def base(self, trait: str) -> int:
        """Return what the rating of `trait` begins at: own steps are above it."""
        formula = self.index.summed.get(trait, ("", None, None))[2]
        if formula is None or f"base {trait}" in self.computing:
            return 0
        return self.cached(f"base {trait}", lambda: self.eval_int(formula))

    def settle(self) -> None:
        """Keep own ratings, and what formulas compute from now on: no later step changes them."""
        self.settled = {trait: self.own(trait) for trait in self.rated_traits()}

    def rated_traits(self) -> Iterable[str]:
        """Return the traits that may have steps of their own; all others have none."""
        return dict.fromkeys((*self.stated, *self.parts, *self.lost_steps))

    def reached(self, trait: str) -> int:
        """Return the highest own rating that `trait` ever had, before steps were sold or lost."""
        return max([self.own(trait), *self.list_lost(trait)])

    def list_lost(self, trait: str) -> list[int]:
        """Return the steps of `trait` that were sold or lost."""
        return [step for lost in self.lost_steps.get(trait, ()) for step in lost.steps]

    def limit(self, trait: str) -> int:
        """Return the limit of `trait` for formulas; `NO_LIMIT` if there is none."""
        return self.limits.get(trait, NO_LIMIT)

    def price(self, trait: str, step: int) -> int:
        """Return the price of one step of a trait whose rating the author states."""
        price = self.group_rule(trait).price or "0"
        names: dict[str, Value] = {"n": step, "limit": self.limit(trait)}
        if inputs_of(price) & {"total", "free", "under", "offered"}:
            more, under = self.total(trait) - self.own(trait), self.total_above(trait)
            names |= {"total": step + more, "free": self.granted(trait), "under": under}
            names["offered"] = self.offered(trait)
        try:
            return integer_value(price, DraftScope(self, names))
        except FormulaError as error:
            if isinstance(error, MissingRow):
                error.names = frozenset({trait})
            self.report_formula_error(price, error)
            return 0

    def offered(self, trait: str) -> int:
        """Return 1 if a choice of the file offers `trait`, else 0."""
        entries = (self.entry_of(pick) for pick in self.picks)
        return int(any(trait in entry.offers for entry in entries if entry is not None))

    def is_stated(self, trait: str) -> bool:
        """Whether the author writes the rating of `trait`."""
        mine = self.own_traits.get(trait)
        return self.rules.groups[mine[1]].stated if mine else trait in self.index.stated

    def group_of(self, trait: str) -> str | None:
        """Return the group of `trait`, also of one that the author named."""
        mine = self.own_traits.get(trait)
        return mine[1] if mine else self.index.traits.get(trait, (None,))[0]

    def group_rule(self, trait: str) -> Group:
        """Return the ruleset's entry for the group of `trait`."""
        return self.rules.groups[self.group_of(trait) or ""]

    def written_rating(self, trait: str, own: int) -> str:
        """Return what `own` steps of `trait` come to, as files write it: `4`, `3D+1`."""
        group, whole = self.group_of(trait) or "", own + self.base(trait)
        return self.rules.rating_text(group, whole) if group in self.rules.groups else str(whole)

    @staticmethod
    def typed_rating(shown: str) -> str:
        """Return a written rating as a file most likely has it: `4`, `-1`, `d8`."""
        return shown.lstrip("+").replace("−", "-")

    def in_dice(self, trait: str) -> bool:
        """Whether the ratings of `trait` are codes of dice."""
        return self.group_rule(trait).rating == "dice"

    def trait_rule(self, trait: str) -> Trait | None:
        """Return the ruleset's entry for `trait`; None for one that the author named."""
        found = self.index.traits.get(trait)
        return found[1] if found else None

    def total(self, trait: str) -> int:
        """Return the rating of `trait` with its parent's; none if its `needs` does not hold."""
        rule = self.index.summed.get(trait)
        if rule is None or trait in self.computing:  # the ruleset's check reports the latter
            return self.own(trait)
        under, needs, base = rule
        if needs is base is None and under not in self.index.summed:
            return self.own(trait) + self.own(under)

        def compute() -> int:
            if needs is not None and not self.holds(needs):
                return 0
            return self.own(trait) + self.base(trait) + (self.total(under) if under else 0)

        return self.cached(trait, compute)

    def total_above(self, trait: str) -> int:
        """Return the rating of the trait that governs `trait`; 0 where none does."""
        rule = self.trait_rule(trait)
        return self.total(str(rule.under)) if rule is not None and rule.under else 0

    def cached(self, name: str, compute: Callable[[], V]) -> V:
        """Return the value of `name`; within one formula, call `compute` only once for it.

        Once the draft is settled, it is called only once at all.
        Without a cache, values that need each other several times take exponential time.
        """
        if name in self.cache:
            value: V = self.cache[name]
            return value
        self.computing.append(name)
        try:
            self.cache[name] = value = compute()
        finally:
            self.computing.remove(name)
            if not self.computing and self.settled is None:
                self.cache.clear()
        return value

    def traits_of(self, group: str) -> tuple[str, ...]:
        """Return the traits of `group`, then those that the author named."""
        return (*self.index.by_place[group], *self.named_traits(group))

    def named_traits(self, group: str) -> list[str]:
        """Return the traits of `group` that the author named."""
        return [trait for trait, (_, of) in self.own_traits.items() if of == group]

    def name_of(self, trait: str) -> str:
        """Return the name of `trait` as a reader sees it."""
        mine = self.own_traits.get(trait)
        return mine[0] if mine else self.index.titles.get(trait, trait)

    def add(self, trait: str, part: RatingPart) -> None:
        """Add steps to the rating of a trait."""
        self.parts.setdefault(trait, []).append(part)

    def times_taken(self, name: str, picked: bool = False) -> int:
        """Return how often the choice or tag `name` was taken; or `picked` by the author."""
        counted = [pick for pick in self.picks if not (picked and pick.because)]
        return sum([pick.times for pick in counted if name in self.pick_names(pick)])

    def entry_of(self, pick: Pick) -> Choice | None:
        """Return the catalogue's entry for `pick`; None for a choice of the author's own."""
        catalogue = self.rules.choices.get(pick.catalogue)
        return catalogue.entries.get(pick.entry) if catalogue else None

    def choice_name(self, id_: str) -> str:
        """Return the name of the first choice with an id; empty if there is none."""
        entries = (catalogue.entries.get(id_) for catalogue in self.rules.choices.values())
        return next((str(entry.name) for entry in entries if entry), "")

    def pick_names(self, pick: Pick) -> tuple[str, ...]:
        """Return the names under which formulas find `pick`: ids and tags."""
        catalogue = self.rules.choices.get(pick.catalogue)
        if catalogue is None:
            return ()
        if not pick.entry:
            return (pick.catalogue, *(catalogue.custom.tags if catalogue.custom else ()))
        tags = catalogue.entries[pick.entry].tags
        return (pick.entry, pick.catalogue, f"{pick.catalogue}.{pick.entry}", *tags)

    def spend(self, pool: str, what: str, cost: int, session: str = "", kind: str = "") -> None:
        """Add a line to a pool's ledger; a cost below 0 is a gain."""
        gained, cost = (-cost, 0) if cost < 0 else (0, cost)
        self.lines.setdefault(pool, []).append(LedgerLine(what, gained, cost, 0, session, kind))

    def left(self, pool: str) -> int:
        """Return how many points of `pool` are left so far."""
        return sum(line.gained - line.cost for line in self.lines.get(pool, ()))


Evaluate: TypeAlias = Callable[[Any, Any], int]  # evaluates a formula with the names of a scope


@frozen
class Guess:
    """A formula that a step needed before all ratings were known."""

    evaluate: Evaluate
    formula: str
    final: bool  # whether it sees the finished character, or ratings before advances
    names: Mapping[str, Value]


@frozen
class Stated:
    """A rating as the author wrote it."""

    rating: int | None
    span: Span  # the place of the trait's name
    stars: int = 0
    detail: str = ""
    most: int | None = None  # the author's own limit for a trait of his
    at: Span | None = None  # the place of the rating


@frozen
class LostSteps:
    """Steps that a trait no longer has: sold or lost, as `key` of the file says."""

    steps: tuple[int, ...]
    span: Span
    key: str


@frozen
class PoolStart:
    """What a choice says that a pool starts with."""

    amount: int
    name: str
    catalogue: str
    span: Span


@frozen
class BoughtAdvance:
    """A step that was bought after creation."""

    trait: str  # the trait that was raised; empty for an item or a named advance
    price: int
    # the steps that a named advance gave, by trait
    raised: Mapping[str, int] = field(default_factory=dict)
    # the picks and items before it, which it may change; of a trait's step none
    before: tuple[Sequence[Pick], Sequence[Owned]] = ((), ())
    after: int = 0  # of an item: its rating after the advance, and the trait added to its damage
    adds: str = ""
    named: str = ""  # the id of a named advance


def with_count(name: str, count: int) -> str:
    """Return a name as ledgers and lists show several of it: `Name ×2`."""
    return f"{name} ×{count}" if count > 1 else name


class DraftScope:
    """The names of a draft; `names` of the place where a formula is take precedence."""

    def __init__(self, draft: Draft, names: Mapping[str, Value]) -> None:
        self.draft = draft
        self.names = names

    def value(self, name: str) -> Value | None:
        """Return the value of `name`; None if nothing has that name."""
        if name in self.names:
            return self.names[name]
        draft = self.draft
        if (found := draft.known.get(name)) is not None:
            return found
        found = self._find(name)
        changes = name in draft.computing or name in draft.rules.pools
        if found is not None and draft.settled is not None and not changes:
            draft.known[name] = found
        return found

    def _find(self, name: str) -> Value | None:
        draft = self.draft
        if name in draft.options:
            return draft.options[name]
        if name in draft.index.traits:
            return draft.total(name)
        if name in draft.rules.derived:
            return self.derived(name)
        if name in draft.rules.pools:
            return draft.left(name)
        if (key := draft.rules.character.get(name)) is None:
            return None
        return (
            picked_entry(draft.picks, name) if key.kind == "choice" else draft.numbers.get(name, 0)
        )

    def derived(self, name: str) -> Value | None:
        """Return the derived value `name`, computing it and those that it needs."""
        draft = self.draft
        if (known := draft.derived.get(name)) and known.value is not None:
            return known.value  # One that failed fails again, so that its reason is reported.
        if name in draft.computing:
            raise FormulaError(f"`{name}` needs itself")
        return draft.cached(name, lambda: self._compute(name))

    def _compute(self, name: str) -> Value:
        rule = self.draft.rules.derived[name]
        if rule.value is not None:
            return value_of(rule.value, DraftScope(self.draft, {}))
        total: int | Fraction = 0
        for trait in (t for g in rule.over for t in self.draft.traits_of(g)):
            each = value_of(rule.sum or "0", _TraitScope(self.draft, trait))
            total += each if not isinstance(each, str) else 0
        return total

    def ask(self, function: str, names: Sequence[str]) -> Value:
        """Return the result of `function` for `names`; see docs/reference/formulas.md."""
        if function in _ASKED:
            return _ASKED[function](self.draft, names[0] if names else "")
        if function != "holds" or len(names) != 2:
            raise FormulaError(f"`{function}` takes other names")
        return sum(i.count for i in _tagged(self.draft, names[1]) if i.key == names[0])

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        """Return the named formula `name`."""
        return self.draft.index.formulas.get(name)

    def things(self, list_: str, numbers: Sequence[str]) -> Things | None:
        """Return the items and picks of a list that have all of `numbers`."""
        if list_ not in self.draft.index.lists:
            return None
        return [
            (count, {name: number_value(known[name], self) for name in numbers})
            for count, known in list_numbers(self.draft, list_)
            if all(name in known for name in numbers)
        ]


def _tagged(draft: Draft, tag: str) -> Iterator[Owned]:
    return (item for item in draft.items if tag in (*item.tags, item.item))


_OF_A_TRAIT: Final[Mapping[str, Callable[[Draft, str], int]]] = {
    "n": Draft.own,
    "free": lambda draft, trait: min(draft.granted(trait), draft.own(trait)),
    "stars": lambda draft, trait: draft.stated[trait].stars if trait in draft.stated else 0,
    "reached": Draft.reached,
    "limit": Draft.limit,
    "total": Draft.total,
}
_ASKED: Final[Mapping[str, Callable[[Draft, str], int]]] = {
    "has": Draft.times_taken,
    "picked": lambda draft, name: draft.times_taken(name, picked=True),
    "own": Draft.own,
    "free": _OF_A_TRAIT["free"],
    "stars": _OF_A_TRAIT["stars"],
    "linked": lambda draft, trait: sum(
        draft.own(other)
        for link in draft.links.values()
        for other in (link if trait in link else ())
        if other != trait
    ),
    "modifiers": lambda draft, derived: sum(amount for _, amount in modifiers(draft, derived)),
    "items": lambda draft, tag: sum(item.count for item in _tagged(draft, tag)),
    "best": lambda draft, tag: max((i.dice or 0 for i in _tagged(draft, tag)), default=0),
}


class _TraitScope(DraftScope):
    """The names of one trait of a sum, before those of the draft, in named formulas, too."""

    def __init__(self, draft: Draft, trait: str) -> None:
        super().__init__(draft, {})
        self.trait = trait

    def value(self, name: str) -> Value | None:
        compute = _OF_A_TRAIT.get(name)
        return compute(self.draft, self.trait) if compute is not None else super().value(name)


def list_numbers(draft: Draft, list_: str) -> Iterator[tuple[int, Mapping[str, Value]]]:
    """Yield the items and picks of a list: how many of each, and its numbers or their formulas.

    A list is `gear`, a key of items or choices, a catalogue, or else a tag or an id.
    """
    key = draft.rules.character.get(list_)
    kind = key.kind if key is not None else ""
    tagged = list_ != "gear" and kind not in LISTED_KINDS and list_ not in draft.rules.choices
    for item in draft.items if list_ == "gear" or kind in ITEM_KINDS or tagged else ():
        if list_ in ("gear", item.key) or (tagged and list_ in (*item.tags, item.item)):
            price = draft.rules.gear[item.item].cost if item.item in draft.rules.gear else None
            cost = price if isinstance(price, int) else item.cost
            own = {"any": 1, "cost": int(cost), "dice": item.dice, "bonus": item.bonus}
            known = {**own, **item.numbers}.items()  # without those that it lacks
            yield item.count, {name: value for name, value in known if value is not None}
    for pick in draft.picks if list_ != "gear" and kind not in ITEM_KINDS else ():
        if list_ in (pick.key, pick.catalogue) or (tagged and list_ in draft.pick_names(pick)):
            entry = draft.entry_of(pick)
            yield pick.times, {"any": 1, **(entry.numbers if entry is not None else {})}


def number_value(number: Value, scope: DraftScope) -> Value:
    """Return the value of a number of a thing; one that is no figure is a formula."""
    if not isinstance(number, str):
        return number
    draft, name = scope.draft, f"number {number}"
    if name in draft.computing:
        raise FormulaError(f"`{number}` needs itself")
    scope = DraftScope(draft, {})
    if not draft.rules.pools.keys().isdisjoint(inputs_of(number)):
        return value_of(number, scope)  # What is left changes after the draft is settled.
    return draft.cached(name, lambda: value_of(number, scope))


def modifiers(draft: Draft, derived: str) -> Iterator[tuple[str, int]]:
    """Yield what changes a derived value, and by how much: active items, and picks."""
    for name, formulas, times in find_modifiers(draft, derived):
        if amount := sum(map(draft.eval_int, formulas)) * times:
            yield name, amount


def find_modifiers(
    draft: Draft, derived: str, without: Collection[str] = ()
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Yield what changes a derived value, but picks `without`: name, formulas, times."""
    for item in draft.items:
        if item.acting and derived in item.changes:
            listed = draft.rules.gear.get(item.item)
            name = (listed.short if listed else "") or item.name
            yield name, item.changes[derived], item.acting
    for pick in draft.picks:
        entry = draft.entry_of(pick) if pick.key not in without else None
        if entry and derived in entry.modifies:
            yield entry.name, (entry.modifies[derived],), pick.times
