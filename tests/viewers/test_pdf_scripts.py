"""The scripts of a PDF, taken out of the file and run: they agree with Python."""

from __future__ import annotations

import io
import random
import re
from functools import cache
from pathlib import Path

import pikepdf
import pytest
import yaml

from sheetgen.finish.merging import MergedInfo, MergePart, merge_parts
from sheetgen.materials.plates import PlateStore
from sheetgen.model.prints import Plan
from sheetgen.plan.sheets.view import build_view
from sheetgen.plugins.prepress.printers import convert_to_archive
from sheetgen.prints.characters import load_characters
from sheetgen.prints.sheet import BlankRequest, print_blank
from sheetgen.render.press.page_objects import DocumentInfo
from sheetgen.render.press.prepared import HINT, RESET, SAYS, UNFOLLOWED
from sheetgen.render.press.press import load_engine_script, press_many, strip_script
from sheetgen.units import MM
from tests.live.changes import checked, edited, named_keys
from tests.printing import CHARACTERS, GAMES, USUAL, Sheet, character_at, character_from, printed
from tests.render.ua_rules import faults
from tests.samples import some_characters
from tests.shelf import ruleset
from tests.viewers.scripted import Viewer, printed_values, terminal

pytestmark = pytest.mark.slow

RULESETS = sorted({path.parent.name for path in CHARACTERS})
FIRST = {game: next(p for p in CHARACTERS if p.parent.name == game) for game in RULESETS}
SOME = some_characters(CHARACTERS)
each_character = pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
each_ruleset = pytest.mark.parametrize("game", RULESETS)


@cache
def live(path: Path) -> Sheet:
    return printed(character_at(path))


def changed(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in after.items() if before[name] != text}


@each_character
def test_nothing_changes_until_something_is_typed(path: Path) -> None:
    viewer = Viewer(live(path).pdf)
    before = viewer.values()
    viewer.calculate()
    said = changed(before, viewer.values())
    assert said.keys() <= {SAYS}, said  # a build of which not all is spent is told so


@each_ruleset
def test_fields_that_others_do_not_follow_say_so(game: str) -> None:
    made = live(FIRST[game])
    with pikepdf.open(io.BytesIO(made.pdf)) as pdf:
        said = {str(one.get("/T")) for one in pdf.objects if UNFOLLOWED in _tooltip(one)}
    lives = [leaf.live for leaf in made.plan.leaves]
    kept = {name for live in lives if live is not None for name in live.unfollowed}
    assert kept
    assert said == {name.rpartition(".")[2] for name in kept}


def _about(plan: Plan) -> DocumentInfo:
    return DocumentInfo(plan.title, plan.lang, plan.subject, plan.meta)


def _tooltip(one: object) -> str:
    return str(one.get("/TU", "")) if isinstance(one, pikepdf.Dictionary) else ""


@each_character
def test_what_is_typed_is_summed_as_python_does(path: Path) -> None:
    one = character_at(path)
    data = named_keys(yaml.safe_load(path.read_text(encoding="utf-8")), one.rules)
    made = live(path)
    plate = made.plan.leaves[0].plate
    for seed in range(3):
        edit = edited(data, one.build, one.rules, plate, random.Random(f"{path.stem} {seed}"))
        after = checked(edit.data)
        viewer = Viewer(made.pdf)
        viewer.type(edit.fields, each=False)
        found, expected = viewer.values(), build_view(after.build, one.rules).texts
        for name in viewer.order:
            if name == SAYS or ".ledger." in name:
                continue
            shown = expected[name].text if name in expected else ""
            assert found[name] == shown, f"{name}: {edit.fields}"


@each_character
def test_what_was_printed_can_be_put_back(path: Path) -> None:
    data = live(path).pdf
    assert printed_values(data, "/DV") == printed_values(data)
    with pikepdf.open(io.BytesIO(data)) as pdf:
        fields = dict(terminal(pdf.Root.AcroForm.Fields))
        assert {key: str(value) for key, value in fields[RESET].A.items()} == {"/S": "/ResetForm"}
        assert not int(fields[RESET].get("/F", 0)) & 4


@each_ruleset
def test_totals_are_only_read_and_cells_may_be_typed(game: str) -> None:
    viewer = Viewer(live(FIRST[game]).pdf)
    for name, field in viewer.fields.items():
        shown = int(field.get("/Ff", 0)) & 1
        cell = bool(re.fullmatch(r"\w+\.\d+\.\w+", name))
        summed = name in viewer.order and not cell
        assert bool(shown) == (summed or name.startswith(HINT)), name


def test_a_cell_keeps_what_is_typed_once_its_row_is_another() -> None:
    path = FIRST["hyperspace-d6"]
    viewer = Viewer(live(path).pdf)
    before = viewer.values()
    viewer.type({"skills.melee.own": "+2D", "attributes.dexterity.total": "4"})
    assert viewer.values()["weapons.1.attack"] != before["weapons.1.attack"]
    viewer.type({"weapons.1.name": "A chair", "weapons.1.attack": "9"})
    viewer.type({"attributes.dexterity.total": "5"})
    assert viewer.values()["weapons.1.attack"] == "9"


def test_findings_show_on_the_line_and_go() -> None:
    viewer = Viewer(live(FIRST["keyword-dots"]).pdf)
    viewer.type({"force_powers.choke.1": "On"})
    assert viewer.values()[SAYS].startswith("SG204 Choke is 1; the limit for Jedi Guardian is 0")
    assert len(viewer.shown()) == 1
    viewer.type({"force_powers.choke.1": ""})
    assert viewer.values()[SAYS] == ""
    assert viewer.shown() == set()


@each_ruleset
def test_hints_stand_beside_what_is_typed_and_over_no_field(game: str) -> None:
    """Viewers do not agree which of two fields is clicked on that lie upon another."""
    viewer = Viewer(live(FIRST[game]).pdf)
    boxes = {name: [float(side) for side in f.Rect] for name, f in viewer.fields.items()}
    pages = {name: f.P.objgen for name, f in viewer.fields.items()}
    hints = [name for name in boxes if name.startswith(HINT)]
    assert hints
    for name in hints:
        left, foot, right, top = boxes[name]
        assert int(viewer.fields[name].F) == 2
        over = [
            other
            for other, box in boxes.items()
            if other != name and pages[other] == pages[name]
            if box[0] < right and box[2] > left and box[1] < top and box[3] > foot
        ]
        assert not over, f"{name} lies over {over}"


def test_the_hint_of_what_is_wrong_is_beside_it() -> None:
    made = live(FIRST["keyword-dots"])
    twice = press_many([made.plan, made.plan], _about(made.plan), flatten=False, out=None)
    for prefix, data in (("", made.pdf), ("c2.", twice)):
        viewer = Viewer(data)
        viewer.type({f"{prefix}force_powers.choke.1": "On"})
        [hint] = viewer.shown()
        assert hint.startswith(prefix + HINT)
        box, dot = (viewer.fields[n].Rect for n in (hint, f"{prefix}force_powers.choke.1"))
        assert 0 <= float(dot[0]) - float(box[2]) <= 2
        assert abs(float(box[1]) - float(dot[1])) < 1


def test_a_sheet_that_cannot_be_computed_keeps_its_figures_and_says_so() -> None:
    viewer = Viewer(live(FIRST["keyword-dots"]).pdf)
    before = viewer.values()
    viewer.js.eval("for (var key in sheetgenPrograms) { sheetgenPrograms[key] = null; }")
    viewer.type({"force_powers.jump.4": "On"})
    assert changed(before, viewer.values()) == {
        "force_powers.jump.4": "On",
        SAYS: "The figures cannot be worked out here.",
    }


HOSTILE = (
    "\"); app.alert('x'); (\"",
    "</script><script>alert(1)</script>",
    "back\\slash \\) (( unbalanced",
    "line\u2028separator\u2029 and \u0085",
    "dice 🎲 Żółw Жук",
    "{{7*7}} %s %d ${1}",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_names_stay_text(text: str) -> None:
    source = {"name": text, "class": "Jedi Guardian", "xp": 40, "force powers": {"Jump": 2}}
    one = character_from(yaml.safe_dump(source, allow_unicode=False), "keyword-dots")
    viewer = Viewer(printed(one, draft=True).pdf)
    viewer.js.eval("var app = { alert: function () { throw new Error('a script ran'); } }")
    before = viewer.values()
    viewer.type({"force_powers.jump.3": "On"})
    kept = text.translate(dict.fromkeys((0x2028, 0x2029, 0x85), " "))  # prints drop controls
    assert viewer.values()["name"] == kept
    assert int(viewer.values()["force.value"]) > int(before["force.value"])
    assert all(script.isascii() for script in viewer.scripts())


def test_texts_in_the_figures_stay_text() -> None:
    for text in HOSTILE:
        source = {"name": "A", "species": "Human", "profession": "Thug", "gear": [{text: 1}]}
        one = character_from(yaml.safe_dump(source), "hyperspace-d6")
        viewer = Viewer(printed(one, draft=True).pdf)
        viewer.type({"attributes.dexterity.total": "4"})
        assert viewer.values()["dodge.value"] == "14"


# -- where there are no scripts --------------------------------------------------------------


def acts(data: bytes) -> bool:
    with pikepdf.open(io.BytesIO(data)) as pdf:
        form = pdf.Root.get("/AcroForm", {})
        held = any("/AA" in one or "/A" in one for _, one in terminal(form.get("/Fields", ())))
        names = "/JavaScript" in pdf.Root.get("/Names", {})
        return held or names or "/CO" in form


@each_ruleset
def test_scripts_are_there_where_they_are_wanted(game: str) -> None:
    one = character_at(FIRST[game])
    assert acts(live(FIRST[game]).pdf)
    assert not acts(printed(one, calc=False).pdf)
    assert not acts(printed(one, flatten=True).pdf)


@pytest.mark.parametrize("look", [("a4", "large-print"), ("letter", "large-print"), USUAL])
def test_the_button_is_5_mm_from_the_edge_and_on_no_field(look: tuple[str, str]) -> None:
    [path] = [path for path in CHARACTERS if path.stem == "calla"]
    with pikepdf.open(io.BytesIO(printed(character_at(path), look).pdf)) as pdf:
        fields = dict(terminal(pdf.Root.AcroForm.Fields))
        top = float(pdf.pages[0].mediabox[3])
        rects = {
            name: [float(side) for side in field.Rect]
            for name, field in fields.items()
            if "/Rect" in field and field.get("/P") == pdf.pages[0].obj
        }
        button = rects.pop(RESET)
        assert top - button[3] >= 5 * MM
        assert button[3] - button[1] >= 9
        assert all(rect[3] <= button[1] for name, rect in rects.items() if name != SAYS)


def test_an_archive_has_neither_scripts_nor_dead_controls() -> None:
    data = convert_to_archive(live(FIRST["keyword-dots"]).pdf)
    assert not acts(data)
    assert not [name for name in printed_values(data) if "sheetgen" in name]
    assert faults(data) == []


@each_ruleset
def test_a_live_sheet_is_as_accessible_and_looks_the_same(game: str) -> None:
    assert faults(live(FIRST[game]).pdf) == []


@each_ruleset
def test_it_is_hardly_larger(game: str) -> None:
    one = character_at(FIRST[game])
    assert len(live(FIRST[game]).pdf) < 1.3 * len(printed(one, calc=False).pdf)


# -- many sheets in a file -------------------------------------------------------------------


def test_each_sheet_of_a_file_sums_up_its_own() -> None:
    paths = [FIRST["hyperspace-d6"], FIRST["keyword-dots"], CHARACTERS[-1]]
    plans = [live(path).plan for path in (paths[0], paths[1], paths[0])]
    whole = press_many(plans, _about(plans[0]), flatten=False, out=None)
    one, other = (live(path).pdf for path in paths[:2])
    book = merge_parts(
        [MergePart("A", one, "x"), MergePart("B", whole, "y"), MergePart("C", other, "y")],
        MergedInfo("t", "en", "s"),
    )
    alone = Viewer(one)
    alone.type({"skills.agility.own": "+2D"})
    expected = changed(printed_values(one), alone.values())
    dots = Viewer(other)
    dots.type({"force_powers.jump.4": "On"})
    summed = changed(printed_values(other), dots.values())
    for data, first, second in ((whole, "c1", "c2"), (whole, "c3", "c2"), (book, "p2.c3", "p3")):
        viewer = Viewer(data)
        before = viewer.values()
        viewer.type({f"{first}.skills.agility.own": "+2D"})
        found = changed(before, viewer.values())
        assert found == {f"{first}.{name}": text for name, text in expected.items()}
        before = viewer.values()
        viewer.type({f"{second}.force_powers.jump.4": "On"})
        found = changed(before, viewer.values())
        assert found == {f"{second}.{name}": text for name, text in summed.items()}
        hints = {f.objgen for n, f in viewer.fields.items() if HINT in n}  # have no values
        for name, field in viewer.fields.items():
            if name.endswith(RESET):  # it puts back its own sheet, or its own part of a book
                own = {one.objgen for one in field.A.Fields} - hints
                above = name.removesuffix(RESET)
                above = above if data == whole or above != "p1." else "p1."
                mine = {f.objgen for n, f in viewer.fields.items() if n.startswith(above)} - hints
                assert own == mine


# -- empty sheets ----------------------------------------------------------------------------


def blank(game: str) -> bytes:
    return print_blank(ruleset(game), BlankRequest(), plates=RACK).files["pdf"]


RACK = PlateStore()


@each_ruleset
def test_an_empty_sheet_shows_nothing_until_it_knows(game: str) -> None:
    live(FIRST[game])  # its plate is that of the usual look
    viewer = Viewer(blank(game))
    before = viewer.values()
    viewer.type({"name": "Somebody", "notes": "Something"})
    assert changed(before, viewer.values()) == {"name": "Somebody", "notes": "Something"}


def test_an_empty_sheet_adds_up_and_may_be_typed_over() -> None:
    viewer = Viewer(blank("hyperspace-d6"))
    before = viewer.values()
    viewer.type({"attributes.strength.total": "3"})
    found = changed(before, viewer.values())
    assert found["skills.brawl.total"] == "3"
    assert found["block.value"] == "13"
    assert found["soak.value"] == "3"
    assert "dodge.value" not in found
    assert SAYS not in found
    viewer.type({"soak.value": "9", "attributes.strength.total": "4"})  # with armour
    assert viewer.values()["soak.value"] == "9"
    assert viewer.values()["block.value"] == "14"
    again = Viewer(blank("hyperspace-d6"), viewer.values())  # saved, and opened another day
    again.type({"attributes.strength.total": "5"})
    assert again.values()["soak.value"] == "9"
    assert again.values()["block.value"] == "15"
    again.type({"soak.value": ""})
    assert again.values()["soak.value"] == "5"
    again.type({"attributes.strength.total": ""})
    assert again.values()["block.value"] == ""


def test_dots_of_an_empty_sheet_are_paid_for() -> None:
    viewer = Viewer(blank("keyword-dots"))
    viewer.type({"xp.ledger.1.gained": "30", "force_powers.jump.1": "On"})
    assert viewer.values()["xp.left"] == "29"
    assert viewer.values()["force.value"] == "1"


# -- the script itself -----------------------------------------------------------------------


def test_only_what_readers_of_code_need_is_left_out() -> None:
    told = """
    /* gone */ var a = "/* stays */", b = 'it // stays'; // gone
      var c = /[/*]"x/.test("a"), d = 8 / 2 / 1; /* gone
      too */
    function f(x) { return /a\\/\\*b/.test(x); }
    """
    short = strip_script(told)
    assert "gone" not in short
    assert '"/* stays */"' in short
    assert "'it // stays'" in short
    assert '/[/*]"x/' in short
    assert "8 / 2 / 1" in short
    assert "/a\\/\\*b/" in short


def test_the_engine_is_plain_and_old_javascript() -> None:
    script = load_engine_script()
    assert script.isascii()
    for new in ("=>", "const ", "let ", "class ", "...", "Object.assign", ".includes("):
        assert new not in script
    assert "eval" not in script


def test_our_own_characters_are_all_tried() -> None:
    assert [one for one in load_characters(CHARACTERS) if not one.ok] == []
    assert set(GAMES) <= set(RULESETS)


def test_boxes_of_a_derived_value_count_in_a_pdf() -> None:
    viewer = Viewer(live(FIRST["wound-points"]).pdf)
    boxes = [n for n in viewer.fields if n.startswith("wound_points.box.")]
    viewer.type({n: "On" if n in boxes[:18] else "" for n in boxes}, each=False)
    state = viewer.values()["wp_state.text"]
    viewer.type(dict.fromkeys(boxes, ""), each=False)
    assert state not in ("", "unhurt")
    assert viewer.values()["wp_state.text"] == "unhurt"


def test_a_renamed_weapon_has_its_own_figures_in_a_pdf() -> None:
    game = Path(__file__).parent.parent / "live" / "games" / "delve"
    one = printed(character_at(game / "characters" / "orsolya.yaml"))
    viewer = Viewer(one.pdf)
    assert viewer.values()["weapons.1.strike"] == "+5 2d8+2"
    viewer.type({"weapons.1.name": "Dirk"})
    assert viewer.values()["weapons.1.strike"] == "+4 1d8+2"
    viewer.type({"weapons.1.name": "Family Axe"})
    assert viewer.values()["weapons.1.strike"] == ""
    viewer.type({"weapons.1.strike": "+9"})
    assert viewer.values()["weapons.1.strike"] == "+9"
    viewer.type({"level": "9"})
    assert viewer.values()["save_thew.value"] == "6"
    viewer.type({"calling": "Lantern"})
    assert "What follows from Calling stays as printed" in viewer.values()[SAYS]
