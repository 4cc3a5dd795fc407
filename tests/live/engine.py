"""The JavaScript of live sheets, run by an engine that is not a browser's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import quickjs

import sheetgen.render.html
from sheetgen.model.prints import Filling, Live, Plate

SCRIPTS = Path(next(iter(sheetgen.render.html.__path__))) / "scripts"
_CALL = """
var PROGRAM, RUN;
function edited(fields) {
  function has(name) { return Object.prototype.hasOwnProperty.call(fields, name); }
  return function (name) { return has(name) ? fields[name] : ""; };
}
function setUp(data) { RUN = sheetgenLive(PROGRAM, JSON.parse(data)); }
function ask(fields) { return JSON.stringify(RUN(edited(JSON.parse(fields)))); }
"""


def _context() -> quickjs.Context:
    made = quickjs.Context()
    for name in ("figures.js", "engine.js"):
        made.eval((SCRIPTS / name).read_text(encoding="utf-8"))
    made.eval(_CALL)
    return made


def compute(live: Live, fields: Mapping[str, str]) -> dict[str, Any]:
    """Return what a live sheet says of `fields`: text by name, `On` for marked boxes."""
    js = _programmed(live.program)
    js.get("setUp")(live.data)
    return dict(json.loads(js.get("ask")(json.dumps(dict(fields)))))


@cache
def _programmed(program: str) -> quickjs.Context:
    made = _context()
    made.eval(f"PROGRAM = {program}")
    return made


def fields_of(plate: Plate, filling: Filling) -> dict[str, str]:
    """Return what stands on a filled plate, as a viewer gives it to a script."""
    fields = {p.name: filling.texts[p.name].value for p in plate.places if p.name in filling.texts}
    return fields | dict.fromkeys(filling.ticks, "On")
