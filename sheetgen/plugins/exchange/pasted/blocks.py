"""Import stat blocks from text: a file for each block; what is not understood is in its notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Severity, Span, split_lines
from sheetgen.load.characters import RulesetCache
from sheetgen.load.files import decode_foreign, read_document, read_input
from sheetgen.load.yaml.format import format_block, format_flow, format_scalars
from sheetgen.plugins.exchange import formats
from sheetgen.plugins.exchange.formats import ImportRequest, ImportResult, refused
from sheetgen.plugins.exchange.pasted import layout, reading
from sheetgen.plugins.exchange.pasted.layout import BOLD, PlainText, Range, trim
from sheetgen.plugins.exchange.pasted.reading import Block, find_label, is_paragraph, read_chunks
from sheetgen.plugins.exchange.words import Meaning, TextMap, Words, load_text_map, read_integer
from sheetgen.prints.characters import Character
from sheetgen.readback.merging import check_text
from sheetgen.rules.index import file_stem, folded
from sheetgen.write import free_name

STDIN: Final = "-"
MOST_BYTES: Final = 4_000_000
MOST_BLOCKS: Final = 500
_MOST_FINDINGS: Final = 1_000
_MOST_TITLE: Final = 70
_LEFT: Final = re.compile(r"\w")
_CALLED: Final = re.compile(r"([^\W\d_][^.:;,\n]{1,60})\. [^\W\d_][^.:\n]{0,30}:")
_RATED: Final = re.compile(r"(?<=\w)\s{1,3}\([^\W\d_]{1,12}\.? \d{1,3}(?:/\d{1,3})?\)\Z")
_COUNTED: Final = re.compile(r"\d{1,3} (?=[^\W\d_])")
_WITHIN: Final = re.compile(r"\s([^\W\d_]{1,20}) (?=\d)")
_UNUSED: Final = re.compile(rb"\0+")
_BEFORE: Final = ",;|:.-–—=*)]"  # signs around what is left that only part a list
_BEHIND: Final = ",;|:=([*-–—"


def import_text(request: ImportRequest) -> ImportResult:
    """Return a YAML file for each stat block of a text."""
    place = str(request.path)
    is_input = place == STDIN
    read = read_input(MOST_BYTES) if is_input else read_document(request.path, MOST_BYTES)
    if read.value is None:
        return ImportResult({}, read.findings)
    text, findings = decode_foreign(read.value, Span("stdin" if is_input else place))
    plan = load_text_map(request.rules)
    return import_blocks(request, text, plan.value or TextMap(), [*findings, *plan.findings])


def import_blocks(
    request: ImportRequest, text: str, plan: TextMap, findings: list[Finding]
) -> ImportResult:
    """Return a YAML file for each stat block of `text`."""
    place = "stdin" if str(request.path) == STDIN else str(request.path)
    plain, rules, cache = layout.strip_markup(place, text), request.rules, RulesetCache()
    if request.what and request.what not in (*rules.kinds, "character"):
        message = f"{rules.title} has no kind of file called `{request.what}`"
        hint = f"use one of: character, {', '.join(map(str, rules.kinds))}"
        return refused(codes.NOT_IMPORTED, "--as", message, hint)
    wanted = request.what or str(plan.kind or "")
    kinds = [wanted] if wanted else [*map(str, rules.kinds)] or ["character"]
    kinds = [k for k in kinds if k in rules.kinds or k == "character"] or ["character"]
    found: list[_Reading] = []
    for kind in kinds:
        own = cache.kind(rules, kind) if kind in rules.kinds else rules
        found.append(_Reading(request, cache, plain, Words(own, plan, rules, kind), kind))
    best = max(found, key=lambda one: one.score)  # the first of equal ones
    if not any(block.claims or len(block.data) > 1 for block in best.blocks):
        message = f"nothing in it is a value of {rules.title}"
        hint = "write names as the rules have them, such as those that `sheetgen show` prints"
        result = refused(codes.NOT_IMPORTED, place, message, hint)
        return replace(result, findings=(*findings, *result.findings))
    if len(best.blocks) > MOST_BLOCKS:
        message = f"it has {len(best.blocks):,} stat blocks; {MOST_BLOCKS} are read"
        return refused(codes.TOO_MUCH, place, message, "split it into several files")
    texts = best.write(findings)
    if len(findings) > _MOST_FINDINGS:
        more = f"{len(findings) - _MOST_FINDINGS:,} more findings are not shown"
        hint = "look through the notes of the files"
        findings[_MOST_FINDINGS:] = [
            Finding(codes.TOO_MUCH, Span(place), more, hint, Severity.WARNING)
        ]
    return ImportResult(texts, tuple(findings), lines={place: split_lines(plain.text)})


class _Reading:
    """A text as it is read for one kind of file.

    Attributes:
        used: A byte for each letter, 1 for those that were understood.
        rows: Lines of tables that have a block in each row.
    """

    def __init__(
        self, request: ImportRequest, cache: RulesetCache, text: PlainText, words: Words, kind: str
    ) -> None:
        self.request, self.cache = request, cache
        self.text, self.words, self.kind = text, words, kind
        self.used = bytearray(len(text.text))
        self.rows: set[int] = set()
        words.learn_translations(text.plain)
        blocks = [*self._tables(), *self._split()]
        self.blocks = sorted(blocks, key=lambda block: (block.first, block.title or (0, 0)))
        for block in self.blocks:
            if not block.data:
                reading.BlockReader(text, words, block, self.used).read()
        # How much was understood: keys with values, then letters.
        self.score = sum(len(block.data) for block in self.blocks), sum(self.used)

    def _tables(self) -> Iterator[Block]:
        """Yield a block for each row of a table whose heads are a name and values."""
        lines, at = self.text.lines, 0
        while at < len(lines):
            first, heads, at = at, lines[at].cells, at + 1
            while heads and at < len(lines) and lines[at].cells and not lines[at].gap:
                at += 1
            column = self._name_column(first, at) if at - first > 1 else -1
            if column < 0:
                continue
            self.rows |= {*range(first, at)}
            for number in range(first + 1, at):
                row = lines[number].cells
                if len(row) > column and row[column][0] < row[column][1]:
                    yield self._read_row(number, heads, column)
            rows = [line.cells for line in lines[first + 1 : at]]
            for column, head in enumerate(heads):
                if any(start < end for row in rows for start, end in row[column : column + 1]):
                    self.used[slice(*head)] = b"\1" * (head[1] - head[0])

    def _name_column(self, first: int, last: int) -> int:
        """Return the column with names in a table of blocks; -1 if it is no such table."""
        heads, words, raw = self.text.lines[first].cells, self.words, self.text.raw
        if len(heads) < 3:
            return -1
        found = [words.find(raw(head).strip(" :.")) for head in heads]
        known = [any(m.sort in ("key", "trait") for m in one) for one in found]
        named = [any(m.id == words.name_key for m in one if m.sort == "key") for one in found]
        column = named.index(True) if any(named) else 0
        if not any(named) and found[0]:
            return -1
        rows = (line.cells for line in self.text.lines[first + 1 : last])
        texts = [raw(row[column]) for row in rows if len(row) > column]
        texts = [text for text in texts if text]
        is_name = all(re.search(r"[^\W\d]", text) and not words.traits(text) for text in texts)
        return column if sum(known) * 2 >= len(heads) - 1 and texts and is_name else -1

    def _read_row(self, at: int, heads: tuple[Range, ...], column: int) -> Block:
        cells = self.text.lines[at].cells
        block = Block(at, at + 1, cells[column])
        reader = reading.BlockReader(self.text, self.words, block, self.used)
        reader.put(self.words.name_key, self.text.words(*cells[column]), cells[column])
        for number, (head, cell) in enumerate(zip(heads, cells, strict=False)):
            meant = reading.list_stored(self.words.find(self.text.raw(head).strip(" :.")))
            meant = [one for one in meant if one.sort != "group"] or meant  # a key of that name
            if number == column or cell[0] == cell[1]:
                continue
            if len(meant) == 1:
                reader.read_cell(meant[0], head, cell)
            else:
                block.prefix[cell[0]] = self.text.words(*head)
        return block

    # Where blocks begin ---------------------------------------------------------------------

    def _gist(self, at: int) -> set[tuple[str, str]]:
        """Return what a line gives values for."""
        line, known = self.text.lines[at], [*self._known(self.text.lines[at])]
        if is_paragraph(self.text, line) and len(known) < 2:
            return set()
        found: set[tuple[str, str]] = {(m.sort, m.id) for m in known}
        label = find_label(self.text, self.words, line)
        if label is not None and label.sign and label.meanings[0].sort == "key":
            found.add(("key", label.meanings[0].id))
        if line.cells and not found:
            names = (self.words.traits(self.text.raw(cell)) for cell in line.cells)
            found.update(("trait", one[0]) for one in names if len(one) == 1)
            name = Meaning("key", self.words.name_key)
            head, *cells = (self.words.find(self.text.raw(cell)) for cell in line.cells)
            if len(cells) == 1 and name in head and not any(m.sort == "skip" for m in cells[0]):
                found.add(name)
        return found

    def _known(self, line: layout.PlainLine) -> Iterator[Meaning]:
        """Yield what the names in a line mean that have a value beside them."""
        for chunk in read_chunks(self.text.plain, line.start, line.end):
            raw, meant = self.text.raw(chunk.value), self.words.find(self.text.raw(chunk.name))
            fits = (m for m in meant if m.sort in ("key", "trait") and self.words.fits(m, raw))
            yield from islice(fits, 1)

    def _title(self, at: int, gist: set[tuple[str, str]]) -> Range | None:
        """Return the words of a line that may be the name of a block."""
        line, plain = self.text.lines[at], self.text.plain
        filled = [cell for cell in line.cells if cell[0] < cell[1]]
        if line.cells:  # a table may have the name in a row of its own, above the others
            if ("key", self.words.name_key) in gist:
                return filled[1]
            return filled[0] if len(filled) == 1 and line.gap and not gist else None
        if not gist and is_paragraph(self.text, line):  # at most `Name. Type: …`
            called = _CALLED.match(plain, line.start, line.end) if line.gap else None
            return trim(plain, *called.span(1)) if called else None
        name = "key", self.words.name_key
        label = find_label(self.text, self.words, line)
        if label is not None and name in gist and label.meanings[0].id == name[1]:
            start, end = trim(plain, label.after, line.end)
            cut = re.compile(r"[;|]").search(plain, start, end)
            return trim(plain, start, cut.start() if cut else end)
        if label is not None and self._is_called(at, label):
            label = None
        if label is not None and not line.level:
            return None
        if not gist:
            words = plain[line.start : line.end]
            columns = re.split(r"\s{2,40}", words)
            if len(columns) > 1 and all(map(self.words.find, columns)):
                return None  # headings of columns
            lone = line.level or (line.gap and words[-1] not in ".,;:" and words[0].isalnum())
            short = line.end - line.start <= _MOST_TITLE and not (label and line.level)
            bold = 0 < line.bold < line.end and _LEFT.search(plain, line.bold, line.end)
            end = trim(plain, line.start, line.bold)[1] if bold else line.end
            if rated := _RATED.search(plain, line.start, end):  # `Ogre (CR 3)`
                end = rated.start()
            return (line.start, end) if lone and short else None
        end = line.bold or 0
        if not end and (line.gap or line.bullet or line.level or len(gist) > 2):
            cut = re.compile(r"[:(]|[.,;-](?=\s)| - |\s{2}(?=\S)").search(
                plain, line.start, min(line.end, line.start + 70)
            )
            end = cut.start() if cut else 0
        start, end = trim(plain, line.start, end)
        while end > start and plain[end - 1] in ".:,;-":
            end -= 1
        within = _WITHIN.finditer(plain, start, end)
        end = next((m.start() for m in within if self.words.find(m[1])), end)  # `Name CR 1/2; …`
        count = _COUNTED.match(plain, start, end)
        named = count.end() if count else start  # `3 thieves (…`
        if end <= named or self.words.find(plain[named:end]) or any(read_chunks(plain, named, end)):
            return None
        return trim(plain, start, end)

    def _is_called(self, at: int, label: reading.Label) -> bool:
        """Whether a line that means a trait is the name of a block: its values are below it."""
        lines = self.text.lines
        line, above = lines[at], lines[at - 1].end - 1
        if at and not self._gist(at - 1) and self.text.plain[above] not in ".!?":
            return False  # the line above is a name
        lone = (line.gap or line.level) and not line.bullet and not label.sign
        is_trait = all(m.sort in ("trait", "derived") for m in label.meanings)
        is_last = at + 1 == len(lines)
        return bool(
            lone and label.after >= line.end and is_trait and not is_last and self._gist(at + 1)
        )

    def _split(self) -> Iterator[Block]:
        """Yield the blocks outside tables of blocks: a name, and values until they repeat."""
        lines = self.text.lines
        chain: list[tuple[int, Range]] = []  # lines in a row that may be a name
        spare: list[tuple[int, Range]] = []  # such lines inside a block, and what came after them
        seen: set[tuple[str, str]] = set()
        after: set[tuple[str, str]] = set()
        block: Block | None = None
        for at, line in enumerate(lines):
            if at in self.rows:
                if block is not None:
                    block.last = at
                    yield block
                block, chain, spare, seen, after = None, [], [], set(), set()
                continue
            gist = self._gist(at)
            if (title := self._title(at, gist)) is not None:
                is_headed = any(0 < lines[n].level < BOLD for n, _ in chain)
                if gist or not chain or chain[-1][0] == at - 1:
                    chain = [(at, title)] if gist else [*chain, (at, title)]
                elif not is_headed or 0 < line.level < BOLD:
                    chain = [(at, title)]
            if not gist:
                continue
            spare, after, chain = (chain, set(), []) if chain else (spare, after, [])
            named = ("key", self.words.name_key) in gist
            if block is not None and block.title is None and named and not gist & seen:
                block.title, named = spare[-1][1] if spare else None, False  # a name at the end
            begins = block is None or (bool(spare) and (named or bool(gist & seen)))
            if block is not None and spare and 0 < lines[spare[0][0]].level < BOLD:
                above = lines[block.first].level
                begins = begins or 0 < lines[spare[0][0]].level <= above
            if begins:
                first = spare[0][0] if spare else at
                is_below = not line.gap and lines[at - 1].gap and lines[at - 1].cells
                if first == at and is_below and not self._gist(at - 1):
                    first -= 1  # the heads of a table that begins the block
                if block is not None:
                    block.last = first
                    yield block
                # Of several lines in a row the name is the last heading, or the first line.
                heads = [name for n, name in spare if 0 < lines[n].level < BOLD]
                title = heads[-1] if heads else spare[0][1] if spare else None
                below = lines[min(first + 1, at)]
                if (
                    title
                    and self.text.raw(title)[-1] == "-"
                    and self.text.plain[below.start].islower()
                ):
                    title = title[0], below.end  # a word on two lines
                block = Block(first, len(lines), title)
                seen, spare, after = after | gist, [], set()
            else:
                seen, after = seen | gist, after | gist
                if block is not None and block.title is None and spare:  # a heading below a table
                    heads = [name for n, name in spare if 0 < lines[n].level < BOLD]
                    block.title = heads[0] if heads else None
        if block is not None:
            yield block

    # Files ----------------------------------------------------------------------------------

    def write(self, findings: list[Finding]) -> dict[str, str]:
        """Return the files of the blocks, with the notes that hold what was not understood."""
        texts: dict[str, str] = {}
        for number, block in enumerate(self.blocks):
            title = str(block.data.get(self.words.name_key, ""))
            name = free_name(file_stem(title)[:80] or "unnamed", texts, ".yaml")
            path, options = (self.request.into or Path()) / name, self.request.options
            # Without notes first, to compare what follows from it.
            one = check_text(path, self._yaml(block, [])[0], self.cache, options)
            reasons = self._compare(block, one)
            notes: list[str] = []
            for start, end in self._left(number):
                inside = range(start, end)
                label = next((block.prefix[at] for at in inside if at in block.prefix), "")
                note = self.text.words(start, end)
                notes.append(note if not label or note.startswith(label) else f"{label}: {note}")
                reason = next((reasons[at] for at in inside if at in reasons), "")
                if len(findings) <= _MOST_FINDINGS * 2:
                    findings.append(_left_finding(self.words, self.text, (start, end), reason))
            texts[name], places = self._yaml(block, notes)
            one = check_text(path, texts[name], self.cache, options)
            lines = texts[name].split("\n")
            for finding in one.findings:
                if finding.span.file == str(path):
                    span = _source_span(self.text, block, lines, places, finding)
                    finding = replace(finding, span=span)
                findings.append(finding)
        return texts

    def _left(self, number: int) -> Iterator[Range]:
        """Yield what was not understood, from the end of the block before to that of this one."""
        lines, blocks, shown = self.text.lines, self.blocks, self.text.shown
        is_last = number + 1 == len(blocks)
        last = len(lines) if is_last else blocks[number + 1].first
        for line in lines[blocks[number].first if number else 0 : last]:
            named = any(start in blocks[number].prefix for start, _ in line.cells)
            places = line.cells if named else ((line.start, line.end),)
            for start, end in (
                run.span() for place in places for run in _UNUSED.finditer(self.used, *place)
            ):
                while start < end and (shown[start] in _BEFORE or shown[start].isspace()):
                    start += 1
                while end > start and (shown[end - 1] in _BEHIND or shown[end - 1].isspace()):
                    end -= 1
                if _LEFT.search(self.text.plain, start, end) and shown[start:end] != "and":
                    yield start, end

    def _compare(self, block: Block, one: Character) -> dict[int, str]:
        """Mark what the rules compute as the text has it; say of the rest what they compute."""
        reasons, build, words = {}, one.build, self.words
        if build is None:
            return {}
        keys = words.rules.character.items()
        printed = next((str(i) for i, key in keys if key.kind == "printed"), "")
        for place, meaning, raw in block.claims:
            number = read_integer(raw)
            if meaning.sort == "trait":
                rating = build.ratings.get(meaning.id)
                shown = words.rules.rating_text(rating.group, rating.total) if rating else "none"
                label = words.index.titles[meaning.id]
                same = rating is not None and number == rating.total
            else:
                derived = build.derived.get(meaning.id)
                shown = derived.shown if derived else "none"
                rule = words.rules.derived.get(meaning.id)
                label = (rule.label or rule.use) if rule else meaning.id
                both = (raw, shown.replace("−", "-"))
                plain, there = ("".join(text.split()).lstrip("+") for text in both)
                same = derived is not None and (
                    plain == there or (number is not None and number == derived.value)
                )
                if printed and rule and not same and number is not None:
                    block.data.setdefault(printed, {})[label] = number
                    block.places.setdefault((printed, ""), place)
                    block.places[printed, label] = place
                    same = True
            if not same:
                reasons[place[0]] = f"{label} is {shown} by the rules"
                if meaning.sort == "trait":
                    block.data[key := words.raised[words.group_of(meaning.id)]].remove(label)
                    if not block.data[key]:
                        del block.data[key]
            self.used[slice(*place)] = (b"\1" if same else b"\0") * (place[1] - place[0])
        reasons |= {at: f"the block has {there} already" for at, there in block.twice.items()}
        return reasons | {at: f"it may be {several}" for at, several in block.unclear.items()}

    def _yaml(self, block: Block, notes: list[str]) -> tuple[str, dict[int, str]]:
        """Return the text of a block's file, and the keys by line."""
        words, rules, data = self.words, self.request.rules, dict(block.data)
        key = words.notes_key
        if key and notes and words.key(key).kind == "texts":
            data[key] = [*data.get(key, ()), *notes]
        elif key and notes:
            data[key] = "\n".join(filter(None, (data.get(key), *notes)))
        name = format_flow(formats.find_ruleset_name(rules, self.request.into))
        lines = [f"ruleset: {name}"]
        if self.kind in rules.kinds:
            lines.append(f"kind: {self.kind}")
        places: dict[int, str] = {}
        for id_ in (str(i) for i in words.rules.character if i in data):
            written = format_flow(value := data[id_])
            if isinstance(value, str):
                block_text = format_block(value, "  ", "\n")
                written = block_text or next(format_scalars(value, flow=False))
            for line in f"{id_.replace('_', ' ')}: {written}".split("\n"):
                lines.append(line)
                places[len(lines)] = id_
        return "\n".join([*lines, *(f"# {note}" for note in ([] if key else notes))]) + "\n", places


def _left_finding(words: Words, plain: PlainText, place: Range, reason: str) -> Finding:
    """Return the finding about words that were not understood."""
    text = plain.words(*place)
    shown = text if len(text) <= 60 else f"{text[:59]}…"
    hint = "move it to the key that it belongs to, or leave it there"
    name = re.match(r"[^\d:(=+~●•○★☆]{2,40}", plain.raw(place))
    asked = name[0].strip(" .-") if name and not reason and len(text) <= 60 else ""
    known = [m for m in words.find(asked) if m.sort in ("key", "trait")] if asked else []
    if len(known) == 1:
        reason, hint = f"the value of {words.shown(known[0])} is not clear", words.example(known[0])
    elif asked and not known:
        near = words.index.all_traits.hint(asked)
        hint = str(near) if str(near).startswith("did you mean") else hint
    why = reason or f"{words.rules.title} has no name or value for it"
    message = f"`{shown}` is not placed: {why}; it stays in the notes"
    return Finding(codes.NOT_PLACED, plain.span(*place), message, hint, Severity.WARNING)


def _source_span(
    plain: PlainText, block: Block, lines: list[str], places: dict[int, str], finding: Finding
) -> Span:
    """Return the place in the text of the value that a finding about the file is about."""
    key = places.get(finding.span.line, "")
    line = lines[finding.span.line - 1] if 0 < finding.span.line <= len(lines) else ""
    named = [name for id_, name in block.places if id_ == key and name]
    at = finding.span.column - 1
    hit = next((n for n in named if 0 <= line.find(n) <= at <= line.find(n) + len(n) + 12), "")
    close = [n for n in named if folded(line[at : at + finding.span.width]) == folded(n)]
    place = block.places.get((key, close[0] if close else hit)) or block.places.get((key, ""))
    place = place or block.title or (plain.lines[block.first].start,) * 2
    return plain.span(*place)
