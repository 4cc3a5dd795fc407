"""Unpack a plate for the press: format all that does not depend on object numbers; set texts.

Texts are operators of content streams (ISO 32000-1, 9.4): fonts, positions, colours.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from itertools import count, groupby
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_args

from sheetgen.diag import codes
from sheetgen.diag.findings import DesignError, Finding, Span
from sheetgen.model.prints import (
    DRAWN_KINDS,
    Added,
    FaceMetrics,
    Live,
    Place,
    Plate,
    Role,
    Setting,
    Shape,
    TextPiece,
)
from sheetgen.plan.fit import (
    RIM,
    hang,
    printed_lines,
    rise,
    set_leading,
    spell_out,
    widest_leading,
)
from sheetgen.records import frozen
from sheetgen.render.fonts.fonts import SIGN_FACE, SubsetFont, drawable
from sheetgen.render.pdf import pdf_file
from sheetgen.units import Box, segments

_TOP: Final = 2.0  # points between the top of a multi-line box and its first capitals
# How much above the middle several lines are set, in em; the second where they fill the box.
_DESCENT: Final = 0.25, 0.14
_ALIGNED: Final = {"left": 0.0, "center": 0.5, "right": 1.0}
_WINANSI: Final = frozenset(bytes(range(32, 256)).decode("cp1252", "ignore"))
# Advance width of `.notdef`, the box for a letter that no face has; approximate.
_NO_GLYPH: Final = 500
_SIMPLE, _CORE, _SUBSET = range(3)  # the fonts of a typeface; see `Typeface.names`
T = TypeVar("T")
Size: TypeAlias = tuple[float, float]  # width and height, or a corner


@frozen
class Typeface:
    """A face as three PDF fonts; see `fonts.Face`."""

    face: str
    # Resource names of the simple font, the core font and the subset font
    names: tuple[bytes, bytes, bytes]
    simple: frozenset[str]  # the letters of the simple font, one byte for each
    # The glyphs of the core font as characters, by letter, for `str.translate`
    core: Mapping[int, str]
    metrics: FaceMetrics  # of all letters


@frozen
class Style:
    """A role of the tokens with its typeface, colour operator and quadding (12.7.3.3)."""

    name: str
    role: Role
    typeface: Typeface
    colour: bytes
    aligned: float
    quadding: bytes

    def leading(self, size: float) -> float:
        """Return the distance of two lines at `size`."""
        return (self.role.leading or 1.15 * self.role.size) * size / self.role.size

    def baselines(
        self, lines: Sequence[str], size: float, height: float, *, tall: bool
    ) -> Iterator[float]:
        """Return the baselines of lines, from the top one, above the foot of the box.

        A `tall` box, of this height, is made for several lines, and fills from the top. In others
        lines whose accents would be clipped stand lower and closer together.
        """
        count, metrics = len(lines), self.typeface.metrics
        size = self.role.size if tall and self.role.leading else size  # keeps to its dots
        cap, leading = metrics.cap_height * size / 1000, self.leading(size)
        tight = False
        if count > 1 and not tall:
            most = widest_leading(count, size, height)
            tight, leading = most < leading, min(most, leading)
            leading = set_leading(lines, leading, height, metrics, size)
        block = cap + (count - 1) * leading
        if tall:
            last = height - _TOP - block
        elif count > 1:
            last = (height - block + _DESCENT[tight] * size) / 2
        else:
            last = (height - block) / 2 if self.role.baseline is None else self.role.baseline
        if not tall and (count > 1 or not "".join(lines).isascii()):
            lowest = hang(lines[-1], metrics) * size + RIM
            highest = height - RIM - rise(lines[0], metrics) * size - block
            last = min(last, max(lowest, highest))
            last = max(last, lowest) if count > 1 else last
        return (last + line * leading for line in range(count - 1, -1, -1))


# What was written for texts before, with the fonts that it uses.
TextCache: TypeAlias = dict[tuple[object, ...], tuple[Any, frozenset[bytes]]]
# Texts in a cache. Most texts of a sheet are on other sheets, too.
_CACHE_SIZE: Final = 4000


class TextSetter:
    """Sets the texts of one document."""

    def __init__(
        self, faces: Mapping[str, Typeface], subsets: Mapping[str, SubsetFont], cache: TextCache
    ) -> None:
        """Begin a document; `cache`: of the plate's texts, `subsets`: for rare letters, by face."""
        self.used: set[bytes] = set()  # resource names of the fonts that were used
        self._subsets, self._cache = subsets, cache
        # For each face all faces: itself, then those of the nearest weights.
        weights = {face: int("".join(filter(str.isdigit, face)) or 400) for face in faces}
        self._orders = {
            face: sorted(
                faces.values(), key=lambda o: (o.face != face, abs(weights[o.face] - weights[face]))
            )
            for face in faces
        }
        # The letters of all faces, since one may take the place of another.
        self._points = frozenset[int]().union(*(face.metrics.glyphs for face in faces.values()))
        self._subset_names = {face.names[_SUBSET] for face in faces.values()}

    def set_text(
        self,
        setting: Setting,
        style: Style,
        size: Size,
        at: Size = (0.0, 0.0),
        *,
        tall: bool = False,
        head: Style | None = None,
    ) -> bytes:
        """Return the operators that set the lines of `setting`, which fit already, in a box.

        `size` are its width and height, `at` is its lower left; `tall`: see `Style.baselines`.
        `head` is the style of headings in the text; their leading is that of `style`.
        """
        key = (setting, style.name, size, at, tall, head is None)
        values = setting, style, size, at, tall, head
        return self.written_once(self._cache, key, self._set_lines, *values)

    def set_pieces(
        self, pieces: tuple[TextPiece, ...], at: Size, style: Callable[[str], Style]
    ) -> bytes:
        """Return the operators of texts beside each other; `style` returns that of a role."""

        def write() -> bytes:
            lines = []
            for piece in pieces:
                setting = Setting(piece.text, (piece.text,), piece.size)
                size, corner = (piece.width, piece.size), (at[0] + piece.x, at[1] + piece.up)
                values = setting, style(piece.role), size, corner
                lines.append(self._set_lines(*values, tall=False, head=None))
            return b"\n".join(lines)

        return self.written_once(self._cache, (pieces, at), write)

    def written_once(
        self, cache: TextCache, key: tuple[object, ...], write: Callable[..., T], *args: object
    ) -> T:
        """Return what `write` returns for `args`, from `cache` if it was written before.

        What has rare letters is not cached: their codes differ by document.
        """
        cached = cache.get(key)
        if cached is not None:
            self.used |= cached[1]
            written: T = cached[0]
            return written
        # What this text uses is kept beside it: a later document may take it from the cache, and
        # must list its fonts all the same.
        before, self.used = self.used, set()
        written = write(*args)
        if not self.used & self._subset_names:
            if len(cache) >= _CACHE_SIZE:
                cache.clear()
            cache[key] = written, frozenset(self.used)
        self.used |= before
        return written

    def _set_lines(
        self, setting: Setting, style: Style, size: Size, at: Size, tall: bool, head: Style | None
    ) -> bytes:
        lines = list(map(drawable, printed_lines(setting)))
        heights = style.baselines(lines, setting.size, size[1], tall=tall)
        points = pdf_file.pdf_number(setting.size)
        parts = [b"BT", style.colour]
        font, x, y = b"", 0.0, 0.0
        for index, (line, height) in enumerate(zip(lines, heights, strict=True)):
            left = at[0]
            face = head.typeface if head and index in setting.heads else style.typeface
            if not face.simple.issuperset(line):
                line = spell_out(line, self._points)
            runs = self._runs(line, face)
            if line and not style.aligned:  # a letter that reaches to the left is not clipped
                left += face.metrics.overhangs.get(ord(line[0]), 0) * setting.size / 1000
            elif style.aligned:
                faces = ((self._choice(face, letter)[0], ord(letter)) for letter in line)
                width = sum(one.metrics.advances.get(n, _NO_GLYPH) for one, n in faces)
                left += style.aligned * (size[0] - width * setting.size / 1000)
            down = at[1] + height
            parts.append(pdf_file.pdf_numbers(left - x, down - y) + b" Td")
            # Each step is rounded; sum up the rounded ones, so that errors don't add up.
            x, y = x + round(left - x, 2), y + round(down - y, 2)
            for name, text in runs:
                if name != font:
                    parts.append(b"%s %s Tf" % (name, points))
                    font = name
                parts.append(pdf_file.pdf_string(text) + b"Tj")
        parts.append(b"ET")
        return b" ".join(parts)

    def _runs(self, line: str, typeface: Typeface) -> list[tuple[bytes, bytes]]:
        """Return `line` as runs of one font each: its resource name, and the text encoded."""
        if typeface.simple.issuperset(line):
            self.used.add(typeface.names[0])
            return [(typeface.names[0], line.encode("cp1252"))]
        runs = []
        for (face, font), run in groupby(line, partial(self._choice, typeface)):
            self.used.add(face.names[font])
            text = "".join(run)
            if font == _SIMPLE:
                coded = text.encode("cp1252")
            elif font == _SUBSET:
                coded = self._subsets[face.face].encode(text)
            else:  # Glyph 0 is `.notdef`, a box: no face has the letter.
                coded = "".join(face.core.get(ord(c), "\0") for c in text).encode("utf-16-be")
            runs.append((face.names[font], coded))
        return runs

    def _choice(self, typeface: Typeface, letter: str) -> tuple[Typeface, int]:
        """Return face and font for `letter`; if its own face lacks it, the next in weight."""
        for face in self._orders[typeface.face]:
            if letter in face.simple:
                return face, _SIMPLE
            if ord(letter) in face.metrics.glyphs:
                return face, _CORE if ord(letter) in face.core else _SUBSET
        return typeface, _CORE


@frozen
class TagRow:
    """One structure element (ISO 32000-1, 14.7.2)."""

    tag: bytes
    parent: int  # index of the row above it; -1 for the document
    extra: bytes  # further entries of its dictionary
    # Kind (`row`, `mcid`, `place`, `link`), index or number, and page of each
    kids: tuple[tuple[str, int, int], ...]
    page: int  # of its first content; -1 if it has none of its own
    place: int  # index of the place of a field that it contains, or -1
    picture: int = -1  # index of the place of the picture that it is, or -1


@frozen
class PlaceSlot:
    """A place, with all PDF text that does not depend on its value."""

    index: int  # of the place in the plate
    place: Place
    size: Size
    at: tuple[float, float]  # its lower left on the page, in PDF coordinates
    matrix: bytes  # the operator that moves the origin there
    group: int = -1  # index of its group of names; -1 at the top
    style: Style | None = None  # the style of its text; None for ticks and shapes
    head: bytes = b""  # first entries of its widget annotation
    empty_entries: bytes = b""  # last entries of the widget of a text field without a value
    form_head: bytes = b""  # first entries of the appearance stream of a text
    frame: bytes = b""  # operators that draw the frame of a tick
    on: str = ""  # shape of the mark of a tick
    tall: bool = False  # whether its text fills it from the top, as in a column
    flags: int = 0  # of a text field, without the one for several lines
    action: str = ""  # the key of its action in `_Document._build_actions`; empty for none
    appearance_key: int = -1  # equal for places whose appearances are equal for equal values


# What is drawn for a place: marks are labels, with a text, or shapes.
SlotKind: TypeAlias = Literal["tick", "text", "label", "shape", "picture"]
_SLOT_KINDS: Final[tuple[SlotKind, ...]] = get_args(SlotKind)


class PreparedPlate:
    """One plate, ready to be filled any number of times."""

    def __init__(self, plate: Plate, live: Live | None, shown: frozenset[str]) -> None:
        header, datas = pdf_file.unpack_parts(plate.body)
        self.plate, self.live, self.places = plate, live, plate.places
        self._marks: set[int] = set()
        self.header: Mapping[str, Any] = header
        self.shared = pdf_file.build_shared(header, datas)
        self.typefaces: dict[str, Typeface] = {}
        for index, (face, own) in enumerate(plate.metrics.items()):
            few = header["counts"][face]  # how many glyphs the core font has
            core = {point: chr(n) for point, n in own.glyphs.items() if n < few}
            names = b"/F%d" % index, b"/F%da" % index, b"/F%db" % index
            simple = _WINANSI & set(map(chr, core))
            self.typefaces[face] = Typeface(face, names, simple, core, own)
        if plate.signs is not None:  # rare letters of a face of their own
            names = b"/Fs", b"/Fsa", b"/Fsb"
            sign = Typeface(SIGN_FACE, names, frozenset(), {}, plate.signs.metrics)
            self.typefaces[SIGN_FACE] = sign
        self.styles: dict[str, Style] = {}
        for name, role in plate.tokens.roles.items():
            colour, aligned = pdf_file.ink(plate.tokens.colours[role.colour]), _ALIGNED[role.align]
            quadding = b"/Q %d" % (2 * aligned) if aligned else b""
            style = Style(name, role, self.typefaces[role.face], colour, aligned, quadding)
            self.styles[name] = style
        self.rows: list[TagRow] = []
        for tag, parent, extra, kids in header["rows"]:
            page = next((page for what, _, page in kids if what != "row"), -1)
            place = next((which for what, which, _ in kids if what == "place"), -1)
            held = tuple((what, which, on) for what, which, on in kids)
            row = TagRow(tag.encode(), parent, extra.encode("latin-1"), held, page, place)
            self.rows.append(row)
        self.tops: list[int] = list(header["tops"])
        self.mcids = {int(index): mcid for index, mcid in header["texts"].items()}
        self.fresh: list[int] = list(header["fresh"])
        # In this order: added tags extend the tree, figures without a picture leave it, which
        # renumbers its rows, and live fields then turn marks into places of the rows that are left.
        if plate.added is not None:
            self._add_tags(plate.added)
        self._place_figures(shown)
        self._bars: list[Place] = []  # the places of hints
        if live is not None:
            self._add_live_fields(live)
            self.program_key = hashlib.sha256(live.program.encode()).hexdigest()[:12]
        self.row_of_place = {row.place: n for n, row in enumerate(self.rows) if row.place >= 0}
        self.groups: dict[tuple[str, ...], int] = {}  # names with others below, parents first
        self.frames: dict[tuple[str, Size], bytes] = {}  # resource names of frames of ticks
        self._appearance_keys: dict[tuple[str, Size, bool, int], int] = {}
        self._drawn: dict[tuple[str, Size], bytes] = {}
        self.text_cache: TextCache = {}  # what the press has written for texts
        self.label_cache, self.widget_cache = TextCache(), TextCache()
        # The slots of each page by kind, and all slots by kind and name.
        self.slots: list[dict[SlotKind, list[PlaceSlot]]] = [
            {kind: [] for kind in _SLOT_KINDS} for _ in plate.sizes
        ]
        self.named: dict[SlotKind, dict[str, PlaceSlot]] = {kind: {} for kind in _SLOT_KINDS}
        self.fields: list[PlaceSlot] = []  # what becomes widgets, in reading order
        self.fields_of: dict[int, list[int]] = {}  # indexes of fields by group, or -1
        for slot in [self._slot(*pair) for pair in enumerate(self.places)]:
            given = slot.place.kind
            kind: SlotKind = "label" if slot.place.role else "shape"
            if given != "mark":
                kind = "text" if given == "lines" else given
            self.slots[slot.place.page][kind].append(slot)
            self.named[kind][slot.place.name] = slot
            if kind in ("tick", "text"):
                self.fields_of.setdefault(slot.group, []).append(len(self.fields))
                self.fields.append(slot)
        self.order = {slot.place.name: n for n, slot in enumerate(self.fields)}
        # Indexes of the fields that have an action, with its key.
        self.acting = [(n, slot.action) for n, slot in enumerate(self.fields) if slot.action]
        # Bars that scripts show, which are hidden and need no structure elements.
        self.hints = [self._slot(-1, place) for place in self._bars]
        self.hint_sizes = list(dict.fromkeys(slot.size for slot in self.hints))
        named = (*live.outputs, SAYS) if live is not None else ()
        self.calculated = [self.order[n] for n in named if n in self.order]

    def _add_tags(self, added: Added) -> None:
        """Add structure elements below that of a mark, and numbers for their contents."""
        rows, fresh, first = self.rows, self.fresh, len(self.rows)
        indexes = {place.name: index for index, place in enumerate(self.places)}
        anchored = self.mcids[indexes[added.anchor]]
        page = added.places[0].page if added.places else 0
        anchor = next(n for n, row in enumerate(rows) if ("mcid", anchored, page) in row.kids)
        kids: dict[int, list[tuple[str, int, int]]] = {-1: list(rows[anchor].kids)}
        for n, tag in enumerate(added.tags):
            kids[tag.parent].append(("row", first + n, 0))
            kids[n] = []
            for name in tag.texts:
                kids[n].append(("mcid", fresh[page], page))
                self.mcids[indexes[name]] = fresh[page]
                fresh[page] += 1
        for n, tag in enumerate(added.tags):
            above = anchor if tag.parent < 0 else first + tag.parent
            extra, on = tag.extra.encode("latin-1"), page if tag.texts else -1
            rows.append(TagRow(tag.tag.encode(), above, extra, tuple(kids[n]), on, -1))
        # What may only contain text becomes a division, which may contain tables.
        rows[anchor] = replace(rows[anchor], tag=b"Div", kids=tuple(kids[-1]))
        above = rows[anchor].parent
        if above >= 0 and rows[above].tag == b"P":
            rows[above] = replace(rows[above], tag=b"Div")

    def _place_figures(self, shown: Collection[str]) -> None:
        """Find the structure elements of pictures; remove those of pictures that are not shown.

        A figure without alternate text is an error of PDF/UA, and so is an element that has only
        such figures.
        """
        pictures = [(n, place) for n, place in enumerate(self.places) if place.kind == "picture"]
        for n, place in pictures:
            if place.name not in shown:
                del self.mcids[n]
        found = {("mcid", self.mcids[n], p.page): n for n, p in pictures if n in self.mcids}
        rows = self.rows = [
            replace(row, picture=found.get(row.kids[0], -1)) if row.kids else row
            for row in self.rows
        ]
        figures = (n for n, row in enumerate(rows) if row.tag == b"Figure" and row.picture < 0)
        empty = {n for n in figures if b"/Alt" not in rows[n].extra}
        if not empty:
            return
        for index in reversed(range(len(rows))):  # kids are after their parents
            below = [which for kind, which, _ in rows[index].kids if kind == "row"]
            lost = below and len(below) == len(rows[index].kids) and empty.issuperset(below)
            if lost and rows[index].tag not in (b"TD", b"TH", b"LI", b"LBody"):
                empty.add(index)
        left = [index for index in range(len(rows)) if index not in empty]
        new = {old: index for index, old in enumerate(left)} | {-1: -1}
        self.rows = []
        for row in (rows[old] for old in left):
            kids = tuple(
                (kind, new[which] if kind == "row" else which, page)
                for kind, which, page in row.kids
                if kind != "row" or which in new
            )
            self.rows.append(replace(row, parent=new[row.parent], kids=kids))
        self.tops = [new[top] for top in self.tops if top in new]

    def _add_live_fields(self, live: Live) -> None:
        """Turn calculated marks into fields, and add the controls of a live sheet.

        The structure element of such a mark then contains a field instead of marked content.
        """
        of_mcid = {
            (mcid, self.places[index].page): index
            for index, mcid in self.mcids.items()
            if self.places[index].name in live.outputs
        }
        for n, row in enumerate(self.rows):
            index = of_mcid.get(row.kids[0][1:], -1) if len(row.kids) == 1 else -1
            if index >= 0 and row.kids[0][0] == "mcid":
                held = (("place", index, row.page),)
                self.rows[n] = replace(row, tag=b"Form", kids=held, place=index)
                self._marks.add(index)
        self.places = tuple(
            replace(place, kind="text") if n in self._marks else place
            for n, place in enumerate(self.places)
        )
        # The controls are above all places of the first page.
        boxes = [one.box for one in self.places if one.page == 0 and one.kind not in DRAWN_KINDS]
        boxes = boxes or [Box(0, 0, *self.plate.sizes[0])]  # such as a cover
        left = min(box.x for box in boxes)
        right = min(max(box.x + box.width for box in boxes), self.plate.sizes[0][0])
        usual, roles = next(iter(self.styles)), ("live-says", "live-reset")
        says, reset = (role if role in self.styles else usual for role in roles)
        point, above = self.styles[reset].role.size, min(box.y for box in boxes)
        free = max(above - min(point * _LABEL, _LABEL_MOST), _EDGE + point * _LEAST)
        wide, high = point * _WIDE, min(point * _HIGH, free - _EDGE)
        tall = min(self.styles[says].role.size * _LINES_HIGH, free)
        button = Box(right - wide, free - high, wide, high)
        line = Box(left, (free - tall) / 2, right - wide - _GAP - left, tall)
        first, top = len(self.places), len(self.rows)
        self.places += (
            Place(SAYS, "lines", says, "What the rules say of what stands here", 0, line),
            Place(RESET, "text", reset, "Put everything back as it was printed", 0, button),
        )
        # A bar to the left of each place that findings may be about, which viewer.js then shows. It
        # overlaps no field, because viewers differ in which of two widgets gets a click.
        typed = live.inputs.union(live.outputs)
        for at, stem in enumerate(live.hints):
            fields = [p for p in self.places if f"{p.name}.".startswith(f"{stem}.")]
            fields = [p for p in fields if p.name in typed]
            fields = [p for p in fields if p.page == fields[0].page]
            if fields:
                left, high = min(p.box.x for p in fields), min(p.box.y for p in fields)
                foot = max(p.box.y + p.box.height for p in fields)
                box = Box(left - _BESIDE - _BAR, high, _BAR, foot - high)
                label = "Wrong here; the top line says why"
                self._bars.append(Place(f"{HINT}{at}", "text", says, label, fields[0].page, box))
        forms = range(first, len(self.places))
        self.tops.append(top)
        kids = tuple(("row", top + 1 + n, 0) for n, _ in enumerate(forms))
        self.rows.append(TagRow(b"Div", -1, b"", kids, -1, -1))
        for index in forms:
            self.rows.append(TagRow(b"Form", top, b"", (("place", index, 0),), 0, index))

    def _slot(self, index: int, place: Place) -> PlaceSlot:
        box, height = place.box, self.plate.sizes[place.page][1]
        size = (round(box.width, 2), round(box.height, 2))
        at = (round(box.x, 2), round(height - box.y - box.height, 2))
        matrix = b"1 0 0 1 %s cm" % pdf_file.pdf_numbers(*at)
        if place.kind in DRAWN_KINDS:
            return PlaceSlot(index, place, size, at, matrix, tall=self._is_column(place))
        path, _, name = place.name.rpartition(".")
        looks = b"/F 4/MK<<>>"  # /F: printed, which controls are not; hints are hidden, too
        if place.name in (SAYS, RESET):
            looks = b"/MK<<>>"
        elif place.name.startswith(HINT):
            colour = hint_colour(self.plate.tokens.colours).rpartition(b" ")[0]
            looks = b"/F 2/MK<</BG[%s]>>" % colour
        label = place.label
        if self.live is not None and place.name in self.live.unfollowed:
            label += UNFOLLOWED
        called = pdf_file.pdf_string(name.encode()), pdf_file.text_string(label)
        corners = pdf_file.pdf_numbers(*at, at[0] + size[0], at[1] + size[1])
        head = b"<</Type/Annot/Subtype/Widget%s/T%s/TU%s/Rect[%s]/FT" % (looks, *called, corners)
        names, group = path.split(".") if path else [], -1
        for end in range(1, len(names) + 1):  # groups above it come first
            group = self.groups.setdefault(tuple(names[:end]), len(self.groups))
        if place.kind == "tick":
            tick, frame = self.plate.tokens.ticks[place.role], b""
            if tick.frame:
                resource = self.frames.setdefault((tick.frame, size), b"/f%d" % len(self.frames))
                frame = b"q %s%s Do Q\n" % (matrix, resource)
            common = (index, place, size, at, matrix, group)
            return PlaceSlot(*common, head=head + b"/Btn", frame=frame, on=tick.on)
        style = self.styles[place.role]
        tall = place.kind == "lines" or (index in self._marks and self._is_column(place))
        kind, flags, action = self._field_action(place.name)
        empty = b"%s%s%s>>" % (
            style.quadding,
            flagged(flags | (SEVERAL_LINES if tall else 0)),
            self.default_appearance(style, style.role.size),
        )
        key = (place.role, size, tall, flags)
        return PlaceSlot(
            *(index, place, size, at, matrix, group, style, head + kind, empty),
            form_head=b"<</Subtype/Form/BBox[0 0 %s]" % pdf_file.pdf_numbers(*size),
            tall=tall,
            flags=flags,
            action=action,
            appearance_key=self._appearance_keys.setdefault(key, len(self._appearance_keys)),
        )

    def _field_action(self, name: str) -> tuple[bytes, int, str]:
        """Return the type of a field, its flags, and the key of its action."""
        live = self.live
        if live is None:
            return b"/Tx", 0, ""
        if name == RESET:
            return b"/Btn", _PUSHED, "reset"
        if name == SAYS:
            return b"/Tx", _READ_ONLY, "calculated"
        if name.startswith(HINT):
            return b"/Tx", _READ_ONLY, ""
        if name in live.outputs:
            flags = 0 if name in live.cells else _READ_ONLY
            return b"/Tx", flags, "first" if name == live.outputs[0] else "calculated"
        return b"/Tx", 0, "typed" if name in live.inputs else ""

    def _is_column(self, mark: Place) -> bool:
        style = self.styles.get(mark.role)
        return style is not None and mark.box.height >= 3 * style.leading(style.role.size)

    @cached_property
    def names(self) -> frozenset[str]:
        """Return the names of all fields, and of the groups that they are in."""
        groups = (".".join(path) for path in self.groups)
        return frozenset([*groups, *(slot.place.name for slot in (*self.fields, *self.hints))])

    @cached_property
    def flat_mcids(self) -> dict[int, int]:
        """Return the marked-content numbers of drawn fields, by index of the place."""
        numbers = [count(first) for first in self.fresh]
        return {slot.index: next(numbers[slot.place.page]) for slot in self.fields}

    @cached_property
    def typed_names(self) -> dict[str, bytes]:
        """Return the names of the fonts in default appearances, by face.

        A name is derived from the font, so that plates in one document use equal names.
        """
        names = {}
        for face, row in self.header["faces"].items():
            letters = "".join(c for c in face if c.isascii() and c.isalnum())
            names[face] = f"/{letters}x{self.shared[row['typed']].digest[:6]}".encode()
        return names

    def default_appearance(self, style: Style, size: float) -> bytes:
        """Return the default appearance of a field: font, size and colour of typed text."""
        parts = self.typed_names[style.role.face], pdf_file.pdf_number(size), style.colour
        return b"/DA(%s %s Tf %s)" % parts

    def style(self, role: str) -> Style:
        """Return the style of `role`; raises `DesignError` if the tokens have no such role."""
        if role not in self.styles:
            raise _missing_token("role", role)
        return self.styles[role]

    def drawn(self, name: str, size: tuple[float, float]) -> bytes:
        """Return operators that draw the shape called `name` in a box of `size`."""
        if (name, size) not in self._drawn:
            tokens = self.plate.tokens
            if name not in tokens.shapes:
                raise _missing_token("shape", name)
            self._drawn[name, size] = draw_shape(tokens.shapes[name], *size, tokens.colours)
        return self._drawn[name, size]


def prepare_plate(
    plate: Plate, live: Live | None = None, shown: frozenset[str] = frozenset()
) -> PreparedPlate:
    """Return `plate` ready for the press; the last few are cached.

    The figures of `live` do not matter. `shown`: the places that have a picture.
    """
    return _prepare(plate, replace(live, data="") if live is not None else None, shown)


_prepare = lru_cache(maxsize=16)(PreparedPlate)

# Fields besides those of the plate, whose names have no hyphens.
SAYS: Final = "sheetgen-says"
RESET: Final = "sheetgen-reset"
HINT: Final = "sheetgen-hint-"

UNFOLLOWED: Final = " (other values stay as printed: read the sheet back, and print anew)"
"""Behind the name of a field that readers show, where a calculating sheet does not follow it."""

_READ_ONLY: Final = 1
SEVERAL_LINES: Final = 1 << 12
_PUSHED: Final = 1 << 16
# Measures of the controls, which are in the margin above the places of the first page.
# First line, in text sizes: height and width of the button, height of the line of findings and of
# the labels of places. Second line: points between the controls, the most that a label takes, the
# distance of the button from the paper's edge (5 mm), and the least height of the button, in text
# sizes. Third line, in points: width of a hint, and its distance from the fields.
_HIGH, _WIDE, _LINES_HIGH, _LABEL = 2.1, 7.0, 2.7, 1.7
_GAP, _LABEL_MOST, _EDGE, _LEAST = 10.0, 14.2, 14.2, 0.9
_BAR, _BESIDE = 2.0, 1.0


def hint_colour(colours: Mapping[str, str]) -> bytes:
    """Return the operator that sets the colour of hints."""
    return pdf_file.ink(colours.get("accent", "#000000"))


def flagged(flags: int) -> bytes:
    """Return the entry for a field's flags."""
    return b"/Ff %d" % flags if flags else b""


_OPERATORS: Final = {"M": b"m", "L": b"l", "C": b"c", "Z": b"h"}


def _missing_token(what: str, name: str) -> DesignError:
    message = f"the tokens have no {what} `{name}`"
    hint = f"add it under `{what}s` of the design's tokens.yaml"
    return DesignError((Finding(codes.BAD_DESIGN, Span("templates"), message, hint),))


def draw_shape(shape: Shape, width: float, height: float, colours: Mapping[str, str]) -> bytes:
    """Return the path operators (8.5) that draw `shape` in a box with its corner at the origin."""
    if not (shape.fill or shape.stroke):
        return b""
    parts = []
    if shape.fill:
        parts.append(pdf_file.ink(colours[shape.fill]))
    if shape.stroke:
        parts.append(pdf_file.ink(colours[shape.stroke], stroke=True))
        parts.append(pdf_file.pdf_number(shape.weight * width or shape.width) + b" w")
    across, up = (max(length - 2 * shape.inset, 0) for length in (width, height))
    for letter, values in segments(shape.path):
        for x, y in zip(values[::2], values[1::2], strict=True):
            # SVG counts downwards, PDF upwards.
            parts.append(
                pdf_file.pdf_numbers(shape.inset + x * across, height - shape.inset - y * up)
            )
        parts.append(_OPERATORS[letter])
    return b" ".join([*parts, (b"B" if shape.stroke else b"f") if shape.fill else b"S"])
