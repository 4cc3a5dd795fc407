"""A plate of the small blank, compiled once."""

from __future__ import annotations

import pytest

from sheetgen.model.prints import FilledPage, Filling, Plan, Plate, Setting
from sheetgen.render.plate_compiler import compile_plate
from tests.render.blank import TOKENS, blank, faces, one_line


@pytest.fixture(scope="session")
def plate() -> Plate:
    return compile_plate(blank(), faces(), TOKENS, "blank")


@pytest.fixture(scope="session")
def filling() -> Filling:
    return Filling(
        texts={
            "name": one_line("Żółw Ωmega Жук (x\\y)", 7),
            "level": one_line("12", 10),
            "xp.left": one_line("1,000"),
            "rows.1.name": one_line("Blasters", 8, "name-bought"),
            "rows.2.name": one_line("Pilot", 8),
            "rows.1.text": Setting("one two", ("one", "two"), 7),
            "stamp": one_line("DRAFT", 14),
            "notes": Setting("First\nsecond – “quoted”", ("First", "second – “quoted”"), 9),
            "ledger.1.cost": one_line("5", 10),
        },
        ticks={
            "rows.1.1": "disc",
            "rows.1.2": "disc",
            "rows.2.1": "star",
            "wounds.box.1": "slash",
        },
        frames={"rows.3.5": "closed", "rows.3.4": ""},
        marks={"bar": "bar"},
    )


@pytest.fixture(scope="session")
def plan(plate: Plate, filling: Filling) -> Plan:
    meta = {"ruleset": "made-up 1.0", "hash": "c0ffee"}
    return Plan("Ysolde Kärr", "en", "Credit line", (FilledPage(plate, filling),), meta)
