"""Compile the parts of a program about ratings: traits, groups, dice, advances."""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.check.character.ratings.stated import step_words
from sheetgen.plan.scripts.formulas import Formulas
from sheetgen.rules.formulas.javascript import array, js_literal, record


def format_traits(formulas: Formulas) -> Iterator[tuple[str, str]]:
    """Yield each trait: group, name, the trait it is added to, requirement, order, and place."""
    place = 0
    for group_id, group in formulas.rules.groups.items():
        for id_, trait in group.traits.items():
            summed = formulas.index.summed.get(str(id_), ("", None))
            yield (
                str(id_),
                array(
                    js_literal(str(group_id)),
                    js_literal(formulas.index.titles[str(id_)]),
                    js_literal(summed[0]),
                    formulas.function(summed[1]),
                    str(place),
                    js_literal(trait.why),
                    formulas.function(trait.advance_if),
                    js_literal(str(trait.under or "")),
                    js_literal(formulas.inputs.fields.get(str(id_), "")),
                ),
            )
            place += 1


def format_group(formulas: Formulas, id_: str) -> str:
    """Return a group: its traits, how their ratings are read, prices and limits."""
    group = formulas.rules.groups[id_]
    limit, bought = group.limit, group.stated and group.price is not None and group.pool
    parts = {
        "t": js_literal(list(formulas.index.by_place[id_])),
        "as": js_literal(formulas.inputs.groups.get(id_, "")),
        "dice": js_literal(group.rating == "dice"),
        "boxes": str(group.boxes),
    }
    if bought:
        step, steps = map(js_literal, step_words(group))
        parts |= {"price": formulas.function(group.price), "pool": js_literal(str(group.pool))}
        parts |= {"step": step, "steps": steps}
    if limit is not None:
        raised_by = str(limit.raised_by or "")
        entries = (c.entries.get(raised_by) for c in formulas.rules.choices.values())
        lifts = next((entry.name for entry in entries if entry is not None), "")
        parts |= {"most": formulas.function(limit.most), "by": js_literal(limit.by is not None)}
        parts |= {"lift": js_literal(raised_by), "lifts": js_literal(lifts)} if raised_by else {}
        parts |= {"top": formulas.function(limit.ceiling)} if limit.ceiling else {}
        if raised_by:
            formulas.reach.asks.add(("has", (raised_by,)))
    if group.open is not None:
        parts |= {"named": str(formulas.inputs.named.get(id_, 0)), "open": str(group.open.most)}
    return record(parts.items())


def format_dice_ladder(formulas: Formulas) -> str:
    """Return the ladder of dice and its prices; `0` if the sheet has no dice."""
    rule = formulas.rules.dice
    if rule is None or not formulas.inputs.dice:
        return "0"
    parts = {
        "pool": js_literal(str(rule.pool)),
        "ladder": js_literal(list(rule.ladder)),
        "buy": formulas.function(rule.buy),
        "upgrade": formulas.function(rule.upgrade),
        "places": str(formulas.inputs.dice),
    }
    return record(parts.items())


def format_advances(formulas: Formulas) -> str:
    """Return the costs of advances after creation; `0` if there are none."""
    rule = formulas.rules.advances
    if rule is None:
        return "0"
    groups = ((str(g), formulas.function(f)) for g, f in rule.groups.items())
    parts = {"pool": js_literal(str(rule.pool)), "groups": record(groups)}
    return record((parts | {"gear": formulas.function(rule.gear)}).items())


def format_below_hint(formulas: Formulas) -> str:
    """Return the hint for a rating below the granted one; equal to that of `check_ratings`."""
    lost = [i for i, key in formulas.rules.character.items() if key.kind == "losses"]
    hint = "write the whole rating, {least} or more, or leave {name} out"
    key = str(lost[0]).replace("_", " ") if lost else ""
    return hint + (f"; what was lost in play goes under `{key}`" if key else "")
