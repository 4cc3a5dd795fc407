"""Pieces for the table: exact places, sides that coincide, numbers of copies, and bad input."""

from __future__ import annotations

import io
import shutil
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pikepdf
import pymupdf
import pytest
from PIL import Image

from sheetgen.data import data_folder
from sheetgen.load.designs.fonts import font_bytes
from sheetgen.load.designs.themes import find_theme
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.model.prints import FaceMetrics
from sheetgen.plugins.tabletop.drawings import KINDS
from sheetgen.plugins.tabletop.pen import PieceStyle, fit_text
from sheetgen.plugins.tabletop.pieces import PieceRequest, select_pieces
from sheetgen.prints.encounter import check_encounter
from sheetgen.prints.kinds import PrintContext, print_request
from tests.cli.commands import run
from tests.render.ua_rules import faults

FIGHTS = sorted((data_folder() / "content" / "encounters").glob("*/*.yaml"))
CHARACTERS = data_folder() / "content" / "characters"
BRIDGE = next(path for path in FIGHTS if path.stem == "salt-bridge")
ALL = ",".join(KINDS)
MM = 72 / 25.4
NEAR = 0.01 * MM
CUT = 0.3


def request(*of: object, **more: Any) -> PieceRequest:
    return PieceRequest(tuple(map(str, of)), **{"size": "", **more})


def printed(wanted: PieceRequest) -> tuple[bytes, list[str]]:
    """Return the PDF of a request and the messages of its findings."""
    results = list(print_request(wanted, PrintContext()))
    found = [f"{f.code.id} {f.message}" for result in results for f in result.findings]
    return next((r.files["pdf"] for r in results if r.files), b""), found


@cache
def bridge(kind: str, paper: str = "a4", size: str = "") -> bytes:
    data, found = printed(request(BRIDGE, of_kind=kind, paper=paper, size=size))
    assert found == []
    return data


def cuts(page: pymupdf.Page) -> list[pymupdf.Rect]:
    """Return the boxes of all lines to cut along."""
    drawings = page.get_drawings()
    return [one["rect"] for one in drawings if is_cut(one)]


def is_cut(drawing: dict[str, Any]) -> bool:
    thin = drawing["width"] is not None and abs(drawing["width"] - CUT) < 0.01
    return thin and drawing["type"] == "s" and drawing["dashes"] in ("[] 0", None)


def words(page: pymupdf.Page) -> list[tuple[str, tuple[float, float], pymupdf.Rect]]:
    """Return the text of each line, its direction and its box."""
    blocks = page.get_text("dict")["blocks"]
    lines = (line for block in blocks for line in block.get("lines", ()))
    return [
        ("".join(span["text"] for span in line["spans"]), line["dir"], pymupdf.Rect(line["bbox"]))
        for line in lines
    ]


@pytest.mark.many
@pytest.mark.parametrize("path", FIGHTS, ids=lambda path: path.stem)
def test_every_game_has_all_kinds_of_pieces(path: Path) -> None:
    wanted = request(path, of_kind=ALL, paper="letter")
    data, found = printed(wanted)
    assert found == []
    assert data == printed(wanted)[0]
    assert faults(data) == []
    with pikepdf.open(io.BytesIO(data)) as pdf:
        assert pdf.Root.Lang == "en"
        assert str(pdf.docinfo.Title).startswith("Pieces · ")
        credit = str(pdf.docinfo.Subject)
    for number, page in enumerate(pymupdf.open(stream=data), 1):
        text = " ".join(page.get_text().split())
        assert credit in text
        assert f"{number} / " in text


def test_tokens_are_round_and_on_a_grid() -> None:
    page = pymupdf.open(stream=bridge("token"))[0]
    found = cuts(page)
    assert len(found) == 8
    for box in found:
        assert abs(box.width - 25 * MM) < NEAR
        assert abs(box.height - 25 * MM) < NEAR
    step = 28 * MM
    for at, box in enumerate(found):
        row, column = divmod(at, 7)
        assert abs(box.x0 - found[0].x0 - column * step) < NEAR
        assert abs(box.y0 - found[0].y0 - row * step) < NEAR
    left, right = found[0].x0, page.rect.width - found[6].x1
    assert abs(left - right) < NEAR


def test_the_field_of_a_token_reaches_over_the_cut() -> None:
    page = pymupdf.open(stream=bridge("token"))[0]
    box = cuts(page)[0]
    pixels = page.get_pixmap(dpi=300)
    at = (box.x0 - 1.0 * MM) * 300 / 72, (box.y0 + box.y1) / 2 * 300 / 72
    column = [pixels.pixel(int(at[0]), int(at[1]) + n) for n in range(-40, 40)]
    assert all(max(pixel) < 250 for pixel in column)


@pytest.mark.parametrize("kind", ["standee", "tent"])
def test_both_sides_coincide_when_they_are_folded(kind: str) -> None:
    """Folding mirrors a side about the fold; what is upside down on paper is upright then."""
    page = pymupdf.open(stream=bridge(kind))[0]
    box = cuts(page)[0]
    fold = (box.y0 + box.y1) / 2
    dashed = [d["rect"] for d in page.get_drawings() if "2.4" in (d["dashes"] or "")]
    assert any(abs(one.y0 - fold) < NEAR and one.width > box.width - 1 for one in dashed)
    inside = [one for one in words(page) if one[2].intersects(box)]
    upright = [one for one in inside if one[1][0] > 0.99]
    turned = [one for one in inside if one[1][0] < -0.99]
    assert {text for text, _, _ in upright} <= {text for text, _, _ in turned} | {"Ke"}
    assert all(one[2].y0 > fold - 0.1 for one in upright)
    assert all(one[2].y1 < fold + 0.1 for one in turned)


def test_the_sides_of_a_standee_are_mirror_images() -> None:
    page = pymupdf.open(stream=bridge("standee"))[0]
    box = cuts(page)[3]
    fold = (box.y0 + box.y1) / 2
    drawings = page.get_drawings()
    boxes = [d["rect"] for d in drawings if d["rect"].intersects(box) and d["rect"].width < 80]
    circles = [one for one in boxes if abs(one.width - one.height) < 0.01 and one.width > 8]
    assert len(circles) >= 6  # initials, number and its rim, front and back
    for one in circles:
        other = (one.x0, 2 * fold - one.y1, one.x1, 2 * fold - one.y0)
        assert any(
            max(abs(a - b) for a, b in zip(two, other, strict=True)) < NEAR for two in circles
        )
    for text in ("Stormtrooper", "1"):
        sides = [b for t, _, b in words(page) if t == text and b.intersects(box)]
        middles = sorted((one.y0 + one.y1) / 2 for one in sides)
        assert len(sides) == 2
        assert abs((middles[0] + middles[1]) / 2 - fold) < 0.6
        assert (
            abs(sum(one.x0 + one.x1 for one in sides) / 4 - (sides[0].x0 + sides[0].x1) / 2) < NEAR
        )


def test_a_standee_is_two_panels_and_two_tabs() -> None:
    box = cuts(pymupdf.open(stream=bridge("standee", size="1in"))[0])[0]
    assert abs(box.width - 72) < NEAR
    assert abs(box.height - (4 * 72 + 2 * 8 * MM)) < NEAR


def test_copies_have_the_numbers_of_the_encounter() -> None:
    fighters = check_encounter(BRIDGE).fighters
    selection = select_pieces(request(BRIDGE), PrintContext())
    for fighter in fighters:
        numbers = [s.number for s, _ in selection.subjects if s.name == fighter.build.name]
        assert numbers == list(fighter.copies)
    players = [s.name for s, _ in selection.subjects if s.person]
    assert players == ["Kessa", "Jorra", "Oshen"]


def test_a_player_with_a_file_has_its_picture_and_its_figures(tmp_path: Path) -> None:
    hero = data_folder() / "content" / "characters" / "hyperspace-d6" / "pell_marrow.yaml"
    fight = tmp_path / "fight.yaml"
    text = (
        "ruleset: hyperspace-d6\nencounter: A\nplayers: [{0}, Ada]\ncombatants: [{{npc: Thug}}]\n"
    )
    fight.write_text(text.format(hero), encoding="utf-8")
    alone, _ = select_pieces(request(hero), PrintContext()).subjects[0]
    people = [
        one for one, _ in select_pieces(request(fight), PrintContext()).subjects if one.person
    ]
    assert [one.name for one in people] == [alone.name, "Ada"]
    assert people[0].art == alone.art is not None
    assert people[0].facts == alone.facts != ()
    assert people[0].number == ""


def test_named_copies_keep_their_names() -> None:
    path = next(one for one in FIGHTS if one.stem == "dry-dock")
    subjects = [s for s, _ in select_pieces(request(path), PrintContext()).subjects]
    guards = [s for s in subjects if "gate" in s.name or s.name == "Crane"]
    assert [s.name for s in guards] == ["Left gate", "Right gate", "Crane"]
    assert all(s.about.startswith("Guard") and not s.number for s in guards)


def test_copies_of_npcs_are_numbered_and_those_of_characters_are_not() -> None:
    stock = replace(request("hyperspace-d6", copies=3), only=("Stormtrooper",))
    subjects = [s for s, _ in select_pieces(stock, PrintContext()).subjects]
    assert [s.number for s in subjects] == ["1", "2", "3"]
    hero = CHARACTERS / "hyperspace-d6" / "brakka_sool.yaml"
    subjects = [s for s, _ in select_pieces(request(hero, copies=2), PrintContext()).subjects]
    assert [s.number for s in subjects] == ["", ""]


def test_a_tent_shows_what_its_owner_looks_up() -> None:
    hero = CHARACTERS / "hyperspace-d6" / "brakka_sool.yaml"
    (subject,) = [s for s, _ in select_pieces(request(hero), PrintContext()).subjects]
    shown = {run.label: run.text + run.small for row in subject.facts for run in row.runs}
    assert shown["Dodge"] == "12"
    assert shown["Initiative"] == "3D"
    text = pymupdf.open(stream=printed(request(hero, of_kind="tent"))[0])[0].get_text()
    assert all(label in text and figure in text for label, figure in shown.items())


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("A", ""),
        ("Александра Невская", ""),
        ("Αλέξανδρος ο Μέγας", ""),
        ("Nguyễn Thị Hường", ""),
        ("Šárka Čechová z Ďáblic a Větrného Jeníkova nad Radbuzou", "SG301"),
        ("Pneumonoultramicroscopicsilicovolcanoconiosis", "SG301"),
        ("日本太郎", "SG303"),
    ],
)
def test_names_of_any_length_and_alphabet(name: str, code: str, tmp_path: Path) -> None:
    fight = tmp_path / "fight.yaml"
    text = f'ruleset: d6-pips\nencounter: A\nplayers: ["{name}"]\ncombatants: [{{npc: Thug}}]\n'
    fight.write_text(text, encoding="utf-8")
    data, found = printed(request(fight, of_kind=ALL))
    assert {message.split()[0] for message in found} == ({code} if code else set())
    assert faults(data) == []
    with pikepdf.open(io.BytesIO(data)) as pdf:
        kids = pdf.Root.StructTreeRoot.K.K
        told = {str(one.ActualText) for one in kids if "/ActualText" in one}
    drawn = " ".join("".join(page.get_text() for page in pymupdf.open(stream=data)).split())
    assert name in told or name in drawn
    if not code:
        assert drawn.count(name) >= 4
    for page in pymupdf.open(stream=data):
        assert all(page.rect.contains(box) for _, _, box in words(page))


def test_missing_letters_are_reported_at_each_name(tmp_path: Path) -> None:
    fight = tmp_path / "fight.yaml"
    npc = "  - {npc: Thug, count: 2, name: 日本}\n"
    text = f"ruleset: d6-pips\nencounter: A 日\nplayers: [Kim, 太郎]\ncombatants:\n{npc}"
    fight.write_text(text, encoding="utf-8")
    (results,) = [one for one in print_request(request(fight), PrintContext()) if one.files]
    places = [(f.span.line, f.span.column) for f in results.findings if f.code.id == "SG303"]
    assert places == [(3, 16), (5, 33)]


@pytest.mark.slow
def test_faces_of_one_font_are_embedded_apart(tmp_path: Path) -> None:
    """Guards widths: ReportLab takes fonts with one name for one font."""
    (tmp_path / "Own.ttf").write_bytes(font_bytes("Manrope-SemiBold.ttf"))
    theme = tmp_path / "theme.yaml"
    theme.write_text("fonts: {text: Own.ttf, display: Own.ttf, figure: Own.ttf}\n")
    data, _ = printed(request(BRIDGE, of_kind="tent", theme=str(theme)))
    names = {font[3] for page in pymupdf.open(stream=data) for font in page.get_fonts()}
    assert len(names) > 2


def test_a_long_name_without_spaces_breaks_where_its_script_allows() -> None:
    tokens = find_theme("standard").tokens()
    metrics = FaceMetrics(900, -200, 700, dict.fromkeys(map(ord, "山abc…"), 1000), {})
    style = PieceStyle(tokens, {"text-400": metrics}, {})
    east, west = (
        fit_text(name, style, (100.0, 60.0), 20.0, 3, ("text-400",))
        for name in ("山" * 20, "abc" * 7)
    )
    assert (east.complete, len(east.lines)) == (True, 3)
    assert east.size > west.size


def test_sixty_pieces_fill_a_page_and_the_next() -> None:
    data, _ = printed(request("hyperspace-d6", copies=9, only=("Stormtrooper", "Knight")))
    assert [len(cuts(page)) for page in pymupdf.open(stream=data)] == [18]
    data, _ = printed(request("hyperspace-d6", copies=60, only=("Stormtrooper",), of_kind="badge"))
    counts = [len(cuts(page)) for page in pymupdf.open(stream=data)]
    assert sum(counts) == 60
    assert len(set(counts[:-1])) == 1


def test_equal_fields_are_drawn_once() -> None:
    data, _ = printed(request("hyperspace-d6", copies=60, only=("Stormtrooper",)))
    with pikepdf.open(io.BytesIO(data)) as pdf:
        forms = [one for one in pdf.objects if isinstance(one, pikepdf.Stream) and "/BBox" in one]
    assert len(forms) == 1
    assert len(data) < 60_000


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"of_kind": "puppet"}, "SG201 there is no kind of pieces `puppet`"),
        ({"size": "2"}, "SG304 the size of tokens `2mm` has to be 20 to 100 mm"),
        ({"size": "wide"}, "SG304 the size of tokens: `wide` is not a length"),
        (
            {"of_kind": "tent", "size": "25"},
            "SG304 the size of tents `25mm` has to be 60 to 190 mm",
        ),
        ({"of_kind": "tent", "size": "190", "paper": "a5"}, "SG304 pieces of 190 × "),
        ({"paper": "a0"}, "SG304 there is no paper `a0`"),
        ({"theme": "pink"}, "SG304 there is no theme `pink`"),
        ({"only": ("Nobody",)}, "SG201 there is no name `Nobody` among the pieces"),
        ({"groups": ("Nobodies",)}, "SG201 there is no group `Nobodies` among the pieces"),
    ],
)
def test_options_that_cannot_be_met_are_findings(more: dict[str, Any], message: str) -> None:
    data, found = printed(request(BRIDGE, **more))
    assert data == b""
    assert any(one.startswith(message) for one in found), found


def test_files_that_cannot_be_read_are_findings(tmp_path: Path) -> None:
    data, found = printed(request(tmp_path / "none.yaml"))
    assert data == b""
    assert found[0].startswith("SG001")
    data, found = printed(request(tmp_path))
    assert data == b""
    assert found == ["SG001 this folder has no .yaml file"]


def test_the_command_prints_several_kinds_in_one_file(tmp_path: Path) -> None:
    options = ["--kind", "token", "--kind", "badge", "--paper", "a3", "--theme", "mono"]
    said = run("pieces", BRIDGE, *options, "--out", tmp_path)
    assert (said.status, said.err) == (0, "")
    pages = pymupdf.open(tmp_path / "salt-bridge-pieces.pdf")
    assert len(pages) == 2
    assert abs(pages[0].rect.width - 297 * MM) < 0.1
    assert pages[0].get_text().startswith("Tokens · ")
    assert pages[1].get_text().startswith("Badges · ")


def test_a_book_prints_pieces(tmp_path: Path) -> None:
    fight = BRIDGE.read_text(encoding="utf-8")
    (tmp_path / "fight.yaml").write_text(fight, encoding="utf-8")
    book = "entries:\n  - {pieces: fight.yaml, kind: 'token, tent', size: 60, paper: a3}\n"
    (tmp_path / "book.yaml").write_text(book, encoding="utf-8")
    said = run("build", tmp_path, "--out", tmp_path / "out")
    assert said.status == 0
    assert "warning" not in said.err
    (file,) = (tmp_path / "out").glob("*.pdf")
    assert file.name == "fight-pieces.pdf"
    assert abs(cuts(pymupdf.open(file)[0])[0].width - 60 * MM) < NEAR


def test_a_ruleset_with_an_unknown_value_on_tents_has_a_finding(tmp_path: Path) -> None:
    shutil.copytree(rulesets_folder() / "d6-pips", tmp_path / "own")
    file = tmp_path / "own" / "encounter.yaml"
    text = file.read_text(encoding="utf-8").replace(
        "dodging_code.text}\n    - {label: Un", "dodgy.text}\n    - {label: Un"
    )
    file.write_text(text, encoding="utf-8")
    _, found = printed(request(tmp_path / "own"))
    assert any("there is no value `dodgy`" in one for one in found)


def test_a_picture_is_drawn_once_and_tagged(tmp_path: Path) -> None:
    file = io.BytesIO()
    Image.new("RGB", (40, 60), (200, 30, 30)).save(file, "JPEG")
    (tmp_path / "face.jpg").write_bytes(file.getvalue())
    picture = "portrait: {file: face.jpg, alt: A red wall, credit: P. Ainter}"
    text = (CHARACTERS / "hyperspace-d6" / "brakka_sool.yaml").read_text(encoding="utf-8")
    hero = tmp_path / "hero.yaml"
    hero.write_text(f"{picture}\n{text}", encoding="utf-8")
    data, found = printed(request(hero, of_kind=ALL, copies=3))
    assert found == []
    assert faults(data) == []
    with pikepdf.open(io.BytesIO(data)) as pdf:
        images = [one for one in pdf.objects if "/Width" in getattr(one, "keys", tuple)()]
        figures = [e for e in pdf.Root.StructTreeRoot.K.K if e.S == "/Figure"]
    assert len(images) == 1
    assert len(figures) == 12
    assert {str(one.Alt) for one in figures} == {"A red wall"}
    assert all("Pictures: P. Ainter." in page.get_text() for page in pymupdf.open(stream=data))
    standees = pymupdf.open(stream=data)[1]
    boxes = [pymupdf.Rect(one["bbox"]) for one in standees.get_image_info()]
    cut = cuts(standees)[0]
    front, back = (one for one in boxes if one.intersects(cut))
    assert abs(front.y0 + back.y1 - cut.y0 - cut.y1) < NEAR  # mirrored about the fold
    assert abs(front.y1 + back.y0 - cut.y0 - cut.y1) < NEAR
    assert abs(front.x0 - back.x0) < NEAR


def test_a_picture_that_cannot_be_read_leaves_the_initials(tmp_path: Path) -> None:
    text = (CHARACTERS / "d6-pips" / "bram_oldecott.yaml").read_text(encoding="utf-8")
    hero = tmp_path / "hero.yaml"
    hero.write_text(f"portrait: none.png\n{text}", encoding="utf-8")
    data, found = printed(request(hero))
    assert [one.split()[0] for one in found] == ["SG901"]
    assert "BO" in pymupdf.open(stream=data)[0].get_text()


def test_two_lines_of_a_name_are_clear_of_the_band_of_a_token() -> None:
    fight = next(path for path in FIGHTS if path.stem == "toll_bridge")
    page = pymupdf.open(stream=printed(request(fight))[0])[0]
    lines = [d["rect"] for d in page.get_drawings() if d["type"] == "s" and d["rect"].height < 0.1]
    rows = [row for block in page.get_text("dict")["blocks"] for row in block.get("lines", ())]
    spans = [span for row in rows for span in row["spans"]]
    first, second = (
        next(s for s in spans if s["text"].strip() == word) for word in ("Captain", "Hesk")
    )
    top, foot = first["origin"][1] - 0.7 * first["size"], second["origin"][1]
    assert min(top - one.y0 for one in lines if one.y0 < first["origin"][1]) >= 1.2
    assert min(one.y0 - foot for one in lines if one.y0 > foot) >= 1.2
