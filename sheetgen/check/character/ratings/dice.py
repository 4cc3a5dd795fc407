"""Dice that are bought: the step `read_dice` sets `draft.dice` and pays for them.

In every game dice are bought as the smallest die of the ladder and improved rung by rung; no
game sells or reduces them. Without a record of purchases the ledger shows the cheapest order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.values import list_entries, list_items, parse_die, parse_times
from sheetgen.check.character.ratings.die_steps import DIE, DieSteps
from sheetgen.diag import codes
from sheetgen.diag.spans import Span
from sheetgen.model.rulesets.points import Dice
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.rules.dice import Step, cheapest
from sheetgen.rules.names import split_times

MOST_DICE = 40

_SEVERAL = re.compile(r"(\d{1,2})\s*([dD]\d{1,3})")
_CLIMB = re.compile(r"\s*(\S+?)\s*(?:->|→|to|>)\s*(\S+)\s*", re.IGNORECASE)
_SOLD = re.compile(r"(sell|sold)\b", re.IGNORECASE)


def read_dice(draft: Draft) -> None:
    """Read the dice, or the history of their purchases, and pay for them."""
    rule = draft.rules.dice
    if rule is None:
        return
    keys = {str(draft.rules.character[id_].kind): id_ for id_ in draft.entries}
    final = _final(draft, draft.entries[keys["dice"]]) if "dice" in keys else None
    if "dice_history" in keys:
        _history(draft, rule, keys["dice_history"], final)
    elif final is not None:
        _bought(draft, rule, final, draft.span_of(keys["dice"]))
    else:
        draft.dice = tuple(sorted(draft.granted_dice, reverse=True))


def _final(draft: Draft, node: Node) -> list[int]:
    """Return the dice in the file; two of a kind are `d8 x2`, `2d8` or `{d8: 2}`."""
    found: list[int] = []
    for item in list_entries(node):
        raw, count = _several(draft, item)
        leaf = ScalarNode(item.span, raw, raw) if raw else item
        faces = parse_die(draft, leaf)
        if faces:
            found += [faces] * min(count, MOST_DICE + 1)
        if len(found) > MOST_DICE:
            break
    if len(found) > MOST_DICE:
        draft.report(codes.BAD_DICE, node.span, f"more than {MOST_DICE} dice")
    return found[:MOST_DICE]


def _several(draft: Draft, node: Node) -> tuple[str, int]:
    if isinstance(node, Pairs) and len(node.entries) == 1:
        key, below = node.entries[0]
        return key.raw, parse_times(draft, below, key.raw, codes.BAD_DICE) or 1
    if not isinstance(node, ScalarNode):
        return "", 1
    raw, count = split_times(node.raw)
    match = _SEVERAL.fullmatch(raw)
    if match and not int(match[1]):
        draft.report(codes.BAD_DICE, node.span, f"`{node.raw}` is no die", "leave it out")
    return (match[2], max(1, count * int(match[1]))) if match else (raw, count)


def _bought(draft: Draft, rule: Dice, final: list[int], span: Span) -> None:
    """Pay for the dice `final` in the cheapest order; granted dice become some of them."""
    draft.dice = tuple(sorted(final, reverse=True))
    granted = sorted(draft.granted_dice, reverse=True)
    if not _contains(draft.dice, granted):
        names = ", ".join(f"d{faces}" for faces in granted)
        message = f"{names} granted, but the dice named here leave some out"
        draft.report(codes.BELOW_GRANT, span, message, "name every die, granted ones too")
        return
    for step in cheapest_dice(draft, rule, draft.dice, granted):
        _pay(draft, rule, step)


def cheapest_dice(
    draft: Draft, rule: Dice, target: Sequence[int], have: Sequence[int]
) -> tuple[Step, ...]:
    """Return the cheapest purchases that lead from the dice `have` to `target`."""
    return cheapest(
        target,
        have,
        rule.ladder,
        lambda count, faces: draft.eval_int(rule.buy, count=count, faces=faces),
        lambda count, faces: draft.eval_int(rule.upgrade, count=count, faces=faces),
    )


def bought_in_any_order(draft: Draft, rule: Dice, dice: Sequence[int]) -> int | None:
    """Return the price of `dice` beyond the present ones; None if purchases are recorded."""
    granted = sorted(draft.granted_dice, reverse=True)
    kinds = {draft.rules.character[id_].kind for id_ in draft.entries}
    if "dice_history" in kinds or not _contains(draft.dice, granted):
        return None
    before, after = (
        sum(step.price for step in cheapest_dice(draft, rule, target, granted))
        for target in (draft.dice, sorted(dice, reverse=True))
    )
    return after - before


def record_hint(draft: Draft) -> str:
    """Return a hint at the key that records the order of purchases; empty if there is none."""
    keys = draft.rules.character.items()
    name = next((str(i).replace("_", " ") for i, k in keys if k.kind == "dice_history"), "")
    return f"; record that order under `{name}`" if name else ""


def _contains(final: Sequence[int], granted: Sequence[int]) -> bool:
    """Whether each of `granted`, largest first, can have become one of `final`."""
    if len(granted) > len(final):
        return False
    return all(have <= want for have, want in zip(granted, final, strict=False))


def _pay(draft: Draft, rule: Dice, step: Step) -> None:
    held = "1 die" if step.count == 1 else f"{step.count} dice"
    bought = DieSteps(not step.before, step.before or step.after, step.after, held)
    draft.spend(str(rule.pool), str(bought), step.price, kind=DIE)


def _history(draft: Draft, rule: Dice, key: str, final: list[int] | None) -> None:
    dice = list(draft.granted_dice)
    steps = [_read_purchase(draft, rule, dice, item) for item in list_items(draft.entries[key])]
    for step in steps:
        if step is not None:
            _pay(draft, rule, step)
    draft.dice = tuple(sorted(dice, reverse=True))
    if final is not None and None not in steps and sorted(final) != sorted(dice):
        names = ", ".join(f"d{faces}" for faces in draft.dice) or "none"
        message = f"the recorded purchases lead to other dice: {names}"
        draft.report(
            codes.BAD_DICE, draft.span_of(key), message, "correct the purchases, or the dice"
        )


def _read_purchase(draft: Draft, rule: Dice, dice: list[int], node: Node) -> Step | None:
    """Return one recorded purchase, `buy d2` or `d2 -> d3`, and apply it to `dice`."""
    raw = node.raw.strip() if isinstance(node, ScalarNode) else ""
    climb = _CLIMB.fullmatch(raw)
    if _SOLD.match(raw):
        draft.report(codes.BAD_DICE, node.span, "dice cannot be sold", "leave this line out")
        return None
    if climb is None:
        word = re.sub(r"^(buy|a|new)\s+(a\s+)?", "", raw, flags=re.IGNORECASE)
        faces = parse_die(draft, ScalarNode(node.span, word, word))
        if faces is not None and faces != rule.ladder[0]:
            message = f"a new die is a d{rule.ladder[0]}, not a d{faces}"
            first = f"d{rule.ladder[0]}"
            hint = f"write `{first}`, and improve it in the next line: `{first} -> …`"
            draft.report(codes.BAD_DICE, node.span, message, hint)
        if faces != rule.ladder[0]:
            return None
        dice.append(faces)
        count = len(dice)
        return Step(0, faces, count, draft.eval_int(rule.buy, count=count, faces=faces))
    before, after = (parse_die(draft, ScalarNode(node.span, w, w)) for w in climb.groups())
    if before is None or after is None:
        return None
    if after < before:
        message = f"d{before} does not become d{after}"
        draft.report(codes.BAD_DICE, node.span, message, "a die never becomes a smaller one")
        return None
    rung = rule.ladder.index(before) + 1
    if before not in dice:
        hand = ", ".join(f"d{faces}" for faces in dice)
        hint = f"improve one of these dice: {hand}" if hand else "buy a die first"
        message = f"there is no d{before} to improve here"
        draft.report(codes.BAD_DICE, node.span, message, hint)
        return None
    if rung >= len(rule.ladder) or rule.ladder[rung] != after:
        message = f"d{before} does not become d{after} in one step"
        top = rung >= len(rule.ladder)
        hint = f"d{before} is the largest die" if top else f"it becomes d{rule.ladder[rung]} first"
        draft.report(codes.BAD_DICE, node.span, message, hint)
        return None
    dice[dice.index(before)] = after
    count = len(dice)
    return Step(before, after, count, draft.eval_int(rule.upgrade, count=count, faces=after))
