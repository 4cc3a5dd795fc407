"""PDF.js in a browser: its own viewer, which Firefox has, with the sandbox for scripts."""

from __future__ import annotations

import base64
import io
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pikepdf
from playwright.sync_api import Browser

from tests.viewers.scripted import terminal

HERE = Path(__file__).parent
PDFJS = HERE / "node_modules" / "pdfjs-dist"
_KINDS = {".mjs": "text/javascript", ".html": "text/html", ".css": "text/css"}


class _Handler(BaseHTTPRequestHandler):
    """Serves the viewer, PDF.js, and the one file that is open."""

    data = b""

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        path = HERE / "viewer.html"
        if self.path.startswith("/pdfjs/"):
            path = PDFJS / self.path.removeprefix("/pdfjs/").partition("?")[0]
        if self.path != "/file.pdf" and not path.is_file():
            self.send_error(404)
            return
        data = self.data if self.path == "/file.pdf" else path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", _KINDS.get(path.suffix, "application/octet-stream"))
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class PdfJs:
    """A file that is open in PDF.js."""

    def __init__(self, browser: Browser, data: bytes) -> None:
        handler = type("Handler", (_Handler,), {"data": data})
        with pikepdf.open(io.BytesIO(data)) as pdf:
            found = terminal(pdf.Root.AcroForm.Fields)
            self.numbers = {name: one.objgen[0] for name, one in found}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.page = browser.new_page(viewport={"width": 900, "height": 1200})
        self.wrong: list[str] = []
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.goto(f"http://127.0.0.1:{self.server.server_port}/")
        self.page.wait_for_function("globalThis.ready")
        self.page.wait_for_selector(".annotationLayer input")

    def close(self) -> None:
        self.page.close()
        self.server.shutdown()
        self.server.server_close()
        assert self.wrong == []

    def type(self, name: str, text: str) -> None:
        field = self.page.locator(f'[name="{name}"]').first
        field.focus()
        self.page.wait_for_timeout(20)  # A script may still write what the field shows now.
        field.fill(text)
        while field.input_value() != text:
            field.fill(text)
        field.press("Tab")

    def tick(self, name: str) -> None:
        self.page.locator(f'[name="{name}"]').first.click()

    def push(self, name: str) -> None:
        self.page.locator(f'[data-annotation-id="{self.numbers[name]}R"] a').click()

    def saved(self) -> bytes:
        self.page.wait_for_timeout(100)
        return base64.b64decode(self.page.evaluate("saved()"))
