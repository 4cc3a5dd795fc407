"""Fitting: nothing too small, nothing too wide, nothing lost, and what is cut is marked."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sheetgen.model.prints import FaceMetrics, Place, Plate, Role, Tokens
from sheetgen.plan.fit import (
    ELLIPSIS,
    PADDING,
    fit,
    is_unseen,
    paragraphs,
    rows_in,
    set_leading,
    width,
    wrap,
)
from sheetgen.plan.sheets.sheets import plate_places
from sheetgen.units import Box
from tests.cli.commands import run
from tests.printing import CHARACTERS, character_at, printed, sheet

ADVANCES = {ord(c): 200 + 53 * (ord(c) % 11) for c in map(chr, range(32, 0x250))} | {
    ord(ELLIPSIS): 1000
}
METRICS = FaceMetrics(900, -250, 660, ADVANCES, {point: point for point in ADVANCES})
PLATE = Plate("k", (), (), {"f": METRICS}, Tokens({}, {}, {}, {}, {}), b"")
SLACK = 0.02
"""Sizes are rounded to a hundredth of a point."""

same = settings(max_examples=250, deadline=None, derandomize=True, database=None)
texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=120)
blocks = st.lists(texts, max_size=6).map("\n".join)
places = st.builds(
    lambda kind, w, h: Place("a", kind, "r", "A", 0, Box(0, 0, w, h)),
    st.sampled_from(["text", "lines", "mark"]),
    st.floats(12, 400),
    st.floats(6, 200),
)
roles = st.builds(
    lambda size, share, leading: Role("f", size, round(size * share, 2), leading=leading),
    st.floats(7, 30).map(lambda size: round(size, 1)),
    st.floats(0.3, 1),
    st.sampled_from([0, 12.0, 40.0]),
)


@pytest.mark.slow
@same
@given(blocks, places, roles)
@example("", Place("a", "text", "r", "A", 0, Box(0, 0, 12, 6)), Role("f", 30, 9))
@example("W" * 300, Place("a", "text", "r", "A", 0, Box(0, 0, 12, 6)), Role("f", 30, 30))
def test_never_too_small_nor_too_wide(text: str, place: Place, role: Role) -> None:
    setting, _ = fit(text, place, role, METRICS)
    assert role.least - 0.005 <= setting.size <= role.size + 0.005
    room = place.box.width - 2 * PADDING
    for line in setting.lines:
        # A single letter cannot be made narrower; the box clips it.
        if len(line.rstrip(ELLIPSIS)) > 1:
            assert width(line, METRICS, setting.size) <= room * (1 + SLACK / role.least)


@pytest.mark.slow
@same
@given(blocks, places, roles)
def test_all_of_it_or_a_mark(text: str, place: Place, role: Role) -> None:
    setting, whole = fit(text, place, role, METRICS)
    assert setting.value == text
    shown, all_of_it = _letters("".join(setting.lines)), _letters(text)
    if whole:
        assert shown == all_of_it
    else:
        assert setting.lines[-1].endswith(ELLIPSIS)
        assert all_of_it.startswith(shown.removesuffix(ELLIPSIS))
        assert len(shown) <= len(all_of_it)


@pytest.mark.slow
@same
@given(blocks, places, roles)
def test_lines_stay_in_the_box(text: str, place: Place, role: Role) -> None:
    """No more lines than there is room for; a small box of one line may have two."""
    setting, _ = fit(text, place, role, METRICS)
    most = rows_in(place.box.height, role, setting.size) if place.kind == "lines" else 2
    if place.kind != "mark" or place.box.height <= 3 * role.size:
        assert len(setting.lines) <= most


@same
@given(texts, st.floats(5, 300), st.floats(5, 30))
def test_wrapping_keeps_every_word(text: str, room: float, size: float) -> None:
    lines = wrap(text, room, METRICS, size)
    assert _letters("".join(lines)) == _letters(text)
    assert all(lines)
    for line in lines:
        assert len(line) == 1 or width(line, METRICS, size) <= room
    wide = [word for word in _words(text) if width(word, METRICS, size) > room]
    if not wide:
        assert _words(" ".join(lines)) == _words(text)


@same
@given(st.floats(120, 400))
def test_a_figure_and_its_unit_are_on_one_line(room: float) -> None:
    lines = wrap("stuns all within 4 m, at 7/20/40 km; 2 people", room, METRICS, 10)
    assert not {line.split()[0] for line in lines} & {"m,", "km;"}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("Weather-wisdom", ("Weather-", "wisdom")),
        ("Blacksmithing/armour", ("Blacksmithing/", "armour")),
        ("Arm–Brustpanzerung", ("Arm–", "Brustpanzerung")),
        ("a know-it-all-by-name", ("a", "know-it-all-by-", "name")),
        ("Weatherwisdoms", ("Weatherwis-", "doms")),
        ("Intercontinental", ("Intercon-", "tinental")),
        ("123456789012", ("12345678", "9012")),
        ("x-Weatherwisdomly", ("x-", "Weatherwisdomly")),
        ("+1D-2 or so", ("+1D-2 or so",)),
    ],
)
def test_long_words_break_after_hyphens_first(text: str, lines: tuple[str, ...]) -> None:
    """Else between syllables with a hyphen, but no last letter or two stand alone."""
    room = max(width(line, METRICS, 10) for line in lines)
    assert wrap(text, room, METRICS, 10) == lines


def test_a_word_is_set_smaller_before_it_is_broken() -> None:
    role = Role("f", 10, 5)
    room = width("Weatherwisdom", METRICS, 7.3)
    place = Place("a", "text", "r", "A", 0, Box(0, 0, room + 2 * PADDING, 30))
    setting, whole = fit("Weatherwisdom", place, role, METRICS)
    assert (setting.lines, whole) == (("Weatherwisdom",), True)
    place = Place("a", "text", "r", "A", 0, Box(0, 0, room * 0.6 + 2 * PADDING, 30))
    setting, whole = fit("Weather-wisdom", place, role, METRICS)
    assert (setting.lines, whole) == (("Weather-", "wisdom"), True)


@pytest.mark.parametrize(("upper", "lower"), [("gripping", "ÖÖÖÖÖÖg"), ("gripping", "xxexg")])
def test_letters_of_two_lines_keep_apart(upper: str, lower: str) -> None:
    """A text is set smaller before an accent comes close to a descender above it."""
    metrics = replace(
        METRICS,
        rises={ord("Ö"): 220} | dict.fromkeys(map(ord, "vexr"), -220),
        hangs=dict.fromkeys(map(ord, "gp"), 320),
    )
    role = Role("f", 20, 10)
    longest = max(width(one, metrics, 16) for one in (upper, lower))
    place = Place("a", "text", "r", "A", 0, Box(0, 0, longest + 2 * PADDING + 0.1, 34.2))
    setting, whole = fit(f"{upper} {lower}", place, role, metrics)
    assert whole
    assert setting.lines == (upper, lower)
    assert setting.size == (16 if lower == "xxexg" else 14.4)
    distance = set_leading(setting.lines, 0, 34.2, metrics, setting.size)
    rise = 220 if "Ö" in lower else -220
    assert distance >= setting.size * (320 + 660 + rise) / 1000 + 1


def test_notes_that_shrink_keep_their_dots() -> None:
    role, place = Role("f", 13, 11, leading=17), Place("a", "lines", "r", "A", 0, Box(0, 0, 90, 90))
    setting, whole = fit("word " * 60, place, role, METRICS)
    assert (setting.size, whole) == (11, False)
    assert len(setting.lines) == rows_in(90, role, 13) == 5


@pytest.mark.slow
@same
@given(st.lists(texts, min_size=1, max_size=8))
def test_an_authors_own_lines_are_kept(lines: list[str]) -> None:
    text = "\n".join(lines)
    split = text.splitlines() or [""]
    assert paragraphs(text, 1e9, METRICS, 10) == tuple(" ".join(_words(line)) for line in split)


@same
@given(texts, st.floats(5, 30))
def test_twice_the_size_is_twice_the_width(text: str, size: float) -> None:
    once, twice = width(text, METRICS, size), width(text, METRICS, 2 * size)
    assert abs(twice - 2 * once) < 1e-6


@same
@given(texts)
def test_missing_letters_are_named_once(text: str) -> None:
    lacking = plate_places(PLATE).missing(text)
    assert len(set(lacking)) == len(lacking)
    drawn = {c for c in text if set(map(ord, unicodedata.normalize("NFKC", c))) <= set(ADVANCES)}
    drawn |= {c for c in text if ord(c) in ADVANCES or is_unseen(c)}
    assert set(lacking) == set(text) - drawn


def _words(text: str) -> list[str]:
    """Return the words of `text`; those that no-break spaces join are one."""
    return re.findall(r"\S+(?:\xa0\S+)*", text)


def _letters(text: str) -> str:
    return "".join(text.replace("-", " ").split())


@pytest.mark.many
@pytest.mark.parametrize("path", CHARACTERS, ids=lambda path: path.stem)
def test_words_of_the_rules_fit(path: Path) -> None:
    """What cannot be typed, which only a ruleset says, needs no continuation page."""
    made = printed(character_at(path))
    kinds = {p.name: p.kind for leaf in made.plan.leaves for p in leaf.plate.places}
    assert not [one.label for one in made.planned.moved if kinds.get(one.stem) == "mark"]


def test_a_text_of_a_tall_place_begins_at_its_top_in_browsers_too() -> None:
    made = sheet(next(path for path in CHARACTERS if path.stem == "quill-hesk"))
    html = made.printed.files["html"].decode()
    classes = dict(re.findall(r'data-name="(\w+_text)"><span class="([^"]*)"', html))
    assert "tall" in classes["class_text"].split()
    assert "tall" not in classes["subclass_text"].split()


@pytest.mark.slow
def test_a_formula_that_its_plate_cannot_show_is_not_on_a_continuation_page(tmp_path: Path) -> None:
    folder = tmp_path / "g"
    assert run("new", "ruleset", "g", "--like", "codes", "--out", folder).status == 0
    rules = folder / "ruleset.yaml"
    ward = '{label: Ward, use: to hit, value: "8 + max(armour.guard) + min(search, armour.cap)"}'
    text = rules.read_text(encoding="utf-8")
    for old, new in (
        ("gives: resist, bonus: 4", "gives: resist, bonus: 4, numbers: {guard: 3, cap: 2}"),
        ("\n  resist:", f"\n  ward: {ward}\n  resist:"),
    ):
        assert old in text
        text = text.replace(old, new, 1)
    rules.write_text(text, encoding="utf-8")
    done = run("sheet", folder / "characters", "--out", tmp_path / "out")
    assert (done.status, "continuation" in done.err) == (0, False), done.err
