"""`sheetgen list`: rulesets, and what is in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click

from sheetgen.cli import console
from sheetgen.cli.terminal import say
from sheetgen.diag.near import suggestion
from sheetgen.diag.spans import Span
from sheetgen.load.characters import Shelf
from sheetgen.load.content import ruleset_ids
from sheetgen.load.presets import presets
from sheetgen.load.rulesets import find_ruleset
from sheetgen.load.templates import sheet_ids, theme_ids
from sheetgen.model.ruleset import Ruleset
from sheetgen.model.source import Leaf, Pairs, Source
from sheetgen.rules.lines import filled
from sheetgen.rules.tables import Rules


@click.command("list")
@click.argument("what", default="rulesets")
@click.argument("part", default="")
def command(what: str, part: str) -> None:
    """List rulesets, themes and sheets, or the parts of a ruleset.

    WHAT is `rulesets`, `themes`, `sheets`, `presets` (what printers want, for `--for`), the name
    of a ruleset or the path of its folder; PART is one of its parts: a catalogue such as `class`,
    a group of traits, `gear`, `options`, `keys`, or a kind of file, with all that come with the
    rules.
    """
    tops: dict[str, Callable[[], tuple[str, ...]]] = {
        "rulesets": ruleset_ids,
        "themes": theme_ids,
        "sheets": sheet_ids,
        "presets": _presets,
    }
    if what in tops:
        say(*tops[what]())
        return
    found = find_ruleset(what, Span("WHAT"), Path())
    if found.value is None:
        wrong = found.findings[0]
        hint = wrong.hint if "./" in wrong.hint else suggestion(what, [*tops, *ruleset_ids()])
        raise click.BadParameter(f"there is nothing called `{what}`; {hint}", param_hint="WHAT")
    shelf, talk = Shelf(), console.Talk()
    loaded = shelf.take(found.value)
    talk.say(loaded.findings)
    rules = loaded.value
    if rules is None:
        talk.leave()
        return
    parts = {**dict(_parts(rules)), **dict(_kinds(rules, shelf))}
    if part and part not in parts:
        hint = suggestion(part, parts, "parts")
        raise click.BadParameter(f"{what} has no part `{part}`; {hint}", param_hint="PART")
    for name, lines in parts.items():
        if part == name:
            say(*lines)
        elif not part:
            say(f"{name} ({len(lines)})")


def _presets() -> tuple[str, ...]:
    return tuple(f"{preset.name:<16} {preset.label}" for preset in presets().values())


def _parts(rules: Ruleset) -> Iterator[tuple[str, list[str]]]:
    """Yield every part of a ruleset with its lines."""
    scope = Rules(rules)
    for id_, group in rules.groups.items():
        yield str(id_), [_row(t.name, filled(t.text, scope)) for t in group.traits.values()]
    for id_, catalogue in rules.choices.items():
        entries = catalogue.entries.values()
        yield str(id_), [_row(e.name, filled(e.text, scope)) for e in entries]
    if rules.gear:
        yield "gear", [_row(i.name, _price(i.cost)) for i in rules.gear.values()]
    if rules.options:
        yield (
            "options",
            [
                _row(f"{id_} = {o.default}", f"{o.text} [{', '.join(o.values)}; {o.ruling}]")
                for id_, o in rules.options.items()
            ],
        )
    yield "keys", [_row(str(id_), key.text or key.label) for id_, key in rules.character.items()]


def _kinds(rules: Ruleset, shelf: Shelf) -> Iterator[tuple[str, list[str]]]:
    """Yield every kind of file besides characters: what comes with it, group by group."""
    for id_ in rules.kinds:
        groups: dict[str, list[str]] = {}
        for source in shelf.entries(rules, id_):
            groups.setdefault(_said(source, "group"), []).append(_said(source, "name"))
        yield str(id_), [_row(name, group) for group, names in groups.items() for name in names]


def _said(source: Source, key: str) -> str:
    node = source.root.get(key) if isinstance(source.root, Pairs) else None
    return node.raw if isinstance(node, Leaf) else ""


def _row(name: str, text: str) -> str:
    return f"{name:<28} {text}".rstrip()


def _price(cost: int | None) -> str:
    return "not for sale" if cost is None else f"{cost:,}"
