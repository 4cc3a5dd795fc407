"""Options of pictures and decks that do not go together."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterator
from itertools import chain
from urllib.parse import urlsplit

from sheetgen.diag import codes
from sheetgen.diag.findings import Finding
from sheetgen.model.prints import CardPage, CardPlan, PlacedFace
from sheetgen.model.requests import PrintRequest
from sheetgen.rules.index import folded
from sheetgen.write.files import free_name, portable_name


def find_option_conflicts(request: PrintRequest) -> tuple[Finding, ...]:
    """Return a finding for each option of a request that its formats do not have."""
    conflicts = chain(_format_conflicts(request), _option_conflicts(request))
    return tuple(
        Finding(codes.NOT_FOR_PICTURES, request.at(option), message, hint)
        for option, message, hint in conflicts
    )


def _format_conflicts(request: PrintRequest) -> Iterator[tuple[str, str, str]]:
    """Yield options that are not about the formats of a request: option, message and hint."""
    decks, pictures = request.decks, request.picture_formats
    shown = ", ".join((*pictures, *decks))
    if decks and request.kind != "cards":
        message = f"{decks[0]} is a format of cards; there is none of {request.kind}"
        yield "--to", message, "choose png, or another format"
    if decks and request.calibrate:
        yield "--calibrate", "a calibration sheet is no deck", "leave out --to, or --calibrate"
    if shown and "pdf" not in request.formats:
        if _prepares_inks(request.preset):
            message = f"the preset {request.preset} prepares a PDF, not {shown}"
            yield "--for", message, "add pdf to the formats, or leave out the preset"
        if request.archive:
            message = f"an archive is PDF/A; {shown} cannot be one"
            yield "--archive", message, "add pdf to the formats, or leave out the archive"
    if request.joined and pictures:
        yield "--to", "joined sheets are one PDF; they have no pictures", "leave out `joined`"


def _option_conflicts(request: PrintRequest) -> Iterator[tuple[str, str, str]]:
    """Yield options of pictures and decks that a request cannot meet."""
    decks, pictures = request.decks, request.picture_formats
    if request.transparent and not {"png", "webp"}.intersection(pictures):
        yield "--transparent", "only png and webp have transparent paper", "choose png or webp"
    if request.each and request.kind != "cards":
        message = f"only cards have a picture each; {request.kind} have one a page"
        yield "--each", message, "leave out `each`"
    elif request.each and not pictures:
        message = "each card becomes a picture of its own, and no picture is asked for"
        yield "--each", message, "add png to the formats"
    elif request.each and request.grid:
        yield "--grid", "pictures of each card have no grid", "leave out the grid"
    if request.base_url and not decks:
        yield "--base-url", "only decks for online tables have an address", "add tts or cgs"
    elif request.base_url and not _is_address(request.base_url):
        message = f"`{request.base_url}` is not an address"
        yield "--base-url", message, "begin with https:// or file:///, and write blanks as %20"


def _prepares_inks(name: str) -> bool:
    """Whether a preset's printer needs a PDF in its own inks, or one of a standard."""
    if not name:
        return False
    from sheetgen.load.designs.designs import load_presets  # Most runs need none of it.

    preset = load_presets().get(name)
    return preset is not None and (preset.colour == "cmyk" or preset.variant != "none")


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    if any(c <= " " for c in text):
        return False
    hosted = parts.scheme in ("http", "https") and bool(parts.hostname)
    return hosted or (parts.scheme == "file" and parts.path.startswith("/"))


# Names of pictures of cards: after what a card shows, unique, and safe for every file system.


def list_picture_names(plan: CardPlan) -> tuple[str, ...]:
    """Return the name of each page of a plan with one card a page.

    A page without a card has none, and neither have repetitions of the game's own back.
    """
    names: dict[str, None] = {}
    listed: list[str] = []
    backs: list[tuple[PlacedFace, ...]] = []
    front = ""
    for number, page in enumerate(plan.pages):
        is_back = bool(plan.duplex) and number % 2 == 1
        if not page.placed or page.placed in backs:
            listed.append("")
            continue
        if not is_back:
            front = name = unique_name(page.placed[0].face.name, names)
        elif has_own_back(page):
            name = unique_name(f"{front}-back", names)
        else:
            backs.append(page.placed)
            name = unique_name("back", names)
        names[name] = None
        listed.append(name)
    return tuple(listed)


def has_own_back(page: CardPage) -> bool:
    """Whether a back shows more of its card, not the back of the game."""
    return bool(page.placed) and page.placed[0].face.parts > 1


def unique_name(text: str, taken: Container[str], *, ascii_only: bool = False) -> str:
    """Return a name that is not among the names `taken`, which this function returned.

    Letters that `ascii_only` drops count in a digest, so that the name depends on `text` alone.
    """
    plain = folded(text)
    if ascii_only and not plain.isascii():
        digest = hashlib.sha256(plain.encode()).hexdigest()[:6]
        plain = " ".join("".join(c if c.isascii() else " " for c in plain).split())
        plain = f"{plain or 'card'} {digest}"
    name = portable_name(plain.replace(" ", "-"))
    return free_name(name if any(map(str.isalnum, name)) else "card", taken)
