"""The form of a file of this machine, as `sheetgen preview` serves it: changes are written."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sheetgen.load.cache import read_shared_texts
from sheetgen.load.designs.templates import STANDARD, theme_ids
from sheetgen.load.files import FileState, file_state, read_text, record_reads
from sheetgen.plugins.builder.session import Answer, FormSession
from sheetgen.plugins.builder.site import POLICY, builder_file
from sheetgen.write import overwrite_file

_TYPES: Final = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_FILES: Final = {name: name for name in ("index.html", "builder.css", "builder.js")} | {
    "": "index.html",
    "engine.js": "local.js",
}
_BOM: Final = b"\xef\xbb\xbf"
_LOCAL_POLICY: Final = POLICY.replace(" 'wasm-unsafe-eval'", "") + "; frame-ancestors 'none'"


class LocalForm:
    """Answers requests about one file as `FormSession` does, and writes what changes.

    A request with `was`, the digest of the text that the page knows, writes the text of its
    answer. If another program changed the file since, nothing is written, and the answer has the
    new text. `{"do": "load"}` returns the form of the file as it is now, or `same` if the page
    knows it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._session = FormSession(path.parent, path)
        self._states: dict[str, FileState] = {}  # of what the session read besides the file

    @staticmethod
    def page_file(name: str) -> tuple[bytes, str, str] | None:
        """Return a file of the page, its media type and its policy; None if there is no such."""
        if (file := _FILES.get(name)) is None:
            return None
        content = builder_file(file).replace(b"@policy@", POLICY.encode())
        others = [[id_, id_] for id_ in theme_ids() if id_ != STANDARD]
        themes = json.dumps([[STANDARD, STANDARD], *others]).encode()
        content = content.replace(b"@games@", b"[]").replace(b"@themes@", themes)
        return content, f"{_TYPES[Path(file).suffix]}; charset=utf-8", _LOCAL_POLICY

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Return the answer to a request; if there is none, `refused` says why."""
        if any(file_state(path, {}) != state for path, state in self._states.items()):
            self._session, self._states = FormSession(self._path.parent, self._path), {}
        since = time.time_ns()
        with record_reads() as reads:
            answer = self._answer(request)
        for path in reads - {str(self._path), *self._states}:
            self._states[path] = file_state(path, {}, since)
        return answer

    def _answer(self, request: Mapping[str, Any]) -> Answer:
        read = read_text(self._path)
        if read.value is None:
            return {"refused": read.findings[0].message}
        text, digest = read.value
        known = request.get("was")
        if request.get("do") == "load":
            return {"same": True} if known == digest else self._load(text, digest)
        if known is None:
            return self._session.answer(request)
        if known != digest:
            told = "this change was not made: another program changed the file"
            return {**self._load(text, digest), "told": told}
        answer = self._session.answer(request)
        new = answer.get("text", text)
        # The text boxes of a browser have line feeds only.
        if 0 < text.count("\r\n") == text.count("\n") and "\r\n" not in new:
            new = answer["text"] = new.replace("\n", "\r\n")
        if text.strip() and not new.strip():
            return {"refused": "the file would be empty"}
        if new == text:
            return {**answer, "digest": digest}
        if read_shared_texts().get(os.path.realpath(self._path), text) != text:
            return {"refused": "an editor has changes of this file that are not saved; save them"}
        bom = _BOM if hashlib.sha256(_BOM + text.encode("utf-8")).hexdigest() == digest else b""
        content = bom + new.encode("utf-8")
        if (failed := overwrite_file(self._path, content, digest)) is not None:
            return {"refused": failed.message}
        return {**answer, "digest": hashlib.sha256(content).hexdigest()}

    def _load(self, text: str, digest: str) -> Answer:
        return {**self._session.answer({"do": "open", "text": text}), "digest": digest}
