"""What a build can buy now, and for how much; and the way from one build to another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sheetgen.check.advances import Offer, offer_of
from sheetgen.check.draft import Draft
from sheetgen.check.limits import lifted, limit_of
from sheetgen.check.picks import entry_of
from sheetgen.model.build import Line
from sheetgen.rules.dice import cheapest


def offers(draft: Draft) -> Iterator[Offer]:
    """Yield every next step that has a price, those that are closed with the reason."""
    for id_, group in draft.rules.groups.items():
        if group.stated and group.price is not None:
            yield from (_next_step(draft, trait) for trait in draft.traits_of(str(id_)))
    yield from _dice(draft)
    rule = draft.rules.advances
    if rule is None:
        return
    for named in rule.named:
        yield offer_of(draft, rule, "named", str(named))
    for group_id in rule.groups:
        for trait in draft.traits_of(str(group_id)):
            yield offer_of(draft, rule, "trait", trait)
    if rule.gear is not None:
        for place, item in enumerate(draft.items):
            if (item.dice or item.bonus or 0) >= 1:
                yield offer_of(draft, rule, "gear", str(place))


def _next_step(draft: Draft, trait: str) -> Offer:
    group = draft.rules.groups[draft.group_of(trait) or ""]
    own = draft.own(trait)
    limit = limit_of(draft, trait)
    refused = ""
    if limit is not None and own >= limit and not lifted(draft, group, trait, own + 1):
        refused = f"the limit is {limit}"
    price = draft.price(trait, own + 1)
    return Offer(
        "trait", trait, draft.name_of(trait), own, own + 1, price, str(group.pool), refused
    )


def _dice(draft: Draft) -> Iterator[Offer]:
    rule = draft.rules.dice
    if rule is None:
        return
    count, first = len(draft.dice) + 1, rule.ladder[0]
    price = draft.whole(rule.buy, count=count, faces=first)
    yield Offer("dice", "new", f"a d{first}", 0, first, price, str(rule.pool))
    for faces in sorted(set(draft.dice)):
        rung = rule.ladder.index(faces) + 1
        if rung < len(rule.ladder):
            after = rule.ladder[rung]
            price = draft.whole(rule.upgrade, count=len(draft.dice), faces=after)
            yield Offer(
                "dice", f"d{faces}", f"d{faces} to d{after}", faces, after, price, str(rule.pool)
            )


@dataclass(frozen=True, slots=True)
class Way:
    """What leads from one build to another.

    Attributes:
        steps: Pool, what is bought (or sold), and its price (below nought for a refund).
        refused: What the rules do not allow on this way.
    """

    steps: tuple[tuple[str, str, int], ...]
    refused: tuple[str, ...]

    def costs(self) -> dict[str, int]:
        """Return what the way costs, by pool."""
        total: dict[str, int] = {}
        for pool, _, price in self.steps:
            total[pool] = total.get(pool, 0) + price
        return total


def way(old: Draft, new: Draft) -> Way:
    """Return the way from the build of `old` to that of `new`."""
    steps: list[tuple[str, str, int]] = []
    refused: list[str] = []
    _choices(old, new, steps, refused)
    _ratings(old, new, steps, refused)
    _dice_way(old, new, steps, refused)
    _picked(old, new, refused)
    _bought(old, new, steps, refused)
    return Way(tuple(steps), tuple(refused))


def _choices(old: Draft, new: Draft, steps: list[tuple[str, str, int]], refused: list[str]) -> None:
    before, after = _counted(old), _counted(new)
    for key, picks in before.items():
        gone = picks - after.get(key, 0)
        if gone > 0:
            refused.append(f"{key[1]} cannot be given up")
    for key, picks in after.items():
        more = picks - before.get(key, 0)
        kind = _kind(new, key[0])
        if more > 0 and kind == "choice" and any(k[0] == key[0] for k in before):
            refused.append(f"{key[1]} cannot be picked later instead of another")
        elif more > 0 and kind == "choices":
            pool, price = _price(new, key)
            steps.append((pool, f"{key[1]}{f' ×{more}' if more > 1 else ''}", price * more))


def _counted(draft: Draft) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for pick in draft.picks:
        if not pick.because:
            asked = f": {draft.name_of(pick.asked)}" if pick.asked else ""
            counts[pick.catalogue, f"{pick.name}{asked}"] += pick.times
    return counts


def _kind(draft: Draft, catalogue: str) -> str:
    keys = draft.rules.character.items()
    return next((str(k.kind) for i, k in keys if catalogue in (k.of or (str(i),))), "choice")


def _price(draft: Draft, key: tuple[str, str]) -> tuple[str, int]:
    pick = next(p for p in draft.picks if p.catalogue == key[0] and key[1].startswith(p.name))
    entry = entry_of(draft, pick)
    catalogue = draft.rules.choices[pick.catalogue]
    price = (entry.price if entry else None) or catalogue.price
    pool = (entry.pool if entry else None) or catalogue.pool
    return str(pool or ""), draft.whole(price) if price is not None else 0


def _ratings(old: Draft, new: Draft, steps: list[tuple[str, str, int]], refused: list[str]) -> None:
    for id_, group in new.rules.groups.items():
        if not group.stated or group.price is None:
            continue
        for trait in dict.fromkeys((*old.traits_of(str(id_)), *new.traits_of(str(id_)))):
            before, after = old.own(trait), new.own(trait)
            name = new.name_of(trait)
            granted = max(old.granted(trait), new.granted(trait))
            if after > before:
                first = max(before, granted) + 1
                cost = sum(new.price(trait, n) for n in range(first, after + 1))
                steps.append((str(group.pool), f"{name} {before} to {after}", cost))
            elif after < before:
                stated = new.stated.get(trait)
                if stated is None or stated.sold < before - after:
                    refused.append(f"{name} falls from {before} to {after}; it was not sold")
                else:
                    paid = range(max(after, granted) + 1, before + 1)
                    back = sum(new.price(trait, n) for n in paid)
                    steps.append((str(group.pool), f"{name} {before} to {after}, sold", -back))


def _dice_way(
    old: Draft, new: Draft, steps: list[tuple[str, str, int]], refused: list[str]
) -> None:
    rule = new.rules.dice
    if rule is None or old.dice == new.dice:
        return
    have, want = sorted(old.dice, reverse=True), sorted(new.dice, reverse=True)
    if len(have) > len(want) or any(h > w for h, w in zip(have, want, strict=False)):
        refused.append("dice cannot be given up")
        return
    for step in cheapest(
        want,
        have,
        rule.ladder,
        lambda count, faces: new.whole(rule.buy, count=count, faces=faces),
        lambda count, faces: new.whole(rule.upgrade, count=count, faces=faces),
    ):
        what = f"d{step.before} to d{step.after}" if step.before else f"a d{step.after}"
        steps.append((str(rule.pool), what, step.price))


def _picked(old: Draft, new: Draft, refused: list[str]) -> None:
    """Refuse other picks at creation than those that were made."""
    for trait in dict.fromkeys((*old.parts, *new.parts)):
        before, after = _steps(old, trait, "pick"), _steps(new, trait, "pick")
        if before != after:
            refused.append(f"{new.name_of(trait)}: the picks at creation cannot change")


def _steps(draft: Draft, trait: str, kind: str) -> int:
    return sum(p.steps for p in draft.parts.get(trait, ()) if p.kind == kind)


def _bought(old: Draft, new: Draft, steps: list[tuple[str, str, int]], refused: list[str]) -> None:
    """Add advances and items: lines of the ledgers that only the new build has."""
    pools = {
        str(k.pool)
        for k in new.rules.character.values()
        if k.kind in ("items", "number", "flag") and k.pool
    }
    if new.rules.advances is not None:
        pools.add(str(new.rules.advances.pool))
    stated = {str(g.pool) for g in new.rules.groups.values() if g.stated}
    for pool in sorted(pools - stated):
        before, after = _costs(old, pool), _costs(new, pool)
        for what, price in (after - before).elements():
            steps.append((pool, what, price))
        if new.rules.advances is not None and pool == new.rules.advances.pool:
            refused += [f"{what} was bought already" for what, _ in (before - after).elements()]


def _costs(draft: Draft, pool: str) -> Counter[tuple[str, int]]:
    lines: list[Line] = draft.lines.get(pool, [])
    return Counter((line.what, line.cost) for line in lines if line.cost)
