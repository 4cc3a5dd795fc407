"""Write the reference of keys, docs/reference/keys-*.md, from the models and their comments.

Run `python -m docs.reference.generate_keys`; a test fails where a page is out of date, or where
a key has no comment in its model.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

from sheetgen.check.ruleset.formulas import PLACES
from sheetgen.diag.words import a
from sheetgen.load.rulesets.content import ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.kinds import kind_rules
from sheetgen.load.rulesets.rulesets import load_ruleset
from sheetgen.load.shapes import FieldSpec, model_fields
from sheetgen.model.books import Book
from sheetgen.model.designs import CardFile, PresetEntry, SheetFile
from sheetgen.model.rulesets.prints import Encounters, Odds, Proof, Screen
from sheetgen.model.rulesets.ruleset import KEY_KINDS, Head, Ruleset
from sheetgen.model.source import DesignNumber, DiceCode, Formula, Length, OneOf, Range, Text
from sheetgen.model.tokens import FaceFile, ThemeFile, TokensFile
from sheetgen.plugins.editor.character_schemas import key_text

FOLDER: Final = Path(__file__).parent
NOTE: Final = "<!-- Written by `python -m docs.reference.generate_keys`; do not edit. -->"

MODELS: Final = {
    "rulesets": ("Keys of rulesets", Ruleset, ""),
    "modules": ("Keys of a ruleset's modules", Head, ""),
    "screens": ("Keys of screens", Screen, "screens.ID"),
    "odds": ("Keys of odds", Odds, "odds"),
    "encounters": ("Keys of encounter pages", Encounters, "encounter"),
    "proofs": ("Keys of proofs", Proof, "proof[]"),
    "books": ("Keys of books", Book, ""),
    "sheet-designs": ("Keys of sheet designs", SheetFile, ""),
    "card-designs": ("Keys of card designs", CardFile, ""),
    "themes": ("Keys of tokens and themes", TokensFile, ""),
    "faces": ("Keys of faces", FaceFile, ""),
    "own-themes": ("Keys of your own themes", ThemeFile, ""),
    "presets": ("Keys of printers' presets", PresetEntry, "ID"),
}
"""By page: its title, the model of its first section, and where that stands in the file."""

_ROOTS: Final = {root: page for page, (_, root, _) in MODELS.items()}

SIMPLE: Final = {
    bool: "`true` or `false`",
    int: "whole number",
    str: "text",
    Text: "text",
    Formula: "formula",
    DiceCode: "dice code",
    Length: "number, 0 or more",
    DesignNumber: "number",
}
NAMED: Final = {
    "card": "folder of a card design",
    "head of a table": "heading of a column of a table",
    "group or text": "id of a group, or `text`",
    "number without a rating": "id of a derived value or of a number of the file",
    "kind of cards or pieces": "text",
    "kind of print file": "text",
    "paper": "text",
    "preset": "name of a preset",
    "printed table": "id of a table",
    "ruleset": "text",
    "size of cards": "text",
    "theme": "text",
    "sheet": "folder of a sheet design",
    "tag": "tag",
    "thing in a table": "`gear`, `choices.ID`, `groups.ID` or `kinds.ID`",
    "thing on a card": "`gear`, `choices.ID`, `groups.ID`, `odds` or `odds.ID`",
    "things with rows": "`gear`, `choices.ID`, or the id of a group or key",
    "way to print backs": "`long-edge`, `short-edge` or `fold`",
    "what a key is about": "id of a catalogue, group, key or kind",
}
"""What names are, by `Ref.to`; all others are the id of such a thing."""


def pages() -> dict[str, str]:
    """Return the text of each page by its file name."""
    found = {f"keys-{page}.md": _model_page(page) for page in MODELS}
    return {**found, "keys-characters.md": _characters(), "keys-formulas.md": _formulas()}


def lacking() -> list[str]:
    """Return the keys without a sentence."""
    return [
        f"{model.__name__}.{key}"
        for page in MODELS
        for model in _places(page)
        for key, spec in model_fields(model).items()
        if not key_text(model, spec.name)
    ]


def _model_page(page: str) -> str:
    lines, places = [NOTE, "", f"# {MODELS[page][0]}"], _places(page)
    for model, (place, *more) in places.items():
        summary = str(inspect.getdoc(model)).partition("\n\n")[0].replace("\n", " ")
        summary = re.sub(r"; see `[\w.]+`", "", summary)  # where the code has it
        lines += ["", f"## `{place}`" if place else "## Top of the file", "", summary]
        if more:
            lines += ["", f"Also at {', '.join(f'`{place}`' for place in more)}."]
        rows = [
            (
                f"`{key}`",
                _words(spec.kind, places),
                _default(model, spec),
                key_text(model, spec.name),
            )
            for key, spec in model_fields(model).items()
        ]
        lines += ["", *_table(("key", "value", "default", "meaning"), rows)]
    return "\n".join(lines) + "\n"


def _places(page: str) -> dict[Any, list[str]]:
    """Return the models of a page, each with the places in the file where it stands."""
    _, root, place = MODELS[page]
    found = {root: [place]}
    for model in (queue := [root]):
        for key, spec in model_fields(model).items():
            below, where = _model_in(spec.kind, f"{found[model][0]}.{key}".lstrip("."))
            if below is not None and below not in _ROOTS:
                queue += [below] if below not in found else []
                found.setdefault(below, []).append(where)
    return found


def _model_in(kind: Any, place: str) -> tuple[Any, str]:
    """Return the model that values of an annotation hold, if any, and the place of it."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return kind, place
    origin, args = get_origin(kind), get_args(kind)
    if origin is tuple:
        return _model_in(args[0], f"{place}[]")
    if origin is Mapping:
        return _model_in(args[1], f"{place}.ID")
    inner = (_model_in(arg, place) for arg in args if origin in (Union, UnionType))
    return next((pair for pair in inner if pair[0] is not None), (None, place))


def _words(kind: Any, places: Mapping[Any, list[str]]) -> str:
    """Return what values of an annotation are, in the words of YAML."""
    if kind in SIMPLE:
        return SIMPLE[kind]
    if kind in places:
        return f"[mapping](#{re.sub(r'[^a-z_-]', '', places[kind][0].lower())})"
    if isinstance(kind, type):
        return f"[mapping](keys-{_ROOTS[kind]}.md)"
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _mark_words(args[1])
    if origin in (Union, UnionType):
        marked = any(get_origin(arg) is Annotated for arg in args)
        texts = [_words(a, places) for a in args if a is not NoneType and not (marked and a is str)]
        return " or ".join(dict.fromkeys(texts))
    if origin is tuple:
        return f"list: {_words(args[0], places)}"
    head = "" if args[0] in (str, Text) else f"{_words(args[0], places)} → "
    return f"mapping: {head}{_words(args[1], places)}"


def _mark_words(mark: Any) -> str:
    if isinstance(mark, Range):
        return f"whole number, {mark.least:,} to {mark.most:,}"
    if isinstance(mark, OneOf):
        return " or ".join(f"`{word}`" for word in mark.words)
    return NAMED.get(mark.to, f"id of {a(mark.to)}")


def _default(model: Any, spec: FieldSpec) -> str:
    if spec.needed:
        return "required"
    if spec.within:
        return "–"
    field = next(field for field in dataclasses.fields(model) if field.name == spec.name)
    if isinstance(field.default, bool):
        return f"`{str(field.default).lower()}`"
    plain = field.default in (dataclasses.MISSING, None, "", ())
    return "–" if plain else f"`{field.default}`"


def _characters() -> str:
    about = "A ruleset says which keys its files have, and of which kind each is."
    lines = [NOTE, "", "# Keys of characters' files", "", about, "", "## Kinds of keys", ""]
    lines += _table(("kind", "value"), [(f"`{kind}`", text) for kind, text in KEY_KINDS.items()])
    for id_ in ruleset_ids():
        rules = load_ruleset(rulesets_folder() / id_).value
        assert rules is not None
        files = {"character": rules} | {str(kind): kind_rules(rules, kind) for kind in rules.kinds}
        for name, own in files.items():
            rows = [
                (f"`{key}`", spec.kind, "yes" if spec.required else "", spec.label or spec.text)
                for key, spec in own.character.items()
            ]
            lines += ["", f"## {rules.title}: {name}", ""]
            lines += _table(("key", "kind", "required", "what it is"), rows)
    return "\n".join(lines) + "\n"


def _formulas() -> str:
    about = (
        "Formulas of a build see traits, derived values, options, pools and numbers of the file."
    )
    about += " These places give more names:"
    lines = [NOTE, "", "# Names that a formula sees", "", about, ""]
    rows = [
        (place if number == 0 else "", f"`{name}`", meaning)
        for place, names in PLACES.values()
        for number, (name, meaning) in enumerate(names.items())
    ]
    return "\n".join([*lines, *_table(("place", "name", "meaning"), rows)]) + "\n"


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    cells = (" | ".join(cell.replace("|", "&#124;") for cell in row) for row in rows)
    return [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *(f"| {c} |" for c in cells)]


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
