"""Rulesets over rulesets: each module switches off alone, clashes are told, nothing is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sheetgen.check.ruleset.rulesets import check_ruleset
from sheetgen.diag.findings import errors
from sheetgen.load.rulesets.content import load_seeds, rulesets_folder, seeds_folder
from sheetgen.load.rulesets.rulesets import OPTION, find_ruleset, load_ruleset, origin_of
from sheetgen.load.shapes import keys_of, merge_trees, replace_at
from sheetgen.load.yaml.tree import parse_yaml
from sheetgen.model.source import Pairs, ScalarNode
from sheetgen.plugins.author.comparing import compare_source
from sheetgen.plugins.author.comparisons import ProofContext
from tests.cli.commands import run

TOP = rulesets_folder()
BASE, WOUNDS, UPDATE = TOP / "d6-pips", TOP / "wound-points", TOP / "second-edition-update"


def modules_of(*folders: Path) -> list[str]:
    rules = load_ruleset(folders, complete=True).value
    return list(rules.composition.modules) if rules is not None else []


ALONE = [(folder, module) for folder in (BASE, WOUNDS, UPDATE) for module in modules_of(folder)]


@pytest.mark.many
@pytest.mark.parametrize(("folder", "module"), ALONE, ids=lambda one: getattr(one, "name", one))
def test_each_module_switches_off_alone(folder: Path, module: str) -> None:
    loaded = load_ruleset(folder, complete=True, switches={OPTION + module: False})
    assert not errors(loaded.findings)
    assert loaded.value is not None
    assert not loaded.value.composition.modules[module].on
    assert not errors(check_ruleset(loaded.value))
    if (below := seeds_folder(folder)) is not None:
        seeds = load_seeds(below).value
        assert seeds is not None
        assert compare_source(ProofContext(loaded.value, seeds)).findings == ()


def test_two_round_sequences_are_refused_with_a_way_out() -> None:
    loaded = load_ruleset((WOUNDS, UPDATE))
    (told,) = [f for f in loaded.findings if f.code.id == "SG110"]
    assert "both replace `rounds`" in told.message
    off = dict.fromkeys((OPTION + "side_rounds", OPTION + "round_sequence"), False)
    for name in off:
        assert f"`{name}: no`" in told.hint
        assert not load_ruleset((WOUNDS, UPDATE), switches={name: False}).findings
    both = load_ruleset((WOUNDS, UPDATE), switches=off).value
    assert both is not None
    assert both.composition.modules["rounds"].on  # the base's own come back


def test_both_overlays_together_bear_every_credit() -> None:
    switches = {OPTION + "side_rounds": False}
    both = load_ruleset((WOUNDS, UPDATE), complete=True, switches=switches).value
    assert both is not None
    for folder in (BASE, WOUNDS, UPDATE):
        one = load_ruleset(folder).value
        assert one is not None
        for part in one.credit.short.split(". "):
            assert part.strip(". ") in both.credit.short
    assert [origin.id for origin in both.composition.origins] == [
        "d6-pips",
        "wound-points",
        "second-edition-update",
    ]
    assert both.id == "wound-points+second-edition-update"


def test_what_an_overlay_brings_names_it() -> None:
    rules = load_ruleset(WOUNDS, complete=True).value
    assert rules is not None
    brought = {str(k): origin_of(rules, k.span) for k in rules.tables}
    assert brought["haste"] is not None
    assert brought["haste"].title == "Wound Points"
    assert brought["range_bands" if "range_bands" in brought else "pips"] is None
    said = run("tables", "wound-points", "haste", "--notes", "--to", "md", "--out", "-")
    assert "Wound Points*" in said.out


def test_the_order_of_names_is_the_order_of_layers() -> None:
    found = find_ruleset("second-edition-update+wound-points", BASE_SPAN, Path())
    assert found.value == (UPDATE, WOUNDS)
    unknown = find_ruleset("wound-points+nothing", BASE_SPAN, Path())
    assert unknown.value is None
    assert unknown.findings[0].code.id == "SG101"


BASE_SPAN = parse_yaml("a: 1", "x.yaml").value.start  # type: ignore[union-attr]

TREES = st.recursive(
    st.integers(0, 9),
    lambda below: st.dictionaries(st.sampled_from("abc"), below, min_size=1, max_size=3),
    max_leaves=12,
)


def node_of(tree: object) -> ScalarNode | Pairs:
    if isinstance(tree, dict):
        entries = tuple((ScalarNode(BASE_SPAN, k, k), node_of(v)) for k, v in tree.items())
        return Pairs(BASE_SPAN, entries)
    return ScalarNode(BASE_SPAN, tree, str(tree))  # type: ignore[arg-type]


def places(node: ScalarNode | Pairs, above: str = "") -> list[str]:
    if isinstance(node, ScalarNode):
        return [above]
    below = [(f"{above}.{k.raw}".strip("."), n) for k, n in node.entries]
    return [p for path, n in below for p in (path, *places(n, path))]  # type: ignore[arg-type]


@pytest.mark.slow
@given(TREES.filter(lambda t: isinstance(t, dict)), TREES.filter(lambda t: isinstance(t, dict)))
@settings(deadline=None)
def test_what_is_added_is_there_and_what_was_there_stays(first: object, second: object) -> None:
    root, more = node_of(first), node_of(second)
    assert isinstance(root, Pairs)
    assert isinstance(more, Pairs)
    kept: list[tuple[str, ScalarNode, object]] = []
    whole, new = merge_trees(root, more, kept=kept)  # type: ignore[arg-type]
    for path in places(root):
        assert keys_of(whole, path) is not None
    for path in new:
        assert keys_of(whole, path) is not None
        assert keys_of(root, path) is None
    gone = replace_at(whole, keys_of(whole, places(root)[0]) or (), None)
    assert keys_of(gone, places(root)[0]) is None
