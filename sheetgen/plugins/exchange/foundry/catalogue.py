"""Read items of a pack as the gear of an overlay. Start with `read_catalogue`.

What comes in is exported again at once: the leaves that differ have no place in the ruleset.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain, count
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span
from sheetgen.load.shapes import Shaper
from sheetgen.load.yaml.format import format_flow
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.build import Value, code_text
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Item
from sheetgen.plugins.exchange.foundry.actors import ActorContext
from sheetgen.plugins.exchange.foundry.documents import (
    Document,
    FoundDocument,
    get_leaf,
    html_lines,
    list_leaves,
)
from sheetgen.plugins.exchange.foundry.export import make_things
from sheetgen.plugins.exchange.foundry.mapping import (
    FoundryMap,
    ItemMap,
    LeafScope,
    Notes,
    find_other_system,
    is_same_leaf,
    leaf_number,
    leaf_text,
    plain_line,
)
from sheetgen.rules.index import folded, index_of
from sheetgen.rules.scopes import OptionScope

MOST_THINGS: Final = 1_000
"""Items that one import adds to a catalogue."""

_MOST_TEXT: Final = 1_500
_MOST_NAME: Final = 100
_MOST_STEPS: Final = 1_000
_MOST_COST: Final = 999_999
_RATED: Final = {"damage": "dice", "dice": "dice", "bonus": "bonus"}
"""Keys of gear by what a map rates."""


@dataclass(slots=True)
class _Entry:
    """An item of a pack, as keys of the ruleset's gear."""

    found: FoundDocument
    form: str
    data: dict[str, Any]


def read_catalogue(
    found: Sequence[FoundDocument], rules: Ruleset, plan: FoundryMap,
    options: Mapping[str, Value], notes: Notes, title: str,
) -> str:  # fmt: skip
    """Return the YAML of the gear that the items of a pack become; empty if none is new.

    Args:
        notes: Receives what has no place, once for each kind of item and leaf.
        title: The name of the pack, which distinguishes things of the same name.
    """
    reader = _CatalogueReader(rules, plan, options, notes)
    entries = [*filter(None, map(reader.entry, found[:MOST_THINGS]))]
    if len(found) > MOST_THINGS:
        message = f"there are {len(found):,} items; the first {MOST_THINGS:,} are read"
        finding = Finding(codes.TOO_MUCH, found[0].place, message, "import the others apart")
        notes.add("too many items", finding)
    for (file, form), names in reader.left.items():
        more = f" and {len(names) - 20:,} more" if len(names) > 20 else ""
        listed = ", ".join(names[:20])
        message = f"items of the type `{form}` are left, only gear is imported: {listed}{more}"
        hint, severity = "map the type under `things`, or write them by hand", Severity.WARNING
        finding = Finding(codes.NOT_IMPORTED, Span(file), message, hint, severity)
        notes.add(f"left {form} {file}", finding)
    numbered = {f"new_{n}": one for n, one in enumerate(entries)}
    if (first := reader.exported(numbered)) is None:
        return ""
    for id_, one in numbered.items():
        reader.carry(one, first[id_])
    again = reader.exported(numbered)
    return "" if again is None else gear_text(reader.new_entries(numbered, again, title))


def gear_text(entries: Mapping[str, _Entry]) -> str:
    """Return the YAML of entries by id, a line each."""
    lines = [f"  {id_}: {format_flow(one.data)}\n" for id_, one in entries.items()]
    return "".join(["gear:\n", *lines]) if lines else ""


class _CatalogueReader:
    """Reads items and compares them with what goes out again."""

    def __init__(
        self, rules: Ruleset, plan: FoundryMap, options: Mapping[str, Value], notes: Notes
    ) -> None:
        self.rules, self.plan, self.options, self.notes = rules, plan, options, notes
        self.index, self.scope = index_of(rules), OptionScope(rules, options)
        self.context = ActorContext("again", plan, Notes())
        made = make_things(rules, options, self.context)
        self.listed = {id_: document for of, id_, document in made if of == "gear"}
        self.facts = {folded(one["name"]): [_facts(one)] for one in self.listed.values()}
        self.left: dict[tuple[str, str], list[str]] = {}

    def entry(self, found: FoundDocument) -> _Entry | None:
        """Return an item as keys of gear; None and a finding if no map reads its type."""
        if why := find_other_system(found.document, self.plan):
            self._note(found, why, f"{why} is left", "import it with another ruleset")
            return None
        form = plain_line(found.document.get("type"))[:40]
        maps = (m for m in self.plan.things if form in (m.reads or (str(m.type),)))
        item = next((one for one in maps if one.of == "gear"), None)
        name = plain_line(found.document.get("name"))
        if item is None or not name:
            self.left.setdefault((found.place.file, form), []).append(name[:60])
            return None
        if _has_facts(found.document, self.facts.get(folded(name), ())):
            self._note_listed(found, name)
            return None
        system = _system(found.document)
        scope = LeafScope(self.scope, system, {})
        read = {k: plain_line(self.notes.text(text, scope)) for k, text in item.read.items()}
        cost = leaf_number(read.pop("cost", "")) or 0
        data: dict[str, Any] = {"name": _plain(name)[:_MOST_NAME]}
        data["cost"] = max(0, min(_MOST_COST, cost))
        if tags := dict.fromkeys([*map(str, item.where[:1]), *read.pop("tags", "").split()]):
            data["tags"] = [*tags]
        skills = self.index.all_traits.find(read.pop("skill", ""))
        if len(skills) == 1:
            data["skill"] = skills[0]
        self._ratings(item, system, data)
        lines = [*html_lines(system.get("description")), *filter(None, [read.pop("note", "")])]
        if data.get("bonus") or "gives" not in read:
            known = {field.name for field in dataclasses.fields(Item)} - {*data, "skill", "text"}
            more = {k: v == "true" or v for k, v in read.items() if k in known}
            data |= {key: value for key, value in more.items() if value}
        self._description(item, system, lines, data)
        return _Entry(found, form, data)

    def _ratings(self, item: ItemMap, system: Any, data: dict[str, Any]) -> None:
        for leaf, called in item.rated.items():
            steps, rest = divmod(leaf_number(get_leaf(system, leaf)) or 0, self.plan.pips)
            key = _RATED.get(str(called), "")
            if not key or key in data or rest or not 0 < steps <= _MOST_STEPS:
                continue
            data[key] = code_text(steps, pips=self.rules.pips) if key == "dice" else steps

    def _description(
        self, item: ItemMap, system: Any, lines: list[str], data: dict[str, Any]
    ) -> None:
        """Write the lines of a description under `special`, `adds` and `text`."""
        for word, leaves in item.numbers_after.items():
            numbers = [plain_line(get_leaf(system, str(leaf))) for leaf in leaves]
            if all(number in ("", "0") for number in numbers):
                continue
            stated = f"{word} {'/'.join(numbers)}"
            same = next((line for line in lines if line.startswith(stated)), None)
            data["special"] = _plain(same or stated)[:_MOST_TEXT]
            lines[:] = [line for line in lines if line is not same]
        added = self.index.all_traits.find(lines[-1][2:]) if lines else ()
        if lines and lines[-1].startswith("+ ") and len(added) == 1:
            data["adds"] = added[0]
            lines.pop()
        data["text"] = _plain("\n".join(lines))[: _MOST_TEXT + 1]

    def exported(self, entries: Mapping[str, _Entry]) -> dict[str, Document] | None:
        """Return the items that the entries go out as; None and findings if they cannot be read."""
        parsed = parse_yaml(gear_text(entries), "gear.yaml")
        shaper = Shaper(pips=self.rules.pips, formulas=True)
        root = parsed.value.root if parsed.value is not None else None
        node = root.get("gear") if root is not None and hasattr(root, "get") else None
        gear = shaper.value(node, Mapping[str, Item], "gear") if node is not None else {}
        for finding in (*parsed.findings, *shaper.findings):
            self.notes.add(finding.message, finding)
        if parsed.findings or shaper.findings:
            return None
        rules = dataclasses.replace(self.rules, gear=gear)
        made = make_things(rules, self.options, self.context)
        return {id_: document for of, id_, document in made if of == "gear"}

    def carry(self, one: _Entry, exported: Document) -> None:
        """Add to the text of an entry what does not go out as it came in, and report it."""
        system, out = _system(one.found.document), exported["system"]
        lines = [line for line in html_lines(system.get("description")) if _plain(line) != line]
        if lines:
            message = (
                f"`{lines[0][:80]}`: braces are formulas in a ruleset; parentheses are written"
            )
            self._note(one.found, "braces", message, "look at it")
        if one.data["name"] != plain_line(one.found.document.get("name")):
            message = f"a name goes out as `{one.data['name']}`"
            self._note(one.found, "names", message, "rename it")
        carried = []
        for leaf, value in list_leaves(system):
            if leaf == "description" or any(
                fnmatchcase(leaf, usual) and fnmatchcase(leaf_text(value), str(what))
                for usual, what in self.plan.usual.items()
            ):
                continue
            mine, leaf = get_leaf(out, leaf), plain_line(leaf)[:80]
            if not is_same_leaf(value, mine):
                carried.append(_plain(plain_line(f"{leaf} {leaf_text(value)}"[:_MOST_NAME])))
                message = f"these rules have no place for `{leaf}` of the type `{one.form}`"
                if mine and not isinstance(mine, Mapping):
                    message = (
                        f"`{leaf}` of the type `{one.form}` goes out as `{leaf_text(mine)[:40]}`"
                    )
                what = f"{message}; it is in the text, first of `{one.data['name']}`"
                self._note(
                    one.found, f"{one.form} {leaf}", what, "give it a place in the map, or leave it"
                )
        if one.found.document.get("effects"):
            message = f"effects of the type `{one.form}` are left, first of `{one.data['name']}`"
            self._note(one.found, f"{one.form} effects", message, "write them under `special`")
        whole = "\n".join(filter(None, (one.data.pop("text"), "; ".join(carried))))
        if len(whole) > _MOST_TEXT:
            message = f"the text of `{one.data['name']}` is cut after {_MOST_TEXT:,} letters"
            self._note(one.found, f"long {one.form}", message, "shorten it by hand")
        if whole:
            one.data["text"] = whole[:_MOST_TEXT]

    def new_entries(
        self, entries: Mapping[str, _Entry], exported: Mapping[str, Document], title: str
    ) -> dict[str, _Entry]:
        """Return the entries that the ruleset does not list, under ids and names of their own."""
        names, taken, found = self.facts, {*self.listed}, {}
        for old, one in entries.items():
            name, facts = one.data["name"], _facts(exported[old])
            there = names.setdefault(folded(name), [])
            if facts in there:
                self._note_listed(one.found, name)
                continue
            there.append(facts)
            if len(there) > 1:
                ends = chain([title], (f"{title} {n}" for n in count(2)))
                new = next(n for n in (f"{name} ({end})" for end in ends) if folded(n) not in names)
                names[folded(new)] = [facts]
                message = f"there are several `{name}`; one is written as `{new}`"
                self._note(one.found, f"name {folded(name)}", message, "rename it")
                one.data["name"] = new
            stem = re.sub(r"[^a-z0-9]+", "_", folded(one.data["name"])).strip("_")[:60]
            stem = stem if stem[:1].isalpha() else f"item_{stem}".strip("_")
            id_ = next(
                i for i in chain([stem], (f"{stem}_{n}" for n in count(2))) if i not in taken
            )
            taken.add(id_)
            found[id_] = one
        return found

    def _note_listed(self, found: FoundDocument, name: str) -> None:
        message = f"`{name}` and others like it are listed already; each is written once"
        self._note(found, "listed", message, "", Severity.NOTE)

    def _note(
        self, found: FoundDocument, about: str, message: str, hint: str,
        severity: Severity = Severity.WARNING,
    ) -> None:  # fmt: skip
        code, place = codes.NO_NAME_FOR, Span(found.place.file)
        self.notes.add(f"items {about}", Finding(code, place, message, hint, severity))


def _system(document: Mapping[str, Any]) -> Mapping[str, Any]:
    system = document.get("system", document.get("data"))
    return system if isinstance(system, Mapping) else {}


def _facts(document: Document) -> Document:
    system = document["system"]
    return {**system, "type": document["type"], "description": html_lines(system["description"])}


def _has_facts(document: Document, others: Sequence[Document]) -> bool:
    """Whether a document is equal to one of the facts, in all its leaves."""
    data = _system(document)
    lines = html_lines(data.get("description"))
    leaves = [(leaf, value) for leaf, value in list_leaves(data) if leaf != "description"]
    return any(
        one["description"] == lines
        and all(is_same_leaf(value, get_leaf(one, leaf)) for leaf, value in leaves)
        for one in others
        if one["type"] == document.get("type")
    )


def _plain(text: str) -> str:
    """Return a text in which nothing is a formula."""
    return text.replace("{", "(").replace("}", ")")
