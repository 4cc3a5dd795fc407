"""The progress of long work on stderr: a bar on a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Final

from sheetgen.cli.terminal import write_lines, write_text
from sheetgen.diag.visible import EscapedText

if TYPE_CHECKING:
    from rich.progress import Progress

_BAR_INTERVAL: Final = 0.1
_LOG_INTERVAL: Final = 5.0
"""Seconds between two lines in a log, or two updates of the bar."""


class ProgressReporter:
    """Shows how many of `total` steps are done, and how long the rest takes."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        self.total, self.done, self._quiet = total, 0, quiet
        self._start = self._shown = time.monotonic()
        self._bar: Progress | None = None

    def step(self) -> None:
        """Note that one more step is done."""
        self.done += 1
        now = time.monotonic()
        interval = _BAR_INTERVAL if sys.stderr.isatty() else _LOG_INTERVAL
        if self._quiet or now < self._shown + interval:
            return
        self._shown = now
        if sys.stderr.isatty():
            self._draw()
        elif self.done < self.total:
            left = (self.total - self.done) * (now - self._start) / self.done
            minutes, seconds = divmod(round(left), 60)
            write_lines(f"{self.done} of {self.total}, {minutes}:{seconds:02} left", err=True)

    def clear(self) -> None:
        """Take the bar away, so that something else can be written."""
        if self._bar is not None:
            self._bar.stop()

    def seconds(self) -> float:
        """Return how long it has taken."""
        return time.monotonic() - self._start

    def _draw(self) -> None:
        if self._bar is None:
            self._bar = _make_bar(self.total)
        self._bar.start()
        self._bar.update(self._bar.task_ids[0], completed=self.done, refresh=True)


def _make_bar(total: int) -> Progress:
    """Return a bar that only `update` draws: a thread would not survive a fork."""
    from rich.console import Console  # It takes 50 ms to import; most runs show no bar.
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    bar = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    bar.add_task("", total=total)
    return bar


def announce(work: str, steps: int) -> ProgressReporter:
    """Write what is being prepared, before a print that waits for it; see `announced`."""
    if sys.stderr.isatty():
        write_text(EscapedText("\r\x1b[K"), err=True)  # a worker erases the bar of its parent
    write_lines(f"{work}; this happens once", err=True)
    return ProgressReporter(steps, quiet=steps < 2)
