"""Where the fields of each sheet are, and what two plans put there, as text.

`pytest --accept` writes them anew; read the diff as whoever has forms filled in by program.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.printing import FULLEST, GAMES, sheet
from tests.shelf import TESTS


def _fields(game: str) -> Iterator[str]:
    """Yield a line for each place of a sheet in its usual look, in reading order."""
    plate = sheet(FULLEST[game]).plan.leaves[0].plate
    for place in plate.places:
        box = place.box
        at = f"{box.x:.1f} {box.y:.1f} {box.width:.1f} {box.height:.1f}"
        yield f"{place.page + 1} {place.name} {place.kind} {place.role or '-'} {at}"


def _compared(folder: str, name: str, said: str, accept: bool) -> None:
    golden = TESTS / folder / f"{name}.txt"
    if accept:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(said)
    assert golden.exists(), f"{golden} is not there; see --accept"
    assert said.splitlines() == golden.read_text().splitlines()


@pytest.mark.parametrize("game", GAMES)
def test_fields_are_where_they_were(game: str, accept: bool) -> None:
    """Guards the names of fields: whoever fills sheets by program relies on them."""
    _compared("fields", game, "\n".join(_fields(game)) + "\n", accept)


@pytest.mark.parametrize("game", GAMES)
def test_plans_are_as_they_were(game: str, accept: bool) -> None:
    """Guards what is printed where, and in which size, without any engine."""
    path = FULLEST[game]
    _compared("plans", path.stem, sheet(path).plan.dump(), accept)
