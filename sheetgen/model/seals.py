"""Seals: a digest inside every file that sheetgen writes, which shows later changes.

A sealed file shows that sheetgen wrote it and that it was not changed since, without a list of
outputs, also after it was moved or copied. A seal is no signature: it finds changes, not
forgeries. The place of the digest:

* PDF: the second string of the trailer's `/ID`, which PDF 32000-1, 14.4 reserves for this;
* HTML and Markdown: a comment in the last line;
* JSON, CSV, pictures and zip archives: where their writers put `PLACEHOLDER`. In PNG this is the
  end of a text chunk, whose checksum depends on the digest and is therefore no part of it.

Before the seal, and in a PDF as the first string of `/ID`, is what the file is a print of, as
digests of a fixed length; see `PrintIdentity`.
"""

from __future__ import annotations

import hashlib
import mmap
import re
import zlib
from typing import Final

from sheetgen.records import frozen

_DIGITS: Final = 32  # hexadecimal digits of a seal: half a SHA-256
_ZEROS: Final = b"0" * _DIGITS
# What a seal in a text begins with.
SEAL: Final = "sheetgen-seal:"
_PRINT: Final = "sheetgen-print:"

# Writers of other files put it into their text or metadata; `sealed` replaces it.
PLACEHOLDER: Final = f"{_PRINT}{_ZEROS.decode()} {SEAL}{_ZEROS.decode()}"
_IN_TEXT: Final = re.compile(rb"(?:sheetgen-print:([0-9a-f]{32}) )?sheetgen-seal:([0-9a-f]{32})")
_IN_PDF: Final = re.compile(
    rb"/ID\s*\[\s*(?:[<(]([0-9A-Fa-f]{32})[>)]|<[0-9A-Fa-f]{0,2000}>|\((?:[^()\\]|\\.){0,2000}\))\s*"
    rb"[<(]([0-9A-Fa-f]{32})[>)]"
)
_PNG: Final = b"\x89PNG\r\n"
_TEXT_CHUNK: Final = b"tEXt"
_COMMENTED: Final = (".html", ".md")

Buffer = bytes | bytearray | mmap.mmap


@frozen
class PrintIdentity:
    """What a file is a print of: a new print replaces a print of the same things only.

    A file holds digests of it: 4 digits each for a mark, the ruleset, the kind of print with its
    paper, and 5 of the names.
    """

    ruleset: str
    kind: str
    paper: str  # Empty for a file without pages.
    names: tuple[str, ...]  # Of characters or of cards. Those of a deck may change a little.

    @property
    def digits(self) -> bytes:
        """What a file holds. Of many names those with the lowest digests: mostly the same ones."""
        names = sorted({_short(name) for name in self.names})[:5]
        parts = _MARK, _short(self.ruleset), _short(f"{self.kind} {self.paper}"), *names
        return "".join(parts).ljust(_DIGITS, "0").encode()

    def find_difference(self, content: Buffer) -> str:
        """Return of what `content` is no print; empty if it is of the same, or does not say it."""
        spot, _ = _places(content)
        there = content[spot : spot + _DIGITS].decode("latin-1") if spot >= 0 else ""
        if not there.startswith(_MARK):
            return ""
        before, now = (re.findall("....", text) for text in (there, self.digits.decode()))
        if before[1] != now[1]:
            return self.ruleset
        if before[2] != now[2]:
            return f"{self.kind} on {self.paper} paper" if self.paper else self.kind
        known, new = ({*one[3:]} - {"0000"} for one in (before, now))
        if 2 * len(known & new) > min(len(known), len(new)):
            return ""
        more = f" and {len(self.names) - 3} more" if len(self.names) > 3 else ""
        return ", ".join(self.names[:3]) + more


_MARK: Final = "5369"  # tells digits of an identity from other identifiers of PDFs


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:4]


def sealed(name: str, content: bytes, identity: PrintIdentity | None = None) -> bytes:
    """Return the content of the file `name` with a seal; unchanged if there is no place for one."""
    if name.lower().endswith(_COMMENTED):
        content += f"<!-- {PLACEHOLDER} -->\n".encode()
    spot, at = _places(content)
    if at < 0:
        return content
    if identity is not None and spot >= 0:
        content = content[:spot] + identity.digits + content[spot + _DIGITS :]
    seal_ = _digest(content, at)
    if crc := _checksum_bytes(content):
        chunk = content[content.rfind(_TEXT_CHUNK, 0, at) : at] + seal_
        seal_ += zlib.crc32(chunk).to_bytes(crc)
    return content[:at] + seal_ + content[at + len(seal_) :]


def seal(content: mmap.mmap | bytearray) -> None:
    """Seal a PDF in place."""
    _, at = _places(content)
    if at >= 0:
        content[at : at + _DIGITS] = _digest(content, at)


def is_sealed(content: Buffer) -> bool:
    """Whether the file is sealed, and unchanged since."""
    _, at = _places(content)
    return at >= 0 and content[at : at + _DIGITS] == _digest(content, at)


def _places(content: Buffer) -> tuple[int, int]:
    """Return where the digits of the identity and of the seal are; -1 for none. The last count."""
    if content[:5] != b"%PDF-":
        found = [(match.start(1), match.start(2)) for match in _IN_TEXT.finditer(content)]
        return found[-1] if found else (-1, -1)
    at = len(content)
    while (at := content.rfind(b"/ID", 0, at)) >= 0:
        match = _IN_PDF.match(content, at)
        if match is not None:
            return match.start(1), match.start(2)
    return -1, -1


def _checksum_bytes(content: Buffer) -> int:
    """Return how many bytes after the seal are its chunk's checksum."""
    return 4 if content[: len(_PNG)] == _PNG else 0


def _digest(content: Buffer, at: int) -> bytes:
    """Return the digest of everything but the seal itself."""
    digest = hashlib.sha256()
    with memoryview(content) as view:
        digest.update(view[:at])
        digest.update(_ZEROS)
        digest.update(view[at + _DIGITS + _checksum_bytes(content) :])
    return digest.hexdigest()[:_DIGITS].encode()
