"""Format numbers, strings and colours for PDF (ISO 32000-1, 7.3 and 8.6.8)."""

from __future__ import annotations


def pdf_number(value: float) -> bytes:
    """Return `value` with at most two decimals: a hundredth of a point is enough.

    A picture of one row of pixels may be a million points wide; PDF has no exponents.
    """
    # Adding 0 turns -0.0, a frequent result of rounding, into 0.
    return b"%.9g" % (round(value, 2) + 0.0)


def pdf_numbers(*values: float) -> bytes:
    """Return `values` with spaces between them."""
    return b" ".join([b"%.9g" % (round(value, 2) + 0.0) for value in values])


def pdf_string(raw: bytes) -> bytes:
    """Return `raw` as a literal string, in parentheses.

    Carriage returns are escaped, since readers take a bare one for a line feed.
    """
    return b"(%s)" % raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(
        b")", b"\\)"
    ).replace(b"\r", b"\\r")


def text_string(text: str) -> bytes:
    """Return `text` as a text string: ASCII, or UTF-16 with a byte-order mark.

    Texts with control characters are UTF-16, since some of these mean other characters in
    PDFDocEncoding.
    """
    if text.isascii() and text.isprintable():
        return pdf_string(text.encode())
    return pdf_string(b"\xfe\xff" + text.encode("utf-16-be", "replace"))


def ink(value: str, *, stroke: bool = False) -> bytes:
    """Return the operator that sets the fill or stroke colour to `#rrggbb`.

    Raises:
        ValueError: `value` is not six hexadecimal digits after a `#`.
    """
    if len(value) != 7 or value[0] != "#":
        raise ValueError(f"`{value}` is not a colour; write it as #rrggbb")
    parts = [b"%.3g" % (int(value[i : i + 2], 16) / 255) for i in (1, 3, 5)]
    if len(set(parts)) == 1:
        return parts[0] + (b" G" if stroke else b" g")
    return b" ".join(parts) + (b" RG" if stroke else b" rg")
