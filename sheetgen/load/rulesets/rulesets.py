"""Load a ruleset: merge all files of its folder, then read them as a `Ruleset`."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Hint, Severity, Span, errors
from sheetgen.diag.words import nearest, suggestion
from sheetgen.load.catalogues import expand_rows
from sheetgen.load.files import read_text
from sheetgen.load.rulesets import content
from sheetgen.load.rulesets.kinds import find_columns, with_levels
from sheetgen.load.shapes import Shaper, keys_of, merge_trees, model_fields, replace_at
from sheetgen.load.yaml.tree import read_source
from sheetgen.model import source as nodes
from sheetgen.model.rulesets.ruleset import Composition, Credit, Head, Key, Module, Origin, Ruleset
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source, Text, items_of, raw_text
from sheetgen.records import frozen

# The file of a face in a ruleset's folder; it changes how prints look, not what they say.
FACE_FILE: Final = "face.yaml"
# The folder of a project with packs: folders of rulesets, characters and pictures of others.
PACKS: Final = "packs"
PACK_FILE: Final = "pack.yaml"

# Files of a ruleset that no character needs; characters' commands do not load them.
APART = (
    *("reference.yaml", "proof.yaml", "screen.yaml", "encounter.yaml", "cards.yaml", "odds.yaml"),
    "rulings.yaml",
)

# Folders of rulesets that are used together, without those that they extend.
Folders = tuple[Path, ...]
JOINT: Final = "+"  # between the names of several rulesets
# Findings after which the ruleset is not read.
_HOPELESS: Final = (codes.UNKNOWN_RULESET, codes.EMPTY, codes.CYCLE)
# Keys that no part of a ruleset has; what such a file is, and where to put it.
_OF_OTHER_FILES: Final = {
    "ruleset": ("names a ruleset", "move it to a folder of its own, such as `characters/`"),
    "entries": ("lists the entries of a book", "move it to the folder above"),
}
FOLDER: Final = "modules"
# The prefix of the option that switches a module.
OPTION: Final = "modules."
_YES: Final = ("yes", "true")
_NO: Final = ("no", "false")
_TREES: Final = ("add", "change")
# Parts of a ruleset in files that are not always loaded; `tables` are in part.
_PARTS_APART: Final = ("references", "proof", "screens", "encounter", "pieces", "card_sets", "odds")
_LANGUAGE_TAG: Final = re.compile("[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,4}")  # of BCP 47
# Keys that each ruleset has for itself; those of an overlay are not merged.
HEAD: Final = ("id", "title", "version", "format", "credit", "lang", "extends", "pips", "face")
FORMAT: Final = 1  # the supported version of the format of rulesets
MOST: Final = 8  # the most rulesets over each other


def rulesets_of(source: Source, root: Pairs, path: Path) -> Checked[Folders]:
    """Return the folders of the rulesets that a file names: one, or a list."""
    if (node := root.get("ruleset")) is None:
        near = next((key for key, _ in root.entries if nearest(key.raw, ("ruleset",))), None)
        if near is not None:
            message = f"there is no key `{near.raw}`"
            hint = suggestion(near.raw, ("ruleset",))
            return Checked(None, (Finding(codes.UNKNOWN_KEY, near.span, message, hint),))
        message = "`ruleset` is missing"
        hint = f"write `ruleset: …`; {suggestion('', content.ruleset_ids())}"
        return Checked(None, (Finding(codes.MISSING_KEY, source.start, message, hint),))
    found: list[Path] = []
    findings: list[Finding] = []
    for item in items_of(node) or (node,):
        if isinstance(item, ScalarNode) and item.raw:
            one = find_ruleset(item.raw, item.span, path.parent)
            findings += one.findings
            found += [folder for folder in one.value or () if folder not in found]
        else:
            message = "`ruleset` has to be the name of a ruleset"
            findings.append(Finding(codes.WRONG_TYPE, item.span, message))
    return Checked(tuple(found) if not findings else None, tuple(findings))


def is_ruleset(path: Path) -> bool:
    """Whether `path` is the folder of a ruleset."""
    return os.path.isfile(path / "ruleset.yaml")  # `Path.is_file` fails on names that are too long


def find_ruleset(name: str, span: Span, beside: Path) -> Checked[Folders]:
    """Return the folders that a name or a path beside a file names: one, or some, `a+b`."""
    found: list[Path] = []
    findings: list[Finding] = []
    for part in [name] if "/" in name or "\\" in name else name.split(JOINT):
        one = _find(part.strip(), span, beside)
        findings += one.findings
        found += [one.value] if one.value is not None and one.value not in found else []
    return Checked(None if findings else tuple(found), tuple(findings))


def _find(name: str, span: Span, beside: Path) -> Checked[Path]:
    if "/" in name or "\\" in name or name in (".", ".."):
        folder = beside / name
        if not os.path.exists(beside):  # a folder that is written later, as by an import
            folder = Path(os.path.normpath(folder))
        if is_ruleset(folder):
            return Checked(folder if os.path.islink(beside) else Path(os.path.normpath(folder)))
        message = f"the folder `{name}` has no ruleset.yaml"
        return Checked(None, (Finding(codes.UNKNOWN_RULESET, span, message),))
    if name and is_ruleset(content.rulesets_folder() / name):
        return Checked(content.rulesets_folder() / name)
    known = content.ruleset_ids()
    for shipped in (id_ for id_ in known if _plain(id_) == _plain(name)):
        return Checked(content.rulesets_folder() / shipped)
    packed = find_packed(beside)
    found = [folder for id_, folder in packed if _plain(id_) == _plain(name)]
    message = f"there is no ruleset `{name}`"
    hint = suggestion(name, (*known, *(id_ for id_, _ in packed)), "rulesets")
    if found and (first := pack_of(found[0])):
        same = [one for one in found if one.is_relative_to(first.parent)]
        if not same[1:]:
            return Checked(found[0])
        folders = " and ".join(f"`{os.path.relpath(one, first.parent)}`" for one in same)
        message = f"two packs have a ruleset `{name}`: {folders}"
        hint = "remove one of the packs"
    read = read_source(beside / name).value if name and os.path.isfile(beside / name) else None
    if is_ruleset(beside / name):
        hint = Hint(f"write `./{name}` for the folder", name, f"./{name}")
    elif read is not None and (own := raw_text(read.get("ruleset"))):
        hint = f"name a ruleset, such as that of this file: `{own}`"
    return Checked(None, (Finding(codes.UNKNOWN_RULESET, span, message, hint),))


def pack_of(path: Path) -> Path | None:
    """Return the folder of the pack that a file or folder is in, or None."""
    top = Path(os.path.abspath(path))
    found = next((f for f in (top, *top.parents) if os.path.isfile(f / PACK_FILE)), None)
    return found if found is None or path.is_absolute() else Path(os.path.relpath(found))


def packs_in(folder: Path) -> list[Path]:
    """Return the packs in the folder `packs` of a project."""
    return [file.parent for file in sorted((folder / PACKS).glob(f"[!.]*/{PACK_FILE}"))]


def rulesets_in(pack: Path) -> Iterator[tuple[str, Path]]:
    """Yield the rulesets in a pack: id and folder."""
    for depth in ("", "[!.]*/", "[!.]*/[!.]*/"):
        for head in sorted(pack.glob(f"{depth}ruleset.yaml")):
            read = read_source(head).value
            yield raw_text(read.get("id")) if read is not None else "", head.parent


def find_packed(beside: Path) -> list[tuple[str, Path]]:
    """Return the rulesets of packs that a file in a folder may name, the nearest first.

    They are those of its own pack, and of the folders `packs` beside it and in folders above.
    """
    top = Path(os.path.abspath(beside))
    packs = [
        pack
        for folder in (top, *top.parents)
        for pack in ([folder] if os.path.isfile(folder / PACK_FILE) else []) + packs_in(folder)
    ]
    known = [one for pack in dict.fromkeys(packs) for one in rulesets_in(pack)]
    below = not beside.is_absolute()
    return [(id_, Path(os.path.relpath(one)) if below else one) for id_, one in known]


_LICENCE: Final = re.compile(r"\(*[\w.+-]+\)*( (AND|OR|WITH) \(*[\w.+-]+\)*)*", re.ASCII)
_CREATIVE: Final = ("BY", "BY-SA", "BY-NC", "BY-NC-SA", "BY-ND", "BY-NC-ND")
LICENCES: Final = (
    *("CC0-1.0", *(f"CC-{one}-{v}" for v in ("4.0", "3.0", "2.5", "2.0") for one in _CREATIVE)),
    *("MIT", "MIT-0", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "Unlicense"),
    *("0BSD", "BSL-1.0", "MPL-2.0", "GPL-2.0-only", "GPL-2.0-or-later", "GPL-3.0-only"),
    *("GPL-3.0-or-later", "LGPL-3.0-only", "LGPL-3.0-or-later", "AGPL-3.0-only", "OFL-1.1"),
    *("AGPL-3.0-or-later", "GFDL-1.3-only", "GFDL-1.3-or-later", "OGL-UK-3.0", "FAL-1.3"),
)
"""Identifiers of SPDX that games use; others get a warning, as they may be misspelt."""

_OWN_TERMS: Final = "LicenseRef-"  # begins the identifier of a licence that SPDX does not list


def check_licence(licence: str, span: Span, code: codes.Code) -> Iterator[Finding]:
    """Yield a finding if `licence` is no SPDX expression, or has unusual identifiers."""
    if not _LICENCE.fullmatch(licence):
        hint = "write an identifier of spdx.org/licenses, such as `CC-BY-4.0`, or `LicenseRef-NAME`"
        yield Finding(code, span, f"`{licence}` is no SPDX licence", hint)
        return
    for id_ in (one.strip("()") for one in re.split(r" (?:AND|OR|WITH) ", licence)):
        if id_ not in LICENCES and not id_.startswith(_OWN_TERMS):
            message = f"`{id_}` is none of the licences that are usual for games"
            yield Finding(
                code, span, message, suggestion(id_, LICENCES, "licences"), Severity.WARNING
            )


def credit_pack(rules: Ruleset, path: Path) -> Ruleset:
    """Return `rules` with the credit and the licence of the pack that `path` is in, if any."""
    pack = pack_of(path)
    read = read_source(pack / PACK_FILE).value if pack is not None else None
    credit = raw_text(read.get("credit")) if read is not None else ""
    if read is None or not credit or credit in rules.credit.short:
        return rules
    # Behind it: prints end with the credit of the ruleset whose face they have.
    own = Credit(credit, credit, raw_text(read.get("licence")))
    digest = hashlib.sha256(f"{rules.digest} {read.digest}".encode()).hexdigest()
    return replace(rules, credit=join_credits([own, rules.credit]), digest=digest)


def join_credits(credits: Sequence[Credit]) -> Credit:
    """Return the credit of a print of several sources; what they share is said once."""
    licences = (one for credit in credits for one in credit.licence.split(" AND "))
    return Credit(
        short=" ".join(dict.fromkeys(c.short for c in credits)),
        long=" ".join(dict.fromkeys(c.long for c in credits)),
        licence=" AND ".join(dict.fromkeys(filter(None, licences))),
        changes="; ".join(dict.fromkeys(c.changes for c in credits if c.changes)),
    )


def _plain(name: str) -> str:
    """Return a name as it is compared: in any case, with or without hyphens and spaces."""
    return re.sub(r"[-_ ]", "", name).casefold()


def layers_of(folder: Path) -> Folders:
    """Return the folder of a ruleset and those of all that it extends, the base first."""
    return _find_layers((folder,), [])


def load_complete(rules: Ruleset) -> Ruleset | None:
    """Return a loaded ruleset with the files in `APART`; None if they cannot be read."""
    folders = tuple(Path(origin.folder) for origin in rules.composition.origins)
    switches = {f"{OPTION}{id_}": module.on for id_, module in rules.composition.modules.items()}
    loaded = load_ruleset(folders, complete=True, switches=switches).value
    return loaded and replace(loaded, credit=rules.credit)


def load_ruleset(
    folders: Path | Folders, *, complete: bool = False, switches: Mapping[str, bool] | None = None
) -> Checked[Ruleset]:
    """Return the ruleset in a folder, or in several, one over the other, with findings.

    `complete`: with the files in `APART`, which only tables, proofs and fights need.
    `switches`: which modules are on, by the name of their option.
    """
    findings: list[Finding] = []
    named = (folders,) if isinstance(folders, Path) else folders
    layers: list[_Layer] = []
    digests = ["complete" if complete else "in part"]
    for folder in _find_layers(named, findings):
        if not (sources := _sources(folder, complete, findings, digests)):
            message = "this folder has no ruleset"
            if not any(finding.code is codes.UNKNOWN_KEY for finding in findings):
                findings.append(Finding(codes.EMPTY, Span(str(folder)), message))
            continue
        root = Pairs(Span(str(folder / "ruleset.yaml")), ())
        for source in sources:
            assert isinstance(source.root, Pairs)
            kept: list[tuple[str, ScalarNode, Node]] = []
            tree = expand_rows(source.root, folder, findings, digests)
            root, _ = merge_trees(root, tree, kept=kept, lists=False)
            for _, key, other in kept:
                message = f"`{key.raw}` is in {Path(other.span.file).name} too"
                found = Finding(codes.REPEATED_KEY, key.span, message, "keep one of the two")
                findings.append(found)
        layers.append(_Layer(folder, root))
    if not layers or any(finding.code in _HOPELESS for finding in findings):
        return Checked(None, tuple(findings))
    root, composition = _merge_layers(layers, digests, switches or {}, findings, complete)
    pips = root.get("pips")
    has_pips = isinstance(pips, ScalarNode) and pips.value is True
    shaper = Shaper(pips=has_pips, formulas=True)
    rules = shaper.read(root, Ruleset, "ruleset")
    # What a file that could not be read says is not missing.
    unread = bool(errors(findings))
    lacking = codes.MISSING_KEY, root.span
    findings += [f for f in shaper.findings if not unread or (f.code, f.span) != lacking]
    if rules is None:
        return Checked(None, tuple(findings))
    face = None  # that of the last layer that has one: an id, or the path of its own file
    for layer in layers:
        node = layer.root.get("face")
        if os.path.isfile(own := layer.folder / FACE_FILE):
            face = Text(str(own.absolute()), Span(str(own)))
        elif isinstance(node, ScalarNode) and node.raw:
            face = Text(node.raw, node.span)
    place = layers[0].root.span
    digest = hashlib.sha256("".join(digests).encode()).hexdigest()
    derived = {**rules.derived, **find_columns(rules.groups)}
    kinds = {
        id_: replace(kind, choices=with_levels(kind.choices, kind.character, findings))
        for id_, kind in rules.kinds.items()
    }
    for id_, kind in kinds.items():
        if kind.folder and kind.based_on is None and id_ not in kind.character:
            character = {**kind.character, id_: Key(kind="text")}
            kinds[id_] = replace(kind, based_on=Text(id_, place), character=character)
    choices = with_levels(rules.choices, rules.character, findings)
    rules = replace(rules, derived=derived, choices=choices, kinds=kinds, place=place)
    rules = replace(rules, digest=digest, face=face, composition=composition)
    rules = _find_designs(rules, [layer.folder for layer in layers])
    rules = _name_layers(rules, layers, findings)
    for layer in layers:
        rules = credit_pack(rules, layer.folder)
    return Checked(rules, tuple(findings))


def _find_designs(rules: Ruleset, folders: Sequence[Path]) -> Ruleset:
    """Return `rules` with the paths of the designs that are in its own folders.

    A name is looked up in the folder of the layer that it is written in. A name that leads to
    no design stays as it is: the checker reports it.
    """

    def find(name: Text, file: str) -> Text:
        if os.path.isabs(name):  # only what is found below is a path
            return Text(PurePath(name).name, name.span)
        if not name.startswith(content.OWN):
            return name
        inside = (one for one in folders if Path(name.span.file).is_relative_to(one))
        path = content.find_own_design(name, next(inside, folders[0]), file)
        return Text(path, name.span) if path else name

    sheet = rules.sheet and find(rules.sheet, content.SHEET_FILE)
    kinds = {
        id_: replace(kind, card=find(kind.card, content.CARD_FILE)) if kind.card else kind
        for id_, kind in rules.kinds.items()
    }
    cards = ((id_, one, find(one.card, content.CARD_FILE)) for id_, one in rules.card_sets.items())
    sets = {id_: replace(one, card=card) for id_, one, card in cards}
    return replace(rules, sheet=sheet, kinds=kinds, card_sets=sets)


def _sources(
    folder: Path, whole: bool, findings: list[Finding], digests: list[str]
) -> list[Source]:
    """Return the files of a ruleset, and add the digests of all, also of those not loaded.

    What is cached for the ruleset may be made of any of them, such as the odds on its sheets.
    """
    sources = []
    for path in sorted(folder.glob("*.yaml")):
        text = read_text(path).value
        digests += [path.name, text[1] if text is not None else ""]
        if path.name in (FACE_FILE, PACK_FILE) or (path.name in APART and not whole):
            continue
        read = read_source(path)
        findings += read.findings
        root = read.value.root if read.value is not None else None
        if read.value is None or not isinstance(root, Pairs):
            continue
        own = next((key for key, _ in root.entries if key.raw in _OF_OTHER_FILES), None)
        if own is None:
            sources.append(read.value)
        elif own.raw == "ruleset" and path.name == "ruleset.yaml":
            message = "`ruleset` is a key of characters' files; the name of a ruleset is its `id`"
            found = Hint("write `id` instead", own.raw, "id")
            findings.append(Finding(codes.UNKNOWN_KEY, own.span, message, found))
        else:
            what, hint = _OF_OTHER_FILES[own.raw]
            message = f"this file {what}, so it is no part of the ruleset beside it"
            findings.append(Finding(codes.OTHER_KIND, own.span, message, hint, Severity.WARNING))
    return sources


def load_credits() -> tuple[str, ...]:
    """Return the long credit of every ruleset that comes with us."""
    loaded = (load_ruleset(content.rulesets_folder() / id_).value for id_ in content.ruleset_ids())
    return tuple(f"{rules.title}. {rules.credit.long}" for rules in loaded if rules)


@frozen
class _Patch:
    """A module's file: its head, what it adds, and what it changes by place."""

    head: Head
    add: Pairs | None
    change: tuple[tuple[ScalarNode, Node], ...]
    origin: Origin
    source: Source


@dataclass
class _Patched:
    """A ruleset's tree with modules applied to it."""

    root: Pairs
    complete: bool  # Whether all files of the ruleset were loaded.
    findings: list[Finding]
    # The module that wrote a place, and its own place in the module's file.
    written: dict[str, tuple[_Patch, Span]] = field(default_factory=dict)

    def is_unloaded(self, path: str, *, alone: bool = False) -> bool:
        """Whether `path` is in a file that was not loaded; with `alone`, only in such a file."""
        top = path.split(".")[0]
        return not self.complete and top in (_PARTS_APART if alone else (*_PARTS_APART, "tables"))

    def apply(self, patch: _Patch) -> None:
        """Apply a module to a tree: what it merges, removes, changes and adds, in this order."""
        for into, others in patch.head.merge.items():
            self.merge(patch, str(into), others)
        for removed in patch.head.remove:
            self.write(patch, str(removed), removed.span, None, "removes")
        for key, node in patch.change:
            self.write(patch, key.raw, key.span, node, "changes")
        if patch.add is not None:
            kept: list[tuple[str, ScalarNode, Node]] = []
            for entry in patch.add.entries:
                if self.is_unloaded(entry[0].raw, alone=True):
                    continue
                if (tree := _at_path(self.root, *entry)) is None:
                    path, span = entry[0].raw.rpartition(".")[0], entry[0].span
                    self.findings.append(self.nowhere(path, span, "adds to"))
                    continue
                self.root, places = merge_trees(self.root, tree, kept=kept)
                for path, key in places.items():
                    self.written[path] = patch, key.span
            for path, key, _ in kept:
                if (clash := self.clash(path, key.span, patch)) is None:
                    message = f"`{path}` exists already"
                    hint = f"write it under `change`: `{path}: …`"
                    clash = Finding(codes.REPEATED_KEY, key.span, message, hint)
                self.findings.append(clash)

    def merge(self, patch: _Patch, into: str, others: tuple[Text, ...]) -> None:
        """Merge traits into one: their names become aliases of the first."""
        groups = self.root.get("groups")
        found = {
            trait.raw: (f"groups.{group.raw}.traits.{trait.raw}", node)
            for group, below in (groups.entries if isinstance(groups, Pairs) else ())
            if isinstance(below, Pairs) and isinstance(traits := below.get("traits"), Pairs)
            for trait, node in traits.entries
        }
        for name in (into, *others):
            if name not in found:
                span = nodes.text_place(name, patch.head.module.span)
                hint = suggestion(name, found, "traits")
                message = f"there is no trait `{name}` to merge"
                self.findings.append(Finding(codes.NO_PLACE, span, message, hint))
                return
        path, first = found[into]
        assert isinstance(first, Pairs)
        names: list[Node] = []
        for other in others:
            place, node = found[str(other)]
            self.write(patch, place, other.span, None, "merges")
            if isinstance(node, Pairs):
                names += [*items_of(node.get("name")), *items_of(node.get("aliases"))]
        absorbed = Many(first.span, tuple(names))
        entries = [e for e in first.entries if e[0].raw not in ("aliases", "absorbs")]
        every = Many(first.span, (*items_of(first.get("aliases")), *names))
        entries += [(ScalarNode(first.span, "aliases", "aliases"), every)]
        entries += [(ScalarNode(first.span, "absorbs", "absorbs"), absorbed)]
        keys = keys_of(self.root, path)
        assert keys is not None
        self.root = replace_at(self.root, keys, Pairs(first.span, tuple(entries)))

    def write(self, patch: _Patch, path: str, span: Span, node: Node | None, verb: str) -> None:
        if (clash := self.clash(path, span, patch)) is not None:
            self.findings.append(clash)
            return
        if (keys := keys_of(self.root, path)) is None:
            if not self.is_unloaded(path):
                self.findings.append(self.nowhere(path, span, verb))
            return
        self.root = replace_at(self.root, keys, node)
        self.written[path] = patch, span

    def clash(self, path: str, span: Span, patch: _Patch) -> Finding | None:
        for other, (who, where) in self.written.items():
            inside = other.startswith(f"{path}.") or path.startswith(f"{other}.")
            if who is not patch and (other == path or inside):
                ours, place = patch.head.module, f"{Path(where.file).name}, line {where.line}"
                message = f"`{who.head.module}` and `{ours}` both write `{path}`"
                hint = f"switch one off, `--set {OPTION}{ours}=no`; the other is in {place}"
                return Finding(codes.TWO_MODULES, span, message, hint)
        return None

    def nowhere(self, path: str, span: Span, verb: str) -> Finding:
        """Return the finding that a place does not exist, with a hint of the keys near it."""
        parts, root = path.split("."), self.root
        while parts and keys_of(root, ".".join(parts)) is None:
            parts.pop()
        node: Node = root
        for key in keys_of(root, ".".join(parts)) or ():
            assert isinstance(node, Pairs)
            node = node.get(key) or node
        missing = path[len(".".join(parts)) :].lstrip(".").split(".")[0]
        known = [key.raw for key, _ in node.entries] if isinstance(node, Pairs) else []
        where = f" in `{'.'.join(parts)}`" if parts else ""
        message = f"the module {verb} `{path}`; there is no `{missing}`{where}"
        return Finding(codes.NO_PLACE, span, message, suggestion(missing, known))


def modules_in(folder: Path, origin: Origin, findings: list[Finding]) -> Iterator[_Patch]:
    """Yield the modules of the ruleset in `folder`, in the order of their file names."""
    for path in sorted((folder / FOLDER).glob("*.yaml")):
        read = read_source(path)
        findings += read.findings
        if read.value is None or not isinstance(read.value.root, Pairs):
            continue
        root, shaper = read.value.root, Shaper()
        plain = Pairs(root.span, tuple(e for e in root.entries if e[0].raw not in _TREES))
        head = shaper.read(plain, Head, "module")
        findings += shaper.findings
        for name in _TREES:
            if (node := root.get(name)) is not None and not isinstance(node, Pairs):
                message = f"`{name}` has to be a mapping"
                findings.append(Finding(codes.WRONG_TYPE, node.span, message))
        add, change = (root.get(name) for name in _TREES)
        if head is not None:
            entries = change.entries if isinstance(change, Pairs) else ()
            yield _Patch(head, add if isinstance(add, Pairs) else None, entries, origin, read.value)


def switches_of(root: Node | None, chosen: Mapping[str, str]) -> dict[str, bool]:
    """Return which modules a file and the command switch; other values are found later."""
    options = root.get("options") if isinstance(root, Pairs) else None
    entries = options.entries if isinstance(options, Pairs) else ()
    raw = {key.raw: node.raw for key, node in entries if isinstance(node, ScalarNode)}
    words = {name.strip().lower(): text.strip().lower() for name, text in {**raw, **chosen}.items()}
    modules = {name: word for name, word in words.items() if name.startswith(OPTION)}
    return {name: word in _YES for name, word in modules.items() if word in (*_YES, *_NO)}


def _active_modules(
    patches: list[_Patch], switches: Mapping[str, bool], findings: list[Finding]
) -> dict[str, Module]:
    """Return the modules by id; a module is on if it is switched on and none replaces it."""
    by_id: dict[str, _Patch] = {}
    for name, patch in ((patch.head.module, patch) for patch in patches):
        if (first := by_id.setdefault(str(name), patch)) is not patch:
            message = f"`{name}` is a module of {first.origin.title} already"
            findings.append(Finding(codes.REPEATED_KEY, name.span, message, "rename one"))
    on = {id_: switches.get(OPTION + id_, p.head.default) for id_, p in by_id.items()}
    for _ in by_id:  # one may require another that requires a third
        for id_, patch in by_id.items():
            on[id_] = on[id_] and all(on.get(str(other), False) for other in patch.head.requires)
    replaced: dict[str, list[_Patch]] = {}
    for id_, patch in by_id.items():
        for other in (*patch.head.replaces, *patch.head.requires):
            if other not in by_id:
                hint = suggestion(other, by_id, "modules")
                message = f"there is no module `{other}`"
                findings.append(Finding(codes.NO_PLACE, other.span, message, hint))
        for other in patch.head.replaces if on[id_] else ():
            replaced.setdefault(str(other), []).append(patch)
    for id_, several in replaced.items():
        if len(several) > 1:
            findings.append(_both(id_, several))
            on |= {str(patch.head.module): False for patch in several[1:]}  # one finding is enough
        elif switches.get(OPTION + id_):
            findings.append(_both("", [by_id[id_], several[0]]))
    modules = {}
    for id_, patch in by_id.items():
        by = str(replaced[id_][0].head.module) if id_ in replaced else ""
        is_on, head = on[id_] and not by, patch.head
        modules[id_] = Module(id_, head.label, head.text, is_on, patch.origin, by)
    return modules


def _both(replaced: str, several: list[_Patch]) -> Finding:
    who = " and ".join(f"`{p.head.module}` ({p.origin.title})" for p in several)
    what = f"both replace `{replaced}`" if replaced else "cannot be on together"
    switches = " or ".join(f"`{OPTION}{p.head.module}: no`" for p in several)
    hint = f"write {switches} under `options`, or use `--set {OPTION}NAME=no`"
    return Finding(codes.TWO_MODULES, several[-1].head.module.span, f"{who} {what}", hint)


def _at_path(root: Pairs, key: ScalarNode, node: Node) -> Pairs | None:
    """Return an entry of `add` as a tree; its key may be a path: `groups.skills.traits.NAME`.

    None is for a path below a place that does not exist.
    """
    above, _, last = key.raw.rpartition(".")
    if key.raw.startswith("options."):  # their ids have dots of their own
        above, _, last = key.raw.partition(".")
    known = keys_of(root, above) if root.get(key.raw) is None else ()
    if known is None and "." in above:
        return None
    known = (above,) if known is None else known
    for name in (last or key.raw, *reversed(known)) if known else (key.raw,):
        node = Pairs(key.span, ((replace(key, raw=name, value=name), node),))
    assert isinstance(node, Pairs)
    return node


@frozen
class _Layer:
    """One ruleset: its folder and the tree of its files."""

    folder: Path
    root: Pairs

    @property
    def origin(self) -> Origin:
        id_, title = (raw_text(self.root.get(key)) for key in ("id", "title"))
        return Origin(id_, title, str(self.folder))


def _find_layers(folders: tuple[Path, ...], findings: list[Finding]) -> tuple[Path, ...]:
    """Return the folders of `folders` and of all that they extend, the base first."""
    found: list[Path] = []
    for folder in folders:
        path, span = [folder], Span(str(folder / "ruleset.yaml"))
        while (below := _extends(path[-1], findings)) is not None and len(path) <= MOST:
            if below in path:
                message = "these rulesets extend each other"
                hint = "take `extends` out of the one that is the base"
                findings.append(Finding(codes.CYCLE, span, message, hint))
                break
            path.append(below)
        if found and path[-1] != found[0]:
            message = f"{folder.name} does not extend {found[0].name}"
            hint = "use rulesets together that have the same base"
            findings.append(Finding(codes.TWO_MODULES, span, message, hint))
            continue
        found += [one for one in reversed(path) if one not in found]
    return tuple(found)


def _extends(folder: Path, findings: list[Finding]) -> Path | None:
    head = folder / "ruleset.yaml"
    read = read_source(head) if os.path.isfile(head) else None
    node = read.value.get("extends") if read is not None and read.value is not None else None
    if node is None:
        return None
    if not isinstance(node, ScalarNode) or not node.raw:
        message = "`extends` has to be the id of one ruleset, or the path of its folder"
        hint = "write the id of one ruleset, or leave it out"
        findings.append(Finding(codes.WRONG_TYPE, node.span, message, hint))
        return None
    below = _find(node.raw, node.span, folder)
    findings += below.findings
    return below.value


def _merge_layers(
    layers: Sequence[_Layer],
    digests: list[str],
    switches: Mapping[str, bool],
    findings: list[Finding],
    complete: bool,
) -> tuple[Pairs, Composition]:
    """Return one tree of `layers`, the base first, with the modules that are on."""
    patches: list[_Patch] = []
    for layer in layers:
        node = layer.root.get("extends")
        if node is not None and Path(node.span.file).name != "ruleset.yaml":
            hint = "move it to ruleset.yaml"
            message = "`extends` is read in ruleset.yaml only"
            findings.append(Finding(codes.WRONG_TYPE, node.span, message, hint))
        patches += modules_in(layer.folder, layer.origin, findings)
    modules = _active_modules(patches, switches, findings)
    patched = _Patched(layers[0].root, complete, findings)
    active = [patch for patch in patches if modules[str(patch.head.module)].on]
    for layer in layers:
        if layer is not layers[0]:
            plain = tuple(e for e in layer.root.entries if e[0].raw not in HEAD)
            kept: list[tuple[str, ScalarNode, Node]] = []
            patched.root, _ = merge_trees(patched.root, Pairs(layer.root.span, plain), kept=kept)
            for path, key, other in kept:
                message = f"`{path}` is in {Path(other.span.file).name} of the base already"
                hint = "write it under `change` in a module"
                findings.append(Finding(codes.REPEATED_KEY, key.span, message, hint))
        for patch in active:
            if patch.origin == layer.origin:
                patched.apply(patch)
    for need in (need for patch in active for need in patch.head.needs):
        if keys_of(patched.root, need) is None and not patched.is_unloaded(need):
            findings.append(patched.nowhere(need, need.span, "needs"))
    if patches:  # options switch modules
        entries = []
        for patch in patches:
            module, span = modules[str(patch.head.module)], patch.head.module.span
            option = {
                "default": ScalarNode(span, module.on, "true" if module.on else "false"),
                "values": ScalarNode(span, "yes or no", "yes or no"),
                "text": ScalarNode(span, module.label, module.label),
                "ruling": ScalarNode(span, patch.head.ruling, patch.head.ruling, quoted=True),
            }
            pairs = Pairs(span, tuple((ScalarNode(span, k, k), node) for k, node in option.items()))
            name = f"{OPTION}{patch.head.module}"
            entries.append((ScalarNode(span, name, name), pairs))
        options = Pairs(Span("modules"), tuple(entries))
        key = ScalarNode(options.span, "options", "options")
        patched.root, _ = merge_trees(patched.root, Pairs(patched.root.span, ((key, options),)))
    digests += [patch.source.digest for patch in patches]
    digests += [f"{id_}={module.on}" for id_, module in modules.items()]
    root = Pairs(patched.root.span, tuple(e for e in patched.root.entries if e[0].raw != "extends"))
    return root, Composition(tuple(layer.origin for layer in layers), modules)


def _name_layers(rules: Ruleset, layers: Sequence[_Layer], findings: list[Finding]) -> Ruleset:
    tops = layers[1:]
    shaper, credits = Shaper(), [rules.credit]
    for layer in tops:
        head: dict[str, Any] = {}  # the values that are of the right type
        for key, spec in model_fields(Ruleset).items():
            node = layer.root.get(key) if key in HEAD else None
            if node is not None and key != "extends":
                value = shaper.read(node, spec.kind, key)
                head |= {key: value} if value is not None else {}
            elif node is None and spec.needed:
                message = f"`ruleset` needs a value for `{key}`"
                shaper.findings.append(Finding(codes.MISSING_KEY, layer.root.span, message))
        credits += [head["credit"]] if "credit" in head else []
        rules = replace(rules, lang=head.get("lang", rules.lang))
        pips = layer.root.get("pips")
        if pips is not None and head.get("pips", rules.pips) is not rules.pips:
            message = f"`pips` is `{str(rules.pips).lower()}` in the base of this overlay"
            hint = "leave `pips` out: the base says how its codes are read"
            shaper.findings.append(Finding(codes.WRONG_TYPE, pips.span, message, hint))
    findings += shaper.findings
    for layer in layers:
        node = layer.root.get("format")
        if isinstance(node, ScalarNode) and type(node.value) is int and node.value != FORMAT:
            message = f"format {node.raw} is not read by this version, only {FORMAT}"
            hint = f"write `format: {FORMAT}`"
            findings.append(Finding(codes.WRONG_TYPE, node.span, message, hint))
        node = layer.root.get("lang")
        tag = node.raw if isinstance(node, ScalarNode) and node.value is not None else "en"
        if node is not None and not _LANGUAGE_TAG.fullmatch(tag):
            message, hint = "`lang` has to be a language tag", "write one such as `en` or `pt-BR`"
            findings.append(Finding(codes.WRONG_TYPE, node.span, message, hint))
    if not tops:
        return rules
    id_ = Text("+".join(layer.origin.id for layer in tops), rules.place)
    title = " + ".join((rules.title, *(layer.origin.title for layer in tops)))
    return replace(rules, id=id_, title=title, credit=join_credits(credits))


def origin_of_table(rules: Ruleset, id_: str) -> Origin | None:
    """Return the overlay that a table comes from; None for the base."""
    key = next((key for key in rules.tables if key == id_), None)
    return origin_of(rules, key.span) if isinstance(key, Text) else None


def origin_of(rules: Ruleset, span: Span) -> Origin | None:
    """Return the overlay whose files have a place; None for the base."""
    above = rules.composition.origins[1:]
    return next((one for one in above if Path(span.file).is_relative_to(one.folder)), None)
