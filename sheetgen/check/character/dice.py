"""Dice that are bought: the step `read_dice` sets `draft.dice` and pays for them.

In every game dice are bought as the smallest die of the ladder and improved rung by rung; no
game sells or reduces them. Without a record of purchases the ledger shows the cheapest order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from sheetgen.check.character.draft import Draft
from sheetgen.check.character.options import report_broken
from sheetgen.check.character.values import (
    find_counted_trait,
    find_trait,
    list_entries,
    list_items,
    parse_die,
    parse_mapping,
    parse_times,
)
from sheetgen.diag import codes
from sheetgen.model.build import Value
from sheetgen.model.rulesets.ruleset import Key
from sheetgen.model.rulesets.traits import Dice
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.records import frozen
from sheetgen.rules.index import split_times

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
        key = keys["dice_history"]
        dice = list(draft.granted_dice)
        steps = [_read_purchase(draft, rule, dice, item) for item in list_items(draft.entries[key])]
        for step in steps:
            if step is not None:
                _pay(draft, rule, step)
        draft.dice = tuple(sorted(dice, reverse=True))
        if final is not None and None not in steps and sorted(final) != sorted(dice):
            names = ", ".join(f"d{faces}" for faces in draft.dice) or "none"
            message = f"the recorded purchases lead to other dice: {names}"
            hint = "correct the purchases, or the dice"
            draft.report(codes.BAD_DICE, draft.span_of(key), message, hint)
    elif final is not None:
        # Pay for the dice `final` in the cheapest order; granted dice become some of them.
        draft.dice = tuple(sorted(final, reverse=True))
        granted = sorted(draft.granted_dice, reverse=True)
        if not _contains(draft.dice, granted):
            names = ", ".join(f"d{faces}" for faces in granted)
            message = f"{names} granted, but the dice named here leave some out"
            span, hint = draft.span_of(keys["dice"]), "name every die, granted ones too"
            draft.report(codes.BELOW_GRANT, span, message, hint)
            return
        for step in cheapest_dice(draft, rule, draft.dice, granted):
            _pay(draft, rule, step)
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
        draft.report(codes.BAD_DICE, node.span, message, "buy a larger die; none becomes smaller")
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
        hint = f"leave it at d{before}, the largest die"
        if rung < len(rule.ladder):
            hint = f"buy d{rule.ladder[rung]} first"
        draft.report(codes.BAD_DICE, node.span, message, hint)
        return None
    dice[dice.index(before)] = after
    count = len(dice)
    return Step(before, after, count, draft.eval_int(rule.upgrade, count=count, faces=after))


DIE: Final = "die"  # the kind of the lines of a ledger that bought a die, or a step of one
_STEP: Final = re.compile(r"(a )?d(\d{1,4})(?: to d(\d{1,4}))?, with (.+)")


@frozen
class DieSteps:
    """A bought die, or steps of one die from a size to another.

    Attributes:
        new: Whether the die itself was bought.
        held: How many dice were held then, in words.
    """

    new: bool
    first: int
    last: int
    held: str

    def __str__(self) -> str:
        size = f"d{self.first}" + (f" to d{self.last}" if self.last != self.first else "")
        return f"{'a ' if self.new else ''}{size}, with {self.held}"

    def has(self, other: DieSteps) -> bool:
        """Whether `other` is among these steps."""
        inside = self.first <= other.first and other.last <= self.last
        return inside and self.held == other.held and self.new >= other.new


def parse_die_steps(text: str) -> DieSteps | None:
    """Return the steps that the words of a ledger's row name."""
    found = _STEP.fullmatch(text.strip())
    if found is None:
        return None
    new, first, last, held = found.groups()
    return DieSteps(bool(new), int(first), int(last or first), held)


def join_die_steps(one: str, other: str) -> str | None:
    """Return the words for both rows if `other` continues the steps of the die of `one`."""
    before, after = parse_die_steps(one), parse_die_steps(other)
    if before is None or after is None or after.new or before.held != after.held:
        return None
    return str(replace(before, last=after.last)) if before.last == after.first else None


MOST_LETTERS = 2  # letters of a link's name; sheets print it in a box beside each of its traits


def read_links(draft: Draft) -> None:
    """Read the links and the pinned dice."""
    for id_, key, node in draft.file_keys("links", "pinned"):
        if key.kind == "links":
            _read_links(draft, id_, key, node)
        else:
            _read_pins(draft, id_, key, node)


def _read_links(draft: Draft, id_: str, key: Key, node: Node) -> None:
    for name, below in parse_mapping(
        draft, node, draft.key_name(id_), key.example or "{A: [Name, Name]}"
    ):
        if len(name.raw) > MOST_LETTERS:
            message = f"`{name.raw}` is too long for the name of a link"
            hint = f"take a letter or two, as in `{key.example}`"
            draft.report(codes.WRONG_TYPE, name.span, message, hint)
            continue
        counted = (find_counted_trait(draft, item) for item in list_items(below))
        found = [trait for trait, times in counted for _ in range(times)]
        joined = tuple(t for t in found if t)
        if len(joined) == len(found):  # Unknown names have their finding.
            _check_each(draft, id_, key, name, _link_names(draft, name.raw, joined))
        draft.links[name.raw] = joined


def _link_names(draft: Draft, name: str, joined: tuple[str, ...]) -> Mapping[str, Value]:
    weakest = min(joined, key=draft.total, default="")
    groups = Counter(draft.group_of(t) for t in joined)
    earlier = {t for link in draft.links.values() for t in link}
    return {
        "link": name,
        "size": len(joined),
        "weakest": draft.name_of(weakest),
        "least": draft.total(weakest) if weakest else 0,
        "repeats": len(joined) - len(set(joined)),
        "elsewhere": len(earlier.intersection(joined)),
        **{str(group): groups[str(group)] for group in draft.rules.groups},
    }


def _read_pins(draft: Draft, id_: str, key: Key, node: Node) -> None:
    pinned: Counter[int] = Counter()
    for name, below in parse_mapping(draft, node, draft.key_name(id_), key.example or "{Name: d4}"):
        found, faces = find_trait(draft, name), parse_die(draft, below)
        if found is None or faces is None:
            continue
        if found in draft.pinned:
            message = f"`{name.raw}` is pinned already"
            draft.report(codes.REPEATED_KEY, name.span, message, "keep one of the two")
            continue
        draft.pinned[found] = f"d{faces}"
        pinned[faces] += 1
        names: dict[str, Value] = {
            "skill": draft.name_of(found),
            "die": f"d{faces}",
            "n": draft.total(found),
            "faces": faces,
            "there": draft.dice.count(faces),
            "pins": pinned[faces],
        }
        _check_each(draft, id_, key, name, names)


def _check_each(
    draft: Draft, id_: str, key: Key, name: ScalarNode, names: Mapping[str, Value]
) -> None:
    for rule in key.each:
        if not draft.holds(rule.require, **names):
            report_broken(draft, rule, id_, name.span, names)


Price = Callable[[int, int], int]
"""`price(count, faces)` of a die or a rung, for an owner of `count` dice."""


@frozen
class Step:
    """One purchase: a new die (`before` is 0) or a rung of the ladder."""

    before: int
    after: int
    count: int
    price: int


def cheapest(
    dice: Sequence[int], granted: Sequence[int], ladder: Sequence[int], buy: Price, upgrade: Price
) -> tuple[Step, ...]:
    """Return the purchases that lead from `granted` dice to `dice` for the least.

    Only an owned die can be upgraded, so the die that is bought first has the widest choice of
    counts for each of its rungs, and no later one can be upgraded for less. The largest dice are
    therefore bought first. For each rung the cheapest count is chosen, where counts never fall
    along the rungs of one die. The result is minimal for any two formulas. If prices grow with
    the count, it is the order that players know: finish one die before you buy the next.

    Args:
        dice: Faces of the dice to reach; each is a rung of `ladder`.
        granted: Faces of the free dice; not more than `dice`, and each can become one of them.
    """
    goal = sorted(dice, reverse=True)
    start = sorted(granted, reverse=True) + [0] * (len(goal) - len(granted))
    first = len(granted)
    steps: list[tuple[int, int, Step]] = []
    for place, (have, want) in enumerate(zip(start, goal, strict=True)):
        owned = max(place + 1, first)
        rungs = ladder[: ladder.index(want) + 1]
        if have == 0:
            price = buy(owned, ladder[0])
            steps.append((owned, -1, Step(0, ladder[0], owned, price)))
        climbs = [r for r in rungs if r > max(have, ladder[0])]
        before = max(have, ladder[0])
        # Return the counts at which to take each rung, never falling, for the lowest total.
        most = len(goal)
        best: dict[int, tuple[int, tuple[int, ...]]] = dict.fromkeys(
            range(owned, most + 1), (0, ())
        )
        for faces in reversed(climbs):
            least: tuple[int, tuple[int, ...]] | None = None
            for lowest in range(most, owned - 1, -1):  # the best at `lowest` dice or more
                rest, counts = best[lowest]
                here = (upgrade(lowest, faces) + rest, (lowest, *counts))
                least = here if least is None else min(least, here)
                best[lowest] = least
        for faces, count in zip(climbs, best[owned][1], strict=True):
            step = Step(before, faces, count, upgrade(count, faces))
            steps.append((count, place, step))
            before = faces
    return tuple(step for _, _, step in sorted(steps, key=lambda s: s[:2]))
