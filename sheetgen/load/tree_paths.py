"""Paths in a YAML tree, such as `groups.GROUP.traits.TRAIT`; replace and merge subtrees."""

from __future__ import annotations

from dataclasses import replace

from sheetgen.model.source import Many, Node, Pairs, ScalarNode

Keys = tuple[str, ...]
"""The keys from the root of a tree to a node."""


def keys_of(root: Node, path: str) -> Keys | None:
    """Return the keys along `path`; None if there is no such node.

    Keys may contain dots (`dice.buy`): the longest matching key counts. A formula `price(n)`
    also matches `price`.
    """
    if not path:
        return ()
    if not isinstance(root, Pairs):
        return None
    names = sorted((key.raw for key, _ in root.entries), key=len, reverse=True)
    for name in names:
        called = name if path.startswith(name) else name.split("(")[0]
        if path == called or path.startswith(f"{called}."):
            below = root.get(name)
            assert below is not None
            rest = keys_of(below, path[len(called) + 1 :])
            if rest is not None:
                return (name, *rest)
    return None


def replace_at(root: Pairs, keys: Keys, node: Node | None) -> Pairs:
    """Return `root` with `node` at `keys`; None removes the entry."""
    entries = []
    for key, below in root.entries:
        if key.raw != keys[0]:
            entries.append((key, below))
        elif len(keys) > 1:
            assert isinstance(below, Pairs)
            entries.append((key, replace_at(below, keys[1:], node)))
        elif node is not None:
            entries.append((key, node))
    return Pairs(root.span, tuple(entries))


def merge_trees(
    root: Pairs,
    more: Pairs,
    above: str = "",
    kept: list[tuple[str, ScalarNode, Node]] | None = None,
) -> tuple[Pairs, dict[str, ScalarNode]]:
    """Return `root` merged with `more`, and the paths of new entries, each with its key.

    Mappings are merged, lists are concatenated. Existing values are not overwritten: their
    paths are added to `kept`, with the key in `more` and the existing node.
    """
    found = {key.raw: (key, node) for key, node in root.entries}
    places: dict[str, ScalarNode] = {}
    for key, node in more.entries:
        path = f"{above}.{key.raw}" if above else key.raw
        if key.raw not in found:
            found[key.raw] = key, node
            places[path] = key
            continue
        first, other = found[key.raw]
        if isinstance(node, Pairs) and isinstance(other, Pairs):
            below, inner = merge_trees(other, node, path, kept)
            found[key.raw] = first, below
            places |= inner
        elif isinstance(node, Many) and isinstance(other, Many):
            found[key.raw] = first, replace(other, items=(*other.items, *node.items))
        elif kept is not None:
            kept.append((path, key, other))
    return Pairs(root.span, tuple(found.values())), places
