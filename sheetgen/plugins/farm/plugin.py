"""The plug-in `farm`: books by the thousand, on clusters, in object stores, from databases."""

from __future__ import annotations

from typing import Final

from sheetgen.plugin import Plugin

PLUGIN: Final = Plugin(
    name="farm",
    summary="clusters, object stores, rows of databases",
    hooks={
        "book": "sheetgen.plugins.farm.stores:open_book",
        "cluster": "sheetgen.plugins.farm.cluster:open_cluster",
        "rows": "sheetgen.plugins.farm.stores:read_table",
        "store": "sheetgen.plugins.farm.stores:open_object_store",
    },
)
