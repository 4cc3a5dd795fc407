"""Files of decks for online tables, in every format that a request asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sheetgen.diag import print_codes as codes
from sheetgen.diag.findings import Finding, Severity
from sheetgen.model.cards import CardPlan
from sheetgen.model.requests import FilePart, PrintRequest
from sheetgen.plan.cards.kinds import Subject


def online_files(
    plan: CardPlan, subjects: Mapping[str, Subject], name: str, request: PrintRequest
) -> Iterator[FilePart]:
    """Yield the files of a deck in all formats of decks that are asked for.

    Args:
        plan: Single cards, of which every second page is a back.
        subjects: What cards are about, by name.
    """
    from sheetgen.prints.pictures.cgs import cgs_files
    from sheetgen.prints.pictures.decks import build_online_deck
    from sheetgen.prints.pictures.tts import tts_files

    deck = build_online_deck(plan, subjects, name, request.of_kind)
    if "tts" in request.decks:
        yield from tts_files(deck, request.dpi, request.base_url)
    if "cgs" in request.decks:
        yield from cgs_files(deck, request.dpi, request.base_url)


def note_local_pictures(request: PrintRequest) -> tuple[Finding, ...]:
    """Return the note that the pictures of a deck have no address yet, if they need one."""
    if "tts" not in request.decks or request.base_url:
        return ()
    message = "the saved object names its pictures by their files; the game needs an address"
    hint = "upload them, and give --base-url ADDRESS; or see the guide"
    return (Finding(codes.NOT_HOSTED, request.at("--to"), message, hint, Severity.NOTE),)
