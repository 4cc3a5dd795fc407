"""Read YAML as a tree of nodes with positions.

A file is parsed in one pass over the parser's events. Limits are checked before nodes are built, so
that neither 100,000 brackets nor an alias bomb costs more than a millisecond.
"""

from __future__ import annotations

import re
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
from sheetgen.load.yaml.format import CUT, LOADER, SurrogatePairs, uncut_text
from sheetgen.model.source import Many, Node, Pairs, Scalar, ScalarNode, Source

MOST_DEPTH = 40
MOST_NODES = 200_000
# Characters of all values of a file, copies by aliases included.
MOST_LETTERS = 4_000_000
# Trees that are kept, and the characters of the longest text that has one.
_KEPT: Final = 64
_LONGEST_KEPT: Final = 100_000
_INT = re.compile(r"[-+]?[0-9]{1,18}")
_NUMERIC: Final = "+-.0123456789"
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]{1,18}(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")
# The core schema of YAML 1.2: `no`, `on` and `1:30` are text, as editors show them.
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
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

    An equal text is not parsed again: editors read files often. `exact`: with control characters.
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
