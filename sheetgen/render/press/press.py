"""The press: fills plates with values and writes one PDF of a plan, or of many plans."""

from __future__ import annotations

import pkgutil
import re
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count, islice
from operator import add
from typing import BinaryIO, Final, TypeAlias

from sheetgen.model.filled import OURS
from sheetgen.model.pictures import PreparedPicture
from sheetgen.model.prints import FilledPage, Filling, Live, Plan, Setting
from sheetgen.render.pdf.pdf_file import (
    LEVEL,
    PdfWriter,
    format_identity,
    ink,
    pdf_numbers,
    pdf_string,
    text_string,
    write_outlines,
)
from sheetgen.render.press.page_objects import (
    PAGES,
    SPARE,
    DocumentInfo,
    PageTemplates,
    PlateResources,
    SharedObjects,
    finish_file,
    list_references,
)
from sheetgen.render.press.prepared import (
    RESET,
    PlaceSlot,
    PreparedPlate,
    build_field_rules,
    flagged,
    prepare_plate,
    several,
)

# Appearance streams of more bytes are compressed; the filter's entry takes twenty.
_LONG: Final = 160
_MOST: Final = 4000  # texts of a document whose entries are kept


class WidgetEntries:
    """The widgets of one plate in one document; equal values share an appearance stream.

    An empty text field has no appearance stream: a viewer makes one when something is typed,
    and three hundred of them would be a third of the file.
    """

    def __init__(self, resources: PlateResources, file: PdfWriter, empty: int) -> None:
        """Begin a document; `empty` is the number of a form XObject that draws nothing."""
        self._resources, self._file, self._empty = resources, file, empty
        self._written: dict[tuple[int, Setting], bytes] = {}
        self._ticked: dict[tuple[str, bool, tuple[float, float]], bytes] = {}
        self._unfilled = [
            self._of_tick(slot.on, slot.size, on=False) if not slot.style else slot.empty_entries
            for slot in resources.plate.fields
        ]
        resources.typed |= resources.plate.field_faces

    def build(self, filling: Filling, actions: Mapping[str, bytes]) -> list[bytes]:
        """Return the last entries of the widgets of the plate's fields, in their order.

        Args:
            actions: Of fields, by key; see `Calculation.build_actions`.
        """
        entries, order = self._unfilled.copy(), self._resources.plate.order
        for name, shape in filling.ticks.items():
            index = order[name]
            size = self._resources.plate.fields[index].size
            entries[index] = self._of_tick(shape, size, on=True)
        written, slots = self._written, self._resources.plate.named["text"]
        for name, setting in filling.texts.items():
            slot = slots.get(name)
            if slot is not None:
                entry = written.get((slot.appearance_key, setting))
                entries[order[name]] = self._of_text(slot, setting) if entry is None else entry
        if actions:
            for index, action in self._resources.plate.acting:
                entries[index] = actions[action] + entries[index]
        return entries

    def _of_tick(self, shape: str, size: tuple[float, float], *, on: bool) -> bytes:
        if (shape, on, size) not in self._ticked:
            state = b"/On" if on else b"/Off"
            entry = b"/AP<</N<</On %d 0 R/Off %d 0 R>>>>/AS%s/V%s/DV%s>>"
            entry %= (self._resources.shape(shape, size), self._empty, state, state, state)
            self._ticked[shape, on, size] = entry
        return self._ticked[shape, on, size]

    def _of_text(self, slot: PlaceSlot, setting: Setting) -> bytes:
        """Write the appearance stream of a text; return the entries of fields that have it."""
        resources = self._resources
        key = slot.appearance_key, setting, resources.appearance_resources
        stream, rest, face = resources.text_setter.written_once(
            resources.plate.widget_cache, key, self._appearance, slot, setting
        )
        resources.typed.add(face)
        number = self._file.take()
        self._file.stream(number, stream)
        entry: bytes = b"/AP<</N %d 0 R>>%s" % (number, rest)
        if len(self._written) >= _MOST:
            self._written.clear()
        self._written[slot.appearance_key, setting] = entry
        return entry

    def _appearance(self, slot: PlaceSlot, setting: Setting) -> tuple[bytes, bytes, str]:
        """Return the appearance stream of a text, the entries beside it, and the text's face."""
        plate, resources = self._resources.plate, self._resources
        style = plate.style(setting.role) if setting.role else slot.style
        assert style is not None
        text = resources.text_setter.set_text(setting, style, slot.size, tall=slot.tall)
        content = b"/Tx BMC %s EMC" % text
        packed, used = b"", resources.appearance_resources
        if len(content) > _LONG:
            content, packed = zlib.compress(content, LEVEL), b"/Filter/FlateDecode"
        stream = b"%s/Resources %d 0 R%s/Length %d>>stream\n%s\nendstream"
        stream %= (slot.form_head, used, packed, len(content), content)
        # A viewer that sets a one-line field anew would run the lines together.
        flags = flagged(slot.flags | several(len(setting.lines) > 1 or slot.tall))
        appearance = plate.default_appearance(style, setting.size)
        value = text_string(setting.value)
        rest = b"%s%s%s/V%s/DV%s>>" % (style.quadding, flags, appearance, value, value)
        return stream, rest, style.role.face


_FILES: Final = ("figures", "engine", "viewer")
# Actions of calculated and of typed fields; see viewer.js.
_CALCULATE: Final = b"sheetgen(this,event)"
_VALIDATE: Final = (
    b"var sheetgenTyped=sheetgenTyped||{},sheetgenBefore=sheetgenBefore||{},sheetgenName="
    b"event.target.name;if(String(event.value)!==String(sheetgenTyped[sheetgenName]))"
    b"{sheetgenBefore[sheetgenName]=sheetgenName in sheetgenTyped?sheetgenTyped[sheetgenName]:"
    b"event.target.value;sheetgenTyped[sheetgenName]=event.value}"
)

_CAPTION: Final = "reset"
# Strings, comments and regular expressions of a script; strings may contain `//`.
_TOKEN: Final = re.compile(
    r'"(?:[^"\\\n]|\\.)*"'
    r"|'(?:[^'\\\n]|\\.)*'"
    r"|(?P<comment>/\*(?s:.*?)\*/|//[^\n]*)"
    r"|(?<=[(,=:!&|?{};])\s*/(?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[gim]*"
)
_BLANK: Final = re.compile(r"[ \t]*\n\s*")


class Calculation:
    """The scripts and actions of one document (ISO 32000-1, 12.6.3, 12.6.4.16, 12.7.2)."""

    def __init__(self, file: PdfWriter) -> None:
        self.order: list[int] = []  # numbers of the calculated fields, in order of calculation
        self._file = file
        self._programs: dict[str, int] = {}
        self._common: dict[str, bytes] = {}
        self._buttons: dict[int, int] = {}

    def build_actions(
        self, live: Live, resources: PlateResources, fields: range, *, alone: bool
    ) -> Mapping[str, bytes]:
        """Return the action entries of a sheet's widgets: `first`, `calculated`, `typed`, `reset`.

        Args:
            live: Of the sheet.
            resources: Of its plate.
            fields: Numbers of its fields.
            alone: Whether no other sheet in the file has fields.
        """
        rules = build_field_rules(live)
        if not self._common:  # the engine, and the actions that all sheets share
            first = self._file.take(4)
            for number, script in enumerate((_CALCULATE, _VALIDATE), first):
                self._file.add(number, b"<</S/JavaScript/JS%s>>" % pdf_string(script))
            self._file.add(first + 2, b"<</C %d 0 R>>" % first)
            self._file.add(first + 3, b"<</V %d 0 R/F %d 0 R>>" % (first + 1, first + 1))
            actions = ("calculated", first + 2), ("typed", first + 3)
            self._common = {how: b"/AA %d 0 R" % number for how, number in actions}
            self._programs[""] = self._script(load_engine_script())
        if rules.key not in self._programs:
            program = f'sheetgenPrograms["{rules.key}"]={rules.program};'
            self._programs[rules.key] = self._script(program)
        self.order += [fields[n] for n in resources.plate.calculated]
        call = f'sheetgen(this,event,"{rules.key}",{live.data})'.encode("ascii")
        which = b"" if alone else b"/Fields[%s]" % list_references(fields)
        return {
            **self._common,
            "first": b"/AA<</C<</S/JavaScript/JS%s>>>>" % pdf_string(call),
            "reset": b"/AP<</N %d 0 R>>/A<</S/ResetForm%s>>" % (self._button(resources), which),
        }

    def _script(self, script: str) -> int:
        """Write a script and its action; return the action's number."""
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
            caption = Setting(_CAPTION, (_CAPTION,), slot.style.role.size)
            edge = ink(colours.get("edge", "#c0c0c0"), stroke=True)
            frame = pdf_numbers(0.25, 0.25, wide - 0.5, high - 0.5)
            text = resources.text_setter.set_text(caption, slot.style, slot.size)
            content = b"q %s 0.5 w %s re S Q %s" % (edge, frame, text)
            number = self._buttons[id(resources)] = self._file.take()
            body = b"%s/Resources %d 0 R/Length %d>>stream\n%s\nendstream"
            fonts = resources.appearance_resources
            self._file.stream(number, body % (slot.form_head, fonts, len(content), content))
        return self._buttons[id(resources)]

    def names_entry(self) -> bytes:
        """Return the catalogue's entry for document-level scripts (7.7.4)."""
        if not self._programs:
            return b""
        listed = sorted((b"sheetgen-" + k.encode(), n) for k, n in self._programs.items())
        found = b"".join(b"%s %d 0 R" % (pdf_string(name), number) for name, number in listed)
        return b"/Names<</JavaScript<</Names[%s]>>>>" % found


def strip_script(script: str) -> str:
    """Return `script` without comments, blank lines and indentation."""
    found = _TOKEN.sub(lambda match: " " if match["comment"] else match[0], script)
    return _BLANK.sub("\n", found).strip()


@lru_cache(maxsize=1)
def load_engine_script() -> str:
    """Return the script that all programs use: figures, engine, viewer."""
    texts = (pkgutil.get_data("sheetgen.render.html", f"scripts/{name}.js") for name in _FILES)
    return "\n".join(strip_script(text.decode()) for text in texts if text is not None)


@lru_cache(maxsize=16)
def _pack_script(script: str) -> bytes:
    return zlib.compress(script.encode("ascii"), 9)


Path: TypeAlias = tuple[str, ...]


class FieldTree:
    """All fields of a document, below the groups of their prefixes (ISO 32000-1, 12.7.3)."""

    def __init__(self, file: PdfWriter) -> None:
        self.tops: list[int] = []  # object numbers of the fields and groups without a parent
        self._file = file
        # Each group, a non-terminal field, with its number and its kids; parents come first.
        self._groups: dict[Path, tuple[int, list[int]]] = {}
        self._names: dict[Path, frozenset[str]] = {}
        self._below: dict[Path, set[str]] = {}

    def claim(self, prefix: Path, names: Collection[str]) -> None:
        """Reserve the names of fields and groups below `prefix`.

        Raises:
            ValueError: A name is in use. To a viewer, two fields of one name are one field:
                typing in one fills the other.
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

    def group(self, path: Path) -> int:
        """Return the object number of the group at `path`, new or known; 0 for the top."""
        if not path:
            return 0
        if path not in self._groups:
            self.group(path[:-1])
            self._groups[path] = self._file.take(), []
            self.hang(path[:-1], [self._groups[path][0]])
        return self._groups[path][0]

    def hang(self, path: Path, numbers: Sequence[int]) -> None:
        """Add fields or groups to the kids of the group at `path`."""
        kids = self._groups[path][1] if path else self.tops
        kids.extend(numbers)

    def write(self) -> None:
        """Write the dictionaries of the groups; callers write the fields below them."""
        for path, (number, kids) in self._groups.items():
            name = pdf_string(path[-1].encode())
            label = pdf_string(" ".join(path).replace("_", " ").encode())
            above = b"/Parent %d 0 R" % self._groups[path[:-1]][0] if path[:-1] else b""
            refs = b" ".join([b"%d 0 R" % kid for kid in kids])
            self._file.add(number, b"<</T%s/TU%s%s/Kids[%s]>>" % (name, label, above, refs))


_AHEAD: Final = 32
_EMPTY: Final = SPARE  # number of a form XObject that draws nothing


def press(plan: Plan, flatten: bool = False) -> bytes:
    """Return `plan` as a PDF; equal plans give equal bytes.

    Args:
        plan: Its texts fit already; the press breaks and shrinks nothing.
        flatten: Draw the values of the fields, and write no fields.

    Raises:
        ValueError: A filling names a place, shape or role that its plate does not have, or two
            fields have one name.
    """
    document = _Document(flatten)
    for filled in plan.leaves:
        document.add(filled, filled.prefix, plan.meta)
    return document.finish(DocumentInfo(plan.title, plan.lang, plan.subject, plan.meta))


def press_many(
    plans: Iterable[Plan],
    info: DocumentInfo | Callable[[], DocumentInfo],
    *,
    flatten: bool,
    out: BinaryIO | None,
) -> bytes:
    """Write many plans as one PDF, each with a bookmark and a prefix for its fields' names.

    The file is printed on both sides: each plan begins on an odd page.

    Args:
        plans: A few are taken ahead of what is written; what they share is written once.
        info: Of the file; a function is called after all plans are written.
        flatten: See `press`.
        out: Where to write the file as it grows; without it the file is returned.

    Raises:
        ValueError: See `press`.
    """
    document, left, numbers = _Document(flatten, out), iter(plans), count(1)
    # Planning many and then pressing many keeps the processor's caches warm: it saves a tenth of
    # the total time.
    while some := list(islice(left, _AHEAD)):
        for plan, number in zip(some, numbers, strict=False):
            document.begin_sheet(plan.leaves[0].plate.sizes[0], plan.title)
            for filled in plan.leaves:
                prefix = f"c{number}.{filled.prefix}" if filled.prefix else f"c{number}"
                document.add(filled, prefix, plan.meta)
    return document.finish(info() if callable(info) else info, b"/Duplex/DuplexFlipLongEdge")


class _Document:
    """One file while it is written; `flat`: fields are drawn."""

    def __init__(self, flat: bool, out: BinaryIO | None = None) -> None:
        self._flat, self._file = flat, PdfWriter(out)
        self._file.take(_EMPTY)
        self._file.stream(_EMPTY, b"<</Subtype/Form/BBox[0 0 1 1]/Length 0>>stream\n\nendstream")
        self._tree = FieldTree(self._file)
        self._calculation = Calculation(self._file)
        self._shared = SharedObjects(self._file)
        self._resources: dict[int, PlateResources] = {}
        self._widgets: dict[int, WidgetEntries] = {}
        self._pages: list[int] = []
        self._tags: list[int] = []
        self._parents: list[int] = []
        self._bookmarks: list[tuple[str, int]] = []
        # Number and metadata of each sheet's identity, and how many fields it has, by prefix.
        self._identities: dict[str, tuple[int, dict[str, str]]] = {}
        self._field_counts: Counter[str] = Counter()
        self._key = 0

    def begin_sheet(self, size: tuple[float, float], title: str) -> None:
        """Add a bookmark, and before it a blank page of `size` if it would lead to a back."""
        if len(self._pages) % 2:
            self._pages.append(self._file.take())
            body = b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 %s]/Resources<<>>>>"
            self._file.add(self._pages[-1], body % (PAGES, pdf_numbers(*size)))
        self._bookmarks.append((title, len(self._pages)))

    def add(self, filled: FilledPage, prefix: str, meta: Mapping[str, str]) -> None:
        """Write one filled plate of the sheet that `meta` describes."""
        file, flat, filling = self._file, self._flat, filled.filling
        live = None if flat else filled.live
        rules = build_field_rules(live) if live is not None else None
        plate = prepare_plate(filled.plate, rules, frozenset(filling.pictures))
        check_filling(filling, plate)
        # By identity: the plates are kept, and to compare them would take longer than to fill one.
        resources = self._resources.get(id(plate))
        if resources is None:
            resources = PlateResources(plate, file, self._shared)
            self._resources[id(plate)] = resources
        above = tuple(prefix.split(".")) if prefix and plate.fields and not flat else ()
        # Names are claimed before anything is written: two fields of one name are one to a viewer.
        if not flat:
            self._tree.claim(above, plate.names)
        upper = self._tree.group(above)
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
        self._tree.hang(above, [first + top for top in templates.tops])
        actions: Mapping[str, bytes] = {}
        fields = range(first + templates.fields, first + templates.fields + len(plate.fields))
        if live is not None:
            actions = self._calculation.build_actions(live, resources, fields, alone=not above)
        resources.use_frames()
        contents = draw_pages(filling, resources, flat=flat)
        for number, content in enumerate(contents, first + templates.drawings):
            file.compress(number, content)
        count = len(plate.fields)
        for (number, place), head in zip(templates.figures, heads[count:], strict=True):
            picture = filling.pictures[plate.places[place].name]
            file.add(first + number, b"%s/Alt%s>>" % (head, text_string(picture.alt)))
        if flat:
            for slot, head in zip(plate.fields, heads, strict=False):
                on = b"on" if slot.place.name in filling.ticks else b"off"
                state = b"/checked/" + on if slot.style is None else b""
                row = first + templates.rows + plate.row_of_place[slot.index]
                file.add(row, b"%s%s>>>>" % (head, state))
            return
        widgets = self._widgets.get(id(resources))
        if widgets is None:
            widgets = self._widgets[id(resources)] = WidgetEntries(resources, file, _EMPTY)
        file.add_all(fields.start, map(add, heads, widgets.build(filling, actions)))

    def finish(self, info: DocumentInfo, preferences: bytes = b"") -> bytes:
        """End the file; return it if it is in memory. `preferences`: see `finish_file`."""
        for prefix, (number, meta) in self._identities.items():
            self._file.add(number, format_identity(meta, self._field_counts[prefix]))
        for resources in self._resources.values():
            resources.finish()
        self._shared.finish()
        parents = b"/Kids[%s]" % list_references(self._parents)
        trees = self._pages, self._tags, parents, self._key
        return finish_file(self._file, info, *trees, preferences, self._entries)

    def _entries(self) -> bytes:
        """Write bookmarks and the interactive form (12.7.2); return the catalogue's entries."""
        bookmarks = [(title, self._pages[index]) for title, index in self._bookmarks]
        entries = write_outlines(bookmarks, self._file)
        if self._tree.tops:
            self._tree.write()
            fonts: dict[bytes, int] = {}
            for resources in self._resources.values():
                fonts |= resources.typed_fonts()
            listed = b"".join(b"%s %d 0 R" % font for font in sorted(fonts.items()))
            default = b"/DA(%s 9 Tf 0 g)" % min(fonts) if fonts else b""
            order = list_references(self._calculation.order)
            order = order and b"/CO[%s]" % order
            form = b"/AcroForm<</Fields[%s]/DR<</Font<<%s>>>>%s%s>>"
            entries += form % (list_references(self._tree.tops), listed, default, order)
        return entries + self._calculation.names_entry()


# Operators of a shape that a page repeats; longer ones, as of dice, are in a form XObject.
_SHORT: Final = 150


def check_filling(filling: Filling, plate: PreparedPlate) -> None:
    """Check that the plate has a place for each value.

    Raises:
        ValueError: It has no such place, or one of another kind.
    """
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


def draw_pages(filling: Filling, resources: PlateResources, *, flat: bool) -> Iterator[bytes]:
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
                frame_name = resources.on_page(frame, slot.size)
                drawn.append(b"q %s%s Do Q\n" % (slot.matrix, frame_name))
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
        for slot in plate.fields if flat else ():
            if slot.place.page == page:
                parts.append(_printed(slot, filling, resources))
        yield b"".join(parts)


def draw_picture(picture: PreparedPicture, slot: PlaceSlot, resources: PlateResources) -> bytes:
    """Return the operators that draw a picture in its box, on paper."""
    left, foot, wide, high = picture.at
    across, up = slot.size
    corner = slot.at[0] + left * across, slot.at[1] + foot * up
    matrix = pdf_numbers(wide * across, 0, 0, high * up, *corner)
    clip = pdf_numbers(*slot.at, *slot.size)
    paper = ink(resources.plate.plate.tokens.colours.get("paper", "#ffffff"))
    name = resources.picture_name(picture)
    return b"q %s re W n %s %s re f %s cm %s Do Q " % (clip, paper, clip, matrix, name)


def _span(slot: PlaceSlot, setting: Setting | None, resources: PlateResources) -> bytes:
    text = b"%s " % set_label(slot, setting, resources) if setting is not None else b""
    return b"/Span<</MCID %d>>BDC %sEMC\n" % (resources.plate.mcids[slot.index], text)


def set_label(slot: PlaceSlot, setting: Setting, resources: PlateResources) -> bytes:
    """Return the operators that set the text of a mark."""
    role = setting.role or slot.place.role
    heading = resources.plate.style(f"{role}-head") if setting.heads else None
    style = resources.plate.style(role)
    setter = resources.text_setter
    return setter.set_text(setting, style, slot.size, slot.at, tall=slot.tall, head=heading)


def _printed(slot: PlaceSlot, filling: Filling, resources: PlateResources) -> bytes:
    """Return the operators that draw the value of a field where its widget would be."""
    name, drawn = slot.place.name, b""
    if slot.style is None:
        if shape := filling.ticks.get(name):
            drawn = b"q %s%s Do Q " % (slot.matrix, resources.on_page(shape, slot.size))
    elif setting := filling.texts.get(name):
        style = resources.plate.style(setting.role) if setting.role else slot.style
        text = resources.text_setter.set_text(setting, style, slot.size, slot.at, tall=slot.tall)
        drawn = b"q %s re W n %s Q " % (pdf_numbers(*slot.at, *slot.size), text)
    return b"/Form<</MCID %d>>BDC %sEMC\n" % (resources.plate.flat_mcids[slot.index], drawn)
