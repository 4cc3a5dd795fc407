"""Texts that are cut on a card are named as they are drawn: with their units, in any strip."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from sheetgen.model.prints import Place
from sheetgen.plan.cards.cards import _cut_texts
from sheetgen.plan.cards.kinds import StripDraft


def test_cut_texts_are_named_with_their_units() -> None:
    box: Any = SimpleNamespace(width=60.0, height=10.0)
    role = SimpleNamespace(face="text", size=10.0, least=8.0, baseline=None, leading=0.0)
    roles = dict.fromkeys(("stat", "stat-unit", "stat-what"), role)
    places = {n: Place(f"plate.{n}", "text", "stat", n, 0, box) for n in ("move", "armor", "run")}
    kind: Any = SimpleNamespace(
        places={"head": places},
        tokens=SimpleNamespace(roles=roles),
        metrics={"text": SimpleNamespace(advances={})},
        cached=lambda _, compute: compute(),
    )
    long = "metres a round and a mile"
    texts = {"move": "12", "move.what": long, "armor": "4D", "run": f"12 {long}"}
    broken = {"run": [((f"12 {long}", "stat"),)]}
    assert list(_cut_texts(StripDraft("head", texts, runs=broken), kind)) == [f"12 {long}"]
    assert list(_cut_texts(StripDraft("head", {"armor": "4D"}), kind)) == []
