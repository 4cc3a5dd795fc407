"""What has changed in an actor since its export, as changes of the file that it came from.

`merge` writes changed keys into the source. `settle` then exports the new file again and compares:
it sets the number keys that points and money follow from, until the export has the actor's values,
and reports what the file still gives in another way. So nothing is lost in silence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sheetgen.check.character.items import CODE
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, errors
from sheetgen.model.build import code_text, parse_code
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.source import Text
from sheetgen.plugins.exchange.foundry import mapping
from sheetgen.plugins.exchange.foundry.documents import (
    Document,
    get_leaf,
    html_lines,
    list_leaves,
    plain_value,
    write_source,
)
from sheetgen.plugins.exchange.foundry.export import ActorContext, make_actor
from sheetgen.prints.characters import Character
from sheetgen.rules.formulas.expressions import inputs, parse_formula
from sheetgen.rules.index import Names, folded, index_of, split_times
from sheetgen.rules.scopes import OptionScope

MOST_ITEMS: Final = 2_000  # of an actor
_MOST_TEXT: Final = 2_000
_LEAF: Final = re.compile(r"\{([\w.]+)\}")  # a text that is one leaf
_MOST_LISTED: Final = 12
_ROUNDS: Final = 3  # Attempts to find the value of a key: a default may conceal the first one
Checker = Callable[[str], Character]  # Checks the text of a file


@dataclass
class ReadActor:
    """The values of an actor.

    Attributes:
        data: Values by key of the author's file.
        missed: Keys, traits and items that have a value in the actor which the file cannot hold.
        remarks: Lines for the notes.
        prose: Those of them that are the actor's text.
    """

    data: dict[str, Any] = field(default_factory=dict)
    missed: set[str] = field(default_factory=set)
    remarks: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)


class ActorReader:
    """Reads one actor by the rules of its kind; `place` is its file, for findings."""

    def __init__(
        self, document: Document, plan: mapping.ActorMap, system_map: mapping.FoundryMap,
        rules: Ruleset, notes: mapping.Notes, place: Span,
    ) -> None:  # fmt: skip
        self.document, self.plan, self.pips = document, plan, system_map.pips
        self.rules, self.notes, self.place = rules, notes, place
        self.index = index_of(rules)
        self.system = _system_of(document)
        self.options = OptionScope(rules)
        self.found = ReadActor()
        self.ratings: dict[str, int] = {}
        self.bought = 0

    def read(self) -> ReadActor:
        """Return the keys of the actor's file, `name` first."""
        data = self.found.data
        data["name"] = mapping.plain_line(self.document.get("name")) or "?"
        for leaf, trait in self.plan.rated.items():
            self._rate(str(trait), self._steps(self.system, leaf), str(trait))
        for leaf, own in self.plan.words.items():
            if words := mapping.plain_line(get_leaf(self.system, leaf)):
                self._put(str(own), words)
        items = self.document.get("items")
        items = items if isinstance(items, list) else []
        for item in items[:MOST_ITEMS]:
            if isinstance(item, Mapping):
                self._item(item)
        if len(items) > MOST_ITEMS:
            self._miss("items", "more", f"{len(items) - MOST_ITEMS:,} more items")
        form = mapping.plain_line(self.document.get("type"))
        scope = mapping.LeafScope(self.options, self.system, {"bought": self.bought, "type": form})
        self._read_keys(scope)
        for name, text in self.plan.guesses.items():
            value = mapping.leaf_number(self.notes.text(text, scope)) or 0
            if name in self.index.traits and name not in self.ratings:
                self._rate(name, value, name)
                message = f"the system has no `{name}`; {value} is written"
                self._note(f"guess {name}", message, "write the right figure")
        for leaf in self.plan.prose:
            self.found.prose += html_lines(get_leaf(self.system, leaf))
        self.found.remarks += self.found.prose
        return self.found

    def _read_keys(self, scope: mapping.LeafScope) -> None:
        for key, text in self.plan.read.items():
            words = self.notes.text(text, scope)
            known = self.rules.character.get(key)
            written = self._text_of(text) if known and known.kind == "text" else ""
            if written:
                self._put(key, written)
            elif words != "0" or (known and known.kind in ("number", "flag")):
                self._put(key, words)  # a leaf that is missing or empty is 0 in formulas

    def _text_of(self, text: str) -> str:
        """Return what somebody wrote in the leaf that is all of `text`: `007` and `0` too."""
        leaf = _LEAF.fullmatch(text.strip())
        value = get_leaf(self.system, leaf[1]) if leaf is not None else None
        return mapping.plain_line(value) if isinstance(value, str) else ""

    def _steps(self, data: Any, leaf: str, of: str = "") -> int:
        """Return a leaf as steps of a rating; `of`: the item that has it."""
        value, what = mapping.leaf_number(get_leaf(data, leaf)), f"`{leaf}`{of and f' of {of}'}"
        if value is None:
            self._note(f"number {what}", f"{what} is no number; 0 is read", "correct it")
        steps, rest = divmod(value or 0, self.pips)
        if rest:
            message = f"{what} is {value}, which is no whole die; {steps}D is read"
            self._note(f"rest {what} {value}", message, "round it as your table does")
        return steps

    def _rate(self, trait: str, steps: int, label: str) -> None:
        """Write a rating under the key that states ratings of its group."""
        group = self.index.traits[trait][0] if trait in self.index.traits else ""
        key = next((i for i, k in self.rules.character.items() if _states(i, k, group)), None)
        if self.ratings.setdefault(trait, steps) != steps:
            texts = (code_text(n, pips=self.rules.pips) for n in (self.ratings[trait], steps))
            message = "{} is there twice: {} and {}; the last is read".format(label, *texts)
            self._note(f"twice {trait}", message, "remove one of the two")
        self.ratings[trait] = steps
        dice = bool(group) and self.rules.groups[group].rating == "dice"
        if dice and not steps:
            return
        text = code_text(steps, pips=self.rules.pips) if dice else steps
        if key is None:
            self._miss("rating", label, f"{self.index.titles.get(trait, label)} {text}")
            self.found.missed.add(label)
            return
        self.found.data.setdefault(str(key), {})[self.index.titles[trait]] = text

    def _put(self, key: str, text: str) -> None:
        """Write the value of a key; a choice that is not in the catalogue goes to the notes."""
        known, text = self.rules.character.get(key), mapping.plain_line(text)
        if known is None or not text:
            return
        if known.kind in ("number", "flag"):
            if number := mapping.leaf_number(text.replace("−", "-")):
                self.found.data[key] = number
        elif known.kind in ("choice", "choices"):
            chosen: Any = None
            name, _, detail = (part.strip() for part in text.partition(":"))
            for catalogue in map(str, known.of or (key,)):
                names = self.index.by_catalogue.get(catalogue)
                whole, first = _find(names, text), _find(names, name)
                chosen = chosen or whole or (first and ({first: detail} if detail else first))
            if not chosen:
                self._miss("choice", text, f"{known.label or key}: {text}")
                self.found.missed.add(key)
            elif known.kind == "choices":
                self.found.data.setdefault(key, []).append(chosen)
            else:
                self.found.data[key] = chosen
        else:
            self.found.data[key] = text

    def _item(self, item: Mapping[str, Any]) -> None:
        form, name = item.get("type"), mapping.plain_line(item.get("name"))
        system = _system_of(item)
        fits = [m for m in self.plan.items if form in (m.reads or (str(m.type),))]
        group = next((m for m in fits if m.of in self.rules.groups), None)
        others = (m for m in fits if m.of not in self.rules.groups)
        listed = next((m for m in others if m.of in self.rules.character), None)
        if not name:
            return
        groups = (self.index.by_group[str(m.of)] for m in fits if m.of in self.rules.groups)
        found = (names.find(name) for names in groups)
        trait = next((ids[0] for ids in found if len(ids) == 1), "")
        if group is not None and trait:
            own = self._steps(system, next(iter(group.rated), "base"), name)
            of = self.index.traits[trait][0]
            keys = self.rules.character.items()
            whole = any(_states(i, k, of) and k.whole for i, k in keys)
            above = str(self.index.traits[trait][1].under or "")
            if own:
                self._rate(trait, own + (self.ratings.get(above, 0) if whole else 0), name)
        elif listed is not None:
            self._listed(listed, str(listed.of), name, system)
        else:
            base = (
                self._steps(system, next(iter(group.rated), ""), name) if group is not None else 0
            )
            code = f" +{code_text(base, pips=self.rules.pips)}" if base else ""
            figures = [] if group is not None else [*_figures(system)]
            more = "; ".join([*figures, *html_lines(system.get("description"))])
            self._miss(str(form), name, f"{form}: {name}{code}{': ' if more else ''}{more}")

    def _listed(
        self, item: mapping.ItemMap, key: str, name: str, system: Mapping[str, Any]
    ) -> None:
        """Write an item under a key of items, of choices or of texts."""
        known = self.rules.character[key]
        if known.kind in ("item", "items"):
            self.found.data.setdefault(key, []).append(self._owned(item, known, name, system))
        elif known.kind in ("choice", "choices"):
            if key in self.found.data and known.kind == "choice":
                self._miss("choice", name, f"{known.label or key}: {name}")
            else:
                self._put(key, name)
        else:
            lines = html_lines(system.get("description"))
            line = next((text for text in lines if folded(text).startswith(folded(name))), "")
            if item.rated and (skill := mapping.plain_line(system.get("skill"))):
                found = self.index.all_traits.find(skill)
                above = str(self.index.traits[found[0]][1].under or "") if len(found) == 1 else ""
                steps = self._steps(system, next(iter(item.rated)), name)
                code = code_text(steps + self.ratings.get(above, 0), pips=self.rules.pips)
                line = f"{skill} ({name}) {code}"
            text = line or f"{name}{': ' if lines else ''}{' '.join(lines)}"
            self.found.data.setdefault(key, []).append(text[:_MOST_TEXT])

    def _owned(self, item: mapping.ItemMap, key: Key, name: str, system: Mapping[str, Any]) -> Any:
        """Return an entry of a list of items: a listed one by name, else one of its own."""
        scope = mapping.LeafScope(self.options, system, {})
        read = {part: self.notes.text(text, scope) for part, text in item.read.items()}
        count = max(1, mapping.leaf_number(read.get("count")) or 1)
        rated = {str(n): self._steps(system, leaf, name) for leaf, n in item.rated.items()}
        found = self.index.gear.find(name)
        if len(found) == 1:
            listed = self.rules.gear[found[0]]
            self.bought += count * int(listed.cost or 0)
            usual = int(listed.dice or 0) + self.ratings.get(str(listed.adds), 0)
            damage = rated.get("damage", usual)
            if damage != usual and listed.dice:
                both = (code_text(n, pips=self.rules.pips) for n in (damage, usual))
                self._miss("damage", name, "{}: damage {}, by the rules {}".format(name, *both))
                self.found.missed.add(name)
            shown = str(listed.name)
            if listed.cost is None:
                return {shown: {"granted": True, "count": count} if count > 1 else "granted"}
            return f"{shown} x{count}" if count > 1 else shown
        message = f"there is no item `{name}`; an own one is written"
        self._note(f"item {folded(name)}", message, "look at it")
        form: dict[str, Any] = {}
        lines = html_lines(system.get("description"))
        if rated.get("damage"):
            form["dice"] = code_text(rated["damage"], pips=self.rules.pips)
        skill = mapping.plain_line(read.get("skill"))
        if len(self.index.all_traits.find(skill)) == 1:
            form["skill"] = skill
        elif skill:
            lines.insert(0, f"skill {skill}")
        for word, leaves in item.numbers_after.items():
            numbers = [mapping.plain_line(get_leaf(system, str(leaf))) for leaf in leaves]
            stated = f"{word} {'/'.join(numbers)}"
            if any(numbers) and not any(stated in line for line in lines):
                lines.insert(0, stated)
        for trait in (n for n in rated if n in self.index.traits and n not in self.ratings):
            self._rate(trait, rated[trait], trait)
        placed = {"damage", *(n for n in rated if self.ratings.get(n, 0) == rated[n])}
        lines += [f"{leaf} {rated[str(n)]}" for leaf, n in item.rated.items() if n not in placed]
        cost = mapping.leaf_number(read.get("cost")) or 0
        self.bought += count * cost
        more = {"note": "; ".join(lines)[:_MOST_TEXT], "cost": cost, "count": count}
        form |= {k: v for k, v in more.items() if v not in ("", 0) and (k, v) != ("count", 1)}
        if key.pool is not None:
            form.setdefault("cost", 0)
        return {name: form} if form else name

    def _miss(self, what: str, name: str, line: str) -> None:
        """Keep a value in the notes, and report it once."""
        self.found.remarks.append(mapping.plain_line(line))
        about = f"{mapping.plain_line(what)[:40]} `{mapping.plain_line(name)[:80]}`"
        message = f"these rules have no place for the {about}; it is in the notes"
        hint = "move it to where it belongs, or give the ruleset an alias"
        self._note(f"{what} {folded(name)}", message, hint)

    def _note(self, about: str, message: str, hint: str) -> None:
        finding = Finding(codes.NO_NAME_FOR, self.place, message, hint, Severity.WARNING)
        self.notes.add(about, finding)


def _system_of(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the data that the system keeps in a document; old versions call it `data`."""
    system = document.get("system", document.get("data"))
    return system if isinstance(system, Mapping) else {}


def _states(id_: str, key: Key, group: str) -> bool:
    return key.kind == "codes" and group in map(str, key.of or (id_,))


def _figures(system: Mapping[str, Any]) -> Iterator[str]:
    for name, value in list(system.items())[:40]:
        leaf = "score" if isinstance(value, Mapping) and "score" in value else "value"
        number = get_leaf(value, leaf) if isinstance(value, Mapping) else value
        if isinstance(number, int) and not isinstance(number, bool) and number:
            yield f"{name} {number}"


def _find(names: Names | None, name: str) -> str:
    found = names.find(name) if names is not None else ()
    return names.shown[found[0]] if names is not None and len(found) == 1 else ""


@dataclass
class ActorChanges:
    """Brings the changes of one actor into the data of its file.

    Attributes:
        exported: The actor as its source exports it; None if it has no source.
        findings: A note for each change, and a warning about what the file cannot hold.
    """

    document: Document
    kind: str
    system_map: mapping.FoundryMap
    rules: Ruleset
    place: Span
    check: Checker
    exported: Document | None = None
    findings: list[Finding] = field(default_factory=list)
    removed_texts: list[str] = field(default_factory=list)

    @property
    def plan(self) -> mapping.ActorMap:
        """Return the map of the actor's kind."""
        return self.system_map.actors[self.kind]

    def merge(
        self, source: dict[str, Any], fresh: ReadActor, notes: mapping.Notes
    ) -> dict[str, Any]:
        """Return a source with the keys that have changed since its export.

        Args:
            fresh: The actor as it is now.
            notes: Findings about it; those that were true at the export are removed.
        """
        data, quiet = dict(source), mapping.Notes()
        self.exported = self._export(source, quiet)
        if self.exported is None:
            return data
        of = self.plan, self.system_map, self.rules, quiet, self.place
        before = ActorReader(self.exported, *of).read()
        settled = {key for formula in self.plan.values.values() for key, _ in self._levers(formula)}
        for key in dict.fromkeys((*before.data, *fresh.data)):
            old, new = before.data.get(key), fresh.data.get(key)
            known = self.rules.character.get(key)
            lost = new is None and (key in fresh.missed or (known is not None and known.required))
            both = isinstance(old, list) and isinstance(new, list)
            same = both and Counter(map(repr, old or ())) == Counter(map(repr, new or ()))
            if old == new or key in settled or lost or same:
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
            if isinstance(source, dict):  # `{One: 2, Two: 1}`, which reads like a list
                kept = [{name: form} for name, form in source.items()]
            owned = known is not None and known.kind in ("item", "items")
            return _merged_list(kept, old or [], new or [], self.rules, owned=owned)
        return new

    def _raw(self, data: Mapping[str, Any], key: str) -> str:
        """Return the name under which the data of a file has a key."""
        keys = index_of(self.rules).keys
        return next((raw for raw in data if keys.find(raw) == (key,)), key)

    def _put(self, data: dict[str, Any], key: str, value: Any) -> None:
        raw = self._raw(data, key)
        data[raw] = value
        if value is None:
            del data[raw]

    def settle(self, data: dict[str, Any], missed: Collection[str]) -> dict[str, Any]:
        """Return data whose export has the actor's numbers; report what it cannot hold.

        Args:
            missed: Traits and keys that are reported already.
        """
        system = self.document.get("system", self.document.get("data"))
        for leaf, formula in self.plan.values.items():
            target = mapping.leaf_number(get_leaf(system, leaf))
            if get_leaf(system, leaf) is not None and target is not None:
                data = self._solved(data, leaf, formula, target)
        self._keep_texts(data)
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
                    pools = self.rules.pools.values()
                    if not number and all(pool.override != key for pool in pools):
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
                    paid = (i for i, k in rules.character.items() if k.pool == name)
                    spent = [(str(i), -1) for i in paid if rules.character[i].kind == "number"]
                    yield from (*earned, *spent) if rises else (*spent, *earned)
                elif key is not None and key.kind == "number":
                    yield from ((name, 1), (name, -1))
                elif name in rules.derived:
                    below.append(str(rules.derived[name].value))

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
        value = mapping.Notes().value(formula, mapping.ExportScope(one.build, one.rules))
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def _report_number(self, leaf: str, formula: str, target: int, written: str) -> None:
        if self.exported is None:
            return
        rules, before = self.rules, mapping.leaf_text(get_leaf(self.exported["system"], leaf))
        label = f"`{leaf}`"
        if formula in rules.pools:
            label = f"{rules.pools[formula].label} left"
        elif formula in rules.derived or formula in rules.character:
            label = (rules.derived.get(formula) or rules.character[formula]).label or label
        change = f"has changed in Foundry from {before} to {target}"
        change = f"stays {target}" if before == str(target) else change
        self._note(f"{label} {change}: the file gets `{written}`")

    def _export(self, data: Mapping[str, Any], notes: mapping.Notes) -> Document | None:
        """Return the actor that the data of a file gives; None if it gives no build."""
        one = self.check(write_source(data))
        if one.build is None or one.rules is None:
            return None
        return make_actor(one.build, one, self.kind, ActorContext("", self.system_map, notes), "")

    def _differences(
        self, data: Mapping[str, Any], system: Any, missed: Collection[str]
    ) -> Iterator[str]:
        """Yield the values of the actor that the file does not give."""
        made = self._export(data, mapping.Notes())
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
        pairs, left = self._paired(made)
        for item, own in pairs:
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

    def _paired(
        self, made: Document
    ) -> tuple[list[tuple[Mapping[str, Any], Document]], list[Document]]:
        """Return the actor's items with those of the same name that a file gives, and the rest."""
        left, pairs = [*made["items"]], []
        items = self.document.get("items")
        for item in items if isinstance(items, list) else ():
            name = folded(mapping.plain_line(item.get("name"))) if isinstance(item, Mapping) else ""
            same = [o for o in left if name and folded(o["name"]) == name]
            if same:
                own = min(same, key=lambda o: o["type"] != item.get("type"))
                left.remove(own)
                pairs.append((item, own))
        return pairs, left

    def _keep_texts(self, data: dict[str, Any]) -> None:
        """Add what was written in Foundry about items to the notes of the file.

        The texts of an actor that was exported elsewhere are another game's words about items
        that the rules describe themselves: a note names these.
        """
        made = self._export(data, mapping.Notes())
        left, lines = [], []
        for item, own in self._paired(made)[0] if made is not None else ():
            name, here = own["name"], html_lines(own["system"].get("description"))
            there = html_lines(_system_of(item).get("description"))
            if new := [line for line in there if line not in " ".join(here)]:
                left.append(name)
                lines += [f"{name}: {line}"[:_MOST_TEXT] for line in new]
            gone = [line for line in here if line not in " ".join(there)]
            if self.exported is not None:
                texts = (o["system"].get("description") for o in self.exported["items"])
                before = {line for text in texts for line in html_lines(text)}
                self.removed_texts += [
                    f"the text `{line[:60]}` of `{name}` is gone" for line in gone if line in before
                ]
        if left and self.exported is None:
            listed = ", ".join(dict.fromkeys(left[:_MOST_LISTED]))
            listed += f" and {len(left) - _MOST_LISTED} more" if len(left) > _MOST_LISTED else ""
            self._note(f"the texts about {listed} are left out; the rules have their own")
        elif lines:
            add_remarks(data, lines, self.rules)
            for line in lines:
                self._note(f"`{line[:120]}` is new in Foundry; it is in the notes")

    @property
    def _name(self) -> str:
        return mapping.plain_line(self.document.get("name")) or "?"

    def _note(self, message: str) -> None:
        message = f"{self._name}: {message}"
        code = codes.CHANGED_ELSEWHERE
        self.findings.append(Finding(code, self.place, message, "", Severity.NOTE))


def _difference(name: str, leaf: str, there: Any, here: Any, step: int) -> Iterator[str]:
    """Yield what an actor's leaf is, and what the file gives, if they differ."""
    if there is None or mapping.is_same_leaf(there, here):
        return
    number = mapping.leaf_number(there)
    if isinstance(here, int) and number is not None and number // step == here // step:
        return  # the rest of a die is reported where it is read
    texts = (mapping.leaf_text(value)[:60] or "nothing" for value in (there, here))
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

    What the author wrote about an item that is `owned` is kept.
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
    if isinstance(form, int):
        count, form = form, {}
    elif form is None:
        form = {}
    elif not isinstance(form, dict):
        code = CODE.match(str(form))
        skill = str(form)[code.end() :].strip() if code else ""
        dice = {"dice": code[0] if code else form} | ({"skill": skill} if skill else {})
        form = {"granted": True} if folded(str(form)) == "granted" else dice
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


def _names(entry: Any, rules: Ruleset) -> set[str]:
    """Return the names of an entry of a list, an id where the rules have one; without its count."""
    raw, form = next(iter(entry.items()), ("", None)) if isinstance(entry, dict) else (entry, None)
    index, name = index_of(rules), split_times(str(raw))[0]
    lists = (index.gear, *index.by_catalogue.values())
    found = next((ids for names in lists if len(ids := names.find(name)) == 1), (folded(name),))
    own = form.get("name") if isinstance(form, dict) else None
    return {found[0], *([folded(str(own))] if own else [])}
