"""Objects of several open files, written into one: numbered anew, and equal ones only once.

Of a file that was written nothing is held, so that very many can follow each other.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from dataclasses import dataclass, field
from typing import Any, Final

from sheetgen.render.pdf.pdf_file import LEVEL, PdfWriter, pack_objects

_TEXT: Final = rb"\((?:[^\\()]|\\.)*\)"
_TOKEN: Final = re.compile(
    rb"(?P<text>%(text)s)|(?P<key>/StructParents? )(?P<at>\d+)|/ID (?P<id>%(text)s|<[^<>]*>)"
    rb"|/Headers \[(?P<heads>[^\]]*)\]|(?P<ref>\d+) (?P<generation>\d+) R\b" % {b"text": _TEXT},
    re.DOTALL,
)
"""What is changed in the text of an object; texts in it are skipped."""

_STRING: Final = re.compile(rb"%s|<[^<>]*>" % _TEXT, re.DOTALL)
_LENGTH: Final = re.compile(rb"/Length \d+(?: \d+ R)?")
_SMALL: Final = 160
"""Bytes of a stream that are not worth compressing."""


@dataclass(slots=True)
class Binder:
    """The file that is being written.

    Attributes:
        seen: Numbers of objects that others may share, by what is in them.
    """

    file: PdfWriter = field(default_factory=PdfWriter)
    seen: dict[bytes, int] = field(default_factory=dict)


class ObjectCopier:
    """What is taken from one open file; it is written by `write`, all at once.

    Attributes:
        ids: Numbers of tags that have an identifier, by that; known when it is written.
    """

    def __init__(self, binder: Binder, pdf: Any, keys: int = 0, prefix: bytes = b"") -> None:
        """Begin with nothing.

        Args:
            keys: Is added to the numbers that lead from pages and annotations to tags.
            prefix: Begins identifiers of tags.
        """
        self.binder, self.file, self.pdf = binder, binder.file, pdf
        self.keys, self.prefix = keys, prefix
        self.ids: dict[bytes, int] = {}
        self._numbers: dict[int, int] = {}
        self._refs: dict[bytes, bytes] = {}
        self._proxies: dict[int, Any] = {}
        self._ahead: list[tuple[int, Any]] = []
        self._busy: set[int] = set()
        self._here = 0

    def number(self, one: Any) -> int:
        """Return the number of an object, which is taken with all that it leads to."""
        made = one if one.is_indirect else self.pdf.make_indirect(one)
        return self._number(*made.objgen)

    def proxy(self, number: int) -> Any:
        """Return an object of the open file that stands for one that is written as `number`."""
        import pikepdf

        if number not in self._proxies:
            made = self._proxies[number] = self.pdf.make_indirect(pikepdf.Dictionary())
            self._numbers[made.objgen[0]] = number
        return self._proxies[number]

    def shared(self, one: Any) -> int:
        """Return the number of an object that others may share, such as a font.

        It does not lead to pages, fields or tags.

        Raises:
            ValueError: It leads to itself.
        """
        made = one if one.is_indirect else self.pdf.make_indirect(one)
        return self._shared(*made.objgen)

    def write(self) -> None:
        """Write all that was taken."""
        loose: list[tuple[int, bytes]] = []
        while self._ahead:
            number, one = self._ahead.pop()
            self._here = number
            loose.append((number, _TOKEN.sub(self._changed, one.unparse(resolved=True))))
        loose.sort()
        self.file.put(pack_objects(loose))

    # -- numbers ----------------------------------------------------------------------------

    def _number(self, number: int, generation: int) -> int:
        import pikepdf

        found = self._numbers.get(number)
        if found is None:
            one = self.pdf.get_object((number, generation))
            if isinstance(one, pikepdf.Stream):
                return self._shared(number, generation)
            found = self._numbers[number] = self.file.take()
            self._ahead.append((found, one))
        return found

    def _shared(self, number: int, generation: int) -> int:
        import pikepdf

        found = self._numbers.get(number)
        if found is not None:
            return found
        if number in self._busy:
            raise ValueError("a drawing leads to itself")
        self._busy.add(number)
        one = self.pdf.get_object((number, generation))
        is_stream = isinstance(one, pikepdf.Stream)
        said = (one.stream_dict if is_stream else one).unparse(resolved=True)
        body = _TOKEN.sub(self._changed_in_shared, said)
        if is_stream:
            body = _stream(body, one)
        digest = hashlib.sha256(body).digest()
        found = self.binder.seen.get(digest)
        if found is None:
            found = self.binder.seen[digest] = self.file.take()
            if is_stream:
                self.file.stream(found, body)
            else:
                self.file.add_all(found, (body,))
        self._busy.discard(number)
        self._numbers[number] = found
        return found

    def _changed(self, match: re.Match[bytes]) -> bytes:
        """Return a token as it is written."""
        token = match[0]
        found = self._refs.get(token)
        if found is None:
            if match["ref"] is None:
                return self._of_tags(match)
            number = self._number(int(match["ref"]), int(match["generation"]))
            found = self._refs[token] = b"%d 0 R" % number
        return found

    def _changed_in_shared(self, match: re.Match[bytes]) -> bytes:
        if match["ref"] is None:
            return self._of_tags(match)
        return b"%d 0 R" % self._shared(int(match["ref"]), int(match["generation"]))

    def _of_tags(self, match: re.Match[bytes]) -> bytes:
        if match["text"] is not None:
            return match[0]
        if match["key"] is not None:
            return b"%s%d" % (match["key"], int(match["at"]) + self.keys)
        if match["heads"] is not None:
            heads = (self._renamed(head) for head in _STRING.findall(match["heads"]))
            return b"/Headers [%s]" % b" ".join(b"<%s>" % head.hex().encode() for head in heads)
        name = self._renamed(match["id"])
        self.ids[name] = self._here
        return b"/ID <%s>" % name.hex().encode()

    def _renamed(self, spelt: bytes) -> bytes:
        import pikepdf

        return self.prefix + bytes(pikepdf.Object.parse(spelt))


def _stream(said: bytes, one: Any) -> bytes:
    """Return a stream with its dictionary as `said`, compressed if it was not."""
    data = bytes(one.read_raw_bytes())
    if "/Filter" not in one and len(data) > _SMALL:
        data = zlib.compress(data, LEVEL)
        said = said.replace(b"<<", b"<< /Filter /FlateDecode", 1)
    said = _LENGTH.sub(b"", said).removesuffix(b">>")
    return b"%s/Length %d >>stream\n%s\nendstream" % (said, len(data), data)
