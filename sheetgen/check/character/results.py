"""Derived values: the step `compute_derived` computes each and explains how it comes about.

`DraftScope.derived` evaluates the formulas; this module writes the
values as prints show them, `10 + Heave 5 − 2 Thick Coat` beside the figure. `check_printed`
compares them with the values that a stat block prints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import TypeAlias

from sheetgen.check.character.draft import (
    Draft,
    DraftScope,
    modifiers,
    number_value,
    with_count,
)
from sheetgen.check.character.items import has_tags
from sheetgen.check.character.ratings import raised_at
from sheetgen.check.character.values import parse_amount, parse_mapping
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.model.build import DerivedValue, Owned, Pick, Value
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Derived, DiceMix, ItemRows
from sheetgen.rules.formulas import expressions
from sheetgen.rules.formulas.evaluate import (
    FORMS,
    Program,
    compile_tree,
    fraction_text,
    number_text,
    value_text,
)
from sheetgen.rules.formulas.notation import (
    MODIFIERS,
    call_label,
    figured_text,
    is_explained,
    label,
    terms,
)
from sheetgen.rules.index import names_of

Form: TypeAlias = Callable[[int | Fraction], str]  # formats a figure
Parts: TypeAlias = Sequence[tuple[str, str]]
Explainer: TypeAlias = Callable[[DraftScope, Form], Parts]


def compute_derived(draft: Draft) -> None:
    """Compute all derived values of the ruleset."""
    scope = draft.scope()
    for id_, rule in draft.rules.derived.items():
        value: Value | None = None
        try:
            value = scope.derived(id_)
        except expressions.FormulaError as error:
            draft.report_formula_error(rule.value or rule.sum or "", error)
        how = _explain(scope, rule) if value is not None else ""
        shown = format_derived(rule, value)
        draft.derived[str(id_)] = DerivedValue(str(id_), rule.label, value, how, shown)


def format_derived(rule: Derived, value: Value | None) -> str:
    """Return a derived value as prints write it."""
    if value is None:
        return ""
    form = FORMS.get(str(rule.as_))
    text = value_text(value) if form is None or isinstance(value, str) else form(value)
    return text + unit_text(rule)


def unit_text(rule: Derived) -> str:
    """Return the unit of a derived value as it is written behind the figure: ` ft`, `%`."""
    return f"\N{NO-BREAK SPACE}{rule.unit}" if rule.unit[:1].isalpha() else rule.unit


def _explain(scope: DraftScope, rule: Derived) -> str:
    """Return how a value comes about, with its figures: `10 + Heave 5 − 2 Thick Coat`."""
    explained = _explainers(rule.value, scope.draft.rules) if rule.value is not None else None
    if explained is None:
        return ""
    form = FORMS.get(str(rule.as_), number_text)
    form = fraction_text if rule.as_ in ("signed", "die") else form
    parts = [part for explain in explained for part in explain(scope, form)]
    if not parts:
        return "0"
    (sign, text), *rest = parts
    text = f"−{text}" if sign == "-" else text
    for sign, part in rest:
        text += f" − {part}" if sign == "-" else f" + {part}"
    return text


@lru_cache(maxsize=1024)
def _explainers(formula: str, rules: Ruleset) -> tuple[Explainer, ...] | None:
    """Return functions for a formula's terms.

    Returns:
        None if it calls functions, which only rules authors read; lookups are none.
    """
    tree = expressions.parse_formula(formula)
    if not is_explained(tree, rules):
        return None
    return tuple(_explainer(sign, term) for sign, term in terms(tree))


def _explainer(sign: str, term: expressions.Tree) -> Explainer:
    """Return a function from a scope and a form to a term's parts: their signs and texts."""
    if isinstance(term, expressions.Number):
        number = term.value
        return lambda _, form: ((sign, form(number)),)
    if isinstance(term, expressions.Name):
        return partial(_named, sign, term.name)
    if isinstance(term, expressions.Call) and term.function != MODIFIERS:
        return partial(_looked_up, sign, term, compile_tree(term))
    if isinstance(term, expressions.Call):
        argument = term.arguments[0] if term.arguments else None
        return partial(_modifiers, argument.name if isinstance(argument, expressions.Name) else "")
    if isinstance(term, expressions.Either):
        test, yes, no = compile_tree(term.test), _chosen(sign, term.yes), _chosen(sign, term.no)
        return partial(_either, test, yes, no)
    return partial(_arithmetic, sign, figured_text(term))


def _arithmetic(sign: str, parts: tuple[str, ...], scope: DraftScope, form: Form) -> Parts:
    """Return a term of several names as one part: `2×Threshold 4`."""
    text = ""
    for place, part in enumerate(parts):
        first, _, derived = part.partition(".")
        if place % 2 == 0:
            text += part
        elif first == MODIFIERS and derived:
            total = sum(amount for _, amount in modifiers(scope.draft, derived))
            text += f"{MODIFIERS} {form(total)}"
        else:
            text += _named("", part, scope, form)[0][1]
    return ((sign, text),)


def _looked_up(
    sign: str, call: expressions.Call, program: Program, scope: DraftScope, form: Form
) -> Parts:
    name = call_label(scope.draft.rules, call)
    try:
        value = program(scope)
    except expressions.FormulaError:
        return ((sign, f"{name} ?"),)
    shown = value if isinstance(value, str) else form(value)
    return ((sign, f"{name} {shown}"),)


def _chosen(sign: str, term: expressions.Tree) -> Explainer:
    """Return the function for one side of `… if … else …`; a 0 is left out."""
    if term == expressions.Number(0, term.at):
        return lambda _, __: ()
    return _explainer(sign, term)


def _named(sign: str, name: str, scope: DraftScope, form: Form) -> Parts:
    value = scope.value(name)
    figure = "?" if value is None else value if isinstance(value, str) else form(value)
    return ((sign, f"{trait_label(scope.draft, name)} {figure}"),)


def _modifiers(derived: str, scope: DraftScope, form: Form) -> Parts:
    found = modifiers(scope.draft, derived)
    return [("-" if n < 0 else "+", f"{name} {form(abs(n))}") for name, n in found]


def _either(test: Program, yes: Explainer, no: Explainer, scope: DraftScope, form: Form) -> Parts:
    try:
        chosen = yes if test(scope) else no
    except expressions.FormulaError:
        return ()
    return chosen(scope, form)


def trait_label(draft: Draft, name: str) -> str:
    """Return what explanations call a name of a formula, such as a trait."""
    own = draft.own_traits.get(name)
    return own[0] if own else label(draft.rules, name)


def check_printed(draft: Draft) -> None:
    """Compare the derived values that a stat block prints with what the rules give."""
    derived = draft.rules.derived
    for id_, _, node in draft.ruleset_keys("printed"):
        names = names_of(((str(i), r.label, ()) for i, r in derived.items()), draft.rules.spellings)
        for name, below in parse_mapping(draft, node, draft.key_name(id_), "{Name: 12}"):
            found = names.find(name.raw)
            if len(found) != 1:
                message = f"the rules compute no `{name.raw}`"
                draft.report(codes.UNKNOWN_NAME, name.span, message, names.hint(name.raw))
                continue
            printed, computed = parse_amount(draft, below, name.raw), draft.derived[found[0]]
            if printed is None:
                continue
            draft.printed_values[found[0]] = printed
            if computed.value is not None and computed.value != printed:
                message = f"{computed.label} is printed as {printed}; "
                message += f"the rules give {computed.value}"
                how = f": {computed.how}" if computed.how else ""
                hint = f"compare it with the rules{how}; the print shows {computed.value}"
                draft.report(codes.DISAGREE, name.span, message, hint, Severity.WARNING)


def fill_lines(draft: Draft) -> dict[str, str]:
    """Return the computed lines of text, by id; a line whose formula fails is empty."""
    return {str(id_): draft.fill(line.text) for id_, line in draft.rules.texts.items()}


def build_list_rows(draft: Draft) -> dict[str, tuple[Mapping[str, str], ...]]:
    """Return the rows of the lists, by list; each row is text by column."""
    return {
        str(id_): tuple(
            {str(name): draft.fill(text, names).strip() for name, text in rule.columns.items()}
            for names in _row_names(draft, rule)
        )
        for id_, rule in draft.rules.lists.items()
    }


def _row_names(draft: Draft, rule: ItemRows) -> Iterator[Mapping[str, Value]]:
    what = rule.of.partition(".")[0]
    if what == "choices":
        yield from (pick_names(draft, rule, pick) for pick in listed_picks(draft, rule))
    elif rule.of not in draft.rules.groups:
        yield from (item_names(draft, rule, item) for item in listed_items(draft, rule))
    else:
        rated = {*draft.rated_traits(), *draft.listed_codes}
        for trait in draft.traits_of(str(rule.of)) if rated else ():
            if trait in rated and ((own := draft.own(trait)) or trait in draft.listed_codes):
                yield {"name": draft.name_of(trait), "own": own, "total": draft.total(trait)}


def listed_picks(draft: Draft, rule: ItemRows) -> Iterator[Pick]:
    """Yield the choices that a list shows, in its order."""
    catalogue = rule.of.partition(".")[2]
    for pick in (*draft.picks, *draft.refused_picks):
        if pick.catalogue == catalogue and has_tags(rule, draft.pick_names(pick)):
            yield pick


def pick_names(draft: Draft, rule: ItemRows, pick: Pick) -> dict[str, Value]:
    """Return the names for the row of a choice: also its facts, those that a column uses."""
    entry = draft.entry_of(pick)
    names: dict[str, Value] = {
        "name": pick.name,
        "times": with_count("", pick.times),
        "text": pick.text,
        "computed": draft.fill(entry.computed) if entry and entry.computed else pick.text,
        **{f"fact.{name}": "" for name in draft.index.facts},
        **_shown_numbers(draft, rule, entry.numbers if entry else {}),
    }
    for name, text in entry.facts.items() if entry else ():
        used = any(f"fact.{name}" in column for column in rule.columns.values())
        names[f"fact.{name}"] = draft.fill(text) if used else ""
    return names


def _shown_numbers(draft: Draft, rule: ItemRows, numbers: Mapping[str, str]) -> dict[str, Value]:
    """Return the numbers of a thing that columns of a list show; one that it lacks is 0."""
    text = " ".join(rule.columns.values()) if draft.index.numbers else ""
    found: dict[str, Value] = {}
    for name in (name for name in draft.index.numbers if name in text):
        found[name] = 0
        try:
            found[name] = number_value(numbers.get(name, 0), draft.scope())
        except expressions.FormulaError as error:
            draft.report_formula_error(numbers[name], error)
    return found


def fill_sections(draft: Draft) -> dict[tuple[str, str, int], str]:
    """Return the computed texts of the sections of all picks."""
    found = ((pick, draft.entry_of(pick)) for pick in draft.picks)
    return {
        (pick.catalogue, pick.entry, number): draft.fill(
            section.computed, default=str(section.text)
        )
        for pick, entry in found
        for number, section in enumerate(entry.sections if entry else (), 1)
        if section.computed is not None
    }


def compute_rolls(draft: Draft) -> dict[str, tuple[tuple[str, int], ...]]:
    """Return how many of each die are rolled, by the name of the roll.

    A roll for each trait of a group is named `GROUP.TRAIT`.
    """
    rolls = {}
    for id_, roll in draft.rules.rolls.items():
        if roll.each is None:
            rolls[str(id_)] = _dice(draft, roll, {})
            continue
        for trait in draft.traits_of(str(roll.each)):
            rule = draft.trait_rule(trait)
            under = draft.total(str(rule.under)) if rule is not None and rule.under else 0
            dice = _dice(draft, roll, {"n": draft.own(trait), "under": under})
            rolls[f"{roll.each}.{trait}"] = dice
    return rolls


def find_row_rolls(draft: Draft) -> Iterator[tuple[str, str]]:
    """Yield the rows of lists that have a roll, `LIST.N`, and the name of the roll."""
    for id_, rule in draft.rules.lists.items():
        what = rule.of.partition(".")[0]
        rolls: Iterable[str] = ()
        if what == "choices":
            entries = map(draft.entry_of, listed_picks(draft, rule))
            rolls = (str(rule.roll or (entry and entry.roll) or "") for entry in entries)
        elif rule.roll and rule.of not in draft.rules.groups:
            rolls = (str(rule.roll) for _ in listed_items(draft, rule))
        for number, roll in enumerate(rolls, start=1):
            if roll:
                group = draft.group_of(roll) if roll in draft.index.traits else ""
                yield f"{id_}.{number}", f"{group}.{roll}" if group else roll


def _dice(draft: Draft, roll: DiceMix, names: Mapping[str, Value]) -> tuple[tuple[str, int], ...]:
    counts = ((str(die), draft.eval_int(formula, **names)) for die, formula in roll.dice.items())
    return tuple((die, count) for die, count in counts if count > 0)


def listed_items(draft: Draft, rule: ItemRows) -> Iterator[Owned]:
    """Yield the items that a list shows, in its order; each line of a key of texts is one."""
    for line in draft.lists.get(str(rule.of), ()):
        yield Owned(str(rule.of), "", line, draft.span_of(str(rule.of)))
    for item in (*draft.items, *draft.refused_items):
        if rule.of in ("gear", item.key) and has_tags(rule, item.tags):
            yield item


def item_names(draft: Draft, rule: ItemRows, item: Owned) -> dict[str, Value]:
    """Return the names that columns see for an item; a figure that it lacks is empty."""
    known: dict[str, Value] = {
        **_shown_numbers(draft, rule, item.numbers),
        "name": item.name,
        "times": with_count("", item.count),
        "count": item.count,
        "cost": item.cost,
        "special": item.special,
        "conditional": item.conditional,
        "note": "; ".join(part for part in (item.special, item.conditional) if part),
        "modifiers": ", ".join(
            f"{'+' if amount > 0 else '−'}{abs(amount)} {trait_label(draft, derived)}"
            for derived, amount in item.modifies.items()
            if amount
        ),
    }
    codes = {"dice": item.dice, "attack": item.attack, "damage": item.damage, "bonus": item.bonus}
    known |= {code: "" if value is None else value for code, value in codes.items()}
    own = not item.item  # whose words may be a number
    said = {n: int(t) if own and re.fullmatch(r"\d{1,6}", t) else t for n, t in item.rolled.items()}
    return {**known, **said}


def compute_track_steps(draft: Draft) -> dict[str, tuple[int, ...]]:
    """Return the boxes of each track that lead to another state."""
    return {
        str(id_): tuple(draft.eval_int(formula) for formula in track.steps.values())
        for id_, track in draft.rules.tracks.items()
        if track.steps
    }


def check_tracks(draft: Draft) -> None:
    """Warn of tracks with more boxes marked than they have, and of ratings above their boxes."""
    for id_, (boxes, marked) in compute_tracks(draft).items():
        track = draft.rules.tracks[id_]
        if marked > boxes and (name := limited_track(draft.rules, id_)):
            message = f"{name} has {boxes} {'box' if boxes == 1 else 'boxes'}; {marked} are marked"
            hint = f"mark {boxes} at most" if boxes > 0 else "mark none"
            written = draft.place_of({str(track.marked)})
            span = written[1] if written else draft.span_of(str(track.marked))
            draft.report(codes.ABOVE_LIMIT, span, message, hint, Severity.WARNING)
    for id_, group in draft.rules.groups.items():
        for trait in draft.traits_of(str(id_)) if group.boxes and group.limit is None else ():
            if (own := draft.own(trait)) > group.boxes:
                there = "1 box" if group.boxes == 1 else f"{group.boxes} boxes"
                message = f"{draft.name_of(trait)} is {own}; a sheet has {there} for it"
                hint = f"lower it to {group.boxes}"
                span = raised_at(draft, trait)
                draft.report(codes.ABOVE_LIMIT, span, message, hint, Severity.WARNING)


def limited_track(rules: Ruleset, id_: str) -> str:
    """Return what findings call a track of which no more boxes may be marked than it has.

    A ruleset with a rule `at` the key, or with `most`, says itself what too many marks mean.
    """
    track = rules.tracks[id_]
    key = rules.character.get(str(track.marked))
    ruled = any(rule.at == track.marked for rule in rules.rules.values())
    known = ruled or (key is not None and key.most is not None)
    return "" if known else track.label or id_.replace("_", " ")


def compute_tracks(draft: Draft) -> dict[str, tuple[int, int]]:
    """Return for each track how many boxes it has and how many are marked."""
    found = {}
    for id_, track in draft.rules.tracks.items():
        marked = 0
        if track.marked is not None and track.marked in draft.rules.derived:
            marked = draft.eval_int(track.marked)
        elif track.marked:
            marked = draft.numbers.get(str(track.marked), 0)
        found[str(id_)] = draft.eval_int(track.boxes), marked
    return found
