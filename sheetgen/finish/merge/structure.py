"""The structure tree of merged files, with unique keys and identifiers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from sheetgen.finish.merge.object_copier import ObjectCopier
from sheetgen.finish.saving import (
    list_of,
    name_tree,
    remove_keys,
    tree_pairs,
    walk_annotations,
    walk_fields,
)

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
                for one in (page.obj, *page.obj.get("/Annots", ())):
                    remove_keys(one, "/StructParents", "/StructParent")
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


# The form of merged files: fields of each part below a field of their own, and scripts, once.


class MergedForm:
    """The form of the merged file."""

    def __init__(self, target: ObjectCopier) -> None:
        self.target = target
        self.groups: list[Any] = []
        self.order: list[int] = []
        self.resources: dict[str, dict[str, int]] = {}

    def add_part(self, part: ObjectCopier, name: str, label: str) -> None:
        """Add the fields of a part.

        Args:
            name: Name of the field that they are put below.
            label: Its name for screen readers.
        """
        import pikepdf

        form = part.pdf.Root.get("/AcroForm")
        if form is None or not len(form.get("/Fields", ())):
            return
        group = self.target.pdf.make_indirect(pikepdf.Dictionary(T=name, TU=label or name))
        above = part.proxy(self.target.number(group))
        for field in form.Fields:
            field.Parent = above
        renamed = self._take_resources(part, form.get("/DR", {}))
        for field in walk_fields(form.Fields) if renamed else ():
            if "/DA" in field:
                field.DA = _rename_fonts(str(field.DA), renamed)
        if "/DA" in form:  # fields inherit it
            group.DA = _rename_fonts(str(form.DA), renamed)
        if "/Q" in form:
            group.Q = int(form.Q)
        group.Kids = pikepdf.Array([self.target.proxy(part.number(one)) for one in form.Fields])
        self.groups.append(group)
        self.order += [part.number(one) for one in form.get("/CO", ())]

    def _take_resources(self, part: ObjectCopier, resources: Any) -> dict[str, str]:
        """Add the resources of typed text; return new names for fonts that clash."""
        import pikepdf

        renamed: dict[str, str] = {}
        for kind, entries in resources.items():
            if not isinstance(entries, pikepdf.Dictionary):
                continue
            taken = self.resources.setdefault(kind, {})
            for name, entry in entries.items():
                resource, new, number = part.shared(entry), name, 1
                while taken.setdefault(new, resource) != resource:
                    number += 1
                    new = f"{name}-{number}"
                if new != name and kind == "/Font":
                    renamed[name] = new
        return renamed

    def finish(self) -> None:
        """Write the form, if there are fields."""
        import pikepdf

        if not self.groups:
            return
        resources = {
            kind: pikepdf.Dictionary({name: self.target.proxy(n) for name, n in entries.items()})
            for kind, entries in self.resources.items()
        }
        pdf = self.target.pdf
        form = pikepdf.Dictionary(Fields=pikepdf.Array(self.groups), DR=resources)
        if fonts := self.resources.get("/Font"):
            form.DA = f"{next(iter(fonts))} 9 Tf 0 g"
        if self.order:
            form.CO = pikepdf.Array([self.target.proxy(number) for number in self.order])
        pdf.Root.AcroForm = pdf.make_indirect(form)


def _rename_fonts(appearance: str, renamed: dict[str, str]) -> str:
    return re.sub(r"/[^\s/()<>\[\]{}%]+", lambda name: renamed.get(name[0], name[0]), appearance)


def _terminal_fields(fields: Any) -> Any:
    for field in fields:
        below = [kid for kid in field.get("/Kids", ()) if "/T" in kid]
        if below:
            yield from _terminal_fields(below)
        else:
            yield field


# Bookmarks and named destinations of merged files.


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


class MergedNames:
    """The named destinations and the document scripts of the merged file, by name."""

    def __init__(self, target: ObjectCopier) -> None:
        self.target = target
        self.names: dict[bytes, int] = {}
        self.scripts: dict[bytes, int] = {}

    def add_part(self, part: ObjectCopier, number: int, mark: Any) -> None:
        """Add the names of a part, and put its bookmarks below `mark`.

        Its reset buttons are limited to its own fields.

        Args:
            number: Is appended to names that an earlier part has for something else.
        """
        import pikepdf

        root = part.pdf.Root
        pairs = tree_pairs(root.get("/Names", {}).get("/Dests", {}), "/Names")
        named = [(bytes(name), place) for name, place in pairs]
        renamed = {name: b"%s-%d" % (name, number) for name, _ in named if name in self.names}
        if renamed:
            for one in part.pdf.objects:
                _redirect(one, renamed)
        for name, place in named:
            self.names[renamed.get(name, name)] = part.number(place)
        items, seen = [], set()
        item = root.get("/Outlines", {}).get("/First")
        while item is not None and item.objgen not in seen:
            seen.add(item.objgen)
            items.append(item)
            item = item.get("/Next")
        if items:
            _chain(items, part.proxy(self.target.number(mark)))
            mark.First, mark.Last = (self.target.proxy(part.number(items[n])) for n in (0, -1))
            mark.Count = -_count_visible(items)
        for key, action in tree_pairs(root.get("/Names", {}).get("/JavaScript", {}), "/Names"):
            script_name, script = bytes(key), part.shared(action)
            clashes = self.scripts.get(script_name, script) != script
            self.scripts[script_name + b"-%d" % number if clashes else script_name] = script
        fields = root.get("/AcroForm", {}).get("/Fields", ())
        for one in walk_annotations(part.pdf):
            action = one.get("/A", {})
            if str(action.get("/S", "")) == "/ResetForm" and "/Fields" not in action:
                action.Fields = pikepdf.Array(list(_terminal_fields(fields)))

    def finish(self) -> None:
        """Write the trees of names, if there are any."""
        import pikepdf

        for key, names in (("/Dests", self.names), ("/JavaScript", self.scripts)):
            if names:
                root = self.target.pdf.Root
                root.Names = root.get("/Names", pikepdf.Dictionary())
                root.Names[key] = name_tree({n: self.target.proxy(at) for n, at in names.items()})


def _redirect(one: Any, renamed: dict[bytes, bytes]) -> None:
    """Replace the names of destinations in a link or bookmark."""
    import pikepdf

    if not isinstance(one, pikepdf.Dictionary):
        return
    for holder, key in ((one, "/Dest"), (one.get("/A"), "/D")):
        name = holder.get(key) if isinstance(holder, pikepdf.Dictionary) else None
        if isinstance(name, pikepdf.String) and bytes(name) in renamed:
            holder[key] = pikepdf.String(renamed[bytes(name)])
