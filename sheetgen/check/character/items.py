"""Items that a character owns, wears and holds: price, options, attack and damage.

The step `read_items` fills `draft.items`; `compute_combat_values` adds attack and damage once
all ratings are known. `read_own_item` reads items that the ruleset does not list.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace

from sheetgen.check.character import values
from sheetgen.check.character.draft import Draft, number_value
from sheetgen.check.character.ledger import has_pool
from sheetgen.diag import codes
from sheetgen.diag.findings import NamesHint, Severity, Span
from sheetgen.diag.words import name_hint, nearest
from sheetgen.model.build import Owned, Value, code_text, parse_figure, refused_name
from sheetgen.model.rulesets.ruleset import Key
from sheetgen.model.rulesets.traits import Item, ItemRows
from sheetgen.model.source import Node, Pairs, ScalarNode
from sheetgen.rules.formulas.expressions import FormulaError
from sheetgen.rules.index import attack_texts, folded, spelling_hint, split_times

_FORM = ("count", "granted", "cost", "name", "note")
"""Keys of the long form of any item; an item's `asks` adds its own."""


def read_items(draft: Draft) -> None:
    """Read the items under all keys, then add those that choices grant."""
    for id_, key, node in draft.ruleset_keys("item", "items"):
        nodes = values.list_entries(node)
        found = [_read(draft, id_, key, one) for one in nodes]
        read = [owned for owned in found if owned is not None]
        count = len(nodes) - len(read) + sum(owned.count for owned in read)
        if key.kind == "item" and count > 1:
            message = f"`{draft.key_name(id_)}` takes one item; {count} are listed"
            draft.report(codes.WRONG_COUNT, draft.span_of(id_), message, "keep one")
            read = [replace(owned, count=1) for owned in read]
        draft.items += [_listed(draft, key, owned) for owned in read]
    # Add the items that choices grant; one that the file lists under a free key is marked.
    key_id = next((str(i) for i, k in draft.rules.character.items() if k.kind == "items"), "")
    there = Counter[str]()
    for owned in draft.items:
        if owned.item and draft.rules.character[owned.key].pool is None:
            there[owned.item] += owned.count
    for item_id, span, _ in draft.granted_gear:
        if there[item_id]:
            there[item_id] -= 1
            places = (n for n, o in enumerate(draft.items) if o.item == item_id and not o.granted)
            if (place := next(places, None)) is not None:
                draft.items[place] = replace(draft.items[place], granted=True)
            continue
        owned = _owned(draft, key_id, item_id, draft.rules.gear[item_id], span, 1)
        draft.items.append(replace(owned, cost=0, granted=True))
    # Let only the first worn item and the first held one change derived values.
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
            amounts = {d: sum(map(draft.early_int, each)) for d, each in owned.changes.items()}
            labels = {d: draft.rules.derived[d].label for d, n in amounts.items() if n}
            rest = owned.count - acting
            if lost := ", ".join(f"{amounts[d] * rest:+} {of}" for d, of in labels.items()):
                message = f"{owned.name}: {lost} does not count; only the first held item counts"
                hint = "list the item in use first"
                draft.report(codes.CAVEAT, owned.span, message, hint, Severity.WARNING)
        seen.add(item.worn)


def _listed(draft: Draft, key: Key, owned: Owned) -> Owned:
    """Return `owned`; a thing of the author's own that no list shows has the tags of its key."""
    lists = [rule for rule in draft.rules.lists.values() if rule.of in ("gear", owned.key)]
    tagged = (*owned.tags, *map(str, key.tags))
    shown = owned.item or any(has_tags(rule, owned.tags) for rule in lists)
    fits = not shown and any(has_tags(rule, tagged) for rule in lists)
    return replace(owned, tags=tagged) if fits else owned


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
        owned = _formed(draft, owned, item, form)
        if key.pool is None or isinstance(item.cost, int) or owned.granted:
            return owned
        if not has_pool(draft, str(key.pool)):
            return replace(owned, granted=True)
        policy = str(draft.options.get(str(key.unpriced), "refuse")) if key.unpriced else "refuse"
        if policy == "refuse":
            message = f"{item.name} has no price; it is not for sale"
            brought = (pick.name for item_id, _, pick in draft.granted_gear if item_id == found[0])
            hint = f"write `{{{item.name}: granted}}` if the game master gave it"
            if giver := next(brought, ""):
                hint = f"leave it out: it comes with {giver} already"
            draft.report(codes.NOT_FOR_SALE, owned.span, message, hint)
        return replace(owned, granted=True)
    if found:
        message = f"`{name.raw}` may be several items"
        draft.report(codes.AMBIGUOUS, name.span, message, draft.index.gear.hint(name.raw))
    elif hint := spelling_hint(draft.index.gear, name.raw, {"granted"}):
        draft.report(codes.UNKNOWN_NAME, name.span, f"there is no item `{name.raw}`", hint)
    else:
        return read_own_item(draft, key_id, key, name, form, count)
    draft.refused_items.append(Owned(key_id, "", refused_name(name.raw), name.span))
    return None


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
        numbers={str(name): formula for name, formula in item.numbers.items()},
    )


def _formed(draft: Draft, owned: Owned, item: Item, form: Node | None) -> Owned:
    if form is None or values.is_blank(form):
        return owned
    if isinstance(form, ScalarNode):
        if folded(form.raw) == "granted":
            return replace(owned, granted=True, cost=0)
        if CODE.fullmatch(form.raw):
            return replace(owned, stated=values.parse_amount(draft, form, owned.name, dice=True))
        if isinstance(form.value, int):
            return replace(owned, count=values.parse_times(draft, form, owned.name) or 1)
    if not isinstance(form, Pairs):
        message = f"{f'`{form.raw}`' if isinstance(form, ScalarNode) else 'a list'} says nothing"
        hint = f"write `{owned.name} x2`, `{{{owned.name}: granted}}` or `{{{owned.name}: {{…}}}}`"
        hint = name_hint(form.raw, ("granted",), hint) if isinstance(form, ScalarNode) else hint
        draft.report(codes.WRONG_TYPE, form.span, f"{message} about an item", hint)
        return owned
    for part, (key, below) in values.parse_long_form(draft, form).items():
        if part in item.asks:
            owned = add_options(draft, owned, str(item.asks[part]), below)
        elif part == "cost":
            cost = values.parse_amount(draft, below, part) or 0
            numbers = {**owned.numbers, part: str(cost)}
            owned = replace(owned, cost=cost, granted=True, numbers=numbers)
        elif part == "name":
            owned = replace(owned, name=values.parse_text(draft, below, part) or owned.name)
        elif part == "granted" and values.parse_flag(draft, below, part) is False:
            owned = replace(owned, granted=False)
        elif part == "granted":  # None has its finding.
            numbers = {name: number for name, number in owned.numbers.items() if name != "cost"}
            owned = replace(owned, granted=True, cost=0, numbers=numbers)
        else:
            owned = _with_part(draft, owned, part, key, below, (*_FORM, *item.asks, *item.numbers))
    return owned


def _with_part(
    draft: Draft, owned: Owned, part: str, key: ScalarNode, node: Node, known: tuple[str, ...]
) -> Owned:
    """Return `owned` with what the long form of any item may say: a count, a note, a number."""
    if part == "count":
        return replace(owned, count=values.parse_times(draft, node, owned.name) or 1)
    if part == "note":
        note = values.parse_text(draft, node, part) or ""
        special = "; ".join(filter(None, (owned.special, note)))
        return replace(owned, special=special, remark=note)
    if part not in draft.index.numbers:
        values.report_unknown_key(draft, key, f"for {owned.name}", known)
        return owned
    raw = node.raw if isinstance(node, ScalarNode) else ""
    if parse_figure(raw) is None:  # `2`, `1/2` and `1½` are figures
        wanted = f"has to be a number; `{raw}` is none" if raw else "is a number"
        hint = "write a number, such as 2 or 1/2"
        draft.report(codes.WRONG_TYPE, node.span, f"`{part}` {wanted}", hint)
        return owned
    return replace(owned, numbers={**owned.numbers, part: raw.replace("−", "-")})


def own_figures(draft: Draft, owned: Owned) -> dict[str, Value]:
    """Return the numbers of an item that its attack and its damage see; one that it lacks is 0."""
    found: dict[str, Value] = dict.fromkeys(draft.index.numbers, 0)
    for name, number in owned.numbers.items():
        try:
            found[name] = number_value(number, draft.scope())
        except FormulaError as error:
            draft.report_formula_error(number, error)
    own = {"dice": owned.dice or 0, "bonus": owned.bonus or 0, "count": owned.count}
    return found | own | {"cost": owned.cost}


def compute_combat_values(draft: Draft) -> None:
    """Compute attack, damage and changes of every item, once all ratings are known."""
    for place, owned in enumerate(draft.items):
        item = draft.rules.gear.get(owned.item)
        damage = owned.dice
        if damage is not None and item is not None and item.adds:
            damage += draft.total(str(item.adds))
        attack = draft.total(owned.skill) if owned.skill else None
        conditional = owned.conditional
        texts = attack_texts(item) if item is not None else {}
        figures = own_figures(draft, owned) if texts or conditional else {}
        if conditional:
            conditional = draft.fill(conditional, figures)
        modifies = {d: sum(map(draft.eval_int, each)) for d, each in owned.changes.items()}
        filled = {name: draft.fill(text, figures) for name, text in texts.items()}
        rolled = filled if item is not None else owned.rolled
        found = (damage, attack, conditional, modifies, rolled)
        if found != (owned.damage, owned.attack, owned.conditional, owned.modifies, owned.rolled):
            better = replace(owned, damage=damage, attack=attack, conditional=conditional)
            draft.items[place] = replace(better, modifies=modifies, rolled=rolled)
        if owned.stated is not None and owned.stated != damage:
            pips = draft.rules.pips
            computed = code_text(damage, pips=pips) if damage is not None else "no damage"
            stated = code_text(owned.stated, pips=pips)
            message = f"{owned.name} is {stated} here; the rules give {computed}"
            hint = f"leave the code out: write `{owned.name}`"
            draft.report(codes.DISAGREE, owned.span, message, hint)


CODE = re.compile(r"\d{1,3}\s*[dD](?:\s*\+\s*\d)?")  # a dice code, `5D`: what an item deals

# A dice code and the trait that is rolled to attack, `5D SKILL`.
_WITH_SKILL = re.compile(rf"({CODE.pattern})\s+(?=\D)(.+)")
_OWN_FORM = ("cost", "granted", "count", "note", "dice", "skill", "attack", "damage", "tags")


def read_own_item(
    draft: Draft, key_id: str, key: Key, name: ScalarNode, form: Node | None, count: int
) -> Owned | None:
    """Return an item of the author's own: with a cost or dice, or under an open key."""
    plain, keys = split_times(name.raw)[0], set[str]()
    owned = Owned(key_id, "", plain, name.span, count)
    if isinstance(form, Pairs):
        owned = _with_form(draft, key, owned, form)
        keys = {folded(part.raw) for part, _ in form.entries}
    elif isinstance(form, ScalarNode) and folded(form.raw) == "granted":
        owned = replace(owned, granted=True)
    elif isinstance(form, ScalarNode) and CODE.fullmatch(form.raw):
        owned = _with_dice(draft, key, owned, form)
    elif isinstance(form, ScalarNode) and (match := _WITH_SKILL.fullmatch(form.raw)):
        code, skill = (ScalarNode(form.span, part, part) for part in match.groups())
        owned = replace(owned, skill=values.find_trait(draft, skill) or "")
        owned = _with_dice(draft, key, owned, code)
    elif not key.open:
        message = f"there is no item `{plain}`"
        single, other = split_times(plain)
        hint = values.find_key_for(draft, plain) or draft.index.gear.hint(plain)
        if other > 1 and draft.index.gear.find(single):
            hint = f"write one count, such as `{single} x{other}`"
        if not hint or isinstance(hint, NamesHint):
            own = f"for a thing of your own write `{{{plain}: {{cost: 0}}}}`"
            hint = NamesHint(own, plain, tuple(draft.index.gear.shown.values()))
        draft.report(codes.UNKNOWN_NAME, name.span, message, hint)
        draft.refused_items.append(replace(owned, name=refused_name(plain)))
        return None
    else:
        if form is not None and not values.is_blank(form):
            message = f"`{plain}` is no item of these rules, and has no damage"
            hint = f"write its damage, `{{{plain}: 3D}}`, or `{{{plain}: {{…}}}}`"
            draft.report(codes.WRONG_TYPE, form.span, message, hint)
        if (hint := draft.index.gear.hint(plain)).startswith("did"):
            message = f"`{plain}` is no item of these rules; it is kept as text"
            draft.report(codes.OPEN_NAME, name.span, message, hint, Severity.WARNING)
    if owned.granted or "cost" in keys:
        return owned
    if key.price is not None and owned.dice is None:
        message = f"`{owned.name}` has no dice to be priced by"
        hint = f"write `{{{owned.name}: 2D}}`, or `{{{owned.name}: {{cost: 12}}}}`"
        hint = f"{hint}; {key.why}" if key.why else hint
        draft.report(codes.MISSING_KEY, owned.span, message, hint)
    if key.pool is not None and not key.open:
        message = f"`{owned.name}` does not say what it costs"
        hint = f"write `{{{owned.name}: {{cost: 0}}}}`, or `{{{owned.name}: granted}}`"
        draft.report(codes.MISSING_KEY, owned.span, message, hint)
    return owned


def _with_dice(draft: Draft, key: Key, owned: Owned, node: Node) -> Owned:
    dice = values.parse_amount(draft, node, owned.name, dice=True)
    if dice == 0:
        message = f"`{owned.name}` has no dice"
        draft.report(codes.WRONG_TYPE, node.span, message, "write 1D or more, or leave them out")
    cost = draft.eval_int(key.price, n=dice) if key.price is not None and dice else owned.cost
    return replace(owned, dice=dice, cost=cost, tags=(*owned.tags, *map(str, key.tags)))


def _with_form(draft: Draft, key: Key, owned: Owned, form: Pairs) -> Owned:
    granted = False
    for part, (name, below) in values.parse_long_form(draft, form).items():
        match part:
            case "cost":
                owned = replace(owned, cost=values.parse_amount(draft, below, "cost") or 0)
            case "granted":
                granted = values.parse_flag(draft, below, "granted") is not False
            case "dice":
                owned = _with_dice(draft, key, owned, below)
            case "skill":
                owned = replace(owned, skill=values.find_trait(draft, below) or "")
            case "attack" | "damage":
                said = values.parse_text(draft, below, part) or ""
                of_key = map(str, key.tags if part == "damage" else ())
                rolled, more = {**owned.rolled, part: said}, (*owned.tags, *of_key)
                owned = replace(owned, rolled=rolled, tags=more)
            case "tags":
                tags = (tag.raw for tag in values.list_items(below) if isinstance(tag, ScalarNode))
                owned = replace(owned, tags=(*owned.tags, *tags))
            case _:
                known = (*_OWN_FORM, *draft.index.numbers)
                owned = _with_part(draft, owned, part, name, below, known)
    return replace(owned, cost=0, granted=True) if granted else owned


def add_options(draft: Draft, owned: Owned, catalogue_id: str, node: Node) -> Owned:
    """Return `owned` with the options of one catalogue that the author picked for it."""
    catalogue = draft.rules.choices[catalogue_id]
    names = draft.index.by_catalogue[catalogue_id]
    picked = values.list_items(node)
    if not catalogue.many and len(picked) > 1:
        message = f"{owned.name} takes one {catalogue.one}"
        draft.report(codes.WRONG_COUNT, node.span, message, "keep one")
    seen: set[str] = set()
    for item in picked:
        found = names.find(item.raw) if isinstance(item, ScalarNode) else ()
        raw = item.raw if isinstance(item, ScalarNode) else "this"
        hint = names.hint(raw)
        if len(found) == 1 and found[0] in seen:
            message = f"{names.shown[found[0]]} is picked twice"
            draft.report(codes.REPEATED, item.span, message, "keep one of the two")
        elif len(found) == 1:
            entry = catalogue.entries[found[0]]
            changes = dict(owned.changes)
            for derived, formula in entry.modifies.items():
                changes[str(derived)] = (*changes.get(str(derived), ()), formula)
            owned = replace(
                owned,
                dice=owned.dice + entry.dice if owned.dice is not None else None,
                changes=changes,
                special="; ".join(filter(None, (owned.special, entry.special))),
                conditional="; ".join(filter(None, (owned.conditional, entry.conditional))),
                name=f"{owned.name}, {entry.name}",
                tags=(*owned.tags, *map(str, entry.tags)),
            )
        elif not catalogue.open or not isinstance(item, ScalarNode):
            message = f"there is no {catalogue.one} `{raw}`"
            draft.report(codes.UNKNOWN_NAME, item.span, message, hint)
        else:
            owned = replace(owned, name=f"{owned.name}, {raw}")
            if nearest(raw, names.shown.values()):
                message = f"the rules list no {catalogue.one} `{raw}`; it is kept as it is"
                draft.report(codes.OPEN_NAME, item.span, message, hint, Severity.WARNING)
        seen.update(found)
    return owned


def has_tags(rule: ItemRows, tags: Collection[str]) -> bool:
    """Whether a list shows what has `tags`."""
    shown = rule.where is None or rule.where in tags
    return shown and not any(tag in tags for tag in rule.without)
