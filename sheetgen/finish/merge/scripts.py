"""Scripts of several files as those of one; equal ones are there once."""

from __future__ import annotations

from typing import Any

from sheetgen.finish.merge.object_copier import ObjectCopier


class Scripts:
    """The scripts of the file that is being put together, run when it is opened, by name."""

    def __init__(self, whole: ObjectCopier) -> None:
        self.whole = whole
        self.names: dict[bytes, int] = {}

    def take(self, part: ObjectCopier, number: int) -> None:
        """Take the scripts of a part, and let its buttons put back nothing but its own fields.

        Args:
            number: Names that another part has for something else end with it.
        """
        tree = part.pdf.Root.get("/Names", {}).get("/JavaScript")
        listed = list(_pairs(tree)) if tree is not None else []
        for name, action in listed:
            found = part.shared(action)
            clashes = self.names.get(name, found) != found
            self.names[name + b"-%d" % number if clashes else name] = found
        _narrow(part.pdf)

    def put(self) -> None:
        """Give the file its scripts, if it has some; after its named places."""
        import pikepdf

        if not self.names:
            return
        root = self.whole.pdf.Root
        if "/Names" not in root:
            root.Names = pikepdf.Dictionary()
        named = [
            one
            for name, number in sorted(self.names.items())
            for one in (pikepdf.String(name), self.whole.proxy(number))
        ]
        root.Names.JavaScript = pikepdf.Dictionary(Names=pikepdf.Array(named))


def _pairs(node: Any) -> Any:
    """Yield names and actions in a tree of names."""
    found = list(node.get("/Names", ()))
    yield from zip(map(bytes, found[::2]), found[1::2], strict=True)
    for kid in node.get("/Kids", ()):
        yield from _pairs(kid)


def _narrow(pdf: Any) -> None:
    """Let buttons that reset all fields of a file name them."""
    import pikepdf

    fields = pdf.Root.get("/AcroForm", {}).get("/Fields", ())
    for page in pdf.pages:
        for one in page.obj.get("/Annots", ()):
            action = one.get("/A", {})
            if str(action.get("/S", "")) == "/ResetForm" and "/Fields" not in action:
                action.Fields = pikepdf.Array(list(_last(fields)))


def _last(fields: Any) -> Any:
    """Yield the fields that have none below them."""
    for field in fields:
        below = [kid for kid in field.get("/Kids", ()) if "/T" in kid]
        if below:
            yield from _last(below)
        else:
            yield field
