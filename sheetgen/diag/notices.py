"""Notices of slow work, sent from the code that does it to the command that shows progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Steps(Protocol):
    """A display of progress."""

    def step(self) -> None:
        """Show one more step as done."""

    def clear(self) -> None:
        """Remove the display."""


Listener = Callable[[str, int], Steps]  # called before slow work: description, number of steps
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def send_notices_to(listener: Listener | None) -> Iterator[None]:
    """Send the notices inside the `with` block to `listener`, or to nobody."""
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
    """Announce slow work; yield a function to call after each step."""
    if (listener := _listener.get()) is None:
        yield lambda: None
        return
    progress = listener(what, steps)
    try:
        yield progress.step
    finally:
        progress.clear()
