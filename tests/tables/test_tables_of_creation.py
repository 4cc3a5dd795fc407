"""Tables of making a character, and tables whose rows are parted, such as skills by attribute."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sheetgen.diag.findings import Span
from sheetgen.load.rulesets.content import ruleset_ids
from sheetgen.model.source import Text
from sheetgen.plan.tableflow import FlowLeaf
from sheetgen.prints.kinds import PrintContext, print_request
from sheetgen.prints.sheet import BlankRequest, print_blank
from sheetgen.prints.tables import TableRequest
from sheetgen.render.flow import table_pages
from sheetgen.rules.tables.compute import compute_table
from tests.tables.test_random_tables import whole


@pytest.mark.parametrize("id_", ruleset_ids())
def test_the_first_page_has_the_steps_of_the_empty_sheet_word_for_word(id_: str) -> None:
    rules = whole(id_)
    first, page = next(iter(rules.references.items()))
    assert (str(first), page.label) == ("creation", "Making a character")
    plan = print_blank(rules, BlankRequest((id_,))).plan
    assert plan is not None
    texts = plan.leaves[0].filling.texts
    rows = compute_table(rules, "creation_steps").rows
    assert [row.labels[0].split()[0] for row in rows] == [
        texts[f"creation.{step}.number"].value for step in rules.creation
    ]
    said = [texts[f"creation.{step}.text"].value.replace(" ", "") for step in rules.creation]
    assert [row.cells[0].replace(" ", "") for row in rows] == said
    assert sum(row.cells[1] not in ("", "–") for row in rows) >= len(rows) / 2, "prices are told"


def test_details_know_options_and_prices() -> None:
    def told(**options: str) -> str:
        rows = compute_table(whole("keyword-dots"), "creation_steps", options).rows
        return next(row.cells[1] for row in rows if row.labels[0].endswith("Dice"))

    assert told().startswith("the first d2 costs 5 XP, the second 10;")
    assert told(**{"dice.buy": "printed"}).startswith("the first d2 costs 5 XP, the second 6;")


def test_a_step_without_a_detail_has_its_words_alone() -> None:
    rules = whole("d6-pips")
    steps = {key: Text("do it", Span("test")) for key in ("name", "skills")}
    rules = replace(rules, creation=steps, creation_details={}, digest="taught")
    rows = compute_table(rules, "creation_steps").rows
    assert [row.labels + row.cells for row in rows] == [
        ("1 Name", "do it", "–"),
        ("2 Skills", "do it", "–"),
    ]


@pytest.mark.parametrize("id_", ["d6-pips", "hyperspace-d6", "narrative-powers"])
def test_skills_stand_under_their_attributes(id_: str) -> None:
    rules = whole(id_)
    skills = next(group for name, group in rules.groups.items() if name == "skills")
    rows = compute_table(rules, "skills").rows
    assert len(rows) == len(skills.traits)
    parts = [row.part for row in rows if row.part]
    assert len(parts) == len({str(trait.under) for trait in skills.traits.values()})


@pytest.mark.usefixtures("laid_out_anew")
def test_columns_break_between_parts_and_leave_no_last_row_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plans: list[list[FlowLeaf]] = []
    flow = table_pages._flow

    def planned(*given: Any) -> list[FlowLeaf]:
        plans.append(flow(*given))
        return plans[-1]

    monkeypatch.setattr(table_pages, "_flow", planned)
    pieces = []
    for id_, only in (("d6-pips", ("skills",)), ("hyperspace-d6", ("species", "professions"))):
        request = TableRequest((id_,), only=only)
        assert [*print_request(request, PrintContext())]
    for strip in (strip for plan in plans for leaf in plan for strip in leaf.strips):
        pieces += [piece for column in strip.columns for piece in column.pieces]
    for piece in pieces:
        rows = {part.label: len(part.rows) for part in piece.table.view.parts}
        for part in piece.view.parts:
            assert len(part.rows) > 1 or rows[part.label] == 1, part.label
    halves = [piece for piece in pieces if piece.continued]
    assert halves
    names = {part.label for part in halves[0].view.parts}
    assert "Dexterity" not in names
