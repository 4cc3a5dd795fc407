"""`sheetgen schema`: the JSON Schema of each sort of author's file, for editors."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from sheetgen.check.character.builds import stock_names
from sheetgen.check.ruleset.formulas import known_names_of
from sheetgen.cli import console
from sheetgen.cli.new import folders_of, schema_file
from sheetgen.cli.parameters import argument, flag, named_rules, option, quiet, rulesets
from sheetgen.diag import codes
from sheetgen.diag.findings import Finding, Span
from sheetgen.diag.words import suggestion
from sheetgen.load import characters
from sheetgen.load.characters import MOST, CombatantsOfFile, EncounterFile, load_encounter
from sheetgen.load.designs.designs import load_presets
from sheetgen.load.designs.templates import (
    ALIGNS,
    COMPUTED,
    CSS_WORDS,
    DRAWINGS,
    LARGE,
    MEASURES,
    PATH,
    STANDARD,
    scene_ids,
    theme_ids,
    token_folders,
)
from sheetgen.load.designs.themes import face_ids, face_names, theme_names
from sheetgen.load.files import read_text, yaml_files
from sheetgen.load.rulesets.content import STARTER, ruleset_ids, rulesets_folder
from sheetgen.load.rulesets.kinds import entries_of, kind_rules
from sheetgen.load.rulesets.rulesets import FACE_FILE, FORMAT, OPTION, load_ruleset
from sheetgen.load.rulesets.rulesets import FOLDER as MODULES
from sheetgen.model.books import Book, BookEntry, Combined
from sheetgen.model.designs import CardFile, SheetFile
from sheetgen.model.requests import BACKS, PICTURES
from sheetgen.model.rulesets.ruleset import Head, Ruleset
from sheetgen.model.seals import PLACEHOLDER
from sheetgen.model.tokens import FaceFile, ThemeFile, TokensFile
from sheetgen.plan.imposition import CARDS
from sheetgen.plan.pages.tables import list_page_names
from sheetgen.plugins.editor.character_schemas import (
    TEXT,
    Schema,
    by_type,
    character_schema,
    key_pattern,
    model_schema,
    name_schema,
    share_definitions,
    standard_schema,
)
from sheetgen.prints.kinds import find_kind
from sheetgen.registry import deck_formats, prints
from sheetgen.rules.index import closest_names, index_of, names_of
from sheetgen.rules.tables.compute import CHARACTERS
from sheetgen.rules.tables.things import carded, listed
from sheetgen.units import PAPERS
from sheetgen.write import linked_finding, overwrite_file, stays_inside, write_file

DRAFT: Final = "http://json-schema.org/draft-07/schema#"
"""The version that the YAML language server reads."""

CHARACTER: Final = "character"
ENCOUNTER: Final = "encounter"
BOOK: Final = "book"

_MODELS: Final[dict[str, tuple[Any, bool]]] = {
    "ruleset": (Ruleset, True),
    "module": (Head, False),
    "face": (FaceFile, False),
    "book": (Book, False),
    "sheet design": (SheetFile, False),
    "card design": (CardFile, False),
    "theme": (ThemeFile, False),
}
"""Sorts of files that have a model, and whether several files share its keys."""

_NAME: Final = r"(?!\.\.?(/|$))[^/]+"
_ONCE: Final = rf"{_NAME}/(\./)*\.\."
_BACK: Final = rf"{_NAME}/(({_ONCE}|\.)/)*\.\."  # a way down and back, such as `a/b/../..`
_INSIDE: Final[Schema] = {  # A folder inside that of the book.
    "anyOf": [
        {
            "type": "string",
            "pattern": r"^(?!\s*[~/\\]|.*://|[A-Za-z]:|(.*[/\\])?\.\.\\|.*\\\.\.([/\\]|$))"
            rf"(({_BACK}|{_NAME}|\.)?/)*({_BACK}|{_NAME}|\.)?$",
        },
        {"type": ["number", "boolean"]},
    ]
}
_OUTSIDE: Final[Schema] = {"type": "string", "pattern": r"^/|^(.*/)?\.\.(/|$)|/$"}  # a name
SETTINGS: Final = Path(".vscode") / "settings.json"
_KEY: Final = "yaml.schemas"


def schema_kinds(rules: Ruleset) -> tuple[str, ...]:
    """Return the sorts of files that have a schema under `rules`, characters first."""
    return (CHARACTER, *map(str, rules.kinds), ENCOUNTER, *_MODELS)


def part_kind(path: Path, folder: Path) -> str:
    """Return the kind of schema of a file of the ruleset in `folder`, or ""."""
    if path.parent == (folder / STARTER).parent:
        return path.stem
    if path.name == FACE_FILE:
        return "face"
    if path.parent == folder:
        return "ruleset"
    return "module" if path.parent == folder / MODULES else ""


def file_schema(rules: Ruleset, kind: str) -> Schema:
    """Return the JSON Schema (draft-07) of a file of a kind; `rules` are complete."""
    schema = standard_schema(schema_tree(rules, kind))
    shared = schema if kind in _MODELS else share_definitions(schema)
    return {"$schema": DRAFT, "title": f"{rules.title}: {kind}", **shared}


def schema_tree(rules: Ruleset, kind: str) -> Schema:
    """Return that schema with its parts in their places; of a kind, for one entry or several."""
    if kind == CHARACTER:
        schema = character_schema(rules)
        named = {"kind": {"type": TEXT, "enum": [CHARACTER, *map(str, rules.kinds)]}}
        return {**schema, "properties": {**schema["properties"], **(named if rules.kinds else {})}}
    if kind in rules.kinds:
        one = _entry_schema(rules, kind)
        properties = {"kind": {"type": TEXT, "enum": [kind]}, **one["properties"]}
        entry = {**one, "properties": properties}
        items = {"entries": {"type": "array", "items": entry}}
        several = {**entry, "properties": {**properties, **items}}
        several.pop("allOf", None)
        given = {"type": "object", "properties": {"entries": {}}, "required": ["entries"]}
        return {"if": given, "then": several, "else": entry, "type": "object"}
    if kind == ENCOUNTER:
        return _encounter_schema(rules)
    model, shared = _MODELS[kind]
    over = shared and len(rules.composition.origins) > 1
    known = {**known_names_of(rules, index_of(rules)), **face_names(), **names_to_suggest(rules)}
    words = _names_of_designs(rules, model)  # that values may be, by `Ref.to`
    if model is Book:
        listed: dict[str, Iterable[str]] = {
            "paper": _papers(),
            "theme": theme_ids(),
            "preset": load_presets(),
            "kind of print file": ("pdf", "html", *PICTURES, *deck_formats()),
            "way to print backs": BACKS,
            "size of cards": CARDS,
        }
        words = {to: _words(of) for to, of in listed.items()}
        lengths = ({"type": "number"}, {"type": "string", "pattern": r"^\s*\d"})
        words["size of cards"]["anyOf"] += lengths
        words["theme"]["anyOf"].append({"type": "string", "pattern": r"\.ya?ml$"})
    schema = model_schema(model, known, words, shared=shared, over=over)
    if model is Book:
        schema["properties"]["out"]["anyOf"][0] = _INSIDE
        for name in (BookEntry.__name__, Combined.__name__):
            schema["definitions"][name]["properties"]["name"]["not"] = _OUTSIDE
        schema["definitions"][BookEntry.__name__] |= _rules_of_entries(rules)
    if model is Head:
        added = model_schema(Ruleset, known, shared=True, over=True)
        schema["definitions"] |= added.pop("definitions")
        about = "New values by their places in the ruleset."
        change = {"description": about, "type": ["object", "null"]}
        schema["properties"] |= {"add": added, "change": change}
    if model is Ruleset:
        about = schema["properties"]["format"]["markdownDescription"]
        schema["properties"]["format"] = {"enum": [FORMAT], "markdownDescription": about}
    if model is SheetFile:
        for key in ("templates", "css"):
            schema["properties"][key]["required"] = [STANDARD]
        whole = {"type": "object", "required": [*schema["definitions"]["Measures"]["properties"]]}
        flow = schema["properties"]["flow"]["anyOf"][0]["properties"]
        flow[STANDARD] = {"allOf": [*flow[STANDARD]["allOf"], whole]}
    if issubclass(model, TokensFile):
        _narrow_tokens(schema, theme_names() if model is ThemeFile else {})
    return schema


def _names_of_designs(rules: Ruleset, model: type[Any]) -> dict[str, Schema]:
    """Return the names, by `Ref.to`, of which designs, faces and themes know no others."""
    tables = {"table": rules.tables} if model is SheetFile else {}
    listed: dict[str, Iterable[str]] = {
        **tables,
        "arrangement": theme_ids(),
        "paper of a design": PAPERS,
        "paper of rows": (*PAPERS, *(paper + LARGE for paper in PAPERS)),
        "folder of tokens": token_folders(),
        "shipped face": face_ids(),
    }
    return {to: {"enum": [*map(str, of)]} for to, of in listed.items() if of}


def _narrow_tokens(schema: Schema, names: Mapping[str, Collection[str]]) -> None:
    """Let the schema of a face or theme take the values that `check` takes, and these `names`."""
    properties, definitions = schema["properties"], schema["definitions"]
    colour: Schema = {"type": "string", "pattern": "^#[0-9A-Fa-f]{6}$"}
    colours, css = properties["colours"], properties["css"]["properties"]
    colours |= {"properties": dict.fromkeys(colours["properties"], colour)}
    colours["additionalProperties"] = colour
    properties["letters"]["additionalProperties"] = {"enum": ["ascii", "plain"]}
    for name in css:
        for pattern, form, _ in COMPUTED:
            if pattern.fullmatch(name):
                text: Schema = {"type": "string", "pattern": rf"^\s*({form.pattern})\s*$"}
                number = {"type": "number", "minimum": 0, "maximum": 9999.999999}
                css[name] = {"anyOf": [text, number]} if form.fullmatch("1") else text
    css |= {name: {"enum": list(words)} for name, words in CSS_WORDS.items()}
    css["scene"] = {"enum": [*scene_ids()]}
    drawn = properties["drawings"]
    drawn["properties"] = dict.fromkeys(DRAWINGS, drawn["additionalProperties"])
    drawn["additionalProperties"] = False
    definitions["RoleFields"]["properties"]["align"]["anyOf"][0] = {"enum": [*ALIGNS]}
    if "extends" in properties:
        properties["extends"]["anyOf"][0] = {"enum": [*theme_ids()]}
    path = {"type": "string", "pattern": f"^({PATH.pattern})$"}
    for name in ("Stroke", "ShapeFields"):
        definitions[name]["properties"]["path"] |= path
    for name in ("size", "least"):
        definitions["RoleFields"]["properties"][name]["anyOf"][0]["exclusiveMinimum"] = 0
    box = definitions["Drawing"]["properties"]["box"]
    (several, *_), text = box.pop("anyOf"), box
    above = {**several["items"], "exclusiveMinimum": 0}
    text |= {**several, "items": above, "minItems": 2, "maxItems": 2}
    for part, known in names.items():
        value = properties[part].pop("additionalProperties")
        listed = dict.fromkeys(known, value) | properties[part].get("properties", {})
        measures = {f"^({'|'.join(MEASURES)})": value}
        named = {"properties": {name: listed[name] for name in known}}
        properties[part] |= {**named, "patternProperties": measures, "additionalProperties": False}


def _words(of: Iterable[str]) -> Schema:
    return name_schema(names_of(((word, word, ()) for word in of), {}), {})


def _rules_of_entries(rules: Ruleset) -> Schema:
    """Return what holds for an entry: it has one print, which has some papers and sizes."""
    kinds = {name: find_kind(name) for name in prints()}
    named = {
        name: {"type": "object", "properties": {name: {}}, "required": [name]}
        for name in (*kinds, "rows")
    }
    narrow = []
    for name, kind in kinds.items():
        papers = {} if set(kind.papers) == {*_papers()} else {"paper": _words(kind.papers)}
        own = papers if kind.own_sizes else papers | {"size": _words(CARDS)}
        then = {"type": "object", "properties": own}
        narrow += [{"if": named[name], "then": then}] if own else []
    of_this = {"type": "object", "properties": {"cards": {"enum": [str(rules.id)]}, "kind": {}}}
    kinds_of_cards = _words((*map(str, rules.kinds), *map(str, rules.card_sets)))
    then = {"type": "object", "properties": {"kind": kinds_of_cards}}
    narrow.append({"if": {**of_this, "required": ["cards", "kind"]}, "then": then})
    return {"oneOf": list(named.values()), "dependencies": {"rows": ["template"]}, "allOf": narrow}


def _papers() -> dict[str, None]:
    return dict.fromkeys(paper for name in prints() for paper in find_kind(name).papers)


def names_to_suggest(rules: Ruleset) -> dict[str, Collection[str]]:
    """Return names to complete from, by `Ref.to`, whose checks need more than a list of names."""
    heads = {str(c.head) for t in rules.tables.values() for c in t.cells}
    kinds = [f"kinds.{id_}" for id_ in rules.kinds]
    return {
        "head of a table": heads | {h for t in rules.tables.values() for h in t.columns},
        "printed table": rules.tables,
        "thing in a table": [*listed(rules), *kinds, CHARACTERS],
        "thing on a card": carded(rules),
        "ruleset": ruleset_ids(),
        "kind of cards or pieces": [*rules.kinds, *rules.card_sets],
        "what a key is about": [*rules.choices, *rules.groups, *rules.character, *rules.kinds],
    }


def _entry_schema(rules: Ruleset, kind: str) -> Schema:
    """Return the schema of an entry of a kind, which may be based on what comes with the rules."""
    stock = entries_of(Path(rules.place.file).parent, rules.kinds[kind])
    based_on = str(rules.kinds[kind].based_on or "")
    names = stock_names(stock, rules.spellings)
    named = {form: found for form, found in names.ids.items() if not form.isdecimal()}
    names = dataclasses.replace(names, ids=named)  # Without places in the list of files.
    return character_schema(kind_rules(rules, kind), based_on=based_on, stock=names)


def _encounter_schema(rules: Ruleset) -> Schema:
    of_file = model_schema(CombatantsOfFile, {})
    combatants: list[Schema] = []
    bases: list[str] = []
    for id_, kind in rules.kinds.items():
        one = _entry_schema(rules, str(id_))
        one.pop("allOf", None)
        own = {
            "count": of_file["properties"]["count"],
            "kind": {"type": TEXT, "enum": [str(id_)]},
        }
        based_on = str(kind.based_on or "")
        bases += [based_on] if based_on else []
        main = {key: one["properties"][key] for key in (based_on,) if key in one["properties"]}
        one |= {"properties": {**main, **own, **one["properties"]}}
        combatants.append(one if based_on else {**one, "required": ["kind"]})
    first: Schema = {key: {} for key in (*bases, "count", "kind", "file")}  # To be offered first.
    names = {"type": "string", "pattern": "|".join(map(key_pattern, (*bases, "kind", "file")))}
    nobody: Schema = {"type": "object", "propertyNames": {"not": names}}
    combatant = {
        "type": "object",
        "properties": first,
        "anyOf": [*combatants, of_file],
        "not": nobody,
    }
    tables = list(list_page_names(rules))
    schema = model_schema(EncounterFile, {}, {"printed table": {"enum": tables}} if tables else {})
    several = by_type(combatant, array=combatant)
    several["then"] |= {"minItems": 1, "maxItems": MOST["combatants"]}
    values: dict[str, Schema] = {
        "ruleset": {"type": [*TEXT, "array"]},
        **schema["properties"],
        "combatants": several,
        "options": character_schema(rules)["properties"]["options"],
    }
    patterns = {key_pattern(key): value for key, value in values.items()}
    nobody = {"propertyNames": {"not": {"type": "string", "pattern": key_pattern("combatants")}}}
    needed = {"type": "object", "properties": {"combatants": {}}, "required": ["combatants"]}
    missing: Schema = {"if": {"type": "object", **nobody}, "then": needed}
    return {**schema, "properties": values, "patternProperties": patterns, **missing}


@quiet
def _kinds(ctx: typer.Context) -> Iterable[str]:
    rules = named_rules(ctx)
    return schema_kinds(rules) if rules is not None else ()


def schema_command(
    what: Annotated[
        str, argument("A ruleset; with --install the folder of your files.", complete=rulesets)
    ],
    kind: str = option(
        "--kind",
        "The kind of file: character, a kind of the ruleset, encounter, ruleset, book, …",
        _kinds,
        shown=True,
        default=CHARACTER,
    ),
    install: bool = flag("--install", "Write schemas and editor settings into a folder."),
) -> None:
    """Print a JSON Schema of an author's file, so that editors complete and explain names.

    WHAT is the name of a ruleset, or its folder. With `--install` it is the folder of your
    files: their schemas are written to `schemas` in it, and named in the settings of VS Code. New
    files there begin with a comment that names their schema to other editors.
    A file that `sheetgen check` finds clean is valid under its schema.

    Example: sheetgen schema RULESET > hero.schema.json

    Guide: docs/guides/editors.md
    """
    if install:
        _install(Path(what))
        return
    reporter = console.Reporter()
    rules = reporter.value_of(load_ruleset(folders_of(what, "WHAT"), complete=True))
    known = schema_kinds(rules)
    kind = min(closest_names(kind, known), default=kind)
    if kind not in known:
        hint = suggestion(kind, known, "kinds")
        raise typer.BadParameter(f"there is no kind `{kind}`; {hint}", param_hint="--kind")
    console.write_lines(*_text(rules, kind).split("\n"))
    reporter.exit()


def _text(rules: Ruleset, kind: str) -> str:
    schema = {"$comment": PLACEHOLDER, **file_schema(rules, kind)}
    return json.dumps(schema, ensure_ascii=False, indent=1)


def _install(folder: Path) -> None:
    reporter = console.Reporter()
    if not os.path.isdir(folder):
        raise typer.BadParameter(f"there is no folder `{folder}`", param_hint="WHAT")
    files: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for path, rules, kind in _schemas_of(folder):
        name, text = schema_file(rules, kind), _text(rules, kind)
        while texts.setdefault(name, text) != text:  # It switches modules, and another does not.
            name = name.replace(".json", "-other.json")
        if name not in files:
            target = folder / name
            inside = stays_inside(folder, name)
            failed = write_file(target, text.encode()) if inside else linked_finding(target)
            if not reporter.written(target, failed):
                continue
        files.setdefault(name, []).append(path.relative_to(folder).as_posix())
    if not files:
        message = "no file here has a schema"
        hint = "put characters, encounters, books or rulesets into the folder"
        reporter.report([Finding(codes.EMPTY, Span(str(folder)), message, hint)])
    else:
        # Patterns for folders whose files all have one schema, for new files, too.
        schemas = {path: name for name, paths in files.items() for path in paths}
        below: dict[str, set[str]] = {}
        for file in yaml_files(folder):
            at = file.relative_to(folder).as_posix()
            below.setdefault(at.rpartition("/")[0], set()).add(schemas.get(at, ""))
        patterns: dict[str, list[str]] = {name: [] for name in files}
        for named, name in schemas.items():
            parent = named.rpartition("/")[0]
            pattern = f"{parent}/*.yaml" if parent and len(below[parent]) == 1 else named
            patterns[name] += [pattern] if pattern not in patterns[name] else []
        _write_settings(folder, patterns, reporter)
    reporter.exit()


def _schemas_of(folder: Path) -> Iterator[tuple[Path, Ruleset, str]]:
    cache = characters.RulesetCache()
    complete: dict[str, Ruleset] = {}

    def whole(rules: Ruleset) -> Ruleset:
        if rules.digest not in complete:
            folders = tuple(Path(origin.folder) for origin in rules.composition.origins)
            switches = {f"{OPTION}{m.id}": m.on for m in rules.composition.modules.values()}
            loaded = load_ruleset(folders, complete=True, switches=switches)
            complete[rules.digest] = loaded.value or rules
        return complete[rules.digest]

    first = rulesets_folder() / ruleset_ids()[0]
    for path in yaml_files(folder):
        found = characters.find_file_type(path)
        if found == characters.CHARACTER:
            entry = characters.load_file(path, cache)[0]
            rules = entry.ruleset or entry.rules
            if rules is not None:
                names = {id(kind): str(id_) for id_, kind in rules.kinds.items()}
                yield path, whole(rules), names.get(id(entry.kind), CHARACTER)
        elif found == characters.ENCOUNTER:
            encounter = load_encounter(path).value
            if encounter is not None:
                yield path, encounter.rules, ENCOUNTER
        elif found == characters.PART and (above := characters.find_ruleset_above(path)):
            own, part = load_ruleset(above, complete=True).value, part_kind(path, above)
            if own is not None and part not in ("", CHARACTER):  # A starter has gaps.
                yield path, own, part
        elif found == characters.BOOK and (rules := load_ruleset(first, complete=True).value):
            yield path, rules, BOOK


def _write_settings(folder: Path, files: dict[str, list[str]], reporter: console.Reporter) -> None:
    """Name the schemas in the settings of the editor; keep all that is there."""
    path = folder / SETTINGS
    text, digest = "{}", ""
    if not stays_inside(folder, f"{SETTINGS.as_posix()}/"):
        reporter.report([linked_finding(path)])
        return
    if os.path.lexists(path):
        read = read_text(path)
        reporter.report(read.findings)
        if read.value is None:
            return
        text, digest = read.value
    try:
        settings: Any = json.loads(text)
        schemas = settings.setdefault(_KEY, {}) if isinstance(settings, dict) else None
    except ValueError:
        schemas = None
    if not isinstance(schemas, dict):
        message = "these settings have comments, or another shape; they are left as they are"
        hint = f"add this line yourself: {json.dumps({_KEY: files})[1:-1]}"
        reporter.report([Finding(codes.WOULD_OVERWRITE, Span(str(path)), message, hint)])
        return
    schemas.update(files)
    content = json.dumps(settings, ensure_ascii=False, indent=2) + "\n"
    if content != text:
        reporter.written(path, overwrite_file(path, content.encode(), digest))
