"""The draft of a character: the values of its ratings, choices, points and formulas so far.

Every rating that a print shows is computed here: `own` (a trait's own steps) and `total` (with
its parent). `state.py` lists what the steps of a check put into a draft;
`scope.py` gives formulas their names.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from sheetgen.check.character.draft.records import Evaluate, Guess
from sheetgen.check.character.draft.scope import DraftScope
from sheetgen.check.character.draft.state import DraftState
from sheetgen.diag import codes
from sheetgen.model.build import LedgerLine, Pick, RatingPart, Value
from sheetgen.model.rulesets.choices import Choice
from sheetgen.model.rulesets.traits import Group, Trait
from sheetgen.model.source import Text
from sheetgen.rules.formulas.evaluate import holds, integer_value
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.formulas.trees import fixed_integer
from sheetgen.rules.tables.tables import RulesetScope

V = TypeVar("V")

NO_LIMIT = 999
"""The limit that formulas see for a trait without one."""


class Draft(DraftState):
    """A character while it is checked; formulas of the ruleset are evaluated in it."""

    # -- formulas -----------------------------------------------------------------

    def eval_int(self, formula: Text | str, /, **names: Value) -> int:
        """Return the whole number that a formula gives; 0, and a finding, if it fails."""
        try:
            fixed = fixed_integer(formula)
            return integer_value(formula, DraftScope(self, names)) if fixed is None else fixed
        except FormulaError as error:
            self.report_formula_error(formula, error)
            return 0

    def holds(self, formula: Text | str, /, **names: Value) -> bool:
        """Whether a formula holds; if it fails it does not hold, and there is a finding."""
        try:
            return holds(formula, self.scope(**names))
        except FormulaError as error:
            self.report_formula_error(formula, error)
            return False

    def early_int(self, formula: Text | str, /, *, final: bool = True, **names: Value) -> int:
        """Return what `eval_int` will give once ratings are known.

        Args:
            final: Whether the formula sees the finished character, or ratings before advances.
        """
        fixed = fixed_integer(formula)
        return int(self._early(integer_value, formula, final, names)) if fixed is None else fixed

    def early_holds(self, formula: Text | str, /, *, final: bool = True, **names: Value) -> bool:
        """Whether `holds` will be true of a formula once ratings are known; see `early_int`."""
        return bool(self._early(holds, formula, final, names))

    def _early(
        self, evaluate: Evaluate, formula: Text | str, final: bool, names: dict[str, Value]
    ) -> int:
        key = id(formula), evaluate.__name__, *sorted(names.items())
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
        found = self.found.items()
        return [self.guesses[key] for key, answer in found if self._is_wrong(key, answer)]

    def _is_wrong(self, key: tuple[Hashable, ...], answer: int | FormulaError) -> bool:
        unreported = isinstance(answer, FormulaError) and key not in self.answers
        return unreported or str(answer) != str(self.guessed[key])

    def fill(self, text: str, names: Mapping[str, Value] | None = None, default: str = "") -> str:
        """Return `text` with the values of its formulas; `default`, and a finding, if one fails.

        Args:
            names: Names that the formulas see before those of the draft.
        """
        return self.fill_in(text, DraftScope(self, names or {}), default)

    def fill_in(self, text: str, scope: DraftScope, default: str = "") -> str:
        """Return `text` as `fill` does, with the names of a scope of this draft."""
        try:
            return filled(text, scope)
        except FormulaError as error:
            self.report_formula_error(text, error)
            return default

    def fill_options(self, text: str) -> str:
        """Return a text of the ruleset with the values of the options that it names."""
        if "{" not in text:
            return str(text)
        try:
            return str(filled(text, RulesetScope(self.rules, self.options)))
        except FormulaError as error:
            self.report_formula_error(text, error)
            return str(text)

    def scope(self, /, **names: Value) -> DraftScope:
        """Return the scope of this draft with `names` before its own."""
        return DraftScope(self, names)

    def report_formula_error(self, formula: Text | str, error: FormulaError) -> None:
        """Report a formula of the ruleset that has no value for this character."""
        place = getattr(formula, "span", self.rules.place)
        span = place.within(error.offset, error.width)
        message = f"`{formula}`: {error}"
        hint = "such a rule counts as not satisfied"
        self.report(codes.UNANSWERED, span, message, hint)

    # -- ratings --------------------------------------------------------------------

    def granted(self, trait: str) -> int:
        """Return the steps of `trait` that are free; picks too if the author states its rating."""
        steps = 0
        for part in self.parts.get(trait, ()):
            if part.kind == "grant" or (part.kind == "pick" and self.is_stated(trait)):
                steps += part.steps
        return steps

    def own(self, trait: str) -> int:
        """Return the own steps of `trait`, as far as the steps of the check have read them."""
        if self.settled is not None:
            return self.settled.get(trait, 0)
        stated = self.stated.get(trait)
        if stated is None and trait not in self.parts and trait not in self.lost_steps:
            return 0  # Most traits of most characters.
        if self.is_stated(trait):
            granted = self.granted(trait)
            if stated is None or stated.rating is None:
                return min(granted, min(self._lost(trait), default=granted + 1) - 1)
            return stated.rating
        return sum(part.steps for part in self.parts.get(trait, ()))

    def settle(self) -> None:
        """Keep own ratings, and what formulas compute from now on: no later step changes them."""
        self.settled = {trait: self.own(trait) for trait in self.rated_traits()}

    def rated_traits(self) -> Iterable[str]:
        """Return the traits that may have steps of their own; all others have none."""
        return dict.fromkeys((*self.stated, *self.parts, *self.lost_steps))

    def reached(self, trait: str) -> int:
        """Return the highest own rating that `trait` ever had, before steps were sold or lost."""
        return max(self.own(trait), 0, *self._lost(trait))

    def _lost(self, trait: str) -> list[int]:
        return [step for lost in self.lost_steps.get(trait, ()) for step in lost.steps]

    def limit(self, trait: str) -> int:
        """Return the limit of `trait` for formulas; `NO_LIMIT` if there is none."""
        return self.limits.get(trait, NO_LIMIT)

    def price(self, trait: str, step: int) -> int:
        """Return the price of one step of a trait whose rating the author states."""
        price = self.group_rule(trait).price or "0"
        return self.eval_int(price, n=step, limit=self.limit(trait))

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

    def group_rule(self, trait: str) -> Group:
        """Return the ruleset's entry for the group of `trait`."""
        return self.rules.groups[self.group_of(trait) or ""]

    def in_dice(self, trait: str) -> bool:
        """Whether the ratings of `trait` are codes of dice."""
        return self.group_rule(trait).rating == "dice"

    def trait_rule(self, trait: str) -> Trait | None:
        """Return the ruleset's entry for `trait`; None for one that the author named."""
        found = self.index.traits.get(trait)
        return found[1] if found else None

    def total(self, trait: str) -> int:
        """Return the rating of `trait`, including that of its parent.

        A trait whose `needs` does not hold has no rating, since nobody may roll it.
        """
        rule = self.index.summed.get(trait)
        if rule is None:
            return self.own(trait)
        if trait in self.computing:
            return self.own(trait)  # It stands under itself; the ruleset's check reports it.
        under, needs = rule
        if needs is None and under not in self.index.summed:
            return self.own(trait) + self.own(under)

        def compute() -> int:
            if needs is not None and not self.holds(needs):
                return 0
            return self.own(trait) + (self.total(under) if under else 0)

        return self.cached(trait, compute)

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

    def changed(self, **changes: Any) -> Draft:
        """Return a draft with other values, which formulas compute anew."""
        return replace(self, **changes, cache={}, known={}, computing=[])

    def traits_of(self, group: str) -> tuple[str, ...]:
        """Return the traits of `group`, then those that the author named."""
        return (*self.index.by_place[group], *self.named_traits(group))

    def named_traits(self, group: str) -> list[str]:
        """Return the traits of `group` that the author named."""
        return [trait for trait, (_, of) in self.own_traits.items() if of == group]

    def name_of(self, trait: str) -> str:
        """Return the name of `trait` as a reader sees it."""
        if trait in self.own_traits:
            return self.own_traits[trait][0]
        return self.index.titles.get(trait, trait)

    def add(self, trait: str, part: RatingPart) -> None:
        """Add steps to the rating of a trait."""
        self.parts.setdefault(trait, []).append(part)

    # -- choices ----------------------------------------------------------------------

    def times_taken(self, name: str, picked: bool = False) -> int:
        """Return how often the choice `name`, or a choice with that tag, was taken.

        Args:
            picked: Count only what the author picked, not what other choices brought along.
        """
        times = 0
        for pick in self.picks:
            if name in self.pick_names(pick) and not (picked and pick.because):
                times += pick.times
        return times

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
        key = pick.catalogue, pick.entry
        found = self.index.pick_names.get(key)
        if found is None:
            found = self.index.pick_names[key] = self._pick_names(*key)
        return found

    def _pick_names(self, catalogue_id: str, entry: str) -> tuple[str, ...]:
        catalogue = self.rules.choices.get(catalogue_id)
        if catalogue is None:
            return ()
        if not entry:
            return (catalogue_id, *(catalogue.custom.tags if catalogue.custom else ()))
        tags = catalogue.entries[entry].tags
        return (entry, catalogue_id, f"{catalogue_id}.{entry}", *tags)

    # -- points -------------------------------------------------------------------------

    def spend(self, pool: str, what: str, cost: int, session: str = "", kind: str = "") -> None:
        """Add a line to a pool's ledger; a cost below 0 is a gain."""
        gained, cost = (-cost, 0) if cost < 0 else (0, cost)
        self.lines.setdefault(pool, []).append(LedgerLine(what, gained, cost, 0, session, kind))

    def left(self, pool: str) -> int:
        """Return how many points of `pool` are left so far."""
        return sum(line.gained - line.cost for line in self.lines.get(pool, ()))
