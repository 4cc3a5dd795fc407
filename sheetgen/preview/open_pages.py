"""What open pages show: each is printed when its files change, one at a time, the newest state."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from sheetgen.load.changes import FileState, file_state
from sheetgen.load.shared_texts import read_shared_texts, shared_texts_folder
from sheetgen.preview.framing import read_policy
from sheetgen.preview.previewer import (
    PAGE,
    PreviewContent,
    PreviewRequest,
    PreviewResult,
    text_digests,
)
from sheetgen.preview.process import PrintProcess

_POLL: Final = 0.03
"""Seconds between two questions whether a file has changed."""

_REREAD: Final = 1.0
"""Seconds after which unsaved texts are read again: their editor may have ended."""

_LONGEST: Final = 120.0
"""Seconds that a print may take."""

_LONGEST_STALE: Final = 20.0
"""Seconds that a print may take when its files have changed again."""

_LONGEST_CLOSED: Final = 1.0
"""Seconds that a print may take when no page shows it any more."""

_KEPT: Final = 8
"""Requests of which the last good print is kept."""

_WAKE: Final = 0.25
"""Seconds after which a connection sees that the server ends."""

_ALIVE: Final = 10.0
"""Seconds between two signs of life on a quiet connection."""


class OpenPage:
    """One open page."""

    def __init__(self, request: PreviewRequest, path: Path) -> None:
        self.request = request
        self.states: Mapping[str, FileState] = {str(path): ("unread",)}
        self.stale = self.closed = False
        self.facts: dict[str, Any] = {}
        self.news = asyncio.Event()

    def show(self, facts: dict[str, Any]) -> None:
        """Send facts to the page, if they are new to it."""
        if facts != self.facts:
            self.facts = facts
            self.news.set()


class OpenPages:
    """All open pages, and the process that prints for them.

    Attributes:
        ids: The ids of the entries that a page may ask for.
        ended: Whether the server ends.
    """

    def __init__(self, path: Path, ids: set[str]) -> None:
        self.ids, self.ended = ids, False
        self._path = path
        self._process = PrintProcess(path)
        self._pages: list[OpenPage] = []
        self._good: OrderedDict[PreviewRequest, list[PreviewResult]] = OrderedDict()
        self._unsaved: dict[str, str] = {}
        self._digests: dict[str, str] = {}

    async def run(self) -> None:
        """Print whenever the files of a page change, until the server ends."""
        shared: FileState = ()
        read = 0.0
        printing: asyncio.Task[None] | None = None
        while not self.ended:
            now = time.monotonic()
            state = file_state(str(shared_texts_folder()), {}, time.time_ns())
            if state != shared or (self._unsaved and now - read > _REREAD):
                shared, read = state, now
                self._unsaved = read_shared_texts()
                self._digests = text_digests(self._unsaved)
            for page in self._pages:
                page.stale = page.stale or self._has_changed(page)
            if printing is None or printing.done():
                waiting = [page for page in self._pages if page.stale]
                printing = asyncio.create_task(self._print(waiting[0])) if waiting else None
            await asyncio.sleep(_POLL)

    def _has_changed(self, page: OpenPage) -> bool:
        return any(file_state(path, self._digests) != was for path, was in page.states.items())

    async def _print(self, page: OpenPage) -> None:
        """Print what a page shows; show it, or keep the last good print and show the findings."""
        page.states = {path: file_state(path, self._digests) for path in page.states}
        page.stale = False
        request = replace(page.request, unsaved=self._unsaved)
        what = page.request.entry or os.path.basename(os.path.realpath(self._path))
        page.show({**page.facts, "busy": True, "what": what})

        def reason_to_stop(seconds: float) -> str:
            if page.closed and seconds > _LONGEST_CLOSED:
                return "no page shows it any more"
            if page.stale and seconds > _LONGEST_STALE:
                return "its files have changed since"
            return f"it took more than {_LONGEST:.0f} seconds" if seconds > _LONGEST else ""

        result = await asyncio.to_thread(self._process.run, request, reason_to_stop)
        self.ids.update(id_ for id_, _ in result.facts.get("entries", ()))
        if result.content:
            good = self._good.setdefault(page.request, [])
            self._good.move_to_end(page.request)
            good[:] = [result, *good[:1]]  # a page may still load the one before
            if len(self._good) > _KEPT:
                self._good.popitem(last=False)
        shown = self._good.get(page.request, [result])[0]
        pages = [
            {
                "id": one.digest,
                "type": one.type,
                "width": one.width,
                "height": one.height,
                "policy": read_policy(one.data) if one.type == PAGE else "",
            }
            for one in shown.content
        ]
        page.states = {**page.states, **result.states}
        page.show({**result.facts, "pages": pages, "failed": not result.content, "busy": False})
        # The last pages go first: a page that changes all the time does not keep others waiting.
        if page in self._pages:
            self._pages.remove(page)
            self._pages.append(page)

    def end(self) -> None:
        """End all connections, and the process that prints."""
        self.ended = True
        self._process.end()

    def find_content(self, digest: str) -> PreviewContent | None:
        """Return a content that some page shows."""
        results = (result for good in self._good.values() for result in good)
        return next((one for r in results for one in r.content if one.digest == digest), None)

    async def follow(self, request: PreviewRequest) -> AsyncIterator[str]:
        """Yield the server-sent events for a page, until it is closed or the server ends."""
        page = OpenPage(request, self._path)
        self._pages.append(page)
        try:
            silent = 0.0
            while not self.ended:
                try:
                    await asyncio.wait_for(page.news.wait(), _WAKE)
                except TimeoutError:
                    silent += _WAKE
                    if silent >= _ALIVE:
                        silent = 0.0
                        yield ":\n\n"
                    continue
                page.news.clear()
                yield f"data: {json.dumps(page.facts)}\n\n"
            yield 'data: {"ended": true}\n\n'
        finally:
            page.closed = True
            self._pages.remove(page)
