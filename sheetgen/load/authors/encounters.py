"""A file that says who fights: players, and combatants that are entries of kinds of files."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
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

KEYS: Final = ("ruleset", "encounter", "players", "combatants", "tables", "notes", "options")
MOST: Final = {"players": 12, "combatants": 40, "count": 20, "tables": 12}
"""More of these is no fight that one page helps with, or a stranger's joke."""

_COUNT: Final = "count"
_FILE: Final = "file"
_KIND: Final = "kind"


@dataclass(frozen=True, slots=True)
class Combatant:
    """One line of the list. `count`: how many of it there are."""

    loaded: LoadedEntry
    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Encounter:
    """A file as read.

    Attributes:
        tables: As asked for; None leaves it to the rules.
    """

    source: Source
    rules: Ruleset
    title: str
    players: tuple[str, ...]
    combatants: tuple[Combatant, ...]
    tables: tuple[Text, ...] | None
    notes: str


def load_encounter(path: Path, chosen: Mapping[str, str] | None = None) -> Checked[Encounter]:
    """Return the encounter in the file at `path`, its ruleset whole, with all findings.

    Args:
        chosen: Options from outside; those of modules decide what the ruleset holds.
    """
    read = read_source(path)
    source = read.value
    if source is None or not isinstance(source.root, Pairs):
        return Checked(None, read.findings)
    if other := report_other_file(source, "encounter"):
        return Checked(None, (*read.findings, other))
    reader = _Reader(source, source.root, path, [*read.findings], chosen or {})
    rules = reader.ruleset()
    if rules is None:
        return Checked(None, tuple(reader.findings))
    return Checked(reader.encounter(rules), tuple(reader.findings))


def _plain(word: str) -> str:
    """Return a key as keys are compared."""
    return " ".join(word.casefold().replace("_", " ").split())


def _ways(rules: Ruleset) -> str:
    """Return how a combatant may be written."""
    bases = [str(kind.based_on) for kind in rules.kinds.values() if kind.based_on]
    return " or ".join(f"`{{{base}: …}}`" for base in bases)


class _Reader:
    """Reads one file, and collects the findings."""

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
        self.shelf = RulesetCache()
        self.nodes: Mapping[str, Node] = {_plain(key.raw): node for key, node in root.entries}
        for key, _ in root.entries:
            if _plain(key.raw) not in KEYS:
                message = f"an encounter has no key `{key.raw}`"
                self.say(codes.UNKNOWN_KEY, key, message, suggestion(key.raw, KEYS, "keys"))

    def say(self, code: codes.Code, node: Node, message: str, hint: str = "") -> None:
        """Note a finding."""
        self.findings.append(Finding(code, node.span, message, hint))

    def ruleset(self) -> Ruleset | None:
        """Return the ruleset, with what only fights need."""
        assert isinstance(self.source.root, Pairs)
        found = rulesets_of(self.source, self.source.root, self.path)
        self.findings += found.findings
        if found.value is None:
            return None
        switches = switches_of(self.source.root, self.chosen)
        whole = load_ruleset(found.value, complete=True, switches=switches)
        self.findings += whole.findings
        if whole.value is None or errors(whole.findings):
            return None
        if whole.value.encounter is None:
            message = f"{whole.value.title} does not say what a fight shows"
            node = self.nodes.get("ruleset", self.source.root)
            self.say(codes.UNKNOWN_NAME, node, message, "its YAML needs `encounter:`")
            return None
        self.shelf.put(found.value, switches, whole)
        return whole.value

    def encounter(self, rules: Ruleset) -> Encounter:
        """Return all that the file says."""
        tables = self.texts("tables") if "tables" in self.nodes else None
        players = tuple(str(name) for name in self.texts("players"))
        combatants = tuple(
            one for item in self.listed("combatants") for one in self.combatant(item, rules)
        )
        if not combatants and not self.findings:
            message, hint = "nobody fights here", f"write `combatants:` with {_ways(rules)}"
            self.findings.append(Finding(codes.MISSING_KEY, self.source.start, message, hint))
        title = self.text("encounter") or strip_controls(self.path.stem)
        notes = self.text("notes")
        return Encounter(self.source, rules, title, players, combatants, tables, notes)

    def text(self, key: str) -> str:
        """Return the text under `key`, empty without one."""
        node = self.nodes.get(key)
        if node is None or isinstance(node, ScalarNode):
            return "" if node is None or (node.value is None and not node.quoted) else node.raw
        self.say(codes.WRONG_TYPE, node, f"`{key}` has to be text")
        return ""

    def listed(self, key: str) -> tuple[Node, ...]:
        """Return the items under `key`, no more than there may be."""
        node = self.nodes.get(key)
        if node is None or (isinstance(node, ScalarNode) and node.value is None):
            return ()
        items = node.items if isinstance(node, Many) else (node,)
        if len(items) > MOST[key]:
            message = f"`{key}` lists {len(items)}; at most {MOST[key]} are printed"
            self.say(codes.TOO_MUCH, items[MOST[key]], message, "make two encounters of it")
        return items[: MOST[key]]

    def texts(self, key: str) -> tuple[Text, ...]:
        """Return the texts under `key`."""
        found = []
        for item in self.listed(key):
            if isinstance(item, ScalarNode) and item.raw:
                found.append(Text(item.raw, item.span))
            else:
                self.say(codes.WRONG_TYPE, item, f"`{key}` is a list of names", "write `[Bo, Ux]`")
        return tuple(found)

    def combatant(self, item: Node, rules: Ruleset) -> tuple[Combatant, ...]:
        """Return what an item stands for: one, or all of another file; with findings."""
        bases = {_plain(str(k.based_on)): str(id_) for id_, k in rules.kinds.items() if k.based_on}
        ways = _ways(rules)
        if not isinstance(item, Pairs):
            self.say(codes.WRONG_TYPE, item, "a combatant is a mapping", f"write {ways}")
            return ()
        nodes = {_plain(key.raw): node for key, node in item.entries}
        count = self.count(nodes.get(_COUNT))
        if _FILE in nodes:
            return self.elsewhere(item, nodes[_FILE], rules, count)
        node = nodes.get(_KIND)
        said = node.raw if isinstance(node, ScalarNode) else ""
        kinds = [id_ for base, id_ in bases.items() if base in nodes]
        kind = said if node is not None else kinds[0] if len(kinds) == 1 else ""
        if kind not in rules.kinds:
            message = f"there is no kind `{said}`" if said else "this does not name who fights"
            self.say(codes.UNKNOWN_NAME, node or item, message, f"write {ways} or `{{file: …}}`")
            return ()
        own = tuple(e for e in item.entries if _plain(e[0].raw) not in (_COUNT, _KIND))
        place = f"{self.source.digest} {item.span.line} {item.span.column}"
        digest = hashlib.sha256(place.encode()).hexdigest()
        root = self.optioned(Pairs(item.span, own))
        source = dataclasses.replace(self.source, root=root, digest=digest)
        stock = self.shelf.entries(rules, kind)
        its = self.shelf.kind(rules, kind)
        loaded = LoadedEntry(self.path, source, its, (), rules.kinds[kind], stock, rules)
        return (Combatant(loaded, kind, count),)

    def elsewhere(
        self, item: Pairs, node: Node, rules: Ruleset, count: int
    ) -> tuple[Combatant, ...]:
        """Return all that stands in another file, which lies beside this one."""
        for key, _ in item.entries:
            if _plain(key.raw) not in (_FILE, _COUNT):
                message = f"beside `file` nothing is read; `{key.raw}` is not"
                self.say(codes.UNKNOWN_KEY, key, message, "write it in that file")
        if not isinstance(node, ScalarNode) or not node.raw:
            self.say(codes.WRONG_TYPE, node, "`file` has to be a path")
            return ()
        found = []
        for loaded in load_file(self.path.parent / node.raw, self.shelf, self.chosen)[
            : MOST["combatants"]
        ]:
            self.findings += loaded.findings
            kinds = [str(id_) for id_, kind in rules.kinds.items() if kind is loaded.kind]
            source = loaded.source
            if source is not None and isinstance(source.root, Pairs) and loaded.rules and kinds:
                source = dataclasses.replace(source, root=self.optioned(source.root))
                loaded = dataclasses.replace(loaded, source=source, findings=())
                found.append(Combatant(loaded, kinds[0], count))
            elif not loaded.findings:
                self.say(codes.WRONG_TYPE, node, f"`{node.raw}` holds nothing that can fight here")
        return tuple(found)

    def optioned(self, root: Pairs) -> Pairs:
        """Return a combatant under the options of the encounter, unless it has its own."""
        node = self.nodes.get("options")
        if node is None or root.get("options") is not None:
            return root
        key = ScalarNode(node.span, "options", "options")
        return Pairs(root.span, (*root.entries, (key, node)))

    def count(self, node: Node | None) -> int:
        """Return how many of one there are."""
        if node is None:
            return 1
        if (
            isinstance(node, ScalarNode)
            and type(node.value) is int
            and 1 <= node.value <= MOST[_COUNT]
        ):
            return node.value
        self.say(codes.WRONG_TYPE, node, f"`{_COUNT}` has to be 1 to {MOST[_COUNT]}")
        return 1
