"""Files that become parts of another: opened, and what they say of themselves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sheetgen.finish.saving import open_pdf


@dataclass(frozen=True, slots=True)
class PartInfo:
    """What a part says of itself; what it does not say is empty.

    Attributes:
        duplex: Whether each second page is the back of the one before it.
    """

    title: str
    lang: str
    subject: str
    pages: int
    duplex: bool = False


class BrokenPart(ValueError):
    """A part that is no PDF, or one that cannot be opened.

    Attributes:
        at: Its place among the parts, from 0; -1 for the cover.
    """

    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at = at


def part_info(data: bytes, at: int = 0) -> PartInfo:
    """Return what the file `data` says of itself.

    Raises:
        BrokenPart: It cannot be read.
    """
    with opened_part(data, at) as pdf:
        info = pdf.docinfo
        title, subject = (str(info.get(key, "")) for key in ("/Title", "/Subject"))
        lang = str(pdf.Root.get("/Lang", ""))
        return PartInfo(title, lang, subject, len(pdf.pages), is_duplex(pdf))


def is_duplex(pdf: Any) -> bool:
    """Whether an open file asks to be printed on both sides."""
    wishes = pdf.Root.get("/ViewerPreferences", {})
    return str(wishes.get("/Duplex", "")).startswith("/DuplexFlip")


@contextmanager
def opened_part(data: bytes, at: int) -> Iterator[Any]:
    """Open a part; whatever is wrong with it is said to be wrong with it.

    Args:
        at: Its place among the parts, from 0; -1 for the cover.

    Raises:
        BrokenPart: Something is.
    """
    import pikepdf

    try:
        with open_pdf(data) as pdf:
            if pdf.is_encrypted:
                raise BrokenPart(at, "it is encrypted")
            if not len(pdf.pages):
                raise BrokenPart(at, "it has no pages")
            yield pdf
    except pikepdf.PasswordError:
        raise BrokenPart(at, "it is encrypted") from None
    except (pikepdf.PdfError, pikepdf.ForeignObjectError) as error:
        raise BrokenPart(at, str(error).partition("\n")[0]) from None
    except BrokenPart:
        raise
    except (AttributeError, LookupError, TypeError, ValueError, RuntimeError) as error:
        raise BrokenPart(at, f"its objects are not what they should be: {error}") from None
