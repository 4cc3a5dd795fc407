"""How numbers and texts are spelt in PDF."""

from __future__ import annotations


def pdf_number(value: float) -> bytes:
    """Return `value` with at most two decimals: a hundredth of a point is enough.

    A sheet of paper has less than 10,000 points, so that no digit is lost.
    """
    # Adding 0 turns -0.0, as which rounding leaves much, into 0.
    return b"%g" % (round(value, 2) + 0.0)


def pdf_numbers(*values: float) -> bytes:
    """Return `values`, a space between each."""
    return b" ".join([b"%g" % (round(value, 2) + 0.0) for value in values])


def pdf_string(raw: bytes) -> bytes:
    """Return `raw` as a literal string, in parentheses.

    A bare carriage return would be read back as a line feed.
    """
    return b"(%s)" % raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(
        b")", b"\\)"
    ).replace(b"\r", b"\\r")


def text_string(text: str) -> bytes:
    """Return `text` as a string that a reader is shown: ASCII, or UTF-16 with its mark.

    Control characters go as UTF-16, since some have another meaning in PDF's own
    eight-bit encoding.
    """
    if text.isascii() and text.isprintable():
        return pdf_string(text.encode())
    return pdf_string(b"\xfe\xff" + text.encode("utf-16-be", "replace"))


def ink(value: str, *, stroke: bool = False) -> bytes:
    """Return what sets the colour of what is drawn next to `#rrggbb`.

    Raises:
        ValueError: `value` is not six hexadecimal digits after a `#`.
    """
    if len(value) != 7 or value[0] != "#":
        raise ValueError(f"`{value}` is not a colour; write it as #rrggbb")
    parts = [b"%.3g" % (int(value[i : i + 2], 16) / 255) for i in (1, 3, 5)]
    if len(set(parts)) == 1:
        return parts[0] + (b" G" if stroke else b" g")
    return b" ".join(parts) + (b" RG" if stroke else b" rg")
