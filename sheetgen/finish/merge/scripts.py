"""Document scripts of merged files; equal ones are written once."""

from __future__ import annotations

from typing import Any

from sheetgen.finish.merge.object_copier import ObjectCopier
from sheetgen.finish.saving import tree_pairs


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
        named = [
            one
            for name, number in sorted(self.names.items())
            for one in (pikepdf.String(name), self.target.proxy(number))
        ]
        root.Names.JavaScript = pikepdf.Dictionary(Names=pikepdf.Array(named))


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
    """Yield the fields that have no fields below them."""
    for field in fields:
        below = [kid for kid in field.get("/Kids", ()) if "/T" in kid]
        if below:
            yield from _terminal_fields(below)
        else:
            yield field
