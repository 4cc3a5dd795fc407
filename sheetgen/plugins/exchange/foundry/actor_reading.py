"""Read an actor as the keys of an author's file; what has no key goes to the notes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.model.build import code_text
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.plugins.exchange.foundry.documents import Document, get_leaf, html_lines
from sheetgen.plugins.exchange.foundry.mapping import (
    ActorMap,
    FoundryMap,
    ItemMap,
    LeafScope,
    Notes,
    leaf_number,
    plain_line,
)
from sheetgen.rules.index import Names, folded, index_of
from sheetgen.rules.scopes import OptionScope

MOST_ITEMS: Final = 2_000
"""Items of an actor that are read."""

_MOST_TEXT: Final = 2_000


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
    """Reads one actor; see `read`.

    Args:
        rules: Those of the actor's kind.
        place: The file of the actor, for findings.
    """

    def __init__(
        self, document: Document, plan: ActorMap, system_map: FoundryMap, rules: Ruleset,
        notes: Notes, place: Span,
    ) -> None:  # fmt: skip
        self.document, self.plan, self.pips = document, plan, system_map.pips
        self.rules, self.notes, self.place = rules, notes, place
        self.index = index_of(rules)
        system = document.get("system", document.get("data"))
        self.system = system if isinstance(system, Mapping) else {}
        self.options = OptionScope(rules)
        self.found = ReadActor()
        self.ratings: dict[str, int] = {}
        self.bought = 0

    def read(self) -> ReadActor:
        """Return the keys of the actor's file, `name` first."""
        data = self.found.data
        data["name"] = plain_line(self.document.get("name")) or "?"
        for leaf, trait in self.plan.rated.items():
            self._rate(str(trait), self._steps(self.system, leaf), str(trait))
        for leaf, own in self.plan.words.items():
            if words := plain_line(get_leaf(self.system, leaf)):
                self._put(str(own), words)
        items = self.document.get("items")
        for item in (items if isinstance(items, list) else [])[:MOST_ITEMS]:
            if isinstance(item, Mapping):
                self._item(item)
        if isinstance(items, list) and len(items) > MOST_ITEMS:
            self._miss("items", "more", f"{len(items) - MOST_ITEMS:,} more items")
        form = plain_line(self.document.get("type"))
        scope = LeafScope(self.options, self.system, {"bought": self.bought, "type": form})
        for key, text in self.plan.read.items():
            self._put(key, self.notes.text(text, scope))
        for name, text in self.plan.guesses.items():
            value = leaf_number(self.notes.text(text, scope)) or 0
            if name in self.index.traits and name not in self.ratings:
                self._rate(name, value, name)
                message = f"the system has no `{name}`; {value} is written"
                self._note(f"guess {name}", message, "write the right figure")
        for leaf in self.plan.prose:
            self.found.prose += html_lines(get_leaf(self.system, leaf))
        self.found.remarks += self.found.prose
        return self.found

    # -- values --------------------------------------------------------------------------------

    def _steps(self, data: Any, leaf: str) -> int:
        """Return a leaf as steps of a rating."""
        value = leaf_number(get_leaf(data, leaf))
        if value is None:
            self._note(f"number {leaf}", f"`{leaf}` is no number; 0 is read", "correct it")
        steps, rest = divmod(value or 0, self.pips)
        if rest:
            message = f"`{leaf}` is {value}, which is no whole die; {steps}D is read"
            self._note(f"rest {leaf} {value}", message, "round it as your table does")
        return steps

    def _rate(self, trait: str, steps: int, label: str) -> None:
        """Write a rating under the key that states ratings of its group."""
        group = self.index.traits[trait][0] if trait in self.index.traits else ""
        key = next((i for i, k in self.rules.character.items() if _states(i, k, group)), None)
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
        known, text = self.rules.character.get(key), plain_line(text)
        if known is None or not text:
            return
        if known.kind in ("number", "flag"):
            if number := leaf_number(text.replace("−", "-")):
                self.found.data[key] = number
        elif known.kind in ("choice", "choices"):
            chosen = self._choice(text, known, key)
            if chosen is None:
                self._miss("choice", text, f"{known.label or key}: {text}")
                self.found.missed.add(key)
            elif known.kind == "choices":
                self.found.data.setdefault(key, []).append(chosen)
            else:
                self.found.data[key] = chosen
        else:
            self.found.data[key] = text

    def _choice(self, text: str, known: Key, key: str) -> Any:
        name, _, detail = (part.strip() for part in text.partition(":"))
        for catalogue in known.of or (key,):
            names = self.index.by_catalogue.get(str(catalogue))
            whole, first = _find(names, text), _find(names, name)
            if whole:
                return whole
            if first:
                return {first: detail} if detail else first
        return None

    # -- items ---------------------------------------------------------------------------------

    def _item(self, item: Mapping[str, Any]) -> None:
        form, name = item.get("type"), plain_line(item.get("name"))
        system = item.get("system", item.get("data"))
        system = system if isinstance(system, Mapping) else {}
        fits = [m for m in self.plan.items if form in (m.reads or (str(m.type),))]
        group = next((m for m in fits if m.of in self.rules.groups), None)
        others = (m for m in fits if m.of not in self.rules.groups)
        listed = next((m for m in others if m.of in self.rules.character), None)
        if not name:
            return
        if group is not None and (trait := self._trait(fits, name)):
            own = self._steps(system, next(iter(group.rated), "base"))
            whole = any(_states(i, k, self.index.traits[trait][0]) and k.whole
                        for i, k in self.rules.character.items())  # fmt: skip
            above = str(self.index.traits[trait][1].under or "")
            if own:
                self._rate(trait, own + (self.ratings.get(above, 0) if whole else 0), name)
        elif listed is not None:
            self._listed(listed, str(listed.of), name, system)
        else:
            base = self._steps(system, next(iter(group.rated), "")) if group is not None else 0
            code = f" +{code_text(base, pips=self.rules.pips)}" if base else ""
            more = [*_figures(system)] if group is None else []
            more += html_lines(system.get("description"))
            text = f"{form}: {name}{code}"
            self._miss(str(form), name, ": ".join(filter(None, (text, "; ".join(more)))))

    def _trait(self, fits: list[ItemMap], name: str) -> str:
        groups = (str(one.of) for one in fits if one.of in self.rules.groups)
        found = (self.index.by_group[group].find(name) for group in groups)
        return next((ids[0] for ids in found if len(ids) == 1), "")

    def _listed(self, item: ItemMap, key: str, name: str, system: Mapping[str, Any]) -> None:
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
            if item.rated and (skill := plain_line(system.get("skill"))):
                found = self.index.all_traits.find(skill)
                above = str(self.index.traits[found[0]][1].under or "") if len(found) == 1 else ""
                steps = self._steps(system, next(iter(item.rated)))
                code = code_text(steps + self.ratings.get(above, 0), pips=self.rules.pips)
                line = f"{skill} ({name}) {code}"
            text = line or f"{name}{': ' if lines else ''}{' '.join(lines)}"
            self.found.data.setdefault(key, []).append(text[:_MOST_TEXT])

    def _owned(self, item: ItemMap, key: Key, name: str, system: Mapping[str, Any]) -> Any:
        """Return an entry of a list of items: a listed one by name, else one of its own."""
        scope = LeafScope(self.options, system, {})
        read = {part: self.notes.text(text, scope) for part, text in item.read.items()}
        count = max(1, leaf_number(read.get("count")) or 1)
        rated = {str(n): self._steps(system, leaf) for leaf, n in item.rated.items()}
        found = self.index.gear.find(name)
        if len(found) == 1:
            listed = self.rules.gear[found[0]]
            self.bought += count * int(listed.cost or 0)
            usual = int(listed.dice or 0) + self.ratings.get(str(listed.adds), 0)
            damage = rated.get("damage", usual)
            if damage != usual and listed.dice:
                codes = (code_text(n, pips=self.rules.pips) for n in (damage, usual))
                text = "{}: damage {}, by the rules {}".format(name, *codes)
                self._miss("damage", name, text)
                self.found.missed.add(name)
            shown = str(listed.name)
            if listed.cost is None:
                return {shown: {"granted": True, "count": count} if count > 1 else "granted"}
            return f"{shown} x{count}" if count > 1 else shown
        self._note(
            f"item {folded(name)}",
            f"there is no item `{name}`; an own one is written",
            "look at it",
        )
        form: dict[str, Any] = {}
        lines = html_lines(system.get("description"))
        if rated.get("damage"):
            form["dice"] = code_text(rated["damage"], pips=self.rules.pips)
        skill = plain_line(read.get("skill"))
        if len(self.index.all_traits.find(skill)) == 1:
            form["skill"] = skill
        elif skill:
            lines.insert(0, f"skill {skill}")
        for word, leaves in item.numbers_after.items():
            numbers = [plain_line(get_leaf(system, str(leaf))) for leaf in leaves]
            stated = f"{word} {'/'.join(numbers)}"
            if any(numbers) and not any(stated in line for line in lines):
                lines.insert(0, stated)
        for trait in (n for n in rated if n in self.index.traits and n not in self.ratings):
            self._rate(trait, rated[trait], trait)
        placed = {"damage", *(n for n in rated if self.ratings.get(n, 0) == rated[n])}
        lines += [f"{leaf} {rated[str(n)]}" for leaf, n in item.rated.items() if n not in placed]
        cost = leaf_number(read.get("cost")) or 0
        self.bought += count * cost
        more = {"note": "; ".join(lines)[:_MOST_TEXT], "cost": cost, "count": count}
        form |= {k: v for k, v in more.items() if v not in ("", 0) and (k, v) != ("count", 1)}
        if key.pool is not None:
            form.setdefault("cost", 0)
        return {name: form} if form else name

    # -- findings ------------------------------------------------------------------------------

    def _miss(self, what: str, name: str, line: str) -> None:
        """Keep a value in the notes, and report it once."""
        self.found.remarks.append(plain_line(line))
        about = f"{plain_line(what)[:40]} `{plain_line(name)[:80]}`"
        message = f"these rules have no place for the {about}; it is in the notes"
        hint = "move it to where it belongs, or give the ruleset an alias"
        self._note(f"{what} {folded(name)}", message, hint)

    def _note(self, about: str, message: str, hint: str) -> None:
        code = codes.NO_NAME_FOR
        self.notes.add(about, Finding(code, self.place, message, hint, Severity.WARNING))


def _states(id_: str, key: Key, group: str) -> bool:
    """Whether a key states the ratings of a group."""
    return key.kind == "codes" and group in map(str, key.of or (id_,))


def _figures(system: Mapping[str, Any]) -> Iterator[str]:
    """Yield the figures of an item that no map reads."""
    for name, value in list(system.items())[:40]:
        leaf = "score" if isinstance(value, Mapping) and "score" in value else "value"
        number = get_leaf(value, leaf) if isinstance(value, Mapping) else value
        if isinstance(number, int) and not isinstance(number, bool) and number:
            yield f"{name} {number}"


def _find(names: Names | None, name: str) -> str:
    found = names.find(name) if names is not None else ()
    return names.shown[found[0]] if names is not None and len(found) == 1 else ""
