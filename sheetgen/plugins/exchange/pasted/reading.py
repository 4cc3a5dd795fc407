"""Read one stat block: what is understood becomes values by key, and the rest is left over."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from sheetgen.plugins.exchange.pasted.layout import PlainLine, PlainText, Range, trim
from sheetgen.plugins.exchange.words import VALUE, Meaning, Words, read_integer
from sheetgen.records import frozen
from sheetgen.rules.index import folded, split_times

_TOKEN: Final = re.compile(
    rf"(?P<value>{VALUE.pattern})|(?P<cut>[,;|:()=/]|\.(?!\S)|(?<=\s)-(?=\s))|\w+"
)
_LISTS: Final = ("texts", "choices", "items")
_TITLED: Final = re.compile(r"[A-Z\d][^.:\n]{0,70}[.:](?=\s)")
_CLAUSE: Final = re.compile(r"[;,|]|[.)](?=\s)|\s{2,40}(?=\S)")
_BRACKET: Final = re.compile(r"\s{0,2}\([^()\n]{1,40}\)")
_WORD: Final = re.compile(r"[^\s,;|/]{1,40}")
_NAME: Final = re.compile(r"[^\s:,;|()=]{1,40}|\([^()\n]{1,40}\)")
_BESIDE: Final = re.compile(r"\s{0,3}\(\s?([+-]?\s?\d{1,3}(?:\s?/\s?[+-]?\d{1,3}){0,3})\s?\)")
_INTEGER: Final = re.compile(r"[+-]?\s?\d{1,3}")
_NOTHING: Final = ("none", "nil", "n/a", "-")  # what people write in an empty list
_MOST_WORDS: Final = 5  # of a name


@frozen
class Label:
    """Words at the start of a clause that name something, and the place behind them."""

    meanings: list[Meaning]
    start: int
    end: int
    after: int
    sign: str  # what ends it: `:`, `*` for bold words, `|` for a head elsewhere, or nothing


@frozen
class Chunk:
    """A name and its value, as they stand in a list; an empty name has no letters."""

    name: Range
    value: Range


@dataclass
class Block:
    """A block as it is read."""

    first: int
    last: int
    title: Range | None = None
    data: dict[str, Any] = field(default_factory=dict)  # Values by key, as YAML has them.
    # The places in the text of each key, and of each name in a key.
    places: dict[tuple[str, str], Range] = field(default_factory=dict)
    # Values that follow from the others: their place, id and text.
    claims: list[tuple[Range, Meaning, str]] = field(default_factory=list)
    # Places of values that are there already, with the one that counts.
    twice: dict[int, str] = field(default_factory=dict)
    # Places of names that may mean several things, with their names.
    unclear: dict[int, str] = field(default_factory=dict)
    prefix: dict[int, str] = field(default_factory=dict)


class BlockReader:
    """Reads the lines of one block; `used` marks the letters that were understood."""

    def __init__(self, text: PlainText, words: Words, block: Block, used: bytearray) -> None:
        self.text, self.words, self.block, self.used = text, words, block, used
        self.plain, self.lines = text.plain, text.lines[block.first : block.last]
        self.context: Meaning | None = None
        self.groups: tuple[str, ...] = ()
        self.label = ""  # of the list that goes on
        self.is_closed = False  # whether that list ends at the next bullet
        self.pending: list[tuple[str, Range]] = []
        self.names: dict[str, Range] = {}  # the place of each rated trait's name
        starts = [(line, line.start) for line in self.lines]
        if block.title and self.lines and block.title[1] < self.lines[0].end:  # all on one line
            behind = _CLAUSE.finditer(self.plain, block.title[1], self.lines[0].end)
            starts += [(self.lines[0], cut.end()) for cut in behind]
        labels = (find_label(text, words, line, at, line.end) for line, at in starts)
        known = (one for one in labels if one is not None and not one.sign)
        self.is_bare = any(one.meanings[0].sort == "key" for one in known)  # `Move 10`, no colon

    # Marks and values -----------------------------------------------------------------------

    def mark(self, start: int, end: int) -> None:
        """Mark letters as understood."""
        self.used[start:end] = b"\1" * (end - start)

    def put(self, key: str, value: Any, place: Range) -> bool:
        """Write a value under a key that has none; another one is reported."""
        if key in self.block.data:
            self.block.twice[place[0]] = self.words.keys.shown[key]
            return False
        self.block.data[key] = value
        self.block.places[key, ""] = place
        self.mark(*place)
        return True

    def add(self, key: str, value: Any, name: str, place: Range) -> None:
        """Append a value to the list under a key."""
        self.block.data.setdefault(key, []).append(value)
        self.block.places.setdefault((key, ""), place)
        self.block.places[key, name] = place
        self.mark(*place)

    def rate(self, trait: str, name: Range, value: Range) -> bool:
        """Write the rating of a trait."""
        rating, group = self.words.rating(trait, self.text.raw(value)), self.words.group_of(trait)
        if rating is None:
            return False
        shown, data, places = self.words.index.titles[trait], self.block.data, self.block.places
        if (key := self.words.rated.get(group)) is None:
            key = self.words.raised[group]
            self.block.claims.append(((name[0], value[1]), Meaning("trait", trait), str(rating)))
            places.setdefault((key, ""), name)
            if shown not in data.setdefault(key, []):
                data[key].append(shown)
            self.mark(*name)
            return True
        held = data.setdefault(key, {})
        above = self.names.setdefault(trait, name)
        other = above != name and folded(self.text.raw(above)) != folded(self.text.raw(name))
        if held.setdefault(shown, rating) != rating or other:
            self.block.twice[name[0]] = f"{shown} {held[shown]}"
            return False
        self.mark(*name)
        self.mark(*value)
        if (key, shown) in places:
            return True
        places.setdefault((key, ""), name)
        places[key, shown] = value
        # Values in brackets behind a rating are those of the columns beside it, to compare.
        if found := _BESIDE.match(self.plain, value[1]):
            behind = self.plain[found.end() : found.end() + 3]
            rest = found.end() + len(behind) - len(behind.lstrip(" ,;:\n"))
            if _BESIDE.search(self.plain, rest, rest + 40) is None:  # such as `, damage 1d3`
                self.block.prefix[rest] = self.text.words(*name)
            self.block.prefix[found.start(1)] = self.text.words(*name)
            cells = [cell.span() for cell in _INTEGER.finditer(self.plain, *found.span(1))]
            self.claim_columns(trait, cells)
        return True

    def claim_columns(self, trait: str, cells: list[Range]) -> None:
        """Compare values beside a rating with those of its columns."""
        columns = self.words.rules.groups[self.words.group_of(trait)].columns
        for column, cell in zip(columns, cells, strict=False):
            meaning = Meaning("derived", f"{trait}.{column}")
            self.block.claims.append((cell, meaning, self.text.raw(cell)))

    def take(self, meaning: Meaning, name: Range, value: Range) -> bool:
        """Write a value of what a name means; whether it is one of this sort."""
        raw = self.text.raw(value)
        if meaning.sort == "trait":
            return self.rate(meaning.id, name, value)
        if meaning.sort == "derived":
            self.mark(*name)
            self.block.prefix[value[0]] = self.text.words(*name)
            self.block.claims.append((value, meaning, raw))
            return True
        number, key = read_integer(raw), self.words.key(meaning.id)
        if number is None or key.kind != "number" or (number < 0 and key.least is not None):
            return False
        if self.put(meaning.id, number, value):
            self.mark(*name)
            units = {folded(unit) for unit in self.words.more.units.get(meaning.id, ())}
            behind = re.compile(r"\s{0,3}([A-Za-z]{1,12})\.?(?!\w)").match(self.plain, value[1])
            if behind and folded(behind[1]) in units:
                self.mark(*behind.span())
        return True

    def choose(self, chunk: Chunk) -> bool:
        """Write the value of a chunk whose name means one thing; report one that means several."""
        behind = _BRACKET.match(self.plain, chunk.name[1])
        if behind and self.words.find(self.plain[chunk.name[0] : behind.end()], self.groups):
            chunk = Chunk((chunk.name[0], behind.end()), chunk.value)
        ahead = re.compile(r"[^\W\d][\w ]{0,30}/\Z").search(
            self.plain[max(0, chunk.name[0] - 32) : chunk.name[0]]
        )
        if ahead and self.words.find(self.plain[chunk.name[0] - len(ahead[0]) : chunk.name[1]]):
            chunk = Chunk((chunk.name[0] - len(ahead[0]), chunk.name[1]), chunk.value)
        name, raw = self.text.raw(chunk.name), self.text.raw(chunk.value)
        cut = re.match(r".{1,80}\s{2,}(?=\S)", name)
        if cut and not self.words.find(name, self.groups):  # two columns of a page
            chunk = Chunk((chunk.name[0] + cut.end(), chunk.name[1]), chunk.value)
            name = name[cut.end() :]
        found = [m for m in self.words.find(name, self.groups) if self.words.fits(m, raw)]
        stored = list_stored(found)
        if stored and not self.groups and self._is_thing(name):
            self.block.unclear[chunk.name[0]] = f"{self.words.shown(stored[0])}, or a thing"
            return False
        if len(stored) > 1:
            self._note_unclear(chunk.name[0], stored)
            return False
        return bool(stored) and self.take(stored[0], chunk.name, chunk.value)

    def _is_thing(self, name: str) -> bool:
        """Whether a name is that of an item, and no value's own: at most that of a skill for it."""
        found = self.words.find(name)
        own = [
            m for m in found if folded(self.words.shown(m)).rstrip("s") == folded(name).rstrip("s")
        ]
        return (
            bool(self.words.gear.find(name)) and not own and all(m.sort == "trait" for m in found)
        )

    def _note_unclear(self, at: int, meanings: list[Meaning]) -> None:
        words = self.words
        groups = (words.group_of(m.id) if m.sort == "trait" else "" for m in meanings)
        self.block.unclear[at] = ", ".join(
            f"{words.shown(m)} ({words.rules.groups[group].one})" if group else words.shown(m)
            for m, group in zip(meanings, groups, strict=True)
        )

    # Lines ----------------------------------------------------------------------------------

    def read(self) -> None:
        """Read all lines of the block."""
        if (title := self.block.title) is not None:
            self.put(self.words.name_key, self.text.words(*title), title)
            first = next(one for one in self.lines if one.start <= title[0] < one.end)
            self.mark(first.start, title[0])  # the word `Name`
        at = 0
        while at < len(self.lines):
            number, line, at = at, self.lines[at], at + 1
            if title is not None and line.start < title[1] and title[0] < line.end:
                if title[1] < line.end:  # a block on one line
                    self._read_clauses(line, title[1], line.end)
            elif line.cells:
                at = self._read_table(number)
            elif not self._read_pending(line):
                end = line.end
                while at < len(self.lines) and self._goes_on(line, end, self.lines[at]):
                    end, at = self.lines[at].end, at + 1
                self._read_line(line, end)

    def _goes_on(self, above: PlainLine, end: int, line: PlainLine) -> bool:
        """Whether a line goes on with what ends before it, and begins with the line `above`."""
        if above.level or line.gap or line.level or line.bullet or line.cells or line.bold:
            return False
        plain, label = self.plain, find_label(self.text, self.words, line, bare=self.is_bare)
        last = plain[end - 1]
        if label is not None and (label.sign or self.is_bare or self._has_value(label)):
            joined = [*split_names(plain, max(above.start, end - 60), end)][-1:]
            tail = self.text.raw(joined[0]) if joined and last not in ",;:.(" else ""
            whole = f"{tail} {plain[label.start : label.end]}"
            return bool(tail) and bool(self.words.find(whole, self.groups)) and not label.sign
        if last in ",;(-&/+:" or plain[line.start].islower():
            return True
        if self._is_prose():
            return last not in ".!?:;)" and not _TITLED.match(plain, line.start, line.end)
        if _TITLED.match(plain, line.start, line.end):
            return False
        comma = plain.rfind(",", max(above.start, end - 200), end)
        return comma >= 0 and VALUE.search(plain, comma, end) is None

    def _is_prose(self) -> bool:
        if self.context is None or self.context.sort != "key":
            return False
        rule = self.words.key(self.context.id)
        return rule.kind == "texts" or (rule.kind == "text" and rule.lines)

    def _has_value(self, label: Label) -> bool:
        found = VALUE.match(self.plain, *trim(self.plain, label.after, label.after + 30))
        return found is not None and any(self.words.fits(m, found[0]) for m in label.meanings)

    def _read_line(self, line: PlainLine, end: int) -> None:
        if line.bullet and self.is_closed:
            self.context, self.groups = None, ()
        label = find_label(self.text, self.words, line, line.start, end, bare=self.is_bare)
        if label is not None:  # `- Label: one`, and no list below it
            self.is_closed = line.bullet and bool(self.plain[label.after : end].strip())
        has_values = any(read_chunks(self.plain, line.start, end))
        if label is None and not has_values and self._read_below(line, end):
            return
        if line.level and label is None and not has_values:
            self.context, self.groups = None, ()  # a heading that the rules do not know
            return
        # A label in prose may be the title of a paragraph.
        titled = label is not None and not label.sign and label.after < label.end + 2
        if label is None or (self._is_prose() and titled and not self._has_value(label)):
            if self._read_prose(line, end):
                return
            headed = line.gap or _TITLED.match(self.plain, line.start, end)
            if headed and self.context is not None and not line.bullet:
                self.context, self.groups = None, ()
        self._read_clauses(line, line.start, end)

    def _read_below(self, line: PlainLine, end: int) -> bool:
        """Read the line below the name, which has no label."""
        key, title = self.words.first(self.words.more.below), self.block.title
        if not key or key in self.block.data or title is None or self.context is not None:
            return False
        above = any(title[1] <= one.start < line.start for one in self.lines)
        if above or re.compile(r"[^:]{1,40}:").match(self.plain, line.start, end):
            return False
        return self.put(key, self.text.words(line.start, end), (line.start, end))

    def _read_prose(self, line: PlainLine, end: int) -> bool:
        """Read a paragraph of a list of texts, or one with a title of its own."""
        context, words = self.context, self.text.words(line.start, end)
        key, known = "", 0
        for chunk in read_chunks(self.plain, line.start, end):
            meant = self.words.find(self.text.raw(chunk.name), self.groups)
            known += any(self.words.fits(m, self.text.raw(chunk.value)) for m in meant)
        if context is not None and context.sort == "key" and not line.level and known < 2:
            rule = self.words.key(context.id)
            key = context.id if rule.kind == "texts" else ""
            if rule.kind == "text" and rule.lines and context.id in self.block.data:
                self.block.data[context.id] += f"\n{words}"
                self.mark(line.start, end)
                return True
        titled = line.bold or _TITLED.match(self.plain, line.start, end)
        if not key and titled and end - line.start > 20 and not known:
            key = self.words.first(self.words.more.prose)
        if key:
            self.add(key, words, words, (line.start, end))
        return bool(key)

    def _read_clauses(self, line: PlainLine, start: int, end: int) -> None:
        """Read the values between labels: `Move: 10; Gear: …`."""
        at = start
        while at < end:
            inner = at + (self.plain[at] == "(")  # `(CR 3)`
            label = find_label(self.text, self.words, line, inner, end, bare=self.is_bare)
            is_text = label is not None and not label.sign and not self._has_value(label)
            after = at if label is None else label.after
            stop = self._next_label(line, after, end, is_text=is_text)
            if label is None:
                self._read_run(at, stop)
            else:
                self._read_labelled(label, stop)
                stop = max(stop, label.after)
            at = stop
            while at < end and self.plain[at] in " ,;.|\n":
                at += 1

    def _next_label(self, line: PlainLine, start: int, end: int, *, is_text: bool) -> int:
        """Return where the next label of a line begins, or its end.

        Args:
            is_text: Whether what stands before it is a text without a colon.
        """
        for cut in _CLAUSE.finditer(self.plain, start, end):
            at, _ = trim(self.plain, cut.end(), end)
            label = find_label(self.text, self.words, line, at, end, bare=self.is_bare)
            if label is None or (label.sign != ":" and not self.is_bare):
                continue
            sort, has_value = label.meanings[0].sort, self._has_value(label)
            if has_value and (label.sign or sort == "key" or is_text):
                return at
            if sort in ("key", "group") and (label.sign or self.plain[label.after].isdigit()):
                return at
        return end

    def _read_labelled(self, label: Label, stop: int) -> None:
        start, _ = trim(self.plain, label.after, stop)
        found = VALUE.match(self.plain, start, stop)
        name = label.start, label.end
        fits = [m for m in label.meanings if found and self.words.fits(m, found[0])]
        fits = list_stored(fits)
        if len(fits) > 1:
            self._note_unclear(label.start, fits)
            return
        if found and fits:
            self.take(fits[0], name, found.span())
            self.context, self.groups = None, ()
            self._read_run(found.end(), stop, note=label)
            return
        others = [m for m in label.meanings if m.sort in ("key", "group", "skip")]
        other = next((m for m in others if m.sort == "group"), others[0] if others else None)
        traits = [m.id for m in label.meanings if m.sort == "trait"]
        if other is None and traits and not label.sign and start >= stop:
            self.pending.append((traits[0], name))
        elif other is None or (
            other.sort == "key" and not self._read_key(other.id, label, start, stop)
        ):
            self._read_run(start if label.sign == "|" else label.start, stop, note=label)
        elif other.sort != "key":
            self.mark(*name)
            self.block.prefix[start] = self.text.words(*name)
            if other.sort == "group":
                self.context, self.groups = other, (other.id,)
            self._read_run(label.after, stop)

    def _read_key(self, id_: str, label: Label, start: int, stop: int) -> bool:
        """Read the value of a key; whether it is one of its kind."""
        rule, name = self.words.key(id_), (label.start, label.end)
        meaning = Meaning("key", id_)
        if rule.kind in ("ratings", "codes", "raises", "printed", *_LISTS):
            self.mark(*name)
            self.context, self.groups = meaning, ()
            if rule.kind in ("ratings", "codes", "raises"):
                self.groups = tuple(str(g) for g in rule.of or (id_,))
            self.label = self.block.prefix[start] = self.text.words(*name)
            self._read_run(start, stop)
            return True
        if start >= stop:
            self.context = meaning if rule.kind == "text" and rule.lines else self.context
            return rule.kind == "text" and rule.lines
        first, last = trim(self.plain, start, stop)
        while last > first and self.plain[last - 1] in ",;|":
            last -= 1
        if rule.kind == "text":
            close = self._text_end(label, first, last)
            words = re.sub(r"(?<=\d)\.\Z", "", self.text.words(first, close))
            if self.put(id_, words, (first, close)):
                self.mark(*name)
                self.context = meaning
            if close < last:
                self.context = None
                self._read_run(close, last)
            return True
        if rule.kind == "choice" and (
            pick := find_pick(self.text, self.words, rule.of or (id_,), first, last)
        ):
            if self.put(id_, pick[0], pick[1]):
                self.mark(*name)
            return True
        return False

    def _text_end(self, label: Label, start: int, end: int) -> int:
        """Return where a text ends; on a line with other values, before what goes on with them."""
        above = self.plain[: label.start].rstrip(" ")[-1:]
        if above in ("", "\n") or label.sign == "|":
            return end
        for cut in re.compile(r";|[.,](?=\s)|\)").finditer(self.plain, start, end):
            behind = self.plain[cut.end() : min(end, cut.end() + 60)].lstrip()
            named = re.match(r"(\w{1,20}(?: \w{1,20})?) ?[+-]?\d", behind)
            if cut[0] == ")" and (above != "(" or "(" in self.plain[start : cut.start()]):
                continue  # not the end of `(CR 3)`
            if (
                cut[0] in ";)"
                or (behind[:1].isupper() and (cut[0] == "." or self.plain[start].isdigit()))
                or (named and self.words.find(named[1]))
            ):
                return cut.start() + (cut[0] == ".")
        return end

    # Runs: lists of names with values, of things, of texts ----------------------------------

    def _read_run(self, start: int, stop: int, note: Label | None = None) -> None:
        start, stop = trim(self.plain, start, stop)
        if start >= stop:
            return
        if note is not None and self.plain[start] == "(":
            self.block.prefix[start] = self.text.words(note.start, note.end)
        context = self.context
        kind = self.words.key(context.id).kind if context and context.sort == "key" else ""
        if context is None or kind not in _LISTS:
            for part in self._sentences(start, stop):
                if context is None and self._read_things(*part):
                    continue
                for chunk in read_chunks(self.plain, *part):
                    self.choose(chunk)
            return
        key, rule = context.id, self.words.key(context.id)
        for place in split_names(self.plain, start, stop, prose=kind == "texts"):
            raw = self.text.words(*place)
            if folded(raw) in _NOTHING:
                self.mark(*place)
                continue
            before = self.plain[start : place[0]].rstrip()
            if "," not in before or before[-1] != ";":  # `one, another; a sentence`
                self.block.prefix[place[0]] = self.label
            if kind == "texts":
                self.add(key, raw, raw, place)
            elif kind == "choices":
                plain, times = split_times(raw)
                first = place[0] + max(0, self.text.raw(place).find(plain))
                if pick := find_pick(
                    self.text, self.words, rule.of or (key,), first, first + len(plain)
                ):
                    whole = pick[1] if pick[1][1] < first + len(plain) else place
                    self.add(key, pick[0] if times < 2 else f"{pick[0]} x{times}", pick[0], whole)
            elif (item := read_item(self.words, raw, is_open=rule.open)) is not None:
                self.add(key, item, next(iter(item)) if isinstance(item, dict) else item, place)

    def _sentences(self, start: int, stop: int) -> Iterator[Range]:
        """Yield the parts of a line that full stops and semicolons end."""
        for cut in re.compile(r";|\.(?!\S)").finditer(self.plain, start, stop):
            yield trim(self.plain, start, cut.end())
            start = cut.end()
        yield trim(self.plain, start, stop)

    def _read_things(self, start: int, stop: int) -> bool:
        """Read a list without a label; whether each part of it is an item of the rules."""
        keys = [str(id_) for id_, key in self.words.rules.character.items() if key.kind == "items"]
        parts = [*split_names(self.plain, start, stop)] if len(keys) == 1 else []
        items = [read_item(self.words, self.text.words(*one), is_open=False) for one in parts]
        names = [re.split(rf"\(|{VALUE.pattern}", self.text.raw(one))[0].strip() for one in parts]
        bare = [
            name for name, one in zip(names, parts, strict=True) if "(" not in self.text.raw(one)
        ]
        is_named = all(map(self._is_thing, names)) and not any(map(self.words.find, bare))
        if not items or not all(items) or not is_named:
            return False
        for item, place in zip(items, parts, strict=True):
            self.add(keys[0], item, next(iter(item)) if isinstance(item, dict) else item, place)
        return True

    # Tables ---------------------------------------------------------------------------------

    def _read_pending(self, line: PlainLine) -> bool:
        """Read a line of names alone, or the values that stand below such a line."""
        if self.pending:
            values = [m.span() for m in VALUE.finditer(self.plain, line.start, line.end)]
            held = [v for v in values if self.plain[v[0] - 1] != "("]
            if len(held) == len(self.pending) and held[0][0] == line.start:
                for (trait, name), value in zip(self.pending, held, strict=True):
                    self.rate(trait, name, value)
                self.pending = []
                return True
            if len(held) == 1 and held[0][0] == line.start and len(self.pending) > 1:
                return False
        names: list[tuple[str, Range]] = []
        words = [m.span() for m in _WORD.finditer(self.plain, line.start, line.end)]
        at = 0 if 2 <= len(words) <= 40 else len(words)
        while at < len(words):
            for size in (3, 2, 1):
                part = words[at : at + size]
                place = part[0][0], part[-1][1]
                traits = self.words.traits(self.text.raw(place))
                if len(part) == size and len(traits) == 1:
                    names.append((traits[0], place))
                    at += size
                    break
            else:
                return False
        if names:
            self.pending = [*(self.pending if len(names) == 1 else []), *names]
        return bool(names)

    def _read_table(self, at: int) -> int:
        """Read the rows of a table in a block; return the line behind it."""
        rows, at = [self.lines[at]], at + 1
        while at < len(self.lines) and self.lines[at].cells and not self.lines[at].gap:
            rows.append(self.lines[at])
            at += 1
        heads = [self._meaning_of(cell) for cell in rows[0].cells]
        known = sum(m is not None and m.sort != "skip" for m in heads)
        if any(VALUE.fullmatch(self.plain, *cell) for cell in rows[0].cells):
            known = 0  # names and values in turn
        if len(rows) > 1 and known > 1 and known * 2 >= len(heads):
            self._mark_skipped(rows[0].cells)
            for row in rows[1:]:
                for head, name, cell in zip(heads, rows[0].cells, row.cells, strict=False):
                    if head is not None:
                        self.read_cell(head, name, cell)
            return at
        if len(rows) > 1 and self.words.find(self.text.raw(rows[0].cells[0])):
            self._mark_heads(rows)
        for row in rows:
            cells = [cell for cell in row.cells if cell[0] < cell[1]]
            self._mark_skipped(cells)
            names = [self._meaning_of(cell) for cell in cells[::2]]
            paired = len(cells) > 1 and len(cells) % 2 == 0 and any(names)
            valued = [VALUE.fullmatch(self.plain, *cell) for cell in cells]
            paired = paired and (all(names) or (all(valued[1::2]) and not any(valued[::2])))
            for meaning, name, cell in zip(names, cells[::2], cells[1::2], strict=False):
                if paired and meaning is not None:
                    self.read_cell(meaning, name, cell)
            if not paired and names[:1] and self._read_columns(names[0], cells):
                continue
            self._read_cells([] if paired else cells)
        return at

    def _read_cells(self, cells: list[Range]) -> None:
        """Read the cells of a row in turn: names with their values beside them, and lists."""
        while cells:
            (name, *cells), meaning = cells, self._meaning_of(cells[0])
            if meaning and cells and VALUE.fullmatch(self.plain, *cells[0]):
                self.read_cell(meaning, name, cells.pop(0))
            else:
                self._read_clauses(PlainLine(*name), *name)

    def _read_columns(self, meaning: Meaning | None, cells: list[Range]) -> bool:
        """Read a name, its rating, and the values of all columns beside it."""
        if meaning is None or meaning.sort != "trait":
            return False
        columns = self.words.rules.groups[self.words.group_of(meaning.id)].columns
        numbers = all(read_integer(self.text.raw(cell)) is not None for cell in cells[1:])
        if not columns or len(cells) != len(columns) + 2 or not numbers:
            return False
        if self.rate(meaning.id, cells[0], cells[1]):
            self.claim_columns(meaning.id, cells[2:])
        return True

    def _mark_heads(self, rows: list[PlainLine]) -> None:
        """Mark the heads of columns, such as `Skill` and `Ranks`, if each row has a value."""
        first = [self.text.raw(cell) for cell in rows[0].cells]
        valued = (VALUE.fullmatch(self.plain, *cell) for row in rows[1:] for cell in row.cells[1:2])
        if all(word.isalpha() for word in first) and all(valued):
            self.mark(rows[0].start, rows[0].end)

    def _mark_skipped(self, cells: Iterable[Range]) -> None:
        """Mark heads that say nothing, such as `Value`."""
        for cell in cells:
            if (found := self._meaning_of(cell)) is not None and found.sort == "skip":
                self.mark(*cell)

    def _meaning_of(self, cell: Range) -> Meaning | None:
        stored = list_stored(self.words.find(self.text.raw(cell).strip(" :.*"), self.groups))
        return stored[0] if len(stored) == 1 else None

    def read_cell(self, meaning: Meaning, name: Range, cell: Range) -> None:
        """Read a cell of a table below or beside its head."""
        label = Label([meaning], *name, cell[0], "|")
        before = bytes(self.used[slice(*cell)])
        self._read_labelled(label, cell[1])
        self.context, self.groups = None, ()
        if cell[0] < cell[1] and before == bytes(self.used[slice(*cell)]):
            self.block.prefix[cell[0]] = self.text.words(*name)


def list_stored(meanings: list[Meaning]) -> list[Meaning]:
    """Return what a file can state; values that follow from it if there is nothing else."""
    return [one for one in meanings if one.sort != "derived"] or meanings


def find_label(
    text: PlainText,
    words: Words,
    line: PlainLine,
    start: int = -1,
    end: int = -1,
    *,
    bare: bool = False,
) -> Label | None:
    """Return the label at the start of a clause, if it means something.

    Args:
        bare: Whether keys of texts may stand without a colon, as their numbers do in the block.
    """
    start, end = (line.start, line.end) if start < 0 else (start, end)
    start, end = trim(text.plain, start, end)
    plain = text.plain
    if start < line.bold:
        close = min(line.bold, end)
        name = plain[start:close].rstrip(" :.=-")
        if found := words.find(name):
            after = close
            while after < end and plain[after] in " :.=":
                after += 1
            return Label(found, start, start + len(name), after, "*")
    colon = plain.find(":", start, min(end, start + 60))
    if colon > 0 and not VALUE.search(plain, start, colon):
        name = plain[start:colon].rstrip()
        if found := words.find(name):
            return Label(found, start, start + len(name), colon + 1, ":")
    ends = [m.end() for m in _NAME.finditer(plain, start, min(end, start + 80))]
    for close in reversed(ends[:_MOST_WORDS]):
        name = plain[start:close].rstrip(".-")
        found = words.find(name)
        after, _ = trim(plain, close, end)
        while after < end and plain[after] in ".=-" and not plain[after + 1 : after + 2].isdigit():
            after, _ = trim(plain, after + 1, end)
        value = VALUE.match(plain, after, end)
        has_value = value is not None and any(words.fits(m, value[0]) for m in found)
        has_text = after < end and any(m.sort in ("key", "group") for m in found)
        dash = has_text and plain[close : close + 3] == " - "
        dash = dash or (has_text and _is_picked(text, words, found, (after, end)))
        begins = bare and has_text and plain[close] == " "
        begins = begins and (plain[start].isupper() or plain[after].isdigit())
        if found and (dash or has_value or begins or after >= end):
            return Label(found, start, start + len(name), after, ":" if dash else "")
    return None


def find_pick(
    text: PlainText, words: Words, of: Collection[str], start: int, end: int
) -> tuple[str, Range] | None:
    """Return the name of the choice at `start`, and its place."""
    cut = re.compile(r"[,;(|]|\.(?!\S)").search(text.plain, start, end)
    place = trim(text.plain, start, cut.start() if cut else end)
    for names in (words.index.by_catalogue[str(catalogue)] for catalogue in of):
        if len(found := names.find(split_times(text.words(*place))[0])) == 1:
            return names.shown[found[0]], place
    return None


def _is_picked(text: PlainText, words: Words, meanings: list[Meaning], place: Range) -> bool:
    """Whether the words behind a key of choices are one of them: `label one, another`."""
    keys = ((m.id, words.key(m.id)) for m in meanings if m.sort == "key")
    return any(
        key.kind in ("choice", "choices") and find_pick(text, words, key.of or (id_,), *place)
        for id_, key in keys
    )


_SENTENCE: Final = re.compile(r"[^\W\d]{4,40}[)\"']?[.!?]\s{1,12}(?=\S)")


def is_paragraph(text: PlainText, line: PlainLine) -> bool:
    """Whether a line begins with a sentence or a title, and goes on."""
    found = _SENTENCE.search(text.plain, line.start, min(line.end, line.start + 200))
    return found is not None and found.end() < line.end


def read_chunks(plain: str, start: int, end: int) -> Iterator[Chunk]:
    """Yield names with values: `Name 3D`, `Name: 3D`, `3D Name`, in lists of any sort."""
    names: list[Range] = []  # the words since the last cut or value
    values: list[Range] = []  # a value that waits for the name behind it
    outer: list[Range] = []  # words before a bracket, which may be a part of the name

    def name_of(parts: list[Range]) -> Range:
        return parts[0][0], parts[-1][1]

    for token in _TOKEN.finditer(plain, start, end):
        if token["value"]:
            if names and values:  # values come first in this list
                yield Chunk(name_of(names), values[0])
                names, values = [], [token.span()]
            elif names:
                yield Chunk(name_of(names[-12:]), token.span())
                names = []
            else:
                values = [token.span()]
        elif sign := token["cut"]:
            if values and names:
                yield Chunk(name_of(names), values[0])
            tight = VALUE.match(plain, *trim(plain, token.end(), end)) if sign in ":=(-" else None
            if (tight and names and not values) or (sign == "-" and not names):
                outer = []
                continue
            if sign == ")" and outer and names:
                names, values, outer = [outer[0], token.span()], [], []
                continue
            outer = names[-4:] if sign == "(" else []
            names, values = [], []
        else:
            names.append(token.span())
            if values and len(names) > _MOST_WORDS:
                values, names = [], []
    if values and names:
        yield Chunk(name_of(names), values[0])


def split_names(plain: str, start: int, end: int, *, prose: bool = False) -> Iterator[Range]:
    """Yield the parts of a list; commas in brackets, and those of sentences, do not split it."""
    signs = ";|" if prose and re.search(r"[.:;] ", plain[start:end]) else ",;|"
    depth, at = 0, start
    for place in range(start, end + 1):
        letter = plain[place] if place < end else ""
        if letter in ("(", ")"):
            depth = max(0, depth + (1 if letter == "(" else -1))
        if letter and (letter not in signs or (depth and place - at <= 300)):
            continue
        if (
            letter == ","
            and plain[place - 1 : place].isdigit()
            and plain[place + 1 : place + 2].isdigit()
        ):
            continue  # `1,000`
        first, last = trim(plain, at, place)
        for word in ("and ", "& "):
            if plain.startswith(word, first, last):
                first += len(word)
        while last > first and plain[last - 1] in (",;|" if prose else ".,;|"):
            last -= 1
        if first < last:
            yield trim(plain, first, last)
        at, depth = place + 1, 0


def read_item(words: Words, raw: str, *, is_open: bool) -> Any:
    """Return an item as a file has it: `Name x2`, `{Name: {note: …}}`; None if there is none."""
    inner = re.fullmatch(r"([^()]{1,80})\(([^()]{1,200})\)\s?([^()]{0,80})", raw)
    whole, times = split_times(raw)
    detail = ""
    found = words.gear.find(whole)
    if inner and not found:
        whole, times = split_times(inner[1].strip())
        detail = "; ".join(part.strip() for part in inner.groups()[1:] if part.strip())
        if times == 1 and re.fullmatch(r"[xX]?\d{1,3}[xX]?", detail):
            times, detail = int(detail.strip("xX")), ""
        found = words.gear.find(whole)
    counted = re.fullmatch(r"(\d{1,3}) (\D[^()]{0,80})", whole)
    if not found and counted and (found := words.gear.find(counted[2])):
        whole, times = counted[2], int(counted[1])
    value = VALUE.search(whole)
    if not found and value and words.gear.find(whole[: value.start()].strip(" :-,")):
        detail = "; ".join(filter(None, (whole[value.start() :].strip(), detail)))
        whole = whole[: value.start()].strip(" :-,")
        found = words.gear.find(whole)
    if len(found) != 1 and not is_open:
        return None
    name = words.gear.shown[found[0]] if len(found) == 1 else " ".join(whole.split())
    if not detail:
        return name if times == 1 else f"{name} x{times}"
    note = {"note": detail} if times == 1 else {"count": times, "note": detail}
    return {name: note}
