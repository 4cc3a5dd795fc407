"""The form of merged files: fields of each part below a field of their own, and scripts, once."""

from __future__ import annotations

import re
from typing import Any

from sheetgen.finish.merge.object_copier import ObjectCopier
from sheetgen.finish.saving import name_tree, tree_pairs, walk_fields


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
        if renamed:
            _rename(form.Fields, renamed)
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


def _rename(fields: Any, renamed: dict[str, str]) -> None:
    """Rename fonts in the default appearances of fields and of all fields below them."""
    for one in walk_fields(fields):
        if "/DA" in one:
            one.DA = _rename_fonts(str(one.DA), renamed)


def _rename_fonts(appearance: str, renamed: dict[str, str]) -> str:
    return re.sub(r"/[^\s/()<>\[\]{}%]+", lambda name: renamed.get(name[0], name[0]), appearance)


class Scripts:
    """The document scripts of the merged file, by name; viewers run them on opening."""

    def __init__(self, target: ObjectCopier) -> None:
        self.target = target
        self.names: dict[bytes, int] = {}

    def add_part(self, part: ObjectCopier, number: int) -> None:
        """Add the scripts of a part, and limit its reset buttons to its own fields.

        Args:
            number: Is appended to names that an earlier part has for another script.
        """
        tree = part.pdf.Root.get("/Names", {}).get("/JavaScript")
        for key, action in tree_pairs(tree, "/Names") if tree is not None else ():
            name, script = bytes(key), part.shared(action)
            clashes = self.names.get(name, script) != script
            self.names[name + b"-%d" % number if clashes else name] = script
        _limit_resets(part.pdf)

    def finish(self) -> None:
        """Write the scripts, if there are any; after the named destinations."""
        import pikepdf

        if not self.names:
            return
        root = self.target.pdf.Root
        if "/Names" not in root:
            root.Names = pikepdf.Dictionary()
        scripts = {name: self.target.proxy(number) for name, number in self.names.items()}
        root.Names.JavaScript = name_tree(scripts)


def _limit_resets(pdf: Any) -> None:
    """Add the list of fields to the reset buttons of a file that have none."""
    import pikepdf

    fields = pdf.Root.get("/AcroForm", {}).get("/Fields", ())
    for page in pdf.pages:
        for one in page.obj.get("/Annots", ()):
            action = one.get("/A", {})
            if str(action.get("/S", "")) == "/ResetForm" and "/Fields" not in action:
                action.Fields = pikepdf.Array(list(_terminal_fields(fields)))


def _terminal_fields(fields: Any) -> Any:
    for field in fields:
        below = [kid for kid in field.get("/Kids", ()) if "/T" in kid]
        if below:
            yield from _terminal_fields(below)
        else:
            yield field
