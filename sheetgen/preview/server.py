"""The preview's server: loopback only, a token in the address, and nothing but closed lists."""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sheetgen.load.designs.fonts import font_bytes
from sheetgen.preview.framing import frame_print, page_file, without_styles
from sheetgen.preview.open_pages import OpenPages
from sheetgen.preview.previewer import FORMATS, PAGE, PreviewRequest

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
        if not self._is_allowed(Request(scope)) or not secrets.compare_digest(
            token.encode(), self._token.encode()
        ):
            refused = PlainTextResponse("This address is not served.\n", 403)
            await refused(scope, receive, send_with_headers)
            return
        inner = {**scope, "path": f"/{rest}", "raw_path": None, "root_path": ""}
        await self._app(inner, receive, send_with_headers)

    def _is_allowed(self, request: Request) -> bool:
        headers = request.headers
        origin = headers.get("origin")
        return (
            headers.getlist("host") in [[host] for host in self._hosts]
            and (origin is None or origin in {f"http://{host}" for host in self._hosts})
            and headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        )


def build_app(open_pages: OpenPages, token: str, hosts: frozenset[str]) -> ASGIApp:
    """Return the application.

    Args:
        hosts: Values of the Host header that are served.
    """

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        if name in _FONTS:
            return Response(font_bytes(_FONTS[name]), media_type="font/ttf")
        if name not in _FILES:
            return PlainTextResponse("There is no such file.\n", 404)
        own, type_ = _FILES[name]
        return Response(page_file(own), media_type=type_)

    async def content(request: Request) -> Response:
        found = open_pages.find_content(request.path_params["digest"])
        if found is None:
            return PlainTextResponse("This page is not shown any more.\n", 404)
        if found.type != PAGE:
            return Response(found.data, media_type=found.type)
        if request.url.path.startswith("/update/"):
            return PlainTextResponse(without_styles(found.data))
        data, policy = frame_print(found.data)
        headers = {"content-security-policy": policy}
        return Response(data, media_type="text/html; charset=utf-8", headers=headers)

    async def events(request: Request) -> Response:
        asked = request.query_params
        entry, format_ = asked.get("entry", ""), asked.get("format", FORMATS[0])
        if (entry and entry not in open_pages.ids) or format_ not in FORMATS:
            return PlainTextResponse("There is no such entry.\n", 404)
        part, dpi = asked.get("part", ""), asked.get("dpi", "")
        shown = PreviewRequest(
            entry,
            asked.get("choice", "")[:200],
            format_,
            _number(part, 0),
            min(_RESOLUTIONS, key=lambda one: abs(one - _number(dpi, 110))),
        )
        return StreamingResponse(open_pages.follow(shown), media_type="text/event-stream")

    app = Starlette(
        routes=[
            Route("/events", events),
            Route("/content/{digest}", content),
            Route("/update/{digest}", content),
            Route("/{name:path}", file),
        ]
    )
    return Guard(app, token, hosts)


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isdecimal() and len(text) < 5 else otherwise


def bind_port(port: int) -> socket.socket:
    """Return a socket that listens on loopback; 0 is any free port.

    Raises:
        OSError: The port is taken, or not allowed.
    """
    listener = socket.socket()
    try:
        listener.bind((LOOPBACK, port))
    except (OSError, OverflowError):
        listener.close()
        raise
    return listener


def serve_preview(path: Path, listener: socket.socket, announce: Callable[[str], None]) -> None:
    """Serve the preview of a file, folder or book until Ctrl+C.

    Args:
        announce: Called with the page's address once it can be opened.
    """
    token, port = secrets.token_urlsafe(24), listener.getsockname()[1]
    hosts = frozenset({f"{LOOPBACK}:{port}", f"localhost:{port}"})
    asyncio.run(_serve(path, listener, token, hosts, announce))


async def _serve(
    path: Path,
    listener: socket.socket,
    token: str,
    hosts: frozenset[str],
    announce: Callable[[str], None],
) -> None:
    ids: set[str] = set()
    open_pages = OpenPages(path, ids)
    config = uvicorn.Config(
        build_app(open_pages, token, hosts),
        access_log=False,  # it would show the token
        log_config=None,
        log_level="critical",  # a request that is none is not worth a line
        server_header=False,
        date_header=False,
        lifespan="off",
        ws="none",
        http="h11",
        loop="asyncio",
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    running = asyncio.create_task(open_pages.run())
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        announce(f"http://{LOOPBACK}:{listener.getsockname()[1]}/{token}/")
        while not server.should_exit:  # Ctrl+C sets it
            await asyncio.sleep(0.05)
        open_pages.ended = True
        await asyncio.gather(serving, running)
    finally:
        open_pages.end()
