"""Bookmarks and named destinations of merged files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sheetgen.finish.merge.object_copier import ObjectCopier
from sheetgen.finish.saving import tree_pairs

Start = tuple[int, float, float]
"""Where a part begins: the object number of its page, the left edge and the top of that."""


def destination(copier: ObjectCopier, start: Start) -> Any:
    """Return a destination at the top of a page that keeps the zoom."""
    import pikepdf

    number, left, top = start
    return pikepdf.Array([copier.proxy(number), pikepdf.Name.XYZ, left, top, 0])


def bookmark(target: ObjectCopier, title: str, start: Start) -> Any:
    """Return a new bookmark without a parent."""
    import pikepdf

    item = pikepdf.Dictionary(Title=title, Dest=destination(target, start))
    return target.pdf.make_indirect(item)


def hang_below(above: Any, items: Sequence[Any]) -> None:
    """Put bookmarks below one, which is collapsed."""
    _chain(items, above)
    above.First, above.Last = items[0], items[-1]
    above.Count = -_count_visible(items)


def put_bookmarks(target: ObjectCopier, items: Sequence[Any]) -> None:
    """Write the bookmarks of a file; viewers open it with the first level shown."""
    import pikepdf

    if not items:
        return
    outlines = target.pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.Outlines))
    hang_below(outlines, items)
    outlines.Count = len(items)
    target.pdf.Root.Outlines = outlines
    target.pdf.Root.PageMode = pikepdf.Name.UseOutlines


def _chain(items: Sequence[Any], above: Any) -> None:
    for at, item in enumerate(items):
        item.Parent = above
        for key, sibling in (("/Prev", at - 1), ("/Next", at + 1)):
            if 0 <= sibling < len(items):
                item[key] = items[sibling]
            elif key in item:
                del item[key]


def _count_visible(items: Sequence[Any]) -> int:
    """Return how many bookmarks are visible: these, and those below expanded ones."""
    return sum(1 + max(0, int(item.get("/Count", 0))) for item in items)


class NamedPlaces:
    """The named destinations of the merged file."""

    def __init__(self, target: ObjectCopier) -> None:
        self.target = target
        self.names: dict[bytes, int] = {}

    def add_part(self, part: ObjectCopier, number: int, mark: Any) -> None:
        """Add the named destinations of a part, and put its bookmarks below `mark`.

        Args:
            number: Is appended to names that an earlier part has too.
        """
        root = part.pdf.Root
        tree = root.get("/Names", {}).get("/Dests")
        pairs = tree_pairs(tree, "/Names") if tree is not None else ()
        named = [(bytes(name), place) for name, place in pairs]
        renamed = {name: b"%s-%d" % (name, number) for name, _ in named if name in self.names}
        if renamed:
            for one in part.pdf.objects:
                _redirect(one, renamed)
        for name, place in named:
            self.names[renamed.get(name, name)] = part.number(place)
        items = [*_siblings(root.get("/Outlines", {}).get("/First"))]
        if items:
            _chain(items, part.proxy(self.target.number(mark)))
            mark.First, mark.Last = (self.target.proxy(part.number(items[n])) for n in (0, -1))
            mark.Count = -_count_visible(items)

    def finish(self) -> None:
        """Write the named destinations, if there are any."""
        import pikepdf

        if self.names:
            named = [s for name in sorted(self.names) for s in self._entry(name)]
            tree = pikepdf.Dictionary(Names=pikepdf.Array(named))
            self.target.pdf.Root.Names = pikepdf.Dictionary(Dests=tree)

    def _entry(self, name: bytes) -> tuple[Any, Any]:
        import pikepdf

        return pikepdf.String(name), self.target.proxy(self.names[name])


def _redirect(one: Any, renamed: dict[bytes, bytes]) -> None:
    """Replace the names of destinations in a link or bookmark."""
    import pikepdf

    if not isinstance(one, pikepdf.Dictionary):
        return
    for holder, key in ((one, "/Dest"), (one.get("/A"), "/D")):
        name = holder.get(key) if isinstance(holder, pikepdf.Dictionary) else None
        if isinstance(name, pikepdf.String) and bytes(name) in renamed:
            holder[key] = pikepdf.String(renamed[bytes(name)])


def _siblings(item: Any) -> Iterator[Any]:
    seen = set()
    while item is not None and item.objgen not in seen:
        seen.add(item.objgen)
        yield item
        item = item.get("/Next")
