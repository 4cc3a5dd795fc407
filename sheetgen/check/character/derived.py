"""Derived values with how they come about, computed lines, tracks, and rows of lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.draft.scope import DraftScope
from sheetgen.check.character.picks.picks import entry_of
from sheetgen.model.build import DerivedValue, Owned, Pick, Value
from sheetgen.model.rulesets.derived import Derived, DiceMix, ItemRows
from sheetgen.rules.formulas.evaluate import evaluate
from sheetgen.rules.formulas.expressions import (
    Call,
    Either,
    FormulaError,
    Name,
    Number,
    Tree,
    parse_formula,
)
from sheetgen.rules.formulas.how import label
from sheetgen.rules.formulas.lines import filled, value_text
from sheetgen.rules.formulas.notation import formula_text, terms
from sheetgen.rules.formulas.numbers import FORMS, number_text
from sheetgen.rules.formulas.trees import walk
from sheetgen.rules.index import fact_names

Form = Callable[[int | Fraction], str]
"""How a figure is written."""


def compute(draft: Draft) -> None:
    """Compute all derived values of the ruleset."""
    for id_, rule in draft.rules.derived.items():
        value: Value | None = None
        try:
            value = DraftScope(draft, {}).derived(str(id_))
        except FormulaError as error:
            draft.unanswered(rule.value or rule.sum or "", error)
        how = _how(draft, rule) if value is not None else ""
        text = _as_written(rule, value)
        draft.derived[str(id_)] = DerivedValue(str(id_), rule.label, value, how, text)


def _as_written(rule: Derived, value: Value | None) -> str:
    """Return a derived value as its rule wants it to be written."""
    if value is None:
        return ""
    form = FORMS.get(str(rule.as_))
    return value_text(value) if form is None or isinstance(value, str) else form(value)


def _how(draft: Draft, rule: Derived) -> str:
    """Return how a value comes about with its figures: `10 + Heave 5 − 2 Thick Coat`."""
    if rule.value is None:
        return ""
    if _is_for_authors(rule.value):
        return ""
    form = FORMS.get(str(rule.as_), number_text)
    parts: list[tuple[str, str]] = []
    for sign, term in terms(parse_formula(rule.value)):
        parts += _term(draft, sign, term, form)
    first = "−" if parts and parts[0][0] == "-" else ""
    text = first + (parts[0][1] if parts else "0")
    for sign, part in parts[1:]:
        text += f" {'−' if sign == '-' else '+'} {part}"
    return text


@lru_cache(maxsize=1024)
def _is_for_authors(formula: str) -> bool:
    """Whether only the ruleset's author would read a formula: it calls functions."""
    return any(
        isinstance(t, Call) and t.function != "modifiers" for t in walk(parse_formula(formula))
    )


def _term(draft: Draft, sign: str, term: Tree, form: Form) -> list[tuple[str, str]]:
    if isinstance(term, Number):
        return [(sign, form(term.value))]
    if isinstance(term, Name):
        value = DraftScope(draft, {}).value(term.name)
        figure = "?" if value is None else value if isinstance(value, str) else form(value)
        return [(sign, f"{_label(draft, term.name)} {figure}")]
    if isinstance(term, Call) and term.function == "modifiers":
        return [_modifier(draft, i, _argument(term), form) for i in draft.items if _counts(i, term)]
    if isinstance(term, Either):
        try:
            chosen = term.yes if evaluate(term.test, DraftScope(draft, {})) else term.no
        except FormulaError:
            return []
        return _term(draft, sign, chosen, form) if chosen != Number(0, chosen.at) else []
    return [(sign, formula_text(term, lambda name: _label(draft, name)))]


def _argument(call: Call) -> str:
    argument = call.arguments[0] if call.arguments else None
    return argument.name if isinstance(argument, Name) else ""


def _counts(item: Owned, call: Call) -> bool:
    return item.active and bool(item.modifies.get(_argument(call), 0))


def _modifier(draft: Draft, item: Owned, derived: str, form: Form) -> tuple[str, str]:
    amount = item.modifies[derived]
    listed = draft.rules.gear.get(item.item)
    name = (listed.short if listed else "") or item.name
    return ("-" if amount < 0 else "+"), f"{name} {form(abs(amount))}"


def _label(draft: Draft, name: str) -> str:
    own = draft.own_traits.get(name)
    return own[0] if own else label(draft.rules, name)


def lines(draft: Draft) -> dict[str, str]:
    """Return the computed lines of text, by id; one without an answer is left empty."""
    return {str(id_): filled_line(draft, line.text) for id_, line in draft.rules.texts.items()}


def filled_line(draft: Draft, text: str, names: Mapping[str, Value] | None = None) -> str:
    """Return a line with the values of its formulas; empty, and a finding, if one has none."""
    try:
        return filled(text, DraftScope(draft, names or {}))
    except FormulaError as error:
        draft.unanswered(text, error)
        return ""


def list_rows_of(draft: Draft) -> dict[str, tuple[Mapping[str, str], ...]]:
    """Return the rows of the lists, by list; each row is text by column."""
    return {str(id_): tuple(_rows(draft, rule)) for id_, rule in draft.rules.lists.items()}


def _rows(draft: Draft, rule: ItemRows) -> Iterator[Mapping[str, str]]:
    what, _, catalogue = rule.of.partition(".")
    if what == "choices":
        picks = [pick for pick in draft.picks if pick.catalogue == catalogue]
        yield from (_picked(draft, rule, pick) for pick in picks if _tagged(draft, rule, pick))
        return
    if rule.of not in draft.rules.groups:
        yield from (_row(draft, rule, item) for item in listed_items(draft, rule))
        return
    for trait in draft.traits_of(str(rule.of)):
        if trait in draft.codes or draft.own(trait):
            yield _rated(draft, rule, trait)


def _tagged(draft: Draft, rule: ItemRows, pick: Pick) -> bool:
    called = draft.called(pick)
    return not any(tag in called for tag in rule.without) and (
        rule.where is None or rule.where in called
    )


def _picked(draft: Draft, rule: ItemRows, pick: Pick) -> Mapping[str, str]:
    """Return the row of a choice that was made: its facts are names, too."""
    entry = entry_of(draft, pick)
    facts = entry.facts if entry else {}
    names: dict[str, Value] = {
        "name": pick.name,
        "times": f" ×{pick.times}" if pick.times > 1 else "",
        "text": pick.text,
        **{f"fact.{name}": "" for name in fact_names(draft.rules)},
    }
    for name, text in facts.items():
        wanted = any(f"fact.{name}" in column for column in rule.columns.values())
        names[f"fact.{name}"] = filled_line(draft, text) if wanted else ""
    return {str(c): filled_line(draft, text, names).strip() for c, text in rule.columns.items()}


def rolls(draft: Draft) -> dict[str, tuple[tuple[str, int], ...]]:
    """Return what is rolled: how many of each die, by the name of the roll.

    Rolls of the traits of a group are called as these: `GROUP.TRAIT`.
    """
    found = {}
    for id_, roll in draft.rules.rolls.items():
        if roll.each is None:
            found[str(id_)] = _dice(draft, roll, {})
            continue
        for trait in draft.traits_of(str(roll.each)):
            under = draft.index.traits[trait][1].under if trait in draft.index.traits else None
            below = draft.total(str(under)) if under else 0
            dice = _dice(draft, roll, {"n": draft.own(trait), "under": below})
            found[f"{roll.each}.{trait}"] = dice
    return found


def _dice(draft: Draft, roll: DiceMix, names: Mapping[str, Value]) -> tuple[tuple[str, int], ...]:
    counts = ((str(die), draft.whole(formula, **names)) for die, formula in roll.dice.items())
    return tuple((die, count) for die, count in counts if count > 0)


def _rated(draft: Draft, rule: ItemRows, trait: str) -> Mapping[str, str]:
    """Return the row of a trait that has a rating of its own."""
    names: dict[str, Value] = {
        "name": draft.name_of(trait),
        "own": draft.own(trait),
        "total": draft.total(trait),
    }
    return {str(c): filled_line(draft, text, names).strip() for c, text in rule.columns.items()}


def _listed(rule: ItemRows, item: Owned) -> bool:
    if rule.of not in ("gear", item.key):
        return False
    if any(tag in item.tags for tag in rule.without):
        return False
    return rule.where is None or rule.where in item.tags


def _row(draft: Draft, rule: ItemRows, item: Owned) -> Mapping[str, str]:
    names = item_names(draft, item)
    return {str(c): filled_line(draft, text, names).strip() for c, text in rule.columns.items()}


def listed_items(draft: Draft, rule: ItemRows) -> Iterator[Owned]:
    """Yield the items of a list, in its order."""
    yield from (item for item in draft.items if _listed(rule, item))


def item_names(draft: Draft, item: Owned) -> dict[str, Value]:
    """Return what formulas of a row call the facts of an item; a figure it lacks is empty."""
    known: dict[str, Value] = {
        "name": item.name,
        "times": f" ×{item.count}" if item.count > 1 else "",
        "count": item.count,
        "cost": item.cost,
        "special": item.special,
        "conditional": item.conditional,
        "note": "; ".join(part for part in (item.special, item.conditional) if part),
        "modifiers": _modifiers(draft, item),
    }
    codes = {"dice": item.dice, "attack": item.attack, "damage": item.damage, "bonus": item.bonus}
    return known | {code: "" if value is None else value for code, value in codes.items()}


def _modifiers(draft: Draft, item: Owned) -> str:
    """Return what an item does to derived values: `+4 THIS, −2 THAT`."""
    found = []
    for derived, amount in item.modifies.items():
        if not amount:
            continue
        sign = "+" if amount >= 0 else "−"
        found.append(f"{sign}{abs(amount)} {_label(draft, derived)}")
    return ", ".join(found)


def steps(draft: Draft) -> dict[str, tuple[int, ...]]:
    """Return for each track the boxes that lead to another state."""
    return {
        str(id_): tuple(draft.whole(formula) for formula in track.steps.values())
        for id_, track in draft.rules.tracks.items()
        if track.steps
    }


def tracks(draft: Draft) -> dict[str, tuple[int, int]]:
    """Return for each track how many boxes it has and how many are marked."""
    found = {}
    for id_, track in draft.rules.tracks.items():
        marked = 0
        if track.marked is not None and track.marked in draft.rules.derived:
            marked = draft.whole(track.marked)
        elif track.marked:
            marked = draft.numbers.get(str(track.marked), 0)
        found[str(id_)] = draft.whole(track.boxes), marked
    return found
