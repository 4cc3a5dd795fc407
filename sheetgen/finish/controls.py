"""Controls of live sheets, taken out where nothing may act: they would do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

_PUSHED: Final = 1 << 16
_TOLD: Final = "sheetgen-"


def remove_buttons(pdf: Any) -> None:
    """Take out buttons that are pushed, and what scripts write to or show, with their tags."""
    gone = [one for page in pdf.pages for one in page.obj.get("/Annots", ()) if _acts(one)]
    if not gone:
        return
    known = {one.objgen for one in gone}
    for page in pdf.pages:
        if "/Annots" in page.obj:
            _strike(page.obj, "/Annots", known)
    tags = dict(_tags(pdf.Root.get("/StructTreeRoot", {}).get("/ParentTree", {})))
    for one in gone:
        above = one.get("/Parent")
        _strike(above, "/Kids", known) if above is not None else None
        tag = tags.get(int(one.get("/StructParent", -1)))
        if tag is not None and "/P" in tag:
            _strike(tag.P, "/K", {tag.objgen})
    _strike(pdf.Root.AcroForm, "/Fields", known)


def _acts(one: Any) -> bool:
    pushed = str(one.get("/FT", "")) == "/Btn" and int(one.get("/Ff", 0)) & _PUSHED
    return bool(pushed) or str(one.get("/T", "")).startswith(_TOLD)


def _strike(holder: Any, key: str, known: set[tuple[int, int]]) -> None:
    import pikepdf

    if isinstance(holder.get(key), pikepdf.Array):
        left = [one for one in holder[key] if getattr(one, "objgen", (0, 0)) not in known]
        holder[key] = pikepdf.Array(left)


def _tags(node: Any) -> Iterator[tuple[int, Any]]:
    """Yield the tags of fields in a tree of numbers, by number."""
    import pikepdf

    found = list(node.get("/Nums", ()))
    for number, tag in zip(found[::2], found[1::2], strict=True):
        if isinstance(tag, pikepdf.Dictionary):
            yield int(number), tag
    for kid in node.get("/Kids", ()):
        yield from _tags(kid)
