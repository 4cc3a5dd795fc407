"""The editor's messages as bytes: those that are none are answered here, as the protocol says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, BinaryIO, Final

from pygls.exceptions import JsonRpcException

_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600
_NOT_INITIALIZED: Final = -32002
_MOST_BYTES: Final = 1 << 28
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class MessageStream:
    """The input of the server: whole, valid messages only.

    It is read in one thread. Its answers are written in one piece each, so that they do not mix
    with those of the server.

    Attributes:
        structure: Reads a message as a type of the protocol.
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
            valid = self._valid(body)
            if valid is not None:
                self._body = valid
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

    def _valid(self, body: bytes) -> bytes | None:
        """Return a message for the server; None for one that was answered or is dropped."""
        message: Any = None
        try:
            try:
                message = json.loads(body)
                clean = _SURROGATE.sub("\ufffd", json.dumps(message, ensure_ascii=False)).encode()
            except (ValueError, RecursionError):
                raise JsonRpcException("this is not JSON in UTF-8", _PARSE_ERROR) from None
            if not _is_message(message):
                raise JsonRpcException("this is no message of JSON-RPC 2.0", _INVALID_REQUEST)
            if "method" in message:
                self._check_order(message)
                self.structure(message)
        except JsonRpcException as error:
            if not (isinstance(message, dict) and _is_message(message)) or "id" in message:
                self._answer(_id_of(message), error)
            return None
        return clean

    def _check_order(self, message: dict[str, Any]) -> None:
        """Refuse requests before `initialize` and after `shutdown`."""
        method = message["method"]
        if self._ended and method != "exit":
            raise JsonRpcException("the server was shut down", _INVALID_REQUEST)
        if method == "initialize" and self._initialized:
            raise JsonRpcException("the server is initialized already", _INVALID_REQUEST)
        if method not in ("initialize", "exit") and not self._initialized:
            raise JsonRpcException("the server is not initialized yet", _NOT_INITIALIZED)
        self._initialized |= method == "initialize"
        self._ended |= method == "shutdown"

    def _answer(self, id_: object, error: JsonRpcException) -> None:
        about = {"code": error.code, "message": error.message}
        body = json.dumps({"jsonrpc": "2.0", "id": id_, "error": about}).encode()
        self.target.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.target.flush()


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
