"""Tables of rows in object stores, only where the person who builds a book allows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.load.cache import cache_path
from sheetgen.load.rows.table_files import is_table, read_rows
from sheetgen.load.rows.tables import Cells
from sheetgen.model.source import Text
from sheetgen.write.drafts import drafts_in
from sheetgen.write.stores import ObjectStore, StoreError, is_safe_name, mask_secrets

_MOST_BYTES: Final = 4_000_000_000


def read_remote_rows(
    address: Text, allowed: Sequence[str], findings: list[Finding]
) -> Iterator[tuple[int, Cells]]:
    """Yield the rows of a CSV or Parquet file in an object store: the line of each, its cells.

    Args:
        allowed: Addresses of folders and files that may be read.
        findings: Receives what is wrong, while rows are read.
    """
    masked = mask_secrets(address)
    folder, _, name = address.rpartition("/")
    if not _is_allowed(address, allowed):
        message = f"`{masked}` is not read: nobody allowed it"
        hint = "allow it: `--read` and the address of its folder"
        findings.append(Finding(codes.UNREADABLE, address.span, message, hint))
        return
    if not is_table(name):
        message, hint = "this is not a table of rows", "name a .csv or .parquet file"
        findings.append(Finding(codes.WRONG_TYPE, address.span, message, hint))
        return
    try:
        store = ObjectStore(folder)
        size = store.size(name)
        if size is None or size > _MOST_BYTES:
            few = f"it has {(size or 0) / 1e6:,.0f} MB; {_MOST_BYTES / 1e6:,.0f} MB are read"
            raise StoreError("there is no such object" if size is None else few)
        with drafts_in(cache_path("rows")) as drafts:
            store.download(name, drafts / name)
            found: list[Finding] = []
            yield from read_rows(drafts / name, found)
            findings += [replace(one, span=replace(one.span, file=masked)) for one in found]
    except OSError as error:
        message = f"cannot read `{masked}`: {error.strerror}"
        hint = getattr(error, "hint", "check the address")
        findings.append(Finding(codes.UNREADABLE, address.span, message, hint))


def _is_allowed(address: str, allowed: Sequence[str]) -> bool:
    """Whether an address is one of `allowed` or below it, and leads nowhere else."""
    _, _, path = address.partition("://")
    inside = any(address == one or address.startswith(f"{one.rstrip('/')}/") for one in allowed)
    return inside and "::" not in address and is_safe_name(path.rpartition("@")[2])
