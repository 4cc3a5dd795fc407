"""Layouts of Fantasy Statblocks: one for each kind of entries of a ruleset, as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from sheetgen.model.build import Build, pick_line
from sheetgen.model.codes import code_text
from sheetgen.model.rulesets.ruleset import Ruleset

_MOST_COLUMNS: Final = 10
"""Traits of a group that is a table; a larger group is a line of text."""


@dataclass(frozen=True, slots=True)
class StatblockLayout:
    """A layout: its name, by which notes find it, and its blocks."""

    name: str
    blocks: tuple[Mapping[str, Any], ...]

    @property
    def properties(self) -> tuple[str, ...]:
        """The properties that its blocks show, in order."""
        return tuple(name for block in self.blocks for name in block["properties"])

    @property
    def data(self) -> dict[str, Any]:
        """The content of the file that is imported in the plugin's settings."""
        id_ = "".join(c if c.isalnum() else "-" for c in self.name.lower())
        return {"name": self.name, "id": id_, "diceParsing": [], "blocks": list(self.blocks)}


def build_layout(rules: Ruleset, kind: str) -> StatblockLayout:
    """Return the layout of the entries of a kind, by the rules of that kind."""
    blocks = []
    for number, block in enumerate(_blocks(rules), start=1):
        blocks.append({"type": block.pop("type"), "id": f"block-{number}", **block})
    return StatblockLayout(f"Sheetgen {rules.id} {kind}", tuple(blocks))


def _blocks(rules: Ruleset) -> Iterator[dict[str, Any]]:
    yield {"type": "heading", "properties": ["name"], "size": 1}
    yield {"type": "subheading", "properties": ["about"], "conditioned": True, "hasRule": True}
    for id_, group in rules.groups.items():
        label, name = group.label or str(id_), f"group-{id_}"
        if 0 < len(group.traits) <= _MOST_COLUMNS:
            heads = [t.short or t.name for t in group.traits.values()]
            table = {"type": "table", "properties": [name], "headers": heads, "calculate": False}
            yield {**table, "conditioned": True}
        else:
            yield _line(name, label)
    for id_, derived in rules.derived.items():
        if derived.label:
            yield _line(f"derived-{id_}", derived.label)
    yield {"type": "traits", "properties": ["items"], "heading": "Gear", "conditioned": True}
    for id_, key in rules.character.items():
        if key.kind == "texts":
            yield _line(f"key-{id_}", key.label or str(id_))
    for id_, pool in rules.pools.items():
        yield _line(f"left-{id_}", f"{pool.label} left")
    yield {"type": "text", "properties": ["notes"], "text": "", "conditioned": True}
    yield _line("credit", "Rules")


def _line(name: str, label: str) -> dict[str, Any]:
    return {"type": "property", "properties": [name], "display": label, "conditioned": True}


def statblock_values(layout: StatblockLayout, build: Build, rules: Ruleset) -> dict[str, Any]:
    """Return the value of every property of a layout; items are pairs of name and text."""
    found: dict[str, Any] = {
        "name": build.name,
        "about": ", ".join(pick_line(pick, build) for pick in build.picks[:3]),
        "items": list(_items(build, rules)),
        "notes": build.texts.get("notes", ""),
        "credit": f"{rules.credit.short} Licence: {rules.credit.licence}.",
    }
    for id_, group in rules.groups.items():
        named = [r for r in build.ratings.values() if r.group == id_]
        if 0 < len(group.traits) <= _MOST_COLUMNS:
            kept = [build.ratings[str(t)] for t in group.traits]
            found[f"group-{id_}"] = [rules.rating_text(r.group, r.total) for r in kept]
        else:
            held = [f"{r.name} {rules.rating_text(r.group, r.total)}" for r in named if r.own]
            found[f"group-{id_}"] = ", ".join(held)
    found |= {f"derived-{d.id}": d.shown for d in build.derived.values()}
    found |= {f"key-{id_}": "; ".join(lines) for id_, lines in build.lists.items()}
    found |= {f"left-{id_}": str(ledger.left) for id_, ledger in build.ledgers.items()}
    return {name: found.get(name, "") for name in layout.properties}


def _items(build: Build, rules: Ruleset) -> Iterator[tuple[str, str]]:
    """Yield items; the plugin shows only one of several with the same name."""
    seen: dict[str, int] = {}
    for item in build.items:
        seen[item.name] = seen.get(item.name, 0) + 1
        number = f" ({seen[item.name]})" if seen[item.name] > 1 else ""
        parts = [
            f"{item.count} of them" if item.count > 1 else "",
            f"attack {code_text(item.attack, pips=rules.pips)}" if item.attack is not None else "",
            f"damage {code_text(item.damage, pips=rules.pips)}" if item.damage is not None else "",
            item.special,
            item.conditional,
        ]
        yield f"{item.name}{number}", "; ".join(filter(None, parts))
