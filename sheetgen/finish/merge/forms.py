"""Fields of several files as one form: each file's hang below a group with a name of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sheetgen.finish.merge.object_copier import ObjectCopier


class MergedForm:
    """The form of the file that is being put together; `whole` holds what is new in it."""

    def __init__(self, whole: ObjectCopier) -> None:
        self.whole = whole
        self.groups: list[Any] = []
        self.order: list[int] = []
        self.resources: dict[str, dict[str, int]] = {}

    def take(self, part: ObjectCopier, name: str, label: str) -> None:
        """Take the fields of a part.

        Args:
            name: Of their group.
            label: What a screen reader calls it.
        """
        import pikepdf

        form = part.pdf.Root.get("/AcroForm")
        if form is None or not len(form.get("/Fields", ())):
            return
        group = self.whole.pdf.make_indirect(pikepdf.Dictionary(T=name, TU=label or name))
        above = part.proxy(self.whole.number(group))
        for field in form.Fields:
            field.Parent = above
        renamed = self._take_resources(part, form.get("/DR", {}))
        if renamed:
            _rename(form.Fields, renamed)
        if "/DA" in form:  # fields inherit it
            group.DA = _in_new_words(str(form.DA), renamed)
        if "/Q" in form:
            group.Q = int(form.Q)
        group.Kids = pikepdf.Array([self.whole.proxy(part.number(one)) for one in form.Fields])
        self.groups.append(group)
        self.order += [part.number(one) for one in form.get("/CO", ())]

    def _take_resources(self, part: ObjectCopier, resources: Any) -> dict[str, str]:
        """Take fonts and the like for what is typed; return new names for fonts that clash."""
        import pikepdf

        renamed: dict[str, str] = {}
        for kind, things in resources.items():
            if not isinstance(things, pikepdf.Dictionary):
                continue
            taken = self.resources.setdefault(kind, {})
            for name, thing in things.items():
                found, new, number = part.shared(thing), name, 1
                while taken.setdefault(new, found) != found:
                    number += 1
                    new = f"{name}-{number}"
                if new != name and kind == "/Font":
                    renamed[name] = new
        return renamed

    def put(self) -> None:
        """Give the file its form, if it has fields."""
        import pikepdf

        if not self.groups:
            return
        resources = {
            kind: pikepdf.Dictionary({name: self.whole.proxy(n) for name, n in things.items()})
            for kind, things in self.resources.items()
        }
        pdf = self.whole.pdf
        form = pikepdf.Dictionary(Fields=pikepdf.Array(self.groups), DR=resources)
        if fonts := self.resources.get("/Font"):
            form.DA = f"{next(iter(fonts))} 9 Tf 0 g"
        if self.order:
            form.CO = pikepdf.Array([self.whole.proxy(number) for number in self.order])
        pdf.Root.AcroForm = pdf.make_indirect(form)


def _rename(fields: Any, renamed: dict[str, str]) -> None:
    """Let fields and all below them set what is typed in fonts by their new names."""
    for one in _below(fields):
        if "/DA" in one:
            one.DA = _in_new_words(str(one.DA), renamed)


def _in_new_words(said: str, renamed: dict[str, str]) -> str:
    return re.sub(r"/[^\s/()<>\[\]{}%]+", lambda name: renamed.get(name[0], name[0]), said)


def _below(fields: Any) -> Iterator[Any]:
    for field in fields:
        yield field
        yield from _below(field.get("/Kids", ()))
