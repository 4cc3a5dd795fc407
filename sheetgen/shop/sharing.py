"""What several files brought along alike stands in the file that they become only once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any


class Shared:
    """Objects by what they hold; the first of those that hold the same stands for all."""

    def __init__(self) -> None:
        self.first: dict[bytes, Any] = {}
        self.known: dict[tuple[int, int], Any] = {}

    def settle_pages(self, pages: Iterable[Any]) -> None:
        """Let pages and the looks of their annotations share what they draw with others."""
        for page in pages:
            for key in ("/Contents", "/Resources"):
                if key in page:
                    page[key] = self.one(page[key])
            for annotation in page.get("/Annots", ()):
                look = annotation.get("/AP")
                if look is not None:
                    self.one(look)

    def one(self, value: Any) -> Any:
        """Return what stands for `value`; what is in it is settled first.

        Nothing below it may lead back up to pages, fields or tags.
        """
        import pikepdf

        if not isinstance(value, pikepdf.Object):
            return value
        if not value.is_indirect:
            self._settle(value, value)
            return value
        number = value.objgen
        if number in self.known:
            return self.known[number]
        self.known[number] = value  # what leads back to itself stays as it is
        if isinstance(value, pikepdf.Stream):
            inner = value.stream_dict
            self._settle(value, inner)
            said = hashlib.sha256(inner.unparse(resolved=True))
            said.update(b"stream")
            said.update(value.read_raw_bytes())
        else:
            self._settle(value, value)
            said = hashlib.sha256(value.unparse(resolved=True))
        found = self.known[number] = self.first.setdefault(said.digest(), value)
        return found

    def _settle(self, holder: Any, inner: Any) -> None:
        """Replace what a dictionary, an array or a stream leads to; the rest is left alone."""
        import pikepdf

        if not isinstance(inner, pikepdf.Dictionary | pikepdf.Array):
            return
        if b" R" not in inner.unparse(resolved=True):
            return
        places = inner.keys() if isinstance(inner, pikepdf.Dictionary) else range(len(inner))
        for place in places:
            before = inner[place]
            after = self.one(before)
            if after is not before:
                holder[place] = after
