"""The rules of PDF/UA-1 that a sheet could break, checked on a finished file.

Numbers are those of veraPDF's profile, where it has one; veraPDF itself is not on any
package index. `form` marks what ISO 32000 asks of forms.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pikepdf
from fontTools.ttLib import TTFont

SHOWING = {"Tj", "TJ", "'", '"'}
PAINTING = SHOWING | {"f", "F", "f*", "B", "B*", "b", "b*", "S", "s", "sh", "Do", "BI"}
INSIDE = {
    "Table": {"TR", "THead", "TBody", "TFoot", "Caption"},
    "THead": {"TR"},
    "TBody": {"TR"},
    "TFoot": {"TR"},
    "TR": {"TH", "TD"},
    "L": {"LI", "L", "Caption"},
    "LI": {"Lbl", "LBody"},
}
ONLY_IN = {
    "TR": {"Table", "THead", "TBody", "TFoot"},
    "TH": {"TR"},
    "TD": {"TR"},
    "LI": {"L"},
    "LBody": {"LI"},
}


def faults(data: bytes) -> list[str]:
    """Return what is wrong with the file `data`, each with the number of its rule."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        if "/StructTreeRoot" not in pdf.Root:
            return ["7.1-11: no tags"]
        elements = list(_elements(pdf.Root.StructTreeRoot.K, "StructTreeRoot"))
        parents = _parent_tree(pdf)
        return [
            *_document(pdf),
            *_nesting(elements),
            *_headings(elements),
            *_forms(elements),
            *_content(pdf, elements, parents),
            *_annotations(pdf, elements, parents),
            *_fields(pdf),
            *_fonts(pdf),
        ]


def _kids(element: Any) -> list[Any]:
    kids = element.get("/K", [])
    return list(kids) if isinstance(kids, pikepdf.Array | list) else [kids]


def _elements(kids: Any, above: str) -> Iterator[tuple[Any, str]]:
    for kid in list(kids) if isinstance(kids, pikepdf.Array) else [kids]:
        if isinstance(kid, pikepdf.Dictionary) and "/S" in kid:
            yield kid, above
            yield from _elements(pikepdf.Array(_kids(kid)), str(kid.S)[1:])


def _parent_tree(pdf: pikepdf.Pdf) -> dict[int, Any]:
    found: dict[int, Any] = {}

    def walk(node: Any) -> None:
        nums = list(node.get("/Nums", []))
        for key, value in zip(nums[::2], nums[1::2], strict=True):
            assert int(key) not in found, "a key stands twice in the parent tree"
            found[int(key)] = value
        for kid in node.get("/Kids", []):
            walk(kid)

    walk(pdf.Root.StructTreeRoot.ParentTree)
    return found


def _document(pdf: pikepdf.Pdf) -> Iterator[str]:
    root = pdf.Root
    if root.get("/MarkInfo", {}).get("/Marked") is not True:
        yield "6.2-1: not marked as tagged"
    if not str(root.get("/Lang", "")):
        yield "7.2-33: no language"
    if root.get("/ViewerPreferences", {}).get("/DisplayDocTitle") is not True:
        yield "7.1-10: the title is not displayed"
    with pdf.open_metadata(set_pikepdf_as_editor=False) as meta:
        if meta.get("pdfuaid:part") != "1":
            yield "5-1: does not say that it is PDF/UA-1"
        if not meta.get("dc:title"):
            yield "7.1-9: no title"
    form = root.get("/AcroForm", {})
    if "/XFA" in form:
        yield "7.15-1: a dynamic form"
    if form.get("/NeedAppearances") is True:
        yield "form: leaves its appearance to the viewer"


def _nesting(elements: list[tuple[Any, str]]) -> Iterator[str]:
    for element, above in elements:
        tag = str(element.S)[1:]
        if above in INSIDE and tag not in INSIDE[above]:
            yield f"7.2-4: {tag} stands in {above}"
        if tag in ONLY_IN and above not in ONLY_IN[tag]:
            yield f"7.2-5: {tag} stands in {above}"
        if tag == "Figure" and not str(element.get("/Alt", "")):
            yield "7.3-1: a figure says nothing"
        if tag == "TH" and "/Scope" not in element.get("/A", {}):
            yield "7.5-1: a header cell does not say of what"


def _headings(elements: list[tuple[Any, str]]) -> Iterator[str]:
    last = 0
    for element, _ in elements:
        tag = str(element.S)[1:]
        if tag[0] == "H" and tag[1:].isdigit():
            if int(tag[1:]) > last + 1:
                yield f"7.4.2-1: {tag} follows level {last}"
            last = int(tag[1:])


def _forms(elements: list[tuple[Any, str]]) -> Iterator[str]:
    for element, _ in elements:
        if element.S == "/Form" and "/Role" not in element.get("/A", {}):
            kids = [kid for kid in _kids(element) if not isinstance(kid, int)]
            if len(_kids(element)) != 1 or [k.get("/Type") for k in kids] != ["/OBJR"]:
                yield "7.18.4-2: a Form does not hold one widget and nothing else"


def _content(
    pdf: pikepdf.Pdf, elements: list[tuple[Any, str]], parents: dict[int, Any]
) -> Iterator[str]:
    owned = {
        (element.Pg.objgen, int(kid)): element.objgen
        for element, _ in elements
        for kid in _kids(element)
        if isinstance(kid, int)
    }
    for number, page in enumerate(pdf.pages, 1):
        held = parents.get(int(page.get("/StructParents", -1)), [])
        seen: set[int] = set()
        for mcid, operator in _marked(page):
            if operator in PAINTING and mcid is None:
                yield f"7.1-3: page {number} draws by {operator}, untagged"
            if mcid is None or mcid < 0 or operator != "BDC":
                continue
            if mcid in seen:
                yield f"7.1-3: content {mcid} of page {number} stands twice"
            seen.add(mcid)
            owner = owned.get((page.objgen, mcid))
            if owner is None or mcid >= len(held) or held[mcid].objgen != owner:
                yield f"7.1-3: content {mcid} of page {number} has no tag"
        claimed = {mcid for at, mcid in owned if at == page.objgen}
        if lost := claimed - seen:
            yield f"7.1-3: tags of page {number} hold missing content {sorted(lost)}"


def _marked(page: Any) -> Iterator[tuple[int | None, str]]:
    """Yield each operator with its content: a number, -1 for decoration, or None.

    An untagged form is looked into: it may have tags of its own.
    """
    open_: list[int | None] = []
    for operands, operator in pikepdf.parse_content_stream(page):
        name = str(operator)
        if name == "Do" and (not open_ or open_[-1] is None):
            drawn = page.Resources.XObject[operands[0]]
            if drawn.Subtype == "/Form":
                yield from _marked(drawn)
                continue
        if name in ("BDC", "BMC"):
            mcid = None if not open_ else open_[-1]
            if operands[0] == "/Artifact":
                mcid = -1
            elif name == "BDC" and "/MCID" in operands[1]:
                mcid = int(operands[1].MCID)
            open_.append(mcid)
        yield (open_[-1] if open_ else None), name
        if name == "EMC":
            open_.pop()


def _annotations(
    pdf: pikepdf.Pdf, elements: list[tuple[Any, str]], parents: dict[int, Any]
) -> Iterator[str]:
    holders = {
        kid.Obj.objgen: element
        for element, _ in elements
        for kid in _kids(element)
        if not isinstance(kid, int) and kid.get("/Type") == "/OBJR"
    }
    for number, page in enumerate(pdf.pages, 1):
        annotations = list(page.get("/Annots", []))
        if annotations and page.get("/Tabs") != "/S":
            yield f"7.18.3-1: page {number} does not follow the tags"
        for one in annotations:
            if int(one.get("/F", 0)) & 2:  # 7.18.1 lets out what is hidden
                continue
            what = {"/Widget": "/Form", "/Link": "/Link"}.get(str(one.Subtype))
            name = f"{one.get('/T', one.Subtype)} of page {number}"
            holder = holders.get(one.objgen)
            rule = "7.18.4-1" if what == "/Form" else "7.18.5-1"
            if holder is None or what != holder.S:
                yield f"{rule}: {name} is not in a {what}"
            elif parents[int(one.StructParent)].objgen != holder.objgen:
                yield f"{rule}: {name} leads to another tag"
            if what == "/Link" and not str(one.get("/Contents", "")):
                yield f"7.18.5-2: {name} does not say what it is"


def _fields(pdf: pikepdf.Pdf) -> Iterator[str]:
    names: set[str] = set()

    def walk(field: Any, before: str, above: Any) -> Iterator[str]:
        name = before + str(field.T)
        if "." in str(field.T):
            yield f"form: `{field.T}` has a dot in it"
        if (field.get("/Parent") and field.Parent.objgen) != (above and above.objgen):
            yield f"form: `{name}` has another parent"
        if not str(field.get("/TU", "")):
            yield f"7.18.1-3: `{name}` has no label"
        if name in names:
            yield f"form: two fields are named `{name}`"
        names.add(name)
        for kid in field.get("/Kids", []):
            yield from walk(kid, name + ".", field)
        if "/Kids" not in field:
            yield from _terminal(field, name)

    for top in pdf.Root.get("/AcroForm", {}).get("/Fields", []):
        yield from walk(top, "", None)


def _terminal(field: Any, name: str) -> Iterator[str]:
    look = field.get("/AP", {}).get("/N")
    pushed = bool(int(field.get("/Ff", 0)) & 65536)
    if look is None:
        if field.FT == "/Btn" or str(field.get("/V", "")):
            yield f"form: `{name}` has a value and no appearance"
    elif field.FT == "/Btn" and not pushed and field.get("/AS") not in look:
        yield f"form: `{name}` is in a state that it does not know"
    hidden = int(field.get("/F", 0)) & 2  # nobody types in it: the form's own will do
    if field.FT == "/Tx" and not hidden and " Tf" not in str(field.get("/DA", "")):
        yield f"form: `{name}` does not say how to set what is typed"
    if bool(int(field.get("/F", 0)) & 4) == ("-" in str(field.T)):  # a control of the screen
        yield f"form: `{name}` is not printed, or should not be"


def _fonts(pdf: pikepdf.Pdf) -> Iterator[str]:
    fonts = [
        one
        for one in pdf.objects
        if isinstance(one, pikepdf.Dictionary) and one.get("/Type") == "/Font"
    ]
    for font in fonts:
        if font.Subtype == "/Type0":
            if "/ToUnicode" not in font:
                yield f"7.21.7-1: {font.BaseFont} cannot be read aloud"
            descriptor = font.DescendantFonts[0].FontDescriptor
        elif font.Subtype == "/TrueType":
            descriptor = font.FontDescriptor
        else:
            continue
        if "/FontFile2" not in descriptor:
            yield f"7.21.4.1-1: {font.BaseFont} is not embedded"
        elif _names_other_glyphs(descriptor.FontFile2.read_bytes()):
            yield f"font: {font.BaseFont} names other glyphs than it has"


def _names_other_glyphs(font: bytes) -> bool:
    """Whether a TrueType font has names of glyphs (format 2 of `post`), but not one for each."""
    tables = TTFont(io.BytesIO(font), lazy=True).reader
    post = tables["post"]
    return post[:4] == b"\0\2\0\0" and post[32:34] != tables["maxp"][4:6]
