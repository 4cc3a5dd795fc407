"""Overlays: rulesets that extend others, and the tree that they make together."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

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
from sheetgen.load.shapes import Shaper, model_fields
from sheetgen.load.sources import read_source
from sheetgen.load.tree_paths import merge_trees
from sheetgen.model.rulesets.origins import Composition, Origin
from sheetgen.model.rulesets.ruleset import Credit, Ruleset
from sheetgen.model.source import Node, Pairs, ScalarNode, Text, raw_text
from sheetgen.records import frozen

HEAD: Final = ("id", "title", "version", "format", "credit", "lang", "extends", "pips", "face")
"""Keys that each ruleset has for itself; those of an overlay are not merged."""

FORMAT: Final = 1
"""The supported version of the format of rulesets."""

MOST: Final = 8
"""The most rulesets over each other."""


@frozen
class Layer:
    """One ruleset: its folder and the tree of its files."""

    folder: Path
    root: Pairs

    def head_value(self, key: str) -> str:
        """Return the value of a key of its head."""
        return raw_text(self.root.get(key))

    @property
    def origin(self) -> Origin:
        """Return its id, title and folder."""
        return Origin(self.head_value("id"), self.head_value("title"), str(self.folder))


@frozen
class MergedLayers:
    """The tree of all layers, the layers and modules in it, and the digests of all files."""

    root: Pairs
    composition: Composition
    layers: tuple[Layer, ...]
    digests: tuple[str, ...]
    findings: tuple[Finding, ...]


Find = Callable[[str, Span, Path], Checked[Path]]


def find_layers(folders: tuple[Path, ...], find: Find, findings: list[Finding]) -> tuple[Path, ...]:
    """Return the folders of `folders` and of all that they extend, the base first."""
    found: list[Path] = []
    for folder in folders:
        path = [folder]
        while (below := _extends(path[-1], find, findings)) is not None and len(path) <= MOST:
            if below in path:
                span = Span(str(folder / "ruleset.yaml"))
                message = "these rulesets extend each other"
                findings.append(Finding(codes.CYCLE, span, message, "one of them is the base"))
                break
            path.append(below)
        if found and path[-1] != found[0]:
            span = Span(str(folder / "ruleset.yaml"))
            message = f"{folder.name} does not extend {found[0].name}"
            hint = "rulesets that are used together have the same base"
            findings.append(Finding(codes.TWO_MODULES, span, message, hint))
            continue
        found += [one for one in reversed(path) if one not in found]
    return tuple(found)


def _extends(folder: Path, find: Find, findings: list[Finding]) -> Path | None:
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
    below = find(node.raw, node.span, folder)
    findings += below.findings
    return below.value


def merge_layers(
    layers: tuple[Layer, ...],
    digests: tuple[str, ...],
    switches: Mapping[str, bool],
    *,
    complete: bool,
) -> MergedLayers:
    """Return one tree of `layers`, the base first, with the modules that are on.

    Args:
        complete: Whether all files of the layers were loaded.
    """
    findings: list[Finding] = []
    patches: list[Patch] = []
    for layer in layers:
        node = layer.root.get("extends")
        if node is not None and Path(node.span.file).name != "ruleset.yaml":
            hint = "move it to ruleset.yaml"
            message = "`extends` is read in ruleset.yaml only"
            findings.append(Finding(codes.WRONG_TYPE, node.span, message, hint))
        patches += modules_in(layer.folder, layer.origin, findings)
    modules = active_modules(patches, switches, findings)
    patched = Patched(layers[0].root, complete, findings)
    active = [patch for patch in patches if modules[str(patch.head.module)].on]
    for at, layer in enumerate(layers):
        if at:
            _over(patched, layer)
        for patch in active:
            if patch.origin == layer.origin:
                apply_module(patched, patch)
    for patch in active:
        check_module_needs(patched, patch)
    if patches:
        switching = Pairs(patched.root.span, (_entry("options", options_node(modules, patches)),))
        patched.root, _ = merge_trees(patched.root, switching)
    root = Pairs(patched.root.span, tuple(e for e in patched.root.entries if e[0].raw != "extends"))
    composition = Composition(tuple(layer.origin for layer in layers), modules)
    states_of = tuple(f"{id_}={module.on}" for id_, module in modules.items())
    every = (*digests, *(p.source.digest for p in patches), *states_of)
    return MergedLayers(root, composition, layers, every, tuple(findings))


def _entry(name: str, node: Node) -> tuple[ScalarNode, Node]:
    return ScalarNode(node.span, name, name), node


def _over(patched: Patched, layer: Layer) -> None:
    """Merge an overlay's files into the tree; a key that exists already is a finding."""
    plain = tuple(e for e in layer.root.entries if e[0].raw not in HEAD)
    kept: list[tuple[str, ScalarNode, Node]] = []
    patched.root, _ = merge_trees(patched.root, Pairs(layer.root.span, plain), kept=kept)
    for path, key, other in kept:
        message = f"`{path}` is in {Path(other.span.file).name} of the base already"
        hint = "write it under `change` in a module"
        patched.findings.append(Finding(codes.REPEATED_KEY, key.span, message, hint))


def name_layers(rules: Ruleset, merged: MergedLayers) -> Checked[Ruleset]:
    """Return `rules` with the names and credits of all its layers."""
    tops = merged.layers[1:]
    shaper, credits = Shaper(), [rules.credit]
    for layer in tops:
        head = _read_head(layer, shaper)
        credits += [head["credit"]] if "credit" in head else []
        rules = dataclasses.replace(rules, lang=head.get("lang", rules.lang))
        pips = layer.root.get("pips")
        if pips is not None and head.get("pips", rules.pips) is not rules.pips:
            message = f"`pips` is `{str(rules.pips).lower()}` in the base of this overlay"
            hint = "leave `pips` out: the base says how its codes are read"
            shaper.findings.append(Finding(codes.WRONG_TYPE, pips.span, message, hint))
    rules = dataclasses.replace(rules, composition=merged.composition)
    for layer in merged.layers:
        node = layer.root.get("format")
        if isinstance(node, ScalarNode) and type(node.value) is int and node.value != FORMAT:
            message = f"format {node.raw} is not read by this version, only {FORMAT}"
            hint = f"write `format: {FORMAT}`"
            shaper.findings.append(Finding(codes.WRONG_TYPE, node.span, message, hint))
    if not tops:
        return Checked(rules, tuple(shaper.findings))
    joined = Credit(
        short=" ".join(dict.fromkeys(c.short for c in credits)),
        long=" ".join(dict.fromkeys(c.long for c in credits)),
        licence=" AND ".join(dict.fromkeys(c.licence for c in credits)),
        changes="; ".join(dict.fromkeys(c.changes for c in credits if c.changes)),
    )
    id_ = "+".join(layer.origin.id for layer in tops)
    titles = " + ".join(layer.origin.title for layer in tops)
    rules = dataclasses.replace(
        rules, id=Text(id_, rules.place), title=f"{rules.title} + {titles}", credit=joined
    )
    return Checked(rules, tuple(shaper.findings))


def _read_head(layer: Layer, shaper: Shaper) -> dict[str, Any]:
    """Return the values of an overlay's head that are of the right type, by key."""
    found: dict[str, Any] = {}
    for key, spec in model_fields(Ruleset).items():
        node = layer.root.get(key) if key in HEAD else None
        if node is not None and key != "extends":
            value = shaper.read(node, spec.kind, key)
            found |= {key: value} if value is not None else {}
        elif node is None and spec.needed:
            message = f"`ruleset` needs a value for `{key}`"
            shaper.findings.append(Finding(codes.MISSING_KEY, layer.root.span, message))
    return found


def origin_of_table(rules: Ruleset, id_: str) -> Origin | None:
    """Return the overlay that a table comes from; None for the base."""
    key = next((key for key in rules.tables if key == id_), None)
    return origin_of(rules, key.span) if isinstance(key, Text) else None


def origin_of(rules: Ruleset, span: Span) -> Origin | None:
    """Return the overlay whose files have a place; None for the base."""
    for origin in rules.composition.origins[1:]:
        if Path(span.file).is_relative_to(origin.folder):
            return origin
    return None
