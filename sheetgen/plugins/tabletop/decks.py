"""Decks of cards for online tables: Tabletop Simulator and Card Game Simulator."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from sheetgen.finish.pictures import BLANK, PageRenderer, encode_picture, open_pages
from sheetgen.model.prints import CardFace, CardPage, CardPlan
from sheetgen.model.requests import CardRequest, FilePart
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.plan.cards.kinds import Subject
from sheetgen.prints.cards import has_own_back, unique_name
from sheetgen.records import frozen
from sheetgen.render.press.press import press_cards
from sheetgen.rules.index import folded
from sheetgen.units import MM
from sheetgen.write import pack_archive

if TYPE_CHECKING:
    from PIL.Image import Image


_LABELLED: Final = re.compile(r"\bLabel ([^,]+), Value ")
_SECTION: Final = re.compile(r"^Section ([^,]+), ")
_MOST_FACT: Final = 80  # characters; longer texts are nothing that a deck is searched by


@dataclass(slots=True)
class DeckCard:
    """A card of a deck."""

    id: str  # Unique in the deck, of `a-z`, `0-9`, `_` and `-`
    name: str
    text: str  # What is on the card, line by line, without its name
    facts: Mapping[str, str]  # What a deck can be searched by: values by label
    front: int  # This and `back` are pages of the deck's PDF
    back: int
    own_back: bool  # Whether the back shows more of the card
    count: int = 1  # The number of copies


@frozen
class OnlineDeck:
    """A deck, and a PDF of all its distinct fronts and backs, one a page, at trim size."""

    name: str  # What the deck is called, and its files
    title: str
    code: str  # The id of the ruleset, of `a-z`, `0-9`, `_` and `-`
    set_name: str
    credit: str
    inches: tuple[float, float]  # Width and height of a card
    cards: tuple[DeckCard, ...]
    pdf: bytes


def build_online_deck(
    plan: CardPlan, subjects: Mapping[str, Subject], name: str, usual_kind: str
) -> OnlineDeck:
    """Return the deck of single cards; those without a kind are of the `usual_kind`."""
    pages: list[CardPage] = []
    seen: dict[str, list[DeckCard]] = {}
    cards: list[DeckCard] = []
    ids: dict[str, None] = {}
    backs: list[int] = []

    for front, back in zip(plan.pages[::2], plan.pages[1::2], strict=True):
        face, own = front.placed[0].face, has_own_back(back)
        same = seen.setdefault(face.name, [])
        for card in same:
            if pages[card.front].placed == front.placed and pages[card.back].placed == back.placed:
                card.count += 1
                break
        else:
            usual = (at for at in backs if not own and pages[at].placed == back.placed)
            if (at := next(usual, None)) is None:
                at = len(pages)
                pages.append(back)
                backs += [] if own else [at]
            id_ = unique_name(face.name, ids, ascii_only=True)
            ids[id_] = None
            faces = [placed.face for page in (front, back) for placed in page.placed]
            about = subjects.get(face.name)
            facts = dict(_list_facts(about, usual_kind)) if about is not None else {}
            text = "\n".join(_list_lines(faces))
            same.append(DeckCard(id_, face.name, text, facts, len(pages), at, own))
            pages.append(front)
            cards.append(same[-1])
    code = re.sub("[^a-z0-9_-]+", "-", plan.meta["ruleset"].lower()).strip("-") or "cards"
    width, height = (round(side / MM / 25.4, 4) for side in plan.pages[0].size)
    about_deck = name, plan.title, code, plan.title.rpartition(" · ")[2], plan.subject
    pdf = press_cards(replace(plan, pages=tuple(pages), duplex=""))
    return OnlineDeck(*about_deck, (width, height), tuple(cards), pdf)


def _list_facts(about: Subject, usual_kind: str) -> Iterator[tuple[str, str]]:
    """Yield the facts of a card by label: its kind, its group, and pairs of label and value."""
    texts = {"kind": usual_kind, **about.texts}
    for name in ("kind", "group"):
        if text := texts.get(name, "").strip():
            yield name.title(), text
    for name, label in texts.items():
        value = texts.get(f"{name.removesuffix('.label')}.value", "")
        if name.endswith(".label") and value and len(value) <= _MOST_FACT:
            yield label, value


def _list_lines(faces: Sequence[CardFace]) -> Iterator[str]:
    """Yield the texts of a card, strip by strip."""
    for face in faces:
        for number, strip in enumerate(face.strips):
            if number == 0:
                values = (text.value for text in strip.filling.texts.values())
                about = [text for text in values if folded(text) != folded(face.name)]
                spoken = ", ".join(about) if face.part == 1 else ""
            else:
                spoken = _SECTION.sub(r"\1: ", _LABELLED.sub(r"\1: ", strip.alt_text))
            if spoken := " ".join(spoken.split()):
                yield spoken


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


# A deck as a saved object of Tabletop Simulator, with its card sheets.


_SCRIPTS: Final = {"LuaScript": "", "LuaScriptState": "", "XmlUI": ""}
"""The game writes these with all objects, and tools that read its files expect them."""


def write_tts(
    plan: CardPlan, subjects: Mapping[str, Subject], name: str, request: CardRequest
) -> Iterator[FilePart]:
    """Yield the saved object, its thumbnail, and its card sheets, in a folder of their own."""
    deck = build_online_deck(plan, subjects, name, request.of_kind)
    base = f"{request.base_url.rstrip('/')}/" if request.base_url else ""
    with open_pages(deck.pdf) as pages:
        grid = plan_grid(len(deck.cards), pages.size(0), request.dpi)
        starts = range(0, len(deck.cards), grid.count)
        sheets = [deck.cards[start : start + grid.count] for start in starts]
        sheet_backs = [tuple(dict.fromkeys(card.back for card in sheet)) for sheet in sheets]
        shared = list(dict.fromkeys(backs[0] for backs in sheet_backs if len(backs) == 1))
        entries = {}
        for number, backs in enumerate(sheet_backs, 1):
            back = f"back-{shared.index(backs[0]) + 1}" if len(backs) == 1 else f"backs-{number}"
            front_url, back_url = (
                base + (quote(file) if base else file)
                for file in (f"{deck.name}-fronts-{number}.png", f"{deck.name}-{back}.png")
            )
            entries[str(number)] = {
                "FaceURL": front_url,
                "BackURL": back_url,
                "NumWidth": grid.columns,
                "NumHeight": grid.rows,
                "BackIsHidden": True,  # otherwise the last place of a sheet is what others see
                "UniqueBack": len(backs) > 1,
                "Type": 0,  # a card with rounded corners
            }
        folder = f"-tts/{deck.name}"
        yield FilePart(folder, "json", partial(_saved_object, deck, sheets, entries, base))

        def picture(tail: str, numbers: Sequence[int], cells: SheetGrid) -> FilePart:
            def encode() -> bytes:
                sheet = render_sheet(pages, numbers, cells)
                return encode_picture(sheet, "png", cells.dpi, deck.title, deck.credit)

            return FilePart(folder + tail, "png", encode)

        single = SheetGrid(1, 1, grid.dpi)
        yield picture("", [deck.cards[0].front], single)
        for number, (sheet, backs) in enumerate(zip(sheets, sheet_backs, strict=True), 1):
            yield picture(f"-fronts-{number}", [card.front for card in sheet], grid)
            if len(backs) > 1:
                yield picture(f"-backs-{number}", [card.back for card in sheet], grid)
        for number, page in enumerate(shared, 1):
            yield picture(f"-back-{number}", [page], single)


def _saved_object(
    deck: OnlineDeck,
    sheets: Sequence[Sequence[DeckCard]],
    entries: Mapping[str, Mapping[str, Any]],
    base: str,
) -> bytes:
    guids: dict[str, None] = {}
    cards = [
        {
            **_object("Card", card.name, card.text, _guid(f"{card.id} {copy}", guids)),
            "CardID": number * 100 + place,
            "CustomDeck": {str(number): entries[str(number)]},
        }
        for number, sheet in enumerate(sheets, 1)
        for place, card in enumerate(sheet)
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
    note = "" if base else "Its pictures are files beside it: see the guide. "
    saved = {"SaveName": "", "GameMode": "", "Note": f"{deck.credit} {note}{PLACEHOLDER}"}
    return _json({**saved, **_SCRIPTS, "ObjectStates": [top]})


def _object(kind: str, name: str, text: str, guid: str) -> dict[str, Any]:
    """Return what all objects have. Brackets in texts would be read as markup."""
    name, text = (one.replace("[", "(").replace("]", ")") for one in (name, text))
    place = {"posX": 0, "posY": 1, "posZ": 0, "rotX": 0, "rotY": 180, "rotZ": 180}  # face down
    return {
        "GUID": guid,
        "Name": kind,
        "Nickname": name,
        "Description": text,
        "GMNotes": "",
        "Tags": [],
        "ColorDiffuse": {"r": 0.713, "g": 0.713, "b": 0.713},
        "Locked": False,
        **_SCRIPTS,
        "Transform": {**place, "scaleX": 1, "scaleY": 1, "scaleZ": 1},
    }


def _guid(text: str, taken: dict[str, None]) -> str:
    """Return six hexadecimal digits that are not taken yet; the same in each run."""
    for number in count():
        guid = hashlib.sha256(f"{text} {number}".encode()).hexdigest()[:6]
        if guid not in taken:
            break
    taken[guid] = None
    return guid


# A deck as a game of Card Game Simulator: a zip archive of one folder.


def write_cgs(
    plan: CardPlan, subjects: Mapping[str, Subject], name: str, request: CardRequest
) -> Iterator[FilePart]:
    """Yield the archive of a game with one set of cards and one deck."""
    deck = build_online_deck(plan, subjects, name, request.of_kind)

    def pack() -> bytes:
        with open_pages(deck.pdf) as pages:
            files = _list_files(deck, pages, request.dpi, request.base_url.rstrip("/"))
            entries = ((f"{deck.name}/{name}", content) for name, content in files)
            return pack_archive(entries, PLACEHOLDER)

    yield FilePart("", "cgs.zip", pack)


def _list_files(
    deck: OnlineDeck, pages: PageRenderer, dpi: int, base: str
) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the game's folder: names and contents."""

    def picture(page: int, title: str) -> bytes:
        return encode_picture(pages.render(page, dpi), "png", dpi, title, deck.credit)

    # The names of the cards' properties, by their labels.
    names: dict[str, str] = dict.fromkeys(("id", "name", "set", "backs", "text"), "")
    properties: dict[str, str] = {}
    for label in dict.fromkeys(label for card in deck.cards for label in card.facts):
        properties[label] = unique_name(label, names, ascii_only=True).replace("-", "_")
        names[properties[label]] = label
    own_backs = [card for card in deck.cards if card.own_back]
    game: dict[str, Any] = {
        "name": deck.name,
        "cardImageFileType": "png",
        "cardBackImageFileType": "png",
        "cardNameIsUnique": False,  # otherwise cards of one name are reprints of one card
        "deckFileTxtId": "id",
        "cardPrimaryProperty": "text",
        "cardProperties": [
            {"name": name, "type": "string", "display": label}
            for label, name in {**properties, "Text": "text"}.items()
        ],
        "cardSize": {"x": deck.inches[0], "y": deck.inches[1]},
        "copyright": deck.credit,
    }
    if base:
        decks = [{"name": deck.name, "url": f"{base}/decks/{quote(deck.name)}.txt"}]
        game |= {
            "autoUpdateUrl": f"{base}/cgs.json",
            "allCardsUrl": f"{base}/AllCards.json",
            "allSetsUrl": f"{base}/AllSets.json",
            "cardBackImageUrl": f"{base}/CardBack.png",
            "cardImageUrl": f"{base}/sets/{{cardSet}}/{{cardId}}.{{cardImageFileType}}",
            "cardBackFaceImageUrls": [
                {"id": card.id, "url": f"{base}/backs/{card.id}.png"} for card in own_backs
            ],
            "deckUrls": decks,
            "gameStartDecks": decks,
        }
    else:
        game["autoUpdate"] = -1  # never: it is not hosted
    yield "cgs.json", _json(game)
    cards = [
        {
            "id": card.id,
            "name": card.name,
            "set": deck.code,
            **{name: card.facts[of] for of, name in properties.items() if of in card.facts},
            "text": card.text,
            **({"backs": [card.id]} if card.own_back else {}),
        }
        for card in deck.cards
    ]
    yield "AllCards.json", _json(cards)
    yield "AllSets.json", _json([{"code": deck.code, "name": deck.set_name}])
    lines = (f"{c.count} [{c.id}] {' '.join(c.name.split())} ({deck.code})" for c in deck.cards)
    yield f"decks/{deck.name}.txt", "\n".join([f"### {deck.name}", *lines, ""]).encode()
    usual = next((card.back for card in deck.cards if not card.own_back), None)
    if usual is not None:
        yield "CardBack.png", picture(usual, deck.title)
    for card in deck.cards:
        yield f"sets/{deck.code}/{card.id}.png", picture(card.front, card.name)
        if card.own_back:
            yield f"backs/{card.id}.png", picture(card.back, card.name)


# Card sheets: many cards of one size in one picture, in equal cells.


MOST_COLUMNS: Final = 10
MOST_ROWS: Final = 7
MOST_SHEET: Final = 4096  # Pixels of the sides of a sheet
_NEARLY: Final = 1 - 1e-6  # PDFium rounds the sides of pages up, and holds them with less precision


@frozen
class SheetGrid:
    """The cells of card sheets, and the resolution that they leave to a card."""

    columns: int
    rows: int
    dpi: int

    @property
    def count(self) -> int:
        """How many cards a sheet holds."""
        return self.columns * self.rows


def plan_grid(count: int, size: tuple[float, float], dpi: int) -> SheetGrid:
    """Return the grid in which `count` cards of a size in points are sharpest, on fewest sheets."""
    sheets = -(-count // (MOST_COLUMNS * MOST_ROWS))
    least = -(-count // sheets)

    def fit(cells: int, length: float) -> int:
        """Return the resolution at which cells of a length fill a sheet."""
        return int(MOST_SHEET // cells * 72 / length * _NEARLY)

    grids = [
        SheetGrid(columns, rows, min(dpi, fit(columns, size[0]), fit(rows, size[1])))
        for columns in range(1, MOST_COLUMNS + 1)
        for rows in range(1, MOST_ROWS + 1)
        if columns * rows >= least
    ]
    return max(grids, key=lambda grid: (grid.dpi, -grid.count, grid.columns))


def render_sheet(pages: PageRenderer, numbers: Sequence[int], grid: SheetGrid) -> Image:
    """Return one sheet with some pages in its cells, row by row; other cells are blank."""
    from PIL import Image

    sheet: Image.Image | None = None
    for place, number in enumerate(numbers):
        card = pages.render(number, grid.dpi)
        if sheet is None:
            size = card.width * grid.columns, card.height * grid.rows
            sheet = Image.new("RGB", size, BLANK)
        row, column = divmod(place, grid.columns)
        sheet.paste(card, (column * card.width, row * card.height))
    assert sheet is not None
    return sheet
