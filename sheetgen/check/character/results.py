"""Derived values: the step `compute_derived` computes each and explains how it comes about.

`DraftScope.derived` evaluates the formulas; this module writes the
values as prints show them, `10 + Heave 5 − 2 Thick Coat` beside the figure. `check_printed`
compares them with the values that a stat block prints.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeAlias

from sheetgen.check.character import ledger
from sheetgen.check.character.draft import (
    Draft,
    DraftScope,
    find_modifiers,
    list_numbers,
    modifiers,
    number_value,
    with_count,
)
from sheetgen.check.character.items import has_tags, own_figures
from sheetgen.check.character.ratings import (
    RATING,
    format_granting,
    granted_by,
    limit_of,
    raised_at,
)
from sheetgen.check.character.values import parse_amount, parse_mapping
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity, errors
from sheetgen.model.build import DerivedValue, Owned, Pick, Value, picked_entry
from sheetgen.model.prints import LiveFigures
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Derived, DiceMix, ItemRows
from sheetgen.rules.formulas import evaluate, notation
from sheetgen.rules.formulas import expressions as syntax
from sheetgen.rules.formulas.expressions import GATHERING, FormulaError
from sheetgen.rules.index import attack_texts, names_of
from sheetgen.rules.scopes import NONE, OTHERS

Form: TypeAlias = Callable[[int | Fraction], str]  # formats a figure


def compute_derived(draft: Draft) -> None:
    """Compute all derived values of the ruleset."""
    scope = draft.scope()
    for id_, rule in draft.rules.derived.items():
        value: Value | None = None
        try:
            value = scope.derived(id_)
        except FormulaError as error:
            draft.report_formula_error(rule.value or rule.sum or "", error)
        how = _explain(scope, rule) if value is not None else ""
        shown = format_derived(rule, value)
        draft.derived[str(id_)] = DerivedValue(str(id_), rule.label, value, how, shown)


def format_derived(rule: Derived, value: Value | None) -> str:
    """Return a derived value as prints write it."""
    if value is None:
        return ""
    form = evaluate.FORMS.get(str(rule.as_))
    text = evaluate.value_text(value) if form is None or isinstance(value, str) else form(value)
    return text + unit_text(rule)


def unit_text(rule: Derived) -> str:
    """Return the unit of a derived value as it is written behind the figure: ` ft`, `%`."""
    return f"\N{NO-BREAK SPACE}{rule.unit}" if rule.unit[:1].isalpha() else rule.unit


def _explain(scope: DraftScope, rule: Derived) -> str:
    """Return how a value comes about, with its figures: `10 + Heave 5 − 2 Thick Coat`."""
    listed = _explained_terms(rule.value, scope.draft.rules) if rule.value is not None else None
    if listed is None:
        return ""
    form = evaluate.FORMS.get(str(rule.as_), evaluate.number_text)
    form = evaluate.fraction_text if rule.as_ in ("signed", "die") else form
    parts = [part for sign, term in listed for part in _explained_parts(scope, sign, term, form)]
    return notation.join_terms(parts) if parts else "0"


@lru_cache(maxsize=1024)
def _explained_terms(formula: str, rules: Ruleset) -> Sequence[tuple[str, syntax.Tree]] | None:
    """Return a formula's terms; None if it calls functions other than lookups."""
    tree = syntax.parse_formula(formula)
    return notation.terms(tree) if notation.is_explained(tree, rules) else None


_compiled = lru_cache(maxsize=4096)(evaluate.compile_tree)


def _explained_parts(
    scope: DraftScope, sign: str, term: syntax.Tree, form: Form
) -> Iterable[tuple[str, str]]:
    """Return the parts that explain a term, with their signs and figures."""

    def named(name: str) -> str:
        value = scope.value(name)
        figure = "?" if value is None else value if isinstance(value, str) else form(value)
        return f"{trait_label(scope.draft, name)} {figure}"

    text = ""
    match term:
        case syntax.Number(value=number):
            text = form(number)
        case syntax.Name(name=name):
            text = named(name)
        case syntax.Call(function=function) if function != notation.MODIFIERS:
            shown = "?"
            with suppress(FormulaError):
                value = _compiled(term)(scope)
                shown = value if isinstance(value, str) else form(value)
            text = f"{notation.call_label(scope.draft.rules, term)} {shown}"
        case syntax.Call(arguments=arguments):
            derived = "".join(a.name for a in arguments[:1] if isinstance(a, syntax.Name))
            found = modifiers(scope.draft, derived)
            return [("-" if n < 0 else "+", f"{name} {form(abs(n))}") for name, n in found]
        case syntax.Either(test=test, yes=yes, no=no):
            try:
                chosen = yes if _compiled(test)(scope) else no
            except FormulaError:
                return ()
            zero = chosen == syntax.Number(0, chosen.at)  # which is left out
            return () if zero else _explained_parts(scope, sign, chosen, form)
        case _:  # a term of several names is one part: `2×Threshold 4`
            for place, part in enumerate(notation.figured_text(term)):
                first, _, derived = part.partition(".")
                if place % 2 == 0:
                    text += part
                elif first == notation.MODIFIERS and derived:
                    total = sum(amount for _, amount in modifiers(scope.draft, derived))
                    text += f"{notation.MODIFIERS} {form(total)}"
                else:
                    text += named(part)
    return ((sign, text),)


def trait_label(draft: Draft, name: str) -> str:
    """Return what explanations call a name of a formula, such as a trait."""
    own = draft.own_traits.get(name)
    return own[0] if own else notation.label(draft.rules, name)


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
        for trait in _listed_traits(draft, str(rule.of)):
            own, total = draft.own(trait), draft.total(trait)
            yield {"name": draft.name_of(trait), "own": own, "total": total}


def _listed_traits(draft: Draft, group: str) -> Iterator[str]:
    rated = {*draft.rated_traits(), *draft.listed_codes}
    for trait in draft.traits_of(group) if rated else ():
        if trait in rated and (draft.own(trait) or trait in draft.listed_codes):
            yield trait


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
        except FormulaError as error:
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
    """Return how many of each die are rolled, by the name of the roll, such as `GROUP.TRAIT`."""
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
        elif rule.of in draft.rules.groups:
            rolled = any(str(roll.each) == rule.of for roll in draft.rules.rolls.values())
            rolls = _listed_traits(draft, str(rule.of)) if rolled else ()
        elif rule.roll:
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
        "remark": item.remark,
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
    said = {
        n: int(t.removesuffix("%")) if own and re.fullmatch(r"\d{1,6}%?", t) else t
        for n, t in item.rolled.items()
    }
    return {**known, **said}


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
    """Return what findings call a track that may not be overmarked; "" if a rule says it."""
    track = rules.tracks[id_]
    key = rules.character.get(str(track.marked))
    ruled = any(rule.at == track.marked for rule in rules.rules.values())
    known = ruled or (key is not None and key.most is not None)
    return "" if known else track.label or id_.replace("_", " ")


def compute_tracks(draft: Draft) -> dict[str, tuple[int, int]]:
    """Return for each track how many boxes it has and how many are marked."""
    found = {}
    for id_, track in draft.rules.tracks.items():
        marked = draft.numbers.get(str(track.marked), 0)
        if track.marked is not None and track.marked in draft.rules.derived:
            marked = draft.eval_int(track.marked)
        found[str(id_)] = draft.eval_int(track.boxes), marked
    return found


def live_figures(draft: Draft, request: LiveFigures) -> Mapping[str, Any]:
    """Return the figures of a character that the program of a live sheet asks for.

    All of it is plain data by the names of engine.js: `o` options, `a` answers, `own` and
    `base` ratings (now, and before advances), `free` granted steps, `gives` who grants them,
    `lim` and `pass` limits, `got` and `cost` of the points that nothing on the sheet changes,
    `adv` advances in order, `was` what differed before each that raised no trait alone.
    """
    now = _moment(draft, request)
    held = draft.dice if ledger.records_dice(draft) else sorted(draft.granted_dice, reverse=True)
    drafts = (
        replace(draft, picks=[*a.before[0]], items=[*a.before[1]], known={}, cache={}, derived={})
        for a in draft.advanced
        if not a.trait
    )
    was = (_moment(one, request) for one in drafts)
    return {
        **now,
        "was": [{part: data[part] for part in now if data[part] != now[part]} for data in was],
        "n": {str(key): int(n) for key, n in draft.numbers.items()},
        "in_": {p.key: p.entry for p in draft.picks if p.key in request.states and p.entry},
        "items": {
            stem: item
            for list_, column in (request.columns or {}).items()
            for stem, item in _items(draft, request, str(list_), *column)
        },
        "rolled": dict(find_row_rolls(draft)),
        **_ratings(draft),
        **_limits(draft),
        **_points(draft, request),
        "dice": list(held),
    }


def _moment(draft: Draft, request: LiveFigures) -> dict[str, Any]:
    """Return the figures that follow from the picks and items of a moment."""
    things = {  # how many there are of each thing of a list, and its numbers
        list_: [
            [count, {n: notation.number_data(known[n]) for n in names if n in known}]
            for count, known in list_numbers(draft, list_)
        ]
        for list_, names in (request.things or {}).items()
    }
    return {
        "o": {
            **{
                o: draft.options[o] if o in draft.options else picked_entry(draft.picks, o)
                for o in request.options
            },
            **({"things.": things} if things else {}),
        },
        "a": dict(_answers(draft, request)),
        "mods": {
            name: found
            for name in sorted(request.modified)
            if (found := [*_live_modifiers(draft, request, name)])
        },
    }


def _answers(draft: Draft, request: LiveFigures) -> Iterator[tuple[str, Value | None]]:
    scope = DraftScope(draft, {})
    times, picked = Counter[str](), Counter[str]()
    for pick in draft.picks:
        for name in draft.pick_names(pick) if pick.key not in request.states else ():
            times[name] += pick.times
            picked[name] += 0 if pick.because else pick.times
    for function, names in request.asks:
        if function in ("has", "picked") and names:
            answer: Value = (times if function == "has" else picked)[names[0]]
        elif function in GATHERING:  # a cell of a workbook; without things it is empty
            call = f"{function}({names[0]})"
            list_, _, number = names[0].rpartition(".")
            with suppress(FormulaError):
                there = function in ("sum", "count") or scope.things(list_, (number,))
                yield f"{function} {names[0]}", evaluate.value_of(call, scope) if there else None
            continue
        else:
            answer = scope.ask(function, names)
        if answer:
            yield " ".join((function, *names)), int(answer)


def _ratings(draft: Draft) -> Mapping[str, Any]:
    groups = draft.rules.groups.items()
    traits = [trait for id_, _ in groups for trait in draft.index.by_place[str(id_)]]
    own = {trait: rating for trait in traits if (rating := draft.own(trait))}
    free = {trait: granted for trait in traits if (granted := draft.granted(trait))}
    bought = Counter[str]()
    for advance in draft.advanced:
        bought.update({advance.trait: 1} if advance.trait else advance.raised)
    return {
        "own": own,
        "over": {
            trait: own[trait] - group.boxes
            for _, group in groups
            for trait in map(str, group.traits)
            if group.boxes and own.get(trait, 0) > group.boxes
        },
        "free": free,
        "gives": {trait: format_granting(draft, trait) for trait in free},
        "named": {
            f"{id_}.{row}": [draft.name_of(t), limit_of(draft, t) or 0, draft.own(t), str(id_)]
            for id_, _ in groups
            for row, t in enumerate(draft.named_traits(str(id_)), start=1)
        },
        "st": {t: s.stars for t, s in draft.stated.items() if s.stars and t in draft.index.traits},
        "gone": {t: [n for one in lost for n in one.steps] for t, lost in draft.lost_steps.items()},
        "focus": draft.focus,
        "offered": {trait: 1 for trait in traits if draft.offered(trait)},
        "base": {trait: own.get(trait, 0) - bought.get(trait, 0) for trait in (*own, *bought)},
        "adv": [
            [a.trait]
            if a.trait
            else [0, [a.after, a.adds]]
            if a.after
            else [0, a.price, dict(a.raised), a.named]
            for a in draft.advanced
        ],
    }


def _limits(draft: Draft) -> Mapping[str, Any]:
    """Return the limits that choices set; traits that are absent have the limit of their group.

    A limit in a list counts together with the limit of the group: the lower one holds.
    """
    found: dict[str, Any] = {}
    who: dict[str, str] = {}
    for id_, group in draft.rules.groups.items():
        if (limit := group.limit) is None:
            continue
        picks = [pick for pick in draft.picks if pick.catalogue == limit.by]
        who |= {str(id_): picks[0].name} if picks and picks[0].name else {}
        chosen = limit.sets.get(str(draft.options.get(str(limit.option), "")), {})
        rows = [chosen.get(entry, {}) for entry in [p.entry for p in picks] or [NONE]]
        for trait in map(str, group.traits) if any(rows) else ():
            limits = [row.get(trait, row.get(OTHERS)) for row in rows]
            if known := [most for most in limits if most is not None]:
                found[trait] = min(known) if len(known) == len(limits) else [min(known)]
    passing = {trait: [most, granted_by(draft, trait)] for trait, most in draft.passing.items()}
    return {"lim": found, "who": who, "pass": passing}


def _points(draft: Draft, request: LiveFigures) -> Mapping[str, Any]:
    """Return the points of each pool that the sheet cannot change, and what makes them unsure."""
    found: dict[str, dict[str, int]] = {n: {} for n in ("got", "cost", "early", "unsure", "began")}
    doubtful = bool(errors(draft.findings))
    live = {RATING, ledger.ADVANCE} | (set() if ledger.records_dice(draft) else {ledger.DIE})
    for id_, pool in draft.rules.pools.items():
        if not ledger.has_pool(draft, str(id_)):
            continue
        lines = [line for line in draft.lines[str(id_)] if line.kind not in live]
        began = str(id_) in request.starts and ledger.starts_by_rule(draft, str(id_), pool)
        # The first line, which ratings before advances decided.
        first = lines[:1] if lines and lines[0].what == ledger.start_text(pool) else ()
        start = sum(line.gained for line in first) if began else 0
        found["got"][str(id_)] = sum(line.gained for line in lines) - start
        found["cost"][str(id_)] = sum(line.cost for line in lines)
        found["began"] |= {str(id_): 1} if began else {}
        if doubtful:
            early = ledger.lacking_in(draft, str(id_))
            found["early"] |= {str(id_): early} if early else {}
            unsure = ledger.unknown_gain(draft, str(id_), pool)
            found["unsure"] |= {str(id_): 1} if unsure else {}
    return found


def _items(
    draft: Draft, request: LiveFigures, list_: str, name: str, names: frozenset[str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the items of a list by row: the column `name` as shown, and the figures of `names`."""
    rule = draft.rules.lists[list_]
    if rule.of.startswith("choices."):
        for row, pick in enumerate(listed_picks(draft, rule), start=1):
            seen = pick_names(draft, rule, pick)
            entry = draft.entry_of(pick)
            seen_data = {**seen, **_number_data(entry.numbers if entry else {})}
            facts = {n: seen_data[n] for n in sorted(names) if n in seen_data}
            shown = draft.fill(rule.columns[name], seen).strip()
            live = entry.computed if entry and entry.computed in request.formulas else None
            texts = {"t": {"computed": live}} if live else {}
            yield f"{list_}.{row}", {"shown": shown, "n": facts, "entry": pick.entry, **texts}
        return
    if rule.of in draft.rules.groups:
        return
    for row, item in enumerate(listed_items(draft, rule), start=1):
        known = item_names(draft, rule, item)
        none: Mapping[str, Any] = dict.fromkeys(draft.index.numbers, 0)
        data = {**none, **known, **_number_data(item.numbers), "cost": item.cost}
        listed = draft.rules.gear.get(item.item)
        yield (
            f"{list_}.{row}",
            {
                "shown": draft.fill(rule.columns[name], known).strip(),
                "n": {n: data[n] for n in sorted(names) if n in data},
                "skill": item.skill,
                "dice": item.dice,
                "adds": str((listed.adds if listed else None) or ""),
                **({"up": 1} if item.upgrades else {}),
                **dict(_live_texts(draft, request, item, names)),
            },
        )


def _number_data(numbers: Mapping[str, str]) -> Mapping[str, Any]:
    return {name: notation.number_data(formula) for name, formula in numbers.items()}


def _live_texts(
    draft: Draft, request: LiveFigures, item: Owned, names: frozenset[str]
) -> Iterator[tuple[str, Any]]:
    """Yield what the texts of an item depend on: its conditional bonus, and what it changes."""
    listed = draft.rules.gear.get(item.item)
    bonus = listed.conditional if listed else ""
    texts = {n: str(t) for n, t in attack_texts(listed).items() if n in names} if listed else {}
    figures = own_figures(draft, item)
    if bonus in request.formulas and draft.fill(bonus, figures) == item.conditional:
        texts["conditional"] = bonus
    if live := {name: text for name, text in texts.items() if text in request.formulas}:
        yield "t", live
    if "modifiers" in names and item.changes:
        labels = {d: trait_label(draft, d) for d in item.changes}
        yield "mods", [[labels[d], _amounts(draft, request, c)] for d, c in item.changes.items()]


def _live_modifiers(draft: Draft, request: LiveFigures, derived: str) -> Iterator[tuple[Any, ...]]:
    for name, formulas, times in find_modifiers(draft, derived, request.states):
        if any(amounts := _amounts(draft, request, formulas)):
            yield str(name), amounts, times
    for key in request.states:
        catalogue = draft.rules.choices[next(iter(draft.rules.character[key].of), key)]
        for id_, entry in catalogue.entries.items():
            if derived in entry.modifies:
                amounts = _amounts(draft, request, (entry.modifies[derived],))
                yield str(entry.name), amounts, 1, key, str(id_)


def _amounts(draft: Draft, request: LiveFigures, formulas: tuple[str, ...]) -> list[str | int]:
    """Return the value of each formula, or the formula if the program computes it."""
    return [str(f) if f in request.formulas else draft.eval_int(f) for f in formulas]
