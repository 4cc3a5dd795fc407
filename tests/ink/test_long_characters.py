"""Long names and words of characters collide on no print of a character."""

from __future__ import annotations

import pytest

from sheetgen.prints.sheet import SHORT_PAPERS, SheetRequest, print_short_sheets
from sheetgen.units import PAPERS
from tests.browser.overflowing import overflowing
from tests.ink.collisions import find_collisions
from tests.ink.prints import PAPER_MARGIN
from tests.printing import GAMES, character_from, printed
from tests.samples import by_turns

pytestmark = [pytest.mark.many, pytest.mark.slow]


@pytest.mark.parametrize("theme", ["standard", "large-print"])
@pytest.mark.parametrize(("game", "paper"), by_turns(GAMES, PAPERS))
def test_long_words_collide_on_no_sheet(game: str, paper: str, theme: str) -> None:
    made = printed(overflowing(game), (paper, theme), draft=True)
    assert [str(one) for one in find_collisions(made.pdf, PAPER_MARGIN)] == []


@pytest.mark.parametrize(("game", "paper"), by_turns(GAMES, PAPERS))
def test_accents_of_two_lines_are_whole_in_large_print(game: str, paper: str) -> None:
    people = "Žaneta Ůlehlová z Ǖpperšké Åkademie gjpyq, která žongluje a učí"
    one = character_from(f"ruleset: {game}\nname: Ǖ\nallies: ['{people}']\n", game)
    made = printed(one, (paper, "large-print"), draft=True)
    assert len(made.plan.leaves[0].filling.texts["allies.1"].lines) == 2
    assert [str(one) for one in find_collisions(made.pdf, PAPER_MARGIN)] == []


NAMES = (
    "Northwesternmost smuggling Überwachungsbehörde",
    "Quartermaster Gyges Ägypten Žďár MWM to",
)


@pytest.mark.parametrize(("game", "theme"), by_turns(GAMES, ("standard", "large-print")))
@pytest.mark.parametrize("name", NAMES)
def test_accents_keep_clear_of_the_line_above(name: str, game: str, theme: str) -> None:
    one = character_from(f"ruleset: {game}\nname: {name}\nplayer: {name}\n", game)
    made = printed(one, ("a4", theme), draft=True)
    assert [str(one) for one in find_collisions(made.pdf, PAPER_MARGIN)] == []


@pytest.mark.parametrize(("game", "paper"), by_turns(GAMES, ("a4", *SHORT_PAPERS)))
def test_long_words_collide_on_no_short_sheet(game: str, paper: str) -> None:
    request = SheetRequest(formats=("pdf",), paper=paper, draft=True)  # type: ignore[arg-type]
    (made,) = [one.files for one in print_short_sheets([overflowing(game)], request) if one.files]
    found = find_collisions(made["pdf"], PAPER_MARGIN)
    assert [str(one) for one in found] == []
