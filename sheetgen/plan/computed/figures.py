"""Figures of a sheet that is worked out: what others ask for, and what runs down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, Final

from sheetgen.plan.computed.flow import GRID, Band, PageLayout, Row, SheetBlock
from sheetgen.plan.computed.measures import Measured, id_label
from sheetgen.rules.formulas.how import blank_how

_FLAG: Final = 2
"""A track of so few boxes is only marked."""

_MOST_ROWS: Final = 20
"""Of cells; what is beyond them has no boxes, as on any sheet."""


class Figures(Measured):
    """Derived values, tracks, pools, dice."""

    def _values_of(self) -> tuple[list[Row], list[Row]]:
        """Return the derived values that stand alone, and those in rows."""
        derived, tracks = self.rules.derived, self.rules.tracks
        shown = [self._value(str(i)) for i, d in derived.items() if d.label and i not in tracks]
        alone = [row for row in shown if len(row["use"]) <= self.told["longest_use"]]
        used = [row for row in alone if row["use"]]
        alone = used if len(alone) > GRID // self.told["stat_spans"][0] and used else alone
        while alone and len(alone) * self._stat_span(alone) > GRID:
            alone = alone[:-1]
        return alone, [row for row in shown if row not in alone]

    def _value(self, id_: str) -> Row:
        derived = self.rules.derived[id_]
        how = blank_how(self.rules, derived)
        worked = blank_how(self.rules, replace(derived, blank=""))
        long = max(len(how), len(worked) + 3 * (1 + worked.count("+")))  # with its figures
        plain = " if " not in worked and long <= self.told["longest_how"]
        shown = {"how": how, "long": long} if plain else {"how": "", "long": 0}
        return {"id": id_, "label": derived.label, "use": derived.use, **shown}

    def stats(self, layout: PageLayout, running: list[SheetBlock]) -> None:
        """Add the number plates, and beside them as much of what runs down as finds room."""
        rows, told = self._values_of()[0], self.told
        if not rows:
            return
        span = self._stat_span(rows)
        wide = (self.width(span) - 12) / told["hint_letter"]
        how = 3 if max(row["long"] for row in rows) > wide else 1
        use = max(-(-len(row["use"]) // int(wide * 0.9)) for row in rows)
        height = max(told["stat_least"], told["stat"] + told["stat_line"] * (how + use))
        columns: list[tuple[Any, ...]] = [(row,) for row in rows]
        beside = []
        for _ in range((GRID - span * len(rows)) // told["wide"]):
            column: list[SheetBlock] = []
            left = height + told["near"]
            while running and running[0].total + told["near"] <= left + 0.01:
                left -= running[0].total + told["near"]
                column.append(running.pop(0))
            beside += [tuple(column)] if column else []
        more = {"how": how, "use": use, "beside": [list(map(asdict, c)) for c in beside]}
        block = SheetBlock("stats", "", 0, span=told["wide"], more=more)
        layout.put(Band("stats", span, height, tuple(columns), told["gap"], block))

    def _stat_span(self, rows: list[Row]) -> int:
        longest = max(len(row["label"]) for row in rows) * self.told["title_letter"]
        spans = self.told["stat_spans"]
        return int(next((s for s in spans if self.width(s) - 12 >= longest), spans[-1]))

    def long_tracks(self) -> Iterator[SheetBlock]:
        """Yield tracks of so many boxes that these are cells in rows of 25."""
        told = self.told
        for id_, track in self.rules.tracks.items():
            if track.shown > told["long_track"]:
                deep = min(_MOST_ROWS, -(-track.shown // 25))
                maximum = str(id_) if id_ in self.rules.derived else ""
                more = {"id": str(id_), "rows": deep, "max": maximum}
                height = told["head"] + max(told["long_least"], told["long_row"] * deep)
                label = track.label or id_label(str(id_))
                yield SheetBlock("long", label, height, told["long_span"], live=True, more=more)

    def tracks(self) -> Iterator[SheetBlock]:
        """Yield tracks to mark; those of a box or two stand together."""
        told, flags = self.told, []
        for id_, track in self.rules.tracks.items():
            label = track.label or id_label(str(id_))
            if track.shown > told["long_track"]:
                continue
            if track.shown > _FLAG:
                deep = -(-track.shown // told["boxes_across"])
                across = -(-track.shown // deep)
                maximum = str(id_) if id_ in self.rules.derived else ""
                more = {"id": str(id_), "count": track.shown, "across": across, "max": maximum}
                height = told["track_head"] + told["boxes"] * deep
                yield SheetBlock("track", label, height, told["wide"], live=True, more=more)
            elif track.shown:
                row = {"kind": "flag", "stem": str(id_), "count": track.shown, "label": label}
                flags.append({**row, "height": told["line"]})
        if flags:
            yield SheetBlock("rows", "To mark", told["head"], told["wide"], tuple(flags), live=True)

    def pools(self) -> Iterator[SheetBlock]:
        """Yield what is left of each pool."""
        for id_, pool in self.rules.pools.items():
            told = self.told
            more = {"id": str(id_), "text": pool.text}
            wide = self.width(told["wide"]) - told["pool_figure"]
            lines = -(-len(pool.text) * told["hint_letter"] // wide)
            height = max(told["pool"], told["head"] + told["stat_line"] * lines)
            yield SheetBlock("pool", pool.label, height, told["wide"], live=True, more=more)

    def dice(self) -> Iterator[SheetBlock]:
        """Yield the dice that are bought, if there are any."""
        kinds = {key.kind for key in self.rules.character.values()}
        if self.rules.dice is not None and "dice" in kinds:
            height = self.told["head"] + self.told["dice"]
            yield SheetBlock("dice", self.rules.dice.label, height, self.told["wide"], live=True)

    def values(self, layout: PageLayout) -> None:
        """Add the derived values that do not stand alone."""
        told, high = self.told, self.told["rolled"]
        longest = max((len(row["use"]) for row in self._values_of()[1]), default=0)
        needs = longest * told["hint_letter"]
        span = next((s for s in (told["wide"], told["half"]) if needs <= self.width(s)), GRID)
        rows = tuple({"kind": "value", "height": high, **row} for row in self._values_of()[1])
        layout.spread(SheetBlock("rows", "Values", told["head"], span, rows))

    def rolls(self, layout: PageLayout) -> None:
        """Add the pools of dice that are no trait's."""
        told, row = self.told, {"kind": "roll", "height": self.told["line"]}
        rows = tuple(
            {**row, "stem": str(id_), "label": roll.label or id_label(str(id_))}
            for id_, roll in self.rules.rolls.items()
            if not roll.each
        )
        layout.spread(SheetBlock("rows", "Rolls", told["head"], told["wide"], rows, live=True))
