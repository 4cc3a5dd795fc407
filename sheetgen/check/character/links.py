"""What lasts for a scene: traits that are linked, and dice that are pinned to a trait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.keys import trait
from sheetgen.check.character.keys.values import die, list_items, pairs
from sheetgen.check.character.rulings import broken
from sheetgen.diag import codes
from sheetgen.model.build import Value
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.source import Node, ScalarNode

MOST_LETTERS = 2
"""A link's name stands beside each of its traits, in a box of this width."""


def read_scenes(draft: Draft) -> None:
    """Read the links and the pinned dice, once ratings and dice are known."""
    for id_, node in draft.entries.items():
        key = draft.rules.character[id_]
        if key.kind == "links":
            _links(draft, id_, key, node)
        elif key.kind == "pinned":
            _pins(draft, id_, key, node)


def _links(draft: Draft, id_: str, key: Key, node: Node) -> None:
    for name, below in pairs(draft, node, draft.written(id_), key.example or "{A: [Name, Name]}"):
        if len(name.raw) > MOST_LETTERS:
            message = f"`{name.raw}` is too long for the name of a link"
            draft.say(
                codes.WRONG_TYPE, name.span, message, f"a letter or two, as in `{key.example}`"
            )
            continue
        found = [trait(draft, item) for item in list_items(below)]
        joined = tuple(t for t in found if t)
        if len(joined) == len(found):  # what could not be read is said already
            _each(draft, id_, key, name, _of_link(draft, name.raw, joined))
        draft.links[name.raw] = joined


def _of_link(draft: Draft, name: str, joined: tuple[str, ...]) -> Mapping[str, Value]:
    """Return what `each` of a key of links sees of one of them."""
    weakest = min(joined, key=draft.total, default="")
    groups = Counter(draft.group_of(t) for t in joined)
    earlier = {t for link in draft.links.values() for t in link}
    return {
        "link": name,
        "size": len(joined),
        "weakest": draft.name_of(weakest),
        "least": draft.total(weakest) if weakest else 0,
        "repeats": len(joined) - len(set(joined)),
        "elsewhere": len(earlier.intersection(joined)),
        **{str(group): groups[str(group)] for group in draft.rules.groups},
    }


def _pins(draft: Draft, id_: str, key: Key, node: Node) -> None:
    pinned: Counter[int] = Counter()
    for name, below in pairs(draft, node, draft.written(id_), key.example or "{Name: d4}"):
        found, faces = trait(draft, name), die(draft, below)
        if found is None or faces is None:
            continue
        if found in draft.pinned:
            message = f"`{name.raw}` is pinned already"
            draft.say(codes.REPEATED_KEY, name.span, message, "keep one of the two")
            continue
        draft.pinned[found] = f"d{faces}"
        pinned[faces] += 1
        names: dict[str, Value] = {
            "skill": draft.name_of(found),
            "die": f"d{faces}",
            "n": draft.total(found),
            "faces": faces,
            "there": draft.dice.count(faces),
            "pins": pinned[faces],
        }
        _each(draft, id_, key, name, names)


def _each(draft: Draft, id_: str, key: Key, name: ScalarNode, names: Mapping[str, Value]) -> None:
    """Find what does not hold of one entry of `key`."""
    for rule in key.each:
        if not draft.holds(rule.require, **names):
            label = f"{id_} ({rule.ruling})" if rule.ruling else id_
            broken(draft, rule, name.span, label, names)
