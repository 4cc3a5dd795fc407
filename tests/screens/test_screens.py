"""Screens: one page a panel on every paper and in every theme, sizes, and what they have to say."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pikepdf
import pymupdf
import pytest

from sheetgen.load.designs.templates import theme_ids
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.model.prints import FaceMetrics
from sheetgen.plan.pages.screen_blocks import BOLD, MOST, PLAIN, TextMeasure
from sheetgen.plan.pages.screens import FOOT, MOST_PARTS, SIDE
from tests.cli.commands import run
from tests.render.ua_rules import faults
from tests.samples import by_turns
from tests.shelf import ruleset

pytestmark = pytest.mark.many

GAMES = [id_ for id_ in ruleset_ids() if (rulesets_folder() / id_ / "screen.yaml").is_file()]
LOOKS = by_turns(("a4", "letter"), theme_ids())
USUAL = ("a4", "standard")
SIZES = {"a4": (297.0, 210.0), "letter": (279.4, 215.9)}
MM = 72 / 25.4


def printed(id_: str, *more: str) -> bytes:
    """Return the file that is written, made anew."""
    with tempfile.TemporaryDirectory() as folder:
        said = run("screen", id_, "--out", folder, *more)
        assert said.status == 0, said.err
        assert said.err == ""
        return Path(said.out.split()[0]).read_bytes()


@cache
def screen(id_: str, paper: str = USUAL[0], theme: str = USUAL[1]) -> bytes:
    """Return the screen of a game as PDF; tests share it."""
    return printed(id_, "--paper", paper, "--theme", theme)


@cache
def page(id_: str) -> bytes:
    """Return the screen of a game as HTML; tests share it."""
    return printed(id_, "--to", "html")


def opened(data: bytes) -> pymupdf.Document:
    return pymupdf.open(stream=data, filetype="pdf")


PAGES = {
    "d6-pips": 6,
    "hyperspace-d6": 9,
    "keyword-dots": 9,
    "narrative-powers": 6,
    "second-edition-update": 8,
    "wound-points": 12,
}
"""The most pages of each game's screen on A4, with those of its picture."""


@cache
def panels(id_: str) -> int:
    rules = load_ruleset(rulesets_folder() / id_, complete=True).value
    assert rules is not None
    return sum(len(screen.panels) for screen in rules.screens.values())


def pages_of_the_picture(pdf: pymupdf.Document) -> list[int]:
    """Return the places of pages without words but the title and the foot."""
    return [at for at, page in enumerate(pdf) if len(page.get_text("blocks")) <= 3]


def spans(page: pymupdf.Page) -> list[dict]:
    blocks = page.get_text("dict")["blocks"]
    return [s for b in blocks for line in b.get("lines", ()) for s in line["spans"]]


def words_of(data: bytes) -> str:
    with opened(data) as pdf:
        text = " ".join(page.get_text() for page in pdf)
        return " ".join(text.replace("\u2060", "").split())  # the text of a sign is not seen


def test_both_games_have_screens() -> None:
    assert {"hyperspace-d6", "keyword-dots"} <= {*GAMES}


TIGHT = ("letter", "large-print")
"""The look with the least room."""

SHOWN = [(*look, GAMES[0]) for look in LOOKS]
SHOWN += [(*look, id_) for id_ in GAMES for look in (USUAL, TIGHT) if (*look, id_) not in SHOWN]
"""One game in each paper and theme, all in the usual look and in the one with the least room."""


@pytest.mark.slow
@pytest.mark.parametrize(("paper", "theme", "id_"), SHOWN)
def test_every_panel_fills_one_page(id_: str, paper: str, theme: str) -> None:
    with opened(screen(id_, paper, theme)) as pdf:
        large = theme == "large-print"  # panels that need more than a page
        most = PAGES[id_] if (paper, theme) == USUAL else panels(id_) + MOST_PARTS + 3 * large
        assert len(pdf) <= most
        pictured = pages_of_the_picture(pdf)
        assert {*pdf[pictured[0]].get_text().split()} >= {*ruleset(id_).title.split()}
        for page in pdf:
            width, height = page.rect.width, page.rect.height
            assert (width / MM, height / MM) == pytest.approx(SIZES[paper], abs=0.1)
            found = spans(page)
            low = [s for s in found if s["bbox"][1] > height - FOOT - 5 * MM]
            small = [s for s in low if round(s["size"], 1) in (7.0, 11.0)]  # the credit may wrap
            body = [s for s in found if s not in small]
            assert small
            if page.number in pictured[1:]:
                continue
            assert min(round(s["size"], 2) for s in body) >= (14 if large else 11)
            notes = {round(s["size"], 1) for s in body if round(s["size"], 2) < 13}
            assert len(notes) <= 1, "only notes are below 13 pt, and all alike"
            for span in found:
                left, top, right, bottom = span["bbox"]
                assert left >= SIDE - 3, span["text"]
                assert right <= width - SIDE + 3, span["text"]
                assert 0 < top < bottom < height, span["text"]


@pytest.mark.parametrize(("paper", "theme", "id_"), SHOWN)
def test_words_do_not_meet(id_: str, paper: str, theme: str) -> None:
    """Guards against lines that are drawn wider than they were measured."""
    with opened(screen(id_, paper, theme)) as pdf:
        for page in pdf:
            boxes = [(pymupdf.Rect(s["bbox"]), s) for s in spans(page) if s["text"].strip()]
            for at, (box, one) in enumerate(boxes):
                for other, two in boxes[at + 1 :]:
                    same_line = abs(one["origin"][1] - two["origin"][1]) < 1
                    over = min(box.x1, other.x1) - max(box.x0, other.x0)
                    assert not (same_line and over > 1), (one["text"], two["text"])


MUST = {
    "target numbers": ("Very easy", "30+", "Heroic"),
    "attacks": ("Blasters Dodge Parry with a lightsaber", "Brawl Block Parry if armed"),
    "active defense": ("Gunnery Agility Melee with a lightsaber", "Throw Agility"),
    "cover": ("+5 in cover", "+5 at extreme range", "+10 both: they add up"),
    "ranges": ("Engaged", "Short", "Medium", "Long", "Extreme", "One band a turn is free"),
    "actions": ("1 + DEX at most", "−1D to all rolls"),
    "damage": (
        "≤1× Stunned, Rattled",
        "at least 3×: nothing until healed, repaired",
        "at least 6×",
    ),
    "limits": ("up to STR wounds", "up to Hull systems"),
    "scale": ("×1", "×2", "×4", "×8", "rounded down (our choice)"),
    "destiny": ("something bad", "something good", "Never part of a damage roll"),
    "points": ("for a Character Point", "with Luck +2D", "dice for a Force Point", "one a round"),
    "reset": ("new each session",),
    "initiative": ("roll Perception", "Pilot or Drive + MOB", "players win ties"),
    "healing": ("Medicine TN 10", "one wound a day", "all in one hour"),
    "costs": ("3× new dice of a skill", "9× new dice", "6× new value", "20 to unlock the Force"),
    "duel": ("1 duel die", "+1 for each check won", "No points on that roll", "takes", "loses"),
    "minions": ("once for all", "one a member, free", "one member fewer", "all, −1D next turn"),
    "shields": ("even on four sides", "the rest fore, then aft", "move any, an action"),
}
"""What rulings/hyperspace-d6.md says a screen must carry, and how ours says it."""


@cache
def text_of_gm() -> str:
    return words_of(printed("hyperspace-d6", "--panels", "gm"))


@pytest.mark.slow
@pytest.mark.parametrize("item", MUST)
def test_the_screen_carries_what_the_rulings_ask(item: str) -> None:
    lacking = [words for words in MUST[item] if words not in text_of_gm()]
    assert not lacking


@pytest.mark.slow
def test_options_change_what_is_printed() -> None:
    off = ("--set", "optional.active_defence=false", "--set", "scale.rounding=up")
    more = ("--set", "dice.minimum=one", "--set", "points.order=double_all")
    said = words_of(printed("hyperspace-d6", *off, *more))
    assert "Active defense" not in said
    assert "rounded up (our choice)" in said
    assert "counts as 1D" in said
    assert "add 1D, then double" in said


@pytest.mark.slow
def test_dice_prices_follow_the_option() -> None:
    assert "buy a d2 5 10 15 20 25" in words_of(screen("keyword-dots"))
    said = words_of(printed("keyword-dots", "--set", "dice.buy=printed"))
    assert "buy a d2 5 6 7 8 9" in said


@pytest.mark.slow
@pytest.mark.usefixtures("laid_out_anew")
@pytest.mark.parametrize("id_", ["hyperspace-d6", "keyword-dots"])
def test_equal_input_gives_equal_bytes(id_: str) -> None:
    """The two games that differ most; pages of all are told twice below."""
    assert printed(id_) == screen(id_)
    assert printed(id_, "--to", "html") == page(id_)


@pytest.mark.parametrize("id_", GAMES)
def test_files_are_sound_and_tagged(id_: str, tmp_path: Path) -> None:
    path = tmp_path / "screen.pdf"
    path.write_bytes(screen(id_))
    if shutil.which("qpdf"):
        assert subprocess.run(["qpdf", "--check", path], capture_output=True).returncode == 0
    with pikepdf.open(path) as pdf:
        assert bool(pdf.Root.MarkInfo.Marked)
        assert str(pdf.Root.Lang) == "en"
        found = {str(o.get("/S")) for o in pdf.objects if isinstance(o, pikepdf.Dictionary)}
        assert {"/H1", "/H2", "/Table", "/TR", "/TH", "/TD"} <= found
    with opened(screen(id_)) as pdf:
        credit = " ".join(ruleset(id_).credit.short.split())
        assert all(credit in " ".join(page.get_text().split()) for page in pdf)


@pytest.mark.parametrize("id_", GAMES)
def test_screens_are_accessible(id_: str) -> None:
    assert faults(screen(id_)) == []


def test_a_note_has_no_line_of_one_word() -> None:
    """Lines of a cell are about as long: a last word would stand alone else."""
    widths = {ord(c): 500 for c in "abcdefghijklmnopqrstuvwxyz "}
    face = FaceMetrics(ascent=900, descent=-200, cap_height=700, advances=widths, glyphs={})
    measure = TextMeasure(dict.fromkeys((PLAIN, BOLD), face))
    room = measure.face_width("they add up and stay linked", PLAIN, 11)
    lines = measure.break_lines("they add up and stay linked ever *so long*", 11, room)
    said = ["".join(text for text, _ in line) for line in lines]
    assert said == ["they add up and stay", "linked ever so long"]
    assert measure.break_lines("linked ever", 11, room) == ((("linked ever", False),),)


@pytest.mark.slow
@pytest.mark.parametrize("id_", GAMES)
def test_html_asks_nobody_and_has_no_styles_of_its_own(id_: str) -> None:
    data = page(id_)
    text = html.unescape(data.decode())
    assert "default-src 'none'" in text
    assert "<script" not in text
    assert " style=" not in text
    assert not re.search(r"(src|href)=", text)


def mine(tmp_path: Path, change: str, to: str) -> Path:
    folder = tmp_path / "mine"
    shutil.copytree(rulesets_folder() / "keyword-dots", folder)
    screen = folder / "screen.yaml"
    text = screen.read_text(encoding="utf-8")
    assert change in text
    screen.write_text(text.replace(change, to, 1), encoding="utf-8")
    return folder


@pytest.mark.slow
def test_a_panel_that_is_too_full_says_which_block_to_move(tmp_path: Path) -> None:
    many = "\n".join(f"                - [Row {n}, words]" for n in range(30))
    change = '                - [Healing, "regenerating: *squared*"]\n'
    folder = mine(tmp_path, change, f"{change}{many}\n")
    said = run("screen", folder, "--out", tmp_path / "out")
    assert said.status == 1
    found = re.search(r"the panel `fights` is (\d+) pt over its page at 13 pt", said.err)
    assert found is not None, said.err
    assert int(found[1]) > 300
    assert "move rows of the block `An action` to another block" in said.err
    assert "SG307" in said.err
    with pymupdf.open(said.out.strip()) as pdf:
        text = " ".join(page.get_text() for page in pdf)
        assert "An action" not in text
        assert "Light weapons" in text, "other blocks of the panel are printed"


@pytest.mark.parametrize(
    ("change", "to", "message"),
    [
        ("tables: rest", "tables: rests", "there is no table `rests`"),
        ("columns: [Name, What it does]", "columns: [Name, Word]", "has no column `Word`"),
        ("Linear, Geometric", "Linear, Cubic", "has no row `Cubic`"),
        ("kind: words", "kind: wrods", "there is no kind of block `wrods`"),
        ("{days(0)}", "{days(0) / 0}", "cannot be worked out"),
        ('call: {"Fixed / Flat"', 'call: {"Flat"', "begins with `Flat`"),
    ],
)
def test_mistakes_are_findings_at_their_place(
    change: str, to: str, message: str, tmp_path: Path
) -> None:
    said = run("screen", mine(tmp_path, change, to), "--out", tmp_path / "out")
    assert said.status == 1
    assert message in said.err
    assert "screen.yaml" in said.err


@pytest.mark.parametrize(
    ("change", "to", "place", "message"),
    [
        ("{days(0)}", "{dayz(0)}", "days(0)", "there is no function `dayz`"),
        ("specialist.cost", "specialist.costs", "specialist.cost", "`specialist.costs`"),
        ("Linear, Geometric", "Linear, Cubic", "Geometric", "has no row `Cubic`"),
        ("kind: words", "kind: wrods", "words", "there is no kind of block `wrods`"),
        ("tables: rest", "tables: rests", "rest", "there is no table `rests`"),
    ],
)
def test_checking_a_ruleset_checks_its_screen(
    change: str, to: str, place: str, message: str, tmp_path: Path
) -> None:
    text = (rulesets_folder() / "keyword-dots" / "screen.yaml").read_text(encoding="utf-8")
    at = text.index(change) + change.index(place)
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    said = run("check", mine(tmp_path, change, to))
    assert said.status == 1
    assert f"screen.yaml:{line}:{column}: error" in said.out
    assert message in said.out


@pytest.mark.parametrize("id_", GAMES)
def test_screens_that_come_with_us_are_clean(id_: str) -> None:
    said = run("check", rulesets_folder() / id_)
    assert said.status == 0
    told = said.out.strip().splitlines()[-1].removeprefix(f"{rulesets_folder() / id_}: ")
    assert told == "clean" or re.fullmatch(r"\d+ notes?", told), said.out


@pytest.mark.slow
def test_names_are_sides_or_panels(tmp_path: Path) -> None:
    listed = run("screen", "keyword-dots", "--list")
    assert "gm " in listed.out
    with opened(printed("keyword-dots", "--panels", "costs")) as pdf:
        assert len(pdf) == 1
    with opened(printed("keyword-dots", "--panels", "gm")) as pdf:
        assert "Keyword Dots" not in pdf[-1].get_text(), "only players see the motif"
    wrong = run("screen", "keyword-dots", "--panels", "cots", "--list")
    assert (wrong.status, wrong.out) == (2, "")
    wrong = run("screen", "keyword-dots", "--panels", "cots", "--out", tmp_path)
    assert wrong.status == 2
    assert "`costs`" in wrong.err


@pytest.mark.parametrize("id_", GAMES)
def test_every_table_has_header_cells(id_: str) -> None:
    text = page(id_).decode()
    tables = re.findall("<table.*?</table>", text, re.DOTALL)
    assert tables
    assert [table[:200] for table in tables if "<th" not in table] == []
    cells = [re.findall("<(t[hd])", table) for table in tables]
    assert ["th"] not in [[*{*one}] for one in cells], "a list is no table of headers"


@pytest.mark.slow
@pytest.mark.parametrize("id_", ["second-edition-update", "wound-points"])
def test_the_credit_beside_marks_of_overlays_is_below_all_blocks(id_: str) -> None:
    with opened(screen(id_, *TIGHT)) as pdf:
        first, *_ = pages_of_the_picture(pdf)
        for page in [*pdf][:first]:
            start = ruleset(id_).credit.short[:20]
            [credit] = [s["bbox"] for s in spans(page) if s["text"].startswith(start)]
            over = [s for s in spans(page) if s["bbox"][0] < credit[2] and s["bbox"][1] < credit[1]]
            assert max(s["bbox"][3] for s in over) <= credit[1] + 2


@pytest.mark.many
@pytest.mark.parametrize("shape", ["d20", "percentile", "pool", "steps", "bands", "codes"])
def test_small_games_have_a_screen(shape: str, tmp_path: Path) -> None:
    game = rulesets_folder().parent / "skeletons" / shape
    said = run("screen", game, "--to", "html", "--out", tmp_path)
    assert (said.status, "SG" in said.err) == (0, False)


def test_a_long_list_has_a_wide_column(tmp_path: Path) -> None:
    """In a third of the page it would be small, and so would all that is beside it."""
    game = rulesets_folder().parent / "skeletons" / "bands"
    said = run("screen", game, "--out", tmp_path)
    page = pymupdf.open(said.out.split()[0])[0]
    heads = [s for s in spans(page) if s["text"] in ("Bands", "Playbooks", "Basic moves")]
    assert len({round(one["bbox"][0]) for one in heads}) == 2
    assert min(s["size"] for s in spans(page) if "danger" in s["text"]) > MOST


def test_an_overlays_sign_stays_with_the_head_before_it() -> None:
    heads = re.findall(r'<h\d class="name">(.*?)</h\d>', page("wound-points").decode())
    signed = [head for head in heads if 'class="module"' in head]
    assert signed
    assert all(re.search(r'(&nbsp;|\xa0)<span class="module"', head) for head in signed)


ASKED = {
    "hyperspace-d6": (
        ("Attack against", "damage as the GM says"),  # what do fists do?
        ("Cover and range", "at extreme range"),
        ("Healing", "one wound a day"),
        ("Shields fore", "move any, an action"),
    ),
    "keyword-dots": (
        ("Keywords", "Guns: geometric. Blades, dodging, healing: squared."),  # what does a hit do?
        ("Vorpal roll", "left hand"),
        (
            "Blade Saber Fighting",
            "the shots of the round / dots besides, rounded down",
        ),  # what does Reflect cost?
    ),
    "narrative-powers": (
        ("long range", "a reading of ours"),  # what does a long shot cost?
        ("Second maneuver", "1 advantage"),
    ),
    "d6-pips": (
        ("By hand", "Bare hands STR"),
        ("Range and cover", "Short Easy, 6–10"),
        ("Wild die", "a complication"),
    ),
    "second-edition-update": (
        ("Bonus, 1 to 9", "5 1D+2 +2 0D"),  # what do five together add?
        ("Bonus, 10 to 18", "18 6D"),
    ),
    "wound-points": (
        ("Surprise", "Expecting nothing +4"),
        ("Much in one attack", "Stamina against the damage roll"),
    ),
}
"""Questions of the table: the heading where one looks, and the answer below it."""


@pytest.mark.parametrize("id_", ASKED)
def test_answers_stand_below_the_headings_where_one_looks(id_: str) -> None:
    text = words_of(screen(id_))
    for head, answer in ASKED[id_]:
        below = text.casefold().partition(head.casefold())[2].split()
        assert answer.casefold() in " ".join(below[:90]), (head, " ".join(below[:90]))


def test_a_block_of_two_bands_keeps_the_columns_as_written() -> None:
    """The wide columns of powers are not joined by a third, and no column is broken."""
    with opened(screen("keyword-dots")) as pdf:
        page = next(page for page in pdf if "Powers of body and blade" in page.get_text())
        heads = {
            s["text"]: s["bbox"] for s in spans(page) if s["text"] in ("Body", "Reach", "Blade")
        }
    assert heads["Body"][0] == pytest.approx(heads["Reach"][0])
    assert heads["Body"][1] == pytest.approx(heads["Blade"][1])
