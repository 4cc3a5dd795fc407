"""A viewer without a window: runs the scripts of a PDF over fields as Acrobat has them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pikepdf
import quickjs

_API = """
var F = {}, event;
function getField(name) { return Object.prototype.hasOwnProperty.call(F, name) ? F[name] : null; }
function put(name, value) { F[name].value = value; F[name].valueAsString = String(value); }
function begin(name, source, value) {
  event = { target: F[name], source: source ? F[source] : null, value: value, rc: true };
}
function all() {
  var found = {}, name;
  for (name in F) { found[name] = F[name].valueAsString; }
  return JSON.stringify(found);
}
"""


def spelt(value: object) -> str:
    """Return a value as JavaScript spells it."""
    return json.dumps(value)


def terminal(fields: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields of a form by their whole names."""
    for one in fields:
        name = f"{above}.{one.T}" if above else str(one.T)
        if "/Kids" in one:
            yield from terminal(one.Kids, name)
        else:
            yield name, one


def text_of(action: Any) -> str:
    """Return the script of an action."""
    script = action.JS
    if isinstance(script, pikepdf.Stream):
        return script.read_bytes().decode("ascii")
    return str(script)


def printed_values(data: bytes, key: str = "/V") -> dict[str, str]:
    """Return what stands in each field of a file, or with `/DV` what it is reset to."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        return {
            name: str(one.get(key, "/Off" if str(one.FT) == "/Btn" else "")).removeprefix("/")
            for name, one in terminal(pdf.Root.AcroForm.Fields)
        }


class Viewer:
    """A file that is open."""

    def __init__(self, data: bytes, filled: Mapping[str, str] | None = None) -> None:
        """Open a file, and run what it runs then; `filled`: what stands there instead."""
        self.pdf = pikepdf.open(io.BytesIO(data))
        self.fields = dict(terminal(self.pdf.Root.AcroForm.Fields))
        numbers = {one.objgen: name for name, one in self.fields.items()}
        self.order = [numbers[one.objgen] for one in self.pdf.Root.AcroForm.get("/CO", ())]
        self.js = quickjs.Context()
        self.js.eval(_API)
        for name, value in printed_values(data).items():
            field = self.fields[name]
            kind = "checkbox" if str(field.FT) == "/Btn" else "text"
            usual = str(field.get("/DV", "")).removeprefix("/")
            told = {"name": name, "type": kind, "defaultValue": usual}
            self.js.eval(f"F[{spelt(name)}] = {spelt(told)}")
            self._put(name, (filled or {}).get(name, value))
        for script in self.scripts():
            self.js.eval(script)

    def scripts(self) -> list[str]:
        """Return what runs when the file is opened."""
        names = self.pdf.Root.get("/Names", {}).get("/JavaScript", {}).get("/Names", [])
        return [text_of(action) for action in list(names)[1::2]]

    def _put(self, name: str, value: object) -> None:
        self.js.eval(f"put({spelt(name)}, {spelt(value)})")

    def _run(self, name: str, event: str, source: str, value: object) -> object:
        action = self.fields[name].get("/AA", {}).get(event)
        if action is None:
            return value
        self.js.eval(f"begin({spelt(name)}, {spelt(source)}, {spelt(value)})")
        self.js.eval(text_of(action))
        return self.js.eval("event.value")

    def type(self, typed: Mapping[str, str], *, each: bool = True) -> None:
        """Change fields one by one, and let the file calculate after each, or after the last."""
        for number, (name, text) in enumerate(typed.items(), 1):
            value = (text or "Off") if str(self.fields[name].FT) == "/Btn" else text
            self._run(name, "/V", name, value)
            self._put(name, value)
            if each or number == len(typed):
                self.calculate(name)

    def calculate(self, source: str = "") -> None:
        """Run the calculations in their order, as after a change of `source`."""
        for name in self.order:
            before = self.js.eval(f"F[{spelt(name)}].value")
            after = self._run(name, "/C", source, before)
            if after != before:
                self._put(name, after)

    def shown(self) -> set[str]:
        """Return the fields that a script has shown."""
        found = self.js.eval("JSON.stringify(Object.keys(F).filter(n => F[n].display === 2))")
        return set(json.loads(found))

    def values(self) -> dict[str, str]:
        return dict(json.loads(self.js.eval("all()")))
