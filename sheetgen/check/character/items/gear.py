"""Items: what is owned, worn and held, what it costs, and what its options add."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.items.item_options import options
from sheetgen.check.character.items.own_items import CODE, own_item
from sheetgen.check.character.keys.values import (
    amount,
    blank,
    flag,
    list_entries,
    parse_text,
    parse_times,
    parts,
)
from sheetgen.check.character.spending.ledger import is_open
from sheetgen.diag import codes
from sheetgen.diag.findings import Severity
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.model.build import Owned
from sheetgen.model.codes import code_text
from sheetgen.model.rulesets.items import Item
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.formulas.lines import filled
from sheetgen.rules.names import folded, split_count, split_times

_FORM = ("count", "granted", "cost", "name", "note")
"""Keys of the long form of any item; `asks` of an item adds to them."""


def read_items(draft: Draft) -> None:
    """Read the items under all keys, then those that choices grant."""
    for id_, key in draft.rules.character.items():
        if key.kind not in ("item", "items") or id_ not in draft.entries:
            continue
        nodes = list_entries(draft.entries[id_])
        found = [_read(draft, str(id_), key, node) for node in nodes]
        read = [owned for owned in found if owned is not None]
        count = len(nodes) - len(read) + sum(owned.count for owned in read)
        if key.kind == "item" and count > 1:
            message = f"`{draft.written(id_)}` takes one item; {count} are listed"
            draft.say(codes.WRONG_COUNT, draft.at(id_), message, "keep one")
            read = [replace(owned, count=1) for owned in read]
        draft.items += read
    _granted(draft)
    _activate(draft)


def _granted(draft: Draft) -> None:
    """Add what choices grant; what the file holds of it without paying is there already."""
    key_id = next((str(i) for i, k in draft.rules.character.items() if k.kind == "items"), "")
    there = Counter[str]()
    for owned in draft.items:
        if owned.item and draft.rules.character[owned.key].pool is None:
            there[owned.item] += owned.count
    for item_id, _, span in draft.granted_gear:
        if there[item_id]:
            there[item_id] -= 1
            _mark_granted(draft, item_id)
            continue
        owned = _owned(draft, key_id, item_id, draft.rules.gear[item_id], span, 1)
        draft.items.append(replace(owned, cost=0, granted=True))


def _mark_granted(draft: Draft, item_id: str) -> None:
    for place, owned in enumerate(draft.items):
        if owned.item == item_id and not owned.granted:
            draft.items[place] = replace(owned, granted=True)
            return


def _read(draft: Draft, key_id: str, key: Key, node: Node) -> Owned | None:
    """Read one item: a name, `Name x2`, `{Name: granted}` or `{Name: {…}}`."""
    name, form = node, None
    if isinstance(node, Pairs):
        if len(node.entries) != 1:
            draft.say(codes.WRONG_TYPE, node.span, "write one item here: `Name: {…}`")
            return None
        name, form = node.entries[0]
    if not isinstance(name, ScalarNode):
        draft.say(codes.WRONG_TYPE, node.span, "write the name of an item here")
        return None
    found, count = draft.index.gear.find(name.raw), 1
    if not found:
        plain, count = split_times(name.raw)
        found = draft.index.gear.find(plain)
    if len(found) == 1:
        item = draft.rules.gear[found[0]]
        owned = _owned(draft, key_id, found[0], item, name.span, count)
        return _priced(draft, _formed(draft, owned, item, form), key, item)
    if found:
        draft.say(codes.AMBIGUOUS, name.span, f"`{name.raw}` may be several items")
        return None
    if hint := _otherwise(draft, name.raw):
        draft.say(codes.UNKNOWN_NAME, name.span, f"there is no item `{name.raw}`", hint)
        return None
    own = own_item(draft, key_id, key, name, form, count)
    if own is not None and key.pool is not None and not own.granted and not key.open:
        _own_price(draft, own, form)
    return own


def _otherwise(draft: Draft, raw: str) -> str:
    """Return how a known name with a count, or with what it is, beside it is written here."""
    name, beside = split_count(raw)
    found = draft.index.gear.find(name) if beside else ()
    if len(found) != 1:
        return ""
    shown = draft.index.gear.shown[found[0]]
    if beside.isdecimal():
        return f"write `{shown} x{beside}`"
    return f"write `{{{shown}: granted}}`" if folded(beside) == "granted" else ""


def _own_price(draft: Draft, owned: Owned, form: Node | None) -> None:
    """Find an item of the author's own that neither costs something nor was granted."""
    said = {folded(key.raw) for key, _ in form.entries} if isinstance(form, Pairs) else set()
    if "cost" not in said:
        message = f"`{owned.name}` does not say what it costs"
        hint = f"write `{{{owned.name}: {{cost: 0}}}}`, or `{{{owned.name}: granted}}`"
        draft.say(codes.MISSING_KEY, owned.span, message, hint)


def _owned(draft: Draft, key: str, id_: str, item: Item, span: Span, count: int) -> Owned:
    cost = item.cost if isinstance(item.cost, int) else 0
    modifies = {str(d): draft.whole(f) for d, f in item.modifies.items()}
    if item.gives and item.bonus is not None:
        modifies[str(item.gives)] = modifies.get(str(item.gives), 0) + item.bonus
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
        modifies=modifies,
        special=draft.words(item.special),
        conditional=item.conditional,
    )


def _formed(draft: Draft, owned: Owned, item: Item, form: Node | None) -> Owned:
    """Return `owned` with what the author's long form says of it."""
    if form is None or blank(form):
        return owned
    if isinstance(form, ScalarNode):
        if folded(form.raw) == "granted":
            return replace(owned, granted=True, cost=0)
        if CODE.fullmatch(form.raw):
            return replace(owned, stated=amount(draft, form, owned.name, dice=True))
        if isinstance(form.value, int):
            return replace(owned, count=parse_times(draft, form, owned.name) or 1)
    if not isinstance(form, Pairs):
        message = f"{f'`{form.raw}`' if isinstance(form, ScalarNode) else 'a list'} says nothing"
        hint = f"write `{owned.name} x2`, `{{{owned.name}: granted}}` or `{{{owned.name}: {{…}}}}`"
        draft.say(codes.WRONG_TYPE, form.span, f"{message} about an item", hint)
        return owned
    for name, (key, below) in parts(draft, form).items():
        if name in item.asks:
            owned = options(draft, owned, str(item.asks[name]), below)
        elif name not in _FORM:
            message = f"there is no key `{key.raw}` for {owned.name}"
            hint = suggestion(key.raw, [*_FORM, *item.asks], "keys")
            draft.say(codes.UNKNOWN_KEY, key.span, message, hint)
        else:
            owned = _said(draft, owned, name, below)
    return owned


def _said(draft: Draft, owned: Owned, key: str, node: Node) -> Owned:
    if key == "count":
        return replace(owned, count=parse_times(draft, node, owned.name) or 1)
    if key == "cost":
        return replace(owned, cost=amount(draft, node, key) or 0, granted=True)
    if key == "name":
        return replace(owned, name=parse_text(draft, node, key) or owned.name)
    if key == "note":
        note = parse_text(draft, node, key) or ""
        return replace(owned, special="; ".join(s for s in (owned.special, note) if s))
    granted = flag(draft, node, key) is not False  # one that cannot be read is said already
    return replace(owned, granted=granted, cost=0 if granted else owned.cost)


def _priced(draft: Draft, owned: Owned, key: Key, item: Item) -> Owned:
    """Return `owned`; an item without a price that nobody granted is a finding."""
    if key.pool is None or isinstance(item.cost, int) or owned.granted:
        return owned
    if not is_open(draft, str(key.pool)):
        return replace(owned, granted=True)
    policy = str(draft.options.get(str(key.unpriced), "refuse")) if key.unpriced else "refuse"
    if policy == "refuse":
        message = f"{item.name} has no price; it is not for sale"
        hint = f"if the game master gave it, write `{{{item.name}: granted}}`"
        draft.say(codes.NOT_FOR_SALE, owned.span, message, hint)
    return replace(owned, granted=True)


def _activate(draft: Draft) -> None:
    """Let only the first worn item, and the first one held, change derived values.

    Two suits of armour do not add up, and only one weapon parries.
    """
    seen: set[bool] = set()
    for place, owned in enumerate(draft.items):
        item = draft.rules.gear.get(owned.item)
        if item is None or not owned.modifies:
            continue
        if item.stacks is not None and draft.holds(item.stacks):
            continue  # it counts beside whatever is first, and does not take that place
        if item.worn in seen:
            draft.items[place] = replace(owned, active=False)
            if not item.worn:
                _idle(draft, owned)
        seen.add(item.worn)


def _idle(draft: Draft, owned: Owned) -> None:
    """Say what does not count of an item that is held after another."""
    lost = [f"{n:+} {draft.rules.derived[d].label}" for d, n in owned.modifies.items() if n]
    if lost:
        message = f"{owned.name}: {', '.join(lost)} does not count; the first that is held does"
        hint = "list first what is in hand"
        draft.say(codes.CAVEAT, owned.span, message, hint, Severity.WARNING)


def combat_values(draft: Draft) -> None:
    """Work out attack and damage of every item, once all ratings are known."""
    for place, owned in enumerate(draft.items):
        item = draft.rules.gear.get(owned.item)
        damage = owned.dice
        if damage is not None and item is not None and item.adds:
            damage += draft.total(str(item.adds))
        attack = draft.total(owned.skill) if owned.skill else None
        helps = _conditional(draft, owned)
        draft.items[place] = replace(owned, damage=damage, attack=attack, conditional=helps)
        if owned.stated is not None and owned.stated != damage:
            pips = draft.rules.pips
            given = code_text(damage, pips=pips) if damage is not None else "no damage"
            stated = code_text(owned.stated, pips=pips)
            message = f"{owned.name} is {stated} here; the rules give {given}"
            hint = f"leave the code out: write `{owned.name}`"
            draft.say(codes.DISAGREE, owned.span, message, hint)


def _conditional(draft: Draft, owned: Owned) -> str:
    """Return the bonus that is shown and never added, with its dice as they are by now."""
    try:
        return filled(owned.conditional, draft.with_names(bonus=owned.bonus or 0))
    except FormulaError as error:
        draft.unanswered(owned.conditional, error)
        return ""
