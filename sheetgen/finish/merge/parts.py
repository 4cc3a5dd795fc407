"""Open the files to be merged, and read their metadata."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sheetgen.finish.saving import open_pdf


@dataclass(frozen=True, slots=True)
class PartInfo:
    """Metadata of a part; missing values are empty.

    Attributes:
        pages: Number of pages.
        duplex: Whether every second page is the back of the page before it.
    """

    title: str
    lang: str
    subject: str
    pages: int
    duplex: bool = False


class BrokenPart(ValueError):
    """A part that is not a PDF, or cannot be opened.

    Attributes:
        at: Its index among the parts; -1 for the cover.
    """

    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at = at


def part_info(data: bytes, at: int = 0) -> PartInfo:
    """Return the metadata of the PDF `data`.

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
    preferences = pdf.Root.get("/ViewerPreferences", {})
    return str(preferences.get("/Duplex", "")).startswith("/DuplexFlip")


@contextmanager
def opened_part(data: bytes, at: int) -> Iterator[Any]:
    """Open a part; errors in the `with` block that its data causes become `BrokenPart`.

    Args:
        at: Its index among the parts; -1 for the cover.

    Raises:
        BrokenPart: It cannot be opened or read.
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
