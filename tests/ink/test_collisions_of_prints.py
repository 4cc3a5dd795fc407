"""Nothing collides on any kind of print. `python -m tests.ink` looks at all looks and sizes."""

from __future__ import annotations

import pytest

from tests.ink.known import Known, known, unknown
from tests.ink.prints import Print, product, sample
from tests.samples import ALL

pytestmark = pytest.mark.many

SAMPLE = tuple(product() if ALL else sample())
SEEN: dict[str, set[Known]] = {}
"""The entries of the list of known collisions that each print matched."""


@pytest.mark.slow
@pytest.mark.parametrize("one", SAMPLE, ids=lambda one: one.label)
def test_nothing_collides(one: Print) -> None:
    new, SEEN[one.label] = unknown(one.name, one.collisions())
    assert [str(collision) for collision in new] == []


def test_known_collisions_are_still_there() -> None:
    """Keeps the list short: what is mended is taken off it."""
    if len(SEEN) < len(SAMPLE):
        pytest.skip("not all prints were looked at")
    mended = set(known()) - set().union(*SEEN.values())
    assert mended == set()
