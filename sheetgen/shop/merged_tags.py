"""Tags of several files as one tree, with numbers and names that no two of them share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

_KEYS: Final = ("/StructParents", "/StructParent")


class Tags:
    """The tags of the file that is being put together.

    A file is prepared, its pages are taken by somebody, then its tags are taken.
    """

    def __init__(self, pdf: Any, lang: str) -> None:
        import pikepdf

        self.pdf, self.lang = pdf, lang
        self.next = 0
        self.parents: list[Any] = []
        self.ids: dict[bytes, Any] = {}
        self.maps: dict[str, dict[str, Any]] = {"/RoleMap": {}, "/ClassMap": {}}
        self.untagged = False
        self.own_ids: list[tuple[bytes, Any]] = []
        self.renamed: dict[str, dict[str, str]] = {}
        self.root = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot))
        self.top = self._element("/Document", self.root, "")
        self.root.K = self.top

    def _element(self, tag: str, above: Any, title: str) -> Any:
        import pikepdf

        element = pikepdf.Dictionary(
            Type=pikepdf.Name.StructElem, S=pikepdf.Name(tag), P=above, K=pikepdf.Array()
        )
        if title:
            element.T = title
        return self.pdf.make_indirect(element)

    def entry(self, title: str) -> Any:
        """Return a new tag that tags of parts can hang below."""
        element = self._element("/Part", self.top, title)
        self.top.K.append(element)
        return element

    def prepare(self, source: Any, number: int) -> None:
        """Give the tags of a file numbers and names that no other has; nothing is taken yet.

        Args:
            number: Of the file; names that several files may use begin with it.
        """
        import pikepdf

        tagged = "/StructTreeRoot" in source.Root
        self.untagged |= not tagged
        self.own_ids = []
        self.renamed = {
            kind: self._clashes(kind, source, number) if tagged else {} for kind in self.maps
        }
        for one in source.objects:
            if not isinstance(one, pikepdf.Dictionary | pikepdf.Stream):
                continue
            for key in _KEYS:
                if key in one:
                    if tagged:
                        one[key] = int(one[key]) + self.next
                    else:
                        del one[key]
            if "/S" in one and "/P" in one:
                self._rename(one, number)

    def _clashes(self, kind: str, source: Any, number: int) -> dict[str, str]:
        """Return new names for roles or classes that mean something else in an earlier file."""
        found = source.Root.StructTreeRoot.get(kind, {})
        taken = self.maps[kind]
        return {
            name: f"{name}-{number}"
            for name, value in found.items()
            if name in taken and _said(taken[name]) != _said(value)
        }

    def _rename(self, element: Any, number: int) -> None:
        import pikepdf

        if "/ID" in element:
            element.ID = pikepdf.String(b"%d.%s" % (number, bytes(element.ID)))
            self.own_ids.append((bytes(element.ID), element))
        for one in _each(element.get("/A")):
            if isinstance(one, pikepdf.Dictionary) and "/Headers" in one:
                heads = [b"%d.%s" % (number, bytes(head)) for head in one.Headers]
                one.Headers = pikepdf.Array([pikepdf.String(head) for head in heads])
        if (tag := str(element.S)) in self.renamed["/RoleMap"]:
            element.S = pikepdf.Name(self.renamed["/RoleMap"][tag])
        if "/C" in element and (classes := self.renamed["/ClassMap"]):
            names = [classes.get(str(name), str(name)) for name in _each(element.C) if _named(name)]
            element.C = pikepdf.Array([pikepdf.Name(name) for name in names])

    def take(self, source: Any, title: str, below: Any = None) -> None:
        """Take the tags of a prepared file, all of whose pages are here.

        Args:
            below: A tag of ours; without it they hang below the whole.
        """
        import pikepdf

        if "/StructTreeRoot" not in source.Root:
            return
        theirs = source.Root.StructTreeRoot
        whole = theirs if theirs.is_indirect else source.make_indirect(theirs)
        tree = self.pdf.copy_foreign(whole)
        above, tag = (self.top, "/Part") if below is None else (below, "/Sect")
        tops = [one for one in _each(tree.get("/K")) if isinstance(one, pikepdf.Dictionary)]
        if len(tops) == 1 and tops[0].S == "/Document":
            (element,) = tops
            element.S, element.P = pikepdf.Name(tag), above
            element.T = title
        else:
            element = self._element(tag, above, title)
            for top in tops:
                top.P = element
            element.K = pikepdf.Array(tops)
        above.K.append(element)
        lang = str(source.Root.get("/Lang", ""))
        if lang and lang != self.lang:
            element.Lang = lang
        self._take_numbers(tree)
        self.ids |= {name: self.pdf.copy_foreign(one) for name, one in self.own_ids}
        for kind, taken in self.maps.items():
            for name, value in tree.get(kind, {}).items():
                taken[self.renamed[kind].get(name, name)] = value

    def _take_numbers(self, tree: Any) -> None:
        """Take what numbers of pages and annotations lead to."""
        import pikepdf

        pairs = sorted(_pairs(tree.get("/ParentTree", {})), key=lambda pair: pair[0])
        if pairs:
            flat = [side for key, value in pairs for side in (key + self.next, value)]
            limits = [pairs[0][0] + self.next, pairs[-1][0] + self.next]
            leaf = pikepdf.Dictionary(Limits=limits, Nums=pikepdf.Array(flat))
            self.parents.append(self.pdf.make_indirect(leaf))
            self.next += pairs[-1][0] + 1

    def put(self) -> None:
        """Give the file its tags, if any part of it has some."""
        import pikepdf

        if not len(self.top.K):
            return
        root = self.root
        root.ParentTree = self.pdf.make_indirect(pikepdf.Dictionary(Kids=self.parents))
        root.ParentTreeNextKey = self.next
        for kind, taken in self.maps.items():
            if taken:
                root[kind] = pikepdf.Dictionary(taken)
        if self.ids:
            names = [s for key in sorted(self.ids) for s in (pikepdf.String(key), self.ids[key])]
            root.IDTree = self.pdf.make_indirect(pikepdf.Dictionary(Names=pikepdf.Array(names)))
        self.pdf.Root.StructTreeRoot = root
        self.pdf.Root.MarkInfo = pikepdf.Dictionary(Marked=not self.untagged)


def _pairs(node: Any) -> Iterator[tuple[int, Any]]:
    """Yield the numbers of a number tree, and what each leads to."""
    numbers = node.get("/Nums", ())
    for place in range(0, len(numbers) - 1, 2):
        yield int(numbers[place]), numbers[place + 1]
    for kid in node.get("/Kids", ()):
        yield from _pairs(kid)


def _each(value: Any) -> list[Any]:
    import pikepdf

    if value is None:
        return []
    return list(value) if isinstance(value, pikepdf.Array) else [value]


def _named(value: Any) -> bool:
    import pikepdf

    return isinstance(value, pikepdf.Name)


def _said(value: Any) -> bytes:
    return bytes(value.unparse(resolved=True))
