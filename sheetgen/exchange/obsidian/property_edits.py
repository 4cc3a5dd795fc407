"""Edit the key of an author's file that a changed property belongs to; comments stay."""

from __future__ import annotations

from sheetgen.exchange.rosters.cells import parse_cell
from sheetgen.load.yaml.drop import drop_entry
from sheetgen.load.yaml.edit import add_entry, append_items, put_value
from sheetgen.load.yaml.spots import CannotEdit, Data, Path, parse_spots
from sheetgen.prints.characters import Character
from sheetgen.rules.index import index_of


def edit_key(text: str, one: Character, id_: str, cell: str, *, is_text: bool) -> str:
    """Return the text of a file with the value of the key `id_` changed to that of a cell.

    Args:
        one: The character of the file, by whose rules names of keys are understood.
        cell: The new value as the text of a cell; empty to remove the key.

    Raises:
        CannotEdit: The place cannot be edited.
        BadCell: The cell cannot be read.
    """
    root = parse_spots(text)
    if root is None or root.kind != "map" or one.rules is None:
        raise CannotEdit("the file has no keys")
    keys = index_of(one.rules).keys
    name = next((k.raw for k in root.keys if id_ in (k.raw, *keys.find(k.raw))), None)
    if not cell.strip():
        return drop_entry(text, (name,)) if name is not None else text
    new = _data(parse_cell(cell, is_text=is_text))
    if name is None:
        return add_entry(text, (), id_.replace("_", " "), new)
    return _put(text, (name,), root.at((name,)).data(), new)


def _data(yaml: str) -> Data:
    spot = parse_spots(f"key: {yaml}\n")
    return spot.at(("key",)).data() if spot is not None else None


def _put(text: str, path: Path, old: Data, new: Data) -> str:
    """Return `text` with a value changed, entry by entry, so that comments between them stay."""
    if isinstance(old, dict) and isinstance(new, dict) and old:
        for key in [k for k in old if k not in new]:
            text = drop_entry(text, (*path, key))
        for key, value in new.items():
            if key not in old:
                text = add_entry(text, path, key, value)
            elif old[key] != value:
                text = _put(text, (*path, key), old[key], value)
        return text
    if isinstance(old, list) and isinstance(new, list) and old:
        if new[: len(old)] == old:
            return append_items(text, path, new[len(old) :])
        if len(new) == len(old):
            for number, value in enumerate(new):
                if old[number] != value:
                    text = _put(text, (*path, number), old[number], value)
            return text
    return put_value(text, path, new)
