"""Links between traits and dice pinned to traits, both for the length of a scene.

The step `read_links` fills `draft.links` and `draft.pinned`, once ratings and dice are known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sheetgen.check.character.draft.draft import Draft
from sheetgen.check.character.keys.trait_names import find_counted_trait, find_trait
from sheetgen.check.character.keys.values import list_items, parse_die, parse_mapping
from sheetgen.check.character.rulings import report_broken
from sheetgen.diag import codes
from sheetgen.model.build import Value
from sheetgen.model.rulesets.keys import Key
from sheetgen.model.source import Node, ScalarNode

MOST_LETTERS = 2
"""Letters of a link's name; sheets print it in a box beside each of its traits."""


def read_links(draft: Draft) -> None:
    """Read the links and the pinned dice."""
    for id_, key, node in draft.file_keys("links", "pinned"):
        if key.kind == "links":
            _read_links(draft, id_, key, node)
        else:
            _read_pins(draft, id_, key, node)


def _read_links(draft: Draft, id_: str, key: Key, node: Node) -> None:
    for name, below in parse_mapping(
        draft, node, draft.key_name(id_), key.example or "{A: [Name, Name]}"
    ):
        if len(name.raw) > MOST_LETTERS:
            message = f"`{name.raw}` is too long for the name of a link"
            hint = f"a letter or two, as in `{key.example}`"
            draft.report(codes.WRONG_TYPE, name.span, message, hint)
            continue
        counted = (find_counted_trait(draft, item) for item in list_items(below))
        found = [trait for trait, times in counted for _ in range(times)]
        joined = tuple(t for t in found if t)
        if len(joined) == len(found):  # Unknown names have their finding.
            _check_each(draft, id_, key, name, _link_names(draft, name.raw, joined))
        draft.links[name.raw] = joined


def _link_names(draft: Draft, name: str, joined: tuple[str, ...]) -> Mapping[str, Value]:
    """Return the names that the rules `each` of a key see for one link."""
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


def _read_pins(draft: Draft, id_: str, key: Key, node: Node) -> None:
    pinned: Counter[int] = Counter()
    for name, below in parse_mapping(draft, node, draft.key_name(id_), key.example or "{Name: d4}"):
        found, faces = find_trait(draft, name), parse_die(draft, below)
        if found is None or faces is None:
            continue
        if found in draft.pinned:
            message = f"`{name.raw}` is pinned already"
            draft.report(codes.REPEATED_KEY, name.span, message, "keep one of the two")
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
        _check_each(draft, id_, key, name, names)


def _check_each(
    draft: Draft, id_: str, key: Key, name: ScalarNode, names: Mapping[str, Value]
) -> None:
    """Report the rules of `key` that do not hold for one of its entries."""
    for rule in key.each:
        if not draft.holds(rule.require, **names):
            report_broken(draft, rule, id_, name.span, names)
