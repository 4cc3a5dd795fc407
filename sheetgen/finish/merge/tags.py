"""Tags of several files as one tree, with numbers and names that no two of them share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from sheetgen.finish.merge.object_copier import ObjectCopier

_MAPS: Final = ("/RoleMap", "/ClassMap")


class Tags:
    """The tags of the file that is being put together; `whole` holds what is new in them."""

    def __init__(self, whole: ObjectCopier, lang: str) -> None:
        import pikepdf

        self.whole, self.lang = whole, lang
        self.next = 0
        self.parents: list[Any] = []
        self.ids: dict[bytes, int] = {}
        self.maps: dict[str, dict[str, int]] = {kind: {} for kind in _MAPS}
        self.untagged = False
        self.root = whole.pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot))
        self.top = self._element("/Document", self.root, "")
        self.root.K = self.top

    def _element(self, tag: str, above: Any, title: str) -> Any:
        import pikepdf

        element = pikepdf.Dictionary(Type=pikepdf.Name.StructElem, S=pikepdf.Name(tag), P=above)
        if title:
            element.T = title
        element.K = pikepdf.Array()
        return self.whole.pdf.make_indirect(element)

    def entry(self, title: str) -> Any:
        """Return a new tag that tags of parts can hang below."""
        element = self._element("/Part", self.top, title)
        self.top.K.append(element)
        return element

    def take(self, part: ObjectCopier, number: int, title: str, below: Any = None) -> None:
        """Take the tags of a part.

        Args:
            part: Its keys begin with `next`.
            number: Names that clash end with it.
            below: A tag of ours; without it they hang below the whole.
        """
        import pikepdf

        tree = part.pdf.Root.get("/StructTreeRoot")
        if tree is None:
            self.untagged = True
            for page in part.pdf.pages:
                _untag(page.obj)
            return
        above, tag = (self.top, "/Part") if below is None else (below, "/Sect")
        tops = [one for one in _each(tree.get("/K")) if isinstance(one, pikepdf.Dictionary)]
        if len(tops) == 1 and tops[0].S == "/Document":
            (element,) = tops
        else:
            made = pikepdf.Dictionary(Type=pikepdf.Name.StructElem, K=pikepdf.Array(tops))
            element = part.pdf.make_indirect(made)
            for top in tops:
                top.P = element
        element.S, element.T = pikepdf.Name(tag), title
        element.P = part.proxy(self.whole.number(above))
        lang = str(part.pdf.Root.get("/Lang", ""))
        if lang and lang != self.lang:
            element.Lang = lang
        self._take_maps(part, tree, number)
        above.K.append(self.whole.proxy(part.number(element)))
        self._take_keys(part, tree)

    def _take_maps(self, part: ObjectCopier, tree: Any, number: int) -> None:
        """Take what roles and classes mean; one that means something else is renamed."""
        renamed: dict[str, str] = {}
        for kind, taken in self.maps.items():
            for name, meaning in tree.get(kind, {}).items():
                found, new = part.shared(meaning), name
                if taken.setdefault(name, found) != found:
                    new = renamed[kind + name] = f"{name}-{number}"
                taken[new] = found
        if renamed:
            for one in part.pdf.objects:
                _rename(one, renamed)

    def _take_keys(self, part: ObjectCopier, tree: Any) -> None:
        """Take what keys of pages and annotations lead to."""
        import pikepdf

        pairs = sorted(_pairs(tree.get("/ParentTree", {})), key=lambda pair: pair[0])
        if pairs:
            flat = [side for key, value in pairs for side in (key + self.next, value)]
            limits = [pairs[0][0] + self.next, pairs[-1][0] + self.next]
            leaf = pikepdf.Dictionary(Limits=limits, Nums=pikepdf.Array(flat))
            self.parents.append(self.whole.proxy(part.number(leaf)))
            self.next += pairs[-1][0] + 1

    def last_first(self) -> None:
        """Let what was taken last be read first."""
        import pikepdf

        kids = list(self.top.K)
        if kids:
            self.top.K = pikepdf.Array([kids[-1], *kids[:-1]])

    def put(self) -> None:
        """Give the file its tags, if any part of it has some."""
        import pikepdf

        if not len(self.top.K):
            return
        whole, root = self.whole, self.root
        root.ParentTree = pikepdf.Dictionary(Kids=pikepdf.Array(self.parents))
        root.ParentTreeNextKey = self.next
        for kind, taken in self.maps.items():
            if taken:
                root[kind] = pikepdf.Dictionary({n: whole.proxy(to) for n, to in taken.items()})
        if self.ids:
            names = [s for id_ in sorted(self.ids) for s in (id_, self.ids[id_])]
            named = [pikepdf.String(s) if isinstance(s, bytes) else whole.proxy(s) for s in names]
            root.IDTree = pikepdf.Dictionary(Names=pikepdf.Array(named))
        whole.pdf.Root.StructTreeRoot = root
        whole.pdf.Root.MarkInfo = pikepdf.Dictionary(Marked=not self.untagged)


def _untag(page: Any) -> None:
    """Take out keys that lead nowhere."""
    for one in (page, *page.get("/Annots", ())):
        for key in ("/StructParents", "/StructParent"):
            if key in one:
                del one[key]


def _rename(one: Any, renamed: dict[str, str]) -> None:
    """Give a tag the new names of its role and classes; what is no tag is left alone."""
    import pikepdf

    if not isinstance(one, pikepdf.Dictionary) or "/S" not in one or "/P" not in one:
        return
    one.S = pikepdf.Name(renamed.get(f"/RoleMap{one.S}", str(one.S)))
    if "/C" in one:
        names = [name for name in _each(one.C) if isinstance(name, pikepdf.Name)]
        new = [renamed.get(f"/ClassMap{name}", str(name)) for name in names]
        one.C = pikepdf.Array([pikepdf.Name(name) for name in new])


def _pairs(node: Any) -> Iterator[tuple[int, Any]]:
    """Yield the numbers of a number tree, and what each leads to."""
    found = list(node.get("/Nums", ()))
    for key, value in zip(found[::2], found[1::2], strict=False):
        yield int(key), value
    for kid in node.get("/Kids", ()):
        yield from _pairs(kid)


def _each(value: Any) -> list[Any]:
    import pikepdf

    if value is None:
        return []
    return list(value) if isinstance(value, pikepdf.Array) else [value]
