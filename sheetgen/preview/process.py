"""The process that prints for a preview: it can be ended, so that no print blocks the page."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

from sheetgen.books.workers import failed_print
from sheetgen.diag import print_codes
from sheetgen.diag.findings import Finding
from sheetgen.diag.spans import Span
from sheetgen.load.bounds import exit_with_parent
from sheetgen.preview.previewer import Previewer, PreviewRequest, PreviewResult, show_findings

_SLICE: Final = 0.02
"""Seconds between two questions whether a print is still asked for."""


class PrintProcess:
    """Prints in a child process, one request at a time. Its methods block."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def run(self, request: PreviewRequest, reason_to_stop: Callable[[float], str]) -> PreviewResult:
        """Return the result of a request; if its process ends twice, or is stopped, a finding.

        Args:
            reason_to_stop: Called often with the seconds since the start; returns why the print
                is to be stopped, or "".
        """
        start, reason = time.monotonic(), ""
        for _ in range(2):  # it may have been ended while it waited
            pipe = self._connect()
            with contextlib.suppress(EOFError, OSError):
                pipe.send(request)
                while not reason and not pipe.poll(_SLICE):
                    reason = reason_to_stop(time.monotonic() - start)
                if not reason:
                    result: PreviewResult = pipe.recv()
                    return result
            self.end()
            if reason:
                break
        reason = reason or "its process ended"
        message = f"this print was stopped: {reason}"
        finding = Finding(
            print_codes.PRINT_STOPPED, Span(str(self._path)), message, "save the file to try again"
        )
        return PreviewResult({"findings": show_findings([finding])})

    def _connect(self) -> Connection:
        """Return the pipe to the process, which is started if there is none."""
        if self._pipe is not None and self._process is not None and self._process.is_alive():
            return self._pipe
        self.end()
        spawn = get_context("spawn")
        self._pipe, theirs = spawn.Pipe()
        self._process = spawn.Process(
            target=_serve, args=(theirs, self._path, os.getpid()), daemon=True
        )
        self._process.start()
        theirs.close()
        return self._pipe

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


def _serve(pipe: Connection, path: Path, parent: int) -> None:
    """Answer requests until the parent ends; Ctrl+C is the parent's."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    exit_with_parent(parent)
    gc.set_threshold(100_000)
    previewer = Previewer(path)
    while True:
        try:
            request = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            result = previewer.preview(request)
        except Exception as error:  # noqa: BLE001 - the page shows it, and follows on
            findings = show_findings([failed_print(Span(str(path)), error)])
            result = PreviewResult({"findings": findings})
            previewer = Previewer(path)
        pipe.send(result)
        gc.collect()
