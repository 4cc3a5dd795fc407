"""Two programs fill in our forms as people do: by keys and mouse; what they save is read."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar

import pikepdf
import pytest
from playwright.sync_api import Browser

from sheetgen.load.filled import read_filled
from sheetgen.prints.sheet import BlankRequest, print_blank
from sheetgen.render.press.prepared import HINT, RESET
from tests.printing import CHARACTERS, character_at, printed
from tests.render.viewers import qpdf_says
from tests.shelf import ruleset, skip_without
from tests.viewers.pdfium import Pdfium
from tests.viewers.pdfjs import PDFJS, PdfJs
from tests.viewers.scripted import Viewer, printed_values, terminal

pytestmark = pytest.mark.slow

T = TypeVar("T", PdfJs, Pdfium)

EDITS: Mapping[str, Mapping[str, str]] = {
    "ansa-reth": {"force_powers.jump.4": "On", "force_powers.choke.1": "On", "dice.3": "d6"},
    "brakka_sool": {"skills.agility.own": "+2D", "stunned.box.1": "", "skills.drive.own": "odd"},
    "bram_oldecott": {"skills.bows.own": "+2", "attributes.strength.total": "4D"},
    "calla": {"abilities.brawn.4": "On", "condition.winded": "On"},
    "ines_harrow": {"skills.dodge.own": "+1D+2"},
}
"""What is typed, by character: a sum, a limit, what cannot be read, and what is no number."""

VIEWERS_HERE = ("pdfjs", "pdfium")
"""The fixtures below."""

each_sheet = pytest.mark.parametrize("stem", EDITS)


@pytest.fixture
def pdfjs(whole_browser: Browser) -> Iterator[Callable[[bytes], PdfJs]]:
    if not PDFJS.is_dir():
        skip_without("PDF.js", "npm has not fetched tests/viewers/node_modules")
    with _one_at_a_time(lambda data: PdfJs(whole_browser, data)) as open_:
        yield open_


@pytest.fixture
def pdfium(whole_browser: Browser) -> Iterator[Callable[[bytes], Pdfium]]:
    with _one_at_a_time(lambda data: Pdfium(whole_browser, data)) as open_:
        yield open_


@contextmanager
def _one_at_a_time(viewer: Callable[[bytes], T]) -> Iterator[Callable[[bytes], T]]:
    """Give what opens a file; the one before is closed first, since keys go to one window."""
    opened: list[T] = []

    def open_(data: bytes) -> T:
        while opened:
            opened.pop().close()
        opened.append(viewer(data))
        return opened[-1]

    yield open_
    for one in opened:
        one.close()


@cache
def live(stem: str) -> bytes:
    [path] = [path for path in CHARACTERS if path.stem == stem]
    return printed(character_at(path)).pdf


def expected(data: bytes, typed: Mapping[str, str]) -> dict[str, str]:
    viewer = Viewer(data)
    viewer.type(typed)
    return viewer.values()


def hints_of(data: bytes, typed: Mapping[str, str]) -> set[str]:
    viewer = Viewer(data)
    viewer.type(typed)
    return viewer.shown()


def shown_hints(data: bytes) -> set[str]:
    """Return the hints that can be seen when a file is opened."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        fields = dict(terminal(pdf.Root.AcroForm.Fields))
        hints = {name: int(f.get("/F", 0)) for name, f in fields.items() if name.startswith(HINT)}
        assert hints
        return {name for name, flags in hints.items() if not flags & 2}


def fill(viewer: PdfJs | Pdfium, data: bytes, typed: Mapping[str, str]) -> None:
    boxes = {name for name, text in printed_values(data).items() if text in ("On", "Off")}
    for name, text in typed.items():
        if name in boxes:
            viewer.tick(name)
        else:
            viewer.type(name, text)


def settled(viewer: PdfJs | Pdfium, values: Mapping[str, str]) -> bytes:
    """Save until what is saved is as expected, or for half a minute."""
    for _ in range(150):
        saved = viewer.saved()
        if printed_values(saved) == values:
            break
        viewer.page.wait_for_timeout(200)
    return saved


def changed(data: bytes, typed: Mapping[str, str]) -> dict[str, str]:
    """Return what was typed and did not stand there already."""
    before = printed_values(data)
    return {name: text for name, text in typed.items() if text != before[name]}


def came_back(saved: bytes, folder: Path) -> dict[str, str]:
    """Return what `sheetgen read` finds changed on a sheet that a viewer saved."""
    path = folder / "saved.pdf"
    path.write_bytes(saved)
    read = read_filled(path)
    assert read.value is not None, read.findings
    (sheet,) = read.value
    return {n: f.filled for n, f in sheet.fields.items() if f.filled != f.printed}


@pytest.mark.parametrize("name", VIEWERS_HERE)
@each_sheet
def test_it_sums_saves_and_puts_back(
    name: str, stem: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    data, typed = live(stem), EDITS[stem]
    viewer, values = request.getfixturevalue(name)(data), expected(data, typed)
    fill(viewer, data, typed)
    saved = settled(viewer, values)
    assert printed_values(saved) == values
    assert shown_hints(saved) == hints_of(data, typed)
    assert qpdf_says(saved) == ""
    assert changed(data, typed).items() <= came_back(saved, tmp_path).items()
    viewer.push(RESET)
    saved = settled(viewer, printed_values(data))
    assert printed_values(saved) == printed_values(data)
    assert came_back(saved, tmp_path) == {}


BLANK_EDITS = {"attributes.strength.total": "3", "soak.value": "9", "skills.brawl.own": "+1D"}


def blank() -> bytes:
    live("brakka_sool")  # its plate
    return print_blank(ruleset("hyperspace-d6"), BlankRequest()).files["pdf"]


@pytest.mark.parametrize("name", VIEWERS_HERE)
def test_an_empty_sheet_adds_up(name: str, request: pytest.FixtureRequest) -> None:
    data = blank()
    viewer = request.getfixturevalue(name)(data)
    fill(viewer, data, BLANK_EDITS)
    values = expected(data, BLANK_EDITS)
    assert printed_values(settled(viewer, values)) == values


@pytest.mark.parametrize("name", VIEWERS_HERE)
def test_an_empty_sheet_adds_up_another_day(name: str, request: pytest.FixtureRequest) -> None:
    data, more = blank(), {"attributes.strength.total": "4"}
    open_ = request.getfixturevalue(name)
    viewer = open_(data)
    fill(viewer, data, BLANK_EDITS)
    again = open_(settled(viewer, expected(data, BLANK_EDITS)))
    values = expected(data, {**BLANK_EDITS, **more})
    fill(again, data, more)
    assert printed_values(settled(again, values)) == values
