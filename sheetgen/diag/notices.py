"""Notices of slow work, from the place that does it to the command that shows its progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Steps(Protocol):
    """What shows how far the work is."""

    def step(self) -> None:
        """Note that one more step is done."""

    def clear(self) -> None:
        """Take away what shows the progress."""


Listener = Callable[[str, int], Steps]
"""Called before slow work, with what is being prepared, and in how many steps."""

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def send_notices_to(listener: Listener | None) -> Iterator[None]:
    """Send the notices to `listener`; None for nobody."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def listen(listener: Listener) -> None:
    """Send all notices of this process to `listener`."""
    _listener.set(listener)


@contextmanager
def announced(what: str, steps: int = 1) -> Iterator[Callable[[], None]]:
    """Announce slow work; what this yields is to be called after each step."""
    listener = _listener.get()
    if listener is None:
        yield lambda: None
        return
    progress = listener(what, steps)
    try:
        yield progress.step
    finally:
        progress.clear()
