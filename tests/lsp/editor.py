"""An editor for tests: the client of `vscode-languageserver-protocol`, driven from Python."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.shelf import TESTS, skip_without

CLIENT = TESTS / "lsp/client.cjs"
MODULES = TESTS / "viewers/node_modules"


class Editor:
    """An editor with a language server; positions are in UTF-16."""

    def __init__(self, encodings: list[str] | None = None) -> None:
        if (
            shutil.which("node") is None
            or not (MODULES / "vscode-languageserver-protocol").is_dir()
        ):
            skip_without("vscode-languageserver-protocol", "`make viewers` installs it")
        self.process = subprocess.Popen(
            ["node", CLIENT, MODULES, sys.executable, "-m", "sheetgen", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.versions: dict[str, int] = {}
        general = {"positionEncodings": encodings} if encodings else {}
        watched = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
        can = {"general": general, "workspace": watched}
        asked = {"processId": None, "rootUri": None, "capabilities": can}
        self.can = self.request("initialize", asked)["capabilities"]
        self.notify("initialized", {})

    def close(self) -> str:
        """End the server and the client, and return what they wrote to stderr."""
        self.request("shutdown")
        self.notify("exit")
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(20)
        assert self.process.stderr is not None
        assert self.process.stdout is not None
        said = self.process.stderr.read()
        self.process.stderr.close()
        self.process.stdout.close()
        return said

    def _ask(self, **asked: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def request(self, method: str, params: Any = None) -> Any:
        return self._ask(request=method, params=params)

    def notify(self, method: str, params: Any = None) -> None:
        self._ask(notify=method, params=params)

    def write(self, path: Path, text: str) -> None:
        """Open a file with `text`, or replace its text."""
        uri = path.as_uri()
        version = self.versions[uri] = self.versions.get(uri, 0) + 1
        if version == 1:
            document = {"uri": uri, "languageId": "yaml", "version": version, "text": text}
            self.notify("textDocument/didOpen", {"textDocument": document})
        else:
            params = {"textDocument": {"uri": uri, "version": version}}
            self.notify("textDocument/didChange", {**params, "contentChanges": [{"text": text}]})

    def diagnostics(self, path: Path) -> list[dict[str, Any]]:
        """Return the diagnostics of the last text of an open file, or else the last ones."""
        uri = path.as_uri()
        version = {"version": self.versions[uri]} if uri in self.versions else {}
        found: list[dict[str, Any]] = self._ask(diagnostics=uri, **version)
        return found

    def published(self) -> dict[str, list[dict[str, Any]]]:
        """Return the diagnostics that the editor shows, by the path of their file."""
        found: dict[str, list[dict[str, Any]]] = self._ask(published=True)
        return {unquote(urlsplit(uri).path): each for uri, each in found.items() if each}

    def ask(self, method: str, path: Path, **more: Any) -> Any:
        """Return the answer to a request about a file."""
        params = {"textDocument": {"uri": path.as_uri()}, **more}
        return self.request(f"textDocument/{method}", params)

    def at(self, method: str, path: Path, marked: str, **more: Any) -> Any:
        """Return the answer to a request at the first `¦` of a text, which is typed without it."""
        before, _, after = marked.partition("¦")
        self.write(path, before + after)
        lines = before.split("\n")
        place = {"line": len(lines) - 1, "character": len(lines[-1].encode("utf-16-le")) // 2}
        return self.ask(method, path, position=place, **more)
