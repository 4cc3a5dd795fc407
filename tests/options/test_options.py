"""No print contradicts an option: what each value forbids is nowhere on any print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.load.rulesets.rulesets import OPTION
from sheetgen.rules.tables.compute import compute_table
from tests.options.prints import played, prints
from tests.shelf import ruleset

pytestmark = pytest.mark.many

HERE = Path(__file__).parent


@cache
def facts(name: str) -> dict[str, Any]:
    """Return what each option of a ruleset governs: words by value, or a note."""
    text = (HERE / f"{name}.yaml").read_text(encoding="utf-8")
    read: dict[str, Any] = yaml.load(text, yaml.BaseLoader)
    return read


def cases() -> Iterator[Any]:
    for name in ruleset_ids():
        for option, values in facts(name).items():
            for value in values if isinstance(values, Mapping) else ():
                yield pytest.param(name, option, value, id=f"{name}-{option}-{value}")


@pytest.mark.parametrize("name", ruleset_ids())
def test_every_option_says_what_it_governs(name: str) -> None:
    rules = ruleset(name)
    origins = {Path(origin.folder).name for origin in rules.composition.origins} | {name}
    governed = {option for origin in origins for option in facts(origin)}
    assert governed == {str(id_) for id_ in rules.options if not id_.startswith(OPTION)}


@pytest.mark.parametrize(("name", "option", "value"), [*cases()])
def test_no_print_contradicts_an_option(name: str, option: str, value: str) -> None:
    found = said(name, option, value)
    for words in facts(name)[option][value]:
        for where, text in found.items():
            line = re.search(f".*({words}).*", text, re.MULTILINE)
            assert line is None, f"{where}, {option}={value}: {line and line[0]}"


@pytest.mark.parametrize(("name", "option", "value"), [*cases()])
def test_what_one_value_forbids_another_prints(name: str, option: str, value: str) -> None:
    """Words that are on no print at all would test nothing."""
    values = known(name, option)
    others = [v for v in values if v != value]
    for words in facts(name)[option][value]:
        texts = (text for other in others for text in said(name, option, other).values())
        assert any(re.search(words, text, re.MULTILINE) for text in texts), words


def known(name: str, option: str) -> tuple[str, ...]:
    values = tuple(map(str, ruleset(name).options[option].values))
    return ("yes", "no") if values == ("yes or no",) else values


@cache
def said(name: str, option: str, value: str) -> Mapping[str, str]:
    chosen = {option: value}
    return prints(played(name, chosen), chosen)


MODULES = [
    (name, str(id_))
    for name in ruleset_ids()
    for id_ in ruleset(name).options
    if id_.startswith(OPTION)
]


@pytest.mark.parametrize(("name", "option"), MODULES)
def test_prints_stand_with_each_module_switched(name: str, option: str) -> None:
    value = "no" if ruleset(name).options[option].default else "yes"
    chosen = {option: value}
    assert prints(played(name, chosen), chosen)["screens"]


def test_a_text_that_ignores_its_option_is_found() -> None:
    rules = played("hyperspace-d6", {})
    table = replace(rules.tables["damage_scale"], text="Always rounded down.")
    stale = replace(rules, tables={**rules.tables, "damage_scale": table})
    (words,) = facts("hyperspace-d6")["scale.rounding"]["up"]
    assert re.search(words, prints(stale, {"scale.rounding": "up"})["tables"])


def test_a_row_stands_only_where_its_option_does() -> None:
    rules = played("d6-pips", {})
    labels = [row.labels[0] for row in compute_table(rules, "improvement").rows]
    chosen = {"advancement.specialisations": False}
    fewer = [row.labels[0] for row in compute_table(rules, "improvement", chosen).rows]
    assert [label for label in labels if label not in fewer] == ["Specialisation, +1"]


def test_npcs_have_no_kit_whose_dots_could_count_for_nothing() -> None:
    for value in known("keyword-dots", "hits.kit_dots"):
        tables = said("keyword-dots", "hits.kit_dots", value)["tables"]
        assert re.search(r"Dock Guard +\| +9 ", tables), value
