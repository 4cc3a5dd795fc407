"""Figures of a computed sheet: derived values, tracks, pools, dice, rolls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, Final

from sheetgen.plan.computed.flow import GRID, Band, Measured, PageLayout, Row, SheetBlock, id_label
from sheetgen.rules.formulas.how import blank_how

_FLAG: Final = 2
"""A track with no more boxes than this is a row of boxes to mark."""

_MOST_ROWS: Final = 20
"""The most rows of a long track; boxes beyond them are not drawn, as on any sheet."""

_TITLE: Final = 0.4
"""The share of a track's width that its title may fill; beside a longer one nothing fits."""


class Figures(Measured):
    """Derived values, tracks, pools, dice."""

    def _values_of(self) -> tuple[list[Row], list[Row]]:
        derived, tracks = self.rules.derived, self.rules.tracks
        shown = [self._value(str(i)) for i, d in derived.items() if d.label and i not in tracks]
        alone = [row for row in shown if len(row["use"]) <= self.sizes["longest_use"]]
        used = [row for row in alone if row["use"]]
        alone = used if len(alone) > GRID // self.sizes["stat_spans"][0] and used else alone
        while alone and len(alone) * self._stat_span(alone) > GRID:
            alone = alone[:-1]
        return alone, [row for row in shown if row not in alone]

    def _value(self, id_: str) -> Row:
        derived = self.rules.derived[id_]
        how = blank_how(self.rules, derived)
        worked = blank_how(self.rules, replace(derived, blank=""))
        long = max(len(how), len(worked) + 3 * (1 + worked.count("+")))  # with its figures
        plain = " if " not in worked and long <= self.sizes["longest_how"]
        shown = {"how": how, "long": long} if plain else {"how": "", "long": 0}
        return {"id": id_, "label": derived.label, "use": derived.use, **shown}

    def stats(self, layout: PageLayout, running: list[SheetBlock]) -> None:
        """Add the number plates, and beside them as many blocks of `running` as fit."""
        rows, sizes = self._values_of()[0], self.sizes
        if not rows:
            return
        span = self._stat_span(rows)
        wide = (self.width(span) - 12) / sizes["hint_letter"]
        how = 3 if max(row["long"] for row in rows) > wide else 1
        use = max(-(-len(row["use"]) // int(wide * 0.9)) for row in rows)
        height = max(sizes["stat_least"], sizes["stat"] + sizes["stat_line"] * (how + use))
        columns: list[tuple[Any, ...]] = [(row,) for row in rows]
        beside = []
        for _ in range((GRID - span * len(rows)) // sizes["wide"]):
            column: list[SheetBlock] = []
            left = height + sizes["near"]
            while running and running[0].total + sizes["near"] <= left + 0.01:
                left -= running[0].total + sizes["near"]
                column.append(running.pop(0))
            beside += [tuple(column)] if column else []
        more = {"how": how, "use": use, "beside": [list(map(asdict, c)) for c in beside]}
        block = SheetBlock("stats", "", 0, span=sizes["wide"], more=more)
        layout.put(Band("stats", span, height, tuple(columns), sizes["gap"], block))

    def _stat_span(self, rows: list[Row]) -> int:
        longest = max(len(row["label"]) for row in rows) * self.sizes["title_letter"]
        spans = self.sizes["stat_spans"]
        return int(next((s for s in spans if self.width(s) - 12 >= longest), spans[-1]))

    def long_tracks(self) -> Iterator[SheetBlock]:
        """Yield tracks whose boxes are cells in rows of 25."""
        sizes = self.sizes
        for id_, track in self.rules.tracks.items():
            if track.shown > sizes["long_track"]:
                deep = min(_MOST_ROWS, -(-track.shown // 25))
                maximum = str(id_) if id_ in self.rules.derived else ""
                drawn = min(track.shown, 25 * _MOST_ROWS)
                more = {"id": str(id_), "rows": deep, "count": drawn, "max": maximum}
                height = sizes["head"] + max(sizes["long_least"], sizes["long_row"] * deep)
                label = track.label or id_label(str(id_))
                yield SheetBlock("long", label, height, sizes["long_span"], live=True, more=more)

    def tracks(self) -> Iterator[SheetBlock]:
        """Yield tracks to mark; those with a box or two share a block."""
        sizes, flags = self.sizes, []
        for id_, track in self.rules.tracks.items():
            label = track.label or id_label(str(id_))
            if track.shown > sizes["long_track"]:
                continue
            if track.shown > _FLAG:
                deep = -(-track.shown // sizes["boxes_across"])
                across = -(-track.shown // deep)
                maximum = str(id_) if id_ in self.rules.derived else ""
                more = {"id": str(id_), "count": track.shown, "across": across, "max": maximum}
                low = len(label) * sizes["title_letter"] > _TITLE * self.width(sizes["wide"])
                more |= {"low": low}
                height = sizes["track_head"] + sizes["boxes"] * deep + sizes["hint"] * low
                yield SheetBlock("track", label, height, sizes["wide"], live=True, more=more)
            elif track.shown:
                row = {"kind": "flag", "stem": str(id_), "count": track.shown, "label": label}
                flags.append({**row, "height": sizes["line"]})
        if flags:
            yield SheetBlock(
                "rows", "To mark", sizes["head"], sizes["wide"], tuple(flags), live=True
            )

    def pools(self) -> Iterator[SheetBlock]:
        """Yield a block for what is left of each pool."""
        for id_, pool in self.rules.pools.items():
            sizes = self.sizes
            more = {"id": str(id_), "text": pool.text}
            wide = self.width(sizes["wide"]) - sizes["pool_figure"]
            lines = -(-len(pool.text) * sizes["hint_letter"] // wide)
            height = max(sizes["pool"], sizes["head"] + sizes["stat_line"] * lines)
            yield SheetBlock("pool", pool.label, height, sizes["wide"], live=True, more=more)

    def dice(self) -> Iterator[SheetBlock]:
        """Yield the block of bought dice, if the ruleset has them."""
        kinds = {key.kind for key in self.rules.character.values()}
        if self.rules.dice is not None and "dice" in kinds:
            height = self.sizes["head"] + self.sizes["dice"]
            yield SheetBlock("dice", self.rules.dice.label, height, self.sizes["wide"], live=True)

    def values(self, layout: PageLayout) -> None:
        """Add the derived values without a number plate."""
        sizes, high = self.sizes, self.sizes["rolled"]
        values = self._values_of()[1]
        longest = max((len(row["use"]) for row in values), default=0)
        label = max((len(row["label"]) for row in values), default=0)
        needs = max(longest * sizes["hint_letter"], label * sizes["letter"] + sizes["value_figure"])
        span = next((s for s in (sizes["wide"], sizes["half"]) if needs <= self.width(s)), GRID)
        rows = tuple({"kind": "value", "height": high, **row} for row in values)
        layout.spread(SheetBlock("rows", "Values", sizes["head"], span, rows))

    def rolls(self, layout: PageLayout) -> None:
        """Add the dice pools that do not belong to a trait."""
        sizes, row = self.sizes, {"kind": "roll", "height": self.sizes["line"]}
        rows = tuple(
            {**row, "stem": str(id_), "label": roll.label or id_label(str(id_))}
            for id_, roll in self.rules.rolls.items()
            if not roll.each
        )
        layout.spread(SheetBlock("rows", "Rolls", sizes["head"], sizes["wide"], rows, live=True))
