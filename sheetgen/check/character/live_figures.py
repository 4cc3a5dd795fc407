"""The figures of a checked character that a live sheet computes with; see engine.js."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from sheetgen.check.character import ledger, results
from sheetgen.check.character.draft import Draft, DraftScope, find_modifiers, list_numbers
from sheetgen.check.character.items import own_figures
from sheetgen.check.character.ledger import ADVANCE, DIE
from sheetgen.check.character.ratings import RATING, format_granting, granted_by
from sheetgen.diag.findings import errors
from sheetgen.model.build import Owned, Value, picked_entry
from sheetgen.model.prints import LiveFigures
from sheetgen.model.rulesets.traits import Group, Limit
from sheetgen.rules.formulas.evaluate import value_of
from sheetgen.rules.formulas.expressions import GATHERING, FormulaError
from sheetgen.rules.formulas.javascript import number_data
from sheetgen.rules.index import attack_texts
from sheetgen.rules.scopes import NONE, OTHERS


def live_figures(draft: Draft, request: LiveFigures) -> Mapping[str, Any]:
    """Return the figures of a character that the program of a live sheet asks for.

    All of it is plain data by the names of engine.js: `o` options, `a` answers, `own` and
    `base` ratings (now, and before advances), `free` granted steps, `gives` who grants them,
    `lim` and `pass` limits, `got` and `cost` of the points that nothing on the sheet changes,
    `adv` advances in order.
    """
    listed = {
        str(list_): dict(_items(draft, request, str(list_), *column))
        for list_, column in (request.columns or {}).items()
    }
    held = draft.dice if _recorded(draft) else sorted(draft.granted_dice, reverse=True)
    return {
        "o": {
            name: draft.options[name] if name in draft.options else picked_entry(draft.picks, name)
            for name in request.options
        }
        | ({"things.": _things(draft, request)} if request.things else {}),
        "a": dict(_answers(draft, request)),
        "n": {str(key): int(n) for key, n in draft.numbers.items()},
        "in_": {p.key: p.entry for p in draft.picks if p.key in request.states and p.entry},
        "items": {stem: item for items in listed.values() for stem, item in items.items()},
        "mods": {
            name: found
            for name in sorted(request.modified)
            if (found := [*_modifiers(draft, request, name)])
        },
        "rolled": dict(results.find_row_rolls(draft)),
        **_ratings(draft),
        **_limits(draft),
        **_points(draft, request),
        "dice": list(held),
    }


def _things(draft: Draft, request: LiveFigures) -> Mapping[str, Any]:
    """Return how many there are of each thing of a list, and its numbers as data."""
    return {
        list_: [
            [count, {n: number_data(known[n]) for n in names if n in known}]
            for count, known in list_numbers(draft, list_)
        ]
        for list_, names in (request.things or {}).items()
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
                yield f"{function} {names[0]}", value_of(call, scope) if there else None
            continue
        else:
            answer = scope.ask(function, names)
        if answer:
            yield " ".join((function, *names)), int(answer)


def _ratings(draft: Draft) -> Mapping[str, Any]:
    own: dict[str, int] = {}
    over: dict[str, int] = {}
    free: dict[str, int] = {}
    gives: dict[str, str] = {}
    named: dict[str, Any] = {}
    for id_, group in draft.rules.groups.items():
        for trait in draft.index.by_place[str(id_)]:
            if rating := draft.own(trait):
                own[trait] = rating
            if group.boxes and rating > group.boxes:
                over[trait] = rating - group.boxes
            if granted := draft.granted(trait):
                free[trait] = granted
                gives[trait] = format_granting(draft, trait)
        for row, trait in enumerate(draft.named_traits(str(id_)), start=1):
            stated = draft.stated[trait]
            most = stated.most or 0
            named[f"{id_}.{row}"] = [draft.own_traits[trait][0], most, draft.own(trait), str(id_)]
    bought: dict[str, int] = {}
    for trait, parts in draft.parts.items():
        if steps := sum(part.steps for part in parts if part.kind == "advance"):
            bought[trait] = steps
    return {
        "own": own,
        "over": over,
        "free": free,
        "gives": gives,
        "named": named,
        "st": {t: s.stars for t, s in draft.stated.items() if s.stars and t in draft.index.traits},
        "gone": {t: [n for one in lost for n in one.steps] for t, lost in draft.lost_steps.items()},
        "focus": draft.focus,
        "base": {trait: own.get(trait, 0) - bought.get(trait, 0) for trait in (*own, *bought)},
        "adv": [
            [a.trait]
            if a.trait
            else [0, [a.after, a.adds]]
            if a.after
            else [0, a.price, dict(a.raised)]
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
        if group.limit is None:
            continue
        name = next((p.name for p in draft.picks if p.catalogue == group.limit.by), "")
        who |= {str(id_): name} if name else {}
        found |= dict(_rows(draft, group, group.limit))
    passing = {trait: [most, granted_by(draft, trait)] for trait, most in draft.passing.items()}
    return {"lim": found, "who": who, "pass": passing}


def _rows(draft: Draft, group: Group, limit: Limit) -> Iterator[tuple[str, Any]]:
    chosen = limit.sets.get(str(draft.options.get(str(limit.option), "")), {})
    picks = [p.entry for p in draft.picks if p.catalogue == limit.by] or [NONE]
    rows = [chosen.get(entry, {}) for entry in picks]
    if not any(rows):
        return
    for trait in map(str, group.traits):
        limits = [row.get(trait, row.get(OTHERS)) for row in rows]
        known = [most for most in limits if most is not None]
        if known:
            yield trait, min(known) if len(known) == len(limits) else [min(known)]


def _points(draft: Draft, request: LiveFigures) -> Mapping[str, Any]:
    """Return the points of each pool that the sheet cannot change, and what makes them unsure."""
    found: dict[str, dict[str, int]] = {n: {} for n in ("got", "cost", "early", "unsure", "began")}
    doubtful = bool(errors(draft.findings))
    live = {RATING, ADVANCE} | (set() if _recorded(draft) else {DIE})
    for id_, pool in draft.rules.pools.items():
        if not ledger.has_pool(draft, str(id_)):
            continue
        lines = [line for line in draft.lines[str(id_)] if line.kind not in live]
        began = str(id_) in request.starts and ledger.starts_by_rule(draft, str(id_), pool)
        start = draft.eval_int(pool.start) if began else 0
        found["got"][str(id_)] = sum(line.gained for line in lines) - start
        found["cost"][str(id_)] = sum(line.cost for line in lines)
        found["began"] |= {str(id_): 1} if began else {}
        if doubtful:
            early = ledger.lacking_in(draft, str(id_))
            found["early"] |= {str(id_): early} if early else {}
            unsure = ledger.unknown_gain(draft, str(id_), pool)
            found["unsure"] |= {str(id_): 1} if unsure else {}
    return found


def _recorded(draft: Draft) -> bool:
    return any(draft.rules.character[id_].kind == "dice_history" for id_ in draft.entries)


def _items(
    draft: Draft, request: LiveFigures, list_: str, name: str, names: frozenset[str]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the items of a list by row: the name shown, and the figures of their texts.

    Args:
        name: The column that names the item.
        names: Names in the formulas of the other columns.
    """
    rule = draft.rules.lists[list_]
    if rule.of.startswith("choices."):
        for row, pick in enumerate(results.listed_picks(draft, rule), start=1):
            seen = results.pick_names(draft, rule, pick)
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
    for row, item in enumerate(results.listed_items(draft, rule), start=1):
        known = results.item_names(draft, rule, item)
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
    return {name: number_data(formula) for name, formula in numbers.items()}


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
        labels = {d: results.trait_label(draft, d) for d in item.changes}
        yield "mods", [[labels[d], _amounts(draft, request, c)] for d, c in item.changes.items()]


def _modifiers(draft: Draft, request: LiveFigures, derived: str) -> Iterator[tuple[Any, ...]]:
    for name, formulas, times in find_modifiers(draft, derived, without=request.states):
        amounts = _amounts(draft, request, formulas)
        if any(amounts):
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
