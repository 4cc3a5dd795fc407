"""Loading of encounters: players, combatants of any kind, tables and notes."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.controls import strip_controls
from sheetgen.diag.findings import Checked, Finding, errors
from sheetgen.diag.near import suggestion
from sheetgen.load.authors.characters import LoadedEntry, RulesetCache, load_file
from sheetgen.load.authors.other_files import report_other_file
from sheetgen.load.rulesets.modules import switches_of
from sheetgen.load.rulesets.rulesets import load_ruleset, rulesets_of
from sheetgen.load.sources import read_source
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source, Text
from sheetgen.records import frozen

KEYS: Final = ("ruleset", "encounter", "players", "combatants", "tables", "notes", "options")
MOST: Final = {"players": 12, "combatants": 40, "count": 20, "tables": 12}
"""The most entries of each list. Larger encounters do not fit a page, or are hostile."""

_COUNT: Final = "count"
_FILE: Final = "file"
_KIND: Final = "kind"


@frozen
class Combatant:
    """One entry of `combatants`, and how many of it there are."""

    loaded: LoadedEntry
    kind: str
    count: int


@frozen
class Encounter:
    """An encounter as read.

    Attributes:
        tables: The requested tables; None for those of the ruleset.
    """

    source: Source
    rules: Ruleset
    title: str
    players: tuple[str, ...]
    combatants: tuple[Combatant, ...]
    tables: tuple[Text, ...] | None
    notes: str


def load_encounter(path: Path, chosen: Mapping[str, str] | None = None) -> Checked[Encounter]:
    """Return the encounter in the file at `path` with its complete ruleset, and all findings.

    Args:
        chosen: Options from outside the file; those of modules select parts of the ruleset.
    """
    read = read_source(path)
    source = read.value
    if source is None or not isinstance(source.root, Pairs):
        return Checked(None, read.findings)
    if other := report_other_file(source, "encounter"):
        return Checked(None, (*read.findings, other))
    reader = _EncounterReader(source, source.root, path, [*read.findings], chosen or {})
    rules = reader.ruleset()
    if rules is None:
        return Checked(None, tuple(reader.findings))
    return Checked(reader.encounter(rules), tuple(reader.findings))


def _fold_key(word: str) -> str:
    return " ".join(word.casefold().replace("_", " ").split())


def _combatant_forms(rules: Ruleset) -> str:
    bases = [str(kind.based_on) for kind in rules.kinds.values() if kind.based_on]
    forms = [f"`{{{base}: …}}`" for base in bases]
    forms += [f"`{{kind: {id_}, …}}`" for id_, kind in rules.kinds.items() if not kind.based_on]
    return f"one of: {', '.join((*forms, '`{file: …}`'))}"


class _EncounterReader:
    """Reads one file and collects the findings."""

    def __init__(
        self,
        source: Source,
        root: Pairs,
        path: Path,
        findings: list[Finding],
        chosen: Mapping[str, str],
    ) -> None:
        self.source = source
        self.path = path
        self.findings = findings
        self.chosen = chosen
        self.cache = RulesetCache()
        self.nodes: Mapping[str, Node] = {_fold_key(key.raw): node for key, node in root.entries}
        for key, _ in root.entries:
            if _fold_key(key.raw) not in KEYS:
                message = f"an encounter has no key `{key.raw}`"
                self.report(codes.UNKNOWN_KEY, key, message, suggestion(key.raw, KEYS, "keys"))

    def report(self, code: codes.Code, node: Node, message: str, hint: str = "") -> None:
        """Add a finding."""
        self.findings.append(Finding(code, node.span, message, hint))

    def ruleset(self) -> Ruleset | None:
        """Return the complete ruleset of the file."""
        assert isinstance(self.source.root, Pairs)
        folders = rulesets_of(self.source, self.source.root, self.path)
        self.findings += folders.findings
        if folders.value is None:
            return None
        switches = switches_of(self.source.root, self.chosen)
        loaded = load_ruleset(folders.value, complete=True, switches=switches)
        self.findings += loaded.findings
        if loaded.value is None or errors(loaded.findings):
            return None
        if loaded.value.encounter is None:
            message = f"{loaded.value.title} has no encounter page"
            node = self.nodes.get("ruleset", self.source.root)
            self.report(codes.UNKNOWN_NAME, node, message, "add `encounter:` to its YAML")
            return None
        self.cache.put(folders.value, switches, loaded)
        return loaded.value

    def encounter(self, rules: Ruleset) -> Encounter:
        """Return the encounter of the file."""
        tables = self.texts("tables") if "tables" in self.nodes else None
        players = tuple(str(name) for name in self.texts("players"))
        combatants = tuple(
            one for item in self.items("combatants") for one in self.combatant(item, rules)
        )
        if not combatants and not self.findings:
            message, hint = (
                "this encounter has no combatants",
                f"write `combatants:` with {_combatant_forms(rules)}",
            )
            self.findings.append(Finding(codes.MISSING_KEY, self.source.start, message, hint))
        title = self.text("encounter") or strip_controls(self.path.stem)
        notes = self.text("notes")
        return Encounter(self.source, rules, title, players, combatants, tables, notes)

    def text(self, key: str) -> str:
        """Return the text under `key`, or ""."""
        node = self.nodes.get(key)
        if node is None or isinstance(node, ScalarNode):
            return "" if node is None or (node.value is None and not node.quoted) else node.raw
        self.report(codes.WRONG_TYPE, node, f"`{key}` has to be text")
        return ""

    def items(self, key: str) -> tuple[Node, ...]:
        """Return the items under `key`, at most as many as are allowed."""
        node = self.nodes.get(key)
        if node is None or (isinstance(node, ScalarNode) and node.value is None):
            return ()
        items = node.items if isinstance(node, Many) else (node,)
        if len(items) > MOST[key]:
            message = f"`{key}` lists {len(items)}; at most {MOST[key]} are printed"
            self.report(codes.TOO_MUCH, items[MOST[key]], message, "split the encounter in two")
        return items[: MOST[key]]

    def texts(self, key: str) -> tuple[Text, ...]:
        """Return the texts under `key`."""
        texts = []
        for item in self.items(key):
            if isinstance(item, ScalarNode) and item.raw:
                texts.append(Text(item.raw, item.span))
            else:
                self.report(
                    codes.WRONG_TYPE, item, f"`{key}` is a list of names", "write `[Bo, Ux]`"
                )
        return tuple(texts)

    def combatant(self, item: Node, rules: Ruleset) -> tuple[Combatant, ...]:
        """Return the combatant of an item, or those of the file that it names."""
        bases = {
            _fold_key(str(k.based_on)): str(id_) for id_, k in rules.kinds.items() if k.based_on
        }
        forms = _combatant_forms(rules)
        if not isinstance(item, Pairs):
            self.report(codes.WRONG_TYPE, item, "a combatant is a mapping", f"write {forms}")
            return ()
        nodes = {_fold_key(key.raw): node for key, node in item.entries}
        count = self.count(nodes.get(_COUNT))
        if _FILE in nodes:
            return self.other_file(item, nodes[_FILE], rules, count)
        node = nodes.get(_KIND)
        named = node.raw if isinstance(node, ScalarNode) else ""
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
        stock = self.cache.entries(rules, kind)
        its = self.cache.kind(rules, kind)
        loaded = LoadedEntry(self.path, source, its, (), rules.kinds[kind], stock, rules)
        return (Combatant(loaded, kind, count),)

    def other_file(
        self, item: Pairs, node: Node, rules: Ruleset, count: int
    ) -> tuple[Combatant, ...]:
        """Return the combatants of another file, whose path is relative to this one."""
        for key, _ in item.entries:
            if _fold_key(key.raw) not in (_FILE, _COUNT):
                message = f"`{key.raw}` has no effect beside `file`"
                self.report(codes.UNKNOWN_KEY, key, message, "write it in that file")
        if not isinstance(node, ScalarNode) or not node.raw:
            self.report(codes.WRONG_TYPE, node, "`file` has to be a path")
            return ()
        combatants = []
        for loaded in load_file(self.path.parent / node.raw, self.cache, self.chosen)[
            : MOST["combatants"]
        ]:
            self.findings += loaded.findings
            kinds = [str(id_) for id_, kind in rules.kinds.items() if kind is loaded.kind]
            source = loaded.source
            if source is not None and isinstance(source.root, Pairs) and loaded.rules and kinds:
                source = dataclasses.replace(source, root=self.with_options(source.root))
                loaded = dataclasses.replace(loaded, source=source, findings=())
                combatants.append(Combatant(loaded, kinds[0], count))
            elif not loaded.findings:
                self.report(
                    codes.WRONG_TYPE, node, f"`{node.raw}` holds nothing that can fight here"
                )
        return tuple(combatants)

    def with_options(self, root: Pairs) -> Pairs:
        """Return a combatant with the options of the encounter, unless it has its own."""
        node = self.nodes.get("options")
        if node is None or root.get("options") is not None:
            return root
        key = ScalarNode(node.span, "options", "options")
        return Pairs(root.span, (*root.entries, (key, node)))

    def count(self, node: Node | None) -> int:
        """Return the number of copies of a combatant."""
        if node is None:
            return 1
        if (
            isinstance(node, ScalarNode)
            and type(node.value) is int
            and 1 <= node.value <= MOST[_COUNT]
        ):
            return node.value
        self.report(codes.WRONG_TYPE, node, f"`{_COUNT}` has to be 1 to {MOST[_COUNT]}")
        return 1
