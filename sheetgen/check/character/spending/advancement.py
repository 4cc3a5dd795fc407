"""The way from one build to another: what is bought, sold or lost on it, and what is not legal."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.picks.picks import entry_of
from sheetgen.check.character.picks.spreads import focus_of
from sheetgen.check.character.ratings.dice import DIE, cheapest_dice, recorded
from sheetgen.check.character.ratings.steps import cost, purchases, refund, spanned, went
from sheetgen.check.character.spending.ledger import ADVANCE, GAIN, is_open, key_line
from sheetgen.model.rulesets.traits import Group


@dataclass(frozen=True, slots=True)
class Way:
    """What leads from one build to another.

    Attributes:
        steps: Pool, what is bought (or sold), and its price (below nought for a refund).
        refused: What the rules do not allow on this way.
        doubtful: What they allow, but most likely not now.
        notes: What else differs: items that are gone, other points to spend.
        prices: Where the ledgers differ by another price than that of the single steps.
    """

    steps: tuple[tuple[str, str, int], ...]
    refused: tuple[str, ...]
    doubtful: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    prices: tuple[str, ...] = ()

    def costs(self) -> dict[str, int]:
        """Return what the way costs, by pool."""
        total: dict[str, int] = {}
        for pool, _, price in self.steps:
            total[pool] = total.get(pool, 0) + price
        return total


@dataclass
class _Walk:
    """A way while it is found."""

    steps: list[tuple[str, str, int]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    prices: list[str] = field(default_factory=list)


def way(old: Draft, new: Draft) -> Way:
    """Return the way from the build of `old` to that of `new`."""
    walk = _Walk()
    for part in (_choices, _granted, _ratings, _dice, _picked, _keys, _bought, _items, _gains):
        part(old, new, walk)
    _balanced(old, new, walk)
    said = (walk.refused, walk.doubtful, walk.notes, walk.prices)
    return Way(tuple(walk.steps), *map(tuple, said))


def _choices(old: Draft, new: Draft, walk: _Walk) -> None:
    before, after = _counted(old), _counted(new)
    for key, picks in before.items():
        gone = picks - after.get(key, 0)
        if gone > 0:
            walk.refused.append(f"{key[1]} cannot be given up")
    for key, picks in after.items():
        more = picks - before.get(key, 0)
        kind = _kind(new, key[0])
        if more > 0 and kind == "choice" and any(k[0] == key[0] for k in before):
            walk.refused.append(f"{key[1]} cannot be picked later instead of another")
        elif more > 0 and kind == "choice":
            one = new.rules.choices[key[0]].one
            walk.doubtful.append(f"the {one} {key[1]} is picked later than at creation")
        elif more > 0 and kind == "choices":
            pool, price = _price(new, key)
            walk.steps.append((pool, f"{key[1]}{_times(more)}", price * more))


def _granted(old: Draft, new: Draft, walk: _Walk) -> None:
    """Refuse other points, or another focus, of a choice whose points the author spread."""
    before, after = _spread(old), _spread(new)
    for key in (key for key in before if key in after):
        traits = dict.fromkeys((*before[key], *after[key]))
        differing = [t for t in traits if before[key][t] != after[key][t]]
        if differing:
            named = ", ".join(
                f"{new.name_of(t)} {before[key][t]} to {after[key][t]}" for t in differing
            )
            walk.refused.append(f"{key[1]}: what it gave at creation cannot change ({named})")


def _spread(draft: Draft) -> dict[tuple[str, str], Counter[str]]:
    """Return the steps that each choice gave whose points the author spread."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for pick in draft.picks:
        entry = entry_of(draft, pick)
        if entry is not None and (entry.grants is None or entry.grants.spread is None):
            continue
        steps = found.setdefault((pick.catalogue, pick.name), Counter())
        for trait, parts in draft.parts.items():
            mine = (p for p in parts if p.kind == "grant" and p.why in (pick.name, focus_of(pick)))
            steps[trait] += sum(p.steps for p in mine)
    return found


def _counted(draft: Draft) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for pick in draft.picks:
        if not pick.because:
            asked = f": {draft.name_of(pick.named)}" if pick.named else ""
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


def _ratings(old: Draft, new: Draft, walk: _Walk) -> None:
    for id_, group in new.rules.groups.items():
        if group.stated and group.price is not None:
            for trait in dict.fromkeys((*old.traits_of(str(id_)), *new.traits_of(str(id_)))):
                _rating(old, new, walk, group, trait)


def _rating(old: Draft, new: Draft, walk: _Walk, group: Group, trait: str) -> None:
    """Add what of `trait` was bought, sold and lost since; refuse what fell by itself."""
    before, after = old.own(trait), new.own(trait)
    name, pool = new.name_of(trait), str(group.pool)
    granted = max(old.granted(trait), new.granted(trait))
    paid, had = purchases(new, trait, granted), purchases(old, trait, granted)
    bought = sorted((paid - had).elements())
    sold = sorted((went(new, trait, True) - went(old, trait, True)).elements())
    lost = sorted((went(new, trait, False) - went(old, trait, False)).elements())
    if had - paid or after + len(sold) + len(lost) < before:
        walk.refused.append(f"{name} falls from {before} to {after}; it was not sold")
        return
    if bought or after > before:
        rise = f"{before} to {after}" if after > before else f"{spanned(bought)} again"
        walk.steps.append((pool, f"{name} {rise}", cost(new, trait, bought)))
    if sold:
        walk.steps.append((pool, f"{name} {spanned(sold)} sold", -refund(new, trait, sold)))
    if lost:
        walk.steps.append((pool, f"{name} {spanned(lost)} lost", 0))


def _dice(old: Draft, new: Draft, walk: _Walk) -> None:
    rule = new.rules.dice
    if rule is None:
        return
    pool = str(rule.pool)
    before, after = _lines(old, pool, DIE), _lines(new, pool, DIE)
    if old.dice == new.dice and before == after:
        return
    have, want = sorted(old.dice, reverse=True), sorted(new.dice, reverse=True)
    if len(have) > len(want) or any(h > w for h, w in zip(have, want, strict=False)):
        walk.refused.append("dice cannot be given up")
        return
    steps = [(pool, what, price) for what, price in (after - before).elements()]
    steps += [(pool, f"not {what}", -price) for what, price in (before - after).elements()]
    walk.steps += steps
    price = sum(price for _, _, price in steps)
    now = sum(step.price for step in cheapest_dice(new, rule, want, have))
    if now != price:
        walk.prices.append(
            f"the ledger counts the cheapest order of all dice, {price}; "
            f"bought after the others they cost {now}{recorded(new)}"
        )


def _picked(old: Draft, new: Draft, walk: _Walk) -> None:
    """Refuse other picks at creation than those that were made."""
    for trait in dict.fromkeys((*old.parts, *new.parts)):
        before, after = _steps(old, trait, "pick"), _steps(new, trait, "pick")
        if before != after:
            walk.refused.append(f"{new.name_of(trait)}: the picks at creation cannot change")


def _steps(draft: Draft, trait: str, kind: str) -> int:
    return sum(p.steps for p in draft.parts.get(trait, ()) if p.kind == kind)


def _keys(old: Draft, new: Draft, walk: _Walk) -> None:
    """Add what keys of the file pay for by number."""
    for id_, key in new.rules.character.items():
        if key.price is None or key.pool is None or key.kind not in ("number", "flag"):
            continue
        more = new.numbers.get(id_, 0) - old.numbers.get(id_, 0)
        what = key_line(id_, key, abs(more))
        if more > 0:
            walk.steps.append((str(key.pool), what, new.whole(key.price) * more))
        elif more < 0:
            walk.refused.append(f"{what} was bought already")


def _bought(old: Draft, new: Draft, walk: _Walk) -> None:
    """Add advances: lines of the ledgers that only the new build has."""
    for pool in sorted(new.rules.pools):
        before, after = _advances(old, pool), _advances(new, pool)
        more = after - before
        walk.steps += [(pool, what, price) for what, price in more.elements()]
        walk.refused += [f"{what} was bought already" for what, _ in (before - after).elements()]


def _advances(draft: Draft, pool: str) -> Counter[tuple[str, int]]:
    return _lines(draft, pool, ADVANCE)


def _lines(draft: Draft, pool: str, kind: str) -> Counter[tuple[str, int]]:
    """Return the lines of one kind that the ledger of `pool` has, with their prices."""
    lines = draft.lines.get(pool, ())
    return Counter((line.what, line.cost) for line in lines if line.cost and line.kind == kind)


def _items(old: Draft, new: Draft, walk: _Walk) -> None:
    """Add items that are new, one by one; what is gone brings nothing back."""
    before, after = _owned(old), _owned(new)
    for (key, name, price), count in (after - before).items():
        pool = str(new.rules.character[key].pool or "")
        what = f"{name}{_times(count)}"
        if pool and is_open(new, pool):
            walk.steps.append((pool, what if price else f"{what} (granted)", price * count))
        else:
            walk.notes.append(f"new: {what}")
    walk.notes += [f"gone: {name}{_times(n)}" for (_, name, _), n in (before - after).items()]


def _owned(draft: Draft) -> Counter[tuple[str, str, int]]:
    owned: Counter[tuple[str, str, int]] = Counter()
    for item in draft.items:
        owned[item.key, item.name, item.cost] += item.count
    return owned


def _times(count: int) -> str:
    return f" ×{count}" if count > 1 else ""


def _gains(old: Draft, new: Draft, walk: _Walk) -> None:
    """Say where there is more, or less, to spend than before."""
    for id_, pool in new.rules.pools.items():
        before, after = (_gained(draft, str(id_)) for draft in (old, new))
        if before != after:
            less = "less" if after < before else "more"
            walk.notes.append(f"{pool.label} to spend: {abs(after - before)} {less} than before")


def _balanced(old: Draft, new: Draft, walk: _Walk) -> None:
    """Say where the ledgers differ by more, or less, than the steps of the way cost."""
    for id_, pool in new.rules.pools.items():
        cost = sum(price for paid, _, price in walk.steps if paid == id_)
        rise = _spent(new, str(id_)) - _spent(old, str(id_))
        if rise != cost:
            less = "less" if rise < cost else "more"
            walk.prices.append(
                f"the {pool.label} ledger counts {abs(rise - cost)} {less} than these steps: "
                "what was there before is paid otherwise now"
            )


def _spent(draft: Draft, pool: str) -> int:
    """Return what the ledger of `pool` counts as spent, less what was sold."""
    lines = (line for line in draft.lines.get(pool, ()) if line.kind != GAIN)
    return sum(line.cost - line.gained for line in lines)


def _gained(draft: Draft, pool: str) -> int:
    return sum(line.gained for line in draft.lines.get(pool, ()) if line.kind == GAIN)
