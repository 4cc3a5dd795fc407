"""Inspect a finished PDF, which may be untrusted, as a print shop does before it prints."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from sheetgen.bounds import (
    MEGABYTES,
    BoundExceeded,
    begin_next_page,
    pass_memory_error,
    run_bounded,
    seconds_for,
)
from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Span
from sheetgen.finish.saving import claims_of, walk_annotations
from sheetgen.load.files import SUFFIXES, read_document
from sheetgen.plugins.prepress.contents import (
    IDENTITY,
    PART,
    ContentReader,
    Font,
    GraphicsState,
    Matrix,
    Rect,
    TooMuch,
    bounding_box,
    corners_of,
    intersect_boxes,
    is_number,
    matrix_of,
    multiply,
    rect_of,
    transformed_box,
)
from sheetgen.plugins.prepress.page_observer import Drawn, InspectedPicture, PageObserver
from sheetgen.plugins.prepress.printers import NotReady
from sheetgen.records import frozen

_VIEWS: Final = ("", "GoTo")
"""Kinds of actions that only show a place of the file; a destination has no kind."""


@frozen
class InspectedPage:
    """A page: its boxes and its content; lengths are points, y upwards."""

    media: Rect
    crop: Rect
    bleed: Rect
    trim: Rect  # This and `bleed` are those of the page, or PDF's defaults for them
    # The boxes that the page has: `TrimBox`, `BleedBox`, `CropBox`, `ArtBox`
    own_boxes: frozenset[str]
    rotation: int  # The rotation in degrees; the boxes are those of the page as it is seen
    unit: float  # Points of a unit of the page (UserUnit); the boxes have points
    drawn: Drawn
    annotations: dict[str, int]  # The number of annotations, by subtype


@frozen
class Inspected:
    """A whole file."""

    version: str  # The version of PDF, such as `1.7`
    title: str
    # Standards that the file claims: `PDF/X-1a:2003`, `PDF/A-2a`, `PDF/UA-1`
    claims: tuple[str, ...]
    conditions: tuple[str, ...]  # Printing conditions of the output intents, each after its subtype
    trapped: str  # `True`, `False`, or empty
    encrypted: bool
    pages: tuple[InspectedPage, ...]
    fonts: tuple[Font, ...]
    pictures: tuple[InspectedPicture, ...]
    fields: int  # The number of form fields that can hold a value
    live: tuple[str, ...]  # Active content: scripts, actions, embedded files, layers
    packed: bool  # Whether there are object streams, which PDF 1.4 does not have
    # Requirements of claimed standards that the file does not meet, in words
    faults: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()  # What could not be inspected, in words


MOST_PAGES: Final = 5000
_DEEPEST: Final = 50  # Nesting of the page tree, and of actions
_LARGEST_UNIT: Final = 75_000
_STREAM: Final = re.compile(r"^stream <[^>]*>:? *")
"""Prefix of the library's messages about data in memory; it differs between runs."""

_HIDDEN: Final = 2 | 32  # Flags of annotations: hidden, or not viewed
_PRINTED: Final = 4
_T = TypeVar("_T")


class NoPdf(ValueError):
    """A file that cannot be inspected; the message says why."""


class Locked(NoPdf):
    """A file that needs a password."""


def inspect_pdf(data: bytes) -> Inspected:
    """Return the contents of the PDF `data`; raises as `open_untrusted` does."""
    with open_untrusted(data) as pdf:
        try:
            unread: list[str] = []
            layers, observer = Layers(pdf), PageObserver()
            seconds = PART * seconds_for(len(data))
            reader = ContentReader(pdf, observer, seconds, layers.hides)
            observer.tick = reader.check_time
            pages = []
            for number, page in enumerate(pdf.pages, 1):
                if number > MOST_PAGES:
                    unread.append(f"pages after {MOST_PAGES}")
                    break
                try:
                    reader.begin_page()
                except TooMuch as error:
                    unread.append(f"pages after {number - 1}: {error}")
                    break
                pages.append(_page(page, number, reader, observer, unread))
            conditions = []
            for intent in pdf.Root.get("/OutputIntents", []):
                kind = str(intent.get("/S", "/?"))[1:41]
                name = str(intent.get("/OutputConditionIdentifier", ""))[:80] or "without a name"
                profile = ", with its profile" if "/DestOutputProfile" in intent else ""
                conditions.append(f"{kind}: {name}{profile}")
            claims, info, fonts = claims_of(pdf), pdf.docinfo, set(observer.fonts.values())
            return Inspected(
                version=pdf.pdf_version,
                title=str(info.get("/Title", "")),
                claims=claims,
                conditions=tuple(conditions),
                trapped=str(info.get("/Trapped", "")).lstrip("/"),
                encrypted=pdf.is_encrypted,
                pages=tuple(pages),
                fonts=tuple(sorted(fonts, key=lambda font: (font.name, font.kind))),
                pictures=tuple(observer.pictures),
                fields=_fields(pdf),
                live=tuple(_live(pdf, layers)),
                packed=b"/ObjStm" in data,
                faults=tuple(f"{claim}: {why}" for claim in claims for why in _faults(pdf, claim)),
                unread=tuple(dict.fromkeys(unread)),
            )
        except Exception as error:  # noqa: BLE001 - libraries raise anything
            pass_memory_error(error)
            raise NoPdf(_reason(error)) from None


@contextmanager
def open_untrusted(data: bytes) -> Iterator[Any]:
    """Open an untrusted file; raise `Locked`, or `NoPdf` if its pages cannot be found."""
    import pikepdf

    try:
        pdf = pikepdf.open(io.BytesIO(data))
        count = len(pdf.pages)
    except pikepdf.PasswordError:
        raise Locked("it cannot be opened without its password") from None
    except Exception as error:  # noqa: BLE001 - libraries raise anything
        pass_memory_error(error)
        raise NoPdf(_reason(error)) from None
    with pdf:
        if not count:
            raise NoPdf("it has no pages")
        yield pdf


def run_on_file(path: Path, job: Callable[[bytes], _T]) -> Checked[_T]:
    """Return the result of `job`, which runs in a process with bounds, for an untrusted file.

    What cannot be opened or turned, or takes too much, is a finding.
    """
    read = read_document(path)
    if read.value is None:
        return Checked(None, read.findings)
    data, size = read.value, len(read.value)
    try:
        memory = MEGABYTES - size // 1_000_000
        return Checked(run_bounded(lambda: job(data), memory, seconds_for(size)))
    except BoundExceeded as error:
        code, message, hint = codes.TOO_MUCH, str(error), "print it again, or in parts"
    except Locked as error:
        code, message, hint = codes.LOCKED, str(error), "save it without a password"
    except NoPdf as error:
        code, message, hint = codes.NOT_A_PDF, str(error), "give a PDF; print a damaged one again"
        if path.suffix.lower() in SUFFIXES:
            message = "this is a YAML file, not a PDF"
            hint = "print it first, and give the PDF: `sheetgen sheet`, `cards` or `build`"
    except NotReady as error:
        message, hint = f"it cannot be imposed: it contains {error}", ""
        code = codes.NOT_TURNED
    return Checked(None, (Finding(code, Span(str(path)), message, hint),))


def _reason(error: Exception) -> str:
    reason = _STREAM.sub("", str(error).partition("\n")[0])
    return "this is not a PDF, or it is damaged" + (f" ({reason[:80]})" if reason else "")


def _page(
    page: Any, number: int, reader: ContentReader, observer: PageObserver, unread: list[str]
) -> InspectedPage:
    unit = page.obj.get("/UserUnit", 1)
    unit = float(unit) if is_number(unit) and 0 < unit < _LARGEST_UNIT else 1.0
    holder = page.obj  # of what it may inherit from the page tree above it
    for _ in range(_DEEPEST):
        if "/Rotate" in holder or "/Parent" not in holder:
            break
        holder = holder.Parent
    rotation = int(holder.get("/Rotate", 0)) % 360
    # The matrix from the page's own coordinates to points of the page as it is seen.
    left, foot, right, top = (side * unit for side in rect_of(page.mediabox))
    turned: dict[int, Matrix] = {
        90: (0, -unit, unit, 0, -foot, right),
        180: (-unit, 0, 0, -unit, right, top),
        270: (0, unit, -unit, 0, top, -left),
    }
    view = turned.get(rotation, (unit, 0, 0, unit, 0, 0))
    # A missing box defaults to the next larger one, as in PDF.
    usual = page.obj.get("/CropBox", page.mediabox)
    own = (page.obj.get("/TrimBox", usual), page.obj.get("/BleedBox", usual))
    trim, bleed, media, crop = (
        transformed_box(view, rect_of(box)) for box in (*own, page.mediabox, page.cropbox)
    )
    observer.begin_page(number, trim, bleed, media)
    seen = bounding_box([corner for box in (crop, bleed) for corner in corners_of(box)])
    state = GraphicsState(view, clip=intersect_boxes(seen, media) or seen)
    try:
        observer.setting(page.obj)
        resources = page.obj.get("/Resources", page.resources)
        reader.read(page.obj.get("/Contents"), resources, state)
        for one in page.obj.get("/Annots", ()):
            _annotation(one, reader, state)
    except TooMuch as error:
        unread.append(f"page {number}: {error}")
    except Exception as error:  # noqa: BLE001 - libraries raise anything
        pass_memory_error(error)
        unread.append(f"page {number}: its content is damaged ({type(error).__name__})")
    unread += (f"page {number}: {what}" for what in sorted(observer.drawn.unmeasured))
    kinds = Counter(str(one.get("/Subtype", "/?"))[1:41] for one in page.obj.get("/Annots", ()))
    boxes = ("CropBox", "BleedBox", "TrimBox", "ArtBox")
    own_boxes = frozenset(key for key in boxes if f"/{key}" in page.obj)
    annotations = dict(sorted(kinds.items()))
    drawn = observer.drawn
    return InspectedPage(media, crop, bleed, trim, own_boxes, rotation, unit, drawn, annotations)


def _annotation(one: Any, reader: ContentReader, page: GraphicsState) -> None:
    import pikepdf

    appearance, flags = one.get("/AP", {}).get("/N"), int(one.get("/F", 0))
    if appearance is None or flags & _HIDDEN or not flags & _PRINTED or "/Rect" not in one:
        return
    if reader.hides(one.get("/OC")):
        return
    if not isinstance(appearance, pikepdf.Stream):  # one for each state
        appearance = appearance.get(str(one.get("/AS", "/Off")))
        if appearance is None:
            return
    matrix, rect = matrix_of(appearance.get("/Matrix", IDENTITY)), rect_of(one.Rect)
    left, foot, right, top = transformed_box(matrix, rect_of(appearance.BBox))
    across = (rect[2] - rect[0]) / (right - left) if right > left else 1.0
    down = (rect[3] - rect[1]) / (top - foot) if top > foot else 1.0
    onto = across, 0, 0, down, rect[0] - left * across, rect[1] - foot * down
    state = GraphicsState(multiply(onto, page.matrix), clip=transformed_box(page.matrix, rect))
    reader.read(appearance, appearance.get("/Resources"), state, 1)


def _fields(pdf: Any) -> int:
    todo = list(pdf.Root.get("/AcroForm", {}).get("/Fields", []))
    count, seen = 0, set()
    while todo:
        field = todo.pop()
        if field.is_indirect and field.objgen in seen:
            continue
        seen.add(field.objgen)
        below = [kid for kid in field.get("/Kids", []) if "/T" in kid]
        todo += below
        count += not below
    return count


def _live(pdf: Any, layers: Layers) -> Iterator[str]:
    """Yield descriptions of actions, scripts, layers and attachments."""
    root, names = pdf.Root, pdf.Root.get("/Names", {})
    opening = [root.get("/OpenAction"), *dict(root.get("/AA", {})).values()]
    has = {
        "an action on opening": any(_kind_of(action) not in _VIEWS for action in opening),
        "scripts": "/JavaScript" in names,
        "files inside": "/EmbeddedFiles" in names,
        "layers": layers.count > 0,
        "a form of another kind (XFA)": "/XFA" in root.get("/AcroForm", {}),
    }
    found = dict.fromkeys(what for what, is_there in has.items() if is_there)
    for page in pdf.pages:
        begin_next_page()
        if any(_kind_of(action) not in _VIEWS for action in dict(page.obj.get("/AA", {})).values()):
            found["actions of pages"] = None
        for one in page.obj.get("/Annots", ()):
            for action in (one.get("/A"), *dict(one.get("/AA", {})).values()):
                if (kind := _kind_of(action)) not in (*_VIEWS, "URI"):
                    found["scripts" if kind == "JavaScript" else "actions"] = None
    yield from found


def _kind_of(action: Any) -> str:
    """Return the kind of an action; of several, of the first that is not a view."""
    import pikepdf

    for _ in range(_DEEPEST):
        if not isinstance(action, pikepdf.Dictionary):
            break
        kind = str(action.get("/S", ""))[1:]
        if kind not in _VIEWS:
            return kind
        action = action.get("/Next")
        if isinstance(action, pikepdf.Array):
            action = action[0] if len(action) else None
    return ""


# Layers (optional content) that are not printed.


_DEEPEST_EXPRESSION: Final = 8  # Nesting of visibility expressions


class Layers:
    """The layers of a file, as its default configuration shows them in print."""

    def __init__(self, pdf: Any) -> None:
        config = pdf.Root.get("/OCProperties", {}).get("/D", {})
        groups = list(pdf.Root.get("/OCProperties", {}).get("/OCGs", []))
        self._off = {one.objgen for one in config.get("/OFF", [])}
        if str(config.get("/BaseState", "/ON")) == "/OFF":
            on = {one.objgen for one in config.get("/ON", [])}
            self._off |= {one.objgen for one in groups} - on
        for usage in config.get("/AS", []):
            if str(usage.get("/Event")) == "/Print":
                for one in usage.get("/OCGs", []):
                    state = str(one.get("/Usage", {}).get("/Print", {}).get("/PrintState", ""))
                    if state == "/OFF":
                        self._off.add(one.objgen)
                    elif state == "/ON":
                        self._off.discard(one.objgen)
        self.count = len(groups)

    def hides(self, content: Any) -> bool:
        """Whether content that belongs to a layer, or to several, is not printed."""
        import pikepdf

        if not isinstance(content, pikepdf.Dictionary):
            return False
        if str(content.get("/Type")) != "/OCMD":
            return content.objgen in self._off
        if "/VE" in content:
            return not self._holds(content.VE, 0)
        found = content.get("/OCGs", [])
        groups = [found] if isinstance(found, pikepdf.Dictionary) else list(found)
        shown = [one.objgen not in self._off for one in groups if one is not None]
        if not shown:
            return False
        policy = str(content.get("/P", "/AnyOn"))
        visible = {"/AllOn": all(shown), "/AnyOff": not all(shown), "/AllOff": not any(shown)}
        return not visible.get(policy, any(shown))

    def _holds(self, expression: Any, depth: int) -> bool:
        import pikepdf

        if not isinstance(expression, pikepdf.Array):
            return expression.objgen not in self._off
        kind, *rest = list(expression)
        parts = [self._holds(one, depth + 1) for one in rest] if depth < _DEEPEST_EXPRESSION else []
        if str(kind) == "/Not":
            return not all(parts)
        return all(parts) if str(kind) == "/And" else any(parts) or not parts


# Visible violations of the standards that a PDF claims to follow. Only rules of ISO 15930 and
# ISO 19005 that our own files could break are checked; a file may break others.


def _faults(pdf: Any, claim: str) -> Iterator[str]:
    """Yield reasons why a claim does not hold."""
    info = pdf.docinfo
    kinds = [str(intent.get("/S", "")) for intent in pdf.Root.get("/OutputIntents", [])]
    if claim.startswith("PDF/X"):
        if kinds.count("/GTS_PDFX") != 1:
            yield "it needs one output intent"
        if str(info.get("/Trapped", "")) not in ("/True", "/False"):
            yield "it does not state whether it is trapped"
        for key in ("/Title", "/CreationDate", "/ModDate"):
            if key not in info:
                yield f"its information lacks {key[1:]}"
        if "/ID" not in pdf.trailer:
            yield "it has no identifier"
        if "X-1a" in claim or "X-3" in claim:
            most = "1.3" if ":2001" in claim or ":2002" in claim else "1.4"
            if pdf.pdf_version > most:
                yield f"its version is PDF {pdf.pdf_version}, not {most}"
        for number, page in enumerate(pdf.pages, 1):
            if "/TrimBox" not in page.obj and "/ArtBox" not in page.obj:
                yield f"page {number} has no TrimBox"
                break
    elif claim.startswith("PDF/A"):
        yield from _archive_faults(pdf, claim, kinds)


def _archive_faults(pdf: Any, claim: str, kinds: list[str]) -> Iterator[str]:
    root = pdf.Root
    if "/GTS_PDFA1" not in kinds:
        yield "it needs an output intent for its colours"
    if "/ID" not in pdf.trailer:
        yield "it has no identifier"
    form = root.get("/AcroForm", {})
    if form.get("/NeedAppearances") is True or "/XFA" in form:
        yield "its form leaves its looks to the viewer"
    for one in walk_annotations(pdf):
        if str(one.get("/Subtype")) == "/Widget":
            if "/AA" in one or "/A" in one:
                yield "a field acts"
                break
            if "/N" not in one.get("/AP", {}):
                yield "a field has no appearance"
                break
    if claim.endswith("a"):
        marked = root.get("/MarkInfo", {}).get("/Marked") is True
        if "/StructTreeRoot" not in root or not marked:
            yield "it is not tagged"
        if not str(root.get("/Lang", "")):
            yield "it does not name its language"
