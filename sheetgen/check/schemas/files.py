"""The schema of each sort of author's file: what `sheetgen schema --kind` may name."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from sheetgen.check.ruleset.references import known_names_of
from sheetgen.check.schemas.characters import character_schema
from sheetgen.check.schemas.models import model_schema
from sheetgen.check.schemas.names import TEXT, Schema, any_case, share_definitions
from sheetgen.load.authors.encounters import MOST, CombatantsOfFile, EncounterFile
from sheetgen.load.designs.game_faces import face_names
from sheetgen.load.designs.tokens import CSS_WORDS
from sheetgen.load.rulesets.kinds import entries_of, kind_rules
from sheetgen.model.books import Book
from sheetgen.model.designs.card_files import CardFile
from sheetgen.model.designs.sheet_files import SheetFile
from sheetgen.model.designs.token_files import FaceFile, TokensFile
from sheetgen.model.rulesets.origins import Head
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import Pairs, ScalarNode
from sheetgen.rules.index import index_of
from sheetgen.rules.tables.things import carded, catalogues

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
    "theme": (TokensFile, False),
}
"""Sorts of files that have a model, and whether several files share its keys."""


def schema_kinds(rules: Ruleset) -> tuple[str, ...]:
    """Return the sorts of files that have a schema under `rules`, characters first."""
    return (CHARACTER, *map(str, rules.kinds), ENCOUNTER, *_MODELS)


def file_schema(rules: Ruleset, kind: str) -> Schema:
    """Return the JSON Schema (draft-07) of a file of `kind`, one of `schema_kinds`.

    Args:
        rules: Loaded completely.
    """
    schema = schema_tree(rules, kind)
    shared = schema if kind in _MODELS else share_definitions(schema)
    return {"$schema": DRAFT, "title": f"{rules.title}: {kind}", **shared}


def schema_tree(rules: Ruleset, kind: str) -> Schema:
    """Return the schema of `file_schema` with its parts in their places, not shared."""
    if kind == CHARACTER:
        schema = character_schema(rules)
        named = {"kind": {"type": TEXT, "enum": [CHARACTER, *map(str, rules.kinds)]}}
        return {**schema, "properties": {**schema["properties"], **(named if rules.kinds else {})}}
    if kind in rules.kinds:
        return _kind_schema(rules, kind)
    if kind == ENCOUNTER:
        return _encounter_schema(rules)
    model, shared = _MODELS[kind]
    over = shared and len(rules.composition.origins) > 1
    known = {**known_names_of(rules, index_of(rules)), **face_names(), **names_to_suggest(rules)}
    schema = model_schema(model, known, shared=shared, over=over)
    if model is FaceFile:
        css = schema["properties"]["css"]["properties"]
        css |= {name: {"enum": list(words)} for name, words in CSS_WORDS.items()}
    return schema


def names_to_suggest(rules: Ruleset) -> dict[str, Collection[str]]:
    """Return names to complete from, by `Ref.to`, whose checks need more than a list of names."""
    heads = {str(c.head) for t in rules.tables.values() for c in t.cells}
    kinds = [f"kinds.{id_}" for id_ in rules.kinds]
    return {
        "head of a table": heads | {h for t in rules.tables.values() for h in t.columns},
        "printed table": rules.tables,
        "thing in a table": [*catalogues(rules), *kinds],
        "thing on a card": carded(rules),
        "what a key is about": [*rules.choices, *rules.groups, *rules.character, *rules.kinds],
    }


def _kind_schema(rules: Ruleset, kind: str) -> Schema:
    """Return the schema of a file of a kind: one entry, or `entries` of several."""
    based_on = rules.kinds[kind].based_on
    one = _with_stock(
        rules, kind, character_schema(kind_rules(rules, kind), based_on=str(based_on or ""))
    )
    properties = {"kind": {"type": TEXT, "enum": [kind]}, **one["properties"]}
    entry = {**one, "properties": properties}
    several = {**entry, "properties": {**properties, "entries": {"type": "array", "items": entry}}}
    several.pop("allOf", None)
    return {"if": {"required": ["entries"]}, "then": several, "else": entry, "type": "object"}


def _with_stock(rules: Ruleset, kind: str, schema: Schema) -> Schema:
    """Return the schema of a kind with the names of those that come with the ruleset."""
    based_on = str(rules.kinds[kind].based_on).replace("_", " ")
    stock = entries_of(Path(rules.place.file).parent, rules.kinds[kind])
    roots = [source.root for source in stock if isinstance(source.root, Pairs)]
    named = (root.get("name") for root in roots)
    names = sorted(node.raw for node in named if isinstance(node, ScalarNode))
    if based_on not in schema["properties"] or not names:
        return schema
    known = {"anyOf": [{"enum": names}, schema["properties"][based_on]]}
    return {**schema, "properties": {**schema["properties"], based_on: known}}


def _encounter_schema(rules: Ruleset) -> Schema:
    combatants = [_combatant(rules, str(id_)) for id_ in rules.kinds]
    of_file = model_schema(CombatantsOfFile, {})
    schema = model_schema(EncounterFile, {})
    values: dict[str, Schema] = {
        "ruleset": {"type": [*TEXT, "array"]},
        **schema["properties"],
        "combatants": {
            "type": "array",
            "maxItems": MOST["combatants"],
            "items": {"anyOf": [*combatants, of_file]},
        },
        "options": character_schema(rules)["properties"]["options"],
    }
    patterns = {f"^{any_case(key)}$": value for key, value in values.items()}
    return {**schema, "properties": values, "patternProperties": patterns}


def _combatant(rules: Ruleset, kind: str) -> Schema:
    based_on = str(rules.kinds[kind].based_on or "")
    one = _with_stock(rules, kind, character_schema(kind_rules(rules, kind), based_on=based_on))
    count = model_schema(CombatantsOfFile, {})["properties"]["count"]
    own = {"count": count, "kind": {"type": TEXT, "enum": [kind]}}
    combatant = {**one, "properties": {**one["properties"], **own}}
    combatant.pop("allOf", None)
    return combatant if based_on else {**combatant, "required": ["kind"]}
