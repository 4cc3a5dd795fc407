"""Copy objects of open PDFs into one new file: renumbered, and equal ones only once.

Nothing is kept of a file that was copied, so memory does not grow with their number.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from dataclasses import dataclass, field
from typing import Any, Final

from sheetgen.render.pdf.pdf_file import LEVEL, PdfFile, object_streams

_TEXT: Final = rb"\((?:[^\\()]|\\.)*\)"
_TOKEN: Final = re.compile(
    rb"(?P<text>%(text)s)|(?P<key>/StructParents? )(?P<at>\d+)|/ID (?P<id>%(text)s|<[^<>]*>)"
    rb"|/Headers \[(?P<heads>[^\]]*)\]|(?P<ref>\d+) (?P<generation>\d+) R\b" % {b"text": _TEXT},
    re.DOTALL,
)
"""What changes in a serialized object: references, keys and identifiers; strings are skipped."""

_STRING: Final = re.compile(rb"%s|<[^<>]*>" % _TEXT, re.DOTALL)
_LENGTH: Final = re.compile(rb"/Length \d+(?: \d+ R)?")
_SMALL: Final = 160
"""Streams of at most so many bytes are not compressed."""


@dataclass(slots=True)
class MergeTarget:
    """The file that is written.

    Attributes:
        seen: Numbers of objects that parts may share, by the digest of their content.
    """

    file: PdfFile = field(default_factory=PdfFile)
    seen: dict[bytes, int] = field(default_factory=dict)


class ObjectCopier:
    """Copies objects of one open file; `write` writes them all at once.

    Attributes:
        ids: Numbers of structure elements by identifier; complete after `write`.
    """

    def __init__(
        self, merge_target: MergeTarget, pdf: Any, keys: int = 0, prefix: bytes = b""
    ) -> None:
        """Create a copier that has copied nothing.

        Args:
            keys: Is added to the keys of the parent tree.
            prefix: Is put before identifiers of structure elements.
        """
        self.merge_target, self.file, self.pdf = merge_target, merge_target.file, pdf
        self.keys, self.prefix = keys, prefix
        self.ids: dict[bytes, int] = {}
        self._numbers: dict[int, int] = {}
        self._refs: dict[bytes, bytes] = {}
        self._proxies: dict[int, Any] = {}
        self._pending: list[tuple[int, Any]] = []
        self._busy: set[int] = set()
        self._current = 0

    def number(self, one: Any) -> int:
        """Return the new number of an object, which is copied with everything it references."""
        indirect = one if one.is_indirect else self.pdf.make_indirect(one)
        return self._number(*indirect.objgen)

    def proxy(self, number: int) -> Any:
        """Return a placeholder in the open file for the object that is written as `number`."""
        import pikepdf

        if number not in self._proxies:
            proxy = self._proxies[number] = self.pdf.make_indirect(pikepdf.Dictionary())
            self._numbers[proxy.objgen[0]] = number
        return self._proxies[number]

    def shared(self, one: Any) -> int:
        """Return the new number of an object that parts may share, such as a font.

        It must not reference pages, fields or structure elements.

        Raises:
            ValueError: It references itself.
        """
        indirect = one if one.is_indirect else self.pdf.make_indirect(one)
        return self._shared(*indirect.objgen)

    def write(self) -> None:
        """Write everything that was copied."""
        loose: list[tuple[int, bytes]] = []
        while self._pending:
            number, one = self._pending.pop()
            self._current = number
            loose.append((number, _TOKEN.sub(self._replace, one.unparse(resolved=True))))
        loose.sort()
        self.file.put(object_streams(loose))

    # -- numbers ----------------------------------------------------------------------------

    def _number(self, number: int, generation: int) -> int:
        import pikepdf

        found = self._numbers.get(number)
        if found is None:
            one = self.pdf.get_object((number, generation))
            if isinstance(one, pikepdf.Stream):
                return self._shared(number, generation)
            found = self._numbers[number] = self.file.take()
            self._pending.append((found, one))
        return found

    def _shared(self, number: int, generation: int) -> int:
        import pikepdf

        found = self._numbers.get(number)
        if found is not None:
            return found
        if number in self._busy:
            raise ValueError("a drawing contains itself")
        self._busy.add(number)
        one = self.pdf.get_object((number, generation))
        is_stream = isinstance(one, pikepdf.Stream)
        text = (one.stream_dict if is_stream else one).unparse(resolved=True)
        body = _TOKEN.sub(self._replace_in_shared, text)
        if is_stream:
            body = _stream(body, one)
        digest = hashlib.sha256(body).digest()
        found = self.merge_target.seen.get(digest)
        if found is None:
            found = self.merge_target.seen[digest] = self.file.take()
            if is_stream:
                self.file.stream(found, body)
            else:
                self.file.add_all(found, (body,))
        self._busy.discard(number)
        self._numbers[number] = found
        return found

    def _replace(self, match: re.Match[bytes]) -> bytes:
        token = match[0]
        found = self._refs.get(token)
        if found is None:
            if match["ref"] is None:
                return self._replace_in_tags(match)
            number = self._number(int(match["ref"]), int(match["generation"]))
            found = self._refs[token] = b"%d 0 R" % number
        return found

    def _replace_in_shared(self, match: re.Match[bytes]) -> bytes:
        if match["ref"] is None:
            return self._replace_in_tags(match)
        return b"%d 0 R" % self._shared(int(match["ref"]), int(match["generation"]))

    def _replace_in_tags(self, match: re.Match[bytes]) -> bytes:
        if match["text"] is not None:
            return match[0]
        if match["key"] is not None:
            return b"%s%d" % (match["key"], int(match["at"]) + self.keys)
        if match["heads"] is not None:
            heads = (self._renamed(head) for head in _STRING.findall(match["heads"]))
            return b"/Headers [%s]" % b" ".join(b"<%s>" % head.hex().encode() for head in heads)
        name = self._renamed(match["id"])
        self.ids[name] = self._current
        return b"/ID <%s>" % name.hex().encode()

    def _renamed(self, literal: bytes) -> bytes:
        import pikepdf

        return self.prefix + bytes(pikepdf.Object.parse(literal))


def _stream(dictionary: bytes, one: Any) -> bytes:
    """Return a serialized stream with a new dictionary, compressed if it was not."""
    data = bytes(one.read_raw_bytes())
    if "/Filter" not in one and len(data) > _SMALL:
        data = zlib.compress(data, LEVEL)
        dictionary = dictionary.replace(b"<<", b"<< /Filter /FlateDecode", 1)
    dictionary = _LENGTH.sub(b"", dictionary).removesuffix(b">>")
    return b"%s/Length %d >>stream\n%s\nendstream" % (dictionary, len(data), data)
