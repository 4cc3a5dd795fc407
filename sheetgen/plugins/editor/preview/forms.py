"""The forms of the files that a preview lists. They need the plug-in `builder`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sheetgen.plugins.editor.preview.previewer import EntryList, is_form
from sheetgen.registry import find_hook


def form_page(name: str) -> tuple[bytes, str, str] | None:
    """Return a file of the form's page, its media type and its policy; None if there is none."""
    form = find_hook("form")
    found: tuple[bytes, str, str] | None = form.page_file(name) if form is not None else None
    return found


class FormList:
    """Answers requests about files, each named by the id of its entry.

    `{"do": "files"}` lists the files; all other requests are for the form of `entry`.
    """

    def __init__(self, path: Path) -> None:
        self._list = EntryList(path)
        self._forms: dict[Path, Any] = {}

    def answer(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the answer to a request; if there is none, `refused` says why."""
        self._list.refresh({}, time.time_ns())
        entries = {id_: one for id_, one in self._list.entries.items() if is_form(one)}
        if request.get("do") == "files":
            return {"files": [*entries]}
        entry = entries.get(str(request.get("entry")))
        if entry is None:
            return {"refused": "this file is not there any more"}
        if entry.path not in self._forms:
            self._forms[entry.path] = find_hook("form")(entry.path)
        answer: Mapping[str, Any] = self._forms[entry.path].answer(request)
        return answer
