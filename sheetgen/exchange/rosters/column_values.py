"""The values of a build by the columns of a value sheet, as the rules give them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sheetgen.exchange.rosters.values import ValueSheet, named_ratings
from sheetgen.model.build import Build, Rating, Value
from sheetgen.model.live import LiveFigures

_NO_LIMIT: Final = 999
"""What formulas see as the limit of a trait without one."""


def column_values(sheet: ValueSheet, build: Build) -> list[Value | None]:
    """Return the value of each column for a build; that of a computed one as the rules give it."""
    asks = [tuple(c.id.split(" ")) for c in sheet.columns if c.kind == "ask"]
    request = LiveFigures(tuple((ask[0], ask[1:]) for ask in asks))
    figures = build.figures(request) if build.figures is not None else {}
    ratings = dict(build.ratings)
    for id_ in sheet.rules.groups:
        for number, one in enumerate(named_ratings(build, sheet.rules, str(id_)), start=1):
            ratings[f"{id_}#{number}"] = one
    return [_VALUES[c.kind](c.id, build, ratings, figures) for c in sheet.columns]


_Getter = Callable[[str, Build, Mapping[str, Rating], Mapping[str, Any]], "Value | None"]


def _rating(read: Callable[[Rating], int]) -> _Getter:
    def get(id_: str, _: Build, ratings: Mapping[str, Rating], __: Mapping[str, Any]) -> int | None:
        return read(ratings[id_]) if id_ in ratings else None

    return get


def _reached(
    id_: str, _: Build, ratings: Mapping[str, Rating], figures: Mapping[str, Any]
) -> Value | None:
    if id_ not in ratings:
        return None
    lost: list[int] = figures.get("gone", {}).get(ratings[id_].id, [])
    return max(ratings[id_].own, 0, *lost)


_VALUES: Final[Mapping[str, _Getter]] = {
    "own": _rating(lambda r: r.own),
    "free": _rating(lambda r: r.free),
    "stars": _rating(lambda r: r.stars),
    "limit": _rating(lambda r: _NO_LIMIT if r.limit is None else r.limit),
    "total": _rating(lambda r: r.total),
    "reached": _reached,
    "focus": lambda id_, _, __, figures: figures.get("focus", {}).get(id_, 0),
    "ask": lambda id_, _, __, figures: figures.get("a", {}).get(id_, 0),
    "option": lambda id_, build, _, __: build.options.get(id_),
    "number": lambda id_, build, _, __: build.numbers.get(id_, 0),
    "derived": lambda id_, b, _, __: b.derived[id_].value if id_ in b.derived else None,
    "left": lambda id_, b, _, __: b.ledgers[id_].left if id_ in b.ledgers else None,
    "price": lambda *_: None,
    "part": lambda *_: None,
}
