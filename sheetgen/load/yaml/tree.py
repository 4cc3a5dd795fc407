"""Read YAML as a tree of nodes with positions, find slips in it, and format values as YAML.

A file is parsed in one pass over the parser's events. Limits are checked before nodes are built, so
that neither 100,000 brackets nor an alias bomb costs more than a millisecond.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import yaml

from sheetgen.diag import codes
from sheetgen.diag.codes import Code
from sheetgen.diag.findings import Checked, Finding, Hint, Severity, Span, split_lines
from sheetgen.diag.visible import controls_in, has_controls, strip_controls
from sheetgen.diag.words import repeated
from sheetgen.load.files import read_text
from sheetgen.model.source import Many, Node, Pairs, Scalar, ScalarNode, Source

_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_PLAIN: Final = re.compile(
    r"(?:(?![\s\-?:,\[\]{}#&*!|>'\"%@`]|\.\.\.)|-(?=[^\s-]))[^\n\t]*(?<![\s:])"
)
_SPECIAL: Final = re.compile(r": | #|[\x00-\x1f]")
_OTHERS: Final = re.compile(
    r"(?i)(y|yes|n|no|on|off|true|false|null|~|)|[-+]?[0-9._:]+([eE][-+]?[0-9]+)?|0[xo][0-9a-f]+|=|<<|\d{4}-\d\d?-\d\d?.*"
)
"""Texts that some YAML parser reads as another type."""


def format_scalars(value: Any, *, flow: bool, style: str = "") -> Iterator[str]:
    """Yield ways to write a scalar on one line, the preferred one first.

    Args:
        flow: Whether it is inside brackets, where fewer characters can be plain.
        style: The quote of the present value, or of its neighbours.
    """
    if value is None:
        yield "null" if flow else "~"
        return
    if isinstance(value, (bool, int, float)):
        yield str(value).lower() if isinstance(value, bool) else str(value)
        return
    text = str(value)
    single = "'" + text.replace("'", "''") + "'"
    double = '"' + "".join(map(_escaped, text)) + '"'
    plain = _PLAIN.fullmatch(text) and not _SPECIAL.search(text) and not _OTHERS.fullmatch(text)
    if plain and flow and re.search(r"[,\[\]{}?]", text):
        plain = None
    one_line = not re.search(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text)
    if style == "'" and one_line:
        yield single
    elif style == '"':
        yield double
    if plain and one_line:
        yield text
    if one_line and '"' in text and "'" not in text:
        yield single
    yield double


def quote_yaml(text: str, quote: str = '"') -> str:
    """Return `text` as a quoted scalar."""
    return next(format_scalars(text, flow=True, style=quote))


def quote_line(text: str) -> str:
    """Return `text` as a quoted scalar of a new file; control characters become spaces."""
    return quote_yaml("".join(c if c.isprintable() else " " for c in text))


def _escaped(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isprintable() or letter == "\xa0":
        return letter
    point = ord(letter)
    return f"\\U{point:08x}" if point > 0xFFFF else f"\\u{point:04x}"


def format_block(text: str, indent: str, nl: str) -> str | None:
    """Return a text of several lines as a literal block; None if it cannot be one."""
    lines = text.split("\n")
    if len(lines) < 2 or not lines[0].strip() or lines[0][:1] in " \t":
        return None
    chomp = "" if lines[-1] == "" else "-"
    body = lines[:-1] if lines[-1] == "" else lines
    if not body[-1].strip():
        return None
    return nl.join([f"|{chomp}", *(f"{indent}{line}" if line else "" for line in body)])


def format_flow(value: Any, style: str = "") -> str:
    """Return any value on one line: `{Name: 2}`, `[one, two]`."""
    if isinstance(value, dict):
        keys = (k if k.isdecimal() and style != '"' else format_flow(k, style) for k in value)
        parts = map("{}: {}".format, keys, (format_flow(v, style) for v in value.values()))
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(format_flow(item, style) for item in value) + "]"
    return next(format_scalars(value, flow=True, style=style))


LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

CUT: Final = re.compile(r"(?<=[^\s#])[ \t]+(?P<rest>#+[^\s#].*?)(?=\s+#+\s|\s*$)")
"""What follows a text: a comment without a blank behind its `#`, which may be meant as text."""

KEY: Final = re.compile(r"\s*(?:- +)*(?:\"[^\"]*\"|'[^']*'|[^\s#:\"'\[{-][^:#\"]*?):(?=\s|$)")
"""A key and its colon at the beginning of a line."""

_COLON: Final = re.compile(
    r"(?P<before>\s*(?:- +)?|.*[{,]\s*)(?P<key>[^\W\d][\w' -]*):(?P<value>[^\s/:][^,}\]]*)"
)
_DASH: Final = re.compile(r"\s*(?P<dash>-)(?P<word>[^\W\d].*)")

_OPENS: Final = re.compile(r"(?:^|[:,\[{-])\s*[\[{]")
_ENDS: Final = re.compile(r"\s*(?:[,\]}]\s*$|:(?=\s|$)|$)")
_ENDS_IN_BRACKETS: Final = re.compile(r"\s*(?:[,\]}]|:(?=\s|$)|$)")
_HIGH: Final = r"\\u[dD][89abAB][0-9a-fA-F]{2}"
_LOW: Final = r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE: Final = re.compile(rf"({_HIGH}{_LOW})|({_HIGH}|{_LOW})|\\.")
"""A pair, half of one, or any other escape, which is skipped."""

_PRIVATE: Final = range(0xE000, 0xF8FF)


def uncut_text(line: str, start: int, at: int) -> tuple[str, str]:
    """Return the text of `line` from `start` that is cut at the `#` at `at`, plain and quoted."""
    cut = CUT.match(line, len(line[:at].rstrip()))
    rest = cut["rest"] if cut is not None else line[at:]
    end = (_ENDS_IN_BRACKETS if _OPENS.search(line[:at]) else _ENDS).search(rest)
    text = line[start:at] + rest[: end.start() if end else None]
    return text, quote_yaml(text)


def missing_blank(line: str) -> tuple[int, str, Hint] | None:
    """Return the column (from 0), message and hint for a missing space in `line`, or None."""
    colon = None if KEY.match(line) and "{" not in line else _COLON.match(line)
    if colon is not None:
        message = "a space is missing after this colon"
        old, new = (f"{colon['key']}:{blank}{colon['value'].strip()}" for blank in ("", " "))
        return colon.end("key"), message, Hint(f"write `{new}`", old, new)
    if (dash := _DASH.match(line)) is not None:
        message = "a space is missing after this dash"
        word = dash["word"].strip()
        return dash.start("dash"), message, Hint(f"write `- {word}`", f"-{word}", f"- {word}")
    return None


def torn_name(name: str) -> str:
    """Return the hint for a name such as `Key:3D` or `-Item`; empty if no space is missing."""
    if (lacks := missing_blank(name)) is None:
        return ""
    _, message, hint = lacks
    return Hint(f"{hint}: {message.replace('this', 'the')}", hint.old, hint.new)


def lone_half(text: str, column: int) -> int | None:
    """Return the column of a lone half of a pair at `column` or after it."""
    halves = (match for match in _ESCAPE.finditer(text) if match[2])
    return next((match.start() for match in halves if match.end() >= column), None)


class SurrogatePairs:
    r"""JSON's escapes of characters beyond U+FFFF, `\ud83d\udc09`, which YAML's parser refuses.

    Attributes:
        text: The text for the parser, with replacements of these escapes.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at: dict[int, str] = {}
        if "\\ud" not in text and "\\uD" not in text:
            return
        lower = text.lower()
        unused = (n for n in _PRIVATE if f"{n:04x}" not in lower and chr(n) not in text)
        free = next(unused, None)
        if free is None:  # no unused character: the parser refuses the pairs
            return
        self.escape = f"\\u{free:04x}" * 2
        self.letters = chr(free) * 2

        def replaced(found: re.Match[str]) -> str:
            if not found[1]:
                return found[0]
            self.at[found.start()] = found[1]
            return self.escape

        self.text = _ESCAPE.sub(replaced, text)

    def restored(self, value: str, style: str | None, start: int, end: int) -> str:
        """Return a parsed value, from `start` to `end` of the text, with its pairs restored."""
        if not self.at or (self.letters not in value and self.escape not in value):
            return value
        pairs = iter([pair for at, pair in self.at.items() if start <= at < end])
        if style != '"':  # there are no escapes
            return re.sub(re.escape(self.escape), lambda _: next(pairs), value)
        units = (bytes.fromhex(pair[2:6] + pair[8:12]) for pair in pairs)
        return re.sub(self.letters, lambda _: next(units).decode("utf-16-be"), value)


MOST_DEPTH = 40
MOST_NODES = 200_000
MOST_LETTERS = 4_000_000
"""Characters of all values of a file, copies by aliases included."""

_KEPT: Final = 64
_LONGEST_KEPT: Final = 100_000
"""Trees that are kept, and the characters of the longest text that has one."""

_INT = re.compile(r"[-+]?[0-9]{1,18}")
_NUMERIC: Final = "+-.0123456789"
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]{1,18}(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
"""The core schema of YAML 1.2: `no`, `on` and `1:30` are text, as editors show them."""

_CUT_ANYWHERE: Final = re.compile(r"[ \t]#+[^\s#]")
_FORBIDDEN: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)


class _Refused(Exception):
    """The file cannot be parsed; `finding` says why."""

    def __init__(self, code: Code, span: Span, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.finding = Finding(code, span, message, hint)


def parse_yaml(text: str, file: str, digest: str = "", *, exact: bool = False) -> Checked[Source]:
    """Return the tree of `text`; findings are YAML mistakes and duplicate keys.

    An equal text of the same file is not parsed again: editors and previews read files often.

    Args:
        exact: Whether values keep control characters, which no print can show.
    """
    parse = _parse if len(text) <= _LONGEST_KEPT else _parse.__wrapped__
    return parse(text, file, digest, exact)


@lru_cache(_KEPT)
def _parse(text: str, file: str, digest: str, exact: bool) -> Checked[Source]:
    text = text.lstrip("\ufeff")
    tree = _Tree(file, text, exact=exact)
    try:
        root = tree.read()
    except _Refused as refused:
        return Checked(None, (*tree.findings, refused.finding))
    except yaml.MarkedYAMLError as error:
        from sheetgen.load.yaml.syntax_errors import explain_error  # Most files have no errors.

        mistake = explain_error(error, tree.lines)
        line, hint = tree.lines[mistake.line], mistake.hint
        span = Span(file, mistake.line + 1, min(mistake.column + 1, max(1, len(line))))
        if isinstance(hint, Hint):
            at = Span(file, span.line, 1, max(1, len(line)))
            hint = Hint(hint, hint.old, hint.new, hint.label, at)
        cut = [f for f in tree.findings if f.code != codes.CUT_TEXT or f.span.line != span.line]
        return Checked(None, (*cut, Finding(codes.NOT_YAML, span, mistake.message, hint)))
    except (yaml.reader.ReaderError, UnicodeError):
        found = _FORBIDDEN.search(text)
        start = found.start() if found else 0
        before = split_lines(text[:start])
        span = Span(file, len(before), len(before[-1]) + 1)
        code = f"U+{ord(text[start]):04X}" if text else ""
        message = f"the character {code} is not allowed in YAML"
        wrong = Finding(codes.NOT_YAML, span, message, "remove it")
        return Checked(None, (*tree.findings, wrong))
    return Checked(Source(file, text, root, digest), tuple(tree.findings))


class _Tree:
    """Builds nodes from parser events."""

    def __init__(self, file: str, text: str, *, exact: bool) -> None:
        self.file, self.text, self.exact = file, text, exact
        self.lines = split_lines(text)
        self.findings: list[Finding] = []
        self.anchors: dict[str, tuple[Node, int, int]] = {}
        self.count = self.letters = 0

    def read(self) -> Node | None:
        self.pairs_of = SurrogatePairs(self.text)
        self.may_cut = _CUT_ANYWHERE.search(self.text) is not None
        loader = LOADER(self.pairs_of.text)
        self.next = loader.get_event
        root: Node | None = None
        documents = 0
        try:
            while loader.check_event():
                event = self.next()
                if isinstance(event, yaml.DocumentStartEvent):
                    documents += 1
                    if documents > 1:
                        message, hint = "a second document begins here", "keep one a file"
                        raise _Refused(codes.NOT_OUR_YAML, self.span(event), message, hint)
                elif isinstance(event, yaml.NodeEvent):
                    root = self.node(event, 0)
        finally:
            loader.dispose()
        return None if isinstance(root, ScalarNode) and root.value is None else root

    def node(self, event: Any, depth: int) -> Node:
        within = depth <= MOST_DEPTH and self.count < MOST_NODES
        if within and type(event) is yaml.ScalarEvent and not event.tag and not event.anchor:
            self.count += 1  # Most nodes are plain.
            return self.leaf(event)
        if depth > MOST_DEPTH:
            message = f"nested more than {MOST_DEPTH} levels deep"
            hint = "close the bracket that is left open"
            raise _Refused(codes.TOO_MUCH, self.span(event), message, hint)
        count, letters = self.count, self.letters
        self.spend(event, 1)
        if isinstance(event, yaml.AliasEvent):
            return self.copy(event)
        if event.tag and event.tag != "!":
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            span = replace(self.span(event), width=len(tag))
            hint = "remove it, or put a text that begins with `!` in quotes"
            raise _Refused(codes.NOT_OUR_YAML, span, f"the tag `{tag}` is not read here", hint)
        node: Node
        if isinstance(event, yaml.ScalarEvent):
            node = self.leaf(event)
        elif isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(inner := self.next(), yaml.SequenceEndEvent):
                items.append(self.node(inner, depth + 1))
            node = Many(self.span(event), tuple(items))
        else:
            node = self.pairs(event, depth)
        if event.anchor:
            self.anchors[event.anchor] = node, self.count - count, self.letters - letters
        return node

    def leaf(self, event: Any) -> ScalarNode:
        """Return a scalar, by the core schema of YAML 1.2."""
        raw = event.value
        if self.pairs_of.at:
            start, end = event.start_mark.index, event.end_mark.index
            raw = self.pairs_of.restored(raw, event.style, start, end)
        self.letters += len(raw)
        if has_controls(raw) and not self.exact:
            message = f"this text has control characters, {controls_in(raw)}; they are left out"
            span, severity = self.span(event), Severity.WARNING
            self.findings.append(Finding(codes.CONTROLS, span, message, "remove them", severity))
            raw = strip_controls(raw)
        quoted = event.style not in (None, "")  # the C parser says '' for plain
        if self.may_cut and raw and not quoted:
            self.report_cut(event)
        value = raw if quoted else scalar(raw)
        return ScalarNode(self.span(event), value, raw, quoted)

    def report_cut(self, event: Any) -> None:
        """Report a comment behind a plain scalar that may be meant as a part of it, as in `Doc #7`.

        People write a blank behind the `#` of a comment.
        """
        start, end = event.start_mark, event.end_mark
        line = self.lines[end.line]
        if (cut := CUT.match(line, end.column)) is None:
            return
        rest = cut["rest"]
        hint = "put the whole text in quotes"
        if start.line == end.line:
            at = replace(self.span(event), width=cut.end() - start.column)
            old, new = uncut_text(line, start.column, cut.start("rest"))
            hint = f"put it in quotes: `{new}`; write a blank after `#` for a comment"
            hint = Hint(hint, old, new, at=at)
        span = Span(self.file, end.line + 1, cut.start("rest") + 1, len(rest))
        message = f"the text ends before `{rest}`"
        self.findings.append(Finding(codes.CUT_TEXT, span, message, hint, Severity.WARNING))

    def pairs(self, event: Any, depth: int) -> Pairs:
        """Return a mapping; the value of a duplicate key is dropped and reported."""
        entries: list[tuple[ScalarNode, Node]] = []
        seen: dict[str, Span] = {}
        while not isinstance(inner := self.next(), yaml.MappingEndEvent):
            key = self.node(inner, depth + 1)
            value = self.node(self.next(), depth + 1)
            if not isinstance(key, ScalarNode):
                raise _Refused(codes.NOT_OUR_YAML, key.span, "a key has to be a plain word")
            if key.raw == "<<" and not key.quoted:
                message = "`<<` merges are not read here"
                raise _Refused(codes.NOT_OUR_YAML, key.span, message, "write it out")
            if key.raw in seen:
                message = repeated(key.raw, key.span, key.raw, seen[key.raw])
                hint = "put both under one key"
                self.findings.append(Finding(codes.REPEATED_KEY, key.span, message, hint))
                continue
            seen[key.raw] = key.span
            entries.append((key, value))
        return Pairs(self.span(event), tuple(entries))

    def copy(self, event: Any) -> Node:
        """Return the node of an alias; its size counts again, against bombs."""
        if event.anchor not in self.anchors:
            message = f"there is no `&{event.anchor}` for `*{event.anchor}` to copy"
            hint = f"put a text that begins with `*` in quotes: `'*{event.anchor}'`"
            raise _Refused(codes.NOT_YAML, self.span(event), message, hint)
        node, count, letters = self.anchors[event.anchor]
        self.spend(event, count)
        self.letters += letters
        if self.letters > MOST_LETTERS:
            message = f"with its copies, the text has more than {MOST_LETTERS:,} letters"
            raise _Refused(codes.TOO_MUCH, self.span(event), message, "write it once")
        return node

    def spend(self, event: Any, nodes: int) -> None:
        self.count += nodes
        if self.count > MOST_NODES:
            message = f"more than {MOST_NODES:,} values"
            hint = "check whether this is the right file"
            raise _Refused(codes.TOO_MUCH, self.span(event), message, hint)

    def span(self, event: Any) -> Span:
        start, end = event.start_mark, event.end_mark
        line, column = start.line, start.column
        if line >= len(self.lines):  # an empty node at the end of the file
            return Span(self.file, len(self.lines), len(self.lines[-1]) + 1)
        last = end.column if end.line == line else len(self.lines[line])
        return Span(self.file, line + 1, column + 1, last - column if last > column else 1)


def scalar(raw: str) -> Scalar:
    """Return the value of a plain scalar in YAML 1.2."""
    if raw in _WORDS:
        return _WORDS[raw]
    if raw[0] not in _NUMERIC:
        return raw
    if _INT.fullmatch(raw):
        return int(raw)
    if _FLOAT.fullmatch(raw):
        return float(raw)
    return raw


_HEAD: Final = re.compile(r"\ufeff?---[ \t]*\r?\n((?:.*\n)*?)---[ \t]*(?:\r?\n|\Z)")


def split_head(text: str) -> tuple[str, str] | None:
    """Return the keys between two lines of `---` in their places, and what is below; or None."""
    found = _HEAD.match(text)
    return ("\n" + found[1], text[found.end() :]) if found is not None else None


def read_source(path: Path) -> Checked[Source]:
    """Return the YAML file at `path`, or the keys that a Markdown file begins with.

    If its root is no mapping, there is a finding.
    """
    read = read_text(path)
    if read.value is None:
        return Checked(None, read.findings)
    text, digest = read.value
    if path.suffix.lower() == ".md" and (parts := split_head(text)) is not None:
        text = parts[0]
    parsed = parse_yaml(text, str(path), digest)
    if parsed.value is None:
        return parsed
    if isinstance(root := parsed.value.root, Pairs):
        return parsed
    if root is None:
        hint = "write a key, such as `ruleset: …`, or let `sheetgen new character` write the file"
        finding = Finding(codes.EMPTY, Span(str(path)), "this file is empty", hint)
    else:
        message = "a file begins with keys, such as `name: …`"
        hint = "start from what `sheetgen new character RULESET NAME` writes"
        if path.suffix.lower() == ".csv":
            hint = "name it in a book, under `sheets`, with a `template`"
        finding = Finding(codes.WRONG_TYPE, root.span, message, hint)
    return Checked(parsed.value, (*parsed.findings, finding))
