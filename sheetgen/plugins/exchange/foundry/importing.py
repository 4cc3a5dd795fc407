"""Import from Foundry: actors become YAML files. Start with `import_foundry`.

An actor that sheetgen exported contains the file that it was exported from. This file is written
again, with what has changed in Foundry since: `merge` writes changed keys into it. `settle` then
exports the new file again and compares: it sets the number keys that points and money follow from,
until the export has the actor's values, and reports what the file still gives in another way. So
nothing is lost in silence. Other actors are read by the ruleset's map.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from sheetgen.check.character.items import CODE
from sheetgen.check.character.values import PICTURE_KEYS
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, errors
from sheetgen.load.cache import cache_path
from sheetgen.load.characters import RulesetCache
from sheetgen.load.files import read_bundle
from sheetgen.load.pictures import find_picture
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.build import Value, code_text, parse_code
from sheetgen.model.pictures import PictureFile
from sheetgen.model.rulesets.ruleset import Key, Ruleset
from sheetgen.model.source import Text
from sheetgen.plugins.exchange import formats
from sheetgen.plugins.exchange.formats import ImportRequest, ImportResult
from sheetgen.plugins.exchange.foundry import documents, mapping
from sheetgen.plugins.exchange.foundry.documents import Document, get_leaf, html_lines
from sheetgen.plugins.exchange.foundry.export import ActorContext, build_art_file, make_actor
from sheetgen.plugins.exchange.foundry.mapping import FoundryMap, Notes, leaf_number, plain_line
from sheetgen.prints.characters import Character
from sheetgen.readback.merging import check_text
from sheetgen.rules.formulas.expressions import inputs, parse_formula
from sheetgen.rules.index import file_stem, folded, index_of, split_times
from sheetgen.rules.scopes import OptionScope
from sheetgen.write import drafts_in, free_name, name_key, portable_name, write_draft

MOST_ACTORS: Final = 500
MOST_ITEMS: Final = 30_000  # of all actors together
_MOST_OWN_ITEMS: Final = 2_000  # of one actor
_MOST_SOURCE: Final = 200_000
_MOST_TEXT: Final = 2_000
_MOST_LISTED: Final = 12
_ROUNDS: Final = 3  # Attempts to find the value of a key: a default may conceal the first one
_LEAF: Final = re.compile(r"\{([\w.]+)\}")  # a text that is one leaf


def import_foundry(request: ImportRequest) -> ImportResult:
    """Return YAML files for a file, a pack or a module: one an actor."""
    read, place = mapping.load_foundry_map(request.rules), Span(str(request.path))
    findings = [*read.findings]
    if read.value is None:
        if not findings:
            message = f"{request.rules.title} has no map for a system of Foundry"
            hint = "write one, `exports/foundry-….yaml` in the ruleset's folder"
            findings.append(Finding(codes.NOT_IMPORTED, place, message, hint))
        return ImportResult({}, tuple(findings))
    found = documents.read_documents(request.path, findings)
    actors = [one for one in found if one.kind == "Actor"]
    importer = _Importer(request, read.value, findings, actors)
    if len(actors) > MOST_ACTORS:
        message = f"there are {len(actors):,} actors; the first {MOST_ACTORS:,} are read"
        findings.append(Finding(codes.TOO_MUCH, place, message, "import the others apart"))
    for kind, count in Counter(one.kind for one in found if one.kind != "Actor").items():
        message = f"{count:,} documents of the type {kind} are left: only actors are imported"
        findings.append(Finding(codes.NOT_IMPORTED, place, message, "", Severity.NOTE))
    left = MOST_ITEMS
    for one in actors[:MOST_ACTORS]:
        left -= len(_items_of(one.document))
        if left < 0:
            message = f"the actors hold more than {MOST_ITEMS:,} items; the rest is not read"
            findings.append(Finding(codes.TOO_MUCH, one.place, message, "import a part of it"))
            break
        importer.add(one)
    findings += importer.notes.found.values()
    wrong = (f for f in findings if f.code is codes.NOT_IMPORTED)
    left_out = any(f.severity is Severity.WARNING for f in wrong)
    if not importer.texts and (left_out or not actors) and not errors(findings):
        message = "there is no actor in it that can be imported"
        hint = "name an exported actor, a pack or a module"
        findings.append(Finding(codes.NOT_IMPORTED, place, message, hint))
    return ImportResult(importer.texts, tuple(findings), pictures=importer.pictures)


@dataclass
class _Importer:
    """Adds actors as files, and the findings about them."""

    request: ImportRequest
    plan: FoundryMap
    findings: list[Finding]
    actors: list[documents.FoundDocument]
    notes: Notes = field(default_factory=Notes)
    texts: dict[str, str] = field(default_factory=dict)
    pictures: dict[str, bytes] = field(default_factory=dict)
    cache: RulesetCache = field(default_factory=RulesetCache)

    def add(self, found: documents.FoundDocument) -> None:
        document, rules = found.document, self.request.rules
        kind, why = _kind_of(document, self.plan, rules)
        if why:
            hint = "import it with another ruleset, or write it by hand"
            finding = Finding(codes.NOT_IMPORTED, found.place, why, hint, Severity.WARNING)
            self.notes.add(why, finding)
            return
        own = self.cache.kind(rules, kind) if kind in rules.kinds else rules
        notes = Notes()
        fresh = _ActorReader(document, self.plan.actors[kind], self.plan, own, notes, found.place)
        stem = file_stem(str(fresh.data["name"]))[:80] or "actor"
        name = free_name(stem, {name_key(portable_name(one)) for one in self.texts}, ".yaml")
        path = (self.request.into or Path()) / name

        def check(text: str) -> Character:
            return check_text(path, text, self.cache, self.request.options)

        source = _source_of(document, rules)
        head = {"ruleset": formats.find_ruleset_name(rules, self.request.into)}
        changes = _ActorChanges(document, kind, self.plan, own, found.place, check)
        if source is not None:
            data = changes.merge(source | head, fresh, notes)
        else:
            data = {**head, **({"kind": kind} if kind in rules.kinds else {}), **fresh.data}
            _add_remarks(data, fresh.remarks, own)
        data = changes.settle(data, fresh.missed if source is None else ())
        self.findings += changes.findings
        for about, finding in notes.found.items():
            self.notes.add(about, finding)
        self._add_picture(document, data, path, found.place)
        self.texts[name] = documents.write_source(data)
        checked = check(self.texts[name])
        self.findings += [f for f in checked.findings if f.code is not codes.NO_PICTURE]

    def _add_picture(
        self, document: Document, data: dict[str, Any], path: Path, place: Span
    ) -> None:
        """Add the picture of an actor beside its file; without one the file names none."""
        key = next((key for key in PICTURE_KEYS if key in data), PICTURE_KEYS[0])
        named = data.get(key)
        file = named.get("file") if isinstance(named, dict) else named
        if isinstance(file, str) and os.path.exists(path.parent / file):
            return
        made = None
        if (content := self._art.get(str(document.get("img")))) is not None:
            # A stranger's picture becomes a file of ours; what is wrong with it is a finding.
            with drafts_in(cache_path("drafts")) as drafts:
                draft = write_draft(drafts, content)
                span, whole = Span(str(draft.with_name(path.name))), Span(str(self.request.path))
                read = find_picture(PictureFile(Text(draft.name, span)), path.name)
                for wrong in (f for f in read.findings if f.severity is not Severity.NOTE):
                    message = wrong.message.replace(draft.name, path.name)
                    self.findings.append(replace(wrong, span=whole, message=message))
                made = build_art_file(read.value, self.findings) if read.value is not None else None
        if made is not None:
            new = path.with_suffix(f".{made[0]}").name
            self.pictures[new] = made[1]
            data[key] = {**named, "file": new} if isinstance(named, dict) else new
        elif named is not None:
            del data[key]
            written = documents.write_source({key: named}).strip()
            message = f"its picture is not in what is imported; the file lacks `{written}`"
            hint = "copy the picture beside the file, and write this key again"
            finding = Finding(codes.NO_NAME_FOR, place, message, hint, Severity.WARNING)
            self.findings.append(finding)

    @cached_property
    def _art(self) -> Mapping[str, bytes]:
        """Return the pictures of a module or an archive, by the paths that its actors have."""
        paths = {str(one.document.get("img")) for one in self.actors}
        ends = {
            f"/{path}"[m.start() :]: path for path in paths for m in re.finditer("/", f"/{path}")
        }
        read = read_bundle(self.request.path, lambda name: f"/{name}" in ends)
        self.findings += read.findings
        found = ((ends.get(f"/{name}"), content) for name, content in (read.value or {}).items())
        return {path: content for path, content in found if path is not None}


def _kind_of(document: Document, plan: FoundryMap, rules: Ruleset) -> tuple[str, str]:
    """Return the kind of an actor, and why it has none."""
    stats = (get_leaf(document, f"_stats.{leaf}") for leaf in ("exportSource.systemId", "systemId"))
    system = next((one for one in stats if isinstance(one, str)), "")
    if system and system not in (plan.system, *plan.older):
        return "", f"a document of the system `{system[:40]}`, not of {plan.system}"
    form = document.get("type")
    kinds = [k for k, one in plan.actors.items() if form in (one.reads or (str(one.type),))]
    if not kinds:
        return "", f"{rules.title} has no file for an actor of the type `{str(form)[:40]}`"
    data = _system_of(document)
    if all(get_leaf(data, leaf) is None for leaf in plan.actors[kinds[0]].rated):
        return "", f"an actor without the values of {plan.system}"
    return kinds[0], ""


def _source_of(document: Document, rules: Ruleset) -> dict[str, Any] | None:
    """Return the file that an actor was exported from; None if it was not, or by other rules."""
    flags = document.get("flags")
    for flag in flags.values() if isinstance(flags, dict) else ():
        ours = isinstance(flag, dict) and "sheetgen" in flag and flag.get("ruleset") == rules.id
        text = flag.get("source") if ours else None
        if isinstance(text, str) and len(text) <= _MOST_SOURCE:
            parsed = parse_yaml(text, "flags")
            root = (
                formats.node_data(parsed.value.root) if parsed.value and parsed.value.root else None
            )
            return root if isinstance(root, dict) else None
    return None


def _items_of(document: Document) -> list[Any]:
    items = document.get("items")
    return items if isinstance(items, list) else []


def _system_of(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the data that the system keeps in a document; old versions call it `data`."""
    system = document.get("system", document.get("data"))
    return system if isinstance(system, Mapping) else {}


class _ActorReader:
    """The values of an actor by the rules of its kind; `place` is its file, for findings.

    Attributes:
        data: Values by key of the author's file, `name` first.
        missed: Keys, traits and items that have a value in the actor which the file cannot hold.
        remarks: Lines for the notes.
        prose: Those of them that are the actor's text.
    """

    def __init__(
        self, document: Document, plan: mapping.ActorMap, system_map: FoundryMap,
        rules: Ruleset, notes: Notes, place: Span,
    ) -> None:  # fmt: skip
        self.plan, self.pips, self.rules = plan, system_map.pips, rules
        self.notes, self.place, self.index = notes, place, index_of(rules)
        self.system, self.options = _system_of(document), OptionScope(rules)
        self.data: dict[str, Any] = {"name": plain_line(document.get("name")) or "?"}
        self.missed: set[str] = set()
        self.remarks: list[str] = []
        self.prose: list[str] = []
        self.ratings: dict[str, int] = {}
        self.bought = 0
        for leaf, trait in plan.rated.items():
            self._rate(str(trait), self._steps(self.system, leaf), str(trait))
        for leaf, own in plan.words.items():
            if words := plain_line(get_leaf(self.system, leaf)):
                self._put(str(own), words)
        items = _items_of(document)
        for item in items[:_MOST_OWN_ITEMS]:
            if isinstance(item, Mapping) and plain_line(item.get("name")):
                self._item(item)
            else:
                self._note("item", "an item without a name is left out", "name it in Foundry")
        if len(items) > _MOST_OWN_ITEMS:
            self._miss("items", "more", f"{len(items) - _MOST_OWN_ITEMS:,} more items")
        form = plain_line(document.get("type"))
        more: dict[str, Value] = {"bought": self.bought, "type": form}
        scope = mapping.LeafScope(self.options, self.system, more)
        for key, text in plan.read.items():
            words, known = notes.text(text, scope), rules.character.get(key)
            whole = _LEAF.fullmatch(text.strip()) if known and known.kind == "text" else None
            value = get_leaf(self.system, whole[1]) if whole is not None else None
            if isinstance(value, str) and plain_line(value):
                self._put(key, value)  # what somebody wrote: `007` and `0` too
            elif words != "0" or (known and known.kind in ("number", "flag")):
                self._put(key, words)  # a leaf that is missing or empty is 0 in formulas
        for name, text in plan.guesses.items():
            number = leaf_number(notes.text(text, scope)) or 0
            if name in self.index.traits and name not in self.ratings:
                self._rate(name, number, name)
                message = f"the system has no `{name}`; {number} is written"
                self._note(f"guess {name}", message, "write the right figure")
        for leaf, keys in plan.prose.items():
            label = "" if keys else f"{leaf.partition('.')[0]}: "
            lines = html_lines(get_leaf(self.system, leaf))
            self.prose += (f"{label}{line}" for line in lines)
        self.remarks += self.prose

    def _steps(self, data: Any, leaf: str, of: str = "") -> int:
        """Return a leaf as steps of a rating; `of`: the item that has it."""
        value, what = leaf_number(get_leaf(data, leaf)), f"`{leaf}`{of and f' of {of}'}"
        if value is None:
            self._note(f"number {what}", f"{what} is no number; 0 is read", "correct it")
        steps, rest = divmod(value or 0, self.pips)
        if rest:
            message = f"{what} is {value}, which is no whole die; {steps}D is read"
            self._note(f"rest {what} {value}", message, "round it as your table does")
        return steps

    def _code(self, steps: int) -> str:
        return code_text(steps, pips=self.rules.pips)

    def _above(self, trait: str) -> str:
        """Return the trait that one belongs to; empty for none."""
        return str(self.index.traits[trait][1].under or "")

    def _keys_of(self, group: str) -> list[str]:
        keys = ((str(i), k) for i, k in self.rules.character.items() if k.kind == "codes")
        return [i for i, k in keys if group in map(str, k.of or (i,))]

    def _rate(self, trait: str, steps: int, label: str) -> None:
        """Write a rating under the key that states ratings of its group."""
        group = self.index.traits[trait][0] if trait in self.index.traits else ""
        if (before := self.ratings.get(trait)) == steps:
            return
        if before is not None:
            texts = map(self._code, (before, steps))
            message = "{} is there twice: {} and {}; the last is read".format(label, *texts)
            self._note(f"twice {trait}", message, "remove one of the two")
        self.ratings[trait] = steps
        dice = bool(group) and self.rules.groups[group].rating == "dice"
        if dice and not steps:
            return
        text = self._code(steps) if dice else steps
        if keys := self._keys_of(group):
            self.data.setdefault(keys[0], {})[self.index.titles[trait]] = text
        else:
            self._miss("rating", label, f"{self.index.titles.get(trait, label)} {text}")
            self.missed.add(label)

    def _put(self, key: str, text: str) -> None:
        """Write the value of a key; a choice that is not in the catalogue goes to the notes."""
        known, text = self.rules.character.get(key), plain_line(text)
        if known is None or not text:
            return
        if known.kind in ("number", "flag"):
            if number := leaf_number(text.replace("−", "-")):
                self.data[key] = number
        elif known.kind in ("choice", "choices"):
            chosen: Any = None
            name, _, detail = (part.strip() for part in text.partition(":"))
            for names in map(self.index.by_catalogue.get, map(str, known.of or (key,))):
                for asked, more in ((text, ""), (name, detail)):
                    found = names.find(asked) if names is not None and not chosen else ()
                    if names is not None and len(found) == 1:
                        shown = names.shown[found[0]]
                        chosen = {shown: more} if more else shown
            if not chosen:
                self._miss("choice", text, f"{known.label or key}: {text}")
                self.missed.add(key)
            elif known.kind == "choices":
                self.data.setdefault(key, []).append(chosen)
            else:
                self.data[key] = chosen
        else:
            self.data[key] = text

    def _item(self, item: Mapping[str, Any]) -> None:
        form, name = item.get("type"), plain_line(item.get("name"))
        system = _system_of(item)
        fits = [m for m in self.plan.items if form in (m.reads or (str(m.type),))]
        rated = [m for m in fits if m.of in self.rules.groups]
        others = (m for m in fits if m.of not in self.rules.groups)
        listed = next((m for m in others if m.of in self.rules.character), None)
        found = (self.index.by_group[str(m.of)].find(name) for m in rated)
        leaf = next(iter(rated[0].rated), "") if rated else ""
        if trait := next((ids[0] for ids in found if len(ids) == 1), ""):
            own, above = self._steps(system, leaf or "base", name), self._above(trait)
            keys = self._keys_of(self.index.traits[trait][0])
            whole = any(self.rules.character[key].whole for key in keys)
            if own:
                self._rate(trait, own + (self.ratings.get(above, 0) if whole else 0), name)
        elif listed is not None:
            self._listed(listed, str(listed.of), name, system)
        else:
            base = self._steps(system, leaf, name) if rated else 0
            code = f" +{self._code(base)}" if base else ""
            figures = []
            for label, value in [] if rated else list(system.items())[:40]:
                part = "score" if isinstance(value, Mapping) and "score" in value else "value"
                number = get_leaf(value, part) if isinstance(value, Mapping) else value
                if isinstance(number, int) and not isinstance(number, bool) and number:
                    figures.append(f"{label} {number}")
            more = "; ".join([*figures, *html_lines(system.get("description"))])
            self._miss(str(form), name, f"{form}: {name}{code}{': ' if more else ''}{more}")

    def _listed(
        self, item: mapping.ItemMap, key: str, name: str, system: Mapping[str, Any]
    ) -> None:
        """Write an item under a key of items, of choices or of texts."""
        known = self.rules.character[key]
        if known.kind in ("item", "items"):
            self.data.setdefault(key, []).append(self._owned(item, known, name, system))
        elif known.kind == "choice" and key in self.data:
            self._miss("choice", name, f"{known.label or key}: {name}")
        elif known.kind in ("choice", "choices"):
            self._put(key, name)
        else:
            lines = html_lines(system.get("description"))
            line = next((text for text in lines if folded(text).startswith(folded(name))), "")
            if item.rated and (skill := plain_line(system.get("skill"))):
                found = self.index.all_traits.find(skill)
                above = self._above(found[0]) if len(found) == 1 else ""
                steps = self._steps(system, next(iter(item.rated)), name)
                line = f"{skill} ({name}) {self._code(steps + self.ratings.get(above, 0))}"
            text = line or f"{name}{': ' if lines else ''}{' '.join(lines)}"
            self.data.setdefault(key, []).append(text[:_MOST_TEXT])

    def _owned(self, item: mapping.ItemMap, key: Key, name: str, system: Mapping[str, Any]) -> Any:
        """Return an entry of a list of items: a listed one by name, else one of its own."""
        scope = mapping.LeafScope(self.options, system, {})
        read = {part: self.notes.text(text, scope) for part, text in item.read.items()}
        count = max(1, leaf_number(read.get("count")) or 1)
        rated = {str(n): self._steps(system, leaf, name) for leaf, n in item.rated.items()}
        found = self.index.gear.find(name)
        if len(found) == 1:
            listed = self.rules.gear[found[0]]
            self.bought += count * int(listed.cost or 0)
            usual = int(listed.dice or 0) + self.ratings.get(str(listed.adds), 0)
            damage = rated.get("damage", usual)
            if damage != usual and listed.dice:
                both = map(self._code, (damage, usual))
                self._miss("damage", name, "{}: damage {}, by the rules {}".format(name, *both))
                self.missed.add(name)
            shown = str(listed.name)
            if listed.cost is None:
                return {shown: {"granted": True, "count": count} if count > 1 else "granted"}
            return f"{shown} x{count}" if count > 1 else shown
        message = f"there is no item `{name}`; an own one is written"
        self._note(f"item {folded(name)}", message, "look at it")
        form: dict[str, Any] = {}
        lines = html_lines(system.get("description"))
        plain = split_times(name)[0]
        if plain != name:  # `x3` in the name of one thing would be a count
            lines.insert(0, name)
        if rated.get("damage"):
            form["dice"] = self._code(rated["damage"])
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
        if plain != name:
            return {plain: {"count": count, **form}}
        return {name: form} if form else name

    def _miss(self, what: str, name: str, line: str) -> None:
        """Keep a value in the notes, and report it once."""
        self.remarks.append(plain_line(line))
        about = f"{plain_line(what)[:40]} `{plain_line(name)[:80]}`"
        message = f"these rules have no place for the {about}; it is in the notes"
        hint = "move it to where it belongs, or give the ruleset an alias"
        self._note(f"{what} {folded(name)}", message, hint)

    def _note(self, about: str, message: str, hint: str) -> None:
        finding = Finding(codes.NO_NAME_FOR, self.place, message, hint, Severity.WARNING)
        self.notes.add(about, finding)


@dataclass
class _ActorChanges:
    """Brings the changes of one actor into the data of its file."""

    document: Document
    kind: str
    system_map: FoundryMap
    rules: Ruleset
    place: Span
    check: Callable[[str], Character]  # Checks the text of a file.
    # The actor as its source exports it; None if it has no source.
    exported: Document | None = None
    # A note for each change, and a warning about what the file cannot hold.
    findings: list[Finding] = field(default_factory=list)
    removed_texts: list[str] = field(default_factory=list)

    @property
    def plan(self) -> mapping.ActorMap:
        return self.system_map.actors[self.kind]

    def merge(self, source: dict[str, Any], fresh: _ActorReader, notes: Notes) -> dict[str, Any]:
        """Return a source with the keys that have changed since its export.

        Args:
            fresh: The actor as it is now.
            notes: Findings about it; those that were true at the export are removed.
        """
        data, quiet = dict(source), Notes()
        self.exported = self._export(source, quiet)
        if self.exported is None:
            return data
        of = self.plan, self.system_map, self.rules, quiet, self.place
        before = _ActorReader(self.exported, *of)
        settled = {key for formula in self.plan.values.values() for key, _ in self._levers(formula)}
        for key in dict.fromkeys((*before.data, *fresh.data)):
            old, new = before.data.get(key), fresh.data.get(key)
            known = self.rules.character.get(key)
            lost = new is None and (key in fresh.missed or (known is not None and known.required))
            lost = lost or (key == "name" and not plain_line(self.document.get("name")))
            both = isinstance(old, list) and isinstance(new, list)
            same = both and Counter(map(repr, old or ())) == Counter(map(repr, new or ()))
            if old == new or key in settled or lost or same:
                continue
            there, value = data.get(self._raw(data, key)), new
            if isinstance(new, dict) or (isinstance(old, dict) and new is None):
                value = _merged_codes(there, old or {}, new or {}, self.rules)
            elif isinstance(new, list) or (isinstance(old, list) and new is None):
                kept = list(there) if isinstance(there, list) else [there] if there else []
                if isinstance(there, dict):  # `{One: 2, Two: 1}`, which reads like a list
                    kept = [{name: form} for name, form in there.items()]
                owned = known is not None and known.kind in ("item", "items")
                value = _merged_list(kept, old or [], new or [], self.rules, owned=owned)
            self._put(data, key, value)
            texts = (
                documents.plain_value(value)[:120] if value else "nothing" for value in (old, new)
            )
            self._note("`{}` has changed in Foundry from {} to {}".format(key, *texts))
        for about in quiet.found:  # what was so before, too
            notes.found.pop(about, None)
        more = Counter(fresh.remarks) - Counter(before.remarks)
        _add_remarks(data, [line for line in fresh.remarks if more[line]], self.rules)
        for line in Counter(fresh.prose) - Counter(before.prose):
            self._note(f"`{line[:120]}` is new in Foundry; it is in the notes")
        less = Counter(before.prose) - Counter(fresh.prose)
        self.removed_texts = [f"the text `{line[:60]}` is gone" for line in less]
        return data

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
        system = _system_of(self.document)
        for leaf, formula in self.plan.values.items():
            there = get_leaf(system, leaf)
            target = leaf_number(there)
            if there is not None and target is not None and any(self._levers(formula)):
                data = self._solved(data, leaf, formula, target)
        self._keep_texts(data)
        untaken = [*self._differences(data, system, missed), *self.removed_texts]
        if untaken:
            more = len(untaken) - _MOST_LISTED
            listed = "; ".join([*untaken[:_MOST_LISTED], *([f"{more} more"] if more > 0 else [])])
            message = f"the file cannot hold what Foundry has: {listed}"
            self._note(message, "change the file by hand if Foundry is right", Severity.WARNING)
        return data

    def _solved(
        self, data: dict[str, Any], leaf: str, formula: Text, target: int
    ) -> dict[str, Any]:
        """Return data with a key changed so that a formula has the value `target`, if one can."""
        one, rules = self.check(documents.write_source(data)), self.rules
        value = self._value(one, formula)
        if value is None or value == target:
            return data
        for key, sign in self._levers(formula, rises=target > value):
            tried, now = dict(data), value
            number = data.get(self._raw(data, key))  # a key that is absent has its default
            if not isinstance(number, int):
                ledgers = one.build.ledgers if one.build is not None else {}
                pools = (id_ for id_, pool in rules.pools.items() if pool.override == key)
                # The value is a key's default, or follows from keys that count as 0.
                usual = max(0, value) if sign > 0 and formula not in rules.pools else 0
                number = next((ledgers[id_].gained for id_ in pools if id_ in ledgers), usual)
            for _ in range(_ROUNDS):
                number += sign * (target - now)
                if number < 0:
                    break
                self._put(tried, key, number)
                after = self.check(documents.write_source(tried))
                found = self._value(after, formula)
                now = found or 0
                if found != target or len(errors(after.findings)) > len(errors(one.findings)):
                    continue
                if self.exported is not None:
                    before = mapping.leaf_text(get_leaf(self.exported["system"], leaf))
                    label = f"`{leaf}`"
                    if formula in rules.pools:
                        label = f"{rules.pools[formula].label} left"
                    elif formula in rules.derived or formula in rules.character:
                        rule = rules.derived.get(formula) or rules.character[formula]
                        label = rule.label or label
                    change = f"has changed in Foundry from {before} to {target}"
                    change = f"stays {target}" if before == str(target) else change
                    written = f"{self._raw(tried, key)}: {number}"
                    self._note(f"{label} {change}: the file gets `{written}`")
                if not number and all(pool.override != key for pool in rules.pools.values()):
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

    def _value(self, one: Character, formula: Text) -> int | None:
        if one.build is None or one.rules is None:
            return None
        value = Notes().value(formula, mapping.ExportScope(one.build, one.rules))
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def _export(self, data: Mapping[str, Any], notes: Notes) -> Document | None:
        """Return the actor that the data of a file gives; None if it gives no build."""
        one = self.check(documents.write_source(data))
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
        fixed = _fixed_leaves(plan)

        def compare(name: str, leaf: str, there: Any, here: Any, step: int) -> Iterator[str]:
            number, both = leaf_number(there), {*map(mapping.comparable_leaf, (there, here))}
            gone = there is None and (leaf in fixed or self.exported is None)
            if gone or len(both) == 1 or both <= {"", "false", "0.0"}:
                return
            if mapping.comparable_leaf(number) != mapping.comparable_leaf(there):
                number = None  # a fraction
            if isinstance(here, int) and number is not None and number // step == here // step:
                return  # the rest of a die is reported where it is read
            texts = (mapping.leaf_text(value)[:60] or "nothing" for value in (there, here))
            yield "{}`{}` {} (the file has {})".format(f"`{name}` " if name else "", leaf, *texts)

        def compare_usual(
            part: mapping.ActorMap | mapping.ItemMap, name: str, data: Any
        ) -> Iterator[str]:
            for leaf, formula in part.usual.items():
                if (there := get_leaf(data, leaf)) is not None:
                    usual = Notes().value(formula, OptionScope(self.rules))
                    yield from compare(name, leaf, there, usual, 1)

        yield from compare_usual(plan, "", system)
        named = {**plan.rated, **plan.words}
        for leaf in (*plan.rated, *plan.values, *plan.words, *plan.texts):
            if str(named.get(leaf, "")) not in missed:
                step = pips if leaf in plan.rated else 1
                here = get_leaf(made["system"], leaf)
                yield from compare("", leaf, get_leaf(system, leaf), here, step)
        ways = (leaf.split(".") for leaf in (*plan.rated, *plan.values))
        for first, last in dict.fromkeys((way[0], way[-1]) for way in ways if len(way) == 3):
            group = system.get(first)
            names = group if isinstance(group, Mapping) else ()
            for leaf in (f"{first}.{one}.{last}" for one in names):
                if leaf not in {**plan.rated, **plan.values}:  # a rating that these rules lack
                    yield from compare("", leaf, get_leaf(system, leaf) or 0, 0, 1)
        pairs, left = self._paired(made)
        was = {(o["type"], o["name"]) for o in (self.exported or {}).get("items", ())}
        rated = {leaf for one in plan.items for leaf in one.rated}
        for item, own in pairs:
            below, name, form = _system_of(item), own["name"], item.get("type")
            fits = (m for m in plan.items if form in (m.reads or (str(m.type),)))
            for part in [*fits][:1]:
                yield from compare_usual(part, name, below)
            for leaf, value in documents.list_leaves(own["system"]) if name not in missed else ():
                there = get_leaf(below, leaf)
                known = there is not None or (own["type"], own["name"]) in was
                if leaf != "description" and known:
                    step = pips if leaf in rated else 1
                    yield from compare(name, leaf, there, value, step)
        for own in left:
            if (own["type"], own["name"]) in was and own["system"].get("base") != 0:
                yield f"`{own['name']}` is gone"
        yield from self._effects()

    def _effects(self) -> Iterator[str]:
        effects = self.document.get("effects")
        for one in effects[:MOST_ITEMS] if isinstance(effects, list) else ():
            if isinstance(one, Mapping) and one.get("disabled") is not True:
                yield f"the effect `{plain_line(one.get('name', one.get('label')))[:60]}`"

    def _paired(
        self, made: Document
    ) -> tuple[list[tuple[Mapping[str, Any], Document]], list[Document]]:
        """Return the actor's items with those of the same name that a file gives, and the rest."""
        left, pairs = [*made["items"]], []
        for item in _items_of(self.document):
            name = folded(plain_line(item.get("name"))) if isinstance(item, Mapping) else ""
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
        made = self._export(data, Notes())
        left, lines = [], []
        texts = (o["system"].get("description") for o in (self.exported or {}).get("items", ()))
        before = {line for text in texts for line in html_lines(text)}
        for item, own in self._paired(made)[0] if made is not None else ():
            name, here = own["name"], html_lines(own["system"].get("description"))
            there = html_lines(_system_of(item).get("description"))
            if new := [o for o in there if o not in " ".join(here) and o not in before]:
                left.append(name)
                lines += [f"{name}: {line}"[:_MOST_TEXT] for line in new]
            for line in here:
                if line in before and line not in " ".join(there):
                    self.removed_texts.append(f"the text `{line[:60]}` of `{name}` is gone")
        if left and self.exported is None:
            listed = ", ".join(dict.fromkeys(left[:_MOST_LISTED]))
            listed += f" and {len(left) - _MOST_LISTED} more" if len(left) > _MOST_LISTED else ""
            self._note(f"the texts about {listed} are left out; the rules have their own")
        elif lines:
            _add_remarks(data, lines, self.rules)
            for line in lines:
                self._note(f"`{line[:120]}` is new in Foundry; it is in the notes")

    def _note(self, message: str, hint: str = "", severity: Severity = Severity.NOTE) -> None:
        message = f"{plain_line(self.document.get('name')) or '?'}: {message}"
        code = codes.CHANGED_ELSEWHERE
        self.findings.append(Finding(code, self.place, message, hint, severity))


def _fixed_leaves(plan: mapping.ActorMap) -> set[str]:
    """Return the leaves that an export always gives the same; where one is missing, it has that."""
    parts: list[mapping.ActorMap | mapping.ItemMap] = [plan, *plan.items]
    fixed = {way for p in parts for way, f in p.values.items() if not inputs(parse_formula(f))}
    return fixed | {way for part in parts for way, text in part.texts.items() if "{" not in text}


def _add_remarks(data: dict[str, Any], lines: list[str], rules: Ruleset) -> None:
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

    def without(entries: list[Any], others: list[Any]) -> list[Any]:
        # The entries that are not among others, each of which stands for one.
        left, found = list(others), []
        for one in entries:
            if one in left:
                left.remove(one)
            else:
                found.append(one)
        return found

    gone, come = without(old, new), without(new, old)
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
        if not owned:
            source[at] = other
            continue
        name, form = _item_form(source[at])
        before, after = _item_form(one)[1], _item_form(other)[1]
        for part in dict.fromkeys((*before, *after)):
            if before.get(part) != after.get(part):
                form[part] = after.get(part)
        form = {part: value for part, value in form.items() if value is not None}
        if form.keys() <= {"count"}:
            source[at] = f"{name} x{form['count']}" if form else name
        else:
            source[at] = {name: "granted" if form == {"granted": True} else form}
    return [*source, *come] or None


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
