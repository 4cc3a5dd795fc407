"""A ruleset's folder to a ruleset: all its files laid together, then shaped."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterable
from pathlib import Path

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.content import ruleset_ids, rulesets_folder
from sheetgen.load.shapes import Shaper
from sheetgen.load.sources import read_source
from sheetgen.model.ruleset import Ruleset
from sheetgen.model.source import Leaf, Node, Pairs, Source

FORMAT = 1
"""The one format of rulesets that is read."""

APART = ("reference.yaml", "proof.yaml", "screen.yaml", "encounter.yaml", "cards.yaml", "odds.yaml")
"""Files of a ruleset that no character needs: others do not wait for them."""


def find_ruleset(name: str, span: Span, beside: Path) -> Checked[Path]:
    """Return the folder of the ruleset that an author calls `name`.

    A name with a slash in it is a path, from the folder `beside` (the author's file).
    """
    if "/" in name or "\\" in name or name in (".", ".."):
        folder = beside / name
        if (folder / "ruleset.yaml").is_file():
            return Checked(folder)
        message = f"the folder `{name}` has no ruleset.yaml"
        return Checked(None, (Finding(codes.UNKNOWN_RULESET, span, message),))
    known = ruleset_ids()
    if name in known:
        return Checked(rulesets_folder() / name)
    message = f"there is no ruleset `{name}`"
    hint = suggestion(name, known, "rulesets")
    return Checked(None, (Finding(codes.UNKNOWN_RULESET, span, message, hint),))


def load_ruleset(folder: Path, *, whole: bool = False) -> Checked[Ruleset]:
    """Return the ruleset in `folder`, with findings for everything out of shape.

    Args:
        whole: Whether with what only tables, proofs and fights need, the files named in `APART`.
    """
    findings: list[Finding] = []
    sources: list[Source] = []
    for path in sorted(folder.glob("*.yaml")):
        if path.name in APART and not whole:
            continue
        read = read_source(path)
        findings += read.findings
        if read.value is not None and isinstance(read.value.root, Pairs):
            sources.append(read.value)
    if not sources:
        span = Span(str(folder))
        findings.append(Finding(codes.EMPTY, span, "no ruleset stands in this folder"))
        return Checked(None, tuple(findings))
    place = Span(str(folder / "ruleset.yaml"))
    root = Pairs(place, _together((s.root for s in sources), findings))
    shaper = Shaper(pips=_says_yes(root.get("pips")))
    ruleset = shaper.read(root, Ruleset, "ruleset")
    findings += shaper.findings
    if ruleset is None:
        return Checked(None, tuple(findings))
    findings += _format(ruleset, place)
    digest = hashlib.sha256("".join(s.digest for s in sources).encode()).hexdigest()
    ruleset = dataclasses.replace(ruleset, place=place, digest=digest)
    return Checked(ruleset, tuple(findings))


def _says_yes(node: Node | None) -> bool:
    return isinstance(node, Leaf) and node.value is True


def _format(ruleset: Ruleset, place: Span) -> Iterable[Finding]:
    if ruleset.format != FORMAT:
        message = f"format {ruleset.format} is not read by this version, only {FORMAT}"
        yield Finding(codes.WRONG_TYPE, place, message, f"write `format: {FORMAT}`")
    if ruleset.extends is not None:
        message = "overlays on another ruleset are not read by this version"
        hint = "write the whole ruleset out"
        yield Finding(codes.UNKNOWN_KEY, ruleset.extends.span, message, hint)


def _together(
    roots: Iterable[Node | None], findings: list[Finding]
) -> tuple[tuple[Leaf, Node], ...]:
    """Return the entries of all `roots`; mappings under one key are laid together."""
    merged: dict[str, tuple[Leaf, Node]] = {}
    for root in roots:
        for key, node in root.entries if isinstance(root, Pairs) else ():
            if key.raw not in merged:
                merged[key.raw] = key, node
                continue
            first, other = merged[key.raw]
            if isinstance(node, Pairs) and isinstance(other, Pairs):
                below = _together((other, node), findings)
                merged[key.raw] = first, Pairs(other.span, below)
            else:
                message = f"`{key.raw}` stands in {Path(first.span.file).name} too"
                hint = "keep one of the two"
                findings.append(Finding(codes.SAID_TWICE, key.span, message, hint))
    return tuple(merged.values())
