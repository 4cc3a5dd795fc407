"""Cards: sound files, every value on its card, backs behind fronts, boxes where a printer looks."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import pikepdf
import pytest
from PIL import ImageChops, ImageOps

from sheetgen.decks import (
    CardRequest,
    Deck,
    cards_of,
    deck_of,
    print_calibration,
    print_cards,
    things_of,
)
from sheetgen.load.characters import Shelf
from sheetgen.load.content import rulesets_folder
from sheetgen.load.rulesets import load_ruleset
from sheetgen.model.differences import Difference
from sheetgen.pipeline import Character, characters
from sheetgen.plan.decks import Layout
from sheetgen.plan.imposition import CARDS, PAPERS, Duplex, Grid, impose, single
from sheetgen.reference import proof_of
from sheetgen.render.card_press import press_cards
from sheetgen.units import MM
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
    return tuple(characters([RULES / folder], shelf=Shelf()))


def _printed(
    cards: tuple[Character, ...],
    size: str = "poker",
    paper: str = "a4",
    *,
    duplex: Duplex | None = None,
    grid: Grid | None = None,
    marks: bool = True,
) -> bytes:
    placed = grid or impose(CARDS[size], paper, half=duplex == "fold")
    wanted = [card for one in cards for card in cards_of(one)]
    return print_cards(wanted, CardRequest(Layout(placed, duplex, marks=marks), size)).files["pdf"]


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
    path.write_text(LONG.replace("{text}", "words that go on " * 60), encoding="utf-8")
    (one,) = characters([path])
    printed = print_cards(
        list(cards_of(one)), CardRequest(Layout(impose(CARDS["poker"], paper), duplex), "poker")
    )
    assert [f.code.id for f in printed.findings] == ["SG302"]
    data = printed.files["pdf"]
    assert qpdf_says(data) == ""
    show = VIEWERS["pdfium"] if "pdfium" in VIEWERS else next(iter(VIEWERS.values()))
    front, back = show(data, 0).convert("L"), show(data, 1).convert("L")
    width, height = PAPERS[paper]
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
    data = _printed(_stock("npcs")[:2], grid=single(CARDS["poker"], 3 * MM))
    with pikepdf.open(io.BytesIO(data)) as pdf:
        assert len(pdf.pages) == 2
        for page in pdf.pages:
            media, trim, bleed = (
                [float(v) for v in box] for box in (page.mediabox, page.trimbox, page.bleedbox)
            )
            assert media == pytest.approx([0, 0, 69 * MM, 94 * MM], abs=0.03)
            assert trim == pytest.approx([3 * MM, 3 * MM, 66 * MM, 91 * MM], abs=0.03)
            assert bleed == pytest.approx(media, abs=0.03)


def test_copies_have_names_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "gang.yaml"
    path.write_text(
        "ruleset: hyperspace-d6\nkind: npc\nnpc: Thug\nname: Thug\nnames: [Olo, Brik]\ncopies: 3\n",
        encoding="utf-8",
    )
    words = text_of(_printed(tuple(characters([path]))))
    assert [words.count(name) for name in ("Olo", "Brik", "Thug")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("ruleset", "kind"), [("hyperspace-d6", "gear"), ("keyword-dots", "power")]
)
def test_each_thing_of_a_catalogue_has_a_card(ruleset: str, kind: str) -> None:
    rules = load_ruleset(rulesets_folder() / ruleset, whole=True).value
    assert rules
    cards = list(things_of(rules, kind, {}))
    layout = Layout(impose(CARDS["poker"], "a4"))
    printed = print_cards(cards, CardRequest(layout, "poker"))
    assert printed.findings == ()
    assert qpdf_says(printed.files["pdf"]) == ""
    words = set(text_of(printed.files["pdf"]).split())
    assert len(cards) >= 30
    for card in cards:
        assert words.issuperset(card.about.name.split())


@pytest.mark.parametrize("duplex", ["long-edge", "short-edge"])
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_the_middle_crosses_of_a_calibration_sheet_meet(paper: str, duplex: Duplex) -> None:
    """Laid over each other as the paper lies, the pair without an offset is one cross."""
    layout = Layout(impose(CARDS["poker"], paper), duplex)
    wanted = [card for one in _stock("npcs")[:1] for card in cards_of(one)]
    data = print_calibration(wanted, CardRequest(layout, "poker")).files["pdf"]
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


# -- what a card marks, notes and leaves out ---------------------------------------------------

GANG = """ruleset: hyperspace-d6
kind: npc
entries:
  - {npc: Stormtrooper, name: Plain}
  - {npc: stormtrooper, name: Chosen, elite: [DEX, STR]}
  - {npc: Stormtrooper, name: Weaker, skills: {Blasters: 3D}}
  - {name: Stormtrooper, attributes: {DEX: 2D, STR: 2D}, skills: {Brawl: 3D}}
"""


@cache
def _otherwise() -> dict[str, Difference]:
    return {d.what: d for d in proof_of("hyperspace-d6").differences}


def _deck(path: Path, said: str, size: str = "poker", theme: str = "standard") -> Deck:
    path.write_text(said, encoding="utf-8")
    cards = [card for one in characters([path]) for card in cards_of(one, _otherwise())]
    layout = Layout(impose(CARDS[size], "a4"))
    made = deck_of(cards, CardRequest(layout, size, theme=theme)).value
    assert made is not None
    return made


def _spoken(made: Deck) -> dict[str, str]:
    return {face.name: " ".join(strip.said for strip in face.strips) for face in made.faces}


def test_what_an_elite_is_raised_by_stands_beside_its_figures(tmp_path: Path) -> None:
    made = _deck(tmp_path / "gang.yaml", GANG)
    said, texts = _spoken(made), text_of(print_cards_of(made)).split()
    assert "Kind Elite · Imperials" in said["Chosen"]
    for told in ("Dodge 11 (+1 as an elite)", "Soak −9 (+2 as an elite)", "Dexterity 3D (+1"):
        assert told in said["Chosen"], told
    assert "Knowledge 1D, " in said["Chosen"]  # what was not raised bears no mark
    assert "elite" not in said["Plain"]
    assert texts.count("+:") == 1
    chosen = next(face for face in made.faces if face.name == "Chosen")
    pieces = [p for strip in chosen.strips for row in strip.pieces.values() for p in row]
    raised = {p.text for p in pieces if p.role.endswith("-change")}
    assert raised == {"+1", "+2"}
    shapes = {mark for strip in chosen.strips for mark in strip.filling.marks.values()}
    assert any(shape.startswith("second") for shape in shapes)  # told without colour too


def test_a_footnote_goes_with_the_base_while_its_figure_does(tmp_path: Path) -> None:
    said = _spoken(_deck(tmp_path / "gang.yaml", GANG))
    noted = {name for name, words in said.items() if "The source prints 12" in words}
    assert noted == {"Plain"}
    assert "Block 13 (footnote a)" in said["Plain"]


def test_a_footnote_of_a_stock_row_stays_on_its_own_card() -> None:
    cards = [c for one in _stock("npcs") for c in cards_of(one, _otherwise())]
    assert {c.about.name for c in cards if c.notes} >= {"Stormtrooper", "Scout Trooper"}


@pytest.mark.parametrize(("size", "more"), [("poker", False), ("a6", True), ("half-letter", True)])
def test_large_cards_have_room_for_what_is_rolled(tmp_path: Path, size: str, more: bool) -> None:
    made = _deck(tmp_path / "one.yaml", GANG.split("  - {npc: storm")[0], size)
    words = " ".join(text_of(print_cards_of(made)).split())
    assert ("1 action 2 actions 3 actions" in words) == more
    assert ("1 wound 2D 1D –" in words) == more
    assert ("notes" in words.lower()) == more


def test_a_group_has_no_table_of_dice_that_wounds_leave(tmp_path: Path) -> None:
    made = _deck(
        tmp_path / "one.yaml",
        "ruleset: hyperspace-d6\nkind: npc\nnpc: Thug\nname: Thugs\nmembers: 5\n",
        "a6",
    )
    words = text_of(print_cards_of(made)).lower()
    assert "dice left" not in words
    assert "actions left" in words


def test_a_weapon_keeps_its_rule_beside_it(tmp_path: Path) -> None:
    """What continues on another card is cut between weapons, never below the name of one."""
    arms = "[Blaster Pistol, Blaster Rifle, Heavy Repeating Blaster, Vibroblade, Forcepike, Medpac]"
    made = _deck(
        tmp_path / "arms.yaml",
        "ruleset: hyperspace-d6\nkind: npc\nnpc: Thug\nname: Many Arms\ngear: " + arms + "\n",
    )
    assert len(made.faces) == 2
    for face in made.faces:
        words = " ".join(strip.said for strip in face.strips)
        assert ("Forcepike" in words) == ("two attacks" in words)


@pytest.mark.parametrize("letters", [20, 40, 60, 75])
def test_no_letter_of_a_long_name_is_lost(tmp_path: Path, letters: int) -> None:
    name = ("Wilhelmina Konstantina of the Outer Marches, Admiral of the Ninth Fleet" * 2)[:letters]
    name = name.strip()
    made = _deck(
        tmp_path / "long.yaml", f"ruleset: hyperspace-d6\nkind: npc\nnpc: Thug\nname: {name!r}\n"
    )
    (face,) = made.faces
    shown = next(s for n, s in face.strips[0].filling.texts.items() if n.endswith(".name"))
    assert " ".join(shown.lines) == name


def print_cards_of(made: Deck) -> bytes:
    """Return the file of a deck."""
    return press_cards(made.plan)
