"""The server: what it knows of an editor, and the Language Server Protocol, over pygls."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeAlias, cast

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from sheetgen import __version__
from sheetgen.books.checking import check_paths
from sheetgen.diag.findings import DesignError, Finding, Hint, Severity, Span, in_order, split_lines
from sheetgen.diag.visible import visible
from sheetgen.diag.words import begin_run
from sheetgen.load import characters
from sheetgen.load.cache import share_text, withdraw_all_texts, withdraw_text
from sheetgen.load.characters import find_file_type
from sheetgen.load.files import read_text, read_unsaved, record_reads
from sheetgen.plugins.editor.lsp import files
from sheetgen.plugins.editor.lsp.text import KEY, OpenText, block_lines
from sheetgen.records import frozen


@frozen
class Document:
    """A file that is open in the editor: its address, and the path that the address has."""

    uri: str
    path: str
    text: OpenText
    version: int | None = None


@dataclass
class Session:
    """What the server knows of an editor."""

    documents: dict[str, Document] = field(default_factory=dict)  # open ones, by path
    # What the last check of each open file found, by its path.
    findings: dict[str, tuple[Finding, ...]] = field(default_factory=dict)
    encoding: str = "utf-16"  # In whose code units the editor counts columns.
    reader: files.RulesReader = field(default_factory=files.RulesReader)

    def texts(self) -> dict[str, str]:
        """Return the texts of the open files by their real paths."""
        return {real: document.text.text for real, document in self.documents.items()}

    def put(self, uri: str, path: str, text: str, version: int | None, *, saved: bool) -> str:
        """Keep the text of an open file, and return its real path; share it while it is unsaved."""
        real = os.path.realpath(path)
        self.documents[real] = Document(uri, path, OpenText(text, self.encoding), version)
        if saved:
            withdraw_text(real)
        else:
            share_text(real, text)
        return real

    def close(self, path: str) -> str:
        """Forget an open file, and return its real path."""
        real = os.path.realpath(path)
        closed = self.documents.pop(real, None)
        if closed is not None:
            self.findings.pop(closed.path, None)
        withdraw_text(real)
        return real

    def document(self, path: str) -> Document | None:
        """Return the open file at a path."""
        return self.documents.get(os.path.realpath(path))

    def open_file(self, document: Document, offset: int | None = None) -> files.OpenFile:
        """Return what the names in an open file mean, where its author types at an offset."""
        return self.reader.open_file(Path(document.path), document.text.text, self.texts(), offset)

    def text_of(self, file: str) -> OpenText:
        """Return the text of a file, open or not; an empty one if it cannot be read."""
        document = self.document(file)
        if document is not None:
            return document.text
        read = read_text(Path(file)).value
        return OpenText(read[0] if read is not None else "", self.encoding)

    def all_findings(self) -> dict[str, tuple[Finding, ...]]:
        """Return findings by their files; those in no file are in the one that was checked."""
        by_file: dict[str, dict[Finding, None]] = {}
        for checked, found in self.findings.items():
            by_file.setdefault(checked, {})
            for finding in found:
                file = os.path.abspath(finding.span.file)
                is_file = os.path.isfile(file) or os.path.realpath(file) in self.documents
                if finding.span.is_option or not is_file:
                    file = checked
                by_file.setdefault(file, {})[finding] = None
        return {file: in_order(found) for file, found in by_file.items()}

    def corrections(self, document: Document, start: int, end: int) -> Iterable[Correction]:
        """Yield the corrections of findings between two offsets of an open file."""
        lines = split_lines(document.text.text.lstrip("\ufeff"))
        for finding in self.all_findings().get(os.path.abspath(document.path), ()):
            first, last = document.text.span_offsets(finding.span)
            correction = find_correction(finding, lines)
            if correction is not None and first <= end and start <= last:
                yield correction


_RULESET: Final = re.compile(r"^\ufeff?[\"']?ruleset\b", re.MULTILINE | re.IGNORECASE)


@dataclass
class OpenFilesChecker(files.RulesReader):
    """Checks open files; `reads` has the real paths of the files that the check of each read."""

    reads: dict[str, set[str]] = field(default_factory=dict)

    def check(self, path: str, texts: files.Texts) -> tuple[Finding, ...]:
        """Return what `sheetgen check` finds in a file of ours; `texts` are unsaved, by path."""
        begin_run()
        self.forget_changed(texts, Path(path))
        with read_unsaved(texts), record_reads() as reads:
            try:
                paths = [Path(path)] if is_ours(Path(path), texts) else []
                checked = check_paths(paths, {}, rulesets=self.rulesets)
                found = in_order(finding for one in checked for finding in one.findings)
            except DesignError as error:
                found = error.findings
        self.remember(reads, texts, Path(path))
        self.reads[path] = set(map(os.path.realpath, reads))
        return found

    def dependents(self, path: str) -> set[str]:
        """Return the open files whose last check may have read the file at a real path."""
        if path in map(os.path.realpath, self.stamps):
            return set(self.reads)  # The rulesets of all of them are read once.
        return {other for other, reads in self.reads.items() if path in reads}


def is_ours(path: Path, texts: files.Texts) -> bool:
    """Whether an open file is ours: editors send all YAML files, also those of others."""
    text = texts.get(os.path.realpath(path), "")
    return find_file_type(path) != characters.CHARACTER or _RULESET.search(text) is not None


@frozen
class Correction:
    """An edit that does what the hint of a finding says: `text` in the place of a span."""

    title: str
    span: Span
    text: str
    finding: Finding


def find_correction(finding: Finding, lines: list[str]) -> Correction | None:
    """Return the edit that corrects a finding in the lines of a file; None without one."""
    hint = finding.hint
    if not isinstance(hint, Hint) or not (hint.old or hint.at):
        return None
    if not hint.old:
        end = Span(finding.span.file, len(lines), len(lines[-1]) + 1, 0)
        text = f"\n{hint.new}" if lines[-1] else f"{hint.new}\n"
        return Correction(hint.label, end, text, finding)
    span = hint.at or finding.span
    if not 1 <= span.line <= len(lines):
        return None
    place = lines[span.line - 1][span.column - 1 : span.column - 1 + span.width]
    if place.count(hint.old) != 1:
        return None
    at = span.within(place.index(hint.old), len(hint.old))
    return Correction(hint.label, at, hint.new, finding)


Cursor: TypeAlias = types.CompletionParams | types.HoverParams | types.DefinitionParams

DELAY: Final = 0.05  # Seconds without typing after which open files are checked
_WATCHES: Final = "workspace.did_change_watched_files.dynamic_registration"
_WATCHED: Final = types.FileSystemWatcher("**/*.{yaml,yml,csv}")
_TRIGGERS: Final = [" ", "[", "{", ","]


class SheetServer(LanguageServer):
    """The language server of one editor."""

    def __init__(self) -> None:
        super().__init__(
            "sheetgen", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full
        )
        self.session = Session()
        self.checker = OpenFilesChecker()
        self.pending: dict[str, None] = {}  # real paths of open files to check, as they changed
        self.published: dict[str, list[types.Diagnostic]] = {}  # what the editor shows, by address
        self._worker = ThreadPoolExecutor(max_workers=1)
        self._timer: asyncio.TimerHandle | None = None
        self._check: asyncio.Task[None] | None = None

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Do not show errors of the protocol as messages in the editor."""

    def serve(self, source: BinaryIO, target: BinaryIO) -> None:
        """Talk to an editor until it ends, or raise `ValueError`: it sent no message."""
        logging.getLogger("pygls").setLevel(logging.CRITICAL)  # Errors are answered, not printed.
        stream = MessageStream(source, target, self.protocol.structure_message)
        self.start_io(cast(BinaryIO, stream), target)

    def put(self, uri: str, text: str, version: int | None, *, saved: bool) -> None:
        """Keep the text of an open file, and check it; other addresses than files are ignored."""
        path = to_fs_path(uri) if uri.startswith("file:") else None
        if path:
            self.schedule(self.session.put(uri, path, text, version, saved=saved))

    def schedule(self, *paths: str) -> None:
        """Check open files, and those that depend on them, as soon as nobody types."""
        for path in paths:
            self.pending[path] = None
            document = self.session.documents.get(path)
            depend = self.checker.dependents(path)
            others = (o for o in self.session.documents.values() if o.path in depend)
            self.pending |= {os.path.realpath(o.path): None for o in others if o is not document}
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(DELAY, self._begin)

    def _begin(self) -> None:
        self._timer = None
        if self._check is None or self._check.done():
            self._check = asyncio.create_task(self._run())

    async def _run(self) -> None:
        """Check what is pending; drop what was found in a text that has changed meanwhile."""
        while self.pending and self._timer is None:
            real = next(iter(self.pending))
            del self.pending[real]
            document = self.session.documents.get(real)
            if document is None:
                continue
            # One at a time, in another thread.
            check, texts = self.checker.check, self.session.texts()
            loop = asyncio.get_running_loop()
            found = await loop.run_in_executor(self._worker, check, document.path, texts)
            current = self.session.documents.get(real)
            if current is not None and current.text is document.text:
                self.session.findings[document.path] = found
                self.publish(document.uri)
                # Its rules and its schema are read before they are asked for.
                self.session.reader.schema(self.session.open_file(document))

    def publish(self, checked: str = "") -> None:
        """Send the diagnostics of the file that was checked, and of those where they changed."""
        found = self.session.all_findings()
        now: dict[str, list[types.Diagnostic]] = {}
        versions = {d.uri: d.version for d in self.session.documents.values()}
        for file, findings in found.items():
            text = self.session.text_of(file)
            now[uri_of(self.session, file)] = [diagnostic(finding, text) for finding in findings]
        for uri in {**self.published, **now}:
            diagnostics = now.get(uri, [])
            if uri == checked or self.published.get(uri) != diagnostics:
                params = types.PublishDiagnosticsParams(uri, diagnostics, versions.get(uri))
                self.text_document_publish_diagnostics(params)
        self.published = now

    def document_at(self, uri: str) -> Document | None:
        """Return the open file with an address."""
        path = to_fs_path(uri) if uri.startswith("file:") else None
        return self.session.document(path) if path else None


def create_server() -> SheetServer:
    """Return a server with its handlers."""
    server = SheetServer()
    session = server.session

    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        encoding = server.workspace.position_encoding or types.PositionEncodingKind.Utf16
        session.encoding = types.PositionEncodingKind(encoding).value
        if get_capability(server.client_capabilities, _WATCHES):
            options = types.DidChangeWatchedFilesRegistrationOptions([_WATCHED])
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = types.Registration("files", method, options)
            server.client_register_capability(types.RegistrationParams([registration]))

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        server.put(document.uri, document.text, document.version, saved=True)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        document = server.workspace.get_text_document(params.text_document.uri)
        server.put(document.uri, document.source, params.text_document.version, saved=False)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        if (document := server.document_at(params.text_document.uri)) is not None:
            real = os.path.realpath(document.path)
            withdraw_text(real)
            server.schedule(real)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        if (document := server.document_at(params.text_document.uri)) is not None:
            server.schedule(session.close(document.path))
            server.checker.reads.pop(document.path, None)
            server.publish()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(_: types.DidChangeWatchedFilesParams) -> None:
        server.schedule(*session.documents)

    @server.feature(types.SHUTDOWN)
    def shut_down(_: None) -> None:
        withdraw_all_texts()

    def handle(method: str, answer: Callable[..., Any], options: Any = None) -> None:
        def handler(params: Any) -> Any:
            document = server.document_at(params.text_document.uri)
            return answer(session, document, params) if document is not None else None

        server.feature(method, options)(handler)

    triggers = types.CompletionOptions(trigger_characters=_TRIGGERS)
    handle(types.TEXT_DOCUMENT_COMPLETION, complete, triggers)
    handle(types.TEXT_DOCUMENT_HOVER, hover)
    handle(types.TEXT_DOCUMENT_CODE_ACTION, list_actions)
    handle(
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,
        lambda _, document, __: document_symbols(document.text),
    )
    handle(types.TEXT_DOCUMENT_DEFINITION, find_definition)
    return server


_markdown: Final = partial(types.MarkupContent, types.MarkupKind.Markdown)


def _offset(text: OpenText, position: types.Position) -> int:
    return text.offset(position.line, position.character)


def _range(text: OpenText, start: int, end: int) -> types.Range:
    return types.Range(types.Position(*text.position(start)), types.Position(*text.position(end)))


def complete(session: Session, document: Document, at: Cursor) -> list[types.CompletionItem]:
    """Return what may be written at a cursor."""
    offset = _offset(document.text, at.position)
    file = session.open_file(document, offset)
    kinds = types.CompletionItemKind
    return [
        types.CompletionItem(
            one.label,
            kind=kinds.Property if one.sort == KEY else kinds.Value,
            documentation=_markdown(one.about) if one.about else None,
            sort_text=f"{number:05}",
            filter_text=one.label,
            text_edit=types.TextEdit(_range(document.text, one.start, one.end), one.text),
        )
        for number, one in enumerate(
            files.list_completions(file, offset, session.reader, session.texts())
        )
    ]


def hover(session: Session, document: Document, at: Cursor) -> types.Hover | None:
    """Return what there is to read about the word at a cursor."""
    file, offset = session.open_file(document), _offset(document.text, at.position)
    found = files.hover_text(file, offset, session.reader, session.texts())
    return types.Hover(_markdown(found[0]), _range(document.text, *found[1:])) if found else None


def find_definition(session: Session, document: Document, at: Cursor) -> list[types.Location]:
    """Return where the word at a cursor is defined."""
    file, offset = session.open_file(document), _offset(document.text, at.position)
    found = []
    for span in files.find_definitions(file, offset):
        text = session.text_of(span.file)
        where = _range(text, *text.span_offsets(span))
        found.append(types.Location(uri_of(session, span.file), where))
    return found


def list_actions(
    session: Session, document: Document, params: types.CodeActionParams
) -> list[types.CodeAction]:
    """Return the corrections in a range; one of each line is preferred, added lines last."""
    text = document.text
    start, end = _offset(text, params.range.start), _offset(text, params.range.end)
    found = sorted(session.corrections(document, start, end), key=lambda one: not one.span.width)
    first = {one.finding.span.line: one for one in reversed(found)}
    actions = []
    for one in found:
        edit = types.TextEdit(_range(text, *text.span_offsets(one.span)), one.text)
        action = types.CodeAction(
            one.title,
            kind=types.CodeActionKind.QuickFix,
            diagnostics=[diagnostic(one.finding, text)],
            is_preferred=first[one.finding.span.line] is one,
            edit=types.WorkspaceEdit({document.uri: [edit]}),
        )
        actions.append(action)
    return actions


_SEVERITIES: Final = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}


def uri_of(session: Session, file: str) -> str:
    """Return the address of a file, as the editor writes it if it is open."""
    document = session.document(file)
    return document.uri if document is not None else from_fs_path(os.path.abspath(file)) or ""


def diagnostic(finding: Finding, text: OpenText) -> types.Diagnostic:
    """Return a finding about `text`, with its rule and its hint."""
    lines = [finding.message]
    lines += [f"rule: {finding.rule}"] if finding.rule else []
    lines += [f"hint: {finding.hint}"] if finding.hint else []
    return types.Diagnostic(
        _range(text, *text.span_offsets(finding.span)),
        "\n".join(map(visible, lines)),
        severity=_SEVERITIES[finding.severity],
        code=finding.code.id,
        source="sheetgen",
    )


_MOST_SYMBOLS: Final = 5_000


def document_symbols(text: OpenText) -> list[types.DocumentSymbol]:
    """Return the outline of a text, which may be half typed; items of lists have their names."""
    top: list[types.DocumentSymbol] = []
    # Each with its column, and what is in it.
    opened: list[tuple[int, types.DocumentSymbol, list[types.DocumentSymbol]]] = []
    count, end = 0, 0
    for line, _ in block_lines(text.text):
        begins = line.dashes[0] + 1 if line.dashes else line.column
        while opened and opened[-1][0] >= begins:
            opened.pop()[1].range.end = types.Position(*text.position(end))
        value = text.text[line.after or line.start + line.column : line.end].strip()
        name, at = line.key or value, line.start + line.column
        end = max(line.end, at)
        if not name or count >= _MOST_SYMBOLS:
            continue
        count += 1
        if line.dashes and line.key is not None:
            # The first key of an item is its name: `- name: X`.
            name, value = (value if line.key == "name" and value else name), ""
        name_end = line.key_end if line.key is not None else at + len(value)
        below: list[types.DocumentSymbol] = []
        symbol = types.DocumentSymbol(
            name[:100],
            types.SymbolKind.Field,
            _range(text, at, end),
            _range(text, at, min(name_end, at + 100)),
            detail=(value[:100] if line.key is not None else "") or None,
            children=below,
        )
        (opened[-1][2] if opened else top).append(symbol)
        opened.append((line.dashes[-1] if line.dashes else line.column, symbol, below))
    for _, symbol, _ in opened:
        symbol.range.end = types.Position(*text.position(end))
    return top


_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600
_NOT_INITIALIZED: Final = -32002
_MOST_BYTES: Final = 1 << 28
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class MessageStream:
    """The input of the server: whole, valid messages only, which `structure` can read.

    Messages that are none are answered here, as the protocol says. It is read in one thread. Its
    answers are written in one piece each, so that they do not mix with those of the server.
    """

    def __init__(
        self, source: BinaryIO, target: BinaryIO, structure: Callable[[dict[str, Any]], object]
    ) -> None:
        self.source, self.target, self.structure = source, target, structure
        self._initialized, self._ended = False, False
        self._lines: list[bytes] = []
        self._body = b""

    def readline(self) -> bytes:
        """Return a line of the head of the next valid message; nothing at the end.

        Raises:
            ValueError: The head is none, so that nobody knows where the next message begins.
        """
        while not self._lines:
            body = self._next()
            if body is None:
                return b""
            self._body = self._valid(body)
            if self._body:
                self._lines = [b"Content-Length: %d\r\n" % len(self._body), b"\r\n"]
        return self._lines.pop(0)

    def read(self, _: int) -> bytes:
        """Return the body whose head was read."""
        return self._body

    def _next(self) -> bytes | None:
        """Return the body of the next message, whatever it is; None at the end."""
        length: int | None = None
        while line := self.source.readline():
            name, colon, value = line.strip().partition(b":")
            if name and not colon:
                raise ValueError(line)
            if name.strip().lower() == b"content-length":
                length = int(value)
            if not name and length is not None:
                if not 0 <= length <= _MOST_BYTES:
                    raise ValueError(length)
                body = self.source.read(length)
                return body if len(body) == length else None
        return None

    def _valid(self, body: bytes) -> bytes:
        """Return a message for the server; nothing for one that was answered or is dropped."""
        message: Any = None
        try:
            try:
                message = json.loads(body)
                clean = _SURROGATE.sub("\ufffd", json.dumps(message, ensure_ascii=False)).encode()
            except (ValueError, RecursionError):
                raise JsonRpcException("this is not JSON in UTF-8", _PARSE_ERROR) from None
            if not _is_message(message):
                raise JsonRpcException("this is no message of JSON-RPC 2.0", _INVALID_REQUEST)
            if (method := message.get("method")) is not None:
                starts = method == "initialize"
                if self._ended and method != "exit":
                    raise JsonRpcException("the server was shut down", _INVALID_REQUEST)
                if starts and self._initialized:
                    raise JsonRpcException("the server is initialized already", _INVALID_REQUEST)
                if not (starts or method == "exit" or self._initialized):
                    raise JsonRpcException("the server is not initialized yet", _NOT_INITIALIZED)
                self._initialized |= starts
                self._ended |= method == "shutdown"
                self.structure(message)
        except JsonRpcException as error:
            if not _is_message(message) or "id" in message:
                about = {"code": error.code, "message": error.message}
                answer = {"jsonrpc": "2.0", "id": _id_of(message), "error": about}
                content = json.dumps(answer).encode()
                self.target.write(b"Content-Length: %d\r\n\r\n" % len(content) + content)
                self.target.flush()
            return b""
        return clean


def _id_of(message: object) -> object:
    """Return the id of a request; None if it has none, or one that none may have."""
    id_ = message.get("id") if isinstance(message, dict) else None
    return id_ if type(id_) in (int, str) else None


def _is_message(message: object) -> bool:
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    if "id" in message and _id_of(message) is None:
        return "error" in message and message["id"] is None
    if "method" in message:
        params = message.get("params")
        return isinstance(message["method"], str) and (
            params is None or isinstance(params, dict | list)
        )
    return "id" in message and ("result" in message or "error" in message)
