"""The YAML language server, which editors run, completes, explains and checks by the schemas."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from queue import Empty, Queue
from typing import Any

import pytest

from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.plugins.editor.schemas import file_schema
from tests.shelf import TESTS, skip_without

pytestmark = pytest.mark.slow

SERVER = TESTS / "viewers/node_modules/yaml-language-server/bin/yaml-language-server"
GAME = "hyperspace-d6"
CHARACTERS = sorted((rulesets_folder().parent / "characters" / GAME).glob("*.yaml"))


class Server:
    """A client of the server over its standard streams, as an editor is one."""

    def __init__(self, schemas: dict[str, str]) -> None:
        self.settings = {"schemas": schemas, "schemaStore": {"enable": False}, "validate": True}
        self.process = subprocess.Popen(
            ["node", str(SERVER), "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.answers: Queue[tuple[int, Any]] = Queue()
        self.diagnostics: Queue[tuple[str, list[Any]]] = Queue()
        self.number = 0
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        markdown = {"completionItem": {"documentationFormat": ["markdown"]}}
        can = {"workspace": {"configuration": True}, "textDocument": {"completion": markdown}}
        self.call("initialize", {"processId": None, "rootUri": None, "capabilities": can})
        self.send({"method": "initialized", "params": {}})
        changed = {"settings": {"yaml": self.settings}}
        self.send({"method": "workspace/didChangeConfiguration", "params": changed})

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.reader.join()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def call(self, method: str, params: dict[str, Any]) -> Any:
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            number, result = self.answers.get(timeout=300)
            if number == self.number:
                return result

    def findings(self, name: str, text: str) -> list[Any]:
        uri = f"file:///{name}"
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        found: list[Any] | None = None
        while True:  # the last of several that follow each other is the one about the schema
            try:
                about, latest = self.diagnostics.get(timeout=300 if found is None else 1)
            except Empty:
                assert found is not None, "no answer"
                return found
            found = latest if about == uri else found

    def ask(self, what: str, name: str, line: int, column: int) -> Any:
        place = {"line": line, "character": column}
        params = {"textDocument": {"uri": f"file:///{name}"}, "position": place}
        return self.call(f"textDocument/{what}", params)

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            size = 0
            while head := stream.readline().strip():
                if head.lower().startswith(b"content-length:"):
                    size = int(head.split(b":")[1])
            if not size:
                return
            message = json.loads(stream.read(size))
            if message.get("method") == "workspace/configuration":
                items = message["params"]["items"]
                found = [self.settings if i.get("section") == "yaml" else None for i in items]
                self.send({"id": message["id"], "result": found})
            elif message.get("method") == "textDocument/publishDiagnostics":
                about = message["params"]
                self.diagnostics.put((about["uri"], about["diagnostics"]))
            elif "method" not in message:
                self.answers.put((message["id"], message.get("result")))
            elif "id" in message:
                self.send({"id": message["id"], "result": None})


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if shutil.which("node") is None or not SERVER.is_file():
        skip_without("yaml-language-server", "`make viewers` installs it")
    rules = load_ruleset(rulesets_folder() / GAME, complete=True).value
    assert rules is not None
    schema = tmp_path_factory.mktemp("schema") / "character.json"
    schema.write_text(json.dumps(file_schema(rules, "character")))
    found = Server({schema.as_uri(): "*.yaml"})
    yield found
    found.close()


def test_clean_files_have_no_findings(server: Server) -> None:
    for path in CHARACTERS:
        assert server.findings(path.name, path.read_text()) == []


def test_a_misspelt_name_is_found_at_its_place(server: Server) -> None:
    text = f"ruleset: {GAME}\nname: Bo\nspecies: Humman\nprofession: Scoundrel\n"
    found = server.findings("wrong.yaml", text)
    assert [one["range"]["start"] for one in found] == [{"line": 2, "character": 9}]
    assert '"Human"' in found[0]["message"]


def test_names_are_completed_with_what_they_bring(server: Server) -> None:
    server.findings("half.yaml", f"ruleset: {GAME}\nname: Bo\nspecies: \nskills: [Bla, ]\n\n")
    species = items(server.ask("completion", "half.yaml", 2, 9))
    assert "DEX 2D" in species["Human"]
    assert "Under Dexterity" in items(server.ask("completion", "half.yaml", 3, 14))["Blasters"]
    assert {"profession", "gear"} <= set(items(server.ask("completion", "half.yaml", 4, 0)))


def items(answer: Any) -> dict[str, str]:
    listed = answer["items"] if isinstance(answer, dict) else answer
    return {
        item["label"]: text["value"] if isinstance(text, dict) else text
        for item in listed
        for text in (item.get("documentation") or "",)
    }


def test_keys_are_explained(server: Server) -> None:
    server.findings("clean.yaml", CHARACTERS[0].read_text())
    lines = CHARACTERS[0].read_text().splitlines()
    line = next(n for n, text in enumerate(lines) if text.startswith("species"))
    answer = server.ask("hover", "clean.yaml", line, 2)
    assert "Species" in str(answer["contents"])
