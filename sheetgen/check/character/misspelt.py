"""Findings that only follow from a misspelt name.

A name that the rules do not know leaves a gap: a pick is missing, points are not paid, a limit is
another one. So the check runs again with the name that is meant. A finding that is gone then is
no mistake of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Hint, NamesHint, errors
from sheetgen.diag.near import may_try
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source
from sheetgen.rules.names import folded

Check: TypeAlias = Callable[[Source, Mapping[str, str]], Iterable[Finding]]

_CODES: Final = (
    codes.UNKNOWN_NAME,
    codes.UNKNOWN_KEY,
    codes.OPEN_NAME,
    codes.BAD_OPTION,
    codes.BAD_DICE,
    codes.WRONG_TYPE,
)
_MOST_ROUNDS: Final = 3
_MOST_NAMES: Final = 64
"""The names that are tried for the words of a file that resemble none; the best one counts."""

_Shape: TypeAlias = tuple[str, str]


def without_consequences(
    check: Check, source: Source, chosen: Mapping[str, str], findings: Iterable[Finding]
) -> list[Finding]:
    """Return `findings` about `source` without those that follow from misspelt names.

    Args:
        chosen: Options from the command line, whose names may be misspelt, too.
    """
    found, told = [*findings], dict[Finding, None]()
    latest = found
    for _ in range(_MOST_ROUNDS):
        near = [f for f in found if f not in told and _corrects(f)]
        told |= dict.fromkeys(near)
        if not near or len(told) == len(found):
            break
        words = [(f, f.hint.new) for f in near if isinstance(f.hint, Hint)]
        source, chosen = _corrected(source, chosen, words)
        latest = [*check(source, chosen)]
        found = [*told, *_still(found, latest, told)]
    left = _MOST_NAMES
    for unknown in [f for f in found if f.code in _CODES]:
        if unknown not in found or not isinstance(unknown.hint, NamesHint):
            continue
        told[unknown] = None
        best = found
        for name in unknown.hint.names[:left]:
            if len(told) >= len(best) or not may_try():
                break
            left -= 1
            again = [*check(*_corrected(source, chosen, [(unknown, name)]))]
            if not Counter(map(_shape, errors(again))) - Counter(map(_shape, latest)):
                best = min(best, [*told, *_still(found, again, told)], key=len)
        found = best
    return found


def _corrects(finding: Finding) -> bool:
    hint = finding.hint
    return finding.code in _CODES and isinstance(hint, Hint) and bool(hint.old) and hint.at is None


def _shape(finding: Finding) -> _Shape:
    """Return what makes two findings the same, whatever their figures and their place."""
    return finding.code.id, re.sub(r"\d+", "0", finding.message)


def _still(
    before: Iterable[Finding], after: Iterable[Finding], told: Mapping[Finding, None]
) -> list[Finding]:
    """Return those of `before` that are still found, besides those that are `told`."""
    there = Counter(map(_shape, after))
    kept = []
    for finding in (f for f in before if f not in told):
        shape = _shape(finding)
        if there[shape]:
            there[shape] -= 1
            kept.append(finding)
    return kept


def _corrected(
    source: Source, chosen: Mapping[str, str], words: Iterable[tuple[Finding, str]]
) -> tuple[Source, Mapping[str, str]]:
    """Return a source and options with other words in the places of findings."""
    listed = [(finding, finding.hint, new) for finding, new in words]
    at = [(f.span, h.old, new) for f, h, new in listed if isinstance(h, Hint | NamesHint)]
    renamed = {old: new for span, old, new in at if span.file != source.file}
    chosen = {renamed.get(k, k): renamed.get(v, v) for k, v in chosen.items()}

    def correct(leaf: ScalarNode) -> ScalarNode:
        place = leaf.span
        for span, old, new in at:
            if (span.file, span.line) != (place.file, place.line) or old not in leaf.raw:
                continue
            if place.column <= span.column <= place.column + max(place.width, 1):
                raw = leaf.raw.replace(old, new, 1)
                return ScalarNode(place, _value(raw), raw)
        return leaf

    def walk(node: Node) -> Node:
        if isinstance(node, ScalarNode):
            return correct(node)
        if isinstance(node, Many):
            return Many(node.span, tuple(map(walk, node.items)))
        there = {folded(key.raw) for key, _ in node.entries}
        entries = []
        for key, below in node.entries:
            other = correct(key)
            free = folded(other.raw) not in there
            entries.append((other if free else key, walk(below)))
        return Pairs(node.span, tuple(entries))

    root = walk(source.root) if source.root is not None and at else source.root
    return replace(source, root=root), chosen


def _value(raw: str) -> str | bool:
    return {"true": True, "false": False}.get(raw, raw)
