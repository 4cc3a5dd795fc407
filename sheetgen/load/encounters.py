"""Loading of encounters: players, combatants of any kind, tables and notes."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Final, TypeAlias

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, errors
from sheetgen.diag.visible import strip_controls
from sheetgen.load.characters import (
    ENCOUNTER,
    LoadedEntry,
    RulesetCache,
    load_file,
    report_other_type,
)
from sheetgen.load.rulesets.rulesets import credit_pack, load_ruleset, rulesets_of, switches_of
from sheetgen.load.shapes import Shaper
from sheetgen.load.yaml.tree import read_source
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Node, Pairs, Range, Ref, ScalarNode, Source, Text, rule_model
from sheetgen.records import frozen

MOST: Final = {"players": 12, "combatants": 40, "tables": 12}
"""The most entries of each list. Larger encounters do not fit a page, or are hostile."""

_COUNT: Final = "count"
_FILE: Final = "file"
_KIND: Final = "kind"

CombatantCount: TypeAlias = Annotated[int, Range(1, 20)]


@rule_model
class EncounterFile:
    """The keys of an encounter's file, besides those of `MORE`, which are read as trees."""

    MORE: ClassVar[tuple[str, ...]] = ("ruleset", "options")

    encounter: Text | None = None  # The title.
    players: tuple[Text, ...] = ()  # The names of the players' characters, or their files.
    combatants: tuple[Node, ...] = ()  # Who takes part in the fight.
    # The tables to print beside the fight; those of the ruleset by default.
    tables: tuple[Annotated[Text, Ref("printed table")], ...] = ()
    notes: Text | None = None  # A text for the game master.
    # Numbers of players without a file, such as `{level: 3}`.
    party: Mapping[str, int] = dataclasses.field(default_factory=dict)


@rule_model
class CombatantsOfFile:
    """A combatant that names a file of them."""

    file: Text  # The path, relative to the encounter's file.
    count: CombatantCount = 1  # How many of each there are.


@frozen
class Combatant:
    """One entry of `combatants`, and how many of it there are."""

    loaded: LoadedEntry
    kind: str
    count: int


@frozen
class Encounter:
    """An encounter as read."""

    source: Source
    rules: Ruleset
    title: str
    players: tuple[str, ...]
    combatants: tuple[Combatant, ...]
    tables: tuple[Text, ...] | None  # The requested tables; None for those of the ruleset.
    notes: str
    party: Mapping[str, int]


def load_encounter(path: Path, chosen: Mapping[str, str] | None = None) -> Checked[Encounter]:
    """Return the encounter in the file at `path` with its complete ruleset, and all findings.

    Args:
        chosen: Options from outside the file; those of modules select parts of the ruleset.
    """
    read = read_source(path)
    source = read.value
    if source is None or not isinstance(source.root, Pairs):
        return Checked(None, read.findings)
    if other := report_other_type(source, ENCOUNTER):
        return Checked(None, (*read.findings, other))
    reader = _EncounterReader(source, _fold_keys(source.root), path, chosen or {})
    reader.findings += read.findings
    rules = reader.ruleset()
    return Checked(reader.encounter(rules) if rules is not None else None, tuple(reader.findings))


def _fold_key(word: str) -> str:
    return " ".join(word.casefold().replace("_", " ").split())


def _fold_keys(node: Pairs) -> Pairs:
    entries = ((dataclasses.replace(k, raw=_fold_key(k.raw)), below) for k, below in node.entries)
    return Pairs(node.span, tuple(entries))


def _combatant_forms(rules: Ruleset) -> str:
    bases = [str(kind.based_on) for kind in rules.kinds.values() if kind.based_on]
    forms = [f"`{{{base}: …}}`" for base in bases]
    forms += [f"`{{kind: {id_}, …}}`" for id_, kind in rules.kinds.items() if not kind.based_on]
    return f"one of: {', '.join((*forms, '`{file: …}`'))}"


class _EncounterReader:
    """Reads one file and collects the findings.

    Attributes:
        root: The file's mapping with folded keys.
    """

    def __init__(self, source: Source, root: Pairs, path: Path, chosen: Mapping[str, str]) -> None:
        self.source, self.root, self.path, self.chosen = source, root, path, chosen
        self.cache = RulesetCache()
        self.shaper = Shaper()
        self.findings = self.shaper.findings

    def report(self, code: codes.Code, node: Node | Text, message: str, hint: str = "") -> None:
        self.findings.append(Finding(code, node.span, message, hint))

    def ruleset(self) -> Ruleset | None:
        folders = rulesets_of(self.source, self.root, self.path)
        self.findings += folders.findings
        if folders.value is None:
            return None
        switches = switches_of(self.root, self.chosen)
        loaded = load_ruleset(folders.value, complete=True, switches=switches)
        self.findings += loaded.findings
        if loaded.value is None or errors(loaded.findings):
            return None
        if loaded.value.encounter is None:
            message = f"{loaded.value.title} has no encounter page"
            node = self.root.get("ruleset") or self.root
            self.report(codes.UNKNOWN_NAME, node, message, "add `encounter:` to its YAML")
            return None
        self.cache.put(folders.value, switches, loaded)
        return loaded.value

    def encounter(self, rules: Ruleset) -> Encounter | None:
        own = tuple(pair for pair in self.root.entries if pair[0].raw not in EncounterFile.MORE)
        file = self.shaper.read(Pairs(self.root.span, own), EncounterFile, ENCOUNTER)
        if file is None:
            return None
        for key, most in MOST.items():
            if len(items := getattr(file, key)) > most:
                message = f"`{key}` lists {len(items)}; at most {most} are printed"
                self.report(codes.TOO_MUCH, items[most], message, "split the encounter in two")
        items = file.combatants[: MOST["combatants"]]
        combatants = tuple(one for item in items for one in self.combatant(item, rules))
        if not combatants and not self.findings:
            message = "this encounter has no combatants"
            hint = f"write `combatants:` with {_combatant_forms(rules)}"
            self.findings.append(Finding(codes.MISSING_KEY, self.source.start, message, hint))
        title = str(file.encounter or strip_controls(self.path.stem))
        players = tuple(map(str, file.players[: MOST["players"]]))
        tables = file.tables[: MOST["tables"]] if self.root.get("tables") is not None else None
        notes = str(file.notes or "")
        used = (one.loaded.path for one in combatants)
        for path in (self.path, *used, *(self.path.parent / name for name in players)):
            rules = credit_pack(rules, path)
        return Encounter(self.source, rules, title, players, combatants, tables, notes, file.party)

    def combatant(self, item: Node, rules: Ruleset) -> tuple[Combatant, ...]:
        """Return the combatant of an item, or those of the file that it names."""
        forms = _combatant_forms(rules)
        if not isinstance(item, Pairs):
            self.report(codes.WRONG_TYPE, item, "a combatant is a mapping", f"write {forms}")
            return ()
        nodes = {key.raw: node for key, node in _fold_keys(item).entries}
        if _FILE in nodes:
            return self.other_file(_fold_keys(item), rules)
        count = self.shaper.value(nodes[_COUNT], CombatantCount, _COUNT) if _COUNT in nodes else 1
        if not isinstance(count, int):
            return ()
        node = nodes.get(_KIND)
        named = node.raw if isinstance(node, ScalarNode) else ""
        bases = {_fold_key(str(k.based_on)): str(i) for i, k in rules.kinds.items() if k.based_on}
        kinds = [id_ for base, id_ in bases.items() if base in nodes]
        kind = named if node is not None else kinds[0] if len(kinds) == 1 else ""
        if kind not in rules.kinds:
            message = f"there is no kind `{named}`" if named else "this does not name a combatant"
            hint = f"write {forms}"
            for id_, one in rules.kinds.items() if node is None else ():
                if _fold_key(str(id_)) in nodes and one.based_on is None:
                    message = f"the kind `{id_}` has no `based_on`, so that `{id_}` names nobody"
                    hint = f"give it `based_on: {id_}` and a key `{id_}: {{kind: text}}`; or {hint}"
            self.report(codes.UNKNOWN_NAME, node or item, message, hint)
            return ()
        own = tuple(e for e in item.entries if _fold_key(e[0].raw) not in (_COUNT, _KIND))
        place = f"{self.source.digest} {item.span.line} {item.span.column}"
        digest = hashlib.sha256(place.encode()).hexdigest()
        root = self.with_options(Pairs(item.span, own))
        source = dataclasses.replace(self.source, root=root, digest=digest)
        stock, own_rules = self.cache.entries(rules, kind), self.cache.kind(rules, kind)
        loaded = LoadedEntry(self.path, source, own_rules, (), rules.kinds[kind], stock, rules)
        return (Combatant(loaded, kind, count),)

    def other_file(self, item: Pairs, rules: Ruleset) -> tuple[Combatant, ...]:
        """Return the combatants of another file, whose path is relative to this one."""
        named = self.shaper.read(item, CombatantsOfFile, f"combatant with `{_FILE}`")
        if named is None:
            return ()
        combatants = []
        every = load_file(self.path.parent / named.file, self.cache, self.chosen)
        for loaded in every[: MOST["combatants"]]:
            self.findings += loaded.findings
            kinds = [str(id_) for id_, kind in rules.kinds.items() if kind is loaded.kind]
            source = loaded.source
            if source is not None and isinstance(source.root, Pairs) and loaded.rules and kinds:
                source = dataclasses.replace(source, root=self.with_options(source.root))
                loaded = dataclasses.replace(loaded, source=source, findings=())
                combatants.append(Combatant(loaded, kinds[0], named.count))
            elif not loaded.findings:
                message = f"`{named.file}` holds nothing that can fight here"
                self.report(codes.WRONG_TYPE, named.file, message)
        return tuple(combatants)

    def with_options(self, root: Pairs) -> Pairs:
        """Return a combatant with the options of the encounter, unless it has its own."""
        node = self.root.get("options")
        if node is None or root.get("options") is not None:
            return root
        key = ScalarNode(node.span, "options", "options")
        return Pairs(root.span, (*root.entries, (key, node)))
