"""Bookmarks and named places of several files in the one that they become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sheetgen.finish.merge.object_copier import ObjectCopier

Start = tuple[int, float, float]
"""Where something begins: the number of a page, its left edge, its top."""


def destination(sheaf: ObjectCopier, start: Start) -> Any:
    """Return what leads to the top of a page, without changing how large pages are shown."""
    import pikepdf

    number, left, top = start
    return pikepdf.Array([sheaf.proxy(number), pikepdf.Name.XYZ, left, top, 0])


def bookmark(whole: ObjectCopier, title: str, start: Start) -> Any:
    """Return a new bookmark, which hangs nowhere yet."""
    import pikepdf

    made = pikepdf.Dictionary(Title=title, Dest=destination(whole, start))
    return whole.pdf.make_indirect(made)


def hang_below(above: Any, items: Sequence[Any]) -> None:
    """Let bookmarks hang below one, which is closed."""
    _chain(items, above)
    above.First, above.Last = items[0], items[-1]
    above.Count = -_shown(items)


def put_bookmarks(whole: ObjectCopier, items: Sequence[Any]) -> None:
    """Give a file its bookmarks; it opens beside them, the first level shown."""
    import pikepdf

    if not items:
        return
    outlines = whole.pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.Outlines))
    hang_below(outlines, items)
    outlines.Count = len(items)
    whole.pdf.Root.Outlines = outlines
    whole.pdf.Root.PageMode = pikepdf.Name.UseOutlines


def _chain(items: Sequence[Any], above: Any) -> None:
    for at, item in enumerate(items):
        item.Parent = above
        for key, near in (("/Prev", at - 1), ("/Next", at + 1)):
            if 0 <= near < len(items):
                item[key] = items[near]
            elif key in item:
                del item[key]


def _shown(items: Sequence[Any]) -> int:
    """Return how many bookmarks show where these do."""
    return sum(1 + max(0, int(item.get("/Count", 0))) for item in items)


class NamedPlaces:
    """Named places of the file that is being put together; `whole` holds what is new in it."""

    def __init__(self, whole: ObjectCopier) -> None:
        self.whole = whole
        self.names: dict[bytes, int] = {}

    def take(self, part: ObjectCopier, number: int, mark: Any) -> None:
        """Take the named places of a part, and hang its bookmarks below `mark`.

        Args:
            number: Names that another part has too end with it.
        """
        root = part.pdf.Root
        tree = root.get("/Names", {}).get("/Dests")
        named = [*_pairs(tree)] if tree is not None else []
        renamed = {name: b"%s-%d" % (name, number) for name, _ in named if name in self.names}
        if renamed:
            for one in part.pdf.objects:
                _redirect(one, renamed)
        for name, place in named:
            self.names[renamed.get(name, name)] = part.number(place)
        items = [*_siblings(root.get("/Outlines", {}).get("/First"))]
        if items:
            _chain(items, part.proxy(self.whole.number(mark)))
            mark.First, mark.Last = (self.whole.proxy(part.number(items[n])) for n in (0, -1))
            mark.Count = -_shown(items)

    def put(self) -> None:
        """Give the file its named places, if it has some."""
        import pikepdf

        if self.names:
            named = [s for name in sorted(self.names) for s in self._entry(name)]
            tree = pikepdf.Dictionary(Names=pikepdf.Array(named))
            self.whole.pdf.Root.Names = pikepdf.Dictionary(Dests=tree)

    def _entry(self, name: bytes) -> tuple[Any, Any]:
        import pikepdf

        return pikepdf.String(name), self.whole.proxy(self.names[name])


def _redirect(one: Any, renamed: dict[bytes, bytes]) -> None:
    """Let what leads to a named place do so by its new name."""
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


def _pairs(node: Any) -> Iterator[tuple[bytes, Any]]:
    """Yield the names of a name tree, and what each leads to."""
    found = list(node.get("/Names", ()))
    for name, value in zip(found[::2], found[1::2], strict=False):
        yield bytes(name), value
    for kid in node.get("/Kids", ()):
        yield from _pairs(kid)
