"""The parts of a program that are about ratings: traits, groups, dice, advances."""

from __future__ import annotations

from collections.abc import Iterator

from sheetgen.plan.scripts.formulas import Formulas
from sheetgen.rules.formulas.javascript import array, js_literal, js_string, record


def traits(work: Formulas) -> Iterator[tuple[str, str]]:
    """Yield the traits: group, name, what each stands under, needs, order, and where it is."""
    place = 0
    for group_id, group in work.rules.groups.items():
        for id_, trait in group.traits.items():
            summed = work.index.summed.get(str(id_), ("", None))
            yield (
                str(id_),
                array(
                    js_string(str(group_id)),
                    js_string(work.index.titles[str(id_)]),
                    js_string(summed[0]),
                    work.function(summed[1]),
                    str(place),
                    js_string(trait.why),
                    work.function(trait.advance_if),
                    js_string(str(trait.under or "")),
                    js_string(work.inputs.fields.get(str(id_), "")),
                ),
            )
            place += 1


def group_of(work: Formulas, id_: str) -> str:
    """Return a group: its traits, how they are read, their price and their limit."""
    group = work.rules.groups[id_]
    limit, bought = group.limit, group.stated and group.price is not None and group.pool
    parts = {
        "t": js_literal(list(work.index.by_place[id_])),
        "as": js_string(work.inputs.groups.get(id_, "")),
        "dice": js_literal(group.rating == "dice"),
        "boxes": str(group.boxes),
    }
    if bought:
        parts |= {"price": work.function(group.price), "pool": js_string(str(group.pool))}
    if limit is not None:
        raised_by = str(limit.raised_by or "")
        entries = (c.entries.get(raised_by) for c in work.rules.choices.values())
        lifts = next((entry.name for entry in entries if entry is not None), "")
        parts |= {"most": work.function(limit.most), "by": js_literal(limit.by is not None)}
        parts |= {"lift": js_string(raised_by), "lifts": js_string(lifts)} if raised_by else {}
        parts |= {"top": work.function(limit.ceiling)} if limit.ceiling else {}
        if raised_by:
            work.reach.asks.add(("has", (raised_by,)))
    if group.open is not None:
        parts |= {"named": str(work.inputs.named.get(id_, 0)), "open": str(group.open.most)}
    return record(parts.items())


def dice_ladder(work: Formulas) -> str:
    """Return the ladder of dice and its prices; nought where the sheet has none."""
    rule = work.rules.dice
    if rule is None or not work.inputs.dice:
        return "0"
    parts = {
        "pool": js_string(str(rule.pool)),
        "ladder": js_literal(list(rule.ladder)),
        "buy": work.function(rule.buy),
        "upgrade": work.function(rule.upgrade),
        "places": str(work.inputs.dice),
    }
    return record(parts.items())


def advances(work: Formulas) -> str:
    """Return what steps after creation cost; nought where there are none."""
    rule = work.rules.advances
    if rule is None:
        return "0"
    groups = ((str(g), work.function(f)) for g, f in rule.groups.items())
    parts = {"pool": js_string(str(rule.pool)), "groups": record(groups)}
    return record((parts | {"gear": work.function(rule.gear)}).items())


def below(work: Formulas) -> str:
    """Return the hint for a rating below what is granted, as `ratings.check_ratings` says."""
    lost = [i for i, key in work.rules.character.items() if key.kind == "losses"]
    hint = "write the whole rating, {least} or more, or leave {name} out"
    said = str(lost[0]).replace("_", " ") if lost else ""
    return hint + (f"; what was lost in play goes under `{said}`" if said else "")
