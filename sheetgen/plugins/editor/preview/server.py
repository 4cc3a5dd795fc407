"""The preview's server: loopback only, a token in the address, and nothing but closed lists."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import json
import os
import secrets
import signal
import socket
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from sheetgen.books.workers import failed_print
from sheetgen.bounds import exit_with_parent
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span
from sheetgen.load.cache import read_shared_texts, shared_texts_folder
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.load.files import FileState, file_state
from sheetgen.plugins.editor.preview import previewer
from sheetgen.registry import find_hook

_POLL: Final = 0.03  # Seconds between two questions whether a file has changed
_REREAD: Final = 1.0  # seconds until unsaved texts are read again: an editor may have ended
_LONGEST: Final = 120.0  # Seconds that a print may take
_LONGEST_STALE: Final = 20.0  # Seconds that a print may take when its files have changed again
_LONGEST_CLOSED: Final = 1.0  # Seconds that a print may take when no page shows it any more
_LONGEST_FORM: Final = 60.0  # Seconds that a form waits for an answer
_KEPT: Final = 8  # Requests of which the last good print is kept
_WAKE: Final = 0.25  # Seconds after which a connection sees that the server ends
_ALIVE: Final = 10.0  # Seconds between two signs of life on a quiet connection


class OpenPage:
    """One open page."""

    def __init__(self, request: previewer.PreviewRequest, path: Path) -> None:
        self.request = request
        self.states: Mapping[str, FileState] = {str(path): ("unread",)}
        self.stale = self.closed = False
        self.facts: dict[str, Any] = {}
        self.news = asyncio.Event()

    def show(self, facts: dict[str, Any]) -> None:
        """Send facts to the page, if they are new to it."""
        if facts != self.facts:
            self.facts = facts
            self.news.set()


class OpenPages:
    """All open pages, and the process that prints for them: one at a time, the newest state."""

    def __init__(self, path: Path) -> None:
        self.ids: set[str] = set()  # of the entries that a page may ask for
        self.ended = False  # whether the server ends
        self._path = path
        self._process = ChildProcess(previewer.Previewer, path)
        self._forms = ChildProcess(previewer.FormList, path)
        self._form_lock = asyncio.Lock()
        self._pages: list[OpenPage] = []
        self._good: OrderedDict[previewer.PreviewRequest, list[previewer.PreviewResult]] = (
            OrderedDict()
        )
        self._unsaved: dict[str, str] = {}
        self._digests: dict[str, str] = {}

    async def run(self) -> None:
        """Print whenever the files of a page change, until the server ends."""
        shared: FileState = ()
        read = 0.0
        printing: asyncio.Task[None] | None = None
        while not self.ended:
            now = time.monotonic()
            state = file_state(str(shared_texts_folder()), {}, time.time_ns())
            if state != shared or (self._unsaved and now - read > _REREAD):
                shared, read = state, now
                self._unsaved = read_shared_texts()
                self._digests = previewer.text_digests(self._unsaved)
            for page in self._pages:
                states = page.states.items()
                page.stale |= any(file_state(path, self._digests) != was for path, was in states)
            if printing is None or printing.done():
                waiting = [page for page in self._pages if page.stale]
                printing = asyncio.create_task(self._print(waiting[0])) if waiting else None
            await asyncio.sleep(_POLL)

    async def _print(self, page: OpenPage) -> None:
        """Print what a page shows; show it, or keep the last good print and show the findings."""
        page.states = {path: file_state(path, self._digests) for path in page.states}
        page.stale = False
        request = replace(page.request, unsaved=self._unsaved)
        what = page.request.entry or os.path.basename(os.path.realpath(self._path))
        page.show({**page.facts, "busy": True, "what": what})

        def reason_to_stop(seconds: float) -> str:
            if page.closed and seconds > _LONGEST_CLOSED:
                return "no page shows it any more"
            if page.stale and seconds > _LONGEST_STALE:
                return "its files have changed since"
            return f"it took more than {_LONGEST:.0f} seconds" if seconds > _LONGEST else ""

        result = await asyncio.to_thread(self._process.run, request, reason_to_stop)
        self.ids.update(id_ for id_, _ in result.facts.get("entries", ()))
        if result.content:
            good = self._good.setdefault(page.request, [])
            self._good.move_to_end(page.request)
            good[:] = [result, *good[:1]]  # a page may still load the one before
            if len(self._good) > _KEPT:
                self._good.popitem(last=False)
        shown = self._good.get(page.request, [result])[0]
        pages = []
        for one in shown.content:
            policy = previewer.read_policy(one.data) if one.type == previewer.PAGE else ""
            size = {"width": one.width, "height": one.height}
            pages.append({"id": one.digest, "type": one.type, **size, "policy": policy})
        page.states = {**page.states, **result.states}
        page.show({**result.facts, "pages": pages, "failed": not result.content, "busy": False})
        # The last pages go first: a page that changes all the time does not keep others waiting.
        if page in self._pages:
            self._pages.remove(page)
            self._pages.append(page)

    def end(self) -> None:
        """End all connections, and the processes."""
        self.ended = True
        self._process.end()
        self._forms.end()

    def find_content(self, digest: str) -> previewer.PreviewContent | None:
        """Return a content that some page shows."""
        results = itertools.chain.from_iterable(self._good.values())
        return next((one for r in results for one in r.content if one.digest == digest), None)

    async def answer_form(self, request: dict[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a request of a form; see `FormList`."""
        async with self._form_lock:
            return await asyncio.to_thread(
                self._forms.run,
                request,
                lambda seconds: "it took too long" if seconds > _LONGEST_FORM else "",
            )

    async def follow(self, request: previewer.PreviewRequest) -> AsyncIterator[str]:
        """Yield the server-sent events for a page, until it is closed or the server ends."""
        page = OpenPage(request, self._path)
        self._pages.append(page)
        try:
            silent = 0.0
            while not self.ended:
                try:
                    await asyncio.wait_for(page.news.wait(), _WAKE)
                except TimeoutError:
                    silent += _WAKE
                    if silent >= _ALIVE:
                        silent = 0.0
                        yield ":\n\n"
                    continue
                page.news.clear()
                yield f"data: {json.dumps(page.facts)}\n\n"
            yield 'data: {"ended": true}\n\n'
        finally:
            page.closed = True
            self._pages.remove(page)


LOOPBACK: Final = "127.0.0.1"

_FILES: Final = {
    "": ("preview.html", "text/html; charset=utf-8"),
    "preview.css": ("preview.css", "text/css; charset=utf-8"),
    "logo.svg": ("logo.svg", "image/svg+xml"),
    "preview.js": ("preview.js", "text/javascript; charset=utf-8"),
}
_FONTS: Final = {
    "text-400.ttf": "SourceSansPro-Regular.ttf",
    "text-600.ttf": "SourceSansPro-Semibold.ttf",
    "figure-600.ttf": "Manrope-SemiBold.ttf",
}
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS: Final = {
    "cache-control": "no-store",
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_MOST_IDLE: Final = 100  # Connections without a request that are kept open
_MOST_FORM: Final = 16_000_000  # Bytes of a form's request, which may hold a filled sheet
_RESOLUTIONS: Final = (72, 110, 150, 220, 300)


class Guard:
    """Refuses requests from elsewhere: another host or origin, another site, without the token."""

    def __init__(self, app: ASGIApp, token: str, hosts: frozenset[str]) -> None:
        self._app, self._token, self._hosts = app, token, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an allowed request on, without the token, and add the headers of all responses."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name for name, _ in message["headers"]}
                more = ((k.encode(), v.encode()) for k, v in _HEADERS.items())
                message["headers"] += [(k, v) for k, v in more if k not in known]
            await send(message)

        _, token, rest = (*scope["path"].split("/", 2), "", "")[:3]
        headers = Request(scope).headers
        allowed = (
            secrets.compare_digest(token.encode(), self._token.encode())
            and headers.getlist("host") in [[host] for host in self._hosts]
            and headers.get("origin") in {None, *(f"http://{host}" for host in self._hosts)}
            and headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        )
        if not allowed:
            refused = PlainTextResponse("This address is not served.\n", 403)
            await refused(scope, receive, send_with_headers)
            return
        inner = {**scope, "path": f"/{rest}", "raw_path": None, "root_path": ""}
        await self._app(inner, receive, send_with_headers)


class BoundedConnection(H11Protocol):
    """A connection; a new one closes the oldest idle one of many, since each holds a file."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        self._number = next(_numbers)
        ours = (one for one in self.connections if isinstance(one, BoundedConnection))
        opened = (one for one in ours if not one.transport.is_closing())
        idle = [one for one in opened if one.cycle is None or one.cycle.response_complete]
        if len(idle) > _MOST_IDLE:
            min(idle, key=lambda one: one._number).transport.abort()


_numbers = itertools.count()


def build_app(open_pages: OpenPages, token: str, hosts: frozenset[str]) -> ASGIApp:
    """Return the application; `hosts` are the values of the Host header that are served."""

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if name in _FONTS:
            return Response(font_bytes(_FONTS[name]), media_type="font/ttf")
        if name in _FILES:
            return Response(previewer.page_file(_FILES[name][0]), media_type=_FILES[name][1])
        return PlainTextResponse("There is no such file.\n", 404)

    async def content(request: Request) -> Response:
        found = open_pages.find_content(request.path_params["digest"])
        if found is None:
            return PlainTextResponse("This page is not shown any more.\n", 404)
        if found.type != previewer.PAGE:
            return Response(found.data, media_type=found.type)
        if request.url.path.startswith("/update/"):
            # The frame shows another print with the same policy, and so the same styles.
            return PlainTextResponse(previewer.STYLE.sub(b"", found.data, count=1))
        data, policy = previewer.frame_print(found.data)
        headers = {"content-security-policy": policy}
        return Response(data, media_type="text/html; charset=utf-8", headers=headers)

    async def events(request: Request) -> Response:
        asked = request.query_params
        entry, format_ = asked.get("entry", ""), asked.get("format", previewer.FORMATS[0])
        if (entry and entry not in open_pages.ids) or format_ not in previewer.FORMATS:
            return PlainTextResponse("There is no such entry.\n", 404)
        part, dpi = _number(asked.get("part", ""), 0), _number(asked.get("dpi", ""), 110)
        near = min(_RESOLUTIONS, key=lambda one: abs(one - dpi))
        shown = previewer.PreviewRequest(entry, asked.get("choice", "")[:200], format_, part, near)
        return StreamingResponse(open_pages.follow(shown), media_type="text/event-stream")

    async def form(request: Request) -> Response:
        hook = find_hook("form")
        found = hook.page_file(request.path_params["name"]) if hook is not None else None
        if found is None:
            return PlainTextResponse("There is no such file.\n", 404)
        data, type_, policy = found
        return Response(data, media_type=type_, headers={"content-security-policy": policy})

    async def answer(request: Request) -> Response:
        # A page from elsewhere cannot send JSON without asking first, and is never allowed to.
        type_ = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if type_ != "application/json":
            return PlainTextResponse("This is no request of a form.\n", 415)
        body, size = b"", 0
        async for part in request.stream():
            size += len(part)
            body = body + part if size <= _MOST_FORM else b""
        if size > _MOST_FORM:
            return PlainTextResponse("This is too long.\n", 413)
        try:
            asked = json.loads(body)
        except (ValueError, RecursionError):
            asked = None
        if not isinstance(asked, dict):
            return PlainTextResponse("This is no request of a form.\n", 400)
        return JSONResponse(await open_pages.answer_form(asked))

    routes = [
        Route("/content/{digest}", content),
        Route("/update/{digest}", content),
        Route("/form/answer", answer, methods=["POST"]),
        Route("/form/{name:path}", form),
        Route("/events", events),
        Route("/{name:path}", file),
    ]
    return Guard(Starlette(routes=routes), token, hosts)


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isdecimal() and len(text) < 5 else otherwise


async def serve_preview(
    path: Path, listener: socket.socket, announce: Callable[[str], None]
) -> None:
    """Serve a preview until Ctrl+C; `announce` its address once the page can be opened."""
    token, port = secrets.token_urlsafe(24), listener.getsockname()[1]
    hosts = frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"})
    open_pages = OpenPages(path)
    config = uvicorn.Config(
        build_app(open_pages, token, hosts),
        access_log=False,  # it would show the token
        log_config=None,
        log_level="critical",  # a request that is none is not worth a line
        server_header=False,
        date_header=False,
        lifespan="off",
        ws="none",
        http=BoundedConnection,
        backlog=_MOST_IDLE,  # so many are accepted at once, before one is closed
        loop="asyncio",
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    running = asyncio.create_task(open_pages.run())
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        announce(f"http://{LOOPBACK}:{port}/{token}/")
        while not server.should_exit:  # Ctrl+C sets it
            await asyncio.sleep(0.05)
        open_pages.ended = True
        await asyncio.gather(serving, running)
    finally:
        open_pages.end()


_SLICE: Final = 0.02  # Seconds between two questions whether a print is still asked for


class ChildProcess:
    """Answers requests in a child, which makes an `answerer`, one at a time; methods block."""

    def __init__(
        self, answerer: type[previewer.Previewer | previewer.FormList], path: Path
    ) -> None:
        self._answerer, self._path = answerer, path
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def run(self, request: Any, reason_to_stop: Callable[[float], str]) -> Any:
        """Return the answer to a request; or a refusal, if the child ended twice or was stopped.

        Args:
            reason_to_stop: Called often with the seconds since the start; returns why the
                answer is not to be waited for, or "".
        """
        start, reason = time.monotonic(), ""
        for _ in range(2):  # it may have been ended while it waited
            if self._pipe is None or self._process is None or not self._process.is_alive():
                self.end()
                spawn = get_context("spawn")
                self._pipe, theirs = spawn.Pipe()
                of = (theirs, self._answerer, self._path, os.getpid())
                self._process = spawn.Process(target=_serve, args=of, daemon=True)
                self._process.start()
                theirs.close()
            pipe = self._pipe
            with contextlib.suppress(EOFError, OSError):
                pipe.send(request)
                while not reason and not pipe.poll(_SLICE):
                    reason = reason_to_stop(time.monotonic() - start)
                if not reason:
                    return pipe.recv()
            self.end()
            if reason:
                break
        message = f"{self._answerer.NAME} was stopped: {reason or 'its process ended'}"
        hint = "save the file to try again"
        return self._answerer.refuse(
            Finding(codes.PRINT_STOPPED, Span(str(self._path)), message, hint)
        )

    def end(self) -> None:
        """End the process, whatever it does."""
        process, self._process = self._process, None
        pipe, self._pipe = self._pipe, None
        if process is not None:
            process.kill()
            process.join()
            process.close()
        if pipe is not None:
            pipe.close()


def _serve(
    pipe: Connection,
    answerer: type[previewer.Previewer | previewer.FormList],
    path: Path,
    parent: int,
) -> None:
    """Answer requests until the parent ends; Ctrl+C is the parent's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    exit_with_parent(parent)
    gc.set_threshold(100_000)
    ours = answerer(path)
    with contextlib.suppress(EOFError, OSError):
        while True:
            request = pipe.recv()
            try:
                answer: Any = ours.answer(request)
            except Exception as error:  # noqa: BLE001 - the page shows it, and follows on
                answer = answerer.refuse(failed_print(Span(str(path)), error))
                ours = answerer(path)
            pipe.send(answer)
            gc.collect()
