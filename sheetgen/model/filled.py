"""A filled sheet: the printed and the filled value of each field."""

from __future__ import annotations

import hashlib
import math
import zlib
from collections.abc import Iterable, Mapping
from typing import Final

from sheetgen.model.pictures import PreparedPicture
from sheetgen.records import frozen

OWNER = b"/XXsheetgen"
"""The private key of a widget that says which sheet it belongs to: the sheet's identity, a
dictionary, and the name of the field.

Other programs that copy pages drop the document's information, and rename fields or cut them off
from the fields above. All that were tried keep private keys of widgets.
"""

NAME = "name"  # the field with the character's name
OURS = "sheetgen"  # prefix of fields that are part of the print: findings, a button
ON = "On"  # the value of a marked box; that of an empty box is an empty text


@frozen
class Field:
    """A field of a sheet."""

    name: str
    filled: str
    printed: str | None = None  # The printed value; None where the file does not hold it.
    box: bool = False
    label: str = ""  # The tooltip; empty where the file has none.


@frozen
class FilledSheet:
    """One sheet of a filled file."""

    file: str
    part: str  # The prefix of its fields in a file of several sheets, such as `c2`, or empty.
    # ruleset, character, digest: What it was printed from, as the file says; else empty.
    ruleset: str
    version: str
    character: str
    digest: str
    fields: Mapping[str, Field]
    printed_fields: int = 0  # How many fields were printed; 0 if the file does not say it.

    @property
    def lacks_pages(self) -> bool:
        """Whether fields are missing: another program copied some of the sheet's pages."""
        return len(self.fields) < self.printed_fields

    @property
    def has_printed_values(self) -> bool:
        """Whether the file holds the printed value of every field."""
        return all(field.printed is not None for field in self.fields.values())

    @property
    def label(self) -> str:
        """Return the name of the sheet in messages."""
        return f"{self.file} ({self.part})" if self.part else self.file


MOST_PARTS: Final = 4
# Bytes of a QR code of version 30 with error correction M: 137 modules a side.
MOST_PAYLOAD: Final = 1_370
# Bytes of a file that was read from codes; a few bytes may decompress to gigabytes.
MOST_CONTENT: Final = 1_000_000
_MAGIC: Final = b"SGQ"
_VERSION: Final = 2
_DIGEST: Final = 8
_HEAD: Final = len(_MAGIC) + 2 + _DIGEST
_MOST_COMPRESSED: Final = MOST_PARTS * (MOST_PAYLOAD - _HEAD)
# Texts that characters' files repeat, by version of the format. Printed codes need them: add a
# version, and never change one.
_DICTIONARIES: Final = {
    1: b"",
    2: (
        " raise them, none above  at level \n# As many of the class's list as it says, one rank "
        "each.\n                          # sheetgen list \nwounds: 0\npoints: 0\nalt: credit: "
        "file: portrait: session: cost: gained: appearance: campaign: allies: holdings: goals: "
        "gear: [armour: weapons: log:\n  - {options: {modules. credits skills: {attributes: {"
        "powers: [advances: [species: class: level: 1\n# notes: |\n#   As many lines as you like.\n"
        "# concept: a few words\n# player: …\n# pronouns: …\n# A character of , an overlay on . "
        "Names may be written as you like: case, hyphens and spaces\n# do not matter. Check it: "
        'sheetgen check FILE. Print it: sheetgen sheet FILE\nruleset: \nname: "'
    ).encode(),
}
_RAW: Final = -15  # the window of a DEFLATE stream without a header


class BackupTooLarge(ValueError):
    """A file does not fit into the codes; `excess` is by how many bytes."""

    def __init__(self, excess: int) -> None:
        super().__init__(f"{excess:,} bytes too many")
        self.excess = excess


class BackupDamaged(ValueError):
    """The payloads are not those of one complete file; the message names the reason."""


@frozen
class BackupPart:
    """A payload: its format, its number among the parts, from 0, the start of the file's digest."""

    version: int
    digest: bytes
    number: int
    count: int
    data: bytes


@frozen
class BackupCode:
    """A QR code, ready to be printed; its side in modules includes the quiet zone."""

    picture: PreparedPicture
    side: int


BACKUP_CELL: Final = "backup"  # the name of the cell for a code on a plate
EMPTY_CELL: Final = "empty"  # set on the plate of an empty sheet, if the design has a separate one
QUIET_ZONE: Final = 4  # modules of white around a code, as ISO/IEC 18004 requires


@frozen
class Backup:
    """The file of a character as QR codes: its name, its size in bytes, the start of its digest."""

    file: str
    size: int
    digest: str
    payloads: tuple[bytes, ...]
    codes: tuple[BackupCode, ...]


def pack_backup(content: bytes) -> tuple[bytes, ...]:
    """Return the payloads of as few codes as can hold a file; raises BackupTooLarge: none can."""
    words = _DICTIONARIES[_VERSION]
    packer = zlib.compressobj(9, zlib.DEFLATED, _RAW, 9, zlib.Z_DEFAULT_STRATEGY, words)
    small = packer.compress(content) + packer.flush()
    if (excess := len(small) - _MOST_COMPRESSED) > 0:
        raise BackupTooLarge(excess)
    if (excess := len(content) - MOST_CONTENT) > 0:
        raise BackupTooLarge(excess)
    count = math.ceil(len(small) / (MOST_PAYLOAD - _HEAD))
    size = math.ceil(len(small) / count)
    digest = hashlib.sha256(content).digest()[:_DIGEST]
    return tuple(
        _MAGIC + bytes((_VERSION, n << 4 | count)) + digest + small[n * size : (n + 1) * size]
        for n in range(count)
    )


def parse_payload(payload: bytes) -> BackupPart | None:
    """Return the part in a code, None for another's; raises BackupDamaged: it is none."""
    if not payload.startswith(_MAGIC):
        return None
    if len(payload) <= _HEAD:
        raise BackupDamaged("the code is cut off")
    version, parts = payload[len(_MAGIC)], payload[len(_MAGIC) + 1]
    if version not in _DICTIONARIES:
        raise BackupDamaged(f"the code has format {version}, and this sheetgen reads {_VERSION}")
    number, count = parts >> 4, parts & 15
    if not (number < count <= MOST_PARTS):
        raise BackupDamaged("the code has an impossible number")
    return BackupPart(version, payload[_HEAD - _DIGEST : _HEAD], number, count, payload[_HEAD:])


def join_payloads(parts: Iterable[BackupPart]) -> bytes:
    """Return the file of these parts; raises BackupDamaged: some are missing, or wrong."""
    found = {part.number: part for part in parts}
    first = next(iter(found.values()))
    if missing := [n + 1 for n in range(first.count) if n not in found]:
        numbers = ", ".join(map(str, missing))
        raise BackupDamaged(f"of {first.count} codes, number {numbers} cannot be seen")
    unpacker = zlib.decompressobj(_RAW, _DICTIONARIES[first.version])
    try:
        content = unpacker.decompress(
            b"".join(found[n].data for n in range(first.count)), MOST_CONTENT + 1
        )
    except zlib.error:
        raise BackupDamaged("the content of the code is damaged") from None
    if len(content) > MOST_CONTENT:
        raise BackupDamaged(f"the code holds more than {MOST_CONTENT // 1_000_000} MB")
    if hashlib.sha256(content).digest()[:_DIGEST] != first.digest:
        raise BackupDamaged("the content of the code does not have the digest that the code names")
    return content
