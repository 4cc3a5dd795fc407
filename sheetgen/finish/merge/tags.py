"""The structure tree of merged files, with unique keys and identifiers."""

from __future__ import annotations

from typing import Any, Final

from sheetgen.finish.merge.object_copier import ObjectCopier
from sheetgen.finish.saving import list_of, remove_keys, tree_pairs

_MAPS: Final = ("/RoleMap", "/ClassMap")


class Tags:
    """The structure tree of the merged file."""

    def __init__(self, target: ObjectCopier, lang: str) -> None:
        import pikepdf

        self.target, self.lang = target, lang
        self.next = 0
        self.parents: list[Any] = []
        self.ids: dict[bytes, int] = {}
        self.maps: dict[str, dict[str, int]] = {kind: {} for kind in _MAPS}
        self.untagged = False
        self.root = target.pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot))
        self.top = self._element("/Document", self.root, "")
        self.root.K = self.top

    def _element(self, tag: str, above: Any, title: str) -> Any:
        import pikepdf

        element = pikepdf.Dictionary(Type=pikepdf.Name.StructElem, S=pikepdf.Name(tag), P=above)
        if title:
            element.T = title
        element.K = pikepdf.Array()
        return self.target.pdf.make_indirect(element)

    def entry(self, title: str) -> Any:
        """Return a new element for an entry, which the elements of its parts are put below."""
        element = self._element("/Part", self.top, title)
        self.top.K.append(element)
        return element

    def add_part(self, part: ObjectCopier, number: int, title: str, below: Any = None) -> None:
        """Add the structure tree of a part.

        Args:
            part: Its keys begin with `next`.
            number: Is appended to names that clash.
            below: The element of its entry; None puts it below the document.
        """
        import pikepdf

        tree = part.pdf.Root.get("/StructTreeRoot")
        if tree is None:
            self.untagged = True
            for page in part.pdf.pages:
                _untag(page.obj)
            return
        above, tag = (self.top, "/Part") if below is None else (below, "/Sect")
        tops = [one for one in list_of(tree.get("/K")) if isinstance(one, pikepdf.Dictionary)]
        if len(tops) == 1 and tops[0].S == "/Document":
            (element,) = tops
        else:
            element = part.pdf.make_indirect(
                pikepdf.Dictionary(Type=pikepdf.Name.StructElem, K=pikepdf.Array(tops))
            )
            for top in tops:
                top.P = element
        element.S, element.T = pikepdf.Name(tag), title
        element.P = part.proxy(self.target.number(above))
        lang = str(part.pdf.Root.get("/Lang", ""))
        if lang and lang != self.lang:
            element.Lang = lang
        self._take_maps(part, tree, number)
        above.K.append(self.target.proxy(part.number(element)))
        self._take_keys(part, tree)

    def _take_maps(self, part: ObjectCopier, tree: Any, number: int) -> None:
        """Add the role map and the class map; names that clash are renamed."""
        renamed: dict[str, str] = {}
        for kind, taken in self.maps.items():
            for name, meaning in tree.get(kind, {}).items():
                shared, new = part.shared(meaning), name
                if taken.setdefault(name, shared) != shared:
                    new = renamed[kind + name] = f"{name}-{number}"
                taken[new] = shared
        if renamed:
            for one in part.pdf.objects:
                _rename(one, renamed)

    def _take_keys(self, part: ObjectCopier, tree: Any) -> None:
        """Add the parent tree, with its keys shifted."""
        import pikepdf

        parents = tree_pairs(tree.get("/ParentTree", {}), "/Nums")
        pairs = sorted(((int(key), value) for key, value in parents), key=lambda pair: pair[0])
        if pairs:
            flat = [side for key, value in pairs for side in (key + self.next, value)]
            limits = [pairs[0][0] + self.next, pairs[-1][0] + self.next]
            leaf = pikepdf.Dictionary(Limits=limits, Nums=pikepdf.Array(flat))
            self.parents.append(self.target.proxy(part.number(leaf)))
            self.next += pairs[-1][0] + 1

    def move_last_first(self) -> None:
        """Move the part that was added last to the front of the reading order."""
        import pikepdf

        kids = list(self.top.K)
        if kids:
            self.top.K = pikepdf.Array([kids[-1], *kids[:-1]])

    def finish(self) -> None:
        """Write the structure tree, if any part has one."""
        import pikepdf

        if not len(self.top.K):
            return
        target, root = self.target, self.root
        root.ParentTree = pikepdf.Dictionary(Kids=pikepdf.Array(self.parents))
        root.ParentTreeNextKey = self.next
        for kind, taken in self.maps.items():
            if taken:
                root[kind] = pikepdf.Dictionary({n: target.proxy(to) for n, to in taken.items()})
        if self.ids:
            names = [s for id_ in sorted(self.ids) for s in (id_, self.ids[id_])]
            named = [pikepdf.String(s) if isinstance(s, bytes) else target.proxy(s) for s in names]
            root.IDTree = pikepdf.Dictionary(Names=pikepdf.Array(named))
        target.pdf.Root.StructTreeRoot = root
        target.pdf.Root.MarkInfo = pikepdf.Dictionary(Marked=not self.untagged)


def _untag(page: Any) -> None:
    """Remove keys of a structure tree that does not exist."""
    for one in (page, *page.get("/Annots", ())):
        remove_keys(one, "/StructParents", "/StructParent")


def _rename(one: Any, renamed: dict[str, str]) -> None:
    """Rename the role and the classes of a structure element; leave other objects alone."""
    import pikepdf

    if not isinstance(one, pikepdf.Dictionary) or "/S" not in one or "/P" not in one:
        return
    one.S = pikepdf.Name(renamed.get(f"/RoleMap{one.S}", str(one.S)))
    if "/C" in one:
        names = [name for name in list_of(one.C) if isinstance(name, pikepdf.Name)]
        new = [renamed.get(f"/ClassMap{name}", str(name)) for name in names]
        one.C = pikepdf.Array([pikepdf.Name(name) for name in new])
