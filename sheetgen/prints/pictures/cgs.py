"""A deck as a game of Card Game Simulator: a zip archive of one folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote

from sheetgen.finish.pictures.encoding import encode_picture
from sheetgen.finish.pictures.rendering import PageRenderer, open_pages
from sheetgen.model.requests import FilePart
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.prints.pictures.decks import OnlineDeck
from sheetgen.prints.pictures.names import unique_name
from sheetgen.write.archives import pack_archive

_NEVER: Final = -1
"""Days between two updates of a game that is not hosted."""

_TEXT: Final = "text"


def cgs_files(deck: OnlineDeck, dpi: int, base_url: str) -> Iterator[FilePart]:
    """Yield the archive of a game with one set of cards and one deck.

    Args:
        dpi: The resolution of cards.
        base_url: Where the folder of the game will be; empty if it is not hosted.
    """

    def pack() -> bytes:
        with open_pages(deck.pdf) as pages:
            files = _list_files(deck, pages, dpi, base_url)
            entries = ((f"{deck.name}/{name}", content) for name, content in files)
            return pack_archive(entries, PLACEHOLDER)

    yield FilePart("", "cgs.zip", pack)


def _list_files(
    deck: OnlineDeck, pages: PageRenderer, dpi: int, base_url: str
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the game's folder: names and contents."""

    def picture(page: int, title: str) -> bytes:
        return encode_picture(pages.render(page, dpi), "png", dpi, title, deck.credit)

    properties = _properties(deck)
    yield "cgs.json", _json(_game(deck, properties, base_url))
    cards = []
    for card in deck.cards:
        facts = {
            name: card.facts[label] for label, name in properties.items() if label in card.facts
        }
        backs = {"backs": [card.id]} if card.own_back else {}
        own = {"id": card.id, "name": card.name, "set": deck.code}
        cards.append({**own, **facts, _TEXT: card.text, **backs})
    yield "AllCards.json", _json(cards)
    yield "AllSets.json", _json([{"code": deck.code, "name": deck.set_name}])
    lines = (f"{c.count} [{c.id}] {' '.join(c.name.split())} ({deck.code})" for c in deck.cards)
    listed = "\n".join([f"### {deck.name}", *lines, ""])
    yield f"decks/{deck.name}.txt", listed.encode()
    usual = next((card.back for card in deck.cards if not card.own_back), None)
    if usual is not None:
        yield "CardBack.png", picture(usual, deck.title)
    for card in deck.cards:
        yield f"sets/{deck.code}/{card.id}.png", picture(card.front, card.name)
        if card.own_back:
            yield f"backs/{card.id}.png", picture(card.back, card.name)


def _properties(deck: OnlineDeck) -> dict[str, str]:
    """Return the names of the cards' properties by their labels."""
    names: dict[str, str] = dict.fromkeys(("id", "name", "set", "backs", _TEXT), "")
    labels: dict[str, str] = {}
    for label in (label for card in deck.cards for label in card.facts):
        if label not in labels:
            name = unique_name(label, names, ascii_only=True).replace("-", "_")
            names[name] = label
            labels[label] = name
    return labels


def _game(deck: OnlineDeck, properties: dict[str, str], base_url: str) -> dict[str, Any]:
    """Return the definition of the game."""
    width, height = deck.inches
    listed = {**properties, "Text": _TEXT}
    game: dict[str, Any] = {
        "name": deck.name,
        "cardImageFileType": "png",
        "cardBackImageFileType": "png",
        "cardNameIsUnique": False,  # otherwise cards of one name are reprints of one card
        "deckFileTxtId": "id",
        "cardPrimaryProperty": _TEXT,
        "cardProperties": [
            {"name": name, "type": "string", "display": label} for label, name in listed.items()
        ],
        "cardSize": {"x": width, "y": height},
        "copyright": deck.credit,
    }
    if not base_url:
        return {**game, "autoUpdate": _NEVER}
    base = base_url.rstrip("/")
    url = f"{base}/decks/{quote(deck.name)}.txt"
    return {
        **game,
        "autoUpdateUrl": f"{base}/cgs.json",
        "allCardsUrl": f"{base}/AllCards.json",
        "allSetsUrl": f"{base}/AllSets.json",
        "cardBackImageUrl": f"{base}/CardBack.png",
        "cardImageUrl": f"{base}/sets/{{cardSet}}/{{cardId}}.{{cardImageFileType}}",
        "cardBackFaceImageUrls": [
            {"id": card.id, "url": f"{base}/backs/{card.id}.png"}
            for card in deck.cards
            if card.own_back
        ],
        "deckUrls": [{"name": deck.name, "url": url}],
        "gameStartDecks": [{"name": deck.name, "url": url}],
    }


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
