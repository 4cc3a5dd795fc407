"""What the sheet says while it is filled in is what the checks say of the file it comes back to."""

from __future__ import annotations

import random

import pytest
import yaml

from sheetgen.diag.findings import Span
from sheetgen.plan.scripts.sheet_scripts import build_live, build_program
from sheetgen.plan.sheets.sheets import fill_plate
from sheetgen.plan.sheets.view import build_view
from tests.live.changes import edited, named_keys, rack
from tests.live.engine import compute, fields_of
from tests.readback.sheets import CHARACTERS, filled, hero, merged
from tests.samples import some_characters

ROUNDS = 4


@pytest.mark.parametrize("path", some_characters(CHARACTERS), ids=lambda path: path.stem)
def test_a_filled_sheet_and_its_file_agree(path) -> None:
    chance = random.Random(path.stem)
    one = hero(path)
    assert one.build is not None
    assert one.rules is not None
    plate = rack().find_design(one.rules, "standard", "a4", None).value.sheet
    view = build_view(one.build, one.rules)
    live = build_live(one.build, view, one.rules, plate, flat=True)
    program = build_program(one.rules, plate, True)
    data = named_keys(yaml.safe_load(path.read_text(encoding="utf-8")), one.rules)
    before = fields_of(plate, fill_plate(view, plate, Span("")).filling)
    for _ in range(ROUNDS):
        typed = edited(data, one.build, one.rules, plate, chance).fields
        out = compute(live, before | typed)
        into = merged(filled(path, typed), path)
        after = into.character
        assert after.build is not None
        told = f"{typed}\n{into.after}\n{[f.message for f in into.findings]}"
        if any(s["code"] == "SG220" for s in out["says"]):
            continue  # a step that is not open goes to the notes
        expected = build_view(after.build, one.rules)
        for name, text in out["values"].items():
            if ".ledger." not in name:
                shown = expected.texts[name].text if name in expected.texts else ""
                assert text == shown, f"{name}: {text!r} is not {shown!r}\n{told}"
        assert program is not None
        for pool, left in out["left"].items():
            if pool in program.inputs.ruled:
                assert left == after.build.ledgers[pool].left, f"{pool}\n{told}"
