"""YAML to a tree of nodes with places, in one pass over the parser's events.

Events, not a loader: limits hold before anything is built, so that neither 100,000
brackets nor a bomb of aliases or merges costs more than a millisecond.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import yaml

from sheetgen.diag import codes
from sheetgen.diag.code import Code
from sheetgen.diag.controls import controls_in, has_controls, strip_controls
from sheetgen.diag.findings import Checked, Finding, Severity
from sheetgen.diag.spans import Span, split_lines
from sheetgen.diag.words import repeated
from sheetgen.load.yaml import surrogates
from sheetgen.load.yaml.syntax_errors import slip_of
from sheetgen.model.source import Many, Node, Pairs, Scalar, ScalarNode, Source

MOST_DEPTH = 40
MOST_NODES = 200_000
MOST_LETTERS = 4_000_000
"""Letters of all values of a file that copies some of them with aliases."""

_INT = re.compile(r"[-+]?[0-9]{1,18}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]{1,18}(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
"""YAML 1.2's core words: `no`, `on` and `1:30` stay text, as editors show them."""

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Refused(Exception):
    """A file that has to be given up, with the finding that says why."""

    def __init__(self, code: Code, span: Span, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.finding = Finding(code, span, message, hint)


def parse_yaml(text: str, file: str, digest: str = "", *, exact: bool = False) -> Checked[Source]:
    """Return `text` as a source; findings are YAML mistakes and keys that stand twice.

    Args:
        exact: Whether values keep control characters, which no print can show.
    """
    text = text.lstrip("\ufeff")
    tree = _Tree(file, split_lines(text), exact=exact)
    try:
        root = tree.read(text)
    except _Refused as refused:
        return Checked(None, (*tree.findings, refused.finding))
    except yaml.MarkedYAMLError as error:
        return Checked(None, (*tree.findings, tree.syntax(error)))
    except (yaml.reader.ReaderError, UnicodeError):
        return Checked(None, (*tree.findings, tree.character(text)))
    source = Source(file, text, root, digest)
    return Checked(source, tuple(tree.findings))


class _Tree:
    """Builds nodes from events; holds what one pass needs to know."""

    def __init__(self, file: str, lines: list[str], *, exact: bool) -> None:
        self.file = file
        self.lines = lines
        self.exact = exact
        self.findings: list[Finding] = []
        self.anchors: dict[str, tuple[Node, int, int]] = {}
        self.count = self.letters = 0

    def read(self, text: str) -> Node | None:
        """Return the only document's root."""
        self.pairs_of = surrogates.SurrogatePairs(text)
        loader = _LOADER(self.pairs_of.text)
        try:
            return self.document(loader)
        finally:
            loader.dispose()

    def document(self, loader: Any) -> Node | None:
        """Return the root of the only document that `loader` meets."""
        self.next = loader.get_event
        root: Node | None = None
        documents = 0
        while loader.check_event():
            event = self.next()
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self.refuse(event, "a second document begins here", "keep one a file")
            elif isinstance(event, yaml.NodeEvent):
                root = self.node(event, 0)
        if isinstance(root, ScalarNode) and root.value is None:
            return None
        return root

    def node(self, event: Any, depth: int) -> Node:
        """Return the node that begins with `event`."""
        if depth > MOST_DEPTH:
            message = f"nested more than {MOST_DEPTH} levels deep"
            raise _Refused(codes.TOO_MUCH, self.span(event), message, "is a bracket left open?")
        count, letters = self.count, self.letters
        self.spend(event, 1)
        if isinstance(event, yaml.AliasEvent):
            return self.copy(event)
        if event.tag and event.tag != "!":
            raise self.tagged(event)
        node = self.built(event, depth)
        if event.anchor:
            self.anchors[event.anchor] = node, self.count - count, self.letters - letters
        return node

    def built(self, event: Any, depth: int) -> Node:
        """Return the leaf, list or mapping that begins with `event`."""
        if isinstance(event, yaml.ScalarEvent):
            return self.leaf(event)
        if isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(inner := self.next(), yaml.SequenceEndEvent):
                items.append(self.node(inner, depth + 1))
            return Many(self.span(event), tuple(items))
        return self.pairs(event, depth)

    def leaf(self, event: Any) -> ScalarNode:
        """Return a single value, by YAML 1.2's core rules."""
        start, end = event.start_mark.index, event.end_mark.index
        raw = self.pairs_of.restored(event.value, event.style, start, end)
        self.letters += len(raw)
        if has_controls(raw) and not self.exact:
            raw = self.cleaned(raw, event)
        quoted = event.style not in (None, "")  # the C parser says '' for plain
        value = raw if quoted else scalar(raw)
        return ScalarNode(self.span(event), value, raw, quoted)

    def cleaned(self, raw: str, event: Any) -> str:
        """Return a text without its control characters, which are a finding."""
        message = f"this text has control characters, {controls_in(raw)}; they are left out"
        hint = "remove them"
        span = self.span(event)
        self.findings.append(Finding(codes.CONTROLS, span, message, hint, Severity.WARNING))
        return strip_controls(raw)

    def pairs(self, event: Any, depth: int) -> Pairs:
        """Return a mapping; a key that stands twice is a finding and its value dropped."""
        entries: list[tuple[ScalarNode, Node]] = []
        seen: dict[str, Span] = {}
        while not isinstance(inner := self.next(), yaml.MappingEndEvent):
            key = self.node(inner, depth + 1)
            value = self.node(self.next(), depth + 1)
            if not isinstance(key, ScalarNode):
                span = key.span
                raise _Refused(codes.NOT_OUR_YAML, span, "a key has to be a plain word")
            if key.raw == "<<" and not key.quoted:
                message = "`<<` merges are not read here"
                raise _Refused(codes.NOT_OUR_YAML, key.span, message, "write it out")
            if key.raw in seen:
                self.twice(key, seen[key.raw])
                continue
            seen[key.raw] = key.span
            entries.append((key, value))
        return Pairs(self.span(event), tuple(entries))

    def copy(self, event: Any) -> Node:
        """Return what an alias stands for; its size counts again, against bombs."""
        if event.anchor not in self.anchors:
            message = f"`*{event.anchor}` copies what no `&{event.anchor}` names"
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
        """Count `nodes`, and refuse the file when there are too many."""
        self.count += nodes
        if self.count > MOST_NODES:
            message = f"more than {MOST_NODES:,} values"
            raise _Refused(codes.TOO_MUCH, self.span(event), message, "is this the right file?")

    def tagged(self, event: Any) -> _Refused:
        """Return the refusal of a value with a tag, in the author's spelling of it."""
        tag = event.tag.replace("tag:yaml.org,2002:", "!!")
        span = replace(self.span(event), width=len(tag))
        hint = "remove it, or put a text that begins with `!` in quotes"
        return _Refused(codes.NOT_OUR_YAML, span, f"the tag `{tag}` is not read here", hint)

    def refuse(self, event: Any, message: str, hint: str) -> None:
        """Give the file up for YAML that we do not read."""
        raise _Refused(codes.NOT_OUR_YAML, self.span(event), message, hint)

    def twice(self, key: ScalarNode, first: Span) -> None:
        """Note that `key` stood before."""
        message = repeated(key.raw, key.span, key.raw, first)
        hint = "put both under one key"
        self.findings.append(Finding(codes.REPEATED_KEY, key.span, message, hint))

    def span(self, event: Any) -> Span:
        """Return where `event` stands; its width ends with its first line."""
        start, end = event.start_mark, event.end_mark
        if start.line >= len(self.lines):  # nothing, behind the end of the file
            return Span(self.file, len(self.lines), len(self.lines[-1]) + 1)
        line = self.lines[start.line]
        last = end.column if end.line == start.line else len(line)
        width = max(1, last - start.column)
        return Span(self.file, start.line + 1, start.column + 1, width)

    def syntax(self, error: yaml.MarkedYAMLError) -> Finding:
        """Return the parser's complaint, at its place, in an author's words."""
        slip = slip_of(error, self.lines)
        column = min(slip.column + 1, max(1, len(self.lines[slip.line])))
        span = Span(self.file, slip.line + 1, column)
        return Finding(codes.NOT_YAML, span, slip.message, slip.hint)

    def character(self, text: str) -> Finding:
        """Return a finding for a character that YAML does not allow."""
        at = next((i for i, c in enumerate(text) if not _allowed(c)), 0)
        before = split_lines(text[:at])
        line, column = len(before), len(before[-1]) + 1
        code = f"U+{ord(text[at]):04X}" if text else ""
        message = f"the character {code} is not allowed in YAML"
        return Finding(codes.NOT_YAML, Span(self.file, line, column), message, "remove it")


def scalar(raw: str) -> Scalar:
    """Return what a plain `raw` means in YAML 1.2."""
    if raw in _WORDS:
        return _WORDS[raw]
    if _INT.fullmatch(raw):
        return int(raw)
    if _FLOAT.fullmatch(raw):
        return float(raw)
    return raw


def _allowed(char: str) -> bool:
    point = ord(char)
    return char in "\t\n\r\x85" or (
        0x20 <= point <= 0x7E
        or 0xA0 <= point <= 0xD7FF
        or 0xE000 <= point <= 0xFFFD
        or 0x10000 <= point <= 0x10FFFF
    )
