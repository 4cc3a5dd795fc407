"""Bookmarks and named places of several files in the one that they become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Mark:
    """A bookmark.

    Attributes:
        page: Where it leads to.
        below: Those below it.
        own: Those below it that a part brought along, objects of the file.
    """

    title: str
    page: Any
    below: Sequence[Mark] = ()
    own: Sequence[Any] = field(default=())


def put_marks(pdf: Any, marks: Sequence[Mark]) -> None:
    """Give a file its bookmarks; it opens beside them, the first level shown."""
    import pikepdf

    if not marks:
        return
    outlines = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.Outlines))
    _hang([_made(pdf, mark) for mark in marks], outlines)
    outlines.Count = len(marks)
    pdf.Root.Outlines = outlines
    pdf.Root.PageMode = pikepdf.Name.UseOutlines


def _made(pdf: Any, mark: Mark) -> Any:
    import pikepdf

    item = pikepdf.Dictionary(Title=mark.title, Dest=top_of(mark.page))
    item = pdf.make_indirect(item)
    below = [_made(pdf, one) for one in mark.below] or list(mark.own)
    if below:
        _hang(below, item)
        # Closed: the number of those that would show if it were opened, with a minus.
        item.Count = -sum(1 + max(0, int(one.get("/Count", 0))) for one in below)
    return item


def _hang(items: Sequence[Any], above: Any) -> None:
    above.First, above.Last = items[0], items[-1]
    for at, item in enumerate(items):
        item.Parent = above
        for key, near in (("/Prev", at - 1), ("/Next", at + 1)):
            if 0 <= near < len(items):
                item[key] = items[near]
            elif key in item:
                del item[key]


def top_of(page: Any) -> Any:
    """Return the destination that shows a page from its top, as large as pages are shown."""
    import pikepdf

    left, _, _, top = page.get("/CropBox", page.MediaBox)
    return pikepdf.Array([page, pikepdf.Name.XYZ, left, top, 0])


class Places:
    """Named places of the file that is being put together.

    A file is prepared, its pages are taken by somebody, then its places are taken.
    """

    def __init__(self, pdf: Any) -> None:
        self.pdf = pdf
        self.names: dict[bytes, Any] = {}
        self.renamed: dict[bytes, bytes] = {}

    def prepare(self, source: Any, number: int) -> None:
        """Rename what leads to places of a file that another file has a name of, too.

        Args:
            number: Of the file; new names end with it.
        """
        import pikepdf

        clashes = [name for name, _ in _named(source) if name in self.names]
        self.renamed = {name: b"%s-%d" % (name, number) for name in clashes}
        if not clashes:
            return
        for one in source.objects:
            if isinstance(one, pikepdf.Dictionary):
                self._redirect(one, "/Dest")
                if isinstance(one.get("/A"), pikepdf.Dictionary):
                    self._redirect(one.A, "/D")

    def _redirect(self, holder: Any, key: str) -> None:
        import pikepdf

        name = holder.get(key)
        if isinstance(name, pikepdf.String) and bytes(name) in self.renamed:
            holder[key] = pikepdf.String(self.renamed[bytes(name)])

    def take(self, source: Any) -> list[Any]:
        """Take the places of a prepared file, and return its bookmarks of the first level."""
        for name, place in _named(source):
            found = place if place.is_indirect else source.make_indirect(place)
            self.names[self.renamed.get(name, name)] = self.pdf.copy_foreign(found)
        outlines = source.Root.get("/Outlines", {})
        return [self.pdf.copy_foreign(item) for item in _siblings(outlines.get("/First"))]

    def put(self) -> None:
        """Give the file its named places, if it has some."""
        import pikepdf

        if self.names:
            named = [s for n in sorted(self.names) for s in (pikepdf.String(n), self.names[n])]
            tree = self.pdf.make_indirect(pikepdf.Dictionary(Names=pikepdf.Array(named)))
            self.pdf.Root.Names = pikepdf.Dictionary(Dests=tree)


def _siblings(item: Any) -> Iterator[Any]:
    seen = set()
    while item is not None and item.objgen not in seen:
        seen.add(item.objgen)
        yield item
        item = item.get("/Next")


def _named(source: Any) -> list[tuple[bytes, Any]]:
    """Return the named places of a file."""
    tree = source.Root.get("/Names", {}).get("/Dests")
    return [*_pairs(tree)] if tree is not None else []


def _pairs(node: Any) -> Iterator[tuple[bytes, Any]]:
    names = node.get("/Names", ())
    for at in range(0, len(names) - 1, 2):
        yield bytes(names[at]), names[at + 1]
    for kid in node.get("/Kids", ()):
        yield from _pairs(kid)
