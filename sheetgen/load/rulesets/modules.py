"""Modules: parts of a ruleset that can be switched on and off, and that change the ruleset.

No module overrides another silently: a change of a place that does not exist is a finding, and
so are two modules that write the same place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.shapes import Shaper
from sheetgen.load.sources import read_source
from sheetgen.load.tree_paths import keys_of, merge_trees, replace_at
from sheetgen.model.rulesets.origins import Head, Module, Origin
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source, Text, items_of, text_place
from sheetgen.records import frozen

FOLDER: Final = "modules"
OPTION: Final = "modules."
"""The prefix of the option that switches a module."""

_YES: Final = ("yes", "true")
_NO: Final = ("no", "false")
_TREES: Final = ("add", "change")


@frozen
class Patch:
    """A module's file: its head, what it adds, and what it changes by place."""

    head: Head
    add: Pairs | None
    change: tuple[tuple[ScalarNode, Node], ...]
    origin: Origin
    source: Source


@dataclass
class Patched:
    """A ruleset's tree with modules applied to it.

    Attributes:
        complete: Whether all files of the ruleset were loaded.
        written: The module that wrote a place, and its own place in the module's file.
    """

    root: Pairs
    complete: bool = True
    findings: list[Finding] = field(default_factory=list)
    written: dict[str, tuple[Patch, Span]] = field(default_factory=dict)

    def is_unloaded(self, path: str, *, alone: bool = False) -> bool:
        """Whether `path` is in a file that was not loaded; with `alone`, only in such a file."""
        top = path.split(".")[0]
        return not self.complete and top in (APART if alone else (*APART, "tables"))


APART: Final = ("references", "proof", "screens", "encounter", "pieces", "card_sets", "odds")
"""Parts of a ruleset in files that are not always loaded; `tables` are in part."""


def modules_in(folder: Path, origin: Origin, findings: list[Finding]) -> Iterator[Patch]:
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
        trees = {name: _tree(root.get(name), name, findings) for name in _TREES}
        if head is not None:
            change = trees["change"].entries if trees["change"] else ()
            yield Patch(head, trees["add"], change, origin, read.value)


def _tree(node: Node | None, name: str, findings: list[Finding]) -> Pairs | None:
    if node is None or isinstance(node, Pairs):
        return node
    message = f"`{name}` has to be a mapping"
    findings.append(Finding(codes.WRONG_TYPE, node.span, message))
    return None


def switches_of(root: Node | None, chosen: Mapping[str, str]) -> dict[str, bool]:
    """Return which modules a file and the command switch; other values are found later."""
    options = root.get("options") if isinstance(root, Pairs) else None
    entries = options.entries if isinstance(options, Pairs) else ()
    raw = {key.raw: node.raw for key, node in entries if isinstance(node, ScalarNode)}
    words = {name.strip().lower(): text.strip().lower() for name, text in {**raw, **chosen}.items()}
    return {
        name: word in _YES
        for name, word in words.items()
        if name.startswith(OPTION) and word in (*_YES, *_NO)
    }


def active_modules(
    patches: list[Patch], switches: Mapping[str, bool], findings: list[Finding]
) -> dict[str, Module]:
    """Return the modules by id; a module is on if it is switched on and none replaces it."""
    by_id: dict[str, Patch] = {}
    for name, patch in ((patch.head.module, patch) for patch in patches):
        if (first := by_id.setdefault(str(name), patch)) is not patch:
            message = f"`{name}` is a module of {first.origin.title} already"
            findings.append(Finding(codes.REPEATED_KEY, name.span, message, "rename one"))
    on = {id_: switches.get(OPTION + id_, p.head.default) for id_, p in by_id.items()}
    for _ in by_id:  # one may require another that requires a third
        for id_, patch in by_id.items():
            on[id_] = on[id_] and all(on.get(str(other), False) for other in patch.head.requires)
    replaced: dict[str, list[Patch]] = {}
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
    return {
        id_: Module(
            id_,
            patch.head.label,
            patch.head.text,
            on[id_] and id_ not in replaced,
            patch.origin,
            str(replaced[id_][0].head.module) if id_ in replaced else "",
        )
        for id_, patch in by_id.items()
    }


def _both(replaced: str, several: list[Patch]) -> Finding:
    """Return the finding that only one of `several` can be on."""
    who = " and ".join(f"`{p.head.module}` ({p.origin.title})" for p in several)
    what = f"both replace `{replaced}`" if replaced else "cannot be on together"
    switches = " or ".join(f"`{OPTION}{p.head.module}: no`" for p in several)
    hint = f"write {switches} under `options`, or use `--set {OPTION}NAME=no`"
    return Finding(codes.TWO_MODULES, several[-1].head.module.span, f"{who} {what}", hint)


def check_module_needs(patched: Patched, patch: Patch) -> None:
    """Find places that a module needs and the finished tree does not have."""
    for need in patch.head.needs:
        if keys_of(patched.root, need) is None and not patched.is_unloaded(need):
            patched.findings.append(_nowhere(patched, need, need.span, "needs"))


def apply_module(patched: Patched, patch: Patch) -> None:
    """Apply a module to a tree: what it merges, removes, changes and adds, in this order."""
    for into, others in patch.head.merge.items():
        _merge(patched, patch, str(into), others)
    for removed in patch.head.remove:
        _write(patched, patch, str(removed), removed.span, None, "removes")
    for key, node in patch.change:
        _write(patched, patch, key.raw, key.span, node, "changes")
    if patch.add is not None:
        kept: list[tuple[str, ScalarNode, Node]] = []
        for entry in patch.add.entries:
            if patched.is_unloaded(entry[0].raw, alone=True):
                continue
            tree = _at_path(patched.root, *entry)
            if tree is None:
                path, span = entry[0].raw.rpartition(".")[0], entry[0].span
                patched.findings.append(_nowhere(patched, path, span, "adds to"))
                continue
            patched.root, places = merge_trees(patched.root, tree, kept=kept)
            for path, key in places.items():
                patched.written[path] = patch, key.span
        for path, key, _ in kept:
            patched.findings.append(_there(patched, path, key.span, patch))


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


def _merge(patched: Patched, patch: Patch, into: str, others: tuple[Text, ...]) -> None:
    """Merge traits into one: their names become aliases of the first."""
    groups = patched.root.get("groups")
    found = {
        trait.raw: (f"groups.{group.raw}.traits.{trait.raw}", node)
        for group, below in (groups.entries if isinstance(groups, Pairs) else ())
        if isinstance(below, Pairs) and isinstance(traits := below.get("traits"), Pairs)
        for trait, node in traits.entries
    }
    for name in (into, *others):
        if name not in found:
            span = text_place(name, patch.head.module.span)
            hint = suggestion(name, found, "traits")
            message = f"there is no trait `{name}` to merge"
            patched.findings.append(Finding(codes.NO_PLACE, span, message, hint))
            return
    path, first = found[into]
    assert isinstance(first, Pairs)
    names: list[Node] = []
    for other in others:
        place, node = found[str(other)]
        _write(patched, patch, place, other.span, None, "merges")
        names += _names(node)
    absorbed = Many(first.span, tuple(names))
    entries = [e for e in first.entries if e[0].raw not in ("aliases", "absorbs")]
    every = Many(first.span, (*items_of(first.get("aliases")), *names))
    entries += [(ScalarNode(first.span, "aliases", "aliases"), every)]
    entries += [(ScalarNode(first.span, "absorbs", "absorbs"), absorbed)]
    keys = keys_of(patched.root, path)
    assert keys is not None
    patched.root = replace_at(patched.root, keys, Pairs(first.span, tuple(entries)))


def _names(trait: Node) -> list[Node]:
    """Return the nodes of a trait's name and aliases."""
    if not isinstance(trait, Pairs):
        return []
    return [*items_of(trait.get("name")), *items_of(trait.get("aliases"))]


def _write(
    patched: Patched, patch: Patch, path: str, span: Span, node: Node | None, verb: str
) -> None:
    clash = _clash(patched, path, patch)
    if clash is not None:
        patched.findings.append(_conflict(path, span, patch, *clash))
        return
    keys = keys_of(patched.root, path)
    if keys is None:
        if not patched.is_unloaded(path):
            patched.findings.append(_nowhere(patched, path, span, verb))
        return
    patched.root = replace_at(patched.root, keys, node)
    patched.written[path] = patch, span


def _clash(patched: Patched, path: str, patch: Patch) -> tuple[Patch, Span] | None:
    """Return the other module that wrote `path`, or a place around or inside it."""
    for other, (who, span) in patched.written.items():
        inside = other.startswith(f"{path}.") or path.startswith(f"{other}.")
        if who is not patch and (other == path or inside):
            return who, span
    return None


def _conflict(path: str, span: Span, patch: Patch, who: Patch, where: Span) -> Finding:
    ours, theirs = patch.head.module, who.head.module
    message = f"`{theirs}` and `{ours}` both write `{path}`"
    place = f"{Path(where.file).name}, line {where.line}"
    hint = f"switch one off, `--set {OPTION}{ours}=no`; the other is in {place}"
    return Finding(codes.TWO_MODULES, span, message, hint)


def _there(patched: Patched, path: str, span: Span, patch: Patch) -> Finding:
    clash = _clash(patched, path, patch)
    if clash is not None:
        return _conflict(path, span, patch, *clash)
    message = f"`{path}` exists already"
    return Finding(codes.REPEATED_KEY, span, message, f"write it under `change`: `{path}: …`")


def _nowhere(patched: Patched, path: str, span: Span, verb: str) -> Finding:
    """Return the finding that a place does not exist, with a hint of the keys near it."""
    parts, root = path.split("."), patched.root
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


def options_node(modules: Mapping[str, Module], patches: list[Patch]) -> Pairs:
    """Return the options that switch modules, as nodes of a file."""
    entries = []
    for patch in patches:
        module, span = modules[str(patch.head.module)], patch.head.module.span
        option = {
            "default": ScalarNode(span, module.on, "true" if module.on else "false"),
            "values": ScalarNode(span, "yes or no", "yes or no"),
            "text": ScalarNode(span, module.label, module.label, quoted=False),
            "ruling": ScalarNode(span, patch.head.ruling, patch.head.ruling, quoted=True),
        }
        pairs = Pairs(span, tuple((ScalarNode(span, k, k), node) for k, node in option.items()))
        name = f"{OPTION}{patch.head.module}"
        entries.append((ScalarNode(span, name, name), pairs))
    return Pairs(Span("modules"), tuple(entries))
