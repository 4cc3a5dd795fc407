"""Load a ruleset: merge all files of its folder, then read them as a `Ruleset`."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Hint, Severity, errors
from sheetgen.diag.near import nearest, suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.files import read_text
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.modules import OPTION
from sheetgen.load.rulesets.overlays import Layer, find_layers, merge_layers, name_layers
from sheetgen.load.shapes import Shaper
from sheetgen.load.sources import read_source
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Node, Pairs, ScalarNode, Source, Text, items_of

FACE_FILE: Final = "face.yaml"
"""The file of a face in a ruleset's folder; it changes how prints look, not what they say."""

APART = (
    *("reference.yaml", "proof.yaml", "screen.yaml", "encounter.yaml", "cards.yaml", "odds.yaml"),
    "rulings.yaml",
)
"""Files of a ruleset that no character needs; characters' commands do not load them."""


Folders = tuple[Path, ...]
"""Folders of rulesets that are used together, without those that they extend."""

JOINT: Final = "+"
"""Between the names of several rulesets."""


def rulesets_of(source: Source, root: Pairs, path: Path) -> Checked[Folders]:
    """Return the folders of the rulesets that a file names: one, or a list."""
    node = root.get("ruleset")
    if node is None:
        near = next((key for key, _ in root.entries if nearest(key.raw, ("ruleset",))), None)
        if near is not None:
            message = f"there is no key `{near.raw}`"
            hint = suggestion(near.raw, ("ruleset",))
            return Checked(None, (Finding(codes.UNKNOWN_KEY, near.span, message, hint),))
        message = "`ruleset` is missing"
        hint = f"write `ruleset: …`; {suggestion('', ruleset_ids())}"
        return Checked(None, (Finding(codes.MISSING_KEY, source.start, message, hint),))
    found: list[Path] = []
    findings: list[Finding] = []
    for item in items_of(node):
        if not isinstance(item, ScalarNode) or not item.raw:
            message = "`ruleset` has to be the name of a ruleset"
            findings.append(Finding(codes.WRONG_TYPE, item.span, message))
            continue
        one = find_ruleset(item.raw, item.span, path.parent)
        findings += one.findings
        found += [folder for folder in one.value or () if folder not in found]
    if not found and not findings:
        message = "`ruleset` has to be the name of a ruleset"
        findings.append(Finding(codes.WRONG_TYPE, node.span, message))
    return Checked(tuple(found) if not findings else None, tuple(findings))


def is_ruleset(path: Path) -> bool:
    """Whether `path` is the folder of a ruleset."""
    return os.path.isfile(path / "ruleset.yaml")  # `Path.is_file` fails on names that are too long


def find_ruleset(name: str, span: Span, beside: Path) -> Checked[Folders]:
    """Return the folders of the rulesets that `name` names: one, or several joined, `a+b`.

    A name with a slash is a path, relative to the folder `beside` of the author's file.
    """
    joint = JOINT if not ("/" in name or "\\" in name) else None
    found: list[Path] = []
    findings: list[Finding] = []
    for part in name.split(joint) if joint else [name]:
        one = _find(part.strip(), span, beside)
        findings += one.findings
        found += [one.value] if one.value is not None and one.value not in found else []
    return Checked(None if findings else tuple(found), tuple(findings))


def _find(name: str, span: Span, beside: Path) -> Checked[Path]:
    if "/" in name or "\\" in name or name in (".", ".."):
        folder = beside / name
        if is_ruleset(folder):
            return Checked(folder if beside.is_symlink() else Path(os.path.normpath(folder)))
        message = f"the folder `{name}` has no ruleset.yaml"
        return Checked(None, (Finding(codes.UNKNOWN_RULESET, span, message),))
    if name and is_ruleset(rulesets_folder() / name):
        return Checked(rulesets_folder() / name)
    known = ruleset_ids()
    for shipped in (id_ for id_ in known if id_.casefold() == name.casefold()):
        return Checked(rulesets_folder() / shipped)
    message = f"there is no ruleset `{name}`"
    hint = suggestion(name, known, "rulesets")
    if is_ruleset(beside / name):
        hint = Hint(f"for the folder write `./{name}`", name, f"./{name}")
    return Checked(None, (Finding(codes.UNKNOWN_RULESET, span, message, hint),))


def layers_of(folder: Path) -> Folders:
    """Return the folder of a ruleset and those of all that it extends, the base first."""
    return find_layers((folder,), _find, [])


def load_complete(rules: Ruleset) -> Ruleset | None:
    """Return a loaded ruleset with the files in `APART`; None if they cannot be read."""
    folders = tuple(Path(origin.folder) for origin in rules.composition.origins)
    switches = {f"{OPTION}{id_}": module.on for id_, module in rules.composition.modules.items()}
    return load_ruleset(folders, complete=True, switches=switches).value


def load_ruleset(
    folders: Path | Folders, *, complete: bool = False, switches: Mapping[str, bool] | None = None
) -> Checked[Ruleset]:
    """Return the ruleset in a folder, or in several, with findings about wrong keys and values.

    Args:
        folders: A ruleset, or overlays, which are applied in this order.
        complete: Also load the files in `APART`, which only tables, proofs and fights need.
        switches: Whether modules are on, by the name of their option.
    """
    findings: list[Finding] = []
    named = (folders,) if isinstance(folders, Path) else folders
    layers: list[Layer] = []
    digests = ["complete" if complete else "in part"]
    for folder in find_layers(named, _find, findings):
        sources = _sources(folder, complete, findings, digests)
        if not sources:
            message = "this folder has no ruleset"
            findings.append(Finding(codes.EMPTY, Span(str(folder)), message))
            continue
        place = Span(str(folder / "ruleset.yaml"))
        layers.append(
            Layer(folder, Pairs(place, _merge_files((s.root for s in sources), findings)))
        )
    if not layers or any(finding.code in _HOPELESS for finding in findings):
        return Checked(None, tuple(findings))
    merged = merge_layers(tuple(layers), tuple(digests), switches or {}, complete=complete)
    findings += merged.findings
    shaper = Shaper(pips=_says_yes(merged.root.get("pips")), formulas=True)
    rules = shaper.read(merged.root, Ruleset, "ruleset")
    # What a file that could not be read says is not missing.
    unread = bool(errors(findings))
    lacking = codes.MISSING_KEY, merged.root.span
    findings += [f for f in shaper.findings if not unread or (f.code, f.span) != lacking]
    if rules is None:
        return Checked(None, tuple(findings))
    place = layers[0].root.span
    digest = hashlib.sha256("".join(merged.digests).encode()).hexdigest()
    rules = dataclasses.replace(rules, place=place, digest=digest, face=_face(layers))
    named_rules = name_layers(rules, merged)
    return Checked(named_rules.value, (*findings, *named_rules.findings))


_HOPELESS: Final = (codes.UNKNOWN_RULESET, codes.EMPTY, codes.CYCLE)
"""Findings after which the ruleset is not read."""


def _face(layers: Iterable[Layer]) -> Text | None:
    """Return the face of the last layer that has one: an id, or the path of its own file."""
    found = None
    for layer in layers:
        node = layer.root.get("face")
        if os.path.isfile(own := layer.folder / FACE_FILE):
            found = Text(str(own.absolute()), Span(str(own)))
        elif isinstance(node, ScalarNode) and node.raw:
            found = Text(node.raw, node.span)
    return found


_OF_OTHER_FILES: Final = {
    "ruleset": ("names a ruleset", "move it to a folder of its own, such as `characters/`"),
    "entries": ("lists the entries of a book", "move it to the folder above"),
}
"""Keys that no part of a ruleset has; what such a file is, and where to put it."""


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
        if path.name == FACE_FILE or (path.name in APART and not whole):
            continue
        read = read_source(path)
        findings += read.findings
        root = read.value.root if read.value is not None else None
        if read.value is None or not isinstance(root, Pairs):
            continue
        own = next((key for key, _ in root.entries if key.raw in _OF_OTHER_FILES), None)
        if own is None:
            sources.append(read.value)
        else:
            what, hint = _OF_OTHER_FILES[own.raw]
            message = f"this file {what}, so it is no part of the ruleset beside it"
            findings.append(
                Finding(codes.OTHER_KIND, own.span, message, hint, severity=Severity.WARNING)
            )
    return sources


def _says_yes(node: Node | None) -> bool:
    return isinstance(node, ScalarNode) and node.value is True


def _merge_files(
    roots: Iterable[Node | None], findings: list[Finding]
) -> tuple[tuple[ScalarNode, Node], ...]:
    """Return the entries of all `roots`; mappings under the same key are merged."""
    merged: dict[str, tuple[ScalarNode, Node]] = {}
    for root in roots:
        for key, node in root.entries if isinstance(root, Pairs) else ():
            if key.raw not in merged:
                merged[key.raw] = key, node
                continue
            first, other = merged[key.raw]
            if isinstance(node, Pairs) and isinstance(other, Pairs):
                below = _merge_files((other, node), findings)
                merged[key.raw] = first, Pairs(other.span, below)
            else:
                message = f"`{key.raw}` is in {Path(first.span.file).name} too"
                hint = "keep one of the two"
                findings.append(Finding(codes.REPEATED_KEY, key.span, message, hint))
    return tuple(merged.values())


def load_credits() -> tuple[str, ...]:
    """Return the long credit of every ruleset that comes with us."""
    loaded = (load_ruleset(rulesets_folder() / id_).value for id_ in ruleset_ids())
    return tuple(f"{rules.title}. {rules.credit.long}" for rules in loaded if rules)
