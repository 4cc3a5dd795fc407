"""Any formula has the same value in Python and in JavaScript, or is refused by both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import pytest
import quickjs
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sheetgen.diag.findings import Span
from sheetgen.model.build import Value
from sheetgen.model.source import LookupText, Text
from sheetgen.rules.formulas.evaluate import FORMS, Things, evaluate, value_text
from sheetgen.rules.formulas.expressions import (
    COUNTING,
    GATHERING,
    WRITING,
    Binary,
    Call,
    Compare,
    Either,
    FormulaError,
    Logic,
    Lookup,
    Name,
    Number,
    Tree,
    Unary,
    Word,
    parse_formula,
)
from sheetgen.rules.formulas.notation import THINGS, javascript, js_literal, template
from tests.live.engine import SCRIPTS

pytestmark = pytest.mark.slow

NAMES: dict[str, Value] = {
    "n": 3,
    "none": 0,
    "might": -7,
    "share": Fraction(2, 3),
    "loss": Fraction(-5, 4),
    "fine": Fraction(1, 67_108_863),
    "most": 10**12,
    "tall": True,
    "short": False,
    "said": "prose",
    "empty": "",
}


LISTS: dict[str, list[tuple[int, dict[str, Value]]]] = {
    "gear": [
        (2, {"weight": Fraction(3, 2), "cap": 2}),
        (1, {"weight": 10, "uses": 3}),
        (9, {"weight": Fraction(1, 67_108_863), "cap": True}),
    ],
    "pack": [],
    "odd": [(1, {"weight": "heavy"}), (3, {"cap": 10**12})],
}
OF_THINGS = [f"{list_}.{number}" for list_ in (*LISTS, "none") for number in ("weight", "cap")]


class Game:
    def value(self, name: str) -> Value | None:
        return NAMES.get(name)

    def ask(self, function: str, names: Sequence[str]) -> Value:
        return len(names[0])

    def formula(self, name: str) -> tuple[tuple[str, ...], str] | None:
        return (("n",), "n * (n + 1) // 2") if name == "tri" else None

    def things(self, list_: str, numbers: Sequence[str]) -> Things | None:
        found = LISTS.get(list_)
        return found and [(n, known) for n, known in found if all(a in known for a in numbers)]


def plain(value: Value) -> object:
    """Return a value as JSON says it: fractions as two numbers."""
    if isinstance(value, Fraction):
        return {"n": value.numerator, "d": value.denominator}
    return value


@cache
def engine() -> quickjs.Context:
    js = quickjs.Context()
    js.eval((SCRIPTS / "figures.js").read_text(encoding="utf-8"))
    names = json.dumps({name: plain(value) for name, value in NAMES.items()})
    lists = {
        list_: [[n, {name: plain(value) for name, value in known.items()}] for n, known in things]
        for list_, things in LISTS.items()
    }
    js.eval(
        f"""
        var $ = sheetgenFigures, NAMES = {names};
        NAMES["things."] = {json.dumps(lists)};
        function known(n) {{ return Object.prototype.hasOwnProperty.call(NAMES, n); }}
        function seen(s, n) {{
          for (; s; s = s.up) {{
            if (Object.prototype.hasOwnProperty.call(s.n, n)) {{ return s.n[n]; }}
          }}
          return known(n) ? NAMES[n] : undefined;
        }}
        $.v = function (s, n) {{
          var found = seen(s, n);
          if (found === undefined) {{ $.wrong(n); }}
          return found;
        }};
        $.w = function (s, n) {{ var found = seen(s, n); return found === undefined ? n : found; }};
        $.q = function (f, name) {{ return name.split(" ")[0].length; }};
        $.k = function (s, name, v) {{
          if (name !== "tri" || v.length !== 1 || typeof v[0] === "string") {{ $.wrong(name); }}
          var inner = {{ n: {{ n: v[0] }}, up: s }};
          return (function (s) {{ return $.f($.m($.v(s, "n"), $.a($.v(s, "n"), 1)), 2); }}(inner));
        }};
        function tried(work) {{
          try {{ return JSON.stringify({{ value: work(null) }}); }}
          catch (e) {{ if (e.wrong) {{ return JSON.stringify({{ wrong: e.wrong }}); }} throw e; }}
        }}
        """
    )
    js.eval(f"(function () {{ {THINGS} }}())")
    return js


def theirs(expression: str) -> dict[str, object]:
    return dict(json.loads(engine().eval(f"tried(function (s) {{ return {expression}; }})")))


def looked_up(**rows: dict[str, object]) -> list[Lookup]:
    """Return lookups by their rows, as a ruleset has them."""

    def texts(table: dict[str, object]) -> dict[str, object]:
        return {k: texts(v) if isinstance(v, dict) else Text(v, Span("")) for k, v in table.items()}

    found = (parse_formula(LookupText(name, texts(table))) for name, table in rows.items())  # type: ignore[arg-type]
    return [tree for tree in found if isinstance(tree, Lookup)]


LOOKUPS = looked_up(
    rising={"-5": "1/2", "1": "+2", "5": "3", "9": "−4", "40": "none"},
    ending={"1": "novice", "2/3": "½", "5": "none", "otherwise": "0"},
    exact={"exact": "true", "3": "7", "2/3": "d6", "0": "1"},
    words={"prose": "1", "yes": "2", "no": "3", "none": "none"},
    deep={"prose": {"1": "2", "3": "4"}, "yes": "5", "otherwise": {"exact": "true", "3": "6"}},
)

LEAVES = (
    st.integers(-50, 50).map(lambda n: Number(n, 0))
    | st.sampled_from([10**12 - 1, 67_108_864, 9999, True, False]).map(lambda n: Number(n, 0))
    | st.sampled_from([*NAMES, "nowhere", *OF_THINGS]).map(lambda n: Name(n, 0))
    | st.sampled_from(["prose", "", "<b>"]).map(lambda w: Word(w, 0))
)


def grown(below: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    many = st.lists(below, min_size=0, max_size=3).map(tuple)
    return (
        st.builds(Unary, st.sampled_from(["-", "not"]), below, st.just(0))
        | st.builds(
            Binary, st.sampled_from(["+", "-", "*", "/", "//", "%"]), below, below, st.just(0)
        )
        | st.builds(
            Compare,
            below,
            st.lists(
                st.tuples(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), below),
                min_size=1,
                max_size=3,
            ).map(tuple),
            st.just(0),
        )
        | st.builds(
            Logic,
            st.sampled_from(["and", "or"]),
            st.lists(below, min_size=2, max_size=3).map(tuple),
            st.just(0),
        )
        | st.builds(Either, below, below, below, st.just(0))
        | st.builds(
            Call,
            st.sampled_from([*sorted(COUNTING | WRITING), "tri"]),
            many,
            st.just(0),
        )
        | st.just(Call("has", (Name("luck", 0),), 0))
        | st.builds(
            lambda table, first, second: Lookup(
                table.name, (first, second)[: len(table.arguments)], table.rows, 0
            ),
            st.sampled_from(LOOKUPS),
            below,
            below,
        )
    )


TREES = st.recursive(LEAVES, grown, max_leaves=10)


BIG = st.integers(1 - 10**12, 10**12 - 1) | st.integers(-12, 12)
PARTS = st.builds(Fraction, st.integers(-(2**26), 2**26), st.integers(1, 2**26))


@settings(max_examples=500)
@given(st.sampled_from(["%", "//"]), BIG | PARTS, BIG | PARTS)
@example("%", 999_999_999_999, -6)
def test_remainders_are_exact(operator: str, a: int | Fraction, b: int | Fraction) -> None:
    _compare(parse_formula(f"({a}) {operator} ({b})"))


@settings(max_examples=2500)
@given(TREES)
def test_formulas_have_one_value(tree: Tree) -> None:
    _compare(tree)


OF_GEAR = st.recursive(
    st.sampled_from(["gear.weight", "gear.cap", "gear.uses", "n"]).map(lambda n: Name(n, 0))
    | st.integers(-2, 9).map(lambda n: Number(n, 0)),
    grown,
    max_leaves=5,
)
GATHERED = st.builds(
    Call,
    st.sampled_from(sorted(GATHERING)),
    st.lists(OF_GEAR | LEAVES, min_size=1, max_size=3).map(tuple),
    st.just(0),
)


@settings(max_examples=1500)
@given(GATHERED)
def test_numbers_of_things_have_one_value(tree: Tree) -> None:
    _compare(tree)


def _compare(tree: Tree) -> None:
    try:
        mine = {"value": plain(evaluate(tree, Game()))}
    except FormulaError:
        mine = {}
    found = theirs(javascript(tree))
    assert ("value" in found) == bool(mine), found
    if mine:
        assert found == mine
        assert type(found["value"]) is type(mine["value"])


FIGURES = (
    st.integers(-(10**6), 10**6)
    | st.integers(0, 10**12)
    | st.builds(Fraction, st.integers(-60_000, 60_000), st.integers(1, 1000))
)


@pytest.mark.parametrize("form", sorted(FORMS))
@settings(max_examples=300)
@given(value=FIGURES)
def test_figures_are_written_alike(form: str, value: int | Fraction) -> None:
    value = value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value
    found = theirs(f"$.forms[{js_literal(form)}]({json.dumps(plain(value))})")
    assert found == {"value": FORMS[form](value)}


@pytest.mark.parametrize("value", NAMES.values(), ids=map(str, NAMES))
def test_values_are_shown_alike(value: Value) -> None:
    assert theirs(f"$.shown({json.dumps(plain(value))})") == {"value": value_text(value)}


@given(st.text())
def test_texts_are_ascii_and_end_no_tag(text: str) -> None:
    written = js_literal(text)
    assert written.isascii()
    assert "<" not in written
    assert theirs(written) == {"value": text}


def test_a_line_keeps_its_texts_and_formulas() -> None:
    assert template("1–{n} of {share}") == (
        '["1\\u2013",function(s){return $.v(s,"n")}," of ",function(s){return $.v(s,"share")}]'
    )
