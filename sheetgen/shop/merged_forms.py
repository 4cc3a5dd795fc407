"""Fields of several files as one form: each file's hang below a group with a name of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sheetgen.shop.sharing import Shared


class Forms:
    """The form of the file that is being put together."""

    def __init__(self, pdf: Any, shared: Shared) -> None:
        self.pdf, self.shared = pdf, shared
        self.groups: list[Any] = []
        self.order: list[Any] = []
        self.resources: dict[str, dict[str, Any]] = {}

    def take(self, source: Any, name: str, label: str) -> None:
        """Take the fields of a file, of which all pages are here.

        Args:
            name: Of their group.
            label: What a screen reader calls it.
        """
        import pikepdf

        form = source.Root.get("/AcroForm")
        if form is None or not len(form.get("/Fields", ())):
            return
        fields = [self.pdf.copy_foreign(_indirect(source, one)) for one in form.Fields]
        group = self.pdf.make_indirect(pikepdf.Dictionary(T=name, TU=label or name, Kids=fields))
        for key in ("/DA", "/Q"):  # fields inherit them
            if key in form:
                group[key] = str(form[key]) if key == "/DA" else int(form[key])
        for field in fields:
            field.Parent = group
        self.groups.append(group)
        self.order += [self.pdf.copy_foreign(one) for one in form.get("/CO", ()) if one.is_indirect]
        if "/DR" in form:
            renamed = self._take_resources(self.pdf.copy_foreign(_indirect(source, form.DR)))
            if renamed:
                _rename(group, renamed)

    def _take_resources(self, resources: Any) -> dict[str, str]:
        """Take fonts and the like for what is typed; return new names for those that clash."""
        import pikepdf

        renamed: dict[str, str] = {}
        for kind, things in resources.items():
            if not isinstance(things, pikepdf.Dictionary):
                continue
            taken = self.resources.setdefault(kind, {})
            for name, thing in things.items():
                one, new, number = self.shared.one(thing), name, 1
                while new in taken and not _same(taken[new], one):
                    number += 1
                    new = f"{name}-{number}"
                taken[new] = one
                if new != name and kind == "/Font":
                    renamed[name] = new
        return renamed

    def put(self) -> None:
        """Give the file its form, if it has fields."""
        import pikepdf

        if not self.groups:
            return
        form = pikepdf.Dictionary(Fields=self.groups, DR=pikepdf.Dictionary(self.resources))
        fonts = self.resources.get("/Font")
        if fonts:
            form.DA = f"{next(iter(fonts))} 9 Tf 0 g"
        if self.order:
            form.CO = pikepdf.Array(self.order)
        self.pdf.Root.AcroForm = self.pdf.make_indirect(form)


def _indirect(source: Any, one: Any) -> Any:
    return one if one.is_indirect else source.make_indirect(one)


def _same(one: Any, other: Any) -> bool:
    import pikepdf

    if isinstance(one, pikepdf.Object) and one.is_indirect:
        return isinstance(other, pikepdf.Object) and bool(one.objgen == other.objgen)
    return bool(one == other)


def _rename(field: Any, renamed: dict[str, str]) -> None:
    """Let a field and all below it set what is typed in fonts by their new names."""
    names = re.compile("|".join(f"{re.escape(name)}(?=\\s)" for name in renamed))
    for one in _below(field):
        if "/DA" in one:
            one.DA = names.sub(lambda match: renamed[match[0]], str(one.DA))


def _below(field: Any) -> Iterator[Any]:
    yield field
    for kid in field.get("/Kids", ()):
        yield from _below(kid)
