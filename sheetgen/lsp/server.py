"""The server: requests and notifications of the Language Server Protocol, over pygls."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO, Final, TypeAlias, TypeVar, cast

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from sheetgen import __version__
from sheetgen.lsp import requests
from sheetgen.lsp.diagnostics import OpenFilesChecker
from sheetgen.lsp.messages import diagnostic, offset_at, uri_of
from sheetgen.lsp.renaming import CannotRename, rename_id
from sheetgen.lsp.session import Document, Session
from sheetgen.lsp.stream import MessageStream

T = TypeVar("T")
Answer: TypeAlias = Callable[[Session, Document, Any], Any]

DELAY: Final = 0.05
"""Seconds without typing after which open files are checked."""

_WATCHES: Final = "workspace.did_change_watched_files.dynamic_registration"
_WATCHED: Final = types.FileSystemWatcher("**/*.{yaml,yml,csv}")
_TRIGGERS: Final = [" ", "[", "{", ","]


class SheetServer(LanguageServer):
    """The language server of one editor.

    Attributes:
        pending: The real paths of open files to check, those that changed first.
        published: The diagnostics that the editor shows, by address.
    """

    def __init__(self) -> None:
        super().__init__(
            "sheetgen", __version__, text_document_sync_kind=types.TextDocumentSyncKind.Full
        )
        self.session = Session()
        self.checker = OpenFilesChecker()
        self.pending: dict[str, None] = {}
        self.published: dict[str, list[types.Diagnostic]] = {}
        self._worker = ThreadPoolExecutor(max_workers=1)
        self._timer: asyncio.TimerHandle | None = None
        self._check: asyncio.Task[None] | None = None

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Do not show errors of the protocol as messages in the editor."""

    def serve(self, source: BinaryIO, target: BinaryIO) -> None:
        """Talk to an editor until it ends the server, or its stream does.

        Raises:
            ValueError: The editor sent what is no message.
        """
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
            texts = self.session.texts()
            found = await self.work(self.checker.check, document.path, texts)
            current = self.session.documents.get(real)
            if current is not None and current.text is document.text:
                self.session.findings[document.path] = found
                self.publish(document.uri)
                self.session.prepare(document)

    async def work(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return the result of a function that checks files: one at a time, in another thread."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, function, *arguments)

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
    _handle_documents(server)
    _handle_requests(server)
    return server


def _handle_documents(server: SheetServer) -> None:
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
        document = server.document_at(params.text_document.uri)
        if document is not None:
            server.schedule(session.save(document.path))

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        document = server.document_at(params.text_document.uri)
        if document is not None:
            server.schedule(session.close(document.path))
            server.checker.forget(document.path)
            server.publish()

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_on_disk(_: types.DidChangeWatchedFilesParams) -> None:
        server.schedule(*session.documents)

    @server.feature(types.SHUTDOWN)
    def shut_down(_: None) -> None:
        session.end()


def _handle_requests(server: SheetServer) -> None:
    def handle(method: str, answer: Answer, options: Any = None) -> None:
        def handler(params: Any) -> Any:
            document = server.document_at(params.text_document.uri)
            return answer(server.session, document, params) if document is not None else None

        server.feature(method, options)(handler)

    triggers = types.CompletionOptions(trigger_characters=_TRIGGERS)
    handle(types.TEXT_DOCUMENT_COMPLETION, requests.complete, triggers)
    handle(types.TEXT_DOCUMENT_HOVER, requests.hover)
    handle(types.TEXT_DOCUMENT_CODE_ACTION, requests.list_actions)
    handle(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, requests.list_symbols)
    handle(types.TEXT_DOCUMENT_DEFINITION, requests.find_definition)
    handle(types.TEXT_DOCUMENT_PREPARE_RENAME, requests.prepare_rename)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        document = server.document_at(params.text_document.uri)
        if document is None:
            return None
        texts, offset = server.session.texts(), offset_at(document.text, params.position)
        file = server.session.open_file(document)
        try:
            changed = await server.work(rename_id, file, offset, params.new_name, texts)
        except CannotRename as error:
            shown = types.ShowMessageParams(types.MessageType.Warning, str(error))
            server.window_show_message(shown)
            return None
        # Edits of a text that has changed meanwhile would be in wrong places.
        return (
            requests.rename_edit(server.session, changed)
            if server.session.texts() == texts
            else None
        )
