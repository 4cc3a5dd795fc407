"""Places in a tree of YAML, such as `groups.GROUP.traits.TRAIT`, and trees with one changed."""

from __future__ import annotations

from dataclasses import replace

from sheetgen.model.source import Many, Node, Pairs, ScalarNode

Keys = tuple[str, ...]
"""The keys that lead from the top of a tree to a place."""


def keys_of(root: Node, path: str) -> Keys | None:
    """Return the keys along `path`, or None where it leads nowhere.

    Keys may have dots of their own (`dice.buy`): the longest key that is there counts. A
    formula `price(n)` is found as `price`, too.
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
    """Return `root` with `node` at `keys`, or without that place where it is None."""
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
    """Return `root` with all of `more` in it, and the new places, each with its key.

    Mappings are laid together, lists are joined; of what is there already nothing is
    overwritten: such places are put into `kept`, with the key in `more` and what stood there.
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
