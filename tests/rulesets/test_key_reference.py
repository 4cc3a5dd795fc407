"""The reference of keys is up to date, every key has a sentence, and every mark a meaning."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from typing import Any

import pytest

from docs.reference.generate_keys import FOLDER, lacking, pages
from sheetgen.check.ruleset.formulas import known_names_of
from sheetgen.load.shapes import model_fields
from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.source import OneOf, Ref
from sheetgen.plugins.editor.schemas import names_to_suggest
from sheetgen.rules.formulas.evaluate import FORMS
from sheetgen.rules.index import index_of
from sheetgen.rules.odds.odds import MODES
from sheetgen.rules.odds.questions import WINNERS
from tests.shelf import ruleset


@pytest.mark.parametrize("name", list(pages()))
def test_a_page_of_keys_is_up_to_date(name: str) -> None:
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == pages()[name], "run `python -m docs.reference.generate_keys`"


def test_every_key_has_a_sentence() -> None:
    assert lacking() == []


def marks(kind: Any, seen: set[Any]) -> Iterator[Ref | OneOf]:
    if dataclasses.is_dataclass(kind) and kind not in seen:
        seen.add(kind)
        for spec in model_fields(kind).values():
            yield from marks(spec.kind, seen)
    for part in typing.get_args(kind):
        if isinstance(part, Ref | OneOf):
            yield part
        else:
            yield from marks(part, seen)


def test_every_mark_is_looked_up() -> None:
    """A misspelt `Ref` would never be checked."""
    rules = ruleset("hyperspace-d6")
    known = {*known_names_of(rules, index_of(rules)), "strip", "kind", "table or page"}
    known |= names_to_suggest(rules).keys()
    found = {mark.to for mark in marks(Ruleset, set()) if isinstance(mark, Ref)}
    assert found
    assert found <= known


def test_words_of_marks_are_those_that_rules_know() -> None:
    words = {mark.what: mark.words for mark in marks(Ruleset, set()) if isinstance(mark, OneOf)}
    assert words["number format"] == tuple(FORMS)
    assert words["meaning of a 1"] == MODES
    assert words["winner of ties"] == WINNERS
