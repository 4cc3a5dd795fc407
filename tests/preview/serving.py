"""A preview that runs in a process of its own, and requests to it that no browser would send."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.cli.commands import ROOT
from tests.layouts import APART


@dataclass(frozen=True)
class Answer:
    """What the server answered; the names of headers are lower-case."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass
class Preview:
    """A preview that runs.

    Attributes:
        address: Of its page, with the token and a slash.
    """

    process: subprocess.Popen[str]
    address: str
    port: int = field(init=False)
    token: str = field(init=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.address)
        assert parts.port is not None
        self.port, self.token = parts.port, parts.path.strip("/")

    def send(self, target: str, *headers: str, host: str = "", method: str = "GET") -> Answer:
        """Send a request, its target as it is, and read the answer to its end."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host or self.host}", *headers]
        return self.send_lines(*lines, "Connection: close")

    def send_lines(self, *head: str) -> Answer:
        """Send the lines of a request's head, whatever they are."""
        with socket.create_connection(("127.0.0.1", self.port), 20) as connection:
            connection.sendall("\r\n".join((*head, "", "")).encode("latin-1"))
            with connection.makefile("rb") as stream:
                status = int(stream.readline().split()[1])
                lines = iter(lambda: stream.readline().decode("latin-1").strip(), "")
                headers = {
                    name.lower(): value for name, _, value in (s.partition(": ") for s in lines)
                }
                endless = headers.get("content-type", "").startswith("text/event-stream")
                return Answer(status, headers, b"" if endless else stream.read())

    def get(self, name: str, *headers: str) -> Answer:
        """Ask for something of the preview, with its token."""
        return self.send(f"/{self.token}/{name}", *headers)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def events(self, **asked: str) -> Iterator[dict[str, Any]]:
        """Yield what a page is shown, without what it is shown while it waits."""
        query = f"/{self.token}/events?{urlencode(asked)}"
        with socket.create_connection(("127.0.0.1", self.port), 90) as connection:
            connection.sendall(f"GET {query} HTTP/1.1\r\nHost: {self.host}\r\n\r\n".encode())
            with connection.makefile("rb") as stream:
                status = stream.readline()
                assert b" 200 " in status, status
                for line in stream:
                    if line.startswith(b"data: "):
                        facts: dict[str, Any] = json.loads(line[6:])
                        if not facts.get("busy"):
                            yield facts

    def first(self, **asked: str) -> dict[str, Any]:
        """Return the first print that a page is shown."""
        return next(self.events(**asked))


@contextmanager
def serving(path: Path, *words: str) -> Iterator[Preview]:
    """Run a preview of `path`, and end it as Ctrl+C does: in time, without a traceback."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sheetgen", "preview", str(path), "--no-open", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": APART},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), process.stderr.read()
        yield Preview(process, address)
    finally:
        process.send_signal(2)
        try:
            _, said = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
    assert said.strip() == "follows your files; Ctrl+C ends", said
    assert process.returncode == 0
