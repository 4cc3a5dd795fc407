"""Pages of fights: who stands on them, with which figures, and what is said of wrong files."""

from __future__ import annotations

import html
import io
import re
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pikepdf
import pymupdf
import pytest

from sheetgen.data import data_folder
from sheetgen.load.rulesets.content import rulesets_folder
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.plan.pages.encounters import BLANK_PLAYERS, Fight, plan_fight
from sheetgen.prints.encounter import CheckedEncounter, check_encounter
from tests.cli.commands import run
from tests.render.ua_rules import faults
from tests.render.viewers import text_of
from tests.shelf import ruleset

pytestmark = pytest.mark.many

AMBUSH = """ruleset: hyperspace-d6
encounter: Ambush at the salt bridge
players: [Kessa, Jorra, Oshen]
combatants:
  - {npc: Stormtrooper, count: 2}
  - {npc: Stormtrooper, name: Sergeant, elite: [DEX, STR]}
  - {npc: Stormtrooper, name: Squad, members: 5}
  - {npc: Knight}
"""
WALKER = "  - {vehicle: AT-ST, name: Walker One}\n  - {vehicle: YT-2400}\n"
BRIDGE = AMBUSH + WALKER + "notes: The bridge gives cover.\n"


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "fight.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@cache
def _printed(text: str, theme: str, paper: str) -> Mapping[str, bytes]:
    """Return the pages of a fight as `pdf` and `html`; tests share them."""
    look = ["--theme", theme, "--paper", paper, "--to", "pdf", "--to", "html"]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        said = run("encounter", _file(out, text), "--out", out, *look)
        assert (said.status, said.err) == (0, "")
        return {kind: (out / f"fight.{kind}").read_bytes() for kind in ("pdf", "html")}


def _fight(one: CheckedEncounter) -> Fight:
    assert one.encounter
    assert one.encounter.rules.encounter
    assert one.ok, one.findings
    words = one.encounter.rules.encounter
    return plan_fight(one.encounter.title, one.players, one.fighters, words)


def test_figures_thresholds_and_tracks(tmp_path: Path) -> None:
    """Elite, Q-30: DEX and STR 3D, skills 5D: Dodge 11, Parry 13, Block 15, Soak 9.

    Its thresholds are Soak + 1, + Stamina + 1, + 3 and + 6 times Stamina: 10, 15, 24, 39.
    """
    fight = _fight(check_encounter(_file(tmp_path, AMBUSH + WALKER)))
    people, vehicles = fight.sections
    assert [one.name for one in people.players] == ["Kessa", "Jorra", "Oshen"]
    # who has most Perception stands first; the others as they are written
    assert [s.name for s in people.strips] == ["Knight", "Stormtrooper", "Sergeant", "Squad"]
    _, pair, sergeant, squad = people.strips
    assert [run.text for run in sergeant.figures] == ["11", "13", "15", "−9"]
    assert [run.text + run.small for run in sergeant.steps] == ["10+", "15+", "24+", "39+"]
    assert [track.name for track in pair.tracks] == ["1", "2"]
    assert [text for text, _ in pair.tracks[0].boxes] == ["−1", "−2"]
    assert pair.tracks[0].end == "out"
    assert [text for text, _ in squad.tracks[0].boxes] == ["5", "4", "3", "2", "1"]
    assert squad.tracks[0].suffix == "actions left"
    freighter, walker = vehicles.strips
    assert freighter.sides == (("Fore", "2"), ("Aft", "2"), ("Port", "1"), ("Starboard", "1"))
    assert walker.sides == ()
    assert [run.text + run.small for run in walker.steps] == ["1+", "9+", "24+", "48+"]
    assert len(walker.tracks[0].boxes) == 8


def test_only_the_tables_that_it_needs(tmp_path: Path) -> None:
    few = check_encounter(_file(tmp_path, AMBUSH))
    assert [page.id for page in few.tables] == ["fight_attack", "fight_turn", "fight_harm"]
    more = check_encounter(_file(tmp_path, AMBUSH + WALKER))
    assert [page.id for page in more.tables][3:] == ["fight_vehicles", "damage_scale"]
    own = check_encounter(_file(tmp_path, AMBUSH + "tables: [difficulties]\n"))
    assert [page.id for page in own.tables] == ["difficulties"]
    none = check_encounter(_file(tmp_path, AMBUSH + "tables: []\n"))
    assert none.tables == ()
    assert none.ok


def test_everything_that_the_data_names_is_there() -> None:
    rules = load_ruleset(rulesets_folder() / "hyperspace-d6", complete=True).value
    assert rules
    page = rules.encounter
    assert page
    assert page.as_ in page.strips
    for kind, strip in page.strips.items():
        assert kind in rules.kinds
        kind_of = rules.kinds[kind]
        assert strip.track is None or strip.track.of in kind_of.tracks
        assert set(strip.tables) | set(page.tables) <= set(rules.tables)
        texts = [figure.of for figure in (*strip.figures, *strip.steps)]
        for text in (str(t) for t in texts if t.endswith(".text")):
            assert text.removesuffix(".text") in kind_of.texts
        for line in strip.lines:
            assert line.each is None or line.each in kind_of.lists


def test_all_of_another_file_and_one_written_here(tmp_path: Path) -> None:
    gang = tmp_path / "gang.yaml"
    assert run("new", "npc", "hyperspace-d6", "--count", "3", "--out", gang).status == 0
    boss = "{kind: npc, name: Boss, level: legendary, trained: [Blasters, Melee, Command]}"
    text = f"ruleset: hyperspace-d6\ncombatants:\n  - {{file: gang.yaml}}\n  - {boss}\n"
    fight = _fight(check_encounter(_file(tmp_path, text)))
    assert fight.title == "fight"
    assert len(fight.sections[0].strips) == 4
    assert fight.sections[0].strips[0].name == "Boss"


def test_wounds_and_names_of_copies(tmp_path: Path) -> None:
    text = "combatants: [{npc: Thug, names: [Ab, Cd], copies: 3, wounds: 1}]\n"
    fight = _fight(check_encounter(_file(tmp_path, "ruleset: hyperspace-d6\n" + text)))
    tracks = fight.sections[0].strips[0].tracks
    assert [track.name for track in tracks] == ["Ab", "Cd", "3"]
    assert [marked for _, marked in tracks[0].boxes] == [True, False, False]


def test_options_count_for_each(tmp_path: Path) -> None:
    text = "combatants: [{npc: Stormtrooper, elite: [DEX, STR]}]\n"
    path = _file(tmp_path, f"ruleset: hyperspace-d6\noptions: {{elite.reading: flat}}\n{text}")
    (one,) = check_encounter(path).fighters
    assert one.build.ratings["blasters"].total == 4
    (other,) = check_encounter(path, {"elite.reading": "stacked"}).fighters
    assert other.build.ratings["blasters"].total == 5


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("combatants: [{npc: Stormtroper}]", "2:20", "there is no NPC `Stormtroper`"),
        (
            "combatants:\n  - {npc: Thug, elite: [DEX]}",
            "3:17",
            "`elite` takes 2 names; 1 is listed",
        ),
        ("combatants: [{npc: Thug, count: many}]", "2:33", "`count` has to be a whole number"),
        ("combatants: [{npc: Thug, count: 999}]", "2:33", "`count` has to be 1 to 20"),
        ("combatants: [Thug]", "2:14", "a combatant is a mapping"),
        ("combatants: [{name: Thug}]", "2:14", "does not name a combatant"),
        ("combatants: [{kind: ncp, name: Thug}]", "2:21", "there is no kind `ncp`"),
        ("combatants: [{npc: Thug, vehicle: AT-ST}]", "2:14", "does not name a combatant"),
        ("combatants: [{npc: Thug, nmae: Bo}]", "2:26", "`nmae`"),
        ("combatants: [{file: none.yaml}]", "1:1", "there is no such file"),
        ("combatants: []", "1:1", "this encounter has no combatants"),
        ("fighters: [{npc: Thug}]", "2:1", "there is no key `fighters`"),
        ("combatants: [{npc: Thug}]\ntables: [damge]", "3:10", "has no table `damge`"),
        ("combatants: [{npc: Thug}]\nplayers: [{a: b}]", "3:11", "`players` has to be text"),
        ("combatants: [{npc: Thug}]\nnotes: [a]", "3:8", "`notes` has to be text"),
        ("combatants: [{npc: Thug}]\noptions: {x: 1}", "3:11", "has no option `x`"),
        ("combatants: [{npc: Thug}]\nparty: {dxterity: 3}", "3:9", "has a number `dxterity`"),
    ],
)
def test_what_is_said_of_wrong_files(tmp_path: Path, text: str, place: str, message: str) -> None:
    path = _file(tmp_path, f"ruleset: hyperspace-d6\n{text}\n")
    found = check_encounter(path).findings
    assert any(message in f"{f.message}" for f in found), found
    first = next(f for f in found if message in f.message)
    assert f"{first.span.line}:{first.span.column}" == place
    out = tmp_path / "out"
    assert run("encounter", path, "--out", out).status == 1
    assert not out.exists()


@pytest.mark.parametrize("text", ["", "[1, 2]", "ruleset: [x]", "a: [", "ruleset: keyword-dots"])
def test_no_encounter_at_all(tmp_path: Path, text: str) -> None:
    assert run("encounter", _file(tmp_path, text)).status == 1


def test_too_many(tmp_path: Path) -> None:
    many = "".join("  - {npc: Thug}\n" for _ in range(60))
    found = check_encounter(_file(tmp_path, f"ruleset: hyperspace-d6\ncombatants:\n{many}"))
    assert [f.code.id for f in found.findings] == ["SG004"]
    assert len(found.fighters) == 40


def _opened(data: bytes) -> pymupdf.Document:
    return pymupdf.open(stream=data, filetype="pdf")


@pytest.mark.parametrize(
    ("theme", "paper", "pages"), [("standard", "a4", 1), ("large-print", "letter", 4)]
)
def test_the_pages(theme: str, paper: str, pages: int) -> None:
    made = _printed(BRIDGE, theme, paper)
    text = text_of(made["pdf"])
    for word in (
        "Kessa",
        "Sergeant",
        "Walker One",
        "Vehicles hurt",
        "Medpac",
        "In cover",
        "The bridge gives",
    ):
        assert word in text
    assert "The source prints" not in text  # only with --notes
    with pikepdf.open(io.BytesIO(made["pdf"])) as pdf:
        assert len(pdf.pages) == pages
        assert "/StructTreeRoot" in pdf.Root
    page = made["html"].decode()
    assert "<script" not in page
    assert "Walker One" in page


@pytest.mark.slow
@pytest.mark.usefixtures("laid_out_anew")
def test_a_small_fight_is_one_page_and_the_same_bytes_twice(tmp_path: Path) -> None:
    text = "ruleset: hyperspace-d6\nencounter: Bay\nplayers: [A, B]\ncombatants: [{npc: Thug}]\n"
    path = _file(tmp_path, text)
    made = []
    for folder in ("a", "b"):
        assert run("encounter", path, "--out", tmp_path / folder).status == 0
        made.append((tmp_path / folder / "fight.pdf").read_bytes())
    assert made[0] == made[1]
    with pikepdf.open(io.BytesIO(made[0])) as pdf:
        assert len(pdf.pages) == 1


@pytest.mark.slow
def test_hostile_names_are_text(tmp_path: Path) -> None:
    combatants = (
        '[{npc: Thug, name: "<script>x</script>", count: 20}, {npc: Thug, members: 999999},'
        ' {npc: Thug, name: "\\a{{ 7*7 }}"}]'
    )
    path = _file(
        tmp_path,
        f'ruleset: hyperspace-d6\nencounter: "{"Long " * 30}</style>"\ncombatants: {combatants}\n',
    )
    said = run("encounter", path, "--out", tmp_path, "--to", "pdf", "--to", "html")
    assert said.status == 0, said.err
    page = (tmp_path / "fight.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "49" not in text_of((tmp_path / "fight.pdf").read_bytes()).split("Attacks")[0]


FOURTEEN = """ruleset: hyperspace-d6
encounter: Last stand in the drowned shipyard
players: [Kessa Vorn, Jorra, Oshen, "Tal'ira of the Outer Marches"]
combatants:
  - {npc: Bounty Hunter, name: Varrun Okesh the Unforgiving of Nar, elite: [DEX, PER]}
  - {npc: Death Trooper, name: Death Trooper Commander, elite: [DEX, STR]}
  - {npc: Stormtrooper, name: Alpha Squad, members: 6}
  - {npc: Stormtrooper, name: Bravo Squad, members: 8}
  - {npc: Scout Trooper, count: 3}
  - {npc: Imperial Officer, name: Lieutenant Harrow}
  - {npc: Crime Lord, notes: "Will bargain for her life once two of her people are down; knows the
     code to the gates and lies about the other one. Has a blaster that nobody has ever found."}
  - {npc: Assassin}
  - {npc: Master, name: The Masked Knight, elite: [FOR, DEX]}
  - {npc: Thug, names: [Bex, Dree, Hund], copies: 3}
  - {vehicle: AT-AT, name: Walker One}
  - {vehicle: YT-2400, name: The Unlikely Profit}
  - {vehicle: X-Wing}
  - {vehicle: Speeder Bike, count: 2}
notes: The water rises one band every third round.
"""
STOCK = Path(__file__).parents[2] / "content" / "encounters" / "hyperspace-d6"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "most", "paper"),
    [
        ("ruleset: hyperspace-d6\ncombatants: [{npc: Thug}]\n", 1, "a4"),
        ((STOCK / "salt-bridge.yaml").read_text(encoding="utf-8"), 1, "letter"),
        (FOURTEEN, 2, "a4"),
        (FOURTEEN, 2, "letter"),
    ],
    ids=["one", "five", "fourteen", "fourteen-letter"],
)
def test_a_fight_takes_one_page_or_two(text: str, most: int, paper: str) -> None:
    """A long fight is set closer before it takes a page more, and stays readable."""
    with _opened(_printed(text, "standard", paper)["pdf"]) as pdf:
        assert len(pdf) <= most
        foot = pdf[0].rect.height - 50
        spans = [s for page in pdf for b in page.get_text("dict")["blocks"] for s in _spans(b)]
    words = [s for s in spans if s["bbox"][3] < foot and re.search(r"[a-z]{4}", s["text"])]
    assert min(s["size"] for s in words) >= 8.5


@pytest.mark.slow
def test_large_print_is_not_set_close() -> None:
    """It takes another page instead, and its words keep their size."""
    fight = (STOCK.parent / "narrative-powers" / "toll_bridge.yaml").read_text(encoding="utf-8")
    with _opened(_printed(fight, "large-print", "a4")["pdf"]) as pdf:
        sizes = [s["size"] for b in pdf[0].get_text("dict")["blocks"] for s in _spans(b)]
        assert len(pdf) == 3
    assert sorted({size for size in sizes if size < 13.9}) == [pytest.approx(11, abs=0.1)]  # credit


def _spans(block: dict) -> list[dict]:
    return [span for line in block.get("lines", ()) for span in line["spans"]]


def test_who_names_no_players_has_rows_for_them(tmp_path: Path) -> None:
    text = "ruleset: hyperspace-d6\ncombatants: [{npc: Thug}]\n"
    fight = _fight(check_encounter(_file(tmp_path, text)))
    assert [one.name for one in fight.sections[0].players] == [""] * BLANK_PLAYERS


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["standard", "large-print"])
def test_pages_of_fights_are_accessible_and_bear_the_credit(theme: str) -> None:
    files = _printed(FOURTEEN, theme, "a4")
    assert faults(files["pdf"]) == []
    credit = " ".join(ruleset("hyperspace-d6").credit.short.split())
    with _opened(files["pdf"]) as pdf:
        assert all(credit in " ".join(page.get_text().split()) for page in pdf)
    assert credit in html.unescape(files["html"].decode())


def test_tables_stand_in_columns_that_their_rows_share() -> None:
    with _opened(_printed(BRIDGE, "standard", "a4")["pdf"]) as pdf:
        spans = [s for page in pdf for b in page.get_text("dict")["blocks"] for s in _spans(b)]
    left = {s["text"].strip(): round(s["bbox"][0], 1) for s in spans}
    assert left["Attack"] == left["Vehicles hurt"]
    assert left["Turn"] == left["Scale"]


GATE = """ruleset: wound-points
encounter: Gate
players: [Ines]
combatants:
  - {npc: Guard, count: 3, names: [Left gate, Right gate, Crane]}
  - {npc: Thug, count: 6}
"""


@pytest.mark.slow
def test_boxes_of_tracks_are_numbered_and_stand_on_the_ladder(tmp_path: Path) -> None:
    """Each box says how many Wound Points are left; every third one begins a column."""
    fight = _fight(check_encounter(_file(tmp_path, GATE)))
    guard = next(one for one in fight.sections[0].strips if one.name == "Guard")
    track = guard.tracks[0]
    assert [text for text, _ in track.boxes] == [str(n) for n in reversed(range(18))]
    assert [run.text for run in guard.steps] == ["≤ 13", "≤ 4", "≤ 0", "≤ −18"]
    assert [track.boxes[n - 1][0] for n in track.steps] == ["13", "4", "0"]
    assert guard.close
    with _opened(_printed(GATE, "standard", "a4")["pdf"]) as pdf:
        words = pdf[0].get_text("words")
    head = {
        text.casefold(): x0
        for x0, _, _, _, text, *_ in reversed(words)  # the first of each: a table says it, too
        if text.casefold() in ("out", "dying")
    }
    rows = [(x0, x1) for x0, _, x1, _, text, *_ in words if text == "14"]
    third = (head["dying"] - head["out"]) / 3
    assert len(rows) == 10
    for x0, x1 in rows:
        box = ((x0 + x1) / 2 - head["out"]) / third - 0.5
        assert abs(box - round(box)) < 0.1


@pytest.mark.slow
def test_codes_that_are_rolled_stand_below_the_figures() -> None:
    with _opened(_printed(AMBUSH, "standard", "a4")["pdf"]) as pdf:
        spans = [s for b in pdf[0].get_text("dict")["blocks"] for s in _spans(b)]
    left = {s["text"].strip(): s["bbox"][0] for s in reversed(spans)}
    hit = [s["bbox"][0] for s in spans if s["text"].strip() == "hit"]
    block, soak = left["Block"], left["Soak"]
    assert hit
    assert all(block < x < soak for x in hit)


def test_a_separator_never_begins_a_line_and_boxes_can_be_ticked() -> None:
    files = _printed(GATE, "standard", "a4")
    html = files["html"].decode()
    assert "\u00a0·" in html
    assert " ·" not in html[html.index("<main") :]
    boxes = html.count('class="mark-in"')
    assert boxes > 9 * 18
    with _opened(files["pdf"]) as pdf:
        lines = [line for page in pdf for line in page.get_text().splitlines()]
    assert not [line for line in lines if line.startswith("·")]


@pytest.mark.slow
@pytest.mark.parametrize(
    "word",
    [
        "M" * 200,
        "_" * 70,
        "https://maps.example/" + "a_long_name_of_a_file_" * 4,
        "Wörter" * 30,
        "地図" * 60,
    ],
)
@pytest.mark.parametrize("theme", ["", "large-print"])
def test_long_words_move_no_column(word: str, theme: str, tmp_path: Path) -> None:
    def heads(word: str) -> list[float]:
        text = DOCK.replace("WORD", word)
        look = ("--theme", theme) if theme else ()
        assert (
            run("encounter", _file(tmp_path, text), "--out", tmp_path, "--force", *look).status == 0
        )
        pages = pymupdf.open(tmp_path / "fight.pdf")
        spans = [
            span
            for page in pages
            for block in page.get_text("dict")["blocks"]
            for line in block.get("lines", ())
            for span in line["spans"]
        ]
        assert all(span["bbox"][2] <= pages[0].rect.width - 20 for span in spans)
        named = (s for s in spans if s["text"].strip().lower() in ("dying", "dead"))
        return sorted({round(s["bbox"][0]) for s in named})

    # a letter or two: another script's letters make the column of names a little wider
    assert heads(word) == pytest.approx(heads("word"), abs=6)


DOCK = """ruleset: d6-pips
encounter: Dock WORD
players: [Ada, Bo]
combatants:
  - {npc: Guard, count: 2}
  - {npc: Guard, name: 'A WORD'}
  - kind: npc
    name: Thug
    attributes: {DEX: 2D, KNO: 2D, MEC: 2D, PER: 2D, STR: 2D, TEC: 2D}
    notes: 'WORD'
notes: 'see WORD'
"""


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["standard", "large-print"])
@pytest.mark.parametrize("name", ["Kessa Vorn of the Salt Bridge", "Kessa" * 20])
def test_the_name_of_a_player_is_printed_whole(name: str, theme: str) -> None:
    """A row is as high as the name needs; a word wider than it breaks with a hyphen."""
    text = text_of(_printed(AMBUSH.replace("Kessa", name), theme, "a4")["pdf"], "-raw")
    assert name.replace(" ", "") in "".join(text.split()).replace("\N{HYPHEN}", "")
    assert ("\N{HYPHEN}" in text) == (" " not in name)


def test_a_player_may_be_a_file_whose_figures_are_filled_in(tmp_path: Path) -> None:
    hero = data_folder() / "content" / "characters" / "hyperspace-d6" / "rivet.yaml"
    (tmp_path / "rivet.yaml").write_text(hero.read_text(encoding="utf-8"), encoding="utf-8")
    text = AMBUSH.replace("[Kessa, Jorra, Oshen]", "[rivet.yaml, Jorra]")
    checked = check_encounter(_file(tmp_path, text))
    one, other = _fight(checked).sections[0].players
    figures = _fight(checked).sections[0].words.figures
    assert one.name.startswith("Rivet")
    assert all(one.figure(column).isdigit() for column in figures)
    assert (other.name, [other.figure(column) for column in figures]) == ("Jorra", [""] * 4)
    missing = check_encounter(_file(tmp_path, text.replace("rivet.yaml", "nobody.yaml")))
    assert not missing.ok


@pytest.mark.slow
def test_boxes_of_a_ladder_stand_in_rows_of_about_one_length() -> None:
    """Words keep their size where large print stands closer."""
    fight = (STOCK.parent / "wound-points" / "dry-dock.yaml").read_text(encoding="utf-8")
    with _opened(_printed(fight, "large-print", "a4")["pdf"]) as pdf:
        spans = [s for b in pdf[0].get_text("dict")["blocks"] for s in _spans(b)]
        sizes = {round(s["size"]) for s in spans}
        assert sorted(sizes)[:2] == [11, 14]  # the credit, and words
        first, *_ = pdf[0].search_for("below 0")
        row = [s["text"].strip() for s in spans if abs(s["bbox"][1] - first.y0) < 4]
    assert {"6", "5", "4", "3", "2", "1", "0"} <= {*" ".join(row).split()}


CROWD = """ruleset: narrative-powers
players: [Ines, Ruk, Old Ferris, Tal]
combatants:
  - {npc: Toll Guard, count: 5}
  - {npc: Road Robber, count: 3, names: [Left gate, Crane, Roof]}
  - {npc: Toll Captain}
  - {npc: Marsh Boar, count: 2}
  - {npc: Barrow Cantor}
"""


@pytest.mark.slow
@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize("theme", ["standard", "large-print"])
def test_no_page_ends_empty(theme: str, paper: str) -> None:
    """A strip breaks between copies, each of which is there once; lines fill what is left."""
    made = _printed(CROWD, theme, paper)["pdf"]
    assert faults(made) == []
    with _opened(made) as pdf:
        text = " ".join(page.get_text() for page in pdf)
        for page in pdf:
            foot = page.rect.height - 60
            ink = [drawn["rect"].y1 for drawn in page.get_drawings() if drawn["rect"].y1 < foot]
            assert max(ink) > 0.8 * foot
    assert (text.count("Left gate"), text.count("Crane"), text.count("Roof")) == (1, 1, 1)


def test_large_print_of_the_dock_continues_the_guards() -> None:
    fight = (STOCK.parent / "wound-points" / "dry-dock.yaml").read_text(encoding="utf-8")
    made = _printed(fight, "large-print", "letter")
    with _opened(made["pdf"]) as pdf:
        first, second, *_ = (page.get_text() for page in pdf)
    assert "Guard" in first
    assert "Left gate" in first
    assert "Guard, continued" in second
    assert "Crane" in second
    assert "Guard, continued" not in made["html"].decode()


def test_a_strip_that_fits_by_a_hair_is_moved_once() -> None:
    """Margins may keep it on the next page, where it would be moved up for ever."""
    names = ("Barrow Cantor", "Toll Captain", "Marsh Boar")
    players = ", ".join(f"P{n}" for n in range(10))
    fight = f"ruleset: narrative-powers\nplayers: [{players}]\ncombatants:\n"
    fight += "".join(f"  - {{npc: {name}}}\n" for name in names)
    with _opened(_printed(fight, "large-print", "letter")["pdf"]) as pdf:
        text = " ".join(page.get_text() for page in pdf)
    assert [text.count(name) for name in names] == [1, 1, 1]
