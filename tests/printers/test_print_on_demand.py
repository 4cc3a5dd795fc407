"""Prints for printers on demand, opened and measured: boxes, bleed, the safe zone, inks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pikepdf
import pypdfium2
import pytest

from sheetgen.load.designs.designs import load_presets
from sheetgen.plugins.prepress.preflight import inspect_file
from sheetgen.units import MM
from tests.cli.commands import CHARACTERS, run
from tests.printers.files import boxes, printed
from tests.render.viewers import VIEWERS, qpdf_says, text_of
from tests.samples import spread

pytestmark = pytest.mark.slow

CARDS = {
    "npc": ("cards", "hyperspace-d6", "--kind", "npc"),
    "vehicle": ("cards", "hyperspace-d6", "--kind", "vehicle"),
    "gear": ("cards", "hyperspace-d6", "--kind", "gear"),
    "pips": ("cards", "d6-pips", "--kind", "npc"),
    "powers": ("cards", "narrative-powers", "--kind", "power"),
}
SIZES = {"drivethru-card": (63.5, 88.9), "mpc": (63.0, 88.0)}
HERO = str(CHARACTERS / "hyperspace-d6" / "jorra_kest.yaml")
DECKS = [(kind, "drivethru-card") for kind in CARDS] + [(k, "mpc") for k in spread(CARDS, 2)]
each_deck = pytest.mark.parametrize(("kind", "preset"), DECKS)
PAGES = {
    "sheet": ("sheet", HERO),
    "tables": ("tables", "hyperspace-d6"),
    "screen": ("screen", "hyperspace-d6"),
}
EIGHTH = 3.175


def of_preset(words: tuple[str, ...], preset: str) -> Path:
    return printed(*words, "--for", preset)


@each_deck
def test_cards_have_their_boxes_to_a_hundredth(kind: str, preset: str) -> None:
    width, height = SIZES[preset]
    with pikepdf.open(of_preset(CARDS[kind], preset)) as pdf:
        assert len(pdf.pages) >= 10
        for page in pdf.pages:
            whole = [0, 0, width + 2 * EIGHTH, height + 2 * EIGHTH]
            assert boxes(page, "/MediaBox") == pytest.approx(whole, abs=0.01)
            assert boxes(page, "/BleedBox") == pytest.approx(whole, abs=0.01)
            trim = [EIGHTH, EIGHTH, EIGHTH + width, EIGHTH + height]
            assert boxes(page, "/TrimBox") == pytest.approx(trim, abs=0.01)
            for near, far in ((0, 0), (1, 1)):
                assert page.obj.BleedBox[near] >= page.obj.MediaBox[far]
            assert page.obj.BleedBox[2] <= page.obj.MediaBox[2]
            assert page.obj.BleedBox[3] <= page.obj.MediaBox[3]


@each_deck
def test_nothing_stands_on_the_wrong_side_of_the_safe_zone(kind: str, preset: str) -> None:
    looked = inspect_file(of_preset(CARDS[kind], preset), load_presets()[preset])
    assert looked.value is not None
    assert [f.message for f in looked.findings if f.code.id != "SG604"] == []
    assert looked.value.unread == ()
    for page in looked.value.pages:
        assert page.drawn.text, "every card says something"
        assert min(page.drawn.text.values()) / MM >= EIGHTH - 0.005
        assert min(page.drawn.art.values()) / MM >= EIGHTH - 0.005
        assert page.drawn.touched == frozenset()


@pytest.mark.parametrize("kind", ["npc", "powers"])
def test_a_viewer_sees_nothing_outside_the_safe_zone(kind: str) -> None:
    """By pixels, since what measures and what is measured are both ours."""
    path = of_preset(CARDS[kind], "drivethru-card")
    picture = VIEWERS["pdfium"](path.read_bytes(), 0).convert("L")
    inked = picture.point(lambda value: 255 if value < 200 else 0).getbbox()
    assert inked is not None
    edge = 2 * 18 - 1  # bleed and safe zone, at two pixels a point
    assert inked[0] >= edge
    assert inked[1] >= edge
    assert inked[2] <= picture.width - edge
    assert inked[3] <= picture.height - edge


@pytest.mark.parametrize("kind", CARDS)
def test_a_printers_card_holds_what_a_card_at_home_holds(kind: str) -> None:
    """The card is as wide in modules, so that lines break as they do at home."""
    home = text_of(printed(*CARDS[kind], "--single").read_bytes()).split()
    # poppler joins words of neighbouring columns now and then
    shop = "".join(text_of(of_preset(CARDS[kind], "drivethru-card").read_bytes()).split())
    assert [word for word in home if word not in shop] == []


@pytest.mark.parametrize("kind", PAGES)
def test_pages_of_a_book_have_a_bleed(kind: str) -> None:
    path = of_preset(PAGES[kind], "pod-book")
    assert qpdf_says(path.read_bytes()) == ""
    with pikepdf.open(path) as pdf:
        assert len(pdf.pages) % 2 == 0
        for page in pdf.pages:
            across = all(page.mediabox[2] > page.mediabox[3] for page in pdf.pages)
            width, height = (279.4, 215.9) if across else (215.9, 279.4)
            whole = [0, 0, width + 2 * EIGHTH, height + 2 * EIGHTH]
            assert boxes(page, "/MediaBox") == pytest.approx(whole, abs=0.01)
            assert boxes(page, "/BleedBox") == pytest.approx(whole, abs=0.01)
            trim = [EIGHTH, EIGHTH, EIGHTH + width, EIGHTH + height]
            assert boxes(page, "/TrimBox") == pytest.approx(trim, abs=0.01)
    looked = inspect_file(path, load_presets()["pod-book"])
    assert [f.message for f in looked.findings if f.code.id != "SG604"] == []


def test_poppler_reads_the_same_boxes() -> None:
    path = of_preset(CARDS["npc"], "drivethru-card")
    said = subprocess.run(["pdfinfo", "-box", path], capture_output=True, text=True, check=True)
    lines = {line.split(":")[0]: line.split()[1:] for line in said.stdout.splitlines()}
    assert lines["TrimBox"] == ["9.00", "9.00", "189.00", "261.00"]
    assert lines["BleedBox"] == lines["MediaBox"] == ["0.00", "0.00", "198.00", "270.00"]
    assert "PDF/X-1a:2003" in said.stdout


@pytest.mark.parametrize("words", [CARDS["npc"], PAGES["sheet"], PAGES["tables"]])
def test_a_file_for_the_press_has_inks_only(words: tuple[str, ...]) -> None:
    preset = "drivethru-card" if words[0] == "cards" else "pod-book"
    path = of_preset(words, preset)
    looked = inspect_file(path, load_presets()[preset]).value
    assert looked is not None
    assert looked.claims == ("PDF/X-1a:2003",)
    assert looked.version == "1.4"
    assert not looked.packed
    assert looked.conditions == ("GTS_PDFX: CGATS TR 001",)
    assert looked.trapped == "False"
    assert (looked.fields, looked.live, looked.faults) == (0, (), ())
    for page in looked.pages:
        assert page.drawn.colours <= {"cmyk", "pattern"}
        assert page.drawn.ink <= 240
        assert page.drawn.clear == frozenset()
        assert page.annotations == {}
    with pikepdf.open(path) as pdf:
        assert "/Group" not in pdf.pages[0].obj
        assert set(pdf.Root.keys()) == {"/Type", "/Pages", "/Lang", "/Metadata", "/OutputIntents"}
        with pdf.open_metadata(set_pikepdf_as_editor=False) as meta:
            assert meta["dc:title"] == str(pdf.docinfo["/Title"])
            assert meta["dc:description"] == str(pdf.docinfo["/Subject"])
            assert meta["pdf:Trapped"] == "False"
            assert meta["pdf:Producer"] == str(pdf.docinfo["/Producer"])


@pytest.mark.usefixtures("laid_out_anew")
def test_equal_prints_are_equal_bytes(tmp_path: Path) -> None:
    words = (*PAGES["sheet"], "--for", "pod-book")
    first = of_preset(PAGES["sheet"], "pod-book").read_bytes()
    said = run(*words, "--out", tmp_path)
    assert Path(said.out.strip()).read_bytes() == first


def test_a_print_for_home_is_what_it_was(tmp_path: Path) -> None:
    plain, home = tmp_path / "plain", tmp_path / "home"
    assert run("sheet", HERO, "--out", plain).status == 0
    assert run("sheet", HERO, "--for", "home-a4", "--out", home).status == 0
    assert (plain / "jorra-kest.pdf").read_bytes() == (home / "jorra-kest.pdf").read_bytes()


def test_what_is_given_wins_over_the_preset(tmp_path: Path) -> None:
    words = ("cards", "hyperspace-d6", "--kind", "npc", "--name", "Thug")
    said = run(*words, "--bleed", "3mm", "--for", "mpc", "--out", tmp_path)
    assert said.status == 0, said.err
    with pikepdf.open(Path(said.out.strip())) as pdf:
        assert boxes(pdf.pages[0], "/TrimBox") == pytest.approx([3, 3, 66, 91], abs=0.01)
    said = run("sheet", HERO, "--paper", "letter", "--for", "home-a4", "--out", tmp_path)
    with pikepdf.open(Path(said.out.strip())) as pdf:
        assert float(pdf.pages[0].mediabox[3]) == pytest.approx(792, abs=0.01)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sheet", HERO, "--for", "mpc"), "mpc is for cards; this command prints pages"),
        (("sheet", HERO, "--for", "mcp"), "did you mean `mpc`?"),
        ((*CARDS["npc"], "--for", "pod-book"), "pod-book is for pages"),
        (
            (*CARDS["npc"], "--for", "mpc", "--size", "tarot"),
            "mpc cuts the sizes poker",
        ),
        (("sheet", HERO, "--for", "pod-book", "--archive"), "exclude each other"),
    ],
)
def test_a_preset_that_does_not_suit_is_told(
    words: tuple[str, ...], expected: str, tmp_path: Path
) -> None:
    said = run(*words, "--out", tmp_path)
    assert said.status == 2
    assert expected in " ".join(said.err.split())


def test_all_presets_are_listed() -> None:
    said = run("list", "presets")
    names = [line.split()[0] for line in said.out.splitlines()]
    assert names == list(load_presets())
    wanted = {"home-a4", "home-letter", "drivethru-card", "mpc", "pod-book", "ink-saver"}
    assert wanted == set(names)


@pytest.mark.parametrize("kind", ["sheet", "tables"])
def test_tinted_paper_fills_the_bleed(kind: str, tmp_path: Path) -> None:
    theme = tmp_path / "theme.yaml"
    theme.write_text('colours: {paper: "#f3e8d2"}\n', "utf-8")
    words = run(*PAGES[kind], "--theme", theme, "--for", "pod-book", "--out", tmp_path)
    path = Path(words.out.split("\n")[0])
    looked = inspect_file(path, load_presets()["pod-book"])
    assert "SG607" not in [f.code.id for f in looked.findings]
    document = pypdfium2.PdfDocument(path)
    for page in document:
        picture = page.render().to_pil().convert("RGB")
        assert max(picture.getpixel((1, 1))) < 250
        assert picture.getpixel((1, 1)) == picture.getpixel((14, 14))


def test_the_note_of_cards_keeps_clear_of_the_safe_zone_of_pages(tmp_path: Path) -> None:
    book = tmp_path / "book.yaml"
    entry = "{cards: [d6-pips], kind: gear, only: [Knife, Club], paper: letter, for: pod-book}"
    book.write_text(f"entries: [{entry}]\n", "utf-8")
    path = Path(run("build", book).out.split("\n")[0])
    looked = inspect_file(path, load_presets()["pod-book"])
    assert "Print at 100 per cent" in text_of(path.read_bytes())
    assert "SG605" not in [f.code.id for f in looked.findings]
