"""`sheetgen list` and `explain`: rulesets and what is in them, rulings, codes of findings."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Annotated, Final

import typer

from sheetgen.cli import console
from sheetgen.cli.new import folders_of
from sheetgen.cli.parameters import argument, named_rules, option, quiet, rulesets, word
from sheetgen.diag.findings import Span, errors
from sheetgen.diag.words import suggestion
from sheetgen.load.characters import RulesetCache
from sheetgen.load.designs import templates
from sheetgen.load.designs.designs import load_presets
from sheetgen.load.designs.themes import face_ids
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.rulesets import find_packed, find_ruleset, is_ruleset, load_ruleset
from sheetgen.model.prints import Shape
from sheetgen.model.requests import FORMATS_OF_FILES
from sheetgen.model.rulesets.ruleset import Option, Ruleset
from sheetgen.model.source import raw_text
from sheetgen.model.tokens import Drawing
from sheetgen.registry import all_codes, deck_formats, find_hook
from sheetgen.rules.formulas.evaluate import filled, value_text
from sheetgen.rules.index import names_of, walk_model
from sheetgen.rules.tables.things import RulesetScope, closed_texts, grant_texts
from sheetgen.write import write_new

_SAME: Final = {"games": "rulesets", "systems": "rulesets", "printers": "presets"}
"""What other programs call what is listed."""

_LISTS: Final = ("rulesets", "themes", "faces", "sheets", "art", "presets", "formats", "packs")
_RULING: Final = re.compile(r"\b([A-Z])-?([0-9]+)([a-z]?)\b")


@quiet
def part_names(ctx: typer.Context) -> Iterable[str]:
    """Yield the parts of the ruleset that is named."""
    rules = named_rules(ctx)
    return [*dict(_parts(rules)), *map(str, rules.kinds)] if rules is not None else ()


def list_command(
    what: Annotated[
        str,
        argument(
            "A ruleset, or `rulesets`, `themes`, `faces`, `sheets`, `art`, `presets`, `formats`, "
            "`packs`.",
            complete=quiet(lambda _: (*ruleset_ids(), *_LISTS)),
        ),
    ] = "rulesets",
    part: Annotated[str, argument("A part of that ruleset.", complete=part_names)] = "",
    out: Annotated[Path | None, option("--out", "The page to draw the art on.")] = None,
) -> None:
    """List rulesets, themes, faces, sheets and presets, or the parts of a ruleset.

    WHAT is `rulesets`, `themes`, `faces`, `sheets`, `art` (the pictures of cards, screens and
    covers; `--out art.html` draws them), `presets` (of printers, for `--for`), `formats` (of files,
    for `--to`), `packs` (that were added here), the name of a ruleset, or the path of its folder.
    PART is one of the ruleset's parts: a catalogue such as `class`, a group of traits, `gear`,
    `options`, `keys`, or a kind of file.

    Example: sheetgen list RULESET gear

    Guide: docs/guides/rulesets.md
    """
    what = _SAME.get(what.lower(), what)
    own = {id_: rulesets_folder() / id_ for id_ in ruleset_ids()}
    decks = [(name, one.summary) for name, one in deck_formats().items()]
    tops: dict[str, Callable[[], tuple[str, ...]]] = {
        "rulesets": lambda: tuple(
            _row(id_, rules.title if (rules := load_ruleset(folder).value) else "")
            for id_, folder in sorted({**dict(find_packed(Path())), **own}.items())
        ),
        "themes": templates.theme_ids,
        "faces": face_ids,
        "sheets": templates.sheet_ids,
        "art": lambda: (
            *(_row(name, shape.label) for name, shape in _art().items()),
            *(_row(name, scene.label) for name, scene in _scenes()),
        ),
        "presets": lambda: tuple(f"{p.name:<16} {p.label}" for p in load_presets().values()),
        "formats": lambda: tuple(
            f"{name:<5} {about}" for name, about in (*FORMATS_OF_FILES.items(), *decks)
        ),
        "packs": find_hook("packs") or tuple,
    }
    reporter = console.Reporter()
    if out is not None:
        if what.lower() != "art":
            raise typer.BadParameter("only `art` is drawn; write `list art --out art.html`")
        if out.suffix.lower() not in (".html", ".htm"):
            message = "it is drawn on a web page: name a file that ends in .html"
            raise typer.BadParameter(message, param_hint="--out")
        reporter.written(out, write_new(out, _draw_art().encode()))
        reporter.stop()
    if what.lower() in tops and part:
        message = f"`{what}` has no parts; leave `{part}` out"
        raise typer.BadParameter(message, param_hint="PART")
    if what.lower() in tops:
        console.write_lines(*tops[what.lower()]())
        return
    folder = os.path.join(os.curdir, what) if is_ruleset(Path(what)) else what
    found = find_ruleset(folder, Span("WHAT"), Path())
    if found.value is None:
        wrong = found.findings[0]
        hint = wrong.hint if "./" in wrong.hint else suggestion(what, [*tops, *ruleset_ids()])
        for id_, one in ((id_, load_ruleset(folder).value) for id_, folder in own.items()):
            known = [*dict(_parts(one)), *map(str, one.kinds)] if one is not None else []
            if one is not None and names_of(_called(one, known), one.spellings).find(what):
                hint = f"say of which ruleset: `sheetgen list {id_} {what}`"
                break
        raise typer.BadParameter(f"there is nothing called `{what}`; {hint}", param_hint="WHAT")
    cache = RulesetCache()
    rules = reporter.value_of(cache.load(found.value))
    parts = dict(_parts(rules))
    for id_ in rules.kinds:
        groups: dict[str, list[str]] = {}
        for source in cache.entries(rules, str(id_)):
            called = raw_text(source.get("name"))
            groups.setdefault(raw_text(source.get("group")), []).append(called)
        parts[str(id_)] = [_row(name, group) for group, some in groups.items() for name in some]
    # The groups and catalogues that only files of a kind have, by what one is called.
    of_kinds: dict[str, dict[str, list[str]]] = {}
    for id_, kind in rules.kinds.items():
        ids = {*kind.groups, *kind.choices} - {*parts}
        all_parts = _parts(cache.kind(rules, str(id_)))
        of_kinds[kind.one] = {p: rows for p, rows in all_parts if p in ids}
    if not part:
        texts = {str(id_): group.text for id_, group in rules.groups.items()}
        texts |= {str(id_): catalogue.text for id_, catalogue in rules.choices.items()}
        heads = ((f"{name} ({len(lines)})", texts.get(name, "")) for name, lines in parts.items())
        console.write_lines(*(_row(head, text) if text else head for head, text in heads))
        for kind_name, more in of_kinds.items():
            heads = ((f"{p} ({len(rows)})", f"of each {kind_name}") for p, rows in more.items())
            console.write_lines(*(_row(head, text) for head, text in heads))
        return
    for more in of_kinds.values():
        parts = more | parts
    names = names_of(_called(rules, parts), rules.spellings)
    meant = (part,) if part in parts else names.find(part)
    if not meant:
        hint = names.hint(part)
        raise typer.BadParameter(f"{what} has no part `{part}`; {hint}", param_hint="PART")
    if len(meant) > 1:
        hint = f"`{part}` means several parts; write one of: {', '.join(meant)}"
        raise typer.BadParameter(hint, param_hint="PART")
    console.write_lines(*parts[meant[0]])


def _art() -> dict[str, Shape]:
    shapes = templates.load_theme_tokens(
        templates.STANDARD, templates.CARDS, templates.EMBLEMS
    ).shapes
    found = (
        (name.partition("-")[2], s)
        for name, s in shapes.items()
        if name.startswith(templates.EMBLEM)
    )
    return {name: replace(s, label=s.label or name.replace("-", " ")) for name, s in found}


def _scenes() -> Iterator[tuple[str, Drawing]]:
    for name in templates.scene_ids():
        yield name, templates.load_design_file(f"{templates.SCENES}/{name}.yaml", Drawing)


def _draw_art() -> str:
    """Return a page with each picture small and large, and scenes in the colours of no game."""
    from sheetgen.render.html.styles import draw_scene  # other lists draw nothing

    tokens = templates.load_theme_tokens(templates.STANDARD)
    cells = [
        f"<figure>{_drawn(shape, 9)}{_drawn(shape, 36)}"
        f"<figcaption><b>{name}</b><br>{escape(shape.label)}</figcaption></figure>"
        for name, shape in _art().items()
    ]
    cells += [
        f'<figure class="scene">{draw_scene(tokens, one, one.box[0] / one.box[1])}'
        f"<figcaption><b>{name}</b><br>{escape(one.label)}</figcaption></figure>"
        for name, one in _scenes()
    ]
    style = (
        "body { font: 9pt sans-serif; background: #F7F2EE } figure { display: inline-block; "
        "width: 48mm; margin: 3mm; vertical-align: top } svg { overflow: visible } "
        ".scene { width: 190mm } .scene svg { width: 100%; height: auto; overflow: hidden }"
    )
    head = "<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<title>Art</title>\n"
    return f"{head}<style>{style}</style>\n" + "\n".join(cells) + "\n"


def _drawn(shape: Shape, size: int) -> str:
    return (
        f'<svg viewBox="0 0 1 1" width="{size}mm" height="{size}mm"><path fill="#1A1A1A" '
        f'stroke="#FFFFFF" stroke-width="{shape.weight}" d="{shape.path}"/></svg>'
    )


def _called(rules: Ruleset, parts: Iterable[str]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield every part with its names: its id, its label, what one of it is called, its keys."""
    for id_ in parts:
        group, catalogue = rules.groups.get(id_), rules.choices.get(id_)
        about = group or catalogue or rules.kinds.get(id_)
        also = (about.label, about.one) if about is not None else ()
        keys = (str(key) for key, rule in rules.character.items() if rule.of == (id_,))
        yield id_, id_, tuple(name for name in (*also, *keys) if name and name not in parts)


def _parts(rules: Ruleset) -> Iterator[tuple[str, list[str]]]:
    """Yield every part of a ruleset with its lines; of a choice also what it brings."""
    scope = RulesetScope(rules)
    for id_, group in rules.groups.items():
        yield str(id_), [_row(t.name, filled(t.text, scope)) for t in group.traits.values()]
    for id_, catalogue in rules.choices.items():
        rows = []
        for name, entry in catalogue.entries.items():
            brings = grant_texts(rules, entry, scope)
            closes = closed_texts(rules, str(id_), str(name), scope)
            origin = f"[{entry.origin}]" if entry.origin else ""
            texts = filter(None, (filled(entry.text, scope), *brings, *closes, origin))
            rows.append(_row(entry.name, "; ".join(texts)))
        yield str(id_), rows
    if rules.gear:
        prices = (
            ("not for sale" if i.cost is None else f"{i.cost:,}") for i in rules.gear.values()
        )
        named = zip((item.name for item in rules.gear.values()), prices, strict=True)
        yield "gear", [_row(*one) for one in named]
    if rules.derived:
        yield "derived", [_row(d.label, d.text or d.use) for d in rules.derived.values()]
    if rules.advances and rules.advances.named:
        yield "advances", [_row(n.name, n.text) for n in rules.advances.named.values()]
    if rules.options:
        rows = []
        for id_, option_ in rules.options.items():
            notes = filter(None, (", ".join(option_.values), option_.ruling))
            name = f"{id_} = {value_text(option_.default)}"
            rows.append(_row(name, f"{option_.text} [{'; '.join(notes)}]"))
        yield "options", rows
    yield "keys", [_row(str(id_), key.text or key.label) for id_, key in rules.character.items()]


def _row(name: str, text: str) -> str:
    return f"{name:<28} {text}".rstrip()


def explain_command(
    code: Annotated[
        str,
        argument(
            "The code of a finding or of a ruling. Default: list all.",
            complete=quiet(lambda _: all_codes()),
        ),
    ] = "",
    ruleset: str = word("--ruleset RULESET", "The ruleset that the ruling belongs to.", rulesets),
) -> None:
    """Explain the CODE of a finding, such as SG204; without one, list all codes.

    A CODE such as Q-27, on a print or in a list, is a ruling: how an open point of the rules is
    decided. `--ruleset` names its ruleset; without a CODE it lists all rulings of that ruleset.

    Example: sheetgen explain SG204

    Guide: docs/guides/house-rules.md
    """
    found = all_codes().get(code.strip().upper())
    if ruleset and found is None:
        rules = _rules(ruleset)
        lines: Iterable[str]
        if not code:
            lines = (f"{id_:<6} {one.about or one.read}" for id_, one in rules.rulings.items())
        elif id_ := _found(rules, code):
            ruling, told = rules.rulings[id_], [f"{id_} of {rules.title}", ""]
            told += [f"Open: {ruling.about}"] if ruling.about else []
            told += [f"Read here: {ruling.read}"]
            told += [f"Rests on: {ruling.rests}"] if ruling.rests else []
            for name, choice in rules.options.items():
                if id_ in _cited(choice.ruling):
                    default, values = value_text(choice.default), ", ".join(choice.values)
                    told.append(f"Option: {name} = {default} ({values}). {choice.text}")
            things: dict[str, None] = {}
            for value in walk_model(rules):
                name = getattr(value, "name", "") or getattr(value, "label", "")
                cites = id_ in _cited(str(getattr(value, "ruling", "")))
                if cites and name and not isinstance(value, Option):
                    things[str(name)] = None
            lines = [*told, f"It counts for: {', '.join(things)}"] if things else told
        else:
            hint = suggestion(code.upper(), rules.rulings, "rulings")
            message = f"{rules.title} has no ruling `{code}`; {hint}"
            raise typer.BadParameter(message, param_hint="CODE")
        console.write_lines(*lines)
        return
    if not code:
        console.write_lines(*(f"{known.id}  {known.title}" for known in all_codes().values()))
        return
    if found is not None:
        console.write_lines(f"{found.id}: {found.title}", "", found.about)
        return
    having = [id_ for id_ in ruleset_ids() if _found(_rules(id_), code)]
    if having:
        lines = (f"  sheetgen explain {code.strip()} --ruleset {id_}" for id_ in having)
        console.write_lines(f"{code.strip()} is a ruling; say of which ruleset:", *lines)
        return
    typed = code.upper().replace("O", "0")  # a code has no letter after its first two
    hint = suggestion(typed, all_codes())
    if typed in all_codes():
        hint = f"did you mean `{typed}`?"
    elif os.path.lexists(code):
        hint = f"take a code from what `sheetgen check {code}` reports, such as SG204"
    raise typer.BadParameter(f"there is no code `{code}`; {hint}", param_hint="CODE")


def _rules(name: str) -> Ruleset:
    known = name in ruleset_ids()
    folders = (rulesets_folder() / name,) if known else folders_of(name, "--ruleset")
    loaded = load_ruleset(folders, complete=True)
    if loaded.value is None or errors(loaded.findings):
        hint = f"run `sheetgen check {Path(name)}`"
        raise typer.BadParameter(f"the ruleset is wrong; {hint}", param_hint="--ruleset")
    return loaded.value


def _found(rules: Ruleset, code: str) -> str:
    """Return the id of the ruling that `code` means, `q27` and `Q-27` alike, or nothing."""
    plain = code.strip().upper().replace("-", "")
    return next((str(i) for i in rules.rulings if i.upper().replace("-", "") == plain), "")


def _cited(text: str) -> list[str]:
    return [f"{letter}-{number}{part}" for letter, number, part in _RULING.findall(text)]
