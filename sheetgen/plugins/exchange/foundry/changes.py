"""What has changed in an actor since its export, as changes of the file that it came from.

`merge` writes changed keys into the source. `settle` then exports the new file again and compares:
it sets the number keys that points and money follow from, until the export has the actor's values,
and reports what the file still gives in another way. So nothing is lost in silence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, errors
from sheetgen.model.build import code_text, parse_code
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Text
from sheetgen.plugins.exchange.foundry.actor_reading import ActorReader, ReadActor
from sheetgen.plugins.exchange.foundry.actors import ActorContext, make_actor
from sheetgen.plugins.exchange.foundry.documents import (
    Document,
    get_leaf,
    list_leaves,
    plain_value,
    write_source,
)
from sheetgen.plugins.exchange.foundry.mapping import (
    ActorMap,
    ExportScope,
    FoundryMap,
    Notes,
    is_same_leaf,
    leaf_number,
    leaf_text,
    plain_line,
)
from sheetgen.prints.characters import Character
from sheetgen.rules.formulas.expressions import inputs, parse_formula
from sheetgen.rules.index import folded, index_of, split_times

Checker = Callable[[str], Character]
"""Checks the text of a file."""

_ROUNDS: Final = 3
"""Attempts to find the value of a key: a default may conceal the first one."""

_MOST_LISTED: Final = 12


@dataclass
class ActorChanges:
    """Brings the changes of one actor into the data of its file.

    Attributes:
        exported: The actor as its source exports it; None if it has no source.
        findings: A note for each change, and a warning about what the file cannot hold.
    """

    document: Document
    kind: str
    system_map: FoundryMap
    rules: Ruleset
    place: Span
    check: Checker
    exported: Document | None = None
    findings: list[Finding] = field(default_factory=list)
    removed_texts: list[str] = field(default_factory=list)

    @property
    def plan(self) -> ActorMap:
        """Return the map of the actor's kind."""
        return self.system_map.actors[self.kind]

    # -- keys ----------------------------------------------------------------------------------

    def merge(self, source: dict[str, Any], fresh: ReadActor, notes: Notes) -> dict[str, Any]:
        """Return a source with the keys that have changed since its export.

        Args:
            fresh: The actor as it is now.
            notes: Findings about it; those that were true at the export are removed.
        """
        data, quiet = dict(source), Notes()
        self.exported = self._export(source, quiet)
        if self.exported is None:
            return data
        reader = ActorReader(
            self.exported, self.plan, self.system_map, self.rules, quiet, self.place
        )
        before = reader.read()
        settled = {key for formula in self.plan.values.values() for key, _ in self._levers(formula)}
        for key in dict.fromkeys((*before.data, *fresh.data)):
            old, new = before.data.get(key), fresh.data.get(key)
            lost = new is None and (key in fresh.missed or self._is_required(key))
            if old == new or key in settled or lost or _same_things(old, new):
                continue
            self._put(data, key, self._merged(key, data.get(self._raw(data, key)), old, new))
            texts = (plain_value(value)[:120] if value else "nothing" for value in (old, new))
            self._note("`{}` has changed in Foundry from {} to {}".format(key, *texts))
        for about in quiet.found:  # what was so before, too
            notes.found.pop(about, None)
        more = Counter(fresh.remarks) - Counter(before.remarks)
        add_remarks(data, [line for line in fresh.remarks if more[line]], self.rules)
        for line in Counter(fresh.prose) - Counter(before.prose):
            self._note(f"`{line[:120]}` is new in Foundry; it is in the notes")
        less = Counter(before.prose) - Counter(fresh.prose)
        self.removed_texts = [f"the text `{line[:60]}` is gone" for line in less]
        return data

    def _merged(self, key: str, source: Any, old: Any, new: Any) -> Any:
        """Return the value of a key in a source, changed as an actor's changed."""
        known = self.rules.character.get(key)
        if isinstance(new, dict) or (isinstance(old, dict) and new is None):
            return _merged_codes(source, old or {}, new or {}, self.rules)
        if isinstance(new, list) or (isinstance(old, list) and new is None):
            kept = list(source) if isinstance(source, list) else [source] if source else []
            owned = known is not None and known.kind in ("item", "items")
            return _merged_list(kept, old or [], new or [], self.rules, owned=owned)
        return new

    def _is_required(self, key: str) -> bool:
        return key in self.rules.character and self.rules.character[key].required

    def _raw(self, data: Mapping[str, Any], key: str) -> str:
        """Return the name under which the data of a file has a key."""
        keys = index_of(self.rules).keys
        return next((raw for raw in data if keys.find(raw) == (key,)), key)

    def _put(self, data: dict[str, Any], key: str, value: Any) -> None:
        raw = self._raw(data, key)
        data[raw] = value
        if value is None:
            del data[raw]

    # -- numbers -------------------------------------------------------------------------------

    def settle(self, data: dict[str, Any], missed: Collection[str]) -> dict[str, Any]:
        """Return data whose export has the actor's numbers; report what it cannot hold.

        Args:
            missed: Traits and keys that are reported already.
        """
        system = self.document.get("system", self.document.get("data"))
        for leaf, formula in self.plan.values.items():
            target = leaf_number(get_leaf(system, leaf))
            if get_leaf(system, leaf) is not None and target is not None:
                data = self._solved(data, leaf, formula, target)
        untaken = [*self._differences(data, system, missed), *self.removed_texts]
        if untaken:
            more = len(untaken) - _MOST_LISTED
            listed = "; ".join([*untaken[:_MOST_LISTED], *([f"{more} more"] if more > 0 else [])])
            message = f"{self._name}: the file cannot hold what Foundry has: {listed}"
            hint = "change the file by hand if Foundry is right"
            code, severity = codes.CHANGED_ELSEWHERE, Severity.WARNING
            self.findings.append(Finding(code, self.place, message, hint, severity))
        return data

    def _solved(
        self, data: dict[str, Any], leaf: str, formula: Text, target: int
    ) -> dict[str, Any]:
        """Return data with a key changed so that a formula has the value `target`, if one can."""
        one = self.check(write_source(data))
        value = self._value(one, formula)
        if value is None or value == target:
            return data
        for key, sign in self._levers(formula, rises=target > value):
            tried, number = dict(data), self._number(one, data, key)
            now: int | None = value
            for _ in range(_ROUNDS):
                number += sign * (target - (now or 0))
                if number < 0:
                    break
                self._put(tried, key, number)
                after = self.check(write_source(tried))
                now = self._value(after, formula)
                if now == target and len(errors(after.findings)) <= len(errors(one.findings)):
                    self._report_number(leaf, formula, target, f"{self._raw(tried, key)}: {number}")
                    if not number and not self._overrides(key):
                        self._put(tried, key, None)
                    return tried
        return data

    def _levers(self, formula: str, *, rises: bool = True) -> Iterator[tuple[str, int]]:
        """Yield number keys that a formula follows from, and the signs of their effects.

        Points that rise were earned, points that fall were spent.
        """
        rules, seen = self.rules, set[str]()
        below = [formula]
        while below:
            for name in sorted(inputs(parse_formula(below.pop())) - seen):
                seen.add(name)
                pool = rules.pools.get(name)
                key = rules.character.get(name)
                if pool is not None and pool.override is not None:
                    yield str(pool.override), 1
                elif pool is not None:
                    earned = [(str(pool.adds), 1)] if pool.adds is not None else []
                    spent = [(str(i), -1) for i, k in rules.character.items()
                             if k.kind == "number" and k.pool == name]  # fmt: skip
                    yield from (*earned, *spent) if rises else (*spent, *earned)
                elif key is not None and key.kind == "number":
                    yield from ((name, 1), (name, -1))
                elif name in rules.derived:
                    below.append(str(rules.derived[name].value))

    def _overrides(self, key: str) -> bool:
        return any(pool.override == key for pool in self.rules.pools.values())

    def _number(self, one: Character, data: Mapping[str, Any], key: str) -> int:
        """Return the number of a key; a key that is absent has its default."""
        value = data.get(self._raw(data, key))
        if isinstance(value, int):
            return value
        ledgers = one.build.ledgers if one.build is not None else {}
        pools = (id_ for id_, pool in self.rules.pools.items() if pool.override == key)
        return next((ledgers[id_].gained for id_ in pools if id_ in ledgers), 0)

    def _value(self, one: Character, formula: Text) -> int | None:
        """Return the number of a formula of the map; None if it has none."""
        if one.build is None or one.rules is None:
            return None
        value = Notes().value(formula, ExportScope(one.build, one.rules))
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def _report_number(self, leaf: str, formula: str, target: int, written: str) -> None:
        if self.exported is None:
            return
        rules, before = self.rules, leaf_text(get_leaf(self.exported["system"], leaf))
        label = f"`{leaf}`"
        if formula in rules.pools:
            label = f"{rules.pools[formula].label} left"
        elif formula in rules.derived or formula in rules.character:
            label = (rules.derived.get(formula) or rules.character[formula]).label or label
        if before == str(target):
            self._note(f"{label} stays {target}: the file gets `{written}`")
        else:
            change = f"has changed in Foundry from {before} to {target}"
            self._note(f"{label} {change}: the file gets `{written}`")

    # -- comparing -----------------------------------------------------------------------------

    def _export(self, data: Mapping[str, Any], notes: Notes) -> Document | None:
        """Return the actor that the data of a file gives; None if it gives no build."""
        one = self.check(write_source(data))
        if one.build is None or one.rules is None:
            return None
        return make_actor(one.build, one, self.kind, ActorContext("", self.system_map, notes), "")

    def _differences(
        self, data: Mapping[str, Any], system: Any, missed: Collection[str]
    ) -> Iterator[str]:
        """Yield the values of the actor that the file does not give."""
        made = self._export(data, Notes())
        if made is None:
            return
        plan, pips = self.plan, self.system_map.pips
        both = {**plan.rated, **plan.words}
        for leaf in (*plan.rated, *plan.values, *plan.words, *plan.texts):
            if str(both.get(leaf, "")) in missed:
                continue
            here = get_leaf(made["system"], leaf)
            step = pips if leaf in plan.rated else 1
            yield from _difference("", leaf, get_leaf(system, leaf), here, step)
        left = [*made["items"]]
        items = self.document.get("items")
        for item in items if isinstance(items, list) else ():
            name = folded(plain_line(item.get("name"))) if isinstance(item, Mapping) else ""
            own = next((o for o in left if name and folded(o["name"]) == name
                        and o["type"] == item.get("type")), None)  # fmt: skip
            if own is None:
                continue
            left.remove(own)
            if own["name"] in missed:
                continue
            rated = {leaf for one in plan.items for leaf in one.rated}
            below = item.get("system", item.get("data"))
            for leaf, value in list_leaves(own["system"]):
                if leaf != "description":
                    step = pips if leaf in rated else 1
                    yield from _difference(own["name"], leaf, get_leaf(below, leaf), value, step)
        was = {(o["type"], o["name"]) for o in (self.exported or {}).get("items", ())}
        for own in left:
            if (own["type"], own["name"]) in was and own["system"].get("base") != 0:
                yield f"`{own['name']}` is gone"

    @property
    def _name(self) -> str:
        return plain_line(self.document.get("name")) or "?"

    def _note(self, message: str) -> None:
        code, severity = codes.CHANGED_ELSEWHERE, Severity.NOTE
        self.findings.append(Finding(code, self.place, f"{self._name}: {message}", "", severity))


def _difference(name: str, leaf: str, there: Any, here: Any, step: int) -> Iterator[str]:
    """Yield what an actor's leaf is, and what the file gives, if they differ."""
    if there is None or is_same_leaf(there, here):
        return
    number = leaf_number(there)
    if isinstance(here, int) and number is not None and number // step == here // step:
        return  # the rest of a die is reported where it is read
    texts = (leaf_text(value)[:60] or "nothing" for value in (there, here))
    yield "{}`{}` {} (the file has {})".format(f"`{name}` " if name else "", leaf, *texts)


def add_remarks(data: dict[str, Any], lines: list[str], rules: Ruleset) -> None:
    """Add lines to the notes; an own key of the file has them where the rules have none."""
    if lines:
        keys = index_of(rules).keys
        key = next((raw for raw in data if keys.find(raw) == ("notes",)), "notes")
        old = data.get(key)
        data[key] = "\n".join([*([old] if isinstance(old, str) and old else []), *lines])


def _merged_list(
    source: list[Any], old: list[Any], new: list[Any], rules: Ruleset, *, owned: bool
) -> Any:
    """Return the entries of a source, changed as those of an actor changed.

    Args:
        owned: Whether they are items: what the author wrote about one is kept.
    """
    gone, come = _without(old, new), _without(new, old)
    for one in gone:
        names = _names(one, rules)
        at = next((n for n, entry in enumerate(source) if names & _names(entry, rules)), None)
        other = next((entry for entry in come if names & _names(entry, rules)), None)
        if at is None:
            continue
        if other is None:
            del source[at]
            continue
        come.remove(other)
        source[at] = _merged_item(source[at], one, other) if owned else other
    return [*source, *come] or None


def _without(entries: list[Any], others: list[Any]) -> list[Any]:
    """Return the entries that are not among others, each of which stands for one."""
    left, found = list(others), []
    for one in entries:
        if one in left:
            left.remove(one)
        else:
            found.append(one)
    return found


def _merged_item(source: Any, old: Any, new: Any) -> Any:
    """Return the entry of an item with the parts that changed."""
    name, form = _item_form(source)
    before, after = _item_form(old)[1], _item_form(new)[1]
    for part in dict.fromkeys((*before, *after)):
        if before.get(part) != after.get(part):
            form[part] = after.get(part)
    form = {part: value for part, value in form.items() if value is not None}
    if form.keys() <= {"count"}:
        return f"{name} x{form['count']}" if form else name
    return {name: "granted" if form == {"granted": True} else form}


def _item_form(entry: Any) -> tuple[str, dict[str, Any]]:
    """Return the name of an entry of items, and what it says of the item."""
    raw, form = next(iter(entry.items()), ("", None)) if isinstance(entry, dict) else (entry, {})
    name, count = split_times(str(raw))
    if not isinstance(form, dict):
        form = {"granted": True} if form == "granted" else {"dice": form}
    return name, {**({"count": count} if count > 1 else {}), **form}


def _merged_codes(
    source: Any, old: Mapping[str, Any], new: Mapping[str, Any], rules: Ruleset
) -> dict[str, Any]:
    merged = dict(source) if isinstance(source, dict) else {}
    names = index_of(rules).all_traits
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) == new.get(name):
            continue
        same = next((raw for raw in merged if names.find(raw) == names.find(name)), name)
        first, before, after = (
            parse_code(str(value or "0D"), pips=rules.pips)
            for value in (merged.get(same), old.get(name), new.get(name))
        )
        if isinstance(first, int) and isinstance(before, int) and isinstance(after, int):
            total = max(0, first + after - before)
            plain = isinstance(new.get(name, old.get(name)), int)
            merged[same] = total if plain else code_text(total, pips=rules.pips)
            if not total or (name not in new and first == before):
                del merged[same]
    return merged


def _same_things(old: Any, new: Any) -> bool:
    """Whether two lists have the same entries in any order."""
    both = isinstance(old, list) and isinstance(new, list)
    return both and sorted(map(repr, old)) == sorted(map(repr, new))


def _names(entry: Any, rules: Ruleset) -> set[str]:
    """Return the names of an entry of a list, an id where the rules have one; without its count."""
    raw, form = next(iter(entry.items()), ("", None)) if isinstance(entry, dict) else (entry, None)
    index, name = index_of(rules), split_times(str(raw))[0]
    lists = (index.gear, *index.by_catalogue.values())
    found = next((ids for names in lists if len(ids := names.find(name)) == 1), (folded(name),))
    own = form.get("name") if isinstance(form, dict) else None
    return {found[0], *([folded(str(own))] if own else [])}
