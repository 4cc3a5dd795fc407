"""Cards: sound files, every value on its card, backs behind fronts, boxes where a printer looks."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import pikepdf
import pytest
from PIL import ImageChops, ImageOps

from sheetgen.load.characters import RulesetCache
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.requests import CardRequest
from sheetgen.plan.imposition import (
    CARDS,
    CardGrid,
    DeckLayout,
    Duplex,
    impose,
    single_card_grid,
)
from sheetgen.prints.cards import (
    character_cards,
    press_deck,
    thing_cards,
)
from sheetgen.prints.characters import Character, load_characters
from sheetgen.units import MM, paper_points
from tests.cli.commands import run
from tests.render.ua_rules import faults
from tests.render.viewers import VIEWERS, qpdf_says, text_of

RULES = rulesets_folder() / "hyperspace-d6"
LONG = """ruleset: hyperspace-d6
kind: npc
npc: Bounty Hunter
name: Someone with a rather long name indeed
special:
  - {text}
"""


@cache
def _stock(folder: str) -> tuple[Character, ...]:
    return tuple(load_characters([RULES / folder], rulesets=RulesetCache()))


def _printed(
    cards: tuple[Character, ...],
    size: str = "poker",
    paper: str = "a4",
    *,
    duplex: Duplex | None = None,
    grid: CardGrid | None = None,
    marks: bool = True,
) -> bytes:
    placed = grid or impose(CARDS[size], paper, half=duplex == "fold")
    wanted = [card for one in cards for card in character_cards(one)]
    layout = DeckLayout(placed, duplex, marks=marks)
    return press_deck(wanted, layout, CardRequest(size=size)).files["pdf"]


@pytest.mark.parametrize("folder", ["npcs", "vehicles"])
@pytest.mark.parametrize(("size", "paper"), [("poker", "a4"), ("poker", "letter"), ("a6", "a4")])
def test_cards_are_sound_and_say_everything(folder: str, size: str, paper: str) -> None:
    cards = _stock(folder)
    data = _printed(cards, size, paper)
    assert qpdf_says(data) == ""
    assert faults(data) == []
    words = " ".join(text_of(data).split())
    for one in cards:
        assert one.build
        assert one.build.name in words
        for item in one.build.items:
            assert item.name in words
    with pikepdf.open(io.BytesIO(data)) as pdf:
        assert "/AcroForm" not in pdf.Root
        assert str(pdf.Root.ViewerPreferences.PrintScaling) == "/None"
    assert data == _printed(cards, size, paper)


def test_what_is_printed_is_drawn_once_for_all_cards() -> None:
    cards = _stock("npcs")
    some, many = len(_printed(cards[:3])), len(_printed(cards * 10))
    assert (many - some) / (len(cards) * 10 - 3) < 1500


@pytest.mark.parametrize("duplex", ["long-edge", "short-edge"])
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_a_long_card_continues_on_its_back(tmp_path: Path, duplex: Duplex, paper: str) -> None:
    """Two sides laid over each other as the paper lies: back and front cover the same ground."""
    path = tmp_path / "long.yaml"
    path.write_text(LONG.replace("{text}", "words that go on " * 52), encoding="utf-8")
    (one,) = load_characters([path])
    layout = DeckLayout(impose(CARDS["poker"], paper), duplex)
    printed = press_deck(list(character_cards(one)), layout, CardRequest())
    assert [f.code.id for f in printed.findings] == ["SG302"]
    data = printed.files["pdf"]
    assert qpdf_says(data) == ""
    show = VIEWERS["pdfium"] if "pdfium" in VIEWERS else next(iter(VIEWERS.values()))
    front, back = show(data, 0).convert("L"), show(data, 1).convert("L")
    width, height = paper_points(paper)
    level = (duplex == "long-edge") == (width > height)
    through = ImageOps.flip(back) if level else ImageOps.mirror(back)
    placed = impose(CARDS["poker"], paper).slot(0).box
    box = tuple(
        round(2 * v)
        for v in (placed.x, placed.y, placed.x + placed.width, placed.y + placed.height)
    )
    inked = ImageChops.invert(through).point(lambda v: 255 if v > 60 else 0)
    assert inked.getbbox() is not None
    left, top, right, bottom = inked.getbbox() or (0, 0, 0, 0)
    assert box[0] <= left
    assert right <= box[2]
    assert box[1] <= top
    assert bottom <= box[3]
    assert ImageChops.invert(front).getbbox() is not None


def test_a_single_card_has_trim_and_bleed() -> None:
    data = _printed(_stock("npcs")[:2], grid=single_card_grid(CARDS["poker"], 3 * MM))
    with pikepdf.open(io.BytesIO(data)) as pdf:
        assert len(pdf.pages) == 2
        for page in pdf.pages:
            media, trim, bleed = (
                [float(v) for v in box] for box in (page.mediabox, page.trimbox, page.bleedbox)
            )
            assert media == pytest.approx([0, 0, 69 * MM, 94 * MM], abs=0.03)
            assert trim == pytest.approx([3 * MM, 3 * MM, 66 * MM, 91 * MM], abs=0.03)
            assert bleed == pytest.approx(media, abs=0.03)


def _paper(data: bytes) -> list[str]:
    """Return the text of each page, nothing for a blank one."""
    return text_of(data).split("\f")[:-1]


@pytest.mark.parametrize("duplex", ["long-edge", "short-edge"])
@pytest.mark.parametrize("alone", [False, True])
def test_each_sheet_of_paper_has_its_own_back(tmp_path: Path, duplex: Duplex, alone: bool) -> None:
    """A front without a second face has a blank back, the last front too."""
    path = tmp_path / "mixed.yaml"
    plain = "{npc: Bounty Hunter, name: Brik}"
    long = f"{{npc: Bounty Hunter, name: Tarn, special: [{'words that go on ' * 52}]}}"
    path.write_text(
        "ruleset: hyperspace-d6\nkind: npc\nentries:\n"
        + "".join(f"  - {one}\n" for one in (plain, long, plain)),
        encoding="utf-8",
    )
    grid = (
        single_card_grid(CARDS["poker"], 3 * MM)
        if alone
        else impose(CARDS["poker"], "a4", counts=(1, 1))
    )
    pages = _paper(_printed(tuple(load_characters([path])), grid=grid, duplex=duplex))
    names = [next((n for n in ("Brik", "Tarn") if n in page), "") for page in pages]
    assert names == ["Brik", "", "Tarn", "Tarn", "Brik", ""]
    with pikepdf.open(io.BytesIO(_printed(_stock("npcs")[:1], grid=grid, duplex=duplex))) as pdf:
        assert len(pdf.pages) == 2
        flip = {"long-edge": "/DuplexFlipLongEdge", "short-edge": "/DuplexFlipShortEdge"}
        assert pdf.Root.ViewerPreferences.Duplex == flip[duplex]


def test_copies_have_names_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "gang.yaml"
    path.write_text(
        "ruleset: hyperspace-d6\nkind: npc\nnpc: Thug\nname: Thug\nnames: [Olo, Brik]\ncopies: 3\n",
        encoding="utf-8",
    )
    words = text_of(_printed(tuple(load_characters([path]))))
    assert [words.count(name) for name in ("Olo", "Brik", "Thug")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("ruleset", "kind"), [("hyperspace-d6", "gear"), ("keyword-dots", "power")]
)
def test_each_thing_of_a_catalogue_has_a_card(ruleset: str, kind: str) -> None:
    rules = load_ruleset(rulesets_folder() / ruleset, complete=True).value
    assert rules
    cards = list(thing_cards(rules, kind, {}))
    layout = DeckLayout(impose(CARDS["poker"], "a4"))
    printed = press_deck(cards, layout, CardRequest())
    assert len(printed.findings) <= len(cards) / 20  # a few may continue on another card
    assert {one.code.id for one in printed.findings} <= {"SG302"}
    assert qpdf_says(printed.files["pdf"]) == ""
    words = set(text_of(printed.files["pdf"]).split())
    assert len(cards) >= 30
    for card in cards:
        assert words.issuperset(card.about.name.split())


@pytest.mark.parametrize("duplex", ["long-edge", "short-edge"])
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_middle_crosses_of_a_calibration_sheet_meet(paper: str, duplex: Duplex) -> None:
    """Laid over each other as the paper lies, the pair without an offset is one cross."""
    layout = DeckLayout(impose(CARDS["poker"], paper), duplex)
    wanted = [card for one in _stock("npcs")[:1] for card in character_cards(one)]
    data = press_deck(wanted, layout, CardRequest(calibrate=True)).files["pdf"]
    assert qpdf_says(data) == ""
    front, back = (VIEWERS["pdfium"](data, page).convert("L") for page in (0, 1))
    level = (duplex == "long-edge") == (layout.grid.paper[0] > layout.grid.paper[1])
    behind = ImageOps.flip(back) if level else ImageOps.mirror(back)
    x, y = (round(2 * length / 2) for length in layout.grid.paper)
    box = (x - 12, y - 12, x + 13, y + 13)
    unlike = ImageChops.difference(front.crop(box), behind.crop(box))
    assert max(unlike.getextrema()) <= 96  # a cross off by a millimetre is black on white
    off = (
        x - 12 - round(layout.grid.paper[0] / 3),
        y - 12,
        x + 13 - round(layout.grid.paper[0] / 3),
        y + 13,
    )
    assert max(ImageChops.difference(front.crop(off), behind.crop(off)).getextrema()) > 96


def test_more_hits_than_boxes_are_noted_on_a_line_of_their_own(tmp_path: Path) -> None:
    """Guards against the label of the Force on it: nobody without Force has a line for that."""
    skills = "Sniper: 4, Blasters: 1, Stealth: 3, Surprise: 2"
    npc = f"ruleset: keyword-dots\nkind: npc\nname: Ox\nabilities: {{{skills}}}\n"
    (tmp_path / "ox.yaml").write_text(npc, encoding="utf-8")
    said = run("cards", tmp_path / "ox.yaml", "--out", tmp_path)
    printed = text_of(Path(said.out.strip()).read_bytes()).lower()
    assert "hits left" in printed
    assert "force left" not in printed
