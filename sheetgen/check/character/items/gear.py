"""Items that a character owns, wears and holds: price, options, attack and damage.

The step `read_items` fills `draft.items`; `compute_combat_values` adds attack and damage once
all ratings are known. `own_items.py` reads items that the ruleset does not list.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.draft.scope import item_changes
from sheetgen.check.character.items.own_items import CODE, add_options, read_own_item
from sheetgen.check.character.keys.values import (
    is_blank,
    list_entries,
    parse_amount,
    parse_flag,
    parse_long_form,
    parse_text,
    parse_times,
    report_unknown_key,
)
from sheetgen.check.character.results.lists import has_tags
from sheetgen.check.character.spending.ledger import has_pool
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.diag.near import name_hint
from sheetgen.diag.spans import Span
from sheetgen.model.build import Owned, refused_name
from sheetgen.model.codes import code_text
from sheetgen.model.rulesets.items import Item
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.rules.names import folded, spelling_hint, split_times

_FORM = ("count", "granted", "cost", "name", "note")
"""Keys of the long form of any item; an item's `asks` adds its own."""


def read_items(draft: Draft) -> None:
    """Read the items under all keys, then add those that choices grant."""
    for id_, key, node in draft.ruleset_keys("item", "items"):
        nodes = list_entries(node)
        found = [_read(draft, id_, key, one) for one in nodes]
        read = [owned for owned in found if owned is not None]
        count = len(nodes) - len(read) + sum(owned.count for owned in read)
        if key.kind == "item" and count > 1:
            message = f"`{draft.key_name(id_)}` takes one item; {count} are listed"
            draft.report(codes.WRONG_COUNT, draft.span_of(id_), message, "keep one")
            read = [replace(owned, count=1) for owned in read]
        draft.items += [_listed(draft, key, owned) for owned in read]
    _add_granted(draft)
    _activate(draft)


def _listed(draft: Draft, key: Key, owned: Owned) -> Owned:
    """Return `owned`; a thing of the author's own that no list shows has the tags of its key."""
    lists = [rule for rule in draft.rules.lists.values() if rule.of in ("gear", owned.key)]
    tagged = (*owned.tags, *map(str, key.tags))
    if owned.item or any(has_tags(rule, owned.tags) for rule in lists):
        return owned
    if any(has_tags(rule, tagged) for rule in lists):
        return replace(owned, tags=tagged)
    return owned


def _add_granted(draft: Draft) -> None:
    """Add the items that choices grant; one that the file lists under a free key is marked."""
    key_id = next((str(i) for i, k in draft.rules.character.items() if k.kind == "items"), "")
    there = Counter[str]()
    for owned in draft.items:
        if owned.item and draft.rules.character[owned.key].pool is None:
            there[owned.item] += owned.count
    for item_id, _, span in draft.granted_gear:
        if there[item_id]:
            there[item_id] -= 1
            places = (n for n, o in enumerate(draft.items) if o.item == item_id and not o.granted)
            if (place := next(places, None)) is not None:
                draft.items[place] = replace(draft.items[place], granted=True)
            continue
        owned = _owned(draft, key_id, item_id, draft.rules.gear[item_id], span, 1)
        draft.items.append(replace(owned, cost=0, granted=True))


def _read(draft: Draft, key_id: str, key: Key, node: Node) -> Owned | None:
    """Read one item: a name, `Name x2`, `{Name: granted}` or `{Name: {…}}`."""
    name, form = node, None
    if isinstance(node, Pairs):
        if len(node.entries) != 1:
            draft.report(codes.WRONG_TYPE, node.span, "write one item here: `Name: {…}`")
            return None
        name, form = node.entries[0]
    if not isinstance(name, ScalarNode):
        draft.report(codes.WRONG_TYPE, node.span, "write the name of an item here")
        return None
    found, count = draft.index.gear.find(name.raw), 1
    if not found:
        plain, count = split_times(name.raw)
        found = draft.index.gear.find(plain)
    if len(found) == 1:
        item = draft.rules.gear[found[0]]
        owned = _owned(draft, key_id, found[0], item, name.span, count)
        return _priced(draft, _formed(draft, owned, item, form), key, item)
    refused = Owned(key_id, "", refused_name(name.raw), name.span)
    if found:
        message = f"`{name.raw}` may be several items"
        draft.report(codes.AMBIGUOUS, name.span, message, draft.index.gear.hint(name.raw))
        draft.refused_items.append(refused)
        return None
    if hint := spelling_hint(draft.index.gear, name.raw, {"granted"}):
        draft.report(codes.UNKNOWN_NAME, name.span, f"there is no item `{name.raw}`", hint)
        draft.refused_items.append(refused)
        return None
    return read_own_item(draft, key_id, key, name, form, count)


def _owned(draft: Draft, key: str, id_: str, item: Item, span: Span, count: int) -> Owned:
    cost = item.cost if isinstance(item.cost, int) else 0
    changes: dict[str, tuple[str, ...]] = {str(d): (f,) for d, f in item.modifies.items()}
    if item.gives and item.bonus is not None:
        changes[str(item.gives)] = (*changes.get(str(item.gives), ()), str(item.bonus))
    return Owned(
        key,
        id_,
        str(item.name),
        span,
        count,
        cost,
        tuple(map(str, item.tags)),
        dice=item.dice,
        skill=str(item.skill or ""),
        bonus=item.bonus,
        changes=changes,
        special=draft.fill_options(item.special),
        conditional=item.conditional,
    )


def _formed(draft: Draft, owned: Owned, item: Item, form: Node | None) -> Owned:
    """Return `owned` with the values of the author's long form."""
    if form is None or is_blank(form):
        return owned
    if isinstance(form, ScalarNode):
        if folded(form.raw) == "granted":
            return replace(owned, granted=True, cost=0)
        if CODE.fullmatch(form.raw):
            return replace(owned, stated=parse_amount(draft, form, owned.name, dice=True))
        if isinstance(form.value, int):
            return replace(owned, count=parse_times(draft, form, owned.name) or 1)
    if not isinstance(form, Pairs):
        message = f"{f'`{form.raw}`' if isinstance(form, ScalarNode) else 'a list'} says nothing"
        hint = f"write `{owned.name} x2`, `{{{owned.name}: granted}}` or `{{{owned.name}: {{…}}}}`"
        hint = name_hint(form.raw, ("granted",), hint) if isinstance(form, ScalarNode) else hint
        draft.report(codes.WRONG_TYPE, form.span, f"{message} about an item", hint)
        return owned
    for name, (key, below) in parse_long_form(draft, form).items():
        if name in item.asks:
            owned = add_options(draft, owned, str(item.asks[name]), below)
        elif name not in _FORM:
            report_unknown_key(draft, key, f"for {owned.name}", [*_FORM, *item.asks])
        else:
            owned = _with_value(draft, owned, name, below)
    return owned


def _with_value(draft: Draft, owned: Owned, key: str, node: Node) -> Owned:
    if key == "count":
        return replace(owned, count=parse_times(draft, node, owned.name) or 1)
    if key == "cost":
        return replace(owned, cost=parse_amount(draft, node, key) or 0, granted=True)
    if key == "name":
        return replace(owned, name=parse_text(draft, node, key) or owned.name)
    if key == "note":
        note = parse_text(draft, node, key) or ""
        return replace(owned, special="; ".join(s for s in (owned.special, note) if s))
    granted = parse_flag(draft, node, key) is not False  # None has its finding.
    return replace(owned, granted=granted, cost=0 if granted else owned.cost)


def _priced(draft: Draft, owned: Owned, key: Key, item: Item) -> Owned:
    """Return `owned`; report an item without a price that is not granted."""
    if key.pool is None or isinstance(item.cost, int) or owned.granted:
        return owned
    if not has_pool(draft, str(key.pool)):
        return replace(owned, granted=True)
    policy = str(draft.options.get(str(key.unpriced), "refuse")) if key.unpriced else "refuse"
    if policy == "refuse":
        message = f"{item.name} has no price; it is not for sale"
        hint = f"if the game master gave it, write `{{{item.name}: granted}}`"
        draft.report(codes.NOT_FOR_SALE, owned.span, message, hint)
    return replace(owned, granted=True)


def _activate(draft: Draft) -> None:
    """Let only the first worn item and the first held one change derived values.

    Items that `stacks` holds for count beside them, in any number.
    """
    seen: set[bool] = set()
    for place, owned in enumerate(draft.items):
        item = draft.rules.gear.get(owned.item)
        if item is None or not owned.changes:
            continue
        if item.stacks is not None and draft.early_holds(item.stacks):
            draft.items[place] = replace(owned, acting=owned.count)
            continue
        acting = 0 if item.worn in seen else 1
        draft.items[place] = replace(owned, acting=acting)
        if owned.count > acting and not item.worn:
            _report_inactive(draft, owned, owned.count - acting)
        seen.add(item.worn)


def _report_inactive(draft: Draft, owned: Owned, count: int) -> None:
    amounts = {d: sum(map(draft.early_int, formulas)) for d, formulas in owned.changes.items()}
    lost = [f"{n * count:+} {draft.rules.derived[d].label}" for d, n in amounts.items() if n]
    if lost:
        message = f"{owned.name}: {', '.join(lost)} does not count; only the first held item counts"
        hint = "list the item in use first"
        draft.report(codes.CAVEAT, owned.span, message, hint, Severity.WARNING)


def compute_combat_values(draft: Draft) -> None:
    """Compute attack, damage and changes of every item, once all ratings are known."""
    for place, owned in enumerate(draft.items):
        item = draft.rules.gear.get(owned.item)
        damage = owned.dice
        if damage is not None and item is not None and item.adds:
            damage += draft.total(str(item.adds))
        attack = draft.total(owned.skill) if owned.skill else None
        conditional = owned.conditional
        if conditional:
            conditional = draft.fill(conditional, {"bonus": owned.bonus or 0})
        modifies = item_changes(draft, owned)
        values = damage, attack, conditional, modifies
        if values != (owned.damage, owned.attack, owned.conditional, owned.modifies):
            draft.items[place] = replace(
                owned, damage=damage, attack=attack, conditional=conditional, modifies=modifies
            )
        if owned.stated is not None and owned.stated != damage:
            pips = draft.rules.pips
            computed = code_text(damage, pips=pips) if damage is not None else "no damage"
            stated = code_text(owned.stated, pips=pips)
            message = f"{owned.name} is {stated} here; the rules give {computed}"
            hint = f"leave the code out: write `{owned.name}`"
            draft.report(codes.DISAGREE, owned.span, message, hint)
