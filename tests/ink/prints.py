"""Every kind of print of every ruleset, filled, empty and overfull, in every theme and paper."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from sheetgen.data import data_folder
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.model.requests import CardRequest, PrintRequest
from sheetgen.prints.encounter import EncounterRequest
from sheetgen.prints.kinds import PrintContext, find_kind, print_request
from sheetgen.prints.sheet import BlankRequest, SheetRequest
from tests.ink.collisions import Collision, find_collisions
from tests.ink.overfull import overfull
from tests.options.prints import played
from tests.printing import CHARACTERS, LOOKS, USUAL, character_from, printed
from tests.shelf import OWN

CONTENT = data_folder() / "content"
HOMEBREW = "lanterns"
"""A ruleset without a design of its own: it prints on the plain sheet."""

SIZES = ("tarot", "index", "a6", "half-letter")
LONG, TIGHT = ("screens", "tables"), ("letter", "large-print")
"""What takes long to lay out; other tests print it in the usual look and where room is least."""

DECK_MARGIN, PAPER_MARGIN = 5.0, 8.0
"""Millimetres; of decks only the cutter reads what stands beside the cards."""


@dataclass(frozen=True)
class Print:
    """A print to look at: what it is called, and how it is asked for."""

    name: str
    request: PrintRequest
    rules: str = ""
    """Of an overfull sheet: the ruleset of its character, which is no file."""

    @property
    def label(self) -> str:
        return f"{self.name}, {self.request.theme}, {self.request.paper}"

    def at(self, look: tuple[str, str]) -> Print:
        paper, theme = look
        return replace(self, request=replace(self.request, paper=paper, theme=theme))

    def files(self) -> Iterator[bytes]:
        """Yield the PDFs of the print."""
        request = self.request
        if self.rules:
            one = character_from(overfull(self.rules), self.rules)
            yield printed(one, (request.paper, request.theme), draft=True).pdf
            return
        for result in print_request(request, _context()):
            yield from (data for format_, data in result.files.items() if format_ == "pdf")

    def collisions(self) -> list[Collision]:
        """Return what collides on all pages of the print."""
        margin = DECK_MARGIN if self.request.kind == "cards" else PAPER_MARGIN
        return [one for data in self.files() for one in find_collisions(data, margin)]


@cache
def _context() -> PrintContext:
    """Return the context of all prints of a process, which loads each ruleset once."""
    return PrintContext()


@cache
def prints() -> tuple[Print, ...]:
    """Return every print, in the usual look."""
    return tuple(_prints())


def _prints() -> Iterator[Print]:
    for id_ in ruleset_ids():
        rules = played(id_, {})
        for kind, path in (("blanks", id_), *(("sheets", p) for p in _characters(id_))):
            name = path.rpartition("/")[2].removesuffix(".yaml")
            yield Print(f"{kind} {id_} {name}", find_kind(kind).request((path,)))
        yield Print(f"sheets {id_} overfull", SheetRequest(), rules=id_)
        for kind in ("tables", "screens", "odds"):
            if kind != "odds" or rules.odds:
                yield Print(f"{kind} {id_}", find_kind(kind).request((id_,)))
        for kind in (*rules.kinds, *rules.card_sets):
            request = CardRequest((id_,), of_kind=str(kind))
            yield Print(f"cards {id_} {kind}", request)
        for path in sorted((CONTENT / "encounters" / id_).glob("*.yaml")):
            request = EncounterRequest((str(path),))
            yield Print(f"encounters {id_} {path.stem}", request)
    path = str(OWN / HOMEBREW)
    yield Print(f"blanks {HOMEBREW}", BlankRequest((path,)))
    yield Print(f"sheets {HOMEBREW} overfull", SheetRequest(), rules=HOMEBREW)


def _characters(id_: str) -> list[str]:
    """Return the longest character of a ruleset, and the shortest."""
    found = [p for p in CHARACTERS if p.parent.name == id_]
    found.sort(key=lambda path: path.stat().st_size)
    return [str(path) for path in dict.fromkeys((*found[:1], *found[-1:]))]


def product() -> Iterator[Print]:
    """Yield every print in every look; cards also in every size."""
    for one in prints():
        yield from (one.at(look) for look in LOOKS)
        if one.request.kind == "odds":
            yield one.at(("a5", "standard"))
        if one.request.kind == "cards" and one.request.of_kind != "odds":
            for size in SIZES:
                sized = replace(one, name=f"{one.name} {size}")
                sized = replace(sized, request=replace(one.request, size=size))
                yield from (sized.at(look) for look in (USUAL, ("letter", "large-print")))


def sample() -> Iterator[Print]:
    """Yield every print in one look, by turns, so that each kind is seen in several.

    Of each ruleset's characters the longest stands for all; cards of odds are slow, and alike.
    """
    seen: set[str] = set()
    chosen: dict[str, Print] = {}
    for one in prints():
        kind, id_, *_ = one.name.split()
        odds = isinstance(one.request, CardRequest) and one.request.of_kind == "odds"
        alike = f"{kind} odds" if odds else one.name
        if kind == "sheets" and not one.rules:
            alike = f"{kind} {id_}"  # the longest comes last
        if not odds or alike not in seen:
            seen.add(alike)
            chosen[alike] = one
    for number, one in enumerate(chosen.values()):
        looks = LOOKS if one.request.kind not in LONG else (USUAL, TIGHT)
        yield one.at(looks[number % len(looks)])
