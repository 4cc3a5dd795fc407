"""A deck as a saved object of Tabletop Simulator, with its card sheets."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import quote

from sheetgen.finish.pictures.card_sheets import SheetGrid, plan_grid, render_sheet
from sheetgen.finish.pictures.encoding import encode_picture
from sheetgen.finish.pictures.rendering import PageRenderer, open_pages
from sheetgen.model.requests import FilePart
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.prints.pictures.decks import DeckCard, OnlineDeck

_ROUNDED: Final = 0
"""The shape of a card with rounded corners."""

_FACE_DOWN: Final = 180

_SCRIPTS: Final = {"LuaScript": "", "LuaScriptState": "", "XmlUI": ""}
"""The game writes these with all objects, and tools that read its files expect them."""


def tts_files(deck: OnlineDeck, dpi: int, base_url: str) -> Iterator[FilePart]:
    """Yield the saved object, its thumbnail, and its card sheets, in a folder of their own.

    Args:
        dpi: The resolution of cards, if there is room for it.
        base_url: Where the sheets will be; empty for file names.
    """
    with open_pages(deck.pdf) as pages:
        grid = plan_grid(len(deck.cards), pages.size(0), dpi)
        sheets = [
            deck.cards[start : start + grid.count]
            for start in range(0, len(deck.cards), grid.count)
        ]
        sheet_backs = [tuple(dict.fromkeys(card.back for card in sheet)) for sheet in sheets]
        shared = list(dict.fromkeys(backs[0] for backs in sheet_backs if len(backs) == 1))
        entries = {}
        for number, backs in enumerate(sheet_backs, 1):
            back = f"back-{shared.index(backs[0]) + 1}" if len(backs) == 1 else f"backs-{number}"
            faces = f"fronts-{number}"
            urls = [_address(base_url, f"{deck.name}-{name}.png") for name in (faces, back)]
            entries[str(number)] = _sheet_entry(grid, *urls, unique=len(backs) > 1)
        folder = f"-tts/{deck.name}"
        saved = partial(_saved_object, deck, sheets, entries, base_url)
        yield FilePart(folder, "json", saved)

        def picture(tail: str, numbers: Sequence[int], cells: SheetGrid) -> FilePart:
            return FilePart(folder + tail, "png", partial(_encode, pages, numbers, cells, deck))

        single = SheetGrid(1, 1, grid.dpi)
        yield picture("", [deck.cards[0].front], single)
        for number, (sheet, backs) in enumerate(zip(sheets, sheet_backs, strict=True), 1):
            yield picture(f"-fronts-{number}", [card.front for card in sheet], grid)
            if len(backs) > 1:
                yield picture(f"-backs-{number}", [card.back for card in sheet], grid)
        for number, page in enumerate(shared, 1):
            yield picture(f"-back-{number}", [page], single)


def _encode(
    pages: PageRenderer, numbers: Sequence[int], grid: SheetGrid, deck: OnlineDeck
) -> bytes:
    sheet = render_sheet(pages, numbers, grid)
    return encode_picture(sheet, "png", grid.dpi, deck.title, deck.credit)


def _address(base_url: str, name: str) -> str:
    return f"{base_url.rstrip('/')}/{quote(name)}" if base_url else name


def _sheet_entry(grid: SheetGrid, front: str, back: str, *, unique: bool) -> dict[str, Any]:
    return {
        "FaceURL": front,
        "BackURL": back,
        "NumWidth": grid.columns,
        "NumHeight": grid.rows,
        "BackIsHidden": True,  # otherwise the last place of a sheet is what others see
        "UniqueBack": unique,
        "Type": _ROUNDED,
    }


def _saved_object(
    deck: OnlineDeck,
    sheets: Sequence[Sequence[DeckCard]],
    entries: Mapping[str, Mapping[str, Any]],
    base_url: str,
) -> bytes:
    places = (
        (card, number, place)
        for number, sheet in enumerate(sheets, 1)
        for place, card in enumerate(sheet)
    )
    guids: dict[str, None] = {}
    cards = [
        {
            **_object("Card", card.name, card.text, _guid(f"{card.id} {copy}", guids)),
            "CardID": number * 100 + place,
            "CustomDeck": {str(number): entries[str(number)]},
        }
        for card, number, place in places
        for copy in range(card.count)
    ]
    top = cards[0]
    if len(cards) > 1:
        top = {
            **_object("DeckCustom", deck.title, deck.credit, _guid(f"deck {deck.name}", guids)),
            "DeckIDs": [card["CardID"] for card in cards],
            "CustomDeck": entries,
            "ContainedObjects": cards,
        }
    note = "" if base_url else "Its pictures are files beside it: see the guide. "
    saved = {
        "SaveName": "",
        "GameMode": "",
        "Note": f"{deck.credit} {note}{PLACEHOLDER}",
        **_SCRIPTS,
        "ObjectStates": [top],
    }
    return (json.dumps(saved, ensure_ascii=False, indent=1) + "\n").encode()


def _object(kind: str, name: str, text: str, guid: str) -> dict[str, Any]:
    """Return what all objects have. Brackets in texts would be read as markup."""
    turned = {"rotX": 0, "rotY": _FACE_DOWN, "rotZ": _FACE_DOWN}
    return {
        "GUID": guid,
        "Name": kind,
        "Nickname": _without_markup(name),
        "Description": _without_markup(text),
        "GMNotes": "",
        "Tags": [],
        "ColorDiffuse": {"r": 0.713, "g": 0.713, "b": 0.713},
        "Locked": False,
        **_SCRIPTS,
        "Transform": {
            "posX": 0,
            "posY": 1,
            "posZ": 0,
            **turned,
            "scaleX": 1,
            "scaleY": 1,
            "scaleZ": 1,
        },
    }


def _without_markup(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")


def _guid(text: str, taken: dict[str, None]) -> str:
    """Return six hexadecimal digits that are not taken yet; the same in each run."""
    number = 0
    while True:
        guid = hashlib.sha256(f"{text} {number}".encode()).hexdigest()[:6]
        if guid not in taken:
            taken[guid] = None
            return guid
        number += 1
