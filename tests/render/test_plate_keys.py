"""A plate's key covers every input: whatever changes a blank's markup changes its key."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from sheetgen.data import data_folder
from sheetgen.load.designs.designs import load_card, load_design
from sheetgen.materials.plates import render_plate_markup
from sheetgen.materials.wheel import PlateRequest
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.plan.contexts import build_blank_context, build_card_context
from sheetgen.plan.imposition import CARDS
from tests.printing import GAMES
from tests.samples import spread
from tests.shelf import ruleset

pytestmark = pytest.mark.slow

CARD = "power-card"


@pytest.fixture
def designs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of all designs that prints are made from."""
    shutil.copytree(data_folder() / "templates", tmp_path / "templates")
    shutil.copytree(data_folder() / "content", tmp_path / "content")
    monkeypatch.setattr("sheetgen.data.data_folder", lambda: tmp_path)
    return tmp_path / "templates"


def _sheet(rules: Ruleset) -> PlateRequest | None:
    design = load_design(str(rules.sheet), "standard", "a4").value
    if design is None:
        return None
    context = build_blank_context(rules, design.facts, ("standard", "a4"))
    return design, design.template, rules, context


def _card(rules: Ruleset) -> PlateRequest | None:
    design = load_card(CARD, "standard", "poker", CARDS["poker"]).value
    if design is None:
        return None
    return design, design.template, rules, build_card_context(rules, design)


def _keys(wanted: PlateRequest) -> tuple[str, str]:
    """Return the names of a plate among what is shipped, and in the cache."""
    design, template, rules, context = wanted
    return design.markup_key(_markup(wanted)), design.key(template, rules.digest, context)


def _markup(wanted: PlateRequest) -> str:
    design, template, _, context = wanted
    return render_plate_markup(design, template, context)


def _edits(path: Path) -> Iterator[str]:
    """Yield the text of a file, each time with another of its figures changed."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    for at, line in enumerate(lines):
        body = line.partition("#")[0]
        for n, letter in enumerate(body):
            if letter in "3456" and body[n - 1] in " .":
                lines[at] = line[:n] + str(int(letter) + 1) + line[n + 1 :]
                yield "".join(lines)
        lines[at] = line


def _watched(
    path: Path,
    edits: Iterable[str],
    wanted: Callable[[Ruleset], PlateRequest | None],
    rules: Ruleset,
) -> int:
    """Return how many edits change the markup or the tokens; each has to change both keys."""
    before = wanted(rules)
    assert before is not None
    keys, made, moved = _keys(before), (_markup(before), before[0].tokens), 0
    for text in spread(edits, 40):
        path.write_text(text, encoding="utf-8")
        after = wanted(rules)
        if after is not None and (_markup(after), after[0].tokens) != made:
            assert set(_keys(after)).isdisjoint(keys), text
            moved += 1
    return moved


@pytest.mark.parametrize("game", GAMES)
def test_every_figure_of_a_sheet_is_in_its_key(game: str, designs: Path) -> None:
    rules = ruleset(game)
    path = designs / str(rules.sheet) / "sheet.yaml"
    assert _watched(path, _edits(path), _sheet, rules)


@pytest.mark.parametrize("name", ["card.yaml", "tokens.yaml"])
def test_every_figure_of_a_card_is_in_its_key(name: str, designs: Path) -> None:
    path = designs / CARD / name
    assert _watched(path, _edits(path), _card, ruleset("narrative-powers"))


@pytest.mark.parametrize("name", ["card.css", "strips.html.j2"])
def test_other_texts_of_a_card_are_in_its_key(name: str, designs: Path) -> None:
    path = designs / CARD / name
    keys = _keys(_there(_card(ruleset("narrative-powers"))))
    with path.open("a", encoding="utf-8") as file:
        file.write(".more { top: 1pt }")
    assert set(_keys(_there(_card(ruleset("narrative-powers"))))).isdisjoint(keys)


def test_a_style_sheet_that_is_left_out_changes_the_key(designs: Path) -> None:
    rules, path = ruleset("narrative-powers"), designs / CARD / "card.yaml"
    before = _keys(_there(_card(rules)))
    text = path.read_text(encoding="utf-8").replace(f"[_cards/cards.css, {CARD}/card.css]", "[]")
    path.write_text(text, encoding="utf-8")
    assert set(_keys(_there(_card(rules)))).isdisjoint(before)


def test_a_font_with_other_bytes_changes_where_a_plate_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = _there(_sheet(ruleset(GAMES[0])))
    shipped, kept = _keys(wanted)
    monkeypatch.setattr("sheetgen.load.designs.designs.font_digest", lambda name: "another font")
    again = _keys(wanted)
    assert again[0] == shipped  # a shipped plate brings its own fonts
    assert again[1] != kept


def _there(wanted: PlateRequest | None) -> PlateRequest:
    assert wanted is not None
    return wanted
