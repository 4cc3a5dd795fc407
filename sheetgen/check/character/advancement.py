"""Advancement: the purchases, sales and losses between two versions of a character.

`sheetgen advance --to` and `sheetgen diff` show it. Each function of `_PARTS` compares one kind of
thing and adds to an `Advancement`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sheetgen.check.character import ledger, ratings
from sheetgen.check.character.builds import check_draft
from sheetgen.check.character.draft import Draft, Stated, with_count
from sheetgen.check.character.ledger import ADVANCE, DIE, GAIN, Offer
from sheetgen.check.character.picks import focus_label
from sheetgen.check.character.values import list_entries
from sheetgen.diag import codes
from sheetgen.diag.findings import errors
from sheetgen.model.build import Pick, RatingPart
from sheetgen.model.rulesets.ruleset import VALUE_KINDS
from sheetgen.model.rulesets.traits import Rule
from sheetgen.model.source import Many, Node, Pairs, ScalarNode
from sheetgen.rules.tables.things import all_grants


@dataclass
class Advancement:
    """What leads from one version of a character to another."""

    # pool, what is bought (or sold), and its price (below 0 for a refund)
    steps: list[tuple[str, str, int]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)  # what the rules do not allow
    doubtful: list[str] = field(default_factory=list)  # what they allow, but most likely not now
    # what else differs: items that are gone, other points to spend
    notes: list[str] = field(default_factory=list)
    # where the ledgers differ by another price than that of the single steps
    prices: list[str] = field(default_factory=list)

    def costs(self) -> dict[str, int]:
        """Return the price of all steps, by pool."""
        total: dict[str, int] = {}
        for pool, _, price in self.steps:
            total[pool] = total.get(pool, 0) + price
        return total


def find_advancement(old: Draft, new: Draft) -> Advancement:
    """Return what leads from the draft `old` to the draft `new` of a character."""
    found = Advancement()
    for part in _PARTS:
        part(old, new, found)
    return found


def _choices(old: Draft, new: Draft, found: Advancement) -> None:
    before, after = _counted(old), _counted(new)
    for key, picks in before.items():
        if picks > after.get(key, 0):
            found.refused.append(f"{key[1]} cannot be given up")
    for key, picks in after.items():
        more = picks - before.get(key, 0)
        keys = new.rules.character.items()
        kind = next((str(k.kind) for i, k in keys if key[0] in (k.of or (str(i),))), "choice")
        if more > 0 and kind == "choice" and any(k[0] == key[0] for k in before):
            found.refused.append(f"{key[1]} cannot be picked later instead of another")
        elif more > 0 and kind == "choice":
            one = new.rules.choices[key[0]].one
            found.doubtful.append(f"the {one} {key[1]} is picked later than at creation")
        elif more > 0 and kind == "choices":
            pick = next(p for p in new.picks if p.catalogue == key[0] and key[1].startswith(p.name))
            pool, price = ledger.price_of(new, pick)
            cost = (new.eval_int(price) if price is not None else 0) * more
            if pool or cost:
                found.steps.append((pool, with_count(key[1], more), cost))
            else:
                found.notes.append(f"taken: {with_count(key[1], more)}")


def _granted(old: Draft, new: Draft, found: Advancement) -> None:
    before, after = _spread(old), _spread(new)
    for key in (key for key in before if key in after):
        traits = dict.fromkeys((*before[key], *after[key]))
        differing = [t for t in traits if before[key][t] != after[key][t]]
        if differing:
            steps = (f"{new.name_of(t)} {before[key][t]} to {after[key][t]}" for t in differing)
            named = ", ".join(steps)
            found.refused.append(f"{key[1]}: what it gave at creation cannot change ({named})")


def _spread(draft: Draft) -> dict[tuple[str, str], Counter[str]]:
    spread: dict[tuple[str, str], Counter[str]] = {}
    for pick in draft.picks:
        entry = draft.entry_of(pick)
        if entry is not None and (entry.grants is None or entry.grants.spread is None):
            continue
        steps = spread.setdefault((pick.catalogue, pick.name), Counter())
        names = (pick.name, focus_label(pick))
        for trait, parts in draft.parts.items():
            steps[trait] += sum(p.steps for p in parts if p.kind == "grant" and p.why in names)
    return spread


def _counted(draft: Draft) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for pick in draft.picks:
        if not pick.because:
            named = f": {draft.name_of(pick.named)}" if pick.named else ""
            counts[pick.catalogue, f"{pick.name}{named}"] += pick.times
    return counts


def _ratings(old: Draft, new: Draft, found: Advancement) -> None:
    """Add the steps that were bought, sold and lost; refuse a fall without a sale."""
    pools = {
        trait: str(group.pool)
        for id_, group in new.rules.groups.items()
        if group.stated and group.price is not None
        for trait in (*old.traits_of(str(id_)), *new.traits_of(str(id_)))
    }
    for trait, pool in pools.items():
        before, after, name = old.own(trait), new.own(trait), new.name_of(trait)
        granted = max(old.granted(trait), new.granted(trait))
        paid, had = (ratings.count_purchases(draft, trait, granted) for draft in (new, old))
        bought = sorted((paid - had).elements())
        gone = [
            [ratings.count_lost(draft, trait, of) for draft in (new, old)] for of in (True, False)
        ]
        sold, lost = (sorted((now - then).elements()) for now, then in gone)
        was, is_ = (new.written_rating(trait, own) for own in (before, after))
        if had - paid or after + len(sold) + len(lost) < before:
            found.refused.append(f"{name} falls from {was} to {is_}; it was not sold")
            continue
        if bought or after > before:
            rise = f"{was} to {is_}"
            if after <= before:
                rise = f"{ratings.format_steps(new, trait, bought)} again"
            found.steps.append((pool, f"{name} {rise}", ratings.price_of_steps(new, trait, bought)))
        if sold:
            steps = ratings.format_steps(new, trait, sold)
            refund = ratings.refund_of_steps(new, trait, sold)
            found.steps.append((pool, f"{name} {steps} sold", -refund))
        if lost:
            steps = ratings.format_steps(new, trait, lost)
            found.steps.append((pool, f"{name} {steps} lost", 0))


def _dice(old: Draft, new: Draft, found: Advancement) -> None:
    rule = new.rules.dice
    if rule is None:
        return
    pool = str(rule.pool)
    before, after = _lines(old, pool, DIE), _lines(new, pool, DIE)
    if old.dice == new.dice and before == after:
        return
    have, want = sorted(old.dice, reverse=True), sorted(new.dice, reverse=True)
    if len(have) > len(want) or any(h > w for h, w in zip(have, want, strict=False)):
        found.refused.append("dice cannot be given up")
        return
    steps = [(pool, what, price) for what, price in (after - before).elements()]
    steps += [(pool, f"not {what}", -price) for what, price in (before - after).elements()]
    found.steps += steps
    price = sum(price for _, _, price in steps)
    now = sum(step.price for step in ledger.cheapest_dice(new, rule, want, have))
    if now != price:
        message = f"the ledger counts the cheapest order of all dice, {price}; bought after "
        message += f"the others they cost {now}"
        for name in [i for i, k in new.rules.character.items() if k.kind == "dice_history"][:1]:
            message += f"; record that order under `{name.replace('_', ' ')}`"
        found.prices.append(message)


def _picked(old: Draft, new: Draft, found: Advancement) -> None:
    for trait in dict.fromkeys((*old.parts, *new.parts)):
        before, after = (
            sum(p.steps for p in draft.parts.get(trait, ()) if p.kind == "pick")
            for draft in (old, new)
        )
        if before != after:
            found.refused.append(f"{new.name_of(trait)}: the picks at creation cannot change")


def _points(old: Draft, new: Draft, found: Advancement) -> None:
    """Add keys, advances and items that were paid for; note what pools gained and spent."""
    for id_, key in new.rules.character.items():
        if key.price is not None and key.pool is not None and key.kind in VALUE_KINDS:
            more = new.numbers.get(id_, 0) - old.numbers.get(id_, 0)
            what = ledger.key_line(id_, key, abs(more))
            if more > 0:
                found.steps.append((str(key.pool), what, new.eval_int(key.price) * more))
            elif more < 0:
                found.refused.append(f"{what} was bought already")
    for id_ in sorted(new.rules.pools):
        had, has = _lines(old, id_, ADVANCE), _lines(new, id_, ADVANCE)
        found.steps += [(id_, what, price) for what, price in (has - had).elements()]
        found.refused += [f"{what} was bought already" for what, _ in (had - has).elements()]
    before, after = _owned(old), _owned(new)
    for (id_, name, price), count in (after - before).items():
        paid, what = str(new.rules.character[id_].pool or ""), with_count(name, count)
        if paid and ledger.has_pool(new, paid):
            found.steps.append((paid, what if price else f"{what} (granted)", price * count))
        else:
            found.notes.append(f"new: {what}")
    # An item that is gone brings no points back.
    found.notes += [f"gone: {with_count(name, n)}" for (_, name, _), n in (before - after).items()]
    for id_, pool in new.rules.pools.items():
        (gained, spent), (gains, costs) = _sums(old, id_), _sums(new, id_)
        if gained != gains:
            less = "less" if gains < gained else "more"
            found.notes.append(f"{pool.label} to spend: {abs(gains - gained)} {less} than before")
        rise, cost = costs - spent, sum(price for paid, _, price in found.steps if paid == id_)
        if rise != cost:
            less = "less" if rise < cost else "more"
            message = f"the {pool.label} ledger counts {abs(rise - cost)} {less} than these steps: "
            found.prices.append(f"{message}what was there before is paid otherwise now")


def _lines(draft: Draft, pool: str, kind: str) -> Counter[tuple[str, int]]:
    lines = draft.lines.get(pool, ())
    return Counter((line.what, line.cost) for line in lines if line.cost and line.kind == kind)


def _owned(draft: Draft) -> Counter[tuple[str, str, int]]:
    owned: Counter[tuple[str, str, int]] = Counter()
    for item in draft.items:
        owned[item.key, item.name, item.cost] += item.count
    return owned


def _sums(draft: Draft, pool: str) -> tuple[int, int]:
    """Return what a pool gained, and what was spent of it."""
    lines = draft.lines.get(pool, ())
    gained = sum(line.gained for line in lines if line.kind == GAIN)
    return gained, sum(line.cost - line.gained for line in lines if line.kind != GAIN)


_PARTS = (_choices, _granted, _ratings, _dice, _picked, _points)


def list_offers(draft: Draft, ids: Collection[str] | None = None) -> Iterator[Offer]:
    """Yield every next step that has a price, of `ids` or all; a refused one says why."""
    every = (rule for rule in draft.rules.rules.values() if not rule.creation)
    rules = [r for r in every if (r.severity or "error") == "error" and draft.holds(r.require)]
    known = len(draft.findings)
    for offer in _offers(draft, ids):
        failed = any(finding.code == codes.UNANSWERED for finding in draft.findings[known:])
        del draft.findings[known:]
        if failed and not offer.price:  # such as a step beyond the last row of a table of prices
            continue
        if not offer.refused:
            offer = replace(offer, refused=_broken_rule(draft, offer, rules))
        stepped = offer.kind in ("trait", "gear")
        yield replace(offer, step=ledger.step_text(draft, offer)) if stepped else offer


def _offers(draft: Draft, ids: Collection[str] | None) -> Iterator[Offer]:
    def among(known: Iterable[str]) -> Iterator[str]:
        return (str(id_) for id_ in known if ids is None or id_ in ids)

    for id_, group in draft.rules.groups.items():
        if group.stated and group.price is not None:
            for trait in among(draft.traits_of(str(id_))):
                own, name = draft.own(trait), draft.name_of(trait)
                price, pool = draft.price(trait, own + 1), str(group.pool)
                refused = ledger.why_closed(draft, trait)
                offer = Offer("trait", trait, name, own, own + 1, price, pool, refused)
                yield _within_limit(draft, offer)
    if ids is None:
        yield from _dice_offers(draft)
        for id_, key, _ in draft.ruleset_keys("texts"):
            if not key.narrows or key.pool is None:
                continue
            refused = key.why if key.requires is not None and not draft.holds(key.requires) else ""
            for use in ratings.find_narrow_uses(draft, id_, key):
                before = max(use.code, draft.total(use.trait))
                price = ratings.step_price(draft, key, use.trait, before + 1)
                of = draft.group_of(use.trait) or ""
                step = " to ".join(draft.rules.rating_text(of, n) for n in (before, before + 1))
                pool, after = str(key.pool), before + 1
                yield Offer("use", use.trait, use.what, before, after, price, pool, refused, step)
    rule = draft.rules.advances
    if rule is None:
        return
    for named in among(rule.named):
        yield ledger.offer_of(draft, rule, "named", named)
    for group_id in rule.groups:
        for trait in among(draft.traits_of(str(group_id))):
            yield _within_limit(draft, ledger.offer_of(draft, rule, "trait", trait))
    if rule.gear is not None and ids is None:
        names = [item.name for item in draft.items]
        for place, item in enumerate(draft.items):
            # An advance improves the first of several alike.
            first = names.index(item.name) == place
            if first and (item.dice or item.bonus or 0) >= 1:
                yield ledger.offer_of(draft, rule, "gear", str(place))


@dataclass
class Level:
    """A level that a character may reach next: what changes, and what it asks for."""

    what: str
    changes: list[str]
    asks: list[str]


def list_levels(draft: Draft, chosen: Mapping[str, str]) -> Iterator[Level]:
    """Yield the next level of each number and pick that `levels` of choices count."""
    before = {(f.code, f.message) for f in draft.findings}
    for what, node, raised in _next_levels(draft):
        entries = getattr(draft.source.root, "entries", ())
        root = Pairs(node.span, tuple((k, raised if n is node else n) for k, n in entries))
        after = check_draft(replace(draft.source, root=root), draft.rules, chosen)
        picks = Counter(p.name for p in after.picks if p.because)
        changes = [*(picks - Counter(p.name for p in draft.picks if p.because)).elements()]
        for trait in after.rated_traits():
            group, old, new = after.group_of(trait) or "", draft.total(trait), after.total(trait)
            if old != new and (rule := after.trait_rule(trait)) and not rule.internal:
                steps = " to ".join(draft.rules.rating_text(group, n) for n in (old, new))
                changes.append(f"{after.name_of(trait)} {steps}")
        for id_, value in after.derived.items():
            if value.label and value.shown != (old_text := draft.derived[id_].shown):
                changes.append(f"{value.label} {old_text} to {value.shown}")
        asks = [f.message for f in errors(after.findings) if (f.code, f.message) not in before]
        yield Level(what, changes, asks)


def _next_levels(draft: Draft) -> Iterator[tuple[str, Node, Node]]:
    """Yield the name of each next level, a value of the file, and the value of that level."""
    for id_, catalogue in draft.rules.choices.items():
        blocks = (b for e in catalogue.entries.values() for b in all_grants(e.grants))
        if not any(block.once for block in blocks):
            continue
        level = str(catalogue.level or "")
        if isinstance(node := draft.entries.get(level), ScalarNode):
            after = draft.numbers.get(level, 0) + 1
            name = draft.rules.character[level].label or level
            yield f"{name} {after}", node, ScalarNode(node.span, after, str(after))
        times = Counter[str]()
        first: dict[str, Pick] = {}
        for pick in (p for p in draft.picks if p.catalogue == id_ and p.key and not level):
            times[pick.entry] += pick.times
            first.setdefault(pick.entry, pick)
        for entry, pick in first.items():
            node = draft.entries[pick.key]
            more = ScalarNode(pick.span, pick.name, pick.name)
            raised = Many(node.span, (*list_entries(node), more))
            yield f"{pick.name} {times[entry] + 1}", node, raised


def _within_limit(draft: Draft, offer: Offer) -> Offer:
    group, limit = draft.group_rule(offer.id), ratings.limit_of(draft, offer.id)
    if (
        limit is None
        or offer.after <= limit
        or ratings.may_exceed(draft, group, offer.id, offer.after)
    ):
        return offer
    limit_text = draft.written_rating(offer.id, limit)
    return replace(offer, refused=offer.refused or f"the limit is {limit_text}")


def _broken_rule(draft: Draft, offer: Offer, rules: Sequence[Rule]) -> str:
    """Return the message of the first of `rules` that does not hold after a step of a trait."""
    if not rules or offer.kind not in ("trait", "named"):
        return ""
    after = replace(
        draft,
        findings=[],
        parts={trait: list(parts) for trait, parts in draft.parts.items()},
        stated=dict(draft.stated),
        derived={},
        settled=None,
        cache={},
        known={},
        computing=[],
    )
    raised = {offer.id: 1}
    if offer.kind == "named" and draft.rules.advances is not None:
        raised = ledger.steps_of_advance(draft, draft.rules.advances, offer.id)
    for trait, steps in raised.items():
        stated = after.stated.get(trait)
        if stated is not None and stated.rating is not None:
            after.stated[trait] = replace(stated, rating=stated.rating + steps)
        elif draft.is_stated(trait):
            rating = draft.own(trait) + draft.base(trait) + steps
            after.stated[trait] = Stated(rating, stated.span if stated else draft.source.start)
        else:
            after.add(trait, RatingPart(steps, offer.what, "advance"))
    broken = next((rule for rule in rules if not after.holds(rule.require)), None)
    return after.fill(broken.message) if broken is not None else ""


def _dice_offers(draft: Draft) -> Iterator[Offer]:
    """Yield the next die, and the next rung of each, at the price that the ledger will show.

    If the file does not record purchases, the ledger counts the cheapest order of all dice. That
    may be less than the price of this purchase after all others.
    """
    rule = draft.rules.dice
    if rule is None:
        return
    rungs = dict(zip((0, *rule.ladder), rule.ladder, strict=False))
    for before in (faces for faces in (0, *sorted(set(draft.dice))) if faces in rungs):
        after, dice = rungs[before], list(draft.dice)
        price = draft.eval_int(rule.upgrade, count=len(dice), faces=after) if before else 0
        if before:
            dice.remove(before)
        else:
            price = draft.eval_int(rule.buy, count=len(dice) + 1, faces=after)
        counted = ledger.bought_in_any_order(draft, rule, [*dice, after])
        counted = price if counted is None else counted
        what, id_ = (f"d{before} to d{after}", f"d{before}") if before else (f"a d{after}", "new")
        step = f"({price} where purchases are recorded)" if counted != price else ""
        yield Offer("dice", id_, what, before, after, counted, str(rule.pool), step=step)
