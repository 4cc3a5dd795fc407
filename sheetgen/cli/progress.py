"""How far a long run is: a bar on a terminal, a line now and then in a log."""

from __future__ import annotations

import shutil
import sys
import time
from typing import Final

from sheetgen.cli.terminal import write_lines, write_text
from sheetgen.diag.visible import EscapedText

_BAR: Final = 28
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_OFTEN: Final = 0.1
"""Seconds between two looks of the bar."""

_SELDOM: Final = 5.0
"""Seconds between two lines in a log."""


class Progress:
    """Says on stderr how many of `total` are done, how fast, and how long it takes still."""

    def __init__(self, total: int, *, quiet: bool) -> None:
        self.total, self.done = total, 0
        self._bar = not quiet and sys.stderr.isatty()
        self._log = not quiet and not self._bar
        self._start = self._said = time.monotonic()
        self._drawn = False

    def step(self) -> None:
        """Note that one more is done."""
        self.done += 1
        now = time.monotonic()
        due = self._said + (_OFTEN if self._bar else _SELDOM)
        if now < due and self.done < self.total:
            return
        if self._bar:
            self._draw(now)
        elif self._log and now >= due:
            write_lines(f"{self.done} of {self.total}, {self._pace(now)}", err=True)
        self._said = now if now >= due else self._said

    def clear(self) -> None:
        """Take the bar away, for something else to be said."""
        if self._drawn:
            write_text(EscapedText("\r\x1b[K"), err=True)
            self._drawn = False

    def seconds(self) -> float:
        """Return how long it has taken."""
        return time.monotonic() - self._start

    def _pace(self, now: float) -> str:
        rate = self.done / max(now - self._start, 0.001)
        left = _clock((self.total - self.done) / rate)
        pace = [f"{rate:.0f}/s"] if rate >= 1 else []
        return ", ".join([*pace, f"{left} left"] if self.done < self.total else pace or ["done"])

    def _draw(self, now: float) -> None:
        share = self.done / max(1, self.total)
        whole, rest = divmod(int(share * _BAR * 8), 8)
        bar = ("█" * whole + (_EIGHTHS[rest] if whole < _BAR else "")).ljust(_BAR)
        line = f"▕{bar}▏ {self.done} of {self.total}, {self._pace(now)}"
        width = shutil.get_terminal_size().columns - 1
        write_text(EscapedText(f"\r{line[:width]}\x1b[K"), err=True)
        self._drawn = True


def preparing(what: str, steps: int) -> Progress:
    """Say what is being prepared, before a print that waits for it; see `announced`."""
    if sys.stderr.isatty():
        write_text(EscapedText("\r\x1b[K"), err=True)  # the bar of a build
    write_lines(f"{what}; this happens once", err=True)
    return Progress(steps, quiet=steps < 2)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds + 0.5), 60)
    return f"{minutes}:{rest:02d}" if minutes else f"{rest} s"
