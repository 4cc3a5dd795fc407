"""What is no message is answered as the protocol says, and what follows is answered, too."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

pytestmark = pytest.mark.many

pytest.importorskip("pygls")

START = {"processId": None, "rootUri": None, "capabilities": {}}
HOVER = {"textDocument": {"uri": "file:///a.yaml"}, "position": {"line": 0, "character": 0}}


def framed(body: bytes, head: bytes = b"Content-Length") -> bytes:
    return b"%s: %d\r\n\r\n" % (head, len(body)) + body


def message(method: str, params: Any = None, **more: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()


OPENING = framed(message("initialize", START, id=0)) + framed(message("initialized", {}))
LAST = framed(message("textDocument/hover", HOVER, id=99))
ENDING = framed(message("shutdown", id=100)) + framed(message("exit"))


def talk(sent: bytes) -> tuple[int, list[dict[str, Any]], str]:
    """Return the status of the server, its answers to requests, and what it wrote to stderr."""
    words = [sys.executable, "-m", "sheetgen", "lsp"]
    done = subprocess.run(words, input=sent, capture_output=True, check=False)
    answers, left = [], done.stdout
    while left:
        head, _, left = left.partition(b"\r\n\r\n")
        size = int(head.split(b":")[1].split(b"\r")[0])
        answers.append(json.loads(left[:size]))
        left = left[size:]
    return done.returncode, [a for a in answers if "method" not in a], done.stderr.decode()


@pytest.mark.parametrize(
    ("body", "id_", "code"),
    [
        (b"{", None, -32700),
        (b"\xff\xfe", None, -32700),
        (b'{"jsonrpc": "2.0", "method": "a\xe9"}', None, -32700),
        (b"[" * 100_000, None, -32700),
        (b"[]", None, -32600),
        (b"[" + message("textDocument/hover", HOVER, id=5) + b"]", None, -32600),
        (b"3", None, -32600),
        (b"null", None, -32600),
        (b"{}", None, -32600),
        (b'{"jsonrpc": "1.0", "id": 5, "method": "shutdown"}', 5, -32600),
        (message("textDocument/hover", HOVER, id=True), None, -32600),
        (message("textDocument/hover", HOVER, id=[1]), None, -32600),
        (message("textDocument/hover", "x", id=5), 5, -32600),
        (b'{"jsonrpc": "2.0", "id": 5, "method": 3}', 5, -32600),
        (b'{"jsonrpc": "2.0", "id": 5}', 5, -32600),
        (message("initialize", START, id=5), 5, -32600),
        (message("textDocument/hover", {}, id="a"), "a", -32602),
        (message("textDocument/hover", [1], id=5), 5, -32602),
        (message("no/such", {}, id=5), 5, -32601),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_is_no_message_is_answered(body: bytes, id_: object, code: int) -> None:
    status, answers, said = talk(OPENING + framed(body) + LAST + ENDING)
    assert [(a["id"], a["error"]["code"]) for a in answers if "error" in a] == [(id_, code)]
    assert [a["id"] for a in answers if "result" in a] == [0, 99, 100]
    assert (status, said) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        message("textDocument/didOpen", {}),
        message("no/such", {}),
        b'{"jsonrpc": "2.0", "id": 77, "result": null}',
        b'{"jsonrpc": "2.0", "id": null, "error": {"code": 1, "message": "x"}}',
    ],
    ids=str,
)
def test_what_needs_no_answer_gets_none(body: bytes) -> None:
    status, answers, said = talk(OPENING + framed(body) + LAST + ENDING)
    assert [a["id"] for a in answers] == [0, 99, 100]
    assert (status, said) == (0, "")


def test_heads_may_be_written_otherwise() -> None:
    hover = message("textDocument/hover", HOVER, id=9)
    kind = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n"
    sent = framed(hover, b"content-length") + kind + framed(hover, b"CONTENT-LENGTH")
    assert [a["id"] for a in talk(OPENING + sent + ENDING)[1]] == [0, 9, 9, 100]


@pytest.mark.slow
def test_half_a_character_is_read_as_the_sign_for_unknown_ones() -> None:
    text = "ruleset: hyperspace-d6\nname: \ud800\n"
    document = {"uri": "file:///a.yaml", "languageId": "yaml", "version": 1, "text": text}
    opened = framed(message("textDocument/didOpen", {"textDocument": document}))
    status, answers, said = talk(OPENING + opened + LAST + ENDING)
    assert [a["id"] for a in answers] == [0, 99, 100]
    assert (status, said) == (0, "")


def test_requests_before_the_first_and_after_the_last_are_refused() -> None:
    hover = framed(message("textDocument/hover", HOVER, id=7))
    answers = talk(hover + OPENING + framed(message("shutdown", id=8)) + hover + ENDING)[1]
    refused = [(a["id"], a["error"]["code"]) for a in answers if "error" in a]
    assert refused == [(7, -32002), (7, -32600), (100, -32600)]


@pytest.mark.slow
@pytest.mark.parametrize("head", [b"Content-Length: abc", b"Content-Length: -1", b"nonsense"])
def test_a_head_that_is_none_ends_the_server_with_a_line(head: bytes) -> None:
    status, answers, said = talk(OPENING + head + b"\r\n\r\n{}" + LAST)
    assert (status, [a["id"] for a in answers]) == (1, [0])
    assert said.startswith("Error: the editor sent what is no message")
    assert said.count("\n") == 1
