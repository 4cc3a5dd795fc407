"""Numbers in contents that place whole pages: to a ten-thousandth, not to a hundredth."""

from __future__ import annotations


def precise_numbers(*values: float) -> bytes:
    """Return `values`, a space between each."""
    return b" ".join(f"{value + 0.0:.4f}".rstrip("0").rstrip(".").encode() for value in values)
