"""What an author starts from: one of the kind that comes with the rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.model.rulesets.kinds import Kind
from sheetgen.model.source import Many, Node, Pairs, ScalarNode, Source
from sheetgen.rules.names import Names, folded, names_of


def on_base(
    source: Source, kind: Kind, known: Iterable[Source], spellings: Mapping[str, str]
) -> tuple[Source, tuple[Finding, ...]]:
    """Return `source` with what it takes over from the one that it is based on.

    Args:
        source: An author's file.
        kind: Of the file.
        known: Those that come with the rules.
        spellings: Words that may be spelt otherwise.
    """
    root = source.root
    key = str(kind.based_on or "")
    if not key or not isinstance(root, Pairs):
        return source, ()
    found = next((e for e in root.entries if folded(e[0].raw) == folded(key)), None)
    if found is None:
        return source, ()
    at, node = found
    sources = tuple(known)
    names = stock_names(sources, spellings)
    raw = node.raw if isinstance(node, ScalarNode) else ""
    ids = names.find(raw)
    if len(ids) != 1:
        several = f"{len(ids)} of them are called `{raw}`"
        message = several if ids else f"there is no {kind.one} `{raw}`"
        finding = Finding(codes.UNKNOWN_NAME, node.span, message, names.hint(raw))
        return source, (finding,)
    base = sources[int(ids[0])].root
    assert isinstance(base, Pairs)
    name, _ = _called(sources[int(ids[0])])
    own = [entry for entry in root.entries if entry[0] is not at]
    said = {folded(entry[0].raw) for entry in own} | {folded(name) for name in kind.own}
    taken = [entry for entry in base.entries if folded(entry[0].raw) not in said]
    return dataclasses.replace(source, root=Pairs(root.span, (*own, *taken)), base=name), ()


def stock_names(stock: Sequence[Source], spellings: Mapping[str, str]) -> Names:
    """Return the names of those that come with the rules; an id is a place in `stock`."""
    return names_of(((str(n), *_called(s)) for n, s in enumerate(stock)), spellings)


def _called(source: Source) -> tuple[str, tuple[str, ...]]:
    root = source.root
    name = root.get("name") if isinstance(root, Pairs) else None
    aliases = root.get("aliases") if isinstance(root, Pairs) else None
    others = aliases.items if isinstance(aliases, Many) else (aliases,)
    return _raw(name), tuple(_raw(other) for other in others if other is not None)


def _raw(node: Node | None) -> str:
    return node.raw if isinstance(node, ScalarNode) else ""
