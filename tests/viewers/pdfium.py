"""PDFium with its scripts: the PDF viewer that is part of Chromium, used by mouse and keys."""

from __future__ import annotations

import base64
import io
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pikepdf
from playwright.sync_api import Browser

from tests.viewers.scripted import terminal

_WIDTH, _HEIGHT = 900, 1300
_BAR = 15  # of scrolling
_TOP = 3
_PIXELS = 4 / 3
"""Where the viewer puts a page at full size: in the middle, below an edge; pixels a point."""

_SAVE = """(async () => {
  const viewer = document.querySelector("pdf-viewer");
  const made = await viewer.pluginController_.save("EDITED");
  return btoa(Array.from(new Uint8Array(made.dataToSave), (b) => String.fromCharCode(b)).join(""));
})()"""


class Pdfium:
    """A file that is open in Chromium's PDF viewer; fields of its first page can be used."""

    def __init__(self, browser: Browser, data: bytes) -> None:
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "application/pdf")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        with pikepdf.open(io.BytesIO(data)) as pdf:
            box = [float(side) for side in pdf.pages[0].mediabox]
            found = terminal(pdf.Root.AcroForm.Fields)
            self.rects = {name: [float(side) for side in one.Rect] for name, one in found}
        self.left = (_WIDTH - _BAR - box[2] * _PIXELS) / 2
        self.height = box[3]
        self.page = browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT})
        address = f"http://127.0.0.1:{self.server.server_port}/file.pdf"
        self.page.goto(f"{address}#zoom=100&toolbar=0&navpanes=0")
        self.devtools = browser.new_browser_cdp_session()
        self.answers: dict[int, Any] = {}
        self.devtools.on("Target.receivedMessageFromTarget", self._heard)
        self.session = self._attached()
        self.page.wait_for_timeout(500)

    def close(self) -> None:
        self.page.close()
        self.server.shutdown()
        self.server.server_close()

    def _attached(self) -> str:
        """Return the session of the viewer's own page, once it has loaded the file."""
        for _ in range(100):
            self.page.wait_for_timeout(100)
            for target in self.devtools.send("Target.getTargets")["targetInfos"]:
                if target["url"].startswith("chrome-extension://"):
                    told = {"targetId": target["targetId"], "flatten": False}
                    self.session = self.devtools.send("Target.attachToTarget", told)["sessionId"]
                    while self._asked("document.querySelector('pdf-viewer')?.loadState_") != (
                        "success"
                    ):
                        self.page.wait_for_timeout(100)
                    return self.session
        raise AssertionError("the viewer of Chromium did not open")

    def _heard(self, event: dict[str, Any]) -> None:
        message = json.loads(event["message"])
        self.answers[message.get("id", 0)] = message

    def _asked(self, expression: str) -> Any:
        number = len(self.answers) + 1000
        how = {"expression": expression, "awaitPromise": True, "returnByValue": True}
        message = {"id": number, "method": "Runtime.evaluate", "params": how}
        told = {"sessionId": self.session, "message": json.dumps(message)}
        self.devtools.send("Target.sendMessageToTarget", told)
        for _ in range(200):
            if number in self.answers:
                return self.answers[number]["result"]["result"].get("value")
            self.page.wait_for_timeout(50)
        raise AssertionError("the viewer of Chromium does not answer")

    def _click(self, name: str) -> None:
        left, foot, right, top = self.rects[name]
        across = self.left + (left + right) / 2 * _PIXELS
        self.page.mouse.click(across, _TOP + (self.height - (top + foot) / 2) * _PIXELS)
        self.page.wait_for_timeout(150)

    def type(self, name: str, text: str) -> None:
        self._click(name)
        # The viewer's page answers Control+A by a message to the plug-in, which may arrive after
        # the letters that follow. These keys go to the plug-in itself, in their order.
        self.page.keyboard.press("Control+End")
        self.page.keyboard.press("Control+Shift+Home")
        self.page.keyboard.type(text)
        # Tab would scroll to a next field on another page, and later clicks would miss theirs.
        self.page.mouse.click(self.left + _TOP, 2 * _TOP)
        self.page.wait_for_timeout(150)

    def tick(self, name: str) -> None:
        self._click(name)

    def push(self, name: str) -> None:
        self._click(name)

    def saved(self) -> bytes:
        self.page.wait_for_timeout(200)
        return base64.b64decode(self._asked(_SAVE))
