"""What reading a filled PDF needs of pikepdf, by pypdf: pikepdf does not run in browsers.

This file is the module `pikepdf` in the page, and nowhere else; see `load.filled.pdf`.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, BinaryIO

from pypdf import PdfReader, generic
from pypdf.errors import DependencyError, FileNotDecryptedError, WrongPasswordError

StreamDecodeLevel = SimpleNamespace(specialized=None)


class PasswordError(Exception):
    """The file is encrypted with a password."""


class String(str):
    """A text string, decoded (7.9.2.2)."""

    def __new__(cls, content: bytes) -> String:
        """Decode bytes."""
        found = generic.create_string_object(content)
        return super().__new__(cls, found if isinstance(found, str) else content.decode("latin-1"))


class Array(list[Any]):
    """An array."""


class _Object:
    def __init__(self, of: Any, objgen: tuple[int, int]) -> None:
        self._of, self.objgen = of, objgen
        self.is_indirect = objgen != (0, 0)

    def __contains__(self, key: str) -> bool:
        return key in self._of

    def __getitem__(self, key: str) -> Any:
        return _wrapped(self._of.raw_get(key))

    def get(self, key: str, otherwise: Any = None) -> Any:
        """Return an entry; `otherwise` if there is none, or it is null."""
        found = self[key] if key in self._of else None
        return otherwise if found is None else found


class Dictionary(_Object):
    """A dictionary."""


class Stream(_Object):
    """A stream."""

    def read_bytes(self, level: object = None) -> bytes:
        """Return its decoded content."""
        content: bytes = self._of.get_data()
        return content


def _wrapped(value: Any) -> Any:
    objgen = (0, 0)
    if isinstance(value, generic.IndirectObject):
        objgen, value = (value.idnum, value.generation), value.get_object()
    if value is None or isinstance(value, generic.NullObject):
        return None
    if isinstance(value, generic.StreamObject):
        return Stream(value, objgen)
    if isinstance(value, generic.DictionaryObject):
        return Dictionary(value, objgen)
    if isinstance(value, generic.ArrayObject):
        return Array(_wrapped(one) for one in list.__iter__(value))
    if isinstance(value, generic.TextStringObject | generic.ByteStringObject):
        return String(value.original_bytes)
    return value


class _File:
    def __init__(self, file: BinaryIO) -> None:
        reader = PdfReader(file, strict=False)
        try:
            if reader.is_encrypted and not reader.decrypt(""):
                raise PasswordError
            self.trailer = _Object(reader.trailer, (0, 0))
            self.Root: Any = self.trailer["/Root"]
            self._pages = reader.pages
        except (DependencyError, FileNotDecryptedError, WrongPasswordError):
            raise PasswordError from None

    @property
    def pages(self) -> list[Any]:
        """The pages, each with its dictionary as `obj`."""
        found = (page.indirect_reference or page for page in self._pages)
        return [SimpleNamespace(obj=_wrapped(page)) for page in found]

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held open."""


def open(file: BinaryIO, **_: object) -> _File:
    """Open a PDF; the options of pikepdf do not matter here."""
    return _File(file)
