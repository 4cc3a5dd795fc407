"""Notes about builds: properties, a statblock, tables, and a hidden record of what was exported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from sheetgen.exchange.markdown import format_body, format_credit
from sheetgen.exchange.obsidian.layouts import StatblockLayout, statblock_values
from sheetgen.exchange.rosters.rows import key_nodes, written_texts
from sheetgen.load.yaml.format import format_scalars
from sheetgen.model.build import Build
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Many, Node, ScalarNode
from sheetgen.prints.characters import Character
from sheetgen.rules.names import folded

RECORD: Final = "sheetgen-record:"
"""Begins the hidden comment with what was exported."""

OBSIDIAN_KEYS: Final = frozenset({"tags", "cssclasses", "statblock", "sheetgen"})
"""Properties of the note, not of the character."""

_MARKUP: Final = re.compile(r"(?<!\\)(%(?=%)|=(?==)|\$|#(?=[\w/])|\^(?=\w))")
_NOT_IN_NAMES: Final = re.compile(r"[#|^:%\[\]\\/<>*?\"\x00-\x1f]+")


def note_name(name: str) -> str:
    """Return a name as that of a note, which links and every file system accept."""
    return " ".join(_NOT_IN_NAMES.sub("-", name).split()).strip(" .-")[:100] or "unnamed"


def property_name(id_: str) -> str:
    """Return the name of a property: lower case, with hyphens."""
    return folded(id_.replace("_", " ")).replace(" ", "-") or "x"


def escape_obsidian(text: str) -> str:
    """Return Markdown in which no text of an author is a tag, a comment or mathematics."""
    return _MARKUP.sub(r"\\\1", text)


def format_properties(properties: Mapping[str, Any]) -> str:
    """Return front matter: texts quoted, numbers plain, lists of texts one a line."""
    lines = ["---"]
    for name, value in properties.items():
        if isinstance(value, list):
            lines.append(f"{name}:" if value else f"{name}: []")
            lines += [f"  - {_quoted(item)}" for item in value]
        else:
            lines.append(f"{name}: {value if isinstance(value, int) else _quoted(str(value))}")
    return "\n".join([*lines, "---"])


def _quoted(text: str) -> str:
    return next(format_scalars(text, flow=True, style='"'))


def format_note(
    one: Character,
    build: Build,
    kind: str,
    layout: StatblockLayout,
    links: Iterable[str],
    ruleset: str,
) -> str:
    """Return the note of a build.

    Args:
        links: Names of other notes that it mentions.
        ruleset: What it was checked by, if that is not what its file names.
    """
    rules = one.rules
    assert rules is not None
    typed = typed_properties(one) | ({"ruleset": ruleset} if ruleset else {})
    computed = computed_properties(build, rules, typed.keys())
    about = {
        "tags": [f"sheetgen/{property_name(str(rules.id))}", f"sheetgen/{property_name(kind)}"],
        "statblock": "inline",
        "sheetgen": kind,
    }
    blocks = [
        format_properties({**about, **typed, **computed}),
        format_statblock(layout, statblock_values(layout, build, rules)),
        escape_obsidian("\n\n".join(format_body(build, rules))),
        *_see_also(links),
        *map(escape_obsidian, format_credit(rules)),
        format_record(one, computed, ruleset),
    ]
    return "\n\n".join(blocks) + "\n"


def _see_also(links: Iterable[str]) -> Iterator[str]:
    found = [f"- [[{name}]]" for name in dict.fromkeys(links)]
    if found:
        yield "## See also\n\n" + "\n".join(found)


def typed_properties(one: Character) -> dict[str, Any]:
    """Return what the author wrote, by the name of the property."""
    nodes, texts = key_nodes(one), written_texts(one)
    return {property_name(id_): _property(nodes[id_], text) for id_, text in texts.items()}


def _property(node: Node, text: str) -> str | list[str] | int:
    """Return the value of a property: a list of plain texts is a list, a number a number."""
    if isinstance(node, Many) and node.items:
        texts = [item.raw for item in node.items if isinstance(item, ScalarNode)]
        if len(texts) == len(node.items) and not any(";" in t or "\n" in t for t in texts):
            return texts
    if isinstance(node, ScalarNode) and isinstance(node.value, int) and not node.quoted:
        return node.value if str(node.value) == node.raw else text
    return text


def computed_properties(build: Build, rules: Ruleset, taken: Iterable[str]) -> dict[str, str | int]:
    """Return ratings, derived values and points left by the name of the property.

    Args:
        taken: Names that are properties already.
    """
    found: dict[str, str | int] = {}
    used = set(taken) | OBSIDIAN_KEYS

    def put(name: str, kind: str, value: str | int) -> None:
        name = property_name(name)
        name = f"{kind}-{name}" if name in used or name in found else name
        found[name] = value

    for rating in build.ratings.values():
        if not (rating.own or (rating.total and rating.group == next(iter(rules.groups)))):
            continue
        text = rules.rating_text(rating.group, rating.total)
        if rules.groups[rating.group].rating == "dice":
            put(rating.id, "total", text)
            put(f"{rating.id} {'pips' if rules.pips else 'dice'}", "total", rating.total)
        else:
            put(rating.id, "total", rating.total)
    for derived in build.derived.values():
        if derived.value is not None and derived.label:
            whole = isinstance(derived.value, int) and not rules.derived[derived.id].as_
            put(derived.id, "derived", int(derived.value) if whole else derived.shown)
    for pool, ledger in build.ledgers.items():
        put(f"{pool} left", "pool", ledger.left)
    return found


def format_statblock(layout: StatblockLayout, values: Mapping[str, Any]) -> str:
    """Return the code block of the plugin Fantasy Statblocks."""
    lines = ["```statblock", f"layout: {_quoted(layout.name)}"]
    for name, value in values.items():
        if not isinstance(value, list):
            lines.append(f"{name}: {_statblock_text(value)}")
            continue
        lines.append(f"{name}:" if value else f"{name}: []")
        for item in value:
            if isinstance(item, tuple):
                lines.append(f"  - name: {_statblock_text(item[0])}")
                lines.append(f"    desc: {_statblock_text(item[1])}")
            else:
                lines.append(f"  - {_statblock_text(item)}")
    return "\n".join([*lines, "```"])


def _statblock_text(value: object) -> str:
    """Return a text of a statblock, which the plugin renders as Markdown; `[[` would be a link."""
    text = str(value).replace("[[", "[ [").replace("```", "'''")
    return _quoted(" ".join(text.split()))


def format_record(one: Character, computed: Mapping[str, str | int], ruleset: str) -> str:
    """Return a comment that Obsidian hides: what was exported, to find what was changed."""
    record = {
        "file": "" if one.several else f"{one.called}.yaml" if one.called else one.path.name,
        "typed": written_texts(one) | ({"ruleset": ruleset} if ruleset else {}),
        "computed": dict(computed),
    }
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    text = text.replace("%", "\\u0025").replace("<", "\\u003c").replace("`", "\\u0060")
    return f"%%\n{RECORD} {text}\n%%"
