"""Traits as rows of a sheet that is worked out: lists of a group, and what stands under what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sheetgen.model.rulesets.ruleset import Ruleset
from sheetgen.model.rulesets.traits import Group
from sheetgen.plan.computed.flow import GRID, PageLayout, Row, SheetBlock
from sheetgen.plan.computed.measures import Measured, id_label
from sheetgen.rules.index import index_of

_SHORT: Final = 8
"""So many rows stand in one column, if there are neighbours."""


class Traits(Measured):
    """The traits of a ruleset, laid out by the measures `told` of a sheet."""

    def __init__(self, rules: Ruleset, told: Mapping[str, Any]) -> None:
        super().__init__(rules, told)
        self.titles = index_of(rules).titles
        self.group_of = {str(t): g for g, group in rules.groups.items() for t in group.traits}
        self.below: dict[str, list[str]] = {}
        for group in rules.groups.values():
            for id_, trait in group.traits.items():
                if trait.under is not None and str(trait.under) in self.group_of:
                    self.below.setdefault(str(trait.under), []).append(str(id_))
        self.rolled = {str(r.each): str(i) for i, r in rules.rolls.items() if r.each}
        kinds = {key.kind for key in rules.character.values()}
        self.links, self.dice = "links" in kinds, "pinned" in kinds

    def put(self, layout: PageLayout) -> None:
        """Add all groups, in their order: first what has others under it."""
        trees = [str(id_) for id_ in self.group_of if self._is_root(str(id_))]
        blocks = [block for id_ in trees for block in self._tree(id_)]
        if len(blocks) * max([b.span for b in blocks], default=0) >= GRID:
            layout.flow(blocks, self._best(blocks, layout))
        else:
            layout.pend(*blocks)
        for id_, group in self.rules.groups.items():
            rows = [self.row(str(t)) for t in group.traits if not self._is_in_tree(str(t))]
            if group.open is not None:
                rows += self._open_rows(str(id_), group)
            if not rows:
                continue
            label = group.label or id_label(str(id_))
            span = max(self.span(self._needs(row)) for row in rows)
            block = SheetBlock("rows", label, self.told["head"], span, tuple(rows), live=True)
            if len(rows) <= _SHORT:
                layout.pend(block)
            else:
                layout.spread(block)

    def _is_root(self, id_: str) -> bool:
        trait = self.rules.groups[self.group_of[id_]].traits[id_]
        return id_ in self.below and str(trait.under) not in self.group_of

    def _is_in_tree(self, id_: str) -> bool:
        trait = self.rules.groups[self.group_of[id_]].traits[id_]
        return id_ in self.below or str(trait.under) in self.group_of

    def _tree(self, root: str) -> Iterator[SheetBlock]:
        rows = tuple(self._under(root, 0))
        head = self.row(root)
        most, title = self.told["most_rows"], self.titles[root]
        span = max(self.span(self._needs(row)) for row in (*rows, {**head, "tree": True}))
        high = self.told["tree_dots" if head["boxes"] else "tree"]
        yield SheetBlock("tree", title, high, span, rows[:most], live=True, more=head)
        for start in range(most, len(rows), most):
            part = rows[start : start + most]
            yield SheetBlock("rows", f"{title}, continued", self.told["head"], span, part)

    def _under(self, id_: str, deep: int) -> Iterator[Row]:
        if deep < 8:  # a circle is a finding of its own
            for below in self.below.get(id_, ()):
                yield self.row(below)
                yield from self._under(below, deep + 1)

    def _best(self, blocks: list[SheetBlock], layout: PageLayout) -> int:
        """Return the span with which trees take the least height; of equals the widest."""
        least = max(block.span for block in blocks)
        spans = [span for span in (2, 3, 4, 6, GRID) if span >= least]
        heights = {span: layout.height(blocks, span) for span in spans}
        return min(reversed(spans), key=heights.__getitem__)

    def row(self, id_: str) -> Row:
        """Return the row of a trait."""
        group_id = self.group_of[id_]
        group = self.rules.groups[group_id]
        trait = group.traits[id_]
        roll = f"{group_id}.{id_}" if group_id in self.rolled else ""
        kind = "dots" if group.boxes else "code"
        return {
            "kind": kind,
            "stem": f"{group_id}.{id_}",
            "label": self.titles[id_],
            "short": trait.short,
            "keyword": str(trait.keyword or "").replace("_", " ") if group.boxes else "",
            "boxes": group.boxes,
            "unit": "D" if group.rating == "dice" and not self.rules.pips else "",
            "wide": self.rules.pips and group.rating == "dice",
            "roll": roll,
            "links": self.links and bool(group.boxes),
            "dice": self.dice and bool(group.boxes),
            "height": self.told["rolled" if roll else kind],
        }

    def _open_rows(self, id_: str, group: Group) -> list[Row]:
        most = group.open.most if group.open else 0
        row = {
            "kind": "named",
            "label": " " * 18,
            "links": False,
            "dice": False,
            "boxes": most,
            "height": self.told["dots"],
        }
        label = group.one.capitalize()
        return [{**row, "stem": f"{id_}.{n}", "said": f"{label} {n}"} for n in range(1, 5)]

    def _needs(self, row: Row) -> float:
        """Return how wide a row has to be, in points, by the length of its words."""
        told = self.told
        if row.get("tree"):
            word = told["title_letter"] * len(row["label"])
            code = 0 if row["boxes"] else told["tree_code_wide" if row["wide"] else "tree_code"]
            return max(float(word + code), self._boxes(row))
        word = told["letter"] * len(row["label"]) * 0.85
        if row["kind"] == "code":
            return float(word + told["code_wide" if row["wide"] else "code_narrow"])
        links = told["link"] * row["links"] + told["die"] * row["dice"]
        return float(word + self._boxes(row) + told["over"] + links)

    def _boxes(self, row: Row) -> float:
        return float(self.told["box"] * row["boxes"])
