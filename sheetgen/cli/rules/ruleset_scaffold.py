"""Files of a new ruleset or overlay: templates filled in with its name and its base."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Final

from sheetgen.check.ruleset.starters import FIRST
from sheetgen.load.rulesets.content import STARTER, skeleton_texts
from sheetgen.load.rulesets.modules import modules_in
from sheetgen.load.yaml.format import format_flow, quote_line
from sheetgen.model.rulesets.origins import Origin
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Pairs
from sheetgen.rules.names import folded

CHARACTER: Final = "characters/ada-quill.yaml"

_UNNAMED: Final = "my-ruleset"
"""The id of one whose name has no letters for it."""

_LONGEST: Final = 60
"""Letters of an id, which is the name of a folder too."""


def id_of(name: str) -> str:
    """Return the id of a ruleset called `name`: `Some New Game` is `some-new-game`."""
    words = "-".join(word for word in folded(name).split() if word.isascii())
    return words[:_LONGEST].strip("-") or _UNNAMED


def scaffold_files(name: str) -> Mapping[str, str]:
    """Return the files of a small whole ruleset called `name`, by their paths in its folder."""
    return dict(_filled("ruleset", {"title": name, "id": id_of(name)}))


def files_over(name: str, base: Ruleset, called: str, starter: str) -> Mapping[str, str]:
    """Return the files of an overlay on `base`: one module, a starter and a character.

    Args:
        called: How its folder calls the base.
        starter: The text of the base's own starter, or nothing.
    """
    path, value = _to_change(base)
    values = {
        "title": name,
        "id": id_of(name),
        "base": format_flow(called),
        "module": next(id_ for id_ in _module_ids() if id_ not in base.composition.modules),
    }
    values |= {"path": path, "value": value, "needs": path}
    files = dict(_filled("overlay", values))
    if starter:
        first = starter.replace("{name}", FIRST)
        files[STARTER] = starter
        files[CHARACTER] = with_rulesets(first, "..")
    return files


def _module_ids() -> Iterator[str]:
    yield "first_change"
    yield from (f"change_{n}" for n in count(2))


def with_rulesets(text: str, *called: str) -> str:
    """Return the text of a character's file with the ruleset, or those, that are `called` so."""
    names = ", ".join(map(format_flow, called))
    value = names if len(called) == 1 else f"[{names}]"
    lines = text.splitlines(keepends=True)
    for n, line in enumerate(lines):
        if line.startswith("ruleset:"):
            lines[n] = f"ruleset: {value}\n"
            break
    return "".join(lines)


def _filled(skeleton: str, values: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    title = values["title"]
    every = {
        **values,
        "id": format_flow(values["id"]),
        "quoted": quote_line(title),
        "credit": quote_line(f"{title}, unpublished."),
        "title": " ".join(title.split()),
    }
    for path, text in skeleton_texts(skeleton):
        inside = (
            {**every, "title": quote_line(every["title"])[1:-1]}
            if path.endswith(".yaml")
            else every
        )
        for key, value in inside.items():
            text = text.replace(f"@{key}@", value)
        yield path, text


def _to_change(base: Ruleset) -> tuple[str, str]:
    """Return what of `base` a first module may change without harm, and its new value.

    That is a derived value or a trait's text which no module of the base writes.
    """
    touched = _touched(base)
    for id_, derived in base.derived.items():
        if derived.value is not None and derived.label and not _is_in(f"derived.{id_}", touched):
            value = str(derived.value)
            return f"derived.{id_}.value", quote_line(
                f"{value} + 1" if value.isidentifier() else f"({value}) + 1"
            )
    for group_id, group in base.groups.items():
        for trait_id in group.traits:
            path = f"groups.{group_id}.traits.{trait_id}"
            if not _is_in(path, touched):
                return f"{path}.text", "Said anew by this module"
    return "title", quote_line(base.title)


def _is_in(path: str, touched: str) -> bool:
    return f" {path}." in touched or f" {path} " in touched


def _touched(base: Ruleset) -> str:
    """Return the paths that modules below write, each between blanks."""
    paths: list[str] = []
    for origin in base.composition.origins:
        for patch in modules_in(Path(origin.folder), Origin("", "", origin.folder), []):
            paths += [key.raw for key, _ in patch.change]
            paths += _below("", patch.add) if patch.add is not None else []
    return f" {'  '.join(paths)} "


def _below(path: str, tree: Pairs) -> Iterator[str]:
    for key, node in tree.entries:
        here = f"{path}.{key.raw}" if path else key.raw
        yield here
        if isinstance(node, Pairs) and here.count(".") < 3:
            yield from _below(here, node)
