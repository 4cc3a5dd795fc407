"""The press: fills plates with values and writes one PDF of a plan, or of many plans.

It also draws the file of a character as QR codes.
"""

from __future__ import annotations

import hashlib
import os
import pkgutil
import re
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import count, groupby, islice
from operator import add, itemgetter
from typing import BinaryIO, Final, TypeAlias

from sheetgen.diag import codes
from sheetgen.diag.findings import Checked, Finding, Severity, Span
from sheetgen.diag.visible import strip_controls
from sheetgen.model import prints
from sheetgen.model.filled import (
    BACKUP_CELL,
    OURS,
    QUIET_ZONE,
    Backup,
    BackupCode,
    BackupTooLarge,
    pack_backup,
)
from sheetgen.model.pictures import PreparedPicture, VectorDrawing
from sheetgen.model.source import Source
from sheetgen.render.pdf import pdf_file
from sheetgen.render.press.page_objects import (
    DOCUMENT,
    PAGES,
    SPARE,
    DocumentInfo,
    PageTemplates,
    PlateResources,
    SharedObjects,
    dictionary,
    finish_file,
    list_references,
)
from sheetgen.render.press.prepared import RESET, PlaceSlot, PreparedPlate, prepare_plate
from sheetgen.units import MM, Box

# The action of typed fields; see viewer.js.
_VALIDATE: Final = (
    b"var sheetgenTyped=sheetgenTyped||{},sheetgenBefore=sheetgenBefore||{},sheetgenName="
    b"event.target.name;if(String(event.value)!==String(sheetgenTyped[sheetgenName]))"
    b"{sheetgenBefore[sheetgenName]=sheetgenName in sheetgenTyped?sheetgenTyped[sheetgenName]:"
    b"event.target.value;sheetgenTyped[sheetgenName]=event.value}"
)

# Strings, comments and regular expressions of a script; strings may contain `//`.
_TOKEN: Final = re.compile(
    r'"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|(?P<comment>/\*(?s:.*?)\*/|//[^\n]*)"
    r"|(?<=[(,=:!&|?{};])\s*/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[gim]*"
)
_BLANK: Final = re.compile(r"[ \t]*\n\s*")


def strip_script(script: str) -> str:
    """Return `script` without comments, blank lines and indentation."""
    found = _TOKEN.sub(lambda match: " " if match["comment"] else match[0], script)
    return _BLANK.sub("\n", found).strip()


@lru_cache(maxsize=1)
def load_engine_script() -> str:
    """Return the script that all programs use: figures, engine, viewer."""
    files = (f"scripts/{name}.js" for name in ("figures", "engine", "viewer"))
    texts = (pkgutil.get_data("sheetgen.render.html", file) for file in files)
    return "\n".join(strip_script(text.decode()) for text in texts if text is not None)


@lru_cache(maxsize=16)
def _pack_script(script: str) -> bytes:
    return zlib.compress(script.encode("ascii"), 9)


def press(plan: prints.Plan, flatten: bool = False) -> bytes:
    """Return `plan`, whose texts fit already, as a PDF; equal plans give equal bytes.

    `flatten`: the values of fields are drawn. Raises `ValueError` if a filling names a place, shape
    or role that its plate does not have, or two fields have one name.
    """
    document = _Document(flatten)
    for filled in plan.leaves:
        document.add(filled, filled.prefix, plan.meta)
    return document.finish(DocumentInfo(plan.title, plan.lang, plan.subject, plan.meta))


def press_many(
    plans: Iterable[prints.Plan],
    info: DocumentInfo | Callable[[], DocumentInfo],
    *,
    flatten: bool,
    out: BinaryIO | None,
) -> bytes:
    """Write many plans as one PDF, each with a bookmark and a prefix for its fields' names.

    The file is printed on both sides: each plan begins on an odd page. A few plans are taken ahead
    of what is written; what they share is written once. If `info` is a function, it is called after
    all of them. The file is written to `out` as it grows; without it the file is returned.
    """
    document, left, numbers = _Document(flatten, out), iter(plans), count(1)
    # Planning 32 and then pressing 32 keeps the processor's caches warm: it saves a tenth of the
    # total time.
    while some := list(islice(left, 32)):
        for plan, number in zip(some, numbers, strict=False):
            document.begin_sheet(plan.leaves[0].plate.sizes[0], plan.title)
            for filled in plan.leaves:
                prefix = f"c{number}.{filled.prefix}" if filled.prefix else f"c{number}"
                document.add(filled, prefix, plan.meta)
    return document.finish(info() if callable(info) else info, b"/Duplex/DuplexFlipLongEdge")


Path: TypeAlias = tuple[str, ...]


class _Document:
    """One file while it is written; `flat`: fields are drawn."""

    def __init__(self, flat: bool, out: BinaryIO | None = None) -> None:
        self._flat, self._file = flat, pdf_file.PdfWriter(out)
        self._file.take(SPARE)  # a form XObject that draws nothing
        self._file.stream(SPARE, b"<</Subtype/Form/BBox[0 0 1 1]/Length 0>>stream\n\nendstream")
        self._shared = SharedObjects(self._file)
        self._resources: dict[int, PlateResources] = {}
        self._pages: list[int] = []
        self._tags: list[int] = []
        self._parents: list[int] = []
        self._bookmarks: list[tuple[str, int]] = []
        # Number and metadata of each sheet's identity, and how many fields it has, by prefix.
        self._identities: dict[str, tuple[int, dict[str, str]]] = {}
        self._field_counts: Counter[str] = Counter()
        self._key = 0
        # Fields are below the groups of their prefixes (ISO 32000-1, 12.7.3). The kids of each
        # group, a non-terminal field, and its number; parents come first. Those of the top have 0.
        self._groups: dict[Path, tuple[int, list[int]]] = {(): (0, [])}
        self._names: dict[Path, frozenset[str]] = {}
        self._below: dict[Path, set[str]] = {}
        # Scripts (12.6.4.16, 12.7.2): the calculated fields in order of calculation, the numbers
        # of the scripts by key (empty for the engine), and what sheets share.
        self._order: list[int] = []
        self._programs: dict[str, int] = {}
        self._common: dict[str, bytes] = {}
        self._buttons: dict[int, int] = {}

    def begin_sheet(self, size: tuple[float, float], title: str) -> None:
        """Add a bookmark, and before it a blank page of `size` if it would lead to a back."""
        if len(self._pages) % 2:
            self._pages.append(self._file.take())
            body = b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %s]/Resources<<>>>>"
            self._file.add(self._pages[-1], body % (PAGES, pdf_file.pdf_numbers(*size)))
        self._bookmarks.append((title, len(self._pages)))

    def add(self, filled: prints.FilledPage, prefix: str, meta: Mapping[str, str]) -> None:
        file, flat, filling = self._file, self._flat, filled.filling
        live = None if flat else filled.live
        plate = prepare_plate(filled.plate, live, frozenset(filling.pictures))
        check_filling(filling, plate)
        # By identity: the plates are kept, and to compare them would take longer than to fill one.
        resources = self._resources.get(id(plate))
        if resources is None:
            resources = PlateResources(plate, file, self._shared)
            self._resources[id(plate)] = resources
        above = tuple(prefix.split(".")) if prefix and plate.fields and not flat else ()
        # Names are claimed before anything is written: two fields of one name are one to a viewer.
        if not flat:
            self._claim(above, plate.names)
        upper = self._group(above)
        templates = PageTemplates(plate, flat, bool(upper))
        first = file.take(templates.count)
        page_resources = resources.for_pictures(filling.pictures.values())
        hint_forms, identity = resources.hint_forms(), 0
        if not flat:
            if prefix not in self._identities:
                self._identities[prefix] = file.take(), {**meta, "part": prefix}
            own = [slot for slot in plate.fields if not slot.place.name.startswith(OURS)]
            self._field_counts[prefix] += len(own)
            identity = self._identities[prefix][0]
        shared = page_resources, *resources.contents, *hint_forms
        heads, streams = templates.fill((first, self._key, 0, upper, identity, *shared))
        self._key += templates.keys
        self._pages += range(first, first + len(plate.plate.sizes))
        self._tags += [first + tag for tag in templates.tags]
        self._parents.append(first + templates.nums)
        file.put(streams)
        self._groups[above][1].extend(first + top for top in templates.tops)
        actions: Mapping[str, bytes] = {}
        fields = range(first + templates.fields, first + templates.fields + len(plate.fields))
        if live is not None:
            actions = self._build_actions(live, resources, fields, alone=not above)
        resources.use_frames()
        contents = draw_pages(filling, resources, flat=flat)
        for number, content in enumerate(contents, first + templates.drawings):
            file.compress(number, content)
        count = len(plate.fields)
        for (number, place), head in zip(templates.figures, heads[count:], strict=True):
            picture = filling.pictures[plate.places[place].name]
            file.add(first + number, b"%s/Alt%s>>" % (head, pdf_file.text_string(picture.alt)))
        if flat:
            for slot, head in zip(plate.fields, heads, strict=False):
                on = b"on" if slot.place.name in filling.ticks else b"off"
                state = b"/checked/" + on if slot.style is None else b""
                row = first + templates.rows + plate.row_of_place[slot.index]
                file.add(row, b"%s%s>>>>" % (head, state))
            return
        file.add_all(fields.start, map(add, heads, resources.widget_entries(filling, actions)))

    def _claim(self, prefix: Path, names: Collection[str]) -> None:
        """Reserve the names of fields and groups below `prefix`; `ValueError` if one is in use.

        To a viewer, two fields of one name are one field: typing in one fills the other.
        """
        taken, below = self._names.get(prefix, frozenset()), self._below.get(prefix, set())
        if both := {*taken.intersection(names), *below.intersection(names)}:
            name = ".".join((*prefix, min(both)))
            raise ValueError(f"two leaves have a field `{name}`; give each leaf its own prefix")
        for end in range(len(prefix)):
            if prefix[end] in self._names.get(prefix[:end], ()):
                raise ValueError(f"`{'.'.join(prefix[: end + 1])}` is a field and also a prefix")
            self._below.setdefault(prefix[:end], set()).add(prefix[end])
        # A thousand sheets of one plate share this set.
        self._names[prefix] = taken.union(names) if taken else frozenset(names)

    def _group(self, path: Path) -> int:
        """Return the object number of the group at `path`, new or known; 0 for the top."""
        if path not in self._groups:
            self._group(path[:-1])
            self._groups[path] = self._file.take(), []
            self._groups[path[:-1]][1].append(self._groups[path][0])
        return self._groups[path][0]

    def _build_actions(
        self, live: prints.Live, resources: PlateResources, fields: range, *, alone: bool
    ) -> Mapping[str, bytes]:
        """Return the action entries of a sheet's widgets: `first`, `calculated`, `typed`, `reset`.

        `fields` are the numbers of its fields; `alone`: no other sheet in the file has any.
        """
        key = resources.plate.program_key
        if not self._common:  # the engine, and the actions that all sheets share
            first = self._file.take(4)
            for number, script in enumerate((b"sheetgen(this,event)", _VALIDATE), first):
                self._file.add(number, b"<</S/JavaScript/JS%s>>" % pdf_file.pdf_string(script))
            self._file.add(first + 2, b"<</C %d 0 R>>" % first)
            self._file.add(first + 3, b"<</V %d 0 R/F %d 0 R>>" % (first + 1, first + 1))
            actions = ("calculated", first + 2), ("typed", first + 3)
            self._common = {how: b"/AA %d 0 R" % number for how, number in actions}
            self._programs[""] = self._script(load_engine_script())
        if key not in self._programs:
            self._programs[key] = self._script(f'sheetgenPrograms["{key}"]={live.program};')
        self._order += [fields[n] for n in resources.plate.calculated]
        call = f'sheetgen(this,event,"{key}",{live.data})'.encode("ascii")
        which = b"" if alone else b"/Fields[%s]" % list_references(fields)
        return {
            **self._common,
            "first": b"/AA<</C<</S/JavaScript/JS%s>>>>" % pdf_file.pdf_string(call),
            "reset": b"/AP<</N %d 0 R>>/A<</S/ResetForm%s>>" % (self._button(resources), which),
        }

    def _script(self, script: str) -> int:
        action, body, packed = self._file.take(), self._file.take(), _pack_script(script)
        head = b"<</Filter/FlateDecode/Length %d>>stream\n" % len(packed)
        self._file.stream(body, head + packed + b"\nendstream")
        self._file.add(action, b"<</S/JavaScript/JS %d 0 R>>" % body)
        return action

    def _button(self, resources: PlateResources) -> int:
        """Return the number of the reset button's appearance stream, in the fonts of a plate."""
        if id(resources) not in self._buttons:
            slot = resources.plate.named["text"][RESET]
            assert slot.style is not None
            (wide, high), colours = slot.size, resources.plate.plate.tokens.colours
            caption = prints.Setting("reset", ("reset",), slot.style.role.size)
            edge = pdf_file.ink(colours.get("edge", "#c0c0c0"), stroke=True)
            frame = pdf_file.pdf_numbers(0.25, 0.25, wide - 0.5, high - 0.5)
            text = resources.text_setter.set_text(caption, slot.style, slot.size)
            content = b"q %s 0.5 w %s re S Q %s" % (edge, frame, text)
            number = self._buttons[id(resources)] = self._file.take()
            body = b"%s/Resources %d 0 R/Length %d>>stream\n%s\nendstream"
            fonts = resources.appearance_resources
            self._file.stream(number, body % (slot.form_head, fonts, len(content), content))
        return self._buttons[id(resources)]

    def finish(self, info: DocumentInfo, preferences: bytes = b"") -> bytes:
        """End the file; return it if it is in memory. `preferences`: see `finish_file`."""
        for prefix, (number, meta) in self._identities.items():
            body = b"<<%s/fields %d>>" % (pdf_file.text_entries(meta), self._field_counts[prefix])
            self._file.add(number, body)  # see `OWNER`
        for resources in self._resources.values():
            resources.finish()
        for subset in self._shared.subsets.values():
            subset.write()
        parents = b"/Kids[%s]" % list_references(self._parents)
        trees = self._pages, self._tags, parents, self._key
        return finish_file(self._file, info, *trees, preferences, self._entries)

    def _entries(self) -> bytes:
        """Write bookmarks and the interactive form (12.7.2); return the catalogue's entries."""
        bookmarks = [(title, self._pages[index]) for title, index in self._bookmarks]
        entries = pdf_file.write_outlines(bookmarks, self._file)
        if tops := self._groups[()][1]:
            for path, (number, kids) in self._groups.items():
                if not path:
                    continue
                name = pdf_file.pdf_string(path[-1].encode())
                label = pdf_file.pdf_string(" ".join(path).replace("_", " ").encode())
                above = b"/Parent %d 0 R" % self._groups[path[:-1]][0] if path[:-1] else b""
                body = b"<</T%s/TU%s%s/Kids[%s]>>"
                self._file.add(number, body % (name, label, above, list_references(kids)))
            fonts: dict[bytes, int] = {}
            for resources in self._resources.values():
                fonts |= resources.typed_fonts()
            default = b"/DA(%s 9 Tf 0 g)" % min(fonts) if fonts else b""
            order = b"/CO[%s]" % list_references(self._order) if self._order else b""
            form = b"/AcroForm<</Fields[%s]/DR<</Font%s>>%s%s>>"
            entries += form % (list_references(tops), dictionary(fonts), default, order)
        if self._programs:  # document-level scripts (7.7.4)
            programs = sorted(self._programs.items())
            scripts = ((pdf_file.pdf_string(b"sheetgen-" + key.encode()), n) for key, n in programs)
            found = b"".join(b"%s %d 0 R" % script for script in scripts)
            entries += b"/Names<</JavaScript<</Names[%s]>>>>" % found
        return entries


# Operators of a shape that a page repeats; longer ones, as of dice, are in a form XObject.
_SHORT: Final = 150


def check_filling(filling: prints.Filling, plate: PreparedPlate) -> None:
    """Raise `ValueError` unless the plate has a place of the right kind for each value."""
    named = plate.named
    for names, known, kind in (
        (filling.texts.keys(), named["text"].keys() | named["label"].keys(), "a text"),
        (filling.ticks.keys(), named["tick"].keys(), "a tick"),
        (filling.frames.keys(), named["tick"].keys(), "a frame"),
        (filling.marks.keys(), named["shape"].keys(), "a shape"),
        (filling.pictures.keys(), named["picture"].keys(), "a picture"),
    ):
        if unknown := names - known:
            raise ValueError(f"the plate has no place `{min(unknown)}` for {kind}")


def draw_pages(
    filling: prints.Filling, resources: PlateResources, *, flat: bool
) -> Iterator[bytes]:
    """Yield the content stream (ISO 32000-1, 7.8.2) of each page, to be drawn over its print.

    Frames and shapes are artifacts. The text of a mark is tagged even if it is empty, because
    the structure tree refers to it.
    """
    plate, write = resources.plate, resources.text_setter.written_once
    for page, slots in enumerate(plate.slots):
        drawn, parts = [], []
        for slot in slots["tick"]:
            frame = filling.frames.get(slot.place.name)
            if frame:
                drawn.append(b"q %s%s Do Q\n" % (slot.matrix, resources.on_page(frame, slot.size)))
            elif frame is None:  # an empty one is a tick that has no frame here
                drawn.append(slot.frame)
        for slot in slots["shape"]:
            if shape := filling.marks.get(slot.place.name):
                operators = plate.drawn(shape, slot.size)
                if len(operators) > _SHORT:
                    operators = resources.on_page(shape, slot.size) + b" Do"
                drawn.append(b"q %s %s Q\n" % (slot.matrix, operators))
        if any(drawn):
            parts.append(b"/Artifact BMC\n%sEMC\n" % b"".join(drawn))
        for slot in slots["picture"]:
            if (picture := filling.pictures.get(slot.place.name)) is not None:
                head = b"/Figure<</MCID %d>>BDC " % plate.mcids[slot.index]
                parts.append(b"%s%sEMC\n" % (head, draw_picture(picture, slot, resources)))
        for slot in slots["label"]:
            setting = filling.texts.get(slot.place.name)
            key = slot.index, setting
            parts.append(write(plate.label_cache, key, _span, slot, setting, resources))
        for slot in plate.fields if flat else ():  # their values, where their widgets would be
            if slot.place.page != page:
                continue
            value, name = b"", slot.place.name
            if slot.style is None:
                if shape := filling.ticks.get(name):
                    value = b"q %s%s Do Q " % (slot.matrix, resources.on_page(shape, slot.size))
            elif setting := filling.texts.get(name):
                style = plate.style(setting.role) if setting.role else slot.style
                box, tall = (slot.size, slot.at), slot.tall
                text = resources.text_setter.set_text(setting, style, *box, tall=tall)
                value = b"q %s re W n %s Q " % (pdf_file.pdf_numbers(*slot.at, *slot.size), text)
            parts.append(b"/Form<</MCID %d>>BDC %sEMC\n" % (plate.flat_mcids[slot.index], value))
        yield b"".join(parts)


def draw_picture(picture: PreparedPicture, slot: PlaceSlot, resources: PlateResources) -> bytes:
    """Return the operators that draw a picture in its box, on paper."""
    left, foot, wide, high = picture.at
    across, up = slot.size
    corner = slot.at[0] + left * across, slot.at[1] + foot * up
    matrix = pdf_file.pdf_numbers(wide * across, 0, 0, high * up, *corner)
    clip = pdf_file.pdf_numbers(*slot.at, *slot.size)
    paper = pdf_file.ink(resources.plate.plate.tokens.colours.get("paper", "#ffffff"))
    name = resources.picture_name(picture)
    return b"q %s re W n %s %s re f %s cm %s Do Q " % (clip, paper, clip, matrix, name)


def _span(slot: PlaceSlot, setting: prints.Setting | None, resources: PlateResources) -> bytes:
    text = b"%s " % set_label(slot, setting, resources) if setting is not None else b""
    return b"/Span<</MCID %d>>BDC %sEMC\n" % (resources.plate.mcids[slot.index], text)


def set_label(slot: PlaceSlot, setting: prints.Setting, resources: PlateResources) -> bytes:
    """Return the operators that set the text of a mark."""
    role = setting.role or slot.place.role
    heading = resources.plate.style(f"{role}-head") if setting.heads else None
    style = resources.plate.style(role)
    setter = resources.text_setter
    return setter.set_text(setting, style, slot.size, slot.at, tall=slot.tall, head=heading)


# Marked content of a plate. It is dropped: a strip with its texts is one marked content.
_MARKS: Final = re.compile(rb"/\w+\s+(?:<<[^>]*>>\s*)?(?:BDC|BMC)\s|\bEMC\s")
_SHOWS_TEXT: Final = re.compile(rb"\bBT\s")


# The content stream of a strip: its printed part, its texts, its alternate text, and whether it has
# letters or alternate text; others are artifacts.
_StripContent: TypeAlias = tuple[bytes, bytes, bytes, bool]
_number = lru_cache(maxsize=4096)(
    pdf_file.pdf_number
)  # cached, since cards and strips lie at few positions


def _format_card_matrix(placed: prints.PlacedFace, height: float, up: float = 0) -> bytes:
    """Return the operator that moves the origin to a card's left edge, `up` from its foot."""
    box = placed.box
    left, foot = box.x, height - box.y - box.height
    if placed.turned:
        return b"-1 0 0 -1 %s %s cm" % (_number(left + box.width), _number(foot + box.height - up))
    return b"1 0 0 1 %s %s cm" % (_number(left), _number(foot + up))


def press_cards(plan: prints.CardPlan) -> bytes:
    """Return `plan` as a PDF; equal plans give equal bytes. It raises what `press` does."""
    document = _CardDocument()
    for page in plan.pages:
        document.add(page)
    return document.finish(plan)


class _CardDocument:
    def __init__(self) -> None:
        self._file = pdf_file.PdfWriter()
        self._file.take(8)
        self._shared = SharedObjects(self._file)
        self._resources: dict[int, PlateResources] = {}
        self._by_plate: dict[int, PlateResources] = {}
        self._forms: dict[tuple[int, int], int] = {}
        self._forms_with_text: set[int] = set()
        self._notes: set[str] = set()
        self._strips: dict[tuple[int, int, int, int, str], _StripContent] = {}
        self._page = 0  # the number of the page that is drawn
        self._pictures: dict[bytes, int] = {}
        self._with_pictures: dict[int, dict[bytes, int]] = {}
        self._sections: list[int] = []
        self._pages: list[int] = []
        self._owners: list[list[int]] = []

    def add(self, page: prints.CardPage) -> None:
        self._page, contents = self._file.take(), self._file.take()
        self._pictures = {}
        self._owners.append([])  # the structure elements of its marked contents
        height, parts = page.size[1], []
        if page.marks:
            lines = b"".join(
                b"%s m %s l\n"
                % (pdf_file.pdf_numbers(x0, height - y0), pdf_file.pdf_numbers(x1, height - y1))
                for x0, y0, x1, y1 in page.marks
            )
            parts.append(b"/Artifact BMC\nq 0 G 0.25 w\n%sS\nQ\nEMC\n" % lines)
        # Pictures that fill cards are an artifact. All are drawn with their bleed first, and then
        # each within its own edges: without a gutter, one would reach over its neighbour.
        bled, cut = [], []
        for placed in page.placed:
            face, bleed = placed.face, placed.face.bleed
            if face.picture is None:
                continue
            number = self._shared.picture(face.picture)
            self._pictures[b"/P%d" % number] = number
            wide, high = (side + 2 * bleed for side in face.size)
            left, low, across, up = face.picture.at
            at = pdf_file.pdf_numbers(
                across * wide, 0, 0, up * high, left * wide - bleed, low * high - bleed
            )
            matrix, row = _format_card_matrix(placed, height), b"q %s %s re W n %s cm /P%d Do Q\n"
            bled.append(
                row % (matrix, pdf_file.pdf_numbers(-bleed, -bleed, wide, high), at, number)
            )
            cut.append(row % (matrix, pdf_file.pdf_numbers(0, 0, *face.size), at, number))
        if bled:
            parts.append(b"/Artifact BMC\n%sEMC\n" % b"".join(bled + cut))
        for placed in page.placed:
            parts += self._card(placed, height)
        parts += [self._note(note, page) for note in page.notes]
        self._file.compress(contents, b"".join(parts))
        resources = SPARE
        if self._pictures:  # Each page lists its own: a page cut out of the file is small.
            resources = self._file.take()
            self._with_pictures[resources] = self._pictures
        boxes = b""
        for name, box in ((b"/TrimBox", page.trim), (b"/BleedBox", page.bleed)):
            if box is not None:
                foot = height - box.y - box.height
                corners = (box.x, foot, box.x + box.width, foot + box.height)
                boxes += b"%s[%s]" % (name, b" ".join(b"%.6g" % c for c in corners))
        body = (
            b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %.6g %.6g]%s/Resources %d 0 R"
            b"/Contents %d 0 R/Tabs/S/StructParents %d>>"
        ) % (PAGES, *page.size, boxes, resources, contents, len(self._pages))
        self._file.add(self._page, body)
        self._pages.append(self._page)

    def _card(self, placed: prints.PlacedFace, height: float) -> list[bytes]:
        """Write the structure elements of a card; return what draws it on a page of `height`."""
        face, section, owners = placed.face, self._file.take(), self._owners[-1]
        parts: list[bytes] = []
        kids: list[bytes] = []
        begun = b"/P %d 0 R/Pg %d 0 R/K " % (section, self._page)
        for strip in face.strips:
            up = face.size[1] - strip.top - strip.plate.sizes[strip.page][1]
            printed, texts, alt, has_text = self._strip(strip)
            matrix = _format_card_matrix(placed, height, up)
            figures = self._figures(strip, matrix, begun)
            # Pictures are between the print and the texts, which may be over them.
            layers = [printed, texts] if figures else [printed + texts]
            # The first strip is the card's heading, which is read as it is drawn.
            kind, alt = (b"P", alt) if kids else (b"H1", b"")
            tag = self._file.take() if has_text else 0
            mcids: list[bytes] = []
            for layer in layers:
                head = b"/Artifact BMC\n"
                if tag:
                    mcids.append(b"%d" % len(owners))
                    head = b"/%s<</MCID %d>>BDC\n" % (kind, len(owners))
                    owners.append(tag)
                parts.append(b"%sq %s\n%s\nQ\nEMC\n" % (head, matrix, layer))
                parts += [figure for _, figure in figures] if layer is layers[0] else []
            if tag:
                held = b"[%s]" % b" ".join(mcids) if figures else mcids[0]
                self._file.add(tag, b"<</S/%s%s%s%s>>" % (kind, begun, held, alt))
                kids.append(b"%d 0 R" % tag)
            kids += [b"%d 0 R" % number for number, _ in figures]
        self._sections.append(section)
        row = b"<</S/Sect/P %d 0 R/T%s/K[%s]>>"
        self._file.add(section, row % (DOCUMENT, pdf_file.text_string(face.name), b" ".join(kids)))
        return parts

    def _figures(self, strip: prints.Strip, matrix: bytes, begun: bytes) -> list[tuple[int, bytes]]:
        """Write the structure elements of a strip's pictures; return them and what draws them."""
        if not strip.filling.pictures:
            return []
        found, resources, owners = [], self._resources_of(strip.plate), self._owners[-1]
        turned, _, _, _, left, foot, _ = matrix.split()
        turn = float(turned)  # 1, or -1 for a card that is turned by 180 degrees
        for slot in resources.plate.slots[strip.page]["picture"]:
            picture = strip.filling.pictures.get(slot.place.name)
            if picture is None:
                continue
            tag, mcid = self._file.take(), len(owners)
            owners.append(tag)
            drawn = draw_picture(picture, slot, resources)
            self._pictures[resources.picture_name(picture)] = self._shared.picture(picture)
            x = [float(left) + turn * at for at in (slot.at[0], slot.at[0] + slot.size[0])]
            y = [float(foot) + turn * at for at in (slot.at[1], slot.at[1] + slot.size[1])]
            box = pdf_file.pdf_numbers(min(x), min(y), max(x), max(y))
            entries = b"/A<</O/Layout/BBox[%s]>>/Alt%s" % (box, pdf_file.text_string(picture.alt))
            self._file.add(tag, b"<</S/Figure%s%d%s>>" % (begun, mcid, entries))
            mark = b"/Figure<</MCID %d>>BDC\nq %s\n%s\nQ\nEMC\n" % (mcid, matrix, drawn)
            found.append((tag, mark))
        return found

    def _strip(self, strip: prints.Strip) -> _StripContent:
        """Return the content of a strip; cards that share a strip share its content."""
        resources, filling = self._resources_of(strip.plate), strip.filling
        key = id(resources), strip.page, id(filling), id(strip.pieces), strip.alt_text
        if key in self._strips:
            return self._strips[key]
        form, plate, alt = self._forms.get(key[:2], 0), resources.plate, b""
        slots = plate.slots[strip.page]
        if not form:  # the form XObject (8.10) of what is printed, shown on each card
            content = plate.shared[plate.header["contents"][strip.page]]
            drawn = _MARKS.sub(b"", zlib.decompress(content.data or b""))
            form = self._forms[key[:2]] = self._file.take()
            if _SHOWS_TEXT.search(drawn):
                self._forms_with_text.add(form)
            box = pdf_file.pdf_numbers(*plate.plate.sizes[strip.page])
            entries = b"/Type/XObject/Subtype/Form/BBox[0 0 %s]/Resources %d 0 R"
            self._file.compress(form, drawn, entries % (box, resources.page_resources))
        shapes = b"".join(
            b"q %s %s Q\n" % (slot.matrix, plate.drawn(shape, slot.size))
            for slot in slots["shape"]
            if (shape := filling.marks.get(slot.place.name))
        )
        texts = [
            resources.text_setter.set_pieces(pieces, slot.at, plate.style)
            if (pieces := strip.pieces.get(slot.place.name))
            else set_label(slot, setting, resources)
            for slot in slots["label"]
            if (setting := filling.texts.get(slot.place.name)) is not None
        ]
        if strip.alt_text:  # the actual text, if it is what is drawn
            shown = "".join(line for one in filling.texts.values() for line in one.lines)
            shown = shown.translate(plate.plate.spoken)
            same = "".join(shown.split()) == "".join(strip.alt_text.split())
            alt = (b"/ActualText" if same else b"/Alt") + pdf_file.text_string(strip.alt_text)
        has_text = form in self._forms_with_text or bool(strip.alt_text or any(texts))
        found = b"/B%d Do\n%s" % (form, shapes), b"\n".join(texts), alt, has_text
        return self._strips.setdefault(key, found)

    def _note(self, note: prints.CardNote, page: prints.CardPage) -> bytes:
        """Return a line outside the cards; from its second page on it is an artifact."""
        from sheetgen.plan.imposition import NOTE_ROLE

        resources = self._resources_of(note.plate)
        style = resources.plate.style(NOTE_ROLE)
        setting = prints.Setting(note.text, (note.text,), style.role.size)
        at = note.x, page.size[1] - note.y - (style.role.baseline or 0)
        text = resources.text_setter.set_text(setting, style, (page.size[0], style.role.size), at)
        if note.text in self._notes:
            return b"/Artifact<</Type/Pagination/Subtype/Footer>>BDC\n%s\nEMC\n" % text
        self._notes.add(note.text)
        tag, mcid = self._file.take(), len(self._owners[-1])
        self._file.add(tag, b"<</S/P/P %d 0 R/Pg %d 0 R/K %d>>" % (DOCUMENT, self._page, mcid))
        self._owners[-1].append(tag)
        self._sections.append(tag)
        return b"/P<</MCID %d>>BDC\n%s\nEMC\n" % (mcid, text)

    def _resources_of(self, plate: prints.Plate) -> PlateResources:
        # By identity first: comparing plates takes longer than setting a strip.
        if id(plate) not in self._by_plate:
            prepared = prepare_plate(plate)
            if id(prepared) not in self._resources:
                self._resources[id(prepared)] = PlateResources(prepared, self._file, self._shared)
            self._by_plate[id(plate)] = self._resources[id(prepared)]
        return self._by_plate[id(plate)]

    def finish(self, plan: prints.CardPlan) -> bytes:
        fonts: dict[bytes, int] = {}
        for resources in self._resources.values():
            for name, font in resources.finish().items():
                if fonts.setdefault(name, font) != font:
                    raise ValueError(f"two plates use {name.decode()} for different fonts")
        for subset in self._shared.subsets.values():
            subset.write()
        forms = b"".join(b"/B%d %d 0 R" % (n, n) for n in sorted(self._forms.values()))
        for number, pictures in {SPARE: {}, **self._with_pictures}.items():
            xobjects = b"<<%s%s" % (forms, dictionary(pictures)[2:])
            self._file.add(number, b"<</Font%s/XObject%s>>" % (dictionary(fonts), xobjects))
        owned = (b"%d[%s]" % (n, list_references(tags)) for n, tags in enumerate(self._owners))
        info = DocumentInfo(plan.title, plan.lang, plan.subject, plan.meta)
        parents = b"/Nums[%s]" % b"".join(owned)
        duplex = b"/Duplex/DuplexFlip%sEdge" % plan.duplex.title().encode() if plan.duplex else b""
        trees = self._pages, self._sections, parents, len(self._pages)
        return finish_file(self._file, info, *trees, b"/PrintScaling/None" + duplex)


# QR codes as vectors: the file of a character, to be read back from a photograph of its sheet.
_ALT: Final = "QR code of this character's file"
_LEVELS: Final = "ML"  # levels of error correction of a code in a corner, the best one first
# The least side of a module of a QR code that a picture of the page at 150 dpi shows.
_LEAST_MODULE: Final = 0.42 * MM


def build_backup(source: Source | None, span: Span) -> Checked[Backup]:
    """Return the file of a character as QR codes, or a finding why there are none."""
    text = source.text.encode("utf-8", "surrogatepass") if source is not None else b""
    known = {hashlib.sha256(one).hexdigest(): one for one in (text, b"\xef\xbb\xbf" + text)}
    content = known.get(source.digest) if source is not None else None
    if source is None or content is None:  # the source is not a file of its own
        message = "the sheet is filled from a template and a row; there is no file for a QR code"
        hint = "print it from a file of its own for a code"
        return Checked(None, (Finding(codes.NO_BACKUP, span, message, hint, Severity.WARNING),))
    try:
        payloads = pack_backup(content)
    except BackupTooLarge as error:
        message = f"the file is {error.excess:,} bytes too large for QR codes, even compressed"
        hint = "shorten its notes or its log; the sheet is printed without a code"
        return Checked(None, (Finding(codes.NO_BACKUP, span, message, hint, Severity.WARNING),))
    part = f", part {{}} of {len(payloads)}" if len(payloads) > 1 else ""
    drawn = tuple(
        _draw_code(payload, _ALT + part.format(number), _LEVELS[0])
        for number, payload in enumerate(payloads, 1)
    )
    file = strip_controls(os.path.basename(span.file))
    return Checked(Backup(file, len(content), source.digest[:8], payloads, drawn))


def fit_backup(backup: Backup, plate: prints.Plate, span: Span) -> Checked[PreparedPicture]:
    """Return the code for its cell on the last page of a plate, or a note why it does not fit.

    The code with more error correction is chosen if its modules are large enough.
    """
    from reportlab.graphics.barcode import qrencoder

    last = (place for place in plate.places if place.page == len(plate.sizes) - 1)
    box = next((place.box for place in last if place.name == BACKUP_CELL), Box(0, 0, 0, 0))
    side = min(box.width, box.height)
    for level in _LEVELS if len(backup.payloads) == 1 else "":
        code = _draw_code(backup.payloads[0], _ALT, level)
        if side >= code.side * _LEAST_MODULE:
            wide, high = side / box.width, side / box.height
            return Checked(replace(code.picture, at=((1 - wide) / 2, (1 - high) / 2, wide, high)))
    version, room = int(side / _LEAST_MODULE - 2 * QUIET_ZONE - 17) // 4, 0
    if version >= 1:  # how many bytes a code of this side holds
        level = getattr(qrencoder.QRErrorCorrectLevel, _LEVELS[-1])
        blocks = qrencoder.QRRSBlock.getRSBlocks(min(version, 40), level)
        room = sum(int(block.dataCount) for block in blocks) - 3  # the mode and the length
    size = sum(map(len, backup.payloads))
    there = f"the corner holds {room:,}" if room else "no corner of the last page is free"
    message = f"the QR code has a page of its own: it holds {size:,} bytes, and {there}"
    hint = "shorten the file's comments and notes to print the code on the sheet"
    return Checked(None, (Finding(codes.BACKUP_PAGE, span, message, hint, Severity.NOTE),))


@lru_cache(maxsize=16)
def _draw_code(payload: bytes, alt: str, level: str) -> BackupCode:
    """Return a payload as a QR code: one path of rectangles, black on white."""
    from reportlab.graphics.barcode import qrencoder

    code = qrencoder.QRCode(None, getattr(qrencoder.QRErrorCorrectLevel, level))
    code.addData(qrencoder.QR8bitByte(payload))
    code.make()
    runs = []  # dark modules, from the left and from the top: where a run begins, and its width
    for y, row in enumerate(code.modules, QUIET_ZONE):
        for dark, run in groupby(enumerate(row, QUIET_ZONE), key=itemgetter(1)):
            if dark:
                (x, _), *rest = run
                runs.append((x, y, len(rest) + 1))
    side = code.getModuleCount() + 2 * QUIET_ZONE
    path = b"".join(b"%d %d %d 1 re\n" % (x, side - 1 - y, width) for x, y, width in runs)
    content = b"1 g 0 0 %d %d re f 0 g\n%sf" % (side, side, path)
    entries = b"/Type/XObject/Subtype/Form/BBox[0 0 %d %d]/Matrix[%.9f 0 0 %.9f 0 0]/Resources<<>>"
    pool = pdf_file.SharedPool()
    pool.put_stream(entries % (side, side, 1 / side, 1 / side), content)
    drawn = "".join(f"M{x} {y}h{width}v1h-{width}z" for x, y, width in runs)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}"><path d="{drawn}"/>'
    drawing = VectorDrawing(f"{svg}</svg>".encode(), pdf_file.pack_shared(pool, {}))
    key = hashlib.sha256(level.encode() + payload).hexdigest()[:32]
    return BackupCode(PreparedPicture(key, drawing, (0.0, 0.0, 1.0, 1.0), alt), side)
