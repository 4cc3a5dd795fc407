"""Rulesets laid over others: which stand below which, and one tree made of them all."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.spans import Span
from sheetgen.load.rulesets.modules import (
    Patch,
    Patched,
    active_modules,
    apply_module,
    check_module_needs,
    modules_in,
    options_node,
)
from sheetgen.load.shapes import Shaper
from sheetgen.load.sources import read_source
from sheetgen.load.tree_paths import merge_trees
from sheetgen.model.rulesets.origins import Composition, Origin
from sheetgen.model.rulesets.ruleset import Credit, Ruleset
from sheetgen.model.source import Node, Pairs, ScalarNode, Text

HEAD: Final = ("id", "title", "version", "format", "credit", "lang", "extends", "pips")
"""Keys that each ruleset has for itself; an overlay's do not go into the tree."""

MOST: Final = 8
"""Rulesets over each other; nobody plays by more."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One ruleset as read: its folder and its tree."""

    folder: Path
    root: Pairs

    def head_value(self, key: str) -> str:
        """Return what a key of its head says."""
        node = self.root.get(key)
        return node.raw if isinstance(node, ScalarNode) else ""

    @property
    def origin(self) -> Origin:
        """What it is called, and where it stands."""
        return Origin(self.head_value("id"), self.head_value("title"), str(self.folder))


@dataclass(frozen=True, slots=True)
class Laid:
    """One tree made of all layers, what it is made of, and all files' digests."""

    root: Pairs
    composition: Composition
    layers: tuple[Layer, ...]
    digests: tuple[str, ...]
    findings: tuple[Finding, ...]


Find = Callable[[str, Span, Path], Checked[Path]]


def chain(folders: tuple[Path, ...], find: Find, findings: list[Finding]) -> tuple[Path, ...]:
    """Return the folders of `folders` and of all that they extend, the lowest first."""
    found: list[Path] = []
    for folder in folders:
        way = [folder]
        while (below := _extends(way[-1], find, findings)) is not None and len(way) <= MOST:
            if below in way:
                span = Span(str(folder / "ruleset.yaml"))
                message = "these rulesets extend each other"
                findings.append(Finding(codes.CYCLE, span, message, "one of them is the base"))
                break
            way.append(below)
        if found and way[-1] != found[0]:
            span = Span(str(folder / "ruleset.yaml"))
            message = f"{folder.name} does not extend {found[0].name}"
            hint = "rulesets that are used together have the same base"
            findings.append(Finding(codes.TWO_MODULES, span, message, hint))
            continue
        found += [one for one in reversed(way) if one not in found]
    return tuple(found)


def _extends(folder: Path, find: Find, findings: list[Finding]) -> Path | None:
    head = folder / "ruleset.yaml"
    read = read_source(head) if os.path.isfile(head) else None
    root = read.value.root if read is not None and read.value is not None else None
    node = root.get("extends") if isinstance(root, Pairs) else None
    if not isinstance(node, ScalarNode) or not node.raw:
        return None
    below = find(node.raw, node.span, folder)
    findings += below.findings
    return below.value


def merge_layers(
    layers: tuple[Layer, ...],
    digests: tuple[str, ...],
    switches: Mapping[str, bool],
    *,
    complete: bool,
) -> Laid:
    """Return one tree made of `layers`, the base first, with the modules that are on.

    Args:
        complete: Whether the layers hold all of their files.
    """
    findings: list[Finding] = []
    patches: list[Patch] = []
    for layer in layers:
        patches += modules_in(layer.folder, layer.origin, findings)
    modules = active_modules(patches, switches, findings)
    patched = Patched(layers[0].root, complete, findings)
    laid_on = [patch for patch in patches if modules[str(patch.head.module)].on]
    for at, layer in enumerate(layers):
        if at:
            _over(patched, layer)
        for patch in laid_on:
            if patch.origin == layer.origin:
                apply_module(patched, patch)
    for patch in laid_on:
        check_module_needs(patched, patch)
    if patches:
        switching = Pairs(patched.root.span, (_entry("options", options_node(modules, patches)),))
        patched.root, _ = merge_trees(patched.root, switching)
    root = Pairs(patched.root.span, tuple(e for e in patched.root.entries if e[0].raw != "extends"))
    made = Composition(tuple(layer.origin for layer in layers), modules)
    states_of = tuple(f"{id_}={module.on}" for id_, module in modules.items())
    every = (*digests, *(p.source.digest for p in patches), *states_of)
    return Laid(root, made, layers, every, tuple(findings))


def _entry(name: str, node: Node) -> tuple[ScalarNode, Node]:
    return ScalarNode(node.span, name, name), node


def _over(patched: Patched, layer: Layer) -> None:
    """Lay what an overlay adds over the tree; what is there already is a finding."""
    plain = tuple(e for e in layer.root.entries if e[0].raw not in HEAD)
    kept: list[tuple[str, ScalarNode, Node]] = []
    patched.root, _ = merge_trees(patched.root, Pairs(layer.root.span, plain), kept=kept)
    for path, key, other in kept:
        message = f"`{path}` is in {Path(other.span.file).name} of the base already"
        hint = "write it under `change` in a module"
        patched.findings.append(Finding(codes.REPEATED_KEY, key.span, message, hint))


def name_layers(rules: Ruleset, made: Laid) -> Checked[Ruleset]:
    """Return `rules` with the names and the credits of all that it is made of."""
    tops = made.layers[1:]
    shaper, credits = Shaper(), [rules.credit]
    for layer in tops:
        for key in ("id", "title", "version", "format", "credit"):
            if layer.root.get(key) is None:
                message = f"`ruleset` needs a value for `{key}`"
                shaper.findings.append(Finding(codes.MISSING_KEY, layer.root.span, message))
        node = layer.root.get("credit")
        credit = shaper.read(node, Credit, "credit") if node is not None else None
        credits += [credit] if credit is not None else []
    rules = dataclasses.replace(rules, composition=made.composition)
    if not tops:
        return Checked(rules, tuple(shaper.findings))
    whole = Credit(
        short=" ".join(dict.fromkeys(c.short for c in credits)),
        long=" ".join(dict.fromkeys(c.long for c in credits)),
        licence=" AND ".join(dict.fromkeys(c.licence for c in credits)),
        changes="; ".join(dict.fromkeys(c.changes for c in credits if c.changes)),
    )
    id_ = "+".join(layer.origin.id for layer in tops)
    titles = " + ".join(layer.origin.title for layer in tops)
    rules = dataclasses.replace(
        rules, id=Text(id_, rules.place), title=f"{rules.title} + {titles}", credit=whole
    )
    return Checked(rules, tuple(shaper.findings))


def origin_of_table(rules: Ruleset, id_: str) -> Origin | None:
    """Return which overlay brought a table; None for the base's."""
    key = next((key for key in rules.tables if key == id_), None)
    return origin_of(rules, key.span) if isinstance(key, Text) else None


def origin_of(rules: Ruleset, span: Span) -> Origin | None:
    """Return which overlay a place stands in; None for the base."""
    for origin in rules.composition.origins[1:]:
        if Path(span.file).is_relative_to(origin.folder):
            return origin
    return None
