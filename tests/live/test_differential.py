"""One rule in two languages: thousands of random sheets, changed at random, by both."""

from __future__ import annotations

import os
import random
import re
from typing import Any

import pytest

from sheetgen.data import data_folder
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span
from sheetgen.plan.scripts.sheet_scripts import Program, build_live, build_program
from sheetgen.plan.sheets.sheets import fill_plate
from sheetgen.plan.sheets.view import build_view
from sheetgen.prints.characters import Character
from tests.live.changes import characters, checked, edited, rack, varied
from tests.live.engine import compute, fields_of
from tests.printing import CHARACTERS
from tests.samples import count

pytestmark = pytest.mark.slow

EACH = 8500 if os.environ.get("HYPOTHESIS") == "explore" else count(850, 2)
"""Changes of each ruleset: more than five thousand of the six together in `make test-all`."""

RULESETS = sorted({path.parent.name for path in CHARACTERS})
_LIMIT = re.compile(r".+ is \d+; the limit")
_SAID = {codes.OVERSPENT, codes.BELOW_GRANT, codes.STARS, codes.ABOVE_LIMIT, codes.BROKEN_RULE}


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("ruleset", RULESETS)
def test_python_and_javascript_agree(ruleset: str, part: int) -> None:
    chance = random.Random(f"{ruleset} {part}")
    files = list(characters(ruleset, data_folder() / "content" / "characters"))
    tried = 0
    while tried < EACH // 4:
        first = checked(chance.choice(files))
        assert first.rules is not None
        data = varied(chance.choice(files), first.rules, chance)
        printed = checked(data)
        if printed.build is None or printed.rules is None:
            continue  # options that switch modules may leave no ruleset to print by
        for _ in range(8):
            _compared(data, printed, chance)
            tried += 1


def _compared(data: dict[str, Any], printed: Character, chance: random.Random) -> None:
    """Change a sheet at random, and let both say what it comes to."""
    rules, build = printed.rules, printed.build
    look = rack().find_design(rules, "standard", "a4", None).value
    plate, view = look.sheet, build_view(build, rules)
    flat = chance.random() < 0.5  # as in a PDF, or as in a browser
    live, program = (
        build_live(build, view, rules, plate, flat=flat),
        build_program(rules, plate, flat),
    )
    edit = edited(data, build, rules, plate, chance)
    after = checked(edit.data)
    expected = build_view(after.build, rules)
    fields = fields_of(plate, fill_plate(view, plate, Span("")).filling) | edit.fields
    out = compute(live, fields)
    told = f"\n{data}\n{edit.fields}\n{edit.data}"
    assert not out["bad"], told
    for name, text in out["values"].items():
        if ".ledger." not in name:
            shown = expected.texts[name].text if name in expected.texts else ""
            assert text == shown, f"{name}: {text!r} is not {shown!r}{told}"
    for pool, ledger in after.build.ledgers.items():
        if pool in out["left"]:
            assert out["left"][pool] == ledger.left, f"{pool}{told}"
    for rating in after.build.ratings.values():
        stem = f"{rating.group}.{rating.id}"
        if stem in out["limits"]:
            assert out["limits"][stem] == rating.limit, stem + told
    boxes = out["sync"]  # of tracks that a page marks by itself; a PDF says so
    said = {
        (s["code"], s["severity"], s["message"], s["hint"])
        for s in out["says"]
        if s["at"] not in boxes
    }
    theirs = {_words(f) for f in after.findings}
    assert said <= theirs, f"{said - theirs}{told}"
    mine = {_words(f) for f in after.findings if _is_live(f, program)}
    assert mine <= said, f"{mine - said}{told}"


def _words(finding: Finding) -> tuple[str, str, str, str]:
    return finding.code.id, finding.severity.word, finding.message, finding.hint


def _is_live(finding: Finding, program: Program) -> bool:
    """Whether the sheet has to say a finding of the checks, too."""
    if finding.code not in _SAID:
        return False
    if finding.code is codes.ABOVE_LIMIT:
        return bool(_LIMIT.match(finding.message))
    if finding.code is codes.BROKEN_RULE:
        return f'"id":"{finding.rule.split(" (")[0]}"' in program.script
    if finding.code is codes.STARS:
        return "more stars" in finding.message
    if finding.code is codes.BELOW_GRANT:
        return " alone is " not in finding.message  # a sheet reads no codes of narrow uses
    return True
