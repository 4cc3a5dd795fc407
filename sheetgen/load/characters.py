"""Loading of authors' files, characters and encounters, together with their rulesets."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span, errors
from sheetgen.diag.visible import strip_controls
from sheetgen.diag.words import a
from sheetgen.load.files import read_text
from sheetgen.load.filled import KIND as SAVED
from sheetgen.load.rows import is_table
from sheetgen.load.rulesets import kinds as kind_files
from sheetgen.load.rulesets import rulesets
from sheetgen.load.rulesets.content import FOLDERS as FIGURE_FOLDERS
from sheetgen.load.rulesets.content import STARTER, find_design_folder, own_folders
from sheetgen.load.rulesets.kinds import FOLDER as EXPORTS
from sheetgen.load.rulesets.kinds import entries_of, kind_of, kind_rules, split_entries
from sheetgen.load.rulesets.rulesets import Folders, is_ruleset, rulesets_of, switches_of
from sheetgen.load.shapes import Shaper
from sheetgen.load.yaml.tree import parse_yaml, read_source, split_head
from sheetgen.model import source as trees
from sheetgen.model.rulesets.ruleset import Kind, Ruleset
from sheetgen.model.source import Node, Pairs, Range, Ref, ScalarNode, Source, Text, rule_model
from sheetgen.records import frozen

Switches = Mapping[str, bool]
BOOK_FILE: Final = "book.yaml"  # the name of a folder's book
FileType: TypeAlias = Literal[
    "character", "encounter", "book", "part of a ruleset", "template of rows", "table of rows",
    "table of a source's printed figures", "part of a design", "theme", "part of sheetgen",
    "filled sheet", "manual", "description of a pack", "handout", "file of another program"
]  # fmt: skip
CHARACTER: Final = "character"
ENCOUNTER: Final = "encounter"
BOOK: Final = "book"
PART: Final = "part of a ruleset"
TEMPLATE: Final = "template of rows"
TABLE: Final = "table of rows"
DESIGN: Final = "part of a design"
THEME: Final = "theme"
OWN: Final = "part of sheetgen"
PACK: Final = "description of a pack"
HANDOUT: Final = "handout"
_HINTS: Final = {
    TEMPLATE: "check the book that has it under `template`",
    TABLE: "check the book that has it under `sheets`",
    "table of a source's printed figures": "compare it with the rules by `sheetgen proof RULESET`",
    THEME: "name it with `--theme`",
    "filled sheet": "read it with `sheetgen read`",
    "manual": "name YAML files, or a folder of them",
}
_COMMANDS: Final = {
    CHARACTER: "print it with `sheetgen sheet`",
    ENCOUNTER: "print it with `sheetgen encounter`",
    BOOK: "build it with `sheetgen build`",
    HANDOUT: "print it with `sheetgen handout`",
}
_FILLED_SUFFIXES: Final = (".pdf", ".html", ".htm")
MANUALS: Final = (".md", ".markdown", ".rst")
_LINE: Final = re.compile(r"^[\"']?(\w+)[\"']?[ \t]*:[ \t]*[\"']?(.*)", re.MULTILINE)
"""A key at the start of a line, for files that are not valid YAML."""


@dataclass
class RulesetCache:
    """The rulesets loaded in this run."""

    # Rulesets by their folders and switched modules.
    loaded: dict[tuple[Folders, frozenset[tuple[str, bool]]], Checked[Ruleset]] = field(
        default_factory=dict
    )
    # Rules for files of a kind, by the ruleset's digest and the kind.
    kinds: dict[tuple[str, str], Ruleset] = field(default_factory=dict)
    # Shipped entries of a kind, by the same.
    stock: dict[tuple[str, str], tuple[Source, ...]] = field(default_factory=dict)
    # Findings about a ruleset, by its digest.
    findings: dict[str, tuple[Finding, ...]] = field(default_factory=dict)

    def load(self, folders: Path | Folders, switches: Switches | None = None) -> Checked[Ruleset]:
        """Return the ruleset of one folder or several; `switches` are those of its modules."""
        if (key := _key(folders, switches)) not in self.loaded:
            self.loaded[key] = rulesets.load_ruleset(folders, switches=switches)
        return self.loaded[key]

    def put(self, folders: Folders, switches: Switches, loaded: Checked[Ruleset]) -> None:
        """Add a ruleset that was loaded elsewhere."""
        self.loaded[_key(folders, switches)] = loaded

    def kind(self, rules: Ruleset, name: str) -> Ruleset:
        """Return the rules for files of the kind `name`; see `kinds.kind_rules`."""
        key = rules.digest, name
        if key not in self.kinds:
            self.kinds[key] = kind_rules(rules, name)
        return self.kinds[key]

    def entries(self, rules: Ruleset, name: str) -> tuple[Source, ...]:
        """Return the shipped entries of a kind, the base's first, each its own `base`."""
        key = rules.digest, name
        if key not in self.stock:
            kind = rules.kinds[name]
            folders = (Path(origin.folder) for origin in rules.composition.origins)
            found = (source for folder in folders for source in entries_of(folder, kind))
            self.stock[key] = tuple(replace(source, base=source_name(source)) for source in found)
        return self.stock[key]


def _key(
    folders: Path | Folders, switches: Switches | None
) -> tuple[Folders, frozenset[tuple[str, bool]]]:
    paths = (folders,) if isinstance(folders, Path) else folders
    return paths, frozenset((switches or {}).items())


@frozen
class LoadedEntry:
    """One character or other entry of an author's file; None for what could not be read."""

    path: Path
    source: Source | None
    rules: Ruleset | None  # The ruleset, or its rules for the file's kind.
    findings: tuple[Finding, ...] = ()
    kind: Kind | None = None  # The kind of the file in its ruleset; None for a character.
    stock: tuple[Source, ...] = ()  # The shipped entries of that kind.
    ruleset: Ruleset | None = None  # The complete ruleset, if `rules` are those of a kind.


def load_file(
    path: Path, cache: RulesetCache, chosen: Mapping[str, str] | None = None
) -> tuple[LoadedEntry, ...]:
    """Return the characters or other entries of a file; the first has findings about all of it.

    `chosen` are options from outside the file; those of modules select parts of the ruleset.
    """
    read = read_source(path)
    if read.value is not None:
        return load_from_source(path, read.value, read.findings, cache, chosen)
    return (LoadedEntry(path, None, None, read.findings),)


def load_from_source(
    path: Path,
    source: Source,
    findings: tuple[Finding, ...],
    cache: RulesetCache,
    chosen: Mapping[str, str] | None = None,
) -> tuple[LoadedEntry, ...]:
    """Return the entries of a file that was read, with the `findings` about it; see `load_file`."""
    found = list(findings)
    source = kind_files.write_own_keys_small(source)
    rules: Ruleset | None = None
    name: str | None = None
    folders = rulesets_of(source, source.root, path) if isinstance(source.root, Pairs) else None
    if folders is not None and folders.value is None:
        found += folders.findings
    elif folders is not None and folders.value is not None:
        loaded = cache.load(folders.value, switches_of(source.root, chosen or {}))
        found += loaded.findings
        # With a part of the rules missing, all names from that part would be errors.
        rules = None if errors(loaded.findings) else loaded.value
    if rules is not None:
        rules = rulesets.credit_pack(rules, path)
        source = kind_files.correct_own_keys(source, rules, found)
        name = kind_of(source, rules, found)
    if rules is None or name is None:
        return (LoadedEntry(path, source, None, tuple(found)),)
    sources = split_entries(source, found)
    kind, own = rules.kinds.get(name), rules
    stock: tuple[Source, ...] = ()
    if kind is not None:
        stock = cache.entries(rules, name)
        below = (Path(origin.folder) / kind.folder for origin in rules.composition.origins)
        at = Path(os.path.realpath(path))
        if kind.folder and any(at.is_relative_to(os.path.realpath(one)) for one in below):
            sources = tuple(replace(one, base=source_name(one)) for one in sources)
        own = cache.kind(rules, name)
    return tuple(
        LoadedEntry(path, one, own, () if number else tuple(found), kind, stock, rules)
        for number, one in enumerate(sources or (None,))
    )


def source_name(source: Source) -> str:
    """Return the name in an author's file, or ""."""
    return trees.raw_text(source.get("name"))


def find_file_type(path: Path, found: bool = False) -> FileType:
    """Return the type of the file at `path`; CHARACTER if nothing shows another type.

    `found` says that only its folder was named: what has no key of ours is another program's then.
    """
    if any(part in FIGURE_FOLDERS for part in os.path.abspath(path).split(os.sep)[:-1]):
        return "table of a source's printed figures"
    real = os.path.realpath(path)
    if any(real.startswith(f"{folder}{os.sep}") for folder in own_folders()):
        return OWN
    if find_design_folder(path):
        return DESIGN
    if path.suffix.lower() in MANUALS:
        head = split_head((read_text(path).value or ("", ""))[0])
        keys = re.findall(r"(?m)^(\w+)\s*:", head[0].lower()) if head is not None else ()
        return HANDOUT if "ruleset" in keys and "name" not in keys else "manual"  # no vault's note
    if is_table(path.name):
        return TABLE
    if path.name == rulesets.PACK_FILE:
        return PACK
    return "filled sheet" if path.suffix.lower() in _FILLED_SUFFIXES else _type_by_keys(path, found)


def is_starter(path: Path) -> bool:
    """Whether a ruleset's new files are copied from the one at `path`."""
    return _is_in(path, Path(STARTER).parent.name)


def _is_in(path: Path, folder: str) -> bool:
    return path.parent.name == folder and find_ruleset_above(path) is not None


def _type_by_keys(path: Path, found: bool) -> FileType:
    read = read_text(path)
    if read.value is None:
        return CHARACTER
    if (parsed := parse_yaml(read.value[0], str(path), read.value[1]).value) is not None:
        keys = plain_keys(parsed.root)
    else:
        keys = {key.casefold(): value for key, value in _LINE.findall(read.value[0])}
    type_ = type_by_keys(keys)
    names_rules = "ruleset" in keys or "kind" in keys  # NPCs of one file have `entries`, too
    if keys.get("sheetgen") == SAVED:
        return "filled sheet"
    above = None if names_rules else find_ruleset_above(path)
    if is_starter(path) or _is_in(path, EXPORTS) or (not names_rules and is_ruleset(path.parent)):
        return PART
    if type_ == ENCOUNTER:
        return ENCOUNTER
    if keys.get("name", "").startswith("$"):
        return TEMPLATE
    if type_ == CHARACTER:
        return CHARACTER
    if above is not None:
        return PART
    if path.name == BOOK_FILE or type_ == BOOK:
        return BOOK
    from sheetgen.model.tokens import ThemeFile  # most sorts of files have other keys

    themed = "name" not in keys and any(field.name in keys for field in fields(ThemeFile))
    if path.stem == THEME or themed:
        return THEME
    foreign = found and "name" not in keys and read.value[0].strip()
    return "file of another program" if foreign else CHARACTER


def plain_keys(root: Node | None) -> dict[str, str]:
    """Return the keys of a file in lower case, with their values if these are plain texts."""
    entries = root.entries if isinstance(root, Pairs) else ()
    return {key.raw.casefold(): trees.raw_text(node) for key, node in entries}


def type_by_keys(keys: Mapping[str, str]) -> FileType | Literal[""]:
    """Return ENCOUNTER, CHARACTER (of any kind) or BOOK if `keys` show that it is one, else ""."""
    if "encounter" in keys or "combatants" in keys:
        return ENCOUNTER
    if "ruleset" in keys or "kind" in keys:  # NPCs of one file have `entries`, too
        return CHARACTER
    return BOOK if "entries" in keys or "combined" in keys else ""


def other_kind(keys: Mapping[str, str]) -> str:
    """Return the kind of NPCs and the like that a file names; "" for characters."""
    kind = keys.get("kind", "")
    return kind if kind != CHARACTER else ""


def report_other_type(source: Source, expected: FileType) -> Finding | None:
    """Return a finding if `source` is not of the `expected` type, ENCOUNTER or BOOK."""
    keys = plain_keys(source.root)
    type_, kind = type_by_keys(keys), other_kind(keys)
    unclear = type_ == CHARACTER and not kind and "name" not in keys
    if type_ in ("", expected) or unclear or not isinstance(source.root, Pairs):
        return None
    message = f"this is {f'a file of kind `{kind}`' if kind else a(type_)}, not {a(expected)}"
    hint = "print it with `sheetgen cards`" if kind else _COMMANDS[type_]
    return Finding(codes.WRONG_TYPE, source.root.entries[0][0].span, message, hint)


def skipped_parts_note(folder: Path, count: int) -> Finding:
    """Return the note that `count` files of a folder are skipped: they make up a ruleset."""
    files = f"{count} files are parts" if count > 1 else "a file is a part"
    message = f"{files} of a ruleset, and passed over"
    return Finding(codes.OTHER_KIND, Span(str(folder)), message, "", Severity.NOTE)


def skipped_file_note(path: Path, type_: FileType) -> Finding:
    """Return the note that a file of a folder is skipped."""
    message, hint = f"this is {a(type_)}, and is passed over", _HINTS.get(type_, "")
    return Finding(codes.OTHER_KIND, Span(str(path)), message, hint, Severity.NOTE)


def empty_folder_finding(folder: Path) -> Finding:
    """Return the finding about a folder without YAML files."""
    message = "this folder has no .yaml file"
    hint = "check the path, or write a file with `sheetgen new character RULESET NAME`"
    return Finding(codes.UNREADABLE, Span(str(folder)), message, hint)


def find_ruleset_above(path: Path) -> Path | None:
    """Return the folder of the ruleset that contains a file, or None."""
    ruleset = next(filter(is_ruleset, Path(os.path.abspath(path)).parents), None)
    return ruleset if ruleset is None or path.is_absolute() else Path(os.path.relpath(ruleset))


# The most entries of each list. Larger encounters do not fit a page, or are hostile.
MOST: Final = {"players": 12, "combatants": 40, "tables": 12}

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
    """Return the encounter in a file with its complete ruleset, and findings; see `load_file`."""
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
    """Reads one file and collects the findings."""

    def __init__(self, source: Source, root: Pairs, path: Path, chosen: Mapping[str, str]) -> None:
        self.source, self.path, self.chosen = source, path, chosen
        self.root = root  # the file's mapping with folded keys
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
        loaded = rulesets.load_ruleset(folders.value, complete=True, switches=switches)
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
            rules = rulesets.credit_pack(rules, path)
        return Encounter(self.source, rules, title, players, combatants, tables, notes, file.party)

    def combatant(self, item: Node, rules: Ruleset) -> tuple[Combatant, ...]:
        """Return the combatant of an item, or those of the file that it names."""
        forms = _combatant_forms(rules)
        if not isinstance(item, Pairs):
            self.report(codes.WRONG_TYPE, item, "a combatant is a mapping", f"write {forms}")
            return ()
        nodes = {key.raw: node for key, node in _fold_keys(item).entries}
        if "file" in nodes:
            return self.other_file(_fold_keys(item), rules)
        count = (
            self.shaper.value(nodes["count"], CombatantCount, "count") if "count" in nodes else 1
        )
        if not isinstance(count, int):
            return ()
        node = nodes.get("kind")
        named = node.raw if isinstance(node, ScalarNode) else ""
        bases = {_fold_key(str(k.based_on)): str(i) for i, k in rules.kinds.items() if k.based_on}
        kinds = [id_ for base, id_ in bases.items() if base in nodes]
        kind = named if node is not None else kinds[0] if len(kinds) == 1 else ""
        if kind not in rules.kinds:
            message = f"there is no kind `{named}`" if named else "this does not name a combatant"
            hint = f"write {forms}"
            bare = [str(i) for i, k in rules.kinds.items() if not k.based_on]  # without files
            for id_ in [i for i in bare if _fold_key(i) in nodes][:1] if node is None else ():
                message = f"the kind `{id_}` has no `based_on`, so that `{id_}` names nobody"
                hint = f"write {_combatant_forms(rules)}, or give the kind a `based_on`"
            self.report(codes.UNKNOWN_NAME, node or item, message, hint)
            return ()
        own = tuple(e for e in item.entries if _fold_key(e[0].raw) not in ("count", "kind"))
        place = f"{self.source.digest} {item.span.line} {item.span.column}"
        digest = hashlib.sha256(place.encode()).hexdigest()
        root = self.with_options(Pairs(item.span, own))
        source = dataclasses.replace(self.source, root=root, digest=digest)
        stock, own_rules = self.cache.entries(rules, kind), self.cache.kind(rules, kind)
        loaded = LoadedEntry(self.path, source, own_rules, (), rules.kinds[kind], stock, rules)
        return (Combatant(loaded, kind, count),)

    def other_file(self, item: Pairs, rules: Ruleset) -> tuple[Combatant, ...]:
        """Return the combatants of another file, whose path is relative to this one."""
        named = self.shaper.read(item, CombatantsOfFile, "combatant with `file`")
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
